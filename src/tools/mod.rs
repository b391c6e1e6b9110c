//! What a member may do besides talking: the [`Tool`] trait, the built-in tools and their texts.
//!
//! Three things stay true here. Tools never write dialog state: they return [`Change`]s, and the
//! caller commits them. [`ToolSubset::run`] never fails: whatever a model sends, the answer is an
//! [`Outcome`] with a text the model can act on. And no file is touched except through the
//! [`guard`], which keeps every path inside the workspace and out of its reserved areas.
//!
//! ```text
//! registry ──▶ args ◀── schema          raw text becomes checked arguments
//!    │
//!    ▼
//!  tool ──▶ control/*                   reminders, mind, task document
//!     ├───▶ files/* ──▶ guard ──▶ access
//!     ├───▶ readonly/* ──▶ guard, shell   lines of programs that only read
//!     └───▶ shell/*                     commands, processes in the background
//! ```

mod access;
mod args;
mod control;
mod files;
pub mod guard;
mod outcome;
mod readonly;
mod registry;
mod report;
mod schema;
mod shell;
mod tool;

pub use access::{Access, ListRule, Op, Target};
pub use args::Args;
pub use control::{CLEAR_MIND, replace_section};
pub use outcome::{Change, Outcome, Picture, RESULT_LIMIT_CHARS, ReminderScope, Render};
pub use registry::{NameTaken, Registry, ToolSubset};
pub use shell::{Environment, Keys, Note, Shells, Whose, follow};
pub use tool::{Description, ReminderView, Tool, ToolCx, ToolSpec};

#[cfg(test)]
mod bench;
