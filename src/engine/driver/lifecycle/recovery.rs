//! Repairs a freshly loaded tree after a crash, or changes by another program. Pure. Nothing is run a second
//! time; whatever cannot be known waits for the user.

use std::collections::BTreeMap;

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::{Record, RecordClass};
use crate::domain::dialogs::remaining_work;
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::{ContextHealth, Latest, Pending, ReplyDirective, SelfId, UnfinishedAnswer};
use crate::driver::calls::ask_back::restore_asked_back;
use crate::driver::calls::open_calls::{close_open_calls, open_reply};
use crate::driver::calls::{ask_back, ask_human, fresh_boots, reply, tellask};
use crate::driver::generation::end;
use crate::driver::steps::course::withdraw_questions;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::steps::stop::mark_stopped;
use crate::driver::texts::Texts;

use super::declare_dead;

/// Drafts the repairs of a tree. `unfinished`: the received parts of answers that were cut off.
pub fn recover(draft: &mut Draft, unfinished: &BTreeMap<SelfId, UnfinishedAnswer>, texts: Texts) {
    let ids: Vec<SelfId> = draft.tree.dialogs.keys().cloned().collect();
    for id in &ids {
        if draft.dialog(id).is_some_and(|dialog| dialog.latest.is_dead()) {
            _ = declare_dead::apply_death(draft, id, None, texts);
            continue;
        }
        drop_orphaned_obligation(draft, id);
        tellask::close_replaced(draft, id, texts);
        restore_asked_back(draft, id);
        drop_begun_course(draft, id);
        drop_vain_reminder(draft, id);
        withdraw_old_questions(draft, id);
        ask_human::record_complete(draft, id, texts);
        fresh_boots::recover(draft, id);
    }
    for id in &ids {
        if draft.dialog(id).is_some_and(|dialog| dialog.latest.is_dead()) {
            reset_display_state(draft, id);
            continue;
        }
        if let Some(answer) = unfinished.get(id) {
            record_unfinished(draft, id, answer, texts);
        }
        ask_back::drop_unawaited(draft, id);
        stop_if_tool_open(draft, id);
        let interrupted = draft.dialog(id).is_some_and(remaining_work::was_cut_off);
        close_open_calls(draft, id, texts);
        finish_waiting(draft, id);
        // A dialog that delivered its reply has nothing left to continue.
        let delivered = draft.dialog(id).is_some_and(|dialog| dialog.history.last.delivered);
        if interrupted && !delivered {
            mark_interrupted(draft, id);
        }
        clear_stop_if_blocked(draft, id);
        reset_display_state(draft, id);
    }
}

/// Records a partial answer for people: no model is sent it. Done once, and only while its generation is open and has
/// no answer.
fn record_unfinished(draft: &mut Draft, id: &SelfId, answer: &UnfinishedAnswer, texts: Texts) {
    let UnfinishedAnswer { course, genseq, .. } = *answer;
    let Some(dialog) = draft.dialog(id) else { return };
    let last = &dialog.history.last;
    let is_open = last.open && last.genseq == genseq && last.course == Some(course);
    let mut records = dialog.history.entries.iter().filter(|entry| entry.genseq == Some(genseq));
    if is_open && !records.any(|entry| entry.record.class() == RecordClass::Answer) {
        draft.set_durable();
        let content = texts.unfinished_answer(answer);
        draft.append(id, course, genseq, Record::UiOnly { content });
    }
}

/// Drops the prompt of a course that has started already.
fn drop_begun_course(draft: &mut Draft, id: &SelfId) {
    let begun = draft.dialog(id).is_some_and(|dialog| {
        let prompt = dialog.latest.pending_course_start_prompt.as_ref();
        prompt.is_some_and(|prompt| dialog.history.messages.contains(&prompt.msg_id))
    });
    if begun {
        draft.edit_latest(id, |latest| latest.pending_course_start_prompt = None);
    }
}

/// Drops the reminder to give a reply that is owed no more, and the stop that told of it.
fn drop_vain_reminder(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id).filter(|dialog| !dialog.begins_course()) else { return };
    let prompt = dialog.latest.pending_course_start_prompt.as_ref();
    let asked = prompt.and_then(|prompt| prompt.tellask_reply_directive.as_ref());
    let mut owed = dialog.stack.iter().filter_map(|frame| frame.tellask_reply_obligation.as_ref());
    if asked.is_none_or(|asked| owed.any(|owed| owed.target_call_id == asked.target_call_id)) {
        return;
    }
    draft.edit_latest(id, |latest| {
        latest.pending_course_start_prompt = None;
        if latest.interruption() == Some(&StopReason::PendingCourseStart) {
            latest.clear_interruption();
        }
    });
}

/// Withdraws the questions of the previous course if a new one is about to start.
fn withdraw_old_questions(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id).filter(|dialog| dialog.begins_course()) else { return };
    let course = dialog.history.course;
    withdraw_questions(draft, id, course);
}

/// Finishes a generation that only waited for the asker's answer; the answer comes later.
fn finish_waiting(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id) else { return };
    let last = &dialog.history.last;
    let waited = dialog.history.asked_back().any(|(_, call)| call.genseq == last.genseq);
    if last.open && waited && !last.owes_followup {
        let course = last.course.unwrap_or(dialog.history.course);
        let at = Position { dialog: id.clone(), course, genseq: last.genseq };
        let context_health = Some(ContextHealth::measure(None, None));
        let finish = Record::GenFinish { context_health, llm_gen_model: None };
        end::finish(draft, &at, finish);
    }
}

/// Stops a dialog that was to continue but has a tool call of unknown outcome: another program was
/// interrupted in it, and the user has to decide.
fn stop_if_tool_open(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id) else { return };
    if dialog.latest.is_resume_requested() && remaining_work::has_open_tool(dialog) {
        mark_stopped(draft, id, StopReason::ServerRestart);
    }
}

/// Clears the stop of a dialog that waits for an answer or for others: it continues when that arrives.
fn clear_stop_if_blocked(draft: &mut Draft, id: &SelfId) {
    let blocked = draft.dialog(id).is_some_and(|dialog| {
        dialog.latest.marked().is_some_and(|reason| remaining_work::waits_rather(dialog, reason))
    });
    if blocked {
        draft.edit_latest(id, Latest::clear_interruption);
    }
}

/// Drops the obligation for a call that the asker has an answer for, or has neither recorded nor pending.
fn drop_orphaned_obligation(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(owed) = dialog.assignment_owed().cloned() else { return };
    let assigned = dialog.assignment().is_some_and(|assignment| {
        assignment.call_id == owed.target_call_id && !assignment.is_fresh_boots()
    });
    let half_delivered = open_reply(dialog).is_some();
    let waited_for = draft.dialog(&owed.target_dialog_id).is_some_and(|asker| {
        let asked = asker.history.calls.contains_key(&owed.target_call_id);
        let listed = asker.pending.iter().any(|pending| pending.call_id == owed.target_call_id);
        (asked || listed) && !asker.history.replies.contains_key(&owed.target_call_id)
    });
    if assigned && !waited_for && !half_delivered {
        draft.set_durable();
        reply::clear_obligation(draft, id, &owed);
        stop_waiting(draft, &owed);
        tellask::restore_request(draft, id);
    }
}

/// Drops the pending entry for a reply that will never come.
fn stop_waiting(draft: &mut Draft, owed: &ReplyDirective) {
    let Some(asker) = draft.dialog(&owed.target_dialog_id) else { return };
    let (dropped, remaining): (Vec<Pending>, Vec<Pending>) =
        asker.pending.iter().cloned().partition(|pending| pending.call_id == owed.target_call_id);
    if !dropped.is_empty() {
        draft.set_pending(&owed.target_dialog_id, remaining);
    }
}

fn mark_interrupted(draft: &mut Draft, id: &SelfId) {
    draft.edit_latest(id, |latest| {
        latest.interrupt(remaining_work::cut_reason(latest).clone());
        latest.generating = Some(false);
    });
}

/// Derives the display state again: nothing runs after a load, whatever the files contain.
fn reset_display_state(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id) else { return };
    let shown = derive(dialog, Activity::Resting);
    let stale = dialog.latest.generating == Some(true)
        || dialog.latest.display_state.as_ref() != Some(&shown);
    if stale {
        draft.edit_latest(id, |latest| {
            latest.generating = latest.generating.map(|_| false);
            latest.display_state = Some(shown);
        });
    }
}
