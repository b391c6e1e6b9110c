//! Keeps every path of a tool, and of this program, inside the workspace and out of its reserved areas.
//!
//! A path is judged twice: as written (after taking out `.` and `..`), and as it truly is, name by
//! name, while the walk goes down from the root. Each directory on the way is opened without
//! following links, with `openat` relative to the directory before it, which is already open, and
//! whatever is read, written, moved or removed at the end is a name in an open directory (`dir.rs`).
//! Links are read and walked by hand, and `..` in a link goes back to a directory still held open. So a
//! directory swapped for a link in the middle of a walk cannot lead outside, however often and
//! whenever it is swapped: either the old directory is used, or opening fails (`swaps.rs` tries it at
//! every step). After opening, device and inode are compared with what was judged; a difference is
//! refused.
//!
//! Reserved are `.minds`, `.dialogs` and `.hive` at the root and every `*.tsk`, by name in all
//! spellings (`domain::reserved`) even if they do not exist, and by identity if they do, so that no
//! link, mount or second spelling reaches them. Reserved for writing is every `.git`, folder or file,
//! by name, and the repository of the workspace by identity: git runs programs that its configuration
//! and hooks name. What this cannot see: a hard link that somebody with other means has placed in the
//! workspace. Writing never changes such a file, because files are replaced, not rewritten.

mod access;
mod descend;
mod dir;
mod entry;
mod fault;
mod file_identity;
mod git;
mod memory;
mod names;
mod setup;
mod stat;
mod tree;
mod undoable;
mod vacant;
mod walk;
mod write;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use access::{Access, AccessOp, ListRule, PathTarget};
pub use dir::{Dir, Entries, ListedName};
pub use entry::{DirEntryHandle, MovedEntry};
pub use fault::{DeniedArea, InvalidPath, PathFault, PathFaultKind};
pub use file_identity::Identity;
pub use names::GuardZone;
pub use setup::{Put, create_taskdoc, edit_file, own_folder, set_up};
pub use stat::{PathKind, Stat};
pub use tree::TreeCount;
pub use undoable::{Removal, move_away, put_file, read_text, remove_empty_folders, remove_file};
pub use vacant::{NewPath, Spot};
pub use write::FileSlot;

use self::names::{in_taskdoc, is_of_git, reserved_area, reserved_area_of_path, split_written};
use self::walk::{LeafKind, WalkEnd, WalkedPath, walk};
use crate::domain::safety::reserved::AT_TOP;

/// Most attempts to open a path that changes meanwhile.
const ATTEMPTS: usize = 8;

/// The only way from a written path to an open file.
#[derive(Debug)]
pub struct Guard {
    root: Dir,
    /// The spellings by which an absolute path may name the workspace.
    roots: [PathBuf; 2],
    zone: GuardZone,
    access: Arc<Access>,
    /// Reserved directories that exist, by identity.
    closed: Vec<(Identity, DeniedArea)>,
    /// Directories of the repository: closed for writing.
    git: Vec<Identity>,
    /// Names below which every path must lie, as written and in truth.
    within: Vec<String>,
}

/// A regular file, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    pub file: File,
    pub stat: Stat,
    /// Its path below the workspace, as written but tidy.
    pub shown: String,
    /// Its path below the workspace with all links followed.
    pub place: String,
    /// The directory that truly holds it.
    dir: Dir,
    name: OsString,
}

/// A directory, open for listing.
#[derive(Debug)]
pub struct OpenDir {
    pub dir: Dir,
    /// Its path below the workspace; `.` for the workspace itself.
    pub shown: String,
    names: Vec<String>,
}

impl Guard {
    /// A guard for a person: the areas that are reserved are closed, no member's lists apply.
    ///
    /// # Errors
    /// The workspace cannot be opened.
    pub fn for_person(workspace: &Path) -> Result<Self, PathFault> {
        Self::new(workspace, GuardZone::General, Arc::default())
    }

    /// A guard for this program, which reads task documents.
    ///
    /// # Errors
    /// The workspace cannot be opened.
    pub fn for_taskdocs(workspace: &Path) -> Result<Self, PathFault> {
        Self::new(workspace, GuardZone::Taskdoc, Arc::default())
    }

    /// A guard for tools of a member with these lists. `root`: the identity the workspace must have.
    ///
    /// # Errors
    /// The workspace cannot be opened, or is another one.
    pub fn for_tool(
        (workspace, root): (&Path, Option<Identity>),
        zone: GuardZone,
        access: Arc<Access>,
    ) -> Result<Self, PathFault> {
        let guard = Self::new(workspace, zone, access)?;
        if root.is_some() && root != guard.root.identity().ok() {
            return Err(PathFault::new(".", PathFaultKind::Changed));
        }
        Ok(guard)
    }

    /// Closes this task document as well, if it is there.
    #[must_use]
    pub fn closed_to(mut self, taskdoc: &Path) -> Self {
        let found = self.root.look_through(taskdoc).ok();
        self.closed.extend(found.map(|stat| (stat.identity, DeniedArea::Taskdoc)));
        self
    }

    /// Lets nothing out of this folder, a path of tidy names below the workspace.
    #[must_use]
    pub fn within(self, folder: &str) -> Self {
        Self { within: folder.split('/').map(str::to_owned).collect(), ..self }
    }

    fn new(workspace: &Path, zone: GuardZone, access: Arc<Access>) -> Result<Self, PathFault> {
        let io = |error: std::io::Error| PathFault::io(".", &error);
        let place = fs::canonicalize(workspace).map_err(io)?;
        let root = Dir::root(&place).map_err(io)?;
        let identity = |(name, what)| {
            let area = zone.denied_area(what)?;
            Some((root.look_through(Path::new(name)).ok()?.identity, area))
        };
        let closed = AT_TOP.into_iter().filter_map(identity).collect();
        let git = git::places(&root);
        let roots = [workspace.to_path_buf(), place];
        Ok(Self { root, roots, zone, access, closed, git, within: Vec::new() })
    }

    /// Opens a regular file for reading. `op` says which right is needed: reading it, or
    /// replacing it afterwards.
    ///
    /// # Errors
    /// Denied, absent, not a regular file, or swapped while it was opened.
    pub fn open_file(&self, written: &str, op: AccessOp) -> Result<OpenFile, PathFault> {
        Self::retry(|| self.try_open_file(written, &[op]))
    }

    /// Opens a regular file for a change by a caller that is also shown its content.
    ///
    /// # Errors
    /// As [`Guard::open_file`], if either right is missing.
    pub fn open_for_edit(&self, written: &str) -> Result<OpenFile, PathFault> {
        Self::retry(|| self.try_open_file(written, &[AccessOp::Read, AccessOp::Write]))
    }

    /// Opens a directory for listing.
    ///
    /// # Errors
    /// Denied, absent, not a directory, or swapped while it was opened.
    pub fn open_dir(&self, written: &str) -> Result<OpenDir, PathFault> {
        self.directory(written, AccessOp::Read)
    }

    /// Returns the path of an existing directory, if `op` is allowed there.
    ///
    /// # Errors
    /// Denied, absent, or not a directory.
    pub fn existing_dir(&self, written: &str, op: AccessOp) -> Result<String, PathFault> {
        self.directory(written, op).map(|dir| dir.shown)
    }

    fn directory(&self, written: &str, op: AccessOp) -> Result<OpenDir, PathFault> {
        Self::retry(|| {
            let names = self.judge(written, &[op], PathTarget::Directory)?;
            let walked = walk(self, written, &names)?;
            match walked.end {
                WalkEnd::Directory => {}
                WalkEnd::Leaf(..) => {
                    return Err(PathFault::new(written, PathFaultKind::NotADirectory));
                }
                WalkEnd::Absent(_) => return Err(PathFault::new(written, PathFaultKind::NotFound)),
            }
            let true_names: Vec<String> = walked.names.iter().map(lossy).collect();
            Self::check_git(written, &[op], walked.of_git)?;
            self.check_lists(written, &[op], &true_names, PathTarget::Directory)?;
            Ok(OpenDir { dir: walked.dir, shown: shown(&names), names: true_names })
        })
    }

    /// Whether an entry of an open directory may be named to the model.
    #[must_use]
    pub fn may_list(&self, dir: &OpenDir, name: &str, target: PathTarget) -> bool {
        let mut names = dir.names.clone();
        names.push(name.to_owned());
        reserved_area(self.zone, dir.names.len(), name).is_none()
            && self.access.check(AccessOp::Read, &names, target).is_ok()
    }

    fn try_open_file(&self, written: &str, ops: &[AccessOp]) -> Result<OpenFile, PathFault> {
        let names = self.judge(written, ops, PathTarget::File)?;
        let walked = walk(self, written, &names)?;
        let (name, seen) = match &walked.end {
            WalkEnd::Leaf(name, seen, LeafKind::File) => (name.clone(), *seen),
            WalkEnd::Leaf(_, _, LeafKind::Special) | WalkEnd::Directory => {
                return Err(PathFault::new(written, PathFaultKind::NotAFile));
            }
            WalkEnd::Absent(_) => return Err(PathFault::new(written, PathFaultKind::NotFound)),
        };
        let place = shown(&self.check_true(written, ops, &walked, &name)?);
        let file = walked.dir.open(&name).map_err(|error| PathFault::io(written, &error))?;
        let stat = Stat::of(&file).map_err(|error| PathFault::io(written, &error))?;
        if !stat.is_file() || stat.identity != seen {
            return Err(PathFault::new(written, PathFaultKind::Changed));
        }
        Ok(OpenFile { file, stat, shown: shown(&names), place, dir: walked.dir, name })
    }

    /// Judges a path as written, before anything is touched.
    fn judge(
        &self,
        written: &str,
        ops: &[AccessOp],
        target: PathTarget,
    ) -> Result<Vec<String>, PathFault> {
        let roots: Vec<&Path> = self.roots.iter().map(PathBuf::as_path).collect();
        let names = split_written(written, &roots)?;
        if let Some(area) = reserved_area_of_path(self.zone, &names) {
            return Err(PathFault::denied(written, area));
        }
        self.check_lists(written, ops, &names, target)?;
        Ok(names)
    }

    /// Judges the place where a file truly is, which links may have moved; gives its names.
    fn check_true(
        &self,
        written: &str,
        ops: &[AccessOp],
        at: &WalkedPath,
        name: &OsStr,
    ) -> Result<Vec<String>, PathFault> {
        let mut names: Vec<String> = at.names.iter().map(lossy).collect();
        names.push(name.to_string_lossy().into_owned());
        if self.zone == GuardZone::Taskdoc && !in_taskdoc(&names) {
            return Err(PathFault::invalid(written, InvalidPath::LeavesTaskdoc));
        }
        Self::check_git(written, ops, at.of_git)?;
        self.check_lists(written, ops, &names, PathTarget::File)?;
        Ok(names)
    }

    fn check_git(written: &str, ops: &[AccessOp], of_git: bool) -> Result<(), PathFault> {
        if of_git && ops.contains(&AccessOp::Write) {
            return Err(PathFault::denied(written, DeniedArea::Git));
        }
        Ok(())
    }

    fn check_lists(
        &self,
        written: &str,
        ops: &[AccessOp],
        names: &[String],
        target: PathTarget,
    ) -> Result<(), PathFault> {
        if !names.starts_with(&self.within) {
            return Err(PathFault::invalid(written, InvalidPath::LeavesMemory));
        }
        Self::check_git(written, ops, is_of_git(names))?;
        ops.iter().try_for_each(|&op| {
            let checked = self.access.check(op, names, target);
            checked.map_err(|rule| PathFault::new(written, PathFaultKind::Listed { op, rule }))
        })
    }

    /// True for a directory of the workspace's repository, by whatever name.
    fn is_git(&self, directory: Identity) -> bool {
        self.git.contains(&directory)
    }

    /// Returns the area that an existing directory is reserved for, by whatever name.
    fn closed_area(&self, directory: Identity) -> Option<DeniedArea> {
        self.closed.iter().find(|(closed, _)| *closed == directory).map(|&(_, area)| area)
    }

    fn retry<T>(attempt: impl Fn() -> Result<T, PathFault>) -> Result<T, PathFault> {
        let mut last = attempt();
        for _ in 1..ATTEMPTS {
            match &last {
                Err(fault) if fault.kind == PathFaultKind::Changed => last = attempt(),
                Ok(_) | Err(_) => break,
            }
        }
        last
    }
}

/// Opens a regular file of the workspace that this program itself reads: only paths that lead outside are refused.
///
/// # Errors
/// It leads outside, is absent, not a regular file, or swapped while it was opened.
pub fn open_to_read(workspace: &Path, written: &str) -> Result<OpenFile, PathFault> {
    let guard = Guard::new(workspace, GuardZone::Reading, Arc::default())?;
    guard.open_file(written, AccessOp::Read)
}

/// Opens a folder of the workspace in the same way.
///
/// # Errors
/// It leads outside, is absent, not a directory, or swapped while it was opened.
pub fn open_folder(workspace: &Path, written: &str) -> Result<OpenDir, PathFault> {
    Guard::new(workspace, GuardZone::Reading, Arc::default())?.open_dir(written)
}

fn lossy(name: &OsString) -> String {
    name.to_string_lossy().into_owned()
}

fn shown(names: &[String]) -> String {
    if names.is_empty() { ".".to_owned() } else { names.join("/") }
}

#[cfg(test)]
mod swaps;
#[cfg(test)]
mod tests;
