//! Edits over rounds: prepared in one, applied in a later one.

use dominds_tui::domain::DialogId;
use dominds_tui::llm::{Reply, Sequence};
use serde_json::json;

use super::result_of;
use crate::common::World;

fn prepare(content: &str) -> String {
    json!({"path": "notes.txt", "range": "2", "content": content}).to_string()
}

fn apply(id: &str) -> String {
    json!({"hunk_id": id}).to_string()
}

/// Runs a script over a file of three lines; gives the results of the calls `p` and `a`.
async fn run(models: Sequence) -> (World, DialogId, String, String) {
    let world = World::new(models);
    world.put("notes.txt", "1\n2\n3\n");
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    let last = world.models.requests().pop().expect("a request");
    let result = |call| result_of(&last, call).unwrap_or_default().to_owned();
    let (prepared, applied) = (result("p"), result("a"));
    (world, dialog, prepared, applied)
}

fn text(world: &World) -> String {
    std::fs::read_to_string(world.path().join("notes.txt")).expect("the file")
}

fn id(prepared: &str) -> &str {
    let line = prepared.lines().find_map(|line| line.strip_prefix("hunk_id: "));
    line.expect("an id").trim_matches('\'')
}

#[tokio::test(start_paused = true)]
async fn c03_an_edit_prepared_in_one_round_is_applied_in_the_next() {
    let script = |id: &str| {
        Sequence::new()
            .reply("lead", Reply::call("p", "prepare_file_range_edit", &prepare("two")))
            .reply("lead", Reply::call("a", "apply_file_modification", &apply(id)))
            .reply("lead", Reply::saying("Done."))
    };
    let (_, _, prepared, refused) = run(script("unknown")).await;
    assert!(refused.contains("HUNK_NOT_FOUND"), "{refused}");
    // Ids are counted here, so the second run of the script draws the same.
    let (world, dialog, _, applied) = run(script(id(&prepared))).await;
    assert!(applied.contains("match: exact"), "{applied}");
    assert_eq!(text(&world), "1\ntwo\n3\n");
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    let diff = r#""diff":"@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n""#;
    let course = world.path().join(".dialogs/run").join(dialog.root.as_str());
    let course = std::fs::read_to_string(course.join("course-001.jsonl")).expect("its records");
    assert_eq!(course.matches(diff).count(), 1, "{course}");
}

#[tokio::test(start_paused = true)]
async fn c04_an_edit_is_not_applied_in_the_round_that_prepares_it() {
    let script = |id: &str| {
        let round = Reply::call("p", "prepare_file_range_edit", &prepare("two")).and_call(
            "a",
            "apply_file_modification",
            &apply(id),
        );
        Sequence::new().reply("lead", round).reply("lead", Reply::saying("I see."))
    };
    let (_, _, prepared, _) = run(script("unknown")).await;
    // Even with the id that will be drawn: that belongs to the other call of the round.
    let (world, _, again, applied) = run(script(id(&prepared))).await;
    assert_eq!(id(&again), id(&prepared));
    assert!(applied.contains("HUNK_NOT_FOUND"), "{applied}");
    assert_eq!(text(&world), "1\n2\n3\n");
}
