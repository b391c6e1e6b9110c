//! The files a search looks at, one after the other in the order of their names. Goes down through
//! open directories, so nothing that is swapped meanwhile leads elsewhere; every entry passes the
//! guard. What is remembered is bounded, whatever the tree holds.

use std::ffi::OsString;
use std::fs::File;

use super::filter::{IgnoreRules, SearchFilter};
use crate::guard::{AccessOp, Guard, Identity, OpenDir, PathFault, PathFaultKind, PathKind};
use crate::tools::stop::StopFlag;

/// Most directories below each other.
const MAX_DEEP: usize = 64;
/// Most names that wait to be looked at.
const MAX_WAITING: usize = 200_000;
/// Most entries looked at in all.
const MAX_ENTRIES: usize = 2_000_000;

/// A file to be searched.
#[derive(Debug)]
pub(super) struct SearchFile {
    /// Below the workspace.
    pub path: String,
    pub file: File,
}

/// What was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SkippedCounts {
    /// Entries closed to the member.
    pub closed: usize,
    /// Entries the system did not open.
    pub unreadable: usize,
    /// The tree is too large or too deep for one search.
    pub cut: bool,
}

/// A walk that has begun.
#[derive(Debug)]
pub(super) struct SearchWalk<'a> {
    guard: &'a Guard,
    filter: &'a SearchFilter,
    stop: &'a StopFlag,
    follow: bool,
    /// A file that was named itself.
    named: Option<SearchFile>,
    levels: Vec<Level>,
    /// Directories entered through a link; each only once.
    followed: Vec<Identity>,
    waiting: usize,
    seen: usize,
    max_entries: usize,
    pub passed: SkippedCounts,
}

#[derive(Debug)]
struct Level {
    dir: OpenDir,
    rules: IgnoreRules,
    /// The last is the next.
    names: Vec<(OsString, EntryType)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryType {
    Directory,
    File,
    Link,
}

impl<'a> SearchWalk<'a> {
    /// Begins at a directory, or at the one file that is named.
    pub(super) fn begin(
        guard: &'a Guard,
        filter: &'a SearchFilter,
        stop: &'a StopFlag,
        path: &str,
        follow: bool,
    ) -> Result<Self, PathFault> {
        let mut walk = Self {
            guard,
            filter,
            stop,
            follow,
            named: None,
            levels: Vec::new(),
            followed: Vec::new(),
            waiting: 0,
            seen: 0,
            max_entries: MAX_ENTRIES,
            passed: SkippedCounts::default(),
        };
        match guard.open_dir(path) {
            Ok(dir) => {
                let rules = IgnoreRules::of(guard, &dir);
                walk.descend(dir, rules);
            }
            Err(PathFault { kind: PathFaultKind::NotADirectory, .. }) => {
                let opened = guard.open_file(path, AccessOp::Read)?;
                walk.named = Some(SearchFile { path: opened.shown, file: opened.file });
            }
            Err(fault) => return Err(fault),
        }
        Ok(walk)
    }

    /// Lowers the limit of entries.
    pub(super) fn at_most(self, entries: usize) -> Self {
        Self { max_entries: entries.min(MAX_ENTRIES), ..self }
    }

    fn descend(&mut self, dir: OpenDir, rules: IgnoreRules) {
        if self.levels.len() >= MAX_DEEP {
            self.passed.cut = true;
            return;
        }
        let Ok(entries) = dir.dir.entries() else {
            self.passed.unreadable += 1;
            return;
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            let Some(kind) = kind(entry.kind) else { continue };
            if self.waiting + names.len() >= MAX_WAITING {
                self.passed.cut = true;
                break;
            }
            names.push((entry.name, kind));
        }
        names.sort_unstable_by(|a, b| b.0.cmp(&a.0));
        self.waiting += names.len();
        self.levels.push(Level { dir, rules, names });
    }

    /// Returns the next entry and its directory.
    fn next_entry(&mut self) -> Option<(OsString, EntryType)> {
        loop {
            let level = self.levels.last_mut()?;
            if let Some(entry) = level.names.pop() {
                self.waiting -= 1;
                return Some(entry);
            }
            self.levels.pop();
        }
    }

    fn visit(&mut self, name: &OsString, kind: EntryType) -> Option<SearchFile> {
        let level = self.levels.last()?;
        let path = level.dir.below(name);
        match kind {
            EntryType::Link if self.follow => self.visit_link(name, path),
            EntryType::Link => None,
            EntryType::File => {
                if !self.filter.keeps(&level.rules, &path, name, false) {
                    return None;
                }
                let opened = self.guard.open_in(&level.dir, name);
                let file = self.opened(opened)?;
                Some(SearchFile { path, file })
            }
            EntryType::Directory => {
                if self.filter.keeps(&level.rules, &path, name, true) {
                    let opened = self.guard.enter(&level.dir, name);
                    self.enter(opened);
                }
                None
            }
        }
    }

    /// Follows a link: returns a file, or enters a directory that was not entered through a link before.
    fn visit_link(&mut self, name: &OsString, path: String) -> Option<SearchFile> {
        let rules = self.levels.last()?.rules.clone();
        match self.guard.open_dir(&path) {
            Ok(dir) => {
                let identity = dir.identity()?;
                let above = |level: &Level| level.dir.identity() == Some(identity);
                let known = self.followed.contains(&identity) || self.levels.iter().any(above);
                if !known && self.filter.keeps(&rules, &path, name, true) {
                    self.followed.push(identity);
                    self.enter(Ok(dir));
                }
                None
            }
            Err(PathFault { kind: PathFaultKind::NotADirectory, .. }) => {
                if !self.filter.keeps(&rules, &path, name, false) {
                    return None;
                }
                let opened = self.guard.open_file(&path, AccessOp::Read).map(|opened| opened.file);
                let file = self.opened(opened)?;
                Some(SearchFile { path, file })
            }
            Err(fault) => {
                self.count(&fault);
                None
            }
        }
    }

    fn enter(&mut self, opened: Result<OpenDir, PathFault>) {
        let Some(dir) = self.opened(opened) else { return };
        let Some(rules) = self.levels.last().map(|level| level.rules.within(self.guard, &dir))
        else {
            return;
        };
        self.descend(dir, rules);
    }

    fn opened<T>(&mut self, opened: Result<T, PathFault>) -> Option<T> {
        opened.inspect_err(|fault| self.count(fault)).ok()
    }

    fn count(&mut self, fault: &PathFault) {
        if fault.is_denied() {
            self.passed.closed += 1;
        } else {
            self.passed.unreadable += 1;
        }
    }
}

impl Iterator for SearchWalk<'_> {
    type Item = SearchFile;

    fn next(&mut self) -> Option<SearchFile> {
        if let Some(named) = self.named.take() {
            return Some(named);
        }
        while !self.stop.is_set() {
            let (name, kind) = self.next_entry()?;
            self.seen += 1;
            if self.seen > self.max_entries {
                self.passed.cut = true;
                return None;
            }
            if let Some(found) = self.visit(&name, kind) {
                return Some(found);
            }
        }
        None
    }
}

fn kind(kind: Option<PathKind>) -> Option<EntryType> {
    match kind? {
        PathKind::Directory => Some(EntryType::Directory),
        PathKind::File => Some(EntryType::File),
        PathKind::Symlink => Some(EntryType::Link),
        PathKind::Special => None,
    }
}
