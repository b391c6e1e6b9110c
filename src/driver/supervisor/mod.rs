//! The supervisor task: routes commands to trees, and does what concerns whole trees or the workspace.
//!
//! Uses all folders; no other folder uses it.

mod consent;
mod lifecycle;
mod listing;
mod minds;
mod processes;
mod sheets;
pub mod task;
