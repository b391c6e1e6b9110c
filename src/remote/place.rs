//! Where the socket of a workspace is, and how a client finds it.
//!
//! The socket is in the runtime folder of the user, which is private, local and gone after a restart of the machine.
//! Where there is none it is in `.dialogs/.tui` of the workspace, and where that path is too long for a socket in the
//! state folder. A driver notes where its socket is in the state
//! folder of the user, so that a client with another environment finds it; nothing inside a workspace says where to
//! connect to.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::domain::hex;
use crate::platform::private_file;

pub use crate::platform::own_uid;

/// The folder below the runtime folder.
const FOLDER: &str = "dominds-tui";
/// The folder below the state folder.
const NOTES: &str = "drivers";
/// Of the digest of a workspace, in the name of its socket.
const NAME_BYTES: usize = 16;
/// Longest note that is read.
const MAX_NOTE_BYTES: usize = 16 * 1024;
/// Longest path of a socket, with its end (`sun_path`).
const MAX_SOCKET_PATH: usize = 107;

/// The folders of a user that sockets and notes may be in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFolders {
    /// `XDG_RUNTIME_DIR`.
    pub runtime: Option<PathBuf>,
    /// The state folder of this program.
    pub state: Option<PathBuf>,
}

/// The places of one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    workspace: PathBuf,
    name: String,
    folders: UserFolders,
}

/// The lowest bit of a mode that is the owner's; those below are for others.
const OWNER_BITS_FROM: u32 = 6;

/// What a driver notes about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub workspace: PathBuf,
    pub socket: PathBuf,
    pub pid: u32,
}

impl Place {
    /// `workspace`: its canonical path.
    #[must_use]
    pub fn of(workspace: &Path, folders: UserFolders) -> Self {
        let digest = Sha256::digest(workspace.as_os_str().as_bytes());
        let name = hex(digest.get(..NAME_BYTES).unwrap_or(&digest));
        Self { workspace: workspace.to_owned(), name, folders }
    }

    /// Where a new driver listens: the first of these places that it can use. Folders are made.
    #[must_use]
    pub fn to_listen(&self) -> Option<PathBuf> {
        let in_workspace = self.in_workspace();
        self.places().find(|socket| {
            let folder = socket.parent().unwrap_or(socket);
            // The one in the workspace was made for the lock.
            let is_usable = *socket == in_workspace || make_private(folder).is_ok();
            socket.as_os_str().len() <= MAX_SOCKET_PATH && is_usable
        })
    }

    /// Where a driver may listen, the likeliest first.
    #[must_use]
    pub fn to_connect(&self) -> Vec<PathBuf> {
        let noted = self.note().and_then(|path| read_note(&path));
        let noted = noted.filter(|note| note.workspace == self.workspace).map(|note| note.socket);
        let mut all: Vec<PathBuf> = noted.into_iter().chain(self.places()).collect();
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|socket| seen.insert(socket.clone()));
        all
    }

    /// Notes where the socket is.
    ///
    /// # Errors
    /// The note could not be written; clients with the same environment find the socket nevertheless.
    pub fn write_note(&self, socket: &Path) -> io::Result<()> {
        let Some(path) = self.note() else { return Ok(()) };
        let note = Note {
            workspace: self.workspace.clone(),
            socket: socket.to_owned(),
            pid: std::process::id(),
        };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
        make_private(folder)?;
        let text = serde_json::to_string(&note).map_err(io::Error::other)?;
        private_file::replace_in(folder, &name.to_string_lossy(), &text)
    }

    /// Removes the note, and nothing that another driver wrote meanwhile.
    pub fn remove_note(&self) {
        let Some(path) = self.note() else { return };
        if read_note(&path).is_some_and(|note| note.pid == std::process::id()) {
            let _ = fs::remove_file(path);
        }
    }

    fn note(&self) -> Option<PathBuf> {
        let folder = self.folders.state.as_ref()?.join(NOTES);
        Some(folder.join(format!("{}.json", self.name)))
    }

    fn places(&self) -> impl Iterator<Item = PathBuf> {
        let in_workspace = std::iter::once(self.in_workspace());
        self.in_runtime_folder().into_iter().chain(in_workspace).chain(self.in_state_folder())
    }

    /// For a workspace whose own path is too long for a socket.
    fn in_state_folder(&self) -> Option<PathBuf> {
        let folder = self.folders.state.as_ref()?.join(NOTES);
        Some(folder.join(format!("{}.sock", self.name)))
    }

    fn in_runtime_folder(&self) -> Option<PathBuf> {
        let runtime = self.folders.runtime.as_ref()?;
        is_private(runtime).then(|| runtime.join(FOLDER).join(format!("{}.sock", self.name)))
    }

    fn in_workspace(&self) -> PathBuf {
        self.workspace.join(".dialogs/.tui/driver.sock")
    }
}

/// The notes of all drivers of this user, also of those that have ended.
#[must_use]
pub fn all_notes(folders: &UserFolders) -> Vec<Note> {
    let folder = folders.state.as_ref().map(|state| state.join(NOTES));
    let entries = folder.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let mut notes: Vec<Note> =
        entries.flatten().filter_map(|entry| read_note(&entry.path())).collect();
    notes.sort_unstable_by(|a, b| a.workspace.cmp(&b.workspace));
    notes
}

fn read_note(path: &Path) -> Option<Note> {
    serde_json::from_str(&private_file::read(path, MAX_NOTE_BYTES).ok()?).ok()
}

fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if is_private(folder) { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// True for a folder of this user that nobody else may enter.
fn is_private(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|meta| {
        meta.is_dir() && meta.uid() == own_uid() && meta.mode().trailing_zeros() >= OWNER_BITS_FROM
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct Folders {
        _top: tempfile::TempDir,
        workspace: PathBuf,
        user: UserFolders,
    }

    fn folders() -> Folders {
        let top = tempfile::tempdir().unwrap();
        let (workspace, runtime) = (top.path().join("w"), top.path().join("run"));
        fs::create_dir(&workspace).unwrap();
        DirBuilder::new().mode(0o700).create(&runtime).unwrap();
        let user = UserFolders { runtime: Some(runtime), state: Some(top.path().join("state")) };
        Folders { _top: top, workspace, user }
    }

    #[test]
    fn a_socket_is_in_the_runtime_folder_and_else_in_the_workspace() {
        let Folders { _top, workspace, user } = folders();
        let place = Place::of(&workspace, user.clone());
        let socket = place.to_listen().unwrap();
        assert!(socket.starts_with(user.runtime.clone().unwrap()));
        assert!(is_private(socket.parent().unwrap()));
        let without = Place::of(&workspace, UserFolders { runtime: None, ..user });
        assert_eq!(without.to_listen(), Some(workspace.join(".dialogs/.tui/driver.sock")));
        let elsewhere = Place::of(&workspace.join("other"), place.folders.clone());
        assert_ne!(elsewhere.to_listen(), Some(socket));
    }

    #[test]
    fn a_workspace_whose_path_is_too_long_for_a_socket_has_it_in_the_state_folder() {
        let Folders { _top, workspace, user } = folders();
        let user = UserFolders { runtime: None, ..user };
        let place = Place::of(&workspace.join("long".repeat(30)), user.clone());
        let socket = place.to_listen().unwrap();
        assert!(socket.starts_with(user.state.unwrap()) && place.to_connect().contains(&socket));
    }

    #[test]
    fn a_runtime_folder_that_others_can_enter_is_not_used() {
        let Folders { _top, workspace, user } = folders();
        let runtime = user.runtime.clone().unwrap();
        fs::set_permissions(&runtime, fs::Permissions::from_mode(0o755)).unwrap();
        let place = Place::of(&workspace, user);
        assert_eq!(place.to_listen(), Some(workspace.join(".dialogs/.tui/driver.sock")));
    }

    #[test]
    fn a_client_with_another_environment_finds_the_socket_by_the_note() {
        let Folders { _top, workspace, user } = folders();
        let place = Place::of(&workspace, user.clone());
        let socket = place.to_listen().unwrap();
        place.write_note(&socket).unwrap();
        let client = Place::of(&workspace, UserFolders { runtime: None, ..user.clone() });
        assert_eq!(client.to_connect().first(), Some(&socket));
        assert_eq!(all_notes(&user).len(), 1);
        place.remove_note();
        assert_eq!(client.to_connect().first(), Some(&workspace.join(".dialogs/.tui/driver.sock")));
    }

    #[test]
    fn a_note_about_another_workspace_or_of_another_driver_counts_for_nothing() {
        let Folders { _top, workspace, user } = folders();
        let place = Place::of(&workspace, user.clone());
        let other = Note {
            workspace: workspace.join("other"),
            socket: PathBuf::from("/run/other.sock"),
            pid: 1,
        };
        let path = place.note().unwrap();
        make_private(path.parent().unwrap()).unwrap();
        fs::write(&path, serde_json::to_vec(&other).unwrap()).unwrap();
        assert!(!place.to_connect().contains(&other.socket));
        place.remove_note();
        assert!(path.exists(), "it is of another process");
    }
}
