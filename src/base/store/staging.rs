//! A whole tree in the making: it is written aside, and comes to its place with one rename. A crash
//! before that leaves nothing anybody sees.

use std::sync::{Arc, Mutex};

use crate::domain::dialogs::tree::{Batch, Bucket, TreeChange};
use crate::domain::{Course, DialogId, ForeignLayout, RootId};

use super::course_lines::{CourseLine, LineContent, LineReader};
use super::load::LoadedTree;
use super::scan::ScanDepth;
use super::small_files;
use super::tree_layout::WorkspaceLayout;
use crate::store::Store;
use crate::store::error::{FileAction, StoreError};
use crate::store::layout::{Layout, course_file};

/// A tree that is being made.
#[derive(Debug)]
pub struct Staging<'a> {
    pub(super) store: &'a Store,
    /// Writes aside, in the same layout.
    pub(super) staged: Store,
    root: RootId,
}

impl Store {
    /// Begins a tree. One at a time: an earlier one that was not finished is dropped.
    pub fn stage(&self, root: &RootId) -> Result<Staging<'_>, StoreError> {
        self.must_write()?;
        self.sweep();
        let folder = self.layout.staging();
        small_files::make_folders(self.disk(), &self.layout.dialogs(), &folder)?;
        let layout = Layout::new(&folder);
        let (writer_state, shared, titles) = (Arc::default(), Mutex::default(), Mutex::default());
        let staged = Self {
            layout,
            options: self.options.clone(),
            lock: None,
            made: false,
            writer_state,
            workspace: WorkspaceLayout::default(),
            shared,
            titles,
        };
        Ok(Staging { store: self, staged, root: root.clone() })
    }

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

    /// All records of one course with their lines; an unfinished last line is none.
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
                    found.push(CourseLine { entry: *entry, text: line.text() });
                }
                LineContent::Glued(glued) => found.extend(glued),
            }
        }
        Ok(found)
    }
}

impl Staging<'_> {
    /// Writes changes; the first make the main dialog.
    pub fn write(&self, changes: Vec<TreeChange>) -> Result<(), StoreError> {
        let batch = Batch { root: self.root.clone(), changes, durable: true };
        self.staged.write(batch)?.sync().map(drop)
    }

    /// The tree as it will be read once it is in its place.
    pub fn read(&self) -> Result<LoadedTree, StoreError> {
        self.staged.load_read_only(Bucket::Run, &self.root)
    }

    /// Puts the tree among the running ones.
    pub fn publish(self) -> Result<(), StoreError> {
        let from = self.staged.layout.root(Bucket::Run, &self.root);
        let to = self.store.layout.root(Bucket::Run, &self.root);
        self.store.move_folder(&from, &to)?;
        self.store.sweep();
        Ok(())
    }
}
