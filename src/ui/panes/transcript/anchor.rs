//! Rows of the transcript by their place in it, a selection of them, and moves among them. Items are the numbered blocks, then live
//! text, then the tail.

use crate::domain::{CallId, Genseq};
use crate::model::{FoundPlace, ViewPosition};

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

/// A move of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScrollMove {
    /// The cursor to the block above or below.
    Up(Stop),
    Down(Stop),
    /// Positive numbers scroll down.
    HalfPages(isize),
    Pages(isize),
    Lines(isize),
    /// The cursor to this item.
    Cursor(isize),
    Start,
    /// To the end, and follow it.
    End,
    /// To the next or the previous generation.
    Generations(isize),
    /// To a block, once it is loaded.
    Target(Landmark),
    /// To a saved position.
    Position(ViewPosition),
}

/// The target of a jump: one end of a call, a generation, or a search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landmark {
    /// The call or question, shown with its end at the lower edge.
    Call(CallId),
    /// The assignment made from it, shown at the upper edge.
    Assignment(CallId),
    /// A record that a search has found.
    Found(FoundPlace),
    /// The first loaded row of a generation, shown at the upper edge.
    Generation(Genseq),
}

/// The target of a step of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// At every block.
    Block,
    /// At calls of tools and teammates.
    Call,
    /// At questions for the user.
    Question,
    /// At calls that changed files.
    Change,
}
