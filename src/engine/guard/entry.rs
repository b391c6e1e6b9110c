//! Names as things of their own: what is removed or moved is the name in its directory. A link is
//! removed or moved itself; what it leads to is never touched.

use std::ffi::{OsStr, OsString};
use std::io;

use super::dir::Dir;
use super::fault::{InvalidPath, PathFault, PathFaultKind};
use super::stat::{PathKind, Stat};
use super::vacant::{NewPath, Spot};
use super::walk::{WalkEnd, walk};
use super::write::temporary_name;
use super::{AccessOp, Guard, PathTarget, lossy, reserved_area_of_path, shown};

/// A name that exists, in an open directory.
#[derive(Debug)]
pub struct DirEntryHandle {
    pub(super) dir: Dir,
    pub(super) name: OsString,
    pub(super) stat: Stat,
    /// The path below the workspace, as written but tidy.
    pub shown: String,
    pub(super) written: String,
    /// True names from the root.
    pub(super) names: Vec<String>,
}

impl Guard {
    /// The name at the end of a path; links before it are followed, it is not.
    ///
    /// # Errors
    /// Denied, or absent.
    pub fn entry(&self, written: &str, ops: &[AccessOp]) -> Result<DirEntryHandle, PathFault> {
        Self::retry(|| self.try_entry(written, ops))
    }

    fn try_entry(&self, written: &str, ops: &[AccessOp]) -> Result<DirEntryHandle, PathFault> {
        // Rules about endings are checked once the kind is known; rules about directories always apply.
        let tidy = self.judge(written, ops, PathTarget::Directory)?;
        let Some((leaf, parents)) = tidy.split_last() else {
            return Err(PathFault::invalid(written, InvalidPath::IsWorkspace));
        };
        let walked = walk(self, written, parents)?;
        match &walked.end {
            WalkEnd::Directory => {}
            WalkEnd::Leaf(..) => return Err(PathFault::new(written, PathFaultKind::NotADirectory)),
            WalkEnd::Absent(_) => return Err(PathFault::new(written, PathFaultKind::NotFound)),
        }
        let name = OsString::from(leaf);
        let stat = walked.dir.look(&name).map_err(|error| PathFault::io(written, &error))?;
        let mut names: Vec<String> = walked.names.iter().map(lossy).collect();
        names.push(leaf.clone());
        Self::check_git(written, ops, walked.of_git)?;
        self.check_names(written, ops, &names, &stat)?;
        self.check_lists(written, ops, &tidy, stat.kind.target())?;
        let written = written.to_owned();
        Ok(DirEntryHandle { dir: walked.dir, name, stat, shown: shown(&tidy), written, names })
    }

    /// Judges real names, and the object that is there.
    pub(super) fn check_names(
        &self,
        written: &str,
        ops: &[AccessOp],
        names: &[String],
        stat: &Stat,
    ) -> Result<(), PathFault> {
        let by_name = reserved_area_of_path(self.zone, names);
        let directory = stat.is_dir().then_some(stat.identity);
        let of_git = directory.is_some_and(|directory| self.is_git(directory));
        Self::check_git(written, ops, of_git)?;
        let area = by_name.or_else(|| self.closed_area(directory?));
        match area {
            Some(area) => Err(PathFault::denied(written, area)),
            None => self.check_lists(written, ops, names, stat.kind.target()),
        }
    }
}

impl DirEntryHandle {
    /// What the name stands for.
    #[must_use]
    pub fn kind(&self) -> PathKind {
        self.stat.kind
    }

    /// The size of a file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.stat.bytes
    }

    /// Removes a name that is no directory.
    ///
    /// # Errors
    /// It is a directory by now, or the system's refusal.
    pub fn remove(&self) -> Result<(), PathFault> {
        self.dir.remove(&self.name).map_err(|error| self.io(&error))?;
        self.sync_removal();
        Ok(())
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// It is not empty, no directory by now, or the system's refusal.
    pub fn remove_dir(&self) -> Result<(), PathFault> {
        self.dir.remove_dir(&self.name).map_err(|error| self.io(&error))?;
        self.sync_removal();
        Ok(())
    }

    /// Syncs a removal to the disk. If the disk cannot, a power failure may bring the name back;
    /// the name is removed all the same.
    fn sync_removal(&self) {
        let _ = self.dir.sync();
    }

    /// True if a path lies in the directory of this name.
    #[must_use]
    pub fn contains(&self, place: &NewPath) -> bool {
        self.kind() == PathKind::Directory && place.names.starts_with(&self.names)
    }

    /// Renames it to a free name; an existing file is never replaced.
    ///
    /// # Errors
    /// The new name was taken meanwhile, lies on another disk, or the system's refusal. Nothing
    /// has moved then.
    pub fn move_to(&self, spot: &Spot) -> Result<MovedEntry, PathFault> {
        self.rename(&spot.dir, &spot.name).map_err(|error| {
            let gone = error.kind() == io::ErrorKind::NotFound;
            PathFault::io(if gone { &self.written } else { &spot.written }, &error)
        })
    }

    /// Moves it to a temporary name in its directory, from where it can be restored.
    ///
    /// # Errors
    /// It is gone meanwhile, or the system's refusal.
    pub fn set_aside(&self) -> Result<MovedEntry, PathFault> {
        self.rename(&self.dir, &temporary_name()).map_err(|error| self.io(&error))
    }

    fn rename(&self, there: &Dir, name: &OsStr) -> io::Result<MovedEntry> {
        self.dir.move_to(&self.name, there, name)?;
        let here = (self.dir.clone(), self.name.clone());
        let now = (there.clone(), name.to_owned());
        let moved = MovedEntry { here, now, shown: self.shown.clone() };
        let synced = there.sync().and_then(|()| self.dir.sync());
        if synced.is_err() {
            // If this fails as well, the error to report is that of the disk.
            let _ = moved.undo();
        }
        synced.map(|()| moved)
    }

    pub(super) fn io(&self, error: &io::Error) -> PathFault {
        PathFault::io(&self.written, error)
    }
}

/// A name that has become another one.
#[derive(Debug)]
pub struct MovedEntry {
    here: (Dir, OsString),
    now: (Dir, OsString),
    /// The path that it had.
    pub shown: String,
}

impl MovedEntry {
    /// Renames it back to its old name, if that is still free.
    ///
    /// # Errors
    /// The old name was taken meanwhile, or the system's refusal.
    pub fn undo(&self) -> Result<(), PathFault> {
        let (dir, name) = &self.now;
        let (old_dir, old_name) = &self.here;
        dir.move_to(name, old_dir, old_name).map_err(|error| PathFault::io(&self.shown, &error))
    }

    /// Removes what was moved; no directory.
    ///
    /// # Errors
    /// The system's refusal.
    pub fn remove(&self) -> Result<(), PathFault> {
        let (dir, name) = &self.now;
        dir.remove(name).map_err(|error| PathFault::io(&self.shown, &error))
    }
}
