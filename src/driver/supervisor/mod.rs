//! The supervisor task: routes commands to trees, and does what concerns whole trees or the workspace.
//!
//! Uses all folders; no other folder uses it.

pub mod consent;
pub mod lifecycle;
pub mod listing;
pub mod processes;
pub mod sheets;
pub mod task;
