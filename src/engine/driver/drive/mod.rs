//! A drive: requests answers, runs tools, and asks its tree for every step through the port. It reaches the
//! tree by messages only.
//!
//! Uses `steps`, `shared`, `reporting` and `texts`.

pub mod answer;
pub mod drives;
mod live;
pub mod port;
mod retry;
mod spooling;
mod stream;
pub mod task;
mod unreachable;
