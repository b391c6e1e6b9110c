//! The wire format of answers; a chunk of a stream and a complete answer are one type.
//!
//! Parsing is lenient where servers are known to differ; unused fields are skipped.

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::llm::Usage;
use crate::llm::lenient::{cached_of_details, count, index, or_none, text};

/// The key, in the payload of a thought, of what a provider wants back with the calls that follow, by their places.
pub(super) const EXTRA_KEY: &str = "extra_content";

/// One `data:` line, or the body of an answer that is not streamed.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(default, deserialize_with = "text")]
    pub model: String,
    #[serde(default, borrow)]
    pub choices: Option<Vec<WireChoice<'a>>>,
    #[serde(default, deserialize_with = "usage")]
    pub usage: Option<Usage>,
    /// Where one server puts the counts of a stream.
    #[serde(default, rename = "x_groq", deserialize_with = "or_none")]
    pub x_groq: Option<GroqExtension>,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
    /// The result of the request, in each chunk of one provider.
    #[serde(default, borrow)]
    pub base_resp: Option<&'a RawValue>,
}

impl Chunk<'_> {
    /// Whether this may be an error: where one provider puts its results, or anything that is no chunk.
    pub(super) fn may_be_error(&self) -> bool {
        let has_choices = self.choices.as_ref().is_some_and(|choices| !choices.is_empty());
        self.base_resp.is_some() || self.error.is_some() || !has_choices
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct GroqExtension {
    #[serde(default, deserialize_with = "usage")]
    pub usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireChoice<'a> {
    #[serde(default, deserialize_with = "index")]
    pub index: Option<u64>,
    /// Where some servers put the counts.
    #[serde(default, deserialize_with = "usage")]
    pub usage: Option<Usage>,
    #[serde(default, borrow)]
    pub delta: Option<Delta<'a>>,
    /// Instead of `delta` in an answer that is not streamed.
    #[serde(default, borrow)]
    pub message: Option<Delta<'a>>,
    #[serde(default, deserialize_with = "text")]
    pub finish_reason: String,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(default, deserialize_with = "content")]
    pub content: DeltaContent,
    #[serde(default, deserialize_with = "text")]
    pub refusal: String,
    #[serde(default, deserialize_with = "text")]
    pub reasoning_content: String,
    #[serde(default, deserialize_with = "text")]
    pub reasoning: String,
    #[serde(default, deserialize_with = "text")]
    pub thinking: String,
    #[serde(default, deserialize_with = "details")]
    pub reasoning_details: String,
    #[serde(default, borrow)]
    pub tool_calls: Option<Vec<CallDelta<'a>>>,
    /// The only call of an answer, in the form before `tool_calls`.
    #[serde(default, borrow)]
    pub function_call: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CallDelta<'a> {
    #[serde(default, deserialize_with = "index")]
    pub index: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub id: String,
    #[serde(default, borrow)]
    pub function: Option<FunctionDelta<'a>>,
    /// Where some servers put the fields of `function`.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    #[serde(default, borrow)]
    pub arguments: Option<&'a RawValue>,
    /// What one provider wants back with the call.
    #[serde(default, borrow)]
    pub extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FunctionDelta<'a> {
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// By specification a string; some servers send the object itself.
    #[serde(default, borrow)]
    pub arguments: Option<&'a RawValue>,
}

/// The content of a delta: one text, or parts, some of which may be thinking.
#[derive(Debug, Default)]
pub(super) struct DeltaContent {
    pub text: String,
    pub thinking: String,
}

#[derive(Debug, Deserialize)]
struct WireContentPart {
    #[serde(default, deserialize_with = "text")]
    text: String,
    #[serde(default, deserialize_with = "text")]
    thinking: String,
}

#[derive(Debug, Deserialize)]
struct Detail {
    #[serde(default, deserialize_with = "text")]
    text: String,
    #[serde(default, deserialize_with = "text")]
    summary: String,
}

#[derive(Debug, Deserialize)]
struct WireUsage {
    #[serde(default, rename = "prompt_tokens", deserialize_with = "count")]
    prompt: Option<u64>,
    #[serde(default, rename = "completion_tokens", deserialize_with = "count")]
    completion: Option<u64>,
    #[serde(default, rename = "total_tokens", deserialize_with = "count")]
    total: Option<u64>,
    #[serde(default, rename = "prompt_tokens_details", deserialize_with = "cached_of_details")]
    cached: Option<u64>,
}

/// Token counts in any form; `None` if there are none.
fn usage<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Usage>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    let wire = serde_json::from_str::<WireUsage>(raw.get()).ok();
    Ok(wire.and_then(|wire| {
        let counted = Usage::counted(wire.prompt, wire.completion, wire.total)?;
        Some(counted.with_cached(wire.cached))
    }))
}

fn content<'de, D: Deserializer<'de>>(input: D) -> Result<DeltaContent, D::Error> {
    let raw = <&RawValue>::deserialize(input)?.get();
    let invalid = serde::de::Error::custom;
    if raw.contains("\"thinking\"") && raw.starts_with('[') {
        let parts: Vec<WireContentPart> = serde_json::from_str(raw).map_err(invalid)?;
        let thinking = parts.iter().map(|part| part.thinking.as_str()).collect();
        return Ok(DeltaContent {
            text: parts.iter().map(|part| part.text.as_str()).collect(),
            thinking,
        });
    }
    let text = text(&mut serde_json::Deserializer::from_str(raw)).map_err(invalid)?;
    Ok(DeltaContent { text, thinking: String::new() })
}

/// The texts of a list of details; empty if it cannot be parsed.
fn details<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    let details: Vec<Detail> = serde_json::from_str(raw.get()).unwrap_or_default();
    let texts =
        details.into_iter().map(|one| if one.text.is_empty() { one.summary } else { one.text });
    Ok(texts.collect())
}
