//! Queries: what a team above wants to know and waits for. A query has a slot from the moment it is asked or is not asked at
//! all, a time limit, and a dialog of its own; nothing of it is reported but the answer, to whoever waits.

use std::time::{Duration, SystemTime};

use crate::domain::ids::TaskId;
use crate::domain::org::TeamLimits;

/// Most queries of one call.
pub const MAX_QUERIES: usize = 20;
/// The longest time limit.
pub const MAX_TIME: Duration = Duration::from_mins(10);
/// The time limit of whoever names none, unless the workspace says otherwise.
pub const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// Why a query has no answer that no team can give without a model.
pub const NO_PROVIDER: &str = "providers not configured";
/// Why a query has no answer that was given up: nobody waits for it.
pub const GIVEN_UP: &str = "nobody waits for the answer any more";
/// Why a query has no answer that a restart interrupted.
pub const INTERRUPTED: &str = "interrupted; ask again";

/// What a query is asked within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryRule {
    /// The answer is waited for so long.
    pub within: Duration,
    /// Those of the team that is asked.
    pub limits: TeamLimits,
    /// When this day of the local calendar began.
    pub day: SystemTime,
}

/// A query that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuery {
    pub id: TaskId,
    /// Its dialog is named.
    pub started: bool,
}
