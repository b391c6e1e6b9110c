//! `latest.yaml` of this layout: what the domain has, in the terms of 1.19.2, and the keys that this layout alone has; and
//! the way back.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::dialogs::recent::{NextWork, RecentState, RunState};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Course, Genseq, Latest, StopReason};

use super::states::{self, StateFacts};

/// Keys that this layout demands.
pub(in crate::store) const KEYS: [&str; 3] = ["nextStep", "tellaskCalls", "tellaskResults"];
/// Keys of 1.19.2 that mean nothing in this layout.
pub(in crate::store) const IGNORED: [&str; 3] =
    ["needsDrive", "deferredReplyReassertion", "pendingCourseStartPrompt"];
pub(in crate::store) const PROMPT: &str = "pendingRuntimePrompt";
const COURSE_PROMPT: &str = "pendingCourseStartPrompt";
/// Keys of this program, for what this layout has no word: something waits to be driven though nothing there says so, and
/// work that is parked while a dialog talks to a person. Dominds drops both when it writes the file.
const DRIVE_WANTED: &str = "driveWanted";
const PARKED: &str = "parkedWork";
/// What 1.19.2 calls them.
const OWN: [(&str, &str); 2] = [(DRIVE_WANTED, "needsDrive"), (PARKED, "deferredReplyReassertion")];

pub(in crate::store) fn is_of_this_layout(latest: &Map<String, Value>) -> bool {
    KEYS.iter().all(|key| latest.contains_key(*key))
}

/// The same in the terms of 1.19.2. Keys that have no such terms stay; [`take_state`] reads them.
pub(in crate::store) fn in_terms_of_1_19(mut latest: Map<String, Value>) -> Map<String, Value> {
    for key in IGNORED {
        latest.remove(key);
    }
    let has_triggers = !triggers(&latest).is_empty();
    let has_work = has_triggers || is_generating(&latest);
    if let Some(state) = latest.get_mut("displayState") {
        *state = states::display_state(state.take(), has_work);
    }
    if let Some(marker) = latest.get_mut("executionMarker") {
        *marker = states::with_reason(marker.take());
    }
    name_prompt(&mut latest);
    if has_triggers && !latest.contains_key("executionMarker") {
        latest.insert("needsDrive".to_owned(), true.into());
    }
    for (key, name) in OWN {
        if let Some(value) = latest.get(key).cloned() {
            latest.insert(name.to_owned(), value);
        }
    }
    latest
}

/// The facts of its dialog on which the file depends.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct FileFacts<'a> {
    pub state: &'a RecentState,
    pub shown: StateFacts,
    /// Where the call was made whose reply a prompt of the runtime asks for.
    pub asked_at: GenerationPlace,
}

/// A course, and a generation in it.
pub(in crate::store) type GenerationPlace = (Course, Genseq);

/// The whole file, with the keys that nobody here knows.
pub(in crate::store) fn file(
    latest: &Latest,
    facts: FileFacts<'_>,
) -> serde_json::Result<Map<String, Value>> {
    let mut map = object(serde_json::to_value(latest)?);
    map.extend(object(serde_json::to_value(facts.state)?));
    own_keys(&mut map, latest, facts.state);
    if !matches!(facts.state.generation_run_state, Some(RunState::Open { .. }))
        && map.get("generating") == Some(&Value::Bool(true))
    {
        map.insert("generating".to_owned(), false.into());
    }
    if let Some(state) = &latest.display_state {
        map.insert("displayState".to_owned(), states::state_there(state, facts.shown));
    }
    if latest.marked().is_some_and(StopReason::is_pause) {
        map.shift_remove("executionMarker");
    } else if let Some(marker) = map.get_mut("executionMarker") {
        *marker = states::reason_there(marker.take());
    }
    if let Some(prompt) = map.shift_remove(COURSE_PROMPT) {
        map.insert(PROMPT.to_owned(), prompt);
    }
    if let Some(prompt) = map.get_mut(PROMPT) {
        name_target(prompt, facts.asked_at);
    }
    if let Some(Value::Object(reasoning)) = map.get_mut("fbrState")
        && reasoning.get("phase").and_then(Value::as_str) == Some("finalization")
    {
        reasoning.entry("finalizationReason").or_insert_with(|| "planned".into());
    }
    map.entry("disableDiligencePush").or_insert(Value::Bool(false));
    Ok(map)
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(map) = value { map } else { Map::new() }
}

/// Names what only the domain knows by the keys of this program, as far as it is more than nothing.
fn own_keys(map: &mut Map<String, Value>, latest: &Latest, state: &RecentState) {
    let paused = latest.marked().is_some_and(StopReason::is_pause);
    let has_triggers = state.next_step.as_ref().is_some_and(|next| !next.triggers.is_empty());
    let is_triggered = has_triggers && latest.execution_marker.is_none();
    for (key, name) in OWN {
        map.shift_remove(key);
        let Some(value) = map.shift_remove(name) else { continue };
        let is_told = if key == PARKED { paused } else { is_triggered };
        if value != Value::Bool(false) && !is_told {
            map.insert(key.to_owned(), value);
        }
    }
}

/// The one whom a prompt asks to reply to, by its name there, and with the place of the call.
fn name_target(prompt: &mut Value, (course, genseq): GenerationPlace) {
    let Some(map) = prompt.as_object_mut() else { return };
    let Some(mut target) = map.shift_remove("sideDialogReplyTarget") else { return };
    if !map.contains_key("tellaskReplyDirective") {
        // Dominds refuses a target without it.
        return;
    }
    if let Some(target) = target.as_object_mut() {
        if let Some(owner) = target.shift_remove("ownerDialogId") {
            target.insert("callerDialogId".to_owned(), owner);
        }
        target.entry("callSiteCourse").or_insert_with(|| course.0.into());
        target.entry("callSiteGenseq").or_insert_with(|| genseq.0.max(1).into());
    }
    map.insert("calleeDialogReplyTarget".to_owned(), target);
}

/// Takes the keys of this program out of those that the domain does not know; true if something waits to be driven.
pub(in crate::store) fn take_own(extra: &mut Map<String, Value>) -> bool {
    extra.shift_remove(PARKED);
    extra.shift_remove(DRIVE_WANTED) == Some(Value::Bool(true))
}

pub(in crate::store) fn triggers(latest: &Map<String, Value>) -> &[Value] {
    let triggers = latest.get("nextStep").and_then(|next| next.get("triggers")?.as_array());
    triggers.map_or(&[][..], Vec::as_slice)
}

/// True if a generation is at work: one that is open may rest, after a restart, until what the dialog waits for comes.
fn is_generating(latest: &Map<String, Value>) -> bool {
    latest.get("generating").and_then(Value::as_bool).unwrap_or_else(|| has_open_generation(latest))
}

/// True if a generation has not ended.
pub(in crate::store) fn has_open_generation(latest: &Map<String, Value>) -> bool {
    let run = latest.get("generationRunState").and_then(|run| run.get("kind")?.as_str());
    latest.get("generating") == Some(&Value::Bool(true)) || run == Some("open")
}

/// Gives the prompt that waits, and the one whom it owes a reply, their names in 1.19.2. It opens the current course: the
/// last records of the course before may name that one.
fn name_prompt(latest: &mut Map<String, Value>) {
    let queued = queued_course(latest);
    let Some(mut prompt) = latest.remove(PROMPT) else { return };
    if let Some(map) = prompt.as_object_mut()
        && let Some(mut target) = map.remove("calleeDialogReplyTarget")
    {
        if let Some(target) = target.as_object_mut()
            && let Some(caller) = target.remove("callerDialogId")
        {
            target.insert("ownerDialogId".to_owned(), caller);
        }
        map.insert("sideDialogReplyTarget".to_owned(), target);
    }
    latest.insert(COURSE_PROMPT.to_owned(), prompt);
    let current = latest.get("currentCourse").and_then(Value::as_u64);
    let next = current.and_then(|current| current.checked_add(1));
    if let Some(next) = next.filter(|next| queued == Some(*next)) {
        latest.insert("currentCourse".to_owned(), next.into());
    }
}

/// The course that the prompt that waits is to open, by its trigger.
fn queued_course(latest: &Map<String, Value>) -> Option<u64> {
    let prompt = latest.get(PROMPT)?.get("msgId")?;
    let is_its = |trigger: &&Value| {
        trigger.get("kind").and_then(Value::as_str) == Some("queued_prompt")
            && trigger.get("promptId") == Some(prompt)
    };
    triggers(latest).iter().find(is_its).and_then(course_in)
}

fn course_in(of: &Value) -> Option<u64> {
    of.get("course").and_then(Value::as_u64)
}

/// True if a prompt waits for a later course than that of the newest generation.
pub(in crate::store) fn starts_course(latest: &Map<String, Value>) -> bool {
    queued_course(latest) > latest.get("generationRunState").and_then(course_in)
}

/// Takes the keys of this layout alone out of those that the domain does not know.
pub(in crate::store) fn take_state(extra: &mut Map<String, Value>) -> RecentState {
    let mut unread = Map::new();
    RecentState {
        next_step: take(extra, "nextStep", &mut unread),
        tellask_calls: take(extra, "tellaskCalls", &mut unread),
        tellask_results: take(extra, "tellaskResults", &mut unread),
        generation_run_state: take(extra, "generationRunState", &mut unread),
        user_wait: take(extra, "userWait", &mut unread),
        reply_delivery: take(extra, "replyDelivery", &mut unread),
        latest_assignment_anchor: take(extra, "latestAssignmentAnchor", &mut unread),
        final_response: take(extra, "sideDialogFinalResponse", &mut unread),
        interjection: take(extra, "pendingUserInterjectionReply", &mut unread),
        backend_drive_stall: take(extra, "backendDriveStall", &mut unread),
        unread,
    }
}

fn take<T: DeserializeOwned>(
    extra: &mut Map<String, Value>,
    key: &str,
    unread: &mut Map<String, Value>,
) -> Option<T> {
    let value = extra.remove(key)?;
    let read = serde_json::from_value(value.clone()).ok();
    if read.is_none() {
        unread.insert(key.to_owned(), value);
    }
    read
}

/// What Dominds refuses the file for.
pub(in crate::store) fn fault(state: &RecentState) -> Option<Localized> {
    if let Some(key) = state.unread.keys().next() {
        return Some(localized!("`{key}` cannot be read", "无法读取 `{key}`"));
    }
    let calls = state.tellask_calls.iter().flat_map(|index| &index.calls);
    let results = state.tellask_results.iter().flat_map(|index| &index.results);
    let repeats = has_twice(calls.map(|call| &call.call_id))
        || has_twice(results.map(|result| &result.call_id));
    if repeats {
        return Some(Text::new("a call is indexed twice", "有调用在索引中出现两次").into());
    }
    let wrong = state.next_step.as_ref().is_some_and(has_wrong_triggers);
    wrong.then(|| {
        Text::new(
            "the triggers in `nextStep` contradict each other",
            "`nextStep` 中的触发项互相矛盾",
        )
        .into()
    })
}

fn has_wrong_triggers(next: &NextWork) -> bool {
    let triggers = || next.triggers.iter();
    has_twice(triggers().map(|trigger| &trigger.trigger_id))
        || has_twice(triggers().map(|trigger| trigger.seq))
        || triggers().any(|trigger| trigger.seq == 0 || trigger.seq >= next.next_seq)
}

fn has_twice<T: Ord>(mut items: impl Iterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    !items.all(|item| seen.insert(item))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::DisplayState;
    use crate::domain::dialogs::latest::Blocker;
    use crate::domain::dialogs::recent::TriggerKind;
    use crate::store::codec::latest;

    /// A `latest.yaml` with its required keys, and these.
    fn file(more: &Value) -> String {
        let mut file = json!({
            "currentCourse": 1, "lastModified": "t", "status": "active",
            "nextStep": { "nextSeq": 1, "triggers": [] },
            "tellaskCalls": { "calls": [] }, "tellaskResults": { "results": [] },
        });
        let map = file.as_object_mut().unwrap();
        map.extend(more.as_object().unwrap().clone());
        file.to_string()
    }

    fn read(more: &Value) -> (Latest, RecentState) {
        let (mut latest, why) = latest(&file(more)).unwrap();
        assert_eq!(why, None, "{more}");
        let state = take_state(&mut latest.extra);
        (latest, state)
    }

    fn trigger(kind: &str, seq: u64, course: u64) -> Value {
        json!({ "triggerId": format!("{kind}:{seq}"), "kind": kind, "seq": seq, "createdAt": "t", "course": course })
    }

    #[test]
    fn a_state_is_read_by_what_is_left_to_do() {
        let open = json!({
            "kind": "open", "course": 1, "genseq": 1, "phase": "streaming", "acceptedTriggerIds": [], "openedAt": "t",
        });
        let next = json!({ "nextSeq": 2, "triggers": [trigger("followup", 1, 1)] });
        let proceeding = || json!({ "kind": "proceeding" });
        for (more, state, needs_drive) in [
            (json!({ "displayState": proceeding() }), DisplayState::Idle, None),
            (
                json!({ "displayState": proceeding(), "generating": true }),
                DisplayState::Proceeding,
                None,
            ),
            (
                json!({ "displayState": proceeding(), "generationRunState": open }),
                DisplayState::Proceeding,
                None,
            ),
            (
                json!({ "displayState": proceeding(), "generating": false, "generationRunState": open }),
                DisplayState::Idle,
                None,
            ),
            (
                json!({ "displayState": proceeding(), "nextStep": next, "needsDrive": false }),
                DisplayState::Proceeding,
                Some(true),
            ),
            (
                json!({ "displayState": { "kind": "waiting_side_dialog" }, "needsDrive": true }),
                DisplayState::Blocked { reason: Blocker::SideDialogs },
                None,
            ),
        ] {
            let (latest, _) = read(&more);
            assert_eq!(
                (latest.display_state, latest.needs_drive),
                (Some(state), needs_drive),
                "{more}"
            );
        }
        let reason = json!({ "kind": "pending_runtime_prompt" });
        let (latest, _) = read(&json!({
            "executionMarker": { "kind": "interrupted", "reason": reason },
            "nextStep": { "nextSeq": 2, "triggers": [trigger("queued_prompt", 1, 1)] },
        }));
        assert_eq!(latest.interruption(), Some(&StopReason::PendingCourseStart));
        assert_eq!(latest.needs_drive, None, "a stop lasts until a person continues it");
    }

    #[test]
    fn a_prompt_that_waits_opens_the_course_that_its_trigger_names() {
        let prompt = json!({
            "content": "Go.", "msgId": "m", "grammar": "markdown", "origin": "runtime",
            "calleeDialogReplyTarget": {
                "callerDialogId": "a", "callType": "B", "callId": "c", "callSiteCourse": 1, "callSiteGenseq": 2,
            },
        });
        let closed = json!({ "kind": "closed", "course": 1, "genseq": 1, "closedAt": "t" });
        // 1.29 names the next course at most.
        for (about, course, opened) in [("m", 1, 1), ("m", 2, 2), ("m", 9, 1), ("other", 2, 1)] {
            let mut queued = trigger("queued_prompt", 1, course);
            queued["promptId"] = json!(about);
            let (latest, state) = read(&json!({
                "pendingRuntimePrompt": prompt, "generationRunState": closed,
                "nextStep": { "nextSeq": 2, "triggers": [queued] },
            }));
            assert_eq!((latest.current_course, fault(&state)), (Course(opened), None));
            let target = latest.pending_course_start_prompt.unwrap().side_dialog_reply_target;
            let target = target.unwrap();
            assert_eq!(target.owner_dialog_id.as_str(), "a");
            assert_eq!(target.extra.get("callSiteGenseq"), Some(&json!(2)));
        }
    }

    #[test]
    fn the_keys_of_this_layout_are_read_and_given_back_with_what_is_unknown() {
        let more = json!({
            "nextStep": { "nextSeq": 3, "triggers": [trigger("result_arrival", 2, 1)], "marvel": 1 },
            "tellaskCalls": { "calls": [{ "callId": "c", "callName": "tellask", "course": 1, "genseq": 1, "recordedAt": "t", "callRecordId": "tellask-call:c" }] },
            "tellaskResults": { "results": [{ "callId": "c", "callName": "tellask", "course": 1, "recordedAt": "t", "resultRecordId": "tellask-result:c" }] },
            "generationRunState": { "kind": "closed", "course": 1, "genseq": 1, "closedAt": "t", "marvel": 2 },
            "userWait": { "kind": "awaiting_user_answer", "questionId": "q", "callId": "q", "course": 1, "askedAt": "t" },
            "replyDelivery": {
                "replyDeliveryId": "r", "status": "delivered", "toolResultStatus": "recorded",
                "expectedReplyCallName": "replyTellask", "targetDialogId": "a", "targetCallId": "c", "replyCallId": "d",
                "replyGenseq": 1, "replyContent": "x", "createdAt": "t", "deliveredAt": "t",
            },
            "latestAssignmentAnchor": { "callId": "c", "assignmentCourse": 1, "assignmentGenseq": 1 },
            "sideDialogFinalResponse": { "callId": "c", "responseCourse": 1, "responseGenseq": 1, "askerDialogId": "a", "askerCourse": 1 },
            "pendingUserInterjectionReply": { "msgId": "m", "course": 1, "genseq": 1 },
            "backendDriveStall": {
                "kind": "backend_drive_error", "recordId": "r", "durableWorkFingerprint": "{}", "failedAt": "t",
                "errorMessage": "no such agent",
            },
        });
        let (latest, state) = read(&json!({ "marvel": 3 }));
        assert_eq!(latest.extra, *json!({ "marvel": 3 }).as_object().unwrap());
        assert_eq!(fault(&state), None);
        let (latest, state) = read(&more);
        assert!(latest.extra.is_empty() && fault(&state).is_none());
        let next = state.next_step.as_ref().unwrap();
        assert_eq!(next.triggers[0].kind, TriggerKind::ResultArrival);
        assert_eq!(serde_json::to_value(&state).unwrap(), more);
    }

    #[test]
    fn what_dominds_refuses_is_a_fault_and_what_can_be_read_counts() {
        let call = json!({ "callId": "c", "callName": "tellask", "course": 1, "genseq": 1, "recordedAt": "t" });
        let next = |next: u64, triggers: [Value; 2]| json!({ "nextStep": { "nextSeq": next, "triggers": triggers } });
        for more in [
            json!({ "userWait": null }),
            json!({ "nextStep": 5 }),
            json!({ "tellaskCalls": { "calls": [call, call] } }),
            json!({ "tellaskResults": { "results": [call, call] } }),
            next(2, [trigger("followup", 1, 1), trigger("user_input", 2, 1)]),
            next(9, [trigger("followup", 1, 1), trigger("followup", 1, 1)]),
            next(9, [trigger("followup", 0, 1), trigger("user_input", 2, 1)]),
        ] {
            let (_, state) = read(&more);
            assert!(fault(&state).is_some(), "{more}");
        }
        let (latest, why) =
            latest(&file(&json!({ "displayState": 5, "currentCourse": 2 }))).unwrap();
        assert_eq!((latest.current_course, why.is_some()), (Course(2), true));
    }
}
