//! Differences as rows: line numbers, sign, and the text with its changed words marked.

use std::ops::Range;

use ratatui::style::Style;

use super::limited_rows::LimitedRows;
use super::strip::{CodeInk, Joint, Strip};
use crate::cx::UiSettings;
use crate::domain::reading::file_change::FileChangeKind;
use crate::domain::text::Text;
use crate::domain::text::diff::{DiffLine, Hunk, LineTag, changed_words};
use crate::highlight::{Language, MAX_BYTES};
use crate::text::{CodePart, SafeText, wrap};
use crate::theme::Role;

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

/// Below this width there is one column of line numbers.
const TWO_COLUMNS_WIDTH: usize = 60;

/// Lays out differences after an indentation.
#[derive(Debug, Clone, Copy)]
pub struct DiffRows<'a> {
    ui: &'a UiSettings,
    indent: usize,
    /// Cells of a row, with the indentation.
    width: usize,
    /// The language of its lines, if known.
    language: Option<Language>,
}

/// A row of a difference.
#[derive(Debug, Clone)]
pub struct DiffRow {
    pub strip: Strip,
    /// The number of its line in the new text; for a removed line, the number of the line after it.
    pub line: usize,
    /// The number of a removed line in the old text.
    pub removed: Option<usize>,
}

/// A piece of a line: its end, its style, and the line as a part of its code, if the piece has colours.
type LinePiece<'a> = (usize, Style, Option<&'a CodePart>);

/// The numbers of a line in the old and the new text.
#[derive(Debug, Clone, Copy, Default)]
struct LineNumbers {
    old: Option<usize>,
    new: Option<usize>,
}

/// The place in a hunk of a unified diff: the numbers of the next lines, and how many its heading still counts.
#[derive(Debug, Clone, Copy, Default)]
struct PatchPlace {
    next: [usize; 2],
    left: [usize; 2],
}

impl PatchPlace {
    /// The place below a heading such as `@@ -1,3 +1,20 @@`.
    fn of_heading(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let span = |span: &str| {
            let (first, count) = span.split_once(',').unwrap_or((span, "1"));
            Some((first.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
        };
        let ((old, old_left), (new, new_left)) = (span(old)?, span(new)?);
        Some(Self { next: [old, new], left: [old_left, new_left] })
    }

    /// The largest number of its lines, or more.
    fn last(self) -> usize {
        let ends = self.next.iter().zip(self.left).map(|(next, left)| next.saturating_add(left));
        ends.max().unwrap_or_default()
    }

    /// Goes on to the next line. Returns its numbers, if it is one that the heading counts.
    fn step(&mut self, line: &str) -> Option<(LineTag, LineNumbers)> {
        if let Some(begun) = Self::of_heading(line) {
            *self = begun;
            return None;
        }
        let before = std::mem::take(self);
        let tag = match line.chars().next() {
            Some(' ') | None => LineTag::Same,
            Some('-') => LineTag::Removed,
            Some('+') => LineTag::Added,
            Some('\\') => {
                *self = before;
                return None;
            }
            Some(_) => return None,
        };
        let [old, new] = [tag != LineTag::Added, tag != LineTag::Removed];
        let ([old_next, new_next], [old_left, new_left]) = (before.next, before.left);
        let left =
            [old_left.checked_sub(usize::from(old))?, new_left.checked_sub(usize::from(new))?];
        let numbers = LineNumbers { old: old.then_some(old_next), new: new.then_some(new_next) };
        let next =
            [old_next.saturating_add(usize::from(old)), new_next.saturating_add(usize::from(new))];
        *self = Self { next, left };
        Some((tag, numbers))
    }
}

/// The lines of a patch, to be laid out one by one.
#[derive(Debug, Clone, Default)]
pub struct PatchLines {
    lines: Vec<PatchLine>,
    /// Cells of a line number.
    digits: usize,
}

#[derive(Debug, Clone)]
struct PatchLine {
    text: String,
    /// What the heading of its hunk says of it.
    counted: Option<(LineTag, LineNumbers)>,
    /// Its place, for people and for models.
    place: String,
}

impl PatchLines {
    pub fn of(patch: &str) -> Self {
        let (mut place, mut file) = (PatchPlace::default(), None);
        let line = |(at, text): (usize, &str)| {
            let counted = place.step(text);
            if counted.is_none() {
                file = file_of_heading(text).or(file.take());
            }
            let place = place_of(file.as_deref(), counted, at);
            PatchLine { text: text.to_owned(), counted, place }
        };
        Self { lines: patch.lines().enumerate().map(line).collect(), digits: digits_of(patch) }
    }

    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The place of a line: `src/a.rs:7`; `src/a.rs:-7` for a removed line, which has its number in the old text;
    /// `diff:3` for the third line of the patch, if it is none of a file.
    pub fn place(&self, at: usize) -> Option<&str> {
        self.lines.get(at).map(|line| line.place.as_str())
    }
}

fn digits_of(patch: &str) -> usize {
    let last = patch.lines().filter_map(PatchPlace::of_heading).map(PatchPlace::last).max();
    last.unwrap_or_default().to_string().len()
}

/// The place of a line of a file, for people and for models; that of a removed line is in the old text.
pub fn line_place(file: &str, line: usize, removed: Option<usize>) -> String {
    match removed {
        Some(removed) => format!("{file}:-{removed}"),
        None => format!("{file}:{line}"),
    }
}

fn place_of(file: Option<&str>, counted: Option<(LineTag, LineNumbers)>, at: usize) -> String {
    match (file, counted.map(|(_, numbers)| (numbers.new, numbers.old))) {
        (Some(file), Some((Some(line), _))) => line_place(file, line, None),
        (Some(file), Some((None, Some(line)))) => line_place(file, line, Some(line)),
        _ => format!("diff:{}", at + 1),
    }
}

/// The file that this line of a patch begins, if it is such a line.
fn file_of_heading(line: &str) -> Option<String> {
    let headings = [
        ("+++ ", "b/"),
        ("--- ", "a/"),
        ("*** Update File: ", ""),
        ("*** Add File: ", ""),
        ("*** Delete File: ", ""),
    ];
    let mut found = headings.iter().filter_map(|(head, folder)| {
        let path = line.strip_prefix(head)?.split('\t').next().unwrap_or_default().trim();
        Some(path.strip_prefix(folder).unwrap_or(path))
    });
    let path = found.next().filter(|path| !path.is_empty() && *path != "/dev/null")?;
    Some(SafeText::line(path).into_string())
}

impl<'a> DiffRows<'a> {
    pub fn new(ui: &'a UiSettings, indent: usize, width: usize) -> Self {
        Self { ui, indent, width, language: None }
    }

    /// Colours the lines in the language of this file.
    #[must_use]
    pub fn of_file(self, path: &str) -> Self {
        Self { language: Language::of_file(path), ..self }
    }

    /// The rows of hunks, which are separated by a row.
    pub fn hunks(self, hunks: &[Hunk], limit: usize) -> LimitedRows<DiffRow> {
        let last = hunks.iter().map(|hunk| {
            let lines = hunk.old_len().max(hunk.new_len());
            hunk.old_at.max(hunk.new_at).saturating_add(lines)
        });
        let digits = last.max().unwrap_or_default().to_string().len();
        let mut rows = LimitedRows::new(limit);
        for (at, hunk) in hunks.iter().enumerate() {
            if at > 0 {
                let cut = self.ui.glyphs.cut;
                let strip = Strip::new().pad_to(self.indent).put(cut, self.ui.style(Role::TextDim));
                let line = hunk.new_at.saturating_add(1);
                rows.add_separator(DiffRow { strip, line, removed: None });
            }
            self.hunk(hunk, digits, &mut rows);
        }
        rows
    }

    /// The rows of a text whose lines begin with a sign, as in a patch; those of its hunks have numbers.
    pub fn patch(self, text: &str, limit: usize) -> LimitedRows<Strip> {
        let digits = digits_of(text);
        let mut rows = LimitedRows::new(limit);
        let mut place = PatchPlace::default();
        for line in text.lines() {
            let counted = place.step(line);
            rows.add_line(|| self.patch_line(line, counted, digits));
        }
        rows
    }

    /// The rows of one line of a patch.
    pub fn line_of(self, patch: &PatchLines, at: usize) -> Vec<Strip> {
        let rows = |line: &PatchLine| self.patch_line(&line.text, line.counted, patch.digits);
        patch.lines.get(at).map(rows).unwrap_or_default()
    }

    fn patch_line(
        self,
        line: &str,
        counted: Option<(LineTag, LineNumbers)>,
        digits: usize,
    ) -> Vec<Strip> {
        if let Some((tag, numbers)) = counted {
            let clean = SafeText::line(line.get(1..).unwrap_or_default());
            return self.line(tag, numbers, digits, (clean.as_str(), &[], None));
        }
        let role = match line.chars().next() {
            Some('+') => Role::DiffAdd,
            Some('-') => Role::DiffRemove,
            Some('*' | '@') => Role::TextDim,
            _ => Role::Code,
        };
        let clean = SafeText::line(line);
        let start = Strip::new().pad_to(self.indent);
        let pieces = [(clean.as_str().len(), self.ui.style(role), None)];
        self.wrapped(start, clean.as_str(), &pieces)
    }

    /// Lines with their numbers.
    pub fn numbered<'t>(
        self,
        lines: impl Iterator<Item = (usize, &'t str)> + Clone,
        limit: usize,
    ) -> LimitedRows<Strip> {
        let digits = lines.clone().map(|(number, _)| number).max().unwrap_or_default();
        let digits = digits.to_string().len();
        let dim = self.ui.style(Role::TextDim);
        let mut rows = LimitedRows::new(limit);
        // Each line has at least one row.
        rows.hide(lines.clone().skip(limit).count());
        let lines: Vec<(usize, SafeText)> =
            lines.take(limit).map(|(number, line)| (number, SafeText::line(line))).collect();
        let code = self.code_of(lines.iter().map(|(_, line)| line));
        let mut code = code.iter();
        for (number, line) in &lines {
            let code = code.next();
            rows.add_line(|| {
                let start =
                    Strip::new().pad_to(self.indent).put(&format!("{number:>digits$} "), dim);
                let pieces = [(line.as_str().len(), self.ui.style(Role::Code), code)];
                self.wrapped(start, line.as_str(), &pieces)
            });
        }
        rows
    }

    fn hunk(self, hunk: &Hunk, digits: usize, rows: &mut LimitedRows<DiffRow>) {
        if rows.room() == 0 {
            rows.hide(hunk.lines.len());
            return;
        }
        let texts: Vec<SafeText> =
            hunk.lines.iter().map(|line| SafeText::line(line.content())).collect();
        let marks = marks(&hunk.lines, &texts);
        let is_new = |line: &DiffLine| line.tag != LineTag::Removed;
        // Each line has at least one row.
        let shown = hunk.lines.iter().zip(&texts).take(rows.room());
        let new = shown.filter(|(line, _)| is_new(line)).map(|(_, text)| text);
        let mut code = self.code_of(new).into_iter();
        let (mut old, mut new) = (hunk.old_at, hunk.new_at);
        for ((line, text), marks) in hunk.lines.iter().zip(&texts).zip(marks) {
            let (is_old, is_new) = (line.tag != LineTag::Added, line.tag != LineTag::Removed);
            old = old.saturating_add(usize::from(is_old));
            new = new.saturating_add(usize::from(is_new));
            let numbers = LineNumbers { old: is_old.then_some(old), new: is_new.then_some(new) };
            let code = if is_new { code.next() } else { None };
            let number = if is_new { new } else { new.saturating_add(1) };
            let removed = (!is_new).then_some(old);
            rows.add_line(|| {
                let of_line = (text.as_str(), marks.as_slice(), code.as_ref());
                let strips = self.line(line.tag, numbers, digits, of_line);
                strips.into_iter().map(|strip| DiffRow { strip, line: number, removed }).collect()
            });
        }
    }

    fn line(
        self,
        tag: LineTag,
        numbers: LineNumbers,
        digits: usize,
        (text, marks, code): (&str, &[Range<usize>], Option<&CodePart>),
    ) -> Vec<Strip> {
        let (sign, role, marked, tint) = match tag {
            LineTag::Same => (' ', Role::Code, Role::Code, None),
            LineTag::Removed => {
                ('-', Role::DiffRemove, Role::DiffRemoveWord, Some(Role::DiffRemoveRow))
            }
            LineTag::Added => ('+', Role::DiffAdd, Role::DiffAddWord, Some(Role::DiffAddRow)),
        };
        let style = self.ui.style(role);
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
        let pieces = pieces(0..text.len(), marks).into_iter().map(|(range, is_marked)| {
            if is_marked {
                (range.end, self.ui.style(marked), None)
            } else {
                (range.end, style, code)
            }
        });
        let rows = self.wrapped(start, text, &pieces.collect::<Vec<_>>()).into_iter();
        // What has a background of its own keeps it.
        let tint = tint.map(|tint| self.ui.style(tint)).unwrap_or_default();
        rows.map(|row| row.over(tint)).collect()
    }

    /// Each of these lines, which follow one another, as a part of their code; none if it has no colours.
    fn code_of<'t>(self, lines: impl Iterator<Item = &'t SafeText>) -> Vec<CodePart> {
        if self.language.is_none() {
            return Vec::new();
        }
        let (mut text, line_end) = (SafeText::default(), SafeText::clean("\n"));
        let mut ranges = Vec::new();
        for line in lines {
            if !ranges.is_empty() {
                text.append(&line_end);
            }
            let start = text.as_str().len();
            text.append(line);
            if text.as_str().len() > MAX_BYTES {
                return Vec::new();
            }
            ranges.push(start..text.as_str().len());
        }
        let code = CodePart::whole(text, self.language, &self.ui.colours);
        ranges.into_iter().map(|range| code.part(range)).collect()
    }

    /// A line, given with its pieces, after its start; what does not fit goes on below, where the text began.
    fn wrapped(self, start: Strip, text: &str, pieces: &[LinePiece<'_>]) -> Vec<Strip> {
        let column = start.width();
        let rows = wrap(text, self.width.saturating_sub(column).max(1));
        let joints = Joint::of_rows(text, &rows, column).collect::<Vec<_>>();
        let starts = std::iter::once(start).chain(std::iter::repeat(Strip::new().pad_to(column)));
        let row = |(start, row): (Strip, Range<usize>)| {
            let mut at = row.start;
            pieces.iter().fold(start, |strip, (end, style, code)| {
                let range = at..(*end).min(row.end);
                let part = text.get(range.clone()).unwrap_or_default();
                at = (*end).max(at);
                match code {
                    _ if part.is_empty() => strip,
                    Some(code) => {
                        let ink = CodeInk::of_difference(&self.ui.theme);
                        strip.put_code(code.part(range), *style, ink)
                    }
                    None => strip.put(part, *style),
                }
            })
        };
        let strips = starts.zip(rows).map(row).zip(joints);
        strips.map(|(strip, joint)| strip.going_on(joint).after_margin(column)).collect()
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

/// Returns the changed words of each line: a removed line is compared with the added line that replaces it.
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

#[cfg(test)]
mod tests;
