//! The folders that commands are about.

use std::path::{Path, PathBuf};

use super::exit::CommandError;

/// The folder by its real path.
pub fn canonical(folder: &Path) -> Result<PathBuf, CommandError> {
    let canonical = folder.canonicalize().map_err(|error| {
        CommandError::invalid(format!("workspace {}: {error}", folder.display()))
    })?;
    if canonical.is_dir() {
        Ok(canonical)
    } else {
        Err(CommandError::invalid(format!("workspace {}: not a folder", folder.display())))
    }
}
