//! The real program with a provider that speaks the Messages protocol, on this machine: the
//! configuration reaches the server, and the server's messages reach the person.

use std::fs;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::http::{self, Request};
use crate::common::wait::output;

const ANSWER: &str = r#"{"type":"message","model":"m-1","stop_reason":"end_turn","content":[{"type":"thinking","thinking":"hm","signature":"sign"},{"type":"text","text":"Hello there."}],"usage":{"input_tokens":5,"output_tokens":2}}"#;

/// Answers every request alike; hands the requests on.
fn server() -> (u16, Receiver<Request>) {
    let (requests, received) = channel();
    let port = http::serve("127.0.0.1:0", move |request| {
        let _ = requests.send(request.clone());
        Some(http::json("200 OK", ANSWER))
    });
    (port, received)
}

#[test]
fn a_member_of_an_anthropic_provider_is_asked_with_its_own_settings_and_headers() {
    let (port, requests) = server();
    let top = tempfile::tempdir().expect("a folder");
    let minds = top.path().join(".minds");
    fs::create_dir(&minds).expect("a folder");
    let llm = format!(
        "providers:\n  p:\n    apiType: anthropic\n    baseUrl: http://127.0.0.1:{port}/anthropic\n    \
         apiKeyEnvVar: SOME_KEY\n    models: {{ m: {{ output_length: 4000 }} }}\n"
    );
    fs::write(minds.join("llm.yaml"), llm).expect("a file");
    let team = "members:\n  lead:\n    provider: p\n    model: m\n    streaming: false\n    \
                diligence-push-max: 0\n    model_params:\n      openai: { top_p: 0.1 }\n      \
                anthropic: { thinking_budget: 2000, stop_sequences: [END] }\n";
    fs::write(minds.join("team.yaml"), team).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.args(["-C".as_ref(), top.path().as_os_str(), "run".as_ref(), "Hi".as_ref()]);
    let run = output(command.env_clear().env("HOME", top.path()).env("SOME_KEY", "sk-1"));
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(output.contains("Hello there."), "{output}{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{output}");
    let request = requests.recv_timeout(Duration::from_secs(5)).expect("a request");
    let head = request.head.to_lowercase();
    let body: Value = serde_json::from_str(&request.body).expect("JSON");
    assert!(head.starts_with("post /anthropic/v1/messages "), "{head}");
    assert!(head.contains("x-api-key: sk-1") && !head.contains("authorization"), "{head}");
    for (key, expected) in [
        ("model", json!("m")),
        ("max_tokens", json!(4000)),
        ("thinking", json!({"type": "enabled", "budget_tokens": 2000})),
        ("stop_sequences", json!(["END"])),
        ("stream", json!(false)),
        ("top_p", Value::Null),
    ] {
        assert_eq!(body.get(key).cloned().unwrap_or_default(), expected, "{key}");
    }
}
