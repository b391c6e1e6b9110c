//! Tables: columns side by side where they fit, one value per line where they do not.

use pulldown_cmark::Alignment;

use super::super::clean::SafeText;
use super::super::width::width;
use super::super::wrap::wrap;
use super::flow::{Flow, TextStyle};
use super::{StyledLine, StyledSpan};
use crate::theme::{Glyphs, Role};

/// The text between two columns.
const SEPARATOR: &str = "  ";
/// The minimum width of a squeezed column.
const MIN_COLUMN_WIDTH: usize = 5;
/// Tables with more columns are shown one value per line.
const MAX_COLUMNS: usize = 24;

/// A table being parsed. The first row is the head.
#[derive(Debug)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Flow>>,
    row: Vec<Flow>,
}

impl Table {
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub fn push_cell(&mut self, cell: &Flow) {
        let in_head = self.rows.is_empty();
        self.row.push(if in_head { cell.in_role(Role::TextStrong) } else { cell.clone() });
    }

    pub fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// The table in lines of at most `room` cells.
    pub fn lines(&self, available: usize, glyphs: &Glyphs) -> Vec<StyledLine> {
        match self.column_widths(available) {
            Some(widths) => self.side_by_side(&widths, glyphs),
            None => self.one_per_line(available),
        }
    }

    /// The width of each column, squeezed to fit; `None` if they cannot fit.
    fn column_widths(&self, available: usize) -> Option<Vec<usize>> {
        let columns = self.alignments.len();
        if columns == 0 || columns > MAX_COLUMNS {
            return None;
        }
        let available = available.checked_sub(SEPARATOR.len() * (columns - 1))?;
        let mut widths = vec![1; columns];
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = cell.text().split('\n').map(width).fold(*widest, usize::max);
            }
        }
        for width in &mut widths {
            *width = (*width).min(available);
        }
        while widths.iter().sum::<usize>() > available {
            let widest = widths.iter_mut().max().filter(|width| **width > MIN_COLUMN_WIDTH)?;
            *widest -= 1;
        }
        Some(widths)
    }

    fn side_by_side(&self, widths: &[usize], glyphs: &Glyphs) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            self.push_row(row, widths, &mut lines);
            if at == 0 {
                let total = widths.iter().sum::<usize>() + SEPARATOR.len() * (widths.len() - 1);
                let rule = SafeText::clean(&glyphs.rule.repeat(total));
                lines.push(StyledLine::plain(Role::Rule, rule));
            }
        }
        lines
    }

    /// Adds one row of the table: as many lines as its tallest cell.
    fn push_row(&self, row: &[Flow], widths: &[usize], lines: &mut Vec<StyledLine>) {
        let cells: Vec<Vec<StyledLine>> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| cell.lines(wrap(cell.text(), *width)))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let mut line = StyledLine::default();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                if column > 0 {
                    line.spans.push(blank(SEPARATOR.len()));
                }
                let part = cell.get(at).cloned().unwrap_or_default();
                let alignment = self.alignments.get(column).copied();
                push_aligned(part, *width, alignment.unwrap_or(Alignment::None), &mut line);
            }
            while line.spans.last().is_some_and(|span| span.text.as_str().trim().is_empty()) {
                line.spans.pop();
            }
            lines.push(line);
        }
    }

    /// Each value after the head of its column; a blank line between rows.
    fn one_per_line(&self, available: usize) -> Vec<StyledLine> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            if !lines.is_empty() {
                lines.push(StyledLine::default());
            }
            for (name, cell) in head.iter().zip(row) {
                let mut flow = name.clone();
                flow.push(&SafeText::clean(": "), TextStyle::default());
                flow.append(cell);
                lines.extend(flow.lines(wrap(flow.text(), available)));
            }
        }
        lines
    }
}

fn push_aligned(part: StyledLine, width: usize, alignment: Alignment, line: &mut StyledLine) {
    let free = width.saturating_sub(part.width());
    let left = match alignment {
        Alignment::None | Alignment::Left => 0,
        Alignment::Center => free / 2,
        Alignment::Right => free,
    };
    if left > 0 {
        line.spans.push(blank(left));
    }
    line.spans.extend(part.spans);
    if free > left {
        line.spans.push(blank(free - left));
    }
}

fn blank(cells: usize) -> StyledSpan {
    StyledSpan::new(Role::Text, SafeText::clean(&" ".repeat(cells)))
}
