//! The input of a server, of which it is known how much was read: what is left in it when the server has ended was
//! never taken.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionread;
use tokio::io::AsyncWrite;
use tokio::process::ChildStdin;
use tokio::time::sleep;

/// A process that ends closes its output and its input one after the other.
const PAUSE: Duration = Duration::from_millis(5);
const MAX_PAUSES: u32 = 40;

/// The input of a server.
#[derive(Debug)]
pub(super) struct ServerInput(Arc<Mutex<Pipe>>);

/// Says how much of an input was read. It does not keep the input open.
#[derive(Debug)]
pub(super) struct InputMeter(Weak<Mutex<Pipe>>);

#[derive(Debug)]
struct Pipe {
    stdin: ChildStdin,
    /// Bytes that the pipe took.
    written: u64,
}

impl ServerInput {
    pub fn new(stdin: ChildStdin) -> (Self, InputMeter) {
        let pipe = Arc::new(Mutex::new(Pipe { stdin, written: 0 }));
        let meter = InputMeter(Arc::downgrade(&pipe));
        (Self(pipe), meter)
    }

    fn lock(&self) -> MutexGuard<'_, Pipe> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncWrite for ServerInput {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut pipe = self.lock();
        let written = ready!(Pin::new(&mut pipe.stdin).poll_write(cx, bytes))?;
        pipe.written += written as u64;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stdin).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stdin).poll_shutdown(cx)
    }
}

impl InputMeter {
    /// The bytes that were written.
    pub fn written(&self) -> u64 {
        let Some(pipe) = self.0.upgrade() else { return u64::MAX };
        pipe.lock().unwrap_or_else(PoisonError::into_inner).written
    }

    /// The bytes that a server which has ended read at most.
    pub async fn read_in_the_end(&self) -> u64 {
        for _ in 0..MAX_PAUSES {
            if let Some(read) = self.read() {
                return read;
            }
            sleep(PAUSE).await;
        }
        u64::MAX
    }

    /// The bytes that were read; `None` while somebody may read more.
    fn read(&self) -> Option<u64> {
        let Some(pipe) = self.0.upgrade() else { return Some(u64::MAX) };
        let pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
        // The end for writing has an error as soon as nobody has the end for reading.
        let mut ends = [PollFd::new(&pipe.stdin, PollFlags::empty())];
        poll(&mut ends, Some(&Timespec::default())).ok()?;
        if !ends.iter().all(|end| end.revents().contains(PollFlags::ERR)) {
            return None;
        }
        let unread = ioctl_fionread(&pipe.stdin).ok()?;
        Some(pipe.written.saturating_sub(unread))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, Read as _};
    use std::os::fd::OwnedFd;

    use tokio::io::AsyncWriteExt as _;

    use super::*;

    fn input() -> (PipeReader, ServerInput, InputMeter) {
        let (reader, writer) = io::pipe().unwrap();
        let stdin = std::process::ChildStdin::from(OwnedFd::from(writer));
        let (input, meter) = ServerInput::new(ChildStdin::from_std(stdin).unwrap());
        (reader, input, meter)
    }

    #[tokio::test]
    async fn how_much_was_read_is_known_once_nobody_can_read_any_more() {
        let (mut reader, mut input, meter) = input();
        input.write_all(b"taken").await.unwrap();
        reader.read_exact(&mut [0; 5]).unwrap();
        input.write_all(b"left").await.unwrap();
        assert_eq!((meter.written(), meter.read()), (9, None));
        drop(reader);
        assert_eq!(meter.read_in_the_end().await, 5);
        assert!(input.write_all(b"more").await.is_err());
        assert_eq!((meter.written(), meter.read()), (9, Some(5)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_somebody_may_still_read_counts_as_read() {
        let (reader, mut input, meter) = input();
        input.write_all(b"left").await.unwrap();
        assert_eq!(meter.read_in_the_end().await, u64::MAX);
        drop(reader);
        drop(input);
        assert_eq!(meter.read_in_the_end().await, u64::MAX);
    }
}
