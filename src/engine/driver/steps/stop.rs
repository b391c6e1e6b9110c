//! Stops a dialog until the user continues it, and side dialogs whose asker is dead.

use crate::domain::dialogs::latest::StopReason;
use crate::domain::{Dialog, Latest, SelfId};

use super::draft::Draft;

/// Stops the dialog until the user continues it. A dead dialog stays dead.
pub fn mark_stopped(draft: &mut Draft, dialog: &SelfId, reason: StopReason) {
    draft.set_durable();
    if reason == StopReason::asker_is_dead() && has_new_work(draft, dialog) {
        draft.edit_latest(dialog, |latest| latest.generating = latest.generating.map(|_| false));
        return;
    }
    draft.edit_latest(dialog, |latest| latest.interrupt(reason));
}

/// True if a live dialog gave this one work that it has not started: then it does not stop for a dead
/// asker, although its drive was requested to stop.
fn has_new_work(draft: &Draft, id: &SelfId) -> bool {
    let asker = draft.dialog(id).and_then(Dialog::unstarted_assignment);
    let asker = asker.and_then(|work| draft.dialog(&work.asker_dialog_id));
    asker.is_some_and(|asker| {
        let stopped = asker.latest.interruption();
        !asker.latest.is_dead() && stopped != Some(&StopReason::asker_is_dead())
    })
}

/// Resumes a side dialog that was stopped for its dead asker, since it has a new one; and with it those
/// that work for it.
pub fn resume_dismissed(draft: &mut Draft, id: &SelfId) {
    let dismissed = |draft: &Draft, id: &SelfId| {
        let stop = draft.dialog(id).and_then(|dialog| dialog.latest.interruption());
        stop.is_some_and(|reason| *reason == StopReason::asker_is_dead())
    };
    let mut next = vec![id.clone()];
    while let Some(id) = next.pop() {
        if dismissed(draft, &id) {
            draft.edit_latest(&id, Latest::clear_interruption);
            next.extend(workers_of(draft, &id));
        }
    }
}

/// Ends a stop because what the dialog waited for is there. Parked work is cleared: with that the dialog continues it
/// anyway.
pub fn end_pause(draft: &mut Draft, id: &SelfId) {
    draft.edit_latest(id, |latest| {
        if latest.interruption().is_some_and(StopReason::is_pause) {
            latest.set_parked(None);
        }
        latest.clear_interruption();
    });
}

/// Takes up a dialog that is paused: a reply came to it, or a newer request. Only where the layout has it so.
pub fn take_up(draft: &mut Draft, id: &SelfId) {
    let is_paused =
        |dialog: &Dialog| dialog.latest.interruption().is_some_and(StopReason::is_pause);
    if draft.tree.layout.replies_end_a_pause() && draft.dialog(id).is_some_and(is_paused) {
        end_pause(draft, id);
    }
}

/// The live side dialogs that owe this one a reply.
pub fn workers_of(draft: &Draft, asker: &SelfId) -> Vec<SelfId> {
    let works = |dialog: &&Dialog| {
        let owed = dialog.assignment_owed().is_some_and(|owed| owed.target_dialog_id == *asker);
        let is_unfinished = !dialog.is_fresh_boots() || dialog.latest.fbr_state.is_some();
        owed && is_unfinished && !dialog.latest.is_dead() && dialog.meta.id != *asker
    };
    let dialogs = draft.tree.dialogs.values().map(AsRef::as_ref);
    dialogs.filter(works).map(|dialog: &Dialog| dialog.meta.id.clone()).collect()
}
