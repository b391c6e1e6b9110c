//! Files that belong to a dialog: images. They are written before the record that names them, and never
//! changed. A record may have been written by anybody, so a file is read only where it lies below
//! `artifacts` of a dialog, no part of its path being a link.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::domain::{ArtifactRef, Bucket, DialogId, RootId, SelfId};

use super::commit::BatchWriter;
use super::small_files::{self, FileKind};
use crate::store::error::{FileAction, StoreError};
use crate::store::{Staging, Store};

/// Why a file cannot be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactError {
    /// It does not exist, or is no file of that dialog.
    Missing,
    TooLarge,
    /// It is there and cannot be read.
    Unreadable,
}

impl Store {
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
    fn artifact_path(&self, of: &ArtifactRef) -> Result<Option<PathBuf>, StoreError> {
        let Some(parts) = of.parts() else { return Ok(None) };
        let Some(bucket) = self.find(&of.dialog.root) else { return Ok(None) };
        let path = join_parts(&self.layout.dialog(bucket, &of.dialog), &parts);
        let folder = path.parent().unwrap_or(&path);
        let inside = small_files::is_folder_below(&self.layout.dialogs(), folder)?;
        Ok((inside && small_files::kind_of(&path)? == Some(FileKind::File)).then_some(path))
    }
}

impl BatchWriter<'_> {
    /// Writes a new file of a dialog. It is on the medium before the batch goes on. A file that is there
    /// is not changed.
    pub(super) fn artifact(
        &mut self,
        dialog: &SelfId,
        path: &str,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let of = ArtifactRef { dialog: DialogId::side(self.root, dialog), path: path.to_owned() };
        let bad_name = || StoreError::BadName { name: path.to_owned() };
        let parts = of.parts().ok_or_else(bad_name)?;
        let folder = self.path(dialog, "");
        let path = join_parts(&folder, &parts);
        let disk = self.store.disk();
        let parent = path.parent().unwrap_or(&folder);
        let touched = small_files::make_folders(disk, &self.store.layout.dialogs(), parent)?;
        match small_files::kind_of(&path)? {
            None => {
                self.made.push(path.clone());
                small_files::replace(disk, &path, bytes, self.durable)?;
            }
            // Left by a step that was written and could not be synced.
            Some(FileKind::File)
                if self.store.artifact(&of, bytes.len()).as_deref() == Ok(bytes) => {}
            Some(_) => return Err(StoreError::Exists(path)),
        }
        let folders = touched.into_iter().chain([parent.to_owned()]);
        if self.durable {
            return folders
                .into_iter()
                .try_for_each(|folder| small_files::sync_path(disk, &folder));
        }
        self.unsynced.folders.extend(folders);
        self.unsynced.add_file(path);
        Ok(())
    }

    /// Removes the files this batch made.
    pub(super) fn remove_made_files(&mut self) {
        for path in std::mem::take(&mut self.made) {
            if let Err(error) = small_files::remove(self.store.disk(), &path) {
                let path = self.store.layout.display_path(&path);
                // Nothing is lost: the failed step is reported, and nothing names this file.
                tracing::error!(path, %error, "a failed write could not be taken back");
            }
        }
    }
}

impl Staging<'_> {
    /// Copies a file of the tree `from` that the new tree names too. A missing file is not copied: the model is told
    /// so, as in the tree it came from.
    pub fn copy_artifact(&self, from: &RootId, named: &ArtifactRef) -> Result<(), StoreError> {
        let DialogId { root, this } = &named.dialog;
        let this = if *this == root.main() { from.main() } else { this.clone() };
        let source = ArtifactRef { dialog: DialogId::side(from, &this), path: named.path.clone() };
        let Some(source) = self.store.artifact_path(&source)? else { return Ok(()) };
        let Some(parts) = named.parts() else { return Ok(()) };
        let layout = &self.staged.layout;
        let target = join_parts(&layout.dialog(Bucket::Run, &named.dialog), &parts);
        let disk = self.staged.disk();
        let parent = target.parent().unwrap_or(&target);
        small_files::make_folders(disk, &layout.dialogs(), parent)?;
        let mut read =
            disk.open_read(&source).map_err(StoreError::io(FileAction::Copying, &source))?;
        small_files::replace_by(disk, &target, |file| {
            let mut chunk = vec![0; small_files::COPY_CHUNK];
            loop {
                let taken = read.read(&mut chunk)?;
                match chunk.get(..taken) {
                    None | Some([]) => return disk.sync(file),
                    Some(bytes) => small_files::write_all(disk, file, bytes, false)?,
                }
            }
        })
    }
}

fn join_parts(folder: &Path, parts: &[&str]) -> PathBuf {
    parts.iter().fold(folder.to_owned(), |path, part| path.join(part))
}
