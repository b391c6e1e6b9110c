//! The tasks of a running driver: each request is one transaction of the [keeper](super::keeper). What it changes is on disk
//! when it returns, and in the view.

use std::time::{Duration, SystemTime};

use tokio::sync::watch;

use crate::domain::teams::org_change::{ChangePreview, Changed, OrgChange, OrgRefusal, TeamStatus};
use crate::domain::teams::task::query::QueryRule;
use crate::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, CANCELLED_BY_PERSON, Enqueued, NewTask, Overlap,
    RetryRefusal, Task, TaskFilter, TaskRefusal, TaskStatus,
};
use crate::domain::teams::trigger::change::{TriggerAnswer, TriggerRefusal, TriggerRequest};
use crate::domain::teams::trigger::{Firing, FiringRefusal, Trigger, TriggerId};
use crate::domain::{RootId, TaskId, TeamName};

use super::folder::off_thread;
use super::handle::{Hive, Request, no_place};
use super::hashes::hashes;
use super::setup::Setup;
use super::store::Changes;
#[cfg(test)]
use super::test_support::Double;
use super::trigger_wishes::in_force;
use super::views::{Ending, News, StallNews, Stored, TasksView, TeamSlots};

/// The longest wait for a team that is being shut down; the shutdown goes on without it.
const CLOSING_TIME: Duration = Duration::from_mins(1);

impl Hive {
    /// Returns a receiver of the view, which is told of every change.
    pub fn tasks_view(&self) -> watch::Receiver<TasksView> {
        self.tasks.subscribe()
    }

    /// Queues a task, unless something speaks against it.
    pub fn enqueue(&self, task: NewTask) -> Stored<Enqueued> {
        #[cfg(test)]
        if let Some(double) = &self.double {
            return double.enqueue(task);
        }
        let Some(id) = self.setup.as_ref().map(Setup::new_task_id) else { return no_place() };
        let changes = match task.overlap {
            Overlap::Allow | Overlap::Skip | Overlap::Confirm => {
                Changes::Queued(task.team.clone(), task.priority)
            }
            Overlap::Replace => Changes::Anything,
        };
        self.on_tasks_changing(changes, move |store, clock| {
            Box::pin(async move { store.enqueue(&task, &id, clock.moment()).await })
        })
    }

    /// Starts tasks of these teams, at most one for each dialog in `roots`. `day`: when this day of the local
    /// calendar began.
    pub fn claim(
        &self,
        teams: Vec<TeamSlots>,
        roots: Vec<RootId>,
        day: SystemTime,
    ) -> Stored<Vec<ActiveTask>> {
        self.on_tasks_changing(Changes::Started, move |store, clock| {
            Box::pin(async move { store.claim(&teams, roots, (day, clock)).await })
        })
    }

    /// Works for these teams from now on, unless something speaks against it. Work that lost engines have left fails
    /// after `max_attempts` attempts.
    pub fn host(&self, teams: Vec<TeamName>, max_attempts: u32) -> Stored<()> {
        let server = self.setup.as_ref().and_then(|setup| Some((setup, setup.server()?)));
        let Some((setup, server)) = server else { return Box::pin(async { Ok(()) }) };
        let (rule, workspace) = (server.teams.clone(), setup.workspace.clone());
        let hive = self.clone();
        Box::pin(async move {
            let hash = move || Ok(hashes(&workspace, teams.iter().filter(|team| rule.has(team))));
            let hashes = off_thread(hash).await.map_err(|fault| fault.text())?;
            let host = hive.on_tasks(move |store, _| {
                store.limit_attempts(max_attempts);
                Box::pin(async move { store.host(hashes).await })
            });
            host.await
        })
    }

    /// The dialog of an attempt has been made.
    pub fn begun(&self, of: AttemptId) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.begun(&of).await }))
    }

    /// A restart interrupted an attempt.
    pub fn cut(&self, of: AttemptId) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.cut(&of).await }))
    }

    /// Blocks a task and tells a person, or lets it run again.
    pub fn set_blocked(
        &self,
        of: AttemptId,
        reason: Option<BlockReason>,
        news: News,
    ) -> Stored<()> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.set_blocked(&of, reason, news, clock.moment()).await })
        })
    }

    /// Ends an attempt and tells a person; false if the attempt no longer counts.
    pub fn end(&self, of: AttemptId, ending: Ending) -> Stored<bool> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.end_task(&of, ending, clock.moment()).await })
        })
    }

    /// Queues the task of a trigger, unless something speaks against it.
    pub fn fire(&self, firing: Firing) -> Stored<Result<TaskId, FiringRefusal>> {
        let Some(id) = self.setup.as_ref().map(Setup::new_task_id) else { return no_place() };
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.fire(&firing, &id, clock.moment()).await })
        })
    }

    /// Replaces the definition of an active trigger by this one, which is that of its file.
    pub fn take_over(&self, id: TriggerId, definition: Trigger) -> Stored<()> {
        self.on_tasks(move |store, _| {
            Box::pin(async move { store.take_over(&id, &in_force(&definition)).await })
        })
    }

    /// Disables a trigger whose file was removed.
    pub fn retire_trigger(&self, id: TriggerId) -> Stored<()> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.retire_trigger(&id, clock.moment()).await })
        })
    }

    /// Triggers have looked at the message with this number.
    pub fn message_seen(&self, number: i64) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.message_seen(number).await }))
    }

    /// Changes a trigger, or tries its task.
    pub fn change_trigger(
        &self,
        request: TriggerRequest,
    ) -> Stored<Result<TriggerAnswer, TriggerRefusal>> {
        let Some(setup) = self.setup.clone() else { return no_place() };
        self.on_tasks(move |store, _| {
            Box::pin(async move { setup.change_trigger(store, request).await })
        })
    }

    /// Cancels a task for a person; returns its former state, `None` if there is no such task. An ended one stays.
    pub fn cancel(&self, id: TaskId) -> Stored<Option<TaskStatus>> {
        self.on_tasks(move |store, clock| {
            Box::pin(
                async move { store.cancel_task(&id, CANCELLED_BY_PERSON, clock.moment()).await },
            )
        })
    }

    /// Queues a task again that has failed or was cancelled; `None` if there is no such task.
    pub fn retry(&self, id: TaskId) -> Stored<Option<Result<(), RetryRefusal>>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.retry_task(&id, clock.moment()).await })
        })
    }

    /// Records that the dialog of an ended attempt was put away, and the `tokens` of its dialogs not counted yet.
    pub fn put_away(&self, of: AttemptId, tokens: u64) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.put_away(&of, tokens).await }))
    }

    /// The dialog that asked has the result.
    pub fn delivered(&self, of: AttemptId) -> Stored<()> {
        self.sent(|reply| Request::Delivered { of, reply })
    }

    /// Asks a team, unless something speaks against it. It has a slot of the team from now on, and no queue.
    pub fn ask(&self, query: NewTask, rule: QueryRule) -> Stored<Result<TaskId, TaskRefusal>> {
        let Some(id) = self.setup.as_ref().map(Setup::new_task_id) else { return no_place() };
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.ask(&query, &id, (&rule, clock.moment())).await })
        })
    }

    /// Gives dialogs to queries that have none, and ends those that no one can be waiting for.
    pub fn start_queries(&self, roots: Vec<RootId>) -> Stored<Vec<ActiveTask>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.start_queries(&roots, clock).await })
        })
    }

    /// Ends a query, if it has no answer yet; then, how it has ended. `None` if it is not there.
    pub fn give_up(&self, id: TaskId) -> Stored<Option<Task>> {
        self.on_tasks(move |store, clock| Box::pin(async move { store.give_up(&id, clock).await }))
    }

    /// Ends a query without a wait; it may come to its end by its time limit instead.
    pub fn abandon(&self, id: TaskId) {
        self.on_tasks_later(move |store, clock| {
            Box::pin(async move { store.give_up(&id, clock).await })
        });
    }

    /// The task with this id.
    pub fn task(&self, id: TaskId) -> Stored<Option<Task>> {
        #[cfg(test)]
        if let Some(double) = &self.double {
            return double.task(&id);
        }
        self.on_tasks(move |store, clock| {
            Box::pin(async move {
                let found = store.find_task(id.as_str(), clock).await?;
                Ok(found.into_iter().find(|task| task.id == id))
            })
        })
    }

    /// The tasks that have waited, or run, for longer than that, and how long; the oldest first.
    pub fn long_open(&self, longer_than: Duration) -> Stored<Vec<(Task, Duration)>> {
        if self.setup.is_none() {
            return Box::pin(async { Ok(Vec::new()) });
        }
        self.on_tasks(move |store, clock| {
            Box::pin(async move {
                let before = clock.moment().checked_sub(longer_than);
                store.long_open(before.unwrap_or(SystemTime::UNIX_EPOCH), clock).await
            })
        })
    }

    /// Tells a person what stalls now, and takes back earlier notices that no longer apply.
    pub fn tell_stalls(&self, stalls: Vec<StallNews>) -> Stored<()> {
        if self.setup.is_none() {
            return Box::pin(async { Ok(()) });
        }
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.tell_stalls(&stalls, clock.moment()).await })
        })
    }

    /// Returns what a change of the teams would do, or why it is refused.
    pub fn preview_change(&self, change: OrgChange) -> Stored<Result<ChangePreview, OrgRefusal>> {
        #[cfg(test)]
        if self.double.is_some() {
            return Double::preview();
        }
        let Some(setup) = self.setup.clone() else { return no_place() };
        Box::pin(async move { setup.preview(&change).await.map_err(|fault| fault.text()) })
    }

    /// Changes the teams, completely or not at all. A team that is shut down may still be closing afterwards.
    pub fn change_teams(&self, change: OrgChange) -> Stored<Result<Changed, OrgRefusal>> {
        #[cfg(test)]
        if let Some(double) = &self.double {
            return double.change(change);
        }
        let Some(setup) = self.setup.clone() else { return no_place() };
        self.on_tasks(move |store, _| Box::pin(async move { setup.change(store, &change).await }))
    }

    /// Tasks, the newest first; no queries.
    pub fn tasks(&self, filter: TaskFilter) -> Stored<Vec<Task>> {
        #[cfg(test)]
        if let Some(double) = &self.double {
            return double.tasks(&filter);
        }
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.tasks(&filter, clock).await })
        })
    }

    /// Waits until these teams are gone, which are being shut down; false if that takes longer.
    pub async fn teams_are_gone(&self, teams: &[TeamName]) -> bool {
        let mut view = self.tasks_view();
        let is_gone = |view: &TasksView| {
            teams.iter().all(|team| view.status_of(team) != TeamStatus::ShuttingDown)
        };
        let gone = tokio::time::timeout(CLOSING_TIME, view.wait_for(is_gone)).await;
        gone.is_ok_and(|view| view.is_ok())
    }
}
