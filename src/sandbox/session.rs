//! The private folders of one run of the program: what commands see as `/tmp`, so that one command finds
//! what another one wrote. They lie on disk, outside of every workspace, and go at the end; what a program
//! that was killed left is removed by the next one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Beginning of the names of these folders.
const RUN: &str = "run-";
const LOCK: &str = "lock";
/// Tries for a name that nobody has.
const MAX_TRIES: u32 = 1_000;

/// The folders. Dropped, they are gone.
#[derive(Debug)]
pub(super) struct Session {
    folder: PathBuf,
    /// Held as long as this program runs.
    _lock: File,
}

impl Session {
    pub fn begin(state: &Path, home: Option<&Path>) -> io::Result<Self> {
        let top = state.join("sandbox");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&top)?;
        // Held until this one has its own lock: a folder whose lock nobody holds is removed.
        let all = open_lock(&top)?;
        all.lock()?;
        remove_left(&top);
        let folder = new_folder(&top)?;
        let lock = open_lock(&folder)?;
        lock.lock()?;
        drop(all);
        let session = Self { folder, _lock: lock };
        fs::DirBuilder::new().mode(0o700).create(session.tmp())?;
        let person = home.and_then(|home| fs::read_to_string(home.join(".gitconfig")).ok());
        fs::write(session.git_settings(), who(&person.unwrap_or_default()))?;
        Ok(session)
    }

    pub fn tmp(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// A file of settings for git that says who the person is, and nothing else.
    pub fn git_settings(&self) -> PathBuf {
        self.folder.join("gitconfig")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next program.
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn new_folder(top: &Path) -> io::Result<PathBuf> {
    let own = std::process::id();
    for n in 0..MAX_TRIES {
        let folder = top.join(format!("{RUN}{own}-{n}"));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::Error::other("no name for a private folder is free"))
}

fn open_lock(folder: &Path) -> io::Result<File> {
    let mut how = OpenOptions::new();
    how.append(true).create(true).mode(0o600);
    how.open(folder.join(LOCK))
}

/// Removes the folders of programs that are gone.
fn remove_left(top: &Path) {
    for entry in fs::read_dir(top).into_iter().flatten().flatten() {
        let folder = entry.path();
        let ours = entry.file_name().to_string_lossy().starts_with(RUN);
        // One that has no lock yet is being made.
        if ours
            && let Ok(lock) = File::open(folder.join(LOCK))
            && lock.try_lock().is_ok()
        {
            drop(fs::remove_dir_all(folder));
        }
    }
}

/// Name and address of the person. Other settings may hold addresses with keys in them.
fn who(settings: &str) -> String {
    let mut section = String::new();
    let mut said = String::from("[user]\n");
    for line in settings.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            section = rest.trim_end_matches(']').trim().to_ascii_lowercase();
        } else if section == "user"
            && let Some((key, _)) = line.split_once('=')
            && ["name", "email"].contains(&key.trim().to_ascii_lowercase().as_str())
            && !line.ends_with('\\')
        {
            said.push_str(&format!("\t{line}\n"));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_private_folders_go_at_the_end_and_those_of_a_killed_program_with_the_next() {
        let state = tempfile::tempdir().unwrap();
        let runs = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(RUN);
        let count = || {
            let entries = fs::read_dir(state.path().join("sandbox")).unwrap();
            entries.filter(|entry| runs(entry.as_ref().unwrap())).count()
        };
        let session = Session::begin(state.path(), None).unwrap();
        fs::write(session.tmp().join("x"), "").unwrap();
        let other = Session::begin(state.path(), None).unwrap();
        assert_eq!(count(), 2, "a program that runs keeps its folder");
        drop((session, other));
        assert_eq!(count(), 0);
        let left = state.path().join("sandbox/run-1-0");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        drop(Session::begin(state.path(), None).unwrap());
        assert_eq!(count(), 0);
    }

    #[test]
    fn programs_that_start_at_the_same_moment_leave_each_other_their_folders() {
        let state = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let session = Session::begin(state.path(), None).unwrap();
                        assert!(session.tmp().is_dir() && session.git_settings().is_file());
                    }
                });
            }
        });
    }

    #[test]
    fn of_the_settings_for_git_only_the_person_is_passed_on() {
        let settings = "[core]\n\tpager = less\n[user]\n  name = Ada L\n\temail=a@b\n\tsigningkey = k\n\
                        [url \"https://token@host/\"]\n\tinsteadOf = https://host/\n";
        assert_eq!(who(settings), "[user]\n\tname = Ada L\n\temail=a@b\n");
        assert_eq!(who(""), "[user]\n");
    }
}
