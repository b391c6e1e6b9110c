//! Nobody waits for something that nobody will do. Read from the tree alone, without the rules the driver
//! has for it.

use std::collections::BTreeSet;

use dominds_tui::domain::dialogs::state::next_step;
use dominds_tui::domain::{CallId, Dialog, DialogTree, SelfId};

/// Looks at a tree in which nothing moves.
pub fn check(tree: &DialogTree) -> Result<(), String> {
    if has_ring(tree) {
        return Err("dialogs wait for each other".to_owned());
    }
    for dialog in tree.dialogs.values().filter(|dialog| !dialog.latest.is_dead()) {
        let id = &dialog.meta.id;
        if let Some(step) = next_step(dialog) {
            return Err(format!("{id} would go on ({step:?}) and does not"));
        }
        requests_stand(tree, dialog)?;
        questions_stand(tree, dialog)?;
        owed_work_moves(tree, dialog)?;
        let waits = !awaited(tree, dialog).is_empty();
        if waits && !ends(tree, dialog) {
            return Err(format!("{id} waits for something that nobody will do"));
        }
    }
    Ok(())
}

/// True if dialogs wait for each other's replies.
fn has_ring(tree: &DialogTree) -> bool {
    tree.dialogs.values().filter(|dialog| !dialog.latest.is_dead()).any(|start| {
        let mut seen = BTreeSet::new();
        let mut left: Vec<&SelfId> = callees(start).collect();
        while let Some(id) = left.pop() {
            if *id == start.meta.id {
                return true;
            }
            if let Some(next) = tree.get(id).filter(|_| seen.insert(id)) {
                left.extend(callees(next));
            }
        }
        false
    })
}

fn callees(dialog: &Dialog) -> impl Iterator<Item = &SelfId> {
    dialog.pending.iter().map(|pending| &pending.side_dialog_id)
}

/// Whoever is waited for knows it: its newest assignment is the very call.
fn requests_stand(tree: &DialogTree, dialog: &Dialog) -> Result<(), String> {
    for pending in &dialog.pending {
        let (id, call) = (&dialog.meta.id, &pending.call_id);
        let callee = tree.get(&pending.side_dialog_id);
        let callee = callee.ok_or_else(|| format!("{id} waits for nobody with {call}"))?;
        if callee.latest.is_dead() {
            return Err(format!("{id} waits for a dead dialog with {call}"));
        }
        let owes = callee
            .assignment_owed()
            .is_some_and(|owed| owed.target_call_id == *call && owed.target_dialog_id == *id);
        if !owes {
            return Err(format!("{id} waits with {call}, and its callee owes nothing for it"));
        }
    }
    Ok(())
}

/// Whoever was asked back has the question on its stack.
fn questions_stand(tree: &DialogTree, dialog: &Dialog) -> Result<(), String> {
    for (call, _) in dialog.history.asked_back() {
        let id = &dialog.meta.id;
        let known = tree.dialogs.values().filter(|other| !other.latest.is_dead()).any(|other| {
            other.stack.iter().any(|frame| {
                frame.is_ask_back()
                    && frame.owed_call() == Some(call)
                    && frame.asker_dialog_id == *id
            })
        });
        if !known {
            return Err(format!("{id} asked back with {call}, and nobody has the question"));
        }
    }
    Ok(())
}

/// Who owes a reply that somebody waits for works on it, waits, or shows a person that it does not.
fn owed_work_moves(tree: &DialogTree, dialog: &Dialog) -> Result<(), String> {
    let Some(owed) = dialog.assignment_owed() else { return Ok(()) };
    let waited_for = tree.get(&owed.target_dialog_id).is_some_and(|asker| {
        !asker.latest.is_dead() && asker.pending.iter().any(|p| p.call_id == owed.target_call_id)
    });
    let rests = !is_a_persons_turn(dialog) && awaited(tree, dialog).is_empty();
    if waited_for && rests {
        return Err(format!("{} rests and owes {}", dialog.meta.id, owed.target_call_id));
    }
    Ok(())
}

/// A person sees that they are needed: a question is open, or it was stopped.
fn is_a_persons_turn(dialog: &Dialog) -> bool {
    !dialog.questions.is_empty() || dialog.latest.interruption().is_some()
}

/// The dialogs it waits for.
fn awaited<'a>(tree: &'a DialogTree, dialog: &'a Dialog) -> BTreeSet<&'a SelfId> {
    let asked: Vec<&CallId> = dialog.history.asked_back().map(|(call, _)| call).collect();
    let answers = |other: &Dialog| {
        let mut frames = other.stack.iter().filter(|frame| frame.is_ask_back());
        frames.any(|frame| frame.owed_call().is_some_and(|call| asked.contains(&call)))
    };
    let answerers =
        tree.dialogs.values().filter(|other| answers(other)).map(|other| &other.meta.id);
    callees(dialog).chain(answerers).collect()
}

/// True if somewhere behind it there is a dialog that a person can help.
fn ends(tree: &DialogTree, dialog: &Dialog) -> bool {
    let mut seen = BTreeSet::new();
    let mut left = vec![&dialog.meta.id];
    while let Some(id) = left.pop() {
        let Some(dialog) = tree.get(id).filter(|dialog| !dialog.latest.is_dead()) else { continue };
        if !seen.insert(id) {
            continue;
        }
        if is_a_persons_turn(dialog) {
            return true;
        }
        left.extend(awaited(tree, dialog));
    }
    false
}
