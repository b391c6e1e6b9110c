//! Which changes a person has reviewed, below `.dialogs/.tui`: how far each dialog of a tree was read. And
//! the records that hold changes, found without parsing the others.

use std::collections::BTreeMap;

use crate::domain::tree::Bucket;
use crate::domain::{Course, DialogId, Entry, RootId, SelfId, json};

use super::Store;
use super::error::{FileAction, StoreError};
use super::files::{self, FileContent};
use super::layout::course_file;
use super::lines::{LineContent, LineReader};
use super::own_files::MAX_FILE_BYTES;

/// How far the dialogs of a tree were reviewed: the course, and the number of its lines.
pub type Reviewed = BTreeMap<SelfId, (Course, usize)>;

impl Store {
    /// Visits the records of a course whose lines are `wanted`, from line `from` on. Returns how many lines
    /// the course has.
    ///
    /// # Errors
    /// The course could not be read.
    pub fn visit_records(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
        (wanted, from): (&dyn Fn(&str) -> bool, usize),
        mut visit: impl FnMut(Entry),
    ) -> Result<usize, StoreError> {
        let path = self.folder_of(bucket, dialog).join(course_file(course));
        let failed = |error| StoreError::io(FileAction::Reading, &path)(error);
        let mut lines = LineReader::new(self.disk().open_read(&path).map_err(failed)?);
        let mut count = 0;
        while let Some(line) = lines.next().map_err(failed)? {
            if line.is_blank() {
                continue;
            }
            count += 1;
            if count <= from || !wanted(&line.text()) {
                continue;
            }
            match line.read() {
                LineContent::Entry(entry) => visit(*entry),
                LineContent::Glued(entries) => entries.into_iter().for_each(&mut visit),
                LineContent::Blank | LineContent::Broken => {}
            }
        }
        Ok(count)
    }

    /// How far a tree was reviewed. A damaged file reads as not at all.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn reviewed(&self, root: &RootId) -> Result<Reviewed, StoreError> {
        Ok(self.all_reviewed()?.remove(root).unwrap_or_default())
    }

    /// Remembers how far a tree was reviewed; never less far than before. Trees that are gone are forgotten.
    ///
    /// # Errors
    /// This process may not write, or the file could not be read or written.
    pub fn mark_reviewed(&self, root: &RootId, ends: Reviewed) -> Result<(), StoreError> {
        self.must_write()?;
        let mut all = self.all_reviewed()?;
        all.retain(|known, _| self.find(known).is_some());
        let tree = all.entry(root.clone()).or_default();
        for (dialog, end) in ends {
            let known = tree.entry(dialog).or_insert(end);
            *known = (*known).max(end);
        }
        let path = self.layout.reviewed();
        files::make_folders(self.disk(), &self.layout.dialogs(), &self.layout.own_folder())?;
        let json = serde_json::to_string(&all)
            .map_err(|error| StoreError::Encode { path: path.clone(), text: error.to_string() })?;
        files::replace(self.disk(), &path, json.as_bytes(), false)
    }

    fn all_reviewed(&self) -> Result<BTreeMap<RootId, Reviewed>, StoreError> {
        Ok(match files::read_small(self.disk(), &self.layout.reviewed(), MAX_FILE_BYTES)? {
            FileContent::Text(text) => json::read(&text).unwrap_or_default(),
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                BTreeMap::new()
            }
        })
    }
}
