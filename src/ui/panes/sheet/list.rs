//! A list of entries of different heights, one of them selected. The selection is stored by key, so it
//! stays when the list changes around it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::items::SheetItem;
use crate::cx::View;
use crate::model::ReadingPlace;
use crate::overlay::Handled;
use crate::panes::row_search::top_for;
use crate::panes::scroll_sign::ShownRows;
use crate::panes::strip::{Strip, draw_between};
use crate::theme::Role;

#[derive(Debug, Default)]
pub struct SheetList {
    chosen: Option<String>,
    /// The index of the selected entry, used if it is removed.
    at: usize,
    /// The first row in view.
    top: usize,
    height: usize,
    place: ReadingPlace,
    /// Scroll the selected entry into view at the next layout.
    reveal: bool,
    /// The selected entry before a search.
    before_search: Option<usize>,
}

impl SheetList {
    /// The key of the selected entry, or of its neighbour if it was removed.
    pub fn chosen(&self, keys: &[String]) -> Option<String> {
        keys.get(self.position(keys)).cloned()
    }

    fn position(&self, keys: &[String]) -> usize {
        let known = self.chosen.as_ref().and_then(|key| keys.iter().position(|k| k == key));
        known.unwrap_or(self.at).min(keys.len().saturating_sub(1))
    }

    /// Updates the selection after the list changed.
    pub fn settle(&mut self, keys: &[String]) {
        self.at = self.position(keys);
        self.chosen = keys.get(self.at).cloned();
    }

    pub fn step(&mut self, rows: isize, keys: &[String]) {
        let last = keys.len().saturating_sub(1);
        self.at = self.position(keys).saturating_add_signed(rows).min(last);
        self.chosen = None;
        self.settle(keys);
        self.reveal = true;
    }

    /// Scrolls by half a page; the selection stays.
    pub fn scroll(&mut self, up: bool) -> Handled {
        let half = (self.height / 2).max(1);
        self.top = if up { self.top.saturating_sub(half) } else { self.top + half };
        Handled::Done
    }

    /// The place at the top of the view.
    pub fn place(&self) -> ReadingPlace {
        self.place
    }

    /// Scrolls a row into view and selects its entry.
    pub fn show_row(&mut self, row: usize, height: usize, items: &[SheetItem]) {
        self.before_search.get_or_insert(self.at);
        self.top = top_for(row, height);
        let starts = starts(items);
        let at = starts.iter().rposition(|start| *start <= row).unwrap_or_default();
        if items.get(at).is_some_and(|item| item.can_be_chosen) {
            self.at = at;
            self.chosen = None;
        }
    }

    /// Goes back to where the view was before a search, with this place at its top.
    pub fn go_back(&mut self, top: ReadingPlace, keys: &[String]) {
        (self.place, self.top) = (top, top.row());
        if let Some(at) = self.before_search.take() {
            self.at = at;
            self.chosen = None;
            self.settle(keys);
        }
    }

    /// A search has ended, and the view stays.
    pub fn stay(&mut self) {
        self.before_search = None;
    }

    /// Keeps the view within the items, and shows the selected one after a step.
    pub fn layout(&mut self, area: Rect, items: &[SheetItem]) {
        let width = usize::from(area.width);
        self.height = usize::from(area.height);
        let letters = || items.iter().flat_map(SheetItem::letters);
        self.top = self.place.row_at(width, self.top, letters);
        let chosen = self.chosen_row(items);
        let starts = starts(items);
        let total = starts.last().copied().unwrap_or(0);
        if std::mem::take(&mut self.reveal) {
            let start = starts.get(chosen).copied().unwrap_or(0);
            let end = starts.get(chosen + 1).copied().unwrap_or(total);
            self.top = self.top.max(end.saturating_sub(self.height)).min(start);
        }
        self.top = self.top.min(total.saturating_sub(self.height));
        self.place.stands_at(width, (self.top, total), letters);
    }

    /// The rows in view. The blank one after the last entry does not count.
    pub fn shown_rows(&self, items: &[SheetItem]) -> ShownRows {
        let rows = starts(items).last().map_or(0, |end| end.saturating_sub(1));
        ShownRows { top: self.top, height: self.height, rows }
    }

    fn chosen_row(&self, items: &[SheetItem]) -> usize {
        let count = items.iter().filter(|item| item.can_be_chosen).count();
        self.at.min(count.saturating_sub(1))
    }

    pub fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        view: View<'_>,
        items: &[SheetItem],
        focused: bool,
    ) {
        let chosen = self.chosen_row(items);
        let starts = starts(items);
        let bottom = area.bottom();
        for (at, (item, start)) in items.iter().zip(&starts).enumerate() {
            let marked = focused && at == chosen && item.can_be_chosen;
            for (row, y) in rows_in_view(*start, height(item), self.top, area.y, bottom) {
                draw_row(buffer, Rect { y, height: 1, ..area }, view, item, row, marked);
            }
        }
    }
}

/// The first row of each entry, and the row after the last.
fn starts(items: &[SheetItem]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut row = 0;
    for item in items {
        row += height(item);
        starts.push(row);
    }
    starts
}

/// Head, text, and a blank row.
fn height(item: &SheetItem) -> usize {
    item.body.len() + 2
}

/// The rows of an entry that are in view, with their positions on the screen.
fn rows_in_view(
    start: usize,
    height: usize,
    top: usize,
    y: u16,
    bottom: u16,
) -> impl Iterator<Item = (usize, u16)> {
    (0..height).filter_map(move |row| {
        let below = u16::try_from((start + row).checked_sub(top)?).ok()?;
        let y = y.checked_add(below)?;
        (y < bottom).then_some((row, y))
    })
}

fn draw_row(
    buffer: &mut Buffer,
    area: Rect,
    view: View<'_>,
    item: &SheetItem,
    row: usize,
    marked: bool,
) {
    let ui = view.ui;
    if row == 0 {
        let symbol = if marked { ui.glyphs.selected } else { " " };
        let head = Strip::new().put(symbol, ui.style(Role::Accent)).join(item.head.clone());
        draw_between(buffer, area, area.y, (&head, &item.meta), ui.glyphs.cut);
    } else if let Some(strip) = item.body.get(row - 1) {
        strip.draw(buffer, area, area.y);
    }
}
