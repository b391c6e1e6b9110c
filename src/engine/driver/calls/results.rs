//! Results of calls: in the dialog that called, and in the asker of a reply.

use crate::domain::dialogs::record::{
    Call, CallRef, CallResult, Carryover, Record, ReplyStatus, Responder, Route, TellaskResult,
};
use crate::domain::{AgentId, CallId, Course, Dialog, Genseq, Pending, SelfId, Slug};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::steps::stop::take_up;
use crate::driver::texts::{ReplyText, Texts};

use super::in_flight::refresh_in_flight;

/// The responder where no member can answer.
pub(super) const RUNTIME: &str = "dominds";

/// Records the result of a call in its own dialog.
pub fn append_result(draft: &mut Draft, at: &Position, call: &Call, content: String) {
    let result = CallResult::of_text(call.id.clone(), call.name.clone(), content);
    draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
}

/// The result of a call that will not be answered.
pub fn failed_result(call: &Call, at: &Position, asked: CallRef, reason: &str) -> Record {
    Record::TellaskResult(TellaskResult {
        call_id: call.id.clone(),
        status: ReplyStatus::Failed,
        content: reason.to_owned(),
        content_items: None,
        call_site_course: Some(at.course),
        call_site_genseq: Some(at.genseq),
        responder: runtime_responder(),
        route: Some(Route::default()),
        call_name: call.name.clone(),
        call: asked,
    })
}

fn runtime_responder() -> Responder {
    Responder { responder_id: AgentId::new(RUNTIME), agent_id: None, origin_member_id: None }
}

/// The asker's pending entry for a call it still waits for; `None` for a dead asker.
pub fn unanswered_pending(draft: &Draft, asker: &SelfId, call: &CallId) -> Option<Pending> {
    let asker = draft.dialog(asker).filter(|asker| !asker.latest.is_dead())?;
    let unanswered = !asker.history.replies.contains_key(call);
    asker.pending.iter().find(|pending| pending.call_id == *call && unanswered).cloned()
}

/// True if the asker has the reply of this side dialog to its call.
pub fn is_delivered(draft: &Draft, side: &SelfId, asker: &SelfId, call: &CallId) -> bool {
    let answered = draft.dialog(asker).filter(|asker| asker.history.replies.contains_key(call));
    answered.is_some_and(|asker| {
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
    if draft.tree.layout.lists_calls_after_a_reply() {
        let snapshot = Record::PendingSideDialogs { pending_side_dialogs: remaining.clone() };
        draft.append_detached(asker_id, course, snapshot);
    }
    draft.set_pending(asker_id, remaining);
    refresh_in_flight(draft, asker_id, texts);
    record_outcome(draft, asker_id, pending, outcome, texts);
}

/// Writes the result of a call into the asker, who goes on.
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
    take_up(draft, asker_id);
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
        slug: pending.session_slug.as_ref().map(Slug::as_str),
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
