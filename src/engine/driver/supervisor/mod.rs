//! The supervisor task: routes commands to trees, and does itself what concerns whole trees or the
//! workspace.
//!
//! Uses `tree`, `lifecycle`, `steps`, `shared` and `reporting`; of other folders `dispatch` alone uses it.

mod changes;
mod commands;
mod consent;
pub mod creation;
mod file_list;
mod finding;
mod finding_text;
mod image_copies;
mod lifecycle;
mod listing;
mod memories;
mod mind;
mod minds;
mod notices;
pub mod orders;
mod previews;
mod processes;
mod program_log;
mod server_prompts;
mod sheets;
pub mod stored_texts;
mod survey;
pub mod task;
mod team_tasks;
mod timeline;
mod trees;
mod unreviewed;
pub mod usage;
mod vault;
