//! Views for a person who reads: transcripts, timelines, overviews, titles, problems, changes.

pub mod file_change;
pub mod git_state;
pub mod net_changes;
pub mod overview;
pub mod problem;
pub mod problems;
pub mod timeline;
pub mod title;
pub mod transcript;
pub mod usage;
pub mod waits;
