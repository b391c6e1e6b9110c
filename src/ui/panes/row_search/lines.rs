//! Finds matches in rows. Rows that go on with the line of the row above are searched as one text, so that a
//! break hides no match.

use std::collections::BTreeMap;
use std::ops::Range;

use super::MAX_PER_ROW;
use crate::domain::text::search_pattern::SearchPattern;
use crate::panes::strip::{Joint, Strip};

/// A row to be searched.
#[derive(Debug, Clone, Default)]
pub struct SearchedRow {
    text: String,
    joint: Option<Joint>,
}

impl From<String> for SearchedRow {
    fn from(text: String) -> Self {
        Self { text, joint: None }
    }
}

impl From<&Strip> for SearchedRow {
    fn from(row: &Strip) -> Self {
        Self { text: row.plain(), joint: row.joint() }
    }
}

/// A match: the row in which it begins, and which of the matches that begin there.
pub(super) type MatchId = (usize, usize);

/// A part of a row, and the match it belongs to.
pub(super) type Part = (Range<usize>, MatchId);

/// The matches.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Rows in which matches begin, and their number.
    pub counts: Vec<(usize, usize)>,
    /// The parts of all matches in the rows of lines that have a match across a break.
    pub broken: BTreeMap<usize, Vec<Part>>,
}

/// Searches all rows.
pub(super) fn found(pattern: &SearchPattern, rows: impl Iterator<Item = SearchedRow>) -> Found {
    let mut found = Found::default();
    let mut line = Line::default();
    for (at, row) in rows.enumerate() {
        if row.joint.is_none() {
            line.search(pattern, &mut found);
            line = Line::default();
        }
        line.push(at, row);
    }
    line.search(pattern, &mut found);
    found
}

/// The rows of a line, and their texts with the blanks that the breaks dropped.
#[derive(Debug, Default)]
struct Line {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    at: usize,
    row: String,
    /// The offset of the row's text within the row, and its place in the text of the line.
    indent: usize,
    place: Range<usize>,
}

impl Line {
    fn push(&mut self, at: usize, SearchedRow { text: row, joint }: SearchedRow) {
        let Joint { indent, blanks } = joint.unwrap_or_default();
        self.text.extend(std::iter::repeat_n(' ', blanks));
        let start = self.text.len();
        self.text.push_str(row.get(indent..).unwrap_or_default());
        self.pieces.push(Piece { at, row, indent, place: start..self.text.len() });
    }

    fn search(&self, pattern: &SearchPattern, found: &mut Found) {
        let is_broken = |range: &Range<usize>| {
            let holds =
                |piece: &Piece| piece.place.start <= range.start && range.end <= piece.place.end;
            !self.pieces.iter().any(holds) && self.parts(range).next().is_some()
        };
        if self.pieces.len() < 2 || !pattern.ranges(&self.text).any(|range| is_broken(&range)) {
            let counted =
                self.pieces.iter().map(|piece| (piece.at, pattern.count(&piece.row, MAX_PER_ROW)));
            found.counts.extend(counted.filter(|(_, count)| *count > 0));
            return;
        }
        for range in pattern.ranges(&self.text) {
            let Some((row, _)) = self.parts(&range).next() else { continue };
            match found.counts.last_mut().filter(|(last, _)| *last == row) {
                Some((_, count)) if *count >= MAX_PER_ROW => continue,
                Some((_, count)) => *count += 1,
                None => found.counts.push((row, 1)),
            }
            let nth = found.counts.last().map_or(0, |(_, count)| count - 1);
            for (at, part) in self.parts(&range) {
                found.broken.entry(at).or_default().push((part, (row, nth)));
            }
        }
    }

    /// The rows that have something of a part of the text, and what of them that is.
    fn parts(&self, range: &Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let first = self.pieces.partition_point(|piece| piece.place.end <= range.start);
        let Range { start, end } = range.clone();
        let pieces = self.pieces.iter().skip(first).take_while(move |one| one.place.start < end);
        pieces.map(move |piece| {
            let in_row = |place: usize| {
                let place = place.clamp(piece.place.start, piece.place.end);
                place - piece.place.start + piece.indent
            };
            (piece.at, in_row(start)..in_row(end))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Style;

    use super::*;
    use crate::panes::transcript::prose::plain_rows;

    proptest! {
        #[test]
        fn a_break_hides_no_match_and_makes_none(
            text in "[ab ]{0,40}(\n[ab ]{0,40})?", wanted in "[ab]([ab ]{0,3}[ab])?",
            width in 2usize..20, indent in 0usize..4,
        ) {
            let pattern = SearchPattern::new(&wanted);
            let rows = plain_rows(&text, indent, width, Style::default());
            let found = found(&pattern, rows.iter().map(SearchedRow::from));
            let count: usize = found.counts.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(count, pattern.ranges(text.trim_end()).count());
            prop_assert!(found.counts.is_sorted());
            for (row, parts) in &found.broken {
                let plain = rows[*row].plain();
                for (part, _) in parts {
                    let shown = plain.get(part.clone());
                    prop_assert!(shown.is_some_and(|shown| !shown.is_empty() && wanted.contains(shown)));
                }
            }
        }
    }
}
