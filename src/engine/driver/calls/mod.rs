//! The calls that the driver handles itself: tellasks, questions, replies, fresh-boots reasoning.
//!
//! Drafts only: what is drafted here is written by the tree. Uses `steps` and `texts`.

pub mod answer_human;
pub mod args;
pub mod ask_back;
pub mod ask_human;
pub mod asking_rules;
pub mod captured;
mod check;
pub mod fresh_boots;
mod in_flight;
pub mod open_calls;
pub mod reply;
pub mod results;
pub mod round;
pub mod tellask;
