//! Commands: run, left in the background, looked at, ended. The lists of a member do not hold a command
//! back; the sandbox around it does (`sandbox`), unless a person wants none. Only shell specialists have
//! these tools.
//!
//! What must stay true: no command outlives a stop of its dialog unless its result has said that it
//! stays in the background; in a sandbox none outlives the program, and without one every command is
//! found again after the program was killed; output of any length costs bounded memory and disk; no
//! child ever sees a secret, and none is written where its output is kept.

mod call_watch;
mod command;
mod daemons;
mod environment;
mod group;
mod identity;
mod launch;
mod output_log;
mod paused_start;
mod process_reminder;
mod record;
mod register;
mod secrets;
mod shells;
mod texts;
mod variables;
mod window;

use std::sync::Arc;

use super::tool::Tool;

pub(super) use launch::{Launch, RunningCommand, Waited};
pub(super) use texts::{exit as exit_text, refused as refused_text, streams as streams_text};

pub use call_watch::CallWatch;
pub use environment::{Environment, PASSED_ON};
pub(crate) use group::ProcessGroup;
pub(crate) use identity::Identity;
pub use output_log::{KEEP_OUTPUT, OutputLogMode, keep_output};
pub use process_reminder::{ProcessReminder, follow};
pub use register::ProcessRegistry;
pub use shells::{ProcessScope, ShellSetup, Shells};
pub(crate) use texts::STOPPED_WITH_OUTPUT;

/// The toolset.
pub(super) const TOOLSET: &str = "os";

/// Its tools.
pub(super) const NAMES: [&str; 6] =
    ["shell_cmd", "stop_daemon", "get_daemon_output", "env_get", "env_set", "env_unset"];

/// The tools that only shell specialists have.
pub const FOR_SPECIALISTS: [&str; 3] = ["shell_cmd", "stop_daemon", "get_daemon_output"];

/// The tools, in the order of [`NAMES`].
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let mut tools = vec![command::tool(), daemons::stop_tool(), daemons::output_tool()];
    tools.extend(variables::tools());
    tools
}

#[cfg(test)]
mod tests;
