//! Keys from the terminal, read on a thread of their own.
//!
//! The library's reader does not return once a terminal has hung up: it reads end-of-file for ever.
//! On its own thread it cannot keep the screen from hearing the hang-up signal and ending the
//! program. The thread ends with the process: nothing can interrupt its read. So there is one for all
//! screens the process shows, or an old one would take a key from the next.

use std::io;
use std::thread;

use futures_util::stream::{self, Stream};
use ratatui::crossterm::event::{Event, read};
use tokio::sync::mpsc;

/// Keys that may wait. When it is full the reader waits, and the terminal keeps the rest.
const MAX_WAITING_KEYS: usize = 256;

/// What is typed, for one screen after the other.
#[derive(Debug, Default)]
pub struct Keys {
    receiver: Option<mpsc::Receiver<io::Result<Event>>>,
}

impl Keys {
    /// The keys for a screen; begins to read with the first one.
    ///
    /// # Errors
    /// The system gives no thread.
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
    let (sender, keys) = mpsc::channel(MAX_WAITING_KEYS);
    thread::Builder::new().name("terminal-input".to_owned()).spawn(move || {
        loop {
            let event = read();
            let over = event.is_err();
            if sender.blocking_send(event).is_err() || over {
                return;
            }
        }
    })?;
    Ok(keys)
}
