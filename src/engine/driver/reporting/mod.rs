//! What the engine reports: to the pump ([`reports`]), which turns it into events for the screen
//! ([`screen_state`]), and to the log ([`log`]); rows and reminders as the user sees them.
//!
//! Uses no other folder of the driver.

pub mod changed_files;
pub mod clients;
pub mod failures;
pub mod log;
pub mod pump;
pub mod reminder_views;
pub mod reports;
pub mod run_outcome;
pub mod screen_state;
mod teams;
pub mod tree_rows;
