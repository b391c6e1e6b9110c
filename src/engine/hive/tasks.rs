//! The tasks of a running driver: each request is one transaction of the [keeper](super::keeper).

use std::time::{Duration, SystemTime};

use tokio::sync::watch;

use crate::domain::teams::org_change::{ChangePreview, Changed, OrgChange, OrgRefusal};
use crate::domain::teams::task::query::QueryRule;
use crate::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, CANCELLED_BY_PERSON, Enqueued, NewTask, Overlap,
    RetryRefusal, Task, TaskFilter, TaskRefusal, TaskStatus,
};
use crate::domain::teams::trigger::change::{TriggerAnswer, TriggerRefusal, TriggerRequest};
use crate::domain::teams::trigger::{Firing, FiringRefusal, Trigger, TriggerId};
use crate::domain::{RootId, TaskId, TeamName};
use crate::tools::{Ending, News, StallNews, Stored, TaskStore, TasksView, TeamSlots};

use super::folder::off_thread;
use super::hashes::hashes;
use super::keeper::Hive;
use super::store::Changes;
use super::trigger_wishes::in_force;

impl TaskStore for Hive {
    fn tasks_view(&self) -> watch::Receiver<TasksView> {
        self.tasks.subscribe()
    }

    fn enqueue(&self, task: NewTask) -> Stored<Enqueued> {
        let id = self.new_task_id();
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

    fn claim(
        &self,
        teams: Vec<TeamSlots>,
        roots: Vec<RootId>,
        day: SystemTime,
    ) -> Stored<Vec<ActiveTask>> {
        self.on_tasks_changing(Changes::Started, move |store, clock| {
            Box::pin(async move { store.claim(&teams, roots, (day, clock)).await })
        })
    }

    fn host(&self, teams: Vec<TeamName>, max_attempts: u32) -> Stored<()> {
        let Some(server) = self.setup.server() else { return Box::pin(async { Ok(()) }) };
        let (rule, workspace) = (server.teams.clone(), self.setup.workspace.clone());
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

    fn begun(&self, of: AttemptId) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.begun(&of).await }))
    }

    fn cut(&self, of: AttemptId) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.cut(&of).await }))
    }

    fn set_blocked(&self, of: AttemptId, reason: Option<BlockReason>, news: News) -> Stored<()> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.set_blocked(&of, reason, news, clock.moment()).await })
        })
    }

    fn end(&self, of: AttemptId, ending: Ending) -> Stored<bool> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.end_task(&of, ending, clock.moment()).await })
        })
    }

    fn fire(&self, firing: Firing) -> Stored<Result<TaskId, FiringRefusal>> {
        let id = self.new_task_id();
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.fire(&firing, &id, clock.moment()).await })
        })
    }

    fn take_over(&self, id: TriggerId, definition: Trigger) -> Stored<()> {
        self.on_tasks(move |store, _| {
            Box::pin(async move { store.take_over(&id, &in_force(&definition)).await })
        })
    }

    fn retire_trigger(&self, id: TriggerId) -> Stored<()> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.retire_trigger(&id, clock.moment()).await })
        })
    }

    fn message_seen(&self, number: i64) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.message_seen(number).await }))
    }

    fn change_trigger(
        &self,
        request: TriggerRequest,
    ) -> Stored<Result<TriggerAnswer, TriggerRefusal>> {
        let setup = self.setup.clone();
        self.on_tasks(move |store, _| {
            Box::pin(async move { setup.change_trigger(store, request).await })
        })
    }

    fn cancel(&self, id: TaskId) -> Stored<Option<TaskStatus>> {
        self.on_tasks(move |store, clock| {
            Box::pin(
                async move { store.cancel_task(&id, CANCELLED_BY_PERSON, clock.moment()).await },
            )
        })
    }

    fn retry(&self, id: TaskId) -> Stored<Option<Result<(), RetryRefusal>>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.retry_task(&id, clock.moment()).await })
        })
    }

    fn put_away(&self, of: AttemptId, tokens: u64) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.put_away(&of, tokens).await }))
    }

    fn delivered(&self, of: AttemptId) -> Stored<()> {
        self.on_tasks(move |store, _| Box::pin(async move { store.delivered(&of).await }))
    }

    fn ask(&self, query: NewTask, rule: QueryRule) -> Stored<Result<TaskId, TaskRefusal>> {
        let id = self.new_task_id();
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.ask(&query, &id, (&rule, clock.moment())).await })
        })
    }

    fn start_queries(&self, roots: Vec<RootId>) -> Stored<Vec<ActiveTask>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.start_queries(&roots, clock).await })
        })
    }

    fn give_up(&self, id: TaskId) -> Stored<Option<Task>> {
        self.on_tasks(move |store, clock| Box::pin(async move { store.give_up(&id, clock).await }))
    }

    fn abandon(&self, id: TaskId) {
        self.on_tasks_later(move |store, clock| {
            Box::pin(async move { store.give_up(&id, clock).await })
        });
    }

    fn task(&self, id: TaskId) -> Stored<Option<Task>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move {
                let found = store.find_task(id.as_str(), clock).await?;
                Ok(found.into_iter().find(|task| task.id == id))
            })
        })
    }

    fn long_open(&self, longer_than: Duration) -> Stored<Vec<(Task, Duration)>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move {
                let before = clock.moment().checked_sub(longer_than);
                store.long_open(before.unwrap_or(SystemTime::UNIX_EPOCH), clock).await
            })
        })
    }

    fn tell_stalls(&self, stalls: Vec<StallNews>) -> Stored<()> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.tell_stalls(&stalls, clock.moment()).await })
        })
    }

    fn preview_change(&self, change: OrgChange) -> Stored<Result<ChangePreview, OrgRefusal>> {
        let setup = self.setup.clone();
        Box::pin(async move { setup.preview(&change).await.map_err(|fault| fault.text()) })
    }

    fn change_teams(&self, change: OrgChange) -> Stored<Result<Changed, OrgRefusal>> {
        let setup = self.setup.clone();
        self.on_tasks(move |store, _| Box::pin(async move { setup.change(store, &change).await }))
    }

    fn tasks(&self, filter: TaskFilter) -> Stored<Vec<Task>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.tasks(&filter, clock).await })
        })
    }
}
