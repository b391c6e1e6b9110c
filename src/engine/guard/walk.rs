//! Walks names from the root, one open directory at a time, following links by hand. At every
//! step the name is judged before it is used, so nothing reserved is ever opened on the way.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path};

use super::Guard;
use super::dir::Dir;
use super::fault::{DeniedArea, InvalidPath, PathFault, PathFaultKind};
use super::names::{GuardZone, reserved_area};
use super::stat::PathKind;
use crate::guard::file_identity::Identity;

/// Most links followed for one path, as in Linux.
const LINK_LIMIT: usize = 40;

/// Where a walk ended.
#[derive(Debug)]
pub(super) struct WalkedPath {
    /// The directory of `leaf`, or the directory itself if there is no leaf.
    pub dir: Dir,
    /// True names from the root to `dir`.
    pub names: Vec<OsString>,
    /// The way leads through a directory of the repository.
    pub of_git: bool,
    pub end: WalkEnd,
}

#[derive(Debug)]
pub(super) enum WalkEnd {
    Directory,
    /// Something else that exists.
    Leaf(OsString, Identity, LeafKind),
    /// The first name does not exist in the directory; the others would lie below it.
    Absent(VecDeque<OsString>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    File,
    /// A pipe, a socket or a device.
    Special,
}

struct PathWalk<'a> {
    guard: &'a Guard,
    written: &'a str,
    stack: Vec<(OsString, Dir)>,
    todo: VecDeque<OsString>,
    links: usize,
}

/// Walks to the names, which must be free of `.` and `..`.
pub(super) fn walk(
    guard: &Guard,
    written: &str,
    names: &[String],
) -> Result<WalkedPath, PathFault> {
    let todo = names.iter().map(OsString::from).collect();
    let mut walk = PathWalk { guard, written, stack: Vec::new(), todo, links: 0 };
    while let Some(name) = walk.todo.pop_front() {
        if name == ".." {
            walk.stack.pop().ok_or_else(|| walk.denied(DeniedArea::Outside))?;
            continue;
        }
        if let Some(end) = walk.step(name)? {
            return Ok(walk.finish(end));
        }
    }
    Ok(walk.finish(WalkEnd::Directory))
}

impl PathWalk<'_> {
    /// Takes the next name; returns where the walk ends, if it does.
    fn step(&mut self, name: OsString) -> Result<Option<WalkEnd>, PathFault> {
        self.judge(&name)?;
        let stat = match self.here().look(&name) {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.todo.push_front(name);
                return Ok(Some(WalkEnd::Absent(std::mem::take(&mut self.todo))));
            }
            Err(error) => return Err(self.io(&error)),
        };
        let leaf = match stat.kind {
            PathKind::Symlink => return self.follow(&name).map(|()| None),
            PathKind::Directory => return self.enter(name, stat.identity).map(|()| None),
            PathKind::File => LeafKind::File,
            PathKind::Special => LeafKind::Special,
        };
        if !self.todo.is_empty() {
            return Err(PathFault::new(self.written, PathFaultKind::NotADirectory));
        }
        Ok(Some(WalkEnd::Leaf(name, stat.identity, leaf)))
    }

    fn enter(&mut self, name: OsString, seen: Identity) -> Result<(), PathFault> {
        let dir = self.here().enter(&name).map_err(|error| match error.raw_os_error() {
            Some(libc::ENOTDIR) => PathFault::new(self.written, PathFaultKind::Changed),
            _ => self.io(&error),
        })?;
        if dir.identity().map_err(|error| self.io(&error))? != seen {
            return Err(PathFault::new(self.written, PathFaultKind::Changed));
        }
        if let Some(area) = self.guard.closed_area(seen) {
            return Err(self.denied(area));
        }
        self.stack.push((name, dir));
        Ok(())
    }

    /// Puts the names of a link's target in front of those still to walk.
    fn follow(&mut self, name: &OsStr) -> Result<(), PathFault> {
        if matches!(self.guard.zone, GuardZone::Setup | GuardZone::Undoable) {
            return Err(PathFault::invalid(self.written, InvalidPath::ThroughLink));
        }
        self.links += 1;
        if self.links > LINK_LIMIT {
            return Err(PathFault::new(self.written, PathFaultKind::TooManyLinks));
        }
        let target = self.here().link_target(name).map_err(|error| match error.raw_os_error() {
            // No longer a link.
            Some(libc::EINVAL) => PathFault::new(self.written, PathFaultKind::Changed),
            _ => self.io(&error),
        })?;
        let below: &Path = if target.is_absolute() {
            self.stack.clear();
            let root = self.guard.roots.iter().find_map(|root| target.strip_prefix(root).ok());
            root.ok_or_else(|| self.denied(DeniedArea::Outside))?
        } else {
            &target
        };
        for component in below.components().rev() {
            match component {
                Component::Normal(name) => self.todo.push_front(name.to_owned()),
                Component::ParentDir => self.todo.push_front(OsString::from("..")),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        Ok(())
    }

    fn judge(&self, name: &OsStr) -> Result<(), PathFault> {
        let area = reserved_area(self.guard.zone, self.stack.len(), &name.to_string_lossy());
        area.map_or(Ok(()), |area| Err(self.denied(area)))
    }

    fn here(&self) -> &Dir {
        self.stack.last().map_or(&self.guard.root, |(_, dir)| dir)
    }

    fn finish(self, end: WalkEnd) -> WalkedPath {
        let dir = self.here().clone();
        let is_git = |dir: &Dir| dir.identity().is_ok_and(|dir| self.guard.is_git(dir));
        let of_git = !self.guard.git.is_empty() && self.stack.iter().any(|(_, dir)| is_git(dir));
        let names = self.stack.into_iter().map(|(name, _)| name).collect();
        WalkedPath { dir, names, of_git, end }
    }

    fn denied(&self, area: DeniedArea) -> PathFault {
        PathFault::denied(self.written, area)
    }

    fn io(&self, error: &io::Error) -> PathFault {
        PathFault::io(self.written, error)
    }
}
