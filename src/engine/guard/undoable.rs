//! Files that are created and removed by something that can be undone, such as a change of a team: each step
//! reports its result, so that it can be repeated after an interruption. No link is followed.

use std::path::Path;
use std::sync::Arc;

use super::fault::{PathFault, PathFaultKind};
use super::setup::{Put, message, text_of};
use super::stat::PathKind;
use super::{AccessOp, Guard, GuardZone, PathTarget};
use crate::domain::text::Localized;

/// The outcome of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    Removed,
    NotThere,
    /// Something else is there; it stays.
    Differs,
}

/// Puts a file where there is nothing. The folders on the way are made.
///
/// # Errors
/// The message for a person.
pub fn put_file(workspace: &Path, path: &str, text: &str) -> Result<Put, Localized> {
    let put = guard(workspace).and_then(|guard| guard.put_new(path, text));
    put.map_err(|fault| message(path, &fault))
}

/// Returns the text of a file; `None` if it cannot be read.
#[must_use]
pub fn read_text(workspace: &Path, path: &str, most_bytes: usize) -> Option<String> {
    let mut opened = guard(workspace).ok()?.open_file(path, AccessOp::Read).ok()?;
    text_of(&mut opened.file, most_bytes).ok()
}

/// Removes a file that has this text.
///
/// # Errors
/// The message for a person.
pub fn remove_file(workspace: &Path, path: &str, text: &str) -> Result<Removal, Localized> {
    let removed = guard(workspace).and_then(|guard| guard.remove_same(path, text));
    removed.map_err(|fault| message(path, &fault))
}

/// Removes the folders above this file, up to the first that is not empty.
pub fn remove_empty_folders(workspace: &Path, file: &str) {
    let Ok(guard) = guard(workspace) else { return };
    let mut path = file;
    while let Some((folder, _)) = path.rsplit_once('/') {
        let entry = guard.entry(folder, &[AccessOp::Write]);
        // A folder that is not empty stays.
        if entry.and_then(|entry| entry.remove_dir()).is_err() {
            return;
        }
        path = folder;
    }
}

/// Moves a file or a folder; a missing one counts as moved. Missing folders on the way are created.
///
/// # Errors
/// The message for a person; nothing has moved then.
pub fn move_away(workspace: &Path, from: &str, to: &str) -> Result<(), Localized> {
    let moved = guard(workspace).and_then(|guard| guard.move_away(from, to));
    moved.map_err(|fault| message(from, &fault))
}

fn guard(workspace: &Path) -> Result<Guard, PathFault> {
    Guard::new(workspace, GuardZone::Undoable, Arc::default())
}

impl Guard {
    fn remove_same(&self, path: &str, text: &str) -> Result<Removal, PathFault> {
        let mut opened = match self.open_file(path, AccessOp::Write) {
            Ok(opened) => opened,
            Err(PathFault {
                kind: PathFaultKind::NotFound | PathFaultKind::NotADirectory, ..
            }) => return Ok(Removal::NotThere),
            Err(PathFault { kind: PathFaultKind::NotAFile, .. }) => return Ok(Removal::Differs),
            Err(fault) => return Err(fault),
        };
        let same = text_of(&mut opened.file, text.len()).is_ok_and(|now| now == text);
        if !same {
            return Ok(Removal::Differs);
        }
        let removed = opened.dir.remove(&opened.name).and_then(|()| opened.dir.sync());
        removed.map_err(|error| PathFault::io(path, &error)).map(|()| Removal::Removed)
    }

    fn move_away(&self, from: &str, to: &str) -> Result<(), PathFault> {
        let entry = match self.entry(from, &[AccessOp::Write]) {
            Ok(entry) => entry,
            Err(PathFault {
                kind: PathFaultKind::NotFound | PathFaultKind::NotADirectory, ..
            }) => return Ok(()),
            Err(fault) => return Err(fault),
        };
        let target = if entry.kind() == PathKind::Directory {
            PathTarget::Directory
        } else {
            PathTarget::File
        };
        let spot = self.new_path(to, target)?.create_parents()?;
        entry.move_to(&spot).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_removed_only_if_it_is_the_one_that_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let remove = || remove_file(dir.path(), ".minds/team/qa/persona.md", "a");
        assert_eq!(remove(), Ok(Removal::NotThere));
        assert_eq!(put_file(dir.path(), ".minds/team/qa/persona.md", "a"), Ok(Put::Written));
        assert_eq!(put_file(dir.path(), ".minds/team/qa/persona.md", "b"), Ok(Put::Kept));
        let file = dir.path().join(".minds/team/qa/persona.md");
        for other in ["", "b", "ab"] {
            fs::write(&file, other).unwrap();
            assert_eq!(remove(), Ok(Removal::Differs), "{other}");
        }
        fs::write(&file, "a").unwrap();
        assert_eq!(remove(), Ok(Removal::Removed));
        fs::write(dir.path().join(".minds/team/qa/mine"), "").unwrap();
        remove_empty_folders(dir.path(), ".minds/team/qa/persona.md");
        assert!(dir.path().join(".minds/team/qa").is_dir(), "something is in it");
        fs::remove_file(dir.path().join(".minds/team/qa/mine")).unwrap();
        remove_empty_folders(dir.path(), ".minds/team/qa/persona.md");
        assert!(!dir.path().join(".minds/team/qa").exists());
    }

    #[test]
    fn what_is_moved_away_is_moved_once_and_never_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("qa.tsk/x")).unwrap();
        fs::write(dir.path().join("qa.tsk/x/goals.md"), "g").unwrap();
        let away = || move_away(dir.path(), "qa.tsk", ".hive/backups/teams/qa-1/qa.tsk");
        assert_eq!((away(), away()), (Ok(()), Ok(())));
        let kept = dir.path().join(".hive/backups/teams/qa-1/qa.tsk/x/goals.md");
        assert_eq!(fs::read_to_string(kept).unwrap(), "g");
        fs::create_dir(dir.path().join("qa.tsk")).unwrap();
        away().unwrap_err();
        assert!(dir.path().join("qa.tsk").is_dir(), "what is there is not replaced");

        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("persona.md"), "a").unwrap();
        fs::create_dir_all(dir.path().join(".minds/team")).unwrap();
        symlink(outside.path(), dir.path().join(".minds/team/qa")).unwrap();
        let path = ".minds/team/qa/persona.md";
        remove_file(dir.path(), path, "a").unwrap_err();
        move_away(dir.path(), path, ".hive/backups/p.md").unwrap_err();
        put_file(dir.path(), ".minds/team/qa/other.md", "a").unwrap_err();
        assert_eq!(read_text(dir.path(), path, 10), None);
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        move_away(dir.path(), "../x", ".hive/x").unwrap_err();
        move_away(dir.path(), ".dialogs", ".hive/x").unwrap_err();
    }
}
