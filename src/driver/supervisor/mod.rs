//! The supervisor task: routes commands to trees, and does itself what concerns whole trees or the
//! workspace.
//!
//! Uses `tree`, `lifecycle`, `steps`, `shared` and `reporting`; no other folder uses it.

mod changes;
mod commands;
mod consent;
mod creation;
mod files;
mod finding;
mod finding_text;
mod images;
mod lifecycle;
mod listing;
mod mind;
mod minds;
mod news;
mod previews;
mod processes;
mod program_log;
mod sheets;
pub mod stored_texts;
mod survey;
pub mod task;
mod timeline;
mod trees;
mod unreviewed;
mod usage;
