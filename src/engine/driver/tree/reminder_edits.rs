//! The user changes the reminders of a dialog, like a tool does.

use crate::domain::dialogs::reminder::{
    CarryOver, MAX_BYTES, NewWording, ReminderAction, ReminderScope,
};
use crate::domain::text::Localized;
use crate::domain::{Layout, Reminder, SelfId};
use crate::driver::reporting::reminder_views::{guard_message, reminder_views};
use crate::driver::steps::reminders::{self, EditError, ReminderEdit};
use crate::protocol::Refusal;
use crate::protocol::event::DriverEvent;
use crate::protocol::sheet::{ReminderAudience, Sheet};

use super::state::TreeState;

/// A change by the user to the reminders of a dialog.
#[derive(Debug)]
pub enum ReminderChange {
    Add { content: String, scope: ReminderAudience },
    Reword { id: String, content: String },
    Delete { id: String },
}

impl TreeState {
    /// Changes a reminder for the user; the updated sheet is sent afterwards.
    pub(super) async fn change_reminder(
        &mut self,
        id: &SelfId,
        change: ReminderChange,
    ) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        if dialog.latest.is_dead() {
            return Err(Refusal::DeadTakesNoReminders.into());
        }
        let shared = self.shared_reminders(id).await;
        let mut draft = self.draft();
        let fresh = || Reminder::new(self.engine.ids.short(8), String::new(), draft.now.clone());
        let layout = self.tree().layout;
        let edit = edit(&reminders::visible(dialog, &shared), change, layout, fresh)?;
        if let ReminderEdit::Add { reminder, .. } = &edit {
            let scope = ReminderScope::of(&reminder.scope);
            reminders::check_limit(dialog, &shared, scope).map_err(EditError::message)?;
        }
        let course = dialog.history.course;
        draft.set_durable();
        reminders::apply_edit(&mut draft, id, course, &shared, edit).map_err(EditError::message)?;
        self.commit_request(draft).await
    }

    pub(super) async fn send_reminders(&self, id: &SelfId) {
        let Some(dialog) = self.tree().get(id) else { return };
        let views = reminder_views(dialog, &self.shared_reminders(id).await);
        let sheet = Box::new(Sheet::Reminders(views));
        self.send_event(DriverEvent::Sheet { dialog: self.tree().id(id), sheet }).await;
    }
}

/// Converts a change of the user to an edit, or refuses it. `fresh` creates an empty reminder.
fn edit(
    visible: &[Reminder],
    change: ReminderChange,
    layout: Layout,
    fresh: impl FnOnce() -> Reminder,
) -> Result<ReminderEdit, Localized> {
    let find = |id: &str| {
        let found = visible.iter().find(|reminder| reminder.id == id);
        found.ok_or(Refusal::NoSuchReminder)
    };
    match change {
        ReminderChange::Add { content, scope } => {
            let scope = match (scope, layout) {
                (ReminderAudience::Dialog, _) => ReminderScope::Dialog,
                (ReminderAudience::Personal, _) => ReminderScope::Personal,
                (ReminderAudience::Task, Layout::V1_29) => ReminderScope::Task,
                (ReminderAudience::Shared, _) | (ReminderAudience::Task, Layout::V1_19) => {
                    return Err(Refusal::OnlyTheProgramShares.into());
                }
            };
            let content = check_content(content)?;
            let reminder = Reminder { content, scope: scope.name(layout).to_owned(), ..fresh() };
            Ok(ReminderEdit::Add { reminder: Box::new(reminder), position: None })
        }
        ReminderChange::Reword { id, content } => {
            check_guard(find(&id)?, ReminderAction::Update)?;
            let (content, packing) = (check_content(content)?, CarryOver::AsItIs);
            Ok(ReminderEdit::Update {
                id,
                rewrite: NewWording { content, render_mode: None, packing },
            })
        }
        ReminderChange::Delete { id } => {
            check_guard(find(&id)?, ReminderAction::Delete)?;
            Ok(ReminderEdit::Delete { id })
        }
    }
}

fn check_content(content: String) -> Result<String, Localized> {
    if content.trim().is_empty() {
        return Err(Refusal::ReminderIsEmpty.into());
    }
    if content.len() > MAX_BYTES {
        return Err(Refusal::ReminderIsTooLong.into());
    }
    Ok(content)
}

fn check_guard(reminder: &Reminder, action: ReminderAction) -> Result<(), Localized> {
    reminder.guard(action).map_or(Ok(()), |guard| Err(guard_message(&guard)))
}
