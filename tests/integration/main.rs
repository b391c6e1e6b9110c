//! The tests that use the program as others do: as a process, through its driver and store, by its documents.
//! One binary, so that linking is done once and waiting tests overlap; every test has folders, ports and
//! processes of its own. Separate are `bounds`, which measures the memory of its process, and `model`, which
//! takes all cores for as long as it is told to.

#[path = "../common/mod.rs"]
mod common;

mod approvals;
mod architecture;
mod boxes;
mod called;
mod canary;
mod command_line;
mod commands;
mod demo;
mod documents;
mod drives;
mod gemini_api;
mod hostile;
mod init;
mod inline;
mod inspection;
mod job_control;
mod keys_needed;
mod lines;
mod memories;
mod memory_screens;
mod messages_api;
mod mounts;
mod multiplexers;
mod notices;
mod pictures;
mod processes;
mod providers;
mod quarters;
mod question_parts;
mod question_screens;
mod recordings;
mod remote;
mod sandbox;
mod serving;
mod ssh;
mod store_copies;
mod team_changes;
mod team_kills;
mod team_screens;
mod teams;
mod terminal;
mod tour;
mod triggers;
mod trust;
mod vault;
mod vault_migration;
mod vault_uses;
