//! Writes frames without blocking the screen.
//!
//! One thread owns the descriptor and writes one frame at a time. While it is busy, the screen keeps
//! its state and draws nothing, so a terminal that stalls for minutes costs no memory and does not
//! block the program. There is never more than one frame.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Pause before writing to a full terminal again.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Why a frame was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// The previous frame is still being written. Draw again later, from the current state.
    #[error("the terminal is still receiving the last frame")]
    Busy,
    /// A write failed: the terminal was closed. Nothing more is written to it.
    #[error("writing to the terminal: it was closed")]
    Gone,
}

/// The handle to the writing thread. Dropping it lets the thread end after its frame.
#[derive(Debug)]
pub struct Output {
    frames: Option<SyncSender<Vec<u8>>>,
    progress: Arc<Progress>,
}

/// The state shared with the writing thread.
#[derive(Debug, Default)]
struct Progress {
    state: Mutex<OutputState>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone)]
struct OutputState {
    /// Since when a frame is being written.
    busy_since: Option<Instant>,
    last_write: Duration,
    failed: Option<io::ErrorKind>,
}

impl Output {
    /// Starts the writing thread. It calls `done` after each frame, to wake the screen.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(
        mut writer: impl Write + Send + 'static,
        done: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        // One slot: only a frame handed over while the thread is idle is accepted (see submit).
        let (tx, frames) = sync_channel::<Vec<u8>>(1);
        let progress = Arc::new(Progress::default());
        let thread_progress = Arc::clone(&progress);
        thread::Builder::new().name("terminal-output".to_owned()).spawn(move || {
            for frame in frames {
                let written = write_retrying(&mut writer, &frame);
                let failed = written.is_err();
                thread_progress.finish(written);
                done();
                if failed {
                    break;
                }
            }
        })?;
        Ok(Self { frames: Some(tx), progress })
    }

    /// Submits a frame. Never blocks.
    ///
    /// # Errors
    /// [`OutputError::Busy`] while the last one is being written, [`OutputError::Gone`] after a
    /// failed write. The frame is dropped then.
    pub fn try_submit(&self, frame: Vec<u8>) -> Result<(), OutputError> {
        let mut state = self.progress.lock();
        let Some(frames) = self.frames.as_ref().filter(|_| state.failed.is_none()) else {
            return Err(OutputError::Gone);
        };
        if state.busy_since.is_some() {
            return Err(OutputError::Busy);
        }
        match frames.try_send(frame) {
            Ok(()) => {
                state.busy_since = Some(Instant::now());
                Ok(())
            }
            Err(TrySendError::Full(_)) => Err(OutputError::Busy),
            Err(TrySendError::Disconnected(_)) => Err(OutputError::Gone),
        }
    }

    /// True if a frame would be accepted now. Check before drawing.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let state = self.progress.lock();
        state.busy_since.is_none() && state.failed.is_none()
    }

    /// The error of a failed write.
    #[must_use]
    pub fn failure(&self) -> Option<io::ErrorKind> {
        self.progress.lock().failed
    }

    /// Returns how long the last finished write took; for the pacer.
    #[must_use]
    pub fn last_write(&self) -> Duration {
        self.progress.lock().last_write
    }

    /// Returns how long the current frame is being written.
    #[must_use]
    pub fn busy_for(&self, now: Instant) -> Option<Duration> {
        self.progress.lock().busy_since.map(|since| now.saturating_duration_since(since))
    }

    /// Waits until the last frame was written or failed, at most `limit`; true if it is out.
    /// For the end of the program only.
    pub fn wait(&self, limit: Duration) -> bool {
        let state = self.progress.lock();
        let waited = self
            .progress
            .changed
            .wait_timeout_while(state, limit, |state| state.busy_since.is_some());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.busy_since.is_none() && state.failed.is_none()
    }
}

impl Progress {
    fn lock(&self) -> std::sync::MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, written: io::Result<()>) {
        let mut state = self.lock();
        if let Some(since) = state.busy_since.take() {
            state.last_write = since.elapsed();
        }
        state.failed = written.err().map(|error| error.kind());
        self.changed.notify_all();
    }
}

/// Writes a whole frame, also to a terminal that another process made non-blocking.
fn write_retrying(writer: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                thread::sleep(RETRY_INTERVAL);
            }
            Err(error) => return Err(error),
        }
    }
    writer.flush()
}

/// A separate descriptor for the terminal on standard output. Unlike the library's handle it has no
/// lock, so a stalled frame cannot prevent the modes from being restored.
///
/// # Errors
/// No more descriptors.
pub fn terminal_file() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

/// The writer to give to the backend: one write is one frame for an [`Output`].
#[derive(Debug, Clone)]
pub struct Sink(Arc<Output>);

impl Sink {
    #[must_use]
    pub fn new(output: Arc<Output>) -> Self {
        Self(output)
    }
}

impl Write for Sink {
    /// # Errors
    /// `WouldBlock` while busy, `BrokenPipe` once the terminal was closed.
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        match self.0.try_submit(frame.to_vec()) {
            Ok(()) => Ok(frame.len()),
            Err(OutputError::Busy) => {
                Err(io::Error::new(io::ErrorKind::WouldBlock, OutputError::Busy))
            }
            Err(OutputError::Gone) => {
                Err(io::Error::new(io::ErrorKind::BrokenPipe, OutputError::Gone))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
