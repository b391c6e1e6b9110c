//! Reading the dialogs of a workspace: whole trees, pages and single records of a course, files of dialogs,
//! reminders of members, trees that were set aside. Writes nothing.

pub mod artifacts;
pub mod load;
pub mod look_through;
pub mod page;
pub mod personal;
pub mod set_aside;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::dialogs::tree::Bucket;
use crate::domain::ids::is_dialog_path;
use crate::domain::{Course, DialogId, RootId};

use crate::store::disk::Disk;
use crate::store::disk::error::{ExpectedKind, FileAction, StoreError};
use crate::store::disk::layout::{Layout, course_file};
use crate::store::disk::options::Access;
use crate::store::disk::small_files::{self, FileKind};
use crate::store::trees::earlier_layout::SUBDIALOGS;
use crate::store::trees::folder_walk;
use crate::store::trees::tree_layout::WorkspaceLayout;

/// Reads the dialogs of one workspace.
#[derive(Debug)]
pub struct Reader {
    pub(in crate::store) layout: Layout,
    pub(in crate::store) disk: Arc<dyn Disk>,
    access: Access,
    /// Where the trees lie that this process has written, as far as it knows. Empty where it only reads.
    buckets: Mutex<BTreeMap<RootId, Bucket>>,
    /// The layout of trees that do not tell theirs.
    pub(in crate::store) workspace: WorkspaceLayout,
}

impl Reader {
    pub(in crate::store) fn new(layout: Layout, disk: Arc<dyn Disk>, access: Access) -> Self {
        let workspace = WorkspaceLayout::default();
        Self { layout, disk, access, buckets: Mutex::default(), workspace }
    }

    /// Whether this process may change the workspace.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// Where a main dialog lies; the first of run, done and archive that has it.
    #[must_use]
    pub fn find(&self, root: &RootId) -> Option<Bucket> {
        if let Some(bucket) = self.buckets().get(root) {
            return Some(*bucket);
        }
        Bucket::ALL.into_iter().find(|bucket| self.is_there(*bucket, root))
    }

    /// True if a main dialog lies in this bucket.
    pub(in crate::store) fn is_there(&self, bucket: Bucket, root: &RootId) -> bool {
        let folder = self.layout.root(bucket, root);
        let named = is_dialog_path(root.as_str());
        let whole =
            || small_files::is_folder_below(&self.layout.dialogs(), &folder).unwrap_or(false);
        let marked = || folder_walk::is_dialog(&folder);
        named && whole() && marked()
    }

    /// Where the files of a dialog are read.
    fn folder_of(&self, bucket: Bucket, dialog: &DialogId) -> PathBuf {
        let current = self.layout.dialog(bucket, dialog);
        let earlier = || self.layout.root(bucket, &dialog.root).join(SUBDIALOGS);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        if dialog.is_main() || is_there(&current) {
            return current;
        }
        let earlier = earlier().join(dialog.this.as_str());
        if is_there(&earlier) { earlier } else { current }
    }

    /// Opens a course, and says where it lies; `None` if it has no file.
    fn open_course(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
    ) -> Result<Option<(PathBuf, File)>, StoreError> {
        let folder = self.folder_of(bucket, dialog);
        let named = is_dialog_path(dialog.root.as_str()) && is_dialog_path(dialog.this.as_str());
        if !named || !small_files::is_folder_below(&self.layout.dialogs(), &folder)? {
            return Err(StoreError::NotFound(dialog.root.clone()));
        }
        let path = folder.join(course_file(course));
        match small_files::kind_of(&path)? {
            None => return Ok(None),
            Some(FileKind::File) => {}
            Some(FileKind::Folder | FileKind::Link | FileKind::Other) => {
                return Err(StoreError::Misplaced { path, expected: ExpectedKind::RegularFile });
            }
        }
        let opened = self.disk().open_read(&path);
        let file = opened.map_err(StoreError::io(FileAction::Reading, &path))?;
        Ok(Some((path, file)))
    }

    /// Refuses what would change a workspace that may only be read.
    pub(in crate::store) fn must_write(&self) -> Result<(), StoreError> {
        match self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(StoreError::ReadOnly),
        }
    }

    pub(in crate::store) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Where trees lie by what this process did. Held for no longer than a look.
    pub(in crate::store) fn buckets(&self) -> MutexGuard<'_, BTreeMap<RootId, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
