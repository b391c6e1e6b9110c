//! Stores the user's looks, so that the next start knows what is new.

use std::time::{Duration, Instant};

use crate::app::composing::writing::Writing;
use crate::domain::DialogId;
use crate::model::{DraftKey, Tree};

/// The longest time of looking that a crash may lose.
const STORE_AFTER: Duration = Duration::from_secs(5);

/// The looks that are not stored yet.
#[derive(Debug, Default)]
pub(in crate::app) struct SeenMarks {
    /// The time at which they are stored.
    store_at: Option<Instant>,
}

impl SeenMarks {
    /// The open dialog is looked at.
    pub fn look_at(&mut self, open: Option<&DialogId>, tree: &mut Tree, now: Instant) {
        if let Some(open) = open {
            tree.look_at(open);
        }
        if tree.has_new_looks() {
            self.store_at.get_or_insert(now + STORE_AFTER);
        }
    }

    pub fn store_at(&self) -> Option<Instant> {
        self.store_at
    }

    /// Hands them to the writer if it is time.
    pub fn store_due(&mut self, tree: &mut Tree, writing: &mut Writing, now: Instant) {
        if self.store_at.is_some_and(|due| due <= now) {
            self.store(tree, writing, now);
        }
    }

    /// Stores them at once.
    pub fn store(&mut self, tree: &mut Tree, writing: &mut Writing, now: Instant) {
        self.store_at = None;
        if tree.has_new_looks() {
            let text = tree.take_looks();
            writing.set_draft(&DraftKey::Looked, &text, now);
            writing.store();
        }
    }
}
