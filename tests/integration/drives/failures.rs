//! Requests that fail: which are retried and when, what a person sees, and what is on disk.

use std::time::Duration;

use dominds_tui::domain::Problem;
use dominds_tui::domain::dialogs::latest::{Blocker, DisplayState};
use dominds_tui::driver::Audience;
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::event::{QuietOutcome, RetryView, Segment};
use dominds_tui::protocol::{Command, DriverEvent};
use tokio::time::Instant;

use super::support::open_problems;
use super::tellasks::once;
use super::{made, probe, question, result_of};
use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

const HALF_AN_HOUR: u64 = 30 * 60;

fn error(class: ErrorClass) -> LlmError {
    LlmError::quoted(class, "it failed")
}

fn fails(class: ErrorClass) -> Reply {
    Reply::failure(error(class))
}

fn retries(running: &Running) -> Vec<RetryView> {
    let retries = running.seen.iter().filter_map(|event| match event {
        DriverEvent::Retry { retry, .. } => Some(retry.clone()),
        _ => None,
    });
    retries.collect()
}

/// The seconds of each wait.
fn waits(running: &Running) -> Vec<u64> {
    let waits = retries(running).into_iter().filter_map(|retry| match retry {
        RetryView::Waiting { seconds, .. } => Some(seconds),
        RetryView::Running | RetryView::Resolved | RetryView::Stopped => None,
    });
    waits.collect()
}

fn problems(running: &Running) -> Vec<String> {
    open_problems(running).into_iter().map(|problem| problem.id).collect()
}

#[tokio::test(start_paused = true)]
async fn h01_a_rejected_request_is_a_problem_until_the_next_one_succeeds() {
    let models = Sequence::new()
        .reply("lead", fails(ErrorClass::Rejected))
        .reply("lead", Reply::saying("Here."))
        .reply("lead", fails(ErrorClass::Rejected));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    let id = format!("llm_provider_rejected_request/{dialog}");
    assert_eq!((retries(&running), problems(&running)), (Vec::new(), vec![id.clone()]));
    let named = |problem: &Problem| problem.text.to_string().contains("of @lead “Hi” was rejected");
    assert!(open_problems(&running).iter().all(named), "{:?}", open_problems(&running));
    assert_eq!((world.models.requests().len(), world.state(&dialog)), (1, "stopped"));
    let stops = running.seen.iter().filter(|event| {
        matches!(event, DriverEvent::Row(row) if matches!(&row.state,
            DisplayState::Stopped { reason, .. } if reason.message().to_string() == "it failed"))
    });
    assert_eq!(stops.count(), 1, "the failure is reported once");
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(problems(&running), Vec::<String>::new());
    let other = running.talk("Hello").await;
    assert_eq!(problems(&running), [format!("llm_provider_rejected_request/{other}")]);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_cannot_be_reached_is_a_problem_with_its_fix_while_it_is_retried() {
    let refused = LlmError::unreachable("http://127.0.0.1:9", "Connection refused");
    let models = Sequence::new()
        .reply("lead", Reply::failure(refused))
        .reply("lead", Reply::saying("Here."));
    let (_world, mut running, _) = World::begun(models, "Hi").await;
    assert_eq!(problems(&running), ["llm/unreachable/script"]);
    let errors = retries(&running).into_iter().filter_map(|retry| match retry {
        RetryView::Waiting { error, .. } => Some(error.to_string()),
        RetryView::Running | RetryView::Resolved | RetryView::Stopped => None,
    });
    let expected = ".minds/llm.yaml: provider `script`: cannot connect to http://127.0.0.1:9: \
                    Connection refused (start the server, or correct `baseUrl`; `dominds-tui \
                    doctor --providers` tries it)";
    assert_eq!(errors.collect::<Vec<_>>(), [expected]);
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(problems(&running), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn problems_of_two_trees_stand_side_by_side() {
    let models = (0..2).fold(Sequence::new(), |m, _| m.reply("lead", fails(ErrorClass::Rejected)));
    let world = World::new(models);
    let mut running = world.start().await;
    running.talk("One").await;
    running.talk("Two").await;
    assert_eq!(problems(&running).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn h02_a_model_that_had_too_much_is_asked_again_when_it_wants_and_ever_later() {
    let limited = || error(ErrorClass::RateLimited);
    let models = Sequence::new()
        .reply("lead", Reply::failure(limited().with_retry_after(Some(Duration::from_secs(2)))))
        .reply("lead", fails(ErrorClass::RateLimited))
        .reply("lead", fails(ErrorClass::RateLimited))
        .reply("lead", Reply::saying("Here."))
        .reply("lead", fails(ErrorClass::RateLimited))
        .reply("lead", Reply::saying("Again."));
    let world = World::new(models);
    let llm = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("models");
    let second = "    baseUrl: none\n    llm_retry_conservative_delay_ms: 1000\n";
    world.put(".minds/llm.yaml", &llm.replace("    baseUrl: none\n", second));
    let mut running = world.start().await;
    let began = Instant::now();
    let dialog = running.talk("Hi").await;
    assert_eq!(waits(&running), [2, 2, 4]);
    assert_eq!(began.elapsed().as_secs(), 8);
    let phases = retries(&running);
    assert_eq!(phases.last(), Some(&RetryView::Resolved));
    assert_eq!(phases.iter().filter(|phase| **phase == RetryView::Running).count(), 3);
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    assert_eq!(waits(&running)[3..], [4], "what was learned is remembered");
    assert_eq!(record_lines(&world.view(), &dialog).len(), 8);
}

#[tokio::test(start_paused = true)]
async fn h03_a_reset_in_the_middle_leaves_nothing_of_the_attempt() {
    let half = Reply::saying("lost").and_failure(error(ErrorClass::Transport));
    let models = Sequence::new().reply("lead", half).reply("lead", Reply::saying("Here."));
    let mut world = World::new(models.reply("lead", Reply::saying("x")));
    world.setup.audience = Audience::Screen;
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    running.send(Command::Open { ticket: 7, dialog: dialog.clone(), course: None }).await;
    running.quiet().await;
    assert_eq!(record_lines(&world.view(), &dialog)[2..], ["says: Here.", "end 1"]);
    assert_eq!(waits(&running), [1], "the network is tried soon");
    let mut live = String::new();
    for event in &running.seen {
        match event {
            DriverEvent::Live { segment: Segment::Saying, text, .. } => live.push_str(text),
            DriverEvent::LiveEnd { .. } => live.clear(),
            DriverEvent::Fact(fact) if fact.entry().line().contains("Here.") => {
                assert!(!live.contains("lost"), "the text of the failed attempt is still shown");
            }
            _ => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn h04_a_provider_that_stays_down_is_asked_forever_ever_slower_until_a_stop() {
    let models = (0..140).fold(Sequence::new(), |m, _| m.reply("lead", fails(ErrorClass::Server)));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    while waits(&running).len() < 130 {
        running.event().await;
    }
    assert_eq!(world.state(&dialog), "proceeding");
    let waited = waits(&running);
    assert_eq!((waited[0], waited[9], waited[10]), (30, 30, 45));
    assert!(waited.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(waited.last(), Some(&HALF_AN_HOUR));
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&dialog), "stopped");
}

#[tokio::test(start_paused = true)]
async fn h05_a_stream_without_its_end_is_tried_again_and_none_of_its_calls_is_run() {
    let cut =
        Reply::saying("I look.").and_call("c", "probe", "{}").and_failure(error(ErrorClass::Cut));
    let models = Sequence::new().reply("lead", cut).reply("lead", Reply::saying("Here."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(record_lines(&world.view(), &dialog)[2..], ["says: Here.", "end 1"]);
    assert_eq!(waits(&running), [1]);
}

#[tokio::test(start_paused = true)]
async fn h06_a_call_that_the_output_limit_cut_is_not_run_and_the_model_is_told() {
    let cut = Reply::call("c", "probe", r#"{"hang": tr"#);
    let models = Sequence::new().reply("lead", cut).reply("lead", Reply::saying("I see."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 0);
    let seen = world.models.requests();
    let result = result_of(&seen[1], "c").expect("a result");
    assert!(result.contains("JSON"), "{result}");
    let call = record_lines(&world.view(), &dialog);
    assert!(call.contains(&"call c probe".to_owned()), "what the model wrote is kept");
}

#[tokio::test(start_paused = true)]
async fn h10_an_empty_answer_is_asked_for_again_twice() {
    let models = Sequence::new()
        .reply("lead", fails(ErrorClass::Empty))
        .reply("lead", Reply::new().and_saying(" \n"))
        .reply("lead", Reply::saying("Here."));
    let (world, running, dialog) = World::talked(models, "Hi").await;
    assert_eq!(waits(&running), [3, 3]);
    assert_eq!(record_lines(&world.view(), &dialog)[2..], ["says: Here.", "end 1"]);
}

/// Lets every member be pushed twice at most.
fn pushed_twice(world: &World) {
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(".minds/team.yaml", &team.replace("push-max: 0", "push-max: 2"));
}

#[tokio::test(start_paused = true)]
async fn h10_a_main_dialog_with_budget_is_pushed_once_after_two_retries() {
    let models = empty_answers(Sequence::new(), 3)
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#));
    let world = World::new(models);
    pushed_twice(&world);
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    assert_eq!(waits(&running), [3, 3]);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[..5], ["start 1", "person: Hi", "end 1", "start 2", "prompt"]);
    assert_eq!((world.models.remaining(), problems(&running)), (0, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn h10_a_side_dialog_is_not_pushed_but_stops_with_the_reason() {
    let empty = |models: Sequence| models.reply("alice", Reply::new().and_saying(" "));
    let ask = Reply::call("c", "tellaskSessionless", &once("alice", "Look."));
    let models = (0..3).fold(Sequence::new().reply("lead", ask), |models, _| empty(models));
    let world = World::new(models);
    pushed_twice(&world);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    let side = made(&main, 2);
    let reason = world.dialog(&side).latest.interruption().expect("a reason").message().to_string();
    assert!(reason.contains("empty answer"), "{reason}");
    let states = (world.state(&main), world.state(&side), world.models.remaining());
    assert_eq!((states, waits(&running)), (("blocked", "stopped", 0), vec![3, 3]));
}

/// Writes settings of the provider into the models of a world.
fn set(world: &World, settings: &str) {
    let llm = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("models");
    let with = format!("    baseUrl: none\n{settings}");
    world.put(".minds/llm.yaml", &llm.replace("    baseUrl: none\n", &with));
}

/// A world whose provider is known for many empty answers, and whose lead is pushed twice at most.
fn quirky(models: Sequence) -> World {
    let world = World::new(models);
    set(&world, "    apiQuirks: xcode.best\n");
    pushed_twice(&world);
    world
}

fn empty_answers(models: Sequence, number: usize) -> Sequence {
    (0..number).fold(models, |models, _| models.reply("lead", fails(ErrorClass::Empty)))
}

#[tokio::test(start_paused = true)]
async fn h10_with_the_quirk_empty_answers_are_tried_four_times_soon_and_then_pushed_once() {
    let models = empty_answers(Sequence::new(), 5)
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#));
    let world = quirky(models);
    let mut running = world.start().await;
    let dialog = running.talk("Hi").await;
    assert_eq!(waits(&running), [3, 3, 3, 3]);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[..5], ["start 1", "person: Hi", "end 1", "start 2", "prompt"]);
    let last = world.models.requests().pop().expect("a request");
    let words = last.messages.iter().filter_map(|message| message.text());
    assert!(words.collect::<String>().contains("Hi"), "the words are still there");
    assert_eq!((world.models.remaining(), problems(&running)), (0, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn h10_a_push_that_brings_nothing_is_the_last_and_is_counted() {
    let world = quirky(empty_answers(Sequence::new(), 6));
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    let latest = world.dialog(&dialog).latest;
    assert_eq!(latest.diligence_push_remaining_budget, Some(1));
    let marker = serde_json::to_value(&latest.execution_marker).expect("a marker");
    let reason = &marker["reason"];
    assert_eq!(
        (reason["kind"].as_str(), &reason["recoveryAction"]["kind"]),
        (Some("llm_retry_stopped"), &serde_json::json!("none"),)
    );
    assert_eq!(waits(&running), [3, 3, 3, 3]);
    world.models.push("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#));
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
}

#[tokio::test(start_paused = true)]
async fn h10_without_pushes_a_main_dialog_stops_with_the_reason() {
    let world = World::new(empty_answers(Sequence::new(), 3));
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!((waits(&running), world.state(&dialog)), (vec![3, 3], "stopped"));
}

#[tokio::test(start_paused = true)]
async fn a_provider_is_asked_no_more_at_once_than_it_takes() {
    for (settings, seconds) in [("", 9), ("    max_concurrent: 1\n", 18)] {
        let both = Reply::call("a", "tellaskSessionless", &once("alice", "Look.")).and_call(
            "b",
            "tellaskSessionless",
            &once("bob", "Look."),
        );
        let slow = || Reply::saying("Seen.").and_wait(Duration::from_secs(9));
        let models = Sequence::new()
            .reply("lead", both)
            .reply("alice", slow())
            .reply("bob", slow())
            .reply("lead", Reply::saying("Good."));
        let world = World::new(models);
        set(&world, settings);
        let mut running = world.start().await;
        let began = Instant::now();
        running.talk("Go").await;
        assert_eq!((began.elapsed().as_secs(), world.models.remaining()), (seconds, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn g07_a_stop_ends_the_wait_for_the_next_attempt_and_the_screen_hears_of_it() {
    let models = Sequence::new()
        .reply("lead", fails(ErrorClass::Server))
        .reply("lead", Reply::saying("Here."));
    let (world, mut running, dialog) = World::begun(models, "Hi").await;
    let began = Instant::now();
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert!(began.elapsed() < Duration::from_secs(1));
    assert_eq!((world.models.requests().len(), world.state(&dialog)), (1, "stopped"));
    assert_eq!(retries(&running).last(), Some(&RetryView::Stopped));
    running.resume(&dialog).await.expect("it goes on");
    running.quiet().await;
    assert_eq!(
        record_lines(&world.view(), &dialog)[2..],
        ["end 1", "start 2", "says: Here.", "end 2"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_person_who_does_not_want_to_wait_has_the_next_attempt_at_once() {
    let models = Sequence::new()
        .reply("lead", fails(ErrorClass::Server))
        .reply("lead", fails(ErrorClass::Server))
        .reply("lead", Reply::saying("Here."));
    let (world, mut running, dialog) = World::begun(models, "Hi").await;
    let began = Instant::now();
    running.send(Command::RetryNow { dialog: dialog.clone() }).await;
    running.idle().await;
    assert_eq!(world.models.requests().len(), 2);
    assert!(began.elapsed() < Duration::from_secs(1));
    running.quiet().await;
    assert_eq!(began.elapsed().as_secs(), 30, "it hurries one wait, not the next");
    running.send(Command::RetryNow { dialog }).await;
    running.idle().await;
    assert_eq!(world.models.requests().len(), 3, "there is nothing to hurry any more");
}

#[tokio::test(start_paused = true)]
async fn l04_the_state_is_sent_again_when_a_reply_comes_while_a_question_is_open() {
    let round = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#).and_call(
        "c",
        "tellaskSessionless",
        &once("alice", "Look."),
    );
    let slow = Reply::saying("Seen.").and_wait(Duration::from_secs(9));
    let models = Sequence::new().reply("lead", round).reply("alice", slow);
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    let state = |running: &Running| {
        let row = running.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Row(row) if row.dialog == main => Some(row.state.clone()),
            _ => None,
        });
        row.expect("a row")
    };
    running.idle().await;
    let both = DisplayState::Blocked { reason: Blocker::HumanAndSideDialogs };
    assert_eq!(state(&running), both);
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    let human = DisplayState::Blocked { reason: Blocker::Human };
    assert_eq!((state(&running), question(&running).dialog), (human.clone(), main.clone()));
    assert_eq!(world.dialog(&main).latest.display_state, Some(human));
    assert_eq!(world.state(&made(&main, 2)), "idle_waiting_user");
}
