//! Run control: what is driven when, what stops, and the effect of Continue.

use std::time::Duration;

use dominds_tui::llm::{ErrorClass, LlmError, Message, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent};

use super::tellasks::{once, reply, session};
use super::{made, place, question};
use crate::common::World;
use crate::common::record_lines::record_lines;

fn ask_alice() -> Reply {
    Reply::call("c", "tellask", &session("alice", "plan", "Plan it."))
}

fn rejected() -> Reply {
    Reply::failure(LlmError::quoted(ErrorClass::Rejected, "no"))
}

#[tokio::test(start_paused = true)]
async fn g05_a_stop_stops_though_words_wait_and_they_are_heard_at_continue() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One, t").and_hang())
        .reply("lead", Reply::saying("Both."));
    let (world, mut running, main) = World::begun(models, "first").await;
    running.say(&main, "second").await.expect("heard");
    running.send(Command::Stop { dialog: main.clone() }).await;
    running.quiet().await;
    assert_eq!((world.state(&main), world.models.requests().len()), ("stopped", 1));
    running.resume(&main).await.expect("it goes on");
    running.quiet().await;
    let lines = record_lines(&world.view(), &main);
    assert_eq!(
        lines[2..],
        ["says, cut: One, t", "end 1", "start 2", "person: second", "says: Both.", "end 2"]
    );
}

#[tokio::test(start_paused = true)]
async fn g08_continuing_all_continues_what_is_stopped_and_says_how_much() {
    let round = Reply::call("c1", "tellaskSessionless", &once("alice", "Look.")).and_call(
        "c2",
        "tellaskSessionless",
        &once("bob", "Look."),
    );
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", Reply::new().and_hang())
        .reply("bob", Reply::new().and_hang())
        .reply("alice", Reply::saying("a"))
        .reply("bob", Reply::saying("b"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.send(Command::StopAll).await;
    running.quiet().await;
    assert_eq!(world.state(&main), "blocked");
    running.ask(|ticket| Command::ContinueAll { ticket }).await.expect("two go on");
    let notice = |event: &DriverEvent| matches!(event, DriverEvent::Notice(text) if text.to_string() == "2 dialogs go on");
    assert!(running.seen.iter().any(notice));
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.state(&main), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn g10_continue_says_why_a_dialog_cannot_be_continued() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hello."))
        .reply("lead", ask_alice())
        .reply("alice", Reply::new().and_hang());
    let (_world, mut running, main) = World::talked(models, "Hi").await;
    let idle = running.resume(&main).await.expect_err("it is idle");
    running.say(&main, "Ask alice").await.expect("heard");
    running.idle().await;
    let blocked = running.resume(&main).await.expect_err("it waits");
    let busy = running.resume(&made(&main, 2)).await.expect_err("it runs");
    let reasons = [idle, blocked, busy];
    for (reason, part) in reasons.iter().zip(["waits for you", "side dialogs", "running"]) {
        assert!(reason.contains(part), "{reasons:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn g11_a_reply_that_comes_while_its_asker_works_leads_to_one_more_generation() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::saying("planned").and_wait(Duration::from_secs(30)))
        .reply("lead", Reply::saying("I wait.").and_wait(Duration::from_mins(1)))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "How far?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "start 2") < place(&lines, "answered c"), "{lines:#?}");
    assert!(place(&lines, "answered c") < place(&lines, "end 2"), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("end 3"));
    assert_eq!(world.models.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn b03_who_asked_a_person_when_the_program_died_waits_for_the_answer() {
    let round = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#).and_call(
        "t",
        "add_reminder",
        r#"{"content":"asked"}"#,
    );
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("Blue."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "And?").await.expect("heard");
    running.idle().await;
    running.kill().await;
    let mut running = world.start().await;
    assert_eq!(world.state(&main), "blocked");
    let row = question(&running);
    running.answer(&row, "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn b06_a_stop_of_who_only_waits_for_side_dialogs_holds_over_a_restart_and_a_reply() {
    for all in [false, true] {
        let models = Sequence::new()
            .reply("lead", ask_alice())
            .reply("alice", rejected())
            .reply("lead", Reply::new().and_hang())
            .reply("alice", Reply::saying("planned"))
            .reply("lead", Reply::saying("Good."));
        let (world, mut running, main) = World::talked(models, "Go").await;
        let side = made(&main, 2);
        running.say(&main, "How far?").await.expect("heard");
        running.idle().await;
        let one = Command::Stop { dialog: main.clone() };
        running.send(if all { Command::StopAll } else { one }).await;
        running.quiet().await;
        assert_eq!(world.state(&main), "stopped");
        running.kill().await;
        let mut running = world.start().await;
        assert_eq!((world.state(&main), world.state(&side)), ("stopped", "stopped"));
        running.resume(&side).await.expect("it failed before");
        running.quiet().await;
        assert_eq!((world.state(&main), world.models.remaining()), ("stopped", 1));
        running.resume(&main).await.expect("a person continues it");
        assert_eq!(running.quiet().await, QuietOutcome::Done);
        assert_eq!(world.models.remaining(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn b09_a_side_dialog_about_to_begin_a_course_does_so_at_continue_with_its_prompt_once() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("m", "clear_mind", "{}"))
        .reply("alice", Reply::new().and_hang())
        .reply("alice", Reply::call("r", "replyTellask", &reply("planned")))
        .reply("lead", Reply::saying("Good."));
    let mut world = World::new(models);
    let main = world.killed_before("\"genseq\":2").await;
    let side = made(&main, 2);
    assert!(world.dialog(&side).latest.pending_course_start_prompt.is_some());
    let mut running = world.start().await;
    assert_eq!(world.state(&side), "stopped");
    running.resume(&side).await.expect("it goes on");
    running.idle().await;
    running.kill().await;
    assert_eq!(world.dialog(&side).latest.pending_course_start_prompt, None);
    let mut running = world.start().await;
    running.resume(&side).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &side);
    assert_eq!(lines.iter().filter(|line| *line == "prompt").count(), 2, "{lines:#?}");
    let last = world.models.requests().into_iter().rfind(|r| r.model == "alice").expect("asked");
    let prompts = |m: &&Message| matches!(m, Message::Prompt(text) if text.contains("Plan it."));
    assert_eq!(last.messages.iter().filter(prompts).count(), 1);
}
