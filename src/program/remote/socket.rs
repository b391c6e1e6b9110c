//! The file of a socket, checked and used as the same object: folders and file are opened without following a
//! link, and the opened object is listened on or connected to, even if its path is exchanged meanwhile.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, chmodat, fstat, openat, statat, unlinkat,
};
use tokio::net::{UnixListener, UnixStream};

use super::place::own_uid;
use crate::protocol::wire::FolderId;

/// The owner alone.
const MODE: Mode = Mode::from_raw_mode(0o600);
/// Bits of the mode of a folder that let others in.
const OTHERS: u32 = 0o077;

/// An open workspace: while it is held, no other folder of the machine has its device and inode.
#[derive(Debug)]
pub(super) struct Workspace {
    fd: OwnedFd,
    pub id: FolderId,
}

impl Workspace {
    /// `path`: its canonical path.
    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = open_folder(CWD, path)?;
        let id = id_of(&fstat(&fd)?);
        Ok(Self { fd, id })
    }

    /// A folder in it; no part of the way there is a link.
    pub fn folder(&self, names: &[&str]) -> io::Result<SocketFolder> {
        let mut fd = self.fd.try_clone()?;
        for name in names {
            fd = open_folder(&fd, Path::new(name))?;
        }
        Ok(SocketFolder(fd))
    }
}

/// An open folder that a socket may be in.
#[derive(Debug)]
pub(super) struct SocketFolder(OwnedFd);

impl SocketFolder {
    /// Opens a folder of this user that no other user may enter.
    pub fn private(path: &Path) -> io::Result<Self> {
        let fd = open_folder(CWD, path)?;
        let stat = fstat(&fd)?;
        let is_private = stat.st_uid == own_uid() && stat.st_mode & OTHERS == 0;
        if is_private { Ok(Self(fd)) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    /// Connects to the socket of this name, if it is one of this user.
    pub async fn connect(&self, name: &OsStr) -> io::Result<UnixStream> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        if !is_socket(&stat) || stat.st_uid != own_uid() {
            let text = "it is no socket of this user, and not used";
            return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
        }
        UnixStream::connect(by_descriptor(file.as_fd())).await
    }

    /// Listens on a new socket of this name. An existing file is removed, unless it is a folder.
    pub fn listen(self, name: &OsStr) -> io::Result<(UnixListener, SocketFile)> {
        let had_other_file = self.clear(name)?;
        let listener = UnixListener::bind(by_descriptor(self.0.as_fd()).join(name))?;
        chmodat(&self.0, name, MODE, AtFlags::empty())?;
        let id = id_of(&statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?);
        Ok((listener, SocketFile { folder: self, name: name.to_owned(), id, had_other_file }))
    }

    /// True if something else than a socket was there.
    fn clear(&self, name: &OsStr) -> io::Result<bool> {
        let stat = match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(rustix::io::Errno::NOENT) => return Ok(false),
            found => found?,
        };
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a folder is in its place"));
        }
        unlinkat(&self.0, name, AtFlags::empty())?;
        Ok(!is_socket(&stat))
    }
}

/// A socket that this process has made.
#[derive(Debug)]
pub(super) struct SocketFile {
    folder: SocketFolder,
    name: OsString,
    id: FolderId,
    /// Something that is no socket was in its place, and is gone.
    pub had_other_file: bool,
}

impl SocketFile {
    /// Removes it, and nothing that took its place.
    pub fn remove(&self) {
        let stat = statat(&self.folder.0, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        if stat.is_ok_and(|stat| id_of(&stat) == self.id) {
            let _ = unlinkat(&self.folder.0, &self.name, AtFlags::empty());
        }
    }
}

fn open_folder(parent: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, path, flags, Mode::empty())?)
}

fn is_socket(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Socket
}

fn id_of(stat: &Stat) -> FolderId {
    FolderId { device: stat.st_dev, inode: stat.st_ino }
}

/// Returns the path of an open file, for calls that take no descriptor.
fn by_descriptor(file: BorrowedFd<'_>) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
