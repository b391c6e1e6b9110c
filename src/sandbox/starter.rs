//! The thread that starts commands. A command in a sandbox ends with the thread that started it, so this
//! one lives as long as the sandbox; a thread of a pool may end earlier.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// Work that may wait; more waits to be let in.
const QUEUE: usize = 64;

/// The thread; it begins with the first work.
#[derive(Default)]
pub(super) struct Starter(Mutex<Option<SyncSender<Work>>>);

impl Starter {
    /// What the work gave; `None` if there is no thread to be had.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = oneshot::channel();
        // Nobody waits any more: what was made is dropped where it was made.
        let work = move || drop(tell.send(work()));
        self.queue()?.send(Box::new(work)).ok()?;
        told.await.ok()
    }

    fn queue(&self) -> Option<SyncSender<Work>> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.is_none() {
            let (sender, receiver) = sync_channel::<Work>(QUEUE);
            let thread = std::thread::Builder::new().name("sandbox".to_owned());
            let carry_out = move || receiver.into_iter().for_each(|work| work());
            thread.spawn(carry_out).ok()?;
            *queue = Some(sender);
        }
        queue.clone()
    }
}

impl std::fmt::Debug for Starter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Starter").finish_non_exhaustive()
    }
}
