//! What this program keeps for itself below `.dialogs/.tui`: drafts, waiting prompts, answers to parts of open
//! questions. Losing it loses no conversation.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::text::json;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, QueuedPrompt};

use super::disk::Disk;
use super::small_files::{self, FileContent};
use crate::store::Store;
use crate::store::error::StoreError;

/// Largest file of our own, in bytes.
pub(super) const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// A file of one dialog, with the dialog's name: file names are not trusted.
#[derive(Serialize, Deserialize)]
struct DialogFile<T> {
    dialog: DialogId,
    #[serde(flatten)]
    content: T,
}

/// The prompts that wait for a dialog.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct WaitingPrompts {
    pub prompts: Vec<QueuedPrompt>,
}

/// What a file holds, and what is wrong with it.
pub(super) fn read_of_dialog<T: Default + DeserializeOwned>(
    disk: &dyn Disk,
    path: &Path,
    dialog: &DialogId,
) -> Result<(T, Option<Localized>), StoreError> {
    let text = match small_files::read_small(disk, path, MAX_FILE_BYTES)? {
        FileContent::Absent => return Ok((T::default(), None)),
        FileContent::Text(text) => text,
        FileContent::Damaged(why) => return Ok((T::default(), Some(why))),
        FileContent::Misplaced(what) => return Ok((T::default(), Some(small_files::it_is(what)))),
    };
    Ok(match json::read::<DialogFile<T>>(&text) {
        Ok(file) if file.dialog == *dialog => (file.content, None),
        Ok(_) => {
            let why = Text::new("it belongs to another dialog", "它属于另一个对话");
            (T::default(), Some(why.into()))
        }
        Err(error) => (T::default(), Some(Localized::same(error.to_string()))),
    })
}

pub(super) fn text_of_dialog<T: Serialize>(
    dialog: &DialogId,
    content: T,
) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&DialogFile { dialog: dialog.clone(), content })
}

impl Store {
    /// Texts that were being typed, by the key the screen gave them. A damaged file reads as none.
    pub fn read_drafts(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Ok(match small_files::read_small(self.disk(), &self.layout.drafts(), MAX_FILE_BYTES)? {
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
            return small_files::remove(self.disk(), &path);
        }
        small_files::make_folders(self.disk(), &self.layout.dialogs(), &self.layout.own_folder())?;
        let json = serde_json::to_string(&drafts)
            .map_err(|error| StoreError::Encode { path: path.clone(), text: error.to_string() })?;
        // A longer file could not be read again, and all drafts would be lost.
        if json.len() > MAX_FILE_BYTES {
            return Err(StoreError::DraftsTooLarge { bytes: json.len(), most: MAX_FILE_BYTES });
        }
        small_files::replace(self.disk(), &path, json.as_bytes(), false)
    }
}
