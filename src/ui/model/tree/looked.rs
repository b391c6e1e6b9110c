//! Which dialogs have something the user has not looked at, in this session.

use std::collections::BTreeMap;

use crate::domain::{Course, DialogId, Genseq, Stamp};
use crate::protocol::TreeRow;

/// How far a dialog had come.
type Progress = (Course, Genseq, Stamp);

#[derive(Debug, Default)]
pub(super) struct Looked {
    at: BTreeMap<DialogId, Progress>,
    listed: bool,
}

impl Looked {
    /// The rows that there are. What the first list has is not new.
    pub fn listed<'a>(&mut self, rows: impl Iterator<Item = &'a TreeRow> + Clone) {
        if !std::mem::replace(&mut self.listed, true) {
            rows.for_each(|row| self.look_at(row));
            return;
        }
        let known = std::mem::take(&mut self.at);
        let kept = rows.filter_map(|row| known.get_key_value(&row.dialog));
        self.at = kept.map(|(dialog, at)| (dialog.clone(), at.clone())).collect();
    }

    pub fn look_at(&mut self, row: &TreeRow) {
        self.at.insert(row.dialog.clone(), progress(row));
    }

    /// A dialog that is not known is new.
    pub fn is_unread(&self, row: &TreeRow) -> bool {
        self.listed && self.at.get(&row.dialog).is_none_or(|at| *at < progress(row))
    }
}

fn progress(row: &TreeRow) -> Progress {
    (row.course, row.genseq, row.last_modified.clone())
}
