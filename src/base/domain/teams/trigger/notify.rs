//! Whether the result of a triggered task is for a person: its words may end with a fenced block `json:notify`.

use serde_json::Value;

use super::block::take;

/// How the block begins.
const FENCE: &str = "```json:notify";
/// What an object with this action says: nothing was to be done.
const NOTHING: &str = "noop";

/// The words of a task without the block, and whether a person is to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub words: String,
    pub is_for_a_person: bool,
}

/// A result tells, unless it says that it does not.
#[must_use]
pub fn read(words: &str) -> Report {
    let is_nothing = is_nothing(words);
    let Some(block) = take(words, FENCE) else {
        return Report { words: words.to_owned(), is_for_a_person: !is_nothing };
    };
    let said = serde_json::from_str::<Value>(&block.said).ok();
    let wanted = said.as_ref().and_then(|value| value.get("notify")).and_then(Value::as_bool);
    Report { words: block.words, is_for_a_person: wanted.unwrap_or(true) && !is_nothing }
}

/// True if an object near the end of the words says that nothing was to be done.
fn is_nothing(words: &str) -> bool {
    let from = words.len().saturating_sub(MAX_BYTES);
    let from = (from..=words.len()).find(|at| words.is_char_boundary(*at)).unwrap_or_default();
    let words = words.get(from..).unwrap_or_default();
    if !words.contains(NOTHING) {
        return false;
    }
    let objects = words.match_indices('{').filter_map(|(at, _)| words.get(at..));
    let says = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let first = values.next().and_then(Result::ok);
        first.is_some_and(|value| value.get("action").and_then(Value::as_str) == Some(NOTHING))
    };
    // Of many the last ones count: an object ends the words.
    objects.rev().take(MAX_OBJECTS).any(says)
}

/// Bytes at the end of the words, and braces in them, that are looked at.
const MAX_BYTES: usize = 64 * 1024;
const MAX_OBJECTS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_1_a_result_tells_unless_its_block_or_an_action_says_that_it_does_not() {
        for (words, kept, tells) in [
            ("ok\n```json:notify\n{\"notify\":true,\"reason\":\"x\"}\n```", "ok", true),
            ("ok\n```json:notify\n{\"notify\":false,\"reason\":\"x\"}\n```", "ok", false),
            ("ok", "ok", true),
            ("ok\n```json:notify\n{\"notify\":\n```", "ok", true),
            ("ok\n```json:notify\n{\"notify\":\"yes\"}\n```", "ok", true),
            ("ok\n```json:notify\n{\"notify\":false}", "ok", false),
            ("{\"action\":\"noop\"}", "{\"action\":\"noop\"}", false),
            ("nothing {\"action\": \"noop\"} to do", "nothing {\"action\": \"noop\"} to do", false),
            ("the action was noop", "the action was noop", true),
            ("a\n```json:notify\n{\"notify\":false}\n```\nb", "a\nb", false),
            (
                "say ```json:notify {\"notify\":false}```",
                "say ```json:notify {\"notify\":false}```",
                true,
            ),
            ("```json:notify\n{\"notify\":true,\"action\":\"noop\"}\n```\n", "", false),
        ] {
            let report = read(words);
            assert_eq!((report.words.as_str(), report.is_for_a_person), (kept, tells), "{words}");
        }
    }

    #[test]
    fn the_last_block_counts() {
        let both =
            "a\n```json:notify\n{\"notify\":true}\n```\nb\n```json:notify\n{\"notify\":false}\n```";
        let report = read(both);
        assert!(!report.is_for_a_person);
        assert!(!report.words.ends_with("```json:notify"), "{}", report.words);
    }

    #[test]
    fn many_braces_end_soon() {
        let words = format!("noop {}", "{".repeat(200_000));
        assert!(read(&words).is_for_a_person);
        let words = format!("{}{{\"action\":\"noop\"}}", "字{ ".repeat(200_000));
        assert!(!read(&words).is_for_a_person);
    }
}
