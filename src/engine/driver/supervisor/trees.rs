//! The loaded trees: loads them on demand, passes requests to them, notices their ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tracing::Instrument as _;

use crate::domain::dialogs::tree::{Bucket, DialogTree};
use crate::domain::text::Text;
use crate::domain::{DialogId, RootId, TreeChange};
use crate::driver::reporting::clients::ClientId;
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::reporting::run_outcome::PickUp;
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::engine::Engine;
use crate::driver::tree::task::TreeTask;
use crate::driver::tree::user_requests::{ContinueOutcome, TreeRequest};
use crate::minds::MindsStamp;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::wire::Audience;
use crate::store::{LoadedTree, StoreError, TreeListing};

use super::finding::Wanted;
use super::listing::is_cut_off;

/// Queued requests of one tree; the supervisor waits while it is full, the screen does not.
const MAILBOX_DEPTH: usize = 64;

const TREE_CLOSED: Text = Text::new(
    "internal error: a dialog tree was closed; open it again",
    "内部错误：一棵对话树被关闭，请重新打开",
);

/// What the supervisor knows: the loaded trees, and what was reported of the workspace.
#[derive(Debug)]
pub struct Supervisor {
    pub(super) engine: Arc<Engine>,
    pub(super) reports: ReportSender,
    pub(super) trees: BTreeMap<RootId, mpsc::Sender<TreeRequest>>,
    pub(super) tasks: JoinSet<RootId>,
    /// The listing of files that runs, if there is one.
    pub(super) listings: JoinSet<Vec<String>>,
    /// The clients that wait for it.
    pub(super) files_wanted: BTreeSet<ClientId>,
    /// Images of a person that are being read.
    pub(super) images: JoinSet<DriverEvent>,
    /// Which trees are loaded, not only those named in commands.
    pick_up: PickUp,
    pub(super) audience: Audience,
    /// A person is or was there, who may edit `.minds` meanwhile.
    pub(super) is_attended: bool,
    /// The search that each client wants; dropped, it ends. Of several only the newest counts.
    pub(super) finding: BTreeMap<ClientId, watch::Sender<Wanted>>,
    /// The dialog that each client looks at; likewise.
    pub(super) previewing: BTreeMap<ClientId, watch::Sender<Option<(Ticket, DialogId)>>>,
    /// The tasks that search and look for clients.
    pub(super) readers: JoinSet<()>,
    /// When it is told, nobody waits for servers any more; when it is dropped, counting in the background ends.
    pub(super) alive: watch::Sender<()>,
    /// The stamp of `.minds` when it was reported last.
    pub(super) minds_stamp: Option<MindsStamp>,
}

impl Supervisor {
    pub fn new(
        engine: Arc<Engine>,
        reports: ReportSender,
        pick_up: PickUp,
        audience: Audience,
    ) -> Self {
        let (trees, tasks) = (BTreeMap::new(), JoinSet::new());
        let (listings, images) = (JoinSet::new(), JoinSet::new());
        let (finding, previewing) = (BTreeMap::new(), BTreeMap::new());
        let minds_stamp = None;
        Self {
            engine,
            reports,
            trees,
            tasks,
            listings,
            files_wanted: BTreeSet::new(),
            images,
            pick_up,
            audience,
            is_attended: audience.is_person(),
            finding,
            previewing,
            readers: JoinSet::new(),
            alive: watch::channel(()).0,
            minds_stamp,
        }
    }

    /// Ends what is read for clients.
    pub async fn end_reading(&mut self) {
        self.finding.clear();
        self.previewing.clear();
        self.alive.send_replace(());
        while self.readers.join_next().await.is_some() {}
    }

    /// False while something waits for consent: then nothing is loaded without a command.
    pub(super) fn may_pick_up(&self) -> bool {
        self.pick_up.is_all() && !self.engine.driving.awaits_consent()
    }

    /// Continues what a restart cut off, if the person wants that, and says how much.
    pub(super) async fn take_up(&mut self, listed: &[TreeListing]) {
        if !self.pick_up.takes_up() || !self.engine.driving.is_on() {
            return;
        }
        let is_cut =
            |tree: &&TreeListing| tree.foreign.is_none() && tree.dialogs.iter().any(is_cut_off);
        let cut: Vec<RootId> = listed.iter().filter(is_cut).map(|tree| tree.root.clone()).collect();
        let mut outcome = ContinueOutcome::default();
        for root in cut {
            let (reply, taken_up) = oneshot::channel();
            match self.try_forward(&root, TreeRequest::TakeUp { reply }).await {
                Ok(()) => outcome.add(taken_up.await.unwrap_or_default()),
                Err(error) => tracing::info!(%root, %error, "it is not taken up"),
            }
        }
        if outcome.dialogs > 0 {
            self.send_event(DriverEvent::Notice(outcome.message())).await;
        }
    }

    /// Loads trees that can continue.
    pub(super) async fn pick_up(&mut self, roots: Vec<RootId>) {
        for root in roots {
            self.report(DriverReport::Idle { root: root.clone(), idle: false }).await;
            if let Err(error) = self.ensure_loaded(&root).await {
                self.send_event(DriverEvent::Notice(error.message())).await;
                self.report(DriverReport::Idle { root, idle: true }).await;
            }
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
            self.send_event(DriverEvent::Refused { ticket, text: error.message() }).await;
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
        let loaded = blocking(move |_| engine.store.load(Bucket::Run, &id))
            .await
            .unwrap_or_else(|error| Err(StoreError::interrupted(&error.to_string())));
        match &loaded {
            Ok(loaded) => {
                for problem in &loaded.problems {
                    self.send_event(DriverEvent::Notice(problem.message())).await;
                }
            }
            Err(error) => {
                // Who wanted it tells the person: each caller refuses, or sends a notice.
                tracing::warn!(%root, %error, "could not load a tree");
                if matches!(error, StoreError::Damaged(_)) {
                    self.report(DriverReport::Removed(root.clone())).await;
                }
            }
        }
        loaded
    }

    /// `first` is in the mailbox before the task starts, so the tree is not reported idle in between.
    pub(super) fn spawn_tree(
        &mut self,
        tree: DialogTree,
        repairs: Vec<TreeChange>,
        first: Option<TreeRequest>,
    ) {
        let root = tree.root.clone();
        let (mailbox, requests) = mpsc::channel(MAILBOX_DEPTH);
        let awaits_request = first.is_some() && !self.pick_up.is_all();
        if let Some(first) = first {
            let _ = mailbox.try_send(first);
        }
        let (engine, reports) = (self.engine.clone(), self.reports.clone());
        let task = TreeTask::new(engine, tree, reports, requests, awaits_request);
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
                self.send_event(DriverEvent::Notice(TREE_CLOSED.into())).await;
            }
        }
    }

    pub(super) async fn send_event(&self, event: DriverEvent) {
        self.report(DriverReport::Event(event)).await;
    }

    /// An event without a ticket for one client alone.
    pub(super) async fn send_to(&self, client: ClientId, event: DriverEvent) {
        self.report(DriverReport::EventFor(client, Box::new(event))).await;
    }

    pub(super) async fn report(&self, report: DriverReport) {
        let _ = self.reports.send(report).await;
    }
}
