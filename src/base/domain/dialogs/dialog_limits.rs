//! How many side dialogs of a tree may be at work at once, and how deep they may ask one another.
//!
//! A dialog is *live* if it has something to do or waits for something: it owes a reply, a step of it is due, it asked
//! somebody. A session that rests between two requests is not live, nor is a dead dialog. All of it is read from the
//! facts, so a restart, a fork or a revived dialog needs no state of its own.

use super::dialog::Dialog;
use super::state::next_step;
use super::tree::DialogTree;
use crate::domain::ids::SelfId;

/// The limits of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideDialogLimits {
    /// Live side dialogs of a tree.
    pub dialogs: usize,
    /// Depth of a side dialog below the main dialog, counted by its askers; one of the main dialog has 1.
    pub depth: usize,
}

impl Default for SideDialogLimits {
    fn default() -> Self {
        Self { dialogs: 500, depth: 16 }
    }
}

/// The limit that would be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideDialogLimit {
    Dialogs,
    Depth,
}

/// Whether `caller` may give work to one side dialog more: to `session`, if that is there already.
#[must_use]
pub fn exceeded_limit(
    tree: &DialogTree,
    caller: &SelfId,
    session: Option<&SelfId>,
    most: SideDialogLimits,
) -> Option<SideDialogLimit> {
    let below = session.map_or(0, |session| height(tree, session));
    if depth(tree, caller) + 1 + below > most.depth {
        return Some(SideDialogLimit::Depth);
    }
    let works_already = session.and_then(|id| tree.get(id)).is_some_and(is_live);
    let full = || live(tree).count() >= most.dialogs;
    (!works_already && full()).then_some(SideDialogLimit::Dialogs)
}

fn is_live(dialog: &Dialog) -> bool {
    // A fresh-boots dialog answers once, and keeps its assignment.
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

/// The depth of the live dialogs below it.
fn height(tree: &DialogTree, id: &SelfId) -> usize {
    let below = |dialog: &Dialog| {
        let place = askers(tree, &dialog.meta.id).position(|asker| asker == id)?;
        Some(place + 1)
    };
    let others = live(tree).filter(|dialog| dialog.meta.id != *id);
    others.filter_map(below).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{
        AgentId, Assignment, AssignmentFrame, Bucket, CallId, DialogMeta, Latest, RootId, Stamp,
    };

    fn dialog(name: &str) -> Dialog {
        let meta = DialogMeta {
            id: SelfId::new(name),
            agent_id: AgentId::new(name),
            task_doc_path: String::new(),
            created_at: Stamp::default(),
            session_slug: None,
            extra: serde_json::Map::new(),
        };
        Dialog::new(meta, Latest::new(Stamp::default()))
    }

    /// Each pair is a side dialog and who asked it.
    fn tree(pairs: &[(&str, &str)]) -> DialogTree {
        let root = RootId::new("main");
        let mut tree = DialogTree::new(root.clone(), Bucket::Run);
        tree.dialogs.insert(root.main(), Arc::new(dialog("main")));
        for (side, asker) in pairs {
            let assignment = Assignment {
                call_name: "tellask".to_owned(),
                mention_list: None,
                tellask_content: String::new(),
                origin_member_id: AgentId::new(*asker),
                asker_dialog_id: SelfId::new(*asker),
                call_id: CallId::new(format!("{asker}-{side}")),
                collective_targets: None,
                effective_fbr_effort: None,
                extra: serde_json::Map::new(),
            };
            let mut dialog = dialog(side);
            dialog.stack = vec![AssignmentFrame::owing(assignment, "replyTellask")];
            tree.dialogs.insert(SelfId::new(*side), Arc::new(dialog));
        }
        tree
    }

    fn change(tree: &mut DialogTree, id: &str, change: impl FnOnce(&mut Dialog)) {
        let dialog = tree.dialogs.get_mut(&SelfId::new(id)).expect("a dialog");
        change(Arc::make_mut(dialog));
    }

    fn found(
        tree: &DialogTree,
        caller: &str,
        session: Option<&str>,
        most: (usize, usize),
    ) -> Option<SideDialogLimit> {
        let most = SideDialogLimits { dialogs: most.0, depth: most.1 };
        let session = session.map(SelfId::new);
        exceeded_limit(tree, &SelfId::new(caller), session.as_ref(), most)
    }

    #[test]
    fn a_new_one_counts_and_one_that_works_already_does_not() {
        let tree = tree(&[("a", "main"), ("b", "a")]);
        for (caller, session, most, expected) in [
            ("main", None, (3, 9), None),
            ("main", None, (2, 9), Some(SideDialogLimit::Dialogs)),
            ("main", Some("b"), (2, 9), None),
            ("b", None, (9, 3), None),
            ("b", None, (9, 2), Some(SideDialogLimit::Depth)),
            ("main", None, (0, 1), Some(SideDialogLimit::Dialogs)),
        ] {
            assert_eq!(found(&tree, caller, session, most), expected, "{caller} {session:?}");
        }
    }

    #[test]
    fn who_rests_or_is_dead_leaves_room_and_takes_it_again() {
        let mut tree = tree(&[("a", "main"), ("b", "main")]);
        assert_eq!(found(&tree, "main", None, (2, 9)), Some(SideDialogLimit::Dialogs));
        change(&mut tree, "a", |dialog| dialog.latest.die());
        assert_eq!(found(&tree, "main", None, (2, 9)), None);
        change(&mut tree, "b", |dialog| dialog.stack.clear());
        assert_eq!(found(&tree, "main", None, (1, 9)), None);
        assert_eq!(found(&tree, "main", Some("b"), (0, 9)), Some(SideDialogLimit::Dialogs));
    }

    #[test]
    fn a_session_takes_those_below_it_along() {
        let tree = tree(&[("a", "main"), ("s", "main"), ("t", "s"), ("u", "t")]);
        assert_eq!(found(&tree, "a", Some("s"), (9, 4)), None);
        assert_eq!(found(&tree, "a", Some("s"), (9, 3)), Some(SideDialogLimit::Depth));
        assert_eq!(found(&tree, "a", None, (9, 2)), None);
    }

    #[test]
    fn a_ring_that_another_program_left_ends() {
        let tree = tree(&[("a", "b"), ("b", "a")]);
        assert_eq!(found(&tree, "a", None, (9, 2)), Some(SideDialogLimit::Depth));
        assert_eq!(found(&tree, "main", None, (9, 2)), None);
    }
}
