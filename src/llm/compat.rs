//! The Chat Completions protocol, spoken by most servers, local ones above all.
//!
//! An answer that ends before its end is an error, and no call of it gets out.

mod body;
mod calls;
mod fold;
mod inline;
mod projection;
mod wire;

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

    fn path(&self, _base: &str) -> &'static str {
        "chat/completions"
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        let chars = endpoint.tool_result_chars;
        serde_json::to_vec(&ChatBody::new(request, self.dialect, chars))
    }

    fn fold(&self, text_bytes: usize) -> ChatFold {
        ChatFold::new(text_bytes, self.dialect.quirks)
    }
}

#[cfg(test)]
mod gateway_tests;
#[cfg(test)]
mod tests;
