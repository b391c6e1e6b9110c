//! Folders of this program outside a workspace.

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

/// The state folder of this user.
#[must_use]
pub fn state() -> Option<PathBuf> {
    let dirs = project()?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
}

/// The data folder of this user.
#[must_use]
pub fn data() -> Option<PathBuf> {
    project().map(|dirs| dirs.data_dir().to_owned())
}

/// The user this process acts as.
#[must_use]
pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The runtime folder of this user: `XDG_RUNTIME_DIR`, else where systemd has it. It may be missing.
#[must_use]
pub fn runtime() -> Option<PathBuf> {
    let set = super::env::variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    set.filter(|folder| folder.is_absolute()).or_else(|| {
        let usual = PathBuf::from(format!("/run/user/{}", own_uid()));
        usual.is_dir().then_some(usual)
    })
}

/// Creates the state folder, private to this user. An existing one is not changed.
///
/// # Errors
/// There is no home folder, or the error of the system.
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
