//! The screen on the terminal of this process, and what it needs of the machine.

pub(super) mod copies;
pub(super) mod demo;
pub(super) mod full;
pub(super) mod hint_file;
pub(super) mod link;
pub(super) mod notify_command;
pub(super) mod own_texts;
pub(super) mod plain;
pub(super) mod put_offs;
pub(super) mod reset;
pub(super) mod screen_programs;
pub(super) mod unsaved;
