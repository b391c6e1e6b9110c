//! The body of a request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use super::turns::{Cache, Turn, Turns};
use crate::llm::request::{ModelParams, Request, ToolSchema};

/// The call that stands for an answer in JSON: the protocol has no other way to ask for any object.
pub(super) const ANSWER_TOOL: &str = "answer_in_json";
const ANSWER_TEXT: &str =
    "Give your answer as one JSON object with this call. (用本调用以一个 JSON 对象给出回答。)";
/// Says that a tool may not be called any more.
const NOT_OFFERED: &str = "Not offered any more. (已不再提供。)";
/// Most tokens of an answer where nothing says how many the model can write: what every model can.
const USUAL_LIMIT: u32 = 8192;
/// Fewest tokens of thinking that may be asked for.
const LEAST_THINKING: u32 = 1024;

/// What is posted. Everything optional is left out when it is not set.
#[derive(Debug, Serialize)]
pub(super) struct MessagesBody<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[System<'a>; 1]>,
    messages: Vec<Turn<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<u32>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_split: Option<bool>,
}

#[derive(Debug, Serialize)]
struct System<'a> {
    r#type: &'static str,
    text: &'a str,
    cache_control: Cache,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    input_schema: Cow<'a, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cache>,
}

/// Whether the model has to call something.
#[derive(Debug, Serialize)]
struct Choice {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    disable_parallel_tool_use: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thinking {
    Enabled {
        budget_tokens: u32,
    },
    /// As much as the model finds right.
    Adaptive,
}

#[derive(Debug, Serialize)]
struct OutputConfig<'a> {
    effort: &'a str,
}

impl<'a> MessagesBody<'a> {
    pub(super) fn new(request: &'a Request, result_chars: usize, vendor: &'a str) -> Self {
        let params = &request.params;
        let turns = Turns::of(&request.messages, result_chars, vendor);
        let (max_tokens, thinking) = lengths(request, turns.may_think());
        // With thinking, the protocol takes none of these.
        let plain = thinking.is_none();
        let tools = tools(request, &turns);
        Self {
            model: &request.model,
            max_tokens,
            system: Some(request.system.as_str())
                .filter(|text| !text.trim().is_empty())
                .map(|text| [System { r#type: "text", text, cache_control: Cache::Ephemeral }]),
            messages: turns.0,
            stream: request.streaming,
            tool_choice: choice(request, &tools, plain),
            tools,
            thinking,
            output_config: effort(params).map(|effort| OutputConfig { effort }),
            temperature: params.temperature.filter(|_| plain),
            top_p: params.top_p.filter(|_| plain),
            top_k: params.top_k.filter(|_| plain),
            stop_sequences: &params.stop_sequences,
            reasoning_split: params.reasoning_split,
        }
    }
}

/// The words for how much effort to make that the protocol knows; a smaller one stands for the least.
fn effort(params: &ModelParams) -> Option<&str> {
    match params.reasoning_effort.as_deref()? {
        "none" => None,
        "minimal" => Some("low"),
        effort => Some(effort),
    }
}

/// How much may be written, and how much of it thought. A budget needs room besides it for the answer:
/// it shrinks to three quarters of a limit that is set, and is added to the usual one.
fn lengths(request: &Request, may_think: bool) -> (u32, Option<Thinking>) {
    let params = &request.params;
    let limit = params.max_tokens.or(request.output_limit);
    let adaptive = effort(params).map(|_| Thinking::Adaptive);
    let (most, thinking) = match (params.thinking_budget, limit) {
        (Some(budget), Some(limit)) => {
            let budget_tokens = budget.min(limit / 4 * 3);
            let enough = budget_tokens >= LEAST_THINKING;
            (limit, enough.then_some(Thinking::Enabled { budget_tokens }))
        }
        (Some(budget), None) => {
            let budget_tokens = budget.max(LEAST_THINKING);
            (USUAL_LIMIT.saturating_add(budget_tokens), Some(Thinking::Enabled { budget_tokens }))
        }
        (None, limit) => (limit.unwrap_or(USUAL_LIMIT), adaptive),
    };
    (most, thinking.filter(|_| may_think))
}

/// The tools that are offered. A context with calls needs some tool, and an answer in JSON its own.
fn tools<'a>(request: &'a Request, turns: &Turns<'_>) -> Vec<Tool<'a>> {
    let mut tools: Vec<Tool<'a>> = request.tools.iter().map(Tool::of).collect();
    if tools.is_empty() {
        let gone = turns.called().into_iter();
        tools.extend(gone.map(|name| Tool::plain(Cow::Owned(name.to_owned()), NOT_OFFERED)));
    }
    if request.params.json_response {
        tools.push(Tool::plain(Cow::Borrowed(ANSWER_TOOL), ANSWER_TEXT));
    }
    if let Some(last) = tools.last_mut() {
        last.cache_control = Some(Cache::Ephemeral);
    }
    tools
}

fn choice(request: &Request, tools: &[Tool<'_>], plain: bool) -> Option<Choice> {
    let offered = !request.tools.is_empty();
    let json = request.params.json_response;
    let r#type = match (tools.is_empty(), offered || json) {
        (true, _) => return None,
        (false, false) => "none",
        // A model that thinks cannot be made to call.
        (false, true) if json && plain => "any",
        (false, true) => "auto",
    };
    let single = request.params.parallel_tool_calls == Some(false) && offered;
    Some(Choice { r#type, disable_parallel_tool_use: single.then_some(true) })
}

impl<'a> Tool<'a> {
    fn of(tool: &'a ToolSchema) -> Self {
        let input_schema = match &tool.parameters {
            schema @ Value::Object(fields) if fields.contains_key("type") => Cow::Borrowed(schema),
            Value::Object(fields) => {
                let mut fields = fields.clone();
                fields.insert("type".to_owned(), json!("object"));
                Cow::Owned(Value::Object(fields))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Cow::Owned(json!({ "type": "object" })),
        };
        let name = Cow::Borrowed(tool.name.as_str());
        Self { name, description: &tool.description, input_schema, cache_control: None }
    }

    /// A tool that takes any object.
    fn plain(name: Cow<'a, str>, description: &'static str) -> Self {
        let input_schema = Cow::Owned(json!({ "type": "object" }));
        Self { name, description, input_schema, cache_control: None }
    }
}

#[cfg(test)]
mod tests;
