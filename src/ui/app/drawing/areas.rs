//! Where the parts of the screen are.

use ratatui::layout::Rect;

/// The areas of the parts. An empty area is not drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::app) struct Areas {
    pub left: Rect,
    /// Parts of the left column.
    pub tree: Rect,
    pub inbox: Rect,
    pub divider: Rect,
    pub right: Rect,
    /// Parts of the right column.
    pub title: Rect,
    pub transcript: Rect,
    pub queue: Rect,
    /// The parts of the question that is answered.
    pub form: Rect,
    pub composer: Rect,
    pub tabs: Rect,
    pub status: Rect,
}

impl Areas {
    /// Returns the area for overlays.
    pub fn overlays(&self) -> Rect {
        if self.right.is_empty() { self.left } else { self.right }
    }

    /// The rows of the tree, below its folder and title.
    pub fn tree_rows(&self, narrow: bool) -> Rect {
        let head = if narrow { 0 } else { 3 };
        let area = self.tree;
        Rect { y: area.y + head, height: area.height.saturating_sub(head), ..area }
    }

    /// The questions, below their title.
    pub fn inbox_rows(&self) -> Rect {
        let area = self.inbox;
        Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
    }
}
