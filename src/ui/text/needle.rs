//! What is searched for: text, in any case unless it has an upper-case letter.

use std::ops::Range;

/// Characters of a needle that count; the rest is ignored.
const MAX_CHARS: usize = 64;

/// Text to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needle {
    chars: Vec<char>,
    /// Letters match only in the same case.
    exact: bool,
}

impl Needle {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(needle: &str, text: &str) -> Vec<Range<usize>> {
        Needle::new(needle).ranges(text).collect()
    }

    #[test]
    fn case_counts_only_if_the_needle_has_an_upper_case_letter() {
        assert_eq!(found("otp", "OTP, otp and Otp"), [0..3, 5..8, 13..16]);
        assert_eq!(found("Otp", "OTP, otp and Otp"), std::iter::once(13..16).collect::<Vec<_>>());
        assert_eq!(found("é", "ÉÉ é"), [0..2, 2..4, 5..7]);
        assert_eq!(found("İ", "i̇").len(), 0);
    }

    #[test]
    fn occurrences_do_not_overlap_and_an_empty_needle_has_none() {
        assert_eq!(found("aa", "aaaaa"), [0..2, 2..4]);
        assert_eq!(found("恢复", "恢复码，恢复"), [0..6, 12..18]);
        assert_eq!(found("", "text"), [] as [Range<usize>; 0]);
        assert_eq!(Needle::new("a").count(&"a".repeat(99), 10), 10);
    }
}
