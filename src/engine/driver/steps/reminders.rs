//! Reminders: applies edits, and selects the reminders a dialog sees.
//!
//! A reminder of a dialog is part of its tree and changes with a record. One that all dialogs of a member
//! share is a file outside of the trees; it is read when it is needed.

use crate::domain::dialogs::record::Record;
use crate::domain::dialogs::reminder::{MAX_IN_A_SCOPE, NewWording, ReminderScope, SharedEdit};
use crate::domain::text::Localized;
use crate::domain::{Course, Dialog, DialogMeta, Layout, Problem, Reminder, SelfId};
use crate::driver::shared::blocking::BlockingThread;
use crate::protocol::Refusal;
use crate::store::Reader;

use super::draft::Draft;

/// A requested change of a reminder.
#[derive(Debug, Clone, PartialEq)]
pub enum ReminderEdit {
    Add {
        reminder: Box<Reminder>,
        /// 1-based, beyond the end means at the end; ignored for a shared one.
        position: Option<usize>,
    },
    Update {
        id: String,
        rewrite: NewWording,
    },
    Delete {
        id: String,
    },
    /// From the shared ones to those of the dialog.
    Move {
        id: String,
    },
}

/// Why an edit was not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditError {
    /// The reminder no longer exists.
    Missing,
    /// The scope has the maximum number of reminders.
    Full,
}

impl EditError {
    /// The message for a person.
    #[must_use]
    pub fn message(self) -> Localized {
        match self {
            Self::Missing => Refusal::NoSuchReminder.into(),
            Self::Full => Refusal::TooManyReminders.into(),
        }
    }
}

/// The reminders that a dialog in this layout shares with others, and the problems of those that cannot be read.
pub fn shared(
    store: &Reader,
    layout: Layout,
    dialog: &DialogMeta,
    _on: &BlockingThread,
) -> (Vec<Reminder>, Vec<Problem>) {
    store.readable_shared(layout, dialog)
}

/// The reminders that a dialog in this layout shares with others, as far as they can be read.
pub fn shared_in(
    store: &Reader,
    layout: Layout,
    dialog: &DialogMeta,
    _on: &BlockingThread,
) -> Vec<Reminder> {
    store.shared_reminders(layout, dialog).map(|(reminders, _)| reminders).unwrap_or_default()
}

/// The reminders a dialog sees: its own, then those its member shares.
pub fn visible(dialog: &Dialog, shared: &[Reminder]) -> Vec<Reminder> {
    dialog.reminders.iter().chain(shared).cloned().collect()
}

/// An error if the scope is full.
pub fn check_limit(
    dialog: &Dialog,
    shared: &[Reminder],
    scope: ReminderScope,
) -> Result<(), EditError> {
    let all = dialog.reminders.iter().chain(shared);
    let same = |reminder: &&Reminder| ReminderScope::of(&reminder.scope) == scope;
    let full = all.filter(same).count() >= MAX_IN_A_SCOPE;
    if full { Err(EditError::Full) } else { Ok(()) }
}

/// Drafts an edit. `shared`: the current shared reminders.
pub fn apply_edit(
    draft: &mut Draft,
    id: &SelfId,
    course: Course,
    shared: &[Reminder],
    edit: ReminderEdit,
) -> Result<(), EditError> {
    let dialog = draft.dialog(id).ok_or(EditError::Missing)?;
    let agent = dialog.meta.agent_id.clone();
    let mut own = dialog.reminders.clone();
    if let ReminderEdit::Move { id: moved } = edit {
        let found = shared.iter().find(|one| one.id == moved).ok_or(EditError::Missing)?;
        let scope = ReminderScope::Dialog.name(draft.tree.layout).to_owned();
        own.push(Reminder { scope, ..found.clone() });
        // Kept before it is taken away.
        write(draft, id, course, own);
        draft.edit_shared(agent, SharedEdit::Remove { id: moved });
        return Ok(());
    }
    match edit_dialog_reminders(&mut own, edit) {
        None => write(draft, id, course, own),
        Some(edit) => draft.edit_shared(agent, shared_edit(edit, shared)?),
    }
    Ok(())
}

/// Applies an edit to the reminders of a dialog; returns an edit that concerns none of them.
fn edit_dialog_reminders(own: &mut Vec<Reminder>, edit: ReminderEdit) -> Option<ReminderEdit> {
    let at = |own: &[Reminder], id: &str| own.iter().position(|reminder| reminder.id == id);
    match edit {
        ReminderEdit::Add { reminder, position } if !reminder.is_shared() => {
            let index = position.map_or(own.len(), |n| n.saturating_sub(1)).min(own.len());
            own.insert(index, *reminder);
            None
        }
        ReminderEdit::Add { .. } | ReminderEdit::Move { .. } => Some(edit),
        ReminderEdit::Update { ref id, .. } | ReminderEdit::Delete { ref id } => {
            match at(own, id) {
                Some(at) => {
                    change_at(own, at, edit);
                    None
                }
                None => Some(edit),
            }
        }
    }
}

fn change_at(own: &mut Vec<Reminder>, at: usize, edit: ReminderEdit) {
    match edit {
        ReminderEdit::Update { rewrite, .. } => {
            if let Some(reminder) = own.get_mut(at) {
                rewrite.apply_to(reminder);
            }
        }
        ReminderEdit::Delete { .. } => drop(own.remove(at)),
        ReminderEdit::Add { .. } | ReminderEdit::Move { .. } => {}
    }
}

/// Converts an edit to one of the file of a shared reminder.
fn shared_edit(edit: ReminderEdit, shared: &[Reminder]) -> Result<SharedEdit, EditError> {
    let exists = |id: &str| shared.iter().any(|reminder| reminder.id == id);
    match edit {
        ReminderEdit::Add { reminder, .. } => Ok(SharedEdit::Add(reminder)),
        ReminderEdit::Update { id, rewrite } if exists(&id) => {
            Ok(SharedEdit::Rewrite { id, rewrite })
        }
        ReminderEdit::Delete { id } if exists(&id) => Ok(SharedEdit::Remove { id }),
        ReminderEdit::Update { .. } | ReminderEdit::Delete { .. } | ReminderEdit::Move { .. } => {
            Err(EditError::Missing)
        }
    }
}

/// Replaces the reminders of a dialog, with their record.
pub(super) fn write(draft: &mut Draft, dialog: &SelfId, course: Course, reminders: Vec<Reminder>) {
    draft.append_detached(dialog, course, Record::Reminders { reminders: reminders.clone() });
    draft.set_reminders(dialog, reminders);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;
    use crate::domain::dialogs::reminder::{CarryOver, PERSONAL};
    use crate::samples::assert_translated;

    fn reminder(id: &str, scope: &str) -> Reminder {
        let new = Reminder::new(id.to_owned(), String::new(), Stamp::default());
        Reminder { scope: scope.to_owned(), ..new }
    }

    fn add(id: &str, scope: &str, position: Option<usize>) -> ReminderEdit {
        ReminderEdit::Add { reminder: Box::new(reminder(id, scope)), position }
    }

    fn update(id: &str) -> ReminderEdit {
        let (content, packing) = ("new".to_owned(), CarryOver::AsItIs);
        ReminderEdit::Update {
            id: id.to_owned(),
            rewrite: NewWording { content, render_mode: None, packing },
        }
    }

    fn delete(id: &str) -> ReminderEdit {
        ReminderEdit::Delete { id: id.to_owned() }
    }

    /// The dialog's reminders after an edit, or the id of the shared one it concerns.
    fn edited(edit: ReminderEdit) -> Result<String, Option<String>> {
        let mut own = vec![reminder("a", "dialog"), reminder("b", "dialog")];
        match edit_dialog_reminders(&mut own, edit) {
            None => {
                let all = own.iter().map(|r| format!("{}{}", r.id, r.content));
                Ok(all.collect::<Vec<_>>().join(" "))
            }
            Some(edit) => {
                let found = shared_edit(edit, &[reminder("p", PERSONAL)]);
                Err(found.ok().map(|edit| edit.id().to_owned()))
            }
        }
    }

    #[test]
    fn why_an_edit_was_not_applied_is_in_both_languages() {
        for error in [EditError::Missing, EditError::Full] {
            assert_translated(&error.message());
        }
    }

    #[test]
    fn an_edit_finds_its_reminder_in_the_dialog_or_among_the_shared_ones() {
        for (edit, expected) in [
            (add("c", "dialog", None), Ok("a b c")),
            (add("c", "dialog", Some(1)), Ok("c a b")),
            (add("c", "dialog", Some(2)), Ok("a c b")),
            (add("c", "dialog", Some(9)), Ok("a b c")),
            (add("c", PERSONAL, None), Err(Some("c"))),
            (update("a"), Ok("anew b")),
            (update("p"), Err(Some("p"))),
            (update("x"), Err(None)),
            (delete("b"), Ok("a")),
            (delete("p"), Err(Some("p"))),
            (delete("x"), Err(None)),
        ] {
            let expected = expected.map(str::to_owned).map_err(|id| id.map(str::to_owned));
            assert_eq!(edited(edit.clone()), expected, "{edit:?}");
        }
    }
}
