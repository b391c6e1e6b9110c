//! The Messages protocol. Nothing is stored at the provider: the whole context is sent each time,
//! including thoughts with their signatures.
//!
//! An answer is a list of blocks; `message_stop` ends it. Cache marks tell the provider which prefix of a
//! request repeats the previous one.

mod blocks;
mod body;
mod fold;
mod thought;
mod turns;
mod wire;

use std::borrow::Cow;

use super::protocol::Protocol;
use super::{Endpoint, Request, destination};
use body::MessagesBody;
use fold::MessagesFold;

pub(super) use thought::KEY as PAYLOAD_KEY;

/// The protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Anthropic {
    /// Only its own thoughts are sent back: vendors reject signatures of others.
    vendor: String,
}

impl Anthropic {
    /// The protocol of the vendor at this address.
    #[must_use]
    pub fn of(base: &str) -> Self {
        Self { vendor: destination(base).map(|to| to.address).unwrap_or_default() }
    }
}

fn has_version(base: &str) -> bool {
    let path = base.trim().split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').ends_with("/v1")
}

impl Protocol for Anthropic {
    const KEY: (&'static str, &'static str) = ("x-api-key", "");
    const HEADERS: &'static [(&'static str, &'static str)] = &[("anthropic-version", "2023-06-01")];
    type Fold = MessagesFold;

    /// The base may or may not contain the version.
    fn path(&self, base: &str, _request: &Request) -> Cow<'static, str> {
        if has_version(base) { "messages".into() } else { "v1/messages".into() }
    }

    fn models_path(&self, base: &str) -> &'static str {
        if has_version(base) { "models" } else { "v1/models" }
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&MessagesBody::new(request, endpoint.tool_result_chars, &self.vendor))
    }

    fn fold(&self, _request: &Request, text_bytes: usize) -> MessagesFold {
        MessagesFold::new(text_bytes, self.vendor.clone())
    }
}

#[cfg(test)]
mod tests;
