//! The parts of a question: all of them as asked, and the form for answering them one by one.

#[cfg(test)]
mod tests;

use super::composer::{self, hint};
use super::diff::{DiffRows, PatchLines};
use super::strip::Strip;
use super::transcript::prose::{Prose, plain_rows};
use crate::action::Action;
use crate::cx::UiSettings;
use crate::domain::asking::inquiry::approval::Approval;
use crate::domain::asking::inquiry::{AnswerOption, Inquiry, Part};
use crate::domain::asking::question::headline;
use crate::domain::reading::title::without_marks;
use crate::domain::safety::padding::without_padding;
use crate::domain::text::Text;
use crate::model::{DraftKey, Drafts};
use crate::protocol::InboxRow;
use crate::text::width::{shorten, width};
use crate::theme::Role;
use crate::words::MORE_LINES;

const RECOMMENDED: Text = Text::new("recommended", "推荐");
const ASKS_APPROVAL: Text = Text::new("asks for approval", "请求批准");
const SHOW_ALL: Text = Text::new("show all", "显示全部");
/// Rows of a change in the form.
const MAX_CHANGE_ROWS: usize = 12;
const ASKS: Text = Text::new("asks", "提问");
const ANSWERED: Text = Text::new("{} answered", "已答复 {}");
const NOW: Text = Text::new("answered:", "已答复：");

/// Cells before the number of a part, and before its text.
const NUMBER_INDENT: usize = 2;
const TEXT_INDENT: usize = 4;
/// Cells before an option: below the text of its part.
const OPTION_INDENT: usize = 4;
/// An answer takes at most 1/`ANSWER_SHARE` of its row.
const ANSWER_SHARE: usize = 2;
/// Below this width in cells, pros and cons of an option go on their own rows.
const MIN_ROW_CELLS: usize = 40;

/// The content of the form.
#[derive(Debug, Clone, Copy)]
pub struct AnswerForm<'a> {
    pub row: &'a InboxRow,
    /// The part that is answered.
    pub part: &'a Part,
    /// The typed answer.
    pub typed: &'a str,
    pub drafts: &'a Drafts,
}

/// The rows of a form.
#[derive(Debug, Default)]
pub struct FormRows {
    pub rows: Vec<Strip>,
    /// True if the rows show everything that is to be approved.
    pub is_whole: bool,
}

impl AnswerForm<'_> {
    /// Returns its rows for this width, at most `height`: all parts, else the current one, else the part of
    /// it that is needed to answer it.
    #[must_use]
    pub fn rows(&self, cells: usize, height: usize, ui: &UiSettings) -> FormRows {
        let approval = self.row.inquiry.as_ref().and_then(|inquiry| inquiry.approval.as_ref());
        match approval {
            Some(approval) => self.approval(approval, cells, height, ui),
            None => FormRows { rows: self.parts(cells, height, ui), is_whole: false },
        }
    }

    fn parts(&self, cells: usize, height: usize, ui: &UiSettings) -> Vec<Strip> {
        let Some(parts) = self.row.several_parts() else { return Vec::new() };
        let current = |number| self.current(number, cells, ui);
        let mut all = vec![self.head(None, cells, ui)];
        for (number, part) in (1..).zip(parts) {
            if part.id == self.part.id {
                all.extend(current(number));
            } else {
                all.push(self.other(number, part, cells, ui));
            }
        }
        if all.len() <= height {
            return all;
        }
        let at = parts.iter().position(|part| part.id == self.part.id).unwrap_or(0);
        let mut alone = vec![self.head(Some((at + 1, parts.len())), cells, ui)];
        alone.extend(current(at + 1));
        if alone.len() <= height {
            return alone;
        }
        let mut short = vec![self.headline(at + 1, cells, ui)];
        short.extend(self.options(cells, ui).into_iter().map(|rows| one_row(rows, cells, ui)));
        if short.len() > height {
            short.truncate(height.saturating_sub(1));
            let more = format!("{}{}", " ".repeat(OPTION_INDENT), ui.glyphs.cut);
            short.push(Strip::new().put(&more, ui.style(Role::TextDim)));
        }
        short.truncate(height);
        short
    }

    /// Returns the rows of a decision: who wants to make it, its text, its options and the change. If there
    /// is no room for all, the options precede the rest of the text and the change.
    fn approval(
        &self,
        approval: &Approval,
        cells: usize,
        height: usize,
        ui: &UiSettings,
    ) -> FormRows {
        let dim = ui.style(Role::TextDim);
        let head = approval_head(self.row, approval, ui).shortened(cells, ui.glyphs.cut, dim);
        // The heading, a line of the text, and all options come first.
        let options = self.options(cells, ui);
        let overflows = options.iter().map(Vec::len).sum::<usize>() + 2 > height;
        let has_cut_option = overflows && options.iter().any(|rows| rows.len() > 1);
        let options: Vec<Strip> = if overflows {
            options.into_iter().map(|rows| one_row(rows, cells, ui)).collect()
        } else {
            options.into_iter().flatten().collect()
        };
        if options.len() + 2 > height {
            let headline = without_marks(headline(&self.part.text));
            let mut rows = vec![
                Strip::new()
                    .put(&format!("{} ", ui.glyphs.changed), ui.style(Role::Attention))
                    .put(&headline, ui.style(Role::Text))
                    .shortened(cells, ui.glyphs.cut, dim),
            ];
            rows.extend(options);
            // The option that rejects stays in view.
            let last = rows.pop();
            rows.truncate(height.saturating_sub(1));
            rows.extend(last);
            return FormRows { rows, is_whole: false };
        }
        let room = height.saturating_sub(1 + options.len());
        let (about, hidden) = self.about(approval, cells, room, ui);
        let mut rows = vec![head];
        rows.extend(about);
        rows.extend(options);
        let is_whole = hidden == 0 && !has_cut_option && rows.len() <= height;
        rows.truncate(height);
        FormRows { rows, is_whole: is_whole && self.row.several_parts().is_none() }
    }

    /// Returns the first `room` rows of what is to be approved, and the number of lines that do not fit.
    fn about(
        &self,
        approval: &Approval,
        cells: usize,
        room: usize,
        ui: &UiSettings,
    ) -> (Vec<Strip>, usize) {
        let mut rows = text_rows(&self.part.text, cells, ui);
        let diff = approval.diff.as_deref().map(without_padding).unwrap_or_default();
        let lines = diff.lines().count();
        let least = rows.len() + usize::from(lines > 0);
        if least > room {
            if room < 2 {
                let text = without_marks(headline(&self.part.text));
                let text = format!("{}{text}", " ".repeat(NUMBER_INDENT));
                let row = Strip::new().put(&text, ui.style(Role::Text));
                let row = row.shortened(cells, ui.glyphs.cut, ui.style(Role::TextDim));
                return (std::iter::repeat_n(row, room).collect(), rows.len() + lines);
            }
            let fits = room - 1;
            let hidden = rows.len().saturating_sub(fits) + lines;
            rows.truncate(fits);
            rows.push(more_row(hidden, cells, ui));
            return (rows, hidden);
        }
        let (change, hidden) = change_rows(&diff, cells, room - rows.len(), ui);
        rows.extend(change);
        (rows, hidden)
    }

    /// Returns the head: who asks, since when, and the number of answered parts or of the current part.
    fn head(&self, at: Option<(usize, usize)>, cells: usize, ui: &UiSettings) -> Strip {
        let (row, dim) = (self.row, ui.style(Role::TextDim));
        let (answered, all) = row.progress().unwrap_or_default();
        let progress = match at {
            Some((number, all)) => format!("{number}/{all}"),
            None => ui.text(ANSWERED).replace("{}", &format!("{answered}/{all}")),
        };
        let dot = format!(" {} ", ui.glyphs.middle_dot);
        let intro = row.inquiry.as_ref().map(|inquiry| headline(&inquiry.intro));
        let intro = intro.filter(|intro| !intro.is_empty()).map(without_marks);
        let intro = intro.map(|intro| format!("{dot}{intro}")).unwrap_or_default();
        Strip::new()
            .put(&format!("{} ", ui.glyphs.needs_you), ui.style(Role::Attention))
            .put(&format!("@{}", row.agent), ui.style(Role::Agent))
            .put(&format!(" {}", ui.text(ASKS)), dim)
            .put(&format!("{dot}{}", row.question.asked_at.hour_minute()), dim)
            .put(&format!("{dot}{progress}"), dim)
            .put(&intro, ui.style(Role::Text))
            .shortened(cells, ui.glyphs.cut, dim)
    }

    /// A part that is not answered now, in one row.
    fn other(&self, number: usize, part: &Part, cells: usize, ui: &UiSettings) -> Strip {
        let dim = ui.style(Role::TextDim);
        let (sign, role) = self.sign(part, ui);
        let text = self.row.answers.get(&part.id).map(|answer| {
            if let Some(option) = answer.option.and_then(|key| part.option(key)) {
                return format!(" {}  {}", option.key, without_marks(&option.label));
            }
            format!(" {}", without_marks(headline(answer.text.as_deref().unwrap_or_default())))
        });
        let text = text.unwrap_or_default();
        let text = shorten(&text, cells / ANSWER_SHARE, ui.glyphs.cut);
        let right = Strip::new().put(sign, ui.style(role)).put(&text, dim);
        let room = cells.saturating_sub(right.width() + 1);
        let left = format!("{number} {}", without_marks(headline(&part.text)));
        let left = Strip::new()
            .put(&" ".repeat(NUMBER_INDENT), dim)
            .put(&left, ui.style(Role::Text))
            .shortened(room, ui.glyphs.cut, dim);
        left.pad_to(cells.saturating_sub(right.width())).join(right)
    }

    /// Returns the sign of a part: it has an answer, a draft, or neither.
    fn sign<'u>(&self, part: &Part, ui: &'u UiSettings) -> (&'u str, Role) {
        let key = DraftKey::Part(self.row.question.id.clone(), part.id.clone());
        if self.row.answers.contains_key(&part.id) {
            (ui.glyphs.done, Role::Good)
        } else if self.drafts.has(&key) {
            (ui.glyphs.draft, Role::Attention)
        } else {
            (" ", Role::TextDim)
        }
    }

    /// The part that is answered, with its options and the answer that it has.
    fn current(&self, number: usize, cells: usize, ui: &UiSettings) -> Vec<Strip> {
        let prose = Prose::new(ui);
        let text = prose.rows(&self.part.text, 0, cells.saturating_sub(TEXT_INDENT).max(1));
        let marks = std::iter::once(mark(number, ui)).chain(std::iter::repeat_with(|| {
            Strip::new().put(&" ".repeat(TEXT_INDENT), ui.style(Role::Text))
        }));
        let mut rows: Vec<Strip> = marks.zip(text).map(|(mark, row)| mark.join(row)).collect();
        rows.extend(self.options(cells, ui).into_iter().flatten());
        if let Some(answer) = self.row.answers.get(&self.part.id) {
            let words = without_marks(&answer.words(self.part).replace('\n', " "));
            let row = Strip::new()
                .put(&" ".repeat(OPTION_INDENT), ui.style(Role::TextDim))
                .put(ui.glyphs.done, ui.style(Role::Good))
                .put(&format!(" {} ", ui.text(NOW)), ui.style(Role::TextDim))
                .put(&words, ui.style(Role::Text));
            rows.push(row.shortened(cells, ui.glyphs.cut, ui.style(Role::TextDim)));
        }
        rows
    }

    fn headline(&self, number: usize, cells: usize, ui: &UiSettings) -> Strip {
        let text = without_marks(headline(&self.part.text));
        let row = mark(number, ui).put(&text, ui.style(Role::Text));
        row.shortened(cells, ui.glyphs.cut, ui.style(Role::TextDim))
    }

    /// The rows of each option; the picked one is marked.
    fn options(&self, cells: usize, ui: &UiSettings) -> Vec<Vec<Strip>> {
        let kept = self.row.answers.get(&self.part.id).and_then(|answer| answer.option);
        let picked = if self.typed.trim().is_empty() { kept } else { self.part.picked(self.typed) };
        let options = self.part.options.iter();
        options
            .map(|option| {
                let is_recommended = self.part.recommended == Some(option.key);
                let is_picked = picked == Some(option.key);
                option_rows(option, OptionMarks { is_picked, is_recommended }, cells, ui)
            })
            .collect()
    }
}

/// The sign of the part that is answered, and its number.
fn mark(number: usize, ui: &UiSettings) -> Strip {
    Strip::new().put(&format!("{} {number} ", ui.glyphs.selected), ui.style(Role::Accent))
}

/// Returns the head of an approval: who asks, since when, and its category.
fn approval_head(row: &InboxRow, approval: &Approval, ui: &UiSettings) -> Strip {
    let (dim, dot) = (ui.style(Role::TextDim), format!(" {} ", ui.glyphs.middle_dot));
    Strip::new()
        .put(&format!("{} ", ui.glyphs.changed), ui.style(Role::Attention))
        .put(&format!("@{}", row.agent), ui.style(Role::Agent))
        .put(&format!(" {}", ui.text(ASKS_APPROVAL)), dim)
        .put(&format!("{dot}{}", row.question.asked_at.hour_minute()), dim)
        .put(&format!("{dot}{}", ui.text(approval.category.words())), dim)
}

/// Returns a text to be approved, as it is written: Markdown could hide a part of it.
fn text_rows(text: &str, cells: usize, ui: &UiSettings) -> Vec<Strip> {
    let room = cells.saturating_sub(NUMBER_INDENT).max(1);
    plain_rows(&without_padding(text), NUMBER_INDENT, room, ui.style(Role::Text))
}

/// Everything that is to be approved but for the change: nothing is cut.
#[must_use]
pub fn approval_rows(row: &InboxRow, cells: usize, ui: &UiSettings) -> Vec<Strip> {
    let Some(inquiry) = &row.inquiry else { return Vec::new() };
    let Some(approval) = &inquiry.approval else { return Vec::new() };
    let head = approval_head(row, approval, ui).plain();
    let mut rows = plain_rows(&head, 0, cells, ui.style(Role::TextDim));
    if !inquiry.intro.is_empty() {
        rows.extend(text_rows(&inquiry.intro, cells, ui));
    }
    for part in &inquiry.parts {
        rows.extend(text_rows(&part.text, cells, ui));
        for option in &part.options {
            let is_recommended = part.recommended == Some(option.key);
            let marks = OptionMarks { is_picked: false, is_recommended };
            rows.extend(option_rows(option, marks, cells, ui));
        }
    }
    rows
}

/// The lines of the change that is to be approved.
#[must_use]
pub fn change_lines(row: &InboxRow) -> PatchLines {
    let approval = row.inquiry.as_ref().and_then(|inquiry| inquiry.approval.as_ref());
    let diff = approval.and_then(|approval| approval.diff.as_deref());
    PatchLines::of(&diff.map(without_padding).unwrap_or_default())
}

/// A line of that change: nothing is cut.
#[must_use]
pub fn change_line_rows(
    lines: &PatchLines,
    at: usize,
    cells: usize,
    ui: &UiSettings,
) -> Vec<Strip> {
    DiffRows::new(ui, NUMBER_INDENT, cells).line_of(lines, at)
}

/// A comment on the line above it.
#[must_use]
pub fn comment_rows(text: &str, cells: usize, ui: &UiSettings) -> Vec<Strip> {
    let room = cells.saturating_sub(TEXT_INDENT).max(1);
    let mut rows = plain_rows(text, 0, room, ui.style(Role::You)).into_iter();
    let sign = Strip::new().pad_to(NUMBER_INDENT).put(ui.glyphs.draft, ui.style(Role::Attention));
    let first = rows.next().map(|row| sign.pad_to(TEXT_INDENT).join(row));
    let rest = rows.map(|row| Strip::new().pad_to(TEXT_INDENT).join(row));
    first.into_iter().chain(rest).collect()
}

/// Returns the first lines of a change, and the number of the others.
fn change_rows(diff: &str, cells: usize, room: usize, ui: &UiSettings) -> (Vec<Strip>, usize) {
    let rows = |limit: usize| DiffRows::new(ui, NUMBER_INDENT, cells).patch(diff, limit);
    let all = rows(room.min(MAX_CHANGE_ROWS));
    if all.hidden() == 0 {
        return (all.into_rows(), 0);
    }
    let Some(limit) = room.min(MAX_CHANGE_ROWS).checked_sub(1) else {
        return (Vec::new(), all.hidden());
    };
    let limited = rows(limit);
    let hidden = limited.hidden();
    let mut rows = limited.into_rows();
    rows.push(more_row(hidden, cells, ui));
    (rows, hidden)
}

/// Returns the row with the number of hidden lines and the key that shows all.
fn more_row(hidden: usize, cells: usize, ui: &UiSettings) -> Strip {
    let dim = ui.style(Role::TextDim);
    let more = ui.counted(hidden, MORE_LINES);
    let keys = hint(ui, composer::SCOPE, Action::OpenPaste, SHOW_ALL);
    let more = format!("{}{more} {} {keys}", " ".repeat(NUMBER_INDENT), ui.glyphs.middle_dot);
    Strip::new().put(&more, dim).shortened(cells, ui.glyphs.cut, dim)
}

/// Returns all parts as asked.
pub fn asked_rows(inquiry: &Inquiry, cells: usize, ui: &UiSettings) -> Vec<Strip> {
    let mut rows = Prose::new(ui).rows(&inquiry.intro, NUMBER_INDENT, cells);
    for (number, part) in (1..).zip(&inquiry.parts) {
        if !rows.is_empty() {
            rows.push(Strip::new());
        }
        let text = Prose::new(ui).rows(&part.text, 0, cells.saturating_sub(TEXT_INDENT).max(1));
        let numbers = std::iter::once(format!("  {number} "))
            .chain(std::iter::repeat(" ".repeat(TEXT_INDENT)));
        let dim = ui.style(Role::TextDim);
        rows.extend(
            numbers.zip(text).map(|(number, row)| Strip::new().put(&number, dim).join(row)),
        );
        for option in &part.options {
            let is_recommended = part.recommended == Some(option.key);
            let marks = OptionMarks { is_picked: false, is_recommended };
            rows.extend(option_rows(option, marks, cells, ui));
        }
    }
    rows
}

/// How an option is marked.
#[derive(Debug, Clone, Copy)]
pub struct OptionMarks {
    pub is_picked: bool,
    pub is_recommended: bool,
}

/// `    a  cursors   recommended   + stable   − no page numbers`, in one row or more.
pub fn option_rows(
    option: &AnswerOption,
    OptionMarks { is_picked, is_recommended }: OptionMarks,
    cells: usize,
    ui: &UiSettings,
) -> Vec<Strip> {
    let dim = ui.style(Role::TextDim);
    let (role, mark) = if is_picked { (Role::Accent, ui.glyphs.done) } else { (Role::Text, " ") };
    let key = format!("{}{mark} {}  ", " ".repeat(OPTION_INDENT - 2), option.key);
    let label = without_marks(&option.label);
    let recommended = is_recommended.then(|| (ui.text(RECOMMENDED).to_owned(), Role::Accent));
    let remarks = [(&option.pros, "+"), (&option.cons, ui.glyphs.minus)];
    let remarks =
        remarks.into_iter().zip([Role::Good, Role::Bad]).filter_map(|((text, sign), role)| {
            Some((format!("{sign} {}", without_marks(text.as_deref()?)), role))
        });
    let about: Vec<(String, Role)> = recommended.into_iter().chain(remarks).collect();
    let mut row = Strip::new().put(&key, ui.style(role)).put(&label, ui.style(role));
    for (text, role) in &about {
        row = row.put("   ", dim).put(text, ui.style(*role));
    }
    if row.width() <= cells && (cells >= MIN_ROW_CELLS || about.is_empty()) {
        return vec![row];
    }
    let indent = width(&key);
    let room = cells.saturating_sub(indent).max(1);
    let labels = plain_rows(&label, 0, room, ui.style(role));
    let starts = std::iter::once(key).chain(std::iter::repeat(" ".repeat(indent)));
    let mut rows: Vec<Strip> = starts
        .zip(labels)
        .map(|(start, label)| Strip::new().put(&start, ui.style(role)).join(label))
        .collect();
    let mut below = Strip::new().put(&" ".repeat(indent), dim);
    for (at, (text, role)) in about.iter().enumerate() {
        let gap = if at == 0 { "" } else { "   " };
        below = below.put(gap, dim).put(text, ui.style(*role));
    }
    if below.width() > indent && below.width() <= cells {
        rows.push(below);
        return rows;
    }
    for (text, role) in &about {
        rows.extend(plain_rows(text, indent, room, ui.style(*role)));
    }
    rows
}

/// An option in one row.
fn one_row(rows: Vec<Strip>, cells: usize, ui: &UiSettings) -> Strip {
    let dim = ui.style(Role::TextDim);
    let is_cut = rows.len() > 1;
    let first = rows.into_iter().next().unwrap_or_default();
    let row = if is_cut { first.put(ui.glyphs.cut, dim) } else { first };
    row.shortened(cells, ui.glyphs.cut, dim)
}
