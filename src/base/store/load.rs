//! Loading one tree. A writing store repairs damage on the way; a read-only one only reports it.

use crate::domain::dialogs::tree::{Bucket, TreeChange};
use crate::domain::ids::is_dialog_path;
use crate::domain::{Course, DialogId, DialogTree, ForeignLayout, Problem, RootId};

use super::scan::{DialogFolder, ScanDepth};
use super::small_files;
use super::tree::TreeReader;
use super::tree_builder::TreeRead;
use super::writer_state::CourseEnd;
use crate::store::error::StoreError;
use crate::store::{Access, Store};

/// A tree as its courses tell it.
#[derive(Debug)]
pub struct LoadedTree {
    pub tree: DialogTree,
    /// State files that disagree with the courses; a writing caller commits these changes before
    /// others. The tree holds them already.
    pub repairs: Vec<TreeChange>,
    pub problems: Vec<Problem>,
}

impl Store {
    /// Reads a tree whole. [`StoreError::ForeignLayout`] if it may only be read; [`StoreError::Damaged`] if nothing can be made of it: a writing store has
    /// then moved it to `malformed`. An I/O error leaves everything where it is.
    ///
    /// No commit of this tree may be under way.
    pub fn load(&self, bucket: Bucket, root: &RootId) -> Result<LoadedTree, StoreError> {
        let read = match self.read_tree(bucket, root, ScanDepth::Full) {
            Ok(read) => read,
            Err(StoreError::Damaged(problem)) if self.access() == Access::ReadWrite => {
                let problem = self.quarantine(bucket, root, *problem)?;
                return Err(StoreError::Damaged(Box::new(problem)));
            }
            Err(error) => return Err(error),
        };
        if let Some(layout) = read.foreign {
            return Err(StoreError::ForeignLayout(root.clone(), layout));
        }
        if self.access() == Access::ReadWrite {
            self.register_tree(bucket, &read)?;
        }
        Ok(LoadedTree { tree: read.tree, repairs: read.repairs, problems: read.problems })
    }

    /// Refuses what would change a tree that may only be read. One that is damaged may be put away.
    pub(super) fn refuse_foreign_layout(
        &self,
        bucket: Bucket,
        root: &RootId,
    ) -> Result<(), StoreError> {
        match self.read_tree(bucket, root, ScanDepth::Facts) {
            Ok(TreeRead { foreign: Some(layout), .. }) => {
                Err(StoreError::ForeignLayout(root.clone(), layout))
            }
            Err(error @ (StoreError::ForeignLayout(..) | StoreError::Io { .. })) => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Why a tree that was set aside may only be read, if it may. `name`: its name below `malformed`.
    pub(super) fn foreign_aside(
        &self,
        name: &str,
        root: &RootId,
    ) -> Result<Option<ForeignLayout>, StoreError> {
        let (disk, layout, workspace) = (self.disk(), &self.layout, &self.workspace);
        // It is in no bucket, and only its folder is read.
        let (bucket, depth) = (Bucket::Run, ScanDepth::Facts);
        let reader = TreeReader { disk, layout, workspace, bucket, root, depth, cache: None };
        reader.foreign_in(&self.layout.malformed().join(name))
    }

    pub(super) fn read_tree(
        &self,
        bucket: Bucket,
        root: &RootId,
        depth: ScanDepth,
    ) -> Result<TreeRead, StoreError> {
        if !is_dialog_path(root.as_str()) {
            return Err(StoreError::NotFound(root.clone()));
        }
        let (disk, layout, workspace) = (self.disk(), &self.layout, &self.workspace);
        let reader = TreeReader { disk, layout, workspace, bucket, root, depth, cache: None };
        reader.read()
    }

    /// From here on this store answers for the tree: files that change under it are foreign writes.
    fn register_tree(&self, bucket: Bucket, read: &TreeRead) -> Result<(), StoreError> {
        {
            let mut writer_state = self.writer_state();
            writer_state.buckets.insert(read.tree.root.clone(), bucket);
            writer_state.irreplaceable.extend(read.irreplaceable.iter().cloned());
            for (path, size) in &read.sizes {
                let known = CourseEnd { size: *size, lines: None };
                writer_state.courses.insert(path.clone(), known);
            }
        }
        for path in &read.broken {
            self.repair_course(path)?;
        }
        read.identities.iter().try_for_each(|(path, meta)| self.repair_identity(path, meta))
    }

    /// The courses a dialog has files of, in order; none if it cannot be looked into.
    #[must_use]
    pub fn courses(&self, bucket: Bucket, dialog: &DialogId) -> Vec<Course> {
        let folder = self.folder_of(bucket, dialog);
        let named = is_dialog_path(dialog.root.as_str()) && is_dialog_path(dialog.this.as_str());
        let top = self.layout.dialogs();
        if !named || !small_files::is_folder_below(&top, &folder).unwrap_or(false) {
            return Vec::new();
        }
        DialogFolder::open(&folder)
            .map_or_else(|_| Vec::new(), |folder| folder.courses.into_keys().collect())
    }
}
