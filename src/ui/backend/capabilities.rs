//! What a terminal can do.

use crate::theme::ColorDepth;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    pub depth: ColorDepth,
    /// False: every character outside ASCII is drawn as `?`.
    pub utf8: bool,
}
