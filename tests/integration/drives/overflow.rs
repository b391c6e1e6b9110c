//! A provider that refuses a request because the context is too long.

use dominds_tui::domain::{DialogId, StopReason};
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::DriverEvent;
use dominds_tui::protocol::event::QuietOutcome;

use super::tellasks::{once, session};
use super::{made, place, probe, prompts, replies};
use crate::common::World;
use crate::common::record_lines::record_lines;

fn too_long() -> Reply {
    Reply::failure(LlmError::quoted(ErrorClass::ContextOverflow, "the prompt is too long"))
}

fn call(n: usize) -> Reply {
    Reply::call(&format!("t{n}"), "probe", "{}")
}

fn world(models: Sequence) -> World {
    let mut world = World::new(models);
    world.setup.tools = probe::registry().0;
    world
}

fn course(world: &World, dialog: &DialogId) -> u32 {
    world.dialog(dialog).latest.current_course.0
}

#[tokio::test(start_paused = true)]
async fn i09_a_context_that_the_provider_refuses_begins_a_new_course_with_the_results_not_seen() {
    let models = Sequence::new()
        .reply("lead", call(1))
        .reply("lead", too_long())
        .reply("lead", Reply::saying("Fresh."));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!((course(&world, &dialog), world.models.remaining()), (2, 0));
    let anew = prompts(&world.models.requests()[2]).join("\n");
    assert!(anew.contains("context had become too long") && anew.contains("> run 1"), "{anew}");
    assert!(!anew.contains("> Go"), "what was answered is not said again: {anew}");
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[place(&lines, "end 2") + 1..], ["start 3", "prompt", "says: Fresh.", "end 3"]);
    let noticed = running.seen.iter().any(
        |event| matches!(event, DriverEvent::Notice(text) if text.to_string().starts_with("a new course begins: ")),
    );
    let problems = running
        .seen
        .iter()
        .any(|event| matches!(event, DriverEvent::Problems(problems) if !problems.is_empty()));
    assert_eq!((noticed, problems), (true, false));
}

#[tokio::test(start_paused = true)]
async fn i05_words_of_a_person_survive_a_context_that_is_refused() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hello."))
        .reply("lead", too_long())
        .reply("lead", Reply::saying("Heard."));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Go").await;
    running.say(&dialog, "Important").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    assert!(place(&lines, "person: Important") < place(&lines, "says: Heard."));
    assert!(prompts(&world.models.requests()[2]).join("\n").contains("> Important"));
    assert_eq!(world.state(&dialog), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn i05_a_reply_that_was_not_read_survives_a_context_that_is_refused() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying("It is in the cellar."))
        .reply("lead", too_long())
        .reply("lead", Reply::saying("Good."));
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let last = world.models.requests().pop().expect("a request");
    assert!(prompts(&last).join("\n").contains("It is in the cellar."), "{:?}", replies(&last));
    assert_eq!((course(&world, &dialog), world.models.remaining()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn i06_a_side_dialog_whose_context_is_refused_begins_anew_with_its_assignment() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "one", "Find the bug.")))
        .reply("alice", call(1))
        .reply("alice", too_long())
        .reply("alice", Reply::saying("Found."))
        .reply("lead", Reply::saying("Good."));
    let world = world(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!((course(&world, &made(&main, 2)), world.models.remaining()), (2, 0));
    assert!(prompts(&world.models.requests()[3]).join("\n").contains("> Find the bug."));
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("Found."), "the reply reaches the asker");
}

#[tokio::test(start_paused = true)]
async fn h01_a_context_that_no_new_course_makes_smaller_stops_the_dialog_with_the_reason() {
    let world = world(Sequence::new().reply("lead", too_long()));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!((course(&world, &dialog), world.state(&dialog)), (1, "stopped"));
    let reason = world.dialog(&dialog).latest.interruption().map(StopReason::message);
    let reason = reason.expect("a reason").to_string();
    assert!(reason.starts_with("the prompt is too long; a new course would not help"), "{reason}");
    let problems = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Problems(problems) => Some(problems.len()),
        _ => None,
    });
    assert_eq!(problems, Some(1));
}

#[tokio::test(start_paused = true)]
async fn i09_courses_that_fill_up_at_once_end_with_a_stop_even_over_a_restart() {
    let models = Sequence::new().reply("lead", call(1)).reply("lead", too_long());
    let world = world(models.reply("lead", Reply::new().and_hang()));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    assert_eq!((course(&world, &dialog), world.models.remaining()), (2, 0));
    running.shut_down().await;
    world.models.push("lead", call(2));
    world.models.push("lead", too_long());
    let mut running = world.start().await;
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!((course(&world, &dialog), world.models.remaining()), (2, 0));
    let reason = world.dialog(&dialog).latest.interruption().map(StopReason::message);
    let reason = reason.expect("a reason").to_string();
    assert!(reason.contains("What fills it, about: ") && reason.contains("Taskdoc"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn i09_new_words_of_a_person_allow_one_more_course() {
    let models = Sequence::new()
        .reply("lead", call(1))
        .reply("lead", too_long())
        .reply("lead", call(2))
        .reply("lead", too_long());
    let world = world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!((course(&world, &dialog), world.models.remaining()), (2, 0));
    for reply in [too_long(), Reply::saying("Fresh.")] {
        world.models.push("lead", reply);
    }
    running.say(&dialog, "Only the first page").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!((course(&world, &dialog), world.models.remaining()), (3, 0));
    let last = world.models.requests().pop().expect("a request");
    assert!(prompts(&last).join("\n").contains("> Only the first page"));
}
