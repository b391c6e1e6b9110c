//! A record that is on disk, with its place, as screens are sent it.
//!
//! What must stay true: in the process of the driver one is made from a [`Fact`] alone, which the store gives
//! away when the record is on disk. A client makes one from what its driver sent, by `wire` alone: nothing
//! else can read one.

use std::sync::Arc;

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::entry_json;
use crate::domain::{Course, DialogId, Entry};
use crate::store::Fact;

#[derive(Debug, Clone, PartialEq)]
pub struct StoredRecord {
    dialog: DialogId,
    course: Course,
    line: usize,
    entry: Arc<Entry>,
}

impl StoredRecord {
    #[must_use]
    pub fn dialog(&self) -> &DialogId {
        &self.dialog
    }

    #[must_use]
    pub fn course(&self) -> Course {
        self.course
    }

    /// The first line is 0.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// Reads what [`Self::serialize`] wrote.
    pub(in crate::protocol) fn read(json: &str) -> serde_json::Result<Self> {
        let RecordForm { dialog, course, line, entry } = serde_json::from_str(json)?;
        Ok(Self { dialog, course, line, entry: Arc::new(entry_json::read(&entry)?) })
    }
}

impl From<Fact> for StoredRecord {
    fn from(fact: Fact) -> Self {
        let (dialog, course, line) = (fact.dialog().clone(), fact.course(), fact.line());
        Self { dialog, course, line, entry: Arc::clone(fact.entry()) }
    }
}

impl Serialize for StoredRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = entry_json::raw(&self.entry).map_err(S::Error::custom)?;
        let (dialog, course, line) = (self.dialog.clone(), self.course, self.line);
        RecordForm { dialog, course, line, entry }.serialize(serializer)
    }
}

#[derive(Serialize, Deserialize)]
struct RecordForm {
    dialog: DialogId,
    course: Course,
    line: usize,
    entry: Box<RawValue>,
}

#[cfg(test)]
impl StoredRecord {
    /// For tests of what records are shown as, which have no disk.
    pub fn made_up(dialog: &DialogId, course: Course, line: usize, record: &str) -> Self {
        Fact::made_up(dialog, course, line, record).into()
    }
}
