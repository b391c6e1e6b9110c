//! Reports of the engine: for the screen ([`screen_state`]), and for the log ([`log`]).
//!
//! Uses no other folder of the driver.

pub mod log;
pub mod pump;
pub mod run_outcome;
pub mod screen_state;
pub mod tree_rows;
