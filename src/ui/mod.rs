//! The screen: what a person sees and types.
//!
//! Everything here knows `domain` and `protocol` and nothing of the engine behind them. The files
//! below are the ground the panes stand on: text that is safe to show, a backend that is cheap in
//! bytes, the terminal's modes, colours, and the one table of actions.

pub mod action;
pub mod backend;
pub mod keymap;
pub mod pacer;
pub mod terminal;
pub mod text;
pub mod theme;
