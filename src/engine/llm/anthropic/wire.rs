//! The wire format of answers. Parsing is lenient where servers are known to differ; unused fields are
//! skipped.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::llm::Usage;
use crate::llm::lenient::{count, index, or_none, text};

/// The fields of every event, including unknown ones.
#[derive(Debug, Deserialize)]
pub(super) struct EventHead<'a> {
    #[serde(default, rename = "type", deserialize_with = "text")]
    pub kind: String,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
    /// The result of the request, as one provider sends it.
    #[serde(default, borrow)]
    pub base_resp: Option<&'a RawValue>,
}

/// A known event.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireEvent<'a> {
    #[serde(default, deserialize_with = "index")]
    pub index: Option<u64>,
    #[serde(default, borrow)]
    pub message: Option<WireMessage<'a>>,
    #[serde(default, borrow)]
    pub content_block: Option<WireBlock<'a>>,
    #[serde(default)]
    pub delta: Option<WireDelta>,
    #[serde(default, deserialize_with = "or_none")]
    pub usage: Option<WireUsage>,
}

/// A complete answer; at the start of a stream an empty one.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireMessage<'a> {
    #[serde(default, deserialize_with = "text")]
    pub model: String,
    #[serde(default, borrow)]
    pub content: Option<Vec<WireBlock<'a>>>,
    #[serde(default, deserialize_with = "text")]
    pub stop_reason: String,
    #[serde(default, deserialize_with = "or_none")]
    pub usage: Option<WireUsage>,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
}

/// A block, complete or at its start.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireBlock<'a> {
    #[serde(default, rename = "type", deserialize_with = "text")]
    pub kind: String,
    #[serde(default, deserialize_with = "text")]
    pub text: String,
    #[serde(default, deserialize_with = "text")]
    pub thinking: String,
    #[serde(default, deserialize_with = "text")]
    pub signature: String,
    #[serde(default, deserialize_with = "text")]
    pub data: String,
    #[serde(default, deserialize_with = "text")]
    pub id: String,
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    #[serde(default, borrow)]
    pub input: Option<&'a RawValue>,
}

/// A delta of a block or of the message.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireDelta {
    #[serde(default, deserialize_with = "text")]
    pub text: String,
    #[serde(default, deserialize_with = "text")]
    pub thinking: String,
    #[serde(default, deserialize_with = "text")]
    pub signature: String,
    #[serde(default, deserialize_with = "text")]
    pub partial_json: String,
    #[serde(default, deserialize_with = "text")]
    pub stop_reason: String,
}

/// Counts grow during a stream, and each event may leave some out.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, rename = "input_tokens", deserialize_with = "count")]
    input: Option<u64>,
    #[serde(default, rename = "cache_creation_input_tokens", deserialize_with = "count")]
    cache_written: Option<u64>,
    #[serde(default, rename = "cache_read_input_tokens", deserialize_with = "count")]
    cache_read: Option<u64>,
    #[serde(default, rename = "output_tokens", deserialize_with = "count")]
    output: Option<u64>,
}

impl WireUsage {
    /// The larger of each count.
    pub(super) fn merge(&mut self, next: &Self) {
        self.input = self.input.max(next.input);
        self.cache_written = self.cache_written.max(next.cache_written);
        self.cache_read = self.cache_read.max(next.cache_read);
        self.output = self.output.max(next.output);
    }

    /// The prompt consists of new tokens, tokens written to the cache, and tokens read from it. `None`
    /// while the prompt was not counted.
    pub(super) fn counts(&self) -> Option<Usage> {
        let prompt = [self.input, self.cache_written, self.cache_read];
        let known = prompt.iter().any(Option::is_some);
        let prompt_tokens = prompt.into_iter().flatten().fold(0, u64::saturating_add);
        let counted = Usage::counted(known.then_some(prompt_tokens), self.output, None);
        counted.map(|usage| usage.with_cached(self.cache_read))
    }
}
