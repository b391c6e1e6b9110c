//! Writing whole files so that a reader, or a crash, sees the old text or the new one and nothing
//! between: a temporary file in the same directory, synced, then given its name at once.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Mode, fchmod};

use super::dir::Dir;
use super::fault::{PathFault, PathFaultKind};
use super::stat::Stat;
use super::vacant::Spot;
use super::walk::{LeafKind, WalkEnd, walk};
use super::{AccessOp, Guard, OpenFile, PathTarget, shown};
use crate::domain::safety::reserved::BEING_WRITTEN;
use crate::guard::file_identity::Identity;

/// Numbers temporary files within this process.
static TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// Mode of a new file before the process mask.
const NEW_FILE_MODE: Mode = Mode::from_bits_retain(0o666);

/// Mode of a file that is about to get the mode of the one it replaces.
const PRIVATE_MODE: Mode = Mode::from_bits_retain(0o600);

/// The mode bits that a new file keeps from the one it replaces.
const KEPT_MODE: Mode = Mode::from_bits_retain(0o777);

/// A place in an open directory where a file is to stand.
#[derive(Debug)]
pub struct FileSlot {
    dir: Dir,
    name: OsString,
    /// The file's path below the workspace.
    pub shown: String,
    written: String,
    old: Option<ReplacedFile>,
}

/// The file to be replaced, as it can be told without reading it.
#[derive(Debug, Clone, Copy)]
struct ReplacedFile {
    mode: Mode,
    state: FileState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileState {
    identity: Identity,
    bytes: u64,
    modified: (i128, i128),
}

impl ReplacedFile {
    fn of(stat: &Stat) -> Self {
        Self { mode: stat.mode, state: FileState::of(stat) }
    }
}

impl FileState {
    fn of(stat: &Stat) -> Self {
        Self { identity: stat.identity, bytes: stat.bytes, modified: stat.modified }
    }
}

impl Guard {
    /// A place for a file that must not exist yet. Missing directories are made.
    ///
    /// # Errors
    /// Denied, taken, or a directory could not be made.
    pub fn new_slot(&self, written: &str) -> Result<FileSlot, PathFault> {
        let slot = self.slot(written)?;
        match slot.old {
            None => Ok(slot),
            Some(_) => Err(PathFault::new(written, PathFaultKind::Exists)),
        }
    }

    /// Returns the place of a file, existing or not. Missing directories are created.
    ///
    /// # Errors
    /// Denied, taken by something that is no file, or a directory could not be made.
    pub fn slot(&self, written: &str) -> Result<FileSlot, PathFault> {
        Self::retry(|| self.try_slot(written))
    }

    fn try_slot(&self, written: &str) -> Result<FileSlot, PathFault> {
        let ops = &[AccessOp::Write];
        let names = self.judge(written, ops, PathTarget::File)?;
        let walked = walk(self, written, &names)?;
        let name = match &walked.end {
            WalkEnd::Leaf(name, _, LeafKind::File) => name.clone(),
            WalkEnd::Directory | WalkEnd::Leaf(_, _, LeafKind::Special) => {
                return Err(PathFault::new(written, PathFaultKind::NotAFile));
            }
            WalkEnd::Absent(_) => {
                let vacant = self.check_absent(written, ops, &names, walked, PathTarget::File)?;
                return Ok(vacant.create_parents()?.slot());
            }
        };
        let stat = walked.dir.look(&name).map_err(|error| PathFault::io(written, &error))?;
        self.check_true(written, ops, &walked, &name)?;
        let old = Some(ReplacedFile::of(&stat));
        Ok(FileSlot {
            dir: walked.dir,
            name,
            shown: shown(&names),
            written: written.to_owned(),
            old,
        })
    }
}

impl Spot {
    /// The place of a file that is to stand here.
    #[must_use]
    pub fn slot(&self) -> FileSlot {
        let (dir, name) = (self.dir.clone(), self.name.clone());
        let (shown, written) = (self.shown.clone(), self.written.clone());
        FileSlot { dir, name, shown, written, old: None }
    }

    /// Makes an empty file here that only this user can read, open for writing.
    ///
    /// # Errors
    /// The name was taken meanwhile, or the system's refusal.
    pub fn create_private(&self) -> Result<File, PathFault> {
        let made = self.dir.create(&self.name, PRIVATE_MODE);
        made.map_err(|error| PathFault::io(&self.written, &error))
    }

    /// Writes a new file with this text; on failure, removes the directories made for it.
    ///
    /// # Errors
    /// The name was taken meanwhile, or the system's refusal.
    pub fn fill(&self, content: &[u8]) -> Result<(), PathFault> {
        self.slot().write(content).inspect_err(|_| self.remove_parents())
    }
}

impl OpenFile {
    /// The place of this file, to be replaced if it is still the same file.
    #[must_use]
    pub fn into_slot(self, written: &str) -> FileSlot {
        let old = Some(ReplacedFile::of(&self.stat));
        let written = written.to_owned();
        FileSlot { dir: self.dir, name: self.name, shown: self.shown, written, old }
    }
}

impl FileSlot {
    /// Puts a file with this text there. An old file keeps its mode and must still be the one
    /// that was looked at; where there was none, there must still be none.
    ///
    /// # Errors
    /// `Changed`, `Exists`, or the system's refusal. The old file is then untouched.
    pub fn write(&self, content: &[u8]) -> Result<(), PathFault> {
        match self.old {
            Some(old) => {
                self.write_aside(content, |temporary| self.replace(temporary, old))?;
            }
            None => match self.write_directly(content) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(self.io(&error));
                }
                Err(_) => self.write_aside(content, |temporary| self.publish(temporary))?,
            },
        }
        self.dir.sync().map_err(|error| self.io(&error))
    }

    /// Writes without a temporary name where the system can, so that a crash leaves nothing behind.
    fn write_directly(&self, content: &[u8]) -> io::Result<()> {
        let file = self.write_nameless(content)?;
        self.dir.name(&file, &self.name)
    }

    /// Writes the text under a temporary name, and has it placed.
    fn write_aside(
        &self,
        content: &[u8],
        place: impl FnOnce(&OsStr) -> Result<(), PathFault>,
    ) -> Result<(), PathFault> {
        let temporary = temporary_name();
        let filled = self.fill(&temporary, content).map_err(|error| self.io(&error));
        let placed = filled.and_then(|()| place(&temporary));
        // After a rename there is nothing left to remove, and a failure to tidy changes nothing.
        let _ = self.dir.remove(&temporary);
        placed
    }

    /// Writes the text under a temporary name. Where the system can do it the name comes last, so that
    /// a crash while it is written leaves nothing behind; where it cannot, or refuses, the name comes first.
    fn fill(&self, temporary: &OsStr, content: &[u8]) -> io::Result<()> {
        let nameless =
            self.write_nameless(content).and_then(|file| self.dir.name(&file, temporary));
        nameless.or_else(|_| self.put(self.dir.create(temporary, self.mode())?, content).map(drop))
    }

    /// The text in a file that has no name yet.
    pub(super) fn write_nameless(&self, content: &[u8]) -> io::Result<File> {
        self.put(self.dir.create_nameless(self.mode())?, content)
    }

    fn put(&self, mut file: File, content: &[u8]) -> io::Result<File> {
        file.write_all(content)?;
        if let Some(old) = self.old {
            fchmod(&file, old.mode & KEPT_MODE)?;
        }
        file.sync_all()?;
        Ok(file)
    }

    fn mode(&self) -> Mode {
        if self.old.is_some() { PRIVATE_MODE } else { NEW_FILE_MODE }
    }

    fn replace(&self, temporary: &OsStr, old: ReplacedFile) -> Result<(), PathFault> {
        let now = self.dir.look(&self.name).map_err(|error| self.io(&error))?;
        if FileState::of(&now) != old.state {
            return Err(PathFault::new(&self.written, PathFaultKind::Changed));
        }
        self.dir.rename(temporary, &self.name).map_err(|error| self.io(&error))
    }

    /// Renames the temporary file to its own name, unless that was taken meanwhile.
    fn publish(&self, temporary: &OsStr) -> Result<(), PathFault> {
        self.dir.move_to(temporary, &self.dir, &self.name).map_err(|error| self.io(&error))
    }

    fn io(&self, error: &io::Error) -> PathFault {
        PathFault::io(&self.written, error)
    }
}

/// Returns a name that is unique in this process.
pub(super) fn temporary_name() -> OsString {
    let number = TEMPORARY.fetch_add(1, Ordering::Relaxed);
    format!("{BEING_WRITTEN}{}-{number}", std::process::id()).into()
}
