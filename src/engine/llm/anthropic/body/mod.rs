//! The body of a request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value, json};

use super::turns::{CacheControl, Turn, Turns};
use crate::domain::Thinking;
use crate::llm::request::{ModelParams, Request, ToolSchema};

/// The call that returns an answer in JSON: the protocol has no other way to request an arbitrary object.
pub(super) const ANSWER_TOOL: &str = "answer_in_json";
const ANSWER_TOOL_TEXT: &str =
    "Give your answer as one JSON object with this call. (用本调用以一个 JSON 对象给出回答。)";
/// The description of a tool that may not be called any more.
const NOT_OFFERED_TEXT: &str = "Not offered any more. (已不再提供。)";
/// Output limit if the limit of the model is unknown; every model supports it.
const DEFAULT_MAX_TOKENS: u32 = 8192;
/// Minimum thinking budget of the protocol.
const MIN_THINKING_TOKENS: u32 = 1024;

/// The request body. Unset options are omitted.
#[derive(Debug, Serialize)]
pub(super) struct MessagesBody<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[SystemBlock<'a>; 1]>,
    messages: Vec<Turn<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingMode>,
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
struct SystemBlock<'a> {
    r#type: &'static str,
    text: &'a str,
    cache_control: CacheControl,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    input_schema: Cow<'a, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

/// Whether the model must call a tool.
#[derive(Debug, Serialize)]
struct ToolChoice {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    disable_parallel_tool_use: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ThinkingMode {
    Enabled {
        #[serde(skip_serializing_if = "Option::is_none")]
        budget_tokens: Option<u32>,
    },
    /// The model decides how much.
    Adaptive,
    Disabled,
}

#[derive(Debug, Serialize)]
struct OutputConfig<'a> {
    effort: &'a str,
}

impl<'a> MessagesBody<'a> {
    pub(super) fn new(request: &'a Request, max_result_chars: usize, vendor: &'a str) -> Self {
        let params = &request.params;
        let turns = Turns::of(&request.messages, max_result_chars, vendor);
        let (max_tokens, thinking) = token_limits(request, turns.may_think());
        // The protocol rejects these settings together with thinking.
        let plain = matches!(thinking, None | Some(ThinkingMode::Disabled));
        let tools = tools(request, &turns);
        Self {
            model: &request.model,
            max_tokens,
            system: Some(request.system.as_str()).filter(|text| !text.trim().is_empty()).map(
                |text| {
                    [SystemBlock { r#type: "text", text, cache_control: CacheControl::Ephemeral }]
                },
            ),
            messages: turns.0,
            stream: request.streaming,
            tool_choice: tool_choice(request, &tools, plain),
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

/// The effort level in terms of the protocol.
fn effort(params: &ModelParams) -> Option<&str> {
    match params.reasoning_effort.as_deref()? {
        "none" => None,
        "minimal" => Some("low"),
        effort => Some(effort),
    }
}

/// Output limit and thinking. The limit includes the budget: so the budget is at most three quarters of a limit
/// that is set, and is added to the default limit.
fn token_limits(request: &Request, may_think: bool) -> (u32, Option<ThinkingMode>) {
    let params = &request.params;
    let limit = params.max_tokens.or(request.output_limit);
    let most = limit.unwrap_or(DEFAULT_MAX_TOKENS);
    let adaptive = effort(params).map(|_| ThinkingMode::Adaptive);
    let budget = match &params.thinking {
        Some(Thinking::Off) => return (most, Some(ThinkingMode::Disabled)),
        Some(Thinking::On) => {
            let asked = ThinkingMode::Enabled { budget_tokens: None };
            return (most, may_think.then_some(asked));
        }
        Some(Thinking::Adaptive) => return (most, may_think.then_some(ThinkingMode::Adaptive)),
        Some(Thinking::Budget(tokens)) => Some(u32::try_from(*tokens).unwrap_or(u32::MAX)),
        Some(Thinking::Given(_)) | None => params.thinking_budget,
    };
    let enabled = |budget_tokens| ThinkingMode::Enabled { budget_tokens: Some(budget_tokens) };
    let (max_tokens, thinking) = match (budget, limit) {
        (Some(budget), Some(limit)) => {
            let budget = budget.min(limit / 4 * 3);
            (limit, (budget >= MIN_THINKING_TOKENS).then(|| enabled(budget)))
        }
        (Some(budget), None) => {
            let budget = budget.max(MIN_THINKING_TOKENS);
            (DEFAULT_MAX_TOKENS.saturating_add(budget), Some(enabled(budget)))
        }
        (None, _) => (most, adaptive),
    };
    (max_tokens, thinking.filter(|_| may_think))
}

/// The offered tools. A context with calls requires a tool, and an answer in JSON requires its own.
fn tools<'a>(request: &'a Request, turns: &Turns<'_>) -> Vec<WireTool<'a>> {
    let mut tools: Vec<WireTool<'a>> = request.tools.iter().map(WireTool::of).collect();
    if tools.is_empty() {
        let names = turns.called().into_iter();
        tools.extend(
            names.map(|name| WireTool::plain(Cow::Owned(name.to_owned()), NOT_OFFERED_TEXT)),
        );
    }
    if request.params.json_response {
        tools.push(WireTool::plain(Cow::Borrowed(ANSWER_TOOL), ANSWER_TOOL_TEXT));
    }
    if let Some(last) = tools.last_mut() {
        last.cache_control = Some(CacheControl::Ephemeral);
    }
    tools
}

fn tool_choice(request: &Request, tools: &[WireTool<'_>], plain: bool) -> Option<ToolChoice> {
    let offered = !request.tools.is_empty();
    let json = request.params.json_response;
    let r#type = match (tools.is_empty(), offered || json) {
        (true, _) => return None,
        (false, false) => "none",
        // With thinking, a call cannot be forced.
        (false, true) if json && plain => "any",
        (false, true) => "auto",
    };
    let single = request.params.parallel_tool_calls == Some(false) && offered;
    Some(ToolChoice { r#type, disable_parallel_tool_use: single.then_some(true) })
}

impl<'a> WireTool<'a> {
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
