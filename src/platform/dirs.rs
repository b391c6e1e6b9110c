//! Where this program keeps its own things outside a workspace.

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

/// The folder of the log files.
#[must_use]
pub fn logs() -> Option<PathBuf> {
    state().map(|folder| folder.join("logs"))
}
