//! The tree task: one per loaded main dialog. It owns all state of that tree and alone may commit.
//!
//! It waits on its mailbox (requests of the user) and its drives (their requests and their ends); it handles
//! one at a time, so every step is atomic. It may block on the disk (briefly) and on the pump (which always
//! receives). After each step it starts drives for the dialogs that can continue by themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tracing::Instrument as _;

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::state::{NextStep, next_step};
use crate::domain::dialogs::tree::{DialogTree, TreeChange};
use crate::domain::text::{Text, localized};
use crate::domain::{Dialog, Problem, RootId, SelfId, UnfinishedAnswer};
use crate::driver::drive::drives::{DriveHandles, DriveMessage};
use crate::driver::drive::task::Drive;
use crate::driver::lifecycle::recovery;
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::engine::Engine;
use crate::driver::steps::stop::mark_stopped;
use crate::store::StoreError;
use crate::tools::CLEAR_MIND;

use super::state::TreeState;
use super::user_requests::TreeRequest;

#[derive(Debug)]
pub struct TreeTask {
    state: TreeState,
    mailbox: mpsc::Receiver<TreeRequest>,
    /// It was loaded for a request alone: nothing is driven before one was accepted.
    awaits_request: bool,
}

impl TreeTask {
    pub fn new(
        engine: Arc<Engine>,
        tree: DialogTree,
        reports: ReportSender,
        mailbox: mpsc::Receiver<TreeRequest>,
        awaits_request: bool,
    ) -> Self {
        Self { state: TreeState::new(engine, tree, reports), mailbox, awaits_request }
    }

    /// Runs until it is closed and its drives have ended.
    ///
    /// `repairs`: changes to index files that disagree with the courses, to be written first.
    pub async fn run(mut self, repairs: Vec<TreeChange>) -> RootId {
        self.state.keep_going = self.state.load_policy().await.keep_going;
        self.recover(repairs).await;
        self.state.report_loaded().await;
        self.schedule(true).await;
        loop {
            let mut happened = true;
            // Requests of the user first; the fixed order makes runs reproducible.
            tokio::select! {
                biased;
                request = self.mailbox.recv(), if !self.state.closing => match request {
                    Some(request) => {
                        happened = !request.only_looks();
                        let is_accepted = self.state.handle_request(request).await;
                        self.awaits_request &= !is_accepted;
                    }
                    None => self.state.close(),
                },
                message = self.state.drives.next() => self.handle_drive(message).await,
                Ok(()) = self.state.processes.changed(), if !self.state.awaited.is_empty() => {
                    happened = false;
                }
            }
            happened |= self.state.wake_by_processes().await;
            if self.state.closing && self.state.drives.is_empty() {
                return self.state.tree().root.clone();
            }
            self.schedule(happened).await;
        }
    }

    /// Repairs the state after a crash or changes by another program.
    async fn recover(&mut self, repairs: Vec<TreeChange>) {
        let unfinished = self.unfinished_answers().await;
        let mut draft = self.state.draft();
        for change in repairs {
            draft.add_applied(change);
        }
        let texts = self.state.engine.texts();
        recovery::recover(&mut draft, unfinished.as_ref().unwrap_or(&BTreeMap::new()), texts);
        self.state.wake_askers(&mut draft);
        let main = self.state.tree().root.main();
        let steps: Vec<TreeChange> = draft.drafted_changes().cloned().collect();
        if self.state.commit_or_stop(&main, draft).await {
            for step in &steps {
                self.state.engine.log.repair(&self.state.tree().root, step);
            }
            if unfinished.is_some() {
                self.remove_spools().await;
            }
        }
    }

    /// The unfinished answers that a killed process left; `None` if they cannot be read, and have to stay.
    async fn unfinished_answers(&mut self) -> Option<BTreeMap<SelfId, UnfinishedAnswer>> {
        let (store, root) = (self.state.engine.store.clone(), self.state.tree().root.clone());
        let read = blocking(move |_| store.unfinished_answers(&root)).await;
        match read.map_err(|error| StoreError::interrupted(&error.to_string())).flatten() {
            Ok(found) => Some(found),
            Err(error) => {
                tracing::warn!(%error, "what is left of running answers cannot be read");
                self.state.unread_spools = Some(unread_spools(&self.state.tree().root, &error));
                None
            }
        }
    }

    async fn remove_spools(&self) {
        let (store, root) = (self.state.engine.store.clone(), self.state.tree().root.clone());
        if let Err(error) = blocking(move |_| store.own_files().remove_spools(&root)).await {
            // Nothing is lost: the generations are closed now, and nothing more is recorded of them.
            tracing::warn!(%error, "spools of recorded answers stay");
        }
    }

    /// Starts a drive for every dialog that can continue by itself, and reports whether all are idle. `happened`:
    /// something may have changed; without it, each look of the dispatcher would cause another one.
    async fn schedule(&mut self, happened: bool) {
        self.state.release_asking_back().await;
        if self.state.engine.driving.is_on() && !self.state.closing && !self.awaits_request {
            let ids: Vec<SelfId> = self.state.tree().dialogs.keys().cloned().collect();
            for id in ids {
                self.start_drive(&id).await;
            }
        }
        let (root, idle) =
            (self.state.tree().root.clone(), self.state.is_idle() && self.mailbox.is_empty());
        if happened && self.state.task().is_some() {
            let count = self.state.engine.changed_trees.mark(&root);
            // Reported before the tree's rest: until the dispatcher has looked, there may be more to do.
            let _ = self.state.reports.send(DriverReport::TreesMoved { count }).await;
        }
        if idle {
            let details = self.state.idle_report();
            let _ = self
                .state
                .reports
                .send(DriverReport::IdleDetails { root: root.clone(), details })
                .await;
        }
        let _ = self.state.reports.send(DriverReport::Idle { root, idle }).await;
    }

    async fn start_drive(&mut self, id: &SelfId) {
        if self.state.is_unwritable(id) {
            return;
        }
        if self.state.tree().get(id).is_none_or(|dialog| {
            next_step(dialog).is_none_or(|step| self.starts_after_round(dialog, step))
        }) {
            return;
        }
        let state = &mut self.state;
        let dialog = state.tree().id(id);
        let span = tracing::info_span!("drive", %dialog);
        let (reports, engine) = (state.reports.clone(), state.engine.clone());
        let started = state.drives.start(id, |DriveHandles { port, stop, retry_now }| {
            let drive = Drive {
                dialog,
                port,
                stop,
                retry_now,
                reports,
                ids: engine.ids.clone(),
                spools: engine.store.own_files().spools(),
                texts: engine.texts(),
                sources: engine.sources.clone(),
                log: engine.log.clone(),
            };
            drive.run().instrument(span)
        });
        if started {
            state.report_row(id).await;
        }
    }

    /// True for an assignment whose asker is about to clear its mind in the same round: it starts after that
    /// round.
    fn starts_after_round(&self, dialog: &Dialog, step: NextStep) -> bool {
        let asker = dialog.asker().and_then(|asker| self.state.tree().get(asker));
        step == NextStep::StartAssignment
            && asker.is_some_and(|asker| {
                asker.history.open_calls().any(|(_, call)| call.name == CLEAR_MIND)
            })
    }

    async fn handle_drive(&mut self, message: DriveMessage) {
        match message {
            DriveMessage::Request(request) => self.state.handle_drive_request(request).await,
            DriveMessage::Ended(id, stop_reason) => {
                self.state.prepared.remove(&id);
                self.state.asking_back.remove(&id);
                self.record_idle_state(&id, stop_reason).await;
                self.state.release_tools_if_done(&id).await;
            }
            DriveMessage::Panicked => self.recover_panicked_drives().await,
        }
    }

    /// Writes the state of a dialog that became idle.
    async fn record_idle_state(&mut self, id: &SelfId, stop_reason: Option<StopReason>) {
        let mut draft = self.state.draft();
        let is_unfinished = self.state.tree().get(id).is_some_and(|dialog| {
            let last = &dialog.history.last;
            // The end of a generation is missing if it could not be written.
            let is_cut_off = last.open && !last.delivered;
            (is_cut_off || next_step(dialog).is_some()) && dialog.latest.interruption().is_none()
        });
        if let (Some(reason), true) = (stop_reason, is_unfinished) {
            mark_stopped(&mut draft, id, reason);
        }
        let shown = draft.dialog(id).map(|dialog| derive(dialog, Activity::Resting));
        draft.edit_latest(id, |latest| latest.display_state = shown);
        self.state.commit_or_stop(id, draft).await;
        self.state.report_row(id).await;
    }

    async fn recover_panicked_drives(&mut self) {
        let reason = drive_panicked();
        for id in self.state.drives.end_all(&reason).await {
            self.state.prepared.remove(&id);
            self.state.asking_back.remove(&id);
            let mut draft = self.state.draft();
            mark_stopped(&mut draft, &id, reason.clone());
            self.state.commit_or_stop(&id, draft).await;
        }
    }
}

/// What they hold is not recorded once their generations are closed, so a person is told where it is.
fn unread_spools(root: &RootId, error: &StoreError) -> Problem {
    let error = error.message();
    let text = localized!([error]
        "the answers that {root} was receiving when the program was killed are not shown: {error}",
        "{root} 在程序被终止时正在接收的回应未能显示：{error}"
    );
    let fix = Text::new(
        "the files stay there: look at them, and remove them",
        "文件仍保留在那里：请查看后将其删除",
    );
    Problem::new(format!("store/unread-spool/{root}"), ".dialogs/.tui/spool", text, fix).warning()
}

fn drive_panicked() -> StopReason {
    StopReason::system(Text::new(
        "internal error in a drive; see the log",
        "驱动内部出错，详见日志",
    ))
}
