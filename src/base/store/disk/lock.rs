//! One writer per workspace: an advisory lock on `.dialogs/.tui/lock`, held for the store's life.
//!
//! A lock counts only while the path still names the locked file, so the file can be removed at the
//! end without a second process holding a lock on a file nobody sees. A dead process holds nothing.
//!
//! The file belongs to this user and nobody else can open it: whoever can open it, can hold it for ever.
//!
//! Some file systems grant every lock. So the file also says which process holds it, and one that is at work
//! on this machine holds it whatever the file system says. Two that begin in the same instant are told apart by the
//! file system alone.

use std::fs::{File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::Stamp;
use crate::domain::text::hidden_chars::is_hidden;
use crate::domain::text::{Localized, Text, localized};

use super::error::{FileAction, LockHolder, StoreError};
use super::small_files;
use super::{Disk, FILE_MODE};

/// Rounds lost against processes that come and go before giving up.
const MAX_TRIES: usize = 200;
/// How often, and how long, a reader that looks at the lock is waited for.
const MAX_BUSY_RETRIES: usize = 3;
const BUSY_RETRY_INTERVAL: Duration = Duration::from_millis(2);
/// Longest text read from a lock file.
const MAX_HOLDER_BYTES: usize = 500;

#[derive(Debug)]
pub(in crate::store) struct Lock {
    path: PathBuf,
    /// Keeps the lock; released when dropped.
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Its text is cleared before others get the lock; if that fails, it holds until this process ends.
        let _ = self.file.set_len(0);
    }
}

impl Lock {
    /// Takes the lock. `folder` is made where it is absent, below `top`.
    pub fn take(
        disk: &dyn Disk,
        top: &Path,
        path: PathBuf,
        now: &Stamp,
    ) -> Result<Self, StoreError> {
        let mut retries = 0;
        for _ in 0..MAX_TRIES {
            let folder = path.parent().unwrap_or(top);
            small_files::make_folders(disk, top, folder)?;
            let file = match open(&path) {
                Ok(file) => file,
                // The last holder just removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(open_error(&path, error)),
            };
            match file.try_lock() {
                Ok(()) => {}
                // Somebody may only be looking whether it is held.
                Err(TryLockError::WouldBlock) if retries < MAX_BUSY_RETRIES => {
                    retries += 1;
                    std::thread::sleep(BUSY_RETRY_INTERVAL);
                    continue;
                }
                Err(TryLockError::WouldBlock) => {
                    let holder = holder(&file);
                    return Err(StoreError::Held { holder });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(StoreError::io(FileAction::Locking, &path)(error));
                }
            }
            if is_same_file(&path, &file) {
                make_private(&path, &file)?;
                if is_of_another_at_work(&read_text(&file)) {
                    return Err(StoreError::Held { holder: holder(&file) });
                }
                write_holder(&file, now).map_err(StoreError::io(FileAction::Writing, &path))?;
                return Ok(Self { path, file });
            }
        }
        Err(StoreError::Held { holder: LockHolder::Changing })
    }

    /// True if a process holds the lock now.
    pub fn is_held(path: &Path) -> bool {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open(path);
        file.is_ok_and(|file| {
            matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
                || is_of_another_at_work(&read_text(&file))
        })
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
        .mode(FILE_MODE)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(path)
}

/// Makes the lock file private; refuses one to which others keep access.
fn make_private(path: &Path, file: &File) -> Result<(), StoreError> {
    let meta = file.metadata().map_err(StoreError::io(FileAction::LookingAt, path))?;
    if let Some(reason) = ownership_problem(&meta) {
        return Err(StoreError::UntrustedLock { path: path.to_owned(), reason });
    }
    if meta.permissions().mode() & 0o777 == FILE_MODE {
        return Ok(());
    }
    file.set_permissions(Permissions::from_mode(FILE_MODE))
        .map_err(StoreError::io(FileAction::ClosingToOthers, path))
}

fn ownership_problem(meta: &Metadata) -> Option<Localized> {
    if meta.uid() != rustix::process::geteuid().as_raw() {
        let uid = meta.uid();
        return Some(localized!("it belongs to user {uid}", "它属于用户 {uid}"));
    }
    if !meta.is_file() {
        return Some(Text::new("it is no regular file", "它不是普通文件").into());
    }
    let second_name = Text::new("it has a second name elsewhere", "它在别处另有名称");
    (meta.nlink() > 1).then(|| second_name.into())
}

/// A file that cannot be opened at all may belong to someone else, too.
fn open_error(path: &Path, error: io::Error) -> StoreError {
    let reason = path.symlink_metadata().ok().and_then(|meta| ownership_problem(&meta));
    match reason {
        Some(reason) => StoreError::UntrustedLock { path: path.to_owned(), reason },
        None => StoreError::io(FileAction::Opening, path)(error),
    }
}

fn is_same_file(path: &Path, file: &File) -> bool {
    let (Ok(at_path), Ok(opened)) = (path.symlink_metadata(), file.metadata()) else {
        return false;
    };
    (at_path.dev(), at_path.ino()) == (opened.dev(), opened.ino())
}

fn write_holder(file: &File, now: &Stamp) -> io::Result<()> {
    let pid = std::process::id();
    let mut text = format!("pid {pid}");
    if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
        text.push_str(&format!(" on {}", host.trim()));
    }
    if let Some(tty) = terminal() {
        text.push_str(&format!(", {tty}"));
    }
    text.push_str(&format!(", since {now}\n"));
    if let Some(process) = process_line(pid) {
        text.push_str(&format!("{process}\n"));
    }
    file.set_len(0)?;
    file.write_all_at(text.as_bytes(), 0)
}

/// A process that is at work: its number, when it began, and this run of the machine. No two have the same.
fn process_line(pid: u32) -> Option<String> {
    /// The field of the start in ticks, counted from the one behind the name.
    const STARTED: usize = 19;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    // The name in parentheses may hold anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split_ascii_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X" | "x");
    let started = fields.nth(STARTED - 1)?;
    (!has_ended).then(|| format!("process {pid} {started} {}", boot.trim()))
}

/// True if the text of a lock names another process that is at work on this machine.
fn is_of_another_at_work(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| line.starts_with("process "));
    lines.any(|line| {
        let pid = line.split(' ').nth(1).and_then(|pid| pid.parse().ok());
        pid.is_some_and(|pid: u32| {
            pid != std::process::id() && process_line(pid).as_deref() == Some(line)
        })
    })
}

fn read_text(file: &File) -> String {
    let mut bytes = [0; MAX_HOLDER_BYTES];
    let read = file.read_at(&mut bytes, 0).unwrap_or_default();
    String::from_utf8_lossy(bytes.get(..read).unwrap_or_default()).into_owned()
}

fn terminal() -> Option<String> {
    let name = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok()?.into_string().ok()?;
    (name.starts_with("/dev/pts/") || name.starts_with("/dev/tty")).then_some(name)
}

fn holder(file: &File) -> LockHolder {
    let own_uid = rustix::process::geteuid().as_raw();
    let owner = file.metadata().map_or(own_uid, |meta| meta.uid());
    if owner != own_uid {
        return LockHolder::User(owner);
    }
    let text = read_text(file);
    let first = text.lines().next().unwrap_or_default();
    let line: String = first.trim().chars().filter(|&c| !is_hidden(c)).collect();
    if line.is_empty() { LockHolder::Unnamed } else { LockHolder::Named(line) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{chown, symlink};

    use rustix::process::WaitIdOptions;

    use super::*;
    use crate::store::disk::RealDisk;

    fn take(path: &Path) -> Result<Lock, StoreError> {
        let top = path.parent().unwrap();
        Lock::take(&RealDisk, top, path.to_owned(), &Stamp::new("2026-11-21 12:00:00"))
    }

    fn refusal(path: &Path) -> String {
        match take(path) {
            Err(error @ StoreError::UntrustedLock { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_lock_that_others_could_open_is_closed_to_them() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("lock");
        for mode in [0o644, 0o666, 0o640] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let lock = take(&path).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert!(take(&path).unwrap_err().is_held());
            drop(lock);
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn a_process_at_work_holds_the_lock_where_the_file_system_grants_all() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("lock");
        let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let line = process_line(other.id()).expect("a process that is at work");
        let text = format!("pid {} on here\n{line}\n", other.id());
        // Nobody has locked the file.
        fs::write(&path, &text).unwrap();
        let Err(StoreError::Held { holder }) = take(&path) else { panic!("it is held") };
        assert_eq!(holder, LockHolder::Named(format!("pid {} on here", other.id())));
        assert!(Lock::is_held(&path));
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "it stays");
        for stale in [
            line.replace("process ", "process 1"),
            format!("{line}0"),
            line.replacen(' ', " 1 ", 2),
            "process".to_owned(),
            "process x y z".to_owned(),
        ] {
            fs::write(&path, format!("pid 1\n{stale}\n")).unwrap();
            assert!(!Lock::is_held(&path), "{stale}");
            drop(take(&path).unwrap());
        }
        fs::write(&path, &text).unwrap();
        other.kill().unwrap();
        // It has ended, and nobody has asked how yet.
        let id = rustix::process::WaitId::Pid(rustix::process::Pid::from_child(&other));
        let only_look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        rustix::process::waitid(id, only_look).unwrap();
        let lock = take(&path).unwrap();
        other.wait().unwrap();
        let own = process_line(std::process::id()).unwrap();
        assert!(fs::read_to_string(&path).unwrap().ends_with(&format!("\n{own}\n")));
        drop(lock);
        assert_eq!(fs::read_to_string(&path).unwrap(), "", "it names nobody any more");
    }

    #[test]
    fn what_is_no_file_of_this_user_alone_is_no_lock() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("lock");
        fs::write(&path, "").unwrap();
        fs::hard_link(&path, top.path().join("second")).unwrap();
        assert!(refusal(&path).contains("second name"));
        fs::remove_file(&path).unwrap();
        symlink(top.path().join("second"), &path).unwrap();
        assert!(refusal(&path).contains("no regular file"));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(refusal(&path).contains("no regular file"));
        fs::remove_dir(&path).unwrap();
        assert!(fs::read(top.path().join("second")).unwrap().is_empty(), "nothing was written");
    }

    #[test]
    fn a_lock_of_another_user_is_refused_and_says_whose_it_is() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("lock");
        fs::write(&path, "pid 1 on theirs").unwrap();
        if chown(&path, Some(12_345), None).is_err() {
            eprintln!("skipped: only root gives files away");
            return;
        }
        let refusal = refusal(&path);
        assert!(refusal.contains("belongs to user 12345") && refusal.contains("remove it"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "pid 1 on theirs");
        let theirs = File::open(&path).unwrap();
        theirs.lock().unwrap();
        let Err(StoreError::Held { holder }) = take(&path) else { panic!("it is held") };
        assert_eq!(holder, LockHolder::User(12_345));
    }
}
