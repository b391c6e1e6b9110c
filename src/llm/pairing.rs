//! Calls and their results as every protocol needs them: each call has exactly one result, and names
//! and arguments are ones that servers take.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::image::MessageImage;
use super::request::Message;
use crate::domain::json;

/// What stands for a result that was never recorded. In both languages: here nobody knows which of
/// them the model is told things in.
pub(super) const NO_RESULT: &str =
    "no result was recorded; it was interrupted (没有记录到结果，调用被中断)";
/// Longest name the protocols take.
const NAME_CHARS: usize = 64;

/// The results of a context, where they stand, by the id of their call.
#[derive(Debug)]
pub(super) struct Results<'a> {
    by_id: HashMap<&'a str, VecDeque<Recorded<'a>>>,
    most_chars: usize,
}

/// Where a result stands, and what it holds.
type Recorded<'a> = (usize, &'a str, &'a [MessageImage]);

/// What a call gave back.
#[derive(Debug)]
pub(super) struct Given<'a> {
    pub text: Cow<'a, str>,
    pub pictures: &'a [MessageImage],
}

impl<'a> Results<'a> {
    /// Of one result at most `most_chars` characters are sent.
    pub(super) fn of(messages: &'a [Message], most_chars: usize) -> Self {
        let mut by_id: HashMap<&str, VecDeque<_>> = HashMap::new();
        for (at, message) in messages.iter().enumerate() {
            if let Message::Result { id, content, pictures, .. } = message {
                let entry = (at, content.as_str(), pictures.as_slice());
                by_id.entry(id.as_str()).or_default().push_back(entry);
            }
        }
        Self { by_id, most_chars }
    }

    /// The first unused result that stands behind the call at `at`.
    pub(super) fn of_call(&mut self, at: usize, id: &str) -> Given<'a> {
        let found = self.by_id.get_mut(id).and_then(|results| {
            results.retain(|(place, ..)| *place > at);
            results.pop_front()
        });
        match found {
            Some((_, text, pictures)) => Given { text: capped(text, self.most_chars), pictures },
            None => Given { text: Cow::Borrowed(NO_RESULT), pictures: &[] },
        }
    }
}

/// A name the protocols take: a model may have invented one it does not.
pub(super) fn wire_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Cow::Borrowed("unnamed");
    }
    if name.len() <= NAME_CHARS && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let mended = name.chars().take(NAME_CHARS).map(|c| if fits(c) { c } else { '_' });
    Cow::Owned(mended.collect())
}

/// Arguments as one JSON object. Servers parse them when they lay out the context, so one broken
/// call in the history would spoil every later request.
pub(super) fn wire_arguments(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Cow::Borrowed("{}");
    }
    let is_object =
        trimmed.starts_with('{') && json::read::<serde::de::IgnoredAny>(trimmed).is_ok();
    if is_object {
        return Cow::Borrowed(text);
    }
    Cow::Owned(serde_json::json!({ "_raw": text }).to_string())
}

/// The first `limit` characters, with a note when that is not all.
fn capped(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return Cow::Borrowed(text);
    };
    let original = text.chars().count();
    let kept = text.get(..end).unwrap_or_default();
    Cow::Owned(format!(
        "{kept}\n[tool_output_truncated_for_provider original_chars={original} limit_chars={limit}]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_arguments_fit_the_protocols() {
        for (name, expected) in [("f", "f"), ("a b/ü", "a_b__"), ("", "unnamed")] {
            assert_eq!(wire_name(name), expected);
        }
        assert_eq!(wire_name(&"x".repeat(80)).len(), 64);
        for (arguments, expected) in [
            ("", "{}"),
            (" {\"a\":1}", " {\"a\":1}"),
            ("{\"a\":", r#"{"_raw":"{\"a\":"}"#),
            ("[1]", r#"{"_raw":"[1]"}"#),
        ] {
            assert_eq!(wire_arguments(arguments), expected);
        }
    }

    #[test]
    fn a_long_result_is_capped_with_a_note() {
        let note = "[tool_output_truncated_for_provider original_chars=5 limit_chars=3]";
        assert_eq!(capped("字字字字字", 3), format!("字字字\n{note}"));
        assert_eq!(capped("字字字", 3), "字字字");
    }
}
