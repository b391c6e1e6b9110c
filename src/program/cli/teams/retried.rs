//! Which tasks wait for a failed request that is made again. No file says so: only the driver of a workspace knows, and
//! what nobody drives asks no model.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::running::other_driver;
use crate::domain::RootId;
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::task::{Task, TaskStatus};
use crate::hive::TasksView;

/// The trees of the driver, with whether a dialog of them retries; `None` if it does not say.
#[derive(Debug)]
pub struct Retried(Option<BTreeMap<RootId, bool>>);

impl Retried {
    /// Asks the driver of the workspace. `is_asked` is false where nothing can retry: without a driver, or a task that
    /// runs.
    pub async fn of(workspace: &Path, is_asked: bool) -> Self {
        if !is_asked {
            return Self(Some(BTreeMap::new()));
        }
        let reported = other_driver::reported(workspace).await;
        Self(reported.map(|reported| {
            let mut trees = BTreeMap::new();
            for row in reported.rows {
                *trees.entry(row.dialog.root).or_default() |= row.retrying;
            }
            trees
        }))
    }

    /// False if the driver does not say.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// True if a dialog of this tree is known to retry.
    pub fn has(&self, root: Option<&RootId>) -> bool {
        self.tree(root) == Some(true)
    }

    fn tree(&self, root: Option<&RootId>) -> Option<bool> {
        self.0.as_ref()?.get(root?).copied()
    }

    /// Whether the task retries; `None` if that is not known, as of one on another box.
    pub fn task(&self, task: &Task) -> Option<bool> {
        if task.status != TaskStatus::Running {
            return Some(false);
        }
        let is_here = self.is_known() && task.box_name.is_none();
        self.tree(task.dialog.as_ref()).or(is_here.then_some(false))
    }

    /// How many tasks of the team retry; `None` if that is not known.
    pub fn of_team(&self, team: &OrgTeam, view: &TasksView) -> Option<usize> {
        let tasks = view.active_of(&team.name).map(|task| self.task(task));
        tasks.map(|retries| retries.map(usize::from)).sum()
    }
}

/// Returns how many tasks run, in words.
pub fn running_words(running: u64, retrying: Option<usize>) -> String {
    match retrying {
        None | Some(0) => format!("{running} running"),
        Some(some) => format!("{running} running ({some} retrying)"),
    }
}
