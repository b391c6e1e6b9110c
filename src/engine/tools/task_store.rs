//! Where tasks of teams are queued. The program has one such store for a workspace; where none is configured, there is
//! [`NoTasks`].

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::teams::notices::{NewNotice, NewsKind};
use crate::domain::teams::org::{Org, TeamLimits};
use crate::domain::teams::org_change::{
    ChangePreview, Changed, OpenChange, OrgChange, OrgRefusal, TeamState, TeamStatus,
};
use crate::domain::teams::task::query::{DEFAULT_TIME, OpenQuery, QueryRule};
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, Cause, Delivery, EndedAttempt, Enqueued, HandoffRule,
    NewTask, RetryRefusal, Task, TaskEnd, TaskFilter, TaskKind, TaskRefusal, TaskStatus,
};
use crate::domain::teams::trigger::change::{TriggerAnswer, TriggerRefusal, TriggerRequest};
use crate::domain::teams::trigger::row::Definitions;
use crate::domain::teams::trigger::{
    Firing, FiringRefusal, Message, StoredTrigger, Trigger, TriggerId, TriggerState,
};
use crate::domain::text::{Localized, Text};
use crate::domain::{RootId, TaskId, TeamName};

use super::team_calls::TeamCalls;

/// The work in progress, and what remains to be done about ended work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TasksView {
    /// Grows with each change; 0 until the store was read.
    pub revision: u64,
    /// The rows of lists: open tasks, then ended ones, both up to a number.
    pub listed: Arc<[TaskRow]>,
    /// The teams of which there is more to say than that they are active.
    pub teams: Arc<[TeamState]>,
    /// Changes of the organisation that are not over.
    pub changes: Arc<[OpenChange]>,
    /// Tasks that run or are blocked, and the queries that have a dialog.
    pub active: Arc<[ActiveTask]>,
    /// The queries that have no answer yet.
    pub queries: Arc<[OpenQuery]>,
    /// Triggers that were enabled or disabled once.
    pub triggers: Arc<[StoredTrigger]>,
    /// Messages that triggers have not looked at.
    pub messages: Arc<[Message]>,
    /// The number of waiting tasks of each team; a team without any is not listed.
    pub pending: Arc<[(TeamName, u64)]>,
    /// Teams that had used up their daily limit when their tasks were last to be started.
    pub used_up: Arc<[TeamName]>,
    /// Attempts that have ended, and whose dialogs are still where they were.
    pub ended: Arc<[EndedAttempt]>,
    pub deliveries: Arc<[Delivery]>,
    /// Set if several boxes share the store.
    pub sharing: Option<Arc<Sharing>>,
}

/// The work that is done here for a store that several boxes share, and the boxes that do the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sharing {
    /// The teams whose tasks may be started here.
    pub hosted: BTreeSet<TeamName>,
    /// Teams that are not worked for here, because their files differ from those elsewhere.
    pub differing: Vec<TeamName>,
    /// Each team with a box where its tasks may be started.
    pub boxes: Vec<(TeamName, String)>,
    /// Tasks that others work on.
    pub elsewhere: Vec<Task>,
    /// True if the lease was not renewed: work in progress here may soon be given to others.
    pub is_cut_off: bool,
}

impl TasksView {
    /// True if there is work: a task to start or to look after, a dialog to put away, a result to deliver.
    #[must_use]
    pub fn has_work(&self) -> bool {
        let is_idle = self.active.is_empty() && self.pending.is_empty() && self.queries.is_empty();
        let changes = !self.changes.is_empty() || !self.messages.is_empty();
        changes
            || self.has_active_trigger()
            || !is_idle
            || !self.ended.is_empty()
            || !self.deliveries.is_empty()
    }

    /// True if a trigger may fire.
    #[must_use]
    pub fn has_active_trigger(&self) -> bool {
        self.triggers.iter().any(|trigger| trigger.state == TriggerState::Active)
    }

    /// True if the tasks of this team may be started here.
    #[must_use]
    pub fn hosts(&self, team: &TeamName) -> bool {
        self.sharing.as_ref().is_none_or(|sharing| sharing.hosted.contains(team))
    }

    /// True while nothing may be started or continued here.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.is_cut_off)
    }

    /// The boxes where tasks of this team may be started; none in a store that is not shared.
    pub fn boxes_of<'a>(&'a self, team: &'a TeamName) -> impl Iterator<Item = &'a str> {
        let boxes = self.sharing.iter().flat_map(|sharing| &sharing.boxes);
        boxes.filter(move |(name, _)| name == team).map(|(_, one)| one.as_str())
    }

    /// The task that is worked on in this tree.
    #[must_use]
    pub fn of_root(&self, root: &RootId) -> Option<&ActiveTask> {
        self.active.iter().find(|active| active.root == *root)
    }

    /// Returns the cause of a task that is delegated from this tree.
    #[must_use]
    pub fn cause(&self, root: &RootId) -> Option<Cause> {
        Some(self.of_root(root)?.task.as_cause())
    }

    /// Returns the status of a team.
    #[must_use]
    pub fn status_of(&self, team: &TeamName) -> TeamStatus {
        let known = self.teams.iter().find(|state| state.name == *team);
        known.map_or(TeamStatus::Active, |state| state.status)
    }

    /// True while the lead of this team changes the organisation.
    #[must_use]
    pub fn changes_for(&self, team: &TeamName) -> bool {
        self.changes.iter().any(|change| change.by.as_ref() == Some(team))
    }

    #[must_use]
    pub fn pending_of(&self, team: &TeamName) -> u64 {
        self.pending.iter().find(|(name, _)| name == team).map_or(0, |(_, count)| *count)
    }

    /// The active tasks of a team; no queries.
    pub fn active_of<'a>(&'a self, team: &'a TeamName) -> impl Iterator<Item = &'a Task> {
        self.work_of(team).filter(|task| task.kind != TaskKind::Query)
    }

    /// Returns the number of slots a team uses, for tasks and for queries.
    #[must_use]
    pub fn running_of(&self, team: &TeamName) -> u32 {
        let running = self.work_of(team).filter(|task| task.status == TaskStatus::Running);
        u32::try_from(running.count()).unwrap_or(u32::MAX)
    }

    fn work_of<'a>(&'a self, team: &'a TeamName) -> impl Iterator<Item = &'a Task> {
        let here = self.active.iter().map(|active| &active.task);
        let elsewhere = self.sharing.iter().flat_map(|sharing| &sharing.elsewhere);
        here.chain(elsewhere).filter(move |task| task.team == *team)
    }
}

/// Limits of the work a team does at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamSlots {
    pub team: TeamName,
    pub limits: TeamLimits,
    /// The notice for a person when it has used up its daily limit.
    pub used_up: NewNotice,
}

/// The notice for a person that comes with a change, if any.
pub type News = Option<(NewsKind, NewNotice)>;

/// The stalled tasks of a team, as one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StallNews {
    pub team: TeamName,
    pub kind: NewsKind,
    pub notice: NewNotice,
    /// How many tasks stall.
    pub count: u32,
}

/// The end of an attempt, and the news about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub end: TaskEnd,
    /// Tokens of all dialogs of the attempt.
    pub tokens: u64,
    pub news: News,
    /// The notice for a person if that disables its trigger.
    pub disables: Option<NewNotice>,
    /// Where a tick of a window stopped.
    pub cursor: Option<String>,
}

impl From<TaskEnd> for Ending {
    fn from(end: TaskEnd) -> Self {
        Self { end, tokens: 0, news: None, disables: None, cursor: None }
    }
}

/// The result of a request to a store; the error is the message for a person.
pub type Stored<T> = BoxFuture<'static, Result<T, Localized>>;

/// The tasks of one workspace. What a request changes is on disk when it returns, and in the view.
pub trait TaskStore: Send + Sync + Debug {
    /// Returns a receiver of the view, which is told of every change.
    fn tasks_view(&self) -> watch::Receiver<TasksView>;

    /// Queues a task, unless something speaks against it.
    fn enqueue(&self, task: NewTask) -> Stored<Enqueued>;

    /// Starts tasks of these teams, at most one for each dialog in `roots`. `day`: when this day of the local
    /// calendar began.
    fn claim(
        &self,
        teams: Vec<TeamSlots>,
        roots: Vec<RootId>,
        day: SystemTime,
    ) -> Stored<Vec<ActiveTask>>;

    /// Works for these teams from now on, unless something speaks against it. Work that lost engines have left fails
    /// after `max_attempts` attempts.
    fn host(&self, _teams: Vec<TeamName>, _max_attempts: u32) -> Stored<()> {
        Box::pin(async { Ok(()) })
    }

    /// The dialog of an attempt has been made.
    fn begun(&self, of: AttemptId) -> Stored<()>;

    /// A restart interrupted an attempt.
    fn cut(&self, of: AttemptId) -> Stored<()>;

    /// Blocks a task and tells a person, or lets it run again.
    fn set_blocked(&self, of: AttemptId, reason: Option<BlockReason>, news: News) -> Stored<()>;

    /// Ends an attempt and tells a person; false if the attempt no longer counts.
    fn end(&self, of: AttemptId, ending: Ending) -> Stored<bool>;

    /// Cancels a task for a person; returns its former state, `None` if there is no such task. An ended one stays.
    fn cancel(&self, id: TaskId) -> Stored<Option<TaskStatus>>;

    /// Queues a task again that has failed or was cancelled; `None` if there is no such task.
    fn retry(&self, id: TaskId) -> Stored<Option<Result<(), RetryRefusal>>>;

    /// Records that the dialog of an ended attempt was put away, and the `tokens` of its dialogs not counted yet.
    fn put_away(&self, of: AttemptId, tokens: u64) -> Stored<()>;

    /// The dialog that asked has the result.
    fn delivered(&self, of: AttemptId) -> Stored<()>;

    /// Asks a team, unless something speaks against it. It has a slot of the team from now on, and no queue.
    fn ask(&self, _query: NewTask, _rule: QueryRule) -> Stored<Result<TaskId, TaskRefusal>> {
        nowhere()
    }

    /// Gives dialogs to queries that have none, and ends those that no one can be waiting for.
    fn start_queries(&self, _roots: Vec<RootId>) -> Stored<Vec<ActiveTask>> {
        nowhere()
    }

    /// Ends a query, if it has no answer yet; then, how it has ended. `None` if it is not there.
    fn give_up(&self, _id: TaskId) -> Stored<Option<Task>> {
        nowhere()
    }

    /// Ends a query without a wait; it may come to its end by its time limit instead.
    fn abandon(&self, _id: TaskId) {}

    /// The task with this id.
    fn task(&self, id: TaskId) -> Stored<Option<Task>>;

    /// The tasks that have waited, or run, for longer than that, and how long; the oldest first.
    fn long_open(&self, _longer_than: Duration) -> Stored<Vec<(Task, Duration)>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Tells a person what stalls now, and takes back earlier notices that no longer apply.
    fn tell_stalls(&self, _stalls: Vec<StallNews>) -> Stored<()> {
        Box::pin(async { Ok(()) })
    }

    /// Tasks, the newest first; no queries.
    fn tasks(&self, filter: TaskFilter) -> Stored<Vec<Task>>;

    /// Queues the task of a trigger, unless something speaks against it.
    fn fire(&self, _firing: Firing) -> Stored<Result<TaskId, FiringRefusal>> {
        nowhere()
    }

    /// Replaces the definition of an active trigger by this one, which is that of its file.
    fn take_over(&self, _id: TriggerId, _definition: Trigger) -> Stored<()> {
        nowhere()
    }

    /// Disables a trigger whose file was removed.
    fn retire_trigger(&self, _id: TriggerId) -> Stored<()> {
        nowhere()
    }

    /// Triggers have looked at the message with this number.
    fn message_seen(&self, _number: i64) -> Stored<()> {
        nowhere()
    }

    /// Changes a trigger, or tries its task.
    fn change_trigger(
        &self,
        _request: TriggerRequest,
    ) -> Stored<Result<TriggerAnswer, TriggerRefusal>> {
        nowhere()
    }

    /// Returns what a change of the teams would do, or why it is refused.
    fn preview_change(&self, _change: OrgChange) -> Stored<Result<ChangePreview, OrgRefusal>> {
        nowhere()
    }

    /// Changes the teams, completely or not at all. A team that is shut down may still be closing afterwards.
    fn change_teams(&self, _change: OrgChange) -> Stored<Result<Changed, OrgRefusal>> {
        nowhere()
    }
}

/// The longest wait for a team that is being shut down; the shutdown goes on without it.
const CLOSING_TIME: Duration = Duration::from_mins(1);

/// Waits until these teams are gone, which are being shut down; false if that takes longer.
pub async fn teams_are_gone(store: &dyn TaskStore, teams: &[TeamName]) -> bool {
    let mut view = store.tasks_view();
    let is_gone = |view: &TasksView| {
        teams.iter().all(|team| view.status_of(team) != TeamStatus::ShuttingDown)
    };
    let gone = tokio::time::timeout(CLOSING_TIME, view.wait_for(is_gone)).await;
    gone.is_ok_and(|view| view.is_ok())
}

/// Keeps nothing.
#[derive(Debug, Clone)]
pub struct NoTasks(watch::Sender<TasksView>);

impl Default for NoTasks {
    fn default() -> Self {
        Self(watch::Sender::new(TasksView { revision: 1, ..TasksView::default() }))
    }
}

fn nowhere<T: Send + 'static>() -> Stored<T> {
    let text = Text::new("there is no place for tasks here", "这里没有保存任务的地方");
    Box::pin(async move { Err(text.into()) })
}

impl TaskStore for NoTasks {
    fn tasks_view(&self) -> watch::Receiver<TasksView> {
        self.0.subscribe()
    }

    fn enqueue(&self, _task: NewTask) -> Stored<Enqueued> {
        nowhere()
    }

    fn claim(&self, _: Vec<TeamSlots>, _: Vec<RootId>, _: SystemTime) -> Stored<Vec<ActiveTask>> {
        nowhere()
    }

    fn begun(&self, _of: AttemptId) -> Stored<()> {
        nowhere()
    }

    fn cut(&self, _of: AttemptId) -> Stored<()> {
        nowhere()
    }

    fn set_blocked(&self, _: AttemptId, _: Option<BlockReason>, _: News) -> Stored<()> {
        nowhere()
    }

    fn end(&self, _of: AttemptId, _ending: Ending) -> Stored<bool> {
        nowhere()
    }

    fn cancel(&self, _id: TaskId) -> Stored<Option<TaskStatus>> {
        nowhere()
    }

    fn retry(&self, _id: TaskId) -> Stored<Option<Result<(), RetryRefusal>>> {
        nowhere()
    }

    fn put_away(&self, _of: AttemptId, _tokens: u64) -> Stored<()> {
        nowhere()
    }

    fn delivered(&self, _of: AttemptId) -> Stored<()> {
        nowhere()
    }

    fn task(&self, _id: TaskId) -> Stored<Option<Task>> {
        nowhere()
    }

    fn tasks(&self, _filter: TaskFilter) -> Stored<Vec<Task>> {
        nowhere()
    }
}

/// The teams of a workspace, as a call sees them.
#[derive(Debug, Clone)]
pub struct TeamPlace {
    pub org: Arc<Org>,
    /// The definitions of the triggers, as in their files.
    pub triggers: Arc<Definitions>,
    pub store: Arc<dyn TaskStore>,
    pub handoff: HandoffRule,
    /// The time limit of a query that names none.
    pub query_time: Duration,
    /// The team tool calls that run now.
    pub calls: Arc<TeamCalls>,
}

impl Default for TeamPlace {
    fn default() -> Self {
        let store = Arc::new(NoTasks::default());
        Self {
            org: Arc::default(),
            triggers: Arc::default(),
            store,
            handoff: HandoffRule::default(),
            query_time: DEFAULT_TIME,
            calls: Arc::default(),
        }
    }
}
