//! Finds full rows that only moved since the last frame, so that the terminal can move them itself, and those
//! that became blank together.

use std::ops::Range;

use super::grid::{Grid, Row, Shift};

/// With fewer changed rows, no movement is searched: that would cost more than it saves.
const MIN_CHANGED: usize = 4;
/// The cells that a movement has to save. Its sequence takes about 20 bytes.
const MIN_SAVED: isize = 40;
/// Rows to clear that make one sequence shorter than erasing each.
const MIN_CLEARED: usize = 8;

/// Rows that are to be moved, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Movement {
    pub rows: Range<u16>,
    pub lines: u16,
    pub shift: Shift,
}

/// A wanted row and the row that shows the same now.
#[derive(Debug, Clone, Copy)]
struct Pair {
    wanted: usize,
    shown: usize,
}

/// The rows that differ.
pub(super) fn changed_rows(shown: &Grid, wanted: &Grid) -> Vec<u16> {
    let rows = (0_u16..).zip(shown.rows().iter().zip(wanted.rows()));
    rows.filter(|(_, (shown, wanted))| shown != wanted).map(|(y, _)| y).collect()
}

/// Returns the movement of rows, of those that are `changed`, that saves most, if any does. Whatever the
/// movement, the screen is right after the rows that still differ are written.
pub(super) fn find(shown: &Grid, wanted: &Grid, changed: &[u16]) -> Option<Movement> {
    if changed.len() < MIN_CHANGED {
        return None;
    }
    let height = wanted.rows().len();
    let mut by_distance: Vec<Vec<Pair>> = vec![Vec::new(); 2 * height];
    for to in changed.iter().copied().map(usize::from) {
        for from in rows_like(shown, wanted, to) {
            if let Some(pairs) = by_distance.get_mut(height + from - to) {
                pairs.push(Pair { wanted: to, shown: from });
            }
        }
    }
    // No movement saves more than the rows it brings to their places.
    let brings = |pairs: &&Vec<Pair>| {
        pairs.iter().map(|pair| weight(wanted.rows().get(pair.wanted))).sum::<isize>() >= MIN_SAVED
    };
    by_distance
        .iter()
        .filter(brings)
        .filter_map(|pairs| movement(pairs))
        .map(|one| (saved(&one, shown, wanted), one))
        .filter(|(saved, _)| *saved >= MIN_SAVED)
        .max_by_key(|(saved, _)| *saved)
        .map(|(_, movement)| movement)
}

/// The most rows one below another that are blank now, as a movement out of view: one sequence clears them all.
pub(super) fn cleared(shown: &Grid, wanted: &Grid) -> Option<Movement> {
    let mut runs: Vec<(Range<u16>, usize)> = Vec::new();
    let rows = (0_u16..).zip(shown.rows().iter().zip(wanted.rows()));
    for (y, (shown, _)) in rows.filter(|(_, (_, wanted))| wanted.is_blank()) {
        let changed = usize::from(!shown.is_blank());
        match runs.last_mut().filter(|(rows, _)| rows.end == y) {
            Some((rows, count)) => (rows.end, *count) = (y + 1, *count + changed),
            None => runs.push((y..y + 1, changed)),
        }
    }
    let (rows, changed) = runs.into_iter().max_by_key(|(_, changed)| *changed)?;
    let lines = rows.end - rows.start;
    (changed >= MIN_CLEARED).then_some(Movement { rows, lines, shift: Shift::Up })
}

/// The other rows that show now what row `to` is to show, unless that is nothing.
fn rows_like(shown: &Grid, wanted: &Grid, to: usize) -> impl Iterator<Item = usize> {
    let row = wanted.rows().get(to).filter(|row| !row.is_blank());
    let same = move |(from, now): &(usize, &Row)| *from != to && Some(*now) == row;
    shown.rows().iter().enumerate().filter(same).map(|(from, _)| from)
}

/// The cells that hold something.
fn weight(row: Option<&Row>) -> isize {
    row.map_or(0, |row| isize::try_from(row.filled()).unwrap_or(isize::MAX))
}

/// The smallest band that takes all these rows, which have the same distance, to their places.
fn movement(pairs: &[Pair]) -> Option<Movement> {
    let (first, last) = (pairs.first()?, pairs.last()?);
    let (lines, shift) = if first.shown > first.wanted {
        (first.shown - first.wanted, Shift::Up)
    } else {
        (first.wanted - first.shown, Shift::Down)
    };
    let start = u16::try_from(first.wanted.min(first.shown)).ok()?;
    let end = u16::try_from(last.wanted.max(last.shown) + 1).ok()?;
    Some(Movement { rows: start..end, lines: u16::try_from(lines).ok()?, shift })
}

/// Returns the number of cells that need not be written, less those that have to be written again.
fn saved(movement: &Movement, shown: &Grid, wanted: &Grid) -> isize {
    let Movement { rows, lines, shift } = movement;
    let worth = |y: u16| weight(wanted.row(y));
    rows.clone()
        .map(|y| {
            let from = match shift {
                Shift::Up => y.checked_add(*lines).filter(|from| rows.contains(from)),
                Shift::Down => y.checked_sub(*lines).filter(|from| rows.contains(from)),
            };
            let is_now = shown.row(y) == wanted.row(y);
            let is_then = from.is_some_and(|from| shown.row(from) == wanted.row(y));
            match (is_now, is_then) {
                (false, true) => worth(y),
                (true, false) => -worth(y).max(1),
                (true, true) | (false, false) => 0,
            }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::super::cell::{Glyph, ScreenCell};
    use super::*;

    const WIDTH: u16 = 30;

    /// A grid with these rows; `.` leaves a cell blank.
    fn grid(rows: &[&str]) -> Grid {
        let height = u16::try_from(rows.len()).unwrap();
        let mut grid = Grid::new(Size::new(WIDTH, height));
        for (y, text) in (0..).zip(rows) {
            for (x, glyph) in (0..WIDTH).zip(text.chars().cycle()).filter(|(_, c)| *c != '.') {
                grid.put(x, y, ScreenCell { glyph: Glyph::Char(glyph), ..ScreenCell::BLANK });
            }
        }
        grid
    }

    fn found(before: &[&str], after: &[&str]) -> Option<(Range<u16>, u16, Shift)> {
        let (shown, wanted) = (grid(before), grid(after));
        let changed = changed_rows(&shown, &wanted);
        find(&shown, &wanted, &changed).map(|one| (one.rows, one.lines, one.shift))
    }

    #[test]
    fn rows_that_moved_are_found_with_what_stands_around_them() {
        let before = ["head", "ab", "cd", "ef", "gh", "ij", "foot"];
        for (after, expected) in [
            (["head", "cd", "ef", "gh", "ij", "kl", "foot"], Some((1..6, 1, Shift::Up))),
            (["head", "ef", "gh", "ij", ".", ".", "foot"], Some((1..6, 2, Shift::Up))),
            (["head", "yz", "ab", "cd", "ef", "gh", "foot"], Some((1..6, 1, Shift::Down))),
            (["head", "ab", "cd", "ef", "gh", "ij", "foot"], None),
            (["head", "1", "2", "3", "4", "5", "foot"], None),
        ] {
            assert_eq!(found(&before, &after), expected, "{after:?}");
        }
    }

    #[test]
    fn one_row_that_looks_like_another_moves_nothing_else() {
        let before = ["ab", "cd", "ef", "gh", "ij", "kl"];
        assert_eq!(found(&before, &["kl", "12", "34", "56", "78", "90"]), None, "one row");
        assert_eq!(
            found(&before, &["ab", "cd", "ij", "kl", "12", "34"]),
            Some((2..6, 2, Shift::Up))
        );
    }

    #[test]
    fn blank_rows_are_no_reason_to_move() {
        let (blank, full) = ([".", ".", ".", ".", ".", "ab"], ["ab", "cd", "ef", "gh", "ij", "."]);
        assert_eq!(found(&full, &blank), None);
    }
}
