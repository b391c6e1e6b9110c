//! A person speaks to a dialog that waits, or that works for another one.

use std::time::Duration;

use dominds_tui::domain::{DialogId, StopReason};
use dominds_tui::llm::{LlmError, Message, Reply, Sequence};
use dominds_tui::protocol::Command;
use dominds_tui::protocol::event::QuietOutcome;

use super::tellasks::{once, reply, session};
use super::{made, place, question, replies};
use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

fn ask_alice() -> Reply {
    Reply::call("c", "tellask", &session("alice", "plan", "Plan it."))
}

fn deliver(id: &str) -> Reply {
    Reply::call(id, "replyTellask", &reply("the plan"))
}

/// The side dialog's first request is rejected: it rests and owes its reply.
fn rejected() -> Reply {
    Reply::failure(LlmError::quoted(dominds_tui::llm::ErrorClass::Rejected, "no"))
}

fn is_paused(world: &World, dialog: &DialogId) -> bool {
    world.dialog(dialog).latest.interruption().is_some_and(StopReason::is_pause)
}

fn guides(lines: &[String]) -> usize {
    lines.iter().filter(|line| *line == "guide").count()
}

async fn waiting_side(models: Sequence) -> (World, Running, DialogId, DialogId) {
    let (world, running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    (world, running, main, side)
}

#[tokio::test(start_paused = true)]
async fn g01_a_person_is_answered_by_a_dialog_that_waits_and_it_goes_on_waiting() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", deliver("r").and_wait(Duration::from_mins(1)))
        .reply("lead", Reply::saying("I wait for alice."))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "How far?").await.expect("heard");
    running.idle().await;
    assert_eq!(world.state(&main), "blocked");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: I wait for alice.") < place(&lines, "answered c"), "{lines:#?}");
    assert_eq!((guides(&lines), lines.last().map(String::as_str)), (0, Some("end 3")));
}

#[tokio::test(start_paused = true)]
async fn g02_words_to_a_dialog_that_owes_a_reply_are_answered_and_are_not_the_reply() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", rejected())
        .reply("alice", Reply::saying("Hello to you."))
        .reply("alice", Reply::saying("Fine."));
    let (world, mut running, main, side) = waiting_side(models).await;
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &side));
    assert_eq!(world.state(&main), "blocked");
    let lines = record_lines(&world.view(), &side);
    let start = place(&lines, "start 2");
    assert_eq!(lines[start + 1..=start + 3], ["guide", "person: Hi alice", "says: Hello to you."]);
    let requests = world.models.requests();
    let shown = &requests.last().expect("a request").messages;
    let obliged = |message: &Message| matches!(message, Message::Environment(text) if text.contains("reply obligation"));
    assert!(!shown.iter().any(obliged), "the owed reply is left aside");
    // Talking on parks nothing anew, and no second guide is given.
    running.say(&side, "How are you?").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &side));
    assert_eq!(guides(&record_lines(&world.view(), &side)), 1);
    assert!(!record_lines(&world.view(), &main).contains(&"answered c".to_owned()));
}

/// The task of a side dialog is paused: a person spoke to it, and was answered.
async fn paused_side() -> (World, Running, DialogId, DialogId) {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", rejected())
        .reply("alice", Reply::saying("Hello."))
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = waiting_side(models).await;
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    (world, running, main, side)
}

#[tokio::test(start_paused = true)]
async fn g03_continue_takes_the_parked_task_up_and_the_reply_goes_to_its_call() {
    let (world, mut running, main, side) = paused_side().await;
    running.resume(&side).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &side);
    assert!(place(&lines, "start 3") < place(&lines, "delivered c"), "{lines:#?}");
    assert_eq!(lines[place(&lines, "start 3") + 1], "prompt");
    place(&record_lines(&world.view(), &main), "answered c");
    assert_eq!(world.dialog(&side).latest.parked(), None);
    assert!(running.resume(&side).await.is_err(), "nothing is left to continue");
}

#[tokio::test(start_paused = true)]
async fn g03_continue_of_a_parked_task_that_waits_says_so_once_and_goes_on_when_it_can() {
    // alice waits for bob when the person speaks to her.
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("x", "tellaskSessionless", &once("bob", "Look.")))
        .reply("bob", Reply::call("q", "askHuman", r#"{"tellaskContent":"Where?"}"#))
        .reply("alice", Reply::saying("Hello."))
        .reply("bob", Reply::saying("found"))
        .reply("alice", Reply::saying("the plan in words"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = waiting_side(models).await;
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &side));
    running.resume(&side).await.expect("the true state");
    running.idle().await;
    assert_eq!(world.state(&side), "blocked");
    assert_eq!(guides(&record_lines(&world.view(), &side)), 2);
    let row = question(&running);
    running.answer(&row, "Here").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &side);
    assert_eq!(guides(&lines), 2, "no second reminder: {lines:#?}");
    place(&lines, "delivered c");
    place(&record_lines(&world.view(), &main), "answered c");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn g04_what_a_person_asks_for_may_take_tools_and_is_not_the_reply() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", rejected())
        .reply("alice", Reply::call("t", "add_reminder", r#"{"content":"greeted"}"#))
        .reply("alice", Reply::saying("Noted."))
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = waiting_side(models).await;
    running.say(&side, "Note that I greet you").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &side));
    assert!(!record_lines(&world.view(), &main).contains(&"answered c".to_owned()));
    running.resume(&side).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_made_in_the_talk_with_a_person_is_delivered_and_nothing_stays_parked() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", rejected())
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = waiting_side(models).await;
    running.say(&side, "Just send it").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.state(&side), "idle_waiting_user");
    assert_eq!(world.dialog(&side).latest.parked(), None);
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_question_is_no_interjection() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("q", "askHuman", r#"{"tellaskContent":"Where?"}"#))
        .reply("alice", Reply::saying("the plan"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = waiting_side(models).await;
    let row = question(&running);
    running.answer(&row, "Here").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(guides(&record_lines(&world.view(), &side)), 0);
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn an_answer_given_while_the_task_is_parked_takes_it_up_again() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("q", "askHuman", r#"{"tellaskContent":"Where?"}"#))
        .reply("alice", Reply::saying("Hello."))
        .reply("alice", Reply::saying("the plan"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = waiting_side(models).await;
    running.say(&side, "Hi alice").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &side));
    let row = question(&running);
    running.answer(&row, "Here").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let last = world.models.requests().into_iter().rfind(|r| r.model == "lead").expect("asked");
    assert!(replies(&last).concat().contains("the plan"));
    place(&record_lines(&world.view(), &main), "answered c");
}

#[tokio::test(start_paused = true)]
async fn a_paused_task_stays_paused_over_a_restart() {
    let (world, running, main, side) = paused_side().await;
    running.kill().await;
    let mut running = world.start().await;
    assert!(is_paused(&world, &side));
    running.resume(&side).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    place(&record_lines(&world.view(), &main), "answered c");
}

/// The lead asks alice, alice asks back; a person speaks to the lead while it answers.
async fn asked_back(answers: Sequence) -> (World, Running, DialogId, DialogId) {
    let (world, mut running, main) = World::begun(answers, "Go").await;
    let side = made(&main, 2);
    running.say(&main, "Hi lead").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &main));
    (world, running, main, side)
}

fn asks_back() -> Sequence {
    Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Which?"}"#))
        .reply("lead", Reply::new().and_thinking("hm").and_wait(Duration::from_mins(1)))
}

/// Returns all answers and notices in any request to the model of this member.
fn heard_by(world: &World, member: &str) -> String {
    let requests = world.models.requests();
    let own = requests.iter().filter(|request| request.model == member);
    own.flat_map(|request| &request.messages).filter_map(Message::text).collect()
}

#[tokio::test(start_paused = true)]
async fn words_to_a_person_are_not_the_answer_to_what_was_asked_back() {
    let models = asks_back()
        .reply("lead", Reply::saying("Hello to you."))
        .reply("lead", Reply::saying("The blue one."))
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main, side) = asked_back(models).await;
    running.resume(&main).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines[place(&lines, "start 4") + 1], "prompt", "{lines:#?}");
    assert!(place(&lines, "says: The blue one.") < place(&lines, "delivered b"), "{lines:#?}");
    let heard = heard_by(&world, "alice");
    assert!(heard.contains("The blue one.") && !heard.contains("Hello to you."), "{heard}");
    place(&record_lines(&world.view(), &side), "delivered c");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn words_of_a_follow_up_to_a_person_are_not_the_answer_and_a_restart_changes_nothing() {
    let models = asks_back()
        .reply("lead", Reply::call("t", "add_reminder", r#"{"content":"greeted"}"#))
        .reply("lead", Reply::saying("Noted."))
        .reply("lead", Reply::saying("As you like."))
        .reply("lead", Reply::saying("The blue one."))
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, running, main, _) = asked_back(models).await;
    running.kill().await;
    let mut running = world.start().await;
    running.say(&main, "And now?").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &main));
    running.resume(&main).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let heard = heard_by(&world, "alice");
    assert!(heard.contains("The blue one."), "{heard}");
    assert!(!heard.contains("Noted.") && !heard.contains("As you like."), "{heard}");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_that_is_asked_back_does_not_answer_with_words_to_a_person_either() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("x", "tellask", &session("bob", "help", "Help.")))
        .reply("bob", Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Which?"}"#))
        .reply("alice", Reply::new().and_thinking("hm").and_wait(Duration::from_mins(1)))
        .reply("alice", Reply::saying("Hello to you."))
        .reply("alice", Reply::saying("The blue one."))
        .reply("bob", Reply::call("y", "replyTellask", &reply("helped")))
        .reply("alice", Reply::saying("the plan"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let alice = made(&main, 2);
    running.say(&alice, "Hi alice").await.expect("heard");
    running.quiet().await;
    assert!(is_paused(&world, &alice));
    running.resume(&alice).await.expect("a parked task");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let heard = heard_by(&world, "bob");
    assert!(heard.contains("The blue one.") && !heard.contains("Hello to you."), "{heard}");
    let heard = heard_by(&world, "lead");
    assert!(heard.contains("the plan") && !heard.contains("Hello to you."), "{heard}");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_made_with_its_tool_in_the_talk_with_a_person_is_delivered() {
    let models = asks_back()
        .reply("lead", Reply::call("a", "replyTellaskBack", &reply("The blue one.")))
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Tell alice: blue").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(heard_by(&world, "alice").contains("The blue one."));
    assert_eq!((world.dialog(&main).latest.parked(), world.models.remaining()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a_person_who_is_cut_off_by_a_stop_or_a_crash_is_answered_after_continue() {
    for crash in [false, true] {
        let models = asks_back()
            .reply("lead", Reply::saying("Hel").and_hang())
            .reply("lead", Reply::saying("Hello to you."))
            .reply("lead", Reply::saying("The blue one."))
            .reply("alice", deliver("r"))
            .reply("lead", Reply::saying("Good."));
        let (world, mut running, main) = World::begun(models, "Go").await;
        running.say(&main, "Hi lead").await.expect("heard");
        tokio::time::sleep(Duration::from_secs(61)).await;
        running.idle().await;
        if crash {
            running.kill().await;
            running = world.start().await;
        } else {
            running.send(Command::Stop { dialog: main.clone() }).await;
            running.quiet().await;
        }
        running.resume(&main).await.expect("the talk goes on");
        running.quiet().await;
        assert!(is_paused(&world, &main), "crash {crash}");
        running.resume(&main).await.expect("its own task");
        assert_eq!(running.quiet().await, QuietOutcome::Done);
        let heard = heard_by(&world, "alice");
        assert!(heard.contains("The blue one.") && !heard.contains("Hello"), "{heard}");
        assert_eq!(world.models.remaining(), 0, "crash {crash}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_wakes_a_dialog_whose_talk_with_a_person_a_crash_cut_off() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#);
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "plan", "Plan it.")))
        .reply("alice", ask)
        .reply("alice", Reply::saying("Hel").and_hang())
        .reply("alice", Reply::saying("Hello. Blue, then."))
        .reply("alice", deliver("r"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "Hi alice").await.expect("heard");
    running.idle().await;
    running.kill().await;
    let mut running = world.start().await;
    let row = question(&running);
    running.answer(&row, "blue").await.expect("an answer");
    running.quiet().await;
    assert!(world.models.requests().len() >= 4, "{:#?}", record_lines(&world.view(), &side));
    let mut rounds = 0;
    while world.dialog(&side).latest.marked().is_some() {
        rounds += 1;
        assert!(rounds < 20, "it never goes on: {:#?}", record_lines(&world.view(), &side));
        running.resume(&side).await.expect("its own task");
        running.quiet().await;
    }
    assert_eq!(world.models.remaining(), 0, "{:#?}", record_lines(&world.view(), &side));
}
