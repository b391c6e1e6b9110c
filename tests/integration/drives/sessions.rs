//! Sessions: a teammate asked again under the same slug.

use std::time::Duration;

use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;

use super::tellasks::{reply, session};
use super::{made, place, replies, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

fn ask(id: &str, content: &str) -> Reply {
    Reply::call(id, "tellask", &session("alice", "main", content))
}

fn deliver(id: &str, content: &str) -> Reply {
    Reply::call(id, "replyTellask", &reply(content))
}

#[tokio::test(start_paused = true)]
async fn e03_a_session_asked_again_goes_on_in_its_side_dialog() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", deliver("r1", "one"))
        .reply("lead", ask("c2", "Second."))
        .reply("alice", deliver("r2", "two"))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let tree = world.tree(&main.root);
    assert_eq!(tree.dialogs.len(), 2);
    assert_eq!(tree.registry.len(), 1);
    assert_eq!(tree.registry[0].key, "alice!main");
    let lines = record_lines(&world.view(), &made(&main, 2));
    for [first, second] in [
        ["assigned c1", "delivered c1"],
        ["delivered c1", "assigned c2"],
        ["assigned c2", "delivered c2"],
    ] {
        assert!(place(&lines, first) < place(&lines, second), "{first}, {second} in {lines:#?}");
    }
    let last = world.models.requests().pop().expect("a request");
    let texts = replies(&last);
    assert!(texts[0].contains("one") && texts[1].contains("two"), "{texts:?}");
}

#[tokio::test(start_paused = true)]
async fn another_slug_is_another_side_dialog() {
    let round =
        ask("c1", "First.").and_call("c2", "tellask", &session("alice", "other", "Second."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", Reply::saying("one"))
        .reply("alice", Reply::saying("two"))
        .reply("lead", Reply::saying("Done."));
    let (world, _running, main) = World::talked(models, "Go").await;
    assert_eq!(world.tree(&main.root).dialogs.len(), 3);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn e04_the_same_session_twice_in_a_round_closes_the_first_call() {
    let round = ask("c1", "First.").and_call("c2", "tellask", &session("alice", "main", "Second."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", deliver("r", "two"))
        .reply("lead", Reply::saying("Done."));
    let (world, _running, main) = World::talked(models, "Go").await;
    assert_eq!(world.tree(&main.root).dialogs.len(), 2);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "closed c1") < place(&lines, "answered c2"));
    assert!(!lines.contains(&"answered c1".to_owned()));
    let side = record_lines(&world.view(), &made(&main, 2));
    assert!(!side.contains(&"assigned c1".to_owned()));
    assert_eq!(world.state(&main), "idle_waiting_user");
    let asked = world.models.requests().iter().filter(|request| request.model == "lead").count();
    assert_eq!(asked, 2, "it waits once, and goes on once: {lines:#?}");
}

/// The lead asks, is spoken to while it waits, and asks the same session again.
fn asked_again() -> Sequence {
    let slow = Reply::new().and_wait(Duration::from_mins(1)).and_call(
        "r1",
        "replyTellask",
        &reply("about the first"),
    );
    Sequence::new()
        .reply("lead", ask("c1", "First."))
        .reply("alice", slow)
        .reply("lead", ask("c2", "Second."))
}

#[tokio::test(start_paused = true)]
async fn e06_e07_a_newer_request_closes_the_earlier_call_and_an_old_reply_never_answers_it() {
    let models = asked_again()
        .reply("alice", deliver("r2", "about the second"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.say(&main, "Rather this.").await.expect("heard");
    running.quiet().await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "closed c1") < place(&lines, "answered c2"), "{lines:#?}");
    assert!(place(&lines, "answered c2") < place(&lines, "start 3"), "{lines:#?}");
    assert!(!lines.contains(&"answered c1".to_owned()));
    let seen = world.models.requests();
    let all: String = seen.iter().flat_map(replies).collect();
    assert!(all.contains("about the second") && !all.contains("about the first"));
    let side = made(&main, 2);
    let lines = record_lines(&world.view(), &side);
    assert!(
        place(&lines, "plain call r1 replyTellask") < place(&lines, "assigned c2"),
        "{lines:#?}"
    );
    assert!(!lines.contains(&"delivered c1".to_owned()));
    let second = seen.iter().rfind(|request| request.model == "alice").expect("asked twice");
    assert!(result_of(second, "r1").is_some_and(|text| text.starts_with("Not delivered")));
    for id in [&main, &side] {
        assert_eq!(world.state(id), "idle_waiting_user");
        assert!(world.dialog(id).pending.is_empty() && world.dialog(id).obligation().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn e08_a_session_that_another_dialog_asks_changes_its_owner_and_the_earlier_owner_goes_on() {
    // alice works for the lead; bob, asked by the lead too, asks the same session of alice.
    let slow = Reply::new().and_wait(Duration::from_mins(1)).and_saying("about the first");
    let late = Reply::new().and_wait(Duration::from_secs(5)).and_call(
        "b",
        "tellask",
        &session("alice", "main", "Second."),
    );
    let round = ask("c1", "First.").and_call("c2", "tellask", &session("bob", "main", "Help."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", slow)
        .reply("bob", late)
        .reply("alice", Reply::saying("about the second"))
        .reply("bob", Reply::saying("helped"))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "closed c1") < place(&lines, "answered c2"), "{lines:#?}");
    let bob = record_lines(&world.view(), &made(&main, 3));
    assert!(bob.contains(&"answered b".to_owned()), "{bob:#?}");
    let texts: String = world.models.requests().iter().flat_map(replies).collect();
    assert!(texts.contains("about the second"), "{texts}");
    assert!(!texts.contains("about the first"), "{texts}");
    assert_eq!(world.models.remaining(), 0);
}
