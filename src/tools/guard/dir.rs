//! An open directory and what can be done with the single names in it. Never follows a link in
//! the name it is given, and never looks up again the path by which the directory was found.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, ReadDir};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where Linux shows open descriptors as links that lead straight to the open object.
const DESCRIPTORS: &str = "/proc/self/fd";

/// Opening a directory only to look names up needs no read permission where `O_PATH` exists.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LOOKUP_ONLY: i32 = libc::O_PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const LOOKUP_ONLY: i32 = 0;

/// Which object on which disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[must_use]
    pub fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), inode: meta.ino() }
    }
}

/// An open directory. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Dir {
    handle: Arc<File>,
    /// Where it was found; used to reach names only if `anchored` is false.
    place: PathBuf,
    anchored: bool,
}

impl Dir {
    /// Opens the directory at a canonical path.
    pub(super) fn root(place: PathBuf) -> io::Result<Self> {
        let handle = Arc::new(open_directory(&place)?);
        let probe = Path::new(DESCRIPTORS).join(handle.as_raw_fd().to_string());
        let here = Identity::of(&handle.metadata()?);
        let anchored = fs::metadata(probe).is_ok_and(|meta| Identity::of(&meta) == here);
        Ok(Self { handle, place, anchored })
    }

    /// What the name stands for; a link stands for itself.
    pub fn look(&self, name: &OsStr) -> io::Result<Metadata> {
        fs::symlink_metadata(self.at(name))
    }

    /// The text of a link.
    pub fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.at(name))
    }

    /// Opens a directory in this one; fails on a link.
    pub(super) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let handle = Arc::new(open_directory(&self.at(name))?);
        Ok(Self { handle, place: self.place.join(name), anchored: self.anchored })
    }

    /// Opens a file for reading; fails on a link and never waits for the other end of a pipe.
    pub fn open(&self, name: &OsStr) -> io::Result<File> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
        OpenOptions::new().read(true).custom_flags(flags).open(self.at(name))
    }

    /// Makes a file that did not exist, open for writing.
    pub(super) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode).custom_flags(libc::O_NOFOLLOW);
        options.open(self.at(name))
    }

    /// Makes a file without a name, open for writing. It goes with its descriptor, also if this
    /// program is killed.
    #[cfg(target_os = "linux")]
    pub(super) fn create_nameless(&self, mode: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).mode(mode).custom_flags(libc::O_TMPFILE);
        options.open(self.own_path())
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn create_nameless(&self, _mode: u32) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives a file without a name a free one.
    pub(super) fn name(&self, file: &File, name: &OsStr) -> io::Result<()> {
        let open = Path::new(DESCRIPTORS).join(file.as_raw_fd().to_string());
        let follow = rustix::fs::AtFlags::SYMLINK_FOLLOW;
        Ok(rustix::fs::linkat(rustix::fs::CWD, open, &*self.handle, name, follow)?)
    }

    pub(super) fn make_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.at(name))
    }

    /// Renames, replacing what has the new name.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.at(from), self.at(to))
    }

    /// Gives a file a second name; fails if that name is taken.
    pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.at(from), self.at(to))
    }

    /// Gives what has a name here a free name in another directory; fails if that name is taken,
    /// also if it is taken in this very moment.
    pub(super) fn move_to(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        match rename_free(&self.handle, from, &there.handle, to) {
            Err(error) if not_offered(&error) => self.move_in_steps(from, there, to),
            done => done,
        }
    }

    /// For disks that cannot rename to a free name only. A directory may be renamed over an empty
    /// one, which was made here, so nobody else's; anything else is named twice for a moment.
    fn move_in_steps(&self, from: &OsStr, there: &Self, to: &OsStr) -> io::Result<()> {
        if !self.look(from)?.is_dir() {
            fs::hard_link(self.at(from), there.at(to))?;
            return self.remove(from);
        }
        there.make_dir(to)?;
        fs::rename(self.at(from), there.at(to)).inspect_err(|_| {
            // What was made for the move is taken away; if that fails, an empty directory stays.
            let _ = there.remove_dir(to);
        })
    }

    /// Removes a name that is no directory; a link goes, what it leads to stays.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.at(name))
    }

    /// Removes an empty directory; fails on a link.
    pub(super) fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.at(name))
    }

    /// Makes names in this directory survive a power failure.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(self.own_path())?.sync_all()
    }

    /// The names in it, in no order.
    pub fn entries(&self) -> io::Result<ReadDir> {
        fs::read_dir(self.own_path())
    }

    /// Which directory this is.
    pub(super) fn identity(&self) -> io::Result<Identity> {
        Ok(Identity::of(&self.handle.metadata()?))
    }

    /// Whether names were looked up in the open directory itself. Without anchors, true if its
    /// path still leads to it.
    pub(super) fn is_steady(&self) -> io::Result<bool> {
        if self.anchored {
            return Ok(true);
        }
        let same_path = fs::canonicalize(&self.place)? == self.place;
        let now = Identity::of(&fs::symlink_metadata(&self.place)?);
        Ok(same_path && now == self.identity()?)
    }

    /// Works as on a system whose descriptors cannot be walked.
    #[cfg(test)]
    pub(super) fn forget_anchor(&mut self) {
        self.anchored = false;
    }

    fn own_path(&self) -> PathBuf {
        if self.anchored {
            Path::new(DESCRIPTORS).join(self.handle.as_raw_fd().to_string())
        } else {
            self.place.clone()
        }
    }

    fn at(&self, name: &OsStr) -> PathBuf {
        self.own_path().join(name)
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_free(here: &File, from: &OsStr, there: &File, to: &OsStr) -> io::Result<()> {
    let free = rustix::fs::RenameFlags::NOREPLACE;
    Ok(rustix::fs::renameat_with(here, from, there, to, free)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_free(_here: &File, _from: &OsStr, _there: &File, _to: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the system or the disk does not know how to rename to a free name only.
fn not_offered(error: &io::Error) -> bool {
    let unknown = matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::ENOTSUP));
    unknown || error.kind() == io::ErrorKind::Unsupported
}

fn open_directory(path: &Path) -> io::Result<File> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | LOOKUP_ONLY;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
