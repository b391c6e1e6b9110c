//! The supervisor task: routes commands to tree tasks, loads trees on demand, ends them all.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::MissedTickBehavior;
use tracing::Instrument as _;

use crate::domain::latest::StopReason;
use crate::domain::tree::{Bucket, DialogTree};
use crate::domain::{AgentId, Course, DialogId, DialogMeta, Latest, RootId, SelfId, TreeChange};
use crate::driver::reporting::reports::{DriverReport, ReportSender, Subscription};
use crate::driver::shared::blocking::{BlockingThread, blocking};
use crate::driver::shared::config_problems::minds_report;
use crate::driver::shared::engine::Engine;
use crate::driver::steps::draft::Draft;
use crate::driver::tree::task::TreeTask;
use crate::driver::tree::user_requests::{ContinueOutcome, TreeRequest};
use crate::minds::{MindsStamp, taskdoc};
use crate::protocol::Refusal;
use crate::protocol::command::{Command, Ticket};
use crate::protocol::event::DriverEvent;
use crate::store::{LoadedTree, StoreError};
use crate::tools::guard::create_taskdoc;

use super::listing::{listing_report, needs_loading, read_page, taskdoc_problems, workspace_view};
use super::minds::MINDS_POLL_INTERVAL;

/// Queued requests of one tree; the supervisor waits while it is full, the screen does not.
const MAILBOX_DEPTH: usize = 64;

#[derive(Debug)]
pub struct Supervisor {
    pub(super) engine: Arc<Engine>,
    reports: ReportSender,
    commands: mpsc::Receiver<Command>,
    pub(super) trees: BTreeMap<RootId, mpsc::Sender<TreeRequest>>,
    pub(super) tasks: JoinSet<RootId>,
    /// Load every tree that can continue, not only those named in commands.
    pub(super) pick_up: bool,
    /// Records and live text of one dialog are sent; false: records of all dialogs, for a script.
    one_dialog_only: bool,
    /// The stamp of `.minds` when it was reported last.
    pub(super) minds_stamp: Option<MindsStamp>,
}

impl Supervisor {
    pub fn new(
        engine: Arc<Engine>,
        reports: ReportSender,
        commands: mpsc::Receiver<Command>,
        pick_up: bool,
        watches_one: bool,
    ) -> Self {
        let (trees, tasks) = (BTreeMap::new(), JoinSet::new());
        let minds_stamp = None;
        Self {
            engine,
            reports,
            commands,
            trees,
            tasks,
            pick_up,
            one_dialog_only: watches_one,
            minds_stamp,
        }
    }

    pub async fn run(mut self) {
        let saving = self.initial_survey().await;
        let mut grace = Duration::from_secs(3);
        let mut minds_poll = tokio::time::interval(MINDS_POLL_INTERVAL);
        minds_poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut processes = self.engine.shells.changes();
        self.send_processes().await;
        loop {
            tokio::select! {
                command = self.commands.recv() => match command {
                    Some(Command::Shutdown { grace: given }) => {
                        grace = given;
                        break;
                    }
                    Some(command) => self.handle_command(command).await,
                    None => break,
                },
                Ok(()) = processes.changed() => self.send_processes().await,
                Some(ended) = self.tasks.join_next() => self.tree_ended(ended).await,
                _ = minds_poll.tick(), if self.one_dialog_only => self.check_minds().await,
            }
        }
        self.trees.clear();
        let all_ended = async {
            while self.tasks.join_next().await.is_some() {}
            if let Some(saving) = saving {
                let _ = saving.await;
            }
        };
        if tokio::time::timeout(grace, all_ended).await.is_err() {
            tracing::warn!("some drives did not settle in time; their state is on disk");
            self.tasks.shutdown().await;
        }
        self.engine.sources.close().await;
        self.engine.log.log_totals();
    }

    /// Reports the initial state and loads trees that can continue.
    ///
    /// A long list of dialogs is cached on disk in the background, to speed up the next start.
    async fn initial_survey(&mut self) -> Option<JoinHandle<()>> {
        let engine = self.engine.clone();
        let surveyed = blocking(move |on| {
            let survey = engine.store.survey_and_set_aside(Bucket::Run);
            let minds_stamp = engine.configuration.stamp(on);
            let minds = engine.minds(on);
            engine.driving.set_awaits_consent(!engine.trust.waiting(&minds).is_empty());
            let view = workspace_view(&engine, &minds, &survey);
            let taskdocs = taskdoc_problems(&engine, &survey);
            let report = minds_report(&engine, &minds, on);
            (survey, minds_stamp, minds, view, taskdocs, report)
        });
        let Ok((survey, minds_stamp, minds, view, taskdocs, report)) = surveyed.await else {
            return None;
        };
        let should_save = survey.is_worth_indexing();
        self.minds_stamp = Some(minds_stamp);
        self.report(DriverReport::Problems { origin: "taskdocs", problems: taskdocs }).await;
        self.report(DriverReport::Workspace(view)).await;
        self.report(report).await;
        let problems = survey.problems.clone();
        self.report(DriverReport::Problems { origin: "workspace", problems }).await;
        let mut waiting = Vec::new();
        for listing in survey.trees {
            let root = listing.root.clone();
            if self.may_pick_up() && needs_loading(&listing) {
                waiting.push(root.clone());
            }
            self.report(listing_report(&listing, &minds)).await;
        }
        self.pick_up(waiting).await;
        self.report(DriverReport::SurveyDone).await;
        let engine = self.engine.clone();
        should_save.then(|| tokio::task::spawn_blocking(move || save_list(&engine)))
    }

    /// False while something waits for consent: then nothing is loaded without a command.
    pub(super) fn may_pick_up(&self) -> bool {
        self.pick_up && !self.engine.driving.awaits_consent()
    }

    /// Loads trees that can continue.
    pub(super) async fn pick_up(&mut self, roots: Vec<RootId>) {
        for root in roots {
            self.report(DriverReport::Idle { root: root.clone(), idle: false }).await;
            if let Err(error) = self.ensure_loaded(&root).await {
                self.send_event(DriverEvent::Notice(error.to_string())).await;
                self.report(DriverReport::Idle { root, idle: true }).await;
            }
        }
    }

    async fn handle_command(&mut self, command: Command) {
        match command {
            Command::Open { ticket, dialog, course } => self.open(ticket, dialog, course).await,
            Command::Page { ticket, dialog, course, before } => {
                self.page(ticket, dialog, Some(course), Some(before)).await;
            }
            Command::Close => {
                if self.one_dialog_only {
                    self.report(DriverReport::Watch(Subscription::NoDialog)).await;
                }
            }
            Command::Create { ticket, agent, taskdoc, text } => {
                self.create(ticket, &agent, &taskdoc, text).await;
            }
            Command::Say { ticket, dialog, text } => {
                let this = dialog.this.clone();
                self.forward(
                    Some(ticket),
                    &dialog,
                    TreeRequest::Say { ticket, dialog: this, text },
                )
                .await;
            }
            Command::TakeBack { ticket, dialog, message } => {
                let this = dialog.this.clone();
                let request = TreeRequest::TakeBack { ticket, dialog: this, message };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::Answer { ticket, dialog, question, text } => {
                let this = dialog.this.clone();
                let request = TreeRequest::Answer { ticket, dialog: this, question, text };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::Stop { dialog } => {
                if self.trees.contains_key(&dialog.root) {
                    let request = TreeRequest::Stop { dialog: dialog.this.clone() };
                    self.forward(None, &dialog, request).await;
                }
            }
            Command::RetryNow { dialog } => {
                if self.trees.contains_key(&dialog.root) {
                    let request = TreeRequest::RetryNow { dialog: dialog.this.clone() };
                    self.forward(None, &dialog, request).await;
                }
            }
            Command::StopAll => self.stop_all().await,
            Command::Continue { ticket, dialog } => {
                let request = TreeRequest::Continue { ticket, dialog: dialog.this.clone() };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::KeepGoing { ticket, dialog, switch } => {
                let this = dialog.this.clone();
                let request = TreeRequest::KeepGoing { ticket, dialog: this, switch };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::Withdraw { ticket, dialog } => {
                let request = TreeRequest::Withdraw { ticket, dialog: dialog.this.clone() };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Command::ContinueAll { ticket } => self.continue_all(ticket).await,
            Command::Lifecycle { ticket, change } => self.change_lifecycle(ticket, change).await,
            Command::Shelf { ticket } => self.list_shelf(ticket).await,
            Command::Agree { ticket, digests, level } => self.agree(ticket, digests, level).await,
            Command::CheckConsent => self.report_consent().await,
            Command::Sheet { ticket, dialog, request } => self.sheet(ticket, dialog, request).await,
            Command::StopProcess { ticket, pid } => self.stop_process(ticket, pid).await,
            Command::Refresh => {
                self.report(DriverReport::Refresh).await;
                self.send_processes().await;
            }
            Command::Shutdown { .. } => {}
        }
    }

    /// Sends a request to its tree, loading it first; on an error the command is refused.
    pub(super) async fn forward(
        &mut self,
        ticket: Option<Ticket>,
        dialog: &DialogId,
        request: TreeRequest,
    ) {
        if let Err(error) = self.try_forward(&dialog.root, request).await
            && let Some(ticket) = ticket
        {
            self.send_event(DriverEvent::Refused { ticket, text: error.to_string() }).await;
        }
    }

    pub(super) async fn try_forward(
        &mut self,
        root: &RootId,
        request: TreeRequest,
    ) -> Result<(), StoreError> {
        let busy = DriverReport::Idle { root: root.clone(), idle: false };
        if let Some(mailbox) = self.trees.get(root).cloned() {
            self.report(busy).await;
            let _ = mailbox.send(request).await;
        } else {
            let loaded = self.load(root).await?;
            self.report(busy).await;
            self.spawn_tree(loaded.tree, loaded.repairs, Some(request));
        }
        Ok(())
    }

    async fn stop_all(&mut self) {
        let reason =
            if self.one_dialog_only { StopReason::EmergencyStop } else { StopReason::UserStop };
        for mailbox in self.trees.values() {
            let _ = mailbox.send(TreeRequest::StopAll { reason: reason.clone() }).await;
        }
    }

    async fn continue_all(&mut self, ticket: Ticket) {
        let engine = self.engine.clone();
        let survey = tokio::task::spawn_blocking(move || engine.store.survey(&[Bucket::Run])).await;
        let listed = survey.map(|survey| survey.trees).unwrap_or_default();
        let stopped = listed
            .into_iter()
            .filter(|tree| tree.dialogs.iter().any(|d| d.latest.marked().is_some()))
            .map(|tree| tree.root);
        let mut outcome = ContinueOutcome::default();
        for root in stopped {
            let (reply, continued) = oneshot::channel();
            let request = TreeRequest::ContinueAll { reply };
            if let Err(error) = self.try_forward(&root, request).await {
                outcome.refused.push(format!("{root}: {error}"));
            } else if let Ok(continued) = continued.await {
                outcome.add(continued);
            }
        }
        if outcome == ContinueOutcome::default() {
            let text = Refusal::NothingIsStopped.into();
            self.send_event(DriverEvent::Refused { ticket, text }).await;
        } else if outcome.dialogs == 0 {
            self.send_event(DriverEvent::Refused { ticket, text: outcome.sentence() }).await;
        } else {
            // With driving off nothing continues yet.
            if self.engine.driving.is_on() || !outcome.refused.is_empty() {
                self.send_event(DriverEvent::Notice(outcome.sentence())).await;
            }
            self.send_event(DriverEvent::Done { ticket, dialog: None }).await;
        }
    }

    // --- trees --------------------------------------------------------------------------------

    /// Loads a tree, so that its dialogs continue where they can.
    pub(super) async fn ensure_loaded(&mut self, root: &RootId) -> Result<(), StoreError> {
        if !self.trees.contains_key(root) {
            let loaded = self.load(root).await?;
            self.spawn_tree(loaded.tree, loaded.repairs, None);
        }
        Ok(())
    }

    async fn load(&self, root: &RootId) -> Result<LoadedTree, StoreError> {
        let (engine, id) = (self.engine.clone(), root.clone());
        let loaded = tokio::task::spawn_blocking(move || engine.store.load(Bucket::Run, &id))
            .await
            .unwrap_or_else(|error| Err(StoreError::interrupted(&error.to_string())));
        match &loaded {
            Ok(loaded) => {
                for problem in &loaded.problems {
                    self.send_event(DriverEvent::Notice(problem.to_string())).await;
                }
            }
            Err(error) => {
                tracing::warn!(%root, %error, "could not load a tree");
                if matches!(error, StoreError::Damaged(_)) {
                    self.report(DriverReport::Removed(root.clone())).await;
                }
            }
        }
        loaded
    }

    /// `first` is in the mailbox before the task starts, so the tree is not reported idle in between.
    fn spawn_tree(
        &mut self,
        tree: DialogTree,
        repairs: Vec<TreeChange>,
        first: Option<TreeRequest>,
    ) {
        let root = tree.root.clone();
        let (mailbox, requests) = mpsc::channel(MAILBOX_DEPTH);
        if let Some(first) = first {
            let _ = mailbox.try_send(first);
        }
        let task = TreeTask::new(self.engine.clone(), tree, self.reports.clone(), requests);
        let span = tracing::info_span!("tree", %root);
        self.tasks.spawn(task.run(repairs).instrument(span));
        self.trees.insert(root, mailbox);
    }

    pub(super) async fn tree_ended(&mut self, ended: Result<RootId, tokio::task::JoinError>) {
        match ended {
            Ok(root) => drop(self.trees.remove(&root)),
            Err(error) => {
                tracing::error!(%error, "a tree task broke");
                self.trees.retain(|_, mailbox| !mailbox.is_closed());
                let text = "internal error: a dialog tree was closed; open it again".to_owned();
                self.send_event(DriverEvent::Notice(text)).await;
            }
        }
    }

    async fn create(&mut self, ticket: Ticket, agent: &AgentId, taskdoc: &str, text: String) {
        match self.new_tree(agent, taskdoc).await {
            Ok(tree) => {
                let dialog = DialogId::main(tree.root.clone());
                self.spawn_tree(tree, Vec::new(), None);
                let request = TreeRequest::Say { ticket, dialog: dialog.this.clone(), text };
                self.forward(Some(ticket), &dialog, request).await;
            }
            Err(text) => self.send_event(DriverEvent::Refused { ticket, text }).await,
        }
    }

    async fn new_tree(&self, agent: &AgentId, path: &str) -> Result<DialogTree, String> {
        let (engine, agent, path) = (self.engine.clone(), agent.clone(), path.to_owned());
        let made = blocking(move |on| make_tree(&engine, &agent, &path, on));
        made.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    // --- reading ------------------------------------------------------------------------------

    async fn open(&mut self, ticket: Ticket, dialog: DialogId, course: Option<Course>) {
        if self.one_dialog_only {
            self.report(DriverReport::Watch(Subscription::Dialog(dialog.clone()))).await;
        }
        self.page(ticket, dialog, course, None).await;
    }

    async fn page(
        &mut self,
        ticket: Ticket,
        dialog: DialogId,
        course: Option<Course>,
        before: Option<usize>,
    ) {
        let engine = self.engine.clone();
        let page_read =
            tokio::task::spawn_blocking(move || read_page(&engine, dialog, course, before));
        let event = match page_read.await {
            Ok(Ok(page)) => DriverEvent::Page { ticket, page: Box::new(page) },
            Ok(Err(error)) => DriverEvent::Refused { ticket, text: error.to_string() },
            Err(error) => DriverEvent::Refused { ticket, text: error.to_string() },
        };
        self.send_event(event).await;
    }

    pub(super) async fn send_event(&self, event: DriverEvent) {
        self.report(DriverReport::Event(event)).await;
    }

    pub(super) async fn report(&self, report: DriverReport) {
        let _ = self.reports.send(report).await;
    }
}

/// An error only makes the next start slower.
fn save_list(engine: &Engine) {
    if let Err(error) = engine.store.write_list_index() {
        tracing::warn!(%error, "the list of dialogs is not cached");
    }
}

/// Writes a tree with one main dialog.
fn make_tree(
    engine: &Engine,
    agent: &AgentId,
    path: &str,
    on: &BlockingThread,
) -> Result<DialogTree, String> {
    let minds = engine.minds(on);
    let member = minds.member(agent).ok_or_else(|| {
        let known: Vec<&str> = minds.team().visible().map(|m| m.id.as_str()).collect();
        format!("there is no member @{agent}; known: {}", known.join(", "))
    })?;
    minds.model_of(member, engine.env).map_err(|problem| problem.to_string())?;
    taskdoc::validate_path(path)?;
    create_taskdoc(&engine.workspace, path)?;
    let now = engine.clock.now();
    let id = unused_root(engine, on);
    let push = i64::from(member.diligence_push_max);
    let mut latest = Latest::new(now.clone());
    latest.disable_diligence_push = Some(push <= 0);
    latest.diligence_push_remaining_budget = Some(push.max(0));
    let meta = DialogMeta {
        id: id.clone(),
        agent_id: agent.clone(),
        task_doc_path: path.to_owned(),
        created_at: now.clone(),
        session_slug: None,
        extra: serde_json::Map::new(),
    };
    let empty = DialogTree::new(RootId::new(id.as_str()), Bucket::Run);
    let mut draft = Draft::new(&empty, now, engine.ids.clone());
    draft.set_durable();
    draft.create(meta, latest, Vec::new());
    let (tree, batch) = draft.finish();
    let written = engine.store.commit(batch).map_err(|error| error.to_string())?;
    written.sync().map_err(|error| error.to_string())?;
    Ok(tree)
}

pub(super) fn unused_root(engine: &Engine, _on: &BlockingThread) -> SelfId {
    loop {
        let id = engine.ids.dialog();
        if engine.store.find(&RootId::new(id.as_str())).is_none() {
            return id;
        }
    }
}
