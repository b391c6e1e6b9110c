//! Before a generation: reports problems of tools, and updates the reminders about leases and background
//! processes. After the last one: releases what was leased.

use crate::domain::dialogs::background::SHELL_OWNER;
use crate::domain::dialogs::goal::Goal;
use crate::domain::dialogs::reminder::SharedEdit;
use crate::domain::dialogs::state::next_step;
use crate::domain::{Dialog, Reminder, SelfId};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::blocking::blocking;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::goals::{self, follows_taskdoc};
use crate::driver::steps::reminders::{self, ReminderEdit};
use crate::tools::{LeaseScope, ReminderUpdate, follow};

use super::state::TreeState;

impl TreeState {
    /// Before a generation: reports problems of tools, releases leases of the previous course, and updates
    /// the reminders about leases. False if those could not be written.
    pub(super) async fn update_tools(&mut self, id: &SelfId) -> bool {
        let shells = self.engine.shells.clone();
        if let Ok(problems) = blocking(move |_| shells.problems()).await {
            let origin = "sandbox".into();
            let _ = self.reports.send(DriverReport::Problems { origin, problems }).await;
        }
        let sources = self.engine.sources.clone();
        if sources.is_empty() {
            return true;
        }
        let engine = self.engine.clone();
        let found = blocking(move |on| engine.sources.problems(engine.minds(on).hive().org()));
        if let Ok(problems) = found.await {
            let origin = "tools".into();
            let _ = self.reports.send(DriverReport::Problems { origin, problems }).await;
        }
        if self.tree().get(id).is_some_and(Dialog::begins_course) {
            sources.release(&LeaseScope::Dialog(self.tree().id(id))).await;
        }
        self.update_reminders(id).await
    }

    /// Updates the reminders about what is leased to a dialog. False if they could not be written.
    async fn update_reminders(&mut self, id: &SelfId) -> bool {
        let Some(dialog) = self.tree().get(id) else { return true };
        let changes = self.engine.sources.upkeep(&self.tree().id(id), &dialog.reminders);
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
    pub(super) async fn release_tools_if_done(&mut self, id: &SelfId) {
        let over =
            self.tree().get(id).is_some_and(|dialog| is_done(dialog, self.tree().is_main(id)));
        if over {
            self.engine.sources.release(&LeaseScope::Dialog(self.tree().id(id))).await;
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

impl TreeState {
    /// Before a generation: a dialog that follows its Taskdoc learns whether another one may do the same.
    pub(super) async fn update_goal(&mut self, id: &SelfId) {
        let has_goal = self.tree().layout.has_recent_rules() && self.tree().is_main(id);
        let dialog = self.tree().get(id).filter(|dialog| has_goal && follows_taskdoc(dialog));
        let Some(course) = dialog.map(|dialog| dialog.history.course) else { return };
        let parallel = self.has_parallel(id).await;
        let mut draft = self.draft();
        goals::set(&mut draft, id, course, (&Goal::Taskdoc, parallel), self.engine.texts());
        if !draft.is_empty() {
            self.commit_or_stop(id, draft).await;
        }
    }

    /// True if the member of a dialog has another main dialog, or that cannot be told.
    pub(super) async fn has_parallel(&self, id: &SelfId) -> bool {
        let Some(dialog) = self.tree().get(id) else { return false };
        let (store, agent) = (self.engine.store.clone(), dialog.meta.agent_id.clone());
        let root = self.tree().root.clone();
        blocking(move |_| store.has_other_main(&agent, &root)).await.unwrap_or(true)
    }

    /// Before a generation: updates the reminders about processes whose state has changed.
    pub(super) async fn update_process_reminders(&mut self, id: &SelfId) {
        let Some(dialog) = self.tree().get(id).filter(|dialog| !dialog.is_fresh_boots()) else {
            return;
        };
        let agent = dialog.meta.agent_id.clone();
        let mut shared = self.shared_reminders(id).await;
        shared.retain(|reminder| reminder.owner_name.as_deref() == Some(SHELL_OWNER));
        if shared.is_empty() {
            return;
        }
        let engine = self.engine.clone();
        let updated = blocking(move |on| {
            let keys = engine.secrets(&engine.minds(on));
            let context = (engine.lang, &engine.clock.now());
            let changed = shared.into_iter().filter_map(|reminder| {
                let note = follow(&engine.shells, &reminder, &keys, context)?;
                Some(Reminder { content: note.content, meta: Some(note.meta), ..reminder })
            });
            changed.collect::<Vec<_>>()
        });
        let Ok(changed) = updated.await else { return };
        let mut draft = self.draft();
        for reminder in changed {
            draft.edit_shared(agent.clone(), SharedEdit::Renew(Box::new(reminder)));
        }
        if !draft.is_empty() {
            self.commit_or_stop(id, draft).await;
        }
    }
}
