//! What a dialog's courses say, folded record by record. The courses are the truth: open questions,
//! open calls and what a dialog still owes are read from here, the index files only repeat it.
//!
//! A copy of a history shares what both hold, so drafting a step on one costs the same at any length.

use std::sync::Arc;

use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync, VectorSync};
use serde::{Deserialize, Serialize};

use super::call::{SpecialCall, TellaskKind};
use super::context_health::{ContextAction, ContextPressure, ContextRefusals};
use super::ids::{CallId, MsgId};
use super::number::{Course, Genseq};
use super::pending::WaitGroup;
use super::record::{
    AnchorRole, Call, DeliveryMode, Entry, HumanText, Origin, Record, ReplyStatus,
};

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
    /// True if its words were given to somebody: they are the reply to that, and to nothing else.
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
    /// The records of that course; not kept in another form than their own.
    #[serde(skip)]
    pub entries: VectorSync<Arc<Entry>>,
    /// The first of them with the words of a user.
    #[serde(skip)]
    pub opening: Option<Arc<Entry>>,
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
    /// Tellasks and questions that were answered, and how.
    pub replies: RedBlackTreeMapSync<CallId, ReplyStatus>,
    /// Those of the calls that have no result: few, so that nobody looks for them among all.
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
        self.forget_entries();
        self.last.words = None;
        let closed: Vec<CallId> =
            self.calls.keys().filter(|id| !open.contains(id)).cloned().collect();
        for id in closed {
            if let Some(call) = self.calls.get_mut(&id) {
                call.arguments = String::new();
            }
        }
    }

    fn forget_entries(&mut self) {
        self.entries = VectorSync::new_sync();
        self.opening = None;
    }

    /// Takes in the next record of `course`. Records of an earlier course only leave their facts; a
    /// record of a later one begins that course, unless it is a mere snapshot of state.
    pub fn fold(&mut self, course: Course, entry: Arc<Entry>) {
        if course > self.course && !entry.record.is_snapshot() {
            self.course = course;
            self.forget_entries();
            self.pressure = self.pressure.next_course();
            self.refusals.begin(self.last.broken_off);
            self.asked_for = None;
        }
        let genseq = entry.genseq.unwrap_or_default();
        self.last_genseq = self.last_genseq.max(genseq);
        self.note(course, genseq, &entry.record);
        if course == self.course {
            if self.opening.is_none() && is_from_user(&entry.record) {
                self.opening = Some(entry.clone());
            }
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
                }
                self.note_audience(text);
                if text.user_language_code.is_some() {
                    self.language.clone_from(&text.user_language_code);
                }
                if let Some(directive) = &text.tellask_reply_directive {
                    self.directed.insert_mut(directive.target_call_id.clone(), (course, genseq));
                }
                self.note_asked_for(text);
                // Within a course, a prompt of the runtime that asks for nothing is a warning.
                let asks = text.tellask_reply_directive.is_some();
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
                self.note_call(
                    course,
                    genseq,
                    call,
                    *delivery_mode == DeliveryMode::TellaskCallStart,
                );
            }
            Record::FuncResult(result) => self.note_result(&result.id),
            Record::TellaskResult(result) => {
                let group = result
                    .call_site_course
                    .zip(result.call_site_genseq)
                    .map(|(course, genseq)| WaitGroup { course, genseq });
                let from_human = result.call_name == super::call::ASK_HUMAN;
                self.note_answer(from_human);
                self.note_reply(&result.call_id, result.status, group, from_human);
            }
            Record::Carryover(reply) => {
                let from_human = reply.call_name == super::call::ASK_HUMAN;
                self.note_answer(from_human);
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
        }
        if self.last.open {
            self.last.prompted_by = self.audience;
        }
    }

    fn note_asked_for(&mut self, text: &HumanText) {
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
            // The answer to a question asked back is its result.
            Some(SpecialCall::Tellask(TellaskKind::Back)) => {
                !call.started || self.replies.contains_key(id)
            }
            Some(SpecialCall::Tellask(_) | SpecialCall::AskHuman) => {
                !call.started || self.replies.get(id) == Some(&ReplyStatus::Failed)
            }
        };
        self.last.owes_followup |= waits && self.has_begun();
    }

    /// A person's answer takes a dialog that rests back to its own work, whoever spoke to it last.
    fn note_answer(&mut self, from_human: bool) {
        if from_human && !self.last.open && !self.last.owes_followup {
            self.audience = Some(Origin::Runtime);
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
            self.unread.push(UnreadReply { call: call.clone(), group, from_human });
        }
    }

    /// False before the first generation: what stands there was put there by a startup script, and
    /// nobody waits for it.
    fn has_begun(&self) -> bool {
        self.last.course.is_some()
    }

    /// What the context asks for now. `cadence`: generations between two warnings.
    #[must_use]
    pub fn remedy(&self, cadence: u32) -> Option<ContextAction> {
        self.pressure.due(&self.refusals, cadence)
    }

    /// True if the model has not seen the results of its last calls. Who delivered a reply rests.
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

    /// Tellasks or questions of this kind that were asked and not answered, in the order of their ids.
    pub fn awaited(&self, kind: SpecialCall) -> impl Iterator<Item = (&CallId, &CallFact)> {
        let calls = self.without_reply.iter().filter_map(|id| self.calls.get_key_value(id));
        calls.filter(move |(_, call)| call.special() == Some(kind))
    }

    /// Calls without a result or status text, in the order of their ids.
    pub fn open_calls(&self) -> impl Iterator<Item = (&CallId, &CallFact)> {
        self.without_result.iter().filter_map(|id| self.calls.get_key_value(id))
    }

    /// True if a call, a result or a reply has this id.
    #[must_use]
    pub fn knows_call(&self, id: &CallId) -> bool {
        self.calls.contains_key(id) || self.results.contains(id) || self.replies.contains_key(id)
    }
}

fn is_from_user(record: &Record) -> bool {
    matches!(record, Record::HumanText(text) if text.origin == Origin::User)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(lines: &[&str]) -> History {
        let mut history = History::new(Course::FIRST);
        for line in lines {
            history.fold(Course::FIRST, Arc::new(Entry::parse(line).expect("a record")));
        }
        history
    }

    const START: &str = r#"{"type":"gen_start_record","genseq":1}"#;
    const FINISH: &str = r#"{"type":"gen_finish_record","genseq":1}"#;
    const ASK: &str = r#"{"type":"tellask_call_record","genseq":1,"id":"q","name":"askHuman","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#;
    const ASK_STATUS: &str =
        r#"{"type":"func_result_record","genseq":1,"id":"q","name":"askHuman","content":"waits"}"#;
    const ANSWER: &str = r#"{"type":"tellask_result_record","callId":"q","callName":"askHuman","status":"completed","content":"blue","callSiteCourse":1,"callSiteGenseq":1,"responder":{"responderId":"human"},"call":{"tellaskContent":"?"}}"#;

    #[test]
    fn a_question_is_open_until_its_answer_is_recorded() {
        let asked = fold(&[START, ASK, ASK_STATUS, FINISH]);
        assert_eq!(asked.open_questions().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["q"]);
        assert!(!asked.last.owes_followup);
        let answered = fold(&[START, ASK, ASK_STATUS, FINISH, ANSWER]);
        assert_eq!(answered.open_questions().count(), 0);
        assert_eq!(answered.unread.len(), 1);
        let read = fold(&[
            START,
            ASK,
            ASK_STATUS,
            FINISH,
            ANSWER,
            r#"{"type":"gen_start_record","genseq":2}"#,
        ]);
        assert!(read.unread.is_empty());
    }

    #[test]
    fn a_tool_result_owes_a_follow_up() {
        let call = r#"{"type":"func_call_record","genseq":1,"id":"t","name":"read_file","rawArgumentsText":"{}"}"#;
        let result =
            r#"{"type":"func_result_record","genseq":1,"id":"t","name":"read_file","content":"x"}"#;
        assert!(fold(&[START, call, result, FINISH]).last.owes_followup);
        assert_eq!(fold(&[START, call]).open_calls().count(), 1);
        assert_eq!(fold(&[START, call, result]).open_calls().count(), 0);
    }

    #[test]
    fn a_plain_answer_is_the_last_saying_without_a_call_after_it() {
        let words = r#"{"type":"agent_words_record","genseq":1,"content":"done"}"#;
        let call =
            r#"{"type":"func_call_record","genseq":1,"id":"t","name":"x","rawArgumentsText":""}"#;
        assert_eq!(fold(&[START, words, FINISH]).plain_answer(), Some("done"));
        assert_eq!(fold(&[START, words, call, FINISH]).plain_answer(), None);
        assert_eq!(fold(&[START, words]).plain_answer(), None);
        assert_eq!(fold(&[START, FINISH]).plain_answer(), None);
    }

    #[test]
    fn a_stray_snapshot_does_not_begin_a_course() {
        let mut history = fold(&[START, FINISH]);
        let stray = r#"{"type":"pending_sideDialogs_reconciled_record","pendingSideDialogs":[]}"#;
        history.fold(Course(2), Arc::new(Entry::parse(stray).unwrap()));
        assert_eq!((history.course, history.entries.len()), (Course::FIRST, 2));
        history.fold(
            Course(2),
            Arc::new(Entry::parse(r#"{"type":"gen_start_record","genseq":2}"#).unwrap()),
        );
        assert_eq!((history.course, history.entries.len()), (Course(2), 1));
    }

    /// All orders of these lines.
    fn orders(lines: &[&'static str]) -> Vec<Vec<&'static str>> {
        let mut all = Vec::new();
        for (n, first) in lines.iter().enumerate() {
            let rest: Vec<_> = [&lines[..n], &lines[n + 1..]].concat();
            all.extend(orders(&rest).into_iter().map(|order| [&[*first][..], &order].concat()));
        }
        if lines.is_empty() { vec![Vec::new()] } else { all }
    }

    #[test]
    fn what_is_open_is_what_the_records_leave_open_in_whatever_order_they_stand() {
        let call =
            r#"{"type":"func_call_record","genseq":1,"id":"t","name":"x","rawArgumentsText":""}"#;
        let result =
            r#"{"type":"func_result_record","genseq":1,"id":"t","name":"x","content":"y"}"#;
        for order in orders(&[ASK, ASK_STATUS, ANSWER, call, result]) {
            for length in 0..=order.len() {
                let lines = &order[..length];
                let history = fold(lines);
                let open: Vec<&str> = history.open_calls().map(|(id, _)| id.as_str()).collect();
                let left = |call, result| lines.contains(&call) && !lines.contains(&result);
                let ids = [("q", left(ASK, ASK_STATUS)), ("t", left(call, result))];
                let expected: Vec<&str> =
                    ids.into_iter().filter(|(_, open)| *open).map(|(id, _)| id).collect();
                assert_eq!(open, expected, "{lines:?}");
                let questions = history.open_questions().count();
                assert_eq!(questions, usize::from(left(ASK, ANSWER)), "{lines:?}");
            }
        }
    }
}
