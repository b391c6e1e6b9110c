//! Separates thinking between `<think>` tags at the beginning of an answer from the rest of the text.
//!
//! Invariant: no text is lost or repeated, however it is split.

const OPEN_TAG: &str = "<think>";
const CLOSE_TAG: &str = "</think>";
/// Whitespace allowed before the opening tag.
const MAX_BLANK: usize = 64;

/// The position relative to the tags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TagPosition {
    #[default]
    Before,
    Inside,
    After,
}

/// The parser.
#[derive(Debug, Default)]
pub(super) struct ThinkTagParser {
    position: TagPosition,
    /// Text that may be part of a tag.
    buffer: String,
}

/// Separated text; the thinking comes first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SeparatedText {
    pub thinking: String,
    pub saying: String,
}

impl ThinkTagParser {
    /// Takes the next piece.
    pub(super) fn push(&mut self, text: &str) -> SeparatedText {
        self.buffer.push_str(text);
        let mut out = SeparatedText::default();
        if self.position == TagPosition::Before && !self.find_open_tag() {
            return out;
        }
        if self.position == TagPosition::Inside {
            if let Some((thought, rest)) = self.buffer.split_once(CLOSE_TAG) {
                thought.clone_into(&mut out.thinking);
                self.buffer = rest.to_owned();
                self.position = TagPosition::After;
            } else {
                let end = self.buffer.len() - partial_tag_len(&self.buffer);
                out.thinking = self.buffer.drain(..end).collect();
            }
        }
        if self.position == TagPosition::After {
            out.saying = std::mem::take(&mut self.buffer);
        }
        out
    }

    /// True between the opening tag and the closing one.
    pub(super) fn is_open(&self) -> bool {
        self.position == TagPosition::Inside
    }

    /// At the end, the held back text is no tag.
    pub(super) fn finish(&mut self) -> SeparatedText {
        let buffer = std::mem::take(&mut self.buffer);
        match self.position {
            TagPosition::Inside => SeparatedText { thinking: buffer, saying: String::new() },
            TagPosition::Before | TagPosition::After => {
                SeparatedText { thinking: String::new(), saying: buffer }
            }
        }
    }

    /// Looks for the opening tag; false while it may still come.
    fn find_open_tag(&mut self) -> bool {
        let text = self.buffer.trim_start();
        if let Some(rest) = text.strip_prefix(OPEN_TAG) {
            self.buffer = rest.to_owned();
            self.position = TagPosition::Inside;
            return true;
        }
        if OPEN_TAG.starts_with(text) && self.buffer.len() <= MAX_BLANK {
            return false;
        }
        self.position = TagPosition::After;
        true
    }
}

/// How many bytes at the end may be the beginning of the closing tag.
fn partial_tag_len(text: &str) -> usize {
    let begins = |length: &usize| CLOSE_TAG.get(..*length).is_some_and(|tag| text.ends_with(tag));
    (1..CLOSE_TAG.len()).rev().find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(pieces: &[&str]) -> (String, String) {
        let mut inline = ThinkTagParser::default();
        let mut whole = SeparatedText::default();
        let mut add = |more: SeparatedText| {
            whole.thinking.push_str(&more.thinking);
            whole.saying.push_str(&more.saying);
        };
        for piece in pieces {
            add(inline.push(piece));
        }
        add(inline.finish());
        (whole.thinking, whole.saying)
    }

    #[test]
    fn thinking_between_tags_is_separated_however_it_is_split() {
        for (text, thinking, saying) in [
            ("<think>hm</think>yes", "hm", "yes"),
            ("\n <think>\nhm\n</think>\n\nyes", "\nhm\n", "\n\nyes"),
            ("yes", "", "yes"),
            ("yes <think>no</think>", "", "yes <think>no</think>"),
            ("<thinking>yes", "", "<thinking>yes"),
            ("<thi", "", "<thi"),
            ("<think>hm 字 </thin", "hm 字 </thin", ""),
            ("<think>a < b </x></think>c", "a < b </x>", "c"),
            ("<think></think>", "", ""),
            ("", "", ""),
        ] {
            let expected = (thinking.to_owned(), saying.to_owned());
            assert_eq!(out(&[text]), expected, "{text}");
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(out(&letters), expected, "{text}, letter by letter");
        }
    }

    #[test]
    fn too_much_leading_whitespace_is_not_held_back() {
        let mut inline = ThinkTagParser::default();
        assert_eq!(inline.push(&" ".repeat(MAX_BLANK)), SeparatedText::default());
        assert_eq!(inline.push(" ").saying.len(), MAX_BLANK + 1);
    }
}
