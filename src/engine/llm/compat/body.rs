//! The body of a request.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::{Map, Value, json};

use super::converter::{ChatMessage, project, without_system_role};
use crate::domain::{Dialect, Quirk, Thinking};
use crate::llm::request::{Request, ToolSchema};

/// The request body. Unset options are omitted: servers differ in what they reject.
#[derive(Debug, Serialize)]
pub(super) struct ChatBody<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_split: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_identifier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl<'a> ChatBody<'a> {
    pub(super) fn new(request: &'a Request, dialect: Dialect, max_result_chars: usize) -> Self {
        let params = &request.params;
        let messages = project(request, dialect.thinking_replay, max_result_chars);
        let has_tools = !request.tools.is_empty();
        let counts = request.streaming && !dialect.quirks.has(Quirk::NoStreamOptions);
        let refuses_choice = params.no_tool_choice || dialect.quirks.has(Quirk::NoToolChoice);
        let thinks = params.thinking != Some(Thinking::Off);
        let splits = dialect.quirks.has(Quirk::MinimaxReasoningDetails).then_some(true);
        let renamed = dialect.quirks.has(Quirk::MaxCompletionTokens);
        let limit = params.max_tokens.or(request.output_limit);
        Self {
            model: &request.model,
            messages: if dialect.quirks.has(Quirk::NoSystemRole) {
                without_system_role(messages)
            } else {
                messages
            },
            stream: request.streaming,
            stream_options: counts.then_some(StreamOptions { include_usage: true }),
            max_tokens: limit.filter(|_| !renamed),
            max_completion_tokens: limit.filter(|_| renamed),
            temperature: params.temperature,
            top_p: params.top_p,
            tools: has_tools.then_some(Tools(&request.tools)),
            tool_choice: (has_tools && !refuses_choice).then_some("auto"),
            parallel_tool_calls: params.parallel_tool_calls.filter(|_| has_tools),
            // Servers refuse an effort for a model that is not to think.
            reasoning_effort: params.reasoning_effort.as_deref().filter(|_| thinks),
            reasoning_split: params.reasoning_split.or(splits),
            thinking: params.thinking.as_ref().map(|thinking| thinking_object(thinking, dialect)),
            service_tier: params.service_tier.as_deref(),
            safety_identifier: params.safety_identifier.as_deref(),
            response_format: params.answer_format().map(response_format),
        }
    }
}

/// The form of an answer in the words of this protocol, where a schema is an object of its own.
fn response_format(form: Value) -> Value {
    if form.get("type").and_then(Value::as_str) != Some("json_schema") {
        return form;
    }
    let parts = form.as_object().into_iter().flatten().filter(|(key, _)| *key != "type");
    let schema: Map<String, Value> =
        parts.map(|(key, value)| (key.clone(), value.clone())).collect();
    json!({ "type": "json_schema", "json_schema": schema })
}

fn thinking_object(thinking: &Thinking, dialect: Dialect) -> Value {
    let adapts = *thinking == Thinking::On && dialect.quirks.has(Quirk::MinimaxThinkingType);
    if adapts { Thinking::Adaptive.to_json() } else { thinking.to_json() }
}

#[derive(Debug)]
struct Tools<'a>(&'a [ToolSchema]);

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    strict: bool,
}

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut list = out.serialize_seq(Some(self.0.len()))?;
        for tool in self.0 {
            list.serialize_element(&Tool {
                r#type: "function",
                function: Function {
                    name: &tool.name,
                    description: &tool.description,
                    parameters: &tool.parameters,
                    strict: false,
                },
            })?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::request::{Message, ModelParams};

    fn request() -> Request {
        Request {
            model: "m".to_owned(),
            system: String::new(),
            messages: vec![Message::Prompt("hi".to_owned())],
            tools: Vec::new(),
            streaming: true,
            params: ModelParams::default(),
            output_limit: None,
        }
    }

    fn body(request: &Request) -> Value {
        serde_json::to_value(ChatBody::new(request, Dialect::default(), 100)).unwrap()
    }

    #[test]
    fn where_the_system_role_is_refused_its_text_begins_the_first_user_message() {
        let quirks = crate::domain::Quirks::NONE.with(Quirk::NoSystemRole);
        let dialect = Dialect { quirks, ..Dialect::default() };
        let sent = |messages: Vec<Message>| {
            let request = Request { system: "Be brief.".to_owned(), messages, ..request() };
            let body = serde_json::to_value(ChatBody::new(&request, dialect, 100)).unwrap();
            body["messages"].clone()
        };
        let prompt = || Message::Prompt("hi".to_owned());
        assert_eq!(sent(vec![prompt()]), json!([{"role": "user", "content": "Be brief.\n\nhi"}]));
        let said = sent(vec![Message::Saying("yes".to_owned()), prompt()]);
        let roles: Vec<&str> =
            said.as_array().unwrap().iter().filter_map(|one| one["role"].as_str()).collect();
        assert_eq!(roles, ["user", "assistant", "user"], "{said}");
        assert_eq!(said[0]["content"], json!("Be brief."));
        assert!(!body(&request()).to_string().contains("Be brief."));
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let expected = json!({
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        let mut plain = request();
        plain.params.parallel_tool_calls = Some(true);
        assert_eq!(body(&plain), expected);
    }

    #[test]
    fn what_is_set_is_sent() {
        let schema = json!({"type": "object", "properties": {}});
        let full = Request {
            streaming: false,
            tools: vec![ToolSchema {
                name: "t".to_owned(),
                description: "does".to_owned(),
                parameters: schema.clone(),
            }],
            params: ModelParams {
                max_tokens: Some(5),
                temperature: Some(0.5),
                top_p: Some(0.25),
                parallel_tool_calls: Some(false),
                reasoning_effort: Some("low".to_owned()),
                safety_identifier: Some("u".to_owned()),
                json_response: true,
                ..ModelParams::default()
            },
            output_limit: Some(9),
            ..request()
        };
        let expected = json!({
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
            "stream": false,
            "max_tokens": 5,
            "temperature": 0.5,
            "top_p": 0.25,
            "tools": [{"type": "function", "function":
                {"name": "t", "description": "does", "parameters": schema, "strict": false}}],
            "tool_choice": "auto",
            "parallel_tool_calls": false,
            "reasoning_effort": "low",
            "safety_identifier": "u",
            "response_format": {"type": "json_object"},
        });
        assert_eq!(body(&full), expected);
        let form = json!({"type": "json_schema", "name": "n", "schema": schema, "strict": true});
        let params = ModelParams { text_format: Some(form), ..full.params };
        let expected = json!({"type": "json_schema",
            "json_schema": {"name": "n", "schema": schema, "strict": true}});
        assert_eq!(body(&Request { params, ..request() })["response_format"], expected);
        let limited = Request { output_limit: Some(9), ..request() };
        assert_eq!(body(&limited)["max_tokens"], 9);
    }

    #[test]
    fn where_tool_choice_is_refused_tools_are_offered_without_it() {
        let tool = ToolSchema {
            name: "t".to_owned(),
            description: "does".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
        };
        let with_tool = Request { tools: vec![tool], ..request() };
        let quirks = [Quirk::NoToolChoice].into_iter().collect();
        let dialect = Dialect { quirks, ..Dialect::default() };
        let sent = serde_json::to_value(ChatBody::new(&with_tool, dialect, 100)).unwrap();
        assert_eq!(sent["tools"][0]["function"]["name"], json!("t"));
        assert_eq!(sent.get("tool_choice"), None);
        assert_eq!(body(&with_tool)["tool_choice"], json!("auto"));
    }

    #[test]
    fn a_model_that_refuses_tool_choice_is_offered_tools_without_it() {
        let mut with_tool = request();
        with_tool.tools = vec![ToolSchema {
            name: "t".to_owned(),
            description: "does".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
        }];
        with_tool.params.no_tool_choice = true;
        let sent = body(&with_tool);
        assert_eq!(sent["tools"][0]["function"]["name"], json!("t"));
        assert_eq!(sent.get("tool_choice"), None);
    }

    #[test]
    fn thinking_is_asked_for_in_the_words_of_the_server() {
        let plain = Dialect::default();
        let quirks = [Quirk::MinimaxThinkingType, Quirk::MinimaxReasoningDetails];
        let minimax = Dialect { quirks: quirks.into_iter().collect(), ..plain };
        let given = json!({"type": "enabled", "depth": 2});
        for (thinking, dialect, expected) in [
            (Thinking::On, plain, json!({"type": "enabled"})),
            (Thinking::Off, plain, json!({"type": "disabled"})),
            (Thinking::On, minimax, json!({"type": "adaptive"})),
            (Thinking::Off, minimax, json!({"type": "disabled"})),
            (Thinking::Given(given.as_object().unwrap().clone()), plain, given),
        ] {
            let mut asks = request();
            asks.params.reasoning_effort = Some("high".to_owned());
            asks.params.service_tier = Some("flex".to_owned());
            let thinks = thinking != Thinking::Off;
            asks.params.thinking = Some(thinking);
            let sent = serde_json::to_value(ChatBody::new(&asks, dialect, 100)).unwrap();
            assert_eq!(sent["thinking"], expected, "{dialect:?}");
            assert_eq!(sent.get("reasoning_effort").is_some(), thinks, "{sent}");
            assert_eq!(sent.get("reasoning_split").is_some(), dialect == minimax, "{sent}");
            assert_eq!(sent["service_tier"], json!("flex"));
        }
    }

    #[test]
    fn quirks_leave_out_and_rename_what_a_server_refuses() {
        let limited = Request { output_limit: Some(9), ..request() };
        for (quirk, expected) in [
            (Quirk::NoStreamOptions, json!({"stream": true, "max_tokens": 9})),
            (
                Quirk::MaxCompletionTokens,
                json!({"stream": true, "stream_options": {"include_usage": true},
                    "max_completion_tokens": 9}),
            ),
        ] {
            let dialect = Dialect { quirks: [quirk].into_iter().collect(), ..Dialect::default() };
            let mut sent = serde_json::to_value(ChatBody::new(&limited, dialect, 100)).unwrap();
            let fields = sent.as_object_mut().unwrap();
            fields.retain(|key, _| !matches!(key.as_str(), "model" | "messages"));
            assert_eq!(sent, expected, "{quirk:?}");
        }
    }
}
