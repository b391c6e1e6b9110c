//! How far a person has looked at the dialogs, as the screen writes it, in one file of our own.

use super::OwnFiles;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::Reader;

/// Largest file, in bytes.
const MAX_FILE_BYTES: usize = 1024 * 1024;

impl Reader {
    /// What was stored last; empty if nothing was, or if it cannot be read as text.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read_looked(&self) -> Result<String, StoreError> {
        let path = self.layout.seen_marks_file();
        Ok(match small_files::read_small(self.disk(), &path, MAX_FILE_BYTES)? {
            FileContent::Text(text) => text,
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                String::new()
            }
        })
    }
}

impl OwnFiles {
    /// Replaces it.
    ///
    /// # Errors
    /// This process may not write, it is too long, or the file could not be written.
    pub fn write_looked(&self, text: &str) -> Result<(), StoreError> {
        self.reader.must_write()?;
        let path = self.reader.layout.seen_marks_file();
        if text.len() > MAX_FILE_BYTES {
            let text = format!("at most {MAX_FILE_BYTES} bytes fit");
            return Err(StoreError::Encode { path, text });
        }
        self.make_folder()?;
        small_files::replace(self.reader.disk(), &path, text.as_bytes(), false)
    }
}
