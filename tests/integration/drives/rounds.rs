//! One generation after the other: tools, repairs, and the model's view of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dominds_tui::llm::{GenEvent, Message, Reply, Segment, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent};

use super::tellasks::{once, session};
use super::{made, place, probe, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

/// The calls and results of a request, in their order.
fn pairs(messages: &[Message]) -> Vec<String> {
    let shown = messages.iter().filter_map(|message| match message {
        Message::Call { id, .. } => Some(format!("call {id}")),
        Message::Result { id, .. } => Some(format!("result {id}")),
        _ => None,
    });
    shown.collect()
}

#[tokio::test(start_paused = true)]
async fn a03_a_provider_that_goes_on_after_its_end_stops_the_dialog_and_is_not_asked_again() {
    let text = |text: &str| GenEvent::Delta { segment: Segment::Saying, text: text.to_owned() };
    let broken = vec![text("One."), GenEvent::End { model: None }, text("Two.")];
    let world = World::new(Sequence::new().reply("lead", Reply::events(broken)));
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!(world.state(&main), "stopped");
    let reason = world.dialog(&main).latest.interruption().expect("a reason").message().to_string();
    assert!(reason.contains("protocol violation"), "{reason}");
    assert_eq!(world.models.requests().len(), 1);
    assert_eq!(record_lines(&world.view(), &main), ["start 1", "person: Go", "end 1"]);
    let mut problems = running.seen.iter().filter_map(|event| match event {
        DriverEvent::Problems(problems) => problems.first().map(|problem| problem.id.clone()),
        _ => None,
    });
    assert_eq!(problems.next_back(), Some(format!("llm_protocol_violation/{main}")));
}

#[tokio::test(start_paused = true)]
async fn a04_a_tool_call_is_followed_by_a_generation_that_sees_call_and_result_together() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "list_dir", r#"{"path":"."}"#))
        .reply("lead", Reply::saying("done"));
    let (world, _running, main) = World::talked(models, "Look").await;
    let lines = record_lines(&world.view(), &main);
    assert_eq!(
        lines[2..],
        ["call t list_dir", "result t", "end 1", "start 2", "says: done", "end 2"]
    );
    let seen = world.models.requests();
    assert_eq!(
        (seen.len(), pairs(&seen[1].messages)),
        (2, vec!["call t".into(), "result t".into()])
    );
}

#[tokio::test(start_paused = true)]
async fn a05_results_are_shown_in_the_order_of_their_calls() {
    let slow = |id: &str| Reply::call(id, "probe", "{}");
    let round = slow("a").and_call("b", "list_dir", r#"{"path":"."}"#).and_call("c", "probe", "{}");
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("Seen."));
    let (world, _) = probe::world(models);
    let mut running = world.start().await;
    running.talk("Go").await;
    let shown = pairs(&world.models.requests()[1].messages);
    assert_eq!(shown, ["call a", "call b", "call c", "result a", "result b", "result c"]);
}

#[tokio::test(start_paused = true)]
async fn a08_a_tool_that_breaks_down_is_a_failed_result_and_stops_nobody() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "probe", r#"{"break":true}"#))
        .reply("lead", Reply::saying("Without it, then."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    assert_eq!((world.state(&main), runs.load(Ordering::SeqCst)), ("idle_waiting_user", 1));
    let seen = world.models.requests();
    assert!(result_of(&seen[1], "t").is_some_and(|text| text.contains("broke down")));
}

#[tokio::test(start_paused = true)]
async fn a09_an_answer_of_nothing_but_a_call_is_no_empty_answer() {
    let models = Sequence::new()
        .reply("lead", Reply::call("t", "probe", "{}"))
        .reply("lead", Reply::saying("done"));
    let (world, _) = probe::world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    assert_eq!((world.state(&main), world.models.requests().len()), ("idle_waiting_user", 2));
}

#[tokio::test(start_paused = true)]
async fn a10_later_generations_see_all_earlier_pairs_once_and_in_order() {
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "probe", "{}"))
        .reply("lead", Reply::call("b", "probe", "{}"))
        .reply("lead", Reply::saying("done"));
    let (world, _) = probe::world(models);
    let mut running = world.start().await;
    running.talk("Go").await;
    let shown = pairs(&world.models.requests()[2].messages);
    assert_eq!(shown, ["call a", "result a", "call b", "result b"]);
}

#[tokio::test(start_paused = true)]
async fn a13_a14_a_dialog_does_one_thing_at_a_time_and_two_dialogs_work_side_by_side() {
    let slow = |text: &str| Reply::saying(text).and_wait(Duration::from_mins(1));
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", slow("seen"))
        .reply("lead", slow("I wait."))
        .reply("lead", Reply::saying("And yes."))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "How far?").await.expect("heard");
    running.idle().await;
    assert_eq!((world.state(&main), world.state(&made(&main, 2))), ("proceeding", "proceeding"));
    running.say(&main, "Really?").await.expect("heard");
    running.quiet().await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "end 2") < place(&lines, "person: Really?"), "{lines:#?}");
    let open = lines.iter().filter(|line| line.starts_with("start")).count();
    assert_eq!(open, lines.iter().filter(|line| line.starts_with("end")).count());
}

#[tokio::test(start_paused = true)]
async fn b01_a_dialog_that_was_restored_is_told_the_same_as_one_that_lived_on() {
    let script = || {
        Sequence::new()
            .reply("lead", Reply::call("t", "list_dir", r#"{"path":"task.tsk"}"#))
            .reply("lead", Reply::call("c", "tellask", &session("alice", "plan", "Plan it.")))
            .reply("alice", Reply::saying("a plan"))
            .reply("lead", Reply::new().and_thinking("Hm.").and_saying("Good."))
            .reply("lead", Reply::saying("As I said."))
    };
    let mut sent = Vec::new();
    for restarted in [false, true] {
        let (world, mut running, main) = World::talked(script(), "Go").await;
        if restarted {
            running.shut_down().await;
            running = world.start().await;
        }
        running.say(&main, "And?").await.expect("heard");
        running.quiet().await;
        sent.push(world.models.requests().pop().expect("a request").messages);
    }
    assert_eq!(sent[0], sent[1]);
}

#[tokio::test(start_paused = true)]
async fn b05_an_idle_dialog_stays_idle_over_a_restart() {
    let (world, running, main) =
        World::talked(Sequence::new().reply("lead", Reply::saying("Hello.")), "Hi").await;
    running.kill().await;
    let before = world.dialog(&main);
    let running = world.start().await;
    running.shut_down().await;
    assert_eq!((world.state(&main), world.dialog(&main)), ("idle_waiting_user", before));
}

#[tokio::test(start_paused = true)]
async fn b08_a_main_dialog_about_to_begin_a_course_does_so_without_continue() {
    let models = Sequence::new()
        .reply("lead", Reply::call("m", "clear_mind", "{}"))
        .reply("lead", Reply::saying("A fresh start."));
    let mut world = World::new(models);
    let main = world.killed_before("\"genseq\":2").await;
    let running = world.start().await;
    assert_eq!((world.state(&main), world.models.remaining()), ("idle_waiting_user", 0));
    assert_eq!(world.dialog(&main).latest.pending_course_start_prompt, None);
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn b15_opening_a_dialog_writes_nothing() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let folder = world.path().join(".dialogs/run").join(main.root.as_str());
    let files = || {
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let written = path.metadata().and_then(|meta| meta.modified()).expect("a time");
                (std::fs::read(&path).unwrap_or_default(), path, written)
            })
            .collect();
        files.sort();
        files
    };
    let before = files();
    let dialog = main.clone();
    running.send(Command::Open { ticket: 9, dialog, course: None }).await;
    running.send(Command::Refresh).await;
    running.idle().await;
    assert_eq!(files(), before);
}

#[tokio::test(start_paused = true)]
async fn a_round_runs_so_many_calls_and_the_rest_are_refused_with_a_result() {
    let mut round = Reply::saying("All at once.");
    for n in 0..40 {
        round = round.and_call(&format!("p{n}"), "probe", "{}");
    }
    let round = round.and_call("c", "tellaskSessionless", &once("alice", "Look."));
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("I see."));
    let (world, runs) = probe::world(models);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    assert_eq!(runs.load(Ordering::SeqCst), 32);
    let last = world.models.requests().pop().expect("a request");
    for (id, refused) in [("p0", false), ("p31", false), ("p32", true), ("p39", true), ("c", true)]
    {
        let result = result_of(&last, id).expect("a result");
        assert_eq!(result.contains("at most 32 calls"), refused, "{id}: {result}");
    }
    assert_eq!(world.tree(&main.root).dialogs.len(), 1, "nobody was asked");
    assert_eq!(world.dialog(&main).history.open_calls().count(), 0);
}
