//! Writing files that belong to a dialog, and copying those of another tree.

use std::io::Read as _;

use crate::domain::{ArtifactRef, Bucket, DialogId, RootId, SelfId};

use super::commit::BatchWriter;
use super::staging::Staging;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::small_files::{self, FileKind};
use crate::store::reading::artifacts::join_parts;

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
