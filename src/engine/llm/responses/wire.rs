//! The wire format of answers. Parsing is lenient where servers are known to differ; unused fields are
//! skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::llm::Usage;
use crate::llm::lenient::{cached_of_details, count, index, or_none, text};

/// The fields of every event, including unknown ones.
#[derive(Debug, Deserialize)]
pub(super) struct EventHead<'a> {
    #[serde(default, rename = "type", borrow)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
    /// The result of the request, as one provider sends it.
    #[serde(default, borrow)]
    pub base_resp: Option<&'a RawValue>,
}

/// A known event.
#[derive(Debug, Deserialize)]
pub(super) struct WireEvent<'a> {
    #[serde(default, deserialize_with = "index")]
    pub output_index: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub item_id: String,
    #[serde(default, deserialize_with = "index")]
    pub summary_index: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub delta: String,
    /// At the end of a part of an item: the whole part.
    #[serde(default, deserialize_with = "text")]
    pub text: String,
    #[serde(default, deserialize_with = "index")]
    pub content_index: Option<u64>,
    #[serde(default, borrow)]
    pub arguments: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub item: Option<WireItem<'a>>,
    #[serde(default, borrow)]
    pub response: Option<WireResponse<'a>>,
}

/// A complete answer: at the end of a stream, or instead of one.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireResponse<'a> {
    #[serde(default, deserialize_with = "text")]
    pub status: String,
    #[serde(default, deserialize_with = "text")]
    pub model: String,
    #[serde(default, borrow)]
    pub output: Option<Vec<WireItem<'a>>>,
    #[serde(default, deserialize_with = "usage")]
    pub usage: Option<Usage>,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "or_none")]
    pub incomplete_details: Option<IncompleteDetails>,
}

#[derive(Debug, Deserialize)]
pub(super) struct IncompleteDetails {
    #[serde(default, deserialize_with = "text")]
    pub reason: String,
}

/// One item of an answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireItem<'a> {
    #[serde(default, rename = "type", deserialize_with = "text")]
    pub kind: String,
    #[serde(default, deserialize_with = "text")]
    pub id: String,
    #[serde(default, deserialize_with = "text")]
    pub call_id: String,
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    #[serde(default, borrow)]
    pub arguments: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "parts")]
    pub summary: Vec<WirePart>,
    #[serde(default, deserialize_with = "parts")]
    pub content: Vec<WirePart>,
    #[serde(default, deserialize_with = "text")]
    pub encrypted_content: String,
}

/// One part of an item's content.
#[derive(Debug, Deserialize)]
pub(super) struct WirePart {
    #[serde(default, rename = "type", deserialize_with = "text")]
    pub kind: String,
    #[serde(default, deserialize_with = "text")]
    pub text: String,
    #[serde(default, deserialize_with = "text")]
    pub refusal: String,
}

#[derive(Debug, Deserialize)]
struct WireUsage {
    #[serde(default, rename = "input_tokens", deserialize_with = "count")]
    input: Option<u64>,
    #[serde(default, rename = "output_tokens", deserialize_with = "count")]
    output: Option<u64>,
    #[serde(default, rename = "total_tokens", deserialize_with = "count")]
    total: Option<u64>,
    #[serde(default, rename = "input_tokens_details", deserialize_with = "cached_of_details")]
    cached: Option<u64>,
}

/// Token counts in any form; `None` if there are none.
fn usage<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Usage>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    let wire = serde_json::from_str::<WireUsage>(raw.get()).ok();
    Ok(wire.and_then(|wire| {
        let counted = Usage::counted(wire.input, wire.output, wire.total)?;
        Some(counted.with_cached(wire.cached))
    }))
}

/// A list of parts, or one text, or nothing.
fn parts<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<WirePart>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?.get();
    let invalid = serde::de::Error::custom;
    if raw.starts_with('[') {
        return serde_json::from_str(raw).map_err(invalid);
    }
    if raw.starts_with('"') {
        let text = serde_json::from_str(raw).map_err(invalid)?;
        return Ok(vec![WirePart { kind: "output_text".to_owned(), text, refusal: String::new() }]);
    }
    Ok(Vec::new())
}
