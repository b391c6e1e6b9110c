//! Loading one tree to go on with it. A writing store repairs damage on the way; a read-only one only reports it.

use std::sync::Arc;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::{Layout, RootId};

use super::Store;
use super::writer_state::CourseEnd;
use crate::store::disk::error::StoreError;
use crate::store::disk::options::Access;
use crate::store::listing::survey::Survey;
use crate::store::reading::load::LoadedTree;
use crate::store::trees::scan::ScanDepth;
use crate::store::trees::tree_builder::TreeRead;

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

    /// From here on this store answers for the tree: files that change under it are foreign writes.
    fn register_tree(&self, bucket: Bucket, read: &TreeRead) -> Result<(), StoreError> {
        self.buckets().insert(read.tree.root.clone(), bucket);
        {
            let mut writer_state = self.writer_state();
            let is_recent = read.tree.layout == Layout::V1_29;
            let known = is_recent.then(|| Arc::new(read.tree.clone()));
            writer_state.trees.insert(read.tree.root.clone(), known);
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

    /// Lists the trees of a bucket, and sets aside those nothing can be made of. A conversion that was not finished is
    /// tried again before, and is a problem if it still cannot be finished.
    #[must_use]
    pub fn survey_and_set_aside(&self, bucket: Bucket) -> Survey {
        let unfinished = match self.access() {
            Access::ReadWrite => self.finish_conversions(),
            Access::ReadOnly => Vec::new(),
        };
        let mut survey = self.survey(&[bucket]);
        survey.problems.extend(unfinished);
        for (bucket, root) in std::mem::take(&mut survey.damaged) {
            if let Err(StoreError::Damaged(problem)) = self.load(bucket, &root) {
                survey.problems.retain(|known| known.id != problem.id);
                survey.problems.push(*problem);
            }
        }
        survey
    }
}
