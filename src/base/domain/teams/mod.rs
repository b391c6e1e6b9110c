//! Teams, their tasks and triggers, and the notices about them.

pub mod memory;
pub mod notices;
pub mod org;
pub mod org_change;
pub mod stall;
pub mod task;
pub mod trigger;
pub mod trouble;
