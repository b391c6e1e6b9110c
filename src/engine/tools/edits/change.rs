//! A change of a text: some whole lines are replaced by others. Pure.
//!
//! Line ends are kept: new lines take those of their surroundings, and no line outside the change is touched.
//! Only a last line without a line end gets one, if lines are inserted after it.

use std::ops::Range;

use super::lines::lines;

/// Lines kept on each side of a change, to find it again.
const CONTEXT_LINES: usize = 3;

/// Lines in place of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools) struct LineChange {
    /// The number of lines before it.
    pub at: usize,
    pub old: Vec<String>,
    pub new: Vec<String>,
    /// The lines just before and after it.
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub normalized: Normalized,
}

/// The fixes of line ends in the given text and around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::tools) struct Normalized {
    /// The new text did not end in a line end.
    pub content_end_added: bool,
    /// The last line of the file had no line end, and got one because text follows it now.
    pub file_end_added: bool,
    /// The new text had `\n` where the file has `\r\n`.
    pub content_to_crlf: bool,
}

impl LineChange {
    /// Puts `content` in place of the lines of `range`, which must lie within `all`.
    pub(in crate::tools) fn new(all: &[&str], range: Range<usize>, content: &str) -> Self {
        let mut normalized = Normalized::default();
        let crlf = crlf_near(all, range.start);
        let (mut new, mut at) = (fitted(content, crlf, &mut normalized), range.start);
        let last = all.last().filter(|last| range.start == all.len() && !last.ends_with('\n'));
        if let (Some(last), false) = (last, new.is_empty()) {
            normalized.file_end_added = true;
            at -= 1;
            new.insert(0, format!("{last}{}", line_end(crlf)));
        }
        let old = owned(all.get(at..range.end).unwrap_or_default());
        let (before, after) = around(all, at..range.end);
        Self { at, old, new, before, after, normalized }
    }

    /// Returns the same change at `at`, where its lines have moved to.
    pub(in crate::tools) fn moved(&self, all: &[&str], at: usize) -> Self {
        let (before, after) = around(all, at..at + self.old.len());
        Self { at, before, after, ..self.clone() }
    }

    /// The text with this change made.
    pub(in crate::tools) fn made(&self, all: &[&str]) -> String {
        let mut text: String = all.iter().take(self.at).copied().collect();
        text.extend(self.new.iter().map(String::as_str));
        text.extend(all.iter().skip(self.at + self.old.len()).copied());
        text
    }

    /// True if the change is not empty.
    pub(in crate::tools) fn changes_something(&self) -> bool {
        self.old != self.new
    }

    /// Returns its approximate size in memory, in bytes.
    pub(in crate::tools) fn bytes(&self) -> usize {
        let all = [&self.old, &self.new, &self.before, &self.after];
        all.into_iter().flatten().map(|line| line.len() + size_of::<String>()).sum()
    }
}

/// The text as lines that all end, in the way of the file.
fn fitted(content: &str, crlf: bool, normalized: &mut Normalized) -> Vec<String> {
    normalized.content_end_added = !content.is_empty() && !content.ends_with('\n');
    let fit = |line: &str| match line.strip_suffix('\n') {
        Some(text) if crlf && !text.ends_with('\r') => (format!("{text}\r\n"), true),
        Some(_) => (line.to_owned(), false),
        None => (format!("{line}{}", line_end(crlf)), false),
    };
    let fitted: Vec<(String, bool)> = lines(content).into_iter().map(fit).collect();
    normalized.content_to_crlf = fitted.iter().any(|(_, changed)| *changed);
    fitted.into_iter().map(|(line, _)| line).collect()
}

fn around(all: &[&str], range: Range<usize>) -> (Vec<String>, Vec<String>) {
    let from = range.start.saturating_sub(CONTEXT_LINES);
    let to = range.end.saturating_add(CONTEXT_LINES).min(all.len());
    let side = |range| owned(all.get(range).unwrap_or_default());
    (side(from..range.start), side(range.end..to))
}

/// Whether lines end in `\r\n` around this place: the line there decides, else the one before.
fn crlf_near(all: &[&str], at: usize) -> bool {
    let near = [Some(at), at.checked_sub(1), at.checked_sub(2)];
    let mut ended =
        near.into_iter().flatten().filter_map(|at| all.get(at)).filter(|line| line.ends_with('\n'));
    ended.next().is_some_and(|line| line.ends_with("\r\n"))
}

fn line_end(crlf: bool) -> &'static str {
    if crlf { "\r\n" } else { "\n" }
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_change_keeps_line_ends_and_touches_nothing_else() {
        let flags = |content_end_added, file_end_added, content_to_crlf| Normalized {
            content_end_added,
            file_end_added,
            content_to_crlf,
        };
        for (text, range, content, result, normalized) in [
            ("a\nb\nc\n", 1..2, "B\n", "a\nB\nc\n", flags(false, false, false)),
            ("a\nb\nc\n", 1..2, "B", "a\nB\nc\n", flags(true, false, false)),
            ("a\nb\nc\n", 1..1, "x\ny", "a\nx\ny\nb\nc\n", flags(true, false, false)),
            ("a\nb\nc\n", 0..2, "", "c\n", flags(false, false, false)),
            ("a\nb\nc", 0..1, "A", "A\nb\nc", flags(true, false, false)),
            ("a\nb\nc", 2..3, "C", "a\nb\nC\n", flags(true, false, false)),
            ("a\nb\nc", 2..3, "", "a\nb\n", flags(false, false, false)),
            ("a\nb", 2..2, "c", "a\nb\nc\n", flags(true, true, false)),
            ("a\nb", 2..2, "", "a\nb", flags(false, false, false)),
            ("", 0..0, "x", "x\n", flags(true, false, false)),
            ("a\r\nb\r\n", 1..2, "B\nC", "a\r\nB\r\nC\r\n", flags(true, false, true)),
            ("a\r\nb\r\n", 1..2, "B\r\n", "a\r\nB\r\n", flags(false, false, false)),
            ("a\r\nb", 2..2, "c\n", "a\r\nb\r\nc\r\n", flags(false, true, true)),
            ("a\r\nb\nc\n", 2..3, "C\n", "a\r\nb\nC\n", flags(false, false, false)),
            ("a\nb\n", 0..1, "A\r\n", "A\r\nb\n", flags(false, false, false)),
        ] {
            let all = lines(text);
            let change = LineChange::new(&all, range.clone(), content);
            assert_eq!(change.made(&all), result, "{text:?} {range:?} {content:?}");
            assert_eq!(change.normalized, normalized, "{text:?} {range:?} {content:?}");
        }
    }

    proptest! {
        #[test]
        fn outside_the_range_every_byte_stays(
            text in "[ab\n\r]{0,40}", content in "[xy\n]{0,12}", from in 0..9_usize, length in 0..9_usize,
        ) {
            let all = lines(&text);
            let from = from.min(all.len());
            let to = (from + length).min(all.len());
            let change = LineChange::new(&all, from..to, &content);
            let made = change.made(&all);
            let head: String = all[..from].concat();
            prop_assert!(made.starts_with(&head));
            prop_assert!(made.ends_with(&all[to..].concat()));
            if content.is_empty() {
                prop_assert_eq!(made, format!("{head}{}", all[to..].concat()));
            }
        }
    }
}
