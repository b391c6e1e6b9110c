//! A local server of canned responses, for tests of protocols.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::protocol::{Protocol, StreamFold};
use super::sse::SseDecoder;
use super::{
    Clients, Endpoint, GenEvent, GenStream, LlmError, Message, ModelParams, Provider, Remote,
    Request, Segment, ToolCall,
};

pub const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
pub const JSON: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";

pub type Items = Vec<Result<GenEvent, LlmError>>;

/// The events that a fold produces from these chunks.
pub fn folded<'a>(
    mut fold: impl StreamFold,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<GenEvent>, LlmError> {
    let mut decoder = SseDecoder::default();
    let mut events = Vec::new();
    for chunk in chunks {
        for event in decoder.feed(chunk).expect("small events") {
            fold.event(&event)?;
        }
        events.extend(fold.take().into_iter().map(Ok));
    }
    if let Some(event) = decoder.finish() {
        fold.event(&event)?;
    }
    fold.end()?;
    events.extend(fold.take().into_iter().map(Ok));
    merged(events)
}

/// Splits bytes at these offsets.
pub fn chunks(bytes: &[u8], mut cuts: Vec<usize>) -> Vec<&[u8]> {
    cuts.retain(|at| *at <= bytes.len());
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

pub fn request() -> Request {
    Request {
        model: "m".to_owned(),
        system: "be kind".to_owned(),
        messages: vec![Message::Prompt("hi".to_owned())],
        tools: Vec::new(),
        streaming: true,
        params: ModelParams::default(),
        output_limit: None,
    }
}

pub fn ask(protocol: impl Protocol, url: &str, change: impl FnOnce(&mut Endpoint)) -> GenStream {
    let mut endpoint = Endpoint::new(url);
    endpoint.limits.first_byte = Duration::from_secs(20);
    endpoint.limits.idle = Duration::from_secs(20);
    change(&mut endpoint);
    Remote::new(protocol, endpoint, Clients::default()).stream(request())
}

/// The same on a thread of its own.
pub fn ask_on_own_thread(protocol: impl Protocol, url: &str) -> GenStream {
    Remote::new(protocol, Endpoint::new(url), Clients::on_own_thread()).stream(request())
}

pub async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/", listener.local_addr().unwrap());
    (listener, url)
}

/// Accepts and reads one request.
pub async fn accept(listener: &TcpListener) -> (TcpStream, String) {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut text = Vec::new();
    loop {
        let read = socket.read_buf(&mut text).await.unwrap();
        let seen = String::from_utf8_lossy(&text);
        if read == 0 {
            // The client gave up first.
            return (socket, seen.into_owned());
        }
        let Some((head, body)) = seen.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |number| number.parse().unwrap());
        if body.len() >= length {
            return (socket, seen.into_owned());
        }
    }
}

/// Serves one answer in the given chunks, then closes the connection.
pub async fn answered_with(
    protocol: impl Protocol,
    chunks: &[&[u8]],
    change: impl FnOnce(&mut Endpoint),
) -> (Items, String) {
    let (listener, url) = listen().await;
    let server = async {
        let (mut socket, seen) = accept(&listener).await;
        for chunk in chunks {
            if socket.write_all(chunk).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(socket.shutdown().await);
        seen
    };
    tokio::join!(ask(protocol, &url, change).collect::<Items>(), server)
}

pub async fn answered(protocol: impl Protocol, head: &str, body: &str) -> Items {
    answered_with(protocol, &[head.as_bytes(), body.as_bytes()], |_| {}).await.0
}

pub fn thinks(text: &str) -> GenEvent {
    GenEvent::Delta { segment: Segment::Thinking, text: text.to_owned() }
}

pub fn says(text: &str) -> GenEvent {
    GenEvent::Delta { segment: Segment::Saying, text: text.to_owned() }
}

pub fn calls(id: &str, name: &str, arguments: &str) -> GenEvent {
    GenEvent::Call(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    })
}

pub fn ends() -> GenEvent {
    GenEvent::End { model: Some("m-1".to_owned()) }
}

/// Merges adjacent deltas of one segment, since read boundaries vary.
pub fn merged(items: Items) -> Result<Vec<GenEvent>, LlmError> {
    let mut merged: Vec<GenEvent> = Vec::new();
    for item in items {
        match (merged.last_mut(), item?) {
            (
                Some(GenEvent::Delta { segment: last, text }),
                GenEvent::Delta { segment, text: more },
            ) if *last == segment => text.push_str(&more),
            (_, event) => merged.push(event),
        }
    }
    Ok(merged)
}

pub fn failure(items: Items) -> LlmError {
    merged(items).expect_err("the answer should have failed")
}

pub fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}
