//! Whole trees change their place: between run, done and archive, back from quarantine, and away for
//! ever. Each is one rename; a link is never followed.

use std::path::Path;

use crate::domain::RootId;
use crate::domain::dialogs::tree::Bucket;

use super::Store;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::flat_name;
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files;

/// Prefixes of the names of indexes that are being written.
const UNFINISHED_INDEXES: [&str; 2] = [".list.index.", ".trees.index."];

impl Store {
    /// Moves a quarantined tree back to `run` and names it, see `Reader::quarantined`. Refused where the place is
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
        self.buckets().insert(root.clone(), to);
        Ok(())
    }

    /// Deletes a main dialog with all its side dialogs, wherever it lies, what it was before it was converted, and the
    /// words that waited for it. It is gone with a rename; what is left of it after a crash goes at the next opening.
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
        self.own_files.remove_folder(&self.layout.queues(root));
        self.own_files.remove_folder(&self.layout.answers_below(root));
        self.own_files.remove_folder(&self.layout.converted().join(root.as_str()));
        self.own_files.remove_spools(root);
        self.own_files.forget_titles(root);
        self.sweep();
        Ok(())
    }

    /// Removes what was to be deleted, and trees that were being made when a process ended; finishes conversions.
    pub(super) fn sweep(&self) {
        // What stays unfinished is tried again, and reported, by the list of a driver that starts.
        drop(self.finish_conversions());
        self.own_files.remove_folder(&self.layout.trash());
        self.own_files.remove_folder(&self.layout.staging());
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

    /// What was written without waiting for the medium must not stay behind under its old name.
    fn sync_unsynced(&self, root: &RootId) -> Result<(), StoreError> {
        let Some(unsynced) = self.writer_state().unsynced.remove(root) else { return Ok(()) };
        let synced = unsynced.sync(self.disk());
        if synced.is_err() {
            self.writer_state().forget_sync(root, unsynced);
        }
        synced
    }

    pub(super) fn forget(&self, root: &RootId, folder: &Path) {
        self.buckets().remove(root);
        let mut writer_state = self.writer_state();
        writer_state.courses.retain(|path, _| !path.starts_with(folder));
        writer_state.irreplaceable.retain(|path| !path.starts_with(folder));
        writer_state.unsynced.remove(root);
        writer_state.trees.remove(root);
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
