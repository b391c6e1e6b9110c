//! The database of the mock provider: its file format and the search for an entry.

use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The entries of one file, in file order.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct MockDb {
    #[serde(default)]
    responses: Vec<MockEntry>,
}

/// One input and its answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MockEntry {
    message: String,
    /// Without a role the entry never matches.
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    pub response: String,
    #[serde(default)]
    pub func_calls: Vec<FuncCall>,
    #[serde(default)]
    context_contains: Vec<String>,
    #[serde(default, deserialize_with = "delay", rename = "delayMs")]
    pub delay: Duration,
    #[serde(default, deserialize_with = "delay", rename = "chunkDelayMs")]
    pub chunk_delay: Duration,
    #[serde(default)]
    pub stream_error: Option<String>,
    #[serde(default)]
    pub emit_stream_error_before_throw: bool,
    #[serde(default)]
    pub usage_unavailable: bool,
    #[serde(default)]
    pub usage: Option<MockUsage>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct FuncCall {
    #[serde(default)]
    pub id: Option<String>,
    pub name: String,
    #[serde(default)]
    pub arguments: Option<Value>,
}

/// Token counts.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(super) struct MockUsage {
    #[serde(rename = "promptTokens")]
    pub prompt: u64,
    #[serde(rename = "completionTokens")]
    pub completion: u64,
    /// The sum of the two when it is not given.
    #[serde(default, rename = "totalTokens")]
    pub total: Option<u64>,
}

impl MockDb {
    /// Reads the parsed file. One entry of a wrong shape makes the whole file unusable.
    pub fn from_value(value: Value) -> Result<Self, String> {
        if value.is_null() {
            return Ok(Self::default());
        }
        let database: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let has_no_name = |call: &FuncCall| call.name.is_empty();
        if database.responses.iter().any(|entry| entry.func_calls.iter().any(has_no_name)) {
            return Err("a call in funcCalls has no name".to_owned());
        }
        Ok(database)
    }

    /// The last entry for this role and normalised input whose context conditions all hold.
    pub(super) fn find(&self, role: &str, input: &str, context: &[&str]) -> Option<&MockEntry> {
        let holds = |wanted: &String| context.iter().any(|text| text.contains(wanted.as_str()));
        self.responses.iter().rev().find(|entry| {
            entry.role.as_deref() == Some(role)
                && normalised(&entry.message) == input
                && entry.context_contains.iter().all(holds)
        })
    }
}

/// Inputs are compared without surrounding blanks and in lower case.
pub(super) fn normalised(text: &str) -> String {
    trimmed(text).to_lowercase()
}

/// Trims whitespace as ECMAScript does, since databases were written for it.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Whitespace of ECMAScript: that of Unicode plus the byte order mark, minus NEL.
pub(super) fn is_blank(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Whole milliseconds; invalid values count as zero.
fn delay<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
    let millis = Value::deserialize(input)?.as_f64().unwrap_or(0.0).floor();
    Ok(Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default())
}
