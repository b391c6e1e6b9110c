//! The protocol against a local server of canned responses.

use serde_json::{Value, json};

use super::*;
use crate::llm::answer::{FILTERED, LENGTH_REACHED};
use crate::llm::canned::{
    JSON, STREAM, answered, answered_with, calls, data, ends, failure, merged, request, says,
    thinks,
};
use crate::llm::{ErrorClass, GenEvent, Secret, Usage};
use crate::samples::assert_translated;

const VENDOR: &str = "https://a.example";

fn protocol() -> Google {
    Google::of(VENDOR)
}

fn chunk(parts: Value) -> Value {
    let mut content = json!({"role": "model"});
    content["parts"] = parts;
    json!({"candidates": [{"content": content, "index": 0}], "modelVersion": "m-1"})
}

fn part(part: Value) -> String {
    data(&chunk(Value::Array(vec![part])))
}

fn done(reason: &str) -> String {
    let usage = json!({"promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 1,
        "cachedContentTokenCount": 4, "totalTokenCount": 10});
    data(&json!({"candidates": [{"content": {}, "finishReason": reason}],
        "usageMetadata": usage, "modelVersion": "m-1"}))
}

fn call(call: Value) -> String {
    let mut own = json!({});
    own["functionCall"] = call;
    part(own)
}

fn usage() -> GenEvent {
    GenEvent::Usage(Usage {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        cached_tokens: Some(4),
    })
}

fn signed(signatures: &[&str]) -> GenEvent {
    let own = json!({"vendor": VENDOR, "signatures": signatures});
    GenEvent::Thought(json!({"summary": [], "google": own}))
}

/// Thoughts, text, and two calls, of which the first has a signature and the second neither id nor arguments.
fn full_stream() -> String {
    let both = json!([
        {"functionCall": {"id": "a", "name": "f", "args": {"x": "字"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "g"}},
    ]);
    [
        ": keep-alive\n\n".to_owned(),
        part(json!({"text": "one ", "thought": true})),
        part(json!({"text": "字", "thought": true})),
        part(json!({"text": "\nyes "})),
        data(&json!({"usageMetadata": {"promptTokenCount": 7}, "modelVersion": "m-1"})),
        part(json!({"text": "🦀"})),
        data(&chunk(both)),
        done("STOP"),
    ]
    .concat()
}

fn full_answer() -> Vec<GenEvent> {
    vec![
        thinks("one 字"),
        says("\nyes 🦀"),
        signed(&["c2ln", ""]),
        calls("a", "f", "{\"x\":\"字\"}"),
        calls("call_2", "g", "{}"),
        usage(),
        ends(),
    ]
}

#[tokio::test]
async fn a_stream_becomes_events_however_it_is_cut_into_reads_and_lines() {
    for stream in [full_stream(), full_stream().replace('\n', "\r\n")] {
        for size in [1, 7, 64, 100_000] {
            let mut pieces = vec![STREAM.as_bytes()];
            pieces.extend(stream.as_bytes().chunks(size));
            let (items, _) = answered_with(protocol(), &pieces, |_| {}).await;
            assert_eq!(merged(items), Ok(full_answer()), "{size}");
        }
    }
}

#[tokio::test]
async fn a_request_names_its_model_in_the_path_and_has_its_key_in_a_header_of_its_own() {
    let stream = full_stream();
    let pieces = [STREAM, &stream].map(str::as_bytes);
    let (_, seen) = answered_with(protocol(), &pieces, |endpoint| {
        endpoint.api_key_variable = Some("KEY".to_owned());
        endpoint.api_key = Secret::new("sk-1");
    })
    .await;
    let first = "POST /v1/models/m:streamGenerateContent?alt=sse HTTP/1.1\r\n";
    assert!(seen.starts_with(first), "{seen}");
    assert!(seen.contains("\r\nx-goog-api-key: sk-1\r\n"), "{seen}");
    assert!(!seen.to_lowercase().contains("authorization"), "{seen}");
}

#[test]
fn the_version_is_in_the_path_once_and_no_name_of_a_model_gets_out_of_its_place() {
    for (base, model, streaming, path) in [
        ("https://a.example", "m", false, "v1beta/models/m:generateContent"),
        ("https://a.example/v1beta/", "models/m-1.5", false, "models/m-1.5:generateContent"),
        ("https://a.example/x?y=/v1", "m", true, "v1beta/models/m:streamGenerateContent?alt=sse"),
        (
            "https://a.example/v1",
            "../m?key=x#y%2f\\",
            false,
            "models/..%2Fm%3Fkey%3Dx%23y%252f%5C:generateContent",
        ),
    ] {
        let mut request = request();
        (request.model, request.streaming) = (model.to_owned(), streaming);
        assert_eq!(protocol().path(base, &request), path, "{base} {model}");
    }
}

#[tokio::test]
async fn finish_reasons_are_distinguished() {
    let hello = part(json!({"text": "hello"}));
    let mut last = chunk(json!([{"functionCall": {"name": "f", "args": {"x": 1}}}]));
    last["candidates"][0]["finishReason"] = json!("STOP");
    let early = data(&json!({"candidates": [{"content": {"parts": [{"text": "hel"}]},
        "finishReason": "STOP"}]}));
    let (limit, filter) = (GenEvent::Notice(LENGTH_REACHED), GenEvent::Notice(FILTERED));
    for (what, body, mut expected) in [
        ("the end", hello.clone() + &done("STOP"), vec![says("hello")]),
        ("an unknown reason", hello.clone() + &done("BORED"), vec![says("hello")]),
        ("the limit", hello.clone() + &done("MAX_TOKENS"), vec![says("hello"), limit]),
        ("a filter", hello.clone() + &done("SAFETY"), vec![says("hello"), filter]),
        (
            "no reason yet",
            hello.clone() + &done("FINISH_REASON_UNSPECIFIED") + &hello + &done("STOP"),
            vec![says("hellohello")],
        ),
        (
            "a reason with every chunk, of which two are equal",
            early.clone() + &early + &part(json!({"text": "lo"})) + &done("STOP"),
            vec![says("helhello")],
        ),
        (
            "a last chunk that comes twice",
            done("STOP") + &data(&last) + &data(&last),
            vec![calls("call_1", "f", "{\"x\":1}")],
        ),
    ] {
        expected.extend([usage(), ends()]);
        assert_eq!(merged(answered(protocol(), STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn omitted_doubled_and_odd_fields_are_tolerated() {
    let a_call = || call(json!({"id": "a", "name": "f", "args": {"x": 1}}));
    for (what, body, mut expected) in [
        ("a call that comes twice", a_call() + &a_call(), vec![calls("a", "f", "{\"x\":1}")]),
        (
            "calls without ids",
            call(json!({"name": "f"})) + &call(json!({"name": "f", "args": null})),
            vec![calls("call_1", "f", "{}"), calls("call_2", "f", "{}")],
        ),
        (
            "one id for two calls",
            a_call() + &call(json!({"id": "a", "name": "f", "args": {"x": 2}})),
            vec![calls("a", "f", "{\"x\":1}"), calls("a_2", "f", "{\"x\":2}")],
        ),
        (
            "arguments in a string",
            call(json!({"id": "a", "name": "f", "args": "{\"x\":1}"})),
            vec![calls("a", "f", "{\"x\":1}")],
        ),
        (
            "fields of a wrong type",
            data(&json!({"candidates": [{"content": {"parts": [{"text": "hi", "thought": "no",
                "thoughtSignature": 3}]}, "finishReason": null}], "usageMetadata": "x",
                "promptFeedback": [], "modelVersion": 7})),
            vec![says("hi")],
        ),
        (
            "nothing in chunks",
            data(&json!({"candidates": []}))
                + &data(&json!({"candidates": [{}]}))
                + &data(&json!({"candidates": [{"content": {"parts": null}}]}))
                + &data(&json!({}))
                + &part(json!({}))
                + &part(json!({"text": "hi"})),
            vec![says("hi")],
        ),
    ] {
        expected.extend([usage(), ends()]);
        let body = body + &done("STOP");
        assert_eq!(merged(answered(protocol(), STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn a_complete_answer_is_an_object_or_a_list_of_chunks() {
    let said = chunk(json!([{"text": "hel"}]));
    let rest = json!({"candidates": [{"content": {"parts": [{"text": "lo"}]},
        "finishReason": "STOP"}]});
    let object = said.to_string();
    let list = json!([said, rest]).to_string();
    for (body, text) in [(&object, "hel"), (&list, "hello")] {
        let items = answered(protocol(), JSON, body).await;
        assert_eq!(merged(items), Ok(vec![says(text), ends()]), "{body}");
    }
}

#[tokio::test]
async fn failures_inside_an_answer_are_classified() {
    let hello = || part(json!({"text": "hello"}));
    let blocked = data(&json!({"promptFeedback": {"blockReason": "SAFETY"}}));
    let busy = r#"[{"error": {"code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED"}}]"#;
    let error = |code: u16| data(&json!({"error": {"code": code, "message": "x"}}));
    for (what, head, body, expected) in [
        ("nothing at all", STREAM, String::new(), ErrorClass::Cut),
        ("no reason", STREAM, hello(), ErrorClass::Cut),
        ("a call without a reason", STREAM, call(json!({"name": "f"})), ErrorClass::Cut),
        ("a call without a name", STREAM, call(json!({})) + &done("STOP"), ErrorClass::Malformed),
        ("a call that is none", STREAM, call(json!("f")) + &done("STOP"), ErrorClass::Malformed),
        (
            "candidates that are none",
            STREAM,
            data(&json!({"candidates": 3})),
            ErrorClass::Malformed,
        ),
        ("empty", STREAM, done("STOP"), ErrorClass::Empty),
        ("filtered before a word", STREAM, done("RECITATION"), ErrorClass::Rejected),
        ("the limit before a word", STREAM, done("MAX_TOKENS"), ErrorClass::Empty),
        ("a prompt that is refused", STREAM, blocked, ErrorClass::Rejected),
        ("busy", STREAM, hello() + &error(503), ErrorClass::Server),
        ("a key that is refused", STREAM, error(403), ErrorClass::Rejected),
        ("an error in a list", JSON, busy.to_owned(), ErrorClass::RateLimited),
        ("half a list", JSON, "[{\"candidates\": [".to_owned(), ErrorClass::Cut),
        ("an object that is no answer", JSON, "{}".to_owned(), ErrorClass::Server),
    ] {
        let error = failure(answered(protocol(), head, &body).await);
        assert_eq!(error.class(), expected, "{what}: {error}");
    }
}

#[tokio::test]
async fn a_call_that_the_server_cannot_read_fails_with_its_words_and_no_call_gets_out() {
    let reason = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "Malformed function call: print("}]});
    let body = call(json!({"name": "f"})) + &data(&reason);
    let items = answered(protocol(), STREAM, &body).await;
    assert!(items.iter().all(Result::is_err), "{items:?}");
    let error = failure(items);
    assert_eq!(error.class(), ErrorClass::Malformed);
    assert!(error.to_string().contains("Malformed function call: print("), "{error}");
    assert_translated(error.message());
}

#[tokio::test]
async fn a_full_quota_is_waited_for_as_long_as_the_server_says() {
    let head = "HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\n\r\n";
    let body = json!({"error": {"code": 429, "message": "x", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}]}});
    let error = failure(answered(protocol(), head, &body.to_string()).await);
    assert_eq!(error.class(), ErrorClass::RateLimited);
    assert_eq!(error.retry_after(), Some(std::time::Duration::from_secs(17)));
}
