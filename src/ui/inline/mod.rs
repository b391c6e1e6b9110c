//! The screen without an alternate screen (`--inline`): what of a dialog is printed into the scrollback of the
//! terminal, and when.
//!
//! What must stay true: a block is printed once it will not change any more, in the order in which blocks are
//! finished, and never again, whatever was opened, reloaded or resized meanwhile. A call that takes time is printed
//! with its outcome; what others or a person are asked is printed at once, and its outcome when it is there.

mod due;
mod log;
mod news;
mod rows;
mod words;

pub use log::{InlineLog, LogEntry, Spacing, is_late};
pub use rows::{block_rows, heading, note};
