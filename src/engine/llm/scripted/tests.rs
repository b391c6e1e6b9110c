//! Which turn answers, and how it is played.

use futures_util::StreamExt;
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::llm::{ModelParams, Usage};

fn script(turns: &Value) -> Script {
    serde_json::from_value(json!({"agents": {"ada": turns}})).unwrap()
}

fn request(agent: &str, messages: Vec<Message>) -> Request {
    Request {
        model: agent.to_owned(),
        system: String::new(),
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

fn said_before(text: &str) -> Message {
    Message::Saying(text.to_owned())
}

fn call(id: &str) -> Message {
    Message::Call { id: id.to_owned(), name: "f".to_owned(), arguments: String::new() }
}

fn result(id: &str, text: &str) -> Message {
    Message::Result {
        id: id.to_owned(),
        name: "f".to_owned(),
        content: text.to_owned(),
        images: Vec::new(),
    }
}

async fn said(provider: &Scripted, request: Request) -> String {
    let items: Vec<_> = provider.stream(request).collect().await;
    let texts = items.into_iter().filter_map(|item| match item {
        Ok(GenEvent::Delta { segment: Segment::Saying, text }) => Some(text),
        _ => None,
    });
    texts.collect()
}

#[tokio::test]
async fn the_first_turn_whose_conditions_hold_answers() {
    let turns = json!([
        {"when": "weather", "after": 1, "saying": "still sunny"},
        {"when": "weather", "saying": "sunny"},
        {"after": 0, "saying": "welcome"},
        {"after": 2, "saying": "third"},
    ]);
    let provider = Scripted::new(script(&turns), 0.0);
    for (messages, expected) in [
        (vec![prompt("hi")], "welcome"),
        (vec![prompt("the weather?")], "sunny"),
        (vec![prompt("hi"), said_before("welcome"), prompt("weather")], "still sunny"),
        (vec![prompt("the weather"), call("a"), result("a", "rain")], DEFAULT_ANSWER),
        (
            vec![prompt("x"), call("a"), call("b"), result("a", ""), result("b", "weather")],
            "still sunny",
        ),
        (
            vec![
                prompt("x"),
                Message::Thinking { text: "t".to_owned(), payload: None },
                said_before("s"),
                prompt("y"),
                said_before("s"),
                prompt("z"),
            ],
            "third",
        ),
        (
            vec![
                Message::TellaskResult("weather".to_owned()),
                Message::Environment("e".to_owned()),
            ],
            "sunny",
        ),
    ] {
        assert_eq!(
            said(&provider, request("ada", messages.clone())).await,
            expected,
            "{messages:?}"
        );
    }
    assert_eq!(said(&provider, request("bob", vec![])).await, DEFAULT_ANSWER);
}

#[tokio::test]
async fn a_script_continues_by_earlier_texts_and_replies_despite_interjections() {
    let turns = json!([
        {"once": true, "seen": "begin", "saying": "one\n"},
        {"once": true, "seen": "begin", "replies": 2, "saying": "two"},
        {"saying": "small talk"},
    ]);
    let provider = Scripted::new(script(&turns), 0.0);
    let reply = |text: &str| Message::TellaskResult(text.to_owned());
    let (begin, one) = (prompt("please begin"), said_before("one"));
    for (messages, expected) in [
        (vec![prompt("hi")], "small talk"),
        (vec![Message::Environment("begin".to_owned()), prompt("hi")], "small talk"),
        (vec![begin.clone()], "one\n"),
        (vec![begin.clone(), prompt("hi")], "one\n"),
        (vec![begin.clone(), said_before("on [interrupted here]")], "one\n"),
        (vec![begin.clone(), one.clone(), prompt("hi")], "small talk"),
        (vec![begin.clone(), one.clone(), reply("a"), prompt("hi")], "small talk"),
        (vec![begin.clone(), one.clone(), reply("a"), prompt("hi"), reply("b")], "two"),
        (vec![begin, one, reply("a"), reply("b"), said_before("two"), prompt("hi")], "small talk"),
    ] {
        assert_eq!(
            said(&provider, request("ada", messages.clone())).await,
            expected,
            "{messages:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn text_comes_word_by_word_at_its_pace_and_calls_follow() {
    let turns = json!([{
        "thinking": "let me  see",
        "saying": "你好世界 ok",
        "calls": [{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": "raw", "id": "x"}],
        "delay_ms": 1000,
        "tokens_per_second": 10,
    }]);
    let start = Instant::now();
    let provider = Scripted::new(script(&turns), 2.0);
    let items: Vec<_> = provider.stream(request("ada", vec![prompt("12345678")])).collect().await;
    assert_eq!(start.elapsed(), Duration::from_millis(500 + 6 * 50));
    let delta = |segment, text: &str| GenEvent::Delta { segment, text: text.to_owned() };
    let call = |id: &str, name: &str, arguments: &str| {
        GenEvent::Call(ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        })
    };
    let expected = [
        delta(Segment::Thinking, "let "),
        delta(Segment::Thinking, "me  "),
        delta(Segment::Thinking, "see"),
        delta(Segment::Saying, "你好"),
        delta(Segment::Saying, "世界 "),
        delta(Segment::Saying, "ok"),
        call("call_ada_1_1", "f", "{\"a\":1}"),
        call("x", "g", "raw"),
        GenEvent::Usage(Usage {
            prompt_tokens: 2,
            completion_tokens: 8,
            total_tokens: 10,
            cached_tokens: None,
        }),
        GenEvent::End { model: Some("ada".to_owned()) },
    ];
    let items: Vec<GenEvent> = items.into_iter().map(Result::unwrap).collect();
    assert_eq!(items, expected);
}

#[tokio::test]
async fn a_turn_fails_the_scripted_number_of_times_then_answers() {
    let turns = json!([{
        "thinking": "hm",
        "saying": "at last",
        "error": {"class": "rate_limited", "message": "slow down", "status": 429, "retry_after_ms": 5, "times": 2},
    }]);
    let provider = Scripted::new(script(&turns), f64::INFINITY);
    let expected = LlmError::quoted(ErrorClass::RateLimited, "slow down")
        .with_status(429)
        .with_retry_after(Some(Duration::from_millis(5)));
    for _ in 0..2 {
        let items: Vec<_> = provider.stream(request("ada", vec![])).collect().await;
        assert_eq!(items.last(), Some(&Err(expected.clone())));
    }
    assert_eq!(said(&provider, request("ada", vec![])).await, "at last");
}

#[test]
fn joined_pieces_are_the_text() {
    for text in ["", " ", "a", " a b\n\nc ", "你好，世界! ok", "🦀🦀🦀"] {
        assert_eq!(words(text).concat(), text);
    }
}
