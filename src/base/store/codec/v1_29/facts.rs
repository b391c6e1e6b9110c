//! What the records of a dialog say about the derived parts of this layout, one record after the other: of a course that is
//! read, and of a step that is about to be written. What follows from other facts is in `settle`.

use serde_json::{Map, Value};

use crate::domain::dialogs::recent::{
    AssignmentAnchor, CallIndex, CalleeStatus, FinalResponse, IndexedCall, NextWork, RecentPart,
    RecentState, ResultIndex, RunState, TriggerKind,
};
use crate::domain::dialogs::record::{AnchorRole, Entry, HumanText, Record};
use crate::domain::{CallId, Course, Genseq, History, SpecialCall, Stamp};

/// The time of what a record without one says: Dominds demands one that it can read.
const NO_TIME: &str = "1970-01-01 00:00:00";

/// Takes in the next record of `course`. `before`: what was recorded before it.
pub(in crate::store) fn note(
    part: &mut RecentPart,
    before: &History,
    course: Course,
    entry: &Entry,
) {
    let (at, ts) = ((course, entry.genseq.unwrap_or_default()), &entry.ts);
    let record = &entry.record;
    if let Record::TellaskCall { call, .. } = record {
        if !before.calls.contains_key(&call.id) {
            index_call(&mut part.state, at, &call.id, &call.name, ts);
        }
    } else if let Record::TellaskResult(result) = record {
        if !before.replies.contains_key(&result.call_id) {
            index_result(&mut part.state, course, &result.call_id, &result.call_name, ts);
        }
        finish_callee(part, &result.call_id, ts);
    } else if let Record::Carryover(reply) = record {
        finish_callee(part, &reply.call_id, ts);
    } else if matches!(record, Record::GenStart) {
        begin(part, at, ts);
    } else if matches!(record, Record::GenFinish { .. }) {
        let (course, genseq) = at;
        let (closed_at, extra) = (stamp(ts), Map::new());
        part.state.generation_run_state =
            Some(RunState::Closed { course, genseq, closed_at, extra });
    } else if let Record::HumanText(text) = record {
        name_prompt(&mut part.state, at, text);
    } else if let Record::FuncResult(result) = record {
        note_receipt(&mut part.state, &result.id);
    } else if let Record::ReplyResolution { call_id, .. } = record {
        note_delivery(&mut part.state, call_id, ts);
    } else {
        note_anchor(&mut part.state, at, record);
    }
}

fn note_anchor(state: &mut RecentState, (course, genseq): (Course, Genseq), record: &Record) {
    let Record::Anchor { anchor_role, call_id, asker_dialog_id, asker_course, .. } = record else {
        return;
    };
    let call_id = call_id.clone();
    match anchor_role {
        AnchorRole::Assignment => {
            state.latest_assignment_anchor = Some(AssignmentAnchor {
                call_id,
                assignment_course: course,
                assignment_genseq: genseq,
                extra: Map::new(),
            });
        }
        AnchorRole::Response => {
            let Some(asker_dialog_id) = asker_dialog_id.clone() else { return };
            state.final_response = Some(FinalResponse {
                call_id,
                response_course: course,
                response_genseq: genseq,
                asker_dialog_id,
                asker_course: asker_course.unwrap_or(Course::FIRST),
                extra: Map::new(),
            });
        }
    }
}

/// True for a call that is indexed. Another name in the index makes Dominds refuse the file.
pub(in crate::store) fn is_indexed(name: &str) -> bool {
    SpecialCall::of(name).is_some()
}

/// True for a call whose result is indexed.
pub(in crate::store) fn has_indexed_result(name: &str) -> bool {
    matches!(SpecialCall::of(name), Some(SpecialCall::Tellask(_) | SpecialCall::AskHuman))
}

fn index_call(
    state: &mut RecentState,
    (course, genseq): (Course, Genseq),
    call: &CallId,
    name: &str,
    ts: &Stamp,
) {
    if !is_indexed(name) || call.as_str().is_empty() {
        return;
    }
    let id = ("callRecordId", "tellask-call");
    calls(state).push(indexed(call, name, (course, Some(genseq)), ts, id));
}

fn index_result(state: &mut RecentState, course: Course, call: &CallId, name: &str, ts: &Stamp) {
    if !has_indexed_result(name) || call.as_str().is_empty() {
        return;
    }
    let id = ("resultRecordId", "tellask-result");
    results(state).push(indexed(call, name, (course, None), ts, id));
}

/// `id`: the key of the id of its record, and what that id begins with.
fn indexed(
    call: &CallId,
    name: &str,
    (course, genseq): (Course, Option<Genseq>),
    ts: &Stamp,
    (key, begin): (&str, &str),
) -> IndexedCall {
    let mut extra = Map::new();
    extra.insert(key.to_owned(), Value::String(format!("{begin}:{call}")));
    IndexedCall {
        call_id: call.clone(),
        call_name: name.to_owned(),
        course,
        genseq,
        recorded_at: stamp(ts),
        extra,
    }
}

pub(super) fn calls(state: &mut RecentState) -> &mut Vec<IndexedCall> {
    let empty = || CallIndex { calls: Vec::new(), extra: Map::new() };
    &mut state.tellask_calls.get_or_insert_with(empty).calls
}

pub(super) fn results(state: &mut RecentState) -> &mut Vec<IndexedCall> {
    let empty = || ResultIndex { results: Vec::new(), extra: Map::new() };
    &mut state.tellask_results.get_or_insert_with(empty).results
}

pub(super) fn work(state: &mut RecentState) -> &mut NextWork {
    let empty = || NextWork { next_seq: 1, triggers: Vec::new(), extra: Map::new() };
    state.next_step.get_or_insert_with(empty)
}

/// A reply came: the callee is final. That it is awaited no more, and whether all of its batch are in, is settled later.
fn finish_callee(part: &mut RecentPart, call: &CallId, ts: &Stamp) {
    let callees = part.batches.iter_mut().flat_map(|batch| &mut batch.callees);
    for callee in callees.filter(|callee| callee.call_id == *call) {
        if callee.status == CalleeStatus::Pending {
            callee.status = CalleeStatus::Final;
            callee.completion = Some(reply_tool(call));
            callee.resolved_at = Some(stamp(ts));
        }
    }
}

/// How a callee ended whose words were delivered as its reply.
pub(super) fn plain_words(call: &CallId) -> Value {
    serde_json::json!({
        "kind": "direct_fallback", "memo": "direct-fallback:saying",
        "resultRecordId": format!("tellask-result:{call}"),
    })
}

/// How a callee ended that replied with a reply tool.
pub(super) fn reply_tool(call: &CallId) -> Value {
    serde_json::json!({ "kind": "reply_tool", "resultRecordId": format!("tellask-result:{call}") })
}

/// A generation begins: it takes all work that was left to it, and the batches whose replies are all in.
fn begin(part: &mut RecentPart, (course, genseq): (Course, Genseq), ts: &Stamp) {
    let waits = |status: CalleeStatus| status == CalleeStatus::Pending;
    part.batches.retain(|batch| batch.callees.iter().any(|callee| waits(callee.status)));
    let state = &mut part.state;
    let triggers = std::mem::take(&mut work(state).triggers);
    let accepted = triggers.into_iter().map(|trigger| trigger.trigger_id).collect();
    state.generation_run_state = Some(RunState::Open {
        course,
        genseq,
        phase: "streaming".to_owned(),
        accepted_trigger_ids: accepted,
        opened_at: stamp(ts),
        msg_id: None,
        extra: Map::new(),
    });
    // A message that waited for words, a failed drive: the generation is what they asked for.
    state.interjection = None;
    state.backend_drive_stall = None;
}

/// The prompt that opened a generation names it.
fn name_prompt(state: &mut RecentState, at: (Course, Genseq), text: &HumanText) {
    if let Some(RunState::Open { course, genseq, msg_id, .. }) = &mut state.generation_run_state
        && (*course, *genseq) == at
        && msg_id.is_none()
    {
        *msg_id = Some(text.msg_id.clone());
    }
}

fn note_receipt(state: &mut RecentState, call: &CallId) {
    let Some(delivery) = &mut state.reply_delivery else { return };
    if delivery.reply_call_id == *call {
        RECORDED.clone_into(&mut delivery.tool_result_status);
        forget_recovery(state);
    }
}

fn note_delivery(state: &mut RecentState, call: &CallId, ts: &Stamp) {
    let Some(delivery) = &mut state.reply_delivery else { return };
    if delivery.reply_call_id == *call && delivery.status != DELIVERED {
        DELIVERED.clone_into(&mut delivery.status);
        delivery.delivered_at = Some(stamp(ts));
        forget_recovery(state);
    }
}

pub(super) const DELIVERED: &str = "delivered";
pub(super) const RECORDED: &str = "recorded";

/// Drops the trigger of a delivery that is finished.
pub(super) fn forget_recovery(state: &mut RecentState) {
    let finished = state.reply_delivery.as_ref().is_none_or(|delivery| {
        delivery.status == DELIVERED && delivery.tool_result_status == RECORDED
    });
    if finished {
        let is_of_it = |kind: TriggerKind| kind == TriggerKind::ReplyDeliveryRecovery;
        work(state).triggers.retain(|trigger| !is_of_it(trigger.kind));
    }
}

/// A time that Dominds can read.
pub(super) fn stamp(ts: &Stamp) -> Stamp {
    if ts.as_str().is_empty() { Stamp::new(NO_TIME) } else { ts.clone() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn noted(lines: &[&str]) -> RecentPart {
        let mut part = RecentPart::default();
        let mut history = History::new(Course(2));
        for line in lines {
            let entry = Arc::new(Entry::parse(line).unwrap());
            note(&mut part, &history, Course(2), &entry);
            history.fold(Course(2), entry);
        }
        part
    }

    const CALL: &str = r#"{"ts":"t1","type":"tellask_call_record","genseq":3,"id":"c","name":"tellask","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#;
    const RESULT: &str = r#"{"ts":"t2","type":"tellask_result_record","callId":"c","callName":"tellask","status":"completed","content":"x","responder":{"responderId":"dev"},"call":{"tellaskContent":"y"}}"#;
    const START: &str = r#"{"ts":"t3","type":"gen_start_record","genseq":4}"#;
    const FINISH: &str = r#"{"ts":"t4","type":"gen_finish_record","genseq":4}"#;

    #[test]
    fn each_special_call_and_each_result_is_indexed_once() {
        let part = noted(&[CALL, CALL, RESULT, RESULT]);
        let state = serde_json::to_value(&part.state).unwrap();
        let call = serde_json::json!({
            "callId": "c", "callName": "tellask", "course": 2, "genseq": 3, "recordedAt": "t1",
            "callRecordId": "tellask-call:c",
        });
        let result = serde_json::json!({
            "callId": "c", "callName": "tellask", "course": 2, "recordedAt": "t2", "resultRecordId": "tellask-result:c",
        });
        assert_eq!(state["tellaskCalls"], serde_json::json!({ "calls": [call] }));
        assert_eq!(state["tellaskResults"], serde_json::json!({ "results": [result] }));
        let unknown = CALL.replace("\"tellask\"", "\"query_team\"");
        assert_eq!(noted(&[unknown.as_str()]).state.tellask_calls, None);
    }

    #[test]
    fn a_generation_is_open_until_its_end() {
        let open = noted(&[START]).state.generation_run_state;
        let at = (Course(2), Genseq(4));
        assert!(
            matches!(open, Some(RunState::Open { course, genseq, .. }) if (course, genseq) == at)
        );
        let said = r#"{"ts":"t","type":"human_text_record","genseq":4,"content":"x","msgId":"m","grammar":"markdown","origin":"user"}"#;
        let named = noted(&[START, said]).state.generation_run_state;
        assert!(
            matches!(named, Some(RunState::Open { msg_id: Some(id), .. }) if id.as_str() == "m")
        );
        let closed = noted(&[START, FINISH]).state.generation_run_state;
        assert!(matches!(closed, Some(RunState::Closed { genseq: Genseq(4), .. })));
    }

    #[test]
    fn an_anchor_says_what_was_assigned_and_what_was_replied() {
        let assigned = r#"{"ts":"t","type":"tellask_call_anchor_record","anchorRole":"assignment","callId":"s","genseq":1}"#;
        let replied = r#"{"ts":"t","type":"tellask_call_anchor_record","anchorRole":"response","callId":"s","genseq":2,"askerDialogId":"a","askerCourse":1}"#;
        let state = noted(&[assigned, replied]).state;
        let anchor = state.latest_assignment_anchor.unwrap();
        assert_eq!((anchor.call_id.as_str(), anchor.assignment_genseq), ("s", Genseq(1)));
        let reply = state.final_response.unwrap();
        assert_eq!((reply.asker_dialog_id.as_str(), reply.response_genseq), ("a", Genseq(2)));
    }
}
