//! Deserializers for fields that servers fill differently.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A string; the texts of a list of parts; empty for everything else.
pub(super) fn text<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    input.deserialize_any(TextVisitor)
}

/// An index, as a number or a string; `None` for everything else.
pub(super) fn index<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    Ok(raw.get().trim_matches('"').trim().parse().ok())
}

/// A value; `None` in any other form.
pub(super) fn or_none<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    input: D,
) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// A token count, as a number or a string; `None` for everything else.
pub(super) fn count<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let raw = <&RawValue>::deserialize(input)?.get().trim_matches('"');
    Ok(raw.parse().ok().or_else(|| integer(raw.parse().ok()?)))
}

/// Details of a prompt's count: how many of its tokens came from the cache; `None` in any other form.
pub(super) fn cached_of_details<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Details {
        #[serde(default, rename = "cached_tokens", deserialize_with = "count")]
        cached: Option<u64>,
    }
    let raw = <&RawValue>::deserialize(input)?;
    Ok(serde_json::from_str::<Details>(raw.get()).ok().and_then(|details| details.cached))
}

/// A number that is not negative, without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be between 0 and 2^52"
)]
fn integer(number: f64) -> Option<u64> {
    const MAX: f64 = 4_503_599_627_370_496.0;
    (0.0..=MAX).contains(&number).then_some(number as u64)
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
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
        let mut integer = String::new();
        while let Some(part) = parts.next_element::<TextPart>()? {
            integer.push_str(&part.0);
        }
        Ok(integer)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<String, A::Error> {
        let mut integer = String::new();
        while let Some(key) = fields.next_key::<String>()? {
            if key == "text" {
                integer = fields.next_value::<TextPart>()?.0;
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(integer)
    }
}

struct TextPart(String);

impl<'de> Deserialize<'de> for TextPart {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input).map(Self)
    }
}
