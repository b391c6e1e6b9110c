//! A step of a tree: drafted on a copy, and the changes that several others draft.
//!
//! Uses `texts`.

pub mod draft;
pub mod reminders;
