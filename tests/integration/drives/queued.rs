//! Messages that wait for their generation: seen, taken back, taken, each on its own.

use std::time::Duration;

use dominds_tui::domain::{Course, DialogId, Genseq};
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::event::{QueuedMessage, QuietOutcome};
use dominds_tui::protocol::{AfterFork, Command, DriverEvent, ForkMode, Lifecycle};

use super::made;
use super::tellasks::{reply, session};
use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

fn slow(text: &str) -> Reply {
    Reply::saying(text).and_wait(Duration::from_mins(1))
}

/// The messages that wait, by the last report of the dialog's row.
fn queued(running: &Running, dialog: &DialogId) -> Vec<QueuedMessage> {
    let waiting = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Row(row) if row.dialog == *dialog => Some(row.queued.to_vec()),
        DriverEvent::Rows(rows) => {
            rows.iter().find(|row| row.dialog == *dialog).map(|row| row.queued.to_vec())
        }
        _ => None,
    });
    waiting.unwrap_or_default()
}

fn texts(queued: &[QueuedMessage]) -> Vec<&str> {
    queued.iter().map(|words| &*words.text).collect()
}

async fn take_back(running: &mut Running, dialog: &DialogId, at: usize) -> Result<(), String> {
    let message = queued(running, dialog)[at].message.clone();
    let dialog = dialog.clone();
    running.ask(|ticket| Command::TakeBack { ticket, dialog, message }).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn messages_that_wait_are_never_merged_and_go_out_in_one_generation_as_two() {
    let models = Sequence::new().reply("lead", slow("one")).reply("lead", Reply::saying("two"));
    let (world, mut running, dialog) = World::begun(models, "first").await;
    running.say(&dialog, "second").await.expect("heard");
    running.say(&dialog, "third").await.expect("heard");
    assert_eq!(texts(&queued(&running, &dialog)), ["second", "third"]);
    running.quiet().await;
    assert_eq!(queued(&running, &dialog), []);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[4..], ["start 2", "person: second", "person: third", "says: two", "end 2"]);
    let requests = world.models.requests();
    let said = requests[1].messages.iter().filter_map(|message| match message {
        Message::Prompt(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>(), ["first", "second", "third"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_can_be_taken_back_until_a_generation_takes_it_and_then_it_says_so() {
    let models = Sequence::new().reply("lead", slow("one")).reply("lead", slow("two"));
    let (world, mut running, dialog) = World::begun(models, "first").await;
    for text in ["second", "third", "fourth"] {
        running.say(&dialog, text).await.expect("heard");
    }
    let waiting = queued(&running, &dialog);
    take_back(&mut running, &dialog, 1).await.expect("it still waits");
    assert_eq!(texts(&queued(&running, &dialog)), ["second", "fourth"]);
    let again = waiting[1].message.clone();
    let of = dialog.clone();
    let command = |ticket| Command::TakeBack { ticket, dialog: of, message: again };
    assert!(running.ask(command).await.is_err(), "it is the person's already");
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[5..7], ["person: second", "person: fourth"]);
    let (of, taken) = (dialog.clone(), waiting[0].message.clone());
    let late = running.ask(|ticket| Command::TakeBack { ticket, dialog: of, message: taken }).await;
    assert!(late.expect_err("too late").contains("taken already"));
}

#[tokio::test(start_paused = true)]
async fn a_dialog_whose_only_message_was_taken_back_rests() {
    let (world, mut running, dialog) =
        World::begun(Sequence::new().reply("lead", slow("one")), "first").await;
    running.say(&dialog, "second").await.expect("heard");
    take_back(&mut running, &dialog, 0).await.expect("it still waits");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    assert_eq!(record_lines(&world.view(), &dialog).last().map(String::as_str), Some("end 1"));
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_told_again_after_a_stop_and_a_restart_and_can_still_be_taken_back() {
    let models = Sequence::new()
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("On I go."));
    let (world, mut running, dialog) = World::begun(models, "first").await;
    running.say(&dialog, "second").await.expect("heard");
    running.say(&dialog, "third").await.expect("heard");
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.quiet().await;
    assert_eq!(texts(&queued(&running, &dialog)), ["second", "third"]);
    running.shut_down().await;
    let mut running = world.start().await;
    assert_eq!(texts(&queued(&running, &dialog)), ["second", "third"]);
    take_back(&mut running, &dialog, 0).await.expect("it still waits");
    assert_eq!(world.state(&dialog), "stopped");
    running.resume(&dialog).await.expect("goes on");
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[3..], ["start 2", "person: third", "says: On I go.", "end 2"]);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn words_for_a_side_dialog_wait_and_are_taken_back_like_those_for_a_main_dialog() {
    let ask = Reply::call("c", "tellask", &session("alice", "plan", "Plan it."));
    let deliver = Reply::call("r", "replyTellask", &reply("the plan"));
    let models = Sequence::new()
        .reply("lead", ask)
        .reply("alice", deliver.and_wait(Duration::from_mins(1)))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "Make it short.").await.expect("heard");
    assert_eq!(texts(&queued(&running, &side)), ["Make it short."]);
    assert_eq!(queued(&running, &main), []);
    take_back(&mut running, &side, 0).await.expect("it still waits");
    running.quiet().await;
    let lines = record_lines(&world.view(), &side);
    assert!(!lines.iter().any(|line| line.contains("Make it short")), "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_fork_before_two_messages_has_both_at_hand() {
    let models = Sequence::new().reply("lead", slow("one")).reply("lead", Reply::saying("two"));
    let (_world, mut running, dialog) = World::begun(models, "first").await;
    running.say(&dialog, "second").await.expect("heard");
    running.say(&dialog, "third").await.expect("heard");
    running.quiet().await;
    let change = Lifecycle::Fork {
        root: dialog.root.clone(),
        course: Course::FIRST,
        genseq: Genseq(2),
        then: ForkMode::Continue,
    };
    running.ask(|ticket| Command::Lifecycle { ticket, change }).await.expect("a fork");
    let drafted = running.seen.iter().find_map(|event| match event {
        DriverEvent::Forked { next: AfterFork::DraftUserText { text, .. }, .. } => {
            Some(text.as_str())
        }
        _ => None,
    });
    assert_eq!(drafted, Some("second\n\nthird"));
}

#[tokio::test(start_paused = true)]
async fn a_queue_takes_only_so_many_messages_and_refuses_the_rest_with_a_reason() {
    let (world, mut running, dialog) =
        World::begun(Sequence::new().reply("lead", Reply::new().and_hang()), "first").await;
    for n in 0..100 {
        running.say(&dialog, &format!("message {n}")).await.expect("heard");
    }
    let refused = running.say(&dialog, "one more").await.expect_err("too many");
    assert!(refused.contains("too many messages wait"), "{refused}");
    assert_eq!(world.dialog(&dialog).queue.len(), 100);
}
