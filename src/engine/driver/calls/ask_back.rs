//! A side dialog asks its asker back (type A). The question stays on the asker's stack until it is
//! answered. Neither blocks the other: the asker gets the question when it next runs, and the side dialog
//! waits with its generation open, or becomes idle if other work comes in meanwhile.

use std::collections::BTreeSet;

use crate::domain::dialogs::call::{ReplyKind, TellaskKind, text_argument};
use crate::domain::dialogs::history::CallFact;
use crate::domain::dialogs::record::{
    Call, CallRef, CallResult, Record, ReplyStatus, Responder, Route, TellaskResult,
};
use crate::domain::{AssignmentFrame, CallId, Dialog, ReplyDirective, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{ReplyText, Texts};

use super::results::{append_result, failed_result};

/// Puts the question on the asker's stack; returns the status of the call if the asker is gone.
pub fn ask(
    draft: &mut Draft,
    at: &Position,
    call: &Call,
    content: &str,
    texts: Texts,
) -> Option<String> {
    draft.set_durable();
    let asker = draft.dialog(&at.dialog).and_then(Dialog::asker).cloned();
    let asker = asker.filter(|id| draft.dialog(id).is_some_and(|asker| !asker.latest.is_dead()));
    if let Some(asker) = asker {
        push_question(draft, &asker, &at.dialog, &call.id, content);
        return None;
    }
    let reason = texts.nobody_to_ask_back();
    fail(draft, at, call, content, &reason);
    Some(reason)
}

fn fail(draft: &mut Draft, at: &Position, call: &Call, content: &str, reason: &str) {
    let asked = CallRef { tellask_content: content.to_owned(), ..CallRef::default() };
    draft.append_detached(&at.dialog, at.course, failed_result(call, at, asked, reason));
}

/// Closes the questions that a dialog asked the dead dialog back: those on the stack of `dead`, and those on
/// no stack at all if `dead` is the asker.
pub fn close_questions_to(draft: &mut Draft, id: &SelfId, dead: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(id) else { return };
    let waits = |call: &CallId| !dialog.history.results.contains(call);
    let is_on_stack = |asker: &Dialog, call: &CallId| {
        asker.stack.iter().any(|f| f.asker_dialog_id == *id && f.owed_call() == Some(call))
    };
    let asked_the_dead = |call: &CallId| {
        let mut holders = draft.tree.dialogs.values().filter(|asker| is_on_stack(asker, call));
        match holders.next() {
            Some(asker) => asker.meta.id == *dead,
            None => dialog.asker() == Some(dead),
        }
    };
    let open: Vec<(Position, Call, bool)> = dialog
        .history
        .asked_back()
        .filter(|(call, _)| asked_the_dead(call))
        .map(|(call, asked)| (position_of(id, asked), recorded_call(call, asked), waits(call)))
        .collect();
    let reason = texts.nobody_to_ask_back();
    for (at, call, waits) in open {
        draft.set_durable();
        let content = text_argument(&call.raw_arguments_text, "tellaskContent").unwrap_or_default();
        fail(draft, &at, &call, &content, &reason);
        if waits {
            append_result(draft, &at, &call, reason.clone());
        }
    }
}

fn position_of(id: &SelfId, asked: &CallFact) -> Position {
    Position { dialog: id.clone(), course: asked.course, genseq: asked.genseq }
}

fn recorded_call(id: &CallId, asked: &CallFact) -> Call {
    Call { id: id.clone(), name: asked.name.clone(), raw_arguments_text: asked.arguments.clone() }
}

/// The oldest question is the top frame; a newer one waits below it.
fn push_question(draft: &mut Draft, asker: &SelfId, side: &SelfId, call: &CallId, content: &str) {
    let mut stack = draft.dialog(asker).map(|dialog| dialog.stack.clone()).unwrap_or_default();
    let index = stack.iter().rposition(|frame| !frame.is_ask_back()).map_or(0, |base| base + 1);
    stack.insert(index, AssignmentFrame::asked_back(side, call, content, ReplyKind::Back.name()));
    draft.set_stack(asker, stack);
}

/// True if the side dialog still waits for this answer.
pub fn is_awaited(draft: &Draft, owed: &ReplyDirective) -> bool {
    draft.dialog(&owed.target_dialog_id).is_some_and(|side| {
        let asked = side.history.calls.contains_key(&owed.target_call_id);
        asked && !side.history.replies.contains_key(&owed.target_call_id) && !side.latest.is_dead()
    })
}

/// Writes the answer into the side dialog, also as the result of its call if that is still open.
pub fn answer(
    draft: &mut Draft,
    at: &Position,
    owed: &ReplyDirective,
    content: &str,
    texts: Texts,
) {
    let Some(side) = draft.dialog(&owed.target_dialog_id) else { return };
    let Some(call) = side.history.calls.get(&owed.target_call_id).cloned() else { return };
    let Some(asker) = draft.dialog(&at.dialog).map(|dialog| dialog.meta.agent_id.clone()) else {
        return;
    };
    let call_name = TellaskKind::Back.name();
    let text = texts.reply(&ReplyText {
        responder: asker.as_str(),
        text: content,
        status: ReplyStatus::Completed,
        call_name,
        call_id: &owed.target_call_id,
        mention: &format!("@{asker}"),
        slug: None,
        request: &owed.tellask_content,
    });
    let waits = !side.history.results.contains(&owed.target_call_id);
    let course = side.latest.current_course.max(side.history.course);
    let result = TellaskResult {
        call_id: owed.target_call_id.clone(),
        status: ReplyStatus::Completed,
        content: text.clone(),
        content_items: None,
        call_site_course: Some(call.course),
        call_site_genseq: None,
        responder: Responder {
            responder_id: asker.clone(),
            agent_id: Some(asker),
            origin_member_id: Some(side.meta.agent_id.clone()),
        },
        route: Some(Route { callee_dialog_id: Some(at.dialog.clone()), ..Route::default() }),
        call_name: call_name.to_owned(),
        call: CallRef { tellask_content: owed.tellask_content.clone(), ..CallRef::default() },
    };
    let side = owed.target_dialog_id.clone();
    draft.append_detached(&side, course, Record::TellaskResult(result));
    if waits {
        let id = owed.target_call_id.clone();
        let result = CallResult::of_text(id, call.name, text);
        draft.append(&side, call.course, call.genseq, Record::FuncResult(result));
    }
}

/// Gives the open calls of a dialog that asked back a status as result; the answer comes later.
pub fn record_waiting_status(draft: &mut Draft, id: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(id) else { return };
    let open: Vec<(Position, Call)> = dialog
        .history
        .asked_back()
        .filter(|(call, _)| !dialog.history.results.contains(*call))
        .map(|(call, asked)| (position_of(id, asked), recorded_call(call, asked)))
        .collect();
    for (at, call) in open {
        let status = texts.waiting(&call.name, &call.id);
        append_result(draft, &at, &call, status);
    }
}

/// Removes questions from the stack whose answer is no longer awaited.
pub fn drop_unawaited(draft: &mut Draft, id: &SelfId) {
    let Some(stack) = draft.dialog(id).map(|dialog| dialog.stack.clone()) else { return };
    let awaited: Vec<AssignmentFrame> = stack
        .iter()
        .filter(|frame| {
            let owed = frame.tellask_reply_obligation.as_ref();
            !frame.is_ask_back() || owed.is_some_and(|owed| is_awaited(draft, owed))
        })
        .cloned()
        .collect();
    if awaited.len() < stack.len() {
        draft.set_stack(id, awaited);
    }
}

/// Puts a question asked back on the asker's stack if it never got there.
pub fn restore_asked_back(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(asker_id) = dialog.asker().cloned() else { return };
    if draft.dialog(&asker_id).is_none_or(|asker| asker.latest.is_dead()) {
        return;
    }
    // An earlier asker may still owe the answer.
    let frames = draft.tree.dialogs.values().flat_map(|other| &other.stack);
    let asked: BTreeSet<&CallId> = frames
        .filter(|frame| frame.is_ask_back() && frame.asker_dialog_id == *id)
        .filter_map(AssignmentFrame::owed_call)
        .collect();
    let listed = |call: &CallId| asked.contains(call);
    let lost: Vec<(CallId, String)> = dialog
        .history
        .asked_back()
        .filter(|(call, _)| !listed(call))
        .map(|(call, asked)| {
            (call.clone(), text_argument(&asked.arguments, "tellaskContent").unwrap_or_default())
        })
        .collect();
    for (call, content) in lost {
        draft.set_durable();
        push_question(draft, &asker_id, id, &call, &content);
    }
}
