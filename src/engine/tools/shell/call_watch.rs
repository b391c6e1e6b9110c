//! What a running call and the drive that waits for it tell each other: the drive that the call is stopped, the call
//! the last lines that its command has printed.
//!
//! The lines are for people who look on, are recorded nowhere, and are bounded in size and rate. A call that is told to
//! stop may answer at once with what it has so far; one that does not is dropped.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::unconstrained;
use tokio::time::{Instant, sleep_until};

use super::window::{LiveTail, last_lines};

/// Least time between two reports of lines.
const INTERVAL: Duration = Duration::from_millis(200);

/// Both directions, for one call. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct CallWatch {
    stopped: watch::Sender<bool>,
    tail: LiveTail,
}

/// What the command of a call prints, as it is read by one who looks on.
#[derive(Debug)]
pub struct PrintedLines {
    tail: watch::Receiver<Vec<u8>>,
    /// When the next lines may be reported; `None` before the first.
    due: Option<Instant>,
}

impl CallWatch {
    /// Tells the call that it is stopped.
    pub fn stop(&self) {
        self.stopped.send_replace(true);
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Completes when the call is stopped, also in a task that has had its turn with the output of a busy command.
    pub(super) async fn stopped(&self) {
        let mut stopped = self.stopped.subscribe();
        let waiting = stopped.wait_for(|is_stopped| *is_stopped);
        let is_stopped = unconstrained(waiting).await.is_ok();
        if !is_stopped {
            pending::<()>().await;
        }
    }

    /// Where the command of the call shows what it prints.
    pub(super) fn tail(&self) -> &LiveTail {
        &self.tail
    }

    /// A reader of the lines that are printed from now on.
    pub fn lines(&self) -> PrintedLines {
        PrintedLines { tail: self.tail.subscribe(), due: None }
    }
}

impl PrintedLines {
    /// Returns the last lines once something was printed, and some time after those before. None when a command has
    /// begun. May be given up at any point.
    pub async fn printed(&mut self) -> Vec<String> {
        if let Some(due) = self.due {
            sleep_until(due).await;
        }
        if self.tail.changed().await.is_err() {
            return pending().await;
        }
        self.due = Some(Instant::now() + INTERVAL);
        last_lines(&self.tail.borrow_and_update())
    }
}
