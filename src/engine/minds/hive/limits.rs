//! The keys `limits`, `tasks`, `handoff`, `query`, `triggers` and `stall` of `hive.yaml`.

use std::time::Duration;

use serde_json::{Map, Value};

use super::values::{IS_ABSENT, none_of, one_of, unknown_keys};
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::stall::StallRule;
use crate::domain::teams::task::query::{DEFAULT_TIME, MAX_TIME};
use crate::domain::teams::task::{HandoffRule, MAX_ATTEMPTS};
use crate::domain::teams::trigger::FiringRule;
use crate::domain::text::Text;
use crate::minds::report::ProblemReport;

/// Highest value of any count.
const MOST: u64 = 1_000_000;
/// Most tokens of a team in a day.
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// When a task stalls, unless the file says otherwise: as [`StallRule::default`].
const DEFAULT_WARN_MINUTES: u64 = 60;
const DEFAULT_ERROR_HOURS: u64 = 24;
const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;
/// Most steps of a task.
const MOST_STEPS: u64 = 500;
/// Most attempts of a task.
const MOST_ATTEMPTS: u64 = 100;

const LIMITS: [&str; 5] =
    ["max_running_tasks", "max_teams", "max_queue", "max_tasks_per_day", "max_tokens_per_day"];

/// Bounds for all teams of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkspaceLimits {
    /// Tasks that run at the same time, of all teams together.
    pub max_running_tasks: u32,
    /// Teams, without the root.
    pub max_teams: u32,
    /// Attempts of a task whose engines are lost, in a store that several boxes share.
    pub max_attempts: u32,
    /// The limits of a team that sets none of its own.
    pub team: TeamLimits,
}

impl Default for WorkspaceLimits {
    fn default() -> Self {
        Self {
            max_running_tasks: 4,
            max_teams: 64,
            max_attempts: MAX_ATTEMPTS,
            team: TeamLimits::default(),
        }
    }
}

/// Numbers of a block, each within its bounds.
pub(super) struct NumberReader<'a, 'r, 't> {
    pub(super) block: &'a Map<String, Value>,
    /// Its key in the file.
    pub(super) at: &'a str,
    /// The fix for a value out of bounds.
    pub(super) fix: Text,
    pub(super) report: &'r mut ProblemReport<'t>,
}

impl NumberReader<'_, '_, '_> {
    /// Replaces `target` with what is written, if that is a number within the bounds.
    pub(super) fn read<N: TryFrom<u64>>(
        &mut self,
        key: &str,
        (least, most): (u64, u64),
        target: &mut N,
    ) {
        let Some(value) = self.block.get(key) else { return };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        if let Some(number) = number.and_then(|number| N::try_from(number).ok()) {
            *target = number;
        } else {
            let known = format!("{least}…{most}");
            none_of(&[self.at, key], (&known, self.fix), value, self.report);
        }
    }

    /// The bounds of a team, each by its key.
    pub(super) fn read_team(&mut self, limits: &mut TeamLimits) {
        self.read("max_queue", (0, MOST), &mut limits.max_queue);
        self.read("max_tasks_per_day", (0, MOST), &mut limits.max_tasks_per_day);
        self.read("max_tokens_per_day", (0, MOST_TOKENS), &mut limits.max_tokens_per_day);
    }

    pub(super) fn read_steps(&mut self, limits: &mut TeamLimits) {
        self.read("max_steps", (1, MOST_STEPS), &mut limits.max_steps);
    }

    pub(super) fn read_running(&mut self, key: &str, target: &mut u32) {
        self.read(key, (1, MOST), target);
    }
}

/// What these keys say.
#[derive(Debug)]
pub(super) struct Limits {
    pub(super) workspace: WorkspaceLimits,
    pub(super) handoff: HandoffRule,
    pub(super) query_time: Duration,
    pub(super) stall: StallRule,
    pub(super) keeps_open: bool,
    pub(super) firing: FiringRule,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workspace: WorkspaceLimits::default(),
            handoff: HandoffRule::default(),
            query_time: DEFAULT_TIME,
            stall: StallRule::default(),
            keeps_open: false,
            firing: FiringRule::default(),
        }
    }
}

pub(super) fn read(top: &Map<String, Value>, report: &mut ProblemReport<'_>) -> Limits {
    let mut limits = Limits::default();
    if let Some(block) = block(top, "limits", &LIMITS, report) {
        let mut read = NumberReader { block, at: "limits", fix: IS_ABSENT, report };
        read.read_running("max_running_tasks", &mut limits.workspace.max_running_tasks);
        read.read("max_teams", (1, MOST), &mut limits.workspace.max_teams);
        read.read_team(&mut limits.workspace.team);
    }
    if let Some(block) = block(top, "tasks", &["max_steps", "max_attempts", "keep_open"], report) {
        let mut read = NumberReader { block, at: "tasks", fix: IS_ABSENT, report };
        read.read_steps(&mut limits.workspace.team);
        read.read("max_attempts", (1, MOST_ATTEMPTS), &mut limits.workspace.max_attempts);
        match block.get("keep_open") {
            None => {}
            Some(Value::Bool(keeps_open)) => limits.keeps_open = *keeps_open,
            Some(other) => one_of(&["tasks", "keep_open"], "true, false", other, report),
        }
    }
    if let Some(block) = block(top, "handoff", &["dedup_seconds", "rate", "per_seconds"], report) {
        let mut read = NumberReader { block, at: "handoff", fix: IS_ABSENT, report };
        read.read("dedup_seconds", (1, MOST), &mut limits.handoff.dedup_seconds);
        read.read("rate", (1, MOST), &mut limits.handoff.rate);
        read.read("per_seconds", (1, MOST), &mut limits.handoff.per_seconds);
    }
    if let Some(block) = block(top, "triggers", &["dedup_seconds", "rate", "per_seconds"], report) {
        let mut read = NumberReader { block, at: "triggers", fix: IS_ABSENT, report };
        // Events are forgotten after a day.
        read.read("dedup_seconds", (1, SECONDS_OF_A_DAY), &mut limits.firing.dedup_seconds);
        read.read("rate", (1, MOST), &mut limits.firing.rate);
        read.read("per_seconds", (1, SECONDS_OF_A_DAY), &mut limits.firing.per_seconds);
    }
    if let Some(block) = block(top, "query", &["default_timeout_ms"], report) {
        let most = u64::try_from(MAX_TIME.as_millis()).unwrap_or(u64::MAX);
        let mut millis = u64::try_from(limits.query_time.as_millis()).unwrap_or(most);
        let mut read = NumberReader { block, at: "query", fix: IS_ABSENT, report };
        read.read("default_timeout_ms", (1, most), &mut millis);
        limits.query_time = Duration::from_millis(millis);
    }
    if let Some(block) = block(top, "stall", &["pending_warn_minutes", "error_hours"], report) {
        let mut read = NumberReader { block, at: "stall", fix: IS_ABSENT, report };
        let (mut minutes, mut hours) = (DEFAULT_WARN_MINUTES, DEFAULT_ERROR_HOURS);
        read.read("pending_warn_minutes", (1, MOST), &mut minutes);
        read.read("error_hours", (1, MOST), &mut hours);
        limits.stall = StallRule {
            pending_warn: Duration::from_mins(minutes),
            error: Duration::from_hours(hours),
        };
    }
    limits
}

fn block<'a>(
    top: &'a Map<String, Value>,
    key: &str,
    known: &[&str],
    report: &mut ProblemReport<'_>,
) -> Option<&'a Map<String, Value>> {
    let value = top.get(key)?;
    if let Value::Object(block) = value {
        unknown_keys(block, &[key], known, report);
        return Some(block);
    }
    let example = known.first().map(|first| format!("{{ {first}: … }}"));
    one_of(&[key], &example.unwrap_or_default(), value, report);
    None
}
