//! A task as lists show it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{BlockReason, Priority, TaskKind, TaskStatus};
use crate::domain::ids::{RootId, TaskId, TeamName};
use crate::domain::time::Stamp;

/// Most open tasks that are listed: those that are worked on, then what is next.
pub const MAX_OPEN_ROWS: usize = 200;
/// Most ended tasks that are listed: the newest.
pub const MAX_ENDED_ROWS: usize = 100;
/// Most characters of what a task is about.
pub const MAX_ABOUT_CHARS: usize = 200;

/// One task of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    pub id: TaskId,
    pub team: TeamName,
    #[serde(rename = "type")]
    pub kind: TaskKind,
    pub priority: Priority,
    pub status: TaskStatus,
    pub block_reason: Option<BlockReason>,
    /// The beginning of what is to be done.
    pub about: String,
    /// Counts up with each task of the workspace.
    pub number: u64,
    /// Counts the starts; 0 before the first.
    pub attempt: u32,
    /// The main dialog of the newest attempt.
    pub dialog: Option<RootId>,
    /// When it was queued, started or ended: the last of these.
    pub since: Stamp,
    /// The first line of why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl TaskRow {
    /// Sorts tasks by what a person may have to do: blocked ones, running ones, what is next, then what has ended, the
    /// newest first.
    pub fn sort(rows: &mut [Self]) {
        rows.sort_unstable_by(|a, b| {
            let place = |row: &Self| match row.status {
                TaskStatus::Blocked => 0,
                TaskStatus::Running => 1,
                TaskStatus::Pending => 2,
                TaskStatus::Done | TaskStatus::Failed | TaskStatus::Cancelled => 3,
            };
            let newest = |row: &Self| (!row.status.is_open()).then(|| Reverse(row.since.clone()));
            let waits = |row: &Self| (row.status == TaskStatus::Pending).then_some(row.priority);
            (place(a), newest(a), waits(a), a.number).cmp(&(
                place(b),
                newest(b),
                waits(b),
                b.number,
            ))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64, status: TaskStatus, priority: Priority, since: &str) -> TaskRow {
        TaskRow {
            id: TaskId::new(format!("task-{number}")),
            team: TeamName::new("qa"),
            kind: TaskKind::Delegate,
            priority,
            status,
            block_reason: None,
            about: String::new(),
            number,
            attempt: 0,
            dialog: None,
            since: Stamp::new(since),
            error: None,
        }
    }

    #[test]
    fn what_needs_a_person_is_first_then_what_runs_then_the_queue_then_the_newest_end() {
        use {Priority as P, TaskStatus as S};
        let mut rows = vec![
            row(1, S::Done, P::Normal, "2026-11-21 10:00:00"),
            row(2, S::Pending, P::Low, "2026-11-21 08:00:00"),
            row(3, S::Cancelled, P::High, "2026-11-21 11:00:00"),
            row(4, S::Pending, P::Critical, "2026-11-21 09:00:00"),
            row(5, S::Running, P::Low, "2026-11-21 09:00:00"),
            row(6, S::Blocked, P::Low, "2026-11-21 09:00:00"),
            row(7, S::Pending, P::Low, "2026-11-21 07:00:00"),
            row(8, S::Running, P::High, "2026-11-21 09:00:00"),
        ];
        TaskRow::sort(&mut rows);
        let order: Vec<u64> = rows.iter().map(|row| row.number).collect();
        assert_eq!(order, [6, 5, 8, 4, 2, 7, 3, 1]);
    }
}
