//! The rows of one entry of a sheet: its head and its text.

use ratatui::style::Style;

use super::sheet_words;
use crate::cx::{UiSettings, View};
use crate::domain::text::Localized;
use crate::model::age;
use crate::panes::row_search::SearchedRow;
use crate::panes::strip::Strip;
use crate::panes::transcript::block::MAX_TEXT_WIDTH;
use crate::panes::transcript::prose::{Prose, plain_rows};
use crate::protocol::{ReminderAudience, ReminderView, SectionView};
use crate::theme::Role;

/// Rows shown of an entry that is not selected.
const PREVIEW_ROWS: usize = 2;
const INDENT: usize = 3;

/// An entry ready to draw.
#[derive(Debug, Clone, Default)]
pub struct SheetItem {
    pub head: Strip,
    /// The text at the right edge of the head.
    pub meta: Strip,
    pub body: Vec<Strip>,
    /// Letters of the rows that a preview leaves out.
    hidden: usize,
    /// False for entries that are only informative.
    pub can_be_chosen: bool,
}

impl SheetItem {
    /// The texts of its rows, with the blank one at its end.
    pub fn texts(&self) -> impl Iterator<Item = SearchedRow> {
        let rows = std::iter::once(&self.head).chain(&self.body);
        rows.map(SearchedRow::from).chain([SearchedRow::default()])
    }

    /// Returns the number of letters of each row. Those left out of a preview count for its last row of text, so
    /// that the text is as long at every width.
    pub fn letters(&self) -> impl Iterator<Item = usize> {
        let last = self.body.len().saturating_sub(1);
        let rows = std::iter::once(&self.head).chain(&self.body).enumerate();
        let letters = move |(at, row): (usize, &Strip)| {
            row.letters() + if at == last { self.hidden } else { 0 }
        };
        rows.map(letters).chain([0])
    }

    /// Changes each row, given its number within the item.
    pub fn marked(self, mark: impl Fn(usize, Strip) -> Strip) -> Self {
        let body = self.body.into_iter().zip(1..).map(|(row, at)| mark(at, row)).collect();
        Self { head: mark(0, self.head), body, ..self }
    }
}

/// How an entry is shown.
#[derive(Debug, Clone, Copy)]
pub struct ItemState {
    /// With all its rows, not as a preview.
    pub is_whole: bool,
    /// With the symbol of an unsaved draft.
    pub has_draft: bool,
}

pub fn reminder(
    reminder: &ReminderView,
    view: View<'_>,
    available: usize,
    state: ItemState,
) -> SheetItem {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let audience = match reminder.scope {
        ReminderAudience::Dialog => sheet_words::OF_THIS_DIALOG,
        ReminderAudience::Personal => sheet_words::PERSONAL,
        ReminderAudience::Shared => sheet_words::SHARED_BY_PROGRAM,
        ReminderAudience::Task => sheet_words::OF_THE_TASK,
    };
    let mut head = Strip::new().put(ui.text(audience), ui.style(Role::Title));
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    if let Some(owner) = &reminder.owner {
        head.push(&format!("{dot}{} {owner}", ui.text(sheet_words::KEPT_BY)), dim);
    }
    if reminder.hidden {
        head.push(&format!("{dot}{}", ui.text(sheet_words::HIDDEN_FROM_MODEL)), dim);
    }
    let seconds = age::seconds_since(&reminder.touched_at, view.now);
    let mut meta = draft_symbol(ui, state.has_draft);
    meta.push(&seconds.map(age::long).unwrap_or_default(), dim);
    let width = available.saturating_sub(INDENT).min(MAX_TEXT_WIDTH);
    let rows = if reminder.plain {
        plain_rows(&reminder.content, INDENT, width, ui.style(Role::Text))
    } else {
        Prose::new(ui).rows(&reminder.content, INDENT, width)
    };
    let (body, hidden) = preview(rows, state.is_whole, ui);
    SheetItem { head, meta, body, hidden, can_be_chosen: true }
}

pub fn section(
    section: &SectionView,
    view: View<'_>,
    available: usize,
    state: ItemState,
) -> SheetItem {
    let ui = view.ui;
    let dim = ui.style(Role::TextDim);
    let head = Strip::new().put(&section.name, ui.style(Role::Title));
    let mut meta = draft_symbol(ui, state.has_draft);
    let size = if !section.complete {
        ui.text(sheet_words::SECTION_TOO_LARGE).to_owned()
    } else if section.text.is_empty() {
        ui.text(sheet_words::EMPTY_SECTION).to_owned()
    } else {
        ui.counted(section.text.lines().count(), sheet_words::LINES)
    };
    meta.push(&size, dim);
    let width = available.saturating_sub(INDENT).min(MAX_TEXT_WIDTH);
    let rows = if section.text.is_empty() {
        Vec::new()
    } else {
        Prose::new(ui).rows(&section.text, INDENT, width)
    };
    let (body, hidden) = preview(rows, state.is_whole, ui);
    SheetItem { head, meta, body, hidden, can_be_chosen: true }
}

/// Layout problems of a Taskdoc, below its sections.
pub fn faults(faults: &[Localized], view: View<'_>, available: usize) -> Option<SheetItem> {
    let ui = view.ui;
    let width = available.saturating_sub(INDENT);
    let row =
        |fault: &Localized| plain_rows(fault.in_lang(ui.lang), INDENT, width, ui.style(Role::Text));
    let body: Vec<Strip> = faults.iter().flat_map(row).collect();
    let head = Strip::new().put(ui.text(sheet_words::LAYOUT_PROBLEMS), ui.style(Role::Warning));
    (!body.is_empty()).then(|| SheetItem { head, body, ..SheetItem::default() })
}

fn draft_symbol(ui: &UiSettings, draft: bool) -> Strip {
    let symbol = if draft { format!("{} ", ui.glyphs.draft) } else { String::new() };
    Strip::new().put(&symbol, ui.style(Role::Attention))
}

/// Returns the rows to show, and the number of letters in the others.
fn preview(mut rows: Vec<Strip>, whole: bool, ui: &UiSettings) -> (Vec<Strip>, usize) {
    let mut hidden = 0;
    if !whole && rows.len() > PREVIEW_ROWS {
        hidden = rows.drain(PREVIEW_ROWS..).map(|row| row.letters()).sum();
        while rows.last().is_some_and(Strip::is_empty) {
            rows.pop();
        }
        let more = Strip::new().pad_to(INDENT).put(ui.glyphs.cut, Style::default());
        rows.push(more.over(ui.style(Role::TextDim)));
    }
    (rows, hidden)
}
