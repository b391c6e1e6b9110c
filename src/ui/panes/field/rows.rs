//! The rows of a field: broken between words, with the position of the caret.

use std::collections::VecDeque;
use std::ops::Range;

use super::buffer::EditBuffer;
use super::chips::parts;
use super::moves::{Place, units};
use crate::text::width::width;
use crate::text::{SafeText, wrap};

/// A part of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowPart {
    Text(String),
    Chip(String),
    /// Covered by the selection.
    Marked(String),
}

pub type FieldRow = Vec<RowPart>;

/// Column and row.
pub type CellAt = (usize, usize);

/// A line as shown: clean, with the labels of chips.
struct ShownLine {
    text: String,
    /// The labels in it.
    labels: Vec<Range<usize>>,
    /// The part of it that the selection covers.
    marked: Option<Range<usize>>,
    rows: Vec<Range<usize>>,
}

impl ShownLine {
    fn new(buffer: &EditBuffer, row: usize, cells: usize) -> Self {
        let mut labels = Vec::new();
        let text = shown(buffer, buffer.line(row), |label| labels.push(label));
        let rows = wrap(&text, cells);
        Self { text, labels, marked: None, rows }
    }

    /// Sets the part that the selection covers.
    fn marked(self, buffer: &EditBuffer, row: usize, marked: Option<&Range<Place>>) -> Self {
        let Some(range) = marked.filter(|range| range.start.row <= row && row <= range.end.row)
        else {
            return self;
        };
        let line = buffer.line(row);
        let offset = |byte: usize| shown(buffer, line.get(..byte).unwrap_or(line), |_| ()).len();
        let start = if range.start.row == row { offset(range.start.byte) } else { 0 };
        let end = if range.end.row == row { offset(range.end.byte) } else { self.text.len() };
        Self { marked: Some(start..end), ..self }
    }

    fn row(&self, row: &Range<usize>) -> FieldRow {
        let ends = |range: &Range<usize>| [range.start, range.end];
        let inner = self.labels.iter().chain(&self.marked).flat_map(ends);
        let inner = inner.map(|at| at.clamp(row.start, row.end));
        let mut borders: Vec<usize> = ends(row).into_iter().chain(inner).collect();
        borders.sort_unstable();
        borders.dedup();
        let part = |pair: &[usize]| match *pair {
            [start, end] => Some(self.part(start..end)),
            _ => None,
        };
        let parts: FieldRow = borders.windows(2).filter_map(part).collect();
        if parts.is_empty() { vec![RowPart::Text(String::new())] } else { parts }
    }

    fn part(&self, range: Range<usize>) -> RowPart {
        let has = |marks: &Range<usize>| marks.start <= range.start && range.end <= marks.end;
        let text = self.text.get(range.clone()).unwrap_or_default().to_owned();
        if self.marked.as_ref().is_some_and(has) {
            RowPart::Marked(text)
        } else if self.labels.iter().any(has) {
            RowPart::Chip(text)
        } else {
            RowPart::Text(text)
        }
    }

    fn all_rows(&self) -> Vec<FieldRow> {
        self.rows.iter().map(|row| self.row(row)).collect()
    }

    /// Returns the cell of the byte `offset` of the shown text. A caret that does not fit into its row is
    /// at the start of the next one, which may be one more than the text has.
    fn cell_at(&self, offset: usize, cells: usize) -> CellAt {
        let row = self.rows.iter().rposition(|row| row.start <= offset).unwrap_or(0);
        let start = self.rows.get(row).map_or(0, |row| row.start);
        let x = width(self.text.get(start..offset).unwrap_or_default());
        if x >= cells { (0, row + 1) } else { (x, row) }
    }
}

/// The clean text of a part of a line, with labels for its chips; their places are given to `label`.
fn shown(buffer: &EditBuffer, part: &str, mut label: impl FnMut(Range<usize>)) -> String {
    let mut raw = String::new();
    for (text, mark) in parts(part) {
        raw.push_str(text);
        let Some(chip) = mark.and_then(|mark| buffer.chips().get(mark)) else { continue };
        let start = SafeText::clean(&raw).as_str().len();
        raw.push_str(&chip.label);
        label(start..SafeText::clean(&raw).as_str().len());
    }
    SafeText::clean(&raw).into_string()
}

/// Returns the cell of a position among the rows of its line.
fn cell_of(buffer: &EditBuffer, line: &ShownLine, at: Place, cells: usize) -> CellAt {
    let before = buffer.line(at.row).get(..at.byte).unwrap_or_default();
    let offset = shown(buffer, before, |_| ()).len().min(line.text.len());
    line.cell_at(offset, cells)
}

/// Rows that the text takes, counted up to `limit`.
pub fn height(buffer: &EditBuffer, cells: usize, limit: usize) -> usize {
    let caret = buffer.caret();
    let mut count = 0;
    for row in 0..buffer.lines().len() {
        let line = ShownLine::new(buffer, row, cells);
        let mut rows = line.rows.len();
        if row == caret.row {
            rows = rows.max(cell_of(buffer, &line, caret, cells).1 + 1);
        }
        count += rows;
        if count >= limit {
            return limit;
        }
    }
    count
}

/// The rows in view, and the caret among them.
pub fn window(
    buffer: &EditBuffer,
    marked: Option<&Range<Place>>,
    cells: usize,
    height: usize,
) -> (Vec<FieldRow>, CellAt) {
    let caret = buffer.caret();
    let shown = |row| ShownLine::new(buffer, row, cells).marked(buffer, row, marked);
    let line = shown(caret.row);
    let (x, mut y) = cell_of(buffer, &line, caret, cells);
    let mut rows: VecDeque<FieldRow> = line.all_rows().into();
    if y >= rows.len() {
        rows.push_back(vec![RowPart::Text(String::new())]);
    }
    for above in (0..caret.row).rev() {
        if y + 1 >= height {
            break;
        }
        for row in shown(above).all_rows().into_iter().rev() {
            rows.push_front(row);
            y += 1;
        }
    }
    for below in caret.row + 1..buffer.lines().len() {
        if rows.len() >= y + height {
            break;
        }
        rows.extend(shown(below).all_rows());
    }
    let top = (y + 1).saturating_sub(height);
    (rows.into_iter().skip(top).take(height).collect(), (x, y.saturating_sub(top)))
}

/// The column of the caret.
pub fn column(buffer: &EditBuffer, cells: usize) -> usize {
    let caret = buffer.caret();
    cell_of(buffer, &ShownLine::new(buffer, caret.row, cells), caret, cells).0
}

/// The position one row above the caret or below it, as near to `column` as possible; `None` at the edge.
pub fn step(buffer: &EditBuffer, down: bool, column: usize, cells: usize) -> Option<Place> {
    let caret = buffer.caret();
    let line = ShownLine::new(buffer, caret.row, cells);
    let (_, y) = cell_of(buffer, &line, caret, cells);
    if down && y + 1 < line.rows.len() {
        return Some(nearest(buffer, caret.row, (column, y + 1), cells));
    }
    if !down && y > 0 {
        return Some(nearest(buffer, caret.row, (column, y - 1), cells));
    }
    if down {
        let below = Some(caret.row + 1).filter(|row| *row < buffer.lines().len())?;
        return Some(nearest(buffer, below, (column, 0), cells));
    }
    let above = caret.row.checked_sub(1)?;
    let rows = ShownLine::new(buffer, above, cells).rows.len();
    Some(nearest(buffer, above, (column, rows.saturating_sub(1)), cells))
}

/// The last position of a line that is not after this cell.
fn nearest(buffer: &EditBuffer, row: usize, (x, y): CellAt, cells: usize) -> Place {
    let line = ShownLine::new(buffer, row, cells);
    let ends = units(buffer.line(row)).into_iter().map(|unit| unit.end);
    let borders: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let count = borders.partition_point(|byte| {
        let (column, found) = cell_of(buffer, &line, Place { row, byte: *byte }, cells);
        (found, column) <= (y, x)
    });
    Place { row, byte: borders.get(count.saturating_sub(1)).copied().unwrap_or(0) }
}
