//! The Chat Completions protocol, which most servers support, especially local ones.
//!
//! A truncated answer is an error, and none of its calls is emitted.

mod body;
mod calls;
mod converter;
mod fold;
mod think_tags;
mod wire;

use std::borrow::Cow;

use super::protocol::Protocol;
use super::{Endpoint, Request};
use crate::domain::Dialect;
use body::ChatBody;
use fold::ChatFold;

/// The protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compat {
    pub dialect: Dialect,
}

impl Protocol for Compat {
    type Fold = ChatFold;

    fn path(&self, _base: &str, _request: &Request) -> Cow<'static, str> {
        "chat/completions".into()
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        let chars = endpoint.tool_result_chars;
        serde_json::to_vec(&ChatBody::new(request, self.dialect, chars))
    }

    fn fold(&self, request: &Request, text_bytes: usize) -> ChatFold {
        ChatFold::new(text_bytes, self.dialect.quirks).with_tools(&request.tools)
    }
}

#[cfg(test)]
mod gateway_tests;
#[cfg(test)]
mod tests;
