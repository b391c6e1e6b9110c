//! What a dialog's courses say, folded record by record (`fold`). The courses are the truth: open questions,
//! open calls and what a dialog still owes are read from here, the index files only repeat it.
//!
//! A copy of a history shares what both hold, so drafting a step on one costs the same at any length.

mod cycle;
mod fold;
pub mod gates;
pub mod repeats;

use std::sync::Arc;

use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync, VectorSync};
use serde::{Deserialize, Serialize};

use super::call::{SpecialCall, TellaskKind};
use super::pending::WaitGroup;
use super::record::{Call, Entry, Origin, ReplyStatus};
use crate::domain::ids::{CallId, MsgId};
use crate::domain::models::context_health::{ContextAction, ContextPressure, ContextRefusals};
use crate::domain::number::{Course, Genseq};

pub use cycle::{AnsweredQuestion, Cycle};

/// A call as it stands in the courses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFact {
    pub name: String,
    pub arguments: String,
    pub course: Course,
    pub genseq: Genseq,
    /// True for a tellask or question that passed its checks.
    pub started: bool,
}

impl CallFact {
    /// The calls made together with it.
    #[must_use]
    pub fn group(&self) -> WaitGroup {
        WaitGroup { course: self.course, genseq: self.genseq }
    }

    #[must_use]
    pub fn special(&self) -> Option<SpecialCall> {
        SpecialCall::of(&self.name)
    }

    /// The call as it was recorded.
    #[must_use]
    pub fn recorded(&self, id: &CallId) -> Call {
        Call { id: id.clone(), name: self.name.clone(), raw_arguments_text: self.arguments.clone() }
    }
}

/// A reply no generation has seen yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadReply {
    pub call: CallId,
    /// The calls made together with it; unknown for replies of an earlier course without call site.
    pub group: Option<WaitGroup>,
    pub from_human: bool,
    /// True if it came while no generation was open.
    pub at_rest: bool,
}

/// The newest generation, as far as its records tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastGeneration {
    pub genseq: Genseq,
    pub course: Option<Course>,
    /// True between `gen_start` and `gen_finish`.
    pub open: bool,
    /// True if it was stopped or failed: then it ends without the measure of its context.
    pub broken_off: bool,
    /// Its last saying.
    pub words: Option<Arc<str>>,
    pub interrupted: bool,
    /// True if a call came after the last saying.
    pub called_after_words: bool,
    /// True if its words were delivered: they are the reply to that one call, and to nothing else.
    pub spent: bool,
    /// True if a result waits for the model to react.
    pub owes_followup: bool,
    /// True if it delivered a reply: then the dialog rests, whatever else it called.
    pub delivered: bool,
    /// Whom it speaks to: who gave the prompt it works on, be it in an earlier generation.
    pub prompted_by: Option<Origin>,
}

/// How often in a row the prompts asked for the same reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedFor {
    pub call: CallId,
    pub times: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The course whose records make the model's context.
    pub course: Course,
    /// The records of that course; they are stored in their own form only.
    #[serde(skip)]
    pub entries: VectorSync<Arc<Entry>>,
    /// The first record of all courses with the words of a user: the dialog is named after it.
    #[serde(skip)]
    pub opening: Option<Arc<Entry>>,
    /// What was asked of a person since the dialog was last given work.
    #[serde(skip)]
    pub cycle: Cycle,
    /// The highest generation of all courses.
    pub last_genseq: Genseq,
    pub last: LastGeneration,
    /// How full the context of the current course is.
    pub pressure: ContextPressure,
    /// Whether a new course helps against a full context.
    pub refusals: ContextRefusals,
    pub calls: RedBlackTreeMapSync<CallId, CallFact>,
    /// Calls that have a result or status text.
    pub results: RedBlackTreeSetSync<CallId>,
    /// Tellasks and questions that were answered, and how; what told a person something counts as answered.
    pub replies: RedBlackTreeMapSync<CallId, ReplyStatus>,
    /// The calls without a result: few, so that not all calls need to be searched.
    without_result: RedBlackTreeSetSync<CallId>,
    /// Those of the calls that are tellasks or questions that passed their checks and have no reply.
    without_reply: RedBlackTreeSetSync<CallId>,
    /// Where an assignment's first prompt stands.
    pub assignments: RedBlackTreeMapSync<CallId, (Course, Genseq)>,
    /// Where the newest prompt stands that asks for the reply to a call.
    pub directed: RedBlackTreeMapSync<CallId, (Course, Genseq)>,
    /// What the newest prompt asks for, if it asks for a reply.
    pub asked_for: Option<AskedFor>,
    /// Whom the next generation speaks to, unless it gets a prompt of its own.
    pub audience: Option<Origin>,
    /// True if a reply of a side dialog came at rest since a person spoke.
    pub is_taken_up: bool,
    /// Reply calls whose delivery is recorded.
    pub resolved: RedBlackTreeSetSync<CallId>,
    /// Calls that were answered by this dialog.
    pub resolved_targets: RedBlackTreeSetSync<CallId>,
    pub messages: RedBlackTreeSetSync<MsgId>,
    pub unread: Vec<UnreadReply>,
    /// The language a person is answered in, as the newest prompt says; a code such as `zh`.
    pub language: Option<String>,
}

impl History {
    #[must_use]
    pub fn new(course: Course) -> Self {
        Self {
            course,
            entries: VectorSync::new_sync(),
            opening: None,
            cycle: Cycle::default(),
            last_genseq: Genseq(0),
            last: LastGeneration::default(),
            pressure: ContextPressure::default(),
            refusals: ContextRefusals::default(),
            calls: RedBlackTreeMapSync::new_sync(),
            results: RedBlackTreeSetSync::new_sync(),
            replies: RedBlackTreeMapSync::new_sync(),
            without_result: RedBlackTreeSetSync::new_sync(),
            without_reply: RedBlackTreeSetSync::new_sync(),
            assignments: RedBlackTreeMapSync::new_sync(),
            directed: RedBlackTreeMapSync::new_sync(),
            asked_for: None,
            audience: None,
            is_taken_up: false,
            resolved: RedBlackTreeSetSync::new_sync(),
            resolved_targets: RedBlackTreeSetSync::new_sync(),
            messages: RedBlackTreeSetSync::new_sync(),
            unread: Vec::new(),
            language: None,
        }
    }

    /// Forgets what only a dialog that is driven needs: its records, its words, and what answered calls
    /// were called with. `open` are the calls whose arguments stay.
    pub fn strip_details(&mut self, open: &[CallId]) {
        (self.entries, self.opening) = (VectorSync::new_sync(), None);
        self.cycle = Cycle::default();
        self.last.words = None;
        let closed: Vec<CallId> =
            self.calls.keys().filter(|id| !open.contains(id)).cloned().collect();
        for id in closed {
            if let Some(call) = self.calls.get_mut(&id) {
                call.arguments = String::new();
            }
        }
    }

    /// What the context asks for now. `cadence`: generations between two warnings.
    #[must_use]
    pub fn context_action(&self, cadence: u32) -> Option<ContextAction> {
        self.pressure.due(&self.refusals, cadence)
    }

    /// True if the model has not seen the results of its last calls. A dialog that delivered a reply rests.
    #[must_use]
    pub fn owes_followup(&self) -> bool {
        self.last.owes_followup && !self.last.open && !self.last.delivered
    }

    /// The answer the last generation gave in plain words: its last saying, if nothing was called
    /// after it.
    #[must_use]
    pub fn plain_answer(&self) -> Option<&str> {
        let words = self.last.words.as_deref().filter(|_| !self.last.spent)?;
        let whole = !self.last.open && !self.last.called_after_words && !self.last.interrupted;
        (whole && !self.last.owes_followup && !words.trim().is_empty()).then_some(words)
    }

    /// Questions that were asked and not answered, in the order of their ids.
    pub fn open_questions(&self) -> impl Iterator<Item = (&CallId, &CallFact)> {
        self.awaited(SpecialCall::AskHuman)
    }

    /// Questions asked back that wait for the asker, in the order of their ids.
    pub fn asked_back(&self) -> impl Iterator<Item = (&CallId, &CallFact)> {
        self.awaited(SpecialCall::Tellask(TellaskKind::Back))
            .filter(|(_, call)| call.course == self.course)
    }

    /// True if its last generation was for a person, and nothing that it waited for has taken it up since.
    #[must_use]
    pub fn is_in_talk(&self) -> bool {
        let user = Some(Origin::User);
        self.last.prompted_by == user && self.audience == user && !self.is_taken_up
    }

    /// Tellasks or questions of this kind that were asked and not answered, in the order of their ids.
    pub fn awaited(&self, kind: SpecialCall) -> impl Iterator<Item = (&CallId, &CallFact)> {
        let calls = self.without_reply.iter().filter_map(|id| self.calls.get_key_value(id));
        calls.filter(move |(_, call)| call.special() == Some(kind))
    }

    /// Calls without a result or status text, in the order of their ids.
    pub fn open_calls(&self) -> impl Iterator<Item = (&CallId, &CallFact)> {
        self.without_result.iter().filter_map(|id| self.calls.get_key_value(id))
    }

    /// True if a call waits for its result or its reply.
    #[must_use]
    pub fn waits_for_a_call(&self) -> bool {
        !self.without_result.is_empty() || !self.without_reply.is_empty()
    }

    /// True if a call, a result or a reply has this id.
    #[must_use]
    pub fn knows_call(&self, id: &CallId) -> bool {
        self.calls.contains_key(id) || self.results.contains(id) || self.replies.contains_key(id)
    }
}

#[cfg(test)]
mod tests;
