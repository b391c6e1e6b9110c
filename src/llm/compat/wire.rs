//! The shape of answers on the wire: a chunk of a stream and a whole answer are one type.
//!
//! Reading is lenient where servers are known to differ; fields nobody needs are skipped.

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::llm::lenient::text;

/// One `data:` line, or the body of an answer that is not streamed.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(default, deserialize_with = "text")]
    pub model: String,
    #[serde(default, borrow)]
    pub choices: Option<Vec<Choice<'a>>>,
    #[serde(default)]
    pub usage: Option<WireUsage>,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default)]
    pub index: Option<u32>,
    #[serde(default, borrow)]
    pub delta: Option<Delta<'a>>,
    /// Instead of `delta` in an answer that is not streamed.
    #[serde(default, borrow)]
    pub message: Option<Delta<'a>>,
    #[serde(default, deserialize_with = "text")]
    pub finish_reason: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(default, deserialize_with = "text")]
    pub content: String,
    #[serde(default, deserialize_with = "text")]
    pub refusal: String,
    #[serde(default, deserialize_with = "text")]
    pub reasoning_content: String,
    #[serde(default, deserialize_with = "text")]
    pub reasoning: String,
    #[serde(default, deserialize_with = "text")]
    pub thinking: String,
    #[serde(default, borrow)]
    pub tool_calls: Option<Vec<CallDelta<'a>>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CallDelta<'a> {
    #[serde(default, deserialize_with = "index")]
    pub index: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub id: String,
    #[serde(default, borrow)]
    pub function: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FunctionDelta<'a> {
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// A string by the book; some servers put the object itself here.
    #[serde(default, borrow)]
    pub arguments: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, rename = "prompt_tokens")]
    pub prompt: Option<u64>,
    #[serde(default, rename = "completion_tokens")]
    pub completion: Option<u64>,
    #[serde(default, rename = "total_tokens")]
    pub total: Option<u64>,
}

/// A call's place; `None` when it is missing or not a whole number.
fn index<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    Ok(raw.get().trim_matches('"').parse().ok())
}
