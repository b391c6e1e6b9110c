//! Delivers replies to the asker: by a reply tool, or as plain text.
//!
//! The order of writes makes a crash at any point harmless: the replying dialog's call, then the asker's
//! result, then the record of delivery. Replies are matched by the call id of the request, so each
//! request is answered once.

use crate::domain::call::ReplyKind;
use crate::domain::record::{
    AnchorRole, Call, CallRef, Carryover, Record, ReplyStatus, Responder, Route, TellaskResult,
};
use crate::domain::{AgentId, CallId, Course, Dialog, Genseq, Pending, ReplyDirective, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::texts::{ReplyText, Texts};

use super::tellask::{RUNTIME, refresh_in_flight};
use super::{Position, ask_back};

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
    let call = CallId::new(format!("direct-fallback-{}", draft.ids.short(6)));
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

/// The asker's pending entry for a call it still waits for; `None` for a dead asker.
pub(super) fn unanswered_pending(draft: &Draft, asker: &SelfId, call: &CallId) -> Option<Pending> {
    let asker = draft.dialog(asker).filter(|asker| !asker.latest.is_dead())?;
    let unanswered = !asker.history.replies.contains_key(call);
    asker.pending.iter().find(|pending| pending.call_id == *call && unanswered).cloned()
}

/// True if the asker has the reply of this side dialog to its call.
pub fn is_delivered(draft: &Draft, side: &SelfId, asker: &SelfId, call: &CallId) -> bool {
    draft.dialog(asker).is_some_and(|asker| {
        asker.history.entries.iter().any(|entry| {
            let (answered, callee) = if let Record::TellaskResult(result) = &entry.record {
                let route = result.route.as_ref();
                (&result.call_id, route.and_then(|route| route.callee_dialog_id.as_ref()))
            } else if let Record::Carryover(reply) = &entry.record {
                (&reply.call_id, reply.callee_dialog_id.as_ref())
            } else {
                return false;
            };
            answered == call && callee == Some(side)
        })
    })
}

/// Who wrote the text of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultAuthor {
    /// The callee: its reply, shown as a quote.
    Callee,
    /// The runtime: why there is no reply. Used as it is.
    Runtime,
}

/// How a call ends for its asker.
#[derive(Debug)]
pub struct CallEnd<'a> {
    /// Who was to reply; `None` if its session now works for another call.
    pub callee: Option<&'a SelfId>,
    pub author: ResultAuthor,
    /// Position of the callee's reply, if it wrote one.
    pub written: Option<(Course, Genseq)>,
    pub status: ReplyStatus,
    pub text: &'a str,
}

/// Writes the result into the asker and removes the call from its pending list.
pub fn answer_asker(
    draft: &mut Draft,
    asker_id: &SelfId,
    pending: &Pending,
    outcome: &CallEnd<'_>,
    texts: Texts,
) {
    let Some(asker) = draft.dialog(asker_id) else { return };
    let course = asker.latest.current_course.max(asker.history.course);
    let remaining: Vec<Pending> =
        asker.pending.iter().filter(|other| other.call_id != pending.call_id).cloned().collect();
    let snapshot = Record::PendingSideDialogs { pending_side_dialogs: remaining.clone() };
    draft.append_detached(asker_id, course, snapshot);
    draft.set_pending(asker_id, remaining);
    refresh_in_flight(draft, asker_id, texts);
    record_outcome(draft, asker_id, pending, outcome, texts);
}

/// Writes the result of a call into the asker.
pub fn record_outcome(
    draft: &mut Draft,
    asker_id: &SelfId,
    pending: &Pending,
    outcome: &CallEnd<'_>,
    texts: Texts,
) {
    let Some(asker) = draft.dialog(asker_id) else { return };
    let course = asker.latest.current_course.max(asker.history.course);
    let record = result_record(draft, asker, pending, outcome, course, texts);
    if matches!(record, Record::Carryover(_)) {
        // A carry-over belongs to a generation of the current course.
        let genseq = draft.dialog(asker_id).map(|d| d.history.last_genseq).unwrap_or_default();
        draft.append(asker_id, course, genseq, record);
    } else {
        draft.append_detached(asker_id, course, record);
    }
}

fn result_record(
    draft: &Draft,
    asker: &Dialog,
    pending: &Pending,
    outcome: &CallEnd<'_>,
    course: Course,
    texts: Texts,
) -> Record {
    let (callee_course, callee_genseq) = outcome.written.unzip();
    let responder = match outcome.callee.map(|callee| draft.dialog(callee)) {
        Some(Some(side)) => side.meta.agent_id.clone(),
        Some(None) => pending.target_agent_id.clone(),
        None => AgentId::new(RUNTIME),
    };
    let mention = pending.mention_list.clone().unwrap_or_default().join(" ");
    let reply = ReplyText {
        responder: responder.as_str(),
        text: outcome.text,
        status: outcome.status,
        call_name: &pending.call_name,
        call_id: &pending.call_id,
        mention: &mention,
        slug: pending.session_slug.as_ref().map(crate::domain::Slug::as_str),
        request: &pending.tellask_content,
    };
    let (plain, carryover) = match outcome.author {
        ResultAuthor::Callee => {
            (texts.reply(&reply), texts.carryover(pending.call_site_course.0, &reply))
        }
        ResultAuthor::Runtime => (outcome.text.to_owned(), outcome.text.to_owned()),
    };
    if pending.call_site_course != course {
        return Record::Carryover(Carryover {
            call_site_course: pending.call_site_course,
            carryover_course: course,
            responder_id: responder.clone(),
            call_name: pending.call_name.clone(),
            session_slug: pending.session_slug.clone(),
            mention_list: pending.mention_list.clone(),
            tellask_content: pending.tellask_content.clone(),
            status: outcome.status,
            response: plain,
            content: carryover,
            agent_id: responder.clone(),
            call_id: pending.call_id.clone(),
            origin_member_id: asker.meta.agent_id.clone(),
            callee_dialog_id: outcome.callee.cloned(),
            callee_course,
            callee_genseq,
        });
    }
    Record::TellaskResult(TellaskResult {
        call_id: pending.call_id.clone(),
        status: outcome.status,
        content: plain,
        content_items: None,
        call_site_course: Some(pending.call_site_course),
        call_site_genseq: Some(pending.call_site_genseq),
        responder: Responder {
            responder_id: responder.clone(),
            agent_id: outcome.callee.map(|_| responder.clone()),
            origin_member_id: outcome.callee.map(|_| asker.meta.agent_id.clone()),
        },
        route: Some(Route {
            callee_dialog_id: outcome.callee.cloned(),
            callee_course,
            callee_genseq,
        }),
        call_name: pending.call_name.clone(),
        call: CallRef {
            tellask_content: pending.tellask_content.clone(),
            mention_list: pending.mention_list.clone(),
            session_slug: pending.session_slug.clone(),
        },
    })
}

/// Records in the replying dialog that its reply is delivered, after a crash in between.
pub fn record_delivery(
    draft: &mut Draft,
    at: &Position,
    owed: &ReplyDirective,
    reply_call: &CallId,
) {
    record_resolution(draft, at, owed, reply_call);
    let assigned = draft
        .dialog(&at.dialog)
        .and_then(|dialog| dialog.history.assignments.get(&owed.target_call_id).copied());
    let asked = draft
        .dialog(&owed.target_dialog_id)
        .and_then(|asker| asker.history.calls.get(&owed.target_call_id))
        .map(|call| call.course);
    if let (Some(assigned), Some(asked)) = (assigned, asked) {
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
