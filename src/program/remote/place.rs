//! The socket of a workspace, and how a client finds it.
//!
//! The socket is in the runtime folder of the user, which is private, local and gone after a restart of the
//! machine. Without one it is in `.dialogs/.tui` of the workspace, and if that path is too long for a socket,
//! or is no usable folder, in the state folder. A driver notes the path of its socket in the state folder of
//! the user, so that a client with another environment finds it; nothing inside a workspace decides where to
//! connect.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::net::{UnixListener, UnixStream};

use crate::domain::hex;
use crate::platform::private_file;

pub use crate::platform::own_uid;

use super::socket::{SocketFile, SocketFolder, Workspace};

/// The folder of the socket in a workspace, and its name there.
const IN_WORKSPACE: [&str; 2] = [".dialogs", ".tui"];
const SOCKET: &str = "driver.sock";
/// The folder below the runtime folder.
const FOLDER: &str = "dominds-tui";
/// The folder below the state folder.
const NOTES: &str = "drivers";
/// Bytes of the digest of a workspace in the name of its socket.
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

/// A possible place of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spot {
    /// In a folder that only this user can enter.
    Private(PathBuf),
    /// In the workspace, whose files may come from anywhere.
    InWorkspace,
}

/// A socket that is listened on.
#[derive(Debug)]
pub(super) struct Listening {
    pub listener: UnixListener,
    pub file: SocketFile,
    pub path: PathBuf,
    pub workspace: Workspace,
    /// The file or folder in the place of the socket that is no socket: replaced, or a folder that stays.
    pub in_the_way: Option<PathBuf>,
}

/// The lowest bit of a mode that is the owner's; those below are for others.
const OWNER_BITS_FROM: u32 = 6;

/// A driver's note about itself.
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

    /// Listens on the first usable place. Folders are created.
    ///
    /// # Errors
    /// The error of the last place.
    pub(super) fn listen(&self) -> io::Result<Listening> {
        let workspace = self.open()?;
        let mut last = io::Error::new(
            io::ErrorKind::InvalidFilename,
            "the path of the socket would be too long",
        );
        let mut in_the_way = None;
        for spot in self.spots() {
            let path = self.path(&spot);
            if path.as_os_str().len() > MAX_SOCKET_PATH {
                continue;
            }
            match spot.listen(&workspace) {
                Ok((listener, file)) => {
                    let replaced = file.had_other_file.then(|| path.clone());
                    in_the_way = in_the_way.or(replaced);
                    return Ok(Listening { listener, file, path, workspace, in_the_way });
                }
                Err(error) => {
                    // The next place is tried; without any, this error is returned.
                    tracing::warn!(%error, path = %path.display(), "no socket can be here");
                    if error.kind() == io::ErrorKind::AlreadyExists {
                        in_the_way = Some(path);
                    }
                    last = error;
                }
            }
        }
        Err(last)
    }

    /// Opens the workspace as it is now.
    pub(super) fn open(&self) -> io::Result<Workspace> {
        Workspace::open(&self.workspace)
    }

    /// Its canonical path.
    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Returns the places where a driver may listen, the likeliest first.
    pub(super) fn to_connect(&self) -> Vec<Spot> {
        let noted = self.note().and_then(|path| read_note(&path));
        let noted = noted.filter(|note| note.workspace == self.workspace).map(|note| note.socket);
        let in_workspace = self.path(&Spot::InWorkspace);
        let noted = noted
            .map(|path| if path == in_workspace { Spot::InWorkspace } else { Spot::Private(path) });
        let mut all: Vec<Spot> = Vec::new();
        for spot in noted.into_iter().chain(self.spots()) {
            if !all.contains(&spot) {
                all.push(spot);
            }
        }
        all
    }

    pub(super) fn path(&self, spot: &Spot) -> PathBuf {
        match spot {
            Spot::Private(path) => path.clone(),
            Spot::InWorkspace => {
                let folders =
                    IN_WORKSPACE.iter().fold(self.workspace.clone(), |at, it| at.join(it));
                folders.join(SOCKET)
            }
        }
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

    fn spots(&self) -> impl Iterator<Item = Spot> {
        let private = |path: Option<PathBuf>| path.map(Spot::Private).into_iter();
        let first = private(self.in_runtime_folder());
        first.chain([Spot::InWorkspace]).chain(private(self.in_state_folder()))
    }

    /// Returns the place for a workspace whose own path is too long for a socket.
    fn in_state_folder(&self) -> Option<PathBuf> {
        let folder = self.folders.state.as_ref()?.join(NOTES);
        Some(folder.join(format!("{}.sock", self.name)))
    }

    fn in_runtime_folder(&self) -> Option<PathBuf> {
        let runtime = self.folders.runtime.as_ref()?;
        is_private(runtime).then(|| runtime.join(FOLDER).join(format!("{}.sock", self.name)))
    }
}

impl Spot {
    fn listen(&self, workspace: &Workspace) -> io::Result<(UnixListener, SocketFile)> {
        match self {
            Self::Private(path) => {
                let (folder, name) = parts(path)?;
                make_private(folder)?;
                SocketFolder::private(folder)?.listen(name)
            }
            // The folder was created for the lock.
            Self::InWorkspace => workspace.folder(&IN_WORKSPACE)?.listen(SOCKET.as_ref()),
        }
    }

    /// Connects to the socket that is here.
    pub(super) async fn connect(&self, workspace: &Workspace) -> io::Result<UnixStream> {
        match self {
            Self::Private(path) => {
                let (folder, name) = parts(path)?;
                SocketFolder::private(folder)?.connect(name).await
            }
            Self::InWorkspace => workspace.folder(&IN_WORKSPACE)?.connect(SOCKET.as_ref()).await,
        }
    }
}

fn parts(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
}

/// Returns the notes of all drivers of this user, ended ones included.
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

/// True for a folder of this user that no other user may enter.
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

    /// Returns the path it listens on.
    fn listens(place: &Place) -> PathBuf {
        place.listen().unwrap().path
    }

    fn with_own_folder(workspace: &Path) -> PathBuf {
        let folder = workspace.join(".dialogs/.tui");
        fs::create_dir_all(&folder).unwrap();
        folder.join("driver.sock")
    }

    #[tokio::test]
    async fn a_socket_is_in_the_runtime_folder_and_else_in_the_workspace() {
        let Folders { _top, workspace, user } = folders();
        let in_workspace = with_own_folder(&workspace);
        let place = Place::of(&workspace, user.clone());
        let socket = listens(&place);
        assert!(socket.starts_with(user.runtime.clone().unwrap()));
        assert!(is_private(socket.parent().unwrap()));
        let without = Place::of(&workspace, UserFolders { runtime: None, ..user });
        assert_eq!(listens(&without), in_workspace);
        let other = workspace.join("other");
        fs::create_dir(&other).unwrap();
        assert_ne!(listens(&Place::of(&other, place.folders.clone())), socket);
    }

    #[tokio::test]
    async fn a_workspace_whose_path_is_too_long_for_a_socket_has_it_in_the_state_folder() {
        let Folders { _top, workspace, user } = folders();
        let user = UserFolders { runtime: None, ..user };
        let workspace = workspace.join("long".repeat(30));
        with_own_folder(&workspace);
        let place = Place::of(&workspace, user.clone());
        let socket = listens(&place);
        assert!(socket.starts_with(user.state.unwrap()));
        assert!(place.to_connect().contains(&Spot::Private(socket)));
    }

    #[tokio::test]
    async fn a_runtime_folder_that_others_can_enter_is_not_used() {
        let Folders { _top, workspace, user } = folders();
        let runtime = user.runtime.clone().unwrap();
        fs::set_permissions(&runtime, fs::Permissions::from_mode(0o755)).unwrap();
        let in_workspace = with_own_folder(&workspace);
        assert_eq!(listens(&Place::of(&workspace, user)), in_workspace);
    }

    #[tokio::test]
    async fn what_is_no_socket_gives_way_and_a_folder_or_a_way_over_a_link_is_not_used() {
        use std::os::unix::fs::symlink;
        let Folders { _top, workspace, user } = folders();
        let user = UserFolders { runtime: None, ..user };
        let socket = with_own_folder(&workspace);
        let place = Place::of(&workspace, user.clone());
        let elsewhere = workspace.join("elsewhere");
        for put in [
            |path: &Path, _: &Path| fs::write(path, "no socket").unwrap(),
            |path: &Path, _: &Path| symlink("/nonexistent", path).unwrap(),
            |path: &Path, target: &Path| symlink(target, path).unwrap(),
        ] {
            fs::write(&elsewhere, "kept").unwrap();
            put(&socket, &elsewhere);
            let Listening { path, in_the_way, file, .. } = place.listen().unwrap();
            assert_eq!((&path, in_the_way.as_ref()), (&socket, Some(&socket)));
            assert_eq!(fs::read(&elsewhere).unwrap(), b"kept");
            file.remove();
            assert!(!socket.exists());
        }
        // The socket of a killed driver is not reported.
        drop(place.listen().unwrap());
        assert_eq!(place.listen().unwrap().in_the_way, None);
        fs::remove_file(&socket).unwrap();
        fs::create_dir(&socket).unwrap();
        let listening = place.listen().unwrap();
        assert!(listening.path.starts_with(user.state.as_ref().unwrap()));
        assert_eq!(listening.in_the_way.as_ref(), Some(&socket));
        fs::remove_dir(&socket).unwrap();
        let tui = socket.parent().unwrap();
        fs::rename(tui, workspace.join("tui")).unwrap();
        symlink(workspace.join("tui"), tui).unwrap();
        assert!(listens(&place).starts_with(user.state.as_ref().unwrap()));
    }

    #[tokio::test]
    async fn a_driver_that_ends_leaves_the_socket_of_the_next_one() {
        let Folders { _top, workspace, user } = folders();
        let place = Place::of(&workspace, user);
        let (first, second) = (place.listen().unwrap(), place.listen().unwrap());
        first.file.remove();
        assert!(second.path.exists());
        second.file.remove();
        assert!(!second.path.exists());
    }

    #[test]
    fn a_client_with_another_environment_finds_the_socket_by_the_note() {
        let Folders { _top, workspace, user } = folders();
        let place = Place::of(&workspace, user.clone());
        let socket = place.in_runtime_folder().unwrap();
        place.write_note(&socket).unwrap();
        let client = Place::of(&workspace, UserFolders { runtime: None, ..user.clone() });
        assert_eq!(client.to_connect().first(), Some(&Spot::Private(socket)));
        assert_eq!(all_notes(&user).len(), 1);
        // A socket in the workspace is checked like anything there, even if it was noted.
        place.write_note(&place.path(&Spot::InWorkspace)).unwrap();
        assert_eq!(client.to_connect().first(), Some(&Spot::InWorkspace));
        place.remove_note();
        assert_eq!(client.to_connect().first(), Some(&Spot::InWorkspace));
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
        assert!(!place.to_connect().contains(&Spot::Private(other.socket)));
        place.remove_note();
        assert!(path.exists(), "it is of another process");
    }
}
