//! Drafts of a generation: its start, its end, and what the dialog does around it.
//!
//! Uses `drive` (the answer), `calls`, `steps`, `shared` and `texts`.

pub mod context_actions;
pub mod effects;
pub mod end;
pub mod interjection;
pub mod keep_going;
pub mod open;
mod prompts;
pub mod refused_context;
pub mod repeats;
