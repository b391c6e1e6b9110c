//! Delivers replies to the asker: by a reply tool, or as plain text.
//!
//! The order of writes makes a crash at any point harmless: the replying dialog's call, then the asker's
//! result, then the record of delivery. Replies are matched by the call id of the request, so each
//! request is answered once.

use crate::domain::dialogs::call::{DIRECT_FALLBACK, ReplyKind};
use crate::domain::dialogs::record::{AnchorRole, Call, Record, ReplyStatus};
use crate::domain::{CallId, Course, Dialog, Genseq, ReplyDirective, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::ask_back;
use super::results::{CallEnd, ResultAuthor, answer_asker, unanswered_pending};

/// Delivers a reply made with a reply tool; returns the status text of its call.
pub fn deliver_by_tool(
    draft: &mut Draft,
    at: &Position,
    call: &Call,
    kind: ReplyKind,
    content: &str,
    texts: Texts,
) -> String {
    let Some(owed) = draft.dialog(&at.dialog).and_then(Dialog::obligation).cloned() else {
        return texts.no_obligation();
    };
    if owed.expected_reply_call_name != kind.name() {
        return texts.wrong_reply_tool(&owed.expected_reply_call_name);
    }
    if deliver(draft, at, &owed, content, &call.id, texts) {
        texts.delivered(kind.name())
    } else {
        texts.stale_reply()
    }
}

/// Delivers the last text of a dialog as the reply it owes.
pub fn deliver_plain_text(draft: &mut Draft, dialog: &SelfId, content: &str, texts: Texts) -> bool {
    let Some(one) = draft.dialog(dialog) else { return false };
    let Some(owed) = one.obligation().cloned() else { return false };
    let at = Position {
        dialog: dialog.clone(),
        course: one.history.last.course.unwrap_or(one.history.course),
        genseq: one.history.last.genseq,
    };
    let call = CallId::new(format!("{DIRECT_FALLBACK}{}", draft.ids.short(6)));
    deliver(draft, &at, &owed, content, &call, texts)
}

/// False if this reply is not awaited (any more): then it is no longer owed. A newer request that has
/// not started yet stays owed.
fn deliver(
    draft: &mut Draft,
    at: &Position,
    owed: &ReplyDirective,
    content: &str,
    reply_call: &CallId,
    texts: Texts,
) -> bool {
    draft.set_durable();
    if owed.expected_reply_call_name == ReplyKind::Back.name() {
        return deliver_back(draft, at, owed, content, reply_call, texts);
    }
    let assigned = draft
        .dialog(&at.dialog)
        .and_then(|d| d.history.assignments.get(&owed.target_call_id).copied());
    let Some(pending) = unanswered_pending(draft, &owed.target_dialog_id, &owed.target_call_id)
    else {
        clear_obligation(draft, &at.dialog, owed);
        return false;
    };
    let Some(assigned) = assigned else { return false };
    let outcome = CallEnd {
        callee: Some(&at.dialog),
        written: Some((at.course, at.genseq)),
        author: ResultAuthor::Callee,
        status: ReplyStatus::Completed,
        text: content,
    };
    answer_asker(draft, &owed.target_dialog_id, &pending, &outcome, texts);
    record_resolution(draft, at, owed, reply_call);
    record_anchor(draft, at, owed, assigned, pending.call_site_course);
    clear_obligation(draft, &at.dialog, owed);
    true
}

fn deliver_back(
    draft: &mut Draft,
    at: &Position,
    owed: &ReplyDirective,
    content: &str,
    reply_call: &CallId,
    texts: Texts,
) -> bool {
    let awaited = ask_back::is_awaited(draft, owed);
    if awaited {
        ask_back::answer(draft, at, owed, content, texts);
        record_resolution(draft, at, owed, reply_call);
    }
    clear_obligation(draft, &at.dialog, owed);
    awaited
}

/// True if the reply to this call is linked to it: the last record of a delivery.
pub fn is_anchored(dialog: &Dialog, call: &CallId) -> bool {
    dialog.history.entries.iter().any(|entry| {
        matches!(&entry.record, Record::Anchor { anchor_role: AnchorRole::Response, call_id, .. }
            if call_id == call)
    })
}

/// Records in the replying dialog what is missing of the delivery of its reply, after a crash in between.
pub fn record_delivery(
    draft: &mut Draft,
    at: &Position,
    owed: &ReplyDirective,
    reply_call: &CallId,
) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let resolved = dialog.history.resolved.contains(reply_call);
    let anchored = is_anchored(dialog, &owed.target_call_id);
    if !resolved {
        record_resolution(draft, at, owed, reply_call);
    }
    let assigned = draft
        .dialog(&at.dialog)
        .and_then(|dialog| dialog.history.assignments.get(&owed.target_call_id).copied());
    let asked = draft
        .dialog(&owed.target_dialog_id)
        .and_then(|asker| asker.history.calls.get(&owed.target_call_id))
        .map(|call| call.course);
    if let (Some(assigned), Some(asked), false) = (assigned, asked, anchored) {
        record_anchor(draft, at, owed, assigned, asked);
    }
    clear_obligation(draft, &at.dialog, owed);
}

fn record_resolution(draft: &mut Draft, at: &Position, owed: &ReplyDirective, reply_call: &CallId) {
    let resolution = Record::ReplyResolution {
        call_id: reply_call.clone(),
        reply_call_name: owed.expected_reply_call_name.clone(),
        target_call_id: owed.target_call_id.clone(),
    };
    draft.append(&at.dialog, at.course, at.genseq, resolution);
}

/// Links the reply to its assignment and to the call, for the screen.
fn record_anchor(
    draft: &mut Draft,
    at: &Position,
    owed: &ReplyDirective,
    assigned: (Course, Genseq),
    asked: Course,
) {
    let anchor = Record::Anchor {
        anchor_role: AnchorRole::Response,
        call_id: owed.target_call_id.clone(),
        assignment_course: Some(assigned.0),
        assignment_genseq: Some(assigned.1),
        asker_dialog_id: Some(owed.target_dialog_id.clone()),
        asker_course: Some(asked),
    };
    draft.append(&at.dialog, at.course, at.genseq, anchor);
}

/// Marks the reply as no longer owed. An assignment stays on the stack, a question asked back is removed;
/// work parked for it is cleared.
pub fn clear_obligation(draft: &mut Draft, id: &SelfId, owed: &ReplyDirective) {
    let Some(dialog) = draft.dialog(id) else { return };
    let parked = dialog.latest.parked().is_some_and(|parked| parked.directive == *owed);
    let mut stack = dialog.stack.clone();
    let Some(index) = stack.iter().rposition(|f| f.tellask_reply_obligation.as_ref() == Some(owed))
    else {
        return;
    };
    let mut frame = stack.remove(index);
    if !frame.is_ask_back() {
        frame.tellask_reply_obligation = None;
        stack.insert(index, frame);
    }
    draft.set_stack(id, stack);
    if parked {
        draft.edit_latest(id, |latest| latest.set_parked(None));
    }
}
