//! The shape of answers on the wire: a chunk of a stream and a whole answer are one type.
//!
//! Reading is lenient where servers are known to differ; fields nobody needs are skipped.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

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

impl FunctionDelta<'_> {
    /// The piece of argument text.
    pub(super) fn arguments(&self) -> Result<String, serde_json::Error> {
        match self.arguments.map(RawValue::get) {
            None | Some("null") => Ok(String::new()),
            Some(raw) if raw.starts_with('"') => serde_json::from_str(raw),
            Some(raw) => Ok(raw.to_owned()),
        }
    }
}

/// A string; the texts of a list of parts; empty for everything else.
fn text<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    input.deserialize_any(Text)
}

struct Text;

impl<'de> Visitor<'de> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_string<E>(self, text: String) -> Result<String, E> {
        Ok(text)
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_bool<E>(self, _: bool) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_u64<E>(self, _: u64) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_i64<E>(self, _: i64) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_f64<E>(self, _: f64) -> Result<String, E> {
        Ok(String::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<String, A::Error> {
        let mut whole = String::new();
        while let Some(part) = parts.next_element::<Part>()? {
            whole.push_str(&part.0);
        }
        Ok(whole)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<String, A::Error> {
        let mut whole = String::new();
        while let Some(key) = fields.next_key::<String>()? {
            if key == "text" {
                whole = fields.next_value::<Part>()?.0;
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(whole)
    }
}

struct Part(String);

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input).map(Self)
    }
}

/// A call's place; `None` when it is missing or not a whole number.
fn index<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    Ok(raw.get().trim_matches('"').parse().ok())
}
