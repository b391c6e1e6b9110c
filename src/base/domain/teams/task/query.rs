//! Queries: what a team above wants to know and waits for. A query has a slot from the moment it is asked or is not
//! asked at all, a time limit, and a dialog of its own; only its answer is reported, to its asker.

use std::time::{Duration, SystemTime};

use crate::domain::ids::TaskId;
use crate::domain::teams::org::TeamLimits;

/// Most queries of one call.
pub const MAX_QUERIES: usize = 20;
/// The longest time limit.
pub const MAX_TIME: Duration = Duration::from_mins(10);
/// Default time limit, unless the workspace says otherwise.
pub const DEFAULT_TIME: Duration = Duration::from_secs(30);

/// Why a query has no answer: no team can give one without a model.
pub const NO_PROVIDER: &str = "providers not configured";
/// Why a query that was given up has no answer: nobody waits for it.
pub const GIVEN_UP: &str = "nobody waits for the answer any more";
/// Why a query that a restart interrupted has no answer.
pub const INTERRUPTED: &str = "interrupted; ask again";

/// The limits of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryRule {
    /// Time limit of the answer.
    pub within: Duration,
    /// The limits of the team that is asked.
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
