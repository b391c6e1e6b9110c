//! Commands about dialogs, questions, notices and members.

pub(super) mod answering;
pub(super) mod autonomy;
pub(super) mod convert;
pub(in crate::cli) mod dialog_json;
pub(super) mod drive;
pub(super) mod export;
pub(super) mod find;
pub(super) mod folders;
pub(super) mod ids;
pub(super) mod inspect;
pub(super) mod lifecycle;
pub(super) mod listing;
pub(super) mod members;
pub(super) mod mind;
pub(super) mod news;
pub(super) mod queries;
pub(super) mod reminders;
pub(super) mod undriven;

/// What a list holds, and its form.
#[derive(Debug, Clone, Copy)]
pub struct ListOptions {
    /// Also what a list leaves out otherwise.
    pub all: bool,
    pub as_json: bool,
}
