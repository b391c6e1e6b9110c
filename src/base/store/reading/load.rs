//! Loading one tree to show it: damage is reported, nothing is repaired.

use crate::domain::dialogs::tree::{Bucket, TreeChange};
use crate::domain::ids::is_dialog_path;
use crate::domain::{Course, DialogId, DialogTree, ForeignLayout, Problem, RootId};

use super::Reader;
use crate::store::codec::v1_29::records;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::course_file;
use crate::store::disk::small_files;
use crate::store::trees::course_lines::{CourseLine, LineContent, LineReader};
use crate::store::trees::scan::{DialogFolder, ScanDepth};
use crate::store::trees::tree::TreeReader;
use crate::store::trees::tree_builder::TreeRead;

/// A tree as its courses tell it.
#[derive(Debug)]
pub struct LoadedTree {
    pub tree: DialogTree,
    /// State files that disagree with the courses; a writing caller commits these changes before
    /// others. The tree holds them already.
    pub repairs: Vec<TreeChange>,
    pub problems: Vec<Problem>,
}

impl Reader {
    /// A tree as it is now, for a reader: nothing is repaired.
    pub fn load_read_only(&self, bucket: Bucket, root: &RootId) -> Result<LoadedTree, StoreError> {
        match self.load_to_show(bucket, root)? {
            (loaded, None) => Ok(loaded),
            (_, Some(layout)) => Err(StoreError::ForeignLayout(root.clone(), layout)),
        }
    }

    /// As [`Self::load_read_only`], but also a tree that may only be read, with why: of its dialogs what people are
    /// shown.
    pub fn load_to_show(
        &self,
        bucket: Bucket,
        root: &RootId,
    ) -> Result<(LoadedTree, Option<ForeignLayout>), StoreError> {
        let read = self.read_tree(bucket, root, ScanDepth::Full)?;
        let foreign = read.foreign;
        let (tree, repairs, problems) = (read.tree, read.repairs, read.problems);
        Ok((LoadedTree { tree, repairs, problems }, foreign))
    }

    /// All records of one course, as what they are in the domain, with their lines; an unfinished last line is none.
    pub fn lines(
        &self,
        bucket: Bucket,
        dialog: &DialogId,
        course: Course,
    ) -> Result<Vec<CourseLine>, StoreError> {
        let path = self.layout.dialog(bucket, dialog).join(course_file(course));
        let failed = |error| StoreError::io(FileAction::Reading, &path)(error);
        let mut lines = LineReader::new(self.disk().open_read(&path).map_err(failed)?);
        let mut found = Vec::new();
        while let Some(line) = lines.next().map_err(failed)? {
            if line.is_truncated() {
                let text = "a line is too long to be copied".to_owned();
                return Err(StoreError::Encode { path, text });
            }
            match line.read() {
                LineContent::Blank | LineContent::Broken => {}
                LineContent::Entry(entry) => {
                    let entry = records::in_domain(*entry);
                    found.push(CourseLine { entry, text: line.text() });
                }
                LineContent::Glued(glued) => found.extend(
                    glued
                        .into_iter()
                        .map(|line| CourseLine { entry: records::in_domain(line.entry), ..line }),
                ),
            }
        }
        Ok(found)
    }

    /// Refuses what would change a tree that may only be read. One that is damaged may be put away.
    pub(in crate::store) fn refuse_foreign_layout(
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

    pub(in crate::store) fn read_tree(
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
