//! Whole directories: looked through before they are moved or removed, and removed name by name.
//! Links are names here and are never entered; everything inside is judged like the top.

use std::ffi::OsString;
use std::io;

use super::dir::Dir;
use super::entry::DirEntryHandle;
use super::fault::{InvalidPath, PathFault, PathFaultKind};
use super::stat::PathKind;
use super::{AccessOp, Guard, shown};
use crate::guard::file_identity::Identity;

/// Most directories inside each other that are followed; each holds a descriptor.
const MAX_DEPTH: usize = 128;

/// Names of one directory that are held at once.
const BATCH_SIZE: usize = 1_024;

/// What a directory holds, or what was removed from it; the directory itself is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeCount {
    pub files: u64,
    pub directories: u64,
    pub symlinks: u64,
}

impl TreeCount {
    fn add(&mut self, kind: PathKind) {
        match kind {
            PathKind::File | PathKind::Special => self.files += 1,
            PathKind::Directory => self.directories += 1,
            PathKind::Symlink => self.symlinks += 1,
        }
    }
}

/// A visit of a tree, and its action on the names.
struct TreeVisit<'a> {
    guard: &'a Guard,
    ops: &'a [AccessOp],
    remove: bool,
    names: Vec<String>,
    count: &'a mut TreeCount,
}

impl Guard {
    /// Checks that everything in a directory may be touched, and counts it.
    ///
    /// # Errors
    /// Something inside is closed to the member; the fault names it.
    pub fn check_tree(
        &self,
        entry: &DirEntryHandle,
        ops: &[AccessOp],
    ) -> Result<TreeCount, PathFault> {
        let mut count = TreeCount::default();
        self.visit(entry, ops, false, &mut count)?;
        Ok(count)
    }

    /// Removes a directory and its content. `removed` counts the removed entries, also after an error.
    ///
    /// # Errors
    /// Something inside is closed, appeared meanwhile, or could not be removed; the fault names it.
    pub fn remove_tree(
        &self,
        entry: &DirEntryHandle,
        removed: &mut TreeCount,
    ) -> Result<(), PathFault> {
        self.visit(entry, &[AccessOp::Write], true, removed)?;
        entry.remove_dir()
    }

    fn visit(
        &self,
        entry: &DirEntryHandle,
        ops: &[AccessOp],
        remove: bool,
        count: &mut TreeCount,
    ) -> Result<(), PathFault> {
        let mut visit = TreeVisit { guard: self, ops, remove, names: entry.names.clone(), count };
        let dir = visit.enter(&entry.dir, &entry.name, entry.stat.identity)?;
        visit.directory(&dir)
    }
}

impl TreeVisit<'_> {
    fn directory(&mut self, dir: &Dir) -> Result<(), PathFault> {
        if self.names.len() > MAX_DEPTH {
            return Err(PathFault::invalid(&shown(&self.names), InvalidPath::TooDeep));
        }
        let mut entries = dir.entries().map_err(|error| self.io(&error))?;
        loop {
            let mut batch: Vec<OsString> = Vec::new();
            for entry in entries.by_ref().take(BATCH_SIZE) {
                batch.push(entry.map_err(|error| self.io(&error))?.name);
            }
            for name in &batch {
                self.names.push(name.to_string_lossy().into_owned());
                self.name(dir, name)?;
                self.names.pop();
            }
            if batch.len() < BATCH_SIZE {
                return Ok(());
            }
            if self.remove {
                // A listing need not go on rightly after names were removed from under it.
                entries = dir.entries().map_err(|error| self.io(&error))?;
            }
        }
    }

    fn name(&mut self, dir: &Dir, name: &OsString) -> Result<(), PathFault> {
        let stat = match dir.look(name) {
            Ok(stat) => stat,
            // Removed by somebody else meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.io(&error)),
        };
        self.guard.check_names(&shown(&self.names), self.ops, &self.names, &stat)?;
        if stat.is_dir() {
            let inner = self.enter(dir, name, stat.identity)?;
            self.directory(&inner)?;
        }
        if self.remove {
            let removed = if stat.is_dir() { dir.remove_dir(name) } else { dir.remove(name) };
            removed.map_err(|error| self.io(&error))?;
        }
        self.count.add(stat.kind);
        Ok(())
    }

    fn enter(&self, dir: &Dir, name: &OsString, seen: Identity) -> Result<Dir, PathFault> {
        let inner = dir.enter(name).map_err(|error| self.io(&error))?;
        if inner.identity().map_err(|error| self.io(&error))? != seen {
            return Err(PathFault::new(&shown(&self.names), PathFaultKind::Changed));
        }
        Ok(inner)
    }

    fn io(&self, error: &io::Error) -> PathFault {
        PathFault::io(&shown(&self.names), error)
    }
}
