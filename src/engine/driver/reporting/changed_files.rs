//! Which files each dialog changed that nobody has reviewed yet: what the sheet of changes has under "not reviewed",
//! as a number beside the dialog. Kept as the place of the last change of each file, so that a review up to some
//! place takes away what came before it, and nothing else.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::{Course, DialogId, RootId};
use crate::protocol::changes::ReadEnd;

/// Files that are counted of one dialog.
const MAX_FILES: usize = 500;
/// Files that are counted in all.
const MAX_ALL: usize = 20_000;

/// A place in the records of a dialog: course and line.
pub type ChangePlace = (Course, usize);

/// The files of one dialog, with the places of their last changes.
pub type FilePlaces = BTreeMap<String, ChangePlace>;

#[derive(Debug, Default)]
pub struct ChangedFiles {
    of: BTreeMap<DialogId, FilePlaces>,
    all: usize,
}

impl ChangedFiles {
    /// Unreviewed files of a dialog.
    pub fn count(&self, dialog: &DialogId) -> usize {
        self.of.get(dialog).map_or(0, BTreeMap::len)
    }

    /// These were changed; true if there are more files now.
    pub fn add(&mut self, dialog: &DialogId, files: FilePlaces) -> bool {
        if files.is_empty() {
            return false;
        }
        let known = self.of.entry(dialog.clone()).or_default();
        let before = known.len();
        for (path, place) in files {
            if let Some(last) = known.get_mut(&path) {
                *last = place.max(*last);
            } else if known.len() < MAX_FILES && self.all < MAX_ALL {
                known.insert(path, place);
                self.all += 1;
            }
        }
        known.len() != before
    }

    /// Everything before these ends is reviewed. Returns the dialogs that have fewer files now.
    pub fn reviewed(&mut self, root: &RootId, ends: &[ReadEnd]) -> Vec<DialogId> {
        let mut fewer = Vec::new();
        for end in ends {
            let dialog = DialogId::side(root, &end.dialog);
            let Some(files) = self.of.get_mut(&dialog) else { continue };
            let before = files.len();
            files.retain(|_, last| *last >= (end.course, end.lines));
            if files.len() < before {
                self.all -= before - files.len();
                fewer.push(dialog);
            }
        }
        self.of.retain(|_, files| !files.is_empty());
        fewer
    }

    /// A tree is gone.
    pub fn forget(&mut self, root: &RootId) {
        self.of.retain(|dialog, _| dialog.root != *root);
        self.all = self.of.values().map(BTreeMap::len).sum();
    }
}

/// The files that a record changed.
pub fn files_of(entry: &Entry, place: ChangePlace) -> FilePlaces {
    let Record::FuncResult(result) = &entry.record else { return FilePlaces::new() };
    let items = result.file_changes.as_ref().and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default().iter().take(MAX_FILES);
    let paths = items.filter_map(|item| item.get("path")?.as_str());
    paths.map(|path| (path.to_owned(), place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SelfId;

    fn dialog(name: &str) -> DialogId {
        DialogId::side(&RootId::new("aa/bb/01"), &SelfId::new(name))
    }

    fn files(paths: &[&str], place: (u32, usize)) -> FilePlaces {
        paths.iter().map(|path| ((*path).to_owned(), (Course(place.0), place.1))).collect()
    }

    fn end(name: &str, course: u32, lines: usize) -> ReadEnd {
        ReadEnd { dialog: SelfId::new(name), course: Course(course), lines }
    }

    #[test]
    fn a_file_counts_once_until_its_last_change_is_reviewed() {
        let (mut changed, one) = (ChangedFiles::default(), dialog("x"));
        let root = one.root.clone();
        assert!(changed.add(&one, files(&["a", "b"], (1, 10))));
        assert!(!changed.add(&one, files(&["a"], (2, 3))));
        // Found late, by reading what was there at the start.
        assert!(!changed.add(&one, files(&["a"], (1, 2))));
        assert_eq!(changed.reviewed(&root, &[end("y", 9, 9)]), []);
        assert_eq!(changed.reviewed(&root, &[end("x", 1, 11)]).len(), 1);
        assert_eq!(changed.count(&one), 1);
        assert_eq!(changed.reviewed(&root, &[end("x", 2, 3)]), []);
        assert_eq!(changed.reviewed(&root, &[end("x", 2, 4)]).len(), 1);
        assert_eq!((changed.count(&one), changed.all), (0, 0));
    }

    #[test]
    fn what_is_counted_is_bounded_and_goes_with_its_tree() {
        let mut changed = ChangedFiles::default();
        for name in 0..100 {
            for file in 0..2 * MAX_FILES {
                changed.add(&dialog(&name.to_string()), files(&[&file.to_string()], (1, file)));
            }
        }
        assert_eq!(changed.count(&dialog("0")), MAX_FILES);
        assert_eq!((changed.all, changed.count(&dialog("99"))), (MAX_ALL, 0));
        changed.forget(&dialog("0").root);
        assert_eq!((changed.all, changed.of.len()), (0, 0));
    }

    #[test]
    fn only_results_of_calls_with_paths_count() {
        for (record, expected) in [
            (
                r#"{"type":"func_result_record","id":"c","name":"t","content":"x","fileChanges":[{"path":"a"},{"path":7},"b",{"path":"a"}]}"#,
                1,
            ),
            (
                r#"{"type":"func_result_record","id":"c","name":"t","content":"x","fileChanges":{"path":"a"}}"#,
                0,
            ),
            (r#"{"type":"func_result_record","id":"c","name":"t","content":"x"}"#, 0),
            (r#"{"type":"agent_words_record","content":"fileChanges"}"#, 0),
        ] {
            let entry = Entry::parse(record).expect("a record");
            assert_eq!(files_of(&entry, (Course(1), 0)).len(), expected, "{record}");
        }
    }
}
