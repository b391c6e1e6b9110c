//! The lines of a fork: copied byte for byte, except for the id of the main dialog; and the records of state
//! that a fork writes itself.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::dialogs::record::{Entry, Record, RecordClass};
use crate::domain::dialogs::tree::TreeChange;
use crate::domain::text::json;
use crate::domain::{Course, Genseq, RootAnchor, RootId, SelfId, Stamp};
use crate::store::CourseLine;

/// Keys whose value is a dialog id.
const DIALOG_ID_KEYS: [&str; 6] =
    ["targetDialogId", "askerDialogId", "calleeDialogId", "ownerDialogId", "rootId", "selfId"];
/// A snapshot that Dominds writes in forks only.
const RESPONSES_RECORD: &str = "sideDialog_responses_reconciled_record";

/// The courses of one dialog.
pub type Courses = Vec<(Course, Vec<CourseLine>)>;

/// A position in the courses of a dialog: index of the course, index of the line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutPosition {
    pub course: usize,
    pub line: usize,
}

/// The line with the main dialog `from` replaced by `to`.
pub fn with_renamed_root(text: &str, from: &RootId, to: &RootId) -> String {
    if !text.contains(from.as_str()) {
        return text.to_owned();
    }
    let Ok(mut value) = json::read::<Value>(text) else { return text.to_owned() };
    if rename(&mut value, from, to) { value.to_string() } else { text.to_owned() }
}

/// True if something was renamed.
fn rename(value: &mut Value, from: &RootId, to: &RootId) -> bool {
    match value {
        Value::Object(fields) => {
            let mut changed = false;
            for (key, value) in fields {
                let named = DIALOG_ID_KEYS.contains(&key.as_str());
                if named && value.as_str() == Some(from.as_str()) {
                    *value = Value::String(to.to_string());
                    changed = true;
                } else {
                    changed |= rename(value, from, to);
                }
            }
            changed
        }
        Value::Array(items) => {
            let mut changed = false;
            for item in items {
                changed |= rename(item, from, to);
            }
            changed
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The lines before `end`.
pub fn lines_before(courses: &Courses, end: CutPosition) -> Courses {
    let taken = courses.iter().take(end.course + 1).enumerate();
    taken
        .map(|(at, (course, lines))| {
            let count = if at == end.course { end.line } else { lines.len() };
            (*course, lines.iter().take(count).cloned().collect())
        })
        .collect()
}

/// Snapshots go to the end of the first course, with the root position before any generation.
pub fn snapshot_records(dialog: &SelfId, records: Vec<Record>, now: &Stamp) -> TreeChange {
    let root = Some(RootAnchor { course: Course::FIRST, genseq: Genseq(0) });
    let entry =
        |record| Arc::new(Entry { ts: now.clone(), genseq: None, root, source_tag: None, record });
    let entries = records.into_iter().map(entry).collect();
    TreeChange::Append { dialog: dialog.clone(), course: Course::FIRST, entries }
}

/// True for what a fork does not copy but writes anew: snapshots, and that a side dialog was created.
pub fn is_written_anew(entry: &Entry) -> bool {
    let record = &entry.record;
    record.class() == RecordClass::Snapshot
        || matches!(record, Record::SideDialogCreated(_))
        || matches!(record, Record::Unknown { kind, .. } if kind == RESPONSES_RECORD)
}
