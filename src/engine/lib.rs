//! What drives dialogs: models, tools in their sandbox, what the files of a workspace say, teams, and the driver
//! itself. Nothing here knows a screen.

use dominds_tui_base::{domain, protocol, store, yaml};

pub mod driver;
pub mod guard;
pub mod hive;
pub mod llm;
pub mod manage;
pub mod mcp;
pub mod minds;
pub mod sandbox;
pub mod tools;

#[cfg(test)]
#[path = "../../tests/common/postgres.rs"]
#[expect(dead_code, reason = "only tests of the whole program kill a server")]
mod postgres;
#[cfg(test)]
#[path = "../base/samples.rs"]
pub mod samples;
#[cfg(test)]
#[path = "../../tests/common/skip.rs"]
pub mod skip;
