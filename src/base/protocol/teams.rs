//! Teams and their tasks, as clients see and change them.

use serde::{Deserialize, Serialize};

use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::stall::StallRule;
use crate::domain::teams::task::Priority;
use crate::domain::teams::trigger::TriggerId;
use crate::domain::teams::trouble::TeamFacts;
use crate::domain::text::Localized;
use crate::domain::{AgentId, TaskId, TeamName};

/// A team that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamRow {
    pub name: TeamName,
    /// `None` for the root alone.
    pub parent: Option<TeamName>,
    pub lead: Option<AgentId>,
    pub description: String,
    /// Tasks of it that may run at the same time.
    pub max_running: u32,
    pub running: u64,
    pub blocked: u64,
    /// Tasks that wait for it.
    pub pending: u64,
    #[serde(default)]
    pub status: TeamStatus,
    /// Why nothing is done for it: its file has credentials that were not moved to the vault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back: Option<Localized>,
    /// A change of the organisation that its lead wants is not over.
    #[serde(default)]
    pub changing: bool,
    /// It has used up its daily limits; waiting tasks wait until midnight.
    #[serde(default)]
    pub used_up: bool,
    /// The boxes where its tasks may be started, in a store that several share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Vec<String>>,
    /// When a task of it stalls.
    #[serde(default)]
    pub stall: StallRule,
}

impl TeamRow {
    /// True if no other task of it can start.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        self.running >= u64::from(self.max_running)
    }

    /// What says whether it is in trouble, besides its tasks.
    #[must_use]
    pub fn facts(&self) -> TeamFacts<'_> {
        TeamFacts {
            team: &self.name,
            status: self.status,
            held_back: self.held_back.as_ref(),
            pending: self.pending,
            used_up: self.used_up,
            has_no_box: self.boxes.as_ref().is_some_and(Vec::is_empty),
            stall: self.stall,
        }
    }
}

/// What a client wants of a task or of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamsRequest {
    /// All of it: answered by [`super::DriverEvent::Task`].
    Show { id: TaskId },
    /// Queues a new one for this team. A busy team does with it what its file says.
    Delegate { team: TeamName, text: String, priority: Priority },
    /// Cancels it. Refused if it has ended.
    Cancel { id: TaskId },
    /// Queues one again that is blocked, has failed or was cancelled.
    Retry { id: TaskId },
    /// Makes a team below this one.
    Spawn {
        name: String,
        parent: TeamName,
        description: String,
        scope: Vec<String>,
        /// What its lead should know first.
        context: String,
    },
    /// Changes the keywords of a team.
    Update { team: TeamName, add: Vec<String>, remove: Vec<String> },
    /// Shuts a team down, with those below it if that is said. The reply comes when it is gone, or after a minute.
    ShutDown { team: TeamName, cascade: bool },
    /// Enables or disables a trigger.
    SwitchTrigger { id: TriggerId, on: bool },
    /// Queues the task of a trigger once.
    TryTrigger { id: TriggerId },
}

impl TeamsRequest {
    /// True if it changes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Show { .. } => true,
            Self::Delegate { .. }
            | Self::Cancel { .. }
            | Self::Retry { .. }
            | Self::Spawn { .. }
            | Self::Update { .. }
            | Self::ShutDown { .. }
            | Self::SwitchTrigger { .. }
            | Self::TryTrigger { .. } => false,
        }
    }
}
