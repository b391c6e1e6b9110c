//! Stores the user's looks, so that the next start knows what is new.

use std::time::{Duration, Instant};

use crate::app::App;
use crate::model::DraftKey;

/// The longest time of looking that a crash may lose.
const STORE_AFTER: Duration = Duration::from_secs(5);

impl App {
    /// The open dialog is looked at.
    pub(in crate::app) fn look_at_open(&mut self) {
        if let Some(open) = self.reading.dialog() {
            self.model.tree.look_at(open);
        }
        if self.model.tree.has_new_looks() {
            self.store_looks_at.get_or_insert(self.redraw.now() + STORE_AFTER);
        }
    }

    /// Hands it to the writer if it is time.
    pub(in crate::app) fn store_looks_due(&mut self, now: Instant) {
        if self.store_looks_at.is_some_and(|due| due <= now) {
            self.store_looks();
        }
    }

    /// Stores them at once.
    pub(in crate::app) fn store_looks(&mut self) {
        self.store_looks_at = None;
        if self.model.tree.has_new_looks() {
            let text = self.model.tree.take_looks();
            self.writing.set_draft(&DraftKey::Looked, &text, self.redraw.now());
            self.writing.store();
        }
    }
}
