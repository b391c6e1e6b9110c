//! The state of a loaded tree. It changes in one way only: a step is drafted on a copy, written, and then
//! becomes the state and is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::{oneshot, watch};

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::state::{NextStep, next_step};
use crate::domain::dialogs::tree::DialogTree;
use crate::domain::reading::waits::cycle_problems;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Course, Dialog, KeepGoing, Latest, Layout, Problem, SelfId};
use crate::driver::context::prepare::PreparedMember;
use crate::driver::drive::drives::Drives;
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::reporting::run_outcome::IdleReport;
use crate::driver::reporting::tree_rows;
use crate::driver::shared::blocking::{Interrupted, blocking};
use crate::driver::shared::engine::Engine;
use crate::driver::steps::draft::Draft;
use crate::hive::{NewsView, TasksView};
use crate::protocol::event::DriverEvent;
use crate::store::{Committed, StoreError, WrittenBatch};

#[derive(Debug)]
pub struct TreeState {
    pub(super) engine: Arc<Engine>,
    /// Replaced by [`Self::commit`] only.
    tree: DialogTree,
    pub(super) reports: ReportSender,
    pub(super) drives: Drives,
    /// The preparations of the running generations.
    pub(super) prepared: BTreeMap<SelfId, Arc<PreparedMember>>,
    /// What the team of each member remembered when its course began.
    pub(super) noted: BTreeMap<SelfId, (Course, Option<Arc<str>>)>,
    /// Drives that wait with an open generation for the answer to a question asked back.
    pub(super) asking_back: BTreeMap<SelfId, oneshot::Sender<()>>,
    /// Dialogs whose last step could not be written; they wait for the user.
    unwritable: BTreeMap<SelfId, Localized>,
    /// Problems of rejected requests, until the next request succeeds.
    pub(super) rejected: BTreeMap<SelfId, Problem>,
    /// Problems of dialogs that wait for each other, as another program may leave them.
    wait_cycles: Vec<Problem>,
    /// Problems of dialogs that are without the memories of their team.
    pub(super) unread_memories: BTreeMap<SelfId, Problem>,
    /// The text of answers that a killed process was receiving could not be read.
    pub(super) unread_spools: Option<Problem>,
    /// The last known keep-going configuration of the main dialog, for its row.
    pub(super) keep_going: KeepGoing,
    /// The news that this tree knows of.
    pub(super) news: watch::Receiver<NewsView>,
    /// The tasks that this tree knows of.
    pub(super) tasks: watch::Receiver<TasksView>,
    /// Told when a process in the background begins or ends.
    pub(super) processes: watch::Receiver<()>,
    /// The processes whose end wakes the main dialog, by pid. Kept in memory alone: their reminders stay.
    pub(super) awaited: BTreeSet<u32>,
    pub(super) closing: bool,
}

impl TreeState {
    pub fn new(engine: Arc<Engine>, tree: DialogTree, reports: ReportSender) -> Self {
        let (news, tasks) = (engine.hive.view(), engine.hive.tasks_view());
        let processes = engine.shells.changes();
        Self {
            engine,
            tree,
            reports,
            drives: Drives::new(),
            prepared: BTreeMap::new(),
            noted: BTreeMap::new(),
            asking_back: BTreeMap::new(),
            unwritable: BTreeMap::new(),
            rejected: BTreeMap::new(),
            wait_cycles: Vec::new(),
            unread_memories: BTreeMap::new(),
            unread_spools: None,
            keep_going: KeepGoing::default(),
            news,
            tasks,
            processes,
            awaited: BTreeSet::new(),
            closing: false,
        }
    }

    /// The tree as it is on disk.
    pub(super) fn tree(&self) -> &DialogTree {
        &self.tree
    }

    /// Stops all drives; the text so far is kept.
    pub(super) fn close(&mut self) {
        self.closing = true;
        self.stop_all(&StopReason::ServerRestart);
    }

    /// Once no further step begins, stops the drives that wait for the answer to an ask-back: it would need one.
    pub(super) fn stop_asking_back_if_finishing(&mut self) {
        if self.engine.driving.is_finishing() {
            for dialog in self.asking_back.keys() {
                self.drives.stop(dialog, StopReason::ServerRestart);
            }
        }
    }

    pub(super) fn stop_all(&mut self, reason: &StopReason) {
        self.drives.stop_all(reason);
    }

    /// Requests a drive to stop; does nothing for an idle dialog.
    pub(super) fn stop(&mut self, dialog: &SelfId, reason: StopReason) {
        self.drives.stop(dialog, reason);
    }

    /// True if nothing of this tree is being driven.
    pub(super) fn is_idle(&self) -> bool {
        self.drives.is_empty()
    }

    pub(super) fn activity(&self, dialog: &SelfId) -> Activity {
        self.drives.activity(dialog)
    }

    pub(super) fn draft(&self) -> Draft {
        Draft::new(&self.tree, self.engine.clock.now(), self.engine.ids.clone())
    }

    /// Writes a step; only then it becomes the state of the tree and is reported.
    pub(super) async fn commit(&mut self, mut draft: Draft) -> Result<(), StoreError> {
        let touched = draft.changed_dialogs();
        for id in &touched {
            let Some(dialog) = draft.dialog(id).filter(|_| !draft.creates(id)) else { continue };
            let shown = derive(dialog, self.activity(id));
            draft.edit_latest(id, |latest| latest.display_state = Some(shown));
        }
        if draft.is_empty() {
            return Ok(());
        }
        let (tree, batch) = draft.finish();
        let interrupted = |error: Interrupted| StoreError::interrupted(&error.to_string());
        let store = self.engine.store.clone();
        let synced = if store.waits_while_writing(&batch) {
            let done = blocking(move |_| store.commit(batch).map(WrittenBatch::sync)).await;
            done.unwrap_or_else(|error| Ok(Err(interrupted(error))))?
        } else {
            let written = store.commit(batch)?;
            if written.needs_sync() {
                let done = blocking(move |_| written.sync()).await;
                done.unwrap_or_else(|error| Err(interrupted(error)))
            } else {
                written.sync()
            }
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

    /// Writes a step that the user requested. The error is the message for the user.
    pub(super) async fn commit_request(&mut self, draft: Draft) -> Result<(), Localized> {
        self.commit(draft).await.map_err(|error| {
            let error = error.message();
            localized!([error] "NOT saved: {error}", "未保存：{error}")
        })
    }

    /// Writes a step that the user requested of a dialog. Once it is on disk, the step of that dialog that could not be written
    /// is tried again; a refused request lets nothing go on.
    pub(super) async fn commit_wish(
        &mut self,
        dialog: &SelfId,
        draft: Draft,
    ) -> Result<(), Localized> {
        self.commit_request(draft).await?;
        if self.unwritable.remove(dialog).is_some() {
            self.report_problems().await;
        }
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
            self.send_event(DriverEvent::Fact(fact.into())).await;
        }
        for id in touched {
            self.report_row(id).await;
        }
        let inbox = tree_rows::inbox(&self.tree);
        let root = self.tree.root.clone();
        let _ = self.reports.send(DriverReport::Inbox { root, inbox }).await;
        if self.tree.layout == Layout::V1_29 {
            let (root, answers) = (self.tree.root.clone(), tree_rows::answers(&self.tree));
            let _ = self.reports.send(DriverReport::Answers { root, answers }).await;
        }
    }

    /// Writes a step of a drive; if that fails, the dialog stops until the user continues it.
    pub(super) async fn commit_or_stop(&mut self, dialog: &SelfId, draft: Draft) -> bool {
        let Err(error) = self.commit(draft).await else { return true };
        tracing::error!(dialog = %self.tree.id(dialog), %error, "could not write");
        self.unwritable.insert(dialog.clone(), error.message());
        self.stop(dialog, StopReason::system(error.message()));
        self.report_problems().await;
        false
    }

    /// Marks dialogs on disk whose replies have arrived, for other programs. Dominds drives a marked main
    /// dialog by itself; a side dialog that is not driven here it can only continue.
    pub(super) fn wake_askers(&self, draft: &mut Draft) {
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
                draft.edit_latest(&id, Latest::request_resume);
            }
        }
    }

    /// Reports the problems of this tree: steps that could not be written, rejected requests, dialogs that
    /// wait for each other, memories and spools that cannot be read.
    pub(super) async fn report_problems(&self) {
        let unwritable = self.unwritable.iter().map(|(dialog, error)| {
            Problem::new(
                format!("store/unwritable/{}", self.tree.id(dialog)),
                format!(".dialogs ({})", self.tree.id(dialog)),
                error.clone(),
                Text::new(
                    "free space or repair the disk, then continue the dialog",
                    "请腾出空间或修复磁盘，然后继续该对话",
                ),
            )
        });
        let of_dialogs = self.rejected.values().chain(self.unread_memories.values());
        let others = of_dialogs.chain(&self.wait_cycles).chain(&self.unread_spools);
        let problems = unwritable.chain(others.cloned()).collect();
        let root = self.tree.root.clone();
        let _ = self.reports.send(DriverReport::TreeProblems { root, problems }).await;
    }

    /// True if its last step could not be written.
    pub(super) fn is_unwritable(&self, dialog: &SelfId) -> bool {
        self.unwritable.contains_key(dialog)
    }

    pub(super) fn has_unwritable(&self) -> bool {
        !self.unwritable.is_empty()
    }

    /// Reports everything of a tree that has just been loaded.
    pub(super) async fn report_loaded(&mut self) {
        self.wait_cycles = cycle_problems(&self.tree);
        self.report_tree().await;
    }

    /// What only this tree knows about itself when it is idle.
    pub(super) fn idle_report(&self) -> IdleReport {
        IdleReport::of(&self.tree, self.unwritable.keys())
    }

    pub(super) async fn send_event(&self, event: DriverEvent) {
        // If the channel is full the wait is short: the pump receives even while the screen is slow.
        let _ = self.reports.send(DriverReport::Event(event)).await;
    }

    pub(super) async fn report_row(&self, id: &SelfId) {
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
        let (root, answers) = (self.tree.root.clone(), tree_rows::answers(&self.tree));
        let report = DriverReport::Tree { root, rows: all, inbox, answers };
        let _ = self.reports.send(report).await;
        self.report_problems().await;
    }
}

/// Replaces the problem of a dialog; true if that changed anything.
pub(super) fn replace_problem(
    of: &mut BTreeMap<SelfId, Problem>,
    id: &SelfId,
    now: Option<Problem>,
) -> bool {
    if of.get(id) == now.as_ref() {
        return false;
    }
    match now {
        Some(problem) => of.insert(id.clone(), problem),
        None => of.remove(id),
    };
    true
}
