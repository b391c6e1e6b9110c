//! What a dialog did over time: when it ran, and for whom or what it waited. Computed from its records alone.
//!
//! What must stay true: spans follow each other without a gap and without an overlap, from the birth of the
//! dialog to its end or to now; time never runs back, whatever the clock did and whatever a stamp says.

mod fold;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::domain::ids::{AgentId, CallId, SelfId};
use crate::domain::number::{Course, Genseq};

pub use fold::TimelineFold;

/// Most spans of a dialog; the oldest are left out.
pub const MAX_SPANS: usize = 2_000;
/// Most calls that one span names.
pub const MAX_AWAITED: usize = 20;
/// Most characters of a question that are kept.
pub const MAX_QUESTION_CHARS: usize = 200;

/// A stretch of time in which a dialog did one thing. Seconds are those of [`crate::domain::Stamp::seconds`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub from: i64,
    /// Not before `from`; the same only for a run shorter than the clock shows.
    pub to: i64,
    pub activity: Activity,
    /// Where in the dialog it is to be seen.
    pub place: Option<SpanPlace>,
}

/// What a dialog did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// This many generations were at work.
    Ran {
        generations: usize,
    },
    /// It waited for these replies and answers of other dialogs.
    WaitedForDialogs(Vec<AwaitedCall>),
    /// It waited for a person to answer this question.
    WaitedForPerson {
        question: String,
    },
    /// It had something to do, and was not driven: others came first, or nothing ran.
    WasReady,
    HadNothingToDo,
    /// Its last generation was stopped or failed.
    WasStopped,
    /// Its last generation never ended: the program did.
    WasCutOff,
}

/// A call to another dialog that was not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwaitedCall {
    pub call: CallId,
    /// The dialog that works on it, if known.
    pub by: Option<SelfId>,
    /// The member that was asked; `None` for a question asked back.
    pub member: Option<AgentId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanPlace {
    Call(CallId),
    Generation(Course, Genseq),
}

/// The spans of one dialog, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Timeline {
    pub spans: Vec<Span>,
    /// The last span is not over.
    pub goes_on: bool,
    /// Older spans that are left out because there are too many.
    pub left_out: usize,
}

/// How the life of a dialog ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifeEnd {
    /// With its last record: it is dead, or was put away.
    LastRecord,
    /// It goes on.
    Now { driven: Driven },
}

/// Whether anything drives the dialog now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driven {
    Yes,
    /// A generation that has no end was cut off.
    No,
}
