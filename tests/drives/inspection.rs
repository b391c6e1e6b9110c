//! What the command line tells of dialogs that stand still.

use std::process::Command as Process;

use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use serde_json::{Value, json};

use crate::common::World;
use crate::made;

/// Runs the program on the workspace; standard output, and the exit status.
fn told(world: &World, arguments: &[&str]) -> (String, i32) {
    let done = Process::new(env!("CARGO_BIN_EXE_dominds-tui"))
        .arg("-C")
        .arg(world.path())
        .args(arguments)
        .env("LC_ALL", "C")
        .output()
        .expect("the program runs");
    let text = String::from_utf8(done.stdout).expect("text");
    (text, done.status.code().expect("a status"))
}

fn json_of(world: &World, arguments: &[&str]) -> Value {
    let (text, status) = told(world, arguments);
    assert_eq!(status, 0, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test(start_paused = true)]
async fn dialogs_and_show_tell_what_a_dialog_waits_for_and_what_to_do() {
    let ask =
        json!({"targetAgentId": "alice", "sessionSlug": "db", "tellaskContent": "Choose\nit"});
    let models = Sequence::new()
        .reply("lead", Reply::call("t1", "tellask", &ask.to_string()).and_usage(800, 200))
        .reply("alice", Reply::call("q1", "askHuman", r#"{"tellaskContent":"Which db?"}"#));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.talk("Begin").await;
    running.shut_down().await;
    let side = made(&main, 2);

    let dialogs = json_of(&world, &["dialogs", "--json"]);
    let root = &dialogs[0];
    assert_eq!(root["pendingSideDialogs"], json!(1));
    assert_eq!(root["reason"], json!("waits for side dialogs"));
    let pending = &root["pending"][0];
    for (key, expected) in [
        ("selfId", json!(side.this)),
        ("agentId", json!("alice")),
        ("callId", json!("t1")),
        ("callType", json!("B")),
        ("sessionSlug", json!("db")),
        ("headline", json!("Choose")),
    ] {
        assert_eq!(pending[key], expected, "{key}");
    }
    assert_eq!(root["registry"][0]["key"], json!("alice!db"));
    assert_eq!(root["problems"], json!([]));
    assert_eq!(root["contextHealth"]["kind"], json!("unavailable"));
    assert_eq!(root["keepGoing"], Value::Null);
    let asked = &root["sideDialogs"][0];
    let question = asked["questions"][0]["id"].as_str().expect("an id");
    assert_eq!(asked["questions"][0]["headline"], json!("Which db?"));
    assert_eq!(asked["next"], json!(format!("dominds-tui q4h answer {question} TEXT")));

    let (text, _) = told(&world, &["dialogs"]);
    assert!(text.contains(&format!("waits for @alice !db  {side}  call t1  Choose")), "{text}");
    assert!(text.contains("? Which db?"), "{text}");

    let show = json_of(&world, &["show", &side.to_string(), "--json"]);
    assert_eq!(show["dialog"], *asked);
    assert!(show["records"].as_array().is_some_and(|records| !records.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_dialog_says_why_and_a_crowded_taskdoc_is_found_by_the_doctor() {
    let refused = LlmError::new(ErrorClass::Rejected, "no credit");
    let world = World::new(Sequence::new().reply("lead", Reply::failure(refused)));
    let mut running = world.start().await;
    let main = running.talk("Begin").await;
    running.shut_down().await;
    let (text, status) = told(&world, &["doctor"]);
    assert_eq!((status, text.contains("no problem")), (0, true), "{text}");
    let dialogs = json_of(&world, &["dialogs", "--json"]);
    assert!(dialogs[0]["reason"].as_str().is_some_and(|why| why.contains("no credit")));
    let next = format!("mend the cause, then: dominds-tui resume {main} && dominds-tui drive");
    assert_eq!(dialogs[0]["next"], json!(next));

    world.put("task.tsk/notes.txt", "x");
    let (text, status) = told(&world, &["doctor"]);
    assert_eq!(status, 6, "{text}");
    assert!(text.contains("`notes.txt` does not belong there"), "{text}");
}
