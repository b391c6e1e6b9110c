//! How the text of a field is shown: rows broken between words, and where the caret is among them.

use std::collections::VecDeque;
use std::ops::Range;

use super::buffer::EditBuffer;
use crate::ui::text::width::width;
use crate::ui::text::{SafeText, wrap};

/// A part of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowPart {
    Text(String),
    Chip(String),
}

pub type FieldRow = Vec<RowPart>;

/// Column and row.
pub type CellAt = (usize, usize);

/// A line as it is shown: clean, with the labels of chips.
struct ShownLine {
    text: String,
    /// The labels in it.
    labels: Vec<Range<usize>>,
    rows: Vec<Range<usize>>,
}

impl ShownLine {
    fn new(buffer: &EditBuffer, line: &Range<usize>, cells: usize) -> Self {
        let mut labels = Vec::new();
        let text = shown(buffer, line, |label| labels.push(label));
        let rows = wrap(&text, cells);
        Self { text, labels, rows }
    }

    fn row(&self, row: &Range<usize>) -> FieldRow {
        let mut parts = Vec::new();
        let mut at = row.start;
        let part = |range: Range<usize>| self.text.get(range).unwrap_or_default().to_owned();
        for label in &self.labels {
            let (start, end) = (label.start.clamp(at, row.end.max(at)), label.end.min(row.end));
            if end <= start {
                continue;
            }
            if start > at {
                parts.push(RowPart::Text(part(at..start)));
            }
            parts.push(RowPart::Chip(part(start..end)));
            at = end;
        }
        if at < row.end || parts.is_empty() {
            parts.push(RowPart::Text(part(at..row.end)));
        }
        parts
    }

    fn all_rows(&self) -> Vec<FieldRow> {
        self.rows.iter().map(|row| self.row(row)).collect()
    }

    /// Where the byte `offset` of the shown text is. A caret that does not fit into its row is at the start
    /// of the next one, which may be one more than the text has.
    fn cell_at(&self, offset: usize, cells: usize) -> CellAt {
        let row = self.rows.iter().rposition(|row| row.start <= offset).unwrap_or(0);
        let start = self.rows.get(row).map_or(0, |row| row.start);
        let x = width(self.text.get(start..offset).unwrap_or_default());
        if x >= cells { (0, row + 1) } else { (x, row) }
    }
}

/// The clean text of a part of a line, with labels for its chips; their places are given to `label`.
fn shown(buffer: &EditBuffer, range: &Range<usize>, mut label: impl FnMut(Range<usize>)) -> String {
    let mut raw = String::new();
    let mut at = range.start;
    let inside = buffer
        .chips()
        .iter()
        .filter(|chip| range.start <= chip.range.start && chip.range.end <= range.end);
    for chip in inside {
        raw.push_str(buffer.part(&(at..chip.range.start)));
        let start = SafeText::clean(&raw).as_str().len();
        raw.push_str(&chip.label);
        label(start..SafeText::clean(&raw).as_str().len());
        at = chip.range.end;
    }
    raw.push_str(buffer.part(&(at..range.end)));
    SafeText::clean(&raw).into_string()
}

/// Where a position of the text is among the rows of its line.
fn cell_of(buffer: &EditBuffer, line: &ShownLine, range: Range<usize>, cells: usize) -> CellAt {
    let offset = shown(buffer, &range, |_| ()).len().min(line.text.len());
    line.cell_at(offset, cells)
}

/// Rows that the text takes, counted up to `limit`.
pub fn height(buffer: &EditBuffer, cells: usize, limit: usize) -> usize {
    let (mut count, mut start) = (0, 0);
    loop {
        let range = buffer.line_at(start);
        let line = ShownLine::new(buffer, &range, cells);
        let mut rows = line.rows.len();
        if range.start <= buffer.caret() && buffer.caret() <= range.end {
            let caret = cell_of(buffer, &line, range.start..buffer.caret(), cells);
            rows = rows.max(caret.1 + 1);
        }
        count += rows;
        if count >= limit || range.end >= buffer.text().len() {
            return count.min(limit);
        }
        start = range.end + 1;
    }
}

/// The rows in view, and the caret among them.
pub fn window(buffer: &EditBuffer, cells: usize, height: usize) -> (Vec<FieldRow>, CellAt) {
    let range = buffer.line_at(buffer.caret());
    let line = ShownLine::new(buffer, &range, cells);
    let (x, mut row) = cell_of(buffer, &line, range.start..buffer.caret(), cells);
    let mut rows: VecDeque<FieldRow> = line.all_rows().into();
    if row >= rows.len() {
        rows.push_back(vec![RowPart::Text(String::new())]);
    }
    let mut start = range.start;
    while start > 0 && row + 1 < height {
        let above = buffer.line_at(start - 1);
        for text in ShownLine::new(buffer, &above, cells).all_rows().into_iter().rev() {
            rows.push_front(text);
            row += 1;
        }
        start = above.start;
    }
    let mut end = range.end;
    while rows.len() < row + height && end < buffer.text().len() {
        let below = buffer.line_at(end + 1);
        rows.extend(ShownLine::new(buffer, &below, cells).all_rows());
        end = below.end;
    }
    let top = (row + 1).saturating_sub(height);
    (rows.into_iter().skip(top).take(height).collect(), (x, row.saturating_sub(top)))
}

/// The column of the caret.
pub fn column(buffer: &EditBuffer, cells: usize) -> usize {
    let range = buffer.line_at(buffer.caret());
    let line = ShownLine::new(buffer, &range, cells);
    cell_of(buffer, &line, range.start..buffer.caret(), cells).0
}

/// The position one row above the caret or below it, as near to `column` as possible; `None` at the edge.
pub fn step(buffer: &EditBuffer, down: bool, column: usize, cells: usize) -> Option<usize> {
    let range = buffer.line_at(buffer.caret());
    let line = ShownLine::new(buffer, &range, cells);
    let (_, row) = cell_of(buffer, &line, range.start..buffer.caret(), cells);
    if down && row + 1 < line.rows.len() {
        return Some(nearest(buffer, &range, (column, row + 1), cells));
    }
    if !down && row > 0 {
        return Some(nearest(buffer, &range, (column, row - 1), cells));
    }
    if down {
        let below = buffer.line_at(Some(range.end + 1).filter(|at| *at <= buffer.text().len())?);
        return Some(nearest(buffer, &below, (column, 0), cells));
    }
    let above = buffer.line_at(range.start.checked_sub(1)?);
    let rows = ShownLine::new(buffer, &above, cells).rows.len();
    Some(nearest(buffer, &above, (column, rows.saturating_sub(1)), cells))
}

/// The last position of a line that is not after this cell.
fn nearest(buffer: &EditBuffer, range: &Range<usize>, (x, y): CellAt, cells: usize) -> usize {
    let line = ShownLine::new(buffer, range, cells);
    let ends = buffer.units(range).into_iter().map(|unit| unit.end);
    let borders: Vec<usize> = std::iter::once(range.start).chain(ends).collect();
    let count = borders.partition_point(|at| {
        let (column, row) = cell_of(buffer, &line, range.start..*at, cells);
        (row, column) <= (y, x)
    });
    borders.get(count.saturating_sub(1)).copied().unwrap_or(range.start)
}
