//! Texts that are being typed, in one file of our own.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use crate::domain::text::json;

use super::OwnFiles;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::Reader;
use crate::store::trees::waiting_files::MAX_FILE_BYTES;

impl Reader {
    /// Texts that were being typed, by the key the screen gave them. A damaged file reads as none.
    pub fn read_drafts(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Ok(match small_files::read_small(self.disk(), &self.layout.drafts(), MAX_FILE_BYTES)? {
            FileContent::Text(text) => json::read(&text).unwrap_or_default(),
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                BTreeMap::new()
            }
        })
    }
}

impl OwnFiles {
    /// Keeps a draft, or forgets it with `None`.
    ///
    /// # Errors
    /// It cannot be written, or the drafts are too large together: those before stay as they are.
    pub fn write_draft(&self, key: &str, text: Option<&str>) -> Result<(), StoreError> {
        self.reader.must_write()?;
        let path = self.reader.layout.drafts();
        let _guard = self.drafts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut drafts = self.reader.read_drafts()?;
        match text {
            Some(text) => drafts.insert(key.to_owned(), text.to_owned()),
            None => drafts.remove(key),
        };
        if drafts.is_empty() {
            return small_files::remove(self.reader.disk(), &path);
        }
        self.make_folder()?;
        let json = serde_json::to_string(&drafts)
            .map_err(|error| StoreError::Encode { path: path.clone(), text: error.to_string() })?;
        // A longer file could not be read again, and all drafts would be lost.
        if json.len() > MAX_FILE_BYTES {
            return Err(StoreError::DraftsTooLarge { bytes: json.len(), most: MAX_FILE_BYTES });
        }
        small_files::replace(self.reader.disk(), &path, json.as_bytes(), false)
    }
}
