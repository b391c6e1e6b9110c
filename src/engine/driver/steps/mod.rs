//! A step of a tree: drafted on a copy ([`draft`]), with the changes that several folders draft.
//!
//! Uses `texts`.

pub mod course;
pub mod draft;
pub mod goals;
pub mod position;
pub mod reminders;
pub mod stop;
pub mod stored_images;
