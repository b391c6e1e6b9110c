//! Searching the rows of an overlay, the same for all of them. The overlay passes its laid-out rows, and gets
//! the row to bring into view.

mod lines;

use std::collections::BTreeMap;
use std::ops::Range;

use self::lines::{Found, MatchId, Part, found};
use super::strip::Strip;
use super::transcript::{SearchCount, Towards};
use crate::cx::UiSettings;
use crate::domain::text::search_pattern::SearchPattern;
use crate::model::ReadingPlace;
use crate::theme::Role;

pub use self::lines::SearchedRow;

/// Matches counted in one row.
const MAX_PER_ROW: usize = 100;

/// A row to bring into view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowJump {
    To(usize),
    /// Back to the start of the search: its row, and the first row in view then.
    Back {
        row: ReadingPlace,
        top: ReadingPlace,
    },
}

/// The row where an overlay is, and the first one in view.
#[derive(Debug, Clone, Copy, Default)]
struct RowPlace {
    row: ReadingPlace,
    top: ReadingPlace,
}

#[derive(Debug, Default)]
pub struct RowSearch {
    /// `None` while nothing is searched for.
    pattern: Option<SearchPattern>,
    /// Rows in which matches begin, and how many.
    counts: Vec<(usize, usize)>,
    /// The marked parts in the rows of lines that have a match across a break.
    broken: BTreeMap<usize, Vec<Part>>,
    /// The current match: the index of its row above, and which of the row.
    current: Option<(usize, usize)>,
    /// The place in the overlay now, and when the search began.
    at: RowPlace,
    start: RowPlace,
    jump: Option<RowJump>,
    /// True if the text or the rows have changed since the search.
    is_outdated: bool,
}

impl RowSearch {
    pub fn begin(&mut self) {
        *self = Self { pattern: Some(SearchPattern::default()), at: self.at, ..Self::default() };
        self.start = self.at;
    }

    /// Searches for this text, from where the search began.
    pub fn set(&mut self, text: &str) {
        self.pattern = Some(SearchPattern::new(text));
        self.current = None;
        self.is_outdated = true;
    }

    /// Goes to the next or the previous match, in a circle; false if nothing is searched for.
    pub fn step(&mut self, towards: Towards) -> bool {
        let Some((row, nth)) = self.current else { return self.is_active() };
        let count = |row: usize| self.counts.get(row).map_or(0, |(_, count)| *count);
        let last = self.counts.len().saturating_sub(1);
        let to = match towards {
            Towards::End if nth + 1 < count(row) => (row, nth + 1),
            Towards::End if row < last => (row + 1, 0),
            Towards::End => (0, 0),
            Towards::Start if nth > 0 => (row, nth - 1),
            Towards::Start => {
                let before = row.checked_sub(1).unwrap_or(last);
                (before, count(before).saturating_sub(1))
            }
        };
        self.go(to);
        true
    }

    /// Ends the search and goes back to where it began.
    pub fn leave(&mut self) {
        let RowPlace { row, top } = self.start;
        self.end();
        self.jump = Some(RowJump::Back { row, top });
    }

    /// Ends the search where it is; false if there is none.
    pub fn end(&mut self) -> bool {
        let was_active = self.is_active();
        *self = Self { at: self.at, ..Self::default() };
        was_active
    }

    pub fn is_active(&self) -> bool {
        self.pattern.is_some()
    }

    pub fn count(&self) -> Option<SearchCount> {
        self.pattern.as_ref().filter(|pattern| !pattern.is_empty())?;
        let total = self.counts.iter().map(|(_, count)| count).sum();
        let before = |(row, nth): (usize, usize)| {
            let earlier = self.counts.iter().take(row).map(|(_, count)| count);
            earlier.sum::<usize>() + nth + 1
        };
        let current = self.current.map_or(0, before);
        Some(SearchCount { current, total, has_older: false, reads_older: false })
    }

    /// True if matches are only known after the next layout.
    pub fn awaits_layout(&self) -> bool {
        self.is_active() && self.is_outdated
    }

    /// The overlay has other rows.
    pub fn rows_changed(&mut self) {
        self.is_outdated = true;
    }

    /// The row where the overlay is, and the first one in view.
    pub fn stands_at(&mut self, row: impl Into<ReadingPlace>, top: impl Into<ReadingPlace>) {
        self.at = RowPlace { row: row.into(), top: top.into() };
    }

    /// Searches the rows if they or the text have changed. Returns the row to bring into view.
    pub fn follow(
        &mut self,
        rows: impl Iterator<Item = impl Into<SearchedRow>>,
    ) -> Option<RowJump> {
        if let Some(pattern) = self.pattern.as_ref().filter(|_| self.is_outdated) {
            let current = self.current.and_then(|(at, nth)| Some((self.counts.get(at)?.0, nth)));
            let Found { counts, broken } = found(pattern, rows.map(Into::into));
            (self.counts, self.broken) = (counts, broken);
            self.is_outdated = false;
            self.current = current.and_then(|(row, nth)| self.known(row, nth));
            if matches!(self.jump, Some(RowJump::To(_))) {
                let row = self.current.and_then(|(at, _)| self.counts.get(at));
                self.jump = row.map(|(row, _)| RowJump::To(*row));
            }
            if self.current.is_none() && !self.counts.is_empty() {
                let start = self.start.row.row();
                let below = self.counts.iter().position(|(row, _)| *row >= start);
                self.go((below.unwrap_or(0), 0));
            }
        }
        self.jump.take()
    }

    /// The match of this row, if it is one still.
    fn known(&self, row: usize, nth: usize) -> Option<(usize, usize)> {
        let at = self.counts.iter().position(|(known, _)| *known == row)?;
        let (_, count) = self.counts.get(at)?;
        (nth < *count).then_some((at, nth))
    }

    fn go(&mut self, to: (usize, usize)) {
        self.current = Some(to);
        self.jump = self.counts.get(to.0).map(|(row, _)| RowJump::To(*row));
    }

    /// The row with this number, with its matches marked.
    #[must_use]
    pub fn marked(&self, at: usize, row: Strip, ui: &UiSettings) -> Strip {
        let Some(pattern) = &self.pattern else { return row };
        match self.broken.get(&at) {
            Some(parts) => self.marked_parts_of(row, parts, ui),
            None => marked_matches(row, pattern, self.current_in(at), ui),
        }
    }

    /// Marks a row in two parts, which were searched one after the other.
    #[must_use]
    pub fn marked_parts(
        &self,
        at: usize,
        (left, right): (Strip, Strip),
        ui: &UiSettings,
    ) -> (Strip, Strip) {
        let Some(pattern) = &self.pattern else { return (left, right) };
        if let Some(parts) = self.broken.get(&at) {
            return (self.marked_parts_of(left, parts, ui), right);
        }
        let current = self.current_in(at);
        let before = pattern.count(&left.plain(), MAX_PER_ROW);
        let in_right = current.and_then(|nth| nth.checked_sub(before));
        let left = marked_matches(left, pattern, current, ui);
        (left, marked_matches(right, pattern, in_right, ui))
    }

    /// A row of a line that was searched as a whole.
    fn marked_parts_of(&self, row: Strip, parts: &[Part], ui: &UiSettings) -> Strip {
        let current = self.current_id();
        let ranges: Vec<Range<usize>> = parts.iter().map(|(range, _)| range.clone()).collect();
        row.marked_ranges(&ranges, |at| {
            let is_current = parts.get(at).is_some_and(|(_, id)| Some(*id) == current);
            ui.style(if is_current { Role::SearchCurrent } else { Role::Search })
        })
    }

    fn current_id(&self) -> Option<MatchId> {
        let (at, nth) = self.current?;
        self.counts.get(at).map(|(row, _)| (*row, nth))
    }

    /// Returns which match in this row is the current one.
    fn current_in(&self, row: usize) -> Option<usize> {
        self.current_id().filter(|(known, _)| *known == row).map(|(_, nth)| nth)
    }
}

/// Marks the matches in a row; the current one, by its number in the row, differently.
#[must_use]
pub fn marked_matches(
    row: Strip,
    pattern: &SearchPattern,
    current: Option<usize>,
    ui: &UiSettings,
) -> Strip {
    let role = |nth| if current == Some(nth) { Role::SearchCurrent } else { Role::Search };
    row.marked_each(pattern, |nth| ui.style(role(nth)))
}

/// The first row in view so that this one is in its upper third.
pub fn top_for(row: usize, height: usize) -> usize {
    row.saturating_sub(height / 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROWS: [&str; 5] = ["one", "two two", "three", "two", "One"];

    fn follow(search: &mut RowSearch) -> Option<RowJump> {
        search.follow(ROWS.iter().map(|row| (*row).to_owned()))
    }

    fn shown(search: &RowSearch) -> Option<(usize, usize)> {
        search.count().map(|count| (count.current, count.total))
    }

    #[test]
    fn the_first_match_from_where_one_stands_is_shown_and_all_are_gone_through_in_a_circle() {
        let mut search = RowSearch::default();
        search.stands_at(2_usize, 1_usize);
        search.begin();
        assert_eq!((follow(&mut search), shown(&search)), (None, None));
        search.set("two");
        assert_eq!(follow(&mut search), Some(RowJump::To(3)));
        assert_eq!(shown(&search), Some((3, 3)));
        for (towards, row, current) in [
            (Towards::End, 1, 1),
            (Towards::End, 1, 2),
            (Towards::End, 3, 3),
            (Towards::Start, 1, 2),
            (Towards::Start, 1, 1),
            (Towards::Start, 3, 3),
        ] {
            assert!(search.step(towards));
            assert_eq!(follow(&mut search), Some(RowJump::To(row)));
            assert_eq!(shown(&search), Some((current, 3)));
        }
        search.set("none");
        assert_eq!((follow(&mut search), shown(&search)), (None, Some((0, 0))));
        search.leave();
        let back = RowJump::Back { row: 2_usize.into(), top: 1_usize.into() };
        assert_eq!((follow(&mut search), search.is_active()), (Some(back), false));
        assert!(!search.step(Towards::End));
    }

    proptest! {
        #[test]
        fn rows_that_change_below_a_search_never_leave_it_beyond_them(
            changes in proptest::collection::vec(("[ab]{0,3}", 0usize..6, 0usize..5), 1..20)
        ) {
            let mut search = RowSearch::default();
            search.begin();
            for (text, rows, act) in changes {
                match act {
                    0 => search.set(&text),
                    1 => drop(search.step(Towards::End)),
                    2 => drop(search.step(Towards::Start)),
                    _ => search.rows_changed(),
                }
                let rows: Vec<String> = (0..rows).map(|_| text.clone()).collect();
                let count = rows.len();
                search.rows_changed();
                match search.follow(rows.into_iter()) {
                    Some(RowJump::To(row)) => prop_assert!(row < count),
                    Some(RowJump::Back { .. }) | None => {}
                }
                if let Some(shown) = search.count() {
                    prop_assert!(shown.current <= shown.total);
                }
            }
        }
    }
}
