//! Placeholders: empty files and folders created at missing reserved paths while commands run, so that no
//! command can create them. They are reference-counted over all programs that use the workspace, and
//! removed after the last command of the last program.
//!
//! A journal outside the workspace lists them. After a program that was killed a second process removes them, which
//! waits for its end; or the next program, where that was killed, too.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags, fstat, mkdirat, openat, statat};

use super::beneath::{Object, ObjectId, ObjectKind, Root};
use super::config::{HELPER_NAME, SWEEP};
use super::nameless;
use super::reserved::{Missing, Placeholder};

/// Modes of new files and folders before the process mask.
const NEW_FILE_MODE: Mode = Mode::from_bits_retain(0o666);
const NEW_FOLDER_MODE: Mode = Mode::from_bits_retain(0o777);
/// The time for commands of a killed program to end before its placeholders are removed.
const COMMANDS_END: Duration = Duration::from_millis(300);
const JOURNAL: &str = "made";
/// A longer journal is not read.
const MAX_JOURNAL_BYTES: u64 = 4 * 1024 * 1024;

/// The placeholders of one workspace. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct PlaceholderStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    workspace: PathBuf,
    /// The folder of states, which the lock and the journal are in, outside the workspace.
    state: PathBuf,
    folder: PathBuf,
    users: Mutex<Users>,
}

#[derive(Debug, Default)]
struct Users {
    count: usize,
    /// Held while a command of this program runs.
    lock: Option<File>,
    /// Closed when this process ends: then the sweeper removes the rest.
    sweeper: Option<ChildStdin>,
}

/// A reference of a running command to the placeholders. The last one dropped removes them.
#[derive(Debug)]
pub struct Placeholders(PlaceholderStore);

impl PlaceholderStore {
    pub fn new(state: &Path, workspace: &Path) -> Self {
        let mut hasher = DefaultHasher::new();
        workspace.hash(&mut hasher);
        let folder = state.join("sandbox").join(format!("{:016x}", hasher.finish()));
        let (state, workspace) = (state.to_owned(), workspace.to_owned());
        Self(Arc::new(Inner { workspace, state, folder, users: Mutex::default() }))
    }

    /// Starts the sweeper, once: this program as a second process. Without it the next program removes the rest.
    pub fn keep_swept(&self, program: &Path) {
        let mut users = self.users();
        if users.sweeper.is_some() {
            return;
        }
        let mut sweeper = Command::new(program);
        sweeper.args([HELPER_NAME, SWEEP]).args([&self.0.state, &self.0.workspace]);
        sweeper.env_clear().current_dir("/").process_group(0);
        let started =
            sweeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        users.sweeper = started.ok().and_then(|mut child| child.stdin.take());
    }

    /// Runs the sweeper: waits for the end of the other process, and removes its placeholders.
    pub fn sweep_after(&self, mut other: impl io::Read) {
        while matches!(other.read(&mut [0; 64]), Ok(1..)) {}
        if self.0.folder.join(JOURNAL).exists() {
            std::thread::sleep(COMMANDS_END);
            // Another user of the workspace removes it afterwards.
            drop(self.acquire());
        }
    }

    /// True while a command of this program runs.
    pub fn has_users(&self) -> bool {
        self.users().count > 0
    }

    /// Creates the missing paths; they exist at least as long as the result. Returns the objects there now.
    pub fn create(
        &self,
        root: &Root,
        missing: &[Missing],
    ) -> io::Result<(Placeholders, BTreeMap<PathBuf, ObjectId>)> {
        let mut users = self.users();
        if users.lock.is_none() {
            users.lock = Some(self.acquire()?);
        }
        users.count += 1;
        let placeholders = Placeholders(self.clone());
        let created = self.create_all(root, missing);
        // Dropping `placeholders` on an error takes the lock again.
        drop(users);
        created.map(|made| (placeholders, made))
    }

    fn acquire(&self) -> io::Result<File> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0.folder)?;
        let lock = self.open("lock")?;
        if lock.try_lock().is_ok() {
            // No other program uses the workspace: the journal belongs to a killed program.
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

    fn create_all(
        &self,
        root: &Root,
        missing: &[Missing],
    ) -> io::Result<BTreeMap<PathBuf, ObjectId>> {
        if missing.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut lines = Vec::new();
        for one in missing {
            let name = one.path.as_os_str().as_bytes();
            if name.contains(&b'\n') {
                return Err(io::Error::other("a path in the workspace contains a line break"));
            }
            lines.extend(name);
            lines.push(b'\n');
        }
        // Write the journal before creating anything.
        self.open(JOURNAL)?.write_all(&lines)?;
        missing.iter().map(|one| Ok((one.path.clone(), create_one(root, one)?))).collect()
    }

    /// Removes placeholders that are unchanged. The caller holds the exclusive lock.
    fn remove_all(&self) {
        let journal = self.0.folder.join(JOURNAL);
        let is_readable = fs::metadata(&journal).is_ok_and(|meta| meta.len() <= MAX_JOURNAL_BYTES);
        let journaled =
            if is_readable { fs::read(&journal).unwrap_or_default() } else { Vec::new() };
        let Ok(root) = Root::open(&self.0.workspace) else { return };
        let lines: Vec<&[u8]> = journaled.split(|byte| *byte == b'\n').collect();
        for line in lines.into_iter().rev().filter(|line| !line.is_empty()) {
            let path = Path::new(std::ffi::OsStr::from_bytes(line));
            if !path.starts_with(&self.0.workspace) {
                continue;
            }
            let Ok(Some(object)) = root.look(path) else { continue };
            match object.kind {
                // Fails for a folder that is not empty.
                ObjectKind::Folder => drop(root.remove(path, true)),
                ObjectKind::File if is_unchanged(&root, path, object.length) => {
                    drop(root.remove(path, false));
                }
                ObjectKind::File | ObjectKind::Link | ObjectKind::Other => {}
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

/// Creates one in the folder that was judged; returns the object that is there now. A link is not accepted.
fn create_one(root: &Root, missing: &Missing) -> io::Result<ObjectId> {
    let changed = || {
        let path = missing.path.display();
        io::Error::other(format!("{path}: its folder was exchanged meanwhile"))
    };
    let (folder, name) = root.parent(&missing.path)?.ok_or_else(changed)?;
    if ObjectId::of(&fstat(&folder)?) != missing.folder {
        return Err(changed());
    }
    let created = match missing.placeholder {
        Placeholder::Folder => mkdirat(&folder, name, NEW_FOLDER_MODE).map_err(io::Error::from),
        Placeholder::File | Placeholder::CommonDir => {
            create_file(&folder, name, missing.placeholder.text())
        }
    };
    match created {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let object = Object::of(&statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?);
    if object.kind == ObjectKind::Link { Err(changed()) } else { Ok(object.id) }
}

/// Creates a file with this text, atomically where the system can: git may read it at any time.
fn create_file(folder: &OwnedFd, name: &OsStr, text: &str) -> io::Result<()> {
    match create_atomically(folder, name, text) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        created => return created,
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, name, flags, NEW_FILE_MODE)?);
    file.write_all(text.as_bytes())
}

/// The file appears with its text. `Unsupported` if that cannot be done here.
fn create_atomically(folder: &OwnedFd, name: &OsStr, text: &str) -> io::Result<()> {
    let unsupported = || io::Error::from(io::ErrorKind::Unsupported);
    let open = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let folder = openat(folder, c".", open, Mode::empty()).map_err(|_| unsupported())?;
    let mut file = nameless::create(&folder, NEW_FILE_MODE).map_err(|_| unsupported())?;
    file.write_all(text.as_bytes())?;
    nameless::give_name(&file, folder.as_fd(), name).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists { error } else { unsupported() }
    })
}

fn is_unchanged(root: &Root, path: &Path, length: u64) -> bool {
    let here = Placeholder::CommonDir.text();
    let as_made = length == here.len() as u64
        && path.file_name().is_some_and(|name| name == "commondir")
        && root
            .read(path, length + 1)
            .is_ok_and(|read| read.is_some_and(|(text, _)| text == here.as_bytes()));
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

    fn workspace() -> (tempfile::TempDir, Root) {
        let top = tempfile::tempdir().unwrap();
        let root = Root::open(&fs::canonicalize(top.path()).unwrap()).unwrap();
        (top, root)
    }

    fn missing(root: &Root) -> Vec<Missing> {
        let folder = root.id().unwrap();
        [
            (".hive", Placeholder::Folder),
            ("config", Placeholder::File),
            ("commondir", Placeholder::CommonDir),
        ]
        .map(|(name, placeholder)| Missing { path: root.path().join(name), folder, placeholder })
        .to_vec()
    }

    fn count_entries(top: &Path) -> usize {
        fs::read_dir(top).unwrap().count()
    }

    #[test]
    fn placeholders_are_removed_after_the_last_command_of_the_last_program() {
        let (state, (top, root)) = (tempfile::tempdir().unwrap(), workspace());
        let one = PlaceholderStore::new(state.path(), root.path());
        let other = PlaceholderStore::new(state.path(), root.path());
        let paths = missing(&root);
        let (a, b) = (one.create(&root, &paths).unwrap(), one.create(&root, &paths).unwrap());
        let c = other.create(&root, &paths).unwrap();
        assert_eq!(a.1, c.1, "the same things are there");
        drop(a);
        drop(b);
        assert_eq!(count_entries(top.path()), 3, "the other program still needs it");
        drop(c);
        assert_eq!(count_entries(top.path()), 0);
        drop(one.create(&root, &paths).unwrap());
        assert_eq!(count_entries(top.path()), 0);
    }

    #[test]
    fn a_placeholder_file_appears_with_its_complete_text() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("commondir");
        let folder = OwnedFd::from(File::open(top.path()).unwrap());
        let make = |text| create_file(&folder, OsStr::new("commondir"), text);
        let (is_done, was_read) = (AtomicBool::new(false), AtomicBool::new(false));
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // On a busy machine the reader may be scheduled late.
                let goes_on =
                    || !was_read.load(Ordering::Relaxed) && std::time::Instant::now() < deadline;
                for _ in (0..).take_while(|round| *round < 2_000 || goes_on()) {
                    make(Placeholder::CommonDir.text()).unwrap();
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
        make("a").unwrap();
        let again = make("b").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(count_entries(top.path()), 1);
    }

    #[test]
    fn what_a_killed_program_left_is_removed_once_it_has_ended() {
        let (state, (top, root)) = (tempfile::tempdir().unwrap(), workspace());
        let killed = PlaceholderStore::new(state.path(), root.path());
        let (placeholders, _) = killed.create(&root, &missing(&root)).unwrap();
        let (input, other) = io::pipe().unwrap();
        std::thread::scope(|scope| {
            let sweeper = PlaceholderStore::new(state.path(), root.path());
            let swept = scope.spawn(move || sweeper.sweep_after(input));
            assert_eq!(count_entries(top.path()), 3);
            drop(killed.users().lock.take());
            std::mem::forget(placeholders);
            drop(other);
            swept.join().unwrap();
        });
        assert_eq!(count_entries(top.path()), 0);
    }

    #[test]
    fn changed_placeholders_stay_and_those_of_a_killed_program_are_removed() {
        let (state, (top, root)) = (tempfile::tempdir().unwrap(), workspace());
        let paths = missing(&root);
        let killed = PlaceholderStore::new(state.path(), root.path());
        let (placeholders, _) = killed.create(&root, &paths).unwrap();
        // The kernel releases the locks of a killed program.
        drop(killed.users().lock.take());
        std::mem::forget(placeholders);
        fs::write(top.path().join(".hive/x"), "").unwrap();
        fs::write(top.path().join("config"), "[core]").unwrap();
        fs::create_dir(top.path().join("own")).unwrap();
        drop(PlaceholderStore::new(state.path(), root.path()).create(&root, &[]).unwrap());
        let mut left: Vec<_> =
            fs::read_dir(top.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        left.sort_unstable();
        assert_eq!(left, [".hive", "config", "own"]);
    }

    #[test]
    fn nothing_is_made_or_removed_through_a_folder_that_was_exchanged() {
        let (state, (top, root)) = (tempfile::tempdir().unwrap(), workspace());
        let at = |name: &str| top.path().join(name);
        fs::create_dir_all(at("sub")).unwrap();
        fs::create_dir_all(at("elsewhere")).unwrap();
        let path = root.path().join("sub/config");
        let folder = root.look(&root.path().join("sub")).unwrap().unwrap().id;
        let store = PlaceholderStore::new(state.path(), root.path());
        let paths = [Missing { path, folder, placeholder: Placeholder::File }];
        let (made, _) = store.create(&root, &paths).unwrap();
        fs::rename(at("sub"), at("kept")).unwrap();
        fs::write(at("elsewhere/config"), "").unwrap();
        std::os::unix::fs::symlink("elsewhere", at("sub")).unwrap();
        drop(made);
        assert!(at("elsewhere/config").exists(), "what is behind a link is not ours");
        fs::remove_file(at("elsewhere/config")).unwrap();
        assert!(store.create(&root, &paths).is_err());
        fs::remove_file(at("sub")).unwrap();
        fs::rename(at("elsewhere"), at("sub")).unwrap();
        assert!(store.create(&root, &paths).is_err(), "it is another folder");
        assert!(!at("sub/config").exists());
    }
}
