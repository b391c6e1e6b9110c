//! The teams and their tasks.

use crate::domain::teams::task::TaskStatus;
use crate::domain::teams::task::row::{MAX_ENDED_ROWS, TaskRow};
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::{TaskId, TeamName};
use crate::model::Tree;
use crate::protocol::TeamRow;

/// Most teams below each other that are shown as such.
const MAX_DEPTH: usize = 10;

/// Which tasks are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownTasks {
    Open,
    All,
    Failed,
}

impl ShownTasks {
    /// Returns what the next key press lists.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Open => Self::All,
            Self::All => Self::Failed,
            Self::Failed => Self::Open,
        }
    }

    /// True if a task in this state is listed.
    pub fn has(self, status: TaskStatus) -> bool {
        match self {
            Self::Open => status.is_open(),
            Self::All => true,
            Self::Failed => status == TaskStatus::Failed,
        }
    }
}

#[derive(Debug, Default)]
pub struct Teams {
    /// Each below its parent, with how many stand above it.
    rows: Vec<(usize, TeamRow)>,
    /// In the order of the list.
    tasks: Vec<TaskRow>,
    triggers: Vec<TriggerRow>,
}

impl Teams {
    pub fn set_triggers(&mut self, triggers: Vec<TriggerRow>) {
        self.triggers = triggers;
    }

    pub fn triggers(&self) -> &[TriggerRow] {
        &self.triggers
    }

    pub fn set(&mut self, teams: &[TeamRow]) {
        let mut rows = Vec::with_capacity(teams.len());
        let is_root = |team: &TeamRow| {
            let parent = |name: &TeamName| teams.iter().any(|other| other.name == *name);
            !team.parent.as_ref().is_some_and(parent)
        };
        for root in teams.iter().filter(|team| is_root(team)) {
            put_below(root, 0, teams, &mut rows);
        }
        self.rows = rows;
    }

    pub fn set_tasks(&mut self, tasks: Vec<TaskRow>) {
        self.tasks = tasks;
        self.sort();
    }

    /// Adds or updates a task; the oldest ended one makes room.
    pub fn put(&mut self, task: TaskRow) {
        match self.tasks.iter_mut().find(|known| known.id == task.id) {
            Some(known) => *known = task,
            None => self.tasks.push(task),
        }
        self.sort();
        let ended = self.tasks.iter().filter(|task| !task.status.is_open()).count();
        self.tasks.truncate(self.tasks.len() - ended.saturating_sub(MAX_ENDED_ROWS));
    }

    fn sort(&mut self) {
        TaskRow::sort(&mut self.tasks);
    }

    pub fn rows(&self) -> &[(usize, TeamRow)] {
        &self.rows
    }

    /// Returns the tasks, ordered by what a person may have to do about them.
    pub fn tasks(&self) -> &[TaskRow] {
        &self.tasks
    }

    pub fn task(&self, id: &TaskId) -> Option<&TaskRow> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// Returns how many of the running tasks of a team retry.
    pub fn retrying(&self, team: &TeamName, tree: &Tree) -> u64 {
        let retries = |task: &&TaskRow| task.team == *team && tree.retries(task);
        u64::try_from(self.tasks.iter().filter(retries).count()).unwrap_or(u64::MAX)
    }

    /// Returns how many open tasks are not in the list, of one team or of all.
    pub fn not_listed(&self, team: Option<&TeamName>) -> u64 {
        let is_meant = |name: &TeamName| team.is_none_or(|team| team == name);
        let counts = self.rows.iter().filter(|(_, row)| is_meant(&row.name));
        let all: u64 = counts.map(|(_, row)| row.running + row.blocked + row.pending).sum();
        let listed = self.tasks.iter().filter(|task| task.status.is_open() && is_meant(&task.team));
        all.saturating_sub(u64::try_from(listed.count()).unwrap_or(u64::MAX))
    }
}

fn put_below(team: &TeamRow, depth: usize, teams: &[TeamRow], rows: &mut Vec<(usize, TeamRow)>) {
    rows.push((depth, team.clone()));
    // A driver that says anything else has no end.
    if depth < MAX_DEPTH {
        for child in teams.iter().filter(|child| child.parent.as_ref() == Some(&team.name)) {
            put_below(child, depth + 1, teams, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;
    use crate::domain::teams::task::{Priority, TaskKind};

    fn team(name: &str, parent: Option<&str>, pending: u64) -> TeamRow {
        TeamRow {
            name: TeamName::new(name),
            parent: parent.map(TeamName::new),
            lead: None,
            description: String::new(),
            max_running: 5,
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

    fn task(number: u64, status: TaskStatus) -> TaskRow {
        TaskRow {
            id: TaskId::new(format!("task-{number}")),
            team: TeamName::new("qa"),
            kind: TaskKind::Delegate,
            priority: Priority::Normal,
            status,
            block_reason: None,
            about: String::new(),
            number,
            attempt: 0,
            dialog: None,
            since: Stamp::new(format!("2026-11-21 10:{:02}:{:02}", number / 60, number % 60)),
            error: None,
        }
    }

    #[test]
    fn each_team_is_below_its_parent_and_one_in_a_circle_is_left_out() {
        let mut teams = Teams::default();
        teams.set(&[
            team("a", Some("b"), 0),
            team("b", Some("a"), 0),
            team("lab", Some("qa"), 0),
            team("main", None, 0),
            team("ops", Some("main"), 0),
            team("qa", Some("main"), 0),
            team("zoo", Some("gone"), 0),
        ]);
        let order: Vec<(usize, &str)> =
            teams.rows().iter().map(|(depth, row)| (*depth, row.name.as_str())).collect();
        assert_eq!(order, [(0, "main"), (1, "ops"), (1, "qa"), (2, "lab"), (0, "zoo")]);
    }

    #[test]
    fn of_the_tasks_that_have_ended_the_newest_stay() {
        let mut teams = Teams::default();
        teams.set_tasks(vec![task(0, TaskStatus::Running)]);
        for number in 1..=110 {
            teams.put(task(number, TaskStatus::Done));
        }
        assert_eq!(teams.tasks().len(), 1 + MAX_ENDED_ROWS);
        assert!(teams.task(&TaskId::new("task-0")).is_some());
        assert!(teams.task(&TaskId::new("task-10")).is_none());
        assert!(teams.task(&TaskId::new("task-11")).is_some());
    }

    #[test]
    fn open_tasks_beyond_the_list_are_counted() {
        let mut teams = Teams::default();
        teams.set(&[team("main", None, 0), team("qa", Some("main"), 7)]);
        teams.set_tasks(vec![task(1, TaskStatus::Pending), task(2, TaskStatus::Done)]);
        assert_eq!(teams.not_listed(None), 6);
        assert_eq!(teams.not_listed(Some(&TeamName::main())), 0);
    }
}
