//! What this program keeps for itself below `.dialogs/.tui`: drafts, titles, how far a person has looked, what
//! clients sent, copies of images, answers that are being received. Losing it loses no conversation. A [`Reader`]
//! reads it, [`OwnFiles`] changes it.

pub mod drafts;
pub mod kept_images;
pub mod reviewed;
pub mod seen_marks;
pub mod sessions;
pub mod spool;
pub mod titles;

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::store::disk::error::StoreError;
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files;
use crate::store::reading::Reader;

/// Changes what this program keeps for itself. Refused where the workspace may only be read.
#[derive(Debug)]
pub struct OwnFiles {
    reader: Arc<Reader>,
    sync: SyncLevel,
    /// Held while a draft is changed.
    drafts: Mutex<()>,
    /// Held while a title is changed.
    titles: Mutex<()>,
}

impl OwnFiles {
    pub(in crate::store) fn new(reader: Arc<Reader>, sync: SyncLevel) -> Self {
        Self { reader, sync, drafts: Mutex::default(), titles: Mutex::default() }
    }

    /// Makes the folder that the files lie in.
    fn make_folder(&self) -> Result<(), StoreError> {
        let layout = &self.reader.layout;
        let (top, folder) = (layout.dialogs(), layout.own_folder());
        small_files::make_folders(self.reader.disk(), &top, &folder).map(drop)
    }

    /// Removes a folder of our own. What cannot be removed now is tried again later.
    pub(in crate::store) fn remove_folder(&self, folder: &Path) {
        let layout = &self.reader.layout;
        if !small_files::is_folder_below(&layout.dialogs(), folder).unwrap_or(false) {
            return;
        }
        if let Err(error) = self.reader.disk().remove_tree(folder) {
            let folder = layout.display_path(folder);
            tracing::warn!(folder, %error, "could not be removed");
        }
    }
}
