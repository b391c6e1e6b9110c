//! The protocol against a local server of canned responses.

use std::time::Duration;

use futures_util::StreamExt;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::domain::{Quirk, Quirks, ThinkingReplay};
use crate::llm::answer::{CUT_CALL, FILTERED, LENGTH_REACHED};
use crate::llm::canned::{
    Items, JSON, STREAM, accept, answered, answered_with, ask, calls, data, ends, failure, listen,
    merged, says, thinks,
};
use crate::llm::protocol::StreamFold;
use crate::llm::sse::SseDecoder;
use crate::llm::{AnswerLimits, ErrorClass, GenEvent, Secret, Usage};
use crate::samples::assert_translated;

const CHAT: Compat =
    Compat { dialect: Dialect { thinking_replay: ThinkingReplay::None, quirks: PLAIN } };
const PLAIN: Quirks = Quirks::NONE;

fn delta(value: &Value) -> String {
    data(&json!({"model": "m-1", "choices": [{"index": 0, "delta": value, "finish_reason": null}]}))
}

fn finish(reason: &str) -> String {
    data(&json!({"model": "m-1", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

fn piece(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> String {
    delta(&json!({"tool_calls": [
        {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    ]}))
}

const DONE: &str = "data: [DONE]\n\n";

/// Thinking, saying with a wide character, two calls, counts.
fn full_stream() -> String {
    [
        ": keep-alive\n\n".to_owned(),
        delta(&json!({"role": "assistant", "content": ""})),
        delta(&json!({"reasoning_content": "hm "})),
        delta(&json!({"reasoning_content": "字"})),
        delta(&json!({"content": "\n"})),
        delta(&json!({"content": "yes 🦀"})),
        piece(1, Some("b"), Some("g"), "{}"),
        piece(0, Some("a"), Some("f"), "{\"x\":"),
        piece(0, None, None, "\"aa"),
        piece(0, Some(""), Some(""), "aa\"}"),
        finish("tool_calls"),
        data(&json!({"choices": [], "usage":
            {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}})),
        DONE.to_owned(),
    ]
    .concat()
}

fn full_answer() -> Vec<GenEvent> {
    vec![
        thinks("hm 字"),
        says("\nyes 🦀"),
        calls("a", "f", "{\"x\":\"aaaa\"}"),
        calls("b", "g", "{}"),
        GenEvent::Usage(Usage {
            prompt_tokens: 7,
            completion_tokens: 3,
            total_tokens: 10,
            cached_tokens: None,
        }),
        ends(),
    ]
}

#[tokio::test]
async fn a_stream_becomes_events_however_it_is_cut_into_reads() {
    let stream = full_stream();
    for size in [1, 2, 7, 64, 100_000] {
        let mut pieces = vec![STREAM.as_bytes()];
        pieces.extend(stream.as_bytes().chunks(size));
        let (items, _) = answered_with(CHAT, &pieces, |_| {}).await;
        assert_eq!(merged(items), Ok(full_answer()), "{size}");
    }
}

#[tokio::test]
async fn interleaved_segments_are_a_violation_and_switching_is_not() {
    const INLINE: Compat = Compat {
        dialect: Dialect {
            thinking_replay: ThinkingReplay::None,
            quirks: PLAIN.with(Quirk::InlineThink),
        },
    };
    let thinking = || delta(&json!({"reasoning_content": "hm"}));
    let saying = || delta(&json!({"content": "hi"}));
    let both = || delta(&json!({"reasoning_content": "hm", "content": "hi"}));
    let open = || delta(&json!({"content": "<think>hm"}));
    let end = || finish("stop") + DONE;
    for (what, protocol, body) in [
        ("words go on around a thought", CHAT, saying() + &both()),
        ("both grow in every piece", CHAT, both() + &both()),
        ("a thought beside an open tag", INLINE, open() + &thinking()),
    ] {
        let error = failure(answered(protocol, STREAM, &(body + &end())).await);
        assert_eq!(error.class(), ErrorClass::Violation, "{what}: {error}");
        assert!(error.to_string().starts_with("protocol violation"), "{what}: {error}");
    }
    let (thought, said) = (|| thinks("hm"), || says("hi"));
    for (what, protocol, body, expected) in [
        (
            "a02 thoughts and words alternate",
            CHAT,
            thinking() + &saying() + &thinking() + &saying(),
            vec![thought(), said(), thought(), said()],
        ),
        ("a switch within one piece", CHAT, thinking() + &both(), vec![thinks("hmhm"), said()]),
        (
            "blanks are no words",
            CHAT,
            delta(&json!({"content": "\n"})) + &both(),
            vec![thought(), said()],
        ),
        (
            "a thought after the closing tag",
            INLINE,
            open() + &delta(&json!({"content": "</think>"})) + &thinking() + &saying(),
            vec![thinks("hmhm"), said()],
        ),
    ] {
        let mut expected = expected;
        expected.push(ends());
        let found = merged(answered(protocol, STREAM, &(body + &end())).await);
        assert_eq!(found, Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn h06_finish_reasons_are_distinguished() {
    let hello = delta(&json!({"content": "hello"}));
    let half = piece(0, Some("a"), Some("f"), "{\"x\":");
    for (what, body, expected) in [
        ("no end mark", format!("{hello}{}", finish("stop")), vec![says("hello"), ends()]),
        ("no finish reason", format!("{hello}{DONE}"), vec![says("hello"), ends()]),
        (
            "output limit",
            format!("{hello}{}{DONE}", finish("length")),
            vec![says("hello"), GenEvent::Notice(LENGTH_REACHED), ends()],
        ),
        (
            "output limit inside a call",
            format!("{half}{}{DONE}", finish("length")),
            vec![calls("a", "f", "{\"x\":"), GenEvent::Notice(CUT_CALL), ends()],
        ),
        (
            "content filter",
            format!("{hello}{}{DONE}", finish("content_filter")),
            vec![says("hello"), GenEvent::Notice(FILTERED), ends()],
        ),
        (
            "call only",
            format!("{}{DONE}", piece(0, Some("a"), Some("f"), "")),
            vec![calls("a", "f", "{}"), ends()],
        ),
        (
            "no blank line at the end",
            format!("{hello}{}", finish("stop")).trim_end().to_owned(),
            vec![says("hello"), ends()],
        ),
        (
            "other choices are ignored",
            format!(
                "{}{hello}{DONE}",
                data(&json!({"choices":
            [{"index": 1, "delta": {"content": "no"}}]}))
            ),
            vec![says("hello"), ends()],
        ),
        (
            "the same thought under three names",
            format!(
                "{}{hello}{DONE}",
                delta(&json!({"reasoning": "t", "reasoning_content": "t", "thinking": "t"}))
            ),
            vec![thinks("t"), says("hello"), ends()],
        ),
        (
            "kinds of text take turns",
            [
                delta(&json!({"reasoning": "a"})),
                delta(&json!({"content": "\n\n"})),
                delta(&json!({"reasoning": "b"})),
                delta(&json!({"content": [{"type": "text", "text": "c"}]})),
                delta(&json!({"thinking": "d"})),
                DONE.to_owned(),
            ]
            .concat(),
            vec![thinks("ab"), says("c"), thinks("d"), ends()],
        ),
        (
            "arguments as an object",
            format!(
                "{}{DONE}",
                delta(&json!({"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}))
            ),
            vec![calls("call_1", "f", "{\"a\":1}"), ends()],
        ),
    ] {
        assert_eq!(merged(answered(CHAT, STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn h05_h07_h10_failures_inside_an_answer_are_classified() {
    let hello = delta(&json!({"content": "hello"}));
    let error = |value: Value| data(&json!({"error": value}));
    for (what, body, class) in [
        ("nothing at all", String::new(), ErrorClass::Cut),
        ("a comment only", ": hi\n\n".to_owned(), ErrorClass::Cut),
        ("no end", hello.clone(), ErrorClass::Cut),
        ("empty", format!("{}{DONE}", finish("stop")), ErrorClass::Empty),
        ("blank", format!("{}{DONE}", delta(&json!({"content": " \n"}))), ErrorClass::Empty),
        ("filtered", format!("{}{DONE}", finish("content_filter")), ErrorClass::Rejected),
        ("finish error", format!("{hello}{}", finish("error")), ErrorClass::Server),
        ("no JSON", format!("{hello}data: {{this is not json\n\n"), ErrorClass::Malformed),
        ("wrong type", "data: {\"choices\": 5}\n\n".to_owned(), ErrorClass::Malformed),
        (
            "nameless call",
            format!("{}{DONE}", piece(0, Some("a"), None, "{}")),
            ErrorClass::Malformed,
        ),
        ("error object", format!("{hello}{}", error(json!({"message": "x"}))), ErrorClass::Server),
        ("error code", error(json!({"message": "x", "code": 429})), ErrorClass::RateLimited),
        (
            "error event",
            "event: error\ndata: {\"message\":\"x\"}\n\n".to_owned(),
            ErrorClass::Server,
        ),
        ("a page", "<!doctype html><title>Sign in</title>".to_owned(), ErrorClass::Malformed),
        ("words", "hello\nworld\n".to_owned(), ErrorClass::Malformed),
        ("bytes", "\u{1}\u{2}\n\n\u{3}".to_owned(), ErrorClass::Malformed),
    ] {
        let error = failure(answered(CHAT, STREAM, &body).await);
        assert_eq!(error.class(), class, "{what}: {error}");
    }
    let page = failure(answered(CHAT, STREAM, "<title>Sign in</title>").await);
    assert_eq!(page.to_string(), "the provider sent something that is not a stream: Sign in");
}

#[tokio::test]
async fn a_response_that_is_not_a_stream_is_read_completely() {
    let message = json!({
        "content": "hello",
        "reasoning_content": "hm",
        "tool_calls": [
            {"function": {"name": "f", "arguments": "{}"}},
            {"id": "b", "function": {"name": "g", "arguments": "{}"}},
        ],
    });
    let body = json!({
        "model": "m-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    })
    .to_string();
    let expected = vec![
        thinks("hm"),
        says("hello"),
        calls("call_1", "f", "{}"),
        calls("b", "g", "{}"),
        GenEvent::Usage(Usage {
            prompt_tokens: 1,
            completion_tokens: 2,
            total_tokens: 3,
            cached_tokens: None,
        }),
        ends(),
    ];
    assert_eq!(merged(answered(CHAT, JSON, &body).await), Ok(expected.clone()));
    assert_eq!(merged(answered(CHAT, STREAM, &body).await), Ok(expected), "whatever it is called");

    for (body, class) in [
        (&body[..body.len() / 2], ErrorClass::Cut),
        ("{\"error\":{\"message\":\"x\",\"code\":429}}", ErrorClass::RateLimited),
        ("[{\"error\":{\"message\":\"x\",\"code\":401}}]", ErrorClass::Rejected),
        ("{\"detail\":\"no\"}", ErrorClass::Server),
        ("{\"choices\":[]}", ErrorClass::Empty),
        ("{]", ErrorClass::Malformed),
    ] {
        assert_eq!(failure(answered(CHAT, JSON, body).await).class(), class, "{body}");
    }
}

#[tokio::test]
async fn errors_carry_status_retry_after_and_message() {
    let head = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nconnection: close\r\n\r\n";
    let error = failure(answered(CHAT, head, "{\"error\":{\"message\":\"slow down\"}}").await);
    assert_eq!(error.class(), ErrorClass::RateLimited);
    assert_eq!(error.status(), Some(429));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(error.to_string(), "HTTP 429: slow down");

    let head = "HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(failure(answered(CHAT, head, "").await).class(), ErrorClass::Rejected);

    let long = "x".repeat(1024 * 1024);
    let head = "HTTP/1.1 500 No\r\nconnection: close\r\n\r\n";
    let error = failure(answered(CHAT, head, &long).await);
    assert_eq!(error.class(), ErrorClass::Server);
    assert!(error.to_string().len() < 600);
}

#[tokio::test]
async fn the_key_is_sent_but_never_shown() {
    let head = "HTTP/1.1 401 No\r\nconnection: close\r\n\r\n";
    let pieces = [head.as_bytes(), b"{\"message\":\"bad key sk-canary\"}".as_slice()];
    let (items, seen) = answered_with(CHAT, &pieces, |endpoint| {
        endpoint.api_key_variable = Some("KEY".to_owned());
        endpoint.api_key = Secret::new("sk-canary");
        assert!(!format!("{endpoint:?}").contains("canary"));
    })
    .await;
    assert!(seen.contains("authorization: Bearer sk-canary\r\n"), "{seen}");
    assert_eq!(failure(items).to_string(), "HTTP 401: bad key [redacted]");

    // Truncation leaves no partial key.
    for padding in 480..500 {
        let text = format!("{{\"message\":\"{} sk-canary-0123456789\"}}", "x".repeat(padding));
        let (items, _) = answered_with(CHAT, &[head.as_bytes(), text.as_bytes()], |endpoint| {
            endpoint.api_key_variable = Some("KEY".to_owned());
            endpoint.api_key = Secret::new("sk-canary-0123456789");
        })
        .await;
        assert!(!failure(items).to_string().contains("sk-ca"), "{padding}");
    }

    let (_, seen) = answered_with(CHAT, &[head.as_bytes()], |_| {}).await;
    assert!(seen.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{seen}");
    assert!(!seen.to_lowercase().contains("authorization"), "{seen}");
}

#[tokio::test]
async fn an_invalid_request_is_rejected_at_once() {
    for (url, variable, key, words) in [
        ("http://127.0.0.1:1", Some("SOME_KEY"), None, "set SOME_KEY "),
        ("http://127.0.0.1:1", Some("SOME_KEY"), Some("a\nb"), "the key in SOME_KEY "),
        ("ftp://127.0.0.1", None, None, "the provider's baseUrl "),
        ("", None, None, "the provider's baseUrl "),
    ] {
        let stream = ask(CHAT, url, |endpoint| {
            endpoint.api_key_variable = variable.map(str::to_owned);
            endpoint.api_key = key.and_then(Secret::new);
        });
        let error = failure(stream.collect().await);
        assert_eq!(error.class(), ErrorClass::Rejected, "{url}");
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_a_transport_failure_that_names_the_address() {
    let (listener, url) = listen().await;
    let address = listener.local_addr().unwrap();
    drop(listener);
    let with_user = url.replace("http://", "http://user:word@");
    let error = failure(ask(CHAT, &with_user, |_| {}).collect().await);
    assert_eq!((error.class(), error.is_unreachable()), (ErrorClass::Transport, true));
    let begin = format!("cannot connect to http://{address}: ");
    assert!(error.to_string().starts_with(&begin), "{error}");
    assert_translated(error.message());
}

#[tokio::test]
async fn idle_connections_end_at_the_time_limits() {
    let hello = delta(&json!({"content": "hello"}));
    let short = Duration::from_millis(80);
    let long = Duration::from_secs(20);
    for (what, sent, first_byte, idle, whole) in [
        ("no head", String::new(), short, long, false),
        ("no body", STREAM.to_owned(), short, long, false),
        ("silence between", format!("{STREAM}{hello}"), long, short, false),
        (
            "silence after the finish",
            format!("{STREAM}{hello}{}", finish("stop")),
            long,
            short,
            true,
        ),
    ] {
        let (listener, url) = listen().await;
        let server = async {
            let (mut socket, _) = accept(&listener).await;
            socket.write_all(sent.as_bytes()).await.unwrap();
            socket.read(&mut [0]).await.unwrap_or(0)
        };
        let client = ask(CHAT, &url, |endpoint| {
            endpoint.limits = AnswerLimits { first_byte, idle, ..endpoint.limits };
        });
        let (items, _) = tokio::join!(client.collect::<Items>(), server);
        match merged(items) {
            Ok(events) => assert!(whole && events == [says("hello"), ends()], "{what}"),
            Err(error) => {
                assert!(!whole, "{what}: {error}");
                assert_eq!(error.class(), ErrorClass::Transport, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let (listener, url) = listen().await;
    let hello = delta(&json!({"content": "hello"}));
    let server = async {
        let (mut socket, _) = accept(&listener).await;
        socket.write_all(format!("{STREAM}{hello}").as_bytes()).await.unwrap();
        socket.read(&mut [0]).await.unwrap_or(0)
    };
    let client = async {
        let mut stream = ask(CHAT, &url, |_| {});
        assert_eq!(stream.next().await, Some(Ok(says("hello"))));
    };
    let (left, ()) = tokio::join!(server, client);
    assert_eq!(left, 0, "the connection is closed");
}

#[tokio::test]
async fn an_endless_answer_is_stopped() {
    let body = delta(&json!({"content": "x".repeat(500)})).repeat(10);
    let pieces = [STREAM.as_bytes(), body.as_bytes()];
    let (items, _) =
        answered_with(CHAT, &pieces, |endpoint| endpoint.limits.text_bytes = 2048).await;
    let error = failure(items);
    assert_eq!(error.class(), ErrorClass::Fatal);
    assert_eq!(error.to_string(), "stopped: the answer is over 2 KiB");
}

#[test]
fn deltas_that_arrive_together_are_merged() {
    let body = delta(&json!({"content": "x"})).repeat(100);
    let mut fold = fold::ChatFold::new(1000, PLAIN);
    for event in SseDecoder::default().feed(body.as_bytes()).unwrap() {
        fold.event(&event).unwrap();
    }
    assert_eq!(fold.take(), [says(&"x".repeat(100))]);
}

proptest! {
    #[test]
    fn no_data_makes_the_fold_panic(
        lines in prop::collection::vec(
            prop_oneof![
                "[ -~]{0,40}",
                Just("{\"choices\":[{\"delta\":{\"content\":[1,null,{\"text\":{\"text\":\"x\"}}]}}]}".to_owned()),
                Just("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"id\":7}]}}]}".to_owned()),
                Just("{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":[]}}]}}]}".to_owned()),
                Just("{\"usage\":{\"prompt_tokens\":18446744073709551615,\"completion_tokens\":1}}".to_owned()),
                Just("{\"choices\":null,\"usage\":null,\"error\":null}".to_owned()),
                Just("[DONE]".to_owned()),
            ],
            0..8,
        ),
    ) {
        let mut fold = fold::ChatFold::new(1000, PLAIN);
        for data in lines {
            let event = crate::llm::sse::SseEvent { name: String::new(), data };
            if fold.event(&event).is_err() {
                return Ok(());
            }
        }
        drop(fold.end());
    }
}

#[tokio::test]
async fn a_compressed_answer_is_unpacked_or_refused_by_name() {
    use std::io::Write as _;
    let plain = data(
        &json!({"model": "m-1", "choices": [{"delta": {"content": "hello"}, "finish_reason": "stop"}]}),
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(plain.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let level = flate2::Compression::default();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(plain.as_bytes()).unwrap();
    let zlib = encoder.finish().unwrap();
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
    encoder.write_all(plain.as_bytes()).unwrap();
    let raw = encoder.finish().unwrap();
    let head =
        |name: &str| STREAM.replace("\r\n\r\n", &format!("\r\ncontent-encoding: {name}\r\n\r\n"));
    for (name, pieces) in [
        ("gzip", packed.chunks(5).collect::<Vec<_>>()),
        ("GZIP", vec![packed.as_slice()]),
        ("deflate", zlib.chunks(1).collect()),
        ("deflate", raw.chunks(1).collect()),
        ("identity", vec![plain.as_bytes()]),
    ] {
        let head = head(name);
        let pieces: Vec<&[u8]> = [head.as_bytes()].into_iter().chain(pieces).collect();
        let (items, _) = answered_with(Compat::default(), &pieces, |_| {}).await;
        assert_eq!(merged(items), Ok(vec![says("hello"), ends()]), "{name}");
    }
    let error = failure(answered(Compat::default(), &head("br"), &plain).await);
    assert_eq!(error.class(), ErrorClass::Rejected);
    assert!(error.to_string().ends_with(": br"), "{error}");
    for name in ["gzip", "deflate"] {
        let damaged = failure(answered(Compat::default(), &head(name), &plain).await);
        assert_eq!(damaged.class(), ErrorClass::Malformed, "{damaged}");
    }
}
