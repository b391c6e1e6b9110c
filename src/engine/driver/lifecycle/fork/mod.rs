//! Forks a main dialog: a new one that has everything from before one of its generations.
//!
//! The source is only read. Pure code decides what is kept ([`cut`], [`assignments`]), and it is written to
//! a staging directory; the tree is then loaded like any other, its next step is derived from its records
//! ([`next_step`]), and one rename publishes it ([`make`]).

mod assignments;
mod copied_lines;
mod cut;
mod dialogs;
mod make;
mod next_step;
#[cfg(test)]
mod tests;

pub use dialogs::ForkPoint;
pub use make::make_fork;
