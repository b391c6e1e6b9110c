//! What all trees of a driver share: [`engine::Engine`] and what hangs on it, and what is read of the
//! configuration for all of them.
//!
//! Uses `texts` and `reporting`.

pub mod blocking;
pub mod changed_trees;
pub mod config_problems;
pub mod configuration;
pub mod engine;
pub mod keep_going;
pub mod sources;
pub mod throttle;
pub mod viewed_questions;
