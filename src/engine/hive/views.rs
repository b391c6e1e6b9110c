//! What others see of a store, and what they ask of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::domain::teams::notices::{NewNotice, NewsItem, NewsKind};
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::org_change::{OpenChange, TeamState, TeamStatus};
use crate::domain::teams::task::query::OpenQuery;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{
    ActiveTask, Cause, Delivery, EndedAttempt, Task, TaskEnd, TaskKind, TaskStatus,
};
use crate::domain::teams::trigger::{Message, StoredTrigger, TriggerState};
use crate::domain::text::Localized;
use crate::domain::{Problem, RootId, TeamName};

/// The open items, and the problems that keep the store from working.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewsView {
    /// Grows with each change; 0 until the store was read.
    pub revision: u64,
    /// The newest first.
    pub items: Arc<[NewsItem]>,
    pub problems: Vec<Problem>,
}

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
