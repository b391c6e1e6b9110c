//! The files of a process that drives nothing: our program goes on with them, and Dominds can.

use std::io::Write as _;

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{DialogId, StopReason};
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, Lifecycle};

use super::tellasks::{once, reply};
use super::{made, place, question};
use crate::common::record_lines::{entries, record_lines};
use crate::common::{Running, World};

fn ask(id: &str, whom: &str) -> Reply {
    Reply::call(id, "tellaskSessionless", &once(whom, "Look."))
}

fn ask_human() -> Reply {
    Reply::call("q", "askHuman", r#"{"tellaskContent":"Where?"}"#)
}

fn rejected() -> Reply {
    Reply::failure(LlmError::quoted(ErrorClass::Rejected, "no"))
}

/// The dialog is stopped for Dominds and for people, and its resume is requested.
fn assert_resume_requested(world: &World, dialog: &DialogId) {
    let latest = world.dialog(dialog).latest;
    assert_eq!(latest.marked(), Some(&StopReason::ServerRestart), "{dialog}");
    assert_eq!((latest.needs_drive, world.state(dialog)), (Some(true), "stopped"), "{dialog}");
}

/// Drives what can be driven, then starts a process that drives nothing.
async fn at_rest(models: Sequence) -> (World, DialogId, Running) {
    let (mut world, running, main) = World::talked(models, "Go").await;
    running.shut_down().await;
    world.setup.driving = false;
    let running = world.start().await;
    (world, main, running)
}

/// Drives every dialog whose resume is requested, to the end of the script.
async fn drive_to_the_end(world: &mut World) {
    world.setup.driving = true;
    let running = world.start().await;
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
}

/// A side dialog whose first request is rejected, and what follows once it is continued.
fn stopped_alice() -> Sequence {
    Sequence::new()
        .reply("lead", ask("c", "alice"))
        .reply("alice", rejected())
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."))
}

async fn withdraw(running: &mut Running, dialog: &DialogId) -> Result<(), String> {
    let dialog = dialog.clone();
    running.ask(|ticket| Command::Withdraw { ticket, dialog }).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_that_is_continued_and_not_driven_is_stopped_for_dominds_and_goes_on_here() {
    let (mut world, main, mut running) = at_rest(stopped_alice()).await;
    let side = made(&main, 2);
    running.resume(&side).await.expect("it was stopped");
    running.resume(&side).await.expect("said twice is said");
    assert_resume_requested(&world, &side);
    running.shut_down().await;
    world.start().await.shut_down().await;
    assert_resume_requested(&world, &side);
    assert_eq!(world.state(&main), "blocked");
    drive_to_the_end(&mut world).await;
    let latest = world.dialog(&side).latest;
    assert_eq!((latest.marked(), latest.needs_drive), (None, Some(false)));
    assert_eq!(world.state(&side), "idle_waiting_user");
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn a_main_dialog_that_is_continued_and_not_driven_is_told_to_go_on() {
    let models =
        Sequence::new().reply("lead", rejected()).reply("lead", Reply::saying("Here I am."));
    let (mut world, main, mut running) = at_rest(models).await;
    running.resume(&main).await.expect("it was stopped");
    assert_resume_requested(&world, &main);
    running.shut_down().await;
    drive_to_the_end(&mut world).await;
    place(&record_lines(&world.view(), &main), "says: Here I am.");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_driven_tells_the_dialog_to_go_on() {
    let in_side = Sequence::new()
        .reply("lead", ask("c", "alice"))
        .reply("alice", ask_human())
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let in_main = Sequence::new().reply("lead", ask_human()).reply("lead", Reply::saying("Good."));
    for models in [in_side, in_main] {
        let (mut world, main, mut running) = at_rest(models).await;
        let row = question(&running);
        running.answer(&row, "Here").await.expect("an answer");
        assert_resume_requested(&world, &row.dialog);
        running.shut_down().await;
        drive_to_the_end(&mut world).await;
        place(&record_lines(&world.view(), &main), "says: Good.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_whose_side_dialog_died_is_told_to_go_on() {
    let models = Sequence::new()
        .reply("lead", ask("c", "alice"))
        .reply("alice", ask("d", "bob"))
        .reply("bob", ask_human())
        .reply("alice", Reply::saying("It died."))
        .reply("lead", Reply::saying("Good."));
    let (mut world, main, mut running) = at_rest(models).await;
    let (alice, bob) = (made(&main, 2), made(&main, 3));
    let change = Lifecycle::DeclareDead { dialog: bob.clone(), note: None };
    running.change(change).await.expect("it may die");
    assert_resume_requested(&world, &alice);
    assert_eq!((world.state(&main), world.state(&bob)), ("blocked", "dead"));
    running.shut_down().await;
    drive_to_the_end(&mut world).await;
    place(&record_lines(&world.view(), &main), "says: Good.");
}

#[tokio::test(start_paused = true)]
async fn what_was_told_to_go_on_and_is_stopped_by_a_person_waits_for_them() {
    let (mut world, main, mut running) = at_rest(stopped_alice()).await;
    let side = made(&main, 2);
    assert!(withdraw(&mut running, &side).await.is_err(), "nobody asked for its resume");
    running.resume(&side).await.expect("it was stopped");
    withdraw(&mut running, &side).await.expect("it rests");
    let latest = world.dialog(&side).latest;
    assert_eq!(latest.interruption(), Some(&StopReason::UserStop));
    assert_eq!(latest.needs_drive, Some(false));
    running.shut_down().await;
    world.setup.driving = true;
    let mut running = world.start().await;
    assert_eq!(world.models.remaining(), 2, "it waits");
    running.resume(&side).await.expect("it was stopped");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_is_not_told_to_go_on() {
    let models = Sequence::new()
        .reply("lead", ask("c", "alice"))
        .reply("alice", ask_human())
        .reply("alice", Reply::saying("Hello."));
    let (mut world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    running.shut_down().await;
    world.setup.driving = false;
    let mut running = world.start().await;
    running.resume(&side).await.expect("a parked task");
    let latest = world.dialog(&side).latest;
    assert_eq!((latest.marked(), world.state(&side)), (None, "blocked"));
}

#[tokio::test(start_paused = true)]
async fn who_was_told_to_go_on_and_was_interrupted_in_a_tool_by_another_program_waits() {
    let models = Sequence::new().reply("lead", rejected()).reply("lead", Reply::saying("Hi."));
    let (mut world, main, mut running) = at_rest(models).await;
    running.resume(&main).await.expect("it was stopped");
    running.shut_down().await;
    let course = world.path().join(".dialogs/run").join(main.root.as_str());
    let mut course = std::fs::File::options()
        .append(true)
        .open(course.join("course-001.jsonl"))
        .expect("a course");
    for record in [
        r#"{"ts":"2026-11-21 12:00:00","type":"gen_start_record","genseq":2}"#,
        r#"{"ts":"2026-11-21 12:00:00","type":"func_call_record","genseq":2,"id":"t","name":"list_dir","rawArgumentsText":"{}"}"#,
    ] {
        writeln!(course, "{record}").expect("written");
    }
    world.setup.driving = true;
    let running = world.start().await;
    assert_eq!(world.models.remaining(), 1, "nothing is asked");
    let latest = world.dialog(&main).latest;
    assert_eq!(latest.interruption(), Some(&StopReason::ServerRestart));
    assert_eq!(latest.needs_drive, Some(false));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_question_of_a_paused_side_dialog_adds_no_prompt_to_it() {
    let models = Sequence::new()
        .reply("lead", ask("c", "alice"))
        .reply("alice", ask_human())
        .reply("alice", Reply::saying("Hello."))
        .reply("alice", Reply::call("r", "replyTellaskSessionless", &reply("the plan")))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    let row = question(&running);
    let before = record_lines(&world.view(), &side);
    running.answer(&row, "Here").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &side);
    let added = &lines[before.len()..];
    assert_eq!(added[..2], ["answered q", "start 3"], "{added:?}");
    assert!(!added.iter().any(|line| line == "prompt" || line == "guide"), "{added:?}");
    assert_eq!(world.dialog(&side).latest.parked(), None);
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn a_guide_in_a_side_dialog_says_where_the_main_dialog_stood() {
    let models = Sequence::new()
        .reply("lead", ask("c", "alice"))
        .reply("alice", rejected())
        .reply("alice", Reply::saying("Hello."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    let all = entries(&world.view(), &side);
    assert!(all.iter().any(|entry| matches!(entry.record, Record::RuntimeGuide { .. })));
    assert!(all.iter().all(|entry| entry.root.is_some()), "{all:?}");
}
