//! Tables of settings and the bodies they become.

use super::*;
use crate::llm::request::Message;

fn request() -> Request {
    Request {
        model: "m".to_owned(),
        system: " ".to_owned(),
        messages: vec![Message::Prompt("hi".to_owned())],
        tools: Vec::new(),
        streaming: true,
        params: ModelParams::default(),
        output_limit: None,
    }
}

fn with(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = request();
    change(&mut request);
    request
}

fn body(request: &Request) -> Value {
    serde_json::to_value(MessagesBody::new(request, 100, "v")).unwrap()
}

fn kept() -> Value {
    json!({"type": "ephemeral"})
}

fn hi() -> Value {
    json!([{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": kept()}]}])
}

fn tool(parameters: Value) -> ToolSchema {
    ToolSchema { name: "t".to_owned(), description: "does".to_owned(), parameters }
}

#[test]
fn what_is_not_set_is_not_sent() {
    let expected = json!({"model": "m", "max_tokens": 8192, "messages": hi(), "stream": true});
    assert_eq!(body(&with(|r| r.params.parallel_tool_calls = Some(false))), expected);
}

#[test]
fn what_is_set_is_sent() {
    let schema = json!({"type": "object", "properties": {}});
    let full = Request {
        system: "be kind".to_owned(),
        streaming: false,
        tools: vec![tool(schema.clone()), tool(json!({"properties": {}})), tool(json!(null))],
        params: ModelParams {
            max_tokens: Some(5),
            temperature: Some(0.5),
            top_p: Some(0.25),
            top_k: Some(7),
            stop_sequences: vec!["END".to_owned()],
            parallel_tool_calls: Some(false),
            reasoning_split: Some(true),
            ..ModelParams::default()
        },
        output_limit: Some(9),
        ..request()
    };
    let offered =
        |schema: Value| json!({"name": "t", "description": "does", "input_schema": schema});
    let mut last = offered(json!({"type": "object"}));
    last["cache_control"] = kept();
    let expected = json!({
        "model": "m",
        "max_tokens": 5,
        "system": [{"type": "text", "text": "be kind", "cache_control": kept()}],
        "messages": hi(),
        "stream": false,
        "tools": [
            offered(schema),
            offered(json!({"properties": {}, "type": "object"})),
            last,
        ],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": true},
        "temperature": 0.5,
        "top_p": 0.25,
        "top_k": 7,
        "stop_sequences": ["END"],
        "reasoning_split": true,
    });
    assert_eq!(body(&full), expected);
    assert_eq!(body(&with(|r| r.output_limit = Some(9)))["max_tokens"], 9);
}

#[test]
fn the_thinking_budget_leaves_tokens_for_the_answer() {
    let enabled = |tokens: u32| json!({"type": "enabled", "budget_tokens": tokens});
    let adaptive = json!({"type": "adaptive"});
    for (budget, effort, limit, max_tokens, thinking, sent) in [
        (None, None, None, 8192, Value::Null, Value::Null),
        (Some(2000), None, None, 10_192, enabled(2000), Value::Null),
        (Some(10), None, None, 9216, enabled(1024), Value::Null),
        (Some(2000), None, Some(4000), 4000, enabled(2000), Value::Null),
        (Some(9000), None, Some(4000), 4000, enabled(3000), Value::Null),
        (Some(9000), None, Some(1000), 1000, Value::Null, Value::Null),
        (None, Some("high"), Some(64), 64, adaptive.clone(), json!("high")),
        (None, Some("minimal"), None, 8192, adaptive, json!("low")),
        (None, Some("none"), None, 8192, Value::Null, Value::Null),
        (Some(2000), Some("max"), None, 10_192, enabled(2000), json!("max")),
    ] {
        let found = body(&with(|r| {
            r.params.thinking_budget = budget;
            r.params.reasoning_effort = effort.map(str::to_owned);
            r.params.max_tokens = limit;
            r.params.temperature = Some(0.5);
            r.params.top_k = Some(1);
        }));
        let asked = found.get("thinking").cloned().unwrap_or_default();
        assert_eq!((&found["max_tokens"], &asked), (&json!(max_tokens), &thinking), "{found}");
        let effort = found.get("output_config").map_or(&Value::Null, |config| &config["effort"]);
        assert_eq!(effort, &sent, "{found}");
        let plain = found.get("temperature").is_some() && found.get("top_k").is_some();
        assert_eq!(plain, asked.is_null(), "with thinking, neither is taken: {found}");
    }
}

#[test]
fn what_is_said_about_thinking_decides_alone() {
    let enabled = json!({"type": "enabled"});
    let budget = json!({"type": "enabled", "budget_tokens": 2000});
    for (thinking, sent, max_tokens, plain) in [
        (Thinking::Off, json!({"type": "disabled"}), 8192, true),
        (Thinking::On, enabled, 8192, false),
        (Thinking::Adaptive, json!({"type": "adaptive"}), 8192, false),
        (Thinking::Budget(2000), budget, 10_192, false),
    ] {
        let found = body(&with(|r| {
            r.params.thinking = Some(thinking);
            r.params.thinking_budget = Some(9000);
            r.params.temperature = Some(0.5);
        }));
        assert_eq!((&found["thinking"], &found["max_tokens"]), (&sent, &json!(max_tokens)));
        assert_eq!(found.get("temperature").is_some(), plain, "{found}");
    }
}

fn round(thought: Option<Value>) -> Vec<Message> {
    let text = "hm".to_owned();
    vec![
        Message::Prompt("hi".to_owned()),
        Message::Thinking { text, payload: thought },
        Message::Call { id: "a".to_owned(), name: "f".to_owned(), arguments: String::new() },
        Message::Result {
            id: "a".to_owned(),
            name: "f".to_owned(),
            content: "1".to_owned(),
            images: Vec::new(),
        },
    ]
}

#[test]
fn thinking_is_not_enabled_within_a_tool_round_that_began_without_it() {
    let own = json!({"summary": [], "anthropic": {"vendor": "v", "signature": "s"}});
    let foreign = json!({"summary": [], "encrypted_content": "e"});
    let mut answered = round(None);
    answered.push(Message::Saying("done".to_owned()));
    answered.push(Message::Prompt("next".to_owned()));
    for (what, messages, thinks) in [
        ("it thought", round(Some(own)), true),
        ("it did not think", round(None), false),
        ("another protocol thought", round(Some(foreign)), false),
        ("the round is over", answered, true),
    ] {
        let found = body(&with(|r| {
            r.messages = messages;
            r.params.thinking_budget = Some(2000);
        }));
        assert_eq!(found.get("thinking").is_some(), thinks, "{what}: {found}");
    }
}

#[test]
fn calls_in_the_context_need_a_tool_although_none_is_offered() {
    let found = body(&with(|r| r.messages = round(None)));
    assert_eq!(found["tool_choice"], json!({"type": "none"}));
    assert_eq!(found["tools"][0]["name"], "f");
}

#[test]
fn a_json_answer_is_requested_as_a_call() {
    for (tools, budget, count, choice) in
        [(0, None, 1, "any"), (1, None, 2, "any"), (0, Some(2000), 1, "auto")]
    {
        let found = body(&with(|r| {
            r.params.json_response = true;
            r.params.thinking_budget = budget;
            r.tools = vec![tool(json!({"type": "object"})); tools];
        }));
        let offered = found["tools"].as_array().unwrap();
        assert_eq!(offered.len(), count);
        assert_eq!(offered[count - 1]["name"], ANSWER_TOOL);
        assert_eq!(found["tool_choice"], json!({"type": choice}));
    }
}

#[test]
fn at_most_four_cache_marks_are_set() {
    let found = body(&with(|r| {
        r.system = "be kind".to_owned();
        r.tools = vec![tool(json!({"type": "object"})); 3];
        let mut context = vec![
            Message::Guide("memory".to_owned()),
            Message::Environment("task".to_owned()),
            Message::Environment("reminder".to_owned()),
        ];
        context.extend(round(None));
        r.messages = context;
    }));
    assert_eq!(found.to_string().matches("ephemeral").count(), 4);
    assert_eq!(found["system"][0]["cache_control"], kept());
    assert_eq!(found["tools"][2]["cache_control"], kept());
    assert_eq!(found["messages"][0]["content"][1]["cache_control"], kept(), "behind the task");
    let last = found["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"][0]["cache_control"], kept());
}
