//! The running instances, and which dialog may use which.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::instance::{Connection, InstanceContext, InstanceEvent, InstanceTask};
use super::listing::Listing;
use crate::domain::DialogId;
use crate::domain::text::{Localized, Text};
use crate::minds::mcp_config::McpServer;
use crate::tools::LeaseScope;

/// Instances that run at once.
const MAX_INSTANCES: usize = 64;
/// Timeout for all instances to end on exit; then they are killed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) type InstanceKey = u64;
pub(super) type Waiter = oneshot::Sender<Result<Arc<InstanceHandle>, Localized>>;

/// A handle to an instance. The instance is stopped when the last handle is dropped.
#[derive(Debug)]
pub(super) struct InstanceHandle {
    pub connection: Connection,
    /// The last list of its tools.
    listing: Mutex<Arc<Listing>>,
    _stop: DropGuard,
}

impl InstanceHandle {
    /// False for one whose server has ended, also before its task has.
    fn is_open(&self) -> bool {
        self.connection.end.is_open() && !self.connection.peer.is_transport_closed()
    }

    /// True if it has this tool as models were told of it.
    pub fn has(&self, tool: &str, digest: &str) -> bool {
        let listing = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        listing.digest_of(tool) == Some(digest)
    }
}

/// The users of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InstanceOwner {
    /// None yet: it was started to list the tools.
    Unassigned,
    /// Every dialog.
    Shared,
    Dialog(DialogId),
}

#[derive(Debug)]
pub(super) struct Instance {
    pub server: String,
    pub config: Arc<McpServer>,
    pub owner: InstanceOwner,
    pub state: InstanceState,
    stop: CancellationToken,
    task: tokio::task::Id,
}

#[derive(Debug)]
pub(super) enum InstanceState {
    Starting { since: Instant, waiters: Vec<Waiter> },
    Ready(Arc<InstanceHandle>),
}

#[derive(Debug)]
pub(super) struct InstancePool {
    context: InstanceContext,
    events: mpsc::Sender<(InstanceKey, InstanceEvent)>,
    instances: BTreeMap<InstanceKey, Instance>,
    tasks: JoinSet<InstanceKey>,
    all: CancellationToken,
    last_key: InstanceKey,
}

impl InstancePool {
    pub fn new(
        context: InstanceContext,
        events: mpsc::Sender<(InstanceKey, InstanceEvent)>,
    ) -> Self {
        Self {
            context,
            events,
            instances: BTreeMap::new(),
            tasks: JoinSet::new(),
            all: CancellationToken::new(),
            last_key: 0,
        }
    }

    pub fn is_full(&self) -> bool {
        self.instances.len() >= MAX_INSTANCES
    }

    pub fn start(
        &mut self,
        server: &str,
        config: Arc<McpServer>,
        owner: InstanceOwner,
    ) -> InstanceKey {
        self.last_key += 1;
        let key = self.last_key;
        let stop = self.all.child_token();
        let task = InstanceTask {
            key,
            name: server.to_owned(),
            server: config.clone(),
            context: self.context.clone(),
            stop: stop.clone(),
            events: self.events.clone(),
        };
        let task = self.tasks.spawn(task.run()).id();
        let state = InstanceState::Starting { since: Instant::now(), waiters: Vec::new() };
        let instance = Instance { server: server.to_owned(), config, owner, state, stop, task };
        self.instances.insert(key, instance);
        key
    }

    pub fn get(&self, key: InstanceKey) -> Option<&Instance> {
        self.instances.get(&key)
    }

    pub fn get_mut(&mut self, key: InstanceKey) -> Option<&mut Instance> {
        self.instances.get_mut(&key)
    }

    /// An instance of this configuration and owner whose connection is open.
    pub fn find(
        &self,
        server: &str,
        config: &McpServer,
        owner: &InstanceOwner,
    ) -> Option<InstanceKey> {
        let matches = |instance: &Instance| {
            let alive = match &instance.state {
                InstanceState::Starting { .. } => true,
                InstanceState::Ready(handle) => handle.is_open(),
            };
            alive
                && instance.server == server
                && *instance.config == *config
                && instance.owner == *owner
        };
        self.instances.iter().find_map(|(key, instance)| matches(instance).then_some(*key))
    }

    /// Marks an instance as ready and notifies its waiters.
    pub fn set_ready(&mut self, key: InstanceKey, connection: Connection, listing: Arc<Listing>) {
        let Some(instance) = self.instances.get_mut(&key) else { return };
        let (listing, stop) = (Mutex::new(listing), instance.stop.clone().drop_guard());
        let handle = Arc::new(InstanceHandle { connection, listing, _stop: stop });
        let before = std::mem::replace(&mut instance.state, InstanceState::Ready(handle.clone()));
        if let InstanceState::Starting { waiters, .. } = before {
            for waiter in waiters {
                let _ = waiter.send(Ok(handle.clone()));
            }
        }
    }

    /// Replaces its tool list.
    pub fn set_listing(&mut self, key: InstanceKey, listing: Arc<Listing>) {
        if let Some(InstanceState::Ready(handle)) = self.instances.get(&key).map(|one| &one.state) {
            *handle.listing.lock().unwrap_or_else(PoisonError::into_inner) = listing;
        }
    }

    /// Sends a handle as soon as the instance is ready.
    pub fn send_handle(&mut self, key: InstanceKey, waiter: Waiter) {
        match self.instances.get_mut(&key).map(|instance| &mut instance.state) {
            Some(InstanceState::Ready(handle)) => _ = waiter.send(Ok(handle.clone())),
            Some(InstanceState::Starting { waiters, .. }) => waiters.push(waiter),
            None => _ = waiter.send(Err(Text::new("it has ended", "它已结束").into())),
        }
    }

    /// Releases an instance; running calls finish first.
    pub fn release(&mut self, key: InstanceKey, reason: impl Into<Localized>) -> Option<Instance> {
        let mut instance = self.instances.remove(&key)?;
        if let InstanceState::Starting { waiters, .. } = &mut instance.state {
            instance.stop.cancel();
            let reason = reason.into();
            for waiter in waiters.drain(..) {
                let _ = waiter.send(Err(reason.clone()));
            }
        }
        Some(instance)
    }

    /// Releases all matching instances; true if there was one.
    pub fn release_matching(
        &mut self,
        reason: Text,
        matches: impl Fn(InstanceKey, &Instance) -> bool,
    ) -> bool {
        let keys: Vec<InstanceKey> = self
            .instances
            .iter()
            .filter(|(key, instance)| matches(**key, instance))
            .map(|(key, _)| *key)
            .collect();
        let any = !keys.is_empty();
        for key in keys {
            self.release(key, reason);
        }
        any
    }

    /// Dialogs with an instance of their own, and its server.
    pub fn leases(&self) -> Vec<(DialogId, String)> {
        let leases = self.instances.values().filter_map(|instance| match &instance.owner {
            InstanceOwner::Dialog(dialog) => Some((dialog.clone(), instance.server.clone())),
            InstanceOwner::Unassigned | InstanceOwner::Shared => None,
        });
        leases.collect()
    }

    /// The key of the next instance whose task ends; none while there is no task.
    pub async fn next_ended(&mut self) -> Option<InstanceKey> {
        match self.tasks.join_next().await? {
            Ok(key) => Some(key),
            Err(error) => {
                // It ends as every other: calls fail, and the server is started again if it is wanted.
                tracing::error!(%error, "the task of an MCP server instance panicked");
                let task = error.id();
                self.instances
                    .iter()
                    .find_map(|(key, instance)| (instance.task == task).then_some(*key))
            }
        }
    }

    /// Ends all instances.
    pub async fn end(mut self) {
        self.instances.clear();
        self.all.cancel();
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(SHUTDOWN_TIMEOUT, ended).await.is_err() {
            self.tasks.shutdown().await;
        }
    }
}

/// True if an instance is leased to this dialog, or to one of this tree.
pub(super) fn is_owned_by(owner: &InstanceOwner, whose: &LeaseScope) -> bool {
    match (owner, whose) {
        (InstanceOwner::Dialog(dialog), LeaseScope::Dialog(wanted)) => dialog == wanted,
        (InstanceOwner::Dialog(dialog), LeaseScope::Tree(root)) => dialog.root == *root,
        (InstanceOwner::Unassigned | InstanceOwner::Shared, _) => false,
    }
}
