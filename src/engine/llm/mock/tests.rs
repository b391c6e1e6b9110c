//! Matching and playback of the mock provider.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::llm::{ErrorClass, GenEvent, LlmError, Message, ModelParams, Segment, ToolCall, Usage};

/// The tests write their databases as JSON, which is YAML as well.
fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "tester".to_owned(),
        system: "12345678".to_owned(),
        messages,
        tools: Vec::new(),
        streaming: true,
        params: ModelParams::default(),
        output_limit: None,
    }
}

fn prompt(text: &str) -> Message {
    Message::Prompt(text.to_owned())
}

fn result(text: &str) -> Message {
    Message::Result {
        id: "c".to_owned(),
        name: "f".to_owned(),
        content: text.to_owned(),
        images: Vec::new(),
    }
}

/// The answer of a database with these entries.
async fn answer(entries: Value, request: Request) -> Vec<Result<GenEvent, LlmError>> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("tester.yaml");
    std::fs::write(&file, json!({ "responses": entries }).to_string()).unwrap();
    Mock::new(directory.path(), parse).stream(request).collect().await
}

fn said(items: &[Result<GenEvent, LlmError>]) -> String {
    text_of(items, Segment::Saying)
}

fn text_of(items: &[Result<GenEvent, LlmError>], wanted: Segment) -> String {
    let texts = items.iter().filter_map(|item| match item {
        Ok(GenEvent::Delta { segment, text }) if *segment == wanted => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn entry(role: &str, message: &str, response: &str) -> Value {
    json!({"role": role, "message": message, "response": response})
}

#[tokio::test]
async fn the_newest_input_is_looked_up_by_role_and_whole_text() {
    let found = "yes";
    let reminder = || Message::Environment("reminder".to_owned());
    let status = "hello\n[Dominds tellask status]\none\n[Dominds tellask status]\ntwo";
    for (what, messages, entry, matches) in [
        ("equal", vec![prompt("hello")], entry("user", "hello", found), true),
        (
            "blanks and case",
            vec![prompt("\u{feff} HeLLo\n")],
            entry("user", " Hello ", found),
            true,
        ),
        ("part of the text", vec![prompt("hello there")], entry("user", "hello", found), false),
        ("other role", vec![prompt("hello")], entry("tool", "hello", found), false),
        ("no role", vec![prompt("hello")], json!({"message": "hello", "response": found}), false),
        (
            "notices and the model's own words are passed over",
            vec![
                prompt("hello"),
                reminder(),
                Message::Guide("g".to_owned()),
                Message::Thinking { text: "t".to_owned(), payload: None },
                Message::Saying("s".to_owned()),
            ],
            entry("user", "hello", found),
            true,
        ),
        (
            "a result is a tool's",
            vec![prompt("x"), result("done")],
            entry("tool", "done", found),
            true,
        ),
        (
            "a side dialog's answer is a tool's",
            vec![Message::TellaskResult("done".to_owned())],
            entry("tool", "done", found),
            true,
        ),
        (
            "a carried-over text is a user's",
            vec![Message::Carryover("done".to_owned())],
            entry("user", "done", found),
            true,
        ),
        ("nothing but notices", vec![reminder()], entry("user", "reminder", found), true),
        (
            "nothing but sayings",
            vec![Message::Saying("s".to_owned())],
            entry("assistant", "s", found),
            true,
        ),
        ("nothing at all", vec![], entry("user", "", found), true),
        (
            "before the status",
            vec![prompt(status)],
            entry("user", "hello\n[Dominds tellask status]\none", found),
            true,
        ),
        ("the whole with status", vec![prompt(status)], entry("user", status, found), true),
        (
            "behind a heading",
            vec![prompt("[Dominds long-line reminder] x\ny\n\nhello\n\nthere")],
            entry("user", "hello\n\nthere", found),
            true,
        ),
        (
            "a heading elsewhere",
            vec![prompt("x [Dominds long-line reminder]\n\nhello")],
            entry("user", "hello", found),
            false,
        ),
    ] {
        let text = said(&answer(json!([entry]), request(messages)).await);
        assert_eq!(text == found, matches, "{what}: {text}");
        assert_eq!(text.starts_with("🤖 **Mock Response Not Found**"), !matches, "{what}: {text}");
    }
}

#[tokio::test]
async fn the_last_entry_whose_context_matches_wins() {
    let with = |response: &str, context: &[&str]| json!({"role": "user", "message": "go", "response": response, "contextContains": context});
    let entries = json!([
        with("first", &[]),
        with("second", &[]),
        with("third", &["alpha", "beta"]),
        with("fourth", &["gamma"]),
    ]);
    for (context, expected) in [
        ("nothing", "second"),
        ("alpha", "second"),
        ("alpha beta", "third"),
        ("alpha beta gamma", "fourth"),
    ] {
        let messages = vec![Message::Environment(context.to_owned()), prompt("go")];
        assert_eq!(said(&answer(entries.clone(), request(messages)).await), expected);
    }
}

#[tokio::test]
async fn a_stream_thinks_says_calls_counts_and_ends() {
    let entries = json!([{
        "role": "user",
        "message": "hello",
        "response": "Hi  there",
        "unknown": 1,
        "funcCalls": [
            {"name": "f", "arguments": {"a": "b"}},
            {"name": "g", "id": "c9", "arguments": "raw"},
            {"name": "h"},
        ],
    }]);
    let call = |id: &str, name: &str, arguments: &str| {
        Ok(GenEvent::Call(ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }))
    };
    let delta = |segment, text: &str| Ok(GenEvent::Delta { segment, text: text.to_owned() });
    let expected = vec![
        delta(Segment::Thinking, "[tester] "),
        delta(Segment::Thinking, "hello"),
        delta(Segment::Saying, "Hi"),
        delta(Segment::Saying, "  "),
        delta(Segment::Saying, "there"),
        call("mock_func_1_f", "f", r#"{"a":"b"}"#),
        call("c9", "g", "raw"),
        call("mock_func_3_h", "h", "{}"),
        Ok(GenEvent::Usage(Usage {
            prompt_tokens: 4,
            completion_tokens: 3,
            total_tokens: 7,
            cached_tokens: None,
        })),
        Ok(GenEvent::End { model: Some("tester".to_owned()) }),
    ];
    assert_eq!(answer(entries, request(vec![prompt("hello")])).await, expected);
}

#[tokio::test]
async fn the_thinking_repeats_the_start_of_the_input() {
    let long = format!("{}🦀rest", "x".repeat(49));
    for (input, streaming, expected) in [
        (long.as_str(), true, format!("[tester] {}", "x".repeat(49))),
        (long.as_str(), false, format!("[tester] {long}")),
        ("", true, "[tester] (empty)".to_owned()),
    ] {
        let request = Request { streaming, ..request(vec![prompt(input)]) };
        let items = answer(json!([]), request).await;
        assert_eq!(text_of(&items, Segment::Thinking), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn delays_are_kept() {
    for (streaming, delay, chunk_delay, expected) in [
        (true, json!(200.9), json!(20), 260),
        (false, json!(200), json!(20), 200),
        (true, json!(-5), json!("soon"), 0),
    ] {
        let entries = json!([{"role": "user", "message": "go", "response": "a b",
            "delayMs": delay, "chunkDelayMs": chunk_delay}]);
        let start = Instant::now();
        answer(entries, Request { streaming, ..request(vec![prompt("go")]) }).await;
        assert_eq!(start.elapsed(), Duration::from_millis(expected));
    }
}

#[tokio::test]
async fn errors_follow_the_thinking() {
    for (text, reported, class) in [
        ("boom", false, ErrorClass::Server),
        ("socket hang up", false, ErrorClass::Transport),
        ("rate limit reached", false, ErrorClass::RateLimited),
        ("boom", true, ErrorClass::Fatal),
    ] {
        let entries = json!([{"role": "user", "message": "go", "response": "never",
            "streamError": text, "emitStreamErrorBeforeThrow": reported}]);
        let items = answer(entries.clone(), request(vec![prompt("go")])).await;
        assert_eq!(items.len(), 3);
        assert_eq!(items[2], Err(LlmError::quoted(class, text)));

        let whole = Request { streaming: false, ..request(vec![prompt("go")]) };
        let items = answer(entries, whole).await;
        assert_eq!(said(&items), format!("❌ Mock Error: {text}"));
    }
}

#[tokio::test]
async fn counts_are_estimated_given_or_withheld() {
    for (fields, expected) in [
        (json!({}), Some((3, 1, 4))),
        (json!({"usage": {"promptTokens": 950, "completionTokens": 10}}), Some((950, 10, 960))),
        (
            json!({"usage": {"promptTokens": 1, "completionTokens": 2, "totalTokens": 9}}),
            Some((1, 2, 9)),
        ),
        (json!({"usageUnavailable": true}), None),
    ] {
        let mut entry = entry("user", "go", "ok");
        entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let items = answer(json!([entry]), request(vec![prompt("go")])).await;
        let usage = items.iter().find_map(|item| match item {
            Ok(GenEvent::Usage(usage)) => {
                Some((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens))
            }
            _ => None,
        });
        assert_eq!(usage, expected);
    }
}

#[tokio::test]
async fn a_demanded_reply_is_the_last_saying() {
    let demand = "[Dominds replyTellask required]\nCall `replyTellaskSessionless` now, not `x`.";
    let messages = vec![
        Message::Saying(" the answer \n".to_owned()),
        Message::Saying(" ".to_owned()),
        prompt(demand),
    ];
    let items = answer(json!([]), request(messages)).await;
    let expected = GenEvent::Call(ToolCall {
        id: "mock_func_1_replyTellaskSessionless".to_owned(),
        name: "replyTellaskSessionless".to_owned(),
        arguments: r#"{"replyContent":"the answer"}"#.to_owned(),
    });
    assert!(items.contains(&Ok(expected)), "{items:?}");
    assert_eq!(said(&items), "");
}

#[tokio::test]
async fn the_file_is_read_again_when_it_changed_and_may_be_missing_or_broken() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tester.yaml");
    let provider = Mock::new(directory.path(), parse);
    let ask = async || {
        let items: Vec<_> = provider.stream(request(vec![prompt("go")])).collect().await;
        said(&items)
    };
    let file = |text: &str| json!({"responses": [entry("user", "go", text)]}).to_string();
    let nothing = "🤖 **Mock Response Not Found**";
    assert!(ask().await.starts_with(nothing), "missing");
    let steps = [
        (file("one"), "one"),
        (file("two"), "two"),
        ("{".to_owned(), nothing),
        (json!({"responses": [{"message": 5, "role": "user"}]}).to_string(), nothing),
        (file("three"), "three"),
    ];
    for (second, (content, expected)) in (1..).zip(steps) {
        std::fs::write(&path, &content).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
        let text = ask().await;
        assert!(text.starts_with(expected), "{content}: {text}");
    }
}
