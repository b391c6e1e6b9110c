//! Differences as rows: line numbers, sign, and the text with its changed words marked.

use std::ops::Range;

use ratatui::style::Style;

use super::strip::Strip;
use crate::domain::diff::{DiffLine, Hunk, LineTag, changed_words};
use crate::domain::file_change::FileChangeKind;
use crate::domain::text::Text;
use crate::ui::cx::UiSettings;
use crate::ui::text::{SafeText, wrap};
use crate::ui::theme::Role;

const CREATED: Text = Text::new("new", "新建");
const REPLACED: Text = Text::new("replaced", "已替换");
const REMOVED: Text = Text::new("removed", "已删除");

/// `+3 −1`
pub fn change_counts(added: usize, removed: usize, ui: &UiSettings) -> Strip {
    Strip::new()
        .put(&format!("+{added}"), ui.style(Role::DiffAdd))
        .put(&format!(" -{removed}"), ui.style(Role::DiffRemove))
}

/// The path of a changed file, with what happened to it where that is more than a change.
pub fn change_heading(
    kind: FileChangeKind,
    path: &str,
    from: Option<&str>,
    ui: &UiSettings,
) -> Strip {
    let dim = ui.style(Role::TextDim);
    let mut heading = Strip::new();
    if let Some(from) = from {
        heading = heading.put(from, dim).put(&format!(" {} ", ui.glyphs.asks), dim);
    }
    let heading = heading.put(path, ui.style(Role::TextStrong));
    let word = match kind {
        FileChangeKind::Created => CREATED,
        FileChangeKind::Replaced => REPLACED,
        FileChangeKind::Removed => REMOVED,
        FileChangeKind::Changed | FileChangeKind::Moved => return heading,
    };
    heading.put(" ", dim).put(ui.text(word), dim)
}

/// In less width there is one column of line numbers.
const TWO_COLUMNS_WIDTH: usize = 60;

/// Lays out differences after an indentation.
#[derive(Debug, Clone, Copy)]
pub struct DiffRows<'a> {
    ui: &'a UiSettings,
    indent: usize,
    /// Cells of a row, with the indentation.
    width: usize,
}

/// A row of a difference.
#[derive(Debug, Clone)]
pub struct DiffRow {
    pub strip: Strip,
    /// The number of its line in the new text; of a removed one, that of the line behind it.
    pub line: usize,
}

/// The numbers of a line in the old and the new text.
#[derive(Debug, Clone, Copy, Default)]
struct LineNumbers {
    old: Option<usize>,
    new: Option<usize>,
}

impl<'a> DiffRows<'a> {
    pub fn new(ui: &'a UiSettings, indent: usize, width: usize) -> Self {
        Self { ui, indent, width }
    }

    /// The rows of hunks, at most `limit` and those of the line that reaches it; hunks are separated by a row.
    pub fn hunks(self, hunks: &[Hunk], limit: usize) -> Vec<DiffRow> {
        let last = hunks.iter().map(|hunk| {
            let lines = hunk.old_len().max(hunk.new_len());
            hunk.old_at.max(hunk.new_at).saturating_add(lines)
        });
        let digits = last.max().unwrap_or_default().to_string().len();
        let mut rows = Vec::new();
        for (at, hunk) in hunks.iter().enumerate() {
            if at > 0 {
                let cut = self.ui.glyphs.cut;
                let strip = Strip::new().pad_to(self.indent).put(cut, self.ui.style(Role::TextDim));
                rows.push(DiffRow { strip, line: hunk.new_at.saturating_add(1) });
            }
            self.hunk(hunk, digits, limit, &mut rows);
            if rows.len() >= limit {
                break;
            }
        }
        rows
    }

    /// The rows of a text whose lines begin with a sign, as in a patch.
    pub fn patch(self, text: &str, limit: usize) -> Vec<Strip> {
        let mut rows = Vec::new();
        for line in text.lines().take(limit) {
            let role = match line.chars().next() {
                Some('+') => Role::DiffAdd,
                Some('-') => Role::DiffRemove,
                Some('*' | '@') => Role::TextDim,
                _ => Role::Code,
            };
            let clean = SafeText::line(line);
            let style = self.ui.style(role);
            rows.extend(self.wrapped(
                Strip::new().pad_to(self.indent),
                clean.as_str(),
                style,
                &[],
                style,
            ));
        }
        rows
    }

    /// Lines with their numbers, from `first`.
    pub fn numbered<'t>(
        self,
        lines: impl Iterator<Item = (usize, &'t str)> + Clone,
        limit: usize,
    ) -> Vec<Strip> {
        let digits = lines.clone().map(|(number, _)| number).max().unwrap_or_default();
        let digits = digits.to_string().len();
        let (dim, code) = (self.ui.style(Role::TextDim), self.ui.style(Role::Code));
        let mut rows = Vec::new();
        for (number, line) in lines {
            let start = Strip::new().pad_to(self.indent).put(&format!("{number:>digits$} "), dim);
            rows.extend(self.wrapped(start, SafeText::line(line).as_str(), code, &[], code));
            if rows.len() >= limit {
                break;
            }
        }
        rows
    }

    fn hunk(self, hunk: &Hunk, digits: usize, limit: usize, rows: &mut Vec<DiffRow>) {
        let texts: Vec<SafeText> =
            hunk.lines.iter().map(|line| SafeText::line(line.content())).collect();
        let marks = marks(&hunk.lines, &texts);
        let (mut old, mut new) = (hunk.old_at, hunk.new_at);
        for ((line, text), marks) in hunk.lines.iter().zip(&texts).zip(marks) {
            let (is_old, is_new) = (line.tag != LineTag::Added, line.tag != LineTag::Removed);
            old = old.saturating_add(usize::from(is_old));
            new = new.saturating_add(usize::from(is_new));
            let numbers = LineNumbers { old: is_old.then_some(old), new: is_new.then_some(new) };
            let strips = self.line(line.tag, numbers, digits, (text.as_str(), &marks));
            let number = if is_new { new } else { new.saturating_add(1) };
            rows.extend(strips.into_iter().map(|strip| DiffRow { strip, line: number }));
            if rows.len() >= limit {
                return;
            }
        }
    }

    fn line(
        self,
        tag: LineTag,
        numbers: LineNumbers,
        digits: usize,
        (text, marks): (&str, &[Range<usize>]),
    ) -> Vec<Strip> {
        let (sign, role, marked) = match tag {
            LineTag::Same => (' ', Role::Code, Role::Code),
            LineTag::Removed => ('-', Role::DiffRemove, Role::DiffRemoveWord),
            LineTag::Added => ('+', Role::DiffAdd, Role::DiffAddWord),
        };
        let (style, marked) = (self.ui.style(role), self.ui.style(marked));
        let number = |number: Option<usize>| match number {
            Some(number) => format!("{number:>digits$} "),
            None => " ".repeat(digits + 1),
        };
        let gutter = if self.width < TWO_COLUMNS_WIDTH {
            number(numbers.new.or(numbers.old))
        } else {
            number(numbers.old) + &number(numbers.new)
        };
        let start = Strip::new()
            .pad_to(self.indent)
            .put(&gutter, self.ui.style(Role::TextDim))
            .put(&format!("{sign} "), style);
        self.wrapped(start, text, style, marks, marked)
    }

    /// A line after its start; what does not fit goes on below, where the text began.
    fn wrapped(
        self,
        start: Strip,
        text: &str,
        style: Style,
        marks: &[Range<usize>],
        marked: Style,
    ) -> Vec<Strip> {
        let column = start.width();
        let rows = wrap(text, self.width.saturating_sub(column).max(1));
        let starts = std::iter::once(start).chain(std::iter::repeat(Strip::new().pad_to(column)));
        let row = |(start, row): (Strip, Range<usize>)| {
            pieces(row, marks).into_iter().fold(start, |strip, (range, is_marked)| {
                let part = text.get(range).unwrap_or_default();
                strip.put(part, if is_marked { marked } else { style })
            })
        };
        starts.zip(rows).map(row).collect()
    }
}

/// A range as pieces inside and outside of the marks.
fn pieces(row: Range<usize>, marks: &[Range<usize>]) -> Vec<(Range<usize>, bool)> {
    let (mut pieces, mut at) = (Vec::new(), row.start);
    for mark in marks {
        let (start, end) = (mark.start.clamp(at, row.end), mark.end.clamp(at, row.end));
        if start < end {
            pieces.push((at..start, false));
            pieces.push((start..end, true));
            at = end;
        }
    }
    pieces.push((at..row.end, false));
    pieces.retain(|(range, _)| !range.is_empty());
    pieces
}

/// The changed words of each line: a removed line is compared with the added one that takes its place.
fn marks(lines: &[DiffLine], texts: &[SafeText]) -> Vec<Vec<Range<usize>>> {
    let mut marks = vec![Vec::new(); lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let removed = run(lines, at, LineTag::Removed);
        let added = run(lines, at + removed, LineTag::Added);
        for pair in 0..removed.min(added) {
            let (old, new) = (at + pair, at + removed + pair);
            let (Some(old_text), Some(new_text)) = (texts.get(old), texts.get(new)) else {
                continue;
            };
            let Some([old_marks, new_marks]) = changed_words(old_text.as_str(), new_text.as_str())
            else {
                continue;
            };
            for (line, found) in [(old, old_marks), (new, new_marks)] {
                if let Some(marks) = marks.get_mut(line) {
                    *marks = found;
                }
            }
        }
        at += (removed + added).max(1);
    }
    marks
}

/// How many lines in a row have this tag.
fn run(lines: &[DiffLine], from: usize, tag: LineTag) -> usize {
    lines.iter().skip(from).take_while(|line| line.tag == tag).count()
}
