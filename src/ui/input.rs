//! Keys from the terminal, read on a thread of their own.
//!
//! The library's reader does not return after a hang-up: it reads end-of-file in a loop. On its own
//! thread it cannot keep the screen from receiving the hang-up signal and ending the program. The
//! thread ends with the process, since nothing can interrupt its read. All screens of a process share
//! one thread, or an old one would take a key from the next.

use std::io;
use std::thread;

use futures_util::stream::{self, Stream};
use ratatui::crossterm::event::{Event, read};
use tokio::sync::mpsc;

/// Size of the queue of keys. When it is full the reader waits, and the terminal buffers the rest.
const MAX_WAITING_KEYS: usize = 256;

/// The keys that are typed, for one screen at a time.
#[derive(Debug, Default)]
pub struct Keys {
    receiver: Option<mpsc::Receiver<io::Result<Event>>>,
}

impl Keys {
    /// The keys for a screen; the first call starts the thread.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn stream(&mut self) -> io::Result<impl Stream<Item = io::Result<Event>> + Unpin> {
        let keys = match self.receiver.take() {
            Some(keys) => keys,
            None => start()?,
        };
        let keys = self.receiver.insert(keys);
        Ok(stream::poll_fn(move |cx| keys.poll_recv(cx)))
    }
}

fn start() -> io::Result<mpsc::Receiver<io::Result<Event>>> {
    let (tx, keys) = mpsc::channel(MAX_WAITING_KEYS);
    thread::Builder::new().name("terminal-input".to_owned()).spawn(move || {
        loop {
            let event = read();
            let over = event.is_err();
            if tx.blocking_send(event).is_err() || over {
                return;
            }
        }
    })?;
    Ok(keys)
}
