//! Tool sources that change while the program runs: their tools, their problems, and what they lease to
//! dialogs.

use std::sync::Arc;

use crate::domain::{DialogId, Problem, Reminder};
use crate::tools::{LeaseScope, Registry, ReminderUpdate, ToolSource};

/// All tool sources of a driver. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ToolSources(Arc<[Arc<dyn ToolSource>]>);

impl ToolSources {
    #[must_use]
    pub fn new(sources: Vec<Arc<dyn ToolSource>>) -> Self {
        Self(sources.into())
    }

    pub(in crate::driver) fn all(&self) -> impl Iterator<Item = &Arc<dyn ToolSource>> {
        self.0.iter()
    }

    pub(in crate::driver) async fn settle(&self) {
        for source in self.all() {
            source.settle().await;
        }
    }

    /// The built-in tools and the current tools of all sources.
    pub(in crate::driver) fn registry(&self, own: &Registry) -> Registry {
        let mut registry = own.clone();
        for source in self.all() {
            source.add_to(&mut registry);
        }
        registry
    }

    pub(in crate::driver) async fn release(&self, whose: &LeaseScope) {
        for source in self.all() {
            source.release(whose.clone()).await;
        }
    }

    pub(in crate::driver) async fn close(&self) {
        for source in self.all() {
            source.close().await;
        }
    }

    pub fn problems(&self) -> Vec<Problem> {
        self.all().flat_map(|source| source.problems()).collect()
    }

    pub fn upkeep(&self, dialog: &DialogId, reminders: &[Reminder]) -> Vec<ReminderUpdate> {
        self.all().flat_map(|source| source.update_reminders(dialog, reminders)).collect()
    }
}
