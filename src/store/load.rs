//! Loading one tree. A writing store mends what is damaged on the way; a reading one only tells.

use crate::domain::ids::is_dialog_path;
use crate::domain::tree::{Bucket, TreeChange};
use crate::domain::{Course, DialogId, DialogTree, Problem, RootId};

use super::books::Known;
use super::error::StoreError;
use super::scan::{Depth, Folder};
use super::tree::{TreeRead, TreeReader};
use super::{Access, Store, files};

/// A tree as its courses tell it.
#[derive(Debug)]
pub struct Loaded {
    pub tree: DialogTree,
    /// State files that disagree with the courses; a writing caller commits these changes before
    /// others. The tree holds them already.
    pub mended: Vec<TreeChange>,
    pub problems: Vec<Problem>,
}

impl Store {
    /// Reads a tree whole. [`StoreError::Earlier`] if it is history; [`StoreError::Damaged`] if nothing can be made of it: a writing store has
    /// then moved it to `malformed`. An I/O error leaves everything where it is.
    ///
    /// No commit of this tree may be under way.
    pub fn load(&self, bucket: Bucket, root: &RootId) -> Result<Loaded, StoreError> {
        let read = match self.read_tree(bucket, root, Depth::Whole) {
            Ok(read) => read,
            Err(StoreError::Damaged(problem)) if self.access() == Access::ReadWrite => {
                let problem = self.quarantine(bucket, root, *problem)?;
                return Err(StoreError::Damaged(Box::new(problem)));
            }
            Err(error) => return Err(error),
        };
        if read.earlier {
            return Err(StoreError::Earlier(root.clone()));
        }
        if self.access() == Access::ReadWrite {
            self.take_charge(bucket, &read)?;
        }
        Ok(Loaded { tree: read.tree, mended: read.mended, problems: read.problems })
    }

    pub(super) fn read_tree(
        &self,
        bucket: Bucket,
        root: &RootId,
        depth: Depth,
    ) -> Result<TreeRead, StoreError> {
        if !is_dialog_path(root.as_str()) {
            return Err(StoreError::NotFound(root.clone()));
        }
        let (disk, layout) = (self.disk(), &self.layout);
        let reader = TreeReader { disk, layout, bucket, root, depth, memo: None };
        reader.read()
    }

    /// From here on this store answers for the tree: files that change under it are foreign writes.
    fn take_charge(&self, bucket: Bucket, read: &TreeRead) -> Result<(), StoreError> {
        {
            let mut books = self.books();
            books.buckets.insert(read.tree.root.clone(), bucket);
            books.irreplaceable.extend(read.irreplaceable.iter().cloned());
            for (path, size) in &read.sizes {
                let known = Known { size: *size, lines: None };
                books.courses.insert(path.clone(), known);
            }
        }
        for path in &read.broken {
            self.mend_course(path)?;
        }
        read.identities.iter().try_for_each(|(path, meta)| self.mend_identity(path, meta))
    }

    /// The courses a dialog has files of, in order; none if it cannot be looked into.
    #[must_use]
    pub fn courses(&self, bucket: Bucket, dialog: &DialogId) -> Vec<Course> {
        let folder = self.folder_of(bucket, dialog);
        let named = is_dialog_path(dialog.root.as_str()) && is_dialog_path(dialog.this.as_str());
        let top = self.layout.dialogs();
        if !named || !files::is_folder_below(&top, &folder).unwrap_or(false) {
            return Vec::new();
        }
        Folder::open(&folder)
            .map_or_else(|_| Vec::new(), |folder| folder.courses.into_keys().collect())
    }
}
