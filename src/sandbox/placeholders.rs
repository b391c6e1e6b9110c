//! What is made to stand in a workspace while commands run, so that nobody else makes it: counted over all
//! programs that use the workspace, and removed when the last command of the last one is over. Removed
//! earlier, it would be gone from under a command that runs.
//!
//! A journal outside the workspace names what was made, so that a program that was killed leaves nothing
//! behind for longer than until the next one.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(target_os = "linux")]
use rustix::{
    fs::{AtFlags, CWD, linkat},
    io::Errno,
};

use super::reserved::Placeholder;

/// The longest journal that is read.
const JOURNAL_BYTES: u64 = 4 * 1024 * 1024;

/// What stands in one workspace. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct PlaceholderStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    workspace: PathBuf,
    /// Of this workspace, outside of it.
    folder: PathBuf,
    users: Mutex<Users>,
}

#[derive(Debug, Default)]
struct Users {
    count: usize,
    /// Held as long as a command of this program runs.
    lock: Option<File>,
}

/// A command that needs what stands there. Dropped, it does not any more.
#[derive(Debug)]
pub struct Placeholders(PlaceholderStore);

impl PlaceholderStore {
    pub fn new(state: &Path, workspace: &Path) -> Self {
        let mut hasher = DefaultHasher::new();
        workspace.hash(&mut hasher);
        let folder = state.join("sandbox").join(format!("{:016x}", hasher.finish()));
        let workspace = workspace.to_owned();
        Self(Arc::new(Inner { workspace, folder, users: Mutex::default() }))
    }

    /// True while a command of this program runs.
    pub fn are_used(&self) -> bool {
        self.users().count > 0
    }

    /// Makes what is missing, for as long as the result lives.
    pub fn make(&self, missing: &[(PathBuf, Placeholder)]) -> io::Result<Placeholders> {
        let mut users = self.users();
        if users.lock.is_none() {
            users.lock = Some(self.enter()?);
        }
        users.count += 1;
        let standing = Placeholders(self.clone());
        let made = self.place(missing);
        // What is dropped takes the lock again.
        drop(users);
        made.map(|()| standing)
    }

    fn enter(&self) -> io::Result<File> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0.folder)?;
        let lock = self.open("lock")?;
        if lock.try_lock().is_ok() {
            // Nobody else is here: whatever is noted was left behind.
            self.clear();
            lock.unlock()?;
        }
        lock.lock_shared()?;
        Ok(lock)
    }

    fn leave(&self) {
        let mut users = self.users();
        users.count = users.count.saturating_sub(1);
        if users.count > 0 {
            return;
        }
        if let Some(lock) = users.lock.take()
            && lock.unlock().is_ok()
            && lock.try_lock().is_ok()
        {
            self.clear();
        }
    }

    fn place(&self, missing: &[(PathBuf, Placeholder)]) -> io::Result<()> {
        if missing.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for (path, _) in missing {
            let name = path.as_os_str().as_bytes();
            if name.contains(&b'\n') {
                return Err(io::Error::other("the name of the workspace has more than one line"));
            }
            lines.extend(name);
            lines.push(b'\n');
        }
        // Noted before it is made.
        self.open("made")?.write_all(&lines)?;
        for (path, blank) in missing {
            let made = match blank {
                Placeholder::Folder => fs::create_dir(path),
                Placeholder::File | Placeholder::Here => new_file(path, blank.text()),
            };
            match made {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Removes what was made and is as it was made. Nobody may run a command meanwhile.
    fn clear(&self) {
        let journal = self.0.folder.join("made");
        let known = fs::metadata(&journal).is_ok_and(|meta| meta.len() <= JOURNAL_BYTES);
        let noted = if known { fs::read(&journal).unwrap_or_default() } else { Vec::new() };
        let lines: Vec<&[u8]> = noted.split(|byte| *byte == b'\n').collect();
        for line in lines.into_iter().rev().filter(|line| !line.is_empty()) {
            let path = Path::new(std::ffi::OsStr::from_bytes(line));
            if !path.starts_with(&self.0.workspace) {
                continue;
            }
            match fs::symlink_metadata(path) {
                // One that is not empty stays.
                Ok(meta) if meta.is_dir() => drop(fs::remove_dir(path)),
                Ok(meta) if meta.is_file() && says_nothing(path, meta.len()) => {
                    drop(fs::remove_file(path));
                }
                Ok(_) | Err(_) => {}
            }
        }
        drop(fs::remove_file(journal));
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let mut how = OpenOptions::new();
        how.append(true).create(true).mode(0o600);
        how.open(self.0.folder.join(name))
    }

    fn users(&self) -> MutexGuard<'_, Users> {
        self.0.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a file with this text. Where the system can, it has all of it from the moment it has a name: git
/// may read it at any time.
fn new_file(path: &Path, text: &str) -> io::Result<()> {
    match named_when_written(path, text) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        made => return made,
    }
    let mut new = OpenOptions::new();
    let mut file = new.write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(target_os = "linux")]
fn named_when_written(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut how = OpenOptions::new();
    how.write(true).custom_flags(libc::O_TMPFILE);
    // Some file systems have no files without a name.
    let mut file = how.open(folder).map_err(|_| io::ErrorKind::Unsupported)?;
    file.write_all(text.as_bytes())?;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, &own, CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(|error| match error {
        Errno::EXIST => error.into(),
        _ => io::ErrorKind::Unsupported.into(),
    })
}

#[cfg(not(target_os = "linux"))]
fn named_when_written(_path: &Path, _text: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn says_nothing(path: &Path, length: u64) -> bool {
    let here = Placeholder::Here.text();
    let as_made = length == here.len() as u64
        && path.file_name().is_some_and(|name| name == "commondir")
        && fs::read_to_string(path).is_ok_and(|text| text == here);
    length == 0 || as_made
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn missing(top: &Path) -> Vec<(PathBuf, Placeholder)> {
        [
            (".hive", Placeholder::Folder),
            ("config", Placeholder::File),
            ("commondir", Placeholder::Here),
        ]
        .map(|(name, blank)| (top.join(name), blank))
        .to_vec()
    }

    fn there(top: &Path) -> usize {
        fs::read_dir(top).unwrap().count()
    }

    #[test]
    fn what_stands_in_goes_with_the_last_command_of_the_last_program() {
        let (state, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let one = PlaceholderStore::new(state.path(), top.path());
        let other = PlaceholderStore::new(state.path(), top.path());
        let wanted = missing(top.path());
        let (a, b) = (one.make(&wanted).unwrap(), one.make(&wanted).unwrap());
        let c = other.make(&wanted).unwrap();
        drop(a);
        drop(b);
        assert_eq!(there(top.path()), 3, "the other program still needs it");
        drop(c);
        assert_eq!(there(top.path()), 0);
        drop(one.make(&wanted).unwrap());
        assert_eq!(there(top.path()), 0);
    }

    #[test]
    fn a_file_that_stands_in_never_has_less_than_all_of_its_text() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("commondir");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    new_file(&path, Placeholder::Here.text()).unwrap();
                    fs::remove_file(&path).unwrap();
                }
                over.store(true, Ordering::Relaxed);
            });
            let mut read = 0;
            while !over.load(Ordering::Relaxed) {
                if let Ok(text) = fs::read_to_string(&path) {
                    assert_eq!(text, Placeholder::Here.text());
                    read += 1;
                }
            }
            assert!(read > 0, "it was never there");
        });
        new_file(&path, "a").unwrap();
        let again = new_file(&path, "b").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(there(top.path()), 1);
    }

    #[test]
    fn what_somebody_put_in_its_place_stays_and_what_a_killed_program_left_goes() {
        let (state, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let wanted = missing(top.path());
        let killed = PlaceholderStore::new(state.path(), top.path());
        let standing = killed.make(&wanted).unwrap();
        // The kernel lets go of the locks of a program that was killed.
        drop(killed.users().lock.take());
        std::mem::forget(standing);
        fs::write(top.path().join(".hive/x"), "").unwrap();
        fs::write(top.path().join("config"), "[core]").unwrap();
        fs::create_dir(top.path().join("own")).unwrap();
        drop(PlaceholderStore::new(state.path(), top.path()).make(&[]).unwrap());
        let mut left: Vec<_> =
            fs::read_dir(top.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".hive", "config", "own"]);
    }
}
