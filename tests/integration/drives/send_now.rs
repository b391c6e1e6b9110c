//! A person speaks at once: what runs in the dialog is stopped for their words, and it goes on with them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dominds_tui::domain::StopReason;
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent};
use dominds_tui::store::RealDisk;

use super::disk::{DiskFailure, FailingDisk};
use super::tellasks::{reply, session};
use super::{made, place, probe, prompts, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

fn ask_alice() -> Reply {
    Reply::call("c", "tellask", &session("alice", "plan", "Plan it."))
}

/// Two answers: one that never ends, and one to the words that cut it short.
fn cut_short(text: &str) -> Sequence {
    Sequence::new()
        .reply("lead", Reply::new().and_saying(text).and_hang())
        .reply("lead", Reply::saying("All right."))
}

#[tokio::test(start_paused = true)]
async fn words_sent_at_once_cut_an_answer_short_and_are_answered_without_continue() {
    let (world, mut running, dialog) = World::begun(cut_short("One, t"), "Count").await;
    running.say_now(&dialog, "Rather not").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    let expected = ["says, cut: One, t", "end 1", "start 2", "person: Rather not"];
    assert_eq!(lines[2..6], expected);
    assert_eq!(lines[6..], ["says: All right.", "end 2"]);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    let stopped = |event: &DriverEvent| matches!(event, DriverEvent::Row(row) if row.state.kind() == "stopped");
    assert!(!running.seen.iter().any(stopped), "nobody has to continue it");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_they_stop_has_an_unknown_outcome_and_is_not_run_again() {
    let round = Reply::call("a", "probe", "{}").and_call("b", "probe", r#"{"hang":true}"#);
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("I check."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.say_now(&dialog, "Is it done?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let seen = world.models.requests();
    assert_eq!(prompts(&seen[1]), ["Go", "Is it done?"]);
    assert_eq!(result_of(&seen[1], "a"), Some("run 1"));
    assert!(result_of(&seen[1], "b").is_some_and(|text| text.contains("unknown")));
    assert_eq!((runs.load(Ordering::SeqCst), world.state(&dialog)), (2, "idle_waiting_user"));
}

#[tokio::test(start_paused = true)]
async fn they_end_the_wait_for_the_next_attempt() {
    let down = LlmError::quoted(ErrorClass::Server, "the provider is down").with_status(500);
    let models =
        Sequence::new().reply("lead", Reply::failure(down)).reply("lead", Reply::saying("Here."));
    let (world, mut running, dialog) = World::begun(models, "Hi").await;
    running.say_now(&dialog, "Are you there?").await.expect("heard");
    running.idle().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[2..], ["end 1", "start 2", "person: Are you there?", "says: Here.", "end 2"]);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_does_nothing_hears_them_as_any_other_words() {
    let models =
        Sequence::new().reply("lead", Reply::saying("Hi.")).reply("lead", Reply::saying("Yes."));
    let (world, mut running, dialog) = World::talked(models, "Hello").await;
    running.say_now(&dialog, "And now?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[4..], ["start 2", "person: And now?", "says: Yes.", "end 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_dialog_and_one_that_is_stopping_go_on_with_them() {
    for has_ended in [true, false] {
        let (world, mut running, dialog) = World::begun(cut_short("One, t"), "Count").await;
        running.send(Command::Stop { dialog: dialog.clone() }).await;
        if has_ended {
            running.quiet().await;
        }
        running.say_now(&dialog, "Rather not").await.expect("heard");
        running.quiet().await;
        assert_eq!((world.models.remaining(), world.state(&dialog)), (0, "idle_waiting_user"));
        let lines = record_lines(&world.view(), &dialog);
        assert_eq!(lines[4..6], ["start 2", "person: Rather not"], "ended: {has_ended}");
    }
}

#[tokio::test(start_paused = true)]
async fn messages_that_wait_go_out_with_them_in_the_order_in_which_they_were_said() {
    let (world, mut running, dialog) = World::begun(cut_short("One, t"), "first").await;
    running.say(&dialog, "second").await.expect("heard");
    running.say_now(&dialog, "third").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[4..7], ["start 2", "person: second", "person: third"]);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_that_is_waited_for_goes_on() {
    let deliver = Reply::call("r", "replyTellask", &reply("the plan"));
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", deliver.and_wait(Duration::from_mins(1)))
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("I wait for alice."))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say_now(&main, "How far?").await.expect("heard");
    running.idle().await;
    running.say_now(&main, "Say it in one line").await.expect("heard");
    running.idle().await;
    assert_eq!((world.state(&main), world.state(&made(&main, 2))), ("blocked", "proceeding"));
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: I wait for alice.") < place(&lines, "answered c"), "{lines:#?}");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_open_stays_open() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#))
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("There is one file."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    running.say_now(&dialog, "What is there?").await.expect("heard");
    running.idle().await;
    running.say_now(&dialog, "Only count").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!((world.models.remaining(), running.inbox().len()), (0, 1));
    assert_eq!(world.state(&dialog), "blocked");
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_that_they_cut_short_answers_them_and_then_rests_with_what_it_owes() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::new().and_hang())
        .reply("alice", Reply::saying("Hello to you."))
        .reply("alice", Reply::call("r", "replyTellask", &reply("the plan")))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    running.say_now(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    assert!(world.dialog(&side).latest.interruption().is_some_and(StopReason::is_pause));
    running.resume(&side).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn words_that_are_refused_stop_nothing() {
    let models =
        Sequence::new().reply("lead", Reply::saying("Ten.").and_wait(Duration::from_mins(1)));
    let (world, mut running, dialog) = World::begun(models, "Count").await;
    running.say_now(&dialog, " ").await.expect_err("there is nothing to send");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(record_lines(&world.view(), &dialog)[2..], ["says: Ten.", "end 1"]);
}

#[tokio::test(start_paused = true)]
async fn they_are_not_lost_if_the_program_dies_before_what_they_cut_short_has_ended() {
    let mut world = World::new(cut_short("One, t"));
    world.setup.disk = Arc::new(FailingDisk::new(DiskFailure::Before("gen_finish_record")));
    let mut running = world.start().await;
    let dialog = running.begin("Count").await.expect("a dialog");
    running.idle().await;
    running.say_now(&dialog, "Rather not").await.expect("on disk");
    running.idle().await;
    running.kill().await;
    world.setup.disk = Arc::new(RealDisk);
    assert_eq!(world.dialog(&dialog).queue.len(), 1);
    let mut running = world.start().await;
    running.resume(&dialog).await.expect("it was cut off");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines.iter().filter(|line| *line == "person: Rather not").count(), 1, "{lines:#?}");
    assert_eq!((world.models.remaining(), world.dialog(&dialog).queue.len()), (0, 0));
    running.shut_down().await;
}
