//! Carries out the steps of a patch, all or none: when one fails, those before it are undone.

use super::plan::{PatchStep, Rewrite};
use crate::domain::FileChange;
use crate::guard::{AccessOp, Guard, MovedEntry, PathFault, PathFaultKind, Spot};
use crate::tools::files::read_text;

/// How to undo a step.
enum UndoStep {
    Created(Spot),
    /// Out of the way, to be removed at the end.
    Removed(MovedEntry),
    Rewritten(Rewrite),
    Moved(MovedEntry, Spot),
}

/// A patch that could not be made.
#[derive(Debug)]
pub(super) struct ApplyError {
    pub fault: PathFault,
    /// Paths that could not be restored.
    pub left: Vec<String>,
}

/// Carries out all steps; returns a line for each, and the change of the file.
pub(super) fn make(
    guard: &Guard,
    steps: Vec<PatchStep>,
) -> Result<Vec<(String, FileChange)>, ApplyError> {
    let mut changes = Vec::new();
    let mut made = Vec::new();
    for step in steps {
        let (line, change) = (line(&step), file_change(&step));
        match step_once(step) {
            Ok(undo) => {
                made.push(undo);
                changes.push((line, change));
            }
            Err(fault) => return Err(ApplyError { fault, left: take_back(guard, made) }),
        }
    }
    for undo in made {
        if let UndoStep::Removed(moved) = undo {
            // It already lost its name; a rest that cannot be removed does no harm.
            let _ = moved.remove();
        }
    }
    Ok(changes)
}

fn step_once(step: PatchStep) -> Result<UndoStep, PathFault> {
    match step {
        PatchStep::Create { vacant, content } => {
            let spot = vacant.create_parents()?;
            spot.fill(content.as_bytes())?;
            Ok(UndoStep::Created(spot))
        }
        PatchStep::Remove(entry) => entry.set_aside().map(UndoStep::Removed),
        PatchStep::Rewrite(rewrite) => {
            rewrite.slot.write(rewrite.new.as_bytes())?;
            Ok(UndoStep::Rewritten(rewrite))
        }
        PatchStep::Move { entry, vacant } => {
            let spot = vacant.create_parents()?;
            let moved = entry.move_to(&spot).inspect_err(|_| spot.remove_parents())?;
            Ok(UndoStep::Moved(moved, spot))
        }
    }
}

fn take_back(guard: &Guard, made: Vec<UndoStep>) -> Vec<String> {
    let mut left = Vec::new();
    for undo in made.into_iter().rev() {
        let (path, taken_back) = match &undo {
            UndoStep::Created(spot) => (&spot.shown, spot.remove()),
            UndoStep::Removed(moved) => (&moved.shown, moved.undo()),
            UndoStep::Rewritten(rewrite) => (&rewrite.path, restore(guard, rewrite)),
            UndoStep::Moved(moved, spot) => {
                let back = moved.undo();
                spot.remove_parents();
                (&moved.shown, back)
            }
        };
        if taken_back.is_err() {
            left.push(path.clone());
        }
    }
    left
}

/// Puts the old text back, unless somebody else has changed the file meanwhile.
fn restore(guard: &Guard, rewrite: &Rewrite) -> Result<(), PathFault> {
    let changed = || PathFault::new(&rewrite.path, PathFaultKind::Changed);
    let opened = guard.open_file(&rewrite.path, AccessOp::Write)?;
    let now = read_text(&opened).map_err(|_| changed())?;
    if now != rewrite.new {
        return Err(changed());
    }
    opened.into_slot(&rewrite.path).write(rewrite.old.as_bytes())
}

fn file_change(step: &PatchStep) -> FileChange {
    match step {
        PatchStep::Create { vacant, content } => FileChange::created(&vacant.shown, content),
        PatchStep::Remove(entry) => FileChange::removed(&entry.shown),
        PatchStep::Rewrite(rewrite) => {
            FileChange::rewritten(&rewrite.path, &rewrite.old, &rewrite.new)
        }
        PatchStep::Move { entry, vacant } => FileChange::moved(&entry.shown, &vacant.shown),
    }
}

fn line(step: &PatchStep) -> String {
    match step {
        PatchStep::Create { vacant, content } => {
            format!("A {} (+{})", vacant.shown, content.matches('\n').count())
        }
        PatchStep::Remove(entry) => format!("D {}", entry.shown),
        PatchStep::Rewrite(rewrite) => {
            format!("M {} (+{} -{})", rewrite.path, rewrite.added, rewrite.removed)
        }
        PatchStep::Move { entry, vacant } => format!("R {} -> {}", entry.shown, vacant.shown),
    }
}
