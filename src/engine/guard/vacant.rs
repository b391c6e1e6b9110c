//! Places where nothing is yet. Finding one changes nothing, so that a refused call leaves nothing
//! behind; the directories on the way are made when the place is [settled](Vacant::settle).

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;

use super::dir::Dir;
use super::fault::{InvalidPath, PathFault, PathFaultKind};
use super::names::{GuardZone, in_taskdoc, reserved_area};
use super::walk::{WalkEnd, WalkedPath, walk};
use super::{AccessOp, Guard, PathTarget, lossy, shown};

/// A free name, judged, below a directory that exists.
#[derive(Debug)]
pub struct NewPath {
    dir: Dir,
    /// Directories to be made, each in the one before it.
    missing: Vec<OsString>,
    name: OsString,
    /// True names from the root.
    pub(super) names: Vec<String>,
    /// The path below the workspace.
    pub shown: String,
    written: String,
}

/// A free name in a directory that is open.
#[derive(Debug)]
pub struct Spot {
    pub(super) dir: Dir,
    pub(super) name: OsString,
    /// The path below the workspace.
    pub shown: String,
    pub(super) written: String,
    /// The directories that were made for it.
    created: Vec<(Dir, OsString)>,
}

impl Guard {
    /// A free name for a file or a directory. A link counts as taken, even if it leads nowhere.
    ///
    /// # Errors
    /// Denied, taken, or below something that is no directory.
    pub fn new_path(&self, written: &str, target: PathTarget) -> Result<NewPath, PathFault> {
        Self::retry(|| {
            let ops = &[AccessOp::Write];
            let names = self.judge(written, ops, target)?;
            let Some((name, parents)) = names.split_last() else {
                return Err(PathFault::invalid(written, InvalidPath::IsWorkspace));
            };
            let mut walked = walk(self, written, parents)?;
            let leaf = OsString::from(name);
            match &mut walked.end {
                WalkEnd::Leaf(..) => {
                    return Err(PathFault::new(written, PathFaultKind::NotADirectory));
                }
                WalkEnd::Absent(rest) => rest.push_back(leaf),
                WalkEnd::Directory => match walked.dir.look(&leaf) {
                    Ok(_) => return Err(PathFault::new(written, PathFaultKind::Exists)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        walked.end = WalkEnd::Absent(VecDeque::from([leaf]));
                    }
                    Err(error) => return Err(PathFault::io(written, &error)),
                },
            }
            self.check_absent(written, ops, &names, walked, target)
        })
    }

    /// Judges all names that do not exist yet.
    pub(super) fn check_absent(
        &self,
        written: &str,
        ops: &[AccessOp],
        tidy: &[String],
        walked: WalkedPath,
        target: PathTarget,
    ) -> Result<NewPath, PathFault> {
        Self::check_git(written, ops, walked.of_git)?;
        let WalkEnd::Absent(rest) = walked.end else {
            return Err(PathFault::new(written, PathFaultKind::Exists));
        };
        let mut names: Vec<String> = walked.names.iter().map(lossy).collect();
        for name in &rest {
            let text = name.to_string_lossy();
            if name == ".." {
                return Err(PathFault::new(written, PathFaultKind::NotFound));
            }
            if let Some(area) = reserved_area(self.zone, names.len(), &text) {
                return Err(PathFault::denied(written, area));
            }
            names.push(text.into_owned());
        }
        if self.zone == GuardZone::Taskdoc && !in_taskdoc(&names) {
            return Err(PathFault::invalid(written, InvalidPath::LeavesTaskdoc));
        }
        self.check_lists(written, ops, &names, target)?;
        let mut missing = Vec::from(rest);
        let name =
            missing.pop().ok_or_else(|| PathFault::invalid(written, InvalidPath::IsWorkspace))?;
        let (shown, written) = (shown(tidy), written.to_owned());
        Ok(NewPath { dir: walked.dir, missing, name, names, shown, written })
    }
}

impl NewPath {
    /// Creates the missing directories above it.
    ///
    /// # Errors
    /// One of them could not be made; those before it are removed again.
    pub fn create_parents(&self) -> Result<Spot, PathFault> {
        let mut spot = Spot {
            dir: self.dir.clone(),
            name: self.name.clone(),
            shown: self.shown.clone(),
            written: self.written.clone(),
            created: Vec::new(),
        };
        for name in &self.missing {
            if let Err(error) = spot.descend(name) {
                spot.remove_parents();
                return Err(PathFault::io(&self.written, &error));
            }
        }
        Ok(spot)
    }

    /// Returns how many directories above it are missing.
    #[must_use]
    pub fn missing_parents(&self) -> usize {
        self.missing.len()
    }
}

impl Spot {
    fn descend(&mut self, name: &OsString) -> io::Result<()> {
        match self.dir.make_dir(name) {
            Ok(()) => self.created.push((self.dir.clone(), name.clone())),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        self.dir = self.dir.enter(name)?;
        Ok(())
    }

    /// Makes a directory of this name.
    ///
    /// # Errors
    /// The name was taken meanwhile, or the system's refusal.
    pub fn make_dir(&self) -> Result<(), PathFault> {
        let io = |error: io::Error| PathFault::io(&self.written, &error);
        self.dir.make_dir(&self.name).map_err(io)?;
        self.dir.sync().map_err(io)
    }

    /// Removes the file that was put here, and the directories that were made for it.
    ///
    /// # Errors
    /// The system's refusal.
    pub fn remove(&self) -> Result<(), PathFault> {
        self.dir.remove(&self.name).map_err(|error| PathFault::io(&self.written, &error))?;
        self.remove_parents();
        Ok(())
    }

    /// Removes the directories that were created for this place and are still empty.
    pub fn remove_parents(&self) {
        for (dir, name) in self.created.iter().rev() {
            // Fails if something was put there meanwhile; the directory then stays.
            let _ = dir.remove_dir(name);
        }
    }
}
