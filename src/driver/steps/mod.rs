//! A step of a tree: drafted on a copy, and the changes that several others draft.
//!
//! Uses `texts`.

pub mod course;
pub mod draft;
pub mod images;
pub mod position;
pub mod reminders;
pub mod stop;
