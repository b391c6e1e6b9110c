//! What `run`, `drive` and `q4h answer` print while they drive. A line about a fact is printed only
//! when the fact is on disk: whoever reads it may rely on it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::call::ASK_HUMAN;
use crate::domain::question::headline;
use crate::domain::record::{Call, DeliveryMode, Entry, HumanText, Origin, Record};
use crate::domain::{Course, DialogId, DisplayState, Problem, PushCount, TellaskKind};
use crate::protocol::AfterFork;
use crate::protocol::event::{
    Cursor, DriverEvent, HaltedDialog, QuietOutcome, RetryView, Segment, TreeRow,
};

use super::stream::{Piece, Stream};
use super::transcript::why_pushed;
use super::{halted, lines};

/// How events are printed.
#[derive(Debug)]
pub enum Form {
    /// As JSON lines.
    Json(Deltas),
    /// As a running report, for a file or a pipe.
    Report,
    /// The same as it happens, for a person at a terminal.
    Terminal(Box<Stream>),
    /// Only what a person has to know; not what dialogs say and do.
    Remarks,
}

/// Whether text is told while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deltas {
    Told,
    Omitted,
}

/// What was asked to be driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Everything,
    /// One tree.
    Tree,
    /// What a person wants is only noted.
    Nothing,
}

/// Prints events.
#[derive(Debug)]
pub struct Printer {
    form: Form,
    scope: Scope,
    seq: u64,
    known: BTreeMap<DialogId, Known>,
    problems: Vec<Problem>,
    /// What makes the end what it will be.
    standing: Vec<HaltedDialog>,
    listed: bool,
}

#[derive(Debug)]
struct Known {
    agent: String,
    state: Value,
    course: Course,
    works: bool,
}

impl Printer {
    pub fn new(form: Form, scope: Scope) -> Self {
        let (known, problems) = (BTreeMap::new(), Vec::new());
        Self { form, scope, seq: 0, known, problems, standing: Vec::new(), listed: false }
    }

    pub fn print(&mut self, event: &DriverEvent) {
        self.take(event);
        if let Form::Terminal(stream) = &mut self.form {
            stream.status(&status(self.known.values()));
            write(stream.take());
        }
    }

    /// Nothing follows.
    pub fn close(&mut self) {
        if let Form::Terminal(stream) = &mut self.form {
            write(stream.close());
        }
    }

    fn take(&mut self, event: &DriverEvent) {
        match event {
            DriverEvent::Rows(rows) => {
                for row in rows {
                    self.learn(row);
                }
                self.listed = true;
            }
            DriverEvent::Row(row) => self.row(row),
            DriverEvent::Fact { dialog, at, entry } => self.fact(dialog, *at, entry),
            DriverEvent::ToolEnded { dialog, call, ok } => {
                self.line(Some(dialog), "tool_result", json!({ "callId": call, "ok": ok }));
            }
            DriverEvent::Asked { dialog, question, headline } => {
                let fields = json!({ "questionId": question, "headline": headline });
                self.line(Some(dialog), "asked", fields);
                self.tell(dialog, &format!("? {headline}  [{question}]"));
            }
            DriverEvent::Answered { dialog, question } => {
                self.line(Some(dialog), "answered", json!({ "questionId": question }));
            }
            DriverEvent::Retry { dialog, retry } => self.retry(dialog, retry),
            DriverEvent::Problems(problems) => self.problems(problems),
            DriverEvent::Notice(text) => {
                self.line(None, "problem", json!({ "id": "notice", "text": text }));
                self.remark(text);
            }
            DriverEvent::Halted(standing) => self.standing.clone_from(standing),
            DriverEvent::Quiet(outcome) => self.quiet(*outcome),
            DriverEvent::Removed(dialog) => self.line(Some(dialog), "gone", json!({})),
            DriverEvent::Forked { dialog, next } => self.forked(dialog, next),
            DriverEvent::Live { dialog, segment, text } => self.live(dialog, *segment, text),
            DriverEvent::LiveEnd { dialog } => {
                if let Form::Terminal(stream) = &mut self.form {
                    stream.over(dialog);
                }
            }
            DriverEvent::Workspace(_)
            | DriverEvent::Inbox(_)
            | DriverEvent::Shelf { .. }
            | DriverEvent::Processes(_)
            | DriverEvent::Page { .. }
            | DriverEvent::Sheet { .. }
            | DriverEvent::Done { .. }
            | DriverEvent::Refused { .. }
            | DriverEvent::Consent(_)
            | DriverEvent::Lagged
            | DriverEvent::Stopped => {}
        }
    }

    fn learn(&mut self, row: &TreeRow) {
        let known = Known {
            agent: row.agent.to_string(),
            state: state(&row.state),
            course: row.course,
            works: row.state.is_running(),
        };
        self.known.insert(row.dialog.clone(), known);
    }

    fn row(&mut self, row: &TreeRow) {
        let before = self.known.get(&row.dialog).map(|known| known.state.clone());
        if !self.listed {
            self.learn(row);
            return;
        }
        if let Some(known) = self.known.get_mut(&row.dialog) {
            known.works = row.state.is_running();
        }
        let shown = state(&row.state);
        if before.is_none() {
            self.learn(row);
            let mut fields = json!({ "agentId": row.agent });
            if let (Some(asker), Some(fields)) = (&row.asker, fields.as_object_mut()) {
                fields.insert("askerDialogId".to_owned(), json!(asker));
            }
            self.line(Some(&row.dialog), "created", fields);
        } else if before.as_ref() != Some(&shown) {
            self.line(Some(&row.dialog), "state", shown.clone());
            if let Some(known) = self.known.get_mut(&row.dialog) {
                known.state = shown;
            }
            if let DisplayState::Stopped { reason, .. } = &row.state {
                self.tell(&row.dialog, &format!("stopped: {}", reason.sentence()));
            }
        }
    }

    fn said(&mut self, dialog: &DialogId, text: &HumanText) {
        let mut fields = json!({ "msgId": text.msg_id, "origin": text.origin });
        if text.origin == Origin::DiligencePush {
            let count = PushCount::read(&text.content);
            if let (Some(count), Some(fields)) = (count, fields.as_object_mut()) {
                let push =
                    json!({ "number": count.number, "most": count.most, "left": count.left() });
                fields.insert("push".to_owned(), push);
            }
            self.tell(dialog, &format!("pushed on: {}", why_pushed(count)));
        }
        self.line(Some(dialog), "said", fields);
    }

    fn fact(&mut self, dialog: &DialogId, at: Cursor, entry: &Entry) {
        let genseq = entry.genseq;
        match &entry.record {
            Record::GenStart => {
                self.course(dialog, at.course);
                let fields = json!({ "course": at.course, "genseq": genseq });
                self.line(Some(dialog), "gen_start", fields);
            }
            Record::HumanText(text) => {
                self.said(dialog, text);
            }
            Record::Thought { content, .. } if content.is_empty() => {}
            Record::Thought { content, .. } => {
                self.line(Some(dialog), "thinking", json!({ "text": content }));
            }
            Record::Words { content, .. } => {
                self.line(Some(dialog), "saying", json!({ "text": content }));
                self.spoken(dialog, content);
            }
            Record::FuncCall(call) => {
                let fields = json!({ "callId": call.id, "name": call.name });
                self.line(Some(dialog), "tool_call", fields);
                self.called(dialog, call);
            }
            Record::TellaskCall { call, delivery_mode } => {
                let tellask = *delivery_mode == DeliveryMode::TellaskCallStart;
                if tellask && call.name != ASK_HUMAN {
                    self.tellask(dialog, call);
                } else {
                    let fields = json!({ "callId": call.id, "name": call.name });
                    self.line(Some(dialog), "tool_call", fields);
                }
            }
            Record::TellaskResult(result) if result.call_name != ASK_HUMAN => {
                let fields = json!({ "callId": result.call_id, "status": result.status });
                self.line(Some(dialog), "reply", fields);
            }
            Record::Carryover(result) if result.call_name != ASK_HUMAN => {
                let fields = json!({ "callId": result.call_id, "status": result.status });
                self.line(Some(dialog), "reply", fields);
            }
            Record::GenFinish { context_health, .. } => {
                let outcome = if context_health.is_some() { "finished" } else { "stopped" };
                let fields = json!({ "course": at.course, "genseq": genseq, "outcome": outcome });
                self.line(Some(dialog), "gen_end", fields);
            }
            Record::TellaskResult(_)
            | Record::Carryover(_)
            | Record::RuntimeGuide { .. }
            | Record::FuncResult(_)
            | Record::ReplyResolution { .. }
            | Record::Anchor { .. }
            | Record::SideDialogCreated(_)
            | Record::Reminders { .. }
            | Record::Questions { .. }
            | Record::PendingSideDialogs { .. }
            | Record::Registry { .. }
            | Record::UiOnly { .. }
            | Record::Unknown { .. } => {}
        }
    }

    fn course(&mut self, dialog: &DialogId, course: Course) {
        let Some(known) = self.known.get_mut(dialog) else { return };
        if known.course != course {
            known.course = course;
            self.line(Some(dialog), "course", json!({ "course": course }));
        }
    }

    fn retry(&mut self, dialog: &DialogId, retry: &RetryView) {
        let fields = match retry {
            RetryView::Waiting { error, seconds } => {
                self.tell(dialog, &format!("{error}; next try in {seconds} s"));
                json!({ "phase": "waiting", "seconds": seconds, "error": error })
            }
            RetryView::Running => json!({ "phase": "running" }),
            RetryView::Resolved => json!({ "phase": "resolved" }),
            RetryView::Stopped => json!({ "phase": "stopped" }),
        };
        self.line(Some(dialog), "retry", fields);
    }

    fn problems(&mut self, problems: &[Problem]) {
        let fresh: Vec<Problem> =
            problems.iter().filter(|problem| !self.problems.contains(problem)).cloned().collect();
        for problem in fresh {
            let fields = json!({ "id": problem.id, "text": problem.to_string() });
            self.line(None, "problem", fields);
            self.remark(&problem.to_string());
        }
        self.problems = problems.to_vec();
    }

    /// The last line; whatever does not go on is named.
    fn quiet(&mut self, outcome: QuietOutcome) {
        let standing = std::mem::take(&mut self.standing);
        self.line(None, "quiet", halted::fields(outcome, &standing));
        if let Some(sentence) = halted::sentence(outcome, &standing) {
            self.remark(&sentence);
        }
    }

    fn line(&mut self, dialog: Option<&DialogId>, event: &str, fields: Value) {
        let Form::Json(_) = self.form else { return };
        self.seq += 1;
        let mut line = serde_json::Map::new();
        line.insert("event".to_owned(), json!(event));
        line.insert("seq".to_owned(), json!(self.seq));
        if let Some(dialog) = dialog {
            line.insert("rootId".to_owned(), json!(dialog.root));
            line.insert("selfId".to_owned(), json!(dialog.this));
        }
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        lines::json(&Value::Object(line));
    }

    /// Who asks itself names no target.
    fn tellask(&mut self, dialog: &DialogId, call: &Call) {
        let to_itself = call.name == TellaskKind::FreshBoots.name();
        let target = (!to_itself).then(|| argument(&call.raw_arguments_text, "targetAgentId"));
        let told =
            target.as_ref().map_or_else(|| "reasons anew".to_owned(), |id| format!("asks @{id}"));
        let agent = self.agent(dialog);
        if let Form::Terminal(stream) = &mut self.form {
            let content = argument(&call.raw_arguments_text, "tellaskContent");
            stream.say_shortly(&format!("@{agent}  {told}: {}", headline(&content)));
        } else {
            self.tell(dialog, &told);
        }
        let fields = json!({ "callId": call.id, "kind": call.name, "target": target });
        self.line(Some(dialog), "tellask", fields);
    }

    /// The id alone on standard output, for scripts.
    fn forked(&mut self, dialog: &DialogId, next: &AfterFork) {
        let fields = match next {
            AfterFork::DraftUserText(text) => json!({ "next": "draft_user_text", "text": text }),
            AfterFork::RestorePending => json!({ "next": "restore_pending" }),
            AfterFork::AutoContinue => json!({ "next": "auto_continue" }),
        };
        self.line(Some(dialog), "forked", fields);
        if !matches!(self.form, Form::Json(_)) {
            lines::say(dialog.root.as_str());
            after_fork(dialog, next, self.scope);
        }
    }

    fn live(&mut self, dialog: &DialogId, segment: Segment, text: &str) {
        let agent = self.agent(dialog);
        match (&mut self.form, segment) {
            (Form::Json(Deltas::Told), Segment::Saying) => {
                self.line(Some(dialog), "saying_delta", json!({ "text": text }));
            }
            (Form::Terminal(stream), Segment::Saying) => stream.words(dialog, &agent, text),
            (Form::Terminal(stream), Segment::Thinking) => stream.pause(dialog),
            (Form::Json(_) | Form::Report | Form::Remarks, Segment::Saying | Segment::Thinking) => {
            }
        }
    }

    fn spoken(&mut self, dialog: &DialogId, content: &str) {
        let agent = self.agent(dialog);
        if let Form::Terminal(stream) = &mut self.form {
            stream.said(dialog, &agent, content);
        } else {
            self.tell(dialog, content);
        }
    }

    /// A person sees with what a tool is called; a report stays short.
    fn called(&mut self, dialog: &DialogId, call: &Call) {
        let agent = self.agent(dialog);
        if let Form::Terminal(stream) = &mut self.form {
            let (name, arguments) = (&call.name, &call.raw_arguments_text);
            stream.say_shortly(&format!("@{agent}  > {name} {arguments}"));
        } else {
            self.tell(dialog, &format!("> {}", call.name));
        }
    }

    fn agent(&self, dialog: &DialogId) -> String {
        self.known.get(dialog).map_or("?", |known| known.agent.as_str()).to_owned()
    }

    fn tell(&mut self, dialog: &DialogId, text: &str) {
        let line = format!("@{}  {text}", self.agent(dialog));
        match &mut self.form {
            Form::Json(_) | Form::Remarks => {}
            Form::Report => lines::say(&line),
            Form::Terminal(stream) => stream.say(&line),
        }
    }

    fn remark(&mut self, text: &str) {
        match &mut self.form {
            Form::Json(_) => {}
            Form::Report | Form::Remarks => lines::remark(text),
            Form::Terminal(stream) => stream.remark(text),
        }
    }
}

fn write(pieces: Vec<Piece>) {
    for piece in pieces {
        match piece {
            Piece::Out(text) => lines::raw(text.as_bytes()),
            Piece::Remark(text) => lines::remark(&text),
        }
    }
}

/// Who is at work.
fn status<'a>(known: impl Iterator<Item = &'a Known>) -> String {
    let works: Vec<String> =
        known.filter(|known| known.works).map(|known| format!("@{}", known.agent)).collect();
    match works.len() {
        0 => String::new(),
        1 => format!("{} is at work", works.concat()),
        n => format!("{n} at work: {}", works.join(", ")),
    }
}

/// Why a fork does not go on by itself, or that it does.
fn after_fork(dialog: &DialogId, next: &AfterFork, scope: Scope) {
    match next {
        AfterFork::DraftUserText(text) => {
            lines::remark("it waits for your words; there they were:");
            lines::remark(text);
        }
        AfterFork::RestorePending => {
            lines::remark("it waits for an answer, or for its side dialogs");
        }
        AfterFork::AutoContinue if scope == Scope::Nothing => lines::remark(&format!(
            "it waits for nobody; `dominds-tui resume {}`, then `dominds-tui drive` lets it go on",
            dialog.root
        )),
        AfterFork::AutoContinue => lines::remark("it waits for nobody, and goes on"),
    }
}

fn state(state: &DisplayState) -> Value {
    let mut fields = json!({ "state": state.kind() });
    let reason = match state {
        DisplayState::Stopped { reason, .. } => Some(json!(reason.sentence())),
        DisplayState::Blocked { reason } => Some(json!(reason)),
        DisplayState::Idle
        | DisplayState::Proceeding
        | DisplayState::Stopping { .. }
        | DisplayState::Dead { .. } => None,
    };
    if let (Some(reason), Some(fields)) = (reason, fields.as_object_mut()) {
        fields.insert("reason".to_owned(), reason);
    }
    fields
}

fn argument(raw: &str, key: &str) -> String {
    crate::domain::json::read::<Value>(raw)
        .ok()
        .and_then(|arguments| arguments.get(key)?.as_str().map(str::to_owned))
        .unwrap_or_default()
}
