//! Many recorded changes as one difference per file: what is there now against what was there before.
//!
//! A recorded change has only the lines near it, so a file is followed as stretches of old lines, most of
//! them unknown, and of added ones. A change that does not fit what is known was made to another text:
//! something else changed the file meanwhile, and what follows is a difference of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::file_change::{FileChange, FileChangeKind};
use crate::domain::ids::{CallId, DialogId};
use crate::domain::text::diff::{CONTEXT_LINES, DiffLine, Hunk, LineTag, compare, grouped};
use crate::domain::time::Stamp;

/// A recorded change and the call that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeByCall {
    pub dialog: DialogId,
    pub call: CallId,
    pub at: Stamp,
    pub change: FileChange,
}

/// What calls did to one file, together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetChange {
    pub path: String,
    /// Its path before, if it was moved.
    pub from: Option<String>,
    pub kind: FileChangeKind,
    pub hunks: Vec<Hunk>,
    /// Lines that the records leave out.
    pub omitted_lines: usize,
    /// Something else changed the file since the difference before this one.
    pub after_others: bool,
    /// The calls, in their order: dialog, call, time.
    pub calls: Vec<(DialogId, CallId, Stamp)>,
}

impl NetChange {
    pub fn count(&self, tag: LineTag) -> usize {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.tag == tag).count()
    }
}

/// The differences of changes in the order in which they were made; files in the order of their last change.
pub fn net_changes(changes: impl IntoIterator<Item = ChangeByCall>) -> Vec<NetChange> {
    let mut done = Vec::new();
    let mut open: Vec<FollowedFile> = Vec::new();
    for made in changes {
        let path = made.change.from.as_ref().unwrap_or(&made.change.path);
        let known = open.iter().rposition(|file| file.path == *path && !file.is_closed());
        let known = known.map(|at| open.remove(at));
        let mut file = known.unwrap_or_else(|| FollowedFile::new(&made.change, false));
        if file.follow(&made).is_err() {
            let next = FollowedFile::new(&made.change, true);
            done.extend(std::mem::replace(&mut file, next).finished());
            // A change always fits a file of which nothing is known.
            let _ = file.follow(&made);
        }
        for inside in &mut open {
            inside.follow_directory(&made.change);
        }
        open.push(file);
    }
    done.extend(open.into_iter().filter_map(FollowedFile::finished));
    done
}

/// The change was made to another text than the one that was followed.
struct OtherText;

/// A file from before the first change that is known to its present state.
struct FollowedFile {
    /// Its present path.
    path: String,
    first_path: String,
    is_new: bool,
    is_removed: bool,
    is_replaced: bool,
    after_others: bool,
    stretches: Vec<Stretch>,
    /// Old lines that are known, by how many lines stand before them.
    known: BTreeMap<usize, String>,
    omitted_lines: usize,
    calls: Vec<(DialogId, CallId, Stamp)>,
}

/// Consecutive lines of the present text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stretch {
    /// Lines of the old text.
    Old {
        at: usize,
        len: usize,
    },
    Added(Vec<String>),
}

impl Stretch {
    fn len(&self) -> usize {
        match self {
            Self::Old { len, .. } => *len,
            Self::Added(lines) => lines.len(),
        }
    }

    /// Its first lines, and the rest.
    fn split(self, first: usize) -> (Self, Self) {
        match self {
            Self::Old { at, len } => {
                (Self::Old { at, len: first }, Self::Old { at: at + first, len: len - first })
            }
            Self::Added(mut lines) => {
                let rest = lines.split_off(first.min(lines.len()));
                (Self::Added(lines), Self::Added(rest))
            }
        }
    }
}

impl FollowedFile {
    fn new(change: &FileChange, after_others: bool) -> Self {
        let is_new = change.kind == FileChangeKind::Created;
        let unknown = Stretch::Old { at: 0, len: usize::MAX / 2 };
        Self {
            path: change.path.clone(),
            first_path: change.from.as_ref().unwrap_or(&change.path).clone(),
            is_new,
            is_removed: false,
            is_replaced: false,
            after_others,
            stretches: if is_new { Vec::new() } else { vec![unknown] },
            known: BTreeMap::new(),
            omitted_lines: 0,
            calls: Vec::new(),
        }
    }

    /// True if no later change belongs to it.
    fn is_closed(&self) -> bool {
        self.is_removed || self.is_replaced || self.omitted_lines > 0
    }

    /// Follows a move or removal of its directory.
    fn follow_directory(&mut self, change: &FileChange) {
        let directory = change.from.as_ref().unwrap_or(&change.path);
        let Some(rest) = self.path.strip_prefix(directory).filter(|_| directory.ends_with('/'))
        else {
            return;
        };
        match change.kind {
            FileChangeKind::Moved => self.path = format!("{}{rest}", change.path),
            FileChangeKind::Removed => self.is_removed = true,
            FileChangeKind::Created | FileChangeKind::Changed | FileChangeKind::Replaced => {}
        }
    }

    fn follow(&mut self, made: &ChangeByCall) -> Result<(), OtherText> {
        let change = &made.change;
        if change.kind == FileChangeKind::Created && !self.calls.is_empty() {
            return Err(OtherText);
        }
        let before = (self.stretches.clone(), self.known.clone());
        // From the last one to the first, so that places in the text before the change stay valid.
        for hunk in change.hunks().iter().rev() {
            if self.apply(hunk).is_err() {
                (self.stretches, self.known) = before;
                return Err(OtherText);
            }
        }
        self.path.clone_from(&change.path);
        self.is_removed = change.kind == FileChangeKind::Removed;
        self.is_replaced = change.kind == FileChangeKind::Replaced;
        self.omitted_lines += change.omitted_lines;
        self.calls.push((made.dialog.clone(), made.call.clone(), made.at.clone()));
        Ok(())
    }

    fn apply(&mut self, hunk: &Hunk) -> Result<(), OtherText> {
        let start = self.cut_at(hunk.old_at)?;
        let end = self.cut_at(hunk.old_at.checked_add(hunk.old_len()).ok_or(OtherText)?)?;
        let mut present = self.stretches.drain(start..end).collect::<Vec<_>>().into_iter();
        let mut rest: Option<Stretch> = None;
        let mut made: Vec<Stretch> = Vec::new();
        for line in &hunk.lines {
            if line.tag == LineTag::Added {
                push(&mut made, Stretch::Added(vec![line.text.clone()]));
                continue;
            }
            let stretch = rest.take().or_else(|| present.next()).ok_or(OtherText)?;
            let (first, after) = stretch.split(1);
            rest = (after.len() > 0).then_some(after);
            self.check(&first, &line.text)?;
            if line.tag == LineTag::Same {
                push(&mut made, first);
            }
        }
        self.stretches.splice(start..start, made);
        Ok(())
    }

    /// Compares a line with what is known of it; an unknown one is known from now on.
    fn check(&mut self, line: &Stretch, text: &str) -> Result<(), OtherText> {
        let is_same = match line {
            Stretch::Added(lines) => lines.first().is_some_and(|line| line == text),
            Stretch::Old { at, .. } => {
                self.known.entry(*at).or_insert_with(|| text.to_owned()) == text
            }
        };
        if is_same { Ok(()) } else { Err(OtherText) }
    }

    /// The index of the stretch that begins after this many lines; splits one if needed.
    fn cut_at(&mut self, lines: usize) -> Result<usize, OtherText> {
        let mut before = 0;
        for at in 0..self.stretches.len() {
            if before == lines {
                return Ok(at);
            }
            let len = self.stretches.get(at).map_or(0, Stretch::len);
            if lines < before + len {
                let (first, rest) = self.stretches.remove(at).split(lines - before);
                self.stretches.splice(at..at, [first, rest]);
                return Ok(at + 1);
            }
            before += len;
        }
        if before == lines { Ok(self.stretches.len()) } else { Err(OtherText) }
    }

    /// The difference; `None` for a file that is as it was before.
    fn finished(self) -> Option<NetChange> {
        let was_moved = self.path != self.first_path;
        let kind = match (self.is_new, self.is_removed) {
            (true, true) => return None,
            (true, false) => FileChangeKind::Created,
            (false, true) => FileChangeKind::Removed,
            (false, false) if self.is_replaced => FileChangeKind::Replaced,
            (false, false) if was_moved => FileChangeKind::Moved,
            (false, false) => FileChangeKind::Changed,
        };
        let hunks = if self.is_removed { Vec::new() } else { self.hunks() };
        let is_unchanged = hunks.is_empty() && self.omitted_lines == 0;
        if kind == FileChangeKind::Changed && is_unchanged {
            return None;
        }
        Some(NetChange {
            from: (was_moved && !self.is_new).then_some(self.first_path),
            path: self.path,
            kind,
            hunks,
            omitted_lines: self.omitted_lines,
            after_others: self.after_others,
            calls: self.calls,
        })
    }

    fn hunks(&self) -> Vec<Hunk> {
        let mut hunks = Vec::new();
        let mut region = Region::default();
        for stretch in &self.stretches {
            match stretch {
                Stretch::Added(lines) => region.new.extend(lines.iter().map(String::as_str)),
                Stretch::Old { at, len } => {
                    let removed = region.old_end()..*at;
                    region.old.extend(removed.map(|line| self.known_line(line)));
                    let lines = *at..at + len;
                    if lines.clone().all(|line| self.known.contains_key(&line)) {
                        region.old.extend(lines.clone().map(|line| self.known_line(line)));
                        region.new.extend(lines.map(|line| self.known_line(line)));
                        continue;
                    }
                    hunks.extend(self.close(&region, *len));
                    region = Region {
                        old_at: at + len,
                        new_at: region.new_at + region.new.len() + len,
                        kept_before: *len,
                        ..Region::default()
                    };
                }
            }
        }
        hunks.extend(self.close(&region, 0));
        hunks
    }

    fn known_line(&self, at: usize) -> &str {
        self.known.get(&at).map_or("", String::as_str)
    }

    /// The hunks of a region, with the known lines around it. `kept_after`: how many lines behind it are as
    /// they were.
    fn close(&self, region: &Region<'_>, kept_after: usize) -> Vec<Hunk> {
        let is_known = |line: &usize| self.known.contains_key(line);
        let reach = CONTEXT_LINES.min(region.kept_before);
        let before = (1..=reach).take_while(|back| is_known(&(region.old_at - back))).count();
        let end = region.old_end();
        let after = (end..end + CONTEXT_LINES.min(kept_after)).take_while(is_known);
        let same = |at: usize| DiffLine::new(LineTag::Same, self.known_line(at));
        let mut lines: Vec<DiffLine> = (region.old_at - before..region.old_at).map(same).collect();
        lines.extend(compare(&region.old, &region.new));
        lines.extend(after.map(same));
        grouped(region.old_at - before, region.new_at - before, lines)
    }
}

/// Consecutive lines of both texts that are all known: what was added and removed, and the lines between.
/// They are compared as a whole, because equal lines can be kept at one place and added at another.
#[derive(Default)]
struct Region<'a> {
    /// Lines before it in both texts; those just before it that are as they were.
    old_at: usize,
    new_at: usize,
    kept_before: usize,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl Region<'_> {
    fn old_end(&self) -> usize {
        self.old_at + self.old.len()
    }
}

fn push(stretches: &mut Vec<Stretch>, next: Stretch) {
    match (stretches.last_mut(), next) {
        (Some(Stretch::Added(lines)), Stretch::Added(more)) => lines.extend(more),
        (Some(Stretch::Old { at, len }), Stretch::Old { at: next, len: more })
            if *at + *len == next =>
        {
            *len += more;
        }
        (_, next) => stretches.push(next),
    }
}

#[cfg(test)]
mod tests;
