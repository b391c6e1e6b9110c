//! Tables of contexts and the messages they become.

use serde_json::{Value, json};

use super::*;
use crate::llm::request::ModelParams;

fn prompt(text: &str) -> Message {
    Message::Prompt(text.to_owned())
}

fn saying(text: &str) -> Message {
    Message::Saying(text.to_owned())
}

fn thinking(text: &str) -> Message {
    Message::Thinking(text.to_owned())
}

fn call(id: &str) -> Message {
    call_with(id, "f", "{}")
}

fn call_with(id: &str, name: &str, arguments: &str) -> Message {
    Message::Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn result(id: &str, content: &str) -> Message {
    Message::Result { id: id.to_owned(), name: "f".to_owned(), content: content.to_owned() }
}

fn projected(messages: Vec<Message>, config: &CompatConfig) -> Value {
    let request = Request {
        model: "m".to_owned(),
        system: "be kind".to_owned(),
        messages,
        tools: Vec::new(),
        streaming: true,
        params: ModelParams::default(),
        output_limit: None,
    };
    let mut all = serde_json::to_value(project(&request, config)).unwrap();
    let system = all.as_array_mut().unwrap().remove(0);
    assert_eq!(system, json!({"role": "system", "content": "be kind"}));
    all
}

fn plain(messages: Vec<Message>) -> Value {
    projected(messages, &CompatConfig::new("http://x"))
}

fn made(ids: &[&str], content: Option<&str>) -> Value {
    let calls: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}))
        .collect();
    json!({"role": "assistant", "content": content, "tool_calls": calls})
}

fn tool(id: &str, content: &str) -> Value {
    json!({"role": "tool", "content": content, "tool_call_id": id})
}

fn said(role: &str, content: &str) -> Value {
    json!({"role": role, "content": content})
}

#[test]
fn each_kind_of_message_has_its_role_and_neighbours_of_one_role_merge() {
    let context = vec![
        Message::Guide("memory one".to_owned()),
        Message::Guide("memory two".to_owned()),
        Message::Environment("task".to_owned()),
        prompt("hi"),
        saying(" \n"),
        Message::TellaskResult("answer".to_owned()),
        Message::Carryover("carried".to_owned()),
        saying("ok"),
    ];
    let expected = json!([
        said("assistant", "memory one\nmemory two"),
        said("user", "task\nhi\nanswer\ncarried"),
        said("assistant", "ok"),
    ]);
    assert_eq!(plain(context), expected);
}

#[test]
fn a_blank_system_prompt_is_left_out() {
    let request = Request {
        model: String::new(),
        system: " ".to_owned(),
        messages: vec![prompt("hi")],
        tools: Vec::new(),
        streaming: true,
        params: ModelParams::default(),
        output_limit: None,
    };
    assert_eq!(project(&request, &CompatConfig::new("http://x")).len(), 1);
}

#[test]
fn calls_and_results_always_pair() {
    for (what, context, expected) in [
        (
            "calls of one generation are one message with the saying before them",
            vec![
                prompt("hi"),
                saying("look"),
                call("a"),
                call("b"),
                result("b", "2"),
                result("a", "1"),
            ],
            json!([
                said("user", "hi"),
                made(&["a", "b"], Some("look")),
                tool("a", "1"),
                tool("b", "2")
            ]),
        ),
        (
            "generations stay apart",
            vec![call("a"), result("a", "1"), call("b"), result("b", "2")],
            json!([made(&["a"], None), tool("a", "1"), made(&["b"], None), tool("b", "2")]),
        ),
        (
            "thinking between call and result does not break the pair",
            vec![
                call("a"),
                thinking("hm"),
                call("b"),
                thinking("hm"),
                result("a", "1"),
                result("b", "2"),
            ],
            json!([made(&["a", "b"], None), tool("a", "1"), tool("b", "2")]),
        ),
        (
            "words between call and result move behind",
            vec![call("a"), prompt("wait"), result("a", "1")],
            json!([made(&["a"], None), tool("a", "1"), said("user", "wait")]),
        ),
        (
            "a call without a result gets one",
            vec![call("a"), call("b"), result("b", "2"), prompt("go on")],
            json!([
                made(&["a", "b"], None),
                tool("a", NO_RESULT),
                tool("b", "2"),
                said("user", "go on"),
            ]),
        ),
        (
            "a result without a call is dropped",
            vec![prompt("hi"), result("x", "0"), prompt("again")],
            json!([said("user", "hi\nagain")]),
        ),
        (
            "a result before its call is not its result",
            vec![result("a", "0"), call("a")],
            json!([made(&["a"], None), tool("a", NO_RESULT)]),
        ),
        (
            "an id used twice pairs in order",
            vec![call("a"), result("a", "1"), saying("more"), call("a"), result("a", "2")],
            json!([made(&["a"], None), tool("a", "1"), made(&["a"], Some("more")), tool("a", "2")]),
        ),
        (
            "a guide is not the saying of a call",
            vec![Message::Guide("note".to_owned()), call("a"), result("a", "1")],
            json!([said("assistant", "note"), made(&["a"], None), tool("a", "1")]),
        ),
        (
            "an empty result is still a result",
            vec![call("a"), result("a", "")],
            json!([made(&["a"], None), tool("a", "")]),
        ),
    ] {
        assert_eq!(plain(context), expected, "{what}");
    }
}

#[test]
fn thinking_is_replayed_as_configured() {
    let context = || {
        vec![
            prompt("hi"),
            thinking("first"),
            saying("yes"),
            thinking("second"),
            thinking("third"),
            call("a"),
            result("a", "1"),
            thinking("left over"),
        ]
    };
    let with = |thinking_replay| {
        let config = CompatConfig { thinking_replay, ..CompatConfig::new("http://x") };
        projected(context(), &config)
    };
    assert_eq!(
        with(ThinkingReplay::None),
        json!([said("user", "hi"), made(&["a"], Some("yes")), tool("a", "1")])
    );
    assert_eq!(
        with(ThinkingReplay::Text),
        json!([
            said("user", "hi"),
            said("assistant", "first\nyes\nsecond\nthird"),
            made(&["a"], None),
            tool("a", "1"),
            said("assistant", "left over"),
        ])
    );
    let mut call = made(&["a"], None);
    call["reasoning_content"] = json!("second\nthird");
    assert_eq!(
        with(ThinkingReplay::ReasoningContent),
        json!([
            said("user", "hi"),
            {"role": "assistant", "content": "yes", "reasoning_content": "first"},
            call,
            tool("a", "1"),
            {"role": "assistant", "content": "", "reasoning_content": "left over"},
        ])
    );
}

#[test]
fn names_and_arguments_fit_the_protocol() {
    for (name, arguments, expected) in [
        ("f", "", ("f", "{}")),
        ("f", " {\"a\":1}", ("f", " {\"a\":1}")),
        ("f", "{\"a\":", ("f", r#"{"_raw":"{\"a\":"}"#)),
        ("f", "[1]", ("f", r#"{"_raw":"[1]"}"#)),
        ("a b/ü", "{}", ("a_b__", "{}")),
        ("", "{}", ("unnamed", "{}")),
    ] {
        let messages = plain(vec![call_with("a", name, arguments)]);
        let function = &messages[0]["tool_calls"][0]["function"];
        assert_eq!(function["name"], expected.0, "{name}");
        assert_eq!(function["arguments"], expected.1, "{arguments}");
    }
    assert_eq!(wire_name(&"x".repeat(80)).len(), 64);
}

#[test]
fn a_long_result_is_capped_with_a_note() {
    let config = CompatConfig { tool_result_chars: 3, ..CompatConfig::new("http://x") };
    let messages = projected(vec![call("a"), result("a", "字字字字字")], &config);
    assert_eq!(
        messages[1]["content"],
        "字字字\n[tool_output_truncated_for_provider original_chars=5 limit_chars=3]"
    );
    let messages = projected(vec![call("a"), result("a", "字字字")], &config);
    assert_eq!(messages[1]["content"], "字字字");
}
