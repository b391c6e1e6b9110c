//! Settings for models that speak one protocol alone. They never fall back to those of another
//! family of providers, nor the other way round.

use serde_json::{Map, Value, json};

/// What a model is asked to do about thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thinking {
    Off,
    /// As much as the server finds right.
    On,
    /// As much as the model finds right.
    Adaptive,
    /// At most this number of tokens.
    Budget(u64),
    /// An object of the server's own, sent as it is; for Chat Completions alone.
    Given(Map<String, Value>),
}

impl Thinking {
    /// The object in a request.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Off => json!({ "type": "disabled" }),
            Self::On => json!({ "type": "enabled" }),
            Self::Adaptive => json!({ "type": "adaptive" }),
            Self::Budget(tokens) => json!({ "type": "enabled", "budget_tokens": tokens }),
            Self::Given(object) => Value::Object(object.clone()),
        }
    }
}

impl From<bool> for Thinking {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

/// Settings for Chat Completions, where a member has some of its own for it. Unset ones are not sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatParams {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub parallel_tool_calls: Option<bool>,
    pub json_response: Option<bool>,
    pub reasoning_effort: Option<String>,
    /// Asks for thoughts apart from words, where a server otherwise mixes them.
    pub reasoning_split: Option<bool>,
    pub service_tier: Option<String>,
    pub thinking: Option<Thinking>,
    /// The form of the answer, in the words of the Responses API.
    pub text_format: Option<Value>,
    pub safety_identifier: Option<String>,
}

impl ChatParams {
    /// These settings where set, else those of `base`.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        Self {
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            parallel_tool_calls: self.parallel_tool_calls.or(base.parallel_tool_calls),
            json_response: self.json_response.or(base.json_response),
            reasoning_effort: self.reasoning_effort.or_else(|| base.reasoning_effort.clone()),
            reasoning_split: self.reasoning_split.or(base.reasoning_split),
            service_tier: self.service_tier.or_else(|| base.service_tier.clone()),
            thinking: self.thinking.or_else(|| base.thinking.clone()),
            text_format: self.text_format.or_else(|| base.text_format.clone()),
            safety_identifier: self.safety_identifier.or_else(|| base.safety_identifier.clone()),
        }
    }
}

/// Settings for the protocol of Gemini. Unset ones are not sent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GoogleParams {
    pub max_tokens: Option<u64>,
    pub json_response: Option<bool>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub thinking: Option<bool>,
    /// Most tokens of thinking.
    pub thinking_budget: Option<u64>,
    pub google_search_tool: Option<bool>,
}

impl GoogleParams {
    /// These settings where set, else those of `base`.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        Self {
            max_tokens: self.max_tokens.or(base.max_tokens),
            json_response: self.json_response.or(base.json_response),
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            thinking: self.thinking.or(base.thinking),
            thinking_budget: self.thinking_budget.or(base.thinking_budget),
            google_search_tool: self.google_search_tool.or(base.google_search_tool),
        }
    }
}

/// Settings for the Messages protocol. Unset ones are not sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnthropicParams {
    pub max_tokens: Option<u64>,
    pub json_response: Option<bool>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u64>,
    pub stop_sequences: Option<Vec<String>>,
    pub parallel_tool_calls: Option<bool>,
    /// How much effort to make; asks for thinking as the model finds right.
    pub reasoning_effort: Option<String>,
    /// Most tokens of thinking; asks for thinking.
    pub thinking_budget: Option<u64>,
    /// Asks for thoughts apart from words, where a server otherwise mixes them.
    pub reasoning_split: Option<bool>,
    /// Decides about thinking, whatever the other settings ask for.
    pub thinking: Option<Thinking>,
}

impl AnthropicParams {
    /// These settings where set, else those of `base`.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        Self {
            max_tokens: self.max_tokens.or(base.max_tokens),
            json_response: self.json_response.or(base.json_response),
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            top_k: self.top_k.or(base.top_k),
            stop_sequences: self.stop_sequences.or_else(|| base.stop_sequences.clone()),
            parallel_tool_calls: self.parallel_tool_calls.or(base.parallel_tool_calls),
            reasoning_effort: self.reasoning_effort.or_else(|| base.reasoning_effort.clone()),
            thinking_budget: self.thinking_budget.or(base.thinking_budget),
            reasoning_split: self.reasoning_split.or(base.reasoning_split),
            thinking: self.thinking.or_else(|| base.thinking.clone()),
        }
    }
}
