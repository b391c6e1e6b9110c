//! The part of a text that was on the screen: a person can only approve or agree to what was wholly shown.

/// The rows that were on the screen without a gap, of this content at this width.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadProgress<T> {
    of: T,
    width: u16,
    /// Counted from the first row.
    rows: usize,
}

impl<T: PartialEq> ReadProgress<T> {
    /// Begins a text at a width. True if nothing of it was seen at this width before: then it is read from
    /// its beginning.
    pub fn begins(&mut self, of: T, width: u16) -> bool {
        let is_new = self.of != of || self.width != width;
        if is_new {
            *self = Self { of, width, rows: 0 };
        }
        is_new
    }

    /// Records that `height` rows from `top` on are in view.
    pub fn shown(&mut self, top: usize, height: usize) {
        if top <= self.rows {
            self.rows = self.rows.max(top + height);
        }
    }

    /// Returns how many of the `rows` rows of this content were not in view yet.
    pub fn unread(&self, of: &T, rows: usize) -> usize {
        if self.of == *of { rows.saturating_sub(self.rows) } else { rows }
    }
}
