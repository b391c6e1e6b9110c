//! A grid of cells in which a wide glyph and its tail are never separated.

use std::ops::Range;

use ratatui::layout::Size;

use super::cell::{Glyph, ScreenCell};

/// The direction in which a band of rows moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// Text moves up, new rows appear at the bottom.
    Up,
    Down,
}

#[derive(Debug, Clone)]
pub(super) struct Grid {
    width: u16,
    rows: Vec<Vec<ScreenCell>>,
}

impl Grid {
    pub fn new(size: Size) -> Self {
        let row = vec![ScreenCell::BLANK; usize::from(size.width)];
        let height = usize::from(size.height);
        Self { width: size.width, rows: vec![row; height] }
    }

    /// The cells of row `y`; empty after the last row.
    pub fn row(&self, y: u16) -> &[ScreenCell] {
        self.rows.get(usize::from(y)).map_or(&[], Vec::as_slice)
    }

    pub fn height(&self) -> usize {
        self.rows.len()
    }

    pub fn copy_row(&mut self, y: u16, from: &[ScreenCell]) {
        if let Some(row) = self.rows.get_mut(usize::from(y)) {
            from.clone_into(row);
        }
    }

    pub fn clear(&mut self) {
        self.rows.iter_mut().for_each(|row| row.fill(ScreenCell::BLANK));
    }

    /// Blanks out part of a row.
    pub fn erase(&mut self, y: u16, columns: Range<u16>) {
        columns.for_each(|x| self.put(x, y, ScreenCell::BLANK));
    }

    /// Sets a cell; glyphs it overlaps become blanks. A glyph that does not fit becomes blanks.
    pub fn put(&mut self, x: u16, y: u16, cell: ScreenCell) {
        let fits = x.saturating_add(cell.width) <= self.width;
        let cell = if fits { cell } else { ScreenCell::blank(cell.style) };
        let Some(row) = self.rows.get_mut(usize::from(y)) else { return };
        let x = usize::from(x);
        if x >= row.len() {
            return;
        }
        let end = x + usize::from(cell.width.max(1));
        blank_glyph_across(row, x);
        blank_glyph_across(row, end);
        let style = cell.style;
        for (at, target) in (x..).zip(row.iter_mut().take(end).skip(x)) {
            *target = if at == x { cell.clone() } else { ScreenCell::tail(style) };
        }
    }

    /// Moves full rows; rows that come into view are blank.
    pub fn scroll(&mut self, rows: Range<u16>, lines: u16, shift: Shift) {
        let range = usize::from(rows.start)..usize::from(rows.end);
        let lines = usize::from(lines);
        let Some(band) = self.rows.get_mut(range).filter(|band| lines <= band.len()) else {
            return;
        };
        let kept = band.len() - lines;
        let (rotate, fresh) = match shift {
            Shift::Up => (lines, kept..band.len()),
            Shift::Down => (kept, 0..lines),
        };
        band.rotate_left(rotate);
        band.get_mut(fresh).into_iter().flatten().for_each(|row| row.fill(ScreenCell::BLANK));
    }
}

/// If a wide glyph covers both `x - 1` and `x`, all its cells become blanks.
fn blank_glyph_across(row: &mut [ScreenCell], x: usize) {
    let is_tail = |cell: &ScreenCell| cell.glyph == Glyph::Tail;
    if !row.get(x).is_some_and(is_tail) {
        return;
    }
    let start = row.iter().take(x).rposition(|cell| !is_tail(cell)).unwrap_or(0);
    let after = row.iter().skip(x).take_while(|cell| is_tail(cell)).count();
    for cell in row.iter_mut().take(x + after).skip(start) {
        *cell = ScreenCell::blank(cell.style);
    }
}
