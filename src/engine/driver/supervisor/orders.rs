//! Orders of the task dispatcher, which has no trees of its own.

use tokio::sync::oneshot;

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::teams::task::outcome::Rest;
use crate::domain::text::Localized;
use crate::domain::{AgentId, DialogId, QueuedPrompt, RootId};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::tree::user_requests::{ContinueOutcome, TreeRequest};
use crate::protocol::Refusal;
use crate::store::StoreError;

use super::creation::{NewMain, make_tree};
use super::trees::Supervisor;

/// The dialog that an attempt begins in.
#[derive(Debug)]
pub struct Beginning {
    pub root: RootId,
    pub agent: AgentId,
    pub taskdoc: String,
    pub title: String,
    pub prompt: QueuedPrompt,
}

/// What becomes of the tree of an attempt that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct PuttingAway {
    /// `None`: it stays where it is.
    pub to: Option<Bucket>,
    /// It is stopped first, for this reason; otherwise it is moved once it rests.
    pub stop: Option<StopReason>,
    /// Also if it is among the done ones.
    pub even_done: bool,
}

#[derive(Debug)]
pub enum Order {
    /// Replies once the workspace has been surveyed: before, it is unknown whether something waits for consent.
    Surveyed { reply: oneshot::Sender<()> },
    /// Makes a main dialog with a prompt in its queue. An existing one gets the prompt if it has never had it, as the
    /// program may have ended in between.
    Begin { beginning: Box<Beginning>, reply: oneshot::Sender<Result<(), Localized>> },
    /// How a tree rests; `None` if it is not among the running ones.
    Look { root: RootId, reply: oneshot::Sender<Option<Rest>> },
    /// Continues what is stopped in a tree.
    Continue { root: RootId, reply: oneshot::Sender<ContinueOutcome> },
    /// Puts a tree away. False if that is still to be done.
    PutAway { root: RootId, how: PuttingAway, reply: oneshot::Sender<bool> },
    /// Puts a prompt into the queue of a dialog; false if there is no room now. A dialog that is not there gets nothing.
    Deliver { to: DialogId, prompt: Box<QueuedPrompt>, reply: oneshot::Sender<bool> },
    /// All work on the tasks is done, up to this revision of the store and this number of tree marks; `failed`: number
    /// of tasks that have failed in all.
    Settled { revision: u64, moved: u64, failed: u64 },
}

impl Supervisor {
    pub(super) async fn carry_out(&mut self, order: Order) {
        match order {
            Order::Surveyed { reply } => drop(reply.send(())),
            Order::Begin { beginning, reply } => {
                let begun = self.begin(*beginning).await;
                let _ = reply.send(begun);
            }
            Order::Look { root, reply } => self.look(&root, reply).await,
            Order::Continue { root, reply } => {
                let _ = self.try_forward(&root, TreeRequest::ContinueAll { reply }).await;
            }
            Order::PutAway { root, how, reply } => {
                let done = self.put_away(&root, how).await;
                let _ = reply.send(done);
            }
            Order::Deliver { to, prompt, reply } => self.deliver(&to, *prompt, reply).await,
            Order::Settled { revision, moved, failed } => {
                self.send_tasks().await;
                self.report(DriverReport::TasksSettled { revision, moved, failed }).await;
            }
        }
    }

    async fn begin(&mut self, beginning: Beginning) -> Result<(), Localized> {
        let Beginning { root, agent, taskdoc, title, prompt } = beginning;
        // A dialog that a kill left half made counts as missing, and is made anew.
        let is_there = match self.engine.store.find(&root) {
            None => false,
            Some(Bucket::Done | Bucket::Archive) => return Ok(()),
            Some(Bucket::Run) => match self.ensure_loaded(&root).await {
                Ok(()) => true,
                Err(StoreError::NotFound(_)) => false,
                Err(error) => return Err(error.message()),
            },
        };
        if is_there {
            let (reply, taken) = oneshot::channel();
            self.deliver(&DialogId::main(root), prompt, reply).await;
            let is_there = taken.await.unwrap_or(false);
            return if is_there { Ok(()) } else { Err(Refusal::NoSuchDialog.into()) };
        }
        let engine = self.engine.clone();
        let (id, priming) = (root.main(), Vec::new());
        let new = NewMain { id, agent, taskdoc, priming, first: Some(prompt) };
        let made = blocking(move |on| make_tree(&engine, &new, on));
        let tree = made.await.unwrap_or_else(|error| Err(interrupted(&error)))?;
        self.report(DriverReport::Idle { root: root.clone(), idle: false }).await;
        self.spawn_tree(tree, Vec::new(), None);
        let (store, of) = (self.engine.store.clone(), DialogId::main(root));
        let write = move || store.own_files().write_title(&of, Some(&title));
        if let Ok(Ok(titles)) = tokio::task::spawn_blocking(write).await {
            self.report(DriverReport::Titles(titles)).await;
        }
        Ok(())
    }

    async fn look(&mut self, root: &RootId, reply: oneshot::Sender<Option<Rest>>) {
        if self.engine.store.find(root) != Some(Bucket::Run) {
            let _ = reply.send(None);
            return;
        }
        // A tree that cannot be loaded is reported; its task stays as it is.
        let _ = self.try_forward(root, TreeRequest::Rest { reply }).await;
    }

    async fn put_away(&mut self, root: &RootId, how: PuttingAway) -> bool {
        let PuttingAway { to, stop, even_done } = how;
        match self.engine.store.find(root) {
            Some(Bucket::Run) => {}
            Some(Bucket::Done) if even_done => {}
            Some(Bucket::Done | Bucket::Archive) | None => return true,
        }
        // Ends also what a person said to a dialog whose task is over.
        if let (Some(mailbox), Some(reason)) = (self.trees.get(root), stop) {
            let _ = mailbox.send(TreeRequest::StopAll { reason }).await;
        }
        match to {
            None => true,
            Some(to) => self.move_tree(root, to).await.is_ok(),
        }
    }

    async fn deliver(&mut self, to: &DialogId, prompt: QueuedPrompt, reply: oneshot::Sender<bool>) {
        if self.engine.store.find(&to.root) != Some(Bucket::Run) {
            let _ = reply.send(true);
            return;
        }
        let dialog = to.this.clone();
        let request = TreeRequest::Deliver { dialog, prompt: Box::new(prompt), reply };
        let _ = self.try_forward(&to.root, request).await;
    }
}
