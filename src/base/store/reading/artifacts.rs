//! Files that belong to a dialog: images. They are written before the record that names them, and never
//! changed. A record may have been written by anybody, so a file is read only where it lies below
//! `artifacts` of a dialog, no part of its path being a link.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::domain::ArtifactRef;

use super::Reader;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileKind};

/// Why a file cannot be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactError {
    /// It does not exist, or is no file of that dialog.
    Missing,
    TooLarge,
    /// It is there and cannot be read.
    Unreadable,
}

impl Reader {
    /// The bytes of a file, `most` at most.
    pub fn artifact(&self, of: &ArtifactRef, most: usize) -> Result<Vec<u8>, ArtifactError> {
        let path = self.artifact_path(of).map_err(|_| ArtifactError::Unreadable)?;
        let path = path.ok_or(ArtifactError::Missing)?;
        let file = self.disk().open_read(&path).map_err(|_| ArtifactError::Unreadable)?;
        let mut bytes = Vec::new();
        let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
        match read {
            Ok(_) if bytes.len() > most => Err(ArtifactError::TooLarge),
            Ok(_) => Ok(bytes),
            Err(_) => Err(ArtifactError::Unreadable),
        }
    }

    /// Where a file lies now, wherever its tree was moved; `None` if there is no such file.
    pub(in crate::store) fn artifact_path(
        &self,
        of: &ArtifactRef,
    ) -> Result<Option<PathBuf>, StoreError> {
        let Some(parts) = of.parts() else { return Ok(None) };
        let Some(bucket) = self.find(&of.dialog.root) else { return Ok(None) };
        let path = join_parts(&self.layout.dialog(bucket, &of.dialog), &parts);
        let folder = path.parent().unwrap_or(&path);
        let inside = small_files::is_folder_below(&self.layout.dialogs(), folder)?;
        Ok((inside && small_files::kind_of(&path)? == Some(FileKind::File)).then_some(path))
    }
}

/// The path of these parts below a folder.
pub(in crate::store) fn join_parts(folder: &Path, parts: &[&str]) -> PathBuf {
    parts.iter().fold(folder.to_owned(), |path, part| path.join(part))
}
