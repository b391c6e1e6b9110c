//! What the system says of a name or of an open file.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{FileType, Mode, fstat};

use super::PathTarget;
use crate::guard::file_identity::Identity;

/// What a name stands for, without following it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    File,
    Directory,
    Symlink,
    /// A pipe, a socket or a device.
    Special,
}

/// What one call of the system tells about an object.
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    pub identity: Identity,
    pub kind: PathKind,
    /// The size of a file.
    pub bytes: u64,
    pub(super) mode: Mode,
    /// Seconds and nanoseconds of the last change of the content.
    pub(super) modified: (i128, i128),
}

impl Stat {
    /// Stats an open file or directory.
    ///
    /// # Errors
    /// The system's refusal.
    pub fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(fstat(file)?))
    }

    #[must_use]
    pub fn is_dir(&self) -> bool {
        self.kind == PathKind::Directory
    }

    #[must_use]
    pub fn is_file(&self) -> bool {
        self.kind == PathKind::File
    }
}

// The types of these fields differ between systems; all of them fit into an `i128`.
impl From<rustix::fs::Stat> for Stat {
    fn from(stat: rustix::fs::Stat) -> Self {
        Self {
            identity: Identity::new(i128::from(stat.st_dev), stat.st_ino),
            kind: PathKind::of(FileType::from_raw_mode(stat.st_mode)),
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            mode: Mode::from_raw_mode(stat.st_mode),
            modified: (i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
        }
    }
}

impl PathKind {
    pub(super) fn of(kind: FileType) -> Self {
        if kind.is_symlink() {
            Self::Symlink
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }

    /// The word for it in headers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Special => "special",
        }
    }

    /// Returns which access lists apply to it.
    #[must_use]
    pub fn target(self) -> PathTarget {
        match self {
            Self::Directory => PathTarget::Directory,
            Self::File | Self::Symlink | Self::Special => PathTarget::File,
        }
    }
}
