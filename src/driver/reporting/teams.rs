//! What the screens know of the teams and their tasks. Pure: reports in, events out.

use std::sync::Arc;

use crate::domain::task::row::TaskRow;
use crate::domain::task::{TaskStatus, TeamWork};
use crate::domain::{RootId, TaskId};
use crate::protocol::{DriverEvent, TeamRow};
use crate::tools::TasksView;

#[derive(Debug, Default)]
pub(super) struct TeamsState {
    /// As they were sent.
    teams: Vec<TeamRow>,
    /// `None` until they are known.
    tasks: Option<TasksView>,
    /// Clients have been told of teams or tasks: that there are none any more is news.
    were_told: bool,
}

impl TeamsState {
    /// Takes the teams that can be used, without their tasks.
    pub fn set_teams(&mut self, teams: Vec<TeamRow>) -> Vec<DriverEvent> {
        let counted = self.counted(teams);
        if counted == self.teams {
            return Vec::new();
        }
        self.teams = counted;
        self.were_told = true;
        vec![DriverEvent::Teams(self.teams.clone())]
    }

    /// Takes the tasks as they are now, unless what is known is newer.
    pub fn set_tasks(&mut self, view: &TasksView) -> Vec<DriverEvent> {
        let known = match &self.tasks {
            Some(known) if known.revision >= view.revision => return Vec::new(),
            Some(known) => known.listed.clone(),
            None => Arc::default(),
        };
        let is_first = self.tasks.replace(view.clone()).is_none();
        let mut events = if is_first && view.listed.is_empty() {
            Vec::new()
        } else if is_first || leaves(&known, &view.listed) {
            vec![DriverEvent::Tasks(view.listed.to_vec())]
        } else {
            let changed = view.listed.iter().filter(|row| !known.contains(row));
            changed.map(|row| DriverEvent::TaskUpdated(Box::new(row.clone()))).collect()
        };
        self.were_told |= !events.is_empty();
        events.extend(self.set_teams(self.teams.clone()));
        events
    }

    /// What is done in this tree for a team.
    pub fn work_of(&self, root: &RootId) -> Option<TeamWork> {
        let active = self.tasks.as_ref()?.of_root(root)?;
        Some(TeamWork { team: active.task.team.clone(), task: Some(active.task.id.clone()) })
    }

    /// All that is known, for a client that knows nothing.
    pub fn everything(&self) -> Vec<DriverEvent> {
        if !self.were_told {
            return Vec::new();
        }
        let listed = self.tasks.as_ref().map(|view| view.listed.to_vec()).unwrap_or_default();
        vec![DriverEvent::Teams(self.teams.clone()), DriverEvent::Tasks(listed)]
    }

    fn counted(&self, mut teams: Vec<TeamRow>) -> Vec<TeamRow> {
        let Some(view) = &self.tasks else { return teams };
        for team in &mut teams {
            let blocked = view.active_of(&team.name);
            let blocked = blocked.filter(|task| task.status == TaskStatus::Blocked).count();
            team.running = u64::from(view.running_of(&team.name));
            team.blocked = u64::try_from(blocked).unwrap_or(u64::MAX);
            team.pending = view.pending_of(&team.name);
            team.used_up = view.used_up.contains(&team.name);
            team.status = view.status_of(&team.name);
            team.changing = view.changes_for(&team.name);
        }
        teams
    }
}

/// True if an open task is not listed any more: there are too many, or it was deleted. Ended ones make room for newer ones,
/// as whoever shows them knows.
fn leaves(known: &[TaskRow], now: &[TaskRow]) -> bool {
    let ids: std::collections::BTreeSet<&TaskId> = now.iter().map(|row| &row.id).collect();
    known.iter().any(|row| row.status.is_open() && !ids.contains(&row.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::task::{Priority, TaskKind};
    use crate::domain::{Stamp, TeamName};

    fn row(id: &str, status: TaskStatus) -> TaskRow {
        TaskRow {
            id: TaskId::new(id),
            team: TeamName::new("qa"),
            kind: TaskKind::Delegate,
            priority: Priority::Normal,
            status,
            block_reason: None,
            about: "run the tests".to_owned(),
            number: 1,
            attempt: 1,
            dialog: None,
            since: Stamp::new("2026-11-21 10:00:00"),
        }
    }

    fn view(revision: u64, listed: &[TaskRow]) -> TasksView {
        let pending = listed.iter().filter(|row| row.status == TaskStatus::Pending).count();
        TasksView {
            revision,
            listed: listed.into(),
            pending: [(TeamName::new("qa"), u64::try_from(pending).unwrap())].into(),
            ..TasksView::default()
        }
    }

    fn qa(pending: u64) -> TeamRow {
        TeamRow {
            name: TeamName::new("qa"),
            parent: Some(TeamName::main()),
            lead: Some("qa".into()),
            description: String::new(),
            max_running: 2,
            running: 0,
            blocked: 0,
            pending,
            status: crate::domain::org_change::TeamStatus::Active,
            changing: false,
            used_up: false,
        }
    }

    #[test]
    fn a_change_is_sent_alone_and_what_is_late_is_not_sent() {
        let mut state = TeamsState::default();
        assert_eq!(state.set_teams(vec![qa(0)]), [DriverEvent::Teams(vec![qa(0)])]);
        let (a, b) = (row("task-a", TaskStatus::Pending), row("task-b", TaskStatus::Done));
        let all = DriverEvent::Tasks(vec![a.clone(), b.clone()]);
        let counted = DriverEvent::Teams(vec![qa(1)]);
        assert_eq!(
            state.set_tasks(&view(2, &[a.clone(), b.clone()])),
            [all.clone(), counted.clone()]
        );
        assert_eq!(state.everything(), [counted, all]);
        let runs = row("task-a", TaskStatus::Running);
        let updated = DriverEvent::TaskUpdated(Box::new(runs.clone()));
        // The end that is not listed any more makes room for others.
        let now = state.set_tasks(&view(3, &[runs]));
        assert_eq!(now, [updated, DriverEvent::Teams(vec![qa(0)])]);
        assert_eq!(state.set_tasks(&view(3, &[])), []);
        assert_eq!(state.set_tasks(&view(1, &[])), []);
        assert_eq!(state.set_teams(vec![qa(0)]), []);
    }

    #[test]
    fn an_open_task_that_is_gone_lists_all_anew() {
        let mut state = TeamsState::default();
        let (a, b) = (row("task-a", TaskStatus::Pending), row("task-b", TaskStatus::Pending));
        state.set_tasks(&view(1, &[a.clone(), b]));
        assert_eq!(
            state.set_tasks(&view(2, std::slice::from_ref(&a))),
            [DriverEvent::Tasks(vec![a])]
        );
        assert_eq!(state.set_tasks(&view(3, &[])), [DriverEvent::Tasks(Vec::new())]);
        let nothing = [DriverEvent::Teams(Vec::new()), DriverEvent::Tasks(Vec::new())];
        assert_eq!(state.everything(), nothing, "whoever missed that is told");
    }

    #[test]
    fn where_there_is_no_task_nothing_is_sent() {
        let mut state = TeamsState::default();
        assert_eq!(state.set_tasks(&view(1, &[])), []);
        assert_eq!(state.everything(), []);
    }
}
