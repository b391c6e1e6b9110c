//! The reminder that lists the tellasks in flight.

use serde_json::json;

use crate::domain::dialogs::record::Record;
use crate::domain::dialogs::reminder::PENDING_TELLASK_OWNER;
use crate::domain::{Dialog, Pending, Reminder, SelfId, Slug};
use crate::driver::steps::draft::Draft;
use crate::driver::texts::{Texts, mentioned};

/// Updates the reminder that lists the tellasks in flight, and records it.
pub fn refresh_in_flight(draft: &mut Draft, dialog_id: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(dialog_id) else { return };
    let Some(reminders) = with_in_flight(draft, dialog, texts) else { return };
    let course = dialog.history.course;
    draft.append_detached(dialog_id, course, Record::Reminders { reminders: reminders.clone() });
    draft.set_reminders(dialog_id, reminders);
}

/// `None` if nothing is in flight and no such reminder exists.
fn with_in_flight(draft: &Draft, dialog: &Dialog, texts: Texts) -> Option<Vec<Reminder>> {
    let mut reminders = dialog.reminders.clone();
    let is_listed =
        |reminder: &Reminder| reminder.owner_name.as_deref() == Some(PENDING_TELLASK_OWNER);
    let index = reminders.iter().position(is_listed);
    if index.is_none() && dialog.pending.is_empty() {
        return None;
    }
    let mut reminder = match index {
        Some(index) => reminders.remove(index),
        None => Reminder::new(draft.ids.short(8), String::new(), draft.now.clone()),
    };
    reminder.content = texts.in_flight(&dialog.pending);
    reminder.owner_name = Some(PENDING_TELLASK_OWNER.to_owned());
    reminder.meta = Some(in_flight_meta(draft, dialog, texts));
    reminders.insert(index.unwrap_or(0), reminder);
    Some(reminders)
}

fn in_flight_meta(draft: &Draft, dialog: &Dialog, texts: Texts) -> serde_json::Value {
    let mut signatures: Vec<String> = dialog.pending.iter().map(signature).collect();
    signatures.sort_unstable();
    let guard = json!({ "altInstruction": texts.in_flight_guard() });
    let mut meta = json!({
        "kind": "pending_tellask",
        "pendingCount": dialog.pending.len(),
        "pendingSignature": signatures.join("||"),
        "updatedAt": draft.now,
        "update": guard,
    });
    if let (false, Some(meta)) = (dialog.pending.is_empty(), meta.as_object_mut()) {
        meta.insert("delete".to_owned(), guard);
    }
    meta
}

fn signature(pending: &Pending) -> String {
    format!(
        "{}|{}|{:?}|{}|{}|{}",
        pending.side_dialog_id,
        pending.target_agent_id,
        pending.call_type,
        pending.call_id,
        pending.session_slug.as_ref().map_or("", Slug::as_str),
        mentioned(pending)
    )
}
