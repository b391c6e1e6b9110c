//! The arguments of a call as one JSON object, in whichever form a model or a server wrote them.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use super::readable::{repaired, whole};
use crate::domain::text::json;

/// Strings within strings that are opened.
const MAX_LAYERS: usize = 3;

/// The object in a text: as it is, in a string, in a code fence, repeated, after an empty one, or before marks that
/// close it; an empty object for a blank text. A text without such an object is left as it is.
pub(super) fn one_object(text: &str) -> Cow<'_, str> {
    let text = whole(text);
    if text.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    if is_object(&text) {
        return text;
    }
    match object_in(&text, MAX_LAYERS) {
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
    let text = json::escaped(&whole(&repaired(unfenced(text.trim()))));
    if layers == 0 || json::too_deep(&text).is_some() {
        return None;
    }
    let (values, behind) = values_in(&text);
    if !only_closes(behind) {
        return None;
    }
    let mut found: Option<(Value, String)> = None;
    let mut is_empty = None;
    for raw in values.into_iter().map(RawValue::get) {
        let object = match serde_json::from_str(raw).ok()? {
            Value::Null => Cow::Borrowed("{}"),
            Value::String(text) if text.trim().is_empty() => Cow::Borrowed("{}"),
            Value::String(text) => Cow::Owned(object_in(&text, layers - 1)?),
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

/// The content of a code fence; what closes the fence stays behind it.
fn unfenced(text: &str) -> &str {
    let Some(content) = text.strip_prefix("```") else { return text };
    content.strip_prefix("json").unwrap_or(content)
}

/// The JSON values that a text begins with, and what is behind them.
fn values_in(text: &str) -> (Vec<&RawValue>, &str) {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let values = stream.by_ref().map_while(Result::ok).collect();
    (values, text.get(stream.byte_offset()..).unwrap_or_default())
}

/// Whether a text has nothing but what models leave behind an object: brackets that were closed already, the end of a
/// fence, closing tags and marks of a chat template. Anything else may be a part of the arguments.
fn only_closes(text: &str) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let next = rest.strip_prefix(['}', ']']).or_else(|| rest.strip_prefix("```"));
        let Some(next) = next.or_else(|| after_mark(rest)) else { return false };
        rest = next.trim_start();
    }
    true
}

/// What follows a closing tag or a mark of a chat template.
fn after_mark(text: &str) -> Option<&str> {
    let (name, after) = text.strip_prefix('<')?.split_once('>')?;
    let is_mark = name.starts_with(['/', '|', '｜']);
    let is_name = |c: char| c.is_alphanumeric() || "/|｜▁_-:.".contains(c);
    (is_mark && name.chars().all(is_name)).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_in_every_form() {
        for (text, expected) in [
            ("", "{}"),
            (" \n", "{}"),
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
            ("{\"a\":\"x\n\ty\"}", r#"{"a":"x\u000a\u0009y"}"#),
            ("\"{\\\"a\\\":\\\"x\\ny\\\"}\"", r#"{"a":"x\u000ay"}"#),
            ("```json\n{\"a\":1}\n```", r#"{"a":1}"#),
            ("```\n{\"a\":1}", r#"{"a":1}"#),
            (r#"{"a":1}}"#, r#"{"a":1}"#),
            ("{\"a\":1}]}\n</tool_call>", r#"{"a":1}"#),
            (r#"{"a":1}<|call|><|im_end|>"#, r#"{"a":1}"#),
            (r#"{"a":1}<｜tool▁call▁end｜>"#, r#"{"a":1}"#),
            ("{}</tool_call>", "{}"),
            // What is no object, or not one, stays as the model wrote it.
            (r#"{"a":1}{"b":2}"#, r#"{"a":1}{"b":2}"#),
            (r#"{"a":"#, r#"{"a":"#),
            ("[1]", "[1]"),
            ("7", "7"),
            ("\"words\"", "\"words\""),
            (r#"{}{"a":"#, r#"{}{"a":"#),
            (r#"{"a":1},"b":2}"#, r#"{"a":1},"b":2}"#),
            (r#"{"a":1} words"#, r#"{"a":1} words"#),
            (r#"{"a":1}</call><call>"#, r#"{"a":1}</call><call>"#),
            (r#"{"a":1}</call>{"b":2}"#, r#"{"a":1}</call>{"b":2}"#),
            ("```rust\n{\"a\":1}\n```", "```rust\n{\"a\":1}\n```"),
            ("}", "}"),
        ] {
            assert_eq!(one_object(text), expected, "{text}");
        }
        let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
        assert_eq!(one_object(&deep), deep);
    }
}
