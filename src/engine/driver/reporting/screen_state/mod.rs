//! The state behind the events of the screen: rows, inbox, problems, the text being written. Pure: reports
//! in, events out.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::asking::decisions::Resolution;
use crate::domain::asking::question::headline;
use crate::domain::dialogs::record::Record;
use crate::domain::teams::notices::NewsItem;
use crate::domain::{
    AgentId, Background, CallId, Clock, DialogId, DisplayState, Lang, Problem, Problems, RootId,
};
use crate::protocol::command::Ticket;
use crate::protocol::event::{ConsentView, DriverEvent, InboxRow, Segment, TreeRow, WorkspaceView};

use crate::store::Titles;

use super::changed_files::{ChangedFiles, FilePlaces, files_of};
use super::clients::{ClientId, Outboxes};
use super::failures::DialogFailures;
use super::reports::{DriverReport, Subscription, spool_origin};
use super::run_outcome::{self, IdleReport, PickUp, TreeResult};
use super::teams::TeamsState;

#[derive(Debug)]
pub struct ScreenState {
    workspace: WorkspaceView,
    consent: ConsentView,
    trees: BTreeMap<RootId, Vec<TreeRow>>,
    /// The titles that a person gave; a row has its own one only when it is sent.
    titles: Titles,
    /// A row has the number of its changed files only when it is sent, too, and whether its dialog retries.
    changed: ChangedFiles,
    inbox: BTreeMap<RootId, Vec<InboxRow>>,
    /// The loaded trees, and whether something of them is being driven.
    busy: BTreeMap<RootId, bool>,
    idle_reports: BTreeMap<RootId, IdleReport>,
    problems: Arc<Problems>,
    live: BTreeMap<DialogId, Vec<(Segment, String)>>,
    /// The last lines of commands that run.
    printed: BTreeMap<DialogId, BTreeMap<CallId, Vec<String>>>,
    processes: Vec<Background>,
    /// Which client sent an answer to a question that is still open, by the ticket of the answer.
    answering: BTreeMap<String, Ticket>,
    /// How a question that is still open is about to be closed.
    closing: BTreeMap<String, Resolution>,
    /// With its revision; `None` until it is known.
    news: Option<(u64, Arc<[NewsItem]>)>,
    failures: DialogFailures,
    /// What dialogs answered the person, by tree.
    answers: BTreeMap<RootId, Vec<NewsItem>>,
    clock: Arc<dyn Clock>,
    /// The person's language.
    lang: Lang,
    teams: TeamsState,
    /// The newest revision of the tasks, and the newest one for which all work was done.
    tasks_seen: u64,
    tasks_settled: u64,
    /// Counts of the marks of task trees: made, and handled.
    moved_seen: u64,
    moved_settled: u64,
    /// Tasks that have failed since the start.
    tasks_failed: u64,
    /// Which trees were to be driven.
    pick_up: PickUp,
    surveyed: bool,
}

impl ScreenState {
    pub fn new(
        problems: Arc<Problems>,
        pick_up: PickUp,
        (clock, lang): (Arc<dyn Clock>, Lang),
    ) -> Self {
        Self {
            workspace: WorkspaceView::default(),
            consent: ConsentView::default(),
            trees: BTreeMap::new(),
            titles: Titles::new(),
            changed: ChangedFiles::default(),
            inbox: BTreeMap::new(),
            busy: BTreeMap::new(),
            idle_reports: BTreeMap::new(),
            problems,
            live: BTreeMap::new(),
            printed: BTreeMap::new(),
            processes: Vec::new(),
            answering: BTreeMap::new(),
            closing: BTreeMap::new(),
            news: None,
            failures: DialogFailures::default(),
            answers: BTreeMap::new(),
            clock: clock.clone(),
            lang,
            teams: TeamsState::new(clock),
            tasks_seen: 0,
            tasks_settled: 0,
            moved_seen: 0,
            moved_settled: 0,
            tasks_failed: 0,
            pick_up,
            surveyed: false,
        }
    }

    /// Applies a report and pushes events for what changed.
    pub fn apply(&mut self, report: DriverReport, out: &mut Outboxes) {
        match report {
            DriverReport::Event(event) => self.forward(event, out),
            DriverReport::Workspace(view) => {
                self.workspace = view;
                out.push(DriverEvent::Workspace(self.workspace.clone()));
            }
            DriverReport::Tree { root, rows, inbox, answers } => {
                self.trees.insert(root.clone(), rows.clone());
                if self.surveyed {
                    for row in rows {
                        self.push_row(row, out);
                    }
                }
                self.set_answers(root.clone(), answers, out);
                self.set_inbox(root, inbox, out);
            }
            DriverReport::Row(row) => self.set_row(*row, out),
            DriverReport::Titles(titles) => self.set_titles(titles, out),
            DriverReport::ChangedFiles(files) => {
                for (dialog, files) in files {
                    self.add_changed(&dialog, files, out);
                }
            }
            DriverReport::Reviewed { root, ends } => {
                for dialog in self.changed.reviewed(&root, &ends) {
                    self.push_again(&dialog, out);
                }
            }
            DriverReport::Inbox { root, inbox } => self.set_inbox(root, inbox, out),
            DriverReport::Answers { root, answers } => self.set_answers(root, answers, out),
            DriverReport::Removed(root) => {
                for row in self.trees.remove(&root).unwrap_or_default() {
                    self.set_problems(&spool_origin(&row.dialog), Vec::new(), out);
                }
                let changed = self.failures.keep(|dialog| dialog.root != root);
                self.push_news_if(changed, out);
                self.changed.forget(&root);
                self.busy.remove(&root);
                self.idle_reports.remove(&root);
                self.set_problems(&tree_source(&root), Vec::new(), out);
                out.push(DriverEvent::Removed(DialogId::main(root.clone())));
                self.set_answers(root.clone(), Vec::new(), out);
                self.set_inbox(root, Vec::new(), out);
            }
            DriverReport::Idle { root, idle } => {
                if idle {
                    self.busy.insert(root.clone(), false);
                    self.report_quiet_tree(root, out);
                    self.report_quiet(out);
                } else {
                    self.busy.insert(root, true);
                }
            }
            DriverReport::IdleDetails { root, details } => {
                drop(self.idle_reports.insert(root, details));
            }
            DriverReport::EventFor(client, event) => out.push_to(client, *event),
            DriverReport::Watch { client, watch } => self.set_watch(client, watch, out),
            DriverReport::Answering { ticket, question } => {
                let _ = self.answering.insert(question, ticket);
            }
            DriverReport::Closing { question, how: Some(how) } => {
                let _ = self.closing.insert(question, how);
            }
            DriverReport::Closing { question, how: None } => drop(self.closing.remove(&question)),
            DriverReport::News { revision, items } => {
                if self.news.as_ref().is_none_or(|(known, _)| *known < revision) {
                    self.news = Some((revision, items));
                    out.push(self.all_news());
                }
            }
            DriverReport::LeftByRestart { dialog, cause } => {
                let by = (self.clock.as_ref(), self.lang);
                let agent = agent_of(&self.trees, &dialog);
                let changed = self.failures.waits_after_restart(&dialog, agent, cause, by);
                self.push_news_if(changed, out);
            }
            DriverReport::DismissFailures(ids) => {
                let changed = self.failures.dismiss(&ids);
                self.push_news_if(changed, out);
            }
            DriverReport::Tasks(view) => {
                for event in self.teams.set_tasks(&view) {
                    out.push(event);
                }
            }
            DriverReport::TasksSeen { revision } => {
                self.tasks_seen = self.tasks_seen.max(revision);
            }
            DriverReport::TreesMoved { count } => self.moved_seen = self.moved_seen.max(count),
            DriverReport::TasksSettled { revision, moved, failed } => {
                let was_settled = self.tasks_are_settled();
                self.tasks_settled = self.tasks_settled.max(revision);
                self.moved_settled = self.moved_settled.max(moved);
                self.tasks_failed = failed;
                if !was_settled {
                    self.report_quiet(out);
                }
            }
            DriverReport::Left(client) => out.remove(client),
            DriverReport::Problems { origin, problems } => {
                self.set_problems(&origin, problems, out);
            }
            DriverReport::Minds {
                problems,
                members,
                default_responder,
                models,
                has_memory,
                has_vault,
                has_prompts,
                consent,
                teams,
                triggers,
            } => {
                let now = WorkspaceView {
                    members,
                    default_responder,
                    models,
                    has_memory,
                    has_vault,
                    has_prompts,
                    ..self.workspace.clone()
                };
                self.set_workspace(now, out);
                if self.consent != consent {
                    self.consent = consent;
                    out.push(DriverEvent::Consent(self.consent.clone()));
                }
                for event in self.teams.set_teams(teams) {
                    out.push(event);
                }
                if let Some(event) = self.teams.set_definitions(triggers) {
                    out.push(event);
                }
                self.set_problems("minds", problems, out);
            }
            DriverReport::TreeProblems { root, problems } => {
                self.set_problems(&tree_source(&root), problems, out);
            }
            DriverReport::SurveyDone => {
                self.surveyed = true;
                self.push_all(out);
                self.push_news_if(!self.answers.is_empty(), out);
                self.report_quiet(out);
            }
            DriverReport::Refresh(client) => self.send_all(client, out),
        }
    }

    /// Everything that a client must know, as it is now.
    pub fn send_all(&self, client: ClientId, out: &mut Outboxes) {
        out.push_to(client, DriverEvent::Workspace(self.workspace.clone()));
        out.push_to(client, DriverEvent::Consent(self.consent.clone()));
        // Before the survey not all questions are known, and a missing one would pass for answered.
        if self.surveyed {
            for event in self.everything() {
                out.push_to(client, event);
            }
        }
        out.push_to(client, DriverEvent::Processes(self.processes.clone()));
        let has_items = self.failures.items().next().is_some() || !self.answers.is_empty();
        if self.news.is_some() || has_items {
            out.push_to(client, self.all_news());
        }
        for event in self.teams.everything() {
            out.push_to(client, event);
        }
    }

    /// Forwards an event to those who see its dialog, or to everybody.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are only passed on")]
    fn forward(&mut self, event: DriverEvent, out: &mut Outboxes) {
        match &event {
            DriverEvent::Live { dialog, segment, text } => {
                let dialog = dialog.clone();
                let written = self.live.entry(dialog.clone()).or_default();
                match written.last_mut() {
                    Some((same, before)) if same == segment => before.push_str(text),
                    Some(_) | None => written.push((*segment, text.clone())),
                }
                out.push_live(&dialog, event);
                if self.failures.answer_begins(&dialog) {
                    self.push_again(&dialog, out);
                }
            }
            DriverEvent::LiveEnd { dialog } => {
                self.live.remove(dialog);
                self.printed.remove(dialog);
                out.push_live(&dialog.clone(), event);
            }
            DriverEvent::Printed { dialog, call, lines } => {
                let calls = self.printed.entry(dialog.clone()).or_default();
                calls.insert(call.clone(), lines.clone());
                out.push_live(&dialog.clone(), event);
            }
            DriverEvent::Fact(fact) => {
                let files = files_of(fact.entry(), (fact.course(), fact.line()));
                self.add_changed(fact.dialog(), files, out);
                if is_written_text(&event) {
                    self.live.remove(fact.dialog());
                }
                out.push_record(&fact.dialog().clone(), event);
            }
            DriverEvent::ToolEnded { dialog, call, .. } => {
                if let Some(calls) = self.printed.get_mut(dialog) {
                    calls.remove(call);
                }
                out.push_record(&dialog.clone(), event);
            }
            DriverEvent::Processes(processes) => {
                self.processes.clone_from(processes);
                out.push(event);
            }
            DriverEvent::Refused { ticket, .. } => {
                self.answering.retain(|_, answer| answer != ticket);
                out.push(event);
            }
            DriverEvent::Retry { dialog, retry } => {
                let (dialog, was) = (dialog.clone(), self.failures.is_retried(dialog));
                let agent = agent_of(&self.trees, &dialog);
                let by = (self.clock.as_ref(), self.lang);
                let changed = self.failures.retry(&dialog, agent, retry, by);
                out.push(event);
                if self.failures.is_retried(&dialog) != was {
                    self.push_again(&dialog, out);
                }
                self.push_news_if(changed, out);
            }
            _ => out.push(event),
        }
    }

    fn set_row(&mut self, row: TreeRow, out: &mut Outboxes) {
        let rows = self.trees.entry(row.dialog.root.clone()).or_default();
        match rows.iter_mut().find(|old| old.dialog == row.dialog) {
            Some(old) if *old == row => return,
            Some(old) => *old = row.clone(),
            None => rows.push(row.clone()),
        }
        let changed = self.failures.moved(&row.dialog, &row.state);
        self.push_row(row, out);
        self.push_news_if(changed, out);
    }

    /// Failures of dialogs, their answers, and what the store has.
    fn all_news(&self) -> DriverEvent {
        let stored = self.news.iter().flat_map(|(_, items)| items.iter());
        let of_dialogs = self.failures.items().chain(self.answers.values().flatten());
        DriverEvent::News(of_dialogs.chain(stored).cloned().collect())
    }

    fn set_answers(&mut self, root: RootId, answers: Vec<NewsItem>, out: &mut Outboxes) {
        let before = self.answers.remove(&root).unwrap_or_default();
        let changed = before != answers;
        if !answers.is_empty() {
            self.answers.insert(root, answers);
        }
        self.push_news_if(changed && self.surveyed, out);
    }

    fn push_news_if(&self, changed: bool, out: &mut Outboxes) {
        if changed {
            out.push(self.all_news());
        }
    }

    fn push_row(&self, row: TreeRow, out: &mut Outboxes) {
        out.push(DriverEvent::Row(Box::new(self.complete(row))));
    }

    /// A dialog changed these files.
    fn add_changed(&mut self, dialog: &DialogId, files: FilePlaces, out: &mut Outboxes) {
        if self.changed.add(dialog, files) {
            self.push_again(dialog, out);
        }
    }

    /// Sends the row of a dialog as it is now.
    fn push_again(&self, dialog: &DialogId, out: &mut Outboxes) {
        let mut rows = self.trees.get(&dialog.root).into_iter().flatten();
        let row = rows.find(|row| row.dialog == *dialog).filter(|_| self.surveyed);
        if let Some(row) = row {
            self.push_row(row.clone(), out);
        }
    }

    /// The row with the title that a person gave, the number of files, and whether it retries.
    fn complete(&self, mut row: TreeRow) -> TreeRow {
        let works = row.state == DisplayState::Proceeding;
        row.retrying = works && self.failures.is_retried(&row.dialog);
        row.unreviewed = self.changed.count(&row.dialog);
        if let Some(title) = self.titles.get(&row.dialog) {
            row.title.clone_from(title);
        }
        row
    }

    /// Sends the rows whose titles changed.
    fn set_titles(&mut self, titles: Titles, out: &mut Outboxes) {
        let before = std::mem::replace(&mut self.titles, titles);
        if !self.surveyed {
            return;
        }
        let changed = |row: &&TreeRow| before.get(&row.dialog) != self.titles.get(&row.dialog);
        for row in self.trees.values().flatten().filter(changed) {
            self.push_row(row.clone(), out);
        }
    }

    fn set_inbox(&mut self, root: RootId, inbox: Vec<InboxRow>, out: &mut Outboxes) {
        let before = self.inbox.remove(&root).unwrap_or_default();
        if before == inbox {
            if !inbox.is_empty() {
                self.inbox.insert(root, inbox);
            }
            return;
        }
        let is_in = |rows: &[InboxRow], id: &str| rows.iter().any(|row| row.question.id == id);
        let asked: Vec<InboxRow> =
            inbox.iter().filter(|row| !is_in(&before, &row.question.id)).cloned().collect();
        let closed: Vec<&InboxRow> =
            before.iter().filter(|row| !is_in(&inbox, &row.question.id)).collect();
        if !inbox.is_empty() {
            self.inbox.insert(root, inbox.clone());
        }
        if !self.surveyed {
            return;
        }
        out.push(DriverEvent::Inbox(self.all_questions()));
        for row in asked {
            out.push(DriverEvent::Asked {
                dialog: row.dialog,
                headline: headline(&row.question.tellask_content).to_owned(),
                question: row.question.id,
            });
        }
        for row in closed {
            self.push_closed(row, out);
        }
    }

    /// A question left the inbox. The client that answered it knows that itself.
    fn push_closed(&mut self, row: &InboxRow, out: &mut Outboxes) {
        let how = self.closing.remove(&row.question.id).unwrap_or(Resolution::Expired);
        let answered = |by| DriverEvent::Answered {
            how,
            dialog: row.dialog.clone(),
            question: row.question.id.clone(),
            headline: headline(&row.question.tellask_content).to_owned(),
            by,
        };
        let Some(answer) = self.answering.remove(&row.question.id) else {
            return out.push(answered(None));
        };
        let client = ClientId::of(answer);
        let name = out.name(client).filter(|name| !name.is_empty()).map(str::to_owned);
        out.push_to_others(client, &answered(name));
        out.push_to(client, answered(None));
    }

    fn set_problems(&mut self, source: &str, problems: Vec<Problem>, out: &mut Outboxes) {
        let mut book = self.problems.book();
        if book.take(source, problems) {
            out.push(DriverEvent::Problems(book.open()));
        }
    }

    fn set_workspace(&mut self, now: WorkspaceView, out: &mut Outboxes) {
        if now != self.workspace {
            self.workspace = now;
            out.push(DriverEvent::Workspace(self.workspace.clone()));
        }
    }

    fn set_watch(&mut self, client: ClientId, watch: Subscription, out: &mut Outboxes) {
        let shown = match &watch {
            Subscription::Dialog(dialog) => Some(dialog.clone()),
            Subscription::NoDialog | Subscription::AllRecords | Subscription::AllRecordsAndText => {
                None
            }
        };
        if !out.watch(client, watch) {
            return;
        }
        let Some(dialog) = shown else { return };
        for (segment, text) in self.live.get(&dialog).into_iter().flatten() {
            let (segment, text) = (*segment, text.clone());
            out.push_to(client, DriverEvent::Live { dialog: dialog.clone(), segment, text });
        }
        for (call, lines) in self.printed.get(&dialog).into_iter().flatten() {
            let (call, lines) = (call.clone(), lines.clone());
            out.push_to(client, DriverEvent::Printed { dialog: dialog.clone(), call, lines });
        }
    }

    fn push_all(&self, out: &mut Outboxes) {
        for event in self.everything() {
            out.push(event);
        }
    }

    fn everything(&self) -> [DriverEvent; 3] {
        [
            DriverEvent::Rows(self.all_rows()),
            DriverEvent::Inbox(self.all_questions()),
            DriverEvent::Problems(self.problems.book().open()),
        ]
    }

    /// Rows of all trees, the oldest tree first, in order of creation within each tree.
    fn all_rows(&self) -> Vec<TreeRow> {
        let mut trees: Vec<&Vec<TreeRow>> = self.trees.values().collect();
        trees.sort_by_key(|rows| rows.first().map(|row| (&row.created_at, &row.dialog)));
        trees.into_iter().flatten().cloned().map(|row| self.complete(row)).collect()
    }

    fn all_questions(&self) -> Vec<InboxRow> {
        let mut rows: Vec<InboxRow> = self.inbox.values().flatten().cloned().collect();
        for row in &mut rows {
            row.work = self.teams.work_of(&row.dialog.root);
        }
        rows.sort_unstable_by(|a, b| {
            (&a.question.asked_at, &a.question.id).cmp(&(&b.question.asked_at, &b.question.id))
        });
        rows
    }

    fn tasks_are_settled(&self) -> bool {
        self.tasks_settled >= self.tasks_seen && self.moved_settled >= self.moved_seen
    }

    fn report_quiet(&self, out: &mut Outboxes) {
        if self.surveyed && self.tasks_are_settled() && !self.busy.values().any(|busy| *busy) {
            let run = run_outcome::run_outcome(self.loaded_trees(), self.unloaded_rows());
            let run = run.with_failed_tasks(self.tasks_failed);
            if !run.halted.is_empty() {
                out.push(DriverEvent::Halted(run.halted));
            }
            out.push(DriverEvent::Quiet(run.outcome));
        }
    }

    /// Tells scripts, which may wait for this tree alone.
    fn report_quiet_tree(&self, root: RootId, out: &mut Outboxes) {
        let run =
            run_outcome::run_outcome(std::iter::once(self.loaded_tree(&root)), std::iter::empty());
        let (outcome, halted) = (run.outcome, run.halted);
        out.push_to_scripts(DriverEvent::TreeQuiet { root, outcome, halted });
    }

    /// Rows of trees that were to be driven, but in which nothing could continue. What may only be read was not.
    fn unloaded_rows(&self) -> impl Iterator<Item = &TreeRow> {
        let trees = self.trees.iter().filter(|(root, _)| !self.busy.contains_key(*root));
        let rows = trees.filter(|_| self.pick_up.is_all()).flat_map(|(_, rows)| rows);
        rows.filter(|row| row.foreign().is_none())
    }

    /// The state of the loaded trees.
    fn loaded_trees(&self) -> impl Iterator<Item = TreeResult<'_>> {
        self.busy.keys().map(|root| self.loaded_tree(root))
    }

    fn loaded_tree(&self, root: &RootId) -> TreeResult<'_> {
        static NOTHING: IdleReport = IdleReport::EMPTY;
        TreeResult {
            rows: self.trees.get(root).map_or(&[][..], Vec::as_slice),
            has_question: self.inbox.contains_key(root),
            idle: self.idle_reports.get(root).unwrap_or(&NOTHING),
        }
    }
}

/// The source name of a tree's problems.
fn tree_source(root: &RootId) -> String {
    format!("tree/{root}")
}

/// True for the records that replace live text.
fn is_written_text(event: &DriverEvent) -> bool {
    let DriverEvent::Fact(fact) = event else { return false };
    matches!(fact.entry().record, Record::Thought { .. } | Record::Words { .. })
}

/// The member of a dialog, if known.
fn agent_of<'a>(
    trees: &'a BTreeMap<RootId, Vec<TreeRow>>,
    dialog: &DialogId,
) -> Option<&'a AgentId> {
    let mut rows = trees.get(&dialog.root).into_iter().flatten();
    rows.find(|row| row.dialog == *dialog).map(|row| &row.agent)
}

#[cfg(test)]
mod tests;
