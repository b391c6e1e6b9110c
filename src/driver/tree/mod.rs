//! The tree task: owns the state of one tree, handles the requests of the user and of drives.
//!
//! Uses all folders but `supervisor`.

pub mod drive_requests;
pub mod ending;
pub mod task;
pub mod user_requests;
