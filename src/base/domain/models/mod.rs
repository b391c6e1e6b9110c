//! Models and the members that use them: parameters, dialects, tokens, the state of the context.

pub mod choice;
pub mod context_health;
pub mod dialect;
pub mod params;
pub mod team;
