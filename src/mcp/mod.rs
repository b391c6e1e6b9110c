//! Servers of the Model Context Protocol: started or reached as `.minds/mcp.yaml` says, their tools
//! offered like our own.
//!
//! ```text
//! Servers ──orders──▶ keeper (1 task) ──▶ instance (1 task each) ──▶ process | http
//!    ▲                   │ plan, roster: pure                │ signs of life
//!    └──── snapshot ─────┘◀───────────────────────────────────┘
//! ```
//!
//! The keeper owns all state and never waits for a server. What a generation sees is a snapshot. A server
//! whose new configuration fails keeps the tools it had. A server that keeps state has one instance for
//! each dialog that uses it, and a reminder there says so.

mod admin;
mod environment;
mod fleet;
mod http;
mod instance;
mod lease;
mod lines;
mod listed;
mod plan;
mod process;
mod result;
mod roster;
mod servers;
mod snapshot;
mod supervisor;
mod tool;

pub use plan::Permission;
pub use servers::{Servers, Setup};

/// The names that are there whenever servers can be: a toolset and its tools.
pub const ALWAYS: [&str; 3] = [admin::TOOLSET, admin::RESTART, lease::RELEASE];
