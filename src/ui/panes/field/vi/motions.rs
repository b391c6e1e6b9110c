//! The targets of vi motions. A unit is a grapheme cluster or a chip; the end of a line is a blank between
//! two lines.

use std::ops::Range;

use crate::panes::field::buffer::EditBuffer;
use crate::panes::field::moves::{Place, UnitKind, after, before, units};

/// The definition of a word: letters or marks, or everything between blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordSize {
    Small,
    Big,
}

/// A search for a character in its line: `f`, `F`, `t`, `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindChar {
    pub wanted: char,
    pub back: bool,
    /// Stops one unit before it.
    pub till: bool,
}

impl WordSize {
    fn class(self, kind: UnitKind) -> UnitKind {
        match (self, kind) {
            (_, UnitKind::Blank) => UnitKind::Blank,
            (Self::Big, _) => UnitKind::Word,
            (Self::Small, kind) => kind,
        }
    }
}

pub fn end_of(buffer: &EditBuffer, row: usize) -> Place {
    Place { row, byte: buffer.line(row).len() }
}

pub fn last_row(buffer: &EditBuffer) -> usize {
    buffer.lines().len().saturating_sub(1)
}

/// The last unit of a line; its start if it is empty.
pub fn last_in(buffer: &EditBuffer, row: usize) -> Place {
    let byte = units(buffer.line(row)).last().map_or(0, |unit| unit.start);
    Place { row, byte }
}

pub fn first_nonblank(buffer: &EditBuffer, row: usize) -> Place {
    let line = buffer.line(row);
    let text = line.trim_start();
    let blank = line.len() - text.len();
    if text.is_empty() { last_in(buffer, row) } else { Place { row, byte: blank } }
}

/// True if there is no word here.
pub fn is_blank(buffer: &EditBuffer, at: Place) -> bool {
    after(buffer, at).next().is_none_or(|(kind, _)| kind == UnitKind::Blank)
}

/// The border after the unit here, in the line.
pub fn right(buffer: &EditBuffer, at: Place) -> Place {
    let end = end_of(buffer, at.row);
    after(buffer, at).next().map_or(at, |(_, place)| place.min(end))
}

pub fn left(buffer: &EditBuffer, at: Place) -> Place {
    let start = Place { byte: 0, ..at };
    before(buffer, at).next().map_or(at, |(_, place)| place.max(start))
}

/// The beginning of the next word; the end of the text if there is none.
pub fn word_forward(buffer: &EditBuffer, at: Place, size: WordSize) -> Place {
    let mut start = at;
    let mut class = None;
    for (kind, end) in after(buffer, at) {
        let found = size.class(kind);
        let here = *class.get_or_insert(found);
        let begins = found != UnitKind::Blank && (found != here || here == UnitKind::Chip);
        if begins && start != at {
            return start;
        }
        if found == UnitKind::Blank {
            class = Some(UnitKind::Blank);
        }
        start = end;
    }
    start
}

/// The beginning of this word, or of the one before.
pub fn word_back(buffer: &EditBuffer, at: Place, size: WordSize) -> Place {
    let (mut reached, mut class) = (at, UnitKind::Blank);
    for (kind, start) in before(buffer, at) {
        let found = size.class(kind);
        if class != UnitKind::Blank && (found != class || class == UnitKind::Chip) {
            break;
        }
        (reached, class) = (start, found);
    }
    reached
}

/// The last unit of this word, or of the next one if it is the last already.
pub fn word_end(buffer: &EditBuffer, at: Place, size: WordSize) -> Place {
    let (mut start, mut reached, mut class) = (right(buffer, at), at, UnitKind::Blank);
    if start == end_of(buffer, at.row) && at.row < last_row(buffer) {
        start = Place { row: at.row + 1, byte: 0 };
    }
    for (kind, end) in after(buffer, start) {
        let found = size.class(kind);
        if class != UnitKind::Blank && (found != class || class == UnitKind::Chip) {
            break;
        }
        (reached, class, start) = (start, found, end);
    }
    if class == UnitKind::Blank { last_in(buffer, last_row(buffer)).max(at) } else { reached }
}

/// The unit that is looked for; `None` if it is not in the line.
pub fn find(buffer: &EditBuffer, at: Place, find: FindChar, count: usize) -> Option<Place> {
    let line = buffer.line(at.row);
    let all = units(line);
    let here = all.iter().position(|unit| unit.start >= at.byte).unwrap_or(all.len());
    let is_it = |unit: &Range<usize>| {
        line.get(unit.clone()).is_some_and(|text| text.starts_with(find.wanted))
    };
    let nth = count.max(1) - 1;
    let found = if find.back {
        let before = all.get(..here).unwrap_or_default();
        let found = before.iter().enumerate().rev().filter(|(_, unit)| is_it(unit)).nth(nth)?.0;
        if find.till { found + 1 } else { found }
    } else {
        let after = all.iter().enumerate().skip(here + 1);
        let found = after.filter(|(_, unit)| is_it(unit)).nth(nth)?.0;
        if find.till { found - 1 } else { found }
    };
    all.get(found).map(|unit| Place { byte: unit.start, ..at })
}

/// The next empty line, or the end of the text.
pub fn paragraph(buffer: &EditBuffer, at: Place, down: bool) -> Place {
    let is_empty = |row: &usize| buffer.line(*row).is_empty();
    if down {
        let found = (at.row + 1..=last_row(buffer)).find(is_empty);
        return found
            .map_or_else(|| end_of(buffer, last_row(buffer)), |row| Place { row, byte: 0 });
    }
    let found = (0..at.row).rev().find(is_empty);
    found.map_or_else(Place::default, |row| Place { row, byte: 0 })
}

/// The word here or the blanks here; with `around` also the blanks after it, or else before it.
pub fn word_object(buffer: &EditBuffer, at: Place, size: WordSize, around: bool) -> Range<Place> {
    let line = buffer.line(at.row);
    let found: Vec<(Range<usize>, UnitKind)> = units(line)
        .into_iter()
        .map(|unit| (unit.clone(), size.class(UnitKind::of(line.get(unit).unwrap_or_default()))))
        .collect();
    let here = found.iter().rposition(|(unit, _)| unit.start <= at.byte).unwrap_or(0);
    let class = |index: usize| found.get(index).map(|(_, class)| *class);
    let own = class(here);
    let (mut first, mut last) = (here, here);
    if own != Some(UnitKind::Chip) {
        while first > 0 && class(first - 1) == own {
            first -= 1;
        }
        while class(last + 1).is_some() && class(last + 1) == own {
            last += 1;
        }
    }
    if around {
        let until = last;
        while class(last + 1) == Some(UnitKind::Blank) {
            last += 1;
        }
        while last == until && first > 0 && class(first - 1) == Some(UnitKind::Blank) {
            first -= 1;
        }
    }
    let start = found.get(first).map_or(0, |(unit, _)| unit.start);
    let end = found.get(last).map_or(line.len(), |(unit, _)| unit.end);
    Place { byte: start, ..at }..Place { byte: end, ..at }
}

/// Returns the range between two quotes of the line; with `around`, the quotes too.
pub fn quote_object(
    buffer: &EditBuffer,
    at: Place,
    quote: char,
    around: bool,
) -> Option<Range<Place>> {
    let line = buffer.line(at.row);
    let quotes: Vec<usize> = line.match_indices(quote).map(|(byte, _)| byte).collect();
    let pair =
        quotes.chunks_exact(2).find(|pair| pair.last().is_some_and(|end| *end >= at.byte))?;
    let &[open, close] = pair else { return None };
    let width = quote.len_utf8();
    let (start, end) = if around { (open, close + width) } else { (open + width, close) };
    Some(Place { byte: start, ..at }..Place { byte: end, ..at })
}
