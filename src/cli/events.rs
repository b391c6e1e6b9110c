//! What `run`, `drive` and `q4h answer` print while they drive. A line about a fact is printed only
//! when the fact is on disk: whoever reads it may rely on it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::call::ASK_HUMAN;
use crate::domain::record::{Call, DeliveryMode, Entry, HumanText, Origin, Record};
use crate::domain::{Course, DialogId, DisplayState, Problem, PushCount, TellaskKind};
use crate::protocol::AfterFork;
use crate::protocol::event::{Cursor, RetryView, TreeRow, UiEvent};

use super::lines;
use super::transcript::why_pushed;

/// Prints events, as JSON lines or as a running report.
#[derive(Debug)]
pub struct Printer {
    as_json: bool,
    /// False: what dialogs say and do is not printed, unless as JSON.
    talks: bool,
    seq: u64,
    known: BTreeMap<DialogId, Known>,
    problems: Vec<Problem>,
    listed: bool,
}

#[derive(Debug)]
struct Known {
    agent: String,
    state: Value,
    course: Course,
}

impl Printer {
    pub fn new(as_json: bool) -> Self {
        let (known, problems) = (BTreeMap::new(), Vec::new());
        Self { as_json, talks: true, seq: 0, known, problems, listed: false }
    }

    pub fn without_talk(self) -> Self {
        Self { talks: false, ..self }
    }

    pub fn print(&mut self, event: &UiEvent) {
        match event {
            UiEvent::Rows(rows) => {
                for row in rows {
                    self.learn(row);
                }
                self.listed = true;
            }
            UiEvent::Row(row) => self.row(row),
            UiEvent::Fact { dialog, at, entry } => self.fact(dialog, *at, entry),
            UiEvent::ToolEnded { dialog, call, ok } => {
                self.line(Some(dialog), "tool_result", json!({ "callId": call, "ok": ok }));
            }
            UiEvent::Asked { dialog, question, headline } => {
                let fields = json!({ "questionId": question, "headline": headline });
                self.line(Some(dialog), "asked", fields);
                self.tell(dialog, &format!("? {headline}  [{question}]"));
            }
            UiEvent::Answered { dialog, question } => {
                self.line(Some(dialog), "answered", json!({ "questionId": question }));
            }
            UiEvent::Retry { dialog, retry } => self.retry(dialog, retry),
            UiEvent::Problems(problems) => self.problems(problems),
            UiEvent::Notice(text) => {
                self.line(None, "problem", json!({ "id": "notice", "text": text }));
                self.remark(text);
            }
            UiEvent::Quiet(outcome) => {
                self.line(None, "quiet", json!({ "outcome": outcome }));
            }
            UiEvent::Gone(dialog) => self.line(Some(dialog), "gone", json!({})),
            UiEvent::Forked { dialog, next } => self.forked(dialog, next),
            UiEvent::Workspace(_)
            | UiEvent::Inbox(_)
            | UiEvent::Shelf { .. }
            | UiEvent::Processes(_)
            | UiEvent::Page { .. }
            | UiEvent::Sheet { .. }
            | UiEvent::Live { .. }
            | UiEvent::LiveEnd { .. }
            | UiEvent::Done { .. }
            | UiEvent::Refused { .. }
            | UiEvent::KeyHeld { .. }
            | UiEvent::Lagged
            | UiEvent::Stopped => {}
        }
    }

    fn learn(&mut self, row: &TreeRow) {
        let known =
            Known { agent: row.agent.to_string(), state: state(&row.state), course: row.course };
        self.known.insert(row.dialog.clone(), known);
    }

    fn row(&mut self, row: &TreeRow) {
        let before = self.known.get(&row.dialog).map(|known| known.state.clone());
        if !self.listed {
            self.learn(row);
            return;
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
                self.tell(dialog, content);
            }
            Record::FuncCall(call) => {
                let fields = json!({ "callId": call.id, "name": call.name });
                self.line(Some(dialog), "tool_call", fields);
                self.tell(dialog, &format!("> {}", call.name));
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

    fn line(&mut self, dialog: Option<&DialogId>, event: &str, fields: Value) {
        if !self.as_json {
            return;
        }
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
        self.tell(dialog, &told);
        let fields = json!({ "callId": call.id, "kind": call.name, "target": target });
        self.line(Some(dialog), "tellask", fields);
    }

    fn tell(&self, dialog: &DialogId, text: &str) {
        if !self.as_json && self.talks {
            let agent = self.known.get(dialog).map_or("?", |known| known.agent.as_str());
            lines::say(&format!("@{agent}  {text}"));
        }
    }

    /// The id alone on standard output, for scripts.
    fn forked(&mut self, dialog: &DialogId, next: &AfterFork) {
        self.line(Some(dialog), "forked", json!({}));
        if !self.as_json {
            lines::say(dialog.root.as_str());
            after_fork(next);
        }
    }

    fn remark(&self, text: &str) {
        if !self.as_json {
            lines::remark(text);
        }
    }
}

/// Why a fork does not go on by itself, or that it does.
fn after_fork(next: &AfterFork) {
    match next {
        AfterFork::DraftUserText(text) => {
            lines::remark("it waits for your words; there they were:");
            lines::remark(text);
        }
        AfterFork::RestorePending => {
            lines::remark("it waits for an answer, or for its side dialogs");
        }
        AfterFork::AutoContinue => lines::remark("it waits for nobody: `drive` takes it on"),
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
    serde_json::from_str::<Value>(raw)
        .ok()
        .and_then(|arguments| arguments.get(key)?.as_str().map(str::to_owned))
        .unwrap_or_default()
}
