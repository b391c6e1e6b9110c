//! A dialog's courses as a list of short lines, so that a test can say what has to be there.

use serde_json::Value;

use dominds_tui::domain::dialogs::record::{AnchorRole, DeliveryMode, Origin, Record, ReplyStatus};
use dominds_tui::domain::{Bucket, DialogId, Entry, Layout};
use dominds_tui::store::Reader;

/// All records of a dialog that are more than snapshots, oldest first.
pub fn record_lines(store: &Reader, dialog: &DialogId) -> Vec<String> {
    entries(store, dialog).iter().filter_map(line).collect()
}

/// All records of a dialog.
pub fn entries(store: &Reader, dialog: &DialogId) -> Vec<Entry> {
    let courses = store.courses(Bucket::Run, dialog);
    let page =
        |course| store.page(Bucket::Run, dialog, course, None, 10_000).expect("a page").entries;
    courses.into_iter().flat_map(page).collect()
}

/// True if this line of a course says the record. The layout of Dominds 1.29 has other names and more keys for some.
pub fn is_line_of(line: &str, entry: &Entry, layout: Layout) -> bool {
    let mut said = entry.line();
    let is_list = matches!(entry.record, Record::PendingSideDialogs { .. });
    let is_link = matches!(entry.record, Record::Anchor { .. } | Record::SideDialogCreated(_));
    if layout == Layout::V1_19 || !(is_list || is_link) {
        return line == said;
    }
    said = said.replace("tellask_call_anchor_record", "tellask_anchor_record");
    if is_list {
        said = said
            .replace("pending_sideDialogs_reconciled_record", "active_callees_reconciled_record")
            .replace("\"pendingSideDialogs\"", "\"activeCalleeDispatches\"")
            .replace("\"sideDialogId\"", "\"calleeDialogId\"");
    }
    let read = |line: &str| serde_json::from_str::<Value>(line).unwrap_or_default();
    has_all(&read(line), &read(&said))
}

/// True if a value has all that the part has; its objects may have more keys.
fn has_all(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            let mut keys = part.iter();
            keys.all(|(key, part)| value.get(key).is_some_and(|value| has_all(value, part)))
        }
        (Value::Array(values), Value::Array(parts)) => {
            let mut pairs = values.iter().zip(parts);
            values.len() == parts.len() && pairs.all(|(value, part)| has_all(value, part))
        }
        _ => value == part,
    }
}

fn line(entry: &Entry) -> Option<String> {
    let genseq = entry.genseq.unwrap_or_default();
    Some(match &entry.record {
        Record::GenStart => format!("start {genseq}"),
        Record::GenFinish { .. } => format!("end {genseq}"),
        Record::HumanText(text) => match text.origin {
            Origin::User => format!("person: {}", text.content),
            Origin::Runtime | Origin::DiligencePush => "prompt".to_owned(),
        },
        Record::RuntimeGuide { .. } => "guide".to_owned(),
        Record::Thought { content, .. } => format!("thinks: {content}"),
        Record::Words { content, interrupted: false } => format!("says: {content}"),
        Record::Words { content, interrupted: true } => format!("says, cut: {content}"),
        Record::FuncCall(call) => format!("call {} {}", call.id, call.name),
        Record::TellaskCall { call, delivery_mode } => match delivery_mode {
            DeliveryMode::TellaskCallStart => format!("call {} {}", call.id, call.name),
            DeliveryMode::FuncCallRequested => format!("plain call {} {}", call.id, call.name),
        },
        Record::FuncResult(result) => format!("result {}", result.id),
        Record::TellaskResult(result) => format!("{} {}", status(result.status), result.call_id),
        Record::Carryover(reply) => {
            format!("carried over: {} {}", status(reply.status), reply.call_id)
        }
        Record::ReplyResolution { target_call_id, .. } => format!("delivered {target_call_id}"),
        Record::Anchor { anchor_role: AnchorRole::Assignment, call_id, .. } => {
            format!("assigned {call_id}")
        }
        Record::Anchor { anchor_role: AnchorRole::Response, call_id, .. } => {
            format!("responded {call_id}")
        }
        Record::SideDialogCreated(created) => format!("makes {}", created.side_dialog_id),
        Record::UiOnly { .. } => "note".to_owned(),
        Record::Unknown { kind, .. } => format!("unknown {kind}"),
        Record::Reminders { .. }
        | Record::Questions { .. }
        | Record::PendingSideDialogs { .. }
        | Record::Registry { .. } => return None,
    })
}

fn status(status: ReplyStatus) -> &'static str {
    match status {
        ReplyStatus::Pending => "pending",
        ReplyStatus::Completed => "answered",
        ReplyStatus::Failed => "closed",
    }
}
