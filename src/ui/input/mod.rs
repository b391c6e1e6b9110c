//! What the terminal sends: keys, pastes, the focus, its size, and replies about itself.
//!
//! The bytes are read on a thread of their own, which ends at a hang-up, and are decoded here, so that a
//! reply never becomes a key ([`decoder`]). All screens of a process share one thread, which ends with the
//! process: two threads would take keys from each other. While the terminal is lent to a program, a gate
//! keeps the thread from reading (`gate.rs`).

mod burst;
pub mod decoder;
mod gate;
mod paste;
pub mod reply;
mod sequence;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::Stream;
use ratatui::crossterm::event::Event;
use ratatui::layout::Size;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep_until};

pub use decoder::{Decoder, Input};
pub use gate::InputGate;
pub use reply::Reply;

use super::terminal::size;

/// Pieces that wait to be decoded. When they are this many the reader waits, and the terminal buffers the
/// rest.
const MAX_WAITING: usize = 64;
/// The longest piece.
const PIECE_BYTES: usize = 4096;

type Bytes = mpsc::Receiver<Vec<u8>>;

/// Keyboard input, for one screen at a time.
#[derive(Debug, Default)]
pub struct Keys {
    thread: Option<(Bytes, InputGate)>,
    decoder: Decoder,
}

impl Keys {
    /// The input for a screen; the first call starts the thread. `assumed` is the size where the terminal has none.
    ///
    /// # Errors
    /// The thread could not be started, or the signal of a new size cannot be received.
    pub fn stream(&mut self, assumed: Size) -> io::Result<InputStream<'_>> {
        let (bytes, gate) = match self.thread.take() {
            Some(thread) => thread,
            None => start(terminal()?)?,
        };
        // The last screen may have ended while a program had the terminal.
        gate.open();
        let continued = rustix::process::Signal::CONT.as_raw();
        let signals = Signals {
            resized: signal(SignalKind::window_change())?,
            continued: signal(SignalKind::from_raw(continued))?,
            assumed,
        };
        let (bytes, gate) = self.thread.insert((bytes, gate));
        Ok(InputStream::new(bytes, &mut self.decoder, Some(signals), Some(gate.clone())))
    }
}

/// A separate descriptor for the terminal on standard input.
fn terminal() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

fn start(mut from: File) -> io::Result<(Bytes, InputGate)> {
    let (tx, bytes) = mpsc::channel(MAX_WAITING);
    let (gate, mut keeper) = gate::gate()?;
    thread::Builder::new().name("terminal-input".to_owned()).spawn(move || {
        loop {
            // An error is the end as well: the terminal is gone.
            let piece = keeper.read(&mut from, read).unwrap_or_default();
            if piece.is_empty() || tx.blocking_send(piece).is_err() {
                return;
            }
        }
    })?;
    Ok((bytes, gate))
}

/// The next bytes; none after a hang-up.
fn read(from: &mut File) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; PIECE_BYTES];
    loop {
        match from.read(&mut buffer) {
            Ok(count) => {
                buffer.truncate(count);
                return Ok(buffer);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Other signals of the terminal and the shell.
#[derive(Debug)]
struct Signals {
    resized: Signal,
    continued: Signal,
    /// The size to assume if the terminal reports none.
    assumed: Size,
}

/// The input of one screen. It ends at a hang-up.
#[derive(Debug)]
pub struct InputStream<'a> {
    bytes: &'a mut Bytes,
    decoder: &'a mut Decoder,
    signals: Option<Signals>,
    /// The size is due: the window may have another one since the process was stopped.
    size_due: bool,
    gate: Option<InputGate>,
    /// Input taken out of the stream while waiting for replies, in order.
    held: Vec<io::Result<Input>>,
    expiry: Option<Pin<Box<Sleep>>>,
}

impl<'a> InputStream<'a> {
    fn new(
        bytes: &'a mut Bytes,
        decoder: &'a mut Decoder,
        signals: Option<Signals>,
        gate: Option<InputGate>,
    ) -> Self {
        Self { bytes, decoder, signals, size_due: false, gate, held: Vec::new(), expiry: None }
    }

    /// Keeps the thread from reading; none where there is no thread.
    pub fn gate(&self) -> Option<InputGate> {
        self.gate.clone()
    }

    /// A question is sent to the terminal now.
    pub fn await_replies(&mut self) {
        self.decoder.await_replies(Instant::now().into_std());
    }

    /// The question has one to measure characters: the cursor is reported before and after them.
    pub fn await_columns(&mut self) {
        self.decoder.await_columns(2);
    }

    /// Waits for the replies, at most `limit`, and only until a key is typed: the stream then begins
    /// with the input so far.
    pub async fn settle(&mut self, limit: Duration) {
        let until = Instant::now() + limit;
        let mut came = Vec::new();
        while self.decoder.awaits_replies(Instant::now().into_std()) {
            let Ok(Some(input)) = tokio::time::timeout_at(until, self.next()).await else { break };
            let is_reply = matches!(input, Ok(Input::Reply(_)));
            came.push(input);
            if !is_reply {
                break;
            }
        }
        came.reverse();
        self.held = came;
    }

    /// Waits for the replies, at most `limit`, and drops them with all other input.
    pub async fn drain_replies(&mut self, limit: Duration) {
        let until = Instant::now() + limit;
        while self.decoder.awaits_replies(Instant::now().into_std()) {
            let Ok(Some(Ok(_))) = tokio::time::timeout_at(until, self.next()).await else { break };
        }
    }

    /// The process was continued, or the window has a new size.
    fn poll_signals(&mut self, cx: &mut Context<'_>) -> Option<io::Result<Input>> {
        let signals = self.signals.as_mut()?;
        if signals.continued.poll_recv(cx) == Poll::Ready(Some(())) {
            self.size_due = true;
            return Some(Ok(Input::Continued));
        }
        let is_resized = signals.resized.poll_recv(cx) == Poll::Ready(Some(()));
        if !std::mem::take(&mut self.size_due) && !is_resized {
            return None;
        }
        // Without a size the terminal is gone; the reader reports that.
        let size = size(signals.assumed).ok()?;
        Some(Ok(Event::Resize(size.width, size.height).into()))
    }

    /// True if the time is over in which bytes may still belong together.
    fn poll_expiry(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(at) = self.decoder.deadline().map(Instant::from_std) else {
            self.expiry = None;
            return false;
        };
        let sleep = self.expiry.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if sleep.deadline() != at {
            sleep.as_mut().reset(at);
        }
        let over = sleep.as_mut().poll(cx).is_ready();
        if over {
            self.expiry = None;
            self.decoder.expire(Instant::now().into_std());
        }
        over
    }
}

impl Stream for InputStream<'_> {
    type Item = io::Result<Input>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(input) = this.held.pop() {
            return Poll::Ready(Some(input));
        }
        if let Some(input) = this.poll_signals(cx) {
            return Poll::Ready(Some(input));
        }
        if this.gate.as_ref().is_some_and(InputGate::take_announced) {
            this.await_replies();
        }
        let statuses = this.gate.as_ref().map_or(0, InputGate::take_statuses);
        if statuses > 0 {
            this.decoder.await_statuses(statuses, Instant::now().into_std());
        }
        loop {
            if let Some(input) = this.decoder.take() {
                return Poll::Ready(Some(Ok(input)));
            }
            match this.bytes.poll_recv(cx) {
                Poll::Ready(Some(bytes)) => {
                    this.decoder.feed(&bytes, Instant::now().into_std());
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    if !this.poll_expiry(cx) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }
}
