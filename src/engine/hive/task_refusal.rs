//! What a person or a model is told of a task that was not queued.

use crate::domain::TeamName;
use crate::domain::teams::org_change::OrgRefusal;
use crate::domain::teams::task::TaskRefusal;
use crate::domain::text::{Localized, Text, localized};

/// Why a task is not queued, for a model or a person. Codes are the same in every language; the tool descriptions
/// explain them.
#[must_use]
pub fn task_refused(team: &str, refusal: TaskRefusal) -> Localized {
    match refusal {
        TaskRefusal::QueueFull { most } => localized!(
            "the queue of team '{team}' is full ({most} tasks)",
            "团队 '{team}' 的队列已满（{most} 个任务）"
        ),
        TaskRefusal::ShuttingDown => OrgRefusal::ShuttingDown(TeamName::new(team)).text(),
        TaskRefusal::ChainTooLong => Text::new("task chain too long", "任务链过长").into(),
        TaskRefusal::TooManyEscalations => {
            Text::new("escalation chain too long", "上报链过长").into()
        }
        TaskRefusal::Duplicate => Localized::same("duplicate_correlation_id"),
        TaskRefusal::Saturated => Localized::same("saturation"),
        TaskRefusal::UsedUp => localized!(
            "team '{team}' has used up what it may do today",
            "团队 '{team}' 今天可做的工作已用完"
        ),
        TaskRefusal::TooOften { .. } => Localized::same("rate_limit_exceeded"),
    }
}
