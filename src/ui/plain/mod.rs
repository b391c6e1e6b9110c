//! The screen as lines: one line for each event, questions with numbers, answers typed at a prompt.
//!
//! No cursor movement, no colours, nothing drawn twice: for screen readers, for `TERM=dumb`, and for a
//! terminal that is recorded. [`PlainSession`] decides what is printed and sent, without I/O; [`run_lines`]
//! reads, sends and writes. [`Attendant`] is a session that prints nothing and calls the person. The texts of events are [`EventLines`], which the inline screen prints as well.

mod attendant;
mod calling;
mod event_lines;
mod numbers;
mod run;
mod session;
mod typed;

pub use attendant::{Attendant, ReadPutOffs, attend};
pub use event_lines::EventLines;
pub use run::{LineChannels, TypedLines, run_lines};
pub use session::PlainSession;

#[cfg(test)]
mod tests;
