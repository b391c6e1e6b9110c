//! Pairs calls with results for every protocol: each call gets exactly one result, and names and arguments
//! are made valid for servers.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::arguments::{is_object, one_object};
use super::image::MessageImage;
use super::request::Message;

/// The placeholder for a result that was never recorded. In both languages, since the language of the
/// model's texts is unknown here.
pub(super) const NO_RESULT: &str =
    "no result was recorded; it was interrupted (没有记录到结果，调用被中断)";
/// For protocols whose first and last turn is the user's: inserted where it would otherwise be the model's.
pub(super) const OMITTED_TEXT: &str = "What came before is not shown. (此前的内容未显示。)";
pub(super) const GO_ON_TEXT: &str = "Go on. (请继续。)";
/// Length of a name that the protocols accept.
const MAX_NAME_CHARS: usize = 64;

/// The results of a context with their positions, by call id.
#[derive(Debug)]
pub(super) struct Results<'a> {
    by_id: HashMap<&'a str, VecDeque<RecordedResult<'a>>>,
    max_chars: usize,
}

/// Position, text and images of a result.
type RecordedResult<'a> = (usize, &'a str, &'a [MessageImage]);

/// The result of a call.
#[derive(Debug)]
pub(super) struct CallResult<'a> {
    pub text: Cow<'a, str>,
    pub images: &'a [MessageImage],
}

impl<'a> Results<'a> {
    /// Each result is truncated to `max_chars` characters.
    pub(super) fn of(messages: &'a [Message], max_chars: usize) -> Self {
        let mut by_id: HashMap<&str, VecDeque<_>> = HashMap::new();
        for (at, message) in messages.iter().enumerate() {
            if let Message::Result { id, content, images, .. } = message {
                let entry = (at, content.as_str(), images.as_slice());
                by_id.entry(id.as_str()).or_default().push_back(entry);
            }
        }
        Self { by_id, max_chars }
    }

    /// The first unused result after the call at `at`.
    pub(super) fn take_for_call(&mut self, at: usize, id: &str) -> CallResult<'a> {
        let found = self.by_id.get_mut(id).and_then(|results| {
            results.retain(|(position, ..)| *position > at);
            results.pop_front()
        });
        match found {
            Some((_, text, images)) => CallResult { text: truncated(text, self.max_chars), images },
            None => CallResult { text: Cow::Borrowed(NO_RESULT), images: &[] },
        }
    }
}

/// The marker of data that some gateways put into a call id, and want back.
const THOUGHT_IN_ID: &str = "__thought__";

/// A call id that is not longer than a provider takes. It depends only on the recorded one, so that a call and its
/// result agree, and the next request has the same.
pub(super) fn wire_id(id: &str, max_chars: usize) -> Cow<'_, str> {
    if id.chars().count() <= max_chars || id.contains(THOUGHT_IN_ID) {
        return Cow::Borrowed(id);
    }
    // FNV-1a: the same in every process.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let start: String = id.chars().take(max_chars.saturating_sub(17)).collect();
    Cow::Owned(format!("{start}_{hash:016x}"))
}

/// Sanitizes a tool name: a model may have made up an invalid one.
pub(super) fn wire_name(name: &str) -> Cow<'_, str> {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Cow::Borrowed("unnamed");
    }
    if name.len() <= MAX_NAME_CHARS && name.chars().all(is_valid) {
        return Cow::Borrowed(name);
    }
    let sanitized = name.chars().take(MAX_NAME_CHARS).map(|c| if is_valid(c) { c } else { '_' });
    Cow::Owned(sanitized.collect())
}

/// Arguments as one JSON object. Servers parse the arguments of the whole context, so one invalid call
/// would break every later request.
pub(super) fn wire_arguments(text: &str) -> Cow<'_, str> {
    let object = one_object(text);
    if is_object(&object) {
        return object;
    }
    Cow::Owned(serde_json::json!({ "_raw": text }).to_string())
}

/// The first `limit` characters, with a note when that is not all.
fn truncated(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return Cow::Borrowed(text);
    };
    let original = text.chars().count();
    let head = text.get(..end).unwrap_or_default();
    Cow::Owned(format!(
        "{head}\n[tool_output_truncated_for_provider original_chars={original} limit_chars={limit}]"
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
            (r#"{"a":"\ud99c"}"#, "{\"a\":\"\u{fffd}\"}"),
            (r#"["\ud99c"]"#, r#"{"_raw":"[\"\\ud99c\"]"}"#),
        ] {
            assert_eq!(wire_arguments(arguments), expected);
        }
    }

    #[test]
    fn a_long_call_id_is_shortened_the_same_way_each_time() {
        let (long, other) = ("x".repeat(90), format!("{}y", "x".repeat(89)));
        for (id, expected) in [("", ""), ("call_1", "call_1")] {
            assert_eq!(wire_id(id, 40), expected);
        }
        assert_eq!(wire_id(&long, 40).chars().count(), 40);
        assert_eq!(wire_id(&long, 40), wire_id(&long, 40));
        assert_ne!(wire_id(&long, 40), wire_id(&other, 40));
        let with_thought = format!("call_1__thought__{long}");
        assert_eq!(wire_id(&with_thought, 40), with_thought);
    }

    #[test]
    fn a_long_result_is_truncated_with_a_note() {
        let note = "[tool_output_truncated_for_provider original_chars=5 limit_chars=3]";
        assert_eq!(truncated("字字字字字", 3), format!("字字字\n{note}"));
        assert_eq!(truncated("字字字", 3), "字字字");
    }
}
