//! How many side dialogs of a tree may be at work at once, and how deep they may ask one another.
//!
//! *Live* is who still has something to do or waits for something: it owes a reply, a step of it is due,
//! it asked somebody. A session that rests between two requests is not, nor is the dead. All of it is
//! read from the facts, so a restart, a fork or a revived dialog needs nothing of its own.

use super::dialog::Dialog;
use super::ids::SelfId;
use super::state::next_step;
use super::tree::DialogTree;

/// The most there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrowdLimits {
    /// Live side dialogs of a tree.
    pub dialogs: usize,
    /// Askers above one another; a side dialog of the main dialog stands at 1.
    pub depth: usize,
}

impl Default for CrowdLimits {
    fn default() -> Self {
        Self { dialogs: 500, depth: 16 }
    }
}

/// What there would be too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crowded {
    Dialogs,
    Depth,
}

/// Whether `caller` may give work to one side dialog more: to `session`, if that is there already.
#[must_use]
pub fn crowded(
    tree: &DialogTree,
    caller: &SelfId,
    session: Option<&SelfId>,
    most: CrowdLimits,
) -> Option<Crowded> {
    let below = session.map_or(0, |session| height(tree, session));
    if depth(tree, caller) + 1 + below > most.depth {
        return Some(Crowded::Depth);
    }
    let works_already = session.and_then(|id| tree.get(id)).is_some_and(is_live);
    let full = || live(tree).count() >= most.dialogs;
    (!works_already && full()).then_some(Crowded::Dialogs)
}

fn is_live(dialog: &Dialog) -> bool {
    // Who reasons anew answers once, and keeps its assignment.
    let undone = !dialog.is_fresh_boots() || dialog.latest.fbr_state.is_some();
    let owes = dialog.obligation().or_else(|| dialog.assignment_owed()).is_some() && undone;
    let waits = !dialog.questions.is_empty() || !dialog.pending.is_empty();
    !dialog.latest.is_dead() && (owes || waits || next_step(dialog).is_some())
}

fn live(tree: &DialogTree) -> impl Iterator<Item = &Dialog> {
    let dialogs = tree.dialogs.values().map(AsRef::as_ref);
    dialogs.filter(|dialog: &&Dialog| !tree.is_main(&dialog.meta.id) && is_live(dialog))
}

/// Those it works for, directly or not: the nearest first. A ring on disk ends where it closes.
fn askers<'a>(tree: &'a DialogTree, id: &'a SelfId) -> impl Iterator<Item = &'a SelfId> {
    let up = move |id: &&'a SelfId| {
        let dialog = tree.get(id).filter(|_| !tree.is_main(id))?;
        dialog.asker()
    };
    std::iter::successors(up(&id), up).take(tree.dialogs.len())
}

fn depth(tree: &DialogTree, id: &SelfId) -> usize {
    askers(tree, id).count()
}

/// How many live ones stand below it, one under the other.
fn height(tree: &DialogTree, id: &SelfId) -> usize {
    let below = |dialog: &Dialog| {
        let place = askers(tree, &dialog.meta.id).position(|asker| asker == id)?;
        Some(place + 1)
    };
    let others = live(tree).filter(|dialog| dialog.meta.id != *id);
    others.filter_map(below).max().unwrap_or(0)
}
