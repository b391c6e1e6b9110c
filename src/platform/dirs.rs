//! Where this program keeps its own things outside a workspace.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use directories::ProjectDirs;

fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "dominds-tui")
}

/// The folder of `config.yaml`.
#[must_use]
pub fn config() -> Option<PathBuf> {
    project().map(|dirs| dirs.config_dir().to_owned())
}

/// The folder of what is kept about this person and machine.
#[must_use]
pub fn state() -> Option<PathBuf> {
    let dirs = project()?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
}

/// Makes the folder of what is kept about this person: nobody else looks into it. One that is there
/// stays as it is.
///
/// # Errors
/// There is no place for it, or the system's refusal.
pub fn create_state() -> io::Result<PathBuf> {
    let folder = state().ok_or(io::ErrorKind::NotFound)?;
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Ok(folder)
}

/// The folder of the log files.
#[must_use]
pub fn logs() -> Option<PathBuf> {
    state().map(|folder| folder.join("logs"))
}
