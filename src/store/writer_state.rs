//! What a writing store knows about the files it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::domain::RootId;
use crate::domain::tree::Bucket;

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
    pub files: BTreeSet<PathBuf>,
    pub folders: BTreeSet<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct WriterState {
    pub courses: BTreeMap<PathBuf, CourseEnd>,
    pub buckets: BTreeMap<RootId, Bucket>,
    pub unsynced: BTreeMap<RootId, UnsyncedPaths>,
    /// Copied aside before they are replaced or removed.
    pub irreplaceable: BTreeSet<PathBuf>,
}

impl UnsyncedPaths {
    pub fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }
}
