//! Stopping, going on, and requests that fail.

use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::Bucket;
use dominds_tui::domain::dialogs::latest::{DisplayState, StopReason};
use dominds_tui::driver::{Audience, PickUp};
use dominds_tui::llm::{ErrorClass, LlmError, Message, Reply, Sequence};
use dominds_tui::protocol::event::{QuietOutcome, RetryView};
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::store::RealDisk;

use serde_json::json;

use super::disk::{DiskFailure, FailingDisk};
use super::tellasks::once;
use super::{made, place, probe, result_of};
use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

fn broken() -> LlmError {
    LlmError::quoted(ErrorClass::Server, "the provider is down").with_status(500)
}

fn refused() -> LlmError {
    LlmError::quoted(ErrorClass::Rejected, "no such model").with_status(400)
}

#[tokio::test(start_paused = true)]
async fn g05_a_stop_keeps_what_was_said_so_far_and_marks_it() {
    let partial = Reply::new().and_thinking("hm").and_saying("One, t").and_hang();
    let models = Sequence::new().reply("lead", partial).reply("lead", Reply::saying("Again."));
    let (world, mut running, dialog) = World::begun(models, "Count").await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[2..], ["thinks: hm", "says, cut: One, t", "end 1"]);
    assert_eq!(world.state(&dialog), "stopped");
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(record_lines(&world.view(), &dialog)[5..], ["start 2", "says: Again.", "end 2"]);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    let shown = &world.models.requests()[1].messages;
    let cut = |message: &Message| matches!(message, Message::Saying(text) if text.starts_with("One, t") && text.len() > 6);
    assert!(shown.iter().any(cut), "{shown:?}");
    assert!(running.resume(&dialog).await.is_err(), "there is nothing to continue");
}

#[tokio::test(start_paused = true)]
async fn words_let_a_stopped_dialog_go_on() {
    let models = Sequence::new()
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("All right."));
    let (world, mut running, dialog) = World::begun(models, "Count").await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    running.say(&dialog, "Rather not").await.expect("heard");
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[2..], ["end 1", "start 2", "person: Rather not", "says: All right.", "end 2"]);
}

#[tokio::test(start_paused = true)]
async fn g06_a_tool_that_is_stopped_has_an_unknown_outcome_and_is_not_run_again() {
    let round = Reply::call("a", "probe", "{}").and_call("b", "probe", r#"{"hang":true}"#);
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("I check."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&dialog), "stopped");
    running.resume(&dialog).await.expect("it goes on");
    running.quiet().await;
    let seen = world.models.requests();
    assert_eq!(result_of(&seen[1], "a"), Some("run 1"));
    assert!(result_of(&seen[1], "b").is_some_and(|text| text.contains("unknown")));
    assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn g08_g09_a_stop_concerns_one_dialog_and_stop_all_concerns_every_one() {
    let round = Reply::call("c1", "tellaskSessionless", &once("alice", "Look.")).and_call(
        "c2",
        "tellaskSessionless",
        &once("bob", "Look."),
    );
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", Reply::saying("a").and_hang())
        .reply("bob", Reply::saying("b").and_hang())
        .reply("bob", Reply::saying("bob saw").and_wait(Duration::from_secs(9)))
        .reply("alice", Reply::saying("alice saw").and_wait(Duration::from_secs(9)))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    let (alice, bob) = (made(&main, 2), made(&main, 3));
    running.idle().await;
    running.send(Command::Stop { dialog: alice.clone() }).await;
    running.idle().await;
    assert_eq!((world.state(&alice), world.state(&bob)), ("stopped", "proceeding"));
    running.send(Command::StopAll).await;
    running.quiet().await;
    assert_eq!((world.state(&alice), world.state(&bob)), ("stopped", "stopped"));
    assert_eq!(world.state(&main), "blocked");
    assert!(running.resume(&main).await.is_err(), "it waits for its side dialogs");
    running.ask(|ticket| Command::ContinueAll { ticket }).await.expect("something goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(world.state(&main), "idle_waiting_user");
    let nothing = running.ask(|ticket| Command::ContinueAll { ticket }).await;
    assert!(nothing.is_err());
}

#[tokio::test(start_paused = true)]
async fn steps_that_are_to_be_finished_end_whole_and_no_other_begins() {
    let round = Reply::call("a", "probe", "{}").and_wait(Duration::from_secs(9));
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("I check."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.ask(|ticket| Command::FinishSteps { ticket }).await.expect("it is heard");
    assert_eq!(world.state(&dialog), "proceeding", "nothing is cut off");
    running.quiet().await;
    assert_eq!((runs.load(std::sync::atomic::Ordering::SeqCst), world.models.remaining()), (1, 1));
    assert_eq!(world.state(&dialog), "stopped");
    running.say(&dialog, "More").await.expect("it is kept");
    running.shut_down().await;
    let mut running = world.start().await;
    let _ = running.resume(&dialog).await;
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(result_of(&world.models.requests()[1], "a"), Some("run 1"));
}

#[tokio::test(start_paused = true)]
async fn who_asks_back_does_not_hold_up_steps_that_are_to_be_finished() {
    let back = Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Which one?"}"#);
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", back)
        .reply("lead", Reply::saying("The first.").and_wait(Duration::from_secs(9)));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.ask(|ticket| Command::FinishSteps { ticket }).await.expect("it is heard");
    running.quiet().await;
    assert_ne!(world.state(&main), "proceeding");
    assert_eq!(world.state(&made(&main, 2)), "stopped");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn failed_attempts_leave_nothing_behind() {
    let half = Reply::new()
        .and_thinking("lost thought")
        .and_saying("lost words")
        .and_call("x", "list_dir", r#"{"path":"."}"#)
        .and_failure(broken());
    let models = Sequence::new()
        .reply("lead", Reply::failure(broken()))
        .reply("lead", half)
        .reply("lead", Reply::saying("Here."));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines, ["start 1", "person: Hi", "says: Here.", "end 1"]);
    let retries: Vec<&RetryView> = running
        .seen
        .iter()
        .filter_map(|event| match event {
            DriverEvent::Retry { retry, .. } => Some(retry),
            _ => None,
        })
        .collect();
    let waiting = RetryView::Waiting {
        error: broken().message().clone(),
        seconds: 30,
        server: "script".to_owned(),
    };
    let expected =
        [&waiting, &RetryView::Running, &waiting, &RetryView::Running, &RetryView::Resolved];
    assert_eq!(retries, expected);
    let seen = world.models.requests();
    assert_eq!(seen[0], seen[2]);
}

#[tokio::test(start_paused = true)]
async fn a_rejected_request_stops_the_dialog_until_a_person_continues() {
    let models = Sequence::new()
        .reply("lead", Reply::failure(refused()))
        .reply("lead", Reply::saying("Here."));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!(world.state(&dialog), "stopped");
    let reason = world.dialog(&dialog).latest.interruption().cloned().expect("a reason");
    assert!(reason.is_failure());
    assert_eq!(reason.message().to_string(), "no such model");
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(
        record_lines(&world.view(), &dialog)[2..],
        ["end 1", "start 2", "says: Here.", "end 2"]
    );
}

#[tokio::test(start_paused = true)]
async fn l07_a_shutdown_keeps_what_was_said_so_far() {
    let models = Sequence::new().reply("lead", Reply::saying("One, t").and_hang());
    let (world, running, dialog) = World::begun(models, "Count").await;
    running.shut_down().await;
    let lines = record_lines(&world.view(), &dialog);
    assert!(place(&lines, "says, cut: One, t") < place(&lines, "end 1"));
    assert_eq!(world.state(&dialog), "stopped");
}

#[tokio::test(start_paused = true)]
async fn a_screen_sees_text_grow_and_the_records_before_the_text_ends() {
    let reply = Reply::saying("One,").and_wait(Duration::from_secs(1)).and_saying(" two.");
    let models = Sequence::new().reply("lead", Reply::saying("Hello.")).reply("lead", reply);
    let mut world = World::new(models);
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    let open = Command::Open { ticket: 77, dialog: dialog.clone(), course: None };
    running.send(open).await;
    running.idle().await;
    running.seen.clear();
    running.say(&dialog, "Count").await.expect("heard");
    running.quiet().await;
    let mut live = String::new();
    let mut ended = 0;
    let mut recorded = false;
    for event in &running.seen {
        match event {
            DriverEvent::Live { text, .. } => live.push_str(text),
            DriverEvent::Fact(fact) => recorded |= fact.entry().line().contains("One, two."),
            DriverEvent::LiveEnd { .. } => {
                assert!(recorded, "the text ends when its record is there");
                ended += 1;
            }
            _ => {}
        }
    }
    assert_eq!((live.as_str(), ended), ("One, two.", 1));
}

/// Starts the driver of one command, which loads only the tree that is named.
fn named(world: &mut World, driving: bool) -> Running {
    world.setup.pick_up = PickUp::Named;
    world.setup.driving = driving;
    world.try_start().expect("a workspace to write to")
}

#[tokio::test(start_paused = true)]
async fn nothing_is_driven_for_a_command_before_it_is_accepted() {
    let question = json!({ "tellaskContent": "Which?" }).to_string();
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", &question))
        .reply("lead", Reply::saying("Thanks."));
    let (mut world, running, dialog) = World::talked(models, "Go").await;
    let asked = running.inbox().remove(0);
    running.shut_down().await;
    let mut running = named(&mut world, false);
    running.answer(&asked, "The first").await.expect("an answer");
    running.shut_down().await;
    let before = record_lines(&world.view(), &dialog);
    let mut running = named(&mut world, true);
    for _ in 0..2 {
        running.answer(&asked, "The second").await.expect_err("it has an answer");
        // Nor is it for one that ends work.
        running.send(Command::StopAll).await;
        running.idle().await;
    }
    running.shut_down().await;
    assert_eq!((record_lines(&world.view(), &dialog), world.models.remaining()), (before, 1));
    // The same driver lets it go on after a command that is accepted.
    let mut running = named(&mut world, true);
    running.answer(&asked, "The second").await.expect_err("it has an answer");
    running.say(&dialog, "Go on").await.expect("heard");
    running.quiet().await;
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_written_is_not_tried_again_for_a_command_that_is_refused() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hello."))
        .reply("lead", Reply::saying("All right."));
    let mut world = World::new(models);
    world.setup.disk = Arc::new(FailingDisk::new(DiskFailure::Before("\"genseq\":2")));
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    running.seen.clear();
    running.say(&dialog, "Go on").await.expect("heard");
    running.idle().await;
    let tells = |event: &DriverEvent| matches!(event, DriverEvent::Problems(_));
    assert!(running.seen.iter().any(tells), "its generation cannot be written");
    running.seen.clear();
    let (asking, question, text) = (dialog.clone(), "none".to_owned(), "blue".to_owned());
    let answer = |ticket| {
        let images = Vec::new();
        Command::Answer { ticket, dialog: asking, question, text, images }
    };
    running.ask(answer).await.expect_err("nothing is asked");
    running.idle().await;
    running.say(&dialog, "And on").await.expect_err("nothing can be written");
    running.resume(&dialog).await.expect_err("nothing can be written");
    running.idle().await;
    assert!(!running.seen.iter().any(tells), "it was tried again");
    running.kill().await;
    world.setup.disk = Arc::new(RealDisk);
    world.start().await.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn continuing_all_sees_what_a_killed_program_left() {
    let models = Sequence::new()
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("Done."));
    let (mut world, running, dialog) = World::begun(models, "Go").await;
    running.kill().await;
    let listed = world.view().survey(&[Bucket::Run]).trees.remove(0).dialogs.remove(0);
    assert_eq!(listed.state, DisplayState::stopped(StopReason::ServerRestart));
    let mut running = named(&mut world, true);
    let all = |ticket| Command::ContinueAll { ticket };
    running.ask(all).await.expect("one goes on");
    running.quiet().await;
    assert_eq!((world.models.remaining(), world.state(&dialog)), (0, "idle_waiting_user"));
    running.ask(all).await.expect_err("nothing is stopped any more");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_only_clears_its_mind_is_stopped_until_a_person_says_something() {
    let clears = || Reply::call("c", "clear_mind", "{}");
    let models = Sequence::new()
        .reply("lead", clears())
        .reply("lead", clears())
        .reply("lead", clears())
        .reply("lead", Reply::saying("A new course."))
        .reply("lead", Reply::saying("All right."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    assert_eq!((world.models.remaining(), world.state(&dialog)), (2, "stopped"));
    assert_eq!(world.dialog(&dialog).latest.marked(), Some(&StopReason::in_circles()));
    running.say(&dialog, "Do the first thing").await.expect("heard");
    running.quiet().await;
    assert_eq!((world.models.remaining(), world.state(&dialog)), (0, "idle_waiting_user"));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_person_says_beside_an_open_question_gets_a_full_round() {
    let question = json!({ "tellaskContent": "Which?" }).to_string();
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", &question))
        .reply("lead", Reply::call("l", "list_dir", r#"{"path":"."}"#))
        .reply("lead", Reply::saying("There is one file."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    running.say(&dialog, "What is there?").await.expect("heard");
    running.quiet().await;
    assert_eq!((world.models.remaining(), running.inbox().len()), (0, 1));
    assert_eq!(world.state(&dialog), "blocked");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_asked_in_that_round_holds_it() {
    let question = json!({ "tellaskContent": "Which?" }).to_string();
    let both = Reply::call("q", "askHuman", &question).and_call("l", "list_dir", "{}");
    let models =
        Sequence::new().reply("lead", both).reply("lead", Reply::saying("Both are known."));
    let (world, mut running, _) = World::talked(models, "Go").await;
    assert_eq!((world.models.remaining(), running.inbox().len()), (1, 1));
    let asked = running.inbox().remove(0);
    running.answer(&asked, "The first").await.expect("an answer");
    running.quiet().await;
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
}
