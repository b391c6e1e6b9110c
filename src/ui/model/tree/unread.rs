//! Which dialogs have records the user has not looked at, also since before the program was started.
//!
//! It is stored as text: a line that says whether all dialogs are in it, then one line for each dialog. The
//! text is only a hint: if a line cannot be read, its dialog counts as new.

use std::collections::BTreeMap;

use crate::domain::{Course, DialogId, Genseq, RootId, SelfId, Stamp, ids};
use crate::protocol::TreeRow;

/// The progress of a dialog when it was looked at.
type Progress = (Course, Genseq, Stamp);

/// The longest text that is stored.
const MAX_BYTES: usize = 512 * 1024;
/// The first line where all dialogs are in the text.
const ALL: &str = "all";
/// The first line if some are left out: then a dialog that is not listed counts as looked at.
const SOME: &str = "some";

#[derive(Debug, Default)]
pub(super) struct SeenProgress {
    at: BTreeMap<DialogId, Progress>,
    listed: bool,
    /// The stored text, until the first list of dialogs arrives.
    stored: Option<StoredLooks>,
    changed: bool,
}

#[derive(Debug)]
struct StoredLooks {
    at: BTreeMap<DialogId, Progress>,
    /// A dialog that is not in it is new.
    is_complete: bool,
}

impl SeenProgress {
    /// Restores the text that an earlier run stored.
    pub fn restore(&mut self, text: &str) {
        let mut lines = text.get(..text.len().min(2 * MAX_BYTES)).unwrap_or_default().lines();
        let is_complete = match lines.next() {
            Some(ALL) => true,
            Some(SOME) => false,
            Some(_) | None => return,
        };
        self.stored = Some(StoredLooks { at: lines.filter_map(read_line).collect(), is_complete });
    }

    /// Takes over the listed rows. Dialogs of the very first list are not new.
    pub fn listed<'a>(&mut self, rows: impl Iterator<Item = &'a TreeRow> + Clone) {
        if !std::mem::replace(&mut self.listed, true) {
            return self.begin(rows);
        }
        let known = std::mem::take(&mut self.at);
        let before = known.len();
        let kept = rows.filter_map(|row| known.get_key_value(&row.dialog));
        self.at = kept.map(|(dialog, at)| (dialog.clone(), at.clone())).collect();
        self.changed |= self.at.len() != before;
    }

    fn begin<'a>(&mut self, rows: impl Iterator<Item = &'a TreeRow>) {
        let Some(mut stored) = self.stored.take() else {
            return rows.for_each(|row| self.look_at(row));
        };
        for row in rows {
            match stored.at.remove(&row.dialog) {
                Some(at) => drop(self.at.insert(row.dialog.clone(), at)),
                None if stored.is_complete => {}
                None => self.look_at(row),
            }
        }
    }

    pub fn look_at(&mut self, row: &TreeRow) {
        let now = progress(row);
        if self.at.get(&row.dialog) != Some(&now) {
            self.at.insert(row.dialog.clone(), now);
            self.changed = true;
        }
    }

    /// A dialog that is not known is new.
    pub fn is_unread(&self, row: &TreeRow) -> bool {
        self.listed && self.at.get(&row.dialog).is_none_or(|at| *at != progress(row))
    }

    /// True if the text to store is another one than when it was taken last.
    pub fn has_changed(&self) -> bool {
        self.listed && self.changed
    }

    /// The text to store.
    pub fn take_text(&mut self) -> String {
        self.changed = false;
        let (mut lines, mut is_complete) = (String::new(), true);
        for (dialog, at) in &self.at {
            match line_of(dialog, at).filter(|line| lines.len() + line.len() < MAX_BYTES) {
                Some(line) => lines.push_str(&line),
                None => is_complete = false,
            }
        }
        format!("{}\n{lines}", if is_complete { ALL } else { SOME })
    }
}

/// Formats a line; `None` if a part could not be read back unchanged.
fn line_of(dialog: &DialogId, (course, genseq, stamp): &Progress) -> Option<String> {
    let parts = [dialog.root.as_str(), dialog.this.as_str(), stamp.as_str()];
    let is_plain = parts.iter().all(|part| !part.chars().any(char::is_control));
    let [root, this, stamp] = parts;
    is_plain.then(|| format!("{course}\t{genseq}\t{stamp}\t{root}\t{this}\n"))
}

fn read_line(line: &str) -> Option<(DialogId, Progress)> {
    let mut parts = line.split('\t');
    let course = Course(parts.next()?.parse().ok()?);
    let genseq = Genseq(parts.next()?.parse().ok()?);
    let stamp = Stamp::new(parts.next()?);
    let (root, this) = (parts.next()?, parts.next()?);
    let is_whole = parts.next().is_none();
    let named = ids::is_dialog_path(root) && ids::is_dialog_path(this) && is_whole;
    let dialog = DialogId::side(&RootId::new(root), &SelfId::new(this));
    named.then_some((dialog, (course, genseq, stamp)))
}

fn progress(row: &TreeRow) -> Progress {
    (row.course, row.genseq, row.last_modified.clone())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::app::tests::fixture::{row, rows, side};

    fn unread(seen: &SeenProgress, rows: &[TreeRow]) -> Vec<String> {
        let unread = rows.iter().filter(|row| seen.is_unread(row));
        unread.map(|row| row.agent.to_string()).collect()
    }

    fn restored(text: &str, rows: &[TreeRow]) -> SeenProgress {
        let mut seen = SeenProgress::default();
        seen.restore(text);
        seen.listed(rows.iter());
        seen
    }

    #[test]
    fn what_happened_while_the_program_was_not_running_is_unread() {
        let mut all = rows();
        let mut before = restored("", &all);
        assert!(unread(&before, &all).is_empty(), "what the first list ever has is not new");
        assert!(before.has_changed());
        let text = before.take_text();
        assert!(!before.has_changed());
        assert!(unread(&restored(&text, &all), &all).is_empty());
        all[1].genseq = Genseq(99);
        // Even if the clock was put back.
        all[3].last_modified = Stamp::new("2020-01-01 00:00:00");
        all.push(row(&side("new"), None, "tester", all[3].state.clone()));
        assert_eq!(unread(&restored(&text, &all), &all), ["researcher", "reviewer", "tester"]);
    }

    #[test]
    fn looking_at_the_same_again_stores_nothing() {
        let all = rows();
        let mut seen = restored("", &all);
        seen.take_text();
        for row in &all {
            seen.look_at(row);
        }
        seen.listed(all.iter());
        assert!(!seen.has_changed());
        seen.listed(all[1..].iter());
        assert!(seen.has_changed(), "one of them is gone");
    }

    #[test]
    fn the_text_is_bounded_and_what_is_left_out_counts_as_looked_at() {
        let long = "x".repeat(200);
        let many = (0..5_000).map(|n| TreeRow {
            dialog: DialogId::main(RootId::new(format!("{long}/{n}"))),
            ..rows().remove(0)
        });
        let mut many: Vec<TreeRow> = many.collect();
        many.push(TreeRow {
            last_modified: Stamp::new("a\nb"),
            ..row(&side("odd"), None, "odd", many[0].state.clone())
        });
        let text = restored("", &many).take_text();
        assert!(text.len() <= MAX_BYTES + 10 && text.starts_with("some\n"), "{}", text.len());
        assert!(unread(&restored(&text, &many), &many).is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "(all|some|\\PC)\n([0-9]{0,12}\t?|\\PC|\t|\n|aa/bb/1){0,40}") {
            let all = rows();
            let mut seen = restored(&text, &all);
            prop_assert!(unread(&seen, &all).len() <= all.len());
            let again = seen.take_text();
            prop_assert_eq!(unread(&restored(&again, &all), &all), unread(&seen, &all));
        }
    }
}
