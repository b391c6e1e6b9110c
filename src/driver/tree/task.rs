//! The tree task: one per loaded main dialog. It owns all state of that tree and alone may commit.
//!
//! It waits on its mailbox (requests of the user), its port (drives) and the ends of its drives; it handles
//! one at a time, so every step is atomic. It may block on the disk (briefly) and on the pump (which always
//! receives). After each step it starts drives for the dialogs that can continue by themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::domain::latest::StopReason;
use crate::domain::state::{self, Activity, NextStep, next_step};
use crate::domain::tree::{DialogTree, TreeChange};
use crate::domain::waits::cycle_problems;
use crate::domain::{Dialog, KeepGoing, Latest, Problem, RootId, SelfId};
use crate::driver::context::prepare::PreparedMember;
use crate::driver::drive::port::{Port, PortRequest};
use crate::driver::drive::slot::{DriveSlot, SlotState};
use crate::driver::drive::task::Drive;
use crate::driver::generation::open as generation;
use crate::driver::lifecycle::recovery;
use crate::driver::reporting::run_outcome::IdleReport;
use crate::driver::reporting::screen_state::{DriverReport, ReportSender};
use crate::driver::reporting::tree_rows;
use crate::driver::shared::engine::Engine;
use crate::driver::steps::draft::Draft;
use crate::protocol::event::{Cursor, DriverEvent};
use crate::store::{Committed, StoreError};
use crate::tools::CLEAR_MIND;

use super::user_requests::TreeRequest;

/// Queued requests of drives; a drive waits while the queue is full.
const PORT_DEPTH: usize = 64;

#[derive(Debug)]
pub struct TreeTask {
    pub(in crate::driver) engine: Arc<Engine>,
    pub(in crate::driver) tree: DialogTree,
    pub(in crate::driver) reports: ReportSender,
    pub(in crate::driver) slots: BTreeMap<SelfId, SlotState>,
    drives: JoinSet<DriveSlot>,
    port: Port,
    requests: mpsc::Receiver<PortRequest>,
    mailbox: mpsc::Receiver<TreeRequest>,
    /// The preparations of the running generations.
    pub(in crate::driver) prepared: BTreeMap<SelfId, Arc<PreparedMember>>,
    /// Drives that wait with an open generation for the answer to a question asked back.
    pub(in crate::driver) asking_back: BTreeMap<SelfId, oneshot::Sender<()>>,
    /// Dialogs whose last step could not be written; they wait for the user.
    unwritable: BTreeMap<SelfId, String>,
    /// Problems of rejected requests, until the next request succeeds.
    pub(in crate::driver) rejected: BTreeMap<SelfId, Problem>,
    /// Problems of dialogs that wait for each other, as another program may leave them.
    wait_cycles: Vec<Problem>,
    /// The last known keep-going configuration of the main dialog, for its row.
    pub(in crate::driver) keep_going: KeepGoing,
    pub(in crate::driver) closing: bool,
}

impl TreeTask {
    pub fn new(
        engine: Arc<Engine>,
        tree: DialogTree,
        reports: ReportSender,
        mailbox: mpsc::Receiver<TreeRequest>,
    ) -> Self {
        let (sender, requests) = mpsc::channel(PORT_DEPTH);
        let slots = tree.dialogs.keys().map(|id| (id.clone(), SlotState::new(id))).collect();
        Self {
            engine,
            tree,
            reports,
            slots,
            drives: JoinSet::new(),
            port: Port::new(sender),
            requests,
            mailbox,
            prepared: BTreeMap::new(),
            asking_back: BTreeMap::new(),
            unwritable: BTreeMap::new(),
            rejected: BTreeMap::new(),
            wait_cycles: Vec::new(),
            keep_going: KeepGoing::default(),
            closing: false,
        }
    }

    /// Runs until it is closed and its drives have ended.
    ///
    /// `repairs`: changes to index files that disagree with the courses, to be written first.
    pub async fn run(mut self, repairs: Vec<TreeChange>) -> RootId {
        self.keep_going = self.load_policy().await.keep_going;
        self.recover(repairs).await;
        self.wait_cycles = cycle_problems(&self.tree);
        self.report_tree().await;
        self.schedule().await;
        loop {
            // Requests of the user first; the fixed order makes runs reproducible.
            tokio::select! {
                biased;
                request = self.mailbox.recv(), if !self.closing => match request {
                    Some(request) => self.handle_request(request).await,
                    None => self.close(),
                },
                Some(request) = self.requests.recv() => self.handle_drive_request(request).await,
                Some(ended) = self.drives.join_next() => self.drive_ended(ended).await,
            }
            if self.closing && self.drives.is_empty() {
                return self.tree.root.clone();
            }
            self.schedule().await;
        }
    }

    /// Repairs the state after a crash or changes by another program.
    async fn recover(&mut self, repairs: Vec<TreeChange>) {
        let mut draft = self.draft();
        for change in repairs {
            draft.add_applied(change);
        }
        recovery::recover(&mut draft, self.engine.texts());
        self.wake_askers(&mut draft);
        let main = self.tree.root.main();
        let steps: Vec<TreeChange> = draft.drafted_changes().cloned().collect();
        if self.commit_or_stop(&main, draft).await {
            for step in &steps {
                self.engine.log.repair(&self.tree.root, step);
            }
        }
    }

    /// Stops all drives; the text so far is kept.
    pub(in crate::driver) fn close(&mut self) {
        self.closing = true;
        self.stop_all(&StopReason::ServerRestart);
    }

    pub(in crate::driver) fn stop_all(&mut self, reason: &StopReason) {
        let ids: Vec<SelfId> = self.slots.keys().cloned().collect();
        for id in ids {
            self.stop(&id, reason.clone());
        }
    }

    /// Requests a drive to stop; does nothing for an idle dialog.
    pub(in crate::driver) fn stop(&mut self, dialog: &SelfId, reason: StopReason) {
        if let Some(SlotState::InUse { stop, stop_reason, .. }) = self.slots.get_mut(dialog)
            && stop_reason.is_none()
        {
            *stop_reason = Some(reason);
            stop.cancel();
        }
    }

    /// True if nothing of this tree is being driven.
    pub(in crate::driver) fn is_idle(&self) -> bool {
        self.drives.is_empty()
    }

    pub(in crate::driver) fn activity(&self, dialog: &SelfId) -> Activity {
        self.slots.get(dialog).map_or(Activity::Resting, SlotState::activity)
    }

    // --- steps -----------------------------------------------------------------------------------

    pub(in crate::driver) fn draft(&self) -> Draft {
        Draft::new(&self.tree, self.engine.clock.now(), self.engine.ids.clone())
    }

    /// Writes a step; only then it becomes the state of the tree and is reported.
    pub(in crate::driver) async fn commit(&mut self, mut draft: Draft) -> Result<(), StoreError> {
        let touched = draft.changed_dialogs();
        for id in &touched {
            let Some(dialog) = draft.dialog(id).filter(|_| !draft.creates(id)) else { continue };
            let shown = state::derive(dialog, self.activity(id));
            draft.edit_latest(id, |latest| latest.display_state = Some(shown));
        }
        if draft.is_empty() {
            return Ok(());
        }
        let (tree, batch) = draft.finish();
        let written = self.engine.store.commit(batch)?;
        let synced = if written.needs_sync() {
            tokio::task::spawn_blocking(move || written.sync())
                .await
                .unwrap_or_else(|error| Err(StoreError::interrupted(&error.to_string())))
        } else {
            written.sync()
        };
        let committed = match synced {
            Ok(committed) => committed,
            Err(error) => {
                // What is on disk now is unknown: the task ends, and the tree is read again.
                self.close();
                return Err(error);
            }
        };
        let before = std::mem::replace(&mut self.tree, tree);
        self.log_step(&before, &committed, &touched);
        self.announce(committed, &touched).await;
        self.update_wait_cycles().await;
        Ok(())
    }

    /// Our own steps create no cycles, so only the known ones are checked again.
    async fn update_wait_cycles(&mut self) {
        if self.wait_cycles.is_empty() {
            return;
        }
        let wait_cycles = cycle_problems(&self.tree);
        if wait_cycles != self.wait_cycles {
            self.wait_cycles = wait_cycles;
            self.report_problems().await;
        }
    }

    /// Logs a step that is on disk.
    fn log_step(&self, before: &DialogTree, committed: &Committed, touched: &[SelfId]) {
        for fact in &committed.facts {
            self.engine.log.fact(fact);
        }
        for id in touched {
            if let Some(after) = self.tree.get(id) {
                self.engine.log.changed(&self.tree.id(id), before.get(id), after);
            }
        }
    }

    async fn announce(&mut self, committed: Committed, touched: &[SelfId]) {
        for fact in committed.facts {
            let at = Cursor { course: fact.course, line: fact.line };
            self.send_event(DriverEvent::Fact { dialog: fact.dialog, at, entry: fact.entry }).await;
        }
        for id in touched {
            self.slots.entry(id.clone()).or_insert_with(|| SlotState::new(id));
            self.report_row(id).await;
        }
        let inbox = tree_rows::inbox(&self.tree);
        let root = self.tree.root.clone();
        let _ = self.reports.send(DriverReport::Inbox { root, inbox }).await;
    }

    /// Writes a step of a drive; if that fails, the dialog stops until the user continues it.
    pub(in crate::driver) async fn commit_or_stop(
        &mut self,
        dialog: &SelfId,
        draft: Draft,
    ) -> bool {
        let Err(error) = self.commit(draft).await else { return true };
        tracing::error!(dialog = %self.tree.id(dialog), %error, "could not write");
        self.unwritable.insert(dialog.clone(), error.to_string());
        self.stop(dialog, StopReason::system(&error.to_string()));
        self.report_problems().await;
        false
    }

    /// Reports the problems of this tree: steps that could not be written, rejected requests, dialogs that
    /// wait for each other.
    pub(in crate::driver) async fn report_problems(&self) {
        let unwritable = self.unwritable.iter().map(|(dialog, error)| {
            Problem::new(
                format!("store/unwritable/{}", self.tree.id(dialog)),
                format!(".dialogs ({})", self.tree.id(dialog)),
                error.clone(),
                "free space or repair the disk, then continue the dialog",
            )
        });
        let others = self.rejected.values().chain(&self.wait_cycles).cloned();
        let problems = unwritable.chain(others).collect();
        let root = self.tree.root.clone();
        let _ = self.reports.send(DriverReport::TreeProblems { root, problems }).await;
    }

    /// True if its last step could not be written.
    pub(in crate::driver) fn is_unwritable(&self, dialog: &SelfId) -> bool {
        self.unwritable.contains_key(dialog)
    }

    /// Clears the write error because the user wants to retry.
    pub(in crate::driver) async fn clear_write_error(&mut self, dialog: &SelfId) {
        if self.unwritable.remove(dialog).is_some() {
            self.report_problems().await;
        }
    }

    // --- scheduling ------------------------------------------------------------------------------

    /// Starts a drive for every dialog that can continue by itself, and reports whether all are idle.
    async fn schedule(&mut self) {
        self.release_asking_back().await;
        if self.engine.driving.is_on() && !self.closing {
            let ids: Vec<SelfId> = self.tree.dialogs.keys().cloned().collect();
            for id in ids {
                self.start_drive(&id).await;
            }
        }
        let (root, idle) = (self.tree.root.clone(), self.is_idle() && self.mailbox.is_empty());
        if idle {
            let details = IdleReport::of(&self.tree, self.unwritable.keys());
            let _ =
                self.reports.send(DriverReport::IdleDetails { root: root.clone(), details }).await;
        }
        let _ = self.reports.send(DriverReport::Idle { root, idle }).await;
    }

    async fn start_drive(&mut self, id: &SelfId) {
        if self.unwritable.contains_key(id) {
            return;
        }
        if self.tree.get(id).is_none_or(|dialog| {
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
        let slot = match self.slots.insert(id.clone(), in_use) {
            Some(SlotState::Free(slot)) => slot,
            Some(running @ SlotState::InUse { .. }) => {
                self.slots.insert(id.clone(), running);
                return;
            }
            None => match SlotState::new(id) {
                SlotState::Free(slot) => slot,
                SlotState::InUse { .. } => return,
            },
        };
        let drive = Drive {
            slot,
            dialog: self.tree.id(id),
            port: self.port.clone(),
            stop,
            retry_now,
            reports: self.reports.clone(),
            ids: self.engine.ids.clone(),
            texts: self.engine.texts(),
            sources: self.engine.sources.clone(),
            log: self.engine.log.clone(),
        };
        let span = tracing::info_span!("drive", dialog = %self.tree.id(id));
        self.drives.spawn(drive.run().instrument(span));
        self.report_row(id).await;
    }

    /// True for an assignment whose asker is about to clear its mind in the same round: it starts after that
    /// round.
    fn starts_after_round(&self, dialog: &Dialog, step: NextStep) -> bool {
        let asker = dialog.asker().and_then(|asker| self.tree.get(asker));
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
        self.prepared.remove(&id);
        self.asking_back.remove(&id);
        let stop_reason = match self.slots.insert(id.clone(), SlotState::Free(slot)) {
            Some(SlotState::InUse { stop_reason, .. }) => stop_reason,
            Some(SlotState::Free(_)) | None => None,
        };
        self.record_idle_state(&id, stop_reason).await;
        self.release_tools_if_done(&id).await;
    }

    /// Writes the state of a dialog that became idle.
    async fn record_idle_state(&mut self, id: &SelfId, stop_reason: Option<StopReason>) {
        let mut draft = self.draft();
        let is_unfinished = self.tree.get(id).is_some_and(|dialog| {
            let last = &dialog.history.last;
            // The end of a generation is missing if it could not be written.
            let is_cut_off = last.open && !last.delivered;
            (is_cut_off || next_step(dialog).is_some()) && dialog.latest.interruption().is_none()
        });
        if let (Some(reason), true) = (stop_reason, is_unfinished) {
            generation::mark_stopped(&mut draft, id, reason);
        }
        let shown = draft.dialog(id).map(|dialog| state::derive(dialog, Activity::Resting));
        draft.edit_latest(id, |latest| latest.display_state = shown);
        self.commit_or_stop(id, draft).await;
        self.report_row(id).await;
    }

    async fn recover_panicked_drives(&mut self) {
        let running: Vec<SelfId> = self
            .slots
            .iter()
            .filter(|(_, slot)| matches!(slot, SlotState::InUse { .. }))
            .map(|(id, _)| id.clone())
            .collect();
        // One drive panicked, but the JoinError does not identify it: the others are stopped too, so that
        // no dialog ever has two drives.
        self.stop_all(&drive_panicked());
        while let Some(ended) = self.drives.join_next().await {
            drop(ended);
        }
        while let Ok(request) = self.requests.try_recv() {
            drop(request);
        }
        for id in running {
            self.slots.insert(id.clone(), SlotState::new(&id));
            let mut draft = self.draft();
            let reason = drive_panicked();
            generation::mark_stopped(&mut draft, &id, reason);
            self.commit_or_stop(&id, draft).await;
        }
    }

    /// Marks dialogs on disk whose replies have arrived, for other programs. Dominds drives a marked main
    /// dialog by itself; a side dialog that is not driven here it can only continue.
    pub(in crate::driver) fn wake_askers(&self, draft: &mut Draft) {
        let ready = |(id, dialog): (&SelfId, &Arc<Dialog>)| {
            let resting = self.activity(id) == Activity::Resting;
            let reads = next_step(dialog) == Some(NextStep::ReadReplies);
            (resting && reads).then(|| id.clone())
        };
        let ready: Vec<SelfId> = draft.tree.dialogs.iter().filter_map(ready).collect();
        for id in ready {
            if draft.tree.is_main(&id) {
                draft.edit_latest(&id, |latest| latest.needs_drive = Some(true));
            } else if !self.engine.driving.is_on() {
                draft.edit_latest(&id, Latest::tell_to_go_on);
            }
        }
    }

    // --- reporting ----------------------------------------------------------------------------------

    pub(in crate::driver) async fn send_event(&self, event: DriverEvent) {
        // If the channel is full the wait is short: the pump receives even while the screen is slow.
        let _ = self.reports.send(DriverReport::Event(event)).await;
    }

    pub(in crate::driver) async fn report_row(&self, id: &SelfId) {
        if let Some(dialog) = self.tree.get(id) {
            let row = tree_rows::tree_row(&self.tree, dialog, self.activity(id), &self.keep_going);
            let _ = self.reports.send(DriverReport::Row(Box::new(row))).await;
        }
    }

    async fn report_tree(&self) {
        let mut all: Vec<_> = self
            .tree
            .dialogs
            .values()
            .map(|dialog| {
                tree_rows::tree_row(&self.tree, dialog, Activity::Resting, &self.keep_going)
            })
            .collect();
        all.sort_by_cached_key(|row| {
            let made = (row.created_at.clone(), row.dialog.this.creation().to_owned());
            (!row.dialog.is_main(), made)
        });
        let inbox = tree_rows::inbox(&self.tree);
        let report = DriverReport::Tree { root: self.tree.root.clone(), rows: all, inbox };
        let _ = self.reports.send(report).await;
        self.report_problems().await;
    }
}

fn drive_panicked() -> StopReason {
    StopReason::system_in(
        "internal error in a drive; see the log".to_owned(),
        "驱动内部出错，详见日志",
    )
}
