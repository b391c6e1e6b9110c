//! The tree task: owns the state of one tree, handles the requests of the user and of drives.
//!
//! [`state`] is the state and the one way to change it; around it the parts that handle requests; above them
//! [`task`], the loop. Uses all folders but `supervisor`.

mod acknowledging;
mod attached;
mod autonomy;
mod declare_dead;
mod drive_requests;
mod ending;
mod keep_going;
mod model;
pub mod priming;
pub mod reminder_edits;
mod state;
mod taking_up;
pub mod task;
mod tasks;
mod upkeep;
pub mod user_requests;
mod waking;
