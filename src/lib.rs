//! The terminal application for the Dominds dialog system: the screen and the engine in one.
//!
//! The modules form strict layers; `docs/ARCHITECTURE.md` draws them and `tests/integration/architecture/mod.rs`
//! checks them: [`ui`] and [`driver`] do not depend on each other, they share only [`domain`] (types)
//! and [`protocol`] (messages).

pub mod app;
pub mod cli;
pub mod consent;
pub mod demo;
pub mod domain;
pub mod driver;
pub mod hive;
pub mod llm;
pub mod manage;
pub mod mcp;
pub mod minds;
pub mod platform;
pub mod protocol;
pub mod remote;
pub mod sandbox;
pub mod store;
pub mod tools;
pub mod ui;
pub mod yaml;

#[cfg(test)]
#[path = "../tests/common/postgres.rs"]
#[expect(dead_code, reason = "only tests of the whole program kill a server")]
mod postgres;
#[cfg(test)]
#[path = "../tests/common/skip.rs"]
mod skip;
