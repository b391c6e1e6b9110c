//! Places in dialogs and other texts: at the top of a view, to go back to, and found by a search.
//!
//! A text is broken into rows. The number of a row means another place after each new width; how many letters come
//! before it does not.

use crate::domain::reading::transcript::{Block, RecordPosition};
use crate::domain::{CallId, Course, DialogId};

/// The view of a dialog when it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub dialog: DialogId,
    /// `None` for the newest course.
    pub course: Option<Course>,
    /// The position of the view; `None` while it followed the end.
    pub position: Option<ViewPosition>,
}

/// The view on a dialog: the row at its top, and the block with the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewPosition {
    pub top: BlockPosition,
    /// The row within that block.
    pub row: ReadingPlace,
    pub cursor: BlockPosition,
}

/// The record of a block, and which part of its text the block has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockPosition {
    record: RecordPosition,
    part: usize,
}

impl BlockPosition {
    pub fn of(block: &Block) -> Self {
        let part = block.part.as_ref().map_or(0, |part| part.number);
        Self { record: block.place, part }
    }
}

/// The place of a record with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlace {
    pub place: RecordPosition,
    /// The call whose block shows it, if that block is made by another record.
    pub completes: Option<CallId>,
    /// The text that was searched for.
    pub text: String,
}

/// A row of a text, over all widths until it moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadingPlace {
    /// `None` before it stood anywhere.
    place: Option<TextPlace>,
    row: usize,
    width: usize,
    rows: usize,
}

impl ReadingPlace {
    /// Returns the row at this width, which was `row` before.
    pub fn row_at<I: IntoIterator<Item = usize>>(
        &mut self,
        width: usize,
        row: usize,
        letters: impl FnOnce() -> I,
    ) -> usize {
        if width == self.width {
            return row;
        }
        self.place = self.place.filter(|_| row == self.row);
        self.place.map_or(row, |place| place.row_in(letters()))
    }

    /// Records where it is: at `row` of `rows` rows, which have these numbers of letters.
    pub fn stands_at<I: IntoIterator<Item = usize>>(
        &mut self,
        width: usize,
        (row, rows): (usize, usize),
        letters: impl FnOnce() -> I,
    ) {
        let has_moved = width == self.width && (row, rows) != (self.row, self.rows);
        if self.place.is_none() || has_moved {
            self.place = Some(TextPlace::of(letters(), row));
        }
        (self.row, self.width, self.rows) = (row, width, rows);
    }

    /// Returns the row with this place among rows of any width, for a view that goes back to it.
    pub fn row_in(self, letters: impl IntoIterator<Item = usize>) -> usize {
        self.place.map_or(self.row, |place| place.row_in(letters))
    }

    /// The row where it stood last.
    pub fn row(self) -> usize {
        self.row
    }
}

/// A row that is the same at every width, such as that of an entry.
impl From<usize> for ReadingPlace {
    fn from(row: usize) -> Self {
        Self { row, ..Self::default() }
    }
}

/// The letters before a row, and how many rows without letters come from it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TextPlace {
    letters: usize,
    blank: usize,
}

impl TextPlace {
    /// Returns the place of a row among rows with these numbers of letters.
    fn of(letters: impl IntoIterator<Item = usize>, row: usize) -> Self {
        let mut rows = letters.into_iter();
        let before = rows.by_ref().take(row).sum();
        Self { letters: before, blank: rows.take_while(|letters| *letters == 0).count() }
    }

    /// Returns the row with this place among other rows of the same text.
    fn row_in(self, letters: impl IntoIterator<Item = usize>) -> usize {
        let mut before = 0_usize;
        let up_to_place = |letters: &usize| {
            before += letters;
            before <= self.letters
        };
        let above = letters.into_iter().take_while(up_to_place).count();
        above.saturating_sub(self.blank)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::wrap::wrap;

    fn rows(text: &str, width: usize) -> Vec<usize> {
        let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        wrap(text, width).into_iter().map(|row| count(&text[row])).collect()
    }

    proptest! {
        #[test]
        fn at_every_width_the_letter_at_the_top_stays_in_the_row_at_the_top(
            text in "([a-z]{1,12}[ .]{1,2}|\\n|\\n\\n|语言 ){1,120}",
            widths in prop::collection::vec(3_usize..60, 2..8),
            at in any::<prop::sample::Index>(),
        ) {
            let first = rows(&text, widths[0]);
            let top = at.index(first.len());
            let place = TextPlace::of(first.iter().copied(), top);
            for width in &widths {
                let rows = rows(&text, *width);
                let row = place.row_in(rows.iter().copied());
                let before: usize = rows[..row].iter().sum();
                let is_blank = first[top] == 0;
                prop_assert!(is_blank || (before..before + rows[row]).contains(&place.letters));
            }
            prop_assert_eq!(place.row_in(first), top);
        }

        #[test]
        fn a_view_that_only_gets_other_widths_is_back_where_it_was_at_each(
            text in "([a-z]{1,12}[ .]{1,2}|\\n|\\n\\n|语言 ){1,120}",
            widths in prop::collection::vec(3_usize..60, 1..8),
            height in 1_usize..30,
            at in any::<prop::sample::Index>(),
        ) {
            let mut view = ReadingPlace::default();
            let mut tops = std::collections::BTreeMap::new();
            let mut top = at.index(rows(&text, widths[0]).len());
            for width in widths.iter().chain(widths.iter().rev()) {
                let rows = rows(&text, *width);
                top = view.row_at(*width, top, || rows.iter().copied());
                // No row is above the last page.
                top = top.min(rows.len().saturating_sub(height));
                view.stands_at(*width, (top, rows.len()), || rows.iter().copied());
                prop_assert_eq!(*tops.entry(*width).or_insert(top), top);
            }
        }
    }

    #[test]
    fn a_view_that_shows_everything_for_a_while_is_back_where_it_was() {
        let narrow = [0_usize, 5, 0, 0, 7, 3];
        let mut view = ReadingPlace::default();
        view.stands_at(10, (0, 6), || narrow);
        view.stands_at(10, (2, 6), || narrow);
        let wide = [0_usize, 5, 0, 10];
        assert_eq!(view.row_at(20, 2, || wide), 1, "two rows without letters stand above it");
        view.stands_at(20, (0, 4), || wide);
        assert_eq!(view.row_at(10, 0, || narrow), 2);
        view.stands_at(10, (2, 6), || narrow);
        assert_eq!(view.row_at(20, 2, || wide), 1);
        view.stands_at(10, (3, 6), || narrow);
        assert_eq!(view.row_at(20, 3, || wide), 2, "the reader has moved");
        assert_eq!(view.row_in(narrow), 3, "a view goes back to it at any width");
    }

    #[test]
    fn a_move_and_a_new_width_in_one_frame_leave_no_place_from_before() {
        let (narrow, wide) = ([5_usize, 5, 5, 5], [10_usize, 10]);
        let mut view = ReadingPlace::default();
        view.stands_at(10, (2, 4), || narrow);
        assert_eq!(view.row_at(20, 0, || wide), 0);
        view.stands_at(20, (0, 2), || wide);
        assert_eq!(view.row_at(10, 0, || narrow), 0);
    }
}
