//! Rows that are read like a text: scrolled by lines and pages, searched, drawn below a heading.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::row_search::{RowJump, RowSearch, top_for};
use super::scroll_sign::ShownRows;
use super::strip::Strip;
use crate::cx::UiSettings;
use crate::model::ReadingPlace;
use crate::overlay::Handled;

#[derive(Debug, Default)]
pub struct TextRows {
    rows: Vec<Strip>,
    /// The first row in view, and how many fit.
    top: usize,
    height: usize,
    /// Cells of a row.
    width: usize,
    place: ReadingPlace,
    search: RowSearch,
}

impl TextRows {
    /// The end comes into view at the next layout.
    pub fn show_end(&mut self) {
        self.top = usize::MAX;
    }

    /// Replaces all rows; they were laid out for `width` cells.
    pub fn set(&mut self, rows: Vec<Strip>, width: u16) {
        self.rows = rows;
        self.width = width.into();
        let letters = || self.rows.iter().map(Strip::letters);
        self.top = self.place.row_at(self.width, self.top, letters);
        self.search.rows_changed();
    }

    /// Scrolls by `rows`; positive numbers scroll down.
    pub fn scroll(&mut self, rows: isize) -> Handled {
        let last = self.rows.len().saturating_sub(self.height);
        self.top = self.top.min(last).saturating_add_signed(rows).min(last);
        Handled::Done
    }

    /// Scrolls until this row is the first in view, or the last row is in view.
    pub fn scroll_to(&mut self, row: usize) -> Handled {
        self.top = row;
        self.scroll(0)
    }

    pub fn top(&self) -> usize {
        self.top
    }

    pub fn height(&self) -> usize {
        self.height
    }

    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Rows below the last one in view.
    pub fn below(&self) -> usize {
        self.rows.len().saturating_sub(self.top.saturating_add(self.height))
    }

    /// Adapts the view to `height` rows, and moves it to the result of a search.
    pub fn layout(&mut self, height: usize) {
        self.height = height;
        match self.search.follow(self.rows.iter()) {
            Some(RowJump::To(row)) => self.top = top_for(row, height),
            Some(RowJump::Back { top, .. }) => {
                self.place = top;
                self.top = top.row_in(self.rows.iter().map(Strip::letters));
            }
            None => {}
        }
        self.scroll(0);
        let view = (self.top, self.rows.len());
        self.place.stands_at(self.width, view, || self.rows.iter().map(Strip::letters));
        self.search.stands_at(self.place, self.place);
    }

    pub fn search(&self) -> &RowSearch {
        &self.search
    }

    pub fn search_mut(&mut self) -> &mut RowSearch {
        &mut self.search
    }

    pub fn shown(&self) -> ShownRows {
        ShownRows { top: self.top, height: self.height, rows: self.rows.len() }
    }

    /// Draws the rows in view, with their matches marked.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, ui: &UiSettings) {
        let shown = self.rows.iter().enumerate().skip(self.top).take(self.height);
        for (y, (at, row)) in (area.y..area.bottom()).zip(shown) {
            let row = self.search.marked(at, row.clone(), ui);
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}
