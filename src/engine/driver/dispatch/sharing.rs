//! What a dispatcher does where several boxes share the store.

use std::collections::BTreeSet;

use crate::domain::RootId;
use crate::domain::teams::task::TaskStatus;
use crate::hive::{Hive, TasksView};
use crate::minds::Minds;

#[derive(Debug, Default)]
pub struct Sharer {
    /// Trees that were stopped because the lease was not renewed; they continue when it is.
    paused: BTreeSet<RootId>,
    /// The store was told for which teams tasks are started here.
    is_told: bool,
}

impl Sharer {
    /// Pauses the trees of running tasks, since other boxes may be given them soon. Returns those to be stopped.
    pub fn take_running(&mut self, view: &TasksView) -> Vec<RootId> {
        let running = view.active.iter().filter(|one| one.task.status == TaskStatus::Running);
        let roots: Vec<RootId> = running.map(|one| one.root.clone()).collect();
        roots.into_iter().filter(|root| self.paused.insert(root.clone())).collect()
    }

    /// Forgets trees whose tasks run no more.
    pub fn keep_running(&mut self, view: &TasksView) {
        let runs = |root: &RootId| {
            let of_root = view.of_root(root);
            of_root.is_some_and(|one| one.task.status == TaskStatus::Running)
        };
        self.paused.retain(runs);
    }

    pub fn is_paused(&self, root: &RootId) -> bool {
        self.paused.contains(root)
    }

    /// A tree continues.
    pub fn resume(&mut self, root: &RootId) {
        self.paused.remove(root);
    }

    /// True if the store is to be told which teams are worked for here.
    pub fn is_to_tell(&self, view: &TasksView, is_due: bool) -> bool {
        view.sharing.is_some() && (is_due || !self.is_told)
    }

    /// Tells the store that this box works for the teams of the current configuration.
    pub async fn tell(&mut self, tasks: &Hive, minds: &Minds) {
        let org = minds.hive().org();
        let teams = org.teams().filter(|_| org.is_on()).map(|team| team.name.clone()).collect();
        let told = tasks.host(teams, minds.hive().limits.max_attempts).await;
        // Nothing is lost: it is told again until the store knows it.
        self.is_told =
            told.inspect_err(|error| tracing::warn!(%error, "teams to work for")).is_ok();
    }
}
