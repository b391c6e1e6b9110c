//! Removes a folder that commands wrote to, whatever the modes and however deep. Folders are moved to the top
//! before they are emptied, so that no path gets long and few files are open at once; no link is followed.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

#[cfg(target_os = "linux")]
use rustix::fs::chmod;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Most levels of folders. Deeper ones are left to the next run.
const MAX_ROUNDS: usize = 100_000;
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Removes a folder and everything in it; a missing one counts as removed.
///
/// # Errors
/// Something stays: it belongs to another user, is in use, or the disk failed.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    let top = match open(CWD, folder) {
        Err(Errno::NOENT) => return Ok(()),
        opened => opened?,
    };
    let mut moved = 0;
    for _ in 0..MAX_ROUNDS {
        let names = names_in(&top)?;
        if names.is_empty() {
            break;
        }
        let mut has_changed = false;
        for name in names {
            has_changed |= take_apart(&top, &name, &mut moved)?;
        }
        if !has_changed {
            break;
        }
    }
    fs::remove_dir(folder)
}

/// Removes an entry of the top; its content that cannot be removed at once is moved to the top. True on progress.
fn take_apart(top: &OwnedFd, name: &CStr, moved: &mut u64) -> io::Result<bool> {
    if remove_file_or_empty(top, name) {
        return Ok(true);
    }
    let Ok(folder) = open(top, name) else { return Ok(false) };
    let mut has_changed = false;
    for inner in names_in(&folder)? {
        has_changed |= remove_file_or_empty(&folder, &inner) || {
            *moved += 1;
            // A folder that is moved has to be writable itself.
            let is_open = open(&folder, inner.as_c_str()).is_ok();
            is_open && renameat(&folder, inner.as_c_str(), top, format!(".{moved}")).is_ok()
        };
    }
    Ok(unlinkat(top, name, AtFlags::REMOVEDIR).is_ok() || has_changed)
}

fn remove_file_or_empty(folder: &OwnedFd, name: &CStr) -> bool {
    let is_removed = unlinkat(folder, name, AtFlags::empty()).is_ok();
    is_removed || unlinkat(folder, name, AtFlags::REMOVEDIR).is_ok()
}

/// Opens a folder, which is opened to its owner first.
#[cfg(target_os = "linux")]
fn open(parent: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    let found = openat(parent, name, FOLDER | OFlags::PATH, Mode::empty())?;
    // This path leads to the folder that was opened, wherever it is now.
    chmod(format!("/proc/self/fd/{}", found.as_raw_fd()), Mode::RWXU)?;
    openat(&found, c".", FOLDER | OFlags::RDONLY, Mode::empty())
}

#[cfg(not(target_os = "linux"))]
fn open(parent: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    openat(parent, name, FOLDER | OFlags::RDONLY, Mode::empty())
}

fn names_in(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use rustix::fs::mkdirat;

    use super::*;

    /// Deeper than the limits of open files and of the length of a path.
    const DEPTH: usize = 1_500;

    #[test]
    fn a_folder_goes_however_deep_it_is_and_no_link_is_followed() {
        let top = tempfile::tempdir().unwrap();
        let (folder, other) = (top.path().join("x"), top.path().join("other"));
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::create_dir(&other).unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(other.join("kept"), "").unwrap();
        symlink(&other, folder.join("a/b/link")).unwrap();
        symlink(&other, folder.join("link")).unwrap();
        fs::write(folder.join("a/.1"), "").unwrap();
        fs::create_dir(folder.join(".1")).unwrap();
        let mut deep = open(CWD, &folder).unwrap();
        for _ in 0..DEPTH {
            mkdirat(&deep, c"0123456789", Mode::RWXU).unwrap();
            deep = open(&deep, c"0123456789").unwrap();
        }
        remove(&folder).unwrap();
        assert!(!folder.exists());
        assert!(other.join("kept").exists());
        assert_eq!(other.metadata().unwrap().permissions().mode() & 0o777, 0o755);
        remove(&folder).unwrap();
        symlink(&other, &folder).unwrap();
        assert!(remove(&folder).is_err() && other.join("kept").exists());
    }

    #[test]
    fn what_its_owner_may_not_enter_goes_too() {
        if rustix::process::geteuid().is_root() {
            eprintln!(
                "SKIPPED: the administrator may enter everything; `sandbox::` tests it as another user"
            );
            return;
        }
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("x");
        fs::create_dir_all(folder.join("a/b/c")).unwrap();
        fs::write(folder.join("a/b/c/file"), "").unwrap();
        for path in ["a/b/c", "a/b", "a", ""] {
            fs::set_permissions(folder.join(path), fs::Permissions::from_mode(0o0)).unwrap();
        }
        remove(&folder).unwrap();
        assert!(!folder.exists());
    }
}
