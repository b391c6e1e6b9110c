//! An open directory and its operations on single names. Every call is relative to the open directory
//! (`openat` and its kin), so its path is never looked up again. A name is a single name, never a path
//! or `..`, and a link in its place is not followed; so `openat2` could add nothing.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self as sys, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::stat::{PathKind, Stat};
use crate::guard::file_identity::Identity;
use crate::sandbox::nameless;

/// Opening a directory only to look names up needs no read permission where `O_PATH` exists.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LOOKUP_ONLY: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const LOOKUP_ONLY: OFlags = OFlags::RDONLY;

/// Mode of a new directory before the process mask.
const NEW_DIR_MODE: Mode = Mode::from_bits_retain(0o777);

/// The directory itself, as a name in it.
const ITSELF: &CStr = c".";

/// An open directory. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Dir(Arc<OwnedFd>);

/// One name of a listing.
#[derive(Debug)]
pub struct ListedName {
    pub name: OsString,
    /// `None` if the system does not say.
    pub kind: Option<PathKind>,
}

/// The names in a directory, in no order.
#[derive(Debug)]
pub struct Entries {
    dir: Dir,
    names: sys::Dir,
}

impl Dir {
    /// Opens the directory at a canonical path.
    pub(super) fn root(place: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | LOOKUP_ONLY;
        Ok(Self(Arc::new(retry_on_intr(|| sys::openat(CWD, place, flags, Mode::empty()))?)))
    }

    /// What the name stands for; a link stands for itself.
    pub fn look(&self, name: &OsStr) -> io::Result<Stat> {
        let name = single(name)?;
        Ok(sys::statat(&*self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.into())
    }

    /// The text of a link.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = sys::readlinkat(&*self.0, single(name)?, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Opens a directory in this one; fails on a link.
    pub(super) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let opened = self.open_with(name, OFlags::DIRECTORY | LOOKUP_ONLY, Mode::empty())?;
        Ok(Self(Arc::new(opened)))
    }

    /// Opens a file for reading; fails on a link and never waits for the other end of a pipe.
    pub fn open(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(self.open_with(name, flags, Mode::empty())?.into())
    }

    /// Makes a file that did not exist, open for writing.
    pub(super) fn create(&self, name: &OsStr, mode: Mode) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        Ok(self.open_with(name, flags, mode)?.into())
    }

    fn open_with(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let (name, flags) = (single(name)?, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC);
        Ok(retry_on_intr(|| sys::openat(&*self.0, name, flags, mode))?)
    }

    /// Stats a path from here on, following links wherever they lead. Only for this program's own questions; a path
    /// of a model is walked.
    pub(super) fn look_through(&self, path: &Path) -> io::Result<Stat> {
        Ok(sys::statat(&*self.0, path, AtFlags::empty())?.into())
    }

    /// Opens a file for reading as [`Self::look_through`] finds it.
    pub(super) fn open_through(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(retry_on_intr(|| sys::openat(&*self.0, path, flags, Mode::empty()))?.into())
    }

    /// Makes a file without a name, open for writing. It disappears when its descriptor is
    /// closed, also if this program is killed.
    pub(super) fn create_nameless(&self, mode: Mode) -> io::Result<File> {
        nameless::create(&*self.0, mode)
    }

    /// Gives a nameless file a free name.
    pub(super) fn name(&self, file: &File, name: &OsStr) -> io::Result<()> {
        nameless::give_name(file, &*self.0, single(name)?)
    }

    pub(super) fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::mkdirat(&*self.0, single(name)?, NEW_DIR_MODE)?)
    }

    /// Renames, replacing a file of the new name.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename_over(from, self, to)
    }

    fn rename_over(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        Ok(sys::renameat(&*self.0, single(from)?, &*there.0, single(to)?)?)
    }

    /// Gives a file a second name; fails if that name is taken.
    fn link(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        Ok(sys::linkat(&*self.0, single(from)?, &*there.0, single(to)?, AtFlags::empty())?)
    }

    /// Moves an entry to a free name in another directory; fails if that name is taken, even if
    /// it was taken in this very moment.
    pub(super) fn move_to(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        match self.rename_free(from, there, to) {
            Err(error) if not_offered(&error) => self.move_in_steps(from, there, to),
            done => done,
        }
    }

    /// Moves on disks that have no rename without replacing. A directory is renamed over an empty one that was made
    /// here, so no one else's. A file gets a second name for a moment, or, where a file cannot have two names, is
    /// renamed over an empty one that was made here.
    pub(super) fn move_in_steps(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        let directory = self.look(from)?.is_dir();
        if directory {
            there.make_dir(to)?;
        } else {
            match self.link(from, there, to) {
                Ok(()) => return self.remove(from),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                Err(_) => drop(there.create(to, Mode::empty())?),
            }
        }
        self.rename_over(from, there, to).inspect_err(|_| {
            // Removes what was made for the move; if that fails, it stays, empty.
            let _ = if directory { there.remove_dir(to) } else { there.remove(to) };
        })
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    fn rename_free(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        let free = sys::RenameFlags::NOREPLACE;
        Ok(sys::renameat_with(&*self.0, single(from)?, &*there.0, single(to)?, free)?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    fn rename_free(&self, _from: &OsStr, _there: &Self, _to: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Removes a name that is not a directory; of a link, its target stays.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::unlinkat(&*self.0, single(name)?, AtFlags::empty())?)
    }

    /// Removes an empty directory; fails on a link.
    pub(super) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::unlinkat(&*self.0, single(name)?, AtFlags::REMOVEDIR)?)
    }

    /// Makes names in this directory survive a power failure.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::from(self.readable()?).sync_all()
    }

    /// The names in it.
    pub fn entries(&self) -> io::Result<Entries> {
        Ok(Entries { dir: self.clone(), names: sys::Dir::new(self.readable()?)? })
    }

    /// The same directory, open for reading.
    fn readable(&self) -> io::Result<OwnedFd> {
        #[cfg(test)]
        super::swaps::before_step();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(retry_on_intr(|| sys::openat(&*self.0, ITSELF, flags, Mode::empty()))?)
    }

    /// Which directory this is.
    pub(super) fn identity(&self) -> io::Result<Identity> {
        Ok(Stat::of(&*self.0)?.identity)
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        #[cfg(test)]
        super::swaps::before_step();
        self.0.as_fd()
    }
}

impl Iterator for Entries {
    type Item = io::Result<ListedName>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.names.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let known = Some(entry.file_type()).filter(|kind| *kind != FileType::Unknown);
            let kind = known.map(PathKind::of);
            let kind = kind.or_else(|| Some(self.dir.look(name).ok()?.kind));
            return Some(Ok(ListedName { name: name.to_owned(), kind }));
        }
    }
}

/// A name that can stand for something in the open directory only: no path, and not `..`.
fn single(name: &OsStr) -> io::Result<&OsStr> {
    #[cfg(test)]
    super::swaps::before_step();
    match name.as_bytes() {
        b"" | b"." | b".." => Err(io::ErrorKind::InvalidInput.into()),
        bytes if bytes.contains(&b'/') => Err(io::ErrorKind::InvalidInput.into()),
        _ => Ok(name),
    }
}

/// True if the system or the disk has no rename that refuses to replace.
fn not_offered(error: &io::Error) -> bool {
    let unknown = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP].map(Errno::raw_os_error);
    error.raw_os_error().is_some_and(|code| unknown.contains(&code))
        || error.kind() == io::ErrorKind::Unsupported
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn dir() -> (tempfile::TempDir, Dir) {
        let top = tempfile::tempdir().unwrap();
        let dir = Dir::root(&fs::canonicalize(top.path()).unwrap()).unwrap();
        (top, dir)
    }

    #[test]
    fn a_path_is_no_name() {
        let (top, dir) = dir();
        fs::create_dir(top.path().join("sub")).unwrap();
        fs::write(top.path().join("sub/file"), "x").unwrap();
        let free = OsStr::new("free");
        let path = top.path().join("sub/file");
        for name in ["", ".", "..", "/", "sub/file", "sub/", "../x", path.to_str().unwrap()] {
            let name = OsStr::new(name);
            let refused = [
                dir.look(name).map(drop),
                dir.link_target(name).map(drop),
                dir.enter(name).map(drop),
                dir.open(name).map(drop),
                dir.create(name, Mode::RUSR).map(drop),
                dir.make_dir(name),
                dir.rename(name, free),
                dir.rename(OsStr::new("sub"), name),
                dir.move_to(name, &dir, free),
                dir.move_to(OsStr::new("sub"), &dir, name),
                dir.move_in_steps(OsStr::new("sub"), &dir, name),
                dir.remove(name),
                dir.remove_dir(name),
            ];
            for (nth, refused) in refused.into_iter().enumerate() {
                assert_eq!(
                    refused.unwrap_err().kind(),
                    io::ErrorKind::InvalidInput,
                    "{name:?} {nth}"
                );
            }
        }
        assert!(dir.open(OsStr::new("sub/file")).is_err() && path.exists());
    }

    #[test]
    fn a_move_in_steps_takes_only_a_free_name() {
        let (top, dir) = dir();
        let at = |name: &str| top.path().join(name);
        fs::create_dir_all(at("sub/inner")).unwrap();
        for (name, text) in [("file", "mine"), ("taken", "theirs")] {
            fs::write(at(name), text).unwrap();
        }
        let step = |from: &str, to: &str| dir.move_in_steps(from.as_ref(), &dir, to.as_ref());
        for from in ["file", "sub"] {
            assert_eq!(step(from, "taken").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert!(at(from).exists());
        }
        step("file", "moved").unwrap();
        step("sub", "moved-sub").unwrap();
        assert_eq!(fs::read_to_string(at("moved")).unwrap(), "mine");
        assert_eq!(fs::read_to_string(at("taken")).unwrap(), "theirs");
        assert!(at("moved-sub/inner").is_dir() && !at("file").exists() && !at("sub").exists());
    }
}
