//! What a terminal can do.

use crate::ui::theme::ColorDepth;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub depth: ColorDepth,
    /// False: every character outside ASCII is drawn as `?`.
    pub utf8: bool,
}

/// The direction in which a band of rows moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// Text moves up, new rows appear at the bottom.
    Up,
    Down,
}
