//! What is searched for: text, in any case unless it has an upper-case letter. Most lines of a file with
//! JSON need not be parsed to know that a text is not in them.

use std::ops::Range;

/// Characters of a pattern that count; the rest is ignored.
const MAX_CHARS: usize = 64;

/// Text to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchPattern {
    chars: Vec<char>,
    /// Letters match only in the same case.
    exact: bool,
}

impl SearchPattern {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let exact = text.chars().any(char::is_uppercase);
        Self { chars: text.chars().take(MAX_CHARS).collect(), exact }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Where it occurs, without overlaps.
    pub fn ranges<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(text, from)?;
            from = found.end;
            Some(found)
        })
    }

    /// How often it occurs, counted up to `most`.
    #[must_use]
    pub fn count(&self, text: &str, most: usize) -> usize {
        self.ranges(text).take(most).count()
    }

    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let first = *self.chars.first()?;
        let tail = text.get(from..)?;
        tail.char_indices().filter(|(_, c)| self.folded(*c) == first).find_map(|(at, _)| {
            let start = from + at;
            let mut end = start;
            let mut chars = text.get(start..)?.chars();
            for wanted in &self.chars {
                let c = chars.next().filter(|c| self.folded(*c) == *wanted)?;
                end += c.len_utf8();
            }
            Some(start..end)
        })
    }

    fn folded(&self, c: char) -> char {
        if self.exact {
            c
        } else if c.is_ascii() {
            c.to_ascii_lowercase()
        } else {
            c.to_lowercase().next().unwrap_or(c)
        }
    }
}

/// The part of a pattern that a line of JSON shows as it is: what is searched for before a line is parsed.
///
/// Invariant: a line that is refused holds no match in any of its texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonSearchPattern {
    /// Without capital letters unless `exact`.
    bytes: Vec<u8>,
    exact: bool,
}

impl JsonSearchPattern {
    #[must_use]
    pub fn of(pattern: &SearchPattern) -> Self {
        let is_plain = |c: &char| stands_as_it_is(*c, pattern.exact);
        let runs = pattern.chars.split(|c| !is_plain(c));
        let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
        let bytes = longest.iter().collect::<String>().into_bytes();
        Self { bytes, exact: pattern.exact }
    }

    /// False if no text in this line matches.
    #[must_use]
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        let Some((first, rest)) = self.bytes.split_first() else { return true };
        let is_same = |a: u8, b: u8| a == b || (!self.exact && a.to_ascii_lowercase() == b);
        let begins = |at: usize| {
            let tail = line.get(at + 1..at + 1 + rest.len());
            tail.is_some_and(|tail| tail.iter().zip(rest).all(|(a, b)| is_same(*a, *b)))
        };
        let found = line.iter().enumerate().any(|(at, byte)| is_same(*byte, *first) && begins(at));
        // A character may be written as its number.
        found || line.windows(2).any(|pair| pair == b"\\u")
    }
}

/// True for characters that JSON need not escape and that no other character is folded to: `İ` is folded to
/// `i`, the sign of Kelvin to `k`.
fn stands_as_it_is(c: char, exact: bool) -> bool {
    let is_folded_to = !exact && matches!(c, 'i' | 'k');
    matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '/') && !is_folded_to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(pattern: &str, text: &str) -> Vec<Range<usize>> {
        SearchPattern::new(pattern).ranges(text).collect()
    }

    #[test]
    fn case_counts_only_if_the_pattern_has_an_upper_case_letter() {
        assert_eq!(found("otp", "OTP, otp and Otp"), [0..3, 5..8, 13..16]);
        assert_eq!(found("Otp", "OTP, otp and Otp"), std::iter::once(13..16).collect::<Vec<_>>());
        assert_eq!(found("é", "ÉÉ é"), [0..2, 2..4, 5..7]);
        assert_eq!(found("İ", "i̇").len(), 0);
    }

    #[test]
    fn occurrences_do_not_overlap_and_an_empty_pattern_has_none() {
        assert_eq!(found("aa", "aaaaa"), [0..2, 2..4]);
        assert_eq!(found("恢复", "恢复码，恢复"), [0..6, 12..18]);
        assert_eq!(found("", "text"), [] as [Range<usize>; 0]);
        assert_eq!(SearchPattern::new("a").count(&"a".repeat(99), 10), 10);
    }

    proptest! {
        #[test]
        fn a_line_that_is_refused_holds_no_match(
            text in "[aAiIkK\u{212a}\u{130}é恢/\"\\\\ \n\t.z]{0,12}",
            from in 0usize..12,
            length in 1usize..5,
            escaped in any::<bool>(),
        ) {
            let part: String = text.chars().skip(from).take(length).collect();
            for wanted in [part.clone(), part.to_lowercase()] {
                let pattern = SearchPattern::new(&wanted);
                let line = serde_json::to_string(&text).unwrap();
                let line = if escaped { line.replace('z', "\\u007a") } else { line };
                if pattern.count(&text, 1) > 0 {
                    prop_assert!(JsonSearchPattern::of(&pattern).may_be_in(line.as_bytes()), "{line}");
                }
            }
        }
    }

    #[test]
    fn most_lines_are_refused_unseen() {
        let of = |text: &str| JsonSearchPattern::of(&SearchPattern::new(text));
        assert!(!of("migrate").may_be_in(br#"{"content":"nothing"}"#));
        assert!(of("migrate").may_be_in(br#"{"content":"MIGRATE"}"#));
        assert!(!of("Migrate").may_be_in(br#"{"content":"migrate"}"#));
        assert!(of("恢复").may_be_in(b"{}"), "it has no such part");
    }
}
