//! The state of an inline screen beside what every screen has.

use ratatui::layout::Size;

use crate::inline::InlineLog;

/// The state of an inline screen.
#[derive(Debug, Default)]
pub(in crate::app) struct Inline {
    pub log: InlineLog,
    /// The size of the whole terminal.
    pub terminal: Size,
    pub ending: EndingPrinted,
}

/// Whether the text at the end of a demo was printed since it appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::app) enum EndingPrinted {
    #[default]
    No,
    Yes,
}
