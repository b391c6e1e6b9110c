//! Moves of the caret: over units, which are grapheme clusters, chips and ends of lines.

use std::ops::Range;

use super::buffer::EditBuffer;
use super::chips::{is_mark, parts};
use crate::text::width::clusters;

/// A position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    pub row: usize,
    /// The byte offset in the line.
    pub byte: usize,
}

/// A position that is reached from the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    Top,
    Bottom,
}

/// The kind of a unit for moves by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    Blank,
    Word,
    Mark,
    Chip,
}

impl UnitKind {
    pub fn of(unit: &str) -> Self {
        match unit.chars().next() {
            Some(c) if is_mark(c) => Self::Chip,
            Some(c) if c.is_alphanumeric() || c == '_' => Self::Word,
            Some(c) if c.is_whitespace() => Self::Blank,
            Some(_) | None => Self::Mark,
        }
    }
}

/// The units of a line, in order, without gaps.
pub fn units(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for (text, mark) in parts(line) {
        found.extend(clusters(text).map(|one| at + one.start..at + one.end()));
        at += text.len();
        if let Some(mark) = mark {
            found.push(at..at + mark.len_utf8());
            at += mark.len_utf8();
        }
    }
    found
}

/// Returns this position, or the end of the unit around it.
pub fn border_from(line: &str, at: usize) -> usize {
    let at = at.min(line.len());
    units(line).iter().find(|unit| unit.start < at && at < unit.end).map_or(at, |unit| unit.end)
}

pub fn position(buffer: &EditBuffer, goal: Goal) -> Place {
    let at = buffer.caret();
    let last = buffer.lines().len().saturating_sub(1);
    let end_of = |row| Place { row, byte: buffer.line(row).len() };
    match goal {
        Goal::Left => before(buffer, at).next().map_or(at, |(_, place)| place),
        Goal::Right => after(buffer, at).next().map_or(at, |(_, place)| place),
        Goal::WordLeft => over_word(at, before(buffer, at)),
        Goal::WordRight => over_word(at, after(buffer, at)),
        Goal::LineStart => Place { byte: 0, ..at },
        Goal::LineEnd => end_of(at.row),
        Goal::Top => Place::default(),
        Goal::Bottom => end_of(last),
    }
}

/// The units after a position, in order, each with the border behind it. The end of a line is a blank.
pub fn after(buffer: &EditBuffer, from: Place) -> impl Iterator<Item = (UnitKind, Place)> {
    let count = buffer.lines().len();
    (from.row..count).flat_map(move |row| {
        let line = buffer.line(row);
        let first = if row == from.row { from.byte } else { 0 };
        let found = units(line).into_iter().filter(move |unit| unit.start >= first);
        let found = found.map(move |unit| {
            let kind = UnitKind::of(line.get(unit.clone()).unwrap_or_default());
            (kind, Place { row, byte: unit.end })
        });
        let next = (row + 1 < count).then_some((UnitKind::Blank, Place { row: row + 1, byte: 0 }));
        found.chain(next)
    })
}

/// The units before a position, the nearest first, each with the border before it.
pub fn before(buffer: &EditBuffer, from: Place) -> impl Iterator<Item = (UnitKind, Place)> {
    (0..=from.row).rev().flat_map(move |row| {
        let line = buffer.line(row);
        let last = if row == from.row { from.byte } else { line.len() };
        let found = units(line).into_iter().rev().filter(move |unit| unit.end <= last);
        let found = found.map(move |unit| {
            let kind = UnitKind::of(line.get(unit.clone()).unwrap_or_default());
            (kind, Place { row, byte: unit.start })
        });
        let end_of = |row| Place { row, byte: buffer.line(row).len() };
        let previous = row.checked_sub(1).map(|row| (UnitKind::Blank, end_of(row)));
        found.chain(previous)
    })
}

/// Moves over blanks, then over units of one kind.
fn over_word(from: Place, units: impl Iterator<Item = (UnitKind, Place)>) -> Place {
    let (mut at, mut kind) = (from, UnitKind::Blank);
    for (found, place) in units {
        let goes_on = kind == UnitKind::Blank || (found == kind && kind != UnitKind::Chip);
        if !goes_on {
            break;
        }
        (at, kind) = (place, found);
    }
    at
}
