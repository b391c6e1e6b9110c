//! Unsent texts of an inbox over several workspaces: a file in the state folder, since they belong to no
//! single workspace.

use std::io;

use crate::platform::{dirs, private_file};
use crate::ui::DraftTexts;

/// The name of the file.
pub const FILE: &str = "inbox.json";
/// The lock to hold while changing the file.
const LOCK: &str = "inbox.lock";
/// The most bytes of it that are read.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Returns the texts by their names; none if there is no file yet. Blocks.
///
/// # Errors
/// It cannot be read, is too long, or is no file of this program.
pub fn read() -> io::Result<DraftTexts> {
    let path = dirs::state().ok_or(io::ErrorKind::NotFound)?.join(FILE);
    match private_file::read(&path, MAX_BYTES) {
        Ok(text) => serde_json::from_str(&text).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(DraftTexts::new()),
        Err(error) => Err(error),
    }
}

/// Stores a text; an empty one is dropped. Concurrent screens lose no text. Blocks.
///
/// # Errors
/// It is not on disk.
pub fn save(name: &str, text: &str) -> io::Result<()> {
    let _alone = private_file::lock(LOCK)?;
    let mut texts = read()?;
    if text.is_empty() {
        texts.remove(name);
    } else {
        texts.insert(name.to_owned(), text.to_owned());
    }
    let all = serde_json::to_string(&texts)?;
    if all.len() > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    private_file::replace(FILE, &all)
}
