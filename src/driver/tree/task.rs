//! The tree task: one per loaded main dialog. It owns all state of that tree and alone may commit.
//!
//! It waits on its mailbox (requests of the user), its port (drives) and the ends of its drives; it handles
//! one at a time, so every step is atomic. It may block on the disk (briefly) and on the pump (which always
//! receives). After each step it starts drives for the dialogs that can continue by themselves.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::domain::latest::StopReason;
use crate::domain::state::{self, Activity, NextStep, next_step};
use crate::domain::tree::{DialogTree, TreeChange};
use crate::domain::{Dialog, RootId, SelfId};
use crate::driver::drive::port::{Port, PortRequest};
use crate::driver::drive::slot::{DriveSlot, SlotState};
use crate::driver::drive::task::Drive;
use crate::driver::lifecycle::recovery;
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::shared::engine::Engine;
use crate::driver::steps::stop::mark_stopped;
use crate::tools::CLEAR_MIND;

use super::state::TreeState;
use super::user_requests::TreeRequest;

/// Queued requests of drives; a drive waits while the queue is full.
const PORT_DEPTH: usize = 64;

#[derive(Debug)]
pub struct TreeTask {
    state: TreeState,
    drives: JoinSet<DriveSlot>,
    port: Port,
    requests: mpsc::Receiver<PortRequest>,
    mailbox: mpsc::Receiver<TreeRequest>,
}

impl TreeTask {
    pub fn new(
        engine: Arc<Engine>,
        tree: DialogTree,
        reports: ReportSender,
        mailbox: mpsc::Receiver<TreeRequest>,
    ) -> Self {
        let (sender, requests) = mpsc::channel(PORT_DEPTH);
        Self {
            state: TreeState::new(engine, tree, reports),
            drives: JoinSet::new(),
            port: Port::new(sender),
            requests,
            mailbox,
        }
    }

    /// Runs until it is closed and its drives have ended.
    ///
    /// `repairs`: changes to index files that disagree with the courses, to be written first.
    pub async fn run(mut self, repairs: Vec<TreeChange>) -> RootId {
        self.state.keep_going = self.state.load_policy().await.keep_going;
        self.recover(repairs).await;
        self.state.report_loaded().await;
        self.schedule().await;
        loop {
            // Requests of the user first; the fixed order makes runs reproducible.
            tokio::select! {
                biased;
                request = self.mailbox.recv(), if !self.state.closing => match request {
                    Some(request) => self.state.handle_request(request).await,
                    None => self.state.close(),
                },
                Some(request) = self.requests.recv() => self.state.handle_drive_request(request).await,
                Some(ended) = self.drives.join_next() => self.drive_ended(ended).await,
            }
            if self.state.closing && self.drives.is_empty() {
                return self.state.tree().root.clone();
            }
            self.schedule().await;
        }
    }

    /// Repairs the state after a crash or changes by another program.
    async fn recover(&mut self, repairs: Vec<TreeChange>) {
        let mut draft = self.state.draft();
        for change in repairs {
            draft.add_applied(change);
        }
        recovery::recover(&mut draft, self.state.engine.texts());
        self.state.wake_askers(&mut draft);
        let main = self.state.tree().root.main();
        let steps: Vec<TreeChange> = draft.drafted_changes().cloned().collect();
        if self.state.commit_or_stop(&main, draft).await {
            for step in &steps {
                self.state.engine.log.repair(&self.state.tree().root, step);
            }
        }
    }

    /// Starts a drive for every dialog that can continue by itself, and reports whether all are idle.
    async fn schedule(&mut self) {
        self.state.release_asking_back().await;
        if self.state.engine.driving.is_on() && !self.state.closing {
            let ids: Vec<SelfId> = self.state.tree().dialogs.keys().cloned().collect();
            for id in ids {
                self.start_drive(&id).await;
            }
        }
        let (root, idle) =
            (self.state.tree().root.clone(), self.state.is_idle() && self.mailbox.is_empty());
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
        let stop = CancellationToken::new();
        let retry_now = Arc::new(Notify::new());
        let in_use = SlotState::InUse {
            stop: stop.clone(),
            stop_reason: None,
            retry_now: retry_now.clone(),
        };
        let slot = match self.state.slots.insert(id.clone(), in_use) {
            Some(SlotState::Free(slot)) => slot,
            Some(running @ SlotState::InUse { .. }) => {
                self.state.slots.insert(id.clone(), running);
                return;
            }
            None => match SlotState::new(id) {
                SlotState::Free(slot) => slot,
                SlotState::InUse { .. } => return,
            },
        };
        let drive = Drive {
            slot,
            dialog: self.state.tree().id(id),
            port: self.port.clone(),
            stop,
            retry_now,
            reports: self.state.reports.clone(),
            ids: self.state.engine.ids.clone(),
            texts: self.state.engine.texts(),
            sources: self.state.engine.sources.clone(),
            log: self.state.engine.log.clone(),
        };
        let span = tracing::info_span!("drive", dialog = %self.state.tree().id(id));
        self.drives.spawn(drive.run().instrument(span));
        self.state.report_row(id).await;
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

    /// Takes back the slot of a drive that ended. After a panic new slots are created.
    async fn drive_ended(&mut self, ended: Result<DriveSlot, tokio::task::JoinError>) {
        let Ok(slot) = ended else {
            self.recover_panicked_drives().await;
            return;
        };
        let id = slot.dialog().clone();
        self.state.prepared.remove(&id);
        self.state.asking_back.remove(&id);
        let stop_reason = match self.state.slots.insert(id.clone(), SlotState::Free(slot)) {
            Some(SlotState::InUse { stop_reason, .. }) => stop_reason,
            Some(SlotState::Free(_)) | None => None,
        };
        self.record_idle_state(&id, stop_reason).await;
        self.state.release_tools_if_done(&id).await;
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
        let shown = draft.dialog(id).map(|dialog| state::derive(dialog, Activity::Resting));
        draft.edit_latest(id, |latest| latest.display_state = shown);
        self.state.commit_or_stop(id, draft).await;
        self.state.report_row(id).await;
    }

    async fn recover_panicked_drives(&mut self) {
        let running: Vec<SelfId> = self
            .state
            .slots
            .iter()
            .filter(|(_, slot)| matches!(slot, SlotState::InUse { .. }))
            .map(|(id, _)| id.clone())
            .collect();
        // One drive panicked, but the JoinError does not identify it: the others are stopped too, so that
        // no dialog ever has two drives.
        self.state.stop_all(&drive_panicked());
        while let Some(ended) = self.drives.join_next().await {
            drop(ended);
        }
        while let Ok(request) = self.requests.try_recv() {
            drop(request);
        }
        for id in running {
            self.state.slots.insert(id.clone(), SlotState::new(&id));
            let mut draft = self.state.draft();
            let reason = drive_panicked();
            mark_stopped(&mut draft, &id, reason);
            self.state.commit_or_stop(&id, draft).await;
        }
    }
}

fn drive_panicked() -> StopReason {
    StopReason::system_in(
        "internal error in a drive; see the log".to_owned(),
        "驱动内部出错，详见日志",
    )
}
