//! A very long text in parts, each of which is laid out by itself. Together they are the whole text.
//!
//! A part ends between paragraphs where it can, else between lines, else between words. Code that goes on in the next
//! part is opened there again.

/// The most bytes of a part.
const PART_BYTES: usize = 64 * 1024;
/// The longest opening line of code that is repeated whole.
const MAX_FENCE_BYTES: usize = 80;

/// Which part of a text a block has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPart {
    /// Counted from 0.
    pub number: usize,
    /// The text ends with it.
    pub is_last: bool,
    /// A blank line comes before it.
    pub after_blank: bool,
    /// The line that opened the code it begins in.
    pub fence: Option<String>,
}

/// An open block of code.
#[derive(Debug, Clone, Copy)]
struct Fence<'a> {
    line: &'a str,
    sign: char,
    length: usize,
}

/// Where a part ends, and how the next one begins.
struct Break<'a> {
    end: usize,
    after_blank: bool,
    fence: Option<Fence<'a>>,
}

/// Returns the whole text, or its parts if it has more than `limit` bytes.
pub(super) fn split(text: &str, limit: usize) -> Vec<(&str, Option<TextPart>)> {
    if text.len() <= limit {
        return vec![(text, None)];
    }
    let most = PART_BYTES.min(limit).max(1);
    let mut parts = Vec::new();
    let (mut rest, mut after_blank, mut fence) = (text, false, None::<Fence<'_>>);
    loop {
        let found = (rest.len() > most).then(|| first_break(rest, fence, most));
        let end = found.as_ref().map_or(rest.len(), |found| found.end);
        let Some((this, later)) = rest.split_at_checked(end) else { return parts };
        let part = TextPart {
            number: parts.len(),
            is_last: later.is_empty(),
            after_blank,
            fence: fence.map(Fence::again),
        };
        parts.push((this, Some(part)));
        let Some(found) = found.filter(|_| !later.is_empty()) else { return parts };
        (rest, after_blank, fence) = (later, found.after_blank, found.fence);
    }
}

/// The end of the first part of a text that is longer than a part.
fn first_break<'a>(text: &'a str, begun: Option<Fence<'a>>, most: usize) -> Break<'a> {
    let (mut at, mut fence, mut is_blank) = (0, begun, false);
    let mut paragraph = None;
    // What lies behind the part need not be looked at.
    let near = (most + 1..=text.len()).find_map(|end| text.get(..end));
    for line in near.unwrap_or(text).split_inclusive('\n') {
        // Text that is indented may belong to a list above.
        if is_blank && fence.is_none() && !line.starts_with(char::is_whitespace) {
            paragraph = Some(at);
        }
        if at + line.len() > most {
            break;
        }
        fence = match fence {
            Some(open) if open.is_closed_by(line) => None,
            Some(open) => Some(open),
            None => Fence::opened_by(line),
        };
        is_blank = line.trim().is_empty();
        at += line.len();
    }
    if let Some(end) = paragraph.filter(|end| *end >= most / 2) {
        return Break { end, after_blank: true, fence: None };
    }
    if at > 0 {
        return Break { end: at, after_blank: is_blank && fence.is_none(), fence };
    }
    Break { end: end_in_line(text, most), after_blank: false, fence }
}

/// The end of a part within a line, after a word if there is one.
fn end_in_line(text: &str, most: usize) -> usize {
    let longest = (1..=most).rev().find(|end| text.is_char_boundary(*end));
    let Some(longest) = longest else { return text.chars().next().map_or(0, char::len_utf8) };
    let words = text.get(..longest).and_then(|line| line.rfind(' '));
    words.map(|blank| blank + 1).filter(|end| *end >= most / 2).unwrap_or(longest)
}

impl<'a> Fence<'a> {
    /// The code that this line opens.
    fn opened_by(line: &'a str) -> Option<Self> {
        let line = unindented(line)?;
        let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let length = line.chars().take_while(|c| *c == sign).count();
        let info = line.get(length..).unwrap_or_default();
        let opens = length >= 3 && !(sign == '`' && info.contains('`'));
        opens.then_some(Self { line, sign, length })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let Some(line) = unindented(line) else { return false };
        line.len() >= self.length && line.chars().all(|c| c == self.sign)
    }

    /// The line that opens it once more.
    fn again(self) -> String {
        if self.line.len() <= MAX_FENCE_BYTES {
            return self.line.to_owned();
        }
        self.line.get(..self.length.min(MAX_FENCE_BYTES)).unwrap_or_default().to_owned()
    }
}

/// A line that is indented so little that it may be a fence, without its blanks.
fn unindented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= 3).then(|| text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(parts: &[(&str, Option<TextPart>)]) -> Vec<String> {
        parts.iter().map(|(text, _)| (*text).to_owned()).collect()
    }

    #[test]
    fn the_parts_are_the_whole_text_and_none_is_longer_than_it_may_be() {
        let code = format!("Look:\n\n```rust\n{}```\n\nDone.", "let x = 1;\n".repeat(40));
        for text in [
            "a paragraph\n\nand another\n\n".repeat(30),
            "one line\n".repeat(50),
            "words in a line ".repeat(50),
            "字".repeat(200),
            "x".repeat(500),
            "\n".repeat(300),
            code,
            "~~~~\n~~~\n".repeat(40),
        ] {
            for limit in [1, 2, 7, 64, 100] {
                let parts = split(&text, limit);
                assert_eq!(texts(&parts).concat(), text, "{limit}");
                assert!(parts.iter().all(|(part, _)| part.len() <= limit.max(3)), "{limit}");
                let numbers = parts.iter().map(|(_, part)| part.as_ref().map(|one| one.number));
                assert!(numbers.eq((0..parts.len()).map(Some)), "{limit}");
                let last =
                    parts.iter().filter(|(_, part)| part.as_ref().is_some_and(|p| p.is_last));
                assert_eq!(last.count(), 1);
            }
        }
    }

    #[test]
    fn a_text_that_is_short_enough_is_whole() {
        for text in ["", "short", "a\n\nb"] {
            assert_eq!(split(text, 10), [(text, None)]);
        }
    }

    #[test]
    fn a_part_ends_between_paragraphs_and_not_before_what_may_belong_to_a_list() {
        let parts = split("first words\n\nsecond words\n\nthird words\n", 30);
        assert_eq!(texts(&parts), ["first words\n\nsecond words\n\n", "third words\n"]);
        let blank: Vec<bool> = parts
            .iter()
            .map(|(_, part)| part.as_ref().is_some_and(|one| one.after_blank))
            .collect();
        assert_eq!(blank, [false, true]);
        let parts = split("some words\n\n- item one\n\n  more of it\n", 30);
        assert_eq!(texts(&parts), ["some words\n\n- item one\n\n", "  more of it\n"]);
        let parts = split("a longer text here\n\n- item\n\n  more\n", 30);
        assert_eq!(texts(&parts), ["a longer text here\n\n", "- item\n\n  more\n"]);
    }

    #[test]
    fn code_is_opened_again_in_the_next_part_until_it_is_closed() {
        let text = format!("```rust ok\n{}```\n{}", "let x;\n".repeat(9), "after it\n".repeat(6));
        let parts = split(&text, 40);
        let fences: Vec<Option<&str>> = parts
            .iter()
            .map(|(_, part)| part.as_ref().and_then(|one| one.fence.as_deref()))
            .collect();
        assert_eq!(fences.first(), Some(&None));
        assert_eq!(fences.get(1), Some(&Some("```rust ok")));
        assert_eq!(fences.last(), Some(&None));
        let long = format!("```{}\n{}", "x".repeat(200), "y\n".repeat(200));
        let parts = split(&long, 300);
        let second = parts.get(1).and_then(|(_, part)| part.as_ref()?.fence.as_deref());
        assert_eq!(second, Some("```"));
    }
}
