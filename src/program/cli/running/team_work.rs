//! The work that remains when a command has ended: tasks that its dialogs gave to teams, and the command, or
//! the driver, that goes on with them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::TaskId;
use crate::domain::teams::task::TaskStatus;
use crate::domain::teams::task::row::TaskRow;
use crate::protocol::DriverEvent;

use super::other_driver::DriverPlace;

/// Tasks that wait for their teams, or are worked on.
#[derive(Debug)]
pub struct Background {
    tasks: BTreeMap<TaskId, TaskStatus>,
    place: DriverPlace,
}

impl Background {
    /// Makes it for a driver of this process, which ends with the command, or of another one, which goes on.
    pub fn of(place: DriverPlace) -> Self {
        Self { tasks: BTreeMap::new(), place }
    }

    pub fn follow(&mut self, event: &DriverEvent) {
        if let DriverEvent::Tasks(rows) = event {
            self.tasks.clear();
            for row in rows {
                self.put(row);
            }
        } else if let DriverEvent::TaskUpdated(row) = event {
            self.put(row);
        }
    }

    fn put(&mut self, row: &TaskRow) {
        self.tasks.insert(row.id.clone(), row.status);
    }

    /// Returns their number. A task that waits for a person counts as an open question instead.
    fn count(&self) -> usize {
        let goes_on =
            |status: &&TaskStatus| matches!(status, TaskStatus::Pending | TaskStatus::Running);
        self.tasks.values().filter(goes_on).count()
    }

    fn next(&self) -> &'static str {
        match self.place {
            DriverPlace::Here => "dominds-tui drive",
            DriverPlace::Elsewhere => "dominds-tui tasks",
        }
    }

    /// Returns the value for the last line of JSON; `None` if no task remains.
    pub fn json(&self) -> Option<Value> {
        let count = self.count();
        let is_driven = self.place == DriverPlace::Elsewhere;
        (count > 0).then(|| json!({ "tasks": count, "driven": is_driven, "next": self.next() }))
    }

    /// Returns the last line for a person; `None` if no task remains.
    pub fn sentence(&self) -> Option<String> {
        let (count, next) = (self.count(), self.next());
        let (tasks, go) =
            if count == 1 { ("task of a team", "goes") } else { ("tasks of teams", "go") };
        let text = match self.place {
            DriverPlace::Here => {
                format!("{count} {tasks} left to work on in the background: `{next}` does that")
            }
            DriverPlace::Elsewhere => {
                format!("{count} {tasks} {go} on in the background: `{next}` lists them")
            }
        };
        (count > 0).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, status: &str) -> TaskRow {
        serde_json::from_value(json!({
            "id": id, "team": "qa", "type": "delegate", "priority": "normal", "status": status,
            "blockReason": null, "about": "x", "number": 1, "attempt": 0, "dialog": null,
            "since": "2026-11-25 10:00:00",
        }))
        .expect("a row")
    }

    #[test]
    fn what_is_left_is_said_with_the_command_that_drives_it_and_nothing_where_nothing_is() {
        for (place, statuses, expected) in [
            (DriverPlace::Here, vec![], None),
            (DriverPlace::Here, vec!["done", "blocked", "failed", "cancelled"], None),
            (
                DriverPlace::Here,
                vec!["pending", "running"],
                Some(
                    "2 tasks of teams left to work on in the background: `dominds-tui drive` does that",
                ),
            ),
            (
                DriverPlace::Elsewhere,
                vec!["running"],
                Some("1 task of a team goes on in the background: `dominds-tui tasks` lists them"),
            ),
        ] {
            let mut background = Background::of(place);
            let rows = statuses.iter().enumerate();
            let rows: Vec<TaskRow> =
                rows.map(|(at, status)| row(&format!("task-{at}"), status)).collect();
            background.follow(&DriverEvent::Tasks(rows));
            assert_eq!(background.sentence().as_deref(), expected, "{statuses:?}");
            assert_eq!(background.json().is_some(), expected.is_some());
        }
    }

    #[test]
    fn a_task_that_ends_is_left_no_more() {
        let mut background = Background::of(DriverPlace::Here);
        background.follow(&DriverEvent::TaskUpdated(Box::new(row("task-1", "pending"))));
        assert_eq!(background.json().expect("one")["tasks"], 1);
        background.follow(&DriverEvent::TaskUpdated(Box::new(row("task-1", "done"))));
        assert_eq!(background.json(), None);
    }
}
