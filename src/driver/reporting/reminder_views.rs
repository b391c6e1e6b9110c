//! The reminders of a dialog as the user sees them.

use crate::domain::reminder::{
    AGENT_SHARED, EditGuard, PERSONAL, ReminderAction, sort_newest_first,
};
use crate::domain::{Dialog, Reminder, Stamp};
use crate::protocol::sheet::{ReminderAudience, ReminderView};

/// Newest first, as for the model.
pub fn reminder_views(dialog: &Dialog, shared: &[Reminder]) -> Vec<ReminderView> {
    let mut sorted: Vec<&Reminder> = dialog.reminders.iter().chain(shared).collect();
    sort_newest_first(&mut sorted);
    sorted
        .into_iter()
        .map(|reminder| ReminderView {
            id: reminder.id.clone(),
            content: reminder.content.clone(),
            scope: match reminder.scope.as_str() {
                PERSONAL => ReminderAudience::Personal,
                AGENT_SHARED => ReminderAudience::Shared,
                _ => ReminderAudience::Dialog,
            },
            owner: reminder.owner_name.clone(),
            touched_at: Stamp::new(reminder.touched_at()),
            plain: reminder.render_mode == "plain",
            hidden: !reminder.is_shown_to_the_model(),
            no_update: reminder.guard(ReminderAction::Update).map(|guard| guard_sentence(&guard)),
            no_delete: reminder.guard(ReminderAction::Delete).map(|guard| guard_sentence(&guard)),
        })
        .collect()
}

/// Why the user cannot change a reminder.
pub fn guard_sentence(guard: &EditGuard) -> String {
    match guard {
        EditGuard::Instead(text) => format!("the reminder says: {text}"),
        EditGuard::Tool(tool) => format!("it is managed with the tool `{tool}`"),
        EditGuard::Program => "the program keeps it up to date".to_owned(),
    }
}
