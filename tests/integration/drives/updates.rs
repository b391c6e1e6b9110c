//! A session that is asked again loses nothing: no question back to its asker, no question of its own,
//! and no notice to its former asker.

use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::AssignmentFrame;
use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::llm::{Reply, Request, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::store::RealDisk;

use super::disk::{DiskFailure, FailingDisk};
use super::tellasks::{reply, session};
use super::{made, place, question};
use crate::common::World;
use crate::common::record_lines::{entries, record_lines};

fn ask(id: &str, content: &str) -> Reply {
    Reply::call(id, "tellask", &session("alice", "plan", content))
}

fn ask_bob() -> Reply {
    Reply::call("x", "tellask", &session("bob", "help", "Help."))
}

fn ask_back() -> Reply {
    Reply::call("b", "tellaskBack", r#"{"tellaskContent":"Which?"}"#)
}

fn texts(requests: &[Request], member: &str) -> String {
    let own = requests.iter().filter(|request| request.model == member);
    own.flat_map(|request| &request.messages).filter_map(|message| message.text()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_newer_request_keeps_what_its_dialog_was_asked_back_also_over_a_restart() {
    // alice has asked a person, so she has not heard bob when the newer request comes.
    let round = ask_bob().and_call("q", "askHuman", r#"{"tellaskContent":"Where?"}"#);
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", round)
        .reply("bob", ask_back())
        .reply("lead", ask("c2", "Second."))
        .reply("alice", Reply::saying("I am on it."))
        .reply("alice", Reply::saying("The blue one."))
        .reply("bob", Reply::call("y", "replyTellask", &reply("helped")))
        .reply("alice", Reply::saying("the second plan"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    running.say(&main, "Rather this.").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    let alice = made(&main, 2);
    let asked: Vec<bool> =
        world.dialog(&alice).stack.iter().map(AssignmentFrame::is_ask_back).collect();
    assert_eq!(asked, [true, false], "what is asked back lies below the newer request");
    running.kill().await;
    let mut running = world.start().await;
    let row = question(&running);
    running.answer(&row, "Here").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let seen = world.models.requests();
    let heard = texts(&seen, "bob");
    assert!(heard.contains("The blue one.") && !heard.contains("I am on it."), "{heard}");
    assert!(texts(&seen, "lead").contains("the second plan"));
    assert_eq!(world.models.remaining(), 0);
    for id in [&main, &alice, &made(&main, 3)] {
        assert_eq!((world.state(id), world.dialog(id).obligation()), ("idle_waiting_user", None));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_said_in_answer_is_delivered_though_a_newer_request_came_meanwhile() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", ask_bob())
        .reply("bob", ask_back())
        .reply("alice", Reply::new().and_wait(Duration::from_mins(1)).and_saying("The blue one."))
        .reply("lead", ask("c2", "Second."))
        .reply("bob", Reply::call("y", "replyTellask", &reply("helped")))
        .reply("alice", Reply::saying("On it."))
        .reply("alice", Reply::saying("the second plan"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Rather this.").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(texts(&world.models.requests(), "bob").contains("The blue one."));
    let lines = record_lines(&world.view(), &made(&main, 2));
    assert!(place(&lines, "delivered b") < place(&lines, "assigned c2"), "{lines:#?}");
    place(&record_lines(&world.view(), &main), "answered c2");
}

#[tokio::test(start_paused = true)]
async fn who_answers_what_it_is_asked_back_with_a_newer_request_is_asked_once_more() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", ask_back())
        .reply("lead", ask("c2", "The blue one, please."))
        .reply("lead", Reply::saying("See my newer request."))
        .reply("alice", Reply::saying("I begin."))
        .reply("alice", Reply::saying("the blue plan"))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let alice = made(&main, 2);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "delivered b") < place(&lines, "answered c2"), "{lines:#?}");
    let seen = world.models.requests();
    assert!(texts(&seen, "alice").contains("See my newer request."));
    assert!(texts(&seen, "lead").contains("the blue plan"));
    for id in [&main, &alice] {
        assert_eq!((world.state(id), world.dialog(id).obligation()), ("idle_waiting_user", None));
    }
}

#[tokio::test(start_paused = true)]
async fn who_ends_without_the_reply_it_owes_is_told_once_and_then_waits_for_a_person() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", Reply::new().and_thinking("hm"))
        .reply("alice", Reply::new().and_thinking("hm hm"))
        .reply("alice", Reply::saying("the plan"))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    let alice = made(&main, 2);
    assert_eq!((world.state(&main), world.state(&alice)), ("blocked", "stopped"));
    let lines = record_lines(&world.view(), &alice);
    assert_eq!(lines.iter().filter(|line| *line == "prompt").count(), 2, "{lines:#?}");
    running.resume(&alice).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(texts(&world.models.requests(), "lead").contains("the plan"));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_former_owner_of_a_session_reads_a_notice_and_waits_for_one_call_less() {
    let late = Reply::new().and_wait(Duration::from_secs(5)).and_call(
        "b",
        "tellask",
        &session("alice", "plan", "Second."),
    );
    let round = ask("c1", "First.").and_call("c2", "tellask", &session("bob", "help", "Help."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", Reply::new().and_wait(Duration::from_mins(1)).and_saying("the first"))
        .reply("bob", late)
        .reply("alice", Reply::saying("the second"))
        .reply("bob", Reply::saying("helped"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let listed = |world: &World| {
        world.dialog(&main).reminders.iter().map(|one| one.content.clone()).collect::<String>()
    };
    assert!(listed(&world).contains("in flight: 2"), "{}", listed(&world));
    tokio::time::sleep(Duration::from_secs(10)).await;
    running.idle().await;
    assert!(listed(&world).contains("in flight: 1"), "{}", listed(&world));
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let closed = entries(&world.view(), &main).into_iter().find_map(|entry| match entry.record {
        Record::TellaskResult(result) if result.call_id.as_str() == "c1" => Some(result.content),
        _ => None,
    });
    let closed = closed.expect("a closing text");
    assert!(closed.starts_with("[System notice]") && !closed.contains("replied"), "{closed}");
    for part in ["callId c1", "@alice", "session `plan`", "@bob"] {
        assert!(closed.contains(part), "{part} in {closed}");
    }
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_a_newer_request_is_recorded_leaves_the_earlier_one_in_force() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", Reply::saying("I lo").and_hang())
        .reply("lead", ask("c2", "Second."))
        .reply("alice", Reply::saying("the first plan"))
        .reply("lead", Reply::saying("Good."));
    let (mut world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    // The newer request reaches the stack of its dialog first, then the course of its asker.
    world.setup.disk =
        Arc::new(FailingDisk::new(DiskFailure::Before("Second.\\\"}\",\"deliveryMode")));
    let mut running = world.start().await;
    running.say(&main, "Rather this.").await.expect("heard");
    running.idle().await;
    running.kill().await;
    world.setup.disk = Arc::new(RealDisk);
    let alice = made(&main, 2);
    let assigned = world.dialog(&alice).assignment().map(|given| given.call_id.to_string());
    assert_eq!(assigned.as_deref(), Some("c2"), "the crash came between the two");
    let mut running = world.start().await;
    assert_eq!((world.state(&main), world.state(&alice)), ("blocked", "stopped"));
    running.resume(&alice).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines.iter().filter(|line| *line == "answered c1").count(), 1, "{lines:#?}");
    assert!(world.dialog(&main).pending.is_empty() && world.view().examine().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_crash_in_the_records_of_a_newer_request_leaves_none_of_the_two_open() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", Reply::saying("I lo").and_hang())
        .reply("lead", ask("c2", "Second."))
        .reply("alice", Reply::saying("the second plan"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Rather this.").await.expect("heard");
    running.idle().await;
    running.kill().await;
    let course =
        world.path().join(".dialogs/run").join(main.root.as_str()).join("course-001.jsonl");
    let text = std::fs::read_to_string(&course).expect("a course");
    let newer = text.lines().position(|line| line.contains("Second.") && line.contains("_call_"));
    let kept: Vec<&str> = text.lines().take(newer.expect("the newer request") + 1).collect();
    std::fs::write(&course, kept.join("\n") + "\n").expect("written");
    let mut running = world.start().await;
    let alice = made(&main, 2);
    if world.dialog(&alice).latest.marked().is_some() {
        running.resume(&alice).await.expect("it goes on");
    }
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    for line in ["closed c1", "answered c2"] {
        assert_eq!(lines.iter().filter(|one| *one == line).count(), 1, "{line}: {lines:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_back_and_asks_its_asker_anew_in_one_round_has_both_on_disk() {
    let anew = Reply::call("k", "tellaskBack", r#"{"tellaskContent":"Which?"}"#).and_call(
        "c2",
        "tellask",
        &session("alice", "plan", "Anew."),
    );
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", ask_bob())
        .reply("bob", Reply::saying("helped"))
        .reply("alice", Reply::saying("I lo").and_hang())
        .reply("bob", anew);
    let (world, mut running, main) = World::begun(models, "Go").await;
    let (alice, bob) = (made(&main, 2), made(&main, 3));
    running.say(&bob, "Ask her anew.").await.expect("heard");
    running.idle().await;
    running.kill().await;
    let on_disk = world.dialog(&alice);
    let owed: Vec<String> =
        on_disk.stack.iter().filter_map(|frame| Some(frame.owed_call()?.to_string())).collect();
    assert_eq!(owed, ["k", "c2"], "{:#?}", record_lines(&world.view(), &bob));
}
