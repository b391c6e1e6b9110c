//! What of a text was on the screen: a person agrees to nothing and approves nothing that was not wholly shown.

/// The rows that were on the screen without a gap, of this content at this width.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadProgress<T> {
    of: T,
    width: u16,
    /// Counted from the first row.
    rows: usize,
}

impl<T: PartialEq> ReadProgress<T> {
    /// These rows, from the first on, are in view. True if nothing of this content was seen at this width before: then it is
    /// read from its beginning.
    pub fn begins(&mut self, of: T, width: u16) -> bool {
        let is_new = self.of != of || self.width != width;
        if is_new {
            *self = Self { of, width, rows: 0 };
        }
        is_new
    }

    /// So many rows from this one on are in view.
    pub fn shown(&mut self, top: usize, height: usize) {
        if top <= self.rows {
            self.rows = self.rows.max(top + height);
        }
    }

    /// How many of so many rows of this content were not in view yet.
    pub fn unread(&self, of: &T, rows: usize) -> usize {
        if self.of == *of { rows.saturating_sub(self.rows) } else { rows }
    }
}
