//! Tasks that wait or run for too long. One that waits for a person does not stall: the person knows.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::task::{Task, TaskStatus};

/// When a task stalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallRule {
    /// A task that waits for longer is worth a notice, and so is a change of a team that takes longer.
    pub pending_warn: Duration,
    /// A task that waits or runs for longer is for the team above.
    pub error: Duration,
}

impl Default for StallRule {
    fn default() -> Self {
        Self { pending_warn: Duration::from_hours(1), error: Duration::from_hours(24) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StallLevel {
    Warning,
    Error,
}

/// A task that stalls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    pub task: Task,
    pub level: StallLevel,
    /// How long it has waited, or run since the start of its attempt.
    pub age: Duration,
}

impl StallRule {
    /// The age below which nothing stalls.
    #[must_use]
    pub fn youngest(&self) -> Duration {
        self.pending_warn.min(self.error)
    }

    #[must_use]
    pub fn level(&self, status: TaskStatus, age: Duration) -> Option<StallLevel> {
        match status {
            TaskStatus::Pending | TaskStatus::Running if age > self.error => {
                Some(StallLevel::Error)
            }
            TaskStatus::Pending if age > self.pending_warn => Some(StallLevel::Warning),
            TaskStatus::Pending
            | TaskStatus::Running
            | TaskStatus::Blocked
            | TaskStatus::Done
            | TaskStatus::Failed
            | TaskStatus::Cancelled => None,
        }
    }

    /// The task, if it stalls.
    #[must_use]
    pub fn of(&self, (task, age): (Task, Duration)) -> Option<Stall> {
        let level = self.level(task.status, age)?;
        Some(Stall { task, level, age })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s18_1_what_waits_too_long_is_a_warning_and_what_waits_or_runs_for_a_day_an_error() {
        let rule = StallRule::default();
        for (status, hours, expected) in [
            (TaskStatus::Pending, 1, None),
            (TaskStatus::Pending, 2, Some(StallLevel::Warning)),
            (TaskStatus::Pending, 25, Some(StallLevel::Error)),
            (TaskStatus::Running, 24, None),
            (TaskStatus::Running, 25, Some(StallLevel::Error)),
            (TaskStatus::Blocked, 30, None),
            (TaskStatus::Done, 30, None),
        ] {
            let age = Duration::from_hours(hours);
            assert_eq!(rule.level(status, age), expected, "{status:?} {hours}");
        }
        let early = StallRule { error: Duration::from_mins(5), ..rule };
        assert_eq!(early.youngest(), Duration::from_mins(5));
    }
}
