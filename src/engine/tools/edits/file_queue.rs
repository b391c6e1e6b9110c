//! The order of changes to a file. Edits of one file are applied one after the other; of those
//! that wait, the one that was prepared first goes first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The lines of waiting edits, one per file.
#[derive(Debug, Default)]
pub(super) struct EditQueues {
    files: Mutex<BTreeMap<String, EditQueue>>,
    left: Notify,
}

#[derive(Debug, Default)]
struct EditQueue {
    waiting: BTreeSet<u64>,
    busy: bool,
}

/// A place in the line of one file; leaves it when dropped.
#[derive(Debug)]
pub(super) struct QueueTicket {
    turns: Arc<EditQueues>,
    file: String,
    order: u64,
    /// True while it is this ticket's turn.
    come: bool,
}

impl EditQueues {
    /// Enters the queue of a file.
    pub(super) fn enroll(self: &Arc<Self>, file: &str, order: u64) -> QueueTicket {
        self.files().entry(file.to_owned()).or_default().waiting.insert(order);
        QueueTicket { turns: Arc::clone(self), file: file.to_owned(), order, come: false }
    }

    /// Every change below leaves the map whole, so a thread that died is no reason to stop.
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, EditQueue>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueTicket {
    /// Waits until no other edit of the file is being applied and no earlier one waits.
    pub(super) async fn come(&mut self) {
        let turns = Arc::clone(&self.turns);
        loop {
            // Registered before the check, so that no turn that ends in between is missed.
            let left = turns.left.notified();
            if self.begin() {
                return;
            }
            left.await;
        }
    }

    fn begin(&mut self) -> bool {
        let mut files = self.turns.files();
        let Some(line) = files.get_mut(&self.file) else { return false };
        let mine = !line.busy && line.waiting.first() == Some(&self.order);
        if mine {
            line.busy = true;
            self.come = true;
        }
        mine
    }
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        let mut files = self.turns.files();
        if let Some(line) = files.get_mut(&self.file) {
            line.waiting.remove(&self.order);
            line.busy &= !self.come;
            if line.waiting.is_empty() {
                files.remove(&self.file);
            }
        }
        drop(files);
        self.turns.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_earlier_edit_of_a_file_goes_first_and_nobody_breaks_in() {
        let turns = Arc::new(EditQueues::default());
        let mut at_work = turns.enroll("a", 7);
        at_work.come().await;
        let order = Mutex::new(Vec::new());
        let wait = |number| {
            let mut turn = turns.enroll("a", number);
            let order = &order;
            async move {
                turn.come().await;
                order.lock().unwrap().push(number);
            }
        };
        let release = async {
            tokio::task::yield_now().await;
            order.lock().unwrap().push(7);
            drop(at_work);
        };
        tokio::join!(wait(9), wait(3), wait(5), release);
        assert_eq!(*order.lock().unwrap(), [7, 3, 5, 9]);
        assert!(turns.files().is_empty());
    }

    #[tokio::test]
    async fn files_do_not_wait_for_each_other_and_who_gives_up_holds_up_nobody() {
        let turns = Arc::new(EditQueues::default());
        let mut first = turns.enroll("a", 1);
        first.come().await;
        turns.enroll("b", 2).come().await;
        let given_up = turns.enroll("a", 3);
        let mut last = turns.enroll("a", 4);
        drop((given_up, first));
        last.come().await;
    }
}
