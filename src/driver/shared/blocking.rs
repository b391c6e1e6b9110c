//! Work that blocks on the disk, on threads of its own: the tasks share few threads, and a task that waits
//! for a disk would stop the streams of all others on its thread.

use tokio::task::JoinError;

use crate::domain::text::{Localized, localized};

/// Shows that code runs where it may block. What reads the configuration, Taskdocs and images asks for it,
/// so that no task can do that.
#[derive(Debug)]
pub struct BlockingThread(());

impl BlockingThread {
    /// The thread of a command that reads and ends; it runs no tasks.
    pub(in crate::driver) fn of_command() -> Self {
        Self(())
    }
}

/// The message for a person whose request was cut off.
pub(in crate::driver) fn interrupted(error: &JoinError) -> Localized {
    localized!("{error}", "内部错误：{error}")
}

/// Runs this on a thread where it may block. The error says that it panicked, or that the program ends.
pub(in crate::driver) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&BlockingThread) -> T + Send + 'static,
) -> Result<T, JoinError> {
    tokio::task::spawn_blocking(move || work(&BlockingThread(()))).await
}
