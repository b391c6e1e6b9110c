//! The texts that were sent: recalled with the arrows, searched, and kept across restarts.

use crate::domain::text::search_pattern::SearchPattern;

/// Texts that are kept.
const MAX_TEXTS: usize = 100;
/// Bytes of all of them.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Bytes that are kept across restarts; longer texts are known until the end of the session.
const MAX_STORED_BYTES: usize = 64 * 1024;
/// Separates texts in the store. No text has it: it is a control character.
const SEPARATOR: char = '\u{1e}';

/// Sent texts, the newest last.
#[derive(Debug, Default)]
pub struct SentTexts {
    texts: Vec<String>,
}

impl SentTexts {
    /// Reads the stored texts.
    pub fn from_stored(stored: &str) -> Self {
        let texts = stored.split(SEPARATOR).filter(|text| !text.is_empty()).map(str::to_owned);
        let mut sent = Self { texts: texts.collect() };
        sent.shorten();
        sent
    }

    /// Returns the text to store: the newest messages that fit.
    pub fn to_stored(&self) -> String {
        let mut bytes = 0;
        let small = |text: &&String| text.len() < MAX_STORED_BYTES && !text.contains(SEPARATOR);
        let newest = self.texts.iter().rev().filter(small).take_while(|text| {
            bytes += text.len() + SEPARATOR.len_utf8();
            bytes <= MAX_STORED_BYTES
        });
        let mut kept: Vec<&str> = newest.map(String::as_str).collect();
        kept.reverse();
        kept.join(&SEPARATOR.to_string())
    }

    /// Adds a text, unless it was the last one too.
    pub fn push(&mut self, text: &str) {
        if self.texts.last().is_none_or(|last| last != text) {
            self.texts.push(text.to_owned());
        }
        self.shorten();
    }

    /// Forgets the oldest ones.
    fn shorten(&mut self) {
        let mut bytes: usize = self.texts.iter().map(String::len).sum();
        let mut excess = self.texts.len().saturating_sub(MAX_TEXTS);
        bytes -= self.texts.iter().take(excess).map(String::len).sum::<usize>();
        for text in self.texts.iter().skip(excess) {
            if bytes <= MAX_BYTES {
                break;
            }
            bytes -= text.len();
            excess += 1;
        }
        self.texts.drain(..excess);
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<&str> {
        self.texts.get(at).map(String::as_str)
    }

    /// Returns the messages that match, the newest first, each once.
    pub fn matches(&self, pattern: &SearchPattern) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for text in self.texts.iter().rev() {
            let fits = pattern.is_empty() || pattern.ranges(text).next().is_some();
            if fits && !found.contains(&text.as_str()) {
                found.push(text);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(texts: &[&str]) -> SentTexts {
        let mut sent = SentTexts::default();
        for text in texts {
            sent.push(text);
        }
        sent
    }

    #[test]
    fn matches_are_the_newest_first_each_once_and_in_any_case_unless_one_is_given() {
        let sent = sent(&["Run the tests", "read it\ntests too", "no", "Run the tests"]);
        let found = |text| sent.matches(&SearchPattern::new(text));
        assert_eq!(found("tests"), ["Run the tests", "read it\ntests too"]);
        assert_eq!(found("run"), ["Run the tests"]);
        assert_eq!(found("Tests"), Vec::<&str>::new());
        assert_eq!(found("").len(), 3);
    }

    #[test]
    fn what_is_stored_is_bounded_and_read_again_in_order() {
        let long = "x".repeat(MAX_STORED_BYTES);
        let kept = sent(&["one\ntwo", "你好", &long, "three"]);
        let again = SentTexts::from_stored(&kept.to_stored());
        assert_eq!(again.texts, ["one\ntwo", "你好", "three"]);
        let half = "y".repeat(MAX_STORED_BYTES / 2);
        let stored = sent(&["old", &half, "mid", &format!("{half}z"), "new"]).to_stored();
        assert!(stored.len() <= MAX_STORED_BYTES && stored.ends_with("new"));
        assert!(SentTexts::from_stored("").is_empty());
    }

    #[test]
    fn the_oldest_texts_are_forgotten() {
        let mut sent = SentTexts::default();
        for n in 0..300 {
            sent.push(&n.to_string());
        }
        assert_eq!((sent.len(), sent.get(0)), (MAX_TEXTS, Some("200")));
        sent.push(&"x".repeat(MAX_BYTES));
        assert_eq!(sent.len(), 1);
    }
}
