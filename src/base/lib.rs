//! What the engine and the screen share: what dialogs are, how they lie on disk, and what a driver and its
//! screens say to each other.

pub mod domain;
pub mod protocol;
pub mod store;
pub mod yaml;

#[cfg(test)]
pub mod samples;
#[cfg(test)]
#[path = "../../tests/common/skip.rs"]
pub mod skip;
