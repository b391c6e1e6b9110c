//! What this program keeps for itself below `.dialogs/.tui`: drafts and waiting prompts. Losing it
//! loses no conversation.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, QueuedPrompt, json};

use super::Store;
use super::disk::Disk;
use super::error::StoreError;
use super::files::{self, FileContent};

/// Largest file of our own, in bytes.
pub(super) const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// The prompts that wait for one dialog, with the dialog's name: file names are not trusted.
#[derive(Serialize, Deserialize)]
struct QueueFile {
    dialog: DialogId,
    prompts: Vec<QueuedPrompt>,
}

/// The waiting prompts, and what is wrong with their file.
pub(super) fn read_queue(
    disk: &dyn Disk,
    path: &Path,
    dialog: &DialogId,
) -> Result<(Vec<QueuedPrompt>, Option<Localized>), StoreError> {
    let text = match files::read_small(disk, path, MAX_FILE_BYTES)? {
        FileContent::Absent => return Ok((Vec::new(), None)),
        FileContent::Text(text) => text,
        FileContent::Damaged(why) => return Ok((Vec::new(), Some(why))),
        FileContent::Misplaced(what) => return Ok((Vec::new(), Some(files::it_is(what)))),
    };
    Ok(match json::read::<QueueFile>(&text) {
        Ok(file) if file.dialog == *dialog => (file.prompts, None),
        Ok(_) => {
            let why = Text::new("it belongs to another dialog", "它属于另一个对话");
            (Vec::new(), Some(why.into()))
        }
        Err(error) => (Vec::new(), Some(Localized::same(error.to_string()))),
    })
}

pub(super) fn queue_text(
    dialog: &DialogId,
    prompts: &[QueuedPrompt],
) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&QueueFile { dialog: dialog.clone(), prompts: prompts.to_vec() })
}

impl Store {
    /// Texts that were being typed, by the key the screen gave them. A damaged file reads as none.
    pub fn read_drafts(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Ok(match files::read_small(self.disk(), &self.layout.drafts(), MAX_FILE_BYTES)? {
            FileContent::Text(text) => json::read(&text).unwrap_or_default(),
            FileContent::Absent | FileContent::Damaged(_) | FileContent::Misplaced(_) => {
                BTreeMap::new()
            }
        })
    }

    /// Keeps a draft, or forgets it with `None`.
    ///
    /// # Errors
    /// It cannot be written, or the drafts are too large together: those before stay as they are.
    pub fn write_draft(&self, key: &str, text: Option<&str>) -> Result<(), StoreError> {
        self.must_write()?;
        let path = self.layout.drafts();
        let _guard = self.writer_state();
        let mut drafts = self.read_drafts()?;
        match text {
            Some(text) => drafts.insert(key.to_owned(), text.to_owned()),
            None => drafts.remove(key),
        };
        if drafts.is_empty() {
            return files::remove(self.disk(), &path);
        }
        files::make_folders(self.disk(), &self.layout.dialogs(), &self.layout.own_folder())?;
        let json = serde_json::to_string(&drafts)
            .map_err(|error| StoreError::Encode { path: path.clone(), text: error.to_string() })?;
        // What is longer could not be read again, and with it all drafts would be lost.
        if json.len() > MAX_FILE_BYTES {
            return Err(StoreError::DraftsTooLarge { bytes: json.len(), most: MAX_FILE_BYTES });
        }
        files::replace(self.disk(), &path, json.as_bytes(), false)
    }
}
