//! Which changes a person has reviewed, below `.dialogs/.tui`: how far each dialog of a tree was read.

use std::collections::BTreeMap;

use crate::domain::text::json;
use crate::domain::{Course, RootId, SelfId};

use super::OwnFiles;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::Reader;
use crate::store::trees::waiting_files::MAX_FILE_BYTES;

/// How far the dialogs of a tree were reviewed: the course, and the number of its lines.
pub type Reviewed = BTreeMap<SelfId, (Course, usize)>;

impl Reader {
    /// How far a tree was reviewed. A damaged file reads as not at all.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn reviewed(&self, root: &RootId) -> Result<Reviewed, StoreError> {
        Ok(self.all_reviewed()?.remove(root).unwrap_or_default())
    }

    fn all_reviewed(&self) -> Result<BTreeMap<RootId, Reviewed>, StoreError> {
        Ok(match small_files::read_small(self.disk(), &self.layout.reviewed(), MAX_FILE_BYTES)? {
            FileContent::Text(text) => json::read(&text).unwrap_or_default(),
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                BTreeMap::new()
            }
        })
    }
}

impl OwnFiles {
    /// Remembers how far a tree was reviewed; never less far than before. Trees that are gone are forgotten.
    ///
    /// # Errors
    /// This process may not write, or the file could not be read or written.
    pub fn mark_reviewed(&self, root: &RootId, ends: Reviewed) -> Result<(), StoreError> {
        self.reader.must_write()?;
        let mut all = self.reader.all_reviewed()?;
        all.retain(|known, _| self.reader.find(known).is_some());
        let tree = all.entry(root.clone()).or_default();
        for (dialog, end) in ends {
            let known = tree.entry(dialog).or_insert(end);
            *known = (*known).max(end);
        }
        let path = self.reader.layout.reviewed();
        self.make_folder()?;
        let json = serde_json::to_string(&all)
            .map_err(|error| StoreError::Encode { path: path.clone(), text: error.to_string() })?;
        small_files::replace(self.reader.disk(), &path, json.as_bytes(), false)
    }
}
