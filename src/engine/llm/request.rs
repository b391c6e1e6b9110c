//! A request to a model, independent of the protocol; each provider converts it to its wire format.
//!
//! The order of [`Request::messages`] is the order of the context. Calls of one generation are adjacent.
//! Pairs of calls and results may be incomplete here: providers fix that.

use serde::Serialize;
use serde_json::{Value, json};

use super::image::MessageImage;
use crate::domain::Thinking;

/// A request for one generation.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The id the provider knows the model by.
    pub model: String,
    /// The system prompt; blank means none.
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSchema>,
    /// False asks for the complete answer in one response.
    pub streaming: bool,
    pub params: ModelParams,
    /// The model's own output limit in tokens, used when `params.max_tokens` is not set.
    pub output_limit: Option<u32>,
}

/// Generation settings; `None` leaves the default of the provider.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelParams {
    pub max_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    /// Texts that end the answer.
    pub stop_sequences: Vec<String>,
    pub parallel_tool_calls: Option<bool>,
    pub reasoning_effort: Option<String>,
    pub reasoning_summary: Option<String>,
    /// Maximum tokens of thinking; enables thinking.
    pub thinking_budget: Option<u32>,
    /// Asks a server that mixes thoughts with text to separate them.
    pub reasoning_split: Option<bool>,
    /// Decides about thinking, whatever the settings above ask for.
    pub thinking: Option<Thinking>,
    /// The model refuses `tool_choice`; Chat Completions then leave it out.
    pub no_tool_choice: bool,
    /// Lets the model search the web, where the protocol of Gemini takes that.
    pub google_search: bool,
    pub verbosity: Option<String>,
    pub service_tier: Option<String>,
    /// A key for the cache of the provider: the same for requests with a common prefix.
    pub cache_key: Option<String>,
    /// Asks for an answer that is one JSON object.
    pub json_response: bool,
    /// The form of the answer in the words of the Responses API; it goes before `json_response`.
    pub text_format: Option<Value>,
    /// What the server is to know its user by.
    pub safety_identifier: Option<String>,
}

impl ModelParams {
    /// The form of the answer, if one is asked for, in the words of the Responses API.
    pub(super) fn answer_format(&self) -> Option<Value> {
        let object = || self.json_response.then(|| json!({ "type": "json_object" }));
        self.text_format.clone().or_else(object)
    }
}

/// One item of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A notice from the system: task document, reminders, obligations.
    Environment(String),
    /// A message of the user, or a prompt of the runtime on their behalf.
    Prompt(String),
    /// The answer of a side dialog.
    TellaskResult(String),
    /// Text carried over from an earlier course.
    Carryover(String),
    /// Images of the preceding message.
    Images(Vec<MessageImage>),
    /// Guidance for this generation only, in the model's own voice.
    Guide(String),
    /// Text of the model.
    Saying(String),
    /// A thought of the model, and the payload that its provider wants back. The text may be empty.
    Thinking { text: String, payload: Option<Value> },
    /// A call the model made.
    Call { id: String, name: String, arguments: String },
    /// The result of a call.
    Result { id: String, name: String, content: String, images: Vec<MessageImage> },
}

impl Message {
    /// The text of the message; calls and images have none.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Environment(text)
            | Self::Prompt(text)
            | Self::TellaskResult(text)
            | Self::Carryover(text)
            | Self::Guide(text)
            | Self::Saying(text)
            | Self::Thinking { text, .. }
            | Self::Result { content: text, .. } => Some(text),
            Self::Call { .. } | Self::Images(_) => None,
        }
    }
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSchema {
    pub name: String,
    pub description: String,
    /// A JSON Schema; passed through unchanged.
    pub parameters: Value,
}
