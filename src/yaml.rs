//! The only place that names the YAML library: size limit, positions in errors, and the guards for
//! characters it would change silently.
//!
//! Everything is read through a JSON value (YAML 1.2 core: a bare timestamp or `yes` stays a string),
//! so that types, unknown keys and defaults behave the same for every file.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Largest document read, in bytes.
pub const LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// Characters the library reads or writes wrongly: DEL, NEL, line and paragraph separator.
const TREACHEROUS: [char; 4] = ['\u{7f}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// First line is 1; unknown for errors of shape.
    pub line: Option<usize>,
    pub text: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for YamlError {}

/// Reads any document as a value. An empty document is `null`.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    if text.len() > LIMIT_BYTES {
        return Err(shape(format!("larger than {LIMIT_BYTES} bytes")));
    }
    // JSON is valid YAML, and is what `write` falls back to.
    if text.trim_start().starts_with('{')
        && let Ok(value) = serde_json::from_str(text)
    {
        return Ok(value);
    }
    if let Some(at) = text.find(TREACHEROUS) {
        let line = text.get(..at).map(|before| before.matches('\n').count() + 1);
        return Err(YamlError { line, text: "a control or separator character".to_owned() });
    }
    serde_yaml::from_str(text).map_err(|error| YamlError {
        line: error.location().map(|at| at.line()),
        text: bounded(&error.to_string()),
    })
}

/// Reads a document of a known shape.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    serde_json::from_value(parse(text)?).map_err(|error| shape(bounded(&error.to_string())))
}

/// Writes a document that both this program and Dominds read back exactly.
pub fn write<T: Serialize>(value: &T) -> Result<String, YamlError> {
    let json = serde_json::to_value(value).map_err(|error| shape(error.to_string()))?;
    let yaml = serde_yaml::to_string(&json).map_err(|error| shape(error.to_string()))?;
    if !yaml.contains(TREACHEROUS) && !holds_treacherous(&json) {
        return Ok(yaml);
    }
    let mut text = String::new();
    for c in json.to_string().chars() {
        if TREACHEROUS.contains(&c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    Ok(text)
}

fn holds_treacherous(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(TREACHEROUS),
        Value::Array(items) => items.iter().any(holds_treacherous),
        Value::Object(map) => {
            map.iter().any(|(key, item)| key.contains(TREACHEROUS) || holds_treacherous(item))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn shape(text: String) -> YamlError {
    YamlError { line: None, text }
}

fn bounded(text: &str) -> String {
    text.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn bare_words_and_stamps_stay_strings() {
        let value =
            parse("a: 2026-11-21 20:09:33\nb: yes\nc: 01/02\nd: &x {k: v}\ne: *x\n").unwrap();
        assert_eq!(
            value,
            json!({"a": "2026-11-21 20:09:33", "b": "yes", "c": "01/02", "d": {"k": "v"}, "e": {"k": "v"}})
        );
    }

    #[test]
    fn an_error_names_its_line() {
        assert!(parse("a: 1\nb: [1,\nc: 2\n").unwrap_err().line.is_some());
        assert_eq!(parse("a: x\u{85}y\n").unwrap_err().line, Some(1));
    }

    proptest! {
        #[test]
        fn every_text_survives_writing_and_reading(text in any::<String>(), key in "[a-z\u{2028}\u{85}]{1,8}") {
            let value = json!({ key: text, "list": [text] });
            prop_assert_eq!(parse(&write(&value).unwrap()).unwrap(), value);
        }
    }
}
