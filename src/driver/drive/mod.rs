//! A drive: requests answers, runs tools, and asks its tree for every step through the port.
//!
//! Uses `shared`, `steps`, `reporting` and `texts`; the tree is reached through messages only.

pub mod drives;
pub mod live;
pub mod port;
pub mod retry;
pub mod stream;
pub mod task;
