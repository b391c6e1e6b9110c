//! What a writing store knows about the files it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::domain::{DialogTree, RootId};

use crate::store::disk::Disk;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files;

/// A course file as this process left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CourseEnd {
    /// Bytes; another size means that somebody else writes.
    pub size: u64,
    /// Lines, once the end of the file was checked.
    pub lines: Option<usize>,
}

/// Files and folders of a tree that are written but not synced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UnsyncedPaths {
    /// In the order in which they were written last. They are synced in it, so that a loss of power in between leaves the
    /// beginning of a step, as a kill does: recovery can complete that.
    files: Vec<PathBuf>,
    pub folders: BTreeSet<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct WriterState {
    pub courses: BTreeMap<PathBuf, CourseEnd>,
    pub unsynced: BTreeMap<RootId, UnsyncedPaths>,
    /// Copied aside before they are replaced or removed.
    pub irreplaceable: BTreeSet<PathBuf>,
    /// The trees this process writes. Those in the layout of Dominds 1.29 as their files have them, with the derived
    /// parts; `None` for others.
    pub trees: BTreeMap<RootId, Option<Arc<DialogTree>>>,
}

impl WriterState {
    /// These could not be synced: it is not known what of them is on the medium.
    pub fn forget_sync(&mut self, root: &RootId, unsynced: UnsyncedPaths) {
        self.courses.retain(|path, _| !unsynced.has_file(path));
        let mut all = unsynced;
        all.merge(self.unsynced.remove(root).unwrap_or_default());
        self.unsynced.insert(root.clone(), all);
    }
}

impl UnsyncedPaths {
    /// This file was written.
    pub fn add_file(&mut self, path: PathBuf) {
        self.files.retain(|earlier| *earlier != path);
        self.files.push(path);
    }

    /// Adds what was written after these.
    pub fn merge(&mut self, later: Self) {
        for path in later.files {
            self.add_file(path);
        }
        self.folders.extend(later.folders);
    }

    pub fn has_file(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file == path)
    }

    /// Waits until all of them are on the medium.
    pub fn sync(&self, disk: &dyn Disk) -> Result<(), StoreError> {
        self.files
            .iter()
            .chain(&self.folders)
            .try_for_each(|path| small_files::sync_path(disk, path))
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }
}
