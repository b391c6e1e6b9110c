//! The thread that starts commands. A sandboxed command dies with the thread that started it, so this one
//! lives as long as the sandbox; a thread of a pool may end earlier.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Capacity of the queue.
const QUEUE_CAPACITY: usize = 64;

/// The thread; started with the first job.
#[derive(Default)]
pub(super) struct Launcher(Mutex<Option<SyncSender<Job>>>);

impl Launcher {
    /// The result of the job; `None` if the thread could not be started.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (tx, rx) = oneshot::channel();
        // If the receiver is gone, the result is dropped on this thread.
        let job = move || drop(tx.send(job()));
        self.queue()?.send(Box::new(job)).ok()?;
        rx.await.ok()
    }

    fn queue(&self) -> Option<SyncSender<Job>> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.is_none() {
            let (sender, receiver) = sync_channel::<Job>(QUEUE_CAPACITY);
            let thread = std::thread::Builder::new().name("sandbox".to_owned());
            let run_all = move || receiver.into_iter().for_each(|job| job());
            thread.spawn(run_all).ok()?;
            *queue = Some(sender);
        }
        queue.clone()
    }
}

impl std::fmt::Debug for Launcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launcher").finish_non_exhaustive()
    }
}
