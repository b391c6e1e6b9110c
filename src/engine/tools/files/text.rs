//! Rules about text that is about to become a file. Pure.

/// The text as it will be stored: not empty text always ends in a line end. Tells whether one
/// was added.
pub(in crate::tools) fn with_final_newline(content: &str) -> (String, bool) {
    let add = !content.is_empty() && !content.ends_with('\n');
    let end = if add { "\n" } else { "" };
    (format!("{content}{end}"), add)
}

/// Whether text that should be a whole file looks like a description of changes to one.
pub(super) fn looks_like_diff(content: &str) -> bool {
    let mut lines =
        content.lines().map(str::trim_end).skip_while(|line| line.is_empty()).peekable();
    if lines.peek().is_some_and(|line| line.starts_with("*** Begin Patch")) {
        return true;
    }
    let mut old_seen = false;
    let mut new_seen = false;
    for line in lines {
        if line.starts_with("diff --git a/") {
            return true;
        }
        if new_seen && line.starts_with("@@ ") {
            return true;
        }
        new_seen = old_seen && line.starts_with("+++ ");
        old_seen = line.starts_with("--- ");
    }
    false
}

/// A fence no line of the text can close.
pub(in crate::tools) fn fence(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Shortens a text to at most `limit_chars` characters, with an ellipsis; control characters are made visible.
pub(in crate::tools) fn short(text: &str, limit_chars: usize) -> String {
    let mut shown = String::new();
    for (at, char) in text.chars().enumerate() {
        if at == limit_chars {
            shown.push('…');
            break;
        }
        if char.is_control() {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_are_distinguished_from_files() {
        for (content, expected) in [
            ("", false),
            ("fn main() {}\n", false),
            ("--- a heading\ntext\n", false),
            ("---\ntitle: x\n---\n", false),
            ("- list\n+ list\n", false),
            ("# about diff --git a/x\n", false),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", true),
            ("intro\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n", true),
            ("diff --git a/x b/x\nindex 1..2\n", true),
            ("\n*** Begin Patch\n*** Update File: x\n", true),
        ] {
            assert_eq!(looks_like_diff(content), expected, "{content:?}");
        }
    }

    #[test]
    fn stored_text_ends_in_one_line_end() {
        for (content, stored, added) in
            [("", "", false), ("a", "a\n", true), ("a\n", "a\n", false), ("a\r\n", "a\r\n", false)]
        {
            assert_eq!(with_final_newline(content), (stored.to_owned(), added));
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_run_in_the_text() {
        for (text, length) in [("", 3), ("a ` b", 3), ("```rust", 4), ("x `````", 6)] {
            assert_eq!(fence(text), "`".repeat(length), "{text}");
        }
    }

    #[test]
    fn shortened_names_are_visible() {
        assert_eq!(short("a\nb", 9), "a\\nb");
        assert_eq!(short("漢字漢字", 2), "漢字…");
        assert_eq!(short("ab", 2), "ab");
    }
}
