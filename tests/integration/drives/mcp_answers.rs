//! Answers of MCP servers that cannot be read, and servers that end between two calls, in whole dialogs. Without
//! `python3` those that are programs are skipped.

use std::collections::VecDeque;

use dominds_tui::llm::{Reply, Sequence};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::mcp::{SERVER, python, world_with};
use super::result_of;
use crate::common::World;

/// A world whose only server is the program for tests, with these tools.
fn world(models: Sequence, tools: &str) -> World {
    let entry = format!("s: {{ command: python3, args: ['{SERVER}', {tools}] }}");
    world_with(models, &format!("servers: {{ {entry} }}\n"))
}

/// How often the server was started.
fn starts(world: &World) -> usize {
    let journal = std::fs::read_to_string(world.path().join("journal")).unwrap_or_default();
    journal.lines().filter(|line| line.starts_with("starts")).count()
}

/// A call in each of several rounds, `0`, `1`, …, with these arguments.
fn rounds(tool: &str, arguments: impl Iterator<Item = Value>) -> Sequence {
    arguments.enumerate().fold(Sequence::new(), |models, (at, arguments)| {
        models.reply("lead", Reply::call(&at.to_string(), tool, &arguments.to_string()))
    })
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_its_call_at_once_and_the_server_goes_on() {
    if !python() {
        return;
    }
    let unreadable = [
        r#"{"jsonrpc":"2.0","id":ID,"result":{"a":NaN}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"te"#,
        r#"{"result":{"content":[{"type":"te"#,
        r#"{"jsonrpc":"2.0","id":ID"#,
        r#"{"js"#,
        r#"e":"text","text":"ok"}]},"jsonrpc":"2.0","id":ID}"#,
        r#""text":"ok"}]}}"#,
        r#"[{"jsonrpc":"2.0","id":ID,"result":NaN}]"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":"request","result":{}}"#,
        r#"{"jsonrpc":"2.0"}"#,
    ];
    let models = rounds("raw", unreadable.iter().map(|line| json!({"lines": [line]})))
        .reply("lead", Reply::call("next", "count", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "raw, count");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let last = seen.last().expect("a request");
    for (at, line) in unreadable.iter().enumerate() {
        let result = result_of(last, &at.to_string()).expect("a result");
        assert!(result.contains("the answer cannot be read"), "{line}: {result}");
        assert!(!result.contains("waiting requests"), "it is the only one: {result}");
    }
    let next = result_of(last, "next").expect("a result");
    assert!(next.starts_with(&format!("call {} of", unreadable.len() + 1)), "{next}");
    running.shut_down().await;
}

#[tokio::test]
async fn an_answer_that_can_be_repaired_reaches_the_model() {
    if !python() {
        return;
    }
    let answer = |text: &str| {
        let content = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{content}}}"#)
    };
    let odd = [
        (answer("caf\u{e9}"), "caf\u{fffd}"),
        (answer(r"a \ud99c b"), "a \u{fffd} b"),
        (format!("[{}]", answer("in a batch")), "in a batch"),
        (answer("with a null").replace("}]}}", r#"}]},"error":null}"#), "with a null"),
        (answer("by a text").replace("ID", r#""ID""#), "by a text"),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"for none"}}"#.to_owned(),
            "for none",
        ),
    ];
    let models = rounds("raw", odd.iter().map(|(line, _)| json!({"lines": [line]})))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "raw");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    for (at, (line, expected)) in odd.iter().enumerate() {
        let result = result_of(seen.last().expect("a request"), &at.to_string());
        assert!(result.is_some_and(|text| text.contains(expected)), "{line}: {result:?}");
    }
    running.shut_down().await;
}

#[tokio::test]
async fn an_answer_that_may_be_that_of_any_call_fails_all_that_wait_and_says_so() {
    if !python() {
        return;
    }
    let arguments = json!({"lines": [r#"{"result":{"content":[{"ty"#], "calls": 2}).to_string();
    let round = Reply::call("a", "raw", &arguments).and_call("b", "raw", &arguments);
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::call("c", "count", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "raw, count");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let last = seen.last().expect("a request");
    for call in ["a", "b"] {
        let result = result_of(last, call).expect("a result");
        assert!(result.contains("the answer cannot be read"), "{result}");
        assert!(result.contains("which of the waiting requests it answers: 2"), "{result}");
    }
    assert!(result_of(last, "c").is_some_and(|text| text.starts_with("call 3 of")));
    running.shut_down().await;
}

#[tokio::test]
async fn a_call_that_a_server_ended_without_taking_is_made_once_more_on_a_new_one() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "last", "{}"))
        .reply("lead", Reply::call("b", "last", "{}"))
        .reply("lead", Reply::call("c", "count", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "last, count");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let last = seen.last().expect("a request");
    assert_eq!((result_of(last, "a"), result_of(last, "b")), (Some("the last"), Some("the last")));
    let new = result_of(last, "c").expect("a result");
    assert!(new.starts_with("call 1 of"), "{new}");
    assert_eq!(starts(&world), 3);
    running.shut_down().await;
}

#[tokio::test]
async fn a_call_that_a_new_server_does_not_take_either_is_not_made_again() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "deaf", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "deaf");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let result = result_of(&seen[1], "a").expect("a result");
    assert!(result.contains("was not run") && result.contains("before it took"), "{result}");
    assert_eq!(starts(&world), 2);
    running.shut_down().await;
}

#[tokio::test]
async fn a_call_that_a_server_may_have_taken_is_not_made_again() {
    if !python() {
        return;
    }
    let models = Sequence::new()
        .reply("lead", Reply::call("a", "crash", "{}"))
        .reply("lead", Reply::saying("Done."));
    let world = world(models, "crash");
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    let result = result_of(&seen[1], "a").expect("a result");
    assert!(result.contains("broke off") && result.contains("not known"), "{result}");
    assert_eq!(starts(&world), 1);
    running.shut_down().await;
}

/// A message as a request brings it.
async fn posted(socket: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length?.parse::<usize>().ok()? {
            return serde_json::from_str(body).ok();
        }
    }
}

fn http(status: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

/// A server over HTTP with a tool `f`, which gives these answers in turn, with the number of the call for `ID`.
/// What is an event stream stays open.
async fn serving(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let (mut answers, mut open) = (VecDeque::from(answers), Vec::new());
    #[expect(clippy::disallowed_methods, reason = "a server of the test, ended with its runtime")]
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let Some(message) = posted(&mut socket).await else { continue };
            let result = |result: Value| {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                http("200 OK", "application/json", &answer.to_string())
            };
            let answer = match message["method"].as_str().unwrap_or_default() {
                "initialize" => result(json!({
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "test", "version": "1"},
                })),
                "tools/list" => {
                    result(json!({"tools": [{"name": "f", "inputSchema": {"type": "object"}}]}))
                }
                "tools/call" => {
                    let answer = answers.pop_front().unwrap_or_default();
                    answer.replace("ID", &message["id"].to_string())
                }
                _ => http("202 Accepted", "text/plain", ""),
            };
            let _ = socket.write_all(answer.as_bytes()).await;
            if answer.contains("text/event-stream") {
                open.push(socket);
            }
        }
    });
    url
}

#[tokio::test]
async fn what_comes_over_http_and_cannot_be_read_fails_the_call_it_came_for() {
    let stream = |event: &str| http("200 OK", "text/event-stream", event);
    let body = |status: &str, body: &str| http(status, "application/json", body);
    let lost = "the answer cannot be read";
    let cases = [
        (stream("data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"ty\n\n"), lost),
        (stream("data: {\"jsonrpc\":\"2.0\",\"resu\n\n"), lost),
        (stream("id: 7\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":NaN}}\n\n"), lost),
        (stream("data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":null}\n\n"), lost),
        (
            stream("data: {\"id\":null,\"error\":{\"code\":1,\"message\":\"for none\"}}\n\n"),
            "for none",
        ),
        (stream("no field\n\n"), lost),
        (
            stream("data: ping\n\ndata: [{\"id\":ID,\"result\":{\"content\":\"in a batch\"}}]\n\n"),
            "in a batch",
        ),
        (body("200 OK", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":NaN}}"), lost),
        (body("200 OK", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"resu"), lost),
        (body("400 Bad Request", "{\"jsonrpc\":\"2.0\",\"id\":null"), lost),
        (
            body(
                "400 Bad Request",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"for none\"}}",
            ),
            "for none",
        ),
        (
            body(
                "400 Bad Request",
                "{\"jsonrpc\":\"2.0\",\"id\":\"server-error\",\"error\":{\"code\":1,\"message\":\"for it\"}}",
            ),
            "for it",
        ),
    ];
    let url = serving(cases.iter().map(|(answer, _)| answer.clone()).collect()).await;
    let models = rounds("f", cases.iter().map(|_| json!({})));
    let models = models.reply("lead", Reply::saying("Done."));
    let world = world_with(models, &format!("servers: {{ s: {{ url: '{url}' }} }}\n"));
    let mut running = world.start().await;
    running.talk("Go").await;
    let seen = world.models.requests();
    for (at, (answer, expected)) in cases.iter().enumerate() {
        let result = result_of(seen.last().expect("a request"), &at.to_string());
        assert!(result.is_some_and(|text| text.contains(expected)), "{answer}: {result:?}");
    }
    running.shut_down().await;
}
