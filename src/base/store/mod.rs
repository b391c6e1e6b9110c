//! The `.dialogs` folder of a workspace, in the layout of Dominds 1.19.2.
//!
//! * The courses are the truth. Questions, pending side dialogs, the registry and `latest.yaml` only
//!   repeat what the courses say; at loading the fold decides and the files follow.
//! * Nothing is acknowledged before it is on disk: only [`WrittenBatch::sync`] makes a [`Committed`].
//! * Nothing is deleted but a tree that a person wants deleted. What is set aside lies below
//!   `.dialogs/.tui/salvage` or `.dialogs/malformed`. I/O errors are never taken for damage.
//! * One process writes ([`Access::ReadWrite`] takes the lock); readers never create anything.
//!
//! All calls are synchronous; those that may wait for the medium belong on a thread of their own.

mod artifacts;
mod commit;
mod course_end;
mod course_lines;
mod disk;
mod earlier_layout;
mod error;
mod examine;
#[cfg(test)]
mod faulty_disk;
mod file_stamps;
mod folder_cache;
mod folder_summary;
mod folder_walk;
mod identity;
mod in_parallel;
mod index_file;
mod kept_images;
mod layout;
mod listed_parts;
mod listing;
mod load;
mod lock;
mod look_through;
mod moves;
mod own_files;
mod page;
mod parts;
mod permissions;
mod personal;
mod problem_collector;
mod reconcile;
mod repair;
mod reviewed;
mod scan;
mod seen_marks;
mod sessions;
mod small_files;
mod spool;
mod staging;
mod state_files;
mod states;
mod survey;
#[cfg(test)]
mod tests;
mod titles;
mod tree;
mod tree_builder;
mod tree_index;
mod tree_layout;
mod writer_state;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::dialogs::tree::Bucket;
use crate::domain::{Clock, DialogId, RootId};

pub use artifacts::ArtifactError;
pub use commit::{Committed, Fact, WrittenBatch};
pub use course_lines::CourseLine;
pub use disk::{Disk, RealDisk};
pub use error::{ExpectedKind, FileAction, LockHolder, StoreError};
pub use kept_images::{ImageRefusal, KeptImage};
pub use listing::{DialogListing, TreeListing};
pub use load::LoadedTree;
pub use look_through::Look;
pub use page::Page;
pub use permissions::{config_permission_problem, permission_problems};
pub use reviewed::Reviewed;
pub use spool::{AnswerSpool, Spools};
pub use staging::Staging;
pub use survey::Survey;
pub use titles::Titles;

use earlier_layout::SUBDIALOGS;
use layout::Layout;
use lock::Lock;
use tree_layout::WorkspaceLayout;
use writer_state::WriterState;

/// May the workspace be changed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    ReadOnly,
}

/// How hard the store tries to survive a loss of power. All levels survive the death of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncLevel {
    /// Never waits for the medium: tests and memory disks.
    Off,
    /// Facts somebody relies on are synced; index files are not, they can be rebuilt.
    Normal,
    /// Index files too: weak disks, network file systems.
    Full,
}

#[derive(Debug, Clone)]
pub struct StoreOptions {
    pub sync: SyncLevel,
    pub disk: Arc<dyn Disk>,
    /// Stamps `updatedAt`, the lock and the quarantine log.
    pub clock: Arc<dyn Clock>,
}

impl StoreOptions {
    /// The real disk at the normal level.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { sync: SyncLevel::Normal, disk: Arc::new(RealDisk), clock }
    }
}

/// The dialogs of one workspace.
#[derive(Debug)]
pub struct Store {
    layout: Layout,
    options: StoreOptions,
    /// `Some` exactly in a writing store.
    lock: Option<Lock>,
    /// True if there was no `.dialogs` before this store was opened.
    made: bool,
    writer_state: Arc<Mutex<WriterState>>,
    /// The layout of trees that do not tell theirs.
    workspace: WorkspaceLayout,
    /// Held while one shared reminder is changed; trees commit side by side.
    shared: Mutex<()>,
    /// Held while a title is changed.
    titles: Mutex<()>,
}

impl Store {
    /// Where the files of a dialog are read.
    pub(super) fn folder_of(&self, bucket: Bucket, dialog: &DialogId) -> PathBuf {
        let current = self.layout.dialog(bucket, dialog);
        let earlier = || self.layout.root(bucket, &dialog.root).join(SUBDIALOGS);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        if dialog.is_main() || is_there(&current) {
            return current;
        }
        let earlier = earlier().join(dialog.this.as_str());
        if is_there(&earlier) { earlier } else { current }
    }

    /// Opens the `.dialogs` of `workspace`. For writing it is made where it is absent and locked;
    /// [`StoreError::Held`] names the process that holds it.
    pub fn open(
        workspace: &Path,
        access: Access,
        options: StoreOptions,
    ) -> Result<Self, StoreError> {
        let layout = Layout::new(workspace);
        let made = access == Access::ReadWrite
            && matches!(small_files::kind_of(&layout.dialogs()), Ok(None));
        let lock = match access {
            Access::ReadOnly => None,
            Access::ReadWrite => {
                let now = options.clock.now();
                let top = layout.dialogs();
                Some(Lock::take(&*options.disk, &top, layout.lock(), &now)?)
            }
        };
        let (writer_state, shared, titles) = (Arc::default(), Mutex::default(), Mutex::default());
        let workspace = WorkspaceLayout::default();
        let store = Self { layout, options, lock, made, writer_state, workspace, shared, titles };
        if store.access() == Access::ReadWrite {
            store.sweep();
        }
        Ok(store)
    }

    #[must_use]
    pub fn access(&self) -> Access {
        if self.lock.is_some() { Access::ReadWrite } else { Access::ReadOnly }
    }

    /// Where a main dialog lies; the first of run, done and archive that has it.
    #[must_use]
    pub fn find(&self, root: &RootId) -> Option<Bucket> {
        if let Some(bucket) = self.writer_state().buckets.get(root) {
            return Some(*bucket);
        }
        Bucket::ALL.into_iter().find(|bucket| self.is_there(*bucket, root))
    }

    fn is_there(&self, bucket: Bucket, root: &RootId) -> bool {
        let folder = self.layout.root(bucket, root);
        let named = crate::domain::ids::is_dialog_path(root.as_str());
        let whole =
            || small_files::is_folder_below(&self.layout.dialogs(), &folder).unwrap_or(false);
        let marked = || folder_walk::is_dialog(&folder);
        named && whole() && marked()
    }

    fn must_write(&self) -> Result<(), StoreError> {
        match self.access() {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(StoreError::ReadOnly),
        }
    }

    fn disk(&self) -> &dyn Disk {
        &*self.options.disk
    }

    /// What this process knows about the files. Never held while a sync is waited for.
    fn writer_state(&self) -> MutexGuard<'_, WriterState> {
        self.writer_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Store {
    /// Leaves a tidy workspace: no lock, no empty folders of ours, and no `.dialogs` where there was
    /// none and nothing came into it.
    fn drop(&mut self) {
        let Some(lock) = &self.lock else { return };
        if lock.remove_file(self.disk()).is_ok() {
            repair::remove_empty(self.disk(), &self.layout.own_folder());
            if self.made {
                // Fails, as it should, where something is in it.
                let _ = self.disk().remove_dir(&self.layout.dialogs());
            }
        }
    }
}
