//! The real program with a provider that speaks the Messages protocol, on this machine: what stands in
//! the configuration reaches the server, and what the server says reaches the person.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

const ANSWER: &str = r#"{"type":"message","model":"m-1","stop_reason":"end_turn","content":[{"type":"thinking","thinking":"hm","signature":"sign"},{"type":"text","text":"Hello there."}],"usage":{"input_tokens":5,"output_tokens":2}}"#;

/// Answers every request alike; tells the heads and bodies.
fn server() -> (u16, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (requests, told) = channel();
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let Some(request) = read(&mut socket) else { continue };
            let _ = requests.send(request);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let _ = write!(socket, "{head}\r\ncontent-length: {}\r\n\r\n{ANSWER}", ANSWER.len());
        }
    });
    (port, told)
}

fn read(socket: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut block = [0; 4096];
    loop {
        let taken = socket.read(&mut block).ok().filter(|taken| *taken > 0)?;
        bytes.extend(block.iter().take(taken));
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        if let Ok(body) = serde_json::from_str(body) {
            return Some((head.to_lowercase(), body));
        }
    }
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
    let run = Command::new(env!("CARGO_BIN_EXE_dominds-tui"))
        .args(["-C".as_ref(), top.path().as_os_str(), "run".as_ref(), "Hi".as_ref()])
        .env_clear()
        .env("HOME", top.path())
        .env("SOME_KEY", "sk-1")
        .output()
        .expect("the program");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(told.contains("Hello there."), "{told}{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{told}");
    let (head, body) = requests.recv_timeout(Duration::from_secs(5)).expect("a request");
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
