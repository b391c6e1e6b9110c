//! Declares a side dialog dead. The declaration is written first, as a step of its own. Its consequences –
//! the session is free, the calls to it are closed – are drafted from that alone, so a restart in between
//! completes them.

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::{Record, ReplyStatus};
use crate::domain::{DialogTree, Latest, Pending, SelfId};
use crate::driver::calls::results::{CallEnd, ResultAuthor, answer_asker};
use crate::driver::calls::{ask_back, fresh_boots, reply};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::stop::workers_of;
use crate::driver::texts::Texts;
use crate::protocol::Refusal;

/// Whether a dialog may be declared dead.
pub fn check(tree: &DialogTree, id: &SelfId) -> Result<(), Refusal> {
    if tree.is_main(id) {
        return Err(Refusal::MainsAreDoneNotDead);
    }
    tree.get(id).map(|_| ()).ok_or(Refusal::NoSuchDialog)
}

/// Marks the dialog dead. Its queued messages are dropped; its question stays in its file but is no longer
/// asked.
pub fn declare(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id).filter(|dialog| !dialog.latest.is_dead()) else { return };
    let (waits, answers) = (!dialog.queue.is_empty(), dialog.answers.is_some());
    draft.set_durable();
    draft.edit_latest(id, Latest::die);
    if waits {
        draft.set_queue(id, Vec::new());
    }
    if answers {
        draft.set_answers(id, None);
    }
}

/// Drafts the consequences of a death; idempotent. Returns the side dialogs that have lost their
/// asker.
pub fn apply_death(
    draft: &mut Draft,
    id: &SelfId,
    note: Option<&str>,
    texts: Texts,
) -> Vec<SelfId> {
    remove_from_registry(draft, id);
    close_calls(draft, id, note, texts);
    let others: Vec<SelfId> =
        draft.tree.dialogs.keys().filter(|other| *other != id).cloned().collect();
    for other in &others {
        if draft.dialog(other).is_none_or(|other| other.latest.is_dead()) {
            continue;
        }
        // Questions from the dead dialog are dropped, questions to it are closed.
        ask_back::drop_unawaited(draft, other);
        ask_back::close_questions_to(draft, other, id, texts);
    }
    stop_workers(draft, id, texts)
}

/// Closes the calls that wait for the dead dialog with a notice of the runtime, not a reply.
fn close_calls(draft: &mut Draft, id: &SelfId, note: Option<&str>, texts: Texts) {
    let waiting: Vec<(SelfId, Pending)> = draft
        .tree
        .dialogs
        .values()
        .filter(|dialog| !dialog.latest.is_dead())
        .flat_map(|dialog| dialog.pending.iter().map(|p| (dialog.meta.id.clone(), p.clone())))
        .filter(|(_, pending)| pending.side_dialog_id == *id)
        .collect();
    for (asker, pending) in waiting {
        draft.set_durable();
        let notice = texts.declared_dead(&pending, note);
        let outcome = CallEnd {
            callee: Some(id),
            author: ResultAuthor::Runtime,
            written: None,
            status: ReplyStatus::Failed,
            text: &notice,
        };
        answer_asker(draft, &asker, &pending, &outcome, texts);
    }
}

/// Stops the side dialogs that work for the dead dialog, and transitively those that work for them.
fn stop_workers(draft: &mut Draft, dead: &SelfId, texts: Texts) -> Vec<SelfId> {
    let orphans = workers_of(draft, dead);
    for orphan in &orphans {
        clear_work_of(draft, orphan, texts);
    }
    let mut stopped = orphans.clone();
    let mut next = orphans;
    while let Some(above) = next.pop() {
        let below = workers_of(draft, &above);
        next.extend(below.iter().filter(|id| !stopped.contains(id)).cloned().collect::<Vec<_>>());
        stopped.extend(below);
    }
    stopped.sort_unstable();
    stopped.dedup();
    for id in &stopped {
        draft.set_durable();
        draft.edit_latest(id, |latest| latest.interrupt(StopReason::asker_is_dead()));
    }
    stopped
}

/// Clears the owed reply and records the reason for the model.
fn clear_work_of(draft: &mut Draft, id: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(id) else { return };
    if dialog.is_fresh_boots() {
        fresh_boots::abandon(draft, id);
        return;
    }
    let Some(owed) = dialog.assignment_owed().cloned() else { return };
    let (course, genseq) = (dialog.history.course, dialog.history.last_genseq);
    let has_begun = dialog.history.last.course.is_some();
    draft.set_durable();
    reply::clear_obligation(draft, id, &owed);
    if has_begun {
        let guide = Record::RuntimeGuide { content: texts.asker_is_dead() };
        draft.append(id, course, genseq, guide);
    }
}

/// The session is free for a new side dialog.
fn remove_from_registry(draft: &mut Draft, id: &SelfId) {
    let mut entries = draft.tree.registry.clone();
    entries.retain(|entry| entry.side_dialog_id != *id);
    if entries.len() == draft.tree.registry.len() {
        return;
    }
    let main = draft.tree.root.main();
    let course = draft.tree.anchor().course;
    draft.append_detached(&main, course, Record::Registry { entries: entries.clone() });
    draft.set_registry(entries);
}
