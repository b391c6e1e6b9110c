//! A whole tree in the making: it is written aside, and comes to its place with one rename. A crash
//! before that leaves nothing anybody sees.

use crate::domain::dialogs::tree::{Batch, Bucket, TreeChange};
use crate::domain::{Layout as TreeLayout, RootId};

use super::Store;
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::Layout;
use crate::store::disk::small_files;
use crate::store::reading::load::LoadedTree;

/// A tree that is being made.
#[derive(Debug)]
pub struct Staging<'a> {
    pub(super) store: &'a Store,
    /// Writes aside, in the same layout.
    pub(super) staged: Store,
    root: RootId,
}

impl Store {
    /// Begins a tree in this layout. One at a time: an earlier one that was not finished is dropped.
    pub fn stage(&self, root: &RootId, made_in: TreeLayout) -> Result<Staging<'_>, StoreError> {
        self.must_write()?;
        self.sweep();
        let folder = self.layout.staging();
        small_files::make_folders(self.disk(), &self.layout.dialogs(), &folder)?;
        let layout = Layout::new(&folder);
        let staged = Self::new(layout, self.options.clone(), None, false);
        let staged = staged.with_new_trees_in(Some(made_in));
        Ok(Staging { store: self, staged, root: root.clone() })
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
