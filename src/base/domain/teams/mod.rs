//! Teams, their tasks and triggers, the notices about them, and what they keep.

pub mod memory;
pub mod notices;
pub mod org;
pub mod org_change;
pub mod stall;
pub mod task;
pub mod trigger;
pub mod trouble;
pub mod vault;
