//! Processes that a command of a member left running in the background.

use serde::{Deserialize, Serialize};

use crate::domain::ids::AgentId;
use crate::domain::time::Stamp;

/// The owner of reminders about background processes.
pub const SHELL_OWNER: &str = "shellCmd";

/// One background process, as it is shown to people and in reminders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// The pid of the shell that was started; also its process group id.
    pub pid: u32,
    /// The member that started it.
    pub agent: AgentId,
    pub command: String,
    pub shell: String,
    pub started_at: Stamp,
    pub state: BackgroundState,
}

/// What became of a background process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackgroundState {
    Running,
    Ended(ProcessExit),
    /// It was started by an earlier run of the program and is not there any more.
    Lost,
}

/// How a process ended. Reminders hold it; older ones have the capitalized names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessExit {
    #[serde(alias = "Code")]
    Code(i32),
    #[serde(alias = "Signal")]
    Signal(i32),
    /// It was no child of this run of the program, so nobody knows how it ended.
    #[serde(alias = "Unknown")]
    Unknown,
}

impl Background {
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.state == BackgroundState::Running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_process_ended_is_read_as_older_reminders_have_it_too() {
        for (json, exit) in [
            (r#"{"code":3}"#, ProcessExit::Code(3)),
            (r#"{"Code":3}"#, ProcessExit::Code(3)),
            (r#"{"Signal":9}"#, ProcessExit::Signal(9)),
            (r#""Unknown""#, ProcessExit::Unknown),
        ] {
            assert_eq!(serde_json::from_str::<ProcessExit>(json).unwrap(), exit, "{json}");
        }
    }
}
