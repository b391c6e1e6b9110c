//! Trees of tasks in which something has happened, for the dispatcher. A tree only leaves its root id.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::domain::RootId;

/// Counts the marks: when one is handled, so are all before it.
#[derive(Debug, Default)]
pub struct ChangedTrees {
    marks: Mutex<Marks>,
    notify: Notify,
}

#[derive(Debug, Default)]
struct Marks {
    roots: BTreeSet<RootId>,
    count: u64,
}

impl ChangedTrees {
    fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a tree; the number of this mark.
    pub(in crate::driver) fn mark(&self, root: &RootId) -> u64 {
        let mut marks = self.marks();
        marks.count += 1;
        if marks.roots.insert(root.clone()) {
            self.notify.notify_one();
        }
        marks.count
    }

    /// Waits for marked trees; returns them with the number of the last mark. May be cancelled.
    pub(in crate::driver) async fn next(&self) -> (BTreeSet<RootId>, u64) {
        loop {
            {
                let mut marks = self.marks();
                if !marks.roots.is_empty() {
                    return (std::mem::take(&mut marks.roots), marks.count);
                }
            }
            self.notify.notified().await;
        }
    }
}
