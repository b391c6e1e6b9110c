//! Trees of tasks in which something has happened, for whoever looks after the tasks. A tree only leaves its name.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::domain::RootId;

#[derive(Debug, Default)]
pub struct MovedTrees {
    roots: Mutex<BTreeSet<RootId>>,
    notify: Notify,
}

impl MovedTrees {
    pub(in crate::driver) fn mark(&self, root: &RootId) {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if roots.insert(root.clone()) {
            self.notify.notify_one();
        }
    }

    /// Waits for the next ones. Dropped, it loses none.
    pub(in crate::driver) async fn next(&self) -> BTreeSet<RootId> {
        loop {
            let taken = {
                let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::take(&mut *roots)
            };
            if !taken.is_empty() {
                return taken;
            }
            self.notify.notified().await;
        }
    }
}
