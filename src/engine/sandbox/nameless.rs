//! Files without a name: written first, then given their name whole. Until then they go with their
//! descriptor, so the death of the program leaves nothing behind. Not every system and disk has them.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use rustix::fs::Mode;

/// Makes a nameless file on the disk of an open directory, open for writing.
///
/// # Errors
/// The system or the disk does not support them, or the system's refusal.
#[cfg(target_os = "linux")]
pub fn create(dir: impl AsFd, mode: Mode) -> io::Result<File> {
    use rustix::fs::{OFlags, openat};

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    Ok(rustix::io::retry_on_intr(|| openat(dir.as_fd(), c".", flags, mode))?.into())
}

/// Gives it a free name in an open directory.
///
/// # Errors
/// The name is taken, or the system's refusal.
#[cfg(target_os = "linux")]
pub fn give_name(file: &File, dir: impl AsFd, name: &OsStr) -> io::Result<()> {
    use rustix::fs::{AtFlags, linkat};
    use rustix::io::Errno;

    match linkat(file, c"", dir.as_fd(), name, AtFlags::EMPTY_PATH) {
        // Before Linux 6.10, only privileged processes may do this.
        Err(Errno::NOENT) => through_proc(file, dir.as_fd(), name),
        named => Ok(named?),
    }
}

/// Names it through the link of the open file in `/proc`, if that leads to the file.
#[cfg(target_os = "linux")]
fn through_proc(file: &File, dir: std::os::fd::BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, OFlags, PROC_SUPER_MAGIC, fstatfs, linkat, openat};

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open_files = openat(CWD, c"/proc/self/fd", flags, Mode::empty())?;
    if fstatfs(&open_files)?.f_type != PROC_SUPER_MAGIC {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let own = file.as_raw_fd().to_string();
    Ok(linkat(&open_files, own, dir, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
pub fn create(_dir: impl AsFd, _mode: Mode) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
pub fn give_name(_file: &File, _dir: impl AsFd, _name: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_gets_a_free_name_once_it_is_whole_by_either_way() {
        type Way = fn(&File, std::os::fd::BorrowedFd<'_>, &OsStr) -> io::Result<()>;
        let ways: [Way; 2] = [|file, dir, name| give_name(file, dir, name), through_proc];
        for way in ways {
            let top = tempfile::tempdir().unwrap();
            let dir = File::open(top.path()).unwrap();
            let mut file = match create(&dir, Mode::RUSR | Mode::WUSR) {
                Ok(file) => file,
                Err(error) => return eprintln!("SKIPPED: no files without a name here: {error}"),
            };
            file.write_all(b"whole").unwrap();
            assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
            way(&file, dir.as_fd(), OsStr::new("a")).unwrap();
            assert_eq!(fs::read_to_string(top.path().join("a")).unwrap(), "whole");
            fs::write(top.path().join("b"), "mine").unwrap();
            let other = create(&dir, Mode::RUSR | Mode::WUSR).unwrap();
            let taken = way(&other, dir.as_fd(), OsStr::new("b")).unwrap_err();
            assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(top.path().join("b")).unwrap(), "mine");
        }
    }
}
