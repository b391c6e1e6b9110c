//! The protocol of Gemini. Nothing is stored at the provider: the whole context is sent each time, including
//! the signatures of thoughts with the calls they stood on.
//!
//! An answer is a list of parts, of which each chunk of a stream has some; a call is one part. A finish
//! reason ends it.

mod body;
mod contents;
mod fold;
mod wire;

use std::borrow::Cow;

use super::protocol::Protocol;
use super::{Endpoint, Request, destination};
use body::GenerateBody;
use fold::GenerateFold;

/// The protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Google {
    /// Only its own signatures are sent back: a server rejects those of others.
    vendor: String,
}

impl Google {
    /// The protocol of the server at this address.
    #[must_use]
    pub fn of(base: &str) -> Self {
        Self { vendor: destination(base).map(|to| to.address).unwrap_or_default() }
    }
}

fn has_version(base: &str) -> bool {
    let path = base.trim().split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    ["/v1", "/v1beta", "/v1alpha"].iter().any(|version| path.ends_with(*version))
}

/// A name as one part of a path, whatever is in it.
fn segment(name: &str) -> String {
    let mut segment = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            segment.push_str(&format!("%{byte:02X}"));
        }
    }
    segment
}

impl Protocol for Google {
    const KEY: (&'static str, &'static str) = ("x-goog-api-key", "");
    type Fold = GenerateFold;

    /// The base may or may not contain the version, and the name of a model the word before it.
    fn path(&self, base: &str, request: &Request) -> Cow<'static, str> {
        let version = if has_version(base) { "" } else { "v1beta/" };
        let model = segment(request.model.strip_prefix("models/").unwrap_or(&request.model));
        let method =
            if request.streaming { "streamGenerateContent?alt=sse" } else { "generateContent" };
        Cow::Owned(format!("{version}models/{model}:{method}"))
    }

    fn models_path(&self, base: &str) -> &'static str {
        if has_version(base) { "models?pageSize=1000" } else { "v1beta/models?pageSize=1000" }
    }

    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&GenerateBody::new(request, endpoint.tool_result_chars, &self.vendor))
    }

    fn fold(&self, _request: &Request, text_bytes: usize) -> GenerateFold {
        GenerateFold::new(text_bytes, self.vendor.clone())
    }
}

#[cfg(test)]
mod tests;
