//! The screen without an alternate screen (`--inline`): which parts of a dialog are printed into the
//! scrollback of the terminal, and when.
//!
//! Invariants: a block is printed once it will not change any more, in the order in which blocks are
//! finished, and never again, whatever was opened, reloaded or resized meanwhile. A call that takes time is
//! printed with its outcome; a tellask or a question is printed at once, and its outcome when it is there.

mod dialog_news;
mod due;
mod inline_words;
mod log;
mod rows;

pub use log::{InlineLog, LogEntry, Spacing, is_late};
pub use rows::{block_rows, heading, note};
