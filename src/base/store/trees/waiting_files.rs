//! Files of our own about one dialog, below `.dialogs/.tui`: prompts that wait, answers to parts of open
//! questions. Losing them loses no conversation.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::text::json;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, QueuedPrompt};

use crate::store::disk::Disk;
use crate::store::disk::error::StoreError;
use crate::store::disk::small_files::{self, FileContent};

/// Largest file of our own, in bytes.
pub(in crate::store) const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// A file of one dialog, with the dialog's name: file names are not trusted.
#[derive(Serialize, Deserialize)]
struct DialogFile<T> {
    dialog: DialogId,
    #[serde(flatten)]
    content: T,
}

/// The prompts that wait for a dialog.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::store) struct WaitingPrompts {
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

pub(in crate::store) fn text_of_dialog<T: Serialize>(
    dialog: &DialogId,
    content: T,
) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(&DialogFile { dialog: dialog.clone(), content })
}
