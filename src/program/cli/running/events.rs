//! The output of `run`, `drive` and `q4h answer`. A line about a fact is printed only when the fact is on
//! disk, so that scripts can rely on it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::asking::decisions::Resolution;
use crate::domain::asking::inquiry::InquirySource;
use crate::domain::dialogs::call::ASK_HUMAN;
use crate::domain::dialogs::record::{Call, DeliveryMode, Entry, HumanText, Origin, Record};
use crate::domain::reading::title::headline;
use crate::domain::teams::notices::NewsItem;
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::trigger::TriggerId;
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::{
    AgentId, Course, DialogId, DisplayState, MsgId, Problem, PushCount, SelfId, TeamName,
    TellaskKind,
};
use crate::protocol::AfterFork;
use crate::protocol::event::{
    Cursor, DriverEvent, HaltedDialog, InboxRow, QuietOutcome, RetryView, Segment, TreeRow,
};

use super::other_driver::DriverPlace;
use super::output_mode::{Deltas, OutputMode};
use super::run_result::{self, Quiet};
use super::stream::{Output, TerminalStream};
use super::team_work::Background;
use crate::cli::forms::item_json::Item;
use crate::cli::forms::question_json::alike;
use crate::cli::forms::transcript::push_reason;
use crate::cli::output;

/// The extent of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveScope {
    Everything,
    /// One tree.
    Tree,
    /// The command is only recorded.
    Nothing,
}

/// Prints events.
#[derive(Debug)]
pub struct Printer {
    mode: OutputMode,
    /// Set at a terminal.
    stream: Option<TerminalStream>,
    scope: DriveScope,
    seq: u64,
    known: BTreeMap<DialogId, KnownDialog>,
    problems: Vec<Problem>,
    /// The dialogs that determine the outcome.
    halted: Vec<HaltedDialog>,
    listed: bool,
    /// The open questions in full: an event only has the first line of one, uncleaned.
    questions: Vec<InboxRow>,
    /// Questions that were closed; the next event says how.
    closed: Vec<InboxRow>,
    /// The open notices and failures, once they are known.
    pub(super) news: Option<Vec<NewsItem>>,
    /// The status of the teams, once known.
    pub(super) teams: Option<BTreeMap<TeamName, TeamStatus>>,
    pub(super) triggers: Option<BTreeMap<TriggerId, TriggerRow>>,
    /// The remaining tasks.
    background: Background,
}

#[derive(Debug)]
struct KnownDialog {
    agent: String,
    state: ShownState,
    course: Course,
    is_running: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Created<'a> {
    agent_id: &'a AgentId,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker_dialog_id: Option<&'a SelfId>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct ShownState {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    msg_id: &'a MsgId,
    origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    push: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answered<'a> {
    question_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
}

impl Printer {
    pub fn new(mode: OutputMode, scope: DriveScope) -> Self {
        Self {
            mode,
            stream: mode.stream(),
            scope,
            seq: 0,
            known: BTreeMap::new(),
            problems: Vec::new(),
            halted: Vec::new(),
            listed: false,
            questions: Vec::new(),
            closed: Vec::new(),
            news: None,
            teams: None,
            triggers: None,
            background: Background::of(DriverPlace::Here),
        }
    }

    /// Sets the place of the driver whose events are printed.
    pub fn at(self, place: DriverPlace) -> Self {
        Self { background: Background::of(place), ..self }
    }

    pub fn print(&mut self, event: &DriverEvent) {
        self.background.follow(event);
        self.handle(event);
        if let Some(stream) = &mut self.stream {
            stream.status(&status_text(self.known.values()));
            write(stream.take());
        }
    }

    /// Ends the output.
    pub fn close(&mut self) {
        if let Some(stream) = &mut self.stream {
            write(stream.close());
        }
    }

    fn inbox(&mut self, questions: &[InboxRow]) {
        let known = std::mem::replace(&mut self.questions, questions.to_vec());
        let is_open =
            |row: &&InboxRow| questions.iter().any(|one| one.question.id == row.question.id);
        self.closed.extend(known.iter().filter(|row| !is_open(row)).cloned());
        for row in questions {
            let before = known.iter().find(|known| known.question.id == row.question.id);
            let Some(before) = before else { continue };
            let is_new = |id: &&String| before.answers.get(*id) != row.answers.get(*id);
            for part in row.answers.keys().filter(is_new) {
                let fields = json!({ "id": row.question.id, "part": part });
                self.json_line(Some(&row.dialog), "part_answered", fields);
            }
        }
    }

    fn asked(&mut self, dialog: &DialogId, question: &str, text: &str) {
        self.json_line(Some(dialog), "asked", json!({ "questionId": question, "headline": text }));
        let asked = self.questions.iter().find(|row| row.question.id == *question).cloned();
        if let Some(row) = &asked {
            let item = Item::of_question(row, alike(row, &self.questions));
            self.json_line(Some(dialog), "notification_added", json!({ "item": item }));
        }
        let content = asked.as_ref().map_or(text, |row| row.question.tellask_content.as_str());
        let line = format!("? {}  [{question}]", headline(content));
        self.print_line(dialog, &line);
    }

    fn answered(
        &mut self,
        dialog: &DialogId,
        question: &str,
        (by, how): (Option<&str>, Resolution),
    ) {
        self.json_line(Some(dialog), "answered", Answered { question_id: question, by });
        let closed = self.closed.extract_if(.., |row| row.question.id == question).last();
        let of_dialog = || InquirySource::of(dialog, None);
        let source = closed.as_ref().map_or_else(of_dialog, InboxRow::source);
        let person = (how != Resolution::Expired).then_some("@human");
        let fields = json!({
            "id": question, "source": source.kind, "sourceId": source.id, "how": how,
            "by": by.or(person),
        });
        self.json_line(Some(dialog), "notification_resolved", fields);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what is printed has an arm")]
    fn handle(&mut self, event: &DriverEvent) {
        match event {
            DriverEvent::Rows(rows) => {
                for row in rows {
                    self.remember(row);
                }
                self.listed = true;
            }
            DriverEvent::Row(row) => self.row(row),
            DriverEvent::Inbox(questions) => self.inbox(questions),
            DriverEvent::Fact(fact) => self.fact(fact.dialog(), fact.into(), fact.entry()),
            DriverEvent::ToolEnded { dialog, call, ok } => {
                self.json_line(Some(dialog), "tool_result", json!({ "callId": call, "ok": ok }));
            }
            DriverEvent::Asked { dialog, question, headline } => {
                self.asked(dialog, question, headline);
            }
            DriverEvent::Answered { dialog, question, by, how, .. } => {
                self.answered(dialog, question, (by.as_deref(), *how));
            }
            DriverEvent::Retry { dialog, retry } => self.retry(dialog, retry),
            DriverEvent::Problems(problems) => self.problems(problems),
            DriverEvent::Notice(text) => {
                let text = text.to_string();
                self.json_line(None, "problem", json!({ "id": "notice", "text": text }));
                self.note(&text);
            }
            DriverEvent::News(items) => self.news(items),
            DriverEvent::Teams(teams) => self.teams(teams),
            DriverEvent::Triggers(rows) => self.triggers(rows),
            DriverEvent::TaskUpdated(row) => self.task_updated(row),
            DriverEvent::Halted(standing) => self.halted.clone_from(standing),
            DriverEvent::Quiet(outcome) => self.quiet(*outcome),
            DriverEvent::Removed(dialog) => self.json_line(Some(dialog), "gone", json!({})),
            DriverEvent::Forked { dialog, next } => self.forked(dialog, next),
            DriverEvent::Live { dialog, segment, text } => self.live(dialog, *segment, text),
            DriverEvent::LiveEnd { dialog } => {
                if let Some(stream) = &mut self.stream {
                    stream.end(dialog);
                }
            }
            _ => {}
        }
    }

    fn remember(&mut self, row: &TreeRow) {
        let known = KnownDialog {
            agent: row.agent.to_string(),
            state: shown_state(&row.state),
            course: row.course,
            is_running: row.state.is_running(),
        };
        self.known.insert(row.dialog.clone(), known);
    }

    fn row(&mut self, row: &TreeRow) {
        let before = self.known.get(&row.dialog).map(|known| known.state.clone());
        if !self.listed {
            self.remember(row);
            return;
        }
        if let Some(known) = self.known.get_mut(&row.dialog) {
            known.is_running = row.state.is_running();
        }
        let shown = shown_state(&row.state);
        if before.is_none() {
            self.remember(row);
            let created = Created { agent_id: &row.agent, asker_dialog_id: row.asker.as_ref() };
            self.json_line(Some(&row.dialog), "created", created);
        } else if before.as_ref() != Some(&shown) {
            self.json_line(Some(&row.dialog), "state", &shown);
            if let Some(known) = self.known.get_mut(&row.dialog) {
                known.state = shown;
            }
            if let DisplayState::Stopped { reason, .. } = &row.state {
                self.print_line(&row.dialog, &format!("stopped: {}", reason.message()));
            }
        }
    }

    fn user_text(&mut self, dialog: &DialogId, text: &HumanText) {
        let mut push = None;
        if text.origin == Origin::DiligencePush {
            push = PushCount::read(&text.content);
            self.print_line(dialog, &format!("pushed on: {}", push_reason(push)));
        }
        let push = push.map(
            |push| json!({ "number": push.number, "most": push.most, "left": push.remaining() }),
        );
        let said = Said { msg_id: &text.msg_id, origin: text.origin, push };
        self.json_line(Some(dialog), "said", said);
    }

    fn fact(&mut self, dialog: &DialogId, at: Cursor, entry: &Entry) {
        let genseq = entry.genseq;
        let record = &entry.record;
        if let Record::GenStart = record {
            self.course(dialog, at.course);
            let fields = json!({ "course": at.course, "genseq": genseq });
            self.json_line(Some(dialog), "gen_start", fields);
        } else if let Record::HumanText(text) = record {
            self.user_text(dialog, text);
        } else if let Record::Thought { content, .. } = record {
            if !content.is_empty() {
                self.json_line(Some(dialog), "thinking", json!({ "text": content }));
            }
        } else if let Record::Words { content, .. } = record {
            self.json_line(Some(dialog), "saying", json!({ "text": content }));
            self.saying(dialog, content);
        } else if let Record::FuncCall(call) = record {
            let fields = json!({ "callId": call.id, "name": call.name });
            self.json_line(Some(dialog), "tool_call", fields);
            self.tool_call(dialog, call);
        } else if let Record::TellaskCall { call, delivery_mode } = record {
            let tellask = *delivery_mode == DeliveryMode::TellaskCallStart;
            if tellask && call.name != ASK_HUMAN {
                self.tellask(dialog, call);
            } else {
                let fields = json!({ "callId": call.id, "name": call.name });
                self.json_line(Some(dialog), "tool_call", fields);
            }
        } else if let Some(reply) = record.reply() {
            if reply.call_name != ASK_HUMAN {
                let fields = json!({ "callId": reply.call, "status": reply.status });
                self.json_line(Some(dialog), "reply", fields);
            }
        } else if let Record::GenFinish { context_health, .. } = record {
            let outcome = if context_health.is_some() { "finished" } else { "stopped" };
            let fields = json!({ "course": at.course, "genseq": genseq, "outcome": outcome });
            self.json_line(Some(dialog), "gen_end", fields);
        }
    }

    fn course(&mut self, dialog: &DialogId, course: Course) {
        let Some(known) = self.known.get_mut(dialog) else { return };
        if known.course != course {
            known.course = course;
            self.json_line(Some(dialog), "course", json!({ "course": course }));
        }
    }

    fn retry(&mut self, dialog: &DialogId, retry: &RetryView) {
        let fields = match retry {
            RetryView::Waiting { error, seconds, server } => {
                self.print_line(dialog, &format!("{error}; retry in {seconds} s"));
                let error = error.to_string();
                json!({ "phase": "waiting", "seconds": seconds, "error": error, "server": server })
            }
            RetryView::Running => json!({ "phase": "running" }),
            RetryView::Resolved => json!({ "phase": "resolved" }),
            RetryView::Stopped => json!({ "phase": "stopped" }),
        };
        self.json_line(Some(dialog), "retry", fields);
    }

    fn problems(&mut self, problems: &[Problem]) {
        let fresh: Vec<Problem> =
            problems.iter().filter(|problem| !self.problems.contains(problem)).cloned().collect();
        for problem in fresh {
            let text = problem.to_string();
            self.json_line(None, "problem", json!({ "id": problem.id, "text": text }));
            self.note(&text);
        }
        self.problems = problems.to_vec();
    }

    /// The last line, with the halted dialogs, and with what goes on.
    fn quiet(&mut self, outcome: QuietOutcome) {
        let standing = std::mem::take(&mut self.halted);
        self.json_line(None, "quiet", Quiet::of(outcome, &standing, self.background.json()));
        let summary = run_result::summary(outcome, &standing);
        for sentence in summary.into_iter().chain(self.background.sentence()) {
            self.note(&sentence);
        }
    }

    pub(super) fn json_line(
        &mut self,
        dialog: Option<&DialogId>,
        event: &str,
        fields: impl Serialize,
    ) {
        let OutputMode::Json(_) = self.mode else { return };
        self.seq += 1;
        let mut line = serde_json::Map::new();
        line.insert("event".to_owned(), json!(event));
        line.insert("seq".to_owned(), json!(self.seq));
        if let Some(dialog) = dialog {
            line.insert("rootId".to_owned(), json!(dialog.root));
            line.insert("selfId".to_owned(), json!(dialog.this));
        }
        if let Ok(Value::Object(fields)) = serde_json::to_value(fields) {
            line.extend(fields);
        }
        output::json(&Value::Object(line));
    }

    /// Fresh-boots reasoning has no target.
    fn tellask(&mut self, dialog: &DialogId, call: &Call) {
        let to_itself = call.name == TellaskKind::FreshBoots.name();
        let target = (!to_itself).then(|| argument(&call.raw_arguments_text, "targetAgentId"));
        let action = target
            .as_ref()
            .map_or_else(|| "starts fresh-boots reasoning".to_owned(), |id| format!("asks @{id}"));
        let agent = self.agent(dialog);
        if let Some(stream) = &mut self.stream {
            let content = argument(&call.raw_arguments_text, "tellaskContent");
            stream.print_in_one_line(&format!("@{agent}  {action}: {}", headline(&content)));
        } else {
            self.print_line(dialog, &action);
        }
        let fields = json!({ "callId": call.id, "kind": call.name, "target": target });
        self.json_line(Some(dialog), "tellask", fields);
    }

    /// Prints only the id to standard output, for scripts.
    fn forked(&mut self, dialog: &DialogId, next: &AfterFork) {
        let fields = match next {
            AfterFork::DraftUserText { text, .. } => {
                json!({ "next": "draft_user_text", "text": text })
            }
            AfterFork::RestorePending => json!({ "next": "restore_pending" }),
            AfterFork::AutoContinue => json!({ "next": "auto_continue" }),
        };
        self.json_line(Some(dialog), "forked", fields);
        if !matches!(self.mode, OutputMode::Json(_)) {
            output::print(dialog.root.as_str());
            note_after_fork(dialog, next, self.scope);
        }
    }

    fn live(&mut self, dialog: &DialogId, segment: Segment, text: &str) {
        let agent = self.agent(dialog);
        match (&mut self.stream, segment) {
            (Some(stream), Segment::Saying) => stream.append(dialog, &agent, text),
            (Some(stream), Segment::Thinking) => stream.pause(dialog),
            (None, Segment::Saying) if self.mode == OutputMode::Json(Deltas::Printed) => {
                self.json_line(Some(dialog), "saying_delta", json!({ "text": text }));
            }
            (None, Segment::Saying | Segment::Thinking) => {}
        }
    }

    fn saying(&mut self, dialog: &DialogId, content: &str) {
        let agent = self.agent(dialog);
        if let Some(stream) = &mut self.stream {
            stream.finish_segment(dialog, &agent, content);
        } else {
            self.print_line(dialog, content);
        }
    }

    /// Prints a call; at a terminal with its arguments.
    fn tool_call(&mut self, dialog: &DialogId, call: &Call) {
        let agent = self.agent(dialog);
        if let Some(stream) = &mut self.stream {
            let (name, arguments) = (&call.name, &call.raw_arguments_text);
            stream.print_in_one_line(&format!("@{agent}  > {name} {arguments}"));
        } else {
            self.print_line(dialog, &format!("> {}", call.name));
        }
    }

    fn agent(&self, dialog: &DialogId) -> String {
        self.known.get(dialog).map_or("?", |known| known.agent.as_str()).to_owned()
    }

    fn print_line(&mut self, dialog: &DialogId, text: &str) {
        let line = format!("@{}  {text}", self.agent(dialog));
        if let Some(stream) = &mut self.stream {
            stream.print(&line);
        } else if self.mode == OutputMode::Report {
            output::print(&line);
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        if let Some(stream) = &mut self.stream {
            stream.note(text);
        } else if !matches!(self.mode, OutputMode::Json(_)) {
            output::note(text);
        }
    }
}

fn write(pieces: Vec<Output>) {
    for piece in pieces {
        match piece {
            Output::Text(text) => output::print_bytes(text.as_bytes()),
            Output::Note(text) => output::note(&text),
        }
    }
}

/// The running members.
fn status_text<'a>(known: impl Iterator<Item = &'a KnownDialog>) -> String {
    let running: Vec<String> =
        known.filter(|known| known.is_running).map(|known| format!("@{}", known.agent)).collect();
    match running.len() {
        0 => String::new(),
        1 => format!("{} is running", running.concat()),
        n => format!("{n} running: {}", running.join(", ")),
    }
}

/// Prints what happens next with a fork.
fn note_after_fork(dialog: &DialogId, next: &AfterFork, scope: DriveScope) {
    match next {
        AfterFork::DraftUserText { text, .. } => {
            output::note("it waits for your message; there it was:");
            output::note(text);
        }
        AfterFork::RestorePending => {
            output::note("it waits for an answer, or for its side dialogs");
        }
        AfterFork::AutoContinue if scope == DriveScope::Nothing => output::note(&format!(
            "it waits for nothing; `dominds-tui resume {}`, then `dominds-tui drive` continues it",
            dialog.root
        )),
        AfterFork::AutoContinue => output::note("it waits for nothing, and continues"),
    }
}

fn shown_state(state: &DisplayState) -> ShownState {
    let reason = match state {
        DisplayState::Stopped { reason, .. } => Some(json!(reason.message().to_string())),
        DisplayState::Blocked { reason } => Some(json!(reason)),
        DisplayState::Idle
        | DisplayState::Proceeding
        | DisplayState::Stopping { .. }
        | DisplayState::Dead { .. } => None,
    };
    ShownState { state: state.kind(), reason }
}

fn argument(raw: &str, key: &str) -> String {
    crate::domain::text::json::read::<Value>(raw)
        .ok()
        .and_then(|arguments| arguments.get(key)?.as_str().map(str::to_owned))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::stream::StatusLine;
    use super::*;
    use crate::domain::asking::question::{CallSite, Question};
    use crate::domain::{CallId, RootId, Stamp};

    fn printed(events: &[DriverEvent]) -> String {
        let stream = Some(TerminalStream::new(200, StatusLine::Hidden));
        let mut printer =
            Printer { stream, ..Printer::new(OutputMode::Report, DriveScope::Everything) };
        for event in events {
            printer.handle(event);
        }
        let Some(stream) = &mut printer.stream else { return String::new() };
        let pieces = stream.take().into_iter().map(|piece| match piece {
            Output::Text(text) | Output::Note(text) => text,
        });
        pieces.collect()
    }

    #[test]
    fn a_question_is_printed_without_marks() {
        let dialog = DialogId::main(RootId::new("aa/bb/1"));
        let content = "---\n## **Drop** the `*.log`?\nmore";
        let (course, call_site_genseq, extra) = (Course::FIRST, None, serde_json::Map::new());
        let site = CallSite { course, message_index: 0, call_site_genseq, extra };
        let at = Stamp::new("2026-11-21 12:01:00");
        let row = InboxRow {
            dialog: dialog.clone(),
            agent: "dba".into(),
            slug: None,
            taskdoc: String::new(),
            question: Question::new(&dialog, &CallId::new("q1"), content, at, site),
            blocks: Vec::new(),
            said: String::new(),
            inquiry: None,
            answers: BTreeMap::new(),
            work: None,
        };
        let asked = |headline: &str| DriverEvent::Asked {
            dialog: dialog.clone(),
            question: row.question.id.clone(),
            headline: headline.to_owned(),
        };
        let expected = format!("@?  ? Drop the *.log?  [{}]\n", row.question.id);
        let inbox = DriverEvent::Inbox(vec![row.clone()]);
        assert_eq!(printed(&[inbox, asked("---")]), expected);
        assert_eq!(printed(&[asked("## **Drop** the `*.log`?")]), expected);
    }
}
