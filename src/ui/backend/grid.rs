//! A grid of cells in which a wide glyph and its tail are never separated.
//!
//! Grids share their rows, and a row stores a hash for comparisons: equal rows are found at the cost of
//! comparing a number.

use std::hash::{Hash as _, Hasher};
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Cell;
use ratatui::layout::Size;

use super::capabilities::Capabilities;
use super::cell::{Glyph, ScreenCell};
use crate::text::width::symbol_width;

/// The direction in which a band of rows moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// Text moves up, new rows appear at the bottom.
    Up,
    Down,
}

/// The cells of a row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    cells: Arc<[ScreenCell]>,
    hash: u64,
    /// The cells that hold something.
    filled: usize,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cells, &other.cells)
            || (self.hash == other.hash && self.cells == other.cells)
    }
}

impl From<Vec<ScreenCell>> for Row {
    fn from(cells: Vec<ScreenCell>) -> Self {
        let mut hasher = RowHasher::default();
        cells.hash(&mut hasher);
        let filled = cells.iter().filter(|cell| **cell != ScreenCell::BLANK).count();
        Self { cells: cells.into(), hash: hasher.finish(), filled }
    }
}

impl Row {
    pub fn blank(width: u16) -> Self {
        vec![ScreenCell::BLANK; usize::from(width)].into()
    }

    /// Converts a row of the library to cells that this terminal can show.
    pub fn of(cells: &[Cell], capabilities: Capabilities, with_links: bool) -> Self {
        let mut row = vec![ScreenCell::BLANK; cells.len()];
        let mut covered = 0;
        for (x, cell) in (0_u16..).zip(cells) {
            // Cells under a wide glyph hold nothing that is seen.
            if x < covered || *cell == Cell::EMPTY {
                continue;
            }
            let mut shown = ScreenCell::of(cell, capabilities);
            shown.link = shown.link.filter(|_| with_links);
            covered = x.saturating_add(symbol_width(cell.symbol()).max(1));
            put(&mut row, x, shown);
        }
        row.into()
    }

    pub fn cells(&self) -> &[ScreenCell] {
        &self.cells
    }

    pub fn is_blank(&self) -> bool {
        self.filled == 0
    }

    /// The cells that hold something.
    pub fn filled(&self) -> usize {
        self.filled
    }

    fn change(&mut self, change: impl FnOnce(&mut [ScreenCell])) {
        let mut cells = self.cells.to_vec();
        change(&mut cells);
        *self = cells.into();
    }
}

/// Rows with the same hash are compared, so it need only be quick: each row that is drawn is hashed.
#[derive(Debug, Default)]
struct RowHasher(u64);

impl Hasher for RowHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Debug, Clone)]
pub(super) struct Grid {
    rows: Vec<Row>,
    blank: Row,
}

impl Grid {
    pub fn new(size: Size) -> Self {
        let blank = Row::blank(size.width);
        Self { rows: vec![blank.clone(); usize::from(size.height)], blank }
    }

    /// Returns row `y`, if there is one.
    pub fn row(&self, y: u16) -> Option<&Row> {
        self.rows.get(usize::from(y))
    }

    /// The cells of row `y`; empty after the last row.
    pub fn cells(&self, y: u16) -> &[ScreenCell] {
        self.row(y).map_or(&[], Row::cells)
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn set_row(&mut self, y: u16, row: Row) {
        if let Some(target) = self.rows.get_mut(usize::from(y)) {
            *target = row;
        }
    }

    /// Copies row `y` from the other grid.
    pub fn copy_row(&mut self, y: u16, from: &Self) {
        if let Some(row) = from.row(y) {
            self.set_row(y, row.clone());
        }
    }

    pub fn clear(&mut self) {
        self.rows.fill(self.blank.clone());
    }

    /// Blanks out part of a row.
    pub fn erase(&mut self, y: u16, columns: Range<u16>) {
        if let Some(row) = self.rows.get_mut(usize::from(y)) {
            row.change(|cells| columns.for_each(|x| put(cells, x, ScreenCell::BLANK)));
        }
    }

    /// Sets a cell; glyphs it overlaps become blanks. A glyph that does not fit becomes blanks.
    pub fn put(&mut self, x: u16, y: u16, cell: ScreenCell) {
        if let Some(row) = self.rows.get_mut(usize::from(y)) {
            row.change(|cells| put(cells, x, cell));
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
        if let Some(fresh) = band.get_mut(fresh) {
            fresh.fill(self.blank.clone());
        }
    }
}

/// Sets a cell of a row; glyphs it overlaps become blanks. A glyph that does not fit becomes blanks.
fn put(row: &mut [ScreenCell], x: u16, cell: ScreenCell) {
    let x = usize::from(x);
    let fits = x + usize::from(cell.width) <= row.len();
    let cell = if fits { cell } else { ScreenCell::blank(cell.style) };
    if x >= row.len() {
        return;
    }
    let end = x + usize::from(cell.width.max(1));
    blank_glyph_across(row, x);
    blank_glyph_across(row, end);
    let style = cell.style;
    for target in row.iter_mut().take(end).skip(x + 1) {
        *target = ScreenCell::tail(style);
    }
    if let Some(target) = row.get_mut(x) {
        *target = cell;
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
