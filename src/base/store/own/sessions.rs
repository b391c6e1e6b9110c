//! The file of the sessions of clients, below `.dialogs/.tui`. What its lines say is theirs (`remote/journal.rs`).

use super::OwnFiles;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files::{self, FileContent};
use crate::store::reading::Reader;

/// A longer file reads as none, in bytes: then clients are told to look what became of their commands.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

impl Reader {
    /// The lines as they are; none of a damaged file.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read_sessions(&self) -> Result<String, StoreError> {
        Ok(match small_files::read_small(self.disk(), &self.layout.sessions(), MAX_FILE_BYTES)? {
            FileContent::Text(text) => text,
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                String::new()
            }
        })
    }
}

impl OwnFiles {
    /// Appends whole lines; with `synced` they are on the medium when this returns.
    ///
    /// # Errors
    /// This process may not write, or the file could not be written.
    pub fn append_sessions(&self, lines: &str, synced: bool) -> Result<(), StoreError> {
        self.reader.must_write()?;
        self.make_folder()?;
        let (path, disk) = (self.reader.layout.sessions(), self.reader.disk());
        let synced = synced && self.sync != SyncLevel::Off;
        let appended = disk
            .open_append(&path)
            .and_then(|mut file| small_files::write_all(disk, &mut file, lines.as_bytes(), synced));
        appended.map_err(StoreError::io(FileAction::Writing, &path))
    }

    /// Replaces all lines; without any the file is removed.
    ///
    /// # Errors
    /// This process may not write, or the file could not be written.
    pub fn replace_sessions(&self, lines: &str) -> Result<(), StoreError> {
        self.reader.must_write()?;
        let path = self.reader.layout.sessions();
        if lines.is_empty() {
            return small_files::remove(self.reader.disk(), &path);
        }
        self.make_folder()?;
        let synced = self.sync != SyncLevel::Off;
        small_files::replace(self.reader.disk(), &path, lines.as_bytes(), synced)
    }
}
