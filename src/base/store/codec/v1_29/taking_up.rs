//! The derived parts of a dialog as its files have them, checked against its records when its tree is read. The records
//! win: a kill, or a fork of Dominds, leaves the indexes short.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::dialogs::history::{CallFact, History};
use crate::domain::dialogs::latest::{ExecutionMarker, ParkedWork};
use crate::domain::dialogs::pending::WaitGroup;
use crate::domain::dialogs::recent::{
    Callee, CalleeBatch, CalleeStatus, IndexedCall, RecentState, RunState, Trigger, TriggerKind,
};
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::state::{NextStep, next_step};
use crate::domain::{
    CallId, Course, Dialog, DisplayState, Genseq, Latest, SpecialCall, StopReason, TellaskKind,
};

use super::facts::{self, DELIVERED, RECORDED};

/// What the file says, completed by what all records say.
pub(in crate::store) fn completed(
    mut file: RecentState,
    noted: RecentState,
    history: &History,
) -> RecentState {
    let calls = noted.tellask_calls.map(|index| index.calls).unwrap_or_default();
    complete(facts::calls(&mut file), calls);
    let results = noted.tellask_results.map(|index| index.results).unwrap_or_default();
    complete(facts::results(&mut file), results);
    file.generation_run_state =
        renewed(file.generation_run_state.take(), noted.generation_run_state, place);
    let assigned = file.latest_assignment_anchor.take();
    file.latest_assignment_anchor = renewed(assigned, noted.latest_assignment_anchor, |anchor| {
        (anchor.call_id.clone(), anchor.assignment_course, anchor.assignment_genseq)
    });
    let replied = file.final_response.take();
    file.final_response = renewed(replied, noted.final_response, |reply| {
        (reply.call_id.clone(), reply.response_course, reply.response_genseq)
    });
    if let Some(delivery) = &mut file.reply_delivery {
        if history.resolved.contains(&delivery.reply_call_id) && delivery.status != DELIVERED {
            DELIVERED.clone_into(&mut delivery.status);
            delivery.delivered_at = Some(delivery.created_at.clone());
        }
        if history.results.contains(&delivery.reply_call_id) {
            RECORDED.clone_into(&mut delivery.tool_result_status);
        }
        facts::forget_recovery(&mut file);
    }
    file
}

/// Exactly the calls that are recorded, in the order and with the unknown keys of the file.
fn complete(index: &mut Vec<IndexedCall>, noted: Vec<IndexedCall>) {
    let by_id: BTreeMap<&CallId, &IndexedCall> =
        noted.iter().map(|call| (&call.call_id, call)).collect();
    let mut seen = BTreeSet::new();
    index.retain_mut(|call| {
        let Some(noted) = by_id.get(&call.call_id) else { return false };
        call.call_name.clone_from(&noted.call_name);
        (call.course, call.genseq) = (noted.course, noted.genseq);
        seen.insert(call.call_id.clone())
    });
    index.extend(noted.into_iter().filter(|call| seen.insert(call.call_id.clone())));
}

/// What is noted; where the file says the same, as it says it.
fn renewed<T, K: PartialEq>(file: Option<T>, noted: Option<T>, key: impl Fn(&T) -> K) -> Option<T> {
    match (file, noted) {
        (Some(file), Some(noted)) if key(&file) == key(&noted) => Some(file),
        (file, noted) => noted.or(file),
    }
}

fn place(run: &RunState) -> (bool, Course, Genseq) {
    match run {
        RunState::Open { course, genseq, .. } => (true, *course, *genseq),
        RunState::Closed { course, genseq, .. } => (false, *course, *genseq),
    }
}

/// Tells by the batches which replies no generation has taken: there a reply may be recorded behind the start of the
/// generation that takes it. One that came between two generations waits, whatever a kill has left of the file. Batches
/// whose replies a generation has taken go, as a kill may leave them.
pub(in crate::store) fn tell_unread(batches: &mut Vec<CalleeBatch>, history: &mut History) {
    let History { unread, calls, .. } = history;
    let waits_in_a_batch = |call: &CallId| {
        batches.iter().any(|batch| batch.callees.iter().any(|callee| callee.call_id == *call))
    };
    // A question asked back is in no batch.
    let is_asked_back = |call: &CallId| {
        let special = calls.get(call).and_then(CallFact::special);
        special == Some(SpecialCall::Tellask(TellaskKind::Back))
    };
    unread.retain(|reply| {
        reply.from_human
            || reply.at_rest
            || is_asked_back(&reply.call)
            || waits_in_a_batch(&reply.call)
    });
    batches.retain(|batch| is_left(batch, history));
}

/// False for a batch that waits for no reply and whose replies a generation has taken.
pub(super) fn is_left(batch: &CalleeBatch, history: &History) -> bool {
    // Only a later generation takes them.
    let is_newest = (Some(batch.call_site.course), batch.call_site.genseq)
        == (history.last.course, history.last.genseq);
    let waits = |callee: &Callee| {
        let call = &callee.call_id;
        let replied = history.replies.contains_key(call);
        !replied && callee.status == CalleeStatus::Pending
            || history.unread.iter().any(|reply| reply.call == *call)
    };
    is_newest || batch.callees.is_empty() || batch.callees.iter().any(waits)
}

/// True if a trigger is left that is not about a batch that is gone, or whose generation waits for more. A stop lasts
/// until a person continues the dialog. A reply that is not delivered is no work of its writer: its open call tells it,
/// and its asker goes on.
pub(in crate::store) fn has_work(
    latest: &Latest,
    state: &RecentState,
    batches: &[CalleeBatch],
    history: &History,
) -> bool {
    let triggers = state.next_step.iter().flat_map(|next| &next.triggers);
    let of_batch = |trigger: &Trigger, batch: &CalleeBatch| {
        let id = trigger.details.get("batchId").and_then(Value::as_str);
        id == Some(batch.batch_id.as_str())
    };
    // A question asked back together with its calls is in no batch.
    let waits = |batch: &CalleeBatch| {
        let site = WaitGroup { course: batch.call_site.course, genseq: batch.call_site.genseq };
        history.asked_back().any(|(_, call)| call.group() == site)
    };
    let mut live = triggers.filter(|trigger| match trigger.kind {
        TriggerKind::ResultArrival => {
            batches.iter().any(|batch| of_batch(trigger, batch) && !waits(batch))
        }
        TriggerKind::ReplyDeliveryRecovery => false,
        TriggerKind::Followup
        | TriggerKind::QueuedPrompt
        | TriggerKind::MainlineDiligence
        | TriggerKind::OpenGenerationRecovery
        | TriggerKind::UserInput => true,
    });
    latest.execution_marker.is_none() && live.next().is_some()
}

/// A dialog that has answered a person rests there with the reply it owes. In the domain that is a pause: its work is
/// parked until a person continues it, or a reply that comes later takes it up.
pub(in crate::store) fn tell_pause(dialog: &mut Dialog) {
    let is_told = dialog.latest.execution_marker.is_some() || dialog.latest.parked().is_some();
    if !dialog.history.is_in_talk() || is_told {
        return;
    }
    let Some(owed) = dialog.obligation().cloned() else { return };
    dialog.latest.set_parked(Some(&ParkedWork::new(owed)));
    // The person's words may still be answered, or a question of the same round hold it.
    if next_step(dialog) != Some(NextStep::Pause) {
        return;
    }
    let latest = &mut dialog.latest;
    latest.execution_marker = Some(ExecutionMarker::Interrupted { reason: StopReason::paused() });
    latest.display_state = Some(DisplayState::stopped(StopReason::paused()));
    latest.needs_drive = None;
}

/// What a dialog that rests waits for is told by its files and records, not by the name of its state there.
pub(in crate::store) fn tell_rest(dialog: &mut Dialog) {
    let latest = &dialog.latest;
    let rests =
        matches!(latest.display_state, Some(DisplayState::Idle | DisplayState::Blocked { .. }));
    if rests && latest.execution_marker.is_none() {
        dialog.latest.display_state = Some(derive(dialog, Activity::Resting));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn state(value: &Value) -> RecentState {
        serde_json::from_value(value.clone()).unwrap()
    }

    fn call(id: &str, course: u32) -> Value {
        json!({ "callId": id, "callName": "tellask", "course": course, "genseq": 1, "recordedAt": "t" })
    }

    #[test]
    fn an_index_has_what_is_recorded_in_the_order_and_with_the_keys_of_the_file() {
        let mut kept = call("b", 1);
        kept["marvel"] = json!(1);
        let file = state(&json!({ "tellaskCalls": { "calls": [call("gone", 1), kept, kept] } }));
        let noted = state(&json!({ "tellaskCalls": { "calls": [call("a", 1), call("b", 2)] } }));
        let done = completed(file, noted, &History::new(Course::FIRST));
        let calls = done.tellask_calls.unwrap().calls;
        let ids: Vec<&str> = calls.iter().map(|call| call.call_id.as_str()).collect();
        assert_eq!(ids, ["b", "a"]);
        assert_eq!((calls[0].course, calls[0].extra.get("marvel")), (Course(2), Some(&json!(1))));
        assert!(done.tellask_results.is_some_and(|index| index.results.is_empty()));
    }

    #[test]
    fn the_records_say_whether_a_generation_is_open() {
        let closed =
            json!({ "kind": "closed", "course": 1, "genseq": 1, "closedAt": "t", "marvel": 1 });
        let open = json!({
            "kind": "open", "course": 1, "genseq": 2, "phase": "streaming", "acceptedTriggerIds": [], "openedAt": "t",
        });
        let run = |value: &Value| state(&json!({ "generationRunState": value }));
        let history = History::new(Course::FIRST);
        for (file, noted, expected) in [
            (run(&closed), run(&open), &open),
            (run(&closed), run(&closed), &closed),
            (run(&closed), RecentState::default(), &closed),
        ] {
            let done = completed(file, noted, &history).generation_run_state;
            assert_eq!(serde_json::to_value(done).unwrap(), *expected);
        }
    }
}
