//! The protocol against a local server of canned responses.

mod stream;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::llm::answer::{CUT_CALL, FILTERED, LENGTH_REACHED};
use crate::llm::canned::{
    JSON, STREAM, answered, answered_with, calls, chunks, data, ends, failure, folded, merged,
    says, thinks,
};
use crate::llm::protocol::StreamFold;
use crate::llm::{ErrorClass, GenEvent};
use stream::{
    added, answer, call, completed, delta, done, event, full_answer, full_output, full_stream,
    incomplete, message, notice, payload, pieces_of_full_stream, reasoning,
    reasoning_without_anything, text, usage,
};

#[tokio::test]
async fn a_stream_becomes_events_however_it_is_cut_into_reads() {
    let stream = full_stream();
    for size in [1, 2, 7, 64, 100_000] {
        let mut pieces = vec![STREAM.as_bytes()];
        pieces.extend(stream.as_bytes().chunks(size));
        let (items, seen) = answered_with(Responses, &pieces, |_| {}).await;
        assert_eq!(merged(items), Ok(full_answer()), "{size}");
        assert!(seen.starts_with("POST /v1/responses HTTP/1.1\r\n"), "{seen}");
    }
}

#[tokio::test]
async fn an_item_is_emitted_once_in_any_format() {
    let f = |name: &str, arguments: &str| {
        json!({"type": "function_call", "call_id": "a",
        "name": name, "arguments": arguments})
    };
    let whole = |part: u32, text: &str| {
        let fields = json!({"output_index": 0, "content_index": part, "text": text});
        event("output_text.done", fields)
    };
    let by_id = |kind: &str, fields: Value| {
        let mut fields = fields;
        fields["item_id"] = json!("fc_a");
        event(kind, fields)
    };
    for (what, body, expected) in [
        ("only within the answer at the end", completed(full_output()), full_answer()),
        (
            "only as whole items",
            [done(0, reasoning()), done(1, message("\nyes 🦀")), completed(json!([]))].concat(),
            vec![thinks("one 字\n\ntwo"), payload(), says("\nyes 🦀"), usage(), ends()],
        ),
        (
            "pieces without an item",
            [text(0, "he"), text(0, "llo"), completed(json!([message("hello")]))].concat(),
            vec![says("hello"), usage(), ends()],
        ),
        (
            "a call that ends with its arguments",
            [
                added(0, f("f", "")),
                event(
                    "function_call_arguments.done",
                    json!({"output_index": 0, "arguments": "{}"}),
                ),
                completed(json!([])),
            ]
            .concat(),
            vec![calls("a", "f", "{}"), usage(), ends()],
        ),
        (
            "no index, but ids",
            [
                event("output_item.added", json!({"item": call("a", "f", "")})),
                by_id("function_call_arguments.delta", json!({"delta": "{}"})),
                by_id("function_call_arguments.done", json!({"arguments": "{}"})),
                completed(json!([call("a", "f", "{}")])),
            ]
            .concat(),
            vec![calls("a", "f", "{}"), usage(), ends()],
        ),
        (
            "arguments whole at the beginning",
            [
                added(0, call("a", "f", "{\"x\":1}")),
                done(0, call("a", "f", "")),
                completed(json!([])),
            ]
            .concat(),
            vec![calls("a", "f", "{\"x\":1}"), usage(), ends()],
        ),
        (
            "arguments at the beginning, which the deltas continue",
            [
                added(0, call("a", "f", "{\"x\"")),
                delta("function_call_arguments", 0, ":1}"),
                done(0, call("a", "f", "")),
                completed(json!([])),
            ]
            .concat(),
            vec![calls("a", "f", "{\"x\":1}"), usage(), ends()],
        ),
        (
            "whole arguments that do not end",
            [
                added(0, f("f", "")),
                delta("function_call_arguments", 0, "{\"x\":"),
                delta("function_call_arguments", 0, "1}"),
                completed(json!([])),
            ]
            .concat(),
            vec![calls("a", "f", "{\"x\":1}"), usage(), ends()],
        ),
        (
            "arguments at the beginning, which the deltas continue and which do not end",
            [
                added(0, call("a", "f", "{\"x\"")),
                delta("function_call_arguments", 0, ":1}"),
                completed(json!([])),
            ]
            .concat(),
            vec![calls("a", "f", "{\"x\":1}"), usage(), ends()],
        ),
        (
            "words only at the ends of their parts",
            [whole(0, "he"), whole(1, "llo"), whole(1, "llo"), completed(json!([]))].concat(),
            vec![says("hello"), usage(), ends()],
        ),
        (
            "words at the end of a part and in their item",
            [whole(0, "he"), done(0, message("hello")), completed(json!([]))].concat(),
            vec![says("hello"), usage(), ends()],
        ),
        (
            "words in pieces and at the end of a part under another id",
            [
                text(0, "hello"),
                event("output_text.done", json!({"item_id": "x", "text": "hello"})),
                done(0, message("hello")),
                completed(json!([])),
            ]
            .concat(),
            vec![says("hello"), usage(), ends()],
        ),
        (
            "one index for two calls",
            [
                added(0, call("a", "f", "")),
                done(0, call("a", "f", "{\"x\":1}")),
                added(0, call("b", "f", "")),
                done(0, call("b", "f", "{\"x\":2}")),
                completed(json!([])),
            ]
            .concat(),
            vec![calls("a", "f", "{\"x\":1}"), calls("b", "f", "{\"x\":2}"), usage(), ends()],
        ),
        (
            "one index for a thought and a message",
            [delta("reasoning_text", 0, "t"), text(0, "a"), completed(json!([message("a")]))]
                .concat(),
            vec![thinks("t"), says("a"), usage(), ends()],
        ),
        (
            "a thought that stands before the message only at the end",
            [
                text(0, "a"),
                done(0, message("a")),
                completed(json!([reasoning_without_anything(), message("a")])),
            ]
            .concat(),
            vec![says("a"), usage(), ends()],
        ),
        (
            "a thought without text that ends after the message",
            [
                added(0, json!({"type": "reasoning", "id": "rs_1", "summary": []})),
                added(1, json!({"type": "message", "id": "msg_1", "content": []})),
                text(1, "a"),
                done(1, message("a")),
                done(0, json!({"type": "reasoning", "id": "rs_1", "summary": []})),
                completed(json!([])),
            ]
            .concat(),
            vec![says("a"), usage(), ends()],
        ),
        (
            "arguments as an object",
            completed(json!([{"type": "function_call", "name": "f", "arguments": {"a": 1}}])),
            vec![calls("call_1", "f", "{\"a\":1}"), usage(), ends()],
        ),
        (
            "one id for two calls is made two",
            completed(json!([call("a", "f", "{}"), call("a", "g", "")])),
            vec![calls("a", "f", "{}"), calls("a_2", "g", "{}"), usage(), ends()],
        ),
    ] {
        assert_eq!(merged(answered(Responses, STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn text_of_different_items_is_separated() {
    let thought = |n: u32| json!({"type": "reasoning", "id": format!("rs_{n}"), "summary": []});
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]});
    for (what, body, expected) in [
        ("two messages", [text(0, "a"), text(1, "b")].concat(), vec![says("a\n\nb")]),
        (
            "a thought shown as it is, then its item without anything",
            [delta("reasoning_text", 0, "t"), done(0, thought(0)), text(1, "a")].concat(),
            vec![thinks("t"), says("a")],
        ),
        (
            "thoughts around a message",
            [delta("reasoning_text", 0, "t"), text(1, "a"), delta("reasoning_text", 2, "u")]
                .concat(),
            vec![thinks("t"), says("a"), thinks("u")],
        ),
        (
            "a thought nobody can read",
            [
                done(0, json!({"type": "reasoning", "summary": [], "encrypted_content": "e"})),
                text(1, "a"),
            ]
            .concat(),
            vec![GenEvent::Thought(json!({"summary": [], "encrypted_content": "e"})), says("a")],
        ),
        ("a refusal", delta("refusal", 0, "no"), vec![says("no")]),
        ("a whole refusal", done(0, refusal), vec![says("no")]),
        ("blank alone", [text(0, " \n"), text(1, "a")].concat(), vec![says(" \na")]),
    ] {
        let body = format!("{body}{}", completed(json!([])));
        let mut expected = expected;
        expected.extend([usage(), ends()]);
        assert_eq!(merged(answered(Responses, STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn overlapping_items_are_a_violation() {
    let thought = || added(0, json!({"type": "reasoning", "id": "rs_1", "summary": []}));
    let said = || added(1, json!({"type": "message", "id": "msg_1", "content": []}));
    let thinks = || delta("reasoning_text", 0, "t");
    for (what, body) in [
        ("announced", thought() + &thinks() + &said()),
        ("words within a thought", thought() + &thinks() + &text(1, "a")),
        ("a whole item within a thought", thought() + &thinks() + &done(1, message("a"))),
        ("two messages", said() + &text(1, "a") + &added(2, message("")) + &text(2, "b")),
        ("pieces that mix", thinks() + &text(1, "a") + &thinks()),
    ] {
        let error = failure(answered(Responses, STREAM, &(body + &completed(json!([])))).await);
        assert_eq!(error.class(), ErrorClass::Violation, "{what}: {error}");
        assert!(error.to_string().starts_with("protocol violation"), "{what}: {error}");
    }
    for (what, body, expected) in [
        (
            "a call does not count",
            said()
                + &text(1, "a")
                + &added(2, call("c", "f", ""))
                + &text(1, "b")
                + &done(2, call("c", "f", "{}")),
            vec![says("ab"), calls("c", "f", "{}"), usage(), ends()],
        ),
        ("an end that never comes", said() + &text(1, "a"), vec![says("a"), usage(), ends()]),
    ] {
        let body = body + &completed(json!([reasoning_without_anything(), message("a")]));
        assert_eq!(merged(answered(Responses, STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn finish_reasons_are_distinguished() {
    let hello = text(0, "hello");
    let half = added(0, json!({"type": "function_call", "call_id": "a", "name": "f"}))
        + &delta("function_call_arguments", 0, "{\"x\":");
    let [limit, inside, filter] = [LENGTH_REACHED, CUT_CALL, FILTERED];
    for (what, body, expected) in [
        (
            "no answer object at the end",
            format!("{hello}{}", event("completed", json!({}))),
            vec![says("hello"), GenEvent::End { model: None }],
        ),
        (
            "an end mark nobody asked for",
            format!("{hello}{}data: [DONE]\n\n", completed(json!([]))),
            vec![says("hello"), usage(), ends()],
        ),
        (
            "no blank line at the end",
            format!("{hello}{}", completed(json!([]))).trim_end().to_owned(),
            vec![says("hello"), usage(), ends()],
        ),
        (
            "output limit",
            format!("{hello}{}", incomplete("max_output_tokens")),
            vec![says("hello"), notice(limit), usage(), ends()],
        ),
        (
            "output limit inside a call",
            format!("{half}{}", incomplete("max_output_tokens")),
            vec![calls("a", "f", "{\"x\":"), notice(inside), usage(), ends()],
        ),
        (
            "content filter",
            format!("{hello}{}", incomplete("content_filter")),
            vec![says("hello"), notice(filter), usage(), ends()],
        ),
    ] {
        assert_eq!(merged(answered(Responses, STREAM, &body).await), Ok(expected), "{what}");
    }
}

#[tokio::test]
async fn failures_inside_an_answer_are_classified() {
    let hello = text(0, "hello");
    let failed = |error: Value| event("failed", json!({"response": {"error": error}}));
    let half = added(0, json!({"type": "function_call", "call_id": "a", "name": "f"}));
    let class = |body: &str| {
        let body = body.to_owned();
        async move { failure(answered(Responses, STREAM, &body).await).class() }
    };
    for (what, body, expected) in [
        ("nothing at all", String::new(), ErrorClass::Cut),
        ("a comment only", ": hi\n\n".to_owned(), ErrorClass::Cut),
        ("no end", hello.clone(), ErrorClass::Cut),
        ("an end mark without an end", format!("{hello}data: [DONE]\n\n"), ErrorClass::Cut),
        ("an end inside a call", format!("{half}{}", completed(json!([]))), ErrorClass::Cut),
        (
            "an end inside arguments",
            format!(
                "{half}{}{}",
                delta("function_call_arguments", 0, "{\"x\":"),
                completed(json!([]))
            ),
            ErrorClass::Cut,
        ),
        ("empty", completed(json!([])), ErrorClass::Empty),
        (
            "only a thought nobody can read",
            completed(json!([{"type": "reasoning", "encrypted_content": "e"}])),
            ErrorClass::Empty,
        ),
        ("blank", text(0, " \n") + &completed(json!([])), ErrorClass::Empty),
        ("filtered", incomplete("content_filter"), ErrorClass::Rejected),
        ("cut by the limit", incomplete("max_output_tokens"), ErrorClass::Empty),
        (
            "failed",
            hello.clone() + &failed(json!({"code": "server_error", "message": "x"})),
            ErrorClass::Server,
        ),
        (
            "failed by the rate",
            failed(json!({"code": "rate_limit_exceeded", "message": "x"})),
            ErrorClass::RateLimited,
        ),
        (
            "failed by the prompt",
            failed(json!({"code": "invalid_prompt", "message": "x"})),
            ErrorClass::Rejected,
        ),
        (
            "failed by the account",
            failed(json!({"code": "insufficient_quota", "message": "x"})),
            ErrorClass::Rejected,
        ),
        (
            "failed by the length",
            failed(json!({"code": "context_length_exceeded", "message": "x"})),
            ErrorClass::ContextOverflow,
        ),
        ("failed without a word", failed(Value::Null), ErrorClass::Server),
        (
            "error event",
            hello.clone() + &data(&json!({"type": "error", "code": "429", "message": "x"})),
            ErrorClass::RateLimited,
        ),
        (
            "error event by name",
            "event: error\ndata: {\"message\":\"x\"}\n\n".to_owned(),
            ErrorClass::Server,
        ),
        (
            "error object",
            data(&json!({"error": {"message": "x", "code": 401}})),
            ErrorClass::Rejected,
        ),
        ("no JSON", format!("{hello}data: {{this is not json\n\n"), ErrorClass::Malformed),
        ("wrong type", event("output_text.delta", json!({"item": "x"})), ErrorClass::Malformed),
        ("nameless call", completed(json!([call("a", "", "{}")])), ErrorClass::Malformed),
        ("a page", "<!doctype html><title>Sign in</title>".to_owned(), ErrorClass::Malformed),
        ("words", "hello\nworld\n".to_owned(), ErrorClass::Malformed),
    ] {
        assert_eq!(class(&body).await, expected, "{what}");
    }
}

#[tokio::test]
async fn a_response_that_is_not_a_stream_is_read_completely() {
    let body = answer("completed", full_output()).to_string();
    assert_eq!(merged(answered(Responses, JSON, &body).await), Ok(full_answer()));
    assert_eq!(merged(answered(Responses, STREAM, &body).await), Ok(full_answer()), "as a stream");

    let mut limited = answer("incomplete", json!([message("hello")]));
    limited["incomplete_details"] = json!({"reason": "max_output_tokens"});
    let events = merged(answered(Responses, JSON, &limited.to_string()).await).unwrap();
    assert!(matches!(events.as_slice(), [_, GenEvent::Notice(_), _, _]), "{events:?}");

    let failed =
        json!({"status": "failed", "output": [], "error": {"code": "rate_limit_exceeded"}});
    for (body, class) in [
        (&body[..body.len() / 2], ErrorClass::Cut),
        (failed.to_string().as_str(), ErrorClass::RateLimited),
        (answer("in_progress", json!([])).to_string().as_str(), ErrorClass::Server),
        ("{\"error\":{\"message\":\"x\",\"code\":429}}", ErrorClass::RateLimited),
        ("{\"detail\":\"no\"}", ErrorClass::Server),
        ("{\"output\":[]}", ErrorClass::Empty),
        ("{]", ErrorClass::Malformed),
    ] {
        assert_eq!(failure(answered(Responses, JSON, body).await).class(), class, "{body}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_stopped() {
    let long = "x".repeat(500);
    for (what, body) in [
        ("text", text(0, &long).repeat(10)),
        ("arguments", delta("function_call_arguments", 0, &long).repeat(10)),
        ("one thought", done(0, json!({"type": "reasoning", "encrypted_content": long.repeat(9)}))),
        ("one call", done(0, call("a", "f", &long.repeat(9)))),
    ] {
        let pieces = [STREAM.as_bytes(), body.as_bytes()];
        let (items, _) =
            answered_with(Responses, &pieces, |endpoint| endpoint.limits.text_bytes = 2048).await;
        assert_eq!(failure(items).to_string(), "stopped: the answer is over 2 KiB", "{what}");
    }
    let flood: String = (0..1100).map(|n| text(n, "x")).collect();
    let error = failure(answered(Responses, STREAM, &flood).await);
    assert_eq!(error.to_string(), "stopped: the answer has too many items");
}

fn fold() -> ResponsesFold {
    ResponsesFold::new(100_000)
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_answer(cuts in prop::collection::vec(0_usize..5000, 0..40)) {
        let stream = full_stream();
        let chunks = chunks(stream.as_bytes(), cuts);
        prop_assert_eq!(folded(fold(), chunks), Ok(full_answer()));
    }

    /// With lost, repeated or reordered events: no panic, and an answer that counts as complete contains no
    /// call with partial arguments.
    #[test]
    fn events_in_any_order_never_emit_a_partial_call(
        order in prop::collection::vec(0_usize..27, 0..40),
    ) {
        let pieces = pieces_of_full_stream();
        let stream: String = order.iter().map(|at| pieces[*at].as_str()).collect();
        if let Ok(events) = folded(fold(), [stream.as_bytes()]) {
            for event in events {
                if let GenEvent::Call(call) = event {
                    let known = ["{\"x\":\"aaaa\"}", "{}"].contains(&call.arguments.as_str());
                    prop_assert!(known, "{call:?}");
                }
            }
        }
    }

    #[test]
    fn no_data_makes_the_fold_panic(
        lines in prop::collection::vec(
            prop_oneof![
                "[ -~]{0,40}",
                "\\{\"type\":\"response\\.(created|completed|incomplete|failed|output_item\\.(added|done)|output_text\\.delta)\"(,\"(item|response|delta|output_index)\":(null|7|\"x\"|\\[\\]|\\{\\}))?\\}",
                Just("{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\",\"content\":[1,null]}}".to_owned()),
                Just("{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"summary\":\"x\",\"content\":null}}".to_owned()),
                Just("{\"type\":\"response.function_call_arguments.done\",\"arguments\":[]}".to_owned()),
                Just("{\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":18446744073709551615,\"output_tokens\":1}}}".to_owned()),
                Just("[DONE]".to_owned()),
            ],
            0..8,
        ),
    ) {
        let mut fold = ResponsesFold::new(1000);
        for data in lines {
            let event = crate::llm::sse::SseEvent { name: String::new(), data };
            if fold.event(&event).is_err() {
                return Ok(());
            }
        }
        drop(fold.end());
    }
}
