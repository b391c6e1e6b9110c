//! The state of the screen's first hints: a small file in the state folder, for all workspaces.

use std::io;

use crate::platform::{dirs, private_file};
use crate::ui::{MAX_STORED_HINTS, STORED_HINTS};

/// Reads the stored text; `None` if there is no file yet. Blocks.
///
/// # Errors
/// It cannot be read, or is too long to be ours.
pub fn read() -> io::Result<Option<String>> {
    let path = dirs::state().ok_or(io::ErrorKind::NotFound)?.join(STORED_HINTS);
    match private_file::read(&path, MAX_STORED_HINTS) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Stores it. Blocks. After a failure, hints are only shown again.
pub fn write(text: &str) {
    if let Err(error) = private_file::replace(STORED_HINTS, text) {
        tracing::warn!(%error, "the hints could not be stored");
    }
}
