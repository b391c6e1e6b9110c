//! Trees in the layout of Dominds 1.29, driven: what it demands of the files is there whenever everything rests.

use serde_json::{Value, json};

use dominds_tui::domain::dialogs::state::next_step;
use dominds_tui::domain::{Bucket, Course, DialogId, Genseq, Layout, TreeChange};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{ForkMode, Lifecycle};

use super::fresh_boots::{conclude, reason};
use super::tellasks::{reply, session};
use super::{made, question};
use crate::common::World;

fn world(models: Sequence) -> World {
    let mut world = World::new(models);
    world.setup.layout = Some(Layout::V1_29);
    world
}

/// A file of a dialog; empty where there is none.
fn file(world: &World, dialog: &DialogId, name: &str) -> String {
    let root = world.path().join(".dialogs/run").join(dialog.root.as_str());
    let side = || root.join("sideDialogs").join(dialog.this.as_str());
    let folder = if dialog.is_main() { root.clone() } else { side() };
    std::fs::read_to_string(folder.join(name)).unwrap_or_default()
}

/// Nothing is left to do, and another reading finds the derived parts as they are.
fn assert_rests(world: &World, root: &DialogId) {
    let loaded = world.view().load(Bucket::Run, &root.root).expect("a tree");
    assert_eq!(loaded.tree.layout, Layout::V1_29);
    let is_derived = |change: &TreeChange| {
        matches!(change, TreeChange::Latest { .. } | TreeChange::Pending { .. })
    };
    assert!(!loaded.repairs.iter().any(is_derived), "{:?}", loaded.repairs);
    for dialog in loaded.tree.dialogs.values() {
        let id = loaded.tree.id(&dialog.meta.id);
        assert_eq!(next_step(dialog), None, "{id}");
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
    let why = json!({ "kind": "pending_runtime_prompt" });
    let waits = json!({
        "currentCourse": 1, "lastModified": "2026-11-22 11:00:00", "status": "active", "generating": false,
        "displayState": { "kind": "stopped", "reason": why, "continueEnabled": true },
        "executionMarker": { "kind": "interrupted", "reason": why },
        "generationRunState": { "kind": "closed", "course": 1, "genseq": 1, "closedAt": "2026-11-22 11:00:00" },
        "pendingRuntimePrompt": { "content": "Mind the lamp.", "msgId": "m9", "grammar": "markdown", "origin": "runtime" },
        "nextStep": { "nextSeq": 2, "triggers": [{
            "triggerId": "queued-prompt:m9", "kind": "queued_prompt", "seq": 1, "promptId": "m9", "course": 1,
            "createdAt": "2026-11-22 11:00:00",
        }] },
        "tellaskCalls": { "calls": [] }, "tellaskResults": { "results": [] }, "disableDiligencePush": true,
    });
    let folder = world.path().join(".dialogs/run").join(main.root.as_str());
    std::fs::write(folder.join("latest.yaml"), waits.to_string()).expect("written");
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

#[tokio::test(start_paused = true)]
async fn the_conclusion_of_fresh_boots_reasoning_is_recorded_as_a_delivered_reply() {
    let models = Sequence::new()
        .reply("lead", reason(Some(1)))
        .reply("lead", Reply::saying("one angle"))
        .reply("lead", Reply::saying("less"))
        .reply("lead", conclude("Fresh Start."))
        .reply("lead", Reply::saying("Good."));
    let world = world(models);
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
