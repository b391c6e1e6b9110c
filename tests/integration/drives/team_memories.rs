//! What a team remembers, in whole dialogs. With the real store, whose thread no paused clock waits for.

use dominds_tui::llm::{Reply, Request, Sequence};
use serde_json::{Value, json};

use super::result_of;
use super::tasks::{says, world};
use crate::common::World;

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
