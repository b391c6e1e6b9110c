//! Rows that are read like a text: scrolled by lines and pages, searched, drawn below a heading.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::read_sheet::SheetView;
use super::row_search::{RowJump, top_for};
use super::strip::Strip;
use crate::cx::UiSettings;
use crate::model::ReadingPlace;
use crate::overlay::Handled;

#[derive(Debug, Default)]
pub struct TextRows {
    rows: Vec<Strip>,
    /// Cells of a row.
    width: usize,
    place: ReadingPlace,
    view: SheetView,
}

impl TextRows {
    /// The end comes into view at the next layout.
    pub fn show_end(&mut self) {
        self.view.top = usize::MAX;
    }

    /// Replaces all rows; they were laid out for `width` cells.
    pub fn set(&mut self, rows: Vec<Strip>, width: u16) {
        self.rows = rows;
        self.view.rows = self.rows.len();
        self.width = width.into();
        let letters = || self.rows.iter().map(Strip::letters);
        self.view.top = self.place.row_at(self.width, self.view.top, letters);
        self.view.search.rows_changed();
    }

    /// Scrolls by `rows`; positive numbers scroll down.
    pub fn scroll(&mut self, rows: isize) -> Handled {
        let last = self.view.last_top();
        self.view.top = self.view.top.min(last).saturating_add_signed(rows).min(last);
        Handled::Done
    }

    /// Scrolls until this row is the first in view, or the last row is in view.
    pub fn scroll_to(&mut self, row: usize) -> Handled {
        self.view.top = row;
        self.scroll(0)
    }

    pub fn view(&self) -> &SheetView {
        &self.view
    }

    pub fn view_mut(&mut self) -> &mut SheetView {
        &mut self.view
    }

    /// Adapts the view to `height` rows, and moves it to the result of a search.
    pub fn layout(&mut self, height: usize) {
        self.view.height = height;
        match self.view.search.follow(self.rows.iter()) {
            Some(RowJump::To(row)) => self.view.top = top_for(row, height),
            Some(RowJump::Back { top, .. }) => {
                self.place = top;
                self.view.top = top.row_in(self.rows.iter().map(Strip::letters));
            }
            None => {}
        }
        self.scroll(0);
        let view = (self.view.top, self.rows.len());
        self.place.stands_at(self.width, view, || self.rows.iter().map(Strip::letters));
        self.view.search.stands_at(self.place, self.place);
    }

    /// Draws the rows in view, with their matches marked.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, ui: &UiSettings) {
        let SheetView { top, height, search, .. } = &self.view;
        let shown = self.rows.iter().enumerate().skip(*top).take(*height);
        for (y, (at, row)) in (area.y..area.bottom()).zip(shown) {
            let row = search.marked(at, row.clone(), ui);
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}
