//! The private folder of one run of the program. Commands see part of it as `/tmp` and share it. It lies
//! on disk outside of every workspace and is removed at the end; the next run removes that of a killed
//! program.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::removal;

/// Prefix of the names of these folders.
const RUN_PREFIX: &str = "run-";
const LOCK: &str = "lock";
/// Attempts to find a free name.
const MAX_TRIES: u32 = 1_000;

/// Dropping it removes the folder.
#[derive(Debug)]
pub(super) struct Session {
    folder: PathBuf,
    /// Held while this program runs.
    _lock: File,
}

impl Session {
    pub fn create(state: &Path, home: Option<&Path>) -> io::Result<Self> {
        let top = state.join("sandbox");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&top)?;
        // Held until the new folder is locked: unlocked folders are removed as stale.
        let all = open_lock(&top)?;
        all.lock()?;
        remove_stale(&top);
        let folder = new_folder(&top)?;
        let lock = open_lock(&folder)?;
        lock.lock()?;
        drop(all);
        let session = Self { folder, _lock: lock };
        fs::DirBuilder::new().mode(0o700).create(session.tmp())?;
        for empty in [session.closed_folder(), session.pins()] {
            fs::DirBuilder::new().mode(0o0).create(empty)?;
        }
        OpenOptions::new().write(true).create_new(true).mode(0o0).open(session.closed_file())?;
        let user_config = home.and_then(|home| fs::read_to_string(home.join(".gitconfig")).ok());
        fs::write(session.git_settings(), user_section(&user_config.unwrap_or_default()))?;
        Ok(session)
    }

    pub fn tmp(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// An empty folder, and an empty file, that cannot be opened: they stand in for hidden paths.
    pub fn closed_folder(&self) -> PathBuf {
        self.folder.join("closed")
    }

    pub fn closed_file(&self) -> PathBuf {
        self.folder.join("closed-file")
    }

    /// An empty folder: each command has its hidden copy of the workspace mounted there.
    pub fn pins(&self) -> PathBuf {
        self.folder.join("pins")
    }

    /// Returns a git configuration with the name and email of the user, and nothing else.
    pub fn git_settings(&self) -> PathBuf {
        self.folder.join("gitconfig")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The next run, which checks the lock, removes the rest.
        if removal::remove(&self.tmp()).is_ok() {
            let _ = removal::remove(&self.folder);
        }
    }
}

fn new_folder(top: &Path) -> io::Result<PathBuf> {
    let own = std::process::id();
    for n in 0..MAX_TRIES {
        let folder = top.join(format!("{RUN_PREFIX}{own}-{n}"));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::Error::other("no name for a private folder is free"))
}

fn open_lock(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    options.open(folder.join(LOCK))
}

/// Removes the folders of killed programs.
fn remove_stale(top: &Path) {
    for entry in fs::read_dir(top).into_iter().flatten().flatten() {
        let folder = entry.path();
        let ours = entry.file_name().to_string_lossy().starts_with(RUN_PREFIX);
        // A folder without a lock file is being created.
        if ours
            && let Ok(lock) = File::open(folder.join(LOCK))
            && lock.try_lock().is_ok()
        {
            let _ = removal::remove(&folder);
        }
    }
}

/// The `[user]` section with name and email. Other settings may contain URLs with credentials.
fn user_section(settings: &str) -> String {
    let mut section = String::new();
    let mut section_text = String::from("[user]\n");
    for line in settings.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix('[') {
            section = rest.trim_end_matches(']').trim().to_ascii_lowercase();
        } else if section == "user"
            && let Some((key, _)) = line.split_once('=')
            && ["name", "email"].contains(&key.trim().to_ascii_lowercase().as_str())
            && !line.ends_with('\\')
        {
            section_text.push_str(&format!("\t{line}\n"));
        }
    }
    section_text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_folders_are_removed_at_the_end_and_those_of_a_killed_program_by_the_next_run() {
        let state = tempfile::tempdir().unwrap();
        let runs =
            |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(RUN_PREFIX);
        let count = || {
            let entries = fs::read_dir(state.path().join("sandbox")).unwrap();
            entries.filter(|entry| runs(entry.as_ref().unwrap())).count()
        };
        let session = Session::create(state.path(), None).unwrap();
        fs::write(session.tmp().join("x"), "").unwrap();
        let other = Session::create(state.path(), None).unwrap();
        assert_eq!(count(), 2, "a program that runs keeps its folder");
        drop((session, other));
        assert_eq!(count(), 0);
        let leftover = state.path().join("sandbox/run-1-0");
        fs::create_dir(&leftover).unwrap();
        fs::write(leftover.join(LOCK), "").unwrap();
        drop(Session::create(state.path(), None).unwrap());
        assert_eq!(count(), 0);
    }

    #[test]
    fn programs_that_start_at_once_do_not_remove_each_others_folders() {
        let state = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let session = Session::create(state.path(), None).unwrap();
                        assert!(session.tmp().is_dir() && session.git_settings().is_file());
                    }
                });
            }
        });
    }

    #[test]
    fn only_name_and_email_of_the_git_settings_are_passed_on() {
        let settings = "[core]\n\tpager = less\n[user]\n  name = Ada L\n\temail=a@b\n\tsigningkey = k\n\
                        [url \"https://token@host/\"]\n\tinsteadOf = https://host/\n";
        assert_eq!(user_section(settings), "[user]\n\tname = Ada L\n\temail=a@b\n");
        assert_eq!(user_section(""), "[user]\n");
    }
}
