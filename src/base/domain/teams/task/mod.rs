//! Tasks: work that is queued for a team. Each time it is started it has a main dialog of its own, an *attempt*.

pub mod outcome;
pub mod query;
pub mod row;

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::domain::ids::{AgentId, DialogId, RootId, TaskId, TeamName};
use crate::domain::lang::Lang;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::time::Stamp;

/// Most characters of a result that are kept.
pub const MAX_RESULT_CHARS: usize = 10_000;
/// Attempts of one task, unless the workspace says otherwise: one whose engine is lost in the last of them has failed.
pub const MAX_ATTEMPTS: u32 = 3;
/// Most bytes of what is to be done.
pub const MAX_TEXT_BYTES: usize = 100_000;
/// Maximum length of a chain of tasks, each made while the one before it was worked on.
pub const MAX_DEPTH: u32 = 16;
/// Most escalations that follow from the same first task.
pub const MAX_ESCALATIONS: u32 = 5;
/// Why a task has no result if its dialog ended without words.
pub const EMPTY_RESPONSE: &str = "empty response";
/// Why a task that a person cancelled has no result.
pub const CANCELLED_BY_PERSON: &str = "cancelled by a person";
/// A task that has run for longer may hang, in milliseconds.
pub const STALE_AFTER_MS: u64 = 10 * 60 * 1_000;

/// An enum with a name for each of its values, as it is stored and in JSON.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
            serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As it is stored and in JSON.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The one with this name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

pub use crate::named;

named! {
    /// Why there is a task.
    TaskKind {
        /// The first one of a new team.
        Bootstrap = "bootstrap",
        /// Somebody gave it to the team.
        Delegate = "delegate",
        /// A team below could not decide it.
        Escalation = "escalation",
        /// A trigger of the team made it: see [`super::trigger`].
        Trigger = "trigger",
        /// A team above asks, and waits for the answer: see [`query`]. No list shows it.
        Query = "query",
    }
}

named! {
    /// What goes first.
    Priority {
        Critical = "critical",
        High = "high",
        Normal = "normal",
        Low = "low",
    }
}

named! {
    TaskStatus {
        Pending = "pending",
        Running = "running",
        /// It has no slot, and waits for a person.
        Blocked = "blocked",
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

named! {
    /// What a blocked task waits for.
    BlockReason {
        OpenQuestion = "Open Question",
        /// It was interrupted in a call whose outcome nobody knows, or too often.
        Restart = "Restart",
        Stopped = "Stopped",
    }
}

named! {
    /// What becomes of a task for a team that has others open.
    Overlap {
        /// It is queued.
        Allow = "allow",
        /// It is dropped.
        Skip = "skip",
        /// It is dropped, and the answer says what is open.
        Confirm = "confirm",
        /// It is queued, and what is open is cancelled.
        Replace = "replace",
    }
}

impl TaskStatus {
    /// True while something may still come of it.
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::Running | Self::Blocked => true,
            Self::Done | Self::Failed | Self::Cancelled => false,
        }
    }
}

/// A task as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: TaskId,
    pub team: TeamName,
    pub kind: TaskKind,
    pub priority: Priority,
    pub status: TaskStatus,
    pub block_reason: Option<BlockReason>,
    /// What is to be done.
    pub text: String,
    /// Who works on it; the lead of the team if nobody is named.
    pub member: Option<AgentId>,
    /// Generations of its main dialog.
    pub max_steps: u32,
    pub correlation: Option<String>,
    /// The trigger that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<TaskTrigger>,
    /// The correlation id of all tasks that follow from one.
    pub root_correlation: String,
    /// How many tasks lie between this one and the first.
    pub depth: u32,
    /// The task that was worked on where this one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<TaskId>,
    /// The team whose member asked for it; `None` for a person.
    pub from: Option<TeamName>,
    /// The dialog that asked for it.
    pub origin: Option<DialogId>,
    /// The result makes that dialog go on; otherwise it is read with its next generation.
    pub wake: bool,
    pub created_at: Stamp,
    pub started_at: Option<Stamp>,
    pub ended_at: Option<Stamp>,
    /// From the newest start to the end; `None` until then.
    pub duration_ms: Option<u64>,
    /// Counts the starts; 0 before the first.
    pub attempt: u32,
    /// The box of the newest attempt, in a store that several share.
    #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
    pub box_name: Option<String>,
    /// The main dialog of the newest attempt.
    pub dialog: Option<RootId>,
    pub result: Option<String>,
    pub error: Option<String>,
    /// Tokens of all dialogs of its attempts, once they have ended.
    pub tokens: u64,
}

impl Task {
    /// The cause of a task that is given while this one is worked on.
    #[must_use]
    pub fn as_cause(&self) -> Cause {
        let root_correlation = self.root_correlation.clone();
        Cause { task: self.id.clone(), root_correlation, depth: self.depth }
    }
}

/// The id of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptId {
    pub task: TaskId,
    pub attempt: u32,
}

/// A task that is running or blocked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveTask {
    pub task: Task,
    pub root: RootId,
    /// Its dialog has been made.
    pub begun: bool,
    /// How often a restart of the program interrupted this attempt.
    pub cuts: u32,
    /// The box of the attempt before it, in a store that several share.
    pub earlier_box: Option<String>,
    /// Where the last tick of its window stopped.
    pub cursor: Option<String>,
}

impl ActiveTask {
    #[must_use]
    pub fn attempt(&self) -> AttemptId {
        AttemptId { task: self.task.id.clone(), attempt: self.task.attempt }
    }
}

/// A task that somebody gives to a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    pub team: TeamName,
    pub kind: TaskKind,
    pub priority: Priority,
    pub text: String,
    pub member: Option<AgentId>,
    pub max_steps: u32,
    pub correlation: Option<String>,
    /// The task that is worked on where this one is given; it follows from it.
    pub cause: Option<Cause>,
    pub from: Option<TeamName>,
    pub origin: Option<DialogId>,
    pub wake: bool,
    pub overlap: Overlap,
    /// Tasks that may wait for the team, with this one; 0 for any number.
    pub max_queue: u32,
    /// For work that is handed over: not twice, and not too often.
    pub once: Option<HandoffRule>,
    /// The trigger that makes it.
    pub trigger: Option<TaskTrigger>,
}

/// The trigger that a task is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskTrigger {
    pub name: String,
    /// It is about a message: its result is for a person, unless it says that it is not.
    pub tells: bool,
    /// It only shows what the trigger would do: nothing is counted.
    pub is_test: bool,
    /// Where that message came from.
    pub channel: Option<String>,
    /// The id of that message.
    pub message: Option<String>,
    /// It is a tick of a window, and says where it stopped.
    #[serde(default)]
    pub is_tick: bool,
}

/// The task that another one follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub task: TaskId,
    pub root_correlation: String,
    pub depth: u32,
}

/// How often work may be handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandoffRule {
    /// Seconds within which the same correlation id counts as the same work.
    pub dedup_seconds: u32,
    /// Maximum number of handoffs of one team within `per_seconds`.
    pub rate: u32,
    /// The period of that rate limit, in seconds.
    pub per_seconds: u32,
}

impl Default for HandoffRule {
    fn default() -> Self {
        Self { dedup_seconds: 60, rate: 5, per_seconds: 60 }
    }
}

/// What became of a new task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enqueued {
    Queued(TaskId),
    /// The team is busy, and the task is dropped.
    Skipped,
    /// The team is busy, and the asker has to say what that means.
    NeedsConfirmation {
        in_flight: Vec<InFlight>,
        /// A task that runs and is not old would have been cancelled.
        would_cancel_running: bool,
    },
    Refused(TaskRefusal),
}

/// An open task, as the asker of a busy team is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InFlight {
    pub task_id: TaskId,
    #[serde(rename = "type")]
    pub kind: TaskKind,
    pub status: TaskStatus,
    pub age_ms: u64,
    pub correlation_id: Option<String>,
    pub stale: bool,
}

/// Why a task is not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskRefusal {
    QueueFull {
        most: u32,
    },
    /// Too many tasks follow from each other.
    ChainTooLong,
    TooManyEscalations,
    /// The same work was handed over a moment ago.
    Duplicate,
    /// Too much was handed over; the next may follow after this time.
    TooOften {
        retry_after_ms: u64,
    },
    /// The team is being shut down.
    ShuttingDown,
    /// All slots of the team that is asked are taken.
    Saturated,
    /// The team that is asked has used up its daily limits.
    UsedUp,
}

/// Why a task is not started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryRefusal {
    /// Its team is being shut down.
    ShuttingDown,
    /// It waits or runs.
    Open(TaskStatus),
    Done,
}

/// Checks that a text for a team is not empty and not too long. `what` it is: a task, a query.
///
/// # Errors
/// The message for a model or a person.
pub fn checked_text(text: &str, what: Text) -> Result<String, Localized> {
    let text = text.trim();
    let (en, zh, bytes) = (what.in_lang(Lang::En), what.in_lang(Lang::Zh), text.len());
    if text.is_empty() {
        return Err(localized!(("the {en} is empty"), ("{zh}内容为空")));
    }
    if bytes > MAX_TEXT_BYTES {
        return Err(localized!(
            ("the {en} has {bytes} bytes, at most {MAX_TEXT_BYTES} are allowed: write it into a file and name that"),
            ("{zh}有 {bytes} 字节，最多允许 {MAX_TEXT_BYTES} 字节：请写入文件并说明文件名")
        ));
    }
    Ok(text.to_owned())
}

/// The name of a task's text in messages.
pub const A_TASK: Text = Text::new("task", "任务");

/// Which tasks are read, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    pub team: Option<TeamName>,
    /// Those in one of these; none means all.
    pub statuses: Vec<TaskStatus>,
    pub kind: Option<TaskKind>,
    /// Created at that moment or later.
    pub since: Option<SystemTime>,
    pub limit: u32,
}

/// The team, and perhaps its task, that something is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamWork {
    pub team: TeamName,
    /// `None`: the team as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    Done { result: String },
    Failed { error: String },
    Cancelled { error: String },
}

impl TaskEnd {
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        match self {
            Self::Done { .. } => TaskStatus::Done,
            Self::Failed { .. } => TaskStatus::Failed,
            Self::Cancelled { .. } => TaskStatus::Cancelled,
        }
    }
}

/// A result that the dialog which asked for it has not got yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub of: AttemptId,
    pub team: TeamName,
    pub to: DialogId,
    pub wake: bool,
    pub status: TaskStatus,
    /// The result, or why there is none.
    pub text: String,
}

/// The dialog of an attempt that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedAttempt {
    pub of: AttemptId,
    pub root: RootId,
    pub status: TaskStatus,
    /// Its team is being shut down: the dialog is archived, wherever it is.
    pub of_closing_team: bool,
    /// It answered a query, or was to.
    pub of_query: bool,
    /// The tokens of its dialogs are counted: not if a person, another task or another box ended it.
    pub is_counted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_as_it_is_written() {
        assert!(TaskKind::ALL.iter().all(|one| TaskKind::named(one.name()) == Some(*one)));
        assert!(Priority::ALL.iter().all(|one| Priority::named(one.name()) == Some(*one)));
        assert!(TaskStatus::ALL.iter().all(|one| TaskStatus::named(one.name()) == Some(*one)));
        assert!(BlockReason::ALL.iter().all(|one| BlockReason::named(one.name()) == Some(*one)));
        assert!(Overlap::ALL.iter().all(|one| Overlap::named(one.name()) == Some(*one)));
        for one in BlockReason::ALL {
            assert_eq!(serde_json::to_value(one).unwrap(), one.name());
        }
    }

    #[test]
    fn what_goes_first_is_least() {
        assert!(Priority::Critical < Priority::High && Priority::Normal < Priority::Low);
    }
}
