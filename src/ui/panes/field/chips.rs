//! Parts of a text that are shown as one short label, such as a long paste.
//!
//! A chip is one unit for the caret, which is never inside it; the text itself stays whole.

use std::ops::Range;

/// More chips are not made: further pastes are shown in full.
pub const MAX_CHIPS: usize = 32;

/// A part of the text shown as its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    pub range: Range<usize>,
    pub label: String,
}

impl Chip {
    /// The chip after `removed` was replaced with text of `inserted` bytes; `None` if it was removed.
    pub fn after_edit(mut self, removed: &Range<usize>, inserted: usize) -> Option<Self> {
        if self.range.start >= removed.end {
            let shifted = |at: usize| at - removed.len() + inserted;
            self.range = shifted(self.range.start)..shifted(self.range.end);
            return Some(self);
        }
        (self.range.end <= removed.start).then_some(self)
    }
}
