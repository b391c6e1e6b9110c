//! A driver at work for a command: what it prints, when it ends, and the driver of another process.

pub(super) mod events;
pub(super) mod job;
pub(super) mod other_driver;
pub(super) mod output_mode;
pub(super) mod own_run;
pub(super) mod run_result;
pub(super) mod stream;
mod team_events;
pub(in crate::cli) mod team_store;
pub(super) mod team_work;
pub(in crate::cli) mod trust;
pub(super) mod unattended;
