//! Trees of an earlier layout, with `subdialogs/` and the words of that time. They are history: read and
//! shown; nothing of them is driven, repaired, moved or written.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::domain::{Dialog, DialogTree, DisplayState, History, Latest};

use super::scan::DialogFolder;
use crate::store::disk::small_files::{self, FileKind};

/// Where side dialogs lay.
pub(in crate::store) const SUBDIALOGS: &str = "subdialogs";
/// Files only that layout has.
const EARLIER_FILES: [&str; 2] = ["subdlg.yaml", "pending-subdialogs.json"];
/// Keys of `dialog.yaml` only that layout has.
pub(in crate::store) const ASKER_KEY: &str = "supdialogId";
pub(in crate::store) const ASSIGNMENT_KEY: &str = "assignmentFromSup";

/// True if the folder of a dialog is laid out that way.
pub(super) fn is_earlier(folder: &DialogFolder, meta: Option<&Map<String, Value>>) -> bool {
    let has_earlier_keys =
        |map: &Map<String, Value>| map.contains_key(ASKER_KEY) || map.contains_key(ASSIGNMENT_KEY);
    has_earlier_files(&folder.path, |name| folder.has(name)) || meta.is_some_and(has_earlier_keys)
}

fn has_earlier_files(folder: &Path, has: impl Fn(&str) -> bool) -> bool {
    let sides = || {
        small_files::kind_of(&folder.join(SUBDIALOGS)).is_ok_and(|k| k == Some(FileKind::Folder))
    };
    has(SUBDIALOGS) && sides() || EARLIER_FILES.iter().any(|name| has(name))
}

/// What such a tree comes to: who was there, what was said, and what they were to remember. Nothing waits.
pub(super) fn as_history(tree: &DialogTree) -> DialogTree {
    let idle = tree.dialogs.iter().map(|(id, dialog)| (id.clone(), Arc::new(idle_copy(dialog))));
    DialogTree { dialogs: idle.collect(), ..DialogTree::new(tree.root.clone(), tree.bucket) }
}

fn idle_copy(dialog: &Dialog) -> Dialog {
    let before = &dialog.latest;
    let dead = before.is_dead();
    let latest = Latest {
        current_course: before.current_course,
        display_state: before.display_state.clone().filter(|_| dead).or(Some(DisplayState::Idle)),
        execution_marker: before.execution_marker.clone().filter(|_| dead),
        ..Latest::new(before.last_modified.clone())
    };
    let mut history = History::new(dialog.history.course);
    history.last_genseq = dialog.history.last_genseq;
    history.pressure = dialog.history.pressure;
    let reminders = dialog.reminders.clone();
    Dialog { reminders, history, ..Dialog::new(dialog.meta.clone(), latest) }
}
