//! One writer per workspace: an advisory lock on `.dialogs/.tui/lock`, held for the store's life.
//!
//! A lock counts only while the path still names the locked file, so the file can be removed at the
//! end without a second process holding a lock on a file nobody sees. A dead process holds nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::Stamp;

use super::disk::Disk;
use super::error::StoreError;
use super::files;

/// Rounds lost against processes that come and go before giving up.
const TRIES: usize = 200;
/// How often, and how long, a reader that looks at the lock is waited for.
const LOOKS: usize = 3;
const LOOK: Duration = Duration::from_millis(2);
/// Longest text read from a lock file.
const LONGEST_TEXT: u64 = 500;

#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    /// Keeps the lock; released when dropped.
    _file: File,
}

impl Lock {
    /// Takes the lock. `folder` is made where it is absent, below `top`.
    pub fn take(
        disk: &dyn Disk,
        top: &Path,
        path: PathBuf,
        now: &Stamp,
    ) -> Result<Self, StoreError> {
        let mut looked = 0;
        for _ in 0..TRIES {
            let folder = path.parent().unwrap_or(top);
            files::make_folders(disk, top, folder)?;
            let mut file = match open(&path) {
                Ok(file) => file,
                // The last holder just removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(StoreError::io("opening", &path)(error)),
            };
            match file.try_lock() {
                Ok(()) => {}
                // Somebody may only be looking whether it is held.
                Err(TryLockError::WouldBlock) if looked < LOOKS => {
                    looked += 1;
                    std::thread::sleep(LOOK);
                    continue;
                }
                Err(TryLockError::WouldBlock) => {
                    let holder = holder(&mut file);
                    return Err(StoreError::Held { holder });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(StoreError::io("locking", &path)(error));
                }
            }
            if names(&path, &file) {
                sign(&mut file, now).map_err(StoreError::io("writing", &path))?;
                return Ok(Self { path, _file: file });
            }
        }
        Err(StoreError::Held { holder: "processes that start and end all the time".to_owned() })
    }

    /// True if a process holds the lock now.
    pub fn is_held(path: &Path) -> bool {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Removes the file while the lock is still held.
    pub fn remove_file(&self, disk: &dyn Disk) -> io::Result<()> {
        disk.remove_file(&self.path)
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(path)
}

fn names(path: &Path, file: &File) -> bool {
    let (Ok(there), Ok(here)) = (path.symlink_metadata(), file.metadata()) else {
        return false;
    };
    (there.dev(), there.ino()) == (here.dev(), here.ino())
}

fn sign(file: &mut File, now: &Stamp) -> io::Result<()> {
    let mut text = format!("pid {}", std::process::id());
    if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        text.push_str(&format!(" on {}", host.trim()));
    }
    if let Some(tty) = terminal() {
        text.push_str(&format!(", {tty}"));
    }
    text.push_str(&format!(", since {now}\n"));
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

fn terminal() -> Option<String> {
    let target = std::fs::read_link("/proc/self/fd/0").ok()?;
    let name = target.to_str()?.to_owned();
    (name.starts_with("/dev/pts/") || name.starts_with("/dev/tty")).then_some(name)
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(LONGEST_TEXT).read_to_string(&mut text);
    let line: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    if read.is_err() || line.is_empty() {
        return "another process".to_owned();
    }
    line
}
