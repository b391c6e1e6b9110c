//! What a model is sent: the messages, images, tools and parameters of a request. Changes nothing.
//!
//! Uses `calls`, `steps`, `shared` and `texts`.

mod call_schemas;
mod messages;
mod params;
pub mod prepare;
pub mod preview;
mod rights;
mod shown_images;
mod skills;
pub mod usage;
