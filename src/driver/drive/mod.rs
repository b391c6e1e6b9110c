//! A drive: requests answers, runs tools, and asks its tree for every step through the port.
//!
//! Uses `shared`, `steps`, `reporting` and `texts`; the tree is reached through messages only.

pub mod answer;
mod live;
pub mod port;
mod retry;
pub mod slot;
mod stream;
pub mod task;
