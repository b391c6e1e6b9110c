//! Work that blocks on the disk, on threads of its own: the tasks share few threads, and a task that waits
//! for a disk would stop the streams of all others on its thread.

use std::fmt;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::domain::text::{Localized, localized};

/// Proof that code runs where it may block. Functions that read the configuration, Taskdocs and images take it, so that
/// no task can call them.
#[derive(Debug)]
pub struct BlockingThread(());

impl BlockingThread {
    /// The thread of a command that reads and ends; it runs no tasks.
    pub(in crate::driver) fn of_command() -> Self {
        Self(())
    }
}

/// The message for a person whose request was cut off.
pub(in crate::driver) fn interrupted(error: &dyn fmt::Display) -> Localized {
    localized!("{error}", "内部错误：{error}")
}

/// Work that did not come to its end: it panicked, or the program ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::driver) struct Interrupted(String);

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs this on a thread where it may block.
///
/// # Errors
/// It panicked, or the program ends.
pub(in crate::driver) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&BlockingThread) -> T + Send + 'static,
) -> Result<T, Interrupted> {
    let (reply, outcome) = oneshot::channel();
    let working = begin(Box::new(move || {
        let _ = reply.send(work(&BlockingThread(())));
    }));
    match outcome.await {
        Ok(done) => Ok(done),
        Err(_) => Err(working.await),
    }
}

/// Begins work that replies by itself; resolves to the reason why it did not. Boxed, so that `spawn_blocking` is
/// instantiated once (binary size).
fn begin(work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, Interrupted> {
    let working = tokio::task::spawn_blocking(work);
    Box::pin(async move {
        let ended = working.await;
        Interrupted(ended.err().map_or_else(String::new, |error| error.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_says_so_and_other_work_has_its_result() {
        assert_eq!(blocking(|_| 7).await, Ok(7));
        let panicked = blocking(|_| assert_eq!(1, 2)).await;
        assert!(panicked.is_err_and(|error| error.to_string().contains("panicked")));
    }
}
