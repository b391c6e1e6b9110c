//! Placeholders: empty files and folders created at missing reserved paths while commands run, so that no
//! command can create them. They are reference-counted over all programs that use the workspace, and
//! removed after the last command of the last program.
//!
//! A journal outside the workspace lists them, so that the next program cleans up after one that was
//! killed.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::Mode;

use super::nameless;
use super::reserved::Placeholder;

/// Mode of a new file before the process mask.
const NEW_FILE_MODE: Mode = Mode::from_bits_retain(0o666);
/// A longer journal is not read.
const MAX_JOURNAL_BYTES: u64 = 4 * 1024 * 1024;

/// The placeholders of one workspace. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct PlaceholderStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    workspace: PathBuf,
    /// The folder for the lock and journal, outside the workspace.
    folder: PathBuf,
    users: Mutex<Users>,
}

#[derive(Debug, Default)]
struct Users {
    count: usize,
    /// Held while a command of this program runs.
    lock: Option<File>,
}

/// A reference of a running command to the placeholders. The last one dropped removes them.
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
    pub fn has_users(&self) -> bool {
        self.users().count > 0
    }

    /// Creates the missing paths; they exist at least as long as the result.
    pub fn create(&self, missing: &[(PathBuf, Placeholder)]) -> io::Result<Placeholders> {
        let mut users = self.users();
        if users.lock.is_none() {
            users.lock = Some(self.acquire()?);
        }
        users.count += 1;
        let placeholders = Placeholders(self.clone());
        let created = self.create_all(missing);
        // Dropping `placeholders` on an error takes the lock again.
        drop(users);
        created.map(|()| placeholders)
    }

    fn acquire(&self) -> io::Result<File> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0.folder)?;
        let lock = self.open("lock")?;
        if lock.try_lock().is_ok() {
            // No other program uses the workspace: the journal is of one that was killed.
            self.remove_all();
            lock.unlock()?;
        }
        lock.lock_shared()?;
        Ok(lock)
    }

    fn release(&self) {
        let mut users = self.users();
        users.count = users.count.saturating_sub(1);
        if users.count > 0 {
            return;
        }
        if let Some(lock) = users.lock.take()
            && lock.unlock().is_ok()
            && lock.try_lock().is_ok()
        {
            self.remove_all();
        }
    }

    fn create_all(&self, missing: &[(PathBuf, Placeholder)]) -> io::Result<()> {
        if missing.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for (path, _) in missing {
            let name = path.as_os_str().as_bytes();
            if name.contains(&b'\n') {
                return Err(io::Error::other("the path of the workspace contains a line break"));
            }
            lines.extend(name);
            lines.push(b'\n');
        }
        // Write the journal before creating anything.
        self.open("made")?.write_all(&lines)?;
        for (path, placeholder) in missing {
            let created = match placeholder {
                Placeholder::Folder => fs::create_dir(path),
                Placeholder::File | Placeholder::CommonDir => create_file(path, placeholder.text()),
            };
            match created {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Removes placeholders that are unchanged. The caller holds the exclusive lock.
    fn remove_all(&self) {
        let journal = self.0.folder.join("made");
        let is_readable = fs::metadata(&journal).is_ok_and(|meta| meta.len() <= MAX_JOURNAL_BYTES);
        let journaled =
            if is_readable { fs::read(&journal).unwrap_or_default() } else { Vec::new() };
        let lines: Vec<&[u8]> = journaled.split(|byte| *byte == b'\n').collect();
        for line in lines.into_iter().rev().filter(|line| !line.is_empty()) {
            let path = Path::new(std::ffi::OsStr::from_bytes(line));
            if !path.starts_with(&self.0.workspace) {
                continue;
            }
            match fs::symlink_metadata(path) {
                // Fails for one that is not empty.
                Ok(meta) if meta.is_dir() => drop(fs::remove_dir(path)),
                Ok(meta) if meta.is_file() && is_unchanged(path, meta.len()) => {
                    drop(fs::remove_file(path));
                }
                Ok(_) | Err(_) => {}
            }
        }
        drop(fs::remove_file(journal));
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        options.open(self.0.folder.join(name))
    }

    fn users(&self) -> MutexGuard<'_, Users> {
        self.0.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a file with this text, atomically where the system can: git may read it at any time.
fn create_file(path: &Path, text: &str) -> io::Result<()> {
    match create_atomically(path, text) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        created => return created,
    }
    let mut new = OpenOptions::new();
    let mut file = new.write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// The file appears with its text. `Unsupported` if that cannot be done here.
fn create_atomically(path: &Path, text: &str) -> io::Result<()> {
    let unsupported = || io::Error::from(io::ErrorKind::Unsupported);
    let parts = path.parent().zip(path.file_name());
    let (folder, name) = parts.ok_or(io::ErrorKind::InvalidInput)?;
    let folder = File::open(folder).map_err(|_| unsupported())?;
    let mut file = nameless::create(&folder, NEW_FILE_MODE).map_err(|_| unsupported())?;
    file.write_all(text.as_bytes())?;
    nameless::give_name(&file, &folder, name).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists { error } else { unsupported() }
    })
}

fn is_unchanged(path: &Path, length: u64) -> bool {
    let here = Placeholder::CommonDir.text();
    let as_made = length == here.len() as u64
        && path.file_name().is_some_and(|name| name == "commondir")
        && fs::read_to_string(path).is_ok_and(|text| text == here);
    length == 0 || as_made
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        self.0.release();
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
            ("commondir", Placeholder::CommonDir),
        ]
        .map(|(name, placeholder)| (top.join(name), placeholder))
        .to_vec()
    }

    fn count_entries(top: &Path) -> usize {
        fs::read_dir(top).unwrap().count()
    }

    #[test]
    fn placeholders_are_removed_after_the_last_command_of_the_last_program() {
        let (state, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let one = PlaceholderStore::new(state.path(), top.path());
        let other = PlaceholderStore::new(state.path(), top.path());
        let paths = missing(top.path());
        let (a, b) = (one.create(&paths).unwrap(), one.create(&paths).unwrap());
        let c = other.create(&paths).unwrap();
        drop(a);
        drop(b);
        assert_eq!(count_entries(top.path()), 3, "the other program still needs it");
        drop(c);
        assert_eq!(count_entries(top.path()), 0);
        drop(one.create(&paths).unwrap());
        assert_eq!(count_entries(top.path()), 0);
    }

    #[test]
    fn a_placeholder_file_appears_with_its_complete_text() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("commondir");
        let (is_done, was_read) = (AtomicBool::new(false), AtomicBool::new(false));
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // On a busy machine the reader may get its turn late.
                let goes_on =
                    || !was_read.load(Ordering::Relaxed) && std::time::Instant::now() < deadline;
                for _ in (0..).take_while(|round| *round < 2_000 || goes_on()) {
                    create_file(&path, Placeholder::CommonDir.text()).unwrap();
                    fs::remove_file(&path).unwrap();
                }
                is_done.store(true, Ordering::Relaxed);
            });
            while !is_done.load(Ordering::Relaxed) {
                if let Ok(text) = fs::read_to_string(&path) {
                    assert_eq!(text, Placeholder::CommonDir.text());
                    was_read.store(true, Ordering::Relaxed);
                }
            }
        });
        assert!(was_read.into_inner(), "it was never there");
        create_file(&path, "a").unwrap();
        let again = create_file(&path, "b").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(count_entries(top.path()), 1);
    }

    #[test]
    fn changed_placeholders_stay_and_those_of_a_killed_program_are_removed() {
        let (state, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let paths = missing(top.path());
        let killed = PlaceholderStore::new(state.path(), top.path());
        let placeholders = killed.create(&paths).unwrap();
        // The kernel releases the locks of a killed program.
        drop(killed.users().lock.take());
        std::mem::forget(placeholders);
        fs::write(top.path().join(".hive/x"), "").unwrap();
        fs::write(top.path().join("config"), "[core]").unwrap();
        fs::create_dir(top.path().join("own")).unwrap();
        drop(PlaceholderStore::new(state.path(), top.path()).create(&[]).unwrap());
        let mut left: Vec<_> =
            fs::read_dir(top.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        left.sort_unstable();
        assert_eq!(left, [".hive", "config", "own"]);
    }
}
