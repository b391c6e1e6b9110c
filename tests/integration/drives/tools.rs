//! Rounds of ordinary calls.

use std::sync::atomic::Ordering;

use dominds_tui::llm::{Reply, Sequence};

use super::{place, probe, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

#[tokio::test(start_paused = true)]
async fn a05_all_calls_of_a_round_stand_before_any_result_and_one_generation_follows() {
    let round = Reply::saying("Looking.")
        .and_call("a", "probe", "{}")
        .and_call("b", "list_dir", r#"{"path":"."}"#)
        .and_call("c", "probe", "");
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("Seen."));
    let (world, runs) = probe::world(models);
    world.put("notes.txt", "x");
    let mut running = world.start().await;
    let dialog = running.talk("Look").await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[2..6], ["says: Looking.", "call a probe", "call b list_dir", "call c probe"]);
    let results = lines[6..9].iter().cloned().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(results.into_iter().collect::<Vec<_>>(), ["result a", "result b", "result c"]);
    assert_eq!(lines[9..], ["end 1", "start 2", "says: Seen.", "end 2"]);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    let seen = world.models.requests();
    assert!(result_of(&seen[1], "a").is_some_and(|text| text.starts_with("run")));
    assert!(result_of(&seen[1], "b").is_some_and(|text| text.contains("notes.txt")));
}

#[tokio::test(start_paused = true)]
async fn a06_a07_calls_that_cannot_work_become_results_the_model_reads() {
    for (name, arguments, expected) in [
        ("no_such_tool", "{}", "no tool `no_such_tool`"),
        ("list_dir", "{\"path\":", "was not run"),
        ("list_dir", "[1]", "was not run"),
        ("list_dir", r#"{"path":5}"#, "was not run"),
        ("list_dir", r#"{"path":".","colour":"red"}"#, "was not run"),
        ("read_file", r#"{"path":"nowhere.txt"}"#, "nowhere.txt"),
        ("tellaskBack", r#"{"tellaskContent":"?"}"#, "no tool `tellaskBack`"),
    ] {
        let models = Sequence::new()
            .reply("lead", Reply::call("c", name, arguments))
            .reply("lead", Reply::saying("I see."));
        let (world, _running, dialog) = World::talked(models, "Go").await;
        let seen = world.models.requests();
        assert_eq!(seen.len(), 2, "{name} {arguments}");
        let result = result_of(&seen[1], "c").unwrap_or_default();
        assert!(result.contains(expected), "{name} {arguments}: {result}");
        assert_eq!(world.state(&dialog), "idle_waiting_user");
    }
}

#[tokio::test(start_paused = true)]
async fn a11_a_call_id_used_before_is_made_unique() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "probe", "{}").and_call("c", "probe", "{}"))
        .reply("lead", Reply::call("c", "probe", "{}"))
        .reply("lead", Reply::saying("Enough."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let lines = record_lines(&world.view(), &dialog);
    for id in ["c", "c~2", "c~3"] {
        assert!(
            place(&lines, &format!("call {id} probe")) < place(&lines, &format!("result {id}"))
        );
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    let last = world.models.requests().pop().expect("a request");
    assert!(["c", "c~2", "c~3"].iter().all(|id| result_of(&last, id).is_some()));
}

#[tokio::test(start_paused = true)]
async fn clear_mind_opens_a_course_and_keeps_what_the_model_noted() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "clear_mind", r#"{"reminder_content":"go on at step 2"}"#))
        .reply("lead", Reply::saying("Step 2."));
    let (world, _running, dialog) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(
        lines[2..],
        ["call c clear_mind", "result c", "end 1", "start 2", "prompt", "says: Step 2.", "end 2"]
    );
    let after = world.dialog(&dialog);
    assert_eq!(after.latest.current_course.0, 2);
    assert_eq!(after.reminders.len(), 1);
    let shown = world.models.requests().pop().expect("a request").messages;
    assert!(
        shown.iter().any(|message| message.text().is_some_and(|t| t.contains("go on at step 2")))
    );
    assert!(!shown.iter().any(|message| message.text() == Some("Go")));
}
