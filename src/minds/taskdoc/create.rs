//! Makes a package with empty sections; what exists is left as it is.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use super::path::{folder, validate_path};
use super::{SECTIONS, TaskdocError};

/// Makes the folder at `path` of the workspace and its three sections where they are missing.
///
/// # Errors
/// The path may not name a Taskdoc, or the disk refuses.
pub fn create(workspace: &Path, path: &str) -> Result<(), TaskdocError> {
    validate_path(path).map_err(|reason| TaskdocError::bad(path, reason))?;
    nearest_existing_is_inside(workspace, path)?;
    let io = |error| TaskdocError::io(path, error);
    fs::create_dir_all(workspace.join(path)).map_err(io)?;
    let folder = folder(workspace, path)?;
    for section in SECTIONS {
        let file = folder.join(format!("{section}.md"));
        match OpenOptions::new().write(true).create_new(true).open(file) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io(error)),
        }
    }
    Ok(())
}

/// No folder is made behind a link that leads outside.
fn nearest_existing_is_inside(workspace: &Path, path: &str) -> Result<(), TaskdocError> {
    let io = |error| TaskdocError::io(path, error);
    let root = workspace.canonicalize().map_err(io)?;
    let mut at = root.clone();
    for part in path.split('/') {
        at.push(part);
        if at.symlink_metadata().is_err() {
            return Ok(());
        }
        if !at.canonicalize().map_err(io)?.starts_with(&root) {
            return Err(TaskdocError::bad(path, "it leads outside the workspace"));
        }
    }
    Ok(())
}
