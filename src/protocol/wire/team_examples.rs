//! Examples of teams and tasks.

use super::examples::Seeds;
use crate::domain::org_change::TeamStatus;
use crate::domain::task::row::TaskRow;
use crate::domain::task::{BlockReason, Priority, Task, TaskKind, TaskStatus, TeamWork};
use crate::domain::{TaskId, TeamName};
use crate::protocol::{TeamRow, TeamsRequest};

impl Seeds {
    pub(super) fn team(&self) -> TeamRow {
        TeamRow {
            name: TeamName::new(self.text()),
            parent: self.maybe(TeamName::main()),
            lead: self.maybe(self.agent()),
            description: self.text(),
            max_running: 5,
            running: self.number,
            blocked: self.number,
            pending: self.number,
            status: if self.flag { TeamStatus::Initializing } else { TeamStatus::Active },
            changing: self.flag,
            used_up: self.flag,
        }
    }

    pub(super) fn spawn_request(&self) -> TeamsRequest {
        TeamsRequest::Spawn {
            name: self.text(),
            parent: TeamName::main(),
            description: self.text(),
            scope: vec![self.text()],
            context: self.text(),
        }
    }

    pub(super) fn work(&self) -> TeamWork {
        let task = self.maybe(TaskId::new(self.text()));
        TeamWork { team: TeamName::new(self.text()), task }
    }

    pub(super) fn task_row(&self) -> TaskRow {
        TaskRow {
            id: TaskId::new(self.text()),
            team: TeamName::new(self.text()),
            kind: TaskKind::Escalation,
            priority: Priority::Critical,
            status: TaskStatus::Blocked,
            block_reason: self.maybe(BlockReason::OpenQuestion),
            about: self.text(),
            number: self.number,
            attempt: 2,
            dialog: self.maybe(self.dialog().root),
            since: self.stamp(),
        }
    }

    pub(super) fn task(&self) -> Task {
        Task {
            id: TaskId::new(self.text()),
            team: TeamName::new(self.text()),
            kind: TaskKind::Delegate,
            priority: Priority::Low,
            status: TaskStatus::Failed,
            block_reason: self.maybe(BlockReason::Restart),
            text: self.text(),
            member: self.maybe(self.agent()),
            max_steps: 100,
            correlation: self.maybe(self.text()),
            trigger: None,
            root_correlation: self.text(),
            depth: 1,
            from: self.maybe(TeamName::main()),
            origin: self.maybe(self.dialog()),
            wake: self.flag,
            created_at: self.stamp(),
            started_at: self.maybe(self.stamp()),
            ended_at: self.maybe(self.stamp()),
            duration_ms: self.maybe(self.number),
            attempt: 2,
            dialog: self.maybe(self.dialog().root),
            result: self.maybe(self.text()),
            error: self.maybe(self.text()),
            tokens: self.number,
        }
    }
}
