//! The reminder about a process in the background: what it says, and when that changes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::record::ProcessRecord;
use super::shells::{ProcessView, Shells};
use super::texts;
use crate::domain::dialogs::background::{BackgroundState, SHELL_OWNER};
use crate::domain::{Lang, Reminder, Secrets, Stamp};
use crate::tools::outcome::StateChange;
use crate::tools::tool::{ReminderView, ToolCx};

/// A reminder as it should be now.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessReminder {
    pub content: String,
    pub meta: Value,
}

/// Returns the updated reminder of a background process; `None` if it is up to date or not about a process. Touches
/// the disk.
#[must_use]
pub fn follow(
    shells: &Shells,
    reminder: &Reminder,
    keys: &Arc<Secrets>,
    (lang, now): (Lang, &Stamp),
) -> Option<ProcessReminder> {
    if reminder.owner_name.as_deref() != Some(SHELL_OWNER) {
        return None;
    }
    let record: ProcessRecord = serde_json::from_value(reminder.meta.clone()?).ok()?;
    let seen = shells.recall(&record);
    let content = keys.redacted(texts::note(&seen, lang));
    (content != reminder.content)
        .then(|| ProcessReminder { content, meta: keys.redacted_json(meta(&seen, lang, now)) })
}

/// The reminder about a process that has just gone to the background.
pub(super) fn begin(seen: &ProcessView, cx: &ToolCx) -> StateChange {
    StateChange::Follow {
        id: cx.new_id.clone(),
        content: texts::note(seen, cx.lang),
        owner: SHELL_OWNER,
        meta: meta(seen, cx.lang, &cx.clock.now()),
    }
}

/// The caller's reminder about a process.
pub(super) fn of<'a>(cx: &'a ToolCx, record: &ProcessRecord) -> Option<&'a ReminderView> {
    cx.reminders.iter().find(|reminder| {
        let about = reminder.meta.clone().and_then(|meta| serde_json::from_value(meta).ok());
        reminder.owner.as_deref() == Some(SHELL_OWNER)
            && about.is_some_and(|about: ProcessRecord| about.identity == record.identity)
    })
}

/// The record of the process, by which it is found again, and what guards the reminder.
fn meta(seen: &ProcessView, lang: Lang, now: &Stamp) -> Value {
    let running = seen.state == BackgroundState::Running;
    let mut meta = json!({ "kind": "daemon", "completed": !running, "lastUpdated": now });
    // A record is an object of plain values; there is nothing about it that could fail.
    if let (Value::Object(all), Ok(Value::Object(record))) =
        (&mut meta, serde_json::to_value(&seen.record))
    {
        all.extend(record);
        if running {
            let text = texts::instead_of_deleting(seen.record.identity.pid, lang);
            all.insert("delete".to_owned(), json!({ "altInstruction": text }));
        }
    }
    meta
}
