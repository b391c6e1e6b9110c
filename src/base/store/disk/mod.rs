//! Every file operation of the store, so that a test can stop or fail each of them.
//!
//! No operation follows a symbolic link in the last part of its path, and none blocks on a FIFO or a
//! device. New files have mode 0600, new folders 0700; a file that is replaced keeps its mode.

pub mod error;
#[cfg(test)]
pub mod faulty_disk;
pub mod file_stamps;
pub mod in_parallel;
pub mod index_file;
pub mod layout;
pub mod lock;
pub mod options;
pub mod permissions;
pub mod problem_collector;
pub mod small_files;

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// The mode of a new file.
pub(super) const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

pub trait Disk: Send + Sync + fmt::Debug {
    /// Opens for reading; also a folder, to list or sync it.
    fn open_read(&self, path: &Path) -> io::Result<File>;
    /// Opens for appending; makes the file where it is absent.
    fn open_append(&self, path: &Path) -> io::Result<File>;
    /// Makes a file that must not exist.
    fn create_new(&self, path: &Path) -> io::Result<File>;
    /// One write; may take fewer bytes than given.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize>;
    fn truncate(&self, file: &File, length: u64) -> io::Result<()>;
    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()>;
    fn sync(&self, file: &File) -> io::Result<()>;
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Swaps two paths in one step. Not every file system can.
    fn exchange(&self, _one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder with all that is in it. Links in it are removed, not followed.
    fn remove_tree(&self, path: &Path) -> io::Result<()>;
}

/// The file system itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(FILE_MODE).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC);
    options
}

impl Disk for RealDisk {
    fn open_read(&self, path: &Path) -> io::Result<File> {
        options().read(true).open(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<File> {
        options().append(true).create(true).open(path)
    }

    fn create_new(&self, path: &Path) -> io::Result<File> {
        options().write(true).create_new(true).open(path)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(mode))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(FOLDER_MODE).create(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }
}
