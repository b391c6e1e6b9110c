//! Whole dialogs over a real connection that breaks: the files and the effects afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dominds_tui::llm::{Clients, Compat, Endpoint, Remote, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::{place, probe};
use crate::common::record_lines::record_lines;

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}\n\n", json!({"model": "m", "choices": [choice]}))
}

/// A thought, a saying and a call, the arguments in pieces.
fn first_answer() -> String {
    let piece = |id: Option<&str>, name: Option<&str>, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        chunk(&json!({"tool_calls": [{"index": 0, "id": id, "function": function}]}), None)
    };
    [
        chunk(&json!({"reasoning_content": "hm"}), None),
        chunk(&json!({"content": "I look "}), None),
        chunk(&json!({"content": "字."}), None),
        piece(Some("c"), Some("probe"), "{\"ha"),
        piece(None, None, "ng\":false}"),
        chunk(&json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

fn last_answer() -> String {
    chunk(&json!({"content": "Done."}), Some("stop")) + "data: [DONE]\n\n"
}

async fn request(socket: &mut TcpStream) -> String {
    let mut read = Vec::new();
    loop {
        let more = socket.read_buf(&mut read).await.expect("a request");
        let text = String::from_utf8_lossy(&read);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        if body.len() >= length || more == 0 {
            return text.into_owned();
        }
    }
}

/// Answers the first request with these bytes, others whole.
async fn serve(listener: TcpListener, fault: Vec<u8>, asked: Arc<AtomicUsize>) {
    loop {
        let (mut socket, _) = listener.accept().await.expect("a connection");
        let seen = request(&mut socket).await;
        let first = asked.fetch_add(1, Ordering::SeqCst) == 0;
        let answer = if seen.contains("\"role\":\"tool\"") {
            format!("{HEAD}{}", last_answer()).into_bytes()
        } else if first {
            fault.clone()
        } else {
            format!("{HEAD}{}", first_answer()).into_bytes()
        };
        // The other side may have gone.
        drop(socket.write_all(&answer).await);
        drop(socket.shutdown().await);
    }
}

/// Drives one dialog whose first request is answered with these bytes; how often it asked.
async fn driven(fault: Vec<u8>, what: &str) -> usize {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let mut server = JoinSet::new();
    server.spawn(serve(listener, fault, asked.clone()));
    let (mut world, runs) = probe::world(Sequence::new());
    let remote = Remote::new(Compat::default(), Endpoint::new(&url), Clients::default());
    world.setup.provider = Arc::new(remote);
    let models = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("models");
    let hasty = "    baseUrl: none\n    llm_retry_initial_delay_ms: 1\n    \
                 llm_retry_conservative_delay_ms: 1\n    llm_retry_max_delay_ms: 1\n";
    world.put(".minds/llm.yaml", &models.replace("    baseUrl: none\n", hasty));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done, "{what}");
    let lines = record_lines(&world.view(), &dialog);
    let expected = [
        "start 1",
        "person: Go",
        "thinks: hm",
        "says: I look 字.",
        "call c probe",
        "result c",
        "end 1",
        "start 2",
        "says: Done.",
        "end 2",
    ];
    assert_eq!(lines, expected, "{what}");
    assert_eq!(runs.load(Ordering::SeqCst), 1, "{what}: the call ran once");
    assert_eq!(place(&lines, "says: Done."), 8);
    asked.load(Ordering::SeqCst)
}

#[tokio::test]
async fn h05_a_stream_cut_anywhere_leaves_one_answer_on_disk_and_one_run_of_its_call() {
    let whole = format!("{HEAD}{}", first_answer());
    let finished = whole.find("\"tool_calls\"}").expect("a finish");
    let cuts: Vec<usize> = (0..whole.len()).step_by(11).collect();
    assert!(cuts.len() >= 60, "{}", cuts.len());
    for at in cuts {
        let asked = driven(whole.as_bytes()[..at].to_vec(), &format!("cut after {at}")).await;
        assert!(at > finished || asked == 3, "cut after {at}: {asked}");
    }
}

#[tokio::test]
async fn h03_whatever_fails_once_leaves_nothing_of_the_attempt() {
    let answer = first_answer();
    let half = &answer[..answer.len() / 2];
    let page = "<html><h1>Bad gateway</h1></html>";
    for (what, fault) in [
        ("a server error", "HTTP/1.1 500 No\r\nconnection: close\r\n\r\n".to_owned()),
        ("a page", format!("HTTP/1.1 502 No\r\nconnection: close\r\n\r\n{page}")),
        ("a page as an answer", format!("{HEAD}{page}")),
        ("too many", "HTTP/1.1 429 No\r\nretry-after: 0\r\nconnection: close\r\n\r\n".to_owned()),
        ("an error within", format!("{HEAD}{half}data: {{\"error\":{{\"message\":\"no\"}}}}\n\n")),
        ("an empty answer", format!("{HEAD}{}", chunk(&json!({}), Some("stop")))),
        ("no JSON", format!("{HEAD}{}data: {{oops\n\n", chunk(&json!({"content": "I"}), None))),
        ("no HTTP", "hello\r\n\r\n".to_owned()),
        ("nothing", String::new()),
    ] {
        assert_eq!(driven(fault.into_bytes(), what).await, 3, "{what}");
    }
}
