//! Who reads the terminal: the thread of the screen, or a program that the terminal is lent to.
//!
//! While the gate is closed the thread reads nothing, so that the program gets every key. Closing waits until
//! the thread has stopped reading; a pipe wakes it, so no key has to be pressed.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};

/// The screen's end.
#[derive(Debug, Clone)]
pub struct InputGate {
    shared: Arc<Shared>,
    wake: Arc<PipeWriter>,
}

/// The thread's end.
#[derive(Debug)]
pub(super) struct GateKeeper {
    shared: Arc<Shared>,
    woken: PipeReader,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    closed: bool,
    /// The thread waits for the terminal or reads from it.
    reading: bool,
    /// A question was sent, and its replies are not announced yet.
    replies_announced: bool,
    /// Status questions whose replies are not announced yet.
    statuses_announced: u32,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn gate() -> io::Result<(InputGate, GateKeeper)> {
    let (woken, wake) = io::pipe()?;
    let shared = Arc::<Shared>::default();
    let keeper = GateKeeper { shared: shared.clone(), woken };
    Ok((InputGate { shared, wake: Arc::new(wake) }, keeper))
}

impl InputGate {
    /// Closes the gate: when this returns, nothing is read from the terminal.
    ///
    /// # Errors
    /// The thread could not be woken; the gate is open again.
    pub fn close(&self) -> io::Result<()> {
        self.shared.lock().closed = true;
        // One byte each time; a thread that has ended needs none.
        match (&*self.wake).write_all(&[0]) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.open();
                return Err(error);
            }
            Ok(()) | Err(_) => {}
        }
        let state = self.shared.lock();
        let waited = self.shared.changed.wait_while(state, |state| state.reading);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    /// A question is sent with the next frame.
    pub fn announce_replies(&self) {
        self.shared.lock().replies_announced = true;
    }

    /// Counts status questions that were sent with a frame.
    pub fn announce_statuses(&self, count: u32) {
        if count > 0 {
            self.shared.lock().statuses_announced += count;
        }
    }

    /// Takes the number of those sent since the last call.
    pub(super) fn take_statuses(&self) -> u32 {
        std::mem::take(&mut self.shared.lock().statuses_announced)
    }

    /// True once after a question was sent.
    pub(super) fn take_announced(&self) -> bool {
        std::mem::take(&mut self.shared.lock().replies_announced)
    }

    pub fn open(&self) {
        self.shared.lock().closed = false;
        self.shared.changed.notify_all();
    }
}

impl GateKeeper {
    /// Waits until there is something to read and the gate is open, and reads it with `read`.
    pub fn read(
        &mut self,
        from: &mut File,
        read: impl Fn(&mut File) -> io::Result<Vec<u8>>,
    ) -> io::Result<Vec<u8>> {
        loop {
            let pass = self.enter();
            let ready = ready(from, &self.woken)?;
            if ready == Ready::Woken {
                drop(pass);
                self.woken.read_exact(&mut [0])?;
                continue;
            }
            match read(from) {
                // Another process made the terminal non-blocking, and took the bytes.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    /// Waits until the gate is open.
    fn enter(&self) -> Pass {
        let state = self.shared.lock();
        let waited = self.shared.changed.wait_while(state, |state| state.closed);
        waited.unwrap_or_else(PoisonError::into_inner).reading = true;
        Pass(self.shared.clone())
    }
}

/// Held while the thread is at the terminal.
struct Pass(Arc<Shared>);

impl Drop for Pass {
    fn drop(&mut self) {
        self.0.lock().reading = false;
        self.0.changed.notify_all();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ready {
    Input,
    Woken,
}

fn ready(from: &File, woken: &PipeReader) -> io::Result<Ready> {
    loop {
        let mut both = [PollFd::new(from, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
        match poll(&mut both, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        let [input, wake] = &both;
        // Checked first, because the caller of `close` waits.
        if !wake.revents().is_empty() {
            return Ok(Ready::Woken);
        }
        // A hang-up, too, is found by reading.
        if !input.revents().is_empty() {
            return Ok(Ready::Input);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::thread;

    use super::*;

    fn one_read(file: &mut File) -> io::Result<Vec<u8>> {
        let mut buffer = [0; 64];
        let count = file.read(&mut buffer)?;
        Ok(buffer[..count].to_vec())
    }

    #[test]
    fn while_the_gate_is_closed_nothing_is_read_and_afterwards_what_is_left() {
        let (reader, mut keys) = io::pipe().unwrap();
        let mut program = reader.try_clone().unwrap();
        let mut from = File::from(OwnedFd::from(reader));
        let (gate, mut keeper) = gate().unwrap();
        let thread = thread::spawn(move || keeper.read(&mut from, one_read).unwrap());
        for _ in 0..3 {
            gate.close().unwrap();
            gate.open();
        }
        gate.close().unwrap();
        keys.write_all(b"program").unwrap();
        let mut buffer = [0; 8];
        let count = program.read(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"program");
        gate.open();
        keys.write_all(b"b").unwrap();
        assert_eq!(thread.join().unwrap(), b"b");
    }

    #[test]
    fn a_hang_up_while_the_gate_is_closed_is_found_when_it_opens() {
        let (reader, keys) = io::pipe().unwrap();
        let mut from = File::from(OwnedFd::from(reader));
        let (gate, mut keeper) = gate().unwrap();
        gate.close().unwrap();
        let thread = thread::spawn(move || keeper.read(&mut from, one_read).unwrap());
        drop(keys);
        gate.open();
        assert_eq!(thread.join().unwrap(), b"");
    }

    #[test]
    fn a_gate_whose_thread_has_ended_closes_at_once() {
        let (gate, keeper) = gate().unwrap();
        drop(keeper);
        gate.close().unwrap();
        gate.open();
    }
}
