//! What a call changed in files, as it is recorded with the result of the call. Records come from a disk
//! that others write to as well: what cannot be read is left out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::text::diff::{DiffLine, Hunk, LineTag, hunks};

/// Most bytes of the diff of one file that are recorded.
const MAX_DIFF_BYTES: usize = 64 * 1024;
/// Most files of one call that are recorded.
pub const MAX_FILES: usize = 200;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChangeKind {
    Created,
    Changed,
    /// It has another content that cannot be compared: no text, or too much of it.
    Replaced,
    Removed,
    Moved,
}

/// What a call did to one file, or to a directory (its path ends in `/`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Below the workspace.
    pub path: String,
    pub kind: FileChangeKind,
    /// Where it was before it was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Lines added and removed, also those that `diff` leaves out.
    #[serde(default)]
    pub added: usize,
    #[serde(default)]
    pub removed: usize,
    /// The hunks as a unified diff, at most 64 KB; empty where no text changed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Lines left out at the end of `diff`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_lines: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde wants")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl FileChange {
    /// A file that is new.
    pub fn created(path: impl Into<String>, text: &str) -> Self {
        Self::of_hunks(path, FileChangeKind::Created, hunks("", text))
    }

    /// A file with another text.
    pub fn rewritten(path: impl Into<String>, old: &str, new: &str) -> Self {
        Self::of_hunks(path, FileChangeKind::Changed, hunks(old, new))
    }

    /// A file with another content, where the old or the new one cannot be compared.
    pub fn replaced(path: impl Into<String>) -> Self {
        Self::of_hunks(path, FileChangeKind::Replaced, Vec::new())
    }

    /// A file or directory that is gone.
    pub fn removed(path: impl Into<String>) -> Self {
        Self::of_hunks(path, FileChangeKind::Removed, Vec::new())
    }

    /// A file or directory with another path.
    pub fn moved(from: impl Into<String>, to: impl Into<String>) -> Self {
        let moved = Self::of_hunks(to, FileChangeKind::Moved, Vec::new());
        Self { from: Some(from.into()), ..moved }
    }

    pub fn of_hunks(path: impl Into<String>, kind: FileChangeKind, hunks: Vec<Hunk>) -> Self {
        let (added, removed) = (count(&hunks, LineTag::Added), count(&hunks, LineTag::Removed));
        let (diff, omitted_lines) = limited(hunks);
        Self { path: path.into(), kind, from: None, added, removed, diff, omitted_lines }
    }

    /// The changes of a record; those that cannot be read are left out.
    pub fn all(recorded: Option<&Value>) -> Vec<Self> {
        let items = recorded.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().take(MAX_FILES).filter_map(|item| Self::deserialize(item).ok()).collect()
    }

    /// The changes as they are recorded; `None` if there are none.
    pub fn recorded(changes: &[Self]) -> Option<Value> {
        let recorded = changes.get(..changes.len().min(MAX_FILES))?;
        if recorded.is_empty() { None } else { serde_json::to_value(recorded).ok() }
    }

    /// Maps its texts.
    #[must_use]
    pub fn map_texts(self, mut change: impl FnMut(String) -> String) -> Self {
        let (path, diff) = (change(self.path), change(self.diff));
        Self { path, from: self.from.map(change), diff, ..self }
    }

    /// Its texts in the order in which they are shown: where it was, where it is, and the lines of its difference.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let paths = self.from.as_deref().into_iter().chain([self.path.as_str()]);
        paths.chain(Hunk::contents(&self.diff))
    }

    pub fn hunks(&self) -> Vec<Hunk> {
        Hunk::read_all(&self.diff)
    }
}

fn count(hunks: &[Hunk], tag: LineTag) -> usize {
    hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag == tag).count()
}

/// A unified diff within the limit, and the number of lines it leaves out.
fn limited(hunks: Vec<Hunk>) -> (String, usize) {
    let (mut text, mut omitted, mut room) = (String::new(), 0, MAX_DIFF_BYTES);
    for mut hunk in hunks {
        let kept = if omitted > 0 { 0 } else { fitting(&hunk, &mut room) };
        omitted += hunk.lines.len() - kept;
        hunk.lines.truncate(kept);
        if kept > 0 {
            hunk.write(&mut text);
        }
    }
    (text, omitted)
}

/// The number of its lines that fit into `room`, which is reduced by them.
fn fitting(hunk: &Hunk, room: &mut usize) -> usize {
    let fits = |line: &&DiffLine| {
        let rest = room.checked_sub(line.text.len() + 1);
        *room = rest.unwrap_or_default();
        rest.is_some()
    };
    hunk.lines.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_read_as_it_was_recorded() {
        let changes = [
            FileChange::created("a", "1\n2"),
            FileChange::rewritten("b", "1\n", "2\n"),
            FileChange::moved("c/", "d/"),
            FileChange::removed("e"),
        ];
        let recorded = FileChange::recorded(&changes).expect("changes");
        assert_eq!(FileChange::all(Some(&recorded)), changes);
        assert_eq!(FileChange::recorded(&[]), None);
    }

    #[test]
    fn its_texts_are_its_paths_and_the_lines_of_its_difference() {
        let old = "same\n-- sign\n@@ -1 +1 @@\nlast";
        let change = FileChange {
            from: Some("old".to_owned()),
            ..FileChange::rewritten("new", old, "same\n++ sign\nlast")
        };
        let hunks = change.hunks();
        let lines = hunks.iter().flat_map(|hunk| &hunk.lines).map(DiffLine::content);
        let expected: Vec<&str> = ["old", "new"].into_iter().chain(lines).collect();
        assert!(expected.contains(&"-- sign") && expected.contains(&"@@ -1 +1 @@"));
        assert_eq!(change.texts().collect::<Vec<_>>(), expected);
        let foreign = FileChange { diff: "no hunk\n+x\n".to_owned(), ..change };
        assert_eq!(foreign.texts().count(), 2);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let recorded = serde_json::json!([
            7,
            {"path": "a"},
            {"path": "b", "kind": "renamed"},
            {"path": "c", "kind": "changed", "later": true},
        ]);
        let paths = FileChange::all(Some(&recorded)).into_iter().map(|change| change.path);
        assert_eq!(paths.collect::<Vec<_>>(), ["c"]);
        assert_eq!(FileChange::all(Some(&serde_json::json!({}))), []);
    }

    #[test]
    fn a_long_diff_is_cut_between_lines_and_says_by_how_many() {
        let text = format!("{}\n", "x".repeat(99)).repeat(1_000);
        let change = FileChange::created("a", &text);
        assert!(change.diff.len() <= MAX_DIFF_BYTES + 100, "{}", change.diff.len());
        let kept = change.hunks()[0].lines.len();
        assert_eq!((change.added, kept + change.omitted_lines), (1_000, 1_000));
        assert!(kept > 600);
    }
}
