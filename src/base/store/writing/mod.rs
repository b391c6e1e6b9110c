//! Writing the dialogs of a workspace: batches of changes, trees that come, move and go, and what is done about
//! damage.

mod artifacts;
pub mod commit;
pub mod conversion;
mod course_end;
mod loading;
mod moves;
mod recent;
mod repair;
mod shared_reminders;
pub mod staging;
mod state_files;
mod writer_state;

use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain;
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::Layout;
use crate::store::disk::lock::Lock;
use crate::store::disk::options::{Access, StoreOptions};
use crate::store::disk::small_files;
use crate::store::own::OwnFiles;
use crate::store::reading::Reader;

use writer_state::WriterState;

/// The dialogs of one workspace: reads them as every [`Reader`] does, and changes them.
#[derive(Debug)]
pub struct Store {
    reader: Arc<Reader>,
    own_files: OwnFiles,
    options: StoreOptions,
    /// `Some` exactly in a writing store.
    lock: Option<Lock>,
    /// True if there was no `.dialogs` before this store was opened.
    made: bool,
    writer_state: Arc<Mutex<WriterState>>,
    /// Held while one shared reminder is changed; trees commit side by side.
    shared: Mutex<()>,
    /// The layout of new trees, if it is not that of the workspace.
    made_in: Option<domain::Layout>,
}

impl Store {
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
        let store = Self::new(layout, options, lock, made);
        if store.access() == Access::ReadWrite {
            store.sweep();
        }
        Ok(store)
    }

    fn new(layout: Layout, options: StoreOptions, lock: Option<Lock>, made: bool) -> Self {
        let access = if lock.is_some() { Access::ReadWrite } else { Access::ReadOnly };
        let reader = Arc::new(Reader::new(layout, Arc::clone(&options.disk), access));
        let own_files = OwnFiles::new(Arc::clone(&reader), options.sync);
        let (writer_state, shared) = (Arc::default(), Mutex::default());
        Self { reader, own_files, options, lock, made, writer_state, shared, made_in: None }
    }

    /// Changes what this program keeps for itself.
    #[must_use]
    pub fn own_files(&self) -> &OwnFiles {
        &self.own_files
    }

    /// What this process knows about the files. Never held while a sync is waited for.
    fn writer_state(&self) -> MutexGuard<'_, WriterState> {
        self.writer_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
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
