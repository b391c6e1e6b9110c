//! Where a task of a window stopped: it says so in a fenced block `json:window_cursor`, and the next one is given that.

use serde_json::{Map, Value};

use super::block::take;

/// How the block begins.
const FENCE: &str = "```json:window_cursor";
/// Its keys.
const KEYS: [&str; 3] = ["last_scan_cursor", "last_event_id", "window_start_summary"];
/// A longer one is not kept.
const MAX_BYTES: usize = 8 * 1024;

/// The words without the block, and what it says as JSON of one line; `None` if it says nothing that can be kept.
#[must_use]
pub fn read(words: &str) -> (String, Option<String>) {
    let Some(block) = take(words, FENCE) else { return (words.to_owned(), None) };
    (block.words, kept(&block.said))
}

fn kept(said: &str) -> Option<String> {
    let Ok(Value::Object(said)) = serde_json::from_str(said) else { return None };
    let known = said.into_iter().filter(|(key, _)| KEYS.contains(&key.as_str()));
    let known: Map<String, Value> = known.collect();
    let text = Value::Object(known).to_string();
    (text != "{}" && text.len() <= MAX_BYTES).then_some(text)
}

/// The block that says this.
#[must_use]
pub fn block(cursor: &str) -> String {
    format!("{FENCE}\n{cursor}\n```")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s19_5_what_the_last_block_says_is_kept_and_cut_from_the_words() {
        for (said, expected) in [
            (r#"{"last_scan_cursor":"a 7"}"#, Some(r#"{"last_scan_cursor":"a 7"}"#)),
            (r#"{"last_event_id": 12, "more": true}"#, Some(r#"{"last_event_id":12}"#)),
            (r#"{"more": true}"#, None),
            ("{}", None),
            ("[1]", None),
            ("{\"last_event_id\":", None),
        ] {
            let words = format!("Nothing new.\n{}\nBye.", block(said));
            let (rest, cursor) = read(&words);
            assert_eq!((rest.as_str(), cursor.as_deref()), ("Nothing new.\nBye.", expected));
        }
        let two =
            format!("{}\n{}", block(r#"{"last_event_id":1}"#), block(r#"{"last_event_id":2}"#));
        assert_eq!(read(&two).1.as_deref(), Some(r#"{"last_event_id":2}"#));
        assert_eq!(read("no block"), ("no block".to_owned(), None));
    }

    #[test]
    fn a_cursor_cannot_end_its_block_and_is_not_long() {
        let words = block(r#"{"last_event_id":"a\n```\nb"}"#);
        let (_, cursor) = read(&words);
        assert_eq!(cursor.as_deref(), Some(r#"{"last_event_id":"a\n```\nb"}"#));
        assert_eq!(block(&cursor.unwrap()).lines().count(), 3);
        let long = format!(r#"{{"last_event_id":"{}"}}"#, "x".repeat(MAX_BYTES));
        assert_eq!(read(&block(&long)).1, None);
    }
}
