//! One dialog: its identity, its state files and its folded history, as they are on disk.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::assignment::{Assignment, AssignmentFrame, ReplyDirective};
use super::history::History;
use super::latest::{Latest, ParkedWork};
use super::pending::{Pending, WaitGroup};
use super::queue::QueuedPrompt;
use super::recent::RecentPart;
use super::reminder::Reminder;
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::answers::PartAnswers;
use crate::domain::asking::question::Question;
use crate::domain::ids::{AgentId, CallId, SelfId, Slug};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;

/// `dialog.yaml`: written once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DialogMeta {
    pub id: SelfId,
    pub agent_id: AgentId,
    pub task_doc_path: String,
    pub created_at: Stamp,
    /// Present exactly for a side dialog of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dialog {
    pub meta: DialogMeta,
    pub latest: Latest,
    pub reminders: Vec<Reminder>,
    pub questions: Vec<Question>,
    /// The answers to parts of an open question; none reaches a record before all parts have one.
    pub answers: Option<PartAnswers>,
    pub pending: Vec<Pending>,
    /// The asker stack; the last frame is the top.
    pub stack: Vec<AssignmentFrame>,
    /// Prompts that wait for their generation.
    pub queue: Vec<QueuedPrompt>,
    pub history: History,
    /// What only the layout of Dominds 1.29 has; `None` in another. Boxed: most have none. What of it is derived is as it
    /// was when the tree was loaded: the store alone keeps it up to date.
    pub recent: Option<Box<RecentPart>>,
}

impl Dialog {
    #[must_use]
    pub fn new(meta: DialogMeta, latest: Latest) -> Self {
        let history = History::new(latest.current_course);
        Self {
            meta,
            latest,
            reminders: Vec::new(),
            questions: Vec::new(),
            answers: None,
            pending: Vec::new(),
            stack: Vec::new(),
            queue: Vec::new(),
            history,
            recent: None,
        }
    }

    /// The parts of an open question, as the recorded call has them; `None` if it was asked in words.
    #[must_use]
    pub fn parts_of(&self, question: &Question) -> Option<Inquiry> {
        self.history
            .calls
            .get(&question.call_id)
            .and_then(|call| Inquiry::recorded(&call.arguments))
    }

    /// What an open question asks.
    #[must_use]
    pub fn inquiry(&self, question: &Question) -> Inquiry {
        self.parts_of(question)
            .unwrap_or_else(|| Inquiry::of_words(&question.tellask_content, &question.asked_at))
    }

    /// The answers to the parts of this question.
    #[must_use]
    pub fn answers_to(&self, question: &str) -> Option<&PartAnswers> {
        self.answers.as_ref().filter(|answers| answers.question == question)
    }

    /// What this side dialog was last asked to do.
    #[must_use]
    pub fn assignment(&self) -> Option<&Assignment> {
        self.stack.iter().rev().find_map(|frame| frame.assignment_from_asker.as_ref())
    }

    /// True for a member that thinks anew about one question, see `fresh_boots.rs`.
    #[must_use]
    pub fn is_fresh_boots(&self) -> bool {
        self.assignment().is_some_and(Assignment::is_fresh_boots)
    }

    /// True if a prompt waits that begins a course; in the layout of Dominds 1.29 it may belong to the newest one.
    #[must_use]
    pub fn begins_course(&self) -> bool {
        let waits = self.latest.pending_course_start_prompt.is_some();
        waits && self.latest.current_course > self.history.course
    }

    /// The reply this dialog owes now: the answer to the question it heard last of those it was asked
    /// back, else the reply to its assignment.
    #[must_use]
    pub fn obligation(&self) -> Option<&ReplyDirective> {
        self.heard_ask_back().or_else(|| self.assignment_owed())
    }

    /// The unanswered questions it was asked back, the oldest first. On the stack, a newer assignment lies above the
    /// questions it found, and the older of two questions above the newer one.
    fn ask_backs(&self) -> impl Iterator<Item = &ReplyDirective> {
        let newest = self.stack.iter().rposition(|frame| !frame.is_ask_back()).unwrap_or(0);
        let (below, above) = self.stack.split_at(newest);
        let frames = below.iter().rev().chain(above.iter().rev());
        let questions = frames.filter(|frame| frame.is_ask_back());
        questions.filter_map(|frame| frame.tellask_reply_obligation.as_ref())
    }

    /// The question it was asked back and works on.
    pub(in crate::domain) fn heard_ask_back(&self) -> Option<&ReplyDirective> {
        let heard = |owed: &ReplyDirective| self.heard_at(&owed.target_call_id);
        let all = self.ask_backs().filter_map(|owed| Some((heard(owed)?, owed)));
        all.max_by_key(|(heard, _)| *heard).map(|(_, owed)| owed)
    }

    /// Where it heard a question it was asked back. What was heard in an earlier course, or before its
    /// newest assignment, has to be heard again.
    #[must_use]
    pub fn heard_at(&self, call: &CallId) -> Option<(Course, Genseq)> {
        let heard = *self.history.directed.get(call)?;
        let assigned = self.assignment().and_then(|a| self.history.assignments.get(&a.call_id));
        let is_newest = assigned.is_none_or(|assigned| *assigned < heard);
        (heard.0 == self.history.course && is_newest).then_some(heard)
    }

    /// The dialog this one works for.
    #[must_use]
    pub fn asker(&self) -> Option<&SelfId> {
        self.assignment().map(|assignment| &assignment.asker_dialog_id)
    }

    /// The reply it owes to its assignment, whatever it was asked back in between.
    #[must_use]
    pub fn assignment_owed(&self) -> Option<&ReplyDirective> {
        let frame = self.stack.iter().rev().find(|frame| !frame.is_ask_back())?;
        frame.tellask_reply_obligation.as_ref()
    }

    /// The assignment whose first generation has not begun: nothing in the courses anchors its call.
    #[must_use]
    pub fn unstarted_assignment(&self) -> Option<&Assignment> {
        let assignment = self.assignment()?;
        let owed = self.assignment_owed()?.target_call_id == assignment.call_id;
        let queued = self.queue.iter().any(|p| p.assigns.as_ref() == Some(&assignment.call_id));
        let started = self.history.assignments.contains_key(&assignment.call_id);
        (owed && !queued && !started && !assignment.is_fresh_boots()).then_some(assignment)
    }

    /// The question it was asked back and has to hear now: one after the other. If the one it works on waits for
    /// others, another question goes first, as those others may ask it.
    #[must_use]
    pub fn ask_back_to_hear(&self) -> Option<&ReplyDirective> {
        let current = self.heard_ask_back();
        if current.is_some_and(|heard| self.has_all_it_asked_for(heard)) {
            return None;
        }
        let unheard = |owed: &&ReplyDirective| self.heard_at(&owed.target_call_id).is_none();
        let others = || self.ask_backs().filter(|owed| Some(*owed) != current);
        others().find(unheard).or_else(|| others().find(|owed| self.has_all_it_asked_for(owed)))
    }

    /// True if it has heard a question asked back and not answered it.
    #[must_use]
    pub fn is_asked_back(&self) -> bool {
        self.heard_ask_back().is_some()
    }

    /// True if side dialogs, or the asker it asked back, have to answer first.
    #[must_use]
    pub fn waits_for_others(&self) -> bool {
        !self.pending.is_empty() || self.history.asked_back().next().is_some()
    }

    /// True if nothing is awaited that its reply may depend on. A dialog that is asked back waits for the very side
    /// dialog that asks; so only what it asked others since then counts.
    #[must_use]
    pub fn has_all_it_asked_for(&self, owed: &ReplyDirective) -> bool {
        let assignment = self.assignment().filter(|a| a.call_id == owed.target_call_id);
        if let Some(assignment) = assignment {
            let began = self.history.assignments.contains_key(&owed.target_call_id);
            return began && !assignment.is_fresh_boots() && !self.waits_for_others();
        }
        let Some(heard) = self.heard_at(&owed.target_call_id) else { return false };
        let since = |group: WaitGroup| (group.course, group.genseq) >= heard;
        let of_others = |pending: &&Pending| pending.side_dialog_id != owed.target_dialog_id;
        !self.pending.iter().filter(of_others).any(|pending| since(pending.group()))
            && !self.history.asked_back().any(|(_, call)| since(call.group()))
    }

    /// The words of a person it was given while it owed a reply: that work is parked until it is
    /// continued.
    #[must_use]
    pub fn parked(&self) -> Option<ParkedWork> {
        let parked = self.latest.parked()?;
        (self.obligation() == Some(&parked.directive)).then_some(parked)
    }

    /// True while its own work is parked for the talk with a person. In the layout of 1.29 its records say when that has
    /// ended.
    #[must_use]
    pub fn talks_to_a_person(&self) -> bool {
        let goes_on = self.recent.is_some() && !self.history.is_in_talk();
        !goes_on && self.parked().is_some_and(|parked| !parked.is_surfaced())
    }
}
