//! Language models: requests, the events of an answer, and providers.
//!
//! A [`Provider`] turns one [`Request`] into one stream of [`GenEvent`]s. Invariants: text is streamed as
//! it arrives; calls are complete and follow the text; [`GenEvent::End`] comes once and only after a proper
//! end. An error is the last item; everything before it belongs to a failed attempt and must be discarded,
//! calls included. Providers never retry: the driver does, by [`LlmError::class`]. Dropping the stream
//! cancels the request at once.

pub mod anthropic;
pub mod codex;
pub mod compat;
pub mod endpoint;
mod error;
pub mod google;
pub mod http;
pub mod mock;
pub mod remote;
pub mod request;
pub mod responses;
pub mod scripted;
pub mod sequence;
pub mod sse;

mod address;
mod answer;
mod arguments;
mod delimiters;
mod exchange;
mod failure;
mod image;
mod lenient;
mod model_thread;
mod pairing;
mod playback;
mod protocol;
mod readable;
mod redacting;
mod ticks;
mod tool_name;

#[cfg(test)]
mod canned;
#[cfg(test)]
mod faults;

use crate::domain::text::Text;
use futures_util::future::{BoxFuture, ready};
use futures_util::stream::BoxStream;

pub use address::{Destination, destination};
pub use anthropic::Anthropic;
pub use codex::{Codex, CodexLogin, LOGIN_FILE, LOGIN_SERVER};
pub use compat::Compat;
pub use endpoint::{AnswerLimits, Endpoint, Secret};
pub use error::{ErrorClass, LlmError};
pub use google::Google;
pub use http::Clients;
pub use image::MessageImage;
pub use mock::Mock;
pub use redacting::redacting;
pub use remote::Remote;
pub use request::{Message, ModelParams, Request, ToolSchema};
pub use responses::Responses;
pub use scripted::{Script, Scripted};
pub use sequence::{Reply, Sequence};

/// A streamed answer; the module documentation describes the order of its items.
pub type GenStream = BoxStream<'static, Result<GenEvent, LlmError>>;

/// The names of models, as a server lists them: nobody has cleaned or checked them.
pub type ModelList = BoxFuture<'static, Result<Vec<String>, LlmError>>;

/// A source of answers: a remote API, a mock or a script.
pub trait Provider: Send + Sync + std::fmt::Debug {
    /// Starts one generation. Nothing is sent before the stream is polled.
    fn stream(&self, request: Request) -> GenStream;

    /// Asks which models there are; none where that cannot be asked. Nothing is sent before the list is polled.
    fn models(&self) -> ModelList {
        Box::pin(ready(Ok(Vec::new())))
    }
}

/// The two kinds of text a model writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Reasoning; shown dimmed and by default not sent back.
    Thinking,
    /// The answer itself.
    Saying,
}

/// A call that the model requests. Nothing of it has been validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Unique within its answer, never empty. It may repeat an id of an earlier answer; the caller that
    /// records it makes it unique within the dialog.
    pub id: String,
    pub name: String,
    /// One JSON object as the model wrote it, `{}` where it wrote nothing. Text of any other form may not parse.
    pub arguments: String,
}

/// Tokens as counted by the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
    /// The part of the prompt that came from the provider's cache, if it says so.
    pub cached_tokens: Option<u64>,
}

impl Usage {
    /// The same with what came from the cache.
    #[must_use]
    fn with_cached(self, cached_tokens: Option<u64>) -> Self {
        Self { cached_tokens, ..self }
    }

    /// From the counts of a provider; `None` if the size of the prompt is unknown.
    fn counted(prompt: Option<u64>, completion: Option<u64>, total: Option<u64>) -> Option<Self> {
        let completion_tokens = completion.unwrap_or(0);
        let rest = total.and_then(|total| total.checked_sub(completion?));
        let prompt_tokens = prompt.or(rest)?;
        let sum = prompt_tokens.saturating_add(completion_tokens);
        let total_tokens = total.unwrap_or(sum);
        Some(Self { prompt_tokens, completion_tokens, total_tokens, cached_tokens: None })
    }
}

/// One step of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenEvent {
    /// More text. A segment ends where a delta of the other kind, a call or the end follows. The first
    /// delta of a segment is never all whitespace.
    Delta { segment: Segment, text: String },
    /// Ends the preceding thought, if any, with the payload that its provider wants back. May also
    /// represent a thought without text.
    Thought(serde_json::Value),
    /// A complete call, in the model's order.
    Call(ToolCall),
    /// At most once; absent when the provider does not count.
    Usage(Usage),
    /// A warning for the user about this answer; the answer is valid.
    Notice(Text),
    /// The answer is complete. `model` is the name that the provider reported.
    End { model: Option<String> },
}
