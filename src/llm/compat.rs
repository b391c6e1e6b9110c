//! The Chat Completions protocol, spoken by most servers, local ones above all.
//!
//! An answer that ends before its end is an error, and no call of it gets out.

mod body;
mod calls;
mod fold;
mod projection;
mod wire;

use super::protocol::Protocol;
use super::{Endpoint, Request};
use body::ChatBody;
use fold::ChatFold;

/// What is done with earlier thinking when the context is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingReplay {
    /// It is left out: saves context and is never imitated.
    #[default]
    None,
    /// It goes into `reasoning_content` of the assistant message it led to.
    ReasoningContent,
    /// It is sent as assistant text.
    Text,
}

/// The protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compat {
    pub thinking_replay: ThinkingReplay,
}

impl Protocol for Compat {
    type Fold = ChatFold;

    fn path(&self, _base: &str) -> &'static str {
        "chat/completions"
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        let chars = endpoint.tool_result_chars;
        serde_json::to_vec(&ChatBody::new(request, self.thinking_replay, chars))
    }

    fn fold(&self, text_bytes: usize) -> ChatFold {
        ChatFold::new(text_bytes)
    }
}

#[cfg(test)]
mod tests;
