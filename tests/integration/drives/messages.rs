//! Dialogs over the Messages protocol, with a server on this machine.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use dominds_tui::llm::{Anthropic, Clients, Endpoint, Remote, Sequence};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::common::World;
use crate::common::record_lines::record_lines;

/// The requests, in order.
type Asked = Arc<Mutex<Vec<Value>>>;

/// A server that gives these answers in turn.
struct Server {
    url: String,
    asked: Asked,
    /// Ends with the server.
    _tasks: JoinSet<()>,
}

impl Server {
    async fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Asked::default();
        let answers: VecDeque<String> = answers.iter().map(|&text| text.to_owned()).collect();
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, answers, asked.clone()));
        Self { url, asked, _tasks: tasks }
    }

    fn world(&self) -> World {
        let mut world = World::new(Sequence::new());
        let remote =
            Remote::new(Anthropic::of(&self.url), Endpoint::new(&self.url), Clients::default());
        world.setup.provider = Arc::new(remote);
        world
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

async fn serve(listener: TcpListener, mut answers: VecDeque<String>, asked: Asked) {
    while let Ok((mut socket, _)) = listener.accept().await {
        let body = request(&mut socket).await;
        asked.lock().expect("not poisoned").push(body);
        let answer = answers.pop_front().unwrap_or_default();
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        socket.write_all(format!("{head}{answer}").as_bytes()).await.expect("a listener");
        drop(socket.shutdown().await);
    }
}

async fn request(socket: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    loop {
        socket.read_buf(&mut bytes).await.expect("a request");
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        assert!(head.starts_with("POST /v1/messages "), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.expect("a length").parse().expect("a number");
        if body.len() >= length {
            return serde_json::from_str(body).expect("a body");
        }
    }
}

fn answer(reason: &str, blocks: &[(Value, Value)]) -> String {
    let mut events = vec![json!({"type": "message_start", "message": {"model": "m"}})];
    for (index, (block, delta)) in blocks.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason},
        "usage": {"input_tokens": 5, "output_tokens": 2}}));
    events.push(json!({"type": "message_stop"}));
    let lines: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    lines.concat()
}

fn says(text: &str) -> (Value, Value) {
    (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
}

fn calls(arguments: &str) -> (Value, Value) {
    let block = json!({"type": "tool_use", "id": "toolu_1", "name": "list_dir", "input": {}});
    (block, json!({"type": "input_json_delta", "partial_json": arguments}))
}

#[tokio::test]
async fn h11_broken_arguments_in_the_history_do_not_spoil_later_requests() {
    for arguments in ["{\"path\":", "[1]"] {
        let server = Server::start(&[
            &answer("tool_use", &[calls(arguments)]),
            &answer("end_turn", &[says("I see.")]),
            &answer("end_turn", &[says("And on.")]),
        ])
        .await;
        let world = server.world();
        let mut running = world.start().await;
        let dialog = running.talk("Go").await;
        running.say(&dialog, "On").await.expect("heard");
        running.quiet().await;
        let lines = record_lines(&world.view(), &dialog);
        assert_eq!(lines[lines.len() - 2..], ["says: And on.", "end 3"]);
        let asked = server.asked();
        assert_eq!(asked.len(), 3);
        for body in &asked[1..] {
            let call = &body["messages"][1]["content"][0];
            assert_eq!(call["input"], json!({ "_raw": arguments }), "{body}");
            let result = &body["messages"][2]["content"][0];
            assert_eq!(
                (&result["type"], &result["tool_use_id"]),
                (&json!("tool_result"), &call["id"])
            );
        }
        running.shut_down().await;
    }
}

#[tokio::test]
async fn h06_a_call_that_the_limit_cut_short_is_not_run() {
    for arguments in ["{\"path\":", ""] {
        let server = Server::start(&[
            &answer("max_tokens", &[calls(arguments)]),
            &answer("end_turn", &[says("Shorter then.")]),
        ])
        .await;
        let world = server.world();
        let mut running = world.start().await;
        running.talk("Go").await;
        let asked = server.asked();
        let result = asked[1]["messages"][2]["content"][0]["content"][0]["text"].to_string();
        assert!(result.contains("was not run"), "{result}");
        running.shut_down().await;
    }
}

#[tokio::test]
async fn thoughts_go_back_with_their_signatures_also_after_a_restart() {
    let thinks = (
        json!({"type": "thinking", "thinking": "hm", "signature": ""}),
        json!({"type": "signature_delta", "signature": "sign"}),
    );
    let dark = (json!({"type": "redacted_thinking", "data": "dark"}), json!({}));
    let server = Server::start(&[
        &answer("tool_use", &[thinks, dark, says("Looking."), calls("{\"path\":\".\"}")]),
        &answer("end_turn", &[says("Seen.")]),
        &answer("end_turn", &[says("Yes.")]),
    ])
    .await;
    let world = server.world();
    let mut running = world.start().await;
    let dialog = running.talk("Look").await;
    running.shut_down().await;
    let mut running = world.start().await;
    running.say(&dialog, "Sure?").await.expect("heard");
    running.quiet().await;
    let asked = server.asked();
    for body in &asked[1..] {
        let turn = body["messages"][1]["content"].as_array().expect("blocks");
        assert_eq!(turn[0], json!({"type": "thinking", "thinking": "hm", "signature": "sign"}));
        assert_eq!(turn[1], json!({"type": "redacted_thinking", "data": "dark"}));
        assert_eq!(
            (&turn[2]["text"], &turn[3]["input"]),
            (&json!("Looking."), &json!({"path": "."}))
        );
    }
    running.shut_down().await;
}

#[tokio::test]
async fn a_provider_that_pauses_is_asked_to_go_on_and_the_answer_is_one() {
    let server = Server::start(&[
        &answer("pause_turn", &[says("One, ")]),
        &answer("pause_turn", &[says("two, ")]),
        &answer("end_turn", &[says("three.")]),
    ])
    .await;
    let world = server.world();
    let mut running = world.start().await;
    let dialog = running.talk("Count").await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines[2..], ["says: One, two, three.", "end 1"]);
    let asked = server.asked();
    assert_eq!(asked.len(), 3);
    let turn = &asked[2]["messages"][1];
    assert_eq!(
        (&turn["role"], &turn["content"][1]["text"]),
        (&json!("assistant"), &json!("two, "))
    );
    running.shut_down().await;

    let pauses = vec![answer("pause_turn", &[says("On ")]); 20];
    let pauses: Vec<&str> = pauses.iter().map(String::as_str).collect();
    let server = Server::start(&pauses).await;
    let world = server.world();
    let mut running = world.start().await;
    let dialog = running.talk("Count").await;
    assert_eq!((server.asked().len(), world.state(&dialog)), (17, "stopped"));
    running.shut_down().await;
}
