//! The body of a request.

use serde::Serialize;
use serde_json::Value;

use super::input::{InputItem, project};
use crate::llm::request::{Request, ToolSchema};

/// Requests thoughts in a form that can be sent back although nothing is stored.
const ENCRYPTED: &str = "reasoning.encrypted_content";
/// Where there are no instructions, but some are wanted.
const SOME_INSTRUCTIONS: &str = "Answer the message.";

/// The request body. Unset options are omitted.
#[derive(Debug, Serialize)]
pub(super) struct ResponsesBody<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<InputItem<'a>>,
    store: bool,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "ReasoningOptions::is_empty")]
    reasoning: ReasoningOptions<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    #[serde(skip_serializing_if = "TextOptions::is_empty")]
    text: TextOptions<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_identifier: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    strict: bool,
}

#[derive(Debug, Serialize)]
struct ReasoningOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct TextOptions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    verbosity: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Value>,
}

impl<'a> ResponsesBody<'a> {
    pub(super) fn new(request: &'a Request, max_result_chars: usize) -> Self {
        let params = &request.params;
        let input = project(&request.messages, max_result_chars);
        let reasoning = ReasoningOptions {
            effort: params.reasoning_effort.as_deref(),
            // Models without summaries reject even `none`.
            summary: params.reasoning_summary.as_deref().filter(|word| *word != "none"),
        };
        let encrypted = !reasoning.is_empty() || input.iter().any(InputItem::is_encrypted);
        let has_tools = !request.tools.is_empty();
        Self {
            model: &request.model,
            instructions: Some(request.system.as_str()).filter(|text| !text.trim().is_empty()),
            input,
            store: false,
            stream: request.streaming,
            max_output_tokens: params.max_tokens.or(request.output_limit),
            temperature: params.temperature,
            top_p: params.top_p,
            tools: request.tools.iter().map(WireTool::of).collect(),
            tool_choice: has_tools.then_some("auto"),
            parallel_tool_calls: params.parallel_tool_calls.filter(|_| has_tools),
            reasoning,
            include: if encrypted { vec![ENCRYPTED] } else { Vec::new() },
            text: TextOptions {
                verbosity: params.verbosity.as_deref(),
                format: params.answer_format(),
            },
            prompt_cache_key: params.cache_key.as_deref(),
            service_tier: params.service_tier.as_deref(),
            safety_identifier: params.safety_identifier.as_deref(),
        }
    }
}

impl ResponsesBody<'_> {
    /// The same as the server of a `ChatGPT` login takes it.
    pub(super) fn for_login(self) -> Self {
        let instructions = self.instructions.or(Some(SOME_INSTRUCTIONS));
        Self { instructions, stream: true, max_output_tokens: None, ..self }
    }
}

impl<'a> WireTool<'a> {
    fn of(tool: &'a ToolSchema) -> Self {
        Self {
            r#type: "function",
            name: &tool.name,
            description: &tool.description,
            parameters: &tool.parameters,
            strict: false,
        }
    }
}

impl ReasoningOptions<'_> {
    fn is_empty(&self) -> bool {
        self.effort.is_none() && self.summary.is_none()
    }
}

impl TextOptions<'_> {
    fn is_empty(&self) -> bool {
        self.verbosity.is_none() && self.format.is_none()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::request::{Message, ModelParams};

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

    fn body(request: &Request) -> Value {
        serde_json::to_value(ResponsesBody::new(request, 100)).unwrap()
    }

    fn hi() -> Value {
        json!([{"type": "message", "role": "user", "content": "hi"}])
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let expected = json!({"model": "m", "input": hi(), "store": false, "stream": true});
        let mut plain = request();
        plain.params.parallel_tool_calls = Some(true);
        assert_eq!(body(&plain), expected);
    }

    #[test]
    fn what_is_set_is_sent() {
        let schema = json!({"type": "object", "properties": {}});
        let word = |text: &str| Some(text.to_owned());
        let full = Request {
            system: "be kind".to_owned(),
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
                json_response: true,
                reasoning_effort: word("low"),
                reasoning_summary: word("auto"),
                verbosity: word("high"),
                service_tier: word("flex"),
                safety_identifier: word("u"),
                cache_key: word("d:c1"),
                ..ModelParams::default()
            },
            output_limit: Some(9),
            ..request()
        };
        let expected = json!({
            "model": "m",
            "instructions": "be kind",
            "input": hi(),
            "store": false,
            "stream": false,
            "max_output_tokens": 5,
            "temperature": 0.5,
            "top_p": 0.25,
            "tools": [{"type": "function", "name": "t", "description": "does",
                "parameters": schema, "strict": false}],
            "tool_choice": "auto",
            "parallel_tool_calls": false,
            "reasoning": {"effort": "low", "summary": "auto"},
            "include": [ENCRYPTED],
            "text": {"verbosity": "high", "format": {"type": "json_object"}},
            "prompt_cache_key": "d:c1",
            "service_tier": "flex",
            "safety_identifier": "u",
        });
        assert_eq!(body(&full), expected);
        let form = json!({"type": "json_schema", "name": "n", "schema": schema, "strict": true});
        let params = ModelParams { text_format: Some(form.clone()), ..full.params };
        assert_eq!(body(&Request { params, ..request() })["text"]["format"], form);
        assert_eq!(body(&Request { output_limit: Some(9), ..request() })["max_output_tokens"], 9);
    }

    #[test]
    fn encrypted_thoughts_are_asked_for_where_the_model_thinks() {
        let thought = |payload: Value| {
            let thought = Message::Thinking { text: String::new(), payload: Some(payload) };
            Request { messages: vec![thought], ..request() }
        };
        let mut without_summary = request();
        without_summary.params.reasoning_summary = Some("none".to_owned());
        let mut with_summary = request();
        with_summary.params.reasoning_summary = Some("auto".to_owned());
        for (request, expected) in [
            (request(), Value::Null),
            (without_summary, Value::Null),
            (with_summary, json!([ENCRYPTED])),
            (thought(json!({"summary": []})), Value::Null),
            (thought(json!({"summary": [], "encrypted_content": "x"})), json!([ENCRYPTED])),
        ] {
            let found = body(&request).get("include").cloned().unwrap_or_default();
            assert_eq!(found, expected, "{request:?}");
        }
    }
}
