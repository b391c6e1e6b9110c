//! JSON from models, files and the network, read only if it is not nested too deep. The depth is counted
//! before anything is read, in one pass, so that no depth costs more than the text is long.

use serde::Deserialize;
use serde::de::Error as _;

/// Most lists and objects within each other.
pub const MAX_NESTING: usize = 64;

/// Nesting levels around the arguments of a call, where a provider sends them as an object.
const ENVELOPE: usize = 16;

/// Where a text nests too deep; both begin at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooDeep {
    pub line: usize,
    pub column: usize,
}

/// Reads a text.
pub fn read<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    match too_deep(text) {
        None => serde_json::from_str(text),
        Some(at) => Err(serde_json::Error::custom(format!(
            "nested more than {MAX_NESTING} deep at line {} column {}",
            at.line, at.column
        ))),
    }
}

/// Where the text nests too deep to be read.
#[must_use]
pub fn too_deep(text: &str) -> Option<TooDeep> {
    deeper_than(text, MAX_NESTING)
}

/// As [`too_deep`], for a provider's message, which may hold the arguments of a call as an object.
#[must_use]
pub fn too_deep_on_the_wire(text: &str) -> Option<TooDeep> {
    deeper_than(text, MAX_NESTING + ENVELOPE)
}

fn deeper_than(text: &str, most: usize) -> Option<TooDeep> {
    let mut depth = 0_usize;
    for (at, byte) in outside_strings(text) {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > most {
                    return Some(place(text.get(..at).unwrap_or_default()));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The bytes of a text that stand outside of its strings, with their places.
pub(in crate::domain) fn outside_strings(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut in_string, mut is_escaped) = (false, false);
    text.bytes().enumerate().filter(move |(_, byte)| {
        let was_in_string = in_string;
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            _ => {}
        }
        !was_in_string && !in_string
    })
}

/// Escapes raw control characters in strings, as models leave them.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut after_slash) = (false, false);
    for c in text.chars() {
        match c {
            c if in_string && c.is_ascii_control() && c != '\u{7f}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
        if in_string && !after_slash && c == '\\' {
            after_slash = true;
            continue;
        }
        if c == '"' && !after_slash {
            in_string = !in_string;
        }
        after_slash = false;
    }
    out
}

/// The place behind this text.
fn place(before: &str) -> TooDeep {
    let last = before.rsplit('\n').next().unwrap_or_default();
    TooDeep { line: before.matches('\n').count() + 1, column: last.chars().count() + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_place_is_named_and_brackets_in_texts_do_not_count() {
        let text = |open: &str, close: &str| {
            format!("{{\n \"[\\\"[\\\\\": {}{}}}", open.repeat(63), close.repeat(63))
        };
        assert!(read::<Value>(&text("[", "]")).is_ok());
        let deep = text("[", "]").replace("[]", "[[]]");
        assert_eq!(too_deep(&deep), Some(TooDeep { line: 2, column: 75 }));
        let error = read::<Value>(&deep).unwrap_err().to_string();
        assert_eq!(error, "nested more than 64 deep at line 2 column 75");
        assert!(read::<Value>(&format!("[{}]", "[],{},".repeat(500) + "1")).is_ok());
        assert!(read::<Value>(&json!("[{".repeat(500)).to_string()).is_ok());
        assert!(too_deep(&"[".repeat(65)).is_some());
        assert!(too_deep_on_the_wire(&"[".repeat(80)).is_none());
        assert!(too_deep_on_the_wire(&"[".repeat(81)).is_some());
    }

    proptest! {
        #[test]
        fn what_the_parser_reads_to_this_depth_is_read(
            text in "[\\[\\]{}\",:a1\\\\ \n]{0,40}", depth in 0_usize..80,
        ) {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            let text = format!("{open}{}{close}", json!(text));
            prop_assert_eq!(read::<Value>(&text).is_ok(), depth <= MAX_NESTING);
        }
    }
}
