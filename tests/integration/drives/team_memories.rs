//! What a team remembers, in whole dialogs. With the real store, whose thread no paused clock waits for.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use dominds_tui::domain::DialogId;
use dominds_tui::domain::teams::memory::{ListedMemories, Memory};
use dominds_tui::llm::{Reply, Request, Sequence};
use dominds_tui::protocol::{Command, DriverEvent, MemoriesRequest};
use serde_json::{Value, json};

use super::support::open_problems;
use super::tasks::{says, world};
use super::{reply_to, result_of};
use crate::common::{Running, World};

const TEXT: &str = "Redis connections timeout after 30s under load. Increase pool size to 20.";

fn saves() -> Reply {
    let args = json!({ "key": "redis-timeout", "content": TEXT, "type": "lesson" });
    Reply::call("s", "memory_save", &args.to_string())
}

fn tools(request: &Request) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn memory_tools(request: &Request) -> usize {
    tools(request).iter().filter(|name| name.starts_with("memory_")).count()
}

#[tokio::test]
async fn s12_1_what_a_member_saves_is_found_and_stands_in_the_prompts_of_later_dialogs() {
    let search = Reply::call("f", "memory_search", r#"{"query":"redis connection pool"}"#);
    let models = Sequence::new()
        .reply("lead", saves())
        .reply("lead", search)
        .reply("lead", says("Noted."))
        .reply("lead", says("Hello."));
    let world = world(models, "memory: on\n");
    let mut running = world.start().await;
    running.talk("Go").await;
    running.talk("Again").await;
    running.shut_down().await;
    let requests = world.models.requests();
    let [first, second, third, later] = requests.as_slice() else { panic!("{}", requests.len()) };
    assert_eq!(memory_tools(first), 4);
    let saved: Value =
        serde_json::from_str(result_of(second, "s").expect("a result")).expect("JSON");
    assert_eq!((&saved["success"], &saved["type"]), (&json!(true), &json!("lesson")));
    let found: Value =
        serde_json::from_str(result_of(third, "f").expect("a result")).expect("JSON");
    assert_eq!(found["results"][0]["snippet"], json!(TEXT));
    assert!(!first.system.contains("\n# Memory\n"));
    assert!(
        first.system == second.system && second.system == third.system,
        "it stays for a course"
    );
    assert!(
        later.system.contains(&format!("\n[LESSON] redis-timeout: {TEXT}\n")),
        "{}",
        later.system
    );
}

#[tokio::test]
async fn memories_that_cannot_be_read_are_a_problem_and_are_read_again_in_the_same_course() {
    let models = Sequence::new()
        .reply("lead", saves())
        .reply("lead", says("Noted."))
        .reply("lead", says("Hello."))
        .reply("lead", says("Hello again."));
    let world = world(models, "memory: on\n");
    let mut running = world.start().await;
    running.talk("Go").await;
    running.shut_down().await;
    let database = world.path().join(".hive/hive.db");
    let usual = fs::metadata(&database).expect("a store").permissions();
    let others_may_write = Permissions::from_mode(usual.mode() | 0o006);
    fs::set_permissions(&database, others_may_write).expect("a mode");
    let mut running = world.start().await;
    let dialog = running.talk("Again").await;
    let id = format!("memory/unread/{dialog}");
    let is_told = |running: &Running| open_problems(running).iter().any(|one| one.id == id);
    assert!(is_told(&running), "{:?}", open_problems(&running));
    fs::set_permissions(&database, usual).expect("a mode");
    running.say(&dialog, "And now?").await.expect("heard");
    running.quiet().await;
    assert!(!is_told(&running), "{:?}", open_problems(&running));
    running.shut_down().await;
    let requests = world.models.requests();
    let [.., without, with] = requests.as_slice() else { panic!("{}", requests.len()) };
    let line = format!("\n[LESSON] redis-timeout: {TEXT}\n");
    assert_eq!((without.system.contains(&line), with.system.contains(&line)), (false, true));
}

#[tokio::test]
async fn s12_10_without_the_key_there_is_no_tool_and_no_byte_of_a_prompt() {
    let mut seen = Vec::new();
    for hive in ["", "memory: off\n"] {
        let models = Sequence::new().reply("lead", saves()).reply("lead", says("So be it."));
        let world: World = world(models, hive);
        let mut running = world.start().await;
        running.talk("Go").await;
        running.shut_down().await;
        let requests = world.models.requests();
        assert_eq!(memory_tools(&requests[0]), 0);
        let refused = result_of(&requests[1], "s").expect("a result").to_owned();
        assert!(refused.contains("There is no tool `memory_save` here"), "{refused}");
        let names: Vec<String> = tools(&requests[0]).into_iter().map(str::to_owned).collect();
        seen.push((requests[0].system.clone(), names));
    }
    assert_eq!(seen[0], seen[1]);
    assert!(!seen[0].0.contains("memory_save"));
}

async fn asked(running: &mut Running, request: MemoriesRequest) -> DriverEvent {
    reply_to(running, |ticket| Command::Memories { ticket, request }).await
}

async fn rows(running: &mut Running, request: MemoriesRequest) -> Vec<Memory> {
    match asked(running, request).await {
        DriverEvent::Memories { rows, .. } => rows,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn s12_5_a_client_lists_finds_deletes_and_restores_what_a_member_saved() {
    let models = Sequence::new().reply("lead", saves()).reply("lead", says("Noted."));
    let world = world(models, "memory: on\n");
    let mut running = world.start().await;
    running.talk("Go").await;
    let list = |listed| MemoriesRequest::List { listed };
    let search = || MemoriesRequest::Search { text: "redis pool".to_owned() };
    let active = rows(&mut running, list(ListedMemories::Active)).await;
    let [Memory { team, key, dialog, content, .. }] = active.as_slice() else {
        panic!("{active:?}")
    };
    assert_eq!((key.as_str(), content.as_str()), ("redis-timeout", TEXT));
    assert!(dialog.as_deref().is_some_and(|text| DialogId::parse(text).is_some()), "{dialog:?}");
    assert_eq!(rows(&mut running, search()).await.len(), 1);
    let (team, key) = (|| team.clone(), || key.clone());
    let delete = || MemoriesRequest::Delete { team: team(), key: key() };
    assert!(matches!(asked(&mut running, delete()).await, DriverEvent::Done { .. }));
    assert!(matches!(asked(&mut running, delete()).await, DriverEvent::Refused { .. }));
    assert!(rows(&mut running, search()).await.is_empty());
    assert_eq!(rows(&mut running, list(ListedMemories::Deleted)).await.len(), 1);
    let chain = MemoriesRequest::Chain { team: team(), key: key() };
    let DriverEvent::MemoryChain { chain, left_out: 0, .. } = asked(&mut running, chain).await
    else {
        panic!("no chain")
    };
    assert!(chain.len() == 1 && chain[0].deleted_at.is_some(), "{chain:?}");
    let restore = MemoriesRequest::Restore { team: team(), key: key() };
    assert!(matches!(asked(&mut running, restore).await, DriverEvent::Done { .. }));
    assert_eq!(rows(&mut running, list(ListedMemories::Active)).await.len(), 1);
    running.shut_down().await;
}

#[tokio::test]
async fn s12_10_a_client_that_asks_without_the_key_makes_no_store() {
    let world = world(Sequence::new(), "version: 1\n");
    let mut running = world.start().await;
    for request in [
        MemoriesRequest::List { listed: ListedMemories::Active },
        MemoriesRequest::Search { text: "redis".to_owned() },
    ] {
        let refused = running.ask(|ticket| Command::Memories { ticket, request }).await;
        let refused = refused.expect_err("memory is off");
        assert!(refused.contains("memory: on"), "{refused}");
    }
    running.shut_down().await;
    assert!(!world.path().join(".hive").exists());
}
