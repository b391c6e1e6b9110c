//! The reminders of a dialog as the user sees them.

use crate::domain::dialogs::reminder::{
    EditGuard, ReminderAction, ReminderScope, sort_newest_first,
};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Dialog, Reminder, Stamp};
use crate::protocol::sheet::{ReminderAudience, ReminderView};

/// Newest first.
pub fn reminder_views(dialog: &Dialog, shared: &[Reminder]) -> Vec<ReminderView> {
    let mut sorted: Vec<&Reminder> = dialog.reminders.iter().chain(shared).collect();
    sort_newest_first(&mut sorted);
    sorted
        .into_iter()
        .map(|reminder| ReminderView {
            id: reminder.id.clone(),
            content: reminder.content.clone(),
            scope: match ReminderScope::of(&reminder.scope) {
                ReminderScope::Personal => ReminderAudience::Personal,
                ReminderScope::AgentShared => ReminderAudience::Shared,
                ReminderScope::Task => ReminderAudience::Task,
                ReminderScope::Dialog => ReminderAudience::Dialog,
            },
            owner: reminder.owner_name.clone(),
            touched_at: Stamp::new(reminder.touched_at()),
            plain: reminder.render_mode == "plain",
            hidden: !reminder.is_shown_to_the_model(),
            no_update: reminder.guard(ReminderAction::Update).map(|guard| guard_message(&guard)),
            no_delete: reminder.guard(ReminderAction::Delete).map(|guard| guard_message(&guard)),
        })
        .collect()
}

/// Why the user cannot change a reminder.
pub fn guard_message(guard: &EditGuard) -> Localized {
    match guard {
        EditGuard::Instead(text) => {
            localized!("the reminder says: {text}", "提醒中写明：{text}")
        }
        EditGuard::Tool(tool) => {
            localized!("it is managed with the tool `{tool}`", "它由工具 `{tool}` 管理")
        }
        EditGuard::Program => KEPT_BY_PROGRAM.into(),
    }
}

const KEPT_BY_PROGRAM: Text = Text::new("the program keeps it up to date", "它由程序保持更新");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn why_a_reminder_cannot_be_changed_is_in_both_languages() {
        for guard in [
            EditGuard::Instead("stop it first".to_owned()),
            EditGuard::Tool("stop_daemon".to_owned()),
            EditGuard::Program,
        ] {
            assert_translated(&guard_message(&guard));
        }
    }
}
