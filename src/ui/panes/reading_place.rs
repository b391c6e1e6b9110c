//! A place in a text that is broken into rows. A number of rows means another place after each new width; how many
//! letters come before it does not.

use super::strip::Strip;

/// The letters before a row, and how many rows without letters come from it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    letters: usize,
    blank: usize,
}

impl TextPlace {
    /// Returns the place of row `top` in rows with these numbers of letters.
    pub fn of(letters: impl IntoIterator<Item = usize>, top: usize) -> Self {
        let mut rows = letters.into_iter();
        let before = rows.by_ref().take(top).sum();
        Self { letters: before, blank: rows.take_while(|letters| *letters == 0).count() }
    }

    /// Returns the row with this place among other rows of the same text; the last one if there is none.
    pub fn row_in(self, letters: impl IntoIterator<Item = usize>) -> usize {
        let (mut before, mut last) = (0, 0);
        for (row, letters) in letters.into_iter().enumerate() {
            before += letters;
            last = row;
            if before > self.letters {
                break;
            }
        }
        last.saturating_sub(self.blank)
    }
}

/// Returns the number of letters and digits of a row. Marks, rules and blanks depend on the width.
pub fn letters(row: &Strip) -> usize {
    row.plain().chars().filter(|c| c.is_alphanumeric()).count()
}

/// The place at the top of a view, over all widths until the reader moves.
#[derive(Debug, Default)]
pub struct ReadingPlace {
    /// `None` before it stood anywhere.
    place: Option<TextPlace>,
    top: usize,
    width: usize,
    rows: usize,
}

impl ReadingPlace {
    /// The row that is at the top of a view of this width, which was at `top` before.
    pub fn top_at(
        &self,
        width: usize,
        top: usize,
        letters: impl IntoIterator<Item = usize>,
    ) -> usize {
        match self.place.filter(|_| width != self.width && top == self.top) {
            Some(place) => place.row_in(letters),
            None => top,
        }
    }

    /// Records the view: it is at `top` of `rows` rows.
    pub fn stands_at(
        &mut self,
        width: usize,
        (top, rows): (usize, usize),
        letters: impl IntoIterator<Item = usize>,
    ) {
        let is_same = width != self.width || (top, rows) == (self.top, self.rows);
        if self.place.is_none() || !is_same {
            self.place = Some(TextPlace::of(letters, top));
        }
        (self.top, self.width, self.rows) = (top, width, rows);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ui::text::wrap::wrap;

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
            prop_assume!(first[top] > 0);
            let place = TextPlace::of(first.iter().copied(), top);
            for width in &widths {
                let rows = rows(&text, *width);
                let row = place.row_in(rows.iter().copied());
                let before: usize = rows[..row].iter().sum();
                prop_assert!((before..before + rows[row]).contains(&place.letters));
            }
            prop_assert_eq!(place.row_in(first), top);
        }
    }

    #[test]
    fn a_view_that_shows_everything_for_a_while_is_back_where_it_was() {
        let narrow = [0, 5, 0, 0, 7, 3];
        let mut view = ReadingPlace::default();
        view.stands_at(10, (0, 6), narrow);
        view.stands_at(10, (2, 6), narrow);
        let wide = [0, 5, 0, 10];
        assert_eq!(view.top_at(20, 2, wide), 1, "two rows without letters stand above it");
        view.stands_at(20, (0, 4), wide);
        assert_eq!(view.top_at(10, 0, narrow), 2);
        view.stands_at(10, (2, 6), narrow);
        assert_eq!(view.top_at(20, 2, wide), 1);
        view.stands_at(10, (3, 6), narrow);
        assert_eq!(view.top_at(20, 3, wide), 2, "the reader has moved");
    }
}
