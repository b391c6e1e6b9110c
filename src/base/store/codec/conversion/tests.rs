//! The mapping by itself, on trees in memory.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::{Course, Loss, RootId, SelfId};

const ROOT: &str = "aa/bb/1";
const SIDE: &str = "cc/dd/2";

/// The state files of a dialog, and the lines of its only course.
type Files = (StateFiles, Vec<String>);

fn keys(value: Value) -> Keys {
    let Value::Object(keys) = value else { panic!("{value}") };
    keys
}

fn convert(
    tree: &[(SelfId, Files)],
    to: Layout,
) -> Result<(Vec<(SelfId, Files)>, Losses), Localized> {
    let root = RootId::new(ROOT);
    let mut facts = TreeFacts::new();
    for (id, (_, lines)) in tree {
        let mut of_dialog = DialogFacts::default();
        for line in lines {
            of_dialog.add(Course::FIRST, line);
        }
        facts.insert(id.clone(), of_dialog);
    }
    let (mut converted, mut all) = (Vec::new(), Losses::new());
    for (id, (files, lines)) in tree {
        let at = Mapping {
            root: &root,
            dialog: id,
            facts: &facts[id],
            tree: &facts,
            created_at: "2026-11-21 11:00:00",
        };
        let (files, losses) = state_files(files.clone(), to, &at)?;
        for (loss, count) in losses {
            *all.entry(loss).or_default() += count;
        }
        let lines = lines.iter().map(|one| line(one, to, &at).unwrap_or_else(|| one.clone()));
        converted.push((id.clone(), (files, lines.collect())));
    }
    Ok((converted, all))
}

/// What a tree is made of.
#[derive(Debug, Clone)]
struct Shape {
    asks: Asks,
    question: bool,
    prompt: bool,
    stop: usize,
    reasoning: usize,
    needs_drive: bool,
    marvel: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    Nobody,
    Waits,
    /// The answer came after the newest generation.
    Arrived,
    Answered,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let asks = prop_oneof![
        Just(Asks::Nobody),
        Just(Asks::Waits),
        Just(Asks::Arrived),
        Just(Asks::Answered)
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (asks, flags, 0..4_usize, 0..3_usize, "[a-z\u{e9}\u{2028} ]{0,8}").prop_map(
        |(asks, (question, prompt, needs_drive), stop, reasoning, marvel)| Shape {
            asks,
            question,
            prompt,
            stop,
            reasoning,
            needs_drive,
            marvel,
        },
    )
}

fn record(kind: &str, more: Value) -> String {
    let mut record = keys(json!({ "ts": "2026-11-21 12:00:00", "type": kind }));
    record.extend(keys(more));
    serde_json::to_string(&record).unwrap()
}

fn assignment() -> Value {
    json!({
        "callName": "tellask", "mentionList": ["@dev"], "tellaskContent": "Do it.", "originMemberId": "lead",
        "askerDialogId": ROOT, "callId": "s", "collectiveTargets": ["dev"],
    })
}

fn directive() -> Value {
    json!({
        "expectedReplyCallName": "replyTellask", "targetDialogId": ROOT, "targetCallId": "s", "tellaskContent": "Do it.",
    })
}

fn waiting() -> Value {
    json!({
        "sideDialogId": SIDE, "createdAt": "t", "callName": "tellask", "mentionList": ["@dev"],
        "tellaskContent": "Do it.", "targetAgentId": "dev", "callId": "s", "callSiteCourse": 1, "callSiteGenseq": 1,
        "callType": "B", "sessionSlug": "main", "marvel": 7,
    })
}

fn main_lines(shape: &Shape) -> Vec<String> {
    let call = |id: &str, name: &str| {
        record(
            "tellask_call_record",
            json!({ "genseq": 1, "id": id, "name": name, "rawArgumentsText": "{}", "deliveryMode": "tellask_call_start" }),
        )
    };
    let mut lines = vec![record("gen_start_record", json!({ "genseq": 1 }))];
    if shape.asks != Asks::Nobody {
        lines.push(call("s", "tellask"));
        let made = json!({ "sideDialogId": SIDE, "askerDialogId": ROOT, "assignmentFromAsker": assignment() });
        lines.push(record("sideDialog_created_record", made));
        let snapshot = json!({ "pendingSideDialogs": [waiting()] });
        lines.push(record("pending_sideDialogs_reconciled_record", snapshot));
    }
    if shape.question {
        lines.push(call("q", "askHuman"));
    }
    lines.push(record("gen_finish_record", json!({ "genseq": 1, "marvel": shape.marvel })));
    if matches!(shape.asks, Asks::Arrived | Asks::Answered) {
        let result = json!({
            "callId": "s", "callName": "tellask", "status": "completed", "content": "Done.",
            "call": { "tellaskContent": "Do it.", "mentionList": ["@dev"], "sessionSlug": "main" },
            "responder": { "responderId": "dev", "agentId": "dev" }, "route": { "calleeDialogId": SIDE },
        });
        lines.push(record("tellask_result_record", result));
    }
    if shape.asks == Asks::Answered {
        lines.push(record("gen_start_record", json!({ "genseq": 2 })));
        lines.push(record("gen_finish_record", json!({ "genseq": 2 })));
    }
    lines.push("{\"ts\":\"t\", \"type\":\"hologram_record\"}".to_owned());
    lines
}

fn main_files(shape: &Shape) -> StateFiles {
    let waits = shape.asks == Asks::Waits;
    let blocked = |by: &str| json!({ "kind": "blocked", "reason": { "kind": by } });
    let mut latest = keys(json!({
        "currentCourse": 1, "lastModified": "2026-11-21 12:00:00", "status": "active", "generating": false,
        "diligencePushRemainingBudget": 3, "chosenModel": { "provider": "p", "model": "m" }, "marvel": shape.marvel,
    }));
    let drives = shape.asks == Asks::Arrived || shape.prompt;
    if drives {
        latest.insert("needsDrive".to_owned(), true.into());
    } else if shape.needs_drive {
        latest.insert("needsDrive".to_owned(), false.into());
    }
    let reasons = ["user_stop", "server_restart", "fork_continue_ready"];
    let reason = match (shape.prompt, reasons.get(shape.stop)) {
        (true, _) => Some("pending_course_start"),
        (false, reason) => reason.copied().filter(|_| !drives),
    };
    let state = match (reason, waits, shape.question) {
        (Some(reason), ..) => {
            let reason = json!({ "kind": reason });
            let marker = json!({ "kind": "interrupted", "reason": reason });
            latest.insert("executionMarker".to_owned(), marker);
            json!({ "kind": "stopped", "reason": reason, "continueEnabled": true })
        }
        (None, true, true) => blocked("needs_human_input_and_sideDialogs"),
        (None, true, false) => blocked("waiting_for_sideDialogs"),
        (None, false, true) => blocked("needs_human_input"),
        (None, false, false) => json!({ "kind": "idle_waiting_user" }),
    };
    latest.insert("displayState".to_owned(), state);
    if shape.prompt {
        latest.insert("pendingCourseStartPrompt".to_owned(), prompt(false));
    }
    let question = json!({
        "id": "q4h-1", "tellaskContent": "?", "askedAt": "t", "callId": "q",
        "callSiteRef": { "course": 1, "messageIndex": 0, "callSiteGenseq": 1 },
    });
    let reminders = json!([
        { "id": "abcd1234", "content": "x", "scope": "personal", "createdAt": "t", "priority": "high" },
        { "id": "abcd1235", "content": "y", "scope": "dialog", "createdAt": "t", "priority": "low" },
    ]);
    StateFiles {
        latest: Some(latest),
        questions: shape.question.then(|| json!({ "questions": [question], "updatedAt": "t" })),
        calls: waits.then(|| json!([waiting()])),
        stack: None,
        reminders: Some(json!({ "reminders": reminders, "updatedAt": "t" })),
    }
}

fn prompt(replies: bool) -> Value {
    let mut prompt =
        json!({ "content": "Begin.", "msgId": "m1", "grammar": "markdown", "origin": "runtime" });
    if replies {
        prompt["tellaskReplyDirective"] = directive();
        prompt["sideDialogReplyTarget"] =
            json!({ "ownerDialogId": ROOT, "callType": "B", "callId": "s" });
    }
    prompt
}

fn side(shape: &Shape) -> Files {
    let owes = shape.asks == Asks::Waits;
    let mut frame = json!({
        "kind": "asker_dialog_stack_frame", "askerDialogId": ROOT, "assignmentFromAsker": assignment(), "marvel": 1,
    });
    if owes {
        frame["tellaskReplyObligation"] = directive();
    }
    let reason = json!({ "kind": "user_stop" });
    let mut latest = keys(json!({
        "currentCourse": 1, "lastModified": "2026-11-21 12:00:00", "status": "active",
        "displayState": { "kind": "stopped", "reason": reason, "continueEnabled": true },
        "executionMarker": { "kind": "interrupted", "reason": reason },
    }));
    if shape.reasoning > 0 {
        let phase = ["divergence", "finalization"][shape.reasoning - 1];
        let state = json!({
            "kind": "serial", "effort": 2, "phase": phase, "iteration": 2, "promptDelivered": true,
        });
        latest.insert("fbrState".to_owned(), state);
    }
    if shape.prompt {
        latest.insert("pendingCourseStartPrompt".to_owned(), prompt(true));
    }
    let anchor = json!({ "genseq": 1, "anchorRole": "assignment", "callId": "s", "assignmentCourse": 1, "assignmentGenseq": 1 });
    let lines = vec![
        record("gen_start_record", json!({ "genseq": 1 })),
        record("tellask_call_anchor_record", anchor),
        record("gen_finish_record", json!({ "genseq": 1 })),
        "{\"ts\":\"t\",\"type\":\"gen_sta".to_owned(),
    ];
    let files = StateFiles {
        latest: Some(latest),
        stack: Some(vec![keys(frame)]),
        ..StateFiles::default()
    };
    (files, lines)
}

fn tree(shape: &Shape) -> Vec<(SelfId, Files)> {
    let mut tree = vec![(SelfId::new(ROOT), (main_files(shape), main_lines(shape)))];
    if shape.asks != Asks::Nobody {
        tree.push((SelfId::new(SIDE), side(shape)));
    }
    tree
}

fn values(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|_| line.into())
}

proptest! {
    #[test]
    fn a_tree_of_1_19_comes_back_with_every_value_but_a_false_needs_drive(shape in shapes()) {
        let before = tree(&shape);
        let (there, lost) = convert(&before, Layout::V1_29).unwrap();
        prop_assert_eq!(&lost, &Losses::new());
        for (_, (files, _)) in &there {
            let latest = files.latest.as_ref().unwrap();
            prop_assert!(v1_29::latest::is_of_this_layout(latest));
            prop_assert!(!latest.contains_key("needsDrive"));
        }
        let (back, _) = convert(&there, Layout::V1_19).unwrap();
        for ((id, (old, old_lines)), (same, (new, new_lines))) in before.iter().zip(&back) {
            prop_assert_eq!(id, same);
            let mut old = old.clone();
            if let Some(latest) = &mut old.latest && latest.get("needsDrive") == Some(&false.into()) {
                latest.shift_remove("needsDrive");
            }
            prop_assert_eq!(&old, new);
            for (old, new) in old_lines.iter().zip(new_lines) {
                prop_assert_eq!(values(old), values(new));
            }
            prop_assert_eq!(old_lines.len(), new_lines.len());
        }
    }

    #[test]
    fn lines_that_say_the_same_in_both_layouts_stay_byte_for_byte(shape in shapes()) {
        const CHANGED: [&str; 3] = ["_anchor_record", "reconciled_record", "sideDialog_created_record"];
        let before = tree(&shape);
        let (there, _) = convert(&before, Layout::V1_29).unwrap();
        for ((_, (_, old)), (_, (_, new))) in before.iter().zip(&there) {
            for (old, new) in old.iter().zip(new) {
                let may_change = CHANGED.iter().any(|kind| old.contains(kind));
                prop_assert_eq!(old != new, may_change, "{}", old);
            }
        }
    }
}

fn shape() -> Shape {
    let marvel = String::new();
    Shape {
        asks: Asks::Nobody,
        question: false,
        prompt: false,
        stop: 3,
        reasoning: 0,
        needs_drive: false,
        marvel,
    }
}

#[test]
fn answers_that_arrived_become_a_resolved_batch_with_its_trigger() {
    let (there, _) =
        convert(&tree(&Shape { asks: Asks::Arrived, ..shape() }), Layout::V1_29).unwrap();
    let (files, _) = &there[0].1;
    let latest = files.latest.as_ref().unwrap();
    let id = "dispatch:aa/bb/1:aa/bb/1:c1:g1";
    let trigger = &latest["nextStep"]["triggers"][0];
    assert_eq!((&trigger["batchId"], &trigger["seq"]), (&json!(id), &json!(1)));
    assert_eq!(latest["nextStep"]["nextSeq"], 2);
    let batch = &files.calls.as_ref().unwrap()["batches"][0];
    assert_eq!((&batch["batchId"], &batch["status"]), (&json!(id), &json!("resolved")));
    let callee = &batch["callees"][0];
    assert_eq!((&callee["status"], &callee["calleeDialogId"]), (&json!("final"), &json!(SIDE)));
    assert_eq!(callee["completion"]["resultRecordId"], "tellask-result:s");
    let (read, why) = v1_29::callees::batches(&files.calls.as_ref().unwrap().to_string()).unwrap();
    assert!(read.len() == 1 && why.is_none());
}

#[test]
fn a_need_to_be_driven_without_a_reason_becomes_a_stop_and_is_named() {
    let mut before = tree(&shape());
    let latest = before[0].1.0.latest.as_mut().unwrap();
    latest.insert("needsDrive".to_owned(), true.into());
    latest.insert("deferredReplyReassertion".to_owned(), json!({ "reason": "x" }));
    let (there, lost) = convert(&before, Layout::V1_29).unwrap();
    let latest = there[0].1.0.latest.as_ref().unwrap();
    assert_eq!(latest["executionMarker"]["reason"]["kind"], "server_restart");
    assert_eq!(latest["displayState"]["kind"], "stopped");
    assert_eq!(lost, Losses::from([(Loss::NeedsDrive, 1), (Loss::ParkedWork, 1)]));
}

#[test]
fn what_only_1_29_has_is_named_on_the_way_back() {
    let mut there =
        convert(&tree(&Shape { asks: Asks::Waits, ..shape() }), Layout::V1_29).unwrap().0;
    let (files, lines) = &mut there[0].1;
    let latest = files.latest.as_mut().unwrap();
    latest.insert("replyDelivery".to_owned(), json!({}));
    latest.insert("backendDriveStall".to_owned(), json!({}));
    latest.insert("pendingUserInterjectionReply".to_owned(), json!({}));
    latest.insert("pendingRuntimePrompt".to_owned(), prompt(false));
    let trigger = |kind: &str, seq: u64| json!({ "triggerId": kind, "kind": kind, "seq": seq, "createdAt": "t" });
    latest["nextStep"] =
        json!({ "nextSeq": 3, "triggers": [trigger("followup", 1), trigger("queued_prompt", 2)] });
    let reason = json!({
        "kind": "llm_retry_stopped", "error": "x", "display": {},
        "recoveryAction": { "kind": "runtime_prompt_once", "content": "Go on." },
    });
    latest.insert("displayState".to_owned(), json!({ "kind": "stopped", "reason": reason }));
    let call = json!({ "genseq": 1, "id": "a", "name": "answerHuman", "rawArgumentsText": "{}", "deliveryMode": "func_call_requested" });
    lines.push(record("tellask_call_record", call));
    files.calls.as_mut().unwrap()["marvel"] = json!(1);
    files.reminders = Some(json!({ "updatedAt": "t", "reminders": [
        { "id": "a", "scope": "task" }, { "id": "b", "scope": "agent" }, { "id": "c", "scope": "runtime" },
    ] }));
    let (back, lost) = convert(&there, Layout::V1_19).unwrap();
    let expected = [
        (Loss::AnswerCalls, 1),
        (Loss::ReplyDelivery, 1),
        (Loss::Triggers, 2),
        (Loss::RuntimePrompt, 1),
        (Loss::Interjection, 1),
        (Loss::DriveStall, 1),
        (Loss::UnknownKeys, 1),
        (Loss::State, 1),
        (Loss::TaskBinding, 1),
        (Loss::RuntimeReminders, 1),
    ];
    assert_eq!(lost, Losses::from(expected));
    let (files, lines) = &back[0].1;
    let latest = files.latest.as_ref().unwrap();
    assert_eq!(latest["displayState"]["reason"].get("recoveryAction"), None);
    assert_eq!(latest.get("needsDrive"), Some(&json!(true)));
    assert!(latest.get("pendingCourseStartPrompt").is_none());
    assert!(lines.last().is_some_and(|line| line.contains("\"func_call_record\"")));
    let scopes = files.reminders.as_ref().unwrap()["reminders"].as_array().unwrap().clone();
    assert!(scopes.len() == 2 && scopes.iter().all(|one| one["scope"] == "personal"), "{scopes:?}");
}

#[test]
fn a_dialog_that_rests_owing_a_reply_is_stopped_there_and_one_that_waits_is_blocked() {
    for (state, asks, expected) in [
        ("proceeding", Asks::Arrived, "proceeding"),
        ("waiting_side_dialog", Asks::Waits, "blocked"),
        ("waiting_side_dialog", Asks::Arrived, "stopped"),
        ("idle_waiting_user", Asks::Waits, "blocked"),
    ] {
        let mut there = convert(&tree(&Shape { asks, ..shape() }), Layout::V1_29).unwrap().0;
        let latest = there[0].1.0.latest.as_mut().unwrap();
        latest.insert("displayState".to_owned(), json!({ "kind": state }));
        let (back, _) = convert(&there, Layout::V1_19).unwrap();
        let latest = back[0].1.0.latest.as_ref().unwrap();
        assert_eq!(latest["displayState"]["kind"], expected, "{state} {asks:?}");
    }
    let mut there =
        convert(&tree(&Shape { asks: Asks::Waits, ..shape() }), Layout::V1_29).unwrap().0;
    let latest = there[1].1.0.latest.as_mut().unwrap();
    latest.insert("displayState".to_owned(), json!({ "kind": "proceeding" }));
    latest.shift_remove("executionMarker");
    let (back, lost) = convert(&there, Layout::V1_19).unwrap();
    let latest = back[1].1.0.latest.as_ref().unwrap();
    assert_eq!(latest["executionMarker"]["reason"]["kind"], "server_restart");
    assert_eq!(lost.get(&Loss::State), Some(&1));
}

type Change = fn(&mut Vec<(SelfId, Files)>);

#[test]
fn a_tree_that_does_not_tell_what_1_29_demands_is_refused() {
    let asking = || tree(&Shape { asks: Asks::Waits, question: true, ..shape() });
    let broken: [Change; 5] = [
        // The asker never made the call.
        |tree| tree[0].1.1.retain(|line| !line.contains("\"tellask_call_record\"")),
        |tree| {
            let twice = tree[0].1.1[1].clone();
            tree[0].1.1.push(twice);
        },
        |tree| {
            tree[0].1.1[1] =
                tree[0].1.1[1].replace("\"name\":\"tellask\"", "\"name\":\"telepathy\"");
        },
        |tree| tree[0].1.0.calls = Some(json!([5])),
        |tree| {
            let file = tree[0].1.0.questions.as_mut().unwrap();
            let one = file["questions"][0].clone();
            file["questions"].as_array_mut().unwrap().push(one);
        },
    ];
    assert!(convert(&asking(), Layout::V1_29).is_ok());
    for (at, change) in broken.into_iter().enumerate() {
        let mut tree = asking();
        change(&mut tree);
        let refused = convert(&tree, Layout::V1_29).map(|_| ()).unwrap_err();
        crate::samples::assert_translated(&refused);
        assert!(!refused.is_empty(), "{at}");
    }
}
