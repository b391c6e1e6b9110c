//! Trees in the layout of Dominds 1.29, driven: what it demands of the files is there whenever everything rests.

use serde_json::{Value, json};

use dominds_tui::domain::{Bucket, Course, DialogId, Entry, Genseq, Layout};
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{ForkMode, Lifecycle};

use super::fresh_boots::{conclude, reason};
use super::tellasks::{reply, session};
use super::{made, question};
use crate::common::World;
use crate::common::record_lines::is_line_of;
use crate::common::rest::left_to_do;

fn world(models: Sequence) -> World {
    let mut world = World::new(models);
    world.setup.layout = Some(Layout::V1_29);
    world
}

/// The path of a file of a dialog below the workspace.
fn path(dialog: &DialogId, name: &str) -> String {
    let root = format!(".dialogs/run/{}", dialog.root);
    if dialog.is_main() {
        return format!("{root}/{name}");
    }
    format!("{root}/sideDialogs/{}/{name}", dialog.this)
}

/// A file of a dialog; empty where there is none.
fn file(world: &World, dialog: &DialogId, name: &str) -> String {
    std::fs::read_to_string(world.path().join(path(dialog, name))).unwrap_or_default()
}

/// The state of a dialog that is stopped for a prompt of the runtime in its only course.
fn waits_for_prompt(prompt: &Value) -> String {
    let why = json!({ "kind": "pending_runtime_prompt" });
    let waits = json!({
        "currentCourse": 1, "lastModified": "2026-11-22 11:00:00", "status": "active", "generating": false,
        "displayState": { "kind": "stopped", "reason": why, "continueEnabled": true },
        "executionMarker": { "kind": "interrupted", "reason": why },
        "generationRunState": { "kind": "closed", "course": 1, "genseq": 1, "closedAt": "2026-11-22 11:00:00" },
        "pendingRuntimePrompt": prompt,
        "nextStep": { "nextSeq": 2, "triggers": [{
            "triggerId": "queued-prompt:m9", "kind": "queued_prompt", "seq": 1, "promptId": "m9", "course": 1,
            "createdAt": "2026-11-22 11:00:00",
        }] },
        "tellaskCalls": { "calls": [] }, "tellaskResults": { "results": [] }, "disableDiligencePush": true,
    });
    waits.to_string()
}

/// Nothing is left to do, and another reading finds the derived parts as they are.
fn assert_rests(world: &World, root: &DialogId) {
    let loaded = world.view().load(Bucket::Run, &root.root).expect("a tree");
    assert_eq!(left_to_do(&loaded), [""; 0]);
    for dialog in loaded.tree.dialogs.values() {
        let id = loaded.tree.id(&dialog.meta.id);
        let latest = file(world, &id, "latest.yaml");
        assert!(latest.contains("triggers: []"), "{id}: {latest}");
        assert!(
            !latest.contains("driveWanted") && !latest.contains("kind: open"),
            "{id}: {latest}"
        );
        assert_eq!(file(world, &id, "active-callees.json"), "", "{id}");
        assert_eq!(file(world, &id, "pending-sideDialogs.json"), "", "{id}");
    }
}

fn asked() -> Sequence {
    Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "job", "Look.")))
        .reply("alice", Reply::call("r", "replyTellask", &reply("seen")))
        .reply("lead", Reply::saying("Good."))
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_delivered_in_the_words_of_dominds_1_29() {
    let world = world(asked());
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.shut_down().await;
    assert_rests(&world, &main);
    let side = made(&main, 2);
    let latest = file(&world, &main, "latest.yaml");
    for part in ["callRecordId: tellask-call:c", "resultRecordId: tellask-result:c"] {
        assert!(latest.contains(part), "{latest}");
    }
    let latest = file(&world, &side, "latest.yaml");
    for part in [
        "replyCallId: r",
        "status: delivered",
        "toolResultStatus: recorded",
        "latestAssignmentAnchor:",
        "sideDialogFinalResponse:",
    ] {
        assert!(latest.contains(part), "{latest}");
    }
    assert!(file(&world, &side, "asker-stack.jsonl").contains("\"callSiteGenseq\":1"));
    let course = file(&world, &main, "course-001.jsonl");
    assert!(course.contains("\"callSiteGenseq\":1") && !course.contains("pending_sideDialogs"));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_after_a_kill_and_the_wait_for_it_is_gone() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#))
        .reply("lead", Reply::saying("Blue then."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.talk("Paint").await;
    let latest = file(&world, &main, "latest.yaml");
    assert!(latest.contains("userWait:") && latest.contains("kind: blocked"), "{latest}");
    running.kill().await;
    let mut running = world.start().await;
    let row = question(&running);
    running.answer(&row, "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.shut_down().await;
    let latest = file(&world, &main, "latest.yaml");
    assert!(!latest.contains("userWait:"), "{latest}");
    assert!(latest.contains("resultRecordId: tellask-result:q"), "{latest}");
    assert_rests(&world, &main);
}

#[tokio::test(start_paused = true)]
async fn a_fork_of_a_tree_has_both_indexes_filled_and_none_of_the_names_of_its_source() {
    let models = asked().reply("lead", Reply::saying("More."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.say(&main, "And?").await.expect("heard");
    running.quiet().await;
    let (course, genseq, then) = (Course(1), Genseq(3), ForkMode::Stay);
    let change = Lifecycle::Fork { root: main.root.clone(), course, genseq, then };
    let fork = running.change(change).await.expect("a fork");
    running.shut_down().await;
    let latest = file(&world, &fork, "latest.yaml");
    for part in ["callRecordId: tellask-call:c", "resultRecordId: tellask-result:c"] {
        assert!(latest.contains(part), "{latest}");
    }
    let side = DialogId::side(&fork.root, &made(&main, 2).this);
    for dialog in [&fork, &side] {
        for name in ["latest.yaml", "asker-stack.jsonl", "course-001.jsonl"] {
            let text = file(&world, dialog, name);
            assert!(!text.contains(main.root.as_str()), "{dialog} {name}: {text}");
        }
    }
    let loaded = world.view().load(Bucket::Run, &fork.root).expect("a tree");
    assert_eq!((loaded.tree.layout, loaded.problems), (Layout::V1_29, vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_new_course_waits_as_a_prompt_of_the_runtime_and_is_gone_when_it_has_begun() {
    let models = Sequence::new()
        .reply("lead", Reply::call("m", "clear_mind", "{}"))
        .reply("lead", Reply::saying("Fresh."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.shut_down().await;
    let latest = file(&world, &main, "latest.yaml");
    assert!(latest.contains("currentCourse: 2"), "{latest}");
    assert!(!latest.contains("pendingRuntimePrompt") && !latest.contains("pendingCourseStart"));
    assert_rests(&world, &main);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_of_the_runtime_that_waits_is_recorded_once_and_its_stop_and_trigger_go() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hello."))
        .reply("lead", Reply::saying("Reminded."))
        .reply("lead", Reply::saying("Answered."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.shut_down().await;
    let prompt = json!({ "content": "Mind the lamp.", "msgId": "m9", "grammar": "markdown", "origin": "runtime" });
    world.put(&path(&main, "latest.yaml"), &waits_for_prompt(&prompt));
    let mut running = world.start().await;
    running.say(&main, "And?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.shut_down().await;
    let course = file(&world, &main, "course-001.jsonl");
    assert_eq!(course.matches("Mind the lamp.").count(), 1, "{course}");
    let latest = file(&world, &main, "latest.yaml");
    for gone in ["pendingRuntimePrompt", "interrupted"] {
        assert!(!latest.contains(gone), "{latest}");
    }
    assert_rests(&world, &main);
}

/// A side dialog that ended in words and waits with a reminder to reply; `owed`: its stack still has the reply.
async fn reminded(owed: bool) -> (World, DialogId) {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "job", "Look.")))
        .reply("alice", Reply::new().and_hang())
        .reply("alice", Reply::call("r", "replyTellask", &reply("seen")))
        .reply("lead", Reply::saying("Good."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.kill().await;
    let side = made(&main, 2);
    let course = file(&world, &side, "course-001.jsonl");
    let words = json!({ "ts": "2026-11-22 11:00:00", "type": "agent_words_record", "genseq": 1, "content": "I looked." });
    let health = json!({ "kind": "unavailable", "reason": "model_limit_unavailable" });
    let end = json!({ "ts": "2026-11-22 11:00:00", "type": "gen_finish_record", "genseq": 1, "contextHealth": health });
    world.put(&path(&side, "course-001.jsonl"), &format!("{course}{words}\n{end}\n"));
    let prompt = json!({
        "content": "Mind the reply.", "msgId": "m9", "grammar": "markdown", "origin": "runtime",
        "tellaskReplyDirective": {
            "expectedReplyCallName": "replyTellask", "targetDialogId": main.this.as_str(), "targetCallId": "c",
            "tellaskContent": "Look.",
        },
        "calleeDialogReplyTarget": {
            "callerDialogId": main.this.as_str(), "callType": "B", "callId": "c", "callSiteCourse": 1, "callSiteGenseq": 1,
        },
    });
    world.put(&path(&side, "latest.yaml"), &waits_for_prompt(&prompt));
    if !owed {
        let stack = file(&world, &side, "asker-stack.jsonl");
        let mut frame: Value = serde_json::from_str(stack.trim_end()).expect("one frame");
        let owed = frame.as_object_mut().and_then(|frame| frame.remove("tellaskReplyObligation"));
        assert!(owed.is_some(), "{stack}");
        world.put(&path(&side, "asker-stack.jsonl"), &format!("{frame}\n"));
        world.is_left_damaged();
    }
    (world, main)
}

#[tokio::test(start_paused = true)]
async fn a_reminder_to_reply_is_recorded_in_the_same_course_when_a_person_continues() {
    let (world, main) = reminded(true).await;
    let side = made(&main, 2);
    let mut running = world.start().await;
    assert_eq!(world.state(&side), "stopped");
    running.resume(&side).await.expect("it waits for that");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.shut_down().await;
    let course = file(&world, &side, "course-001.jsonl");
    let times = |part: &str| course.matches(part).count();
    let assigned = "\"anchorRole\":\"assignment\"";
    assert_eq!((times("Mind the reply."), times(assigned)), (1, 2), "{course}");
    assert_eq!(file(&world, &side, "course-002.jsonl"), "");
    assert_rests(&world, &main);
}

#[tokio::test(start_paused = true)]
async fn a_reminder_of_a_reply_that_is_owed_no_more_goes_with_its_stop() {
    let (world, main) = reminded(false).await;
    let side = made(&main, 2);
    let running = world.start().await;
    running.shut_down().await;
    let latest = file(&world, &side, "latest.yaml");
    for gone in ["pendingRuntimePrompt", "pending_runtime_prompt", "queued_prompt"] {
        assert!(!latest.contains(gone), "{latest}");
    }
    assert!(!file(&world, &side, "course-001.jsonl").contains("Mind the reply."));
}

/// What Dominds leaves of a side dialog that it ended between the reply and its delivery; `is_closed`: the generation
/// of the reply had ended.
fn leave_reply_pending(world: &World, (main, side): (&DialogId, &DialogId), is_closed: bool) {
    let id = format!("reply-delivery:{}:{}:r", main.root, side.this);
    let at = "2026-11-22 11:00:00";
    let latest = file(world, side, "latest.yaml");
    let mut latest: Value = serde_yaml::from_str(&latest).expect("YAML");
    latest["replyDelivery"] = json!({
        "replyDeliveryId": id, "status": "pending", "toolResultStatus": "pending",
        "expectedReplyCallName": "replyTellask", "targetDialogId": main.this.as_str(), "targetCallId": "c",
        "replyCallId": "r", "replyGenseq": 1, "replyContent": "seen", "createdAt": at,
    });
    latest["nextStep"] = json!({ "nextSeq": 9, "triggers": [{
        "triggerId": format!("reply-delivery-recovery:{id}"), "kind": "reply_delivery_recovery", "seq": 8,
        "replyDeliveryId": id, "targetDialogId": main.this.as_str(), "createdAt": at,
    }] });
    if is_closed {
        latest["generating"] = json!(false);
        latest["displayState"] = json!({ "kind": "proceeding" });
        latest["generationRunState"] =
            json!({ "kind": "closed", "course": 1, "genseq": 1, "closedAt": at });
        let health = json!({ "kind": "unavailable", "reason": "model_limit_unavailable" });
        let mut end = json!({ "ts": at, "type": "gen_finish_record", "genseq": 1 });
        end["contextHealth"] = health;
        let course = file(world, side, "course-001.jsonl");
        world.put(&path(side, "course-001.jsonl"), &format!("{course}{end}\n"));
    }
    world.put(&path(side, "latest.yaml"), &latest.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_reply_whose_delivery_dominds_left_pending_is_delivered_once_and_its_trigger_goes() {
    for is_closed in [false, true] {
        let mut world = world(asked());
        let main = world.killed_before("\"type\":\"tellask_result_record\"").await;
        let side = made(&main, 2);
        leave_reply_pending(&world, (&main, &side), is_closed);
        let running = world.start().await;
        running.shut_down().await;
        let requests = world.models.requests();
        let asked: Vec<&str> = requests.iter().map(|request| request.model.as_str()).collect();
        assert_eq!(asked, ["lead", "alice", "lead"], "only the asker goes on; closed: {is_closed}");
        let course = file(&world, &main, "course-001.jsonl");
        assert_eq!(course.matches("\"tellask_result_record\"").count(), 1, "{course}");
        let latest = file(&world, &side, "latest.yaml");
        for part in ["status: delivered", "toolResultStatus: recorded", "triggers: []"] {
            assert!(latest.contains(part), "closed: {is_closed}: {latest}");
        }
        let course = file(&world, &side, "course-001.jsonl");
        for once in ["\"tellask_reply_resolution_record\"", "\"func_result_record\""] {
            assert_eq!(course.matches(once).count(), 1, "closed: {is_closed}: {course}");
        }
        assert_eq!(file(&world, &main, "active-callees.json"), "", "closed: {is_closed}");
    }
}

#[test]
fn only_its_own_line_says_a_record_in_the_words_of_dominds_1_29() {
    let anchor = r#"{"ts":"t","type":"tellask_call_anchor_record","genseq":1,"anchorRole":"assignment","callId":"s"}"#;
    let entry = Entry::parse(anchor).expect("a record");
    let there = anchor.replace("_call_anchor", "_anchor");
    let (other, later) = (there.replace("\"s\"", "\"r\""), there.replace(":1", ":2"));
    for (line, says) in [(&there, true), (&other, false), (&later, false)] {
        assert_eq!(is_line_of(line, &entry, Layout::V1_29), says, "{line}");
    }
    assert!(!is_line_of(&entry.line(), &entry, Layout::V1_29));
    assert!(is_line_of(&entry.line(), &entry, Layout::V1_19));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_talked_to_a_person_goes_on_when_another_takes_over_its_session() {
    let ask = |id: &str| Reply::call(id, "tellask", &session("bob", "plan", "Plan."));
    let back = Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Which?"}"#);
    let rejected = || Reply::failure(LlmError::quoted(ErrorClass::Rejected, "it failed"));
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "job", "Look.")))
        .reply("alice", back)
        .reply("lead", rejected())
        .reply("lead", ask("p1"))
        .reply("bob", rejected())
        .reply("alice", ask("p2"))
        .reply("lead", Reply::saying("Alice plans."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.say(&main, "Rather plan.").await.expect("heard");
    running.quiet().await;
    running.say(&made(&main, 2), "You plan.").await.expect("heard");
    running.quiet().await;
    running.shut_down().await;
    let course = file(&world, &main, "course-001.jsonl");
    assert!(course.contains("Alice plans."), "{course}");
}

fn concluding() -> Sequence {
    Sequence::new()
        .reply("lead", reason(Some(1)))
        .reply("lead", Reply::saying("one angle"))
        .reply("lead", Reply::saying("less"))
        .reply("lead", conclude("Fresh Start."))
        .reply("lead", Reply::saying("Good."))
}

#[tokio::test(start_paused = true)]
async fn an_anchor_that_was_torn_off_its_resolution_is_recorded_and_nothing_twice() {
    const ANCHOR: &str = "\"anchorRole\":\"response\"";
    let world = world(concluding().reply("lead", Reply::saying("More.")));
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.shut_down().await;
    let side = made(&main, 2);
    let course = file(&world, &side, "course-001.jsonl");
    let kept: String = course.split_inclusive('\n').filter(|line| !line.contains(ANCHOR)).collect();
    assert!(kept.len() < course.len(), "{course}");
    world.put(&path(&side, "course-001.jsonl"), &kept);
    let reasons = "fbrState: {kind: serial, effort: 1, phase: finalization, iteration: 1, promptDelivered: true}";
    let latest = file(&world, &side, "latest.yaml");
    world.put(&path(&side, "latest.yaml"), &format!("{latest}{reasons}\n"));
    let mut running = world.start().await;
    running.say(&main, "And?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.shut_down().await;
    let course = file(&world, &side, "course-001.jsonl");
    for once in [ANCHOR, "tellask_reply_resolution_record"] {
        assert_eq!(course.matches(once).count(), 1, "{course}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_conclusion_of_fresh_boots_reasoning_is_recorded_as_a_delivered_reply() {
    let world = world(concluding());
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    running.shut_down().await;
    let course = file(&world, &made(&main, 2), "course-001.jsonl");
    let resolved: Vec<Value> = course
        .lines()
        .filter(|line| line.contains("tellask_reply_resolution_record"))
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    let [resolved] = resolved.as_slice() else { panic!("{course}") };
    for (key, value) in [
        ("callId", "fbr-conclusion-f"),
        ("replyCallName", "replyTellaskSessionless"),
        ("targetCallId", "c"),
    ] {
        assert_eq!(resolved[key], value);
    }
    assert_rests(&world, &main);
}
