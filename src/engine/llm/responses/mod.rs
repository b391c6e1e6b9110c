//! The Responses protocol. Nothing is stored at the provider: the whole context is sent each time,
//! including the payloads of thoughts.
//!
//! An answer is a list of items. Each is folded once, whether it arrives as deltas, complete, or only
//! within the final response. Only `response.completed`, `.incomplete` and `.failed` end an answer.

mod body;
mod fold;
mod input;
mod items;
mod wire;

use std::borrow::Cow;

use super::protocol::Protocol;
use super::{Endpoint, Request};
use body::ResponsesBody;
use fold::ResponsesFold;

/// The body of a request with a `ChatGPT` login: its server answers only in streams, wants instructions, and refuses a
/// limit of the output.
pub(super) fn login_body(
    request: &Request,
    endpoint: &Endpoint,
) -> Result<Vec<u8>, serde_json::Error> {
    let body = ResponsesBody::new(request, endpoint.tool_result_chars);
    serde_json::to_vec(&body.for_login())
}

/// The protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Responses;

impl Protocol for Responses {
    type Fold = ResponsesFold;

    fn path(&self, _base: &str, _request: &Request) -> Cow<'static, str> {
        "responses".into()
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&ResponsesBody::new(request, endpoint.tool_result_chars))
    }

    fn fold(&self, _request: &Request, text_bytes: usize) -> ResponsesFold {
        ResponsesFold::new(text_bytes)
    }
}

#[cfg(test)]
mod tests;
