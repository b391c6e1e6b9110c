//! The files of a killed program, and how the next one goes on with them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dominds_tui::domain::dialogs::record::ReplyStatus;
use dominds_tui::domain::{CallId, Course, StopReason};
use dominds_tui::llm::{Message, Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::store::RealDisk;

use super::disk::{DiskFailure, FailingDisk};
use super::tellasks::{once, reply};
use super::{made, place, probe, question, replies, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

fn ask_alice() -> Reply {
    Reply::call("c", "tellaskSessionless", &once("alice", "Look."))
}

fn count(lines: &[String], line: &str) -> usize {
    lines.iter().filter(|one| *one == line).count()
}

#[tokio::test(start_paused = true)]
async fn an_open_question_survives_and_its_answer_goes_on() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#);
    let models = Sequence::new().reply("lead", ask).reply("lead", Reply::saying("Blue then."));
    let (world, running, main) = World::talked(models, "Paint").await;
    running.kill().await;
    let mut running = world.start().await;
    assert_eq!(world.state(&main), "blocked");
    let row = question(&running);
    assert_eq!(row.question.tellask_content, "Which colour?");
    running.answer(&row, "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines[5..], ["answered q", "start 2", "says: Blue then.", "end 2"]);
}

#[tokio::test(start_paused = true)]
async fn b10_an_assignment_that_never_started_is_made_again_at_continue() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let mut world = World::new(models);
    let main = world.killed_before("\"anchorRole\":\"assignment\"").await;
    let side = made(&main, 2);
    assert_eq!(record_lines(&world.view(), &side), Vec::<String>::new());
    let mut running = world.start().await;
    assert_eq!((world.state(&main), world.state(&side)), ("blocked", "stopped"));
    assert_eq!(world.models.requests().len(), 1);
    running.resume(&side).await.expect("something to continue");
    running.quiet().await;
    assert_eq!(world.models.remaining(), 0);
    for id in [&main, &side] {
        assert_eq!(world.state(id), "idle_waiting_user");
    }
    let lines = record_lines(&world.view(), &main);
    assert_eq!((count(&lines, "answered c"), count(&lines, "says: Good.")), (1, 1));
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn b02_an_interrupted_generation_waits_for_continue() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One, t").and_hang())
        .reply("lead", Reply::saying("Again."));
    let (world, running, main) = World::begun(models, "Count").await;
    running.kill().await;
    assert_eq!(world.state(&main), "proceeding");
    let mut running = world.start().await;
    assert_eq!(world.models.requests().len(), 1, "nothing is asked again by itself");
    assert_eq!(world.state(&main), "stopped");
    let latest = world.dialog(&main).latest;
    assert_eq!(latest.interruption(), Some(&StopReason::ServerRestart));
    assert_eq!(latest.generating, Some(false));
    running.resume(&main).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines, ["start 1", "person: Count", "start 2", "says: Again.", "end 2"]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_side_dialog_completes_the_chain_after_continue() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::saying("I se").and_hang())
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let (world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    let mut running = world.start().await;
    let side = made(&main, 2);
    assert_eq!((world.state(&main), world.state(&side)), ("blocked", "stopped"));
    running.resume(&side).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(count(&record_lines(&world.view(), &side), "assigned c"), 1);
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("seen"));
}

/// The side dialog replies with the tool; the program dies before the given record is written.
fn reply_by_tool() -> Sequence {
    Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("r", "replyTellaskSessionless", &reply("seen")))
        .reply("lead", Reply::saying("Good."))
}

#[tokio::test(start_paused = true)]
async fn b07_a_reply_that_was_called_and_not_delivered_is_delivered() {
    let mut world = World::new(reply_by_tool());
    let main = world.killed_before("\"type\":\"tellask_result_record\"").await;
    let side = made(&main, 2);
    let lines = record_lines(&world.view(), &side);
    assert!(lines.contains(&"plain call r replyTellaskSessionless".to_owned()), "{lines:#?}");
    assert!(!lines.contains(&"result r".to_owned()));
    assert_eq!(count(&record_lines(&world.view(), &main), "answered c"), 0);
    let running = world.start().await;
    check_delivered_once(&world, &main);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_arrived_is_only_noted_by_its_writer() {
    let mut world = World::new(reply_by_tool());
    let main = world.killed_before("\"type\":\"tellask_reply_resolution_record\"").await;
    let lines = record_lines(&world.view(), &made(&main, 2));
    assert!(!lines.contains(&"delivered c".to_owned()), "{lines:#?}");
    assert_eq!(count(&record_lines(&world.view(), &main), "answered c"), 1);
    let running = world.start().await;
    check_delivered_once(&world, &main);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_plain_reply_that_was_said_and_not_delivered_is_delivered() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let mut world = World::new(models);
    let main = world.killed_before("\"type\":\"tellask_result_record\"").await;
    let running = world.start().await;
    check_delivered_once(&world, &main);
    running.shut_down().await;
}

/// The asker has the reply once, has read it, and nothing is owed or awaited.
fn check_delivered_once(world: &World, main: &dominds_tui::domain::DialogId) {
    let side = made(main, 2);
    let lines = record_lines(&world.view(), main);
    assert_eq!(count(&lines, "answered c"), 1, "{lines:#?}");
    assert!(place(&lines, "answered c") < place(&lines, "says: Good."));
    let lines = record_lines(&world.view(), &side);
    assert_eq!((count(&lines, "delivered c"), count(&lines, "responded c")), (1, 1), "{lines:#?}");
    for id in [main, &side] {
        let dialog = world.dialog(id);
        assert!(dialog.pending.is_empty() && dialog.obligation().is_none(), "{dialog:?}");
        assert_eq!(dialog.history.open_calls().count(), 0);
        assert_eq!(world.state(id), "idle_waiting_user");
    }
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn b13_a_tool_whose_outcome_is_unknown_is_never_run_again() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "probe", r#"{"hang":true}"#))
        .reply("lead", Reply::saying("I check."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.kill().await;
    let mut running = world.start().await;
    assert_eq!(world.state(&main), "stopped");
    assert_eq!(world.models.requests().len(), 1);
    running.resume(&main).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let seen = world.models.requests();
    assert!(result_of(&seen[1], "t").is_some_and(|text| text.contains("unknown")));
    let lines = record_lines(&world.view(), &main);
    assert_eq!((count(&lines, "call t probe"), count(&lines, "result t")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_request_of_which_a_crash_left_only_the_call_fails_and_nobody_waits_for_it() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("nobody", "Look.")))
        .reply("lead", Reply::saying("Ho").and_hang())
        .reply("lead", Reply::saying("I do it myself."));
    let (world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    let tree = world.path().join(".dialogs/run").join(main.root.as_str());
    let course = tree.join("course-001.jsonl");
    let text = std::fs::read_to_string(&course).expect("a course");
    let refused = text.lines().position(|line| line.contains("tellask_result_record"));
    let kept: Vec<&str> = text.lines().take(refused.expect("the refusal")).collect();
    std::fs::write(&course, kept.join("\n") + "\n").expect("written");
    let mut running = world.start().await;
    assert_eq!(world.state(&main), "stopped");
    running.resume(&main).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let last = world.models.requests().pop().expect("a request");
    assert!(result_of(&last, "c").is_some_and(|text| text.contains("reached anybody")), "{last:?}");
    let history = world.dialog(&main).history;
    assert_eq!(history.replies.get(&CallId::new("c")), Some(&ReplyStatus::Failed));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_open_until_the_course_that_withdraws_it_has_begun() {
    let ask_and_clear = || {
        Sequence::new().reply(
            "lead",
            Reply::new()
                .and_call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#)
                .and_call("m", "clear_mind", r#"{"reminder_content":"Ask again."}"#),
        )
    };
    let mut seen = [false; 2];
    for at in 0.. {
        let mut world = World::new(ask_and_clear());
        let disk = Arc::new(FailingDisk::new(DiskFailure::From(at)));
        world.setup.disk = disk.clone();
        let Ok(mut running) = world.try_start() else { continue };
        let begun = running.begin("Go").await;
        running.idle().await;
        running.kill().await;
        world.setup.disk = Arc::new(RealDisk);
        let Ok(main) = begun else { continue };
        world.start().await.kill().await;
        let dialog = world.dialog(&main);
        let asked = dialog.history.open_questions().count();
        if asked > 0 {
            let cleared = dialog.latest.current_course > Course(1);
            assert_eq!(dialog.questions.len(), usize::from(!cleared), "in operation {at}");
            seen[usize::from(cleared)] = true;
        }
        if disk.operations() <= at {
            break;
        }
    }
    assert_eq!(seen, [true; 2]);
}

#[tokio::test(start_paused = true)]
async fn b11_a_message_that_waited_is_still_heard() {
    let models = Sequence::new()
        .reply("lead", Reply::new().and_hang())
        .reply("lead", Reply::saying("Both."));
    let (world, mut running, main) = World::begun(models, "first").await;
    running.say(&main, "second").await.expect("heard");
    running.kill().await;
    let mut running = world.start().await;
    if world.models.remaining() > 0 {
        running.resume(&main).await.expect("it goes on");
        running.quiet().await;
    }
    let lines = record_lines(&world.view(), &main);
    assert_eq!(
        (count(&lines, "person: first"), count(&lines, "person: second")),
        (1, 1),
        "{lines:#?}"
    );
    let shown = &world.models.requests()[1].messages;
    assert!(shown.contains(&Message::Prompt("second".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_second_restart_changes_nothing_more() {
    let models =
        Sequence::new().reply("lead", ask_alice()).reply("alice", Reply::saying("I se").and_hang());
    let (world, running, main) = World::begun(models, "Go").await;
    running.kill().await;
    world.start().await.kill().await;
    let once = world.tree(&main.root);
    world.start().await.kill().await;
    assert_eq!(world.tree(&main.root), once);
}
