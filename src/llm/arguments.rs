//! The arguments of a call as one JSON object, in whichever form a model or a server wrote them.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use super::readable::{repaired, whole};
use crate::domain::text::json;

/// Strings within strings that are opened.
const MAX_LAYERS: usize = 3;

/// The object in a text: as it is, in a string, repeated, or after an empty one. A text without such an object is
/// left as it is.
pub(super) fn one_object(text: &str) -> Cow<'_, str> {
    let text = whole(text);
    if text.trim().is_empty() || is_object(&text) {
        return text;
    }
    match object_in(&whole(&repaired(text.trim())), MAX_LAYERS) {
        Some(object) => Cow::Owned(object),
        None => text,
    }
}

/// Whether a text is one JSON object that every reader accepts: other readers check texts that are skipped here.
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && is_json(text)
}

/// Whether a text is one complete JSON value.
pub(super) fn is_json(text: &str) -> bool {
    json::read::<Value>(text).is_ok()
}

fn object_in(text: &str, layers: usize) -> Option<String> {
    if layers == 0 || json::too_deep(text).is_some() {
        return None;
    }
    let mut found: Option<(Value, String)> = None;
    let mut is_empty = None;
    for raw in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        let raw = raw.ok()?.get();
        let object = match serde_json::from_str(raw).ok()? {
            Value::Null => Cow::Borrowed("{}"),
            Value::String(text) if text.trim().is_empty() => Cow::Borrowed("{}"),
            Value::String(text) => {
                Cow::Owned(object_in(&whole(&repaired(text.trim())), layers - 1)?)
            }
            Value::Object(_) => Cow::Borrowed(raw),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
        };
        let value: Value = serde_json::from_str(&object).ok()?;
        if value.as_object().is_some_and(serde_json::Map::is_empty) {
            is_empty = Some("{}".to_owned());
            continue;
        }
        match &found {
            Some((earlier, _)) if *earlier != value => return None,
            Some(_) => {}
            None => found = Some((value, object.into_owned())),
        }
    }
    found.map(|(_, object)| object).or(is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_in_every_form() {
        for (text, expected) in [
            ("", ""),
            (" \n", " \n"),
            ("{}", "{}"),
            (" {\"a\": 1} ", " {\"a\": 1} "),
            (r#""{\"a\":1}""#, r#"{"a":1}"#),
            (r#""\"{\\\"a\\\":1}\"""#, r#"{"a":1}"#),
            (r#"{}{"a":1}"#, r#"{"a":1}"#),
            (r#"""{"a":1}"#, r#"{"a":1}"#),
            (r#"null{"a":1}"#, r#"{"a":1}"#),
            (r#"{ } {"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1}{}"#, r#"{"a":1}"#),
            (r#"{"a":1}{"a": 1}"#, r#"{"a":1}"#),
            ("{}{}", "{}"),
            ("null", "{}"),
            ("\"\"", "{}"),
            ("\"{}\"", "{}"),
            (r#"{"a":NaN}"#, r#"{"a":null}"#),
            (r#"{"a":"\ud99c"}"#, "{\"a\":\"\u{fffd}\"}"),
            ("{\"a\":\"\u{fdd0}\u{e03d}\u{fdd0}\u{e600}\"}", "{\"a\":\"😀\"}"),
            (r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\ud83d\ude00"}"#),
            // What is no object, or not one, stays as the model wrote it.
            (r#"{"a":1}{"b":2}"#, r#"{"a":1}{"b":2}"#),
            (r#"{"a":"#, r#"{"a":"#),
            ("[1]", "[1]"),
            ("7", "7"),
            ("\"words\"", "\"words\""),
            (r#"{}{"a":"#, r#"{}{"a":"#),
        ] {
            assert_eq!(one_object(text), expected, "{text}");
        }
        let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
        assert_eq!(one_object(&deep), deep);
    }
}
