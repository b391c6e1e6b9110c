//! How each record changes a history.

use std::sync::Arc;

use rpds::VectorSync;

use super::{AskedFor, CallFact, Cycle, History, LastGeneration, UnreadReply};
use crate::domain::dialogs::call::{ASK_HUMAN, SpecialCall, TellaskKind, told};
use crate::domain::dialogs::pending::WaitGroup;
use crate::domain::dialogs::record::{
    AnchorRole, Call, DeliveryMode, Entry, HumanText, Origin, Record, RecordClass, ReplyStatus,
};
use crate::domain::ids::CallId;
use crate::domain::number::{Course, Genseq};

impl History {
    /// Takes in the next record of `course`. Records of an earlier course only leave their facts; a
    /// record of a later one begins that course, unless it is a mere snapshot of state.
    pub fn fold(&mut self, course: Course, entry: Arc<Entry>) {
        if course > self.course && entry.record.class() != RecordClass::Snapshot {
            self.course = course;
            self.entries = VectorSync::new_sync();
            self.pressure = self.pressure.next_course();
            self.refusals.begin(self.last.broken_off);
            self.asked_for = None;
        }
        let genseq = entry.genseq.unwrap_or_default();
        self.last_genseq = self.last_genseq.max(genseq);
        self.note(course, genseq, &entry.record);
        if self.opening.is_none() && is_from_user(&entry.record) {
            self.opening = Some(entry.clone());
        }
        if course == self.course {
            self.entries.push_back_mut(entry);
        }
    }

    fn note(&mut self, course: Course, genseq: Genseq, record: &Record) {
        match record {
            Record::GenStart => {
                self.unread.clear();
                self.last = LastGeneration {
                    genseq,
                    course: Some(course),
                    open: true,
                    prompted_by: self.audience,
                    ..LastGeneration::default()
                };
            }
            Record::GenFinish { context_health, .. } => {
                self.last.open = false;
                self.last.broken_off = context_health.is_none();
                if let Some(health) = context_health {
                    self.pressure.measure(health);
                    self.refusals.ended(health.level());
                }
            }
            Record::HumanText(text) => {
                self.messages.insert_mut(text.msg_id.clone());
                if text.origin == Origin::User {
                    self.refusals.hear();
                    if text.q4h_answer_call_id.is_none() {
                        self.cycle = Cycle::default();
                    }
                }
                self.note_audience(text);
                if text.user_language_code.is_some() {
                    self.language.clone_from(&text.user_language_code);
                }
                if let Some(directive) = &text.tellask_reply_directive {
                    self.directed.insert_mut(directive.target_call_id.clone(), (course, genseq));
                }
                self.note_asked_for(text);
                // Within a course, a prompt of the runtime that asks for nothing is a warning, unless it is a result.
                let asks = text.tellask_reply_directive.is_some() || text.msg_id.is_delivery();
                if text.origin == Origin::Runtime && !asks && self.pressure.is_tight() {
                    self.pressure.tell();
                }
            }
            // A guide between two generations takes the dialog back to its own work.
            Record::RuntimeGuide { .. } if !self.last.open => {
                self.audience = Some(Origin::Runtime);
            }
            Record::Words { content, interrupted } => {
                self.last.words = Some(content.as_str().into());
                self.last.interrupted = *interrupted;
                self.last.called_after_words = false;
            }
            Record::FuncCall(call) => self.note_call(course, genseq, call, false),
            Record::TellaskCall { call, delivery_mode } => {
                let started = *delivery_mode == DeliveryMode::TellaskCallStart;
                self.note_call(course, genseq, call, started);
                if told(&call.name, &call.raw_arguments_text).is_some() {
                    // Nobody answers it.
                    self.replies.insert_mut(call.id.clone(), ReplyStatus::Completed);
                }
                if !started {
                    self.cycle.note_refused(&call.id, &call.raw_arguments_text);
                }
            }
            Record::FuncResult(result) => self.note_result(&result.id),
            Record::TellaskResult(result) => {
                let group = result
                    .call_site_course
                    .zip(result.call_site_genseq)
                    .map(|(course, genseq)| WaitGroup { course, genseq });
                let from_human = result.call_name == ASK_HUMAN;
                self.note_answer(from_human);
                if from_human && result.status == ReplyStatus::Completed {
                    self.note_answered_question(&result.call_id, &result.content);
                }
                self.note_reply(&result.call_id, result.status, group, from_human);
            }
            Record::Carryover(reply) => {
                let from_human = reply.call_name == ASK_HUMAN;
                self.note_answer(from_human);
                if from_human && reply.status == ReplyStatus::Completed {
                    self.note_answered_question(&reply.call_id, &reply.response);
                }
                self.note_reply(&reply.call_id, reply.status, None, from_human);
            }
            Record::ReplyResolution { call_id, target_call_id, .. } => {
                self.last.delivered = self.last.open;
                self.last.spent |= !self.last.open;
                self.resolved.insert_mut(call_id.clone());
                self.resolved_targets.insert_mut(target_call_id.clone());
            }
            Record::Anchor { anchor_role: AnchorRole::Assignment, call_id, .. } => {
                self.assignments.insert_mut(call_id.clone(), (course, genseq));
                self.cycle = Cycle::default();
            }
            Record::Anchor { anchor_role: AnchorRole::Response, call_id, .. } => {
                self.last.delivered |= self.last.open;
                self.resolved_targets.insert_mut(call_id.clone());
            }
            Record::RuntimeGuide { .. }
            | Record::Thought { .. }
            | Record::SideDialogCreated(_)
            | Record::Reminders { .. }
            | Record::Questions { .. }
            | Record::PendingSideDialogs { .. }
            | Record::Registry { .. }
            | Record::UiOnly { .. }
            | Record::Unknown { .. } => {}
        }
    }

    /// A person's words are for the dialog until it is told to take its work up again: what it says
    /// meanwhile is for them. A mere warning leaves it where it is, and so does the answer to a question.
    fn note_audience(&mut self, text: &HumanText) {
        let asks = text.tellask_reply_directive.is_some();
        let speaks = text.origin == Origin::User && text.q4h_answer_call_id.is_none();
        if asks || speaks {
            self.audience = Some(text.origin);
            self.is_taken_up = false;
        }
        if self.last.open {
            self.last.prompted_by = self.audience;
        }
    }

    fn note_asked_for(&mut self, text: &HumanText) {
        if text.msg_id.is_delivery() {
            return;
        }
        let before = self.asked_for.take();
        self.asked_for = text.tellask_reply_directive.as_ref().map(|directive| {
            let call = directive.target_call_id.clone();
            let before =
                before.filter(|before| before.call == call).map_or(0, |before| before.times);
            AskedFor { call, times: before.saturating_add(1) }
        });
    }

    fn note_call(&mut self, course: Course, genseq: Genseq, call: &Call, started: bool) {
        self.last.called_after_words = true;
        if self.calls.contains_key(&call.id) {
            return;
        }
        let fact = CallFact {
            name: call.name.clone(),
            arguments: call.raw_arguments_text.clone(),
            course,
            genseq,
            started,
        };
        if !self.results.contains(&call.id) {
            self.without_result.insert_mut(call.id.clone());
        }
        if started && !self.replies.contains_key(&call.id) {
            self.without_reply.insert_mut(call.id.clone());
        }
        self.calls.insert_mut(call.id.clone(), fact);
    }

    fn note_result(&mut self, id: &CallId) {
        self.results.insert_mut(id.clone());
        self.without_result.remove_mut(id);
        let Some(call) = self.calls.get(id) else {
            return;
        };
        let waits = match call.special() {
            None => true,
            Some(SpecialCall::Reply(_)) => !self.resolved.contains(id),
            Some(SpecialCall::AnswerHuman) => !self.replies.contains_key(id),
            // The answer to a question asked back is its result.
            Some(SpecialCall::Tellask(TellaskKind::Back)) => {
                !call.started || self.replies.contains_key(id)
            }
            Some(SpecialCall::Tellask(_) | SpecialCall::AskHuman) => {
                !call.started || self.replies.get(id) == Some(&ReplyStatus::Failed)
            }
        };
        // Dominds 1.29 closes a call that a kill left open while the next generation runs, which reads it.
        let is_read = self.last.open && call.genseq < self.last.genseq;
        self.last.owes_followup |= waits && !is_read && self.has_begun();
    }

    /// A person's answer takes a dialog that rests back to its own work, whoever spoke to it last.
    fn note_answer(&mut self, from_human: bool) {
        if from_human && !self.last.open && !self.last.owes_followup {
            self.audience = Some(Origin::Runtime);
        }
    }

    fn note_answered_question(&mut self, id: &CallId, answer: &str) {
        if let Some(call) = self.calls.get(id) {
            self.cycle.note_answer(id, &call.arguments, answer);
        }
    }

    fn note_reply(
        &mut self,
        call: &CallId,
        status: ReplyStatus,
        group: Option<WaitGroup>,
        from_human: bool,
    ) {
        self.replies.insert_mut(call.clone(), status);
        self.without_reply.remove_mut(call);
        if from_human {
            self.refusals.hear();
        }
        let asked_at = self.calls.get(call).map(CallFact::group);
        let group = group.or(asked_at);
        // A reply within its own generation is read by that generation's follow-up.
        let own = self.last.open
            && group.is_some_and(|g| {
                Some(g.course) == self.last.course && g.genseq == self.last.genseq
            })
            && !self.results.contains(call);
        if !own && self.has_begun() {
            let at_rest = !self.last.open;
            let is_asked_back = self.calls.get(call).and_then(CallFact::special)
                == Some(SpecialCall::Tellask(TellaskKind::Back));
            self.is_taken_up |= at_rest && !from_human && !is_asked_back;
            self.unread.push(UnreadReply { call: call.clone(), group, from_human, at_rest });
        }
    }

    /// False before the first generation: records before it come from a startup script, and nobody waits for them.
    fn has_begun(&self) -> bool {
        self.last.course.is_some()
    }
}

fn is_from_user(record: &Record) -> bool {
    matches!(record, Record::HumanText(text) if text.origin == Origin::User)
}
