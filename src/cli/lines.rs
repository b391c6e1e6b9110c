//! Standard output: cleaned for people, exact JSON for scripts.

use std::io::{self, Write};

use crate::ui::text::clean::SafeText;

/// Prints a text a person reads. A closed pipe is no error.
pub fn say(text: &str) {
    let safe = SafeText::clean(text);
    put(safe.as_str());
}

/// Prints one JSON value on a line of its own.
pub fn json(value: &serde_json::Value) {
    put(&value.to_string());
}

fn put(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Prints what is not the answer.
pub fn remark(text: &str) {
    let safe = SafeText::clean(text);
    let _ = writeln!(io::stderr().lock(), "{}", safe.as_str());
}
