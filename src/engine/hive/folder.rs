//! The folder `.hive`: who may read it, and what is refused before anything in it is opened.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::fault::StoreFault;
use crate::domain::safety::ownership::distrust;
use crate::minds::STORE_FOLDER as PATH;

pub(super) const DATABASE: &str = "hive.db";
/// Files that SQLite puts beside the database.
pub(super) const BESIDE: [&str; 3] = ["hive.db-wal", "hive.db-shm", "hive.db-journal"];
/// The random name of the store that was made here.
const SEAT: &str = "seat";
const IGNORE: &str = ".gitignore";
/// Changes of the teams that are not over, where others may write to the store.
const CHANGES: &str = "changes";
/// SQLite takes a shorter file for an empty one: sqlite.org/fileformat.html, the smallest page.
const SHORTEST_DATABASE: u64 = 512;
const SEAT_BYTES: u64 = 64;
/// Timeout for another process that names a store, and the pause between two tries.
const LOCK_LIMIT: Duration = Duration::from_secs(5);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The folder of one workspace.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

/// Whether there is a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreState {
    Missing,
    /// A store with this name; empty if it has none.
    There {
        seat: String,
    },
}

impl Folder {
    #[must_use]
    pub fn of(workspace: &Path) -> Self {
        Self(workspace.join(PATH))
    }

    /// Reads names only: nothing of the database.
    #[must_use]
    pub fn state(&self) -> StoreState {
        // SQLite would also read what lies beside a database that is not there yet.
        let is_there = |name: &str| {
            let about = fs::symlink_metadata(self.0.join(name));
            !about.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        if !std::iter::once(DATABASE).chain(BESIDE).any(is_there) {
            return StoreState::Missing;
        }
        StoreState::There { seat: self.seat().unwrap_or_default() }
    }

    pub(super) fn database(&self) -> PathBuf {
        self.0.join(DATABASE)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn seat(&self) -> Option<String> {
        let file = self.0.join(SEAT);
        if !fs::symlink_metadata(&file).is_ok_and(|about| about.is_file()) {
            return None;
        }
        let mut text = String::new();
        File::open(file).ok()?.take(SEAT_BYTES).read_to_string(&mut text).ok()?;
        let seat = text.trim();
        let is_one = !seat.is_empty() && seat.bytes().all(|b| b.is_ascii_hexdigit());
        is_one.then(|| seat.to_owned())
    }

    /// Makes the folder with the name of the store to be, unless it has one. Returns the name it has.
    ///
    /// # Errors
    /// Something in it is a link, or cannot be made or closed to others.
    pub(super) fn prepare(&self, seat: &str) -> Result<String, StoreFault> {
        self.make()?;
        let length = fs::metadata(self.database()).map_or(0, |about| about.len());
        if (1..SHORTEST_DATABASE).contains(&length) {
            return Err(StoreFault::Damaged(format!("it has only {length} bytes")));
        }
        self.write_seat(seat)
    }

    /// Keeps others from naming the store as long as the result lives. May block for some seconds.
    pub(super) fn lock(&self) -> Result<File, StoreFault> {
        let path = self.0.join(IGNORE);
        let file = File::open(&path).map_err(|error| io_fault(&path, error))?;
        let late = Instant::now() + LOCK_LIMIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < late => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(StoreFault::Busy),
                Err(TryLockError::Error(error)) => return Err(io_fault(&path, error)),
            }
        }
    }

    /// Names the store to be, unless it has a name. Returns the name it has.
    pub(super) fn write_seat(&self, seat: &str) -> Result<String, StoreFault> {
        self.write_once(SEAT, &format!("{seat}\n"))?;
        Ok(self.seat().unwrap_or_default())
    }

    /// Removes the name of the store.
    pub(super) fn forget_seat(&self) -> Result<(), StoreFault> {
        let file = self.0.join(SEAT);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_fault(&file, error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Notes a change of the teams that begins here, by the hash of what undoes or finishes it.
    pub(super) fn note_change(&self, id: &str, hash: &str) -> Result<(), StoreFault> {
        self.make()?;
        let folder = self.0.join(CHANGES);
        let made = DirBuilder::new().mode(0o700).create(&folder);
        if let Err(error) = made
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(io_fault(&folder, error));
        }
        if !fs::symlink_metadata(&folder).is_ok_and(|about| about.is_dir()) {
            return Err(StoreFault::Link(folder));
        }
        self.write_once(&format!("{CHANGES}/{id}"), hash)
    }

    /// True if that change was begun here.
    pub(super) fn knows_change(&self, id: &str, hash: &str) -> bool {
        let file = self.0.join(CHANGES).join(id);
        let is_one = !id.is_empty() && id.bytes().all(|b| b.is_ascii_hexdigit());
        is_one
            && fs::symlink_metadata(&file).is_ok_and(|about| about.is_file())
            && fs::read_to_string(file).is_ok_and(|known| known == hash)
    }

    /// Forgets all changes: they are over.
    pub(super) fn forget_changes(&self) {
        for file in fs::read_dir(self.0.join(CHANGES)).into_iter().flatten().flatten() {
            // A file that stays does no harm.
            let _ = fs::remove_file(file.path());
        }
    }

    /// Makes the folder, closed to others.
    ///
    /// # Errors
    /// The same, but for what is in the files.
    pub(super) fn make(&self) -> Result<(), StoreFault> {
        let made = DirBuilder::new().mode(0o700).create(&self.0);
        if let Err(error) = made
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(io_fault(&self.0, error));
        }
        let about = about_folder(&self.0)?;
        // A folder that others could write is closed first: files they put there are then found by their owner.
        if about.permissions().mode() & 0o077 != 0 {
            let closed = Permissions::from_mode(0o700);
            fs::set_permissions(&self.0, closed).map_err(|error| io_fault(&self.0, error))?;
        }
        check_files(&self.0)?;
        self.write_once(IGNORE, "*\n")
    }

    /// Makes the file of the database, for SQLite to fill, unless it is there.
    pub(super) fn make_database(&self) -> Result<(), StoreFault> {
        self.write_once(DATABASE, "")
    }

    /// Writes a file that only this user can read, unless it is there.
    fn write_once(&self, name: &str, text: &str) -> Result<(), StoreFault> {
        let path = self.0.join(name);
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            Err(error) => return Err(io_fault(&path, error)),
        };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| io_fault(&path, error))
    }
}

/// The metadata of the folder; an error if it is a link or no folder.
fn about_folder(folder: &Path) -> Result<Metadata, StoreFault> {
    let about = fs::symlink_metadata(folder).map_err(|error| io_fault(folder, error))?;
    if about.is_dir() { Ok(about) } else { Err(StoreFault::Link(folder.to_owned())) }
}

/// Refuses a file that others may have written. For root, the owner of the workspace may have written it.
fn check_trust(folder: &Path, path: &Path, about: &Metadata) -> Result<(), StoreFault> {
    let own = rustix::process::geteuid();
    let owner = folder.parent().filter(|_| own.is_root()).and_then(|top| fs::metadata(top).ok());
    let is_of_owner = owner.is_some_and(|owner| distrust(about, owner.uid()).is_none());
    match distrust(about, own.as_raw()).filter(|_| !is_of_owner) {
        Some(why) => Err(StoreFault::Distrusted { path: path.to_owned(), why }),
        None => Ok(()),
    }
}

/// Neither the folder nor a file that belongs to it is a link, or may be written by others.
pub(super) fn check_files(folder: &Path) -> Result<(), StoreFault> {
    check_trust(folder, folder, &about_folder(folder)?)?;
    for name in [DATABASE, SEAT, IGNORE].into_iter().chain(BESIDE) {
        let path = folder.join(name);
        if let Some(about) = check_file(&path)? {
            check_trust(folder, &path, &about)?;
        }
    }
    Ok(())
}

/// Runs work that blocks on the disk.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreFault> + Send + 'static,
) -> Result<T, StoreFault> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(StoreFault::Ended))
}

/// The metadata of a file with one name; `None` if it is missing. A link is an error.
pub(super) fn check_file(path: &Path) -> Result<Option<Metadata>, StoreFault> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() && about.nlink() == 1 => Ok(Some(about)),
        Ok(_) => Err(StoreFault::Link(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_fault(path, error)),
    }
}

pub(super) fn io_fault(path: &Path, error: io::Error) -> StoreFault {
    StoreFault::Io { path: path.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, symlink};

    #[test]
    fn the_folder_is_closed_to_others_and_ignored_by_git() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::of(dir.path());
        assert_eq!(folder.state(), StoreState::Missing);
        assert_eq!(folder.prepare("ab12").unwrap(), "ab12");
        assert_eq!(folder.state(), StoreState::Missing, "a name is no store");
        folder.make_database().unwrap();
        assert_eq!(folder.state(), StoreState::There { seat: "ab12".to_owned() });
        let mode = |name: &str| {
            fs::metadata(dir.path().join(PATH).join(name)).unwrap().permissions().mode() & 0o777
        };
        assert_eq!([mode(""), mode(DATABASE), mode(SEAT)], [0o700, 0o600, 0o600]);
        assert_eq!(fs::read_to_string(dir.path().join(".hive/.gitignore")).unwrap(), "*\n");
        assert_eq!(folder.prepare("cd34").unwrap(), "ab12", "it stays");
    }

    #[test]
    fn a_folder_that_others_may_enter_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(PATH);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        Folder::of(dir.path()).prepare("ab").unwrap();
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn no_link_is_followed() {
        for name in [DATABASE, SEAT, IGNORE, "hive.db-wal", "hive.db-shm", "hive.db-journal"] {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join(PATH)).unwrap();
            let target = dir.path().join("target");
            fs::write(&target, "kept").unwrap();
            let path = dir.path().join(PATH).join(name);
            symlink(&target, &path).unwrap();
            let refused = Folder::of(dir.path()).prepare("ab");
            assert!(matches!(refused, Err(StoreFault::Link(_))), "{name}: {refused:?}");
            fs::remove_file(&path).unwrap();
            fs::hard_link(&target, &path).unwrap();
            let refused = Folder::of(dir.path()).prepare("ab");
            assert!(matches!(refused, Err(StoreFault::Link(_))), "{name}: {refused:?}");
            assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
        }
        let dir = tempfile::tempdir().unwrap();
        symlink(std::env::temp_dir(), dir.path().join(PATH)).unwrap();
        assert!(matches!(Folder::of(dir.path()).prepare("ab"), Err(StoreFault::Link(_))));
    }

    #[test]
    fn a_file_that_others_may_write_or_own_is_not_used() {
        for name in [DATABASE, SEAT, IGNORE, "hive.db-wal"] {
            let dir = tempfile::tempdir().unwrap();
            let folder = Folder::of(dir.path());
            folder.prepare("ab").unwrap();
            let path = dir.path().join(PATH).join(name);
            if !path.exists() {
                fs::write(&path, "").unwrap();
            }
            let refused = || match folder.prepare("ab") {
                Err(fault @ StoreFault::Distrusted { .. }) => {
                    format!("{} {}", fault.text(), fault.problem().unwrap())
                }
                other => panic!("{name}: {other:?}"),
            };
            fs::set_permissions(&path, Permissions::from_mode(0o646)).unwrap();
            let text = refused();
            assert!(text.contains(name) && text.contains("chmod go-w"), "{text}");
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            folder.prepare("ab").unwrap();
            if chown(&path, Some(12_345), None).is_err() {
                eprintln!("SKIPPED: only the administrator gives files away");
                continue;
            }
            assert!(refused().contains("belongs to user 12345"), "{name}");
            // The administrator works in a workspace of that user.
            chown(dir.path(), Some(12_345), None).unwrap();
            folder.prepare("ab").unwrap();
        }
    }

    #[test]
    fn a_database_that_was_cut_is_not_taken_for_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::of(dir.path());
        folder.prepare("ab").unwrap();
        for (length, is_damaged) in [(0, false), (1, true), (511, true), (512, false)] {
            fs::write(folder.database(), "x".repeat(length)).unwrap();
            let refused = folder.prepare("ab");
            assert_eq!(matches!(refused, Err(StoreFault::Damaged(_))), is_damaged, "{refused:?}");
        }
    }

    #[test]
    fn a_store_without_a_usable_name_has_none() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(PATH)).unwrap();
        let folder = Folder::of(dir.path());
        fs::write(dir.path().join(PATH).join("hive.db-wal"), "").unwrap();
        let none = StoreState::There { seat: String::new() };
        assert_eq!(folder.state(), none);
        for text in ["", "not one", "ab\0"] {
            fs::write(dir.path().join(PATH).join(SEAT), text).unwrap();
            assert_eq!(folder.state(), none, "{text:?}");
        }
    }
}
