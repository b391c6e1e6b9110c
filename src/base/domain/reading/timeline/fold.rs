//! From records to spans, one record at a time.

use std::collections::VecDeque;

use super::{
    Activity, AwaitedCall, Driven, LifeEnd, MAX_AWAITED, MAX_QUESTION_CHARS, MAX_SPANS, Span,
    SpanPlace, Timeline,
};
use crate::domain::asking::question::{Question, short_headline};
use crate::domain::dialogs::call::{SpecialCall, TellaskKind, told};
use crate::domain::dialogs::pending::Pending;
use crate::domain::dialogs::record::{
    Call, DeliveryMode, Entry, Record, RecordClass, ReplyStatus, SideDialogCreated,
};
use crate::domain::ids::{AgentId, CallId, SelfId};
use crate::domain::number::{Course, Genseq};
use crate::domain::reading::title::headline;
use crate::domain::reading::transcript::{argument, arguments};
use crate::domain::time::Stamp;

/// Most calls and questions that are remembered as open.
const MAX_OPEN: usize = 1_000;

/// What a dialog does that neither runs nor waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Ready,
    Nothing,
    Stopped,
}

/// The generation that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenGeneration {
    genseq: Option<Genseq>,
    /// It called a tool, so another generation follows.
    calls: bool,
}

/// What the fold remembers between records.
#[derive(Debug, Clone)]
pub struct TimelineFold {
    /// Later stamps are not trusted.
    now: i64,
    /// The time of the last record; `None` before any time is known.
    at: Option<i64>,
    spans: VecDeque<Span>,
    left_out: usize,
    current: Option<Span>,
    questions: Vec<(CallId, String)>,
    calls: Vec<(TellaskKind, AwaitedCall)>,
    generation: Option<OpenGeneration>,
    rest: Rest,
    /// The last generation that people can see something of.
    seen: Option<(Course, Genseq)>,
}

impl TimelineFold {
    /// A dialog that was made at `born`. `now`: the time, in seconds.
    #[must_use]
    pub fn new(born: &Stamp, now: i64) -> Self {
        let mut fold = Self {
            now,
            at: None,
            spans: VecDeque::new(),
            left_out: 0,
            current: None,
            questions: Vec::new(),
            calls: Vec::new(),
            generation: None,
            rest: Rest::Ready,
            seen: None,
        };
        fold.pass(born);
        fold.change();
        fold
    }

    /// The next record, which is in this course.
    pub fn push(&mut self, course: Course, entry: &Entry) {
        if let (Record::GenStart, Some(_)) = (&entry.record, &self.generation) {
            self.cut_off();
        }
        self.pass(&entry.ts);
        self.record(course, entry);
        self.change();
    }

    /// The spans, after the last record.
    #[must_use]
    pub fn finish(mut self, end: LifeEnd) -> Timeline {
        let goes_on = match end {
            LifeEnd::LastRecord => false,
            LifeEnd::Now { driven } => {
                if driven == Driven::No && self.generation.is_some() {
                    self.cut_off();
                }
                // A dialog of which no time is known is as old as this moment.
                self.at = Some(self.now);
                true
            }
        };
        let goes_on = goes_on && self.current.is_some();
        self.close(self.at.unwrap_or(self.now));
        Timeline { spans: self.spans.into(), goes_on, left_out: self.left_out }
    }

    /// Time goes on to this stamp. One that is broken, in the future, or before the last one is taken as that.
    fn pass(&mut self, stamp: &Stamp) {
        let read = stamp.seconds().filter(|seconds| *seconds <= self.now);
        self.at = read.max(self.at);
    }

    /// The open generation ended with the last record, and nothing drove the dialog since.
    fn cut_off(&mut self) {
        self.generation = None;
        let at = self.at.unwrap_or(self.now);
        self.close(at);
        self.current = Some(Span {
            from: at,
            to: at,
            activity: Activity::WasCutOff,
            place: self.seen.map(|(course, genseq)| SpanPlace::Generation(course, genseq)),
        });
    }

    /// Changes what the dialog does by a record.
    fn record(&mut self, course: Course, entry: &Entry) {
        let record = &entry.record;
        if let Record::GenStart = record {
            self.generation = Some(OpenGeneration { genseq: entry.genseq, calls: false });
        } else if let Record::GenFinish { context_health, .. } = record {
            let calls = self.generation.take().is_some_and(|generation| generation.calls);
            self.rest = match (context_health, calls) {
                (None, _) => Rest::Stopped,
                (Some(_), true) => Rest::Ready,
                (Some(_), false) => Rest::Nothing,
            };
        } else if let Record::FuncCall(_) = record {
            self.called();
            self.seen_in(course, entry);
        } else if let Record::TellaskCall { call, delivery_mode } = record {
            match delivery_mode {
                DeliveryMode::TellaskCallStart => self.asked(call),
                // What is told to a person has no answer, and nothing follows it.
                DeliveryMode::FuncCallRequested
                    if told(&call.name, &call.raw_arguments_text).is_some() => {}
                DeliveryMode::FuncCallRequested => self.called(),
            }
            self.seen_in(course, entry);
        } else if let Some(reply) = record.reply() {
            self.answered(reply.call, reply.status);
        } else if let Record::SideDialogCreated(made) = record {
            self.works(made);
        } else if let Record::PendingSideDialogs { pending_side_dialogs } = record {
            self.work(pending_side_dialogs);
        } else if let Record::Questions { questions } = record {
            self.open_questions(questions);
        } else if let Record::ReplyResolution { .. } = record {
            // A dialog that delivered its reply has nothing left to do.
            match &mut self.generation {
                Some(generation) => generation.calls = false,
                None => self.rest = Rest::Nothing,
            }
        } else if record.class() == RecordClass::Prompt
            || matches!(record, Record::Words { .. } | Record::Thought { .. })
        {
            self.seen_in(course, entry);
        }
    }

    fn seen_in(&mut self, course: Course, entry: &Entry) {
        let running = self.generation.as_ref().and_then(|generation| generation.genseq);
        if let Some(genseq) = entry.genseq.or(running) {
            self.seen = Some((course, genseq));
            if let Some(Span { activity: Activity::Ran { .. }, place: place @ None, .. }) =
                &mut self.current
            {
                *place = Some(SpanPlace::Generation(course, genseq));
            }
        }
    }

    fn called(&mut self) {
        if let Some(generation) = &mut self.generation {
            generation.calls = true;
        }
    }

    /// A call to another dialog, or a question for a person, is open from now on.
    fn asked(&mut self, call: &Call) {
        let arguments = arguments(&call.raw_arguments_text);
        match SpecialCall::of(&call.name) {
            Some(SpecialCall::AskHuman) if self.questions.len() < MAX_OPEN => {
                let content = argument(&arguments, "tellaskContent").unwrap_or_default();
                self.questions.push((call.id.clone(), about(&content)));
            }
            Some(SpecialCall::Tellask(kind)) if self.calls.len() < MAX_OPEN => {
                let member = argument(&arguments, "targetAgentId").map(AgentId::new);
                self.calls.push((kind, AwaitedCall { call: call.id.clone(), by: None, member }));
            }
            Some(SpecialCall::AskHuman | SpecialCall::Tellask(_)) => {}
            Some(SpecialCall::AnswerHuman | SpecialCall::Reply(_)) | None => self.called(),
        }
    }

    fn answered(&mut self, call: &CallId, status: ReplyStatus) {
        match status {
            ReplyStatus::Pending => return,
            ReplyStatus::Completed | ReplyStatus::Failed => {}
        }
        let before = self.questions.len() + self.calls.len();
        self.questions.retain(|(open, _)| open != call);
        self.calls.retain(|(_, open)| open.call != *call);
        if self.questions.len() + self.calls.len() < before {
            self.rest = Rest::Ready;
            self.called();
        }
    }

    fn works(&mut self, made: &SideDialogCreated) {
        self.works_on(&made.assignment_from_asker.call_id, &made.side_dialog_id);
    }

    fn work(&mut self, pending: &[Pending]) {
        for waits in pending {
            self.works_on(&waits.call_id, &waits.side_dialog_id);
        }
    }

    fn works_on(&mut self, call: &CallId, by: &SelfId) {
        if let Some((_, open)) = self.calls.iter_mut().find(|(_, open)| open.call == *call) {
            open.by = Some(by.clone());
        }
    }

    /// The questions that are open: those withdrawn are not, those of a fork are.
    fn open_questions(&mut self, questions: &[Question]) {
        let open = questions.iter().take(MAX_OPEN);
        self.questions = open
            .map(|question| (question.call_id.clone(), about(&question.tellask_content)))
            .collect();
    }

    /// What the dialog does as of now.
    fn doing(&self) -> (Activity, Option<SpanPlace>) {
        let seen = self.seen.map(|(course, genseq)| SpanPlace::Generation(course, genseq));
        // A generation that asked back stays open until the answer is there.
        let asked_back = self.calls.iter().any(|(kind, _)| *kind == TellaskKind::Back);
        if self.generation.is_some() && !asked_back {
            return (Activity::Ran { generations: 1 }, None);
        }
        if let Some((call, question)) = self.questions.first() {
            let activity = Activity::WaitedForPerson { question: question.clone() };
            return (activity, Some(SpanPlace::Call(call.clone())));
        }
        if let Some((_, first)) = self.calls.first() {
            let calls = self.calls.iter().take(MAX_AWAITED);
            let named = calls.map(|(_, call)| call.clone()).collect();
            let place = SpanPlace::Call(first.call.clone());
            return (Activity::WaitedForDialogs(named), Some(place));
        }
        let activity = match self.rest {
            Rest::Ready => Activity::WasReady,
            Rest::Nothing => Activity::HadNothingToDo,
            Rest::Stopped => Activity::WasStopped,
        };
        (activity, seen)
    }

    /// Begins another span if the dialog does something else from now on.
    fn change(&mut self) {
        let Some(at) = self.at else { return };
        let (activity, place) = self.doing();
        let same = self.current.as_ref().is_some_and(|span| {
            span.activity == activity
                || matches!(
                    (&span.activity, &activity),
                    (Activity::Ran { .. }, Activity::Ran { .. })
                )
        });
        if !same {
            self.close(at);
            self.current = Some(Span { from: at, to: at, activity, place });
        }
    }

    /// Ends the current span. A span without duration is left out, unless it is a run; adjacent runs are one.
    fn close(&mut self, at: i64) {
        let Some(mut span) = self.current.take() else { return };
        span.to = at.max(span.from);
        let Activity::Ran { generations } = span.activity else {
            if span.to > span.from {
                self.add(span);
            }
            return;
        };
        if let Some(Span { to, activity: Activity::Ran { generations: before }, place, .. }) =
            self.spans.back_mut().filter(|last| last.to == span.from)
        {
            *to = span.to;
            *before += generations;
            *place = place.take().or(span.place);
            return;
        }
        self.add(span);
    }

    fn add(&mut self, span: Span) {
        self.spans.push_back(span);
        if self.spans.len() > MAX_SPANS {
            self.spans.pop_front();
            self.left_out += 1;
        }
    }
}

fn about(question: &str) -> String {
    short_headline(&headline(question), MAX_QUESTION_CHARS)
}
