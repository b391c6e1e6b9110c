//! The protocol against a local server of canned responses.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::text::Text;
use crate::llm::answer::{CUT_CALL, FILTERED, LENGTH_REACHED};
use crate::llm::canned::{
    JSON, STREAM, answered, answered_with, calls, chunks, ends, failure, folded, merged, request,
    says, thinks,
};
use crate::llm::protocol::StreamFold;
use crate::llm::{ErrorClass, GenEvent, Secret, Usage};

const VENDOR: &str = "https://a.example";

fn protocol() -> Anthropic {
    Anthropic::of("https://a.example/anthropic")
}

/// One event, with its name in the data and in the `event` field.
fn event(kind: &str, fields: Value) -> String {
    let mut whole = json!({ "type": kind });
    let Value::Object(fields) = fields else { panic!("no fields") };
    whole.as_object_mut().unwrap().extend(fields);
    format!("event: {kind}\ndata: {whole}\n\n")
}

fn start() -> String {
    let usage = json!({"input_tokens": 2, "cache_creation_input_tokens": 1,
        "cache_read_input_tokens": 4, "output_tokens": 1});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "model": "m-1", "stop_reason": null, "usage": usage});
    event("message_start", json!({ "message": message }))
}

fn begin(index: u32, block: Value) -> String {
    let mut fields = json!({ "index": index });
    fields["content_block"] = block;
    event("content_block_start", fields)
}

fn delta(index: u32, kind: &str, field: &str, text: &str) -> String {
    event("content_block_delta", json!({"index": index, "delta": {"type": kind, field: text}}))
}

fn stop(index: u32) -> String {
    event("content_block_stop", json!({ "index": index }))
}

fn done(reason: &str) -> String {
    let finish = json!({"delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 3}});
    event("message_delta", finish) + &event("message_stop", json!({}))
}

fn text(index: u32, text: &str) -> String {
    begin(index, json!({"type": "text", "text": ""}))
        + &delta(index, "text_delta", "text", text)
        + &stop(index)
}

fn tool(index: u32, id: &str, name: &str, pieces: &[&str]) -> String {
    let mut all = begin(index, json!({"type": "tool_use", "id": id, "name": name, "input": {}}));
    for piece in pieces {
        all += &delta(index, "input_json_delta", "partial_json", piece);
    }
    all + &stop(index)
}

fn kept(text: &str, signature: &str) -> GenEvent {
    GenEvent::Thought(json!({"summary": [{"type": "summary_text", "text": text}],
        "anthropic": {"vendor": VENDOR, "signature": signature}}))
}

fn usage() -> GenEvent {
    GenEvent::Usage(Usage {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        cached_tokens: Some(4),
    })
}

fn notice(text: Text) -> GenEvent {
    GenEvent::Notice(text)
}

/// Two thoughts, one of them encrypted, text in two blocks, two calls, unknown events.
fn pieces_of_full_stream() -> Vec<String> {
    vec![
        ": keep-alive\n\n".to_owned(),
        start(),
        event("ping", json!({})),
        begin(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, "thinking_delta", "thinking", "one "),
        delta(0, "thinking_delta", "thinking", "字"),
        delta(0, "signature_delta", "signature", "si"),
        delta(0, "signature_delta", "signature", "gn"),
        stop(0),
        begin(1, json!({"type": "redacted_thinking", "data": "dark"})),
        stop(1),
        begin(2, json!({"type": "text", "text": ""})),
        delta(2, "text_delta", "text", "\n"),
        delta(2, "text_delta", "text", "yes "),
        stop(2),
        event("future_event", json!({"odd": [1]})),
        begin(3, json!({"type": "server_tool_use", "id": "srv", "name": "search", "input": {}})),
        delta(3, "input_json_delta", "partial_json", "{\"q\":1}"),
        stop(3),
        text(4, "🦀"),
        tool(5, "a", "f", &["", "{\"x\":\"aa", "aa\"}"]),
        tool(6, "b", "g", &[]),
        event(
            "message_delta",
            json!({"delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 3}}),
        ),
        event("message_stop", json!({})),
    ]
}

fn full_stream() -> String {
    pieces_of_full_stream().concat()
}

fn full_answer() -> Vec<GenEvent> {
    vec![
        thinks("one 字"),
        kept("one 字", "sign"),
        GenEvent::Thought(
            json!({"summary": [], "anthropic": {"vendor": VENDOR, "redacted": "dark"}}),
        ),
        says("\nyes 🦀"),
        calls("a", "f", "{\"x\":\"aaaa\"}"),
        calls("b", "g", "{}"),
        usage(),
        ends(),
    ]
}

#[tokio::test]
async fn a_stream_becomes_events_however_it_is_cut_into_reads_and_lines() {
    for stream in [full_stream(), full_stream().replace('\n', "\r\n")] {
        for size in [1, 2, 7, 64, 100_000] {
            let mut pieces = vec![STREAM.as_bytes()];
            pieces.extend(stream.as_bytes().chunks(size));
            let (items, _) = answered_with(protocol(), &pieces, |_| {}).await;
            assert_eq!(merged(items), Ok(full_answer()), "{size}");
        }
    }
}

#[tokio::test]
async fn a_request_carries_key_and_version_in_headers_of_their_own() {
    let stream = full_stream();
    let pieces = [STREAM, &stream].map(str::as_bytes);
    let (_, seen) = answered_with(protocol(), &pieces, |endpoint| {
        endpoint.api_key_variable = Some("KEY".to_owned());
        endpoint.api_key = Secret::new("sk-1");
    })
    .await;
    assert!(seen.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains("\r\nx-api-key: sk-1\r\n"), "{seen}");
    assert!(seen.contains("\r\nanthropic-version: 2023-06-01\r\n"), "{seen}");
    assert!(!seen.to_lowercase().contains("authorization"), "{seen}");
}

#[test]
fn the_version_is_in_the_path_once() {
    for (base, path) in [
        ("https://a.example", "v1/messages"),
        ("https://a.example/", "v1/messages"),
        ("https://a.example/anthropic", "v1/messages"),
        ("https://a.example/v1", "messages"),
        (" https://a.example/v1/ ", "messages"),
        ("https://a.example/v1?x=/y", "messages"),
        ("https://a.example/xv1", "v1/messages"),
    ] {
        assert_eq!(protocol().path(base, &request()), path, "{base}");
    }
}

#[tokio::test]
async fn a_truncated_stream_is_an_error_without_calls() {
    let stream = full_stream();
    // After the stop reason, only the counts and the end mark may be missing.
    let said = stream.find("event: message_stop").unwrap() - 2;
    for at in (0..stream.len()).step_by(37).chain(said - 20..stream.len()) {
        let pieces = [STREAM.as_bytes(), &stream.as_bytes()[..at]];
        let (items, _) = answered_with(protocol(), &pieces, |_| {}).await;
        let called = items.iter().any(|item| matches!(item, Ok(GenEvent::Call(_))));
        match merged(items) {
            Ok(events) => {
                assert!(at >= said, "{at}");
                assert_eq!(events, full_answer(), "{at}");
            }
            Err(error) => {
                assert!(at < said && !called, "{at}: {error}");
                assert_eq!(error.class(), ErrorClass::Cut, "{at}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn finish_reasons_are_distinguished() {
    let hello = start() + &text(0, "hello");
    let begun = start() + &begin(0, json!({"type": "tool_use", "id": "a", "name": "f"}));
    let half = begun.clone() + &delta(0, "input_json_delta", "partial_json", "{\"x\":");
    let [limit, inside, filter] = [LENGTH_REACHED, CUT_CALL, FILTERED];
    let cut_call = |arguments: &str| vec![calls("a", "f", arguments), notice(inside)];
    for (what, body, mut expected) in [
        ("the end of a turn", hello.clone() + &done("end_turn"), vec![says("hello")]),
        ("a stop sequence", hello.clone() + &done("stop_sequence"), vec![says("hello")]),
        ("an unknown reason", hello.clone() + &done("bored"), vec![says("hello")]),
        (
            "an end mark without a stop reason",
            hello.clone() + &done("end_turn") + "data: [DONE]\n\n",
            vec![says("hello")],
        ),
        (
            "no blank line at the end",
            (hello.clone() + &done("end_turn")).trim_end().to_owned(),
            vec![says("hello")],
        ),
        ("output limit", hello.clone() + &done("max_tokens"), vec![says("hello"), notice(limit)]),
        (
            "a full context",
            hello.clone() + &done("model_context_window_exceeded"),
            vec![says("hello"), notice(limit)],
        ),
        ("output limit inside a call", half.clone() + &done("max_tokens"), cut_call("{\"x\":")),
        (
            "output limit inside a call that ended",
            half + &stop(0) + &done("max_tokens"),
            cut_call("{\"x\":"),
        ),
        ("output limit before any argument", begun + &stop(0) + &done("max_tokens"), cut_call("{")),
        ("refusal", hello.clone() + &done("refusal"), vec![says("hello"), notice(filter)]),
        (
            "a pause before a call",
            hello.clone() + &tool(1, "a", "f", &["{}"]) + &done("pause_turn"),
            vec![says("hello"), calls("a", "f", "{}")],
        ),
    ] {
        expected.extend([usage(), ends()]);
        assert_eq!(merged(answered(protocol(), STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn omitted_fields_and_events_are_tolerated() {
    let end = |body: String| start() + &body + &done("end_turn");
    let whole_tool = json!({"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}});
    let answer_tool = json!({"type": "tool_use", "id": "a", "name": "answer_in_json", "input": {}});
    for (what, body, mut expected) in [
        (
            "text at the start of a block",
            end(begin(0, json!({"type": "text", "text": "hi"}))),
            vec![says("hi")],
        ),
        ("a block that never began", end(delta(0, "text_delta", "text", "hi")), vec![says("hi")]),
        (
            "arguments at the start of a block",
            end(begin(0, whole_tool) + &stop(0)),
            vec![calls("a", "f", "{\"x\":1}")],
        ),
        (
            "a call that does not end",
            end(begin(0, json!({"type": "tool_use", "id": "a", "name": "f"}))
                + &delta(0, "input_json_delta", "partial_json", "{\"x\":1}")),
            vec![calls("a", "f", "{\"x\":1}")],
        ),
        (
            "no index",
            end(event("content_block_start", json!({"content_block": {"type": "text"}}))
                + &event("content_block_delta", json!({"delta": {"text": "hi"}}))
                + &event("content_block_stop", json!({}))),
            vec![says("hi")],
        ),
        (
            "a thought without a signature",
            end(begin(0, json!({"type": "thinking"}))
                + &delta(0, "thinking_delta", "thinking", "hm")
                + &stop(0)
                + &text(1, "hi")),
            vec![thinks("hm"), kept("hm", ""), says("hi")],
        ),
        (
            "one id for two calls is made two",
            end(tool(0, "a", "f", &["{}"]) + &tool(1, "a", "g", &["{}"])),
            vec![calls("a", "f", "{}"), calls("a_2", "g", "{}")],
        ),
        (
            "an answer in JSON is words",
            end(begin(0, answer_tool)
                + &delta(0, "input_json_delta", "partial_json", "{\"yes\":")
                + &delta(0, "input_json_delta", "partial_json", "true}")
                + &stop(0)),
            vec![says("{\"yes\":true}")],
        ),
    ] {
        expected.extend([usage(), ends()]);
        assert_eq!(merged(answered(protocol(), STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn overlapping_blocks_are_a_violation() {
    let thought =
        || begin(0, json!({"type": "thinking"})) + &delta(0, "thinking_delta", "thinking", "hm");
    let said = |index| delta(index, "text_delta", "text", "hi");
    let words = || begin(1, json!({"type": "text", "text": ""})) + &said(1);
    let dark = begin(1, json!({"type": "redacted_thinking", "data": "dark"}));
    for (what, body) in [
        ("words within a thought", thought() + &words() + &stop(0) + &stop(1)),
        ("a thought within words", words() + &thought() + &stop(1) + &stop(0)),
        ("two thoughts", thought() + &dark),
        ("two blocks of words", words() + &begin(2, json!({"type": "text", "text": ""}))),
        ("text that was not announced", thought() + &said(1)),
        ("text in the block of a thought", thought() + &said(0)),
        ("interleaved deltas", said(0) + &delta(1, "thinking_delta", "thinking", "hm") + &said(0)),
    ] {
        let body = start() + &body + &done("end_turn");
        let error = failure(answered(protocol(), STREAM, &body).await);
        assert_eq!(error.class(), ErrorClass::Violation, "{what}: {error}");
        assert!(error.to_string().starts_with("protocol violation"), "{what}: {error}");
    }
    let call = begin(2, json!({"type": "tool_use", "id": "a", "name": "f"}));
    for (what, body, mut expected) in [
        (
            "a call does not count",
            words() + &call + &said(1) + &stop(2) + &stop(1),
            vec![says("hihi"), calls("a", "f", "{}")],
        ),
        (
            "what was not announced ends where the next begins",
            delta(0, "thinking_delta", "thinking", "hm") + &said(1),
            vec![thinks("hm"), kept("hm", ""), says("hi")],
        ),
    ] {
        expected.extend([usage(), ends()]);
        let body = start() + &body + &done("end_turn");
        assert_eq!(merged(answered(protocol(), STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn failures_inside_an_answer_are_classified() {
    let hello = start() + &text(0, "hello");
    let half = start() + &begin(0, json!({"type": "tool_use", "id": "a", "name": "f"}));
    let failed = |kind: &str| event("error", json!({"error": {"type": kind, "message": "x"}}));
    for (what, body, expected) in [
        ("nothing at all", String::new(), ErrorClass::Cut),
        ("a comment only", ": hi\n\n".to_owned(), ErrorClass::Cut),
        ("no end", hello.clone(), ErrorClass::Cut),
        ("an end inside a call", half.clone() + &done("tool_use"), ErrorClass::Cut),
        (
            "an end inside arguments",
            half + &delta(0, "input_json_delta", "partial_json", "{\"x\":") + &done("tool_use"),
            ErrorClass::Cut,
        ),
        ("empty", start() + &done("end_turn"), ErrorClass::Empty),
        ("blank", start() + &text(0, " \n") + &done("end_turn"), ErrorClass::Empty),
        ("refused before a word", start() + &done("refusal"), ErrorClass::Rejected),
        ("a pause before a word", start() + &done("pause_turn"), ErrorClass::Empty),
        ("the limit before a word", start() + &done("max_tokens"), ErrorClass::Empty),
        ("overloaded", hello.clone() + &failed("overloaded_error"), ErrorClass::RateLimited),
        ("too many requests", failed("rate_limit_error"), ErrorClass::RateLimited),
        ("its own failure", hello.clone() + &failed("api_error"), ErrorClass::Server),
        ("a wait too long", failed("timeout_error"), ErrorClass::Transport),
        ("a bad request", failed("invalid_request_error"), ErrorClass::Rejected),
        ("a bad key", failed("authentication_error"), ErrorClass::Rejected),
        ("no money", failed("billing_error"), ErrorClass::Rejected),
        ("too large", failed("request_too_large"), ErrorClass::Rejected),
        (
            "too long",
            event(
                "error",
                json!({"error": {"type": "invalid_request_error",
                "message": "prompt is too long: 9 tokens > 8 maximum"}}),
            ),
            ErrorClass::ContextOverflow,
        ),
        (
            "error by name alone",
            "event: error\ndata: {\"message\":\"x\"}\n\n".to_owned(),
            ErrorClass::Server,
        ),
        (
            "an error object",
            "data: {\"error\":{\"message\":\"x\",\"code\":401}}\n\n".to_owned(),
            ErrorClass::Rejected,
        ),
        ("no JSON", hello.clone() + "data: {this is not json\n\n", ErrorClass::Malformed),
        ("wrong type", event("content_block_delta", json!({"delta": "x"})), ErrorClass::Malformed),
        (
            "nameless call",
            start() + &tool(0, "a", "", &["{}"]) + &done("tool_use"),
            ErrorClass::Malformed,
        ),
        ("a page", "<!doctype html><title>Sign in</title>".to_owned(), ErrorClass::Malformed),
        ("words", "hello\nworld\n".to_owned(), ErrorClass::Malformed),
    ] {
        assert_eq!(failure(answered(protocol(), STREAM, &body).await).class(), expected, "{what}");
    }
}

#[tokio::test]
async fn a_response_that_is_not_a_stream_is_read_completely() {
    let answer = |reason: &str, content: Value| {
        json!({"type": "message", "model": "m-1", "stop_reason": reason, "content": content,
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 3}})
        .to_string()
    };
    let full = answer(
        "tool_use",
        json!([
            {"type": "thinking", "thinking": "one 字", "signature": "sign"},
            {"type": "redacted_thinking", "data": "dark"},
            {"type": "text", "text": "\nyes 🦀"},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"x": "aaaa"}},
            {"type": "tool_use", "id": "b", "name": "g", "input": {}},
        ]),
    );
    assert_eq!(merged(answered(protocol(), JSON, &full).await), Ok(full_answer()));
    assert_eq!(merged(answered(protocol(), STREAM, &full).await), Ok(full_answer()), "as a stream");
    for (body, class) in [
        (&full[..full.len() / 2], ErrorClass::Cut),
        (answer("end_turn", json!([])).as_str(), ErrorClass::Empty),
        ("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", ErrorClass::RateLimited),
        ("{\"detail\":\"no\"}", ErrorClass::Server),
        ("{]", ErrorClass::Malformed),
    ] {
        assert_eq!(failure(answered(protocol(), JSON, body).await).class(), class, "{body}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_stopped() {
    let long = "x".repeat(500);
    for (what, body) in [
        ("text", delta(0, "text_delta", "text", &long).repeat(10)),
        ("arguments", tool(0, "a", "f", &[long.as_str(); 10])),
        (
            "a signature",
            begin(0, json!({"type": "thinking"}))
                + &delta(0, "signature_delta", "signature", &long).repeat(10),
        ),
        (
            "an unreadable event",
            begin(
                0,
                json!({"type": "redacted_thinking",
            "data": long.repeat(9)}),
            ),
        ),
        ("names", begin(0, json!({"type": "tool_use", "name": long})).repeat(10)),
    ] {
        let pieces = [STREAM.as_bytes(), body.as_bytes()];
        let (items, _) =
            answered_with(protocol(), &pieces, |endpoint| endpoint.limits.text_bytes = 2048).await;
        assert_eq!(failure(items).to_string(), "stopped: the answer is over 2 KiB", "{what}");
    }
    let flood: String = (0..1100).map(|n| text(n, "x")).collect();
    let error = failure(answered(protocol(), STREAM, &flood).await);
    assert_eq!(error.to_string(), "stopped: the answer has too many blocks");
}

fn fold() -> MessagesFold {
    MessagesFold::new(100_000, VENDOR.to_owned())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_answer(cuts in prop::collection::vec(0_usize..5000, 0..40)) {
        let stream = full_stream();
        let chunks = chunks(stream.as_bytes(), cuts);
        prop_assert_eq!(folded(fold(), chunks), Ok(full_answer()));
    }

    /// Events that are lost, repeated or out of order: never a panic.
    #[test]
    fn events_in_any_order_never_make_the_fold_panic(
        order in prop::collection::vec(0_usize..24, 0..40),
    ) {
        let pieces = pieces_of_full_stream();
        let stream: String = order.iter().map(|at| pieces[*at].as_str()).collect();
        drop(folded(fold(), [stream.as_bytes()]));
    }

    #[test]
    fn no_data_makes_the_fold_panic(
        lines in prop::collection::vec(
            prop_oneof![
                "[ -~]{0,40}",
                "\\{\"type\":\"(message_start|content_block_(start|delta|stop)|message_(delta|stop)|ping)\"(,\"(index|message|content_block|delta|usage|error)\":(null|7|\"x\"|\\[\\]|\\{\\}))?\\}",
                Just("{\"type\":\"message_delta\",\"usage\":{\"input_tokens\":18446744073709551615,\"output_tokens\":1}}".to_owned()),
                Just("{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"input\":7}}".to_owned()),
                Just("{\"type\":\"content_block_start\",\"index\":18446744073709551615,\"content_block\":{\"type\":\"text\"}}".to_owned()),
                Just("[DONE]".to_owned()),
            ],
            0..8,
        ),
    ) {
        let mut fold = MessagesFold::new(1000, String::new());
        for data in lines {
            let event = crate::llm::sse::SseEvent { name: String::new(), data };
            if fold.event(&event).is_err() {
                return Ok(());
            }
        }
        drop(fold.end());
    }
}
