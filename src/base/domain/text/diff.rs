//! The difference between two texts, by lines: computed, written as a unified diff, and read again. Pure.
//!
//! Lines keep their line ends. What is read may come from a file that anybody wrote: it is read as far as it
//! makes sense, and nothing is ever more than what stands there.

use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{ChangeTag, DiffOp, DiffableStr as _};

/// Lines shown on each side of a change.
pub const CONTEXT_LINES: usize = 3;
/// Beyond this many lines the old lines are shown completely before the new ones, because finding what is
/// common to them could take long.
const COMPARED_LINES: usize = 4_000;
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineTag {
    Same,
    Removed,
    Added,
}

/// A line with its line end, if it has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffLine {
    pub tag: LineTag,
    pub text: String,
}

impl DiffLine {
    pub fn new(tag: LineTag, text: impl Into<String>) -> Self {
        Self { tag, text: text.into() }
    }

    /// The text without its line end.
    pub fn content(&self) -> &str {
        let line = self.text.strip_suffix('\n').unwrap_or(&self.text);
        line.strip_suffix('\r').unwrap_or(line)
    }
}

/// Changes that lie close together, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// Lines before it in the old text, and in the new one.
    pub old_at: usize,
    pub new_at: usize,
    pub lines: Vec<DiffLine>,
}

impl Hunk {
    /// The number of its lines in the old text.
    pub fn old_len(&self) -> usize {
        self.lines.iter().filter(|line| line.tag != LineTag::Added).count()
    }

    /// The number of its lines in the new text.
    pub fn new_len(&self) -> usize {
        self.lines.iter().filter(|line| line.tag != LineTag::Removed).count()
    }

    /// Appends it to a unified diff.
    pub fn write(&self, text: &mut String) {
        let old = span(self.old_at, self.old_len());
        let new = span(self.new_at, self.new_len());
        // Writing to a String cannot fail.
        let _ = writeln!(text, "@@ -{old} +{new} @@");
        for line in &self.lines {
            write_line(text, line.tag, &line.text);
        }
    }

    /// Reads the hunks of a unified diff; other lines are ignored.
    pub fn read_all(text: &str) -> Vec<Self> {
        let mut hunks: Vec<Self> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some((old_at, new_at)) = heading(line) {
                hunks.push(Self { old_at, new_at, lines: Vec::new() });
            } else if let Some(hunk) = hunks.last_mut() {
                hunk.read(line);
            }
        }
        hunks
    }

    /// The lines that [`Self::read_all`] finds, each without its sign, at less cost.
    pub fn contents(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.lines().skip_while(|line| heading(line).is_none());
        lines.filter_map(|line| line.strip_prefix([' ', '-', '+']))
    }

    fn read(&mut self, line: &str) {
        if line.starts_with('\\') {
            if let Some(last) = self.lines.last_mut() {
                last.text.truncate(last.text.trim_end_matches('\n').len());
            }
            return;
        }
        let tag = match line.chars().next() {
            Some(' ') => LineTag::Same,
            Some('-') => LineTag::Removed,
            Some('+') => LineTag::Added,
            _ => return,
        };
        self.lines.push(DiffLine::new(tag, line.get(1..).unwrap_or_default()));
    }
}

/// First line and number of lines; where there are none, the line before.
fn span(start: usize, length: usize) -> String {
    let first = if length == 0 { start } else { start + 1 };
    format!("{first},{length}")
}

/// Appends a line to a unified diff.
pub fn write_line(text: &mut String, tag: LineTag, line: &str) {
    let sign = match tag {
        LineTag::Same => ' ',
        LineTag::Removed => '-',
        LineTag::Added => '+',
    };
    let _ = match line.strip_suffix('\n') {
        Some(line) => writeln!(text, "{sign}{line}"),
        None => writeln!(text, "{sign}{line}\n{NO_NEWLINE}"),
    };
}

/// The lines before a hunk in both texts, from its heading.
fn heading(line: &str) -> Option<(usize, usize)> {
    let mut parts = line.strip_prefix("@@ -")?.split_ascii_whitespace();
    let old = parts.next()?;
    let new = parts.next()?.strip_prefix('+')?;
    (parts.next()? == "@@").then_some(())?;
    Some((lines_before(old)?, lines_before(new)?))
}

fn lines_before(span: &str) -> Option<usize> {
    let (first, length) = span.split_once(',').unwrap_or((span, "1"));
    let first: usize = first.parse().ok()?;
    Some(if length == "0" { first } else { first.saturating_sub(1) })
}

/// What becomes of each line, with the lines of both texts in their order.
pub fn compare(old: &[&str], new: &[&str]) -> Vec<DiffLine> {
    if old.len() + new.len() > COMPARED_LINES {
        let removed = old.iter().map(|line| DiffLine::new(LineTag::Removed, *line));
        return removed
            .chain(new.iter().map(|line| DiffLine::new(LineTag::Added, *line)))
            .collect();
    }
    let changes = operations(old, new);
    let lines =
        changes.iter().flat_map(|operation| operation.iter_changes(old, new)).map(|change| {
            let tag = match change.tag() {
                ChangeTag::Equal => LineTag::Same,
                ChangeTag::Delete => LineTag::Removed,
                ChangeTag::Insert => LineTag::Added,
            };
            DiffLine::new(tag, change.value())
        });
    lines.collect()
}

/// The operations that turn the old parts into the new ones. Always Myers: choosing at run time would link every
/// algorithm into the binary.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut found, old, 0..old.len(), new, 0..new.len());
    found.into_inner().into_inner().into_ops()
}

/// Bytes of a line up to which words are compared.
const COMPARED_LINE_BYTES: usize = 1_000;

/// The parts of two lines that differ, word by word; `None` where so much differs that it says nothing.
pub fn changed_words(old: &str, new: &str) -> Option<[Vec<Range<usize>>; 2]> {
    if old.len().max(new.len()) > COMPARED_LINE_BYTES {
        return None;
    }
    let (old_words, new_words) = (old.tokenize_words(), new.tokenize_words());
    let changes = operations(&old_words, &new_words);
    let (mut ranges, mut ends, mut same) = ([Vec::new(), Vec::new()], [0, 0], 0);
    for change in changes.iter().flat_map(|one| one.iter_changes(&*old_words, &*new_words)) {
        let bytes = change.value().len();
        let sides: &[usize] = match change.tag() {
            ChangeTag::Equal => {
                same += change.value().trim().len();
                ends = ends.map(|end| end + bytes);
                continue;
            }
            ChangeTag::Delete => &[0],
            ChangeTag::Insert => &[1],
        };
        for side in sides {
            if let (Some(ranges), Some(end)) = (ranges.get_mut(*side), ends.get_mut(*side)) {
                add_range(ranges, *end..*end + bytes);
                *end += bytes;
            }
        }
    }
    let longer = old.trim().len().max(new.trim().len());
    (same * 3 >= longer).then_some(ranges)
}

fn add_range(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut().filter(|last| last.end == next.start) {
        Some(last) => last.end = next.end,
        None => ranges.push(next),
    }
}

/// The hunks that make the old text the new one.
pub fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let shorter = old.len().min(new.len());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let ends = old.iter().rev().zip(new.iter().rev()).take(shorter - start);
    let end = ends.take_while(|(old, new)| old == new).count();
    let before = start.saturating_sub(CONTEXT_LINES)..start;
    let old_middle = start..old.len() - end;
    let after = old_middle.end..(old_middle.end + CONTEXT_LINES).min(old.len());
    let mut lines = same(&old, before.clone());
    lines.extend(compare(part(&old, old_middle), part(&new, start..new.len() - end)));
    lines.extend(same(&old, after));
    grouped(before.start, before.start, lines)
}

fn part<'a, 'b>(all: &'a [&'b str], range: Range<usize>) -> &'a [&'b str] {
    all.get(range).unwrap_or_default()
}

fn same(all: &[&str], range: Range<usize>) -> Vec<DiffLine> {
    part(all, range).iter().map(|line| DiffLine::new(LineTag::Same, *line)).collect()
}

/// Consecutive lines as hunks: where many stay the same, only those near a change are kept.
pub fn grouped(old_at: usize, new_at: usize, lines: Vec<DiffLine>) -> Vec<Hunk> {
    let changed: Vec<bool> = lines.iter().map(|line| line.tag != LineTag::Same).collect();
    let is_near = |at: usize| {
        let near = at.saturating_sub(CONTEXT_LINES)..(at + CONTEXT_LINES + 1).min(changed.len());
        changed.get(near).is_some_and(|near| near.contains(&true))
    };
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut old, mut new, mut is_open) = (old_at, new_at, false);
    for (at, line) in lines.into_iter().enumerate() {
        let (is_old, is_new) = (line.tag != LineTag::Added, line.tag != LineTag::Removed);
        let was_open = std::mem::replace(&mut is_open, is_near(at));
        if is_open && !was_open {
            hunks.push(Hunk { old_at: old, new_at: new, lines: Vec::new() });
        }
        if let Some(hunk) = hunks.last_mut().filter(|_| is_open) {
            hunk.lines.push(line);
        }
        old += usize::from(is_old);
        new += usize::from(is_new);
    }
    hunks
}

/// The number of the first changed line of the new text; for removed lines, of the line after them.
pub fn first_changed_line(hunks: &[Hunk]) -> Option<usize> {
    let hunk = hunks.first()?;
    let same = hunk.lines.iter().take_while(|line| line.tag == LineTag::Same).count();
    Some(hunk.new_at.saturating_add(same).saturating_add(1))
}

#[cfg(test)]
pub mod test_support {
    use super::*;

    /// Applies hunks to a text.
    pub fn applied(old: &str, hunks: &[Hunk]) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut new, mut at) = (String::new(), 0);
        for hunk in hunks {
            new.push_str(&old[at..hunk.old_at].concat());
            at = hunk.old_at + hunk.old_len();
            let kept: Vec<&str> = hunk
                .lines
                .iter()
                .filter(|line| line.tag != LineTag::Added)
                .map(|line| line.text.as_str())
                .collect();
            assert_eq!(kept.concat(), old[hunk.old_at..at].concat(), "the old lines of a hunk");
            let lines = hunk.lines.iter().filter(|line| line.tag != LineTag::Removed);
            new.extend(lines.map(|line| line.text.as_str()));
        }
        new.push_str(&old[at..].concat());
        new
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::test_support::applied;
    use super::*;

    fn text_of(hunks: &[Hunk]) -> String {
        let mut text = String::new();
        for hunk in hunks {
            hunk.write(&mut text);
        }
        text
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let old = (1..=20).fold(String::new(), |text, n| format!("{text}{n}\n"));
        let new = old.replace("2\n3\n", "2\nx\n").replace("19\n20\n", "19\n20");
        assert_eq!(
            text_of(&hunks(&old, &new)),
            "@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+20\n\
             \\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_new_text_has_one_hunk_and_an_equal_one_has_none() {
        assert_eq!(text_of(&hunks("", "a\nb\n")), "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(text_of(&hunks("a\n", "")), "@@ -1,1 +0,0 @@\n-a\n");
        assert_eq!(hunks("a\nb", "a\nb"), []);
    }

    #[test]
    fn damaged_diffs_are_read_as_far_as_they_make_sense() {
        for (text, lines) in [
            ("", None),
            ("+a\n", None),
            ("@@ -1 +1 @@\n", Some(0)),
            ("@@ -1 +1 @@\n-a\n+b", Some(2)),
            ("@@ -99999999999999999999 +1 @@\n-a\n", None),
            ("@@ -1 +1 @@\n\\ No newline at end of file\n?\n+b\n", Some(1)),
        ] {
            let hunks = Hunk::read_all(text);
            assert_eq!(hunks.first().map(|hunk| hunk.lines.len()), lines, "{text:?}");
        }
    }

    #[test]
    fn the_words_that_differ_are_found_unless_most_of_them_do() {
        for (old, new, expected) in [
            ("let a = 1;", "let b = 1;", Some([Some("a"), Some("b")])),
            ("one two", "one", Some([Some(" two"), None])),
            ("短 文", "短 字", Some([Some("文"), Some("字")])),
            ("abc", "xyz and more", None),
            ("", "", Some([None, None])),
        ] {
            let found = changed_words(old, new).map(|[removed, added]| {
                let part = |text: &'static str, ranges: Vec<Range<usize>>| {
                    ranges.first().map(|range| &text[range.clone()])
                };
                [part(old, removed), part(new, added)]
            });
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn much_text_is_shown_without_being_compared() {
        let (old, new) = ("x\ny\n".repeat(5_000), "z\nx\n".repeat(5_000));
        let hunks = hunks(&old, &new);
        assert_eq!((hunks.len(), applied(&old, &hunks) == new), (1, true));
    }

    proptest! {
        #[test]
        fn hunks_make_the_new_text_also_when_written_and_read(
            old in "([ab]{0,2}\n){0,30}[ab]?",
            new in "([ab]{0,2}\n){0,30}[ab]?",
        ) {
            let hunks = hunks(&old, &new);
            prop_assert_eq!(&applied(&old, &hunks), &new);
            prop_assert_eq!(&Hunk::read_all(&text_of(&hunks)), &hunks);
        }
    }
}
