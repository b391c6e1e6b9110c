//! The machine: clock, ids, environment, folders, log, signals. The only place that reads them; the
//! rest of the program is handed values.

pub mod clock;
pub mod descriptors;
pub mod dirs;
pub mod env;
pub mod hardening;
pub mod ids;
pub mod logs;
pub mod signals;

pub use clock::SystemClock;
pub use ids::RandomIds;
