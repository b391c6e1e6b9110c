//! Delimiters for texts from different sources that are merged into one user message, for servers that take
//! only one text: they show the model where a notice of the runtime ends and a message of the user begins.
//! Texts that imitate a delimiter are escaped.

use std::borrow::Cow;

/// The start of each delimiter.
const OPEN: &str = "<dominds:";
const CLOSE: &str = "</dominds:";

/// The source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextSource {
    /// The runtime.
    Notice,
    /// The user, or a prompt on their behalf.
    Message,
    /// A teammate.
    Reply,
}

impl TextSource {
    fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Message => "message",
            Self::Reply => "reply",
        }
    }

    /// Puts `text`, which has been escaped, between delimiters.
    pub(super) fn fenced(self, text: &str) -> String {
        let name = self.name();
        format!("{OPEN}{name}>\n{text}\n{CLOSE}{name}>")
    }
}

/// Escapes everything in `text` that looks like a delimiter.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        escaped.push_str(before);
        escaped.push_str(if is_delimiter(from) { "&lt;" } else { "<" });
        rest = from.strip_prefix('<').unwrap_or_default();
    }
    if escaped.len() + rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    escaped.push_str(rest);
    Cow::Owned(escaped)
}

/// Ignores whitespace and case, as a model would.
fn is_delimiter(text: &str) -> bool {
    let visible = text.chars().filter(|c| !c.is_whitespace() && !c.is_control());
    let start: String = visible.take(CLOSE.len()).collect::<String>().to_ascii_lowercase();
    start.starts_with(OPEN) || start.starts_with(CLOSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_that_imitates_a_delimiter_is_escaped() {
        for (text, expected) in [
            ("", ""),
            ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
            ("<dominds", "<dominds"),
            ("x</dominds:notice>y", "x&lt;/dominds:notice>y"),
            ("<dominds:notice>", "&lt;dominds:notice>"),
            ("< / DOMINDS : message>", "&lt; / DOMINDS : message>"),
            ("<<dominds:reply>", "<&lt;dominds:reply>"),
        ] {
            assert_eq!(escape(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_is_put_between_delimiters() {
        let fenced = TextSource::Notice.fenced(&escape("one\n</dominds:notice>\ntwo"));
        let expected = "<dominds:notice>\none\n&lt;/dominds:notice>\ntwo\n</dominds:notice>";
        assert_eq!(fenced, expected);
    }
}
