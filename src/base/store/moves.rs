//! Whole trees change their place: between run, done and archive, back from quarantine, and away for
//! ever. Each is one rename; a link is never followed.

use std::path::Path;

use crate::domain::RootId;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::ids::is_dialog_path;

use super::small_files;
use crate::store::error::{FileAction, StoreError};
use crate::store::layout::flat_name;
use crate::store::{Store, SyncLevel};

/// Prefixes of the names of indexes that are being written.
const UNFINISHED_INDEXES: [&str; 2] = [".list.index.", ".trees.index."];

impl Store {
    /// The name of the main dialog of a quarantined tree, which has the name `name` below `malformed`.
    pub fn quarantined(&self, name: &str) -> Result<RootId, StoreError> {
        if !is_dialog_path(name) {
            return Err(StoreError::BadName { name: name.to_owned() });
        }
        let from = self.layout.malformed().join(name);
        if !small_files::is_folder_below(&self.layout.dialogs(), &from)? {
            return Err(StoreError::NotFound(RootId::new(name)));
        }
        Ok(RootId::new(without_suffix(name)))
    }

    /// Moves a quarantined tree back to `run` and names it, see [`Self::quarantined`]. Refused where the place is
    /// taken, and for a tree that may only be read.
    pub fn restore(&self, name: &str) -> Result<RootId, StoreError> {
        self.must_write()?;
        let root = self.quarantined(name)?;
        let from = self.layout.malformed().join(name);
        if let Some(layout) = self.foreign_aside(name, &root)? {
            let path = self.layout.display_path(&from);
            return Err(StoreError::ForeignAside { path, root, layout });
        }
        self.move_folder(&from, &self.layout.root(Bucket::Run, &root))?;
        Ok(root)
    }

    /// Moves a main dialog with all its side dialogs between run, done and archive. The caller has
    /// no commit of this tree under way.
    pub fn relocate(&self, root: &RootId, from: Bucket, to: Bucket) -> Result<(), StoreError> {
        self.must_write()?;
        if !self.is_there(from, root) {
            return Err(StoreError::NotFound(root.clone()));
        }
        self.refuse_foreign_layout(from, root)?;
        self.sync_unsynced(root)?;
        let source = self.layout.root(from, root);
        self.move_folder(&source, &self.layout.root(to, root))?;
        self.forget(root, &source);
        self.writer_state().buckets.insert(root.clone(), to);
        Ok(())
    }

    /// Deletes a main dialog with all its side dialogs, wherever it lies, and the words that waited
    /// for it. It is gone with a rename; what is left of it after a crash goes at the next opening.
    pub fn delete(&self, root: &RootId) -> Result<(), StoreError> {
        self.must_write()?;
        let buckets: Vec<Bucket> =
            Bucket::ALL.into_iter().filter(|bucket| self.is_there(*bucket, root)).collect();
        if buckets.is_empty() {
            return Err(StoreError::NotFound(root.clone()));
        }
        buckets.iter().try_for_each(|bucket| self.refuse_foreign_layout(*bucket, root))?;
        self.sweep();
        for bucket in buckets {
            let source = self.layout.root(bucket, root);
            let name = format!("{}.{}", flat_name(root.as_str()), bucket.folder());
            self.move_folder(&source, &self.layout.trash().join(name))?;
            self.forget(root, &source);
        }
        self.remove_own_folder(&self.layout.queues(root));
        self.remove_own_folder(&self.layout.answers_below(root));
        self.remove_spools(root);
        self.forget_titles(root);
        self.sweep();
        Ok(())
    }

    /// Removes what was to be deleted, and trees that were being made when a process ended.
    pub(super) fn sweep(&self) {
        self.remove_own_folder(&self.layout.trash());
        self.remove_own_folder(&self.layout.staging());
        self.remove_unfinished_indexes();
    }

    /// Removes what a process that died while it wrote an index of the list left of it.
    fn remove_unfinished_indexes(&self) {
        let Ok(entries) = std::fs::read_dir(self.layout.own_folder()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(".tmp")).unwrap_or_default();
            if UNFINISHED_INDEXES.iter().any(|begin| name.starts_with(begin)) {
                // A file that stays costs room only.
                let _ = self.disk().remove_file(&entry.path());
            }
        }
    }

    /// Removes a folder of our own. What cannot be removed now is tried again later.
    pub(super) fn remove_own_folder(&self, folder: &Path) {
        if !small_files::is_folder_below(&self.layout.dialogs(), folder).unwrap_or(false) {
            return;
        }
        if let Err(error) = self.disk().remove_tree(folder) {
            let folder = self.layout.display_path(folder);
            tracing::warn!(folder, %error, "could not be removed");
        }
    }

    /// What was written without waiting for the medium must not stay behind under its old name.
    fn sync_unsynced(&self, root: &RootId) -> Result<(), StoreError> {
        let Some(unsynced) = self.writer_state().unsynced.remove(root) else { return Ok(()) };
        let synced = unsynced.sync(self.disk());
        if synced.is_err() {
            self.writer_state().forget_sync(root, unsynced);
        }
        synced
    }

    fn forget(&self, root: &RootId, folder: &Path) {
        let mut writer_state = self.writer_state();
        writer_state.buckets.remove(root);
        writer_state.courses.retain(|path, _| !path.starts_with(folder));
        writer_state.irreplaceable.retain(|path| !path.starts_with(folder));
        writer_state.unsynced.remove(root);
    }

    pub(super) fn move_folder(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        if small_files::kind_of(to)?.is_some() {
            return Err(StoreError::Exists(to.to_owned()));
        }
        let parent = to.parent().unwrap_or(to);
        let mut touched = small_files::make_folders(self.disk(), &self.layout.dialogs(), parent)?;
        self.disk().rename(from, to).map_err(StoreError::io(FileAction::Moving, from))?;
        touched.push(parent.to_owned());
        touched.extend(from.parent().map(Path::to_owned));
        if self.options.sync == SyncLevel::Off {
            return Ok(());
        }
        touched.iter().try_for_each(|folder| small_files::sync_path(self.disk(), folder))
    }
}

/// The id of a tree whose name was taken when it was set aside: it then ends in `__` and a number, or
/// as Dominds has it in `__` and a UUID.
pub(super) fn without_suffix(name: &str) -> &str {
    let is_mark = |mark: &str| {
        let number = mark.len() < 8 && mark.bytes().all(|byte| byte.is_ascii_digit());
        let uuid = mark.len() == 36 && mark.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        !mark.is_empty() && (number || uuid)
    };
    match name.rsplit_once("__") {
        Some((id, mark)) if is_mark(mark) => id,
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_put_behind_an_id_is_taken_off_again() {
        for (name, expected) in [
            ("aa/bb/01", "aa/bb/01"),
            ("aa/bb/01__2", "aa/bb/01"),
            ("aa/bb/01__0b9f3c52-7e1d-4b52-9d2e-1f0a3b4c5d6e", "aa/bb/01"),
            ("my__dialog", "my__dialog"),
            ("my__", "my__"),
        ] {
            assert_eq!(without_suffix(name), expected, "{name}");
        }
    }
}
