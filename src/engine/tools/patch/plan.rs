//! A patch as steps that are ready to be made. Everything is judged, opened and worked out here;
//! nothing is written, and not even a directory is made.

use std::collections::BTreeSet;

use super::chunks::{ChunkError, update};
use super::grammar::{Chunk, FilePatch};
use crate::guard::{
    AccessOp, DirEntryHandle, FileSlot, Guard, NewPath, PathFault, PathFaultKind, PathKind,
    PathTarget,
};
use crate::tools::files::{NoText, read_text};

/// A file that is read or removed needs both rights.
const BOTH: [AccessOp; 2] = [AccessOp::Read, AccessOp::Write];

/// Most text, old and new, that is held for one patch.
const LIMIT_BYTES: usize = 64 * 1024 * 1024;

/// One step, and the words for it.
#[derive(Debug)]
pub(super) enum PatchStep {
    Create { vacant: NewPath, content: String },
    Remove(DirEntryHandle),
    Rewrite(Rewrite),
    Move { entry: DirEntryHandle, vacant: NewPath },
}

/// A file that gets another text.
#[derive(Debug)]
pub(super) struct Rewrite {
    pub path: String,
    pub slot: FileSlot,
    pub old: String,
    pub new: String,
    pub added: usize,
    pub removed: usize,
}

/// Why nothing can be done.
#[derive(Debug)]
pub(super) enum PlanError {
    NoText(NoText),
    Misfit {
        path: String,
        misfit: ChunkError,
    },
    /// Two sections about one path.
    Twice(String),
    /// The files are too large to be changed at once; the path is where that showed.
    TooMuch(String),
}

impl From<PathFault> for PlanError {
    fn from(fault: PathFault) -> Self {
        Self::NoText(fault.into())
    }
}

/// Works out all steps.
pub(super) fn plan(guard: &Guard, sections: &[FilePatch]) -> Result<Vec<PatchStep>, PlanError> {
    let mut plan = PatchPlan { guard, steps: Vec::new(), named: BTreeSet::new(), bytes: 0 };
    for section in sections {
        match section {
            FilePatch::Add { path, content } => plan.add(path, content)?,
            FilePatch::Delete { path } => plan.delete(path)?,
            FilePatch::Update { path, to, chunks } => plan.update(path, to.as_deref(), chunks)?,
        }
    }
    Ok(plan.steps)
}

struct PatchPlan<'a> {
    guard: &'a Guard,
    steps: Vec<PatchStep>,
    /// Paths that a section is about.
    named: BTreeSet<String>,
    /// Text that is held, old and new.
    bytes: usize,
}

impl PatchPlan<'_> {
    fn add(&mut self, path: &str, content: &str) -> Result<(), PlanError> {
        let vacant = self.guard.new_path(path, PathTarget::File)?;
        self.once(&vacant.shown)?;
        self.steps.push(PatchStep::Create { vacant, content: content.to_owned() });
        Ok(())
    }

    fn delete(&mut self, path: &str) -> Result<(), PlanError> {
        let entry = self.guard.entry(path, &BOTH)?;
        match entry.kind() {
            PathKind::File | PathKind::Symlink => {}
            PathKind::Directory | PathKind::Special => return Err(no_file(path)),
        }
        self.once(&entry.shown)?;
        self.steps.push(PatchStep::Remove(entry));
        Ok(())
    }

    fn update(&mut self, path: &str, to: Option<&str>, chunks: &[Chunk]) -> Result<(), PlanError> {
        let rewrite = rewrite(self.guard, path, chunks)?;
        self.once(&rewrite.path)?;
        self.bytes += rewrite.old.len() + rewrite.new.len();
        if self.bytes > LIMIT_BYTES {
            return Err(PlanError::TooMuch(rewrite.path));
        }
        if rewrite.old != rewrite.new {
            self.steps.push(PatchStep::Rewrite(rewrite));
        }
        if let Some(to) = to {
            let (entry, vacant) = relocation(self.guard, path, to)?;
            self.once(&vacant.shown)?;
            self.steps.push(PatchStep::Move { entry, vacant });
        }
        Ok(())
    }

    fn once(&mut self, path: &str) -> Result<(), PlanError> {
        let new = self.named.insert(path.to_owned());
        if new { Ok(()) } else { Err(PlanError::Twice(path.to_owned())) }
    }
}

fn rewrite(guard: &Guard, path: &str, chunks: &[Chunk]) -> Result<Rewrite, PlanError> {
    let opened = guard.open_for_edit(path)?;
    let old = read_text(&opened).map_err(PlanError::NoText)?;
    let path = opened.shown.clone();
    let updated =
        update(&old, chunks).map_err(|misfit| PlanError::Misfit { path: path.clone(), misfit })?;
    let slot = opened.into_slot(&path);
    let (added, removed) = (updated.added, updated.removed);
    Ok(Rewrite { path, slot, old, new: updated.text, added, removed })
}

/// Only a plain file is moved and changed at once: for a link, the link would be moved, and the
/// file behind it changed.
fn relocation(guard: &Guard, from: &str, to: &str) -> Result<(DirEntryHandle, NewPath), PlanError> {
    let entry = guard.entry(from, &BOTH)?;
    if entry.kind() != PathKind::File {
        return Err(no_file(from));
    }
    Ok((entry, guard.new_path(to, PathTarget::File)?))
}

fn no_file(path: &str) -> PlanError {
    PathFault::new(path, PathFaultKind::NotAFile).into()
}
