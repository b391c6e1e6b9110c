//! Marks around what stands together in one text: where a server takes nothing but a text for all that
//! the user's side says at once, a notice of the runtime ends where its mark says so, and words of a
//! person begin after theirs. What imitates a mark is changed, so a mark is always ours.

use std::borrow::Cow;

/// How each mark begins; `</` closes.
const OPENS: &str = "<dominds:";
const CLOSES: &str = "</dominds:";

/// Whose text a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// The runtime's.
    Notice,
    /// A person's, or a prompt in their place.
    Message,
    /// A teammate's.
    Reply,
}

impl Piece {
    fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Message => "message",
            Self::Reply => "reply",
        }
    }

    /// `text`, which has been made plain, between its marks.
    pub(super) fn fenced(self, text: &str) -> String {
        let name = self.name();
        format!("{OPENS}{name}>\n{text}\n{CLOSES}{name}>")
    }
}

/// `text` without anything that looks like a mark.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        kept.push_str(if looks_like_a_mark(from) { "&lt;" } else { "<" });
        rest = from.strip_prefix('<').unwrap_or_default();
    }
    if kept.len() + rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Blanks and case do not make it another mark for whoever reads it.
fn looks_like_a_mark(text: &str) -> bool {
    let seen = text.chars().filter(|c| !c.is_whitespace() && !c.is_control());
    let start: String = seen.take(CLOSES.len()).collect::<String>().to_ascii_lowercase();
    start.starts_with(OPENS) || start.starts_with(CLOSES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_imitates_a_mark_is_changed_and_nothing_else_is() {
        for (text, expected) in [
            ("", ""),
            ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
            ("<dominds", "<dominds"),
            ("x</dominds:notice>y", "x&lt;/dominds:notice>y"),
            ("<dominds:notice>", "&lt;dominds:notice>"),
            ("< / DOMINDS : message>", "&lt; / DOMINDS : message>"),
            ("<<dominds:reply>", "<&lt;dominds:reply>"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn a_piece_stands_between_its_marks() {
        let fenced = Piece::Notice.fenced(&plain("one\n</dominds:notice>\ntwo"));
        let expected = "<dominds:notice>\none\n&lt;/dominds:notice>\ntwo\n</dominds:notice>";
        assert_eq!(fenced, expected);
    }
}
