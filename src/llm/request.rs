//! What is asked of a model, in our own terms; each provider projects it onto its wire form.
//!
//! The order of [`Request::messages`] is the order of the context. Calls of one generation stand
//! next to each other. Pairs of calls and results may be incomplete here: providers mend that.

use serde_json::Value;

use super::image::MessageImage;

/// One generation to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The id the provider knows the model by.
    pub model: String,
    /// The system prompt; blank means none.
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSchema>,
    /// False asks for the whole answer in one piece.
    pub streaming: bool,
    pub params: ModelParams,
    /// The model's own output limit in tokens, used when `params.max_tokens` is not set.
    pub output_limit: Option<u32>,
}

/// Generation settings; what is `None` is left to the provider.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelParams {
    pub max_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    /// Texts that end the answer where the model writes them.
    pub stop_sequences: Vec<String>,
    pub parallel_tool_calls: Option<bool>,
    pub reasoning_effort: Option<String>,
    pub reasoning_summary: Option<String>,
    /// Most tokens of thinking; asks for thinking.
    pub thinking_budget: Option<u32>,
    /// Asks for thoughts apart from words, where a server otherwise mixes them.
    pub reasoning_split: Option<bool>,
    pub verbosity: Option<String>,
    pub service_tier: Option<String>,
    /// The same for requests that begin alike, so that a provider finds what it has read before.
    pub cache_key: Option<String>,
    /// Asks for an answer that is one JSON object.
    pub json_response: bool,
}

/// One item of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A notice from the system: task document, reminders, obligations.
    Environment(String),
    /// A person's words, or a prompt the runtime writes in their place.
    Prompt(String),
    /// What a side dialog answered.
    TellaskResult(String),
    /// Text carried over from an earlier course.
    Carryover(String),
    /// Pictures that came with the message before.
    Pictures(Vec<MessageImage>),
    /// Guidance for this generation only, in the model's own voice.
    Guide(String),
    /// What the model said.
    Saying(String),
    /// What the model thought, and what its provider wants back with it. The text may be empty.
    Thinking { text: String, payload: Option<Value> },
    /// A call the model made.
    Call { id: String, name: String, arguments: String },
    /// What a call gave back.
    Result { id: String, name: String, content: String, pictures: Vec<MessageImage> },
}

impl Message {
    /// The text of the message; calls and pictures have none.
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
            Self::Call { .. } | Self::Pictures(_) => None,
        }
    }
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSchema {
    pub name: String,
    pub description: String,
    /// A JSON Schema; passed through unchanged.
    pub parameters: Value,
}
