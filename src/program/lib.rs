//! The terminal application for the Dominds dialog system: the screen and the engine in one.
//!
//! The crates and the modules in them form strict layers; `docs/ARCHITECTURE.md` draws them. The crates are held by the
//! compiler, the modules by `tests/integration/architecture/mod.rs`: [`ui`] and [`driver`] do not depend on each other,
//! they share only [`domain`] (types) and [`protocol`] (messages).

pub use dominds_tui_base::{domain, protocol, store, yaml};
pub use dominds_tui_engine::{driver, guard, hive, llm, manage, mcp, minds, sandbox, tools};
pub use dominds_tui_ui as ui;

pub mod app;
pub mod cli;
pub mod consent;
pub mod demo;
pub mod platform;
pub mod remote;

#[cfg(test)]
#[path = "../base/samples.rs"]
pub mod samples;
