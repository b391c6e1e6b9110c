//! The teams, as a tool sees them.

use std::sync::Arc;
use std::time::Duration;

use super::team_calls::TeamCalls;
use crate::domain::teams::org::Org;
use crate::domain::teams::task::HandoffRule;
use crate::domain::teams::task::query::DEFAULT_TIME;
use crate::domain::teams::trigger::row::Definitions;
use crate::hive::Hive;

/// The teams of a workspace, as a call sees them.
#[derive(Debug, Clone)]
pub struct TeamPlace {
    pub org: Arc<Org>,
    /// The definitions of the triggers, as in their files.
    pub triggers: Arc<Definitions>,
    pub store: Hive,
    pub handoff: HandoffRule,
    /// The time limit of a query that names none.
    pub query_time: Duration,
    /// The team tool calls that run now.
    pub calls: Arc<TeamCalls>,
}

impl Default for TeamPlace {
    fn default() -> Self {
        Self {
            org: Arc::default(),
            triggers: Arc::default(),
            store: Hive::nowhere(),
            handoff: HandoffRule::default(),
            query_time: DEFAULT_TIME,
            calls: Arc::default(),
        }
    }
}
