//! Makes the steps of a patch, all or none: when one fails, those before it are taken back.

use super::plan::{Rewrite, Step};
use crate::tools::access::AccessOp;
use crate::tools::edits::read_text;
use crate::tools::guard::{Guard, MovedEntry, PathFault, PathFaultKind, Spot};

/// How a step that was made is taken back.
enum Undo {
    Created(Spot),
    /// Out of the way, to be removed at the end.
    Removed(MovedEntry),
    Rewritten(Rewrite),
    Moved(MovedEntry, Spot),
}

/// A patch that could not be made.
#[derive(Debug)]
pub(super) struct Failed {
    pub fault: PathFault,
    /// Paths that could not be brought back to what they were.
    pub left: Vec<String>,
}

/// Makes all steps; gives a line for each.
pub(super) fn make(guard: &Guard, steps: Vec<Step>) -> Result<Vec<String>, Failed> {
    let mut told = Vec::new();
    let mut made = Vec::new();
    for step in steps {
        let line = line(&step);
        match step_once(step) {
            Ok(undo) => {
                made.push(undo);
                told.push(line);
            }
            Err(fault) => return Err(Failed { fault, left: take_back(guard, made) }),
        }
    }
    for undo in made {
        if let Undo::Removed(moved) = undo {
            // It has lost its name already; a rest that cannot be removed harms nobody.
            let _ = moved.remove();
        }
    }
    Ok(told)
}

fn step_once(step: Step) -> Result<Undo, PathFault> {
    match step {
        Step::Create { vacant, content } => {
            let spot = vacant.create_parents()?;
            spot.fill(content.as_bytes())?;
            Ok(Undo::Created(spot))
        }
        Step::Remove(entry) => entry.set_aside().map(Undo::Removed),
        Step::Rewrite(rewrite) => {
            rewrite.slot.write(rewrite.new.as_bytes())?;
            Ok(Undo::Rewritten(rewrite))
        }
        Step::Move { entry, vacant } => {
            let spot = vacant.create_parents()?;
            let moved = entry.move_to(&spot).inspect_err(|_| spot.remove_parents())?;
            Ok(Undo::Moved(moved, spot))
        }
    }
}

fn take_back(guard: &Guard, made: Vec<Undo>) -> Vec<String> {
    let mut left = Vec::new();
    for undo in made.into_iter().rev() {
        let (path, taken_back) = match &undo {
            Undo::Created(spot) => (&spot.shown, spot.remove()),
            Undo::Removed(moved) => (&moved.shown, moved.undo()),
            Undo::Rewritten(rewrite) => (&rewrite.path, restore(guard, rewrite)),
            Undo::Moved(moved, spot) => {
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

fn line(step: &Step) -> String {
    match step {
        Step::Create { vacant, content } => {
            format!("A {} (+{})", vacant.shown, content.matches('\n').count())
        }
        Step::Remove(entry) => format!("D {}", entry.shown),
        Step::Rewrite(rewrite) => {
            format!("M {} (+{} -{})", rewrite.path, rewrite.added, rewrite.removed)
        }
        Step::Move { entry, vacant } => format!("R {} -> {}", entry.shown, vacant.shown),
    }
}
