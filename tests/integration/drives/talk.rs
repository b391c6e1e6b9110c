//! A person and one member: words, thoughts, messages that wait.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dominds_tui::domain::Bucket;
use dominds_tui::llm::{GenEvent, Message, Reply, Segment, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use serde_json::json;

use crate::common::World;
use crate::common::record_lines::record_lines;

#[tokio::test(start_paused = true)]
async fn a01_a_message_is_recorded_before_its_answer() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Hello.")));
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines, ["start 1", "person: Hi", "says: Hello.", "end 1"]);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a02_thoughts_and_sayings_become_one_record_each_in_their_order() {
    let reply = Reply::new()
        .and_thinking("a")
        .and_thinking("b")
        .and_saying("c")
        .and_thinking("d")
        .and_saying("e")
        .and_saying("f");
    let (world, _running, dialog) = World::talked(Sequence::new().reply("lead", reply), "Hi").await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[2..], ["thinks: ab", "says: c", "thinks: d", "says: ef", "end 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_thought_goes_back_to_its_provider_as_it_came_also_one_without_a_text() {
    let payload = |text: &str| json!({ "summary": [], "encrypted_content": text });
    let reply = Reply::events(vec![
        GenEvent::Delta { segment: Segment::Thinking, text: "hm".to_owned() },
        GenEvent::Thought(payload("one")),
        GenEvent::Thought(payload("two")),
        GenEvent::Delta { segment: Segment::Saying, text: "c".to_owned() },
    ]);
    let models = Sequence::new().reply("lead", reply).reply("lead", Reply::saying("d"));
    let (world, mut running, dialog) = World::talked(models, "Hi").await;
    running.say(&dialog, "again").await.expect("heard");
    running.quiet().await;
    let requests = world.models.requests();
    let is_thought = |message: &&Message| matches!(message, Message::Thinking { .. });
    let sent: Vec<Message> = requests[1].messages.iter().filter(is_thought).cloned().collect();
    let thought =
        |text: &str, n| Message::Thinking { text: text.to_owned(), payload: Some(payload(n)) };
    assert_eq!(sent, [thought("hm", "one"), thought("", "two")]);
    let key = requests[1].params.cache_key.clone();
    assert_eq!(key, Some(format!("{}:c1", dialog.this)));
}

#[tokio::test(start_paused = true)]
async fn a12_a_message_said_while_the_model_writes_waits_for_the_boundary_and_is_safe_meanwhile() {
    let slow = Reply::saying("one").and_wait(Duration::from_mins(1)).and_saying(" two");
    let models = Sequence::new().reply("lead", slow).reply("lead", Reply::saying("three"));
    let (world, mut running, dialog) = World::begun(models, "first").await;
    running.say(&dialog, "second").await.expect("heard");
    running.say(&dialog, "third").await.expect("heard");
    assert_eq!(world.models.requests().len(), 1);
    let waiting = world.dialog(&dialog).queue;
    let waiting: Vec<&str> = waiting.iter().map(|prompt| prompt.content.as_str()).collect();
    assert_eq!(waiting, ["second", "third"]);
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    let after = ["start 2", "person: second", "person: third", "says: three", "end 2"];
    assert_eq!(lines[..4], ["start 1", "person: first", "says: one two", "end 1"]);
    assert_eq!(lines[4..], after);
    assert!(world.dialog(&dialog).queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn empty_words_and_unknown_dialogs_are_refused() {
    let (world, mut running, dialog) =
        World::talked(Sequence::new().reply("lead", Reply::saying("Hello.")), "Hi").await;
    assert!(running.say(&dialog, " \n").await.is_err());
    assert!(running.say(&super::made(&dialog, 99), "Hi").await.is_err());
    assert_eq!(record_lines(&world.view(), &dialog).len(), 4);
    assert!(running.begin(" \n").await.is_err());
    let listed = world.view().survey(&[Bucket::Run]).trees;
    assert_eq!(listed.len(), 1, "no dialog without words is left");
}

fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "jsonl" || e == "yaml" || e == "json") {
            found.insert(path.clone(), std::fs::read_to_string(&path).expect("text"));
        }
    }
    found
}

/// A turn with a tool, two side dialogs and a question.
async fn everything() -> Vec<(PathBuf, String)> {
    let round = Reply::saying("I start.")
        .and_call("t", "probe", "{}")
        .and_call("c1", "tellask", &super::tellasks::session("alice", "one", "Do it."))
        .and_call("c2", "tellaskSessionless", &super::tellasks::once("bob", "Look."))
        .and_call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#);
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::saying("I go on."))
        .reply("lead", Reply::saying("Done."))
        .reply("alice", Reply::call("r1", "replyTellask", r#"{"replyContent":"did"}"#))
        .reply("bob", Reply::saying("looked"));
    let mut world = World::new(models);
    // No tool that works on a thread of its own: when that one ends is not for us to say.
    world.setup.tools = super::probe::registry().0;
    let mut running = world.start().await;
    running.talk("Go").await;
    let question = super::question(&running);
    running.answer(&question, "this").await.expect("an answer");
    running.quiet().await;
    running.shut_down().await;
    let below = world.path().join(".dialogs");
    let shorter = |path: PathBuf| path.strip_prefix(&below).expect("below").to_owned();
    files(&below).into_iter().map(|(path, text)| (shorter(path), text)).collect()
}

#[tokio::test(start_paused = true)]
async fn two_runs_of_one_script_write_the_same_bytes() {
    let first = everything().await;
    assert_eq!(first.len(), 15);
    for (one, other) in first.into_iter().zip(everything().await) {
        assert_eq!(one, other);
    }
}
