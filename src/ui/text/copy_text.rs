//! Text that leaves the screen: for a clipboard or a file.
//!
//! Invariant: sanitized as all text of the screen, but tabs stay, which code needs. So it contains no
//! control character except the line feed and the tab.

use super::clean::SafeText;
use crate::domain::Lang;
use crate::domain::text::size::size;

/// Largest text that is kept for a copy; a longer one is cut.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Sanitized text with its tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyText(String);

impl CopyText {
    /// Sanitizes; blank lines at the end are dropped.
    #[must_use]
    pub fn clean(raw: &str) -> Self {
        let kept = head(raw, MAX_BYTES).trim_end();
        let parts: Vec<String> =
            kept.split('\t').map(|part| SafeText::clean(part).into_string()).collect();
        Self(parts.join("\t"))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns its length for people.
    #[must_use]
    pub fn size(&self, lang: Lang) -> String {
        size(self.0.len(), lang)
    }
}

/// Returns the start of a text of at most `bytes` bytes, cut at a character.
#[must_use]
pub fn head(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_lines_stay_and_commands_to_the_terminal_become_visible() {
        for (raw, expected) in [
            ("a\tb\n\tc\n\n", "a\tb\n\tc"),
            ("a\u{1b}]52;c;eA==\u{7}", "a␛]52;c;eA==␇"),
            ("a\r\nb\u{202e}", "a\nb<202E>"),
            ("a\t\u{301}", "a\t<0301>"),
        ] {
            assert_eq!(CopyText::clean(raw).as_str(), expected);
        }
    }

    #[test]
    fn an_endless_text_is_cut_at_a_character() {
        let long = "字".repeat(MAX_BYTES / 3 + 10);
        assert!(CopyText::clean(&long).as_str().len() <= MAX_BYTES);
    }
}
