//! Rows of the transcript by their place in it, and a selection of them. Items are the numbered blocks, then live
//! text, then the tail.

/// A row of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Anchor {
    pub item: isize,
    pub row: usize,
}

impl Anchor {
    /// Returns the same row after the items `gone` were removed.
    pub(super) fn without(self, gone: &[isize]) -> Self {
        let row = if gone.contains(&self.item) { 0 } else { self.row };
        Self { item: number_without(self.item, gone), row }
    }
}

/// Returns the number of an item after these were removed; for a removed one, the number of the next.
pub(super) fn number_without(item: isize, gone: &[isize]) -> isize {
    item.saturating_sub_unsigned(gone.iter().filter(|before| **before < item).count())
}

/// A selection by lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selection {
    /// It begins with the next layout.
    Begins,
    /// From the row where it began to the moving one, both included.
    Rows { fixed: Anchor, moving: Anchor },
}

impl Selection {
    pub(super) fn contains(self, at: Anchor) -> bool {
        match self {
            Self::Begins => false,
            Self::Rows { fixed, moving } => (fixed.min(moving)..=fixed.max(moving)).contains(&at),
        }
    }
}

/// A direction in a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Towards {
    Start,
    End,
}
