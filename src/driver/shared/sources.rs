//! Tool sources that change while the program runs: their tools, their problems, and what they lease to
//! dialogs.

use std::sync::Arc;

use crate::domain::state::{NextStep, next_step};
use crate::domain::{Dialog, DialogId, Problem, Reminder, SelfId};
use crate::driver::reporting::screen_state::DriverReport;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::reminders::{self, ReminderEdit};
use crate::driver::tree::task::TreeTask;
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

    fn problems(&self) -> Vec<Problem> {
        self.all().flat_map(|source| source.problems()).collect()
    }

    fn upkeep(&self, dialog: &DialogId, reminders: &[Reminder]) -> Vec<ReminderUpdate> {
        self.all().flat_map(|source| source.update_reminders(dialog, reminders)).collect()
    }
}

impl TreeTask {
    /// Before a generation: reports problems of tools, releases leases of the previous course, and updates
    /// the reminders about leases. False if those could not be written.
    pub(in crate::driver) async fn update_tools(&mut self, id: &SelfId, step: NextStep) -> bool {
        let shells = self.engine.shells.clone();
        if let Ok(problems) = tokio::task::spawn_blocking(move || shells.problems()).await {
            let _ = self.reports.send(DriverReport::Problems { origin: "sandbox", problems }).await;
        }
        let sources = self.engine.sources.clone();
        if sources.all().next().is_none() {
            return true;
        }
        let problems = sources.problems();
        let _ = self.reports.send(DriverReport::Problems { origin: "tools", problems }).await;
        if step == NextStep::StartCourse {
            sources.release(&LeaseScope::Dialog(self.tree.id(id))).await;
        }
        self.update_reminders(id).await
    }

    /// Updates the reminders about what is leased to a dialog. False if they could not be written.
    async fn update_reminders(&mut self, id: &SelfId) -> bool {
        let Some(dialog) = self.tree.get(id) else { return true };
        let changes = self.engine.sources.upkeep(&self.tree.id(id), &dialog.reminders);
        if changes.is_empty() {
            return true;
        }
        let course = dialog.history.course;
        let mut draft = self.draft();
        for change in changes {
            let edit = edit_for(change, &draft);
            // The reminders are current, so none of them can be missing.
            let _ = reminders::apply_edit(&mut draft, id, course, &[], edit);
        }
        self.commit_or_stop(id, draft).await
    }

    /// Releases the leases of a side dialog that has nothing left to do.
    pub(in crate::driver) async fn release_tools_if_done(&mut self, id: &SelfId) {
        let over = self.tree.get(id).is_some_and(|dialog| is_done(dialog, self.tree.is_main(id)));
        if over {
            self.engine.sources.release(&LeaseScope::Dialog(self.tree.id(id))).await;
            self.update_reminders(id).await;
        }
    }
}

/// True if this dialog can get no more work.
fn is_done(dialog: &Dialog, main: bool) -> bool {
    let owes = dialog.obligation().is_some() || next_step(dialog).is_some();
    let waits = !dialog.questions.is_empty() || !dialog.pending.is_empty();
    !main && dialog.meta.session_slug.is_none() && !owes && !waits
}

fn edit_for(change: ReminderUpdate, draft: &Draft) -> ReminderEdit {
    match change {
        ReminderUpdate::Add { owner, content, meta } => {
            let new = Reminder::new(draft.ids.short(8), content, draft.now.clone());
            let owner_name = Some(owner.to_owned());
            let reminder = Reminder { owner_name, meta: Some(meta), ..new };
            ReminderEdit::Add { reminder: Box::new(reminder), position: None }
        }
        ReminderUpdate::Drop { id } => ReminderEdit::Delete { id },
    }
}
