//! What a model is sent: the messages, tools, images and parameters of a request. Reads only.
//!
//! Uses `calls`, `shared`, `steps` and `texts`.

pub mod call_schemas;
pub mod images;
pub mod messages;
pub mod params;
pub mod prepare;
pub mod preview;
pub mod rights;
pub mod usage;
