//! Servers of the Model Context Protocol: started or connected by `.minds/mcp.yaml`, with their
//! tools offered like our own, their resources read by two tools of ours, and their prompts offered to a person.
//!
//! ```text
//! Servers ──requests──▶ supervisor (1 task) ──▶ instance (1 task each) ──▶ process | http
//!    ▲                     │ plan, tool_list: pure              │ events
//!    └───── snapshot ──────┘◀───────────────────────────────────┘
//! ```
//!
//! The supervisor owns all state and never waits for a server. A generation works with a snapshot. A server
//! whose new configuration fails keeps its former tools. A stateful server has one instance for each dialog
//! that uses it, and a reminder in that dialog says so.

mod admin;
mod answers;
mod environment;
mod http;
mod http_answers;
mod input;
mod instance;
mod lease;
mod listing;
mod message_filter;
mod plan;
mod pool;
mod process;
mod prompt_list;
mod prompts;
mod reading;
mod resource_list;
mod resources;
mod result;
mod schema;
mod server;
mod servers;
mod snapshot;
mod supervisor;
mod tool;
mod tool_list;
mod uri_template;

pub use plan::{NOT_AGREED, Permission};
pub use servers::{Servers, Setup};

/// Names that exist independently of the configured servers: a toolset and its tools.
pub const BUILT_IN_NAMES: [&str; 3] = [admin::TOOLSET, admin::RESTART, lease::RELEASE];
