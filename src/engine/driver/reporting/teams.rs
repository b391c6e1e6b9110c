//! What the screens know of the teams and their tasks. Pure: reports in, events out.

use std::sync::Arc;

use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{TaskStatus, TeamWork};
use crate::domain::teams::trigger::row::{Definitions, TriggerRow, rows};
use crate::domain::{Clock, RootId, TaskId};
use crate::hive::TasksView;
use crate::protocol::{DriverEvent, TeamRow};

#[derive(Debug)]
pub(super) struct TeamsState {
    /// Tells when triggers fire next.
    clock: Arc<dyn Clock>,
    definitions: Arc<Definitions>,
    /// As they were sent.
    triggers: Vec<TriggerRow>,
    /// As they were sent.
    teams: Vec<TeamRow>,
    /// `None` until they are known.
    tasks: Option<TasksView>,
    /// Clients have been told of teams or tasks, so they must be told when there are none any more.
    were_told: bool,
}

/// Most characters of a task of a trigger that lists show.
const MAX_TASK_CHARS: usize = 2_000;

impl TeamsState {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            definitions: Arc::default(),
            triggers: Vec::new(),
            teams: Vec::new(),
            tasks: None,
            were_told: false,
        }
    }

    /// Takes what triggers do as their files say now.
    pub fn set_definitions(&mut self, definitions: Arc<Definitions>) -> Option<DriverEvent> {
        self.definitions = definitions;
        self.count_triggers()
    }

    /// The triggers, if they are not as they were sent.
    fn count_triggers(&mut self) -> Option<DriverEvent> {
        let stored = self.tasks.as_ref().map(|view| view.triggers.clone()).unwrap_or_default();
        let mut now = rows(&self.definitions, &stored, self.clock.as_ref());
        for trigger in now.iter_mut().filter_map(|row| row.definition.as_mut()) {
            trigger.task = trigger.task.chars().take(MAX_TASK_CHARS).collect();
        }
        if now == self.triggers {
            return None;
        }
        self.triggers = now;
        Some(DriverEvent::Triggers(self.triggers.clone()))
    }

    /// True if the time of an announced firing has passed.
    fn has_passed(&self) -> bool {
        let now = self.clock.now();
        self.triggers.iter().filter_map(|row| row.next_at.as_ref()).any(|next| *next <= now)
    }

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
            Some(known) if known.revision >= view.revision => {
                let passed = self.has_passed();
                return passed.then(|| self.count_triggers()).flatten().into_iter().collect();
            }
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
        events.extend(self.count_triggers());
        events
    }

    /// The work for a team in this tree.
    pub fn work_of(&self, root: &RootId) -> Option<TeamWork> {
        let active = self.tasks.as_ref()?.of_root(root)?;
        Some(TeamWork { team: active.task.team.clone(), task: Some(active.task.id.clone()) })
    }

    /// All that is known, for a client that knows nothing.
    pub fn everything(&self) -> Vec<DriverEvent> {
        let has_triggers = !self.triggers.is_empty();
        let triggers = has_triggers.then(|| DriverEvent::Triggers(self.triggers.clone()));
        if !self.were_told {
            return triggers.into_iter().collect();
        }
        let listed = self.tasks.as_ref().map(|view| view.listed.to_vec()).unwrap_or_default();
        let teams = [DriverEvent::Teams(self.teams.clone()), DriverEvent::Tasks(listed)];
        teams.into_iter().chain(triggers).collect()
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
            let boxes = view.boxes_of(&team.name).map(str::to_owned).collect();
            team.boxes = view.sharing.as_ref().map(|_| boxes);
        }
        teams
    }
}

/// True if an open task is no longer listed: there are too many, or it was deleted. Ended ones make room for newer
/// ones, as clients know.
fn leaves(known: &[TaskRow], now: &[TaskRow]) -> bool {
    let ids: std::collections::BTreeSet<&TaskId> = now.iter().map(|row| &row.id).collect();
    known.iter().any(|row| row.status.is_open() && !ids.contains(&row.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::teams::task::{Priority, TaskKind};
    use crate::domain::teams::trigger::{StoredTrigger, TriggerId, TriggerState};
    use crate::domain::{Stamp, TeamName};
    use crate::samples::Shows;
    use crate::samples::triggers::scheduled;

    const CLOCK: Shows = Shows("2026-11-21 10:00:00");

    fn state() -> TeamsState {
        TeamsState::new(Arc::new(CLOCK))
    }

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
            error: None,
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
            status: crate::domain::teams::org_change::TeamStatus::Active,
            held_back: None,
            changing: false,
            used_up: false,
            boxes: None,
            stall: crate::domain::teams::stall::StallRule::default(),
        }
    }

    #[test]
    fn a_change_is_sent_alone_and_what_is_late_is_not_sent() {
        let mut state = state();
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
        let mut state = state();
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
        let mut state = state();
        assert_eq!(state.set_tasks(&view(1, &[])), []);
        assert_eq!(state.everything(), []);
    }

    #[test]
    fn a_trigger_is_sent_with_what_comes_next_and_again_when_it_changes() {
        let mut state = state();
        let watch = TriggerId { team: TeamName::new("qa"), name: "watch".to_owned() };
        let trigger = scheduled("0 12 * * *");
        let definitions: Definitions = [(watch.clone(), Some(trigger.clone()))].into();
        let sent = |event: Option<DriverEvent>| match event {
            Some(DriverEvent::Triggers(rows)) => rows,
            other => unreachable!("{other:?}"),
        };
        let pending = sent(state.set_definitions(Arc::new(definitions.clone())));
        assert_eq!((pending[0].state, &pending[0].next_at), (TriggerState::Pending, &None));
        assert_eq!(state.set_definitions(Arc::new(definitions)), None);
        let stored = StoredTrigger {
            id: watch,
            state: TriggerState::Active,
            definition: serde_json::to_string(&trigger).unwrap(),
            failures: 0,
            reason: None,
            since: CLOCK.moment(),
            last_fired: None,
            last_task: None,
            last_status: None,
            opening: None,
        };
        let active = TasksView { triggers: [stored].into(), ..view(2, &[]) };
        let rows = sent(state.set_tasks(&active).pop());
        assert_eq!(rows[0].next_at, Some(Stamp::new("2026-11-21 12:00:00")));
        assert_eq!(state.set_tasks(&active), []);
        assert!(state.everything().contains(&DriverEvent::Triggers(rows)));
    }
}
