//! Protection: sandbox levels, reserved paths, secrets and references to them, consent, and ownership of files.

pub mod command_mark;
pub mod ownership;
pub mod padding;
pub mod references;
pub mod reserved;
pub mod sandbox;
pub mod secrets;
pub mod server_tools;
pub mod trust;
