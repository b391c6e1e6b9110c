//! Calls without a result, as a crash or a failed write leaves them. Nothing is run a second time.

use crate::domain::dialogs::call::{SpecialCall, TellaskKind, text_argument};
use crate::domain::dialogs::history::CallFact;
use crate::domain::dialogs::record::{CallResult, Record};
use crate::domain::{CallId, Dialog, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::{answer_human, reply, results, tellask};

/// Adds the missing results of calls: replies are delivered, questions and tellasks get their status, the
/// outcome of a tool is unknown.
pub fn close_open_calls(draft: &mut Draft, id: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(id) else { return };
    let open: Vec<(CallId, CallFact)> = dialog
        .history
        .open_calls()
        .filter(|(_, call)| call.course == dialog.history.course)
        .map(|(id, call)| (id.clone(), call.clone()))
        .collect();
    for (call_id, call) in open {
        let at = Position { dialog: id.clone(), course: call.course, genseq: call.genseq };
        let status = match call.special() {
            Some(SpecialCall::Reply(_)) => finish_reply(draft, &at, &call_id, &call, texts),
            Some(SpecialCall::Tellask(_)) if reached_nobody(draft, id, &call_id, &call) => {
                tellask::fail_unreached(draft, &at, &call.recorded(&call_id), texts)
            }
            Some(SpecialCall::Tellask(_) | SpecialCall::AskHuman) if call.started => {
                texts.waiting(&call.name, &call_id)
            }
            Some(SpecialCall::AnswerHuman) => {
                answer_human::tell_again(draft, &at, &call.recorded(&call_id), texts)
            }
            Some(SpecialCall::Tellask(_) | SpecialCall::AskHuman) | None => {
                texts.cut_call(&call.name)
            }
        };
        draft.set_durable();
        let result = CallResult::of_text(call_id, call.name, status);
        draft.append(&at.dialog, at.course, at.genseq, Record::FuncResult(result));
    }
}

/// True for a recorded request to a teammate that has neither a pending entry nor a reply.
fn reached_nobody(draft: &Draft, id: &SelfId, call_id: &CallId, call: &CallFact) -> bool {
    let to_asker = call.special() == Some(SpecialCall::Tellask(TellaskKind::Back));
    draft.dialog(id).is_some_and(|dialog| {
        let pending = dialog.pending.iter().any(|pending| pending.call_id == *call_id);
        let replied = dialog.history.replies.contains_key(call_id);
        call.started && !to_asker && !pending && !replied
    })
}

/// Completes a reply call without a result: it was delivered before the crash, or is delivered now.
fn finish_reply(
    draft: &mut Draft,
    at: &Position,
    call_id: &CallId,
    call: &CallFact,
    texts: Texts,
) -> String {
    let Some(SpecialCall::Reply(kind)) = call.special() else { return texts.unknown_outcome() };
    let owed = draft.dialog(&at.dialog).and_then(Dialog::obligation).cloned();
    if let Some(owed) = owed.filter(|owed| {
        let (asker, call) = (&owed.target_dialog_id, &owed.target_call_id);
        results::is_delivered(draft, &at.dialog, asker, call)
    }) {
        reply::record_delivery(draft, at, &owed, call_id);
        return texts.delivered(&call.name);
    }
    if draft.dialog(&at.dialog).is_some_and(|dialog| dialog.history.resolved.contains(call_id)) {
        return texts.delivered(&call.name);
    }
    let content = text_argument(&call.arguments, "replyContent").unwrap_or_default();
    reply::deliver_by_tool(draft, at, &call.recorded(call_id), kind, &content, texts)
}

/// The open call of a reply tool.
pub fn open_reply(dialog: &Dialog) -> Option<&CallId> {
    dialog
        .history
        .open_calls()
        .find(|(_, call)| matches!(call.special(), Some(SpecialCall::Reply(_))))
        .map(|(id, _)| id)
}
