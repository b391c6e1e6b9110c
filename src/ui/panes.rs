//! The parts of the screen. Each is a plain struct or function called by the app; they do not depend
//! on each other.

pub mod composer;
pub mod confirm;
pub mod consent;
pub mod field;
pub mod form;
pub mod help;
pub mod inbox;
pub mod input_prompt;
pub mod queued;
pub mod quit;
pub mod sheet;
pub mod status;
pub mod strip;
pub mod transcript;
pub mod tree;
