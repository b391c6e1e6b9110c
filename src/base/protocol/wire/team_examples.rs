//! Examples of teams, their tasks, their memories and their vaults.

use super::examples::Seeds;
use crate::domain::safety::references::{EntryUse, VaultUse};
use crate::domain::teams::memory::{ListedMemories, Memory, MemoryType};
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::stall::StallRule;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{
    BlockReason, Priority, Task, TaskKind, TaskStatus, TaskTrigger, TeamWork,
};
use crate::domain::teams::trigger::row::{TriggerRow, WindowNow};
use crate::domain::teams::trigger::window::WindowConfig;
use crate::domain::teams::trigger::{
    Trigger, TriggerConfig, TriggerId, TriggerOverlap, TriggerState,
};
use crate::domain::teams::vault::{ListedEntries, Reveal, ShownEntry, ShownUse, WholeEntry};
use crate::domain::{TaskId, TeamName};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, MemoriesRequest, TeamRow, TeamsRequest, VaultRequest};

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
            held_back: self.maybe(self.localized()),
            changing: self.flag,
            used_up: self.flag,
            boxes: self.maybe(vec![self.text()]),
            stall: StallRule::default(),
        }
    }

    /// Commands about tasks, teams and triggers.
    pub(super) fn team_commands(&self, ticket: Ticket) -> Vec<Command> {
        let (id, team) = (|| TaskId::new(self.text()), || TeamName::new(self.text()));
        let trigger = || TriggerId { team: team(), name: self.text() };
        let requests = [
            TeamsRequest::Show { id: id() },
            TeamsRequest::Delegate { team: team(), text: self.text(), priority: Priority::High },
            TeamsRequest::Cancel { id: id() },
            TeamsRequest::Retry { id: id() },
            TeamsRequest::Spawn {
                name: self.text(),
                parent: TeamName::main(),
                description: self.text(),
                scope: vec![self.text()],
                context: self.text(),
            },
            TeamsRequest::Update {
                team: team(),
                add: vec![self.text()],
                remove: vec![self.text()],
            },
            TeamsRequest::ShutDown { team: team(), cascade: self.flag },
            TeamsRequest::SwitchTrigger { id: trigger(), on: self.flag },
            TeamsRequest::TryTrigger { id: trigger() },
        ];
        requests.into_iter().map(|request| Command::Tasks { ticket, request }).collect()
    }

    pub(super) fn memory_commands(&self, ticket: Ticket) -> Vec<Command> {
        let (team, key) = (|| TeamName::new(self.text()), || self.text());
        let requests = [
            MemoriesRequest::List { listed: ListedMemories::Superseded },
            MemoriesRequest::Search { text: self.text() },
            MemoriesRequest::Chain { team: team(), key: key() },
            MemoriesRequest::Delete { team: team(), key: key() },
            MemoriesRequest::Restore { team: team(), key: key() },
        ];
        requests.into_iter().map(|request| Command::Memories { ticket, request }).collect()
    }

    pub(super) fn memory(&self) -> Memory {
        Memory {
            id: 7,
            team: TeamName::new(self.text()),
            key: self.text(),
            kind: MemoryType::Lesson,
            content: self.text(),
            is_active: self.flag,
            deleted_at: self.maybe(self.stamp()),
            supersedes_id: self.maybe(3),
            supersede_reason: self.maybe(self.text()),
            superseded_by: self.maybe(9),
            updated_by: self.text(),
            dialog: self.maybe(self.text()),
            created_at: self.stamp(),
            updated_at: self.stamp(),
        }
    }

    pub(super) fn vault_commands(&self, ticket: Ticket) -> Vec<Command> {
        let requests = [
            VaultRequest::List { listed: ListedEntries::Secrets },
            VaultRequest::Show { team: TeamName::new(self.text()), key: self.text() },
        ];
        requests.into_iter().map(|request| Command::Vault { ticket, request }).collect()
    }

    pub(super) fn vault_entry(&self) -> ShownEntry {
        ShownEntry {
            team: TeamName::new(self.text()),
            key: self.text(),
            is_secret: self.flag,
            value: self.maybe(self.text()),
            uses: vec![VaultUse::Shell],
            hosts: vec![self.text()],
            reveal: if self.flag { Reveal::Model } else { Reveal::No },
            updated_by: self.text(),
            created_at: self.stamp(),
            updated_at: self.stamp(),
            used_at: self.maybe(self.stamp()),
            used_by: self.maybe(self.text()),
        }
    }

    pub(super) fn whole_entry(&self) -> WholeEntry {
        let used = EntryUse {
            team: TeamName::new(self.text()),
            key: self.text(),
            place: VaultUse::Mcp,
            target: self.text(),
            dialog: self.text(),
            by: self.text(),
        };
        WholeEntry {
            entry: self.vault_entry(),
            variables: vec![self.text()],
            members: vec![self.agent()],
            uses: vec![ShownUse { used, at: self.stamp() }],
        }
    }

    pub(super) fn trigger_row(&self) -> TriggerRow {
        let config = TriggerConfig::Window(Box::new(WindowConfig {
            watch_window: self.maybe(self.text()),
            open: self.maybe(self.text()),
            close: self.maybe(self.text()),
            days: self.maybe(self.text()),
            timezone: self.maybe(self.text()),
            tick_interval_ms: 30_000,
            max_ticks_per_window: self.maybe(8),
            max_tokens_per_window: self.maybe(self.number),
        }));
        let definition = Trigger {
            config,
            task: self.text(),
            member: self.maybe(self.agent()),
            skill: self.maybe(self.text()),
            max_steps: self.maybe(5),
            failure_threshold: 3,
            overlap: TriggerOverlap::AlwaysReplace,
        };
        TriggerRow {
            team: TeamName::new(self.text()),
            name: self.text(),
            state: TriggerState::Active,
            definition: self.maybe(definition),
            fault: self.maybe(self.localized()),
            reason: self.maybe(self.text()),
            failures: 2,
            next_at: self.maybe(self.stamp()),
            last_fired_at: self.maybe(self.stamp()),
            last_status: self.maybe(TaskStatus::Failed),
            last_task: self.maybe(TaskId::new(self.text())),
            window: self.maybe(WindowNow {
                open: true,
                ticks: 4,
                tokens: self.number,
                used_up: self.flag,
            }),
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
            error: self.maybe(self.text()),
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
            trigger: self.maybe(TaskTrigger {
                name: self.text(),
                tells: true,
                is_test: false,
                channel: self.maybe(self.text()),
                message: None,
                is_tick: true,
            }),
            root_correlation: self.text(),
            depth: 1,
            cause: self.maybe(TaskId::new(self.text())),
            from: self.maybe(TeamName::main()),
            origin: self.maybe(self.dialog()),
            wake: self.flag,
            created_at: self.stamp(),
            started_at: self.maybe(self.stamp()),
            ended_at: self.maybe(self.stamp()),
            duration_ms: self.maybe(self.number),
            attempt: 2,
            box_name: self.maybe(self.text()),
            dialog: self.maybe(self.dialog().root),
            result: self.maybe(self.text()),
            error: self.maybe(self.text()),
            tokens: self.number,
        }
    }
}
