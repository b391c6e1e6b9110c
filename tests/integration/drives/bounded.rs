//! A context that is critical from the start of each course: the number of requests is bounded.

use dominds_tui::domain::{DialogId, StopReason};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;

use super::health::{CRITICAL, call, say};
use super::made;
use super::tellasks::{once, session};
use crate::common::World;

/// The first generation, its five last calls, and the same in the course that began by itself.
const BOUND: usize = 12;

/// More than are ever asked for.
fn always(member: &str, reply: impl Fn(usize) -> Reply) -> Sequence {
    (0..60).fold(Sequence::new(), |models, n| models.reply(member, reply(n)))
}

impl World {
    fn asked(&self, member: &str) -> usize {
        self.models.requests().iter().filter(|request| request.model == member).count()
    }

    fn course(&self, dialog: &DialogId) -> u32 {
        self.dialog(dialog).latest.current_course.0
    }

    fn reason(&self, dialog: &DialogId) -> String {
        let reason = self.dialog(dialog).latest.interruption().map(StopReason::message);
        reason.unwrap_or_default().to_string()
    }
}

#[tokio::test(start_paused = true)]
async fn i10_a_fresh_course_that_is_critical_at_once_stops_with_what_fills_it() {
    for resting in [false, true] {
        let reply = |n| if resting { say("Hm.", CRITICAL) } else { call(n, CRITICAL) };
        let world = World::small(always("lead", reply));
        world.put("task.tsk/goals.md", &"Long. ".repeat(2_000));
        let mut running = world.start().await;
        let dialog = running.begin("Go").await.expect("a dialog");
        assert_eq!(running.quiet().await, QuietOutcome::Failed);
        assert_eq!((world.asked("lead"), world.course(&dialog)), (BOUND, 2), "{resting}");
        let reason = world.reason(&dialog);
        assert!(reason.starts_with("the context is full again: 950 of 1000 tokens"), "{reason}");
        let taskdoc = reason.split(" Taskdoc ").nth(1).and_then(|rest| rest.split(',').next());
        let tokens: u64 = taskdoc.and_then(|tokens| tokens.parse().ok()).unwrap_or_default();
        assert!((3_000..3_500).contains(&tokens), "{reason}");
        assert!(reason.contains("reminders ") && reason.contains("minds "), "{reason}");
        assert!(reason.contains("Make room: "), "{reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn i10_each_continue_is_one_request_and_new_words_allow_one_more_course() {
    let world = World::small(always("lead", |n| call(n, CRITICAL)));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    for more in 1..3 {
        running.shut_down().await;
        running = world.start().await;
        assert_eq!(world.asked("lead"), BOUND + more - 1, "a restart asks for nothing");
        running.resume(&dialog).await.expect("it goes on");
        assert_eq!(running.quiet().await, QuietOutcome::Failed);
        assert_eq!((world.asked("lead"), world.course(&dialog)), (BOUND + more, 2));
    }
    running.say(&dialog, "Try the other way").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    // The message's own generation, a new course, and its last calls.
    assert_eq!((world.asked("lead"), world.course(&dialog)), (BOUND + 2 + 7, 3));
}

#[tokio::test(start_paused = true)]
async fn i10_who_made_room_goes_on_after_continue() {
    let models =
        (0..BOUND).fold(Sequence::new(), |models, n| models.reply("lead", call(n, CRITICAL)));
    let world = World::small(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    for reply in [call(90, 100), say("Done.", 100)] {
        world.models.push("lead", reply);
    }
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn i10_a_side_dialog_is_bounded_too_and_its_asker_waits() {
    let models = always("alice", |n| call(n, CRITICAL));
    let ask = Reply::call("c", "tellask", &session("alice", "one", "Find it.")).and_usage(100, 1);
    let world = World::small(models.reply("lead", ask));
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    let side = made(&main, 2);
    assert_eq!((world.asked("alice"), world.course(&side)), (BOUND, 2));
    assert_eq!((world.state(&side), world.state(&main)), ("stopped", "blocked"));
    assert!(world.reason(&side).contains("What fills it"));
}

#[tokio::test(start_paused = true)]
async fn i10_replies_of_side_dialogs_do_not_keep_a_critical_context_going() {
    let ask = |n: usize| Reply::call(&format!("c{n}"), "tellaskSessionless", &once("bob", "Look."));
    for also_a_tool in [false, true] {
        let models = always("lead", |n| {
            let reply = ask(n).and_usage(CRITICAL, 1);
            if also_a_tool { reply.and_call(&format!("t{n}"), "probe", "{}") } else { reply }
        });
        let models = (0..60).fold(models, |models, _| models.reply("bob", Reply::saying("Seen.")));
        let world = World::small(models);
        let mut running = world.start().await;
        let main = running.begin("Go").await.expect("a dialog");
        assert_eq!(running.quiet().await, QuietOutcome::Failed);
        let asked = world.asked("lead");
        assert!((BOUND..BOUND + 4).contains(&asked), "{asked}");
        assert_eq!((world.course(&main), world.state(&main)), (2, "stopped"));
    }
}

#[tokio::test(start_paused = true)]
async fn i10_a_model_that_clears_its_mind_again_and_again_is_stopped() {
    let clear = |n: usize| Reply::call(&format!("k{n}"), "clear_mind", "{}").and_usage(CRITICAL, 1);
    let world = World::small(always("lead", clear));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!(world.asked("lead"), 3);
    running.resume(&dialog).await.expect("it goes on");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!(world.asked("lead"), 4);
}

#[tokio::test(start_paused = true)]
async fn i10_an_open_question_is_not_withdrawn_and_its_answer_allows_one_more_course() {
    let ask = Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#).and_usage(CRITICAL, 1);
    let models =
        (0..BOUND - 1).fold(Sequence::new(), |models, n| models.reply("lead", call(n, CRITICAL)));
    let world = World::small(models.reply("lead", ask));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    for reply in [say("Heard.", CRITICAL), say("Fresh.", 100)] {
        world.models.push("lead", reply);
    }
    let row = super::question(&running);
    running.answer(&row, "this").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!((world.models.remaining(), world.course(&dialog)), (0, 3));
}
