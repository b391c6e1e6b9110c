//! The task that owns all servers and instances. It handles one request or event at a time and never
//! waits for a server: slow work has a task of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::instance::{InstanceContext, InstanceEvent};
use super::listing::Listing;
use super::plan::{BlockReason, ServerAction, plan};
use super::pool::{
    Instance, InstanceKey, InstanceOwner, InstancePool, InstanceState, Waiter, is_owned_by,
};
use super::server::{ActiveConfig, Server, name_taken, with_line};
use super::snapshot::{ActiveList, Snapshot};
use super::tool::ServerTool;
use super::tool_list::{self, ServerTools};
use crate::domain::text::{Text, localized};
use crate::domain::{DialogId, Problem, SharedSecrets};
use crate::minds::mcp_config::{FETCH_RESOURCE, LIST_RESOURCES, McpServer, PATH, RESOURCES};
use crate::tools::LeaseScope;

/// Why an instance was released.
const LET_GO: Text = Text::new("it was let go", "它已被释放");
const STARTED_ANEW: Text = Text::new("it was started anew", "它已重新启动");
const ENDED_EARLY: Text = Text::new("it ended while it started", "它在启动时结束了");

/// The longest wait of a generation for a server that is starting.
pub(super) const READY_TIMEOUT: Duration = Duration::from_secs(10);
/// Capacity of the channels. The supervisor never blocks, so a full one is a short wait.
pub(super) const CHANNEL_CAPACITY: usize = 64;

/// A request to the supervisor.
#[derive(Debug)]
pub(super) enum SupervisorRequest {
    /// Apply the configuration; answered when no server is starting any more, or after a timeout.
    Settle {
        desired: Vec<Desired>,
        reply: oneshot::Sender<()>,
    },
    /// A dialog is about to call a tool; or a person uses a server for it, which leases nothing.
    Use {
        server: String,
        dialog: DialogId,
        leases: bool,
        reply: Waiter,
    },
    /// Restart a server; answered when it is ready, or with the reason why it is not.
    Restart {
        server: String,
        reply: Waiter,
    },
    /// Answered with whether any instance was leased.
    Release {
        whose: LeaseScope,
        server: Option<String>,
        reply: oneshot::Sender<bool>,
    },
    Close,
}

/// A server as configured now.
#[derive(Debug)]
pub(super) struct Desired {
    pub id: String,
    pub line: Option<usize>,
    /// `None`: the entry is broken, so the server keeps its former configuration.
    pub server: Option<McpServer>,
    /// The user agreed to it.
    pub allowed: bool,
    /// A list with waiting tools, and those that still wait.
    pub judged: Option<(Arc<Listing>, BTreeSet<String>)>,
}

#[derive(Debug)]
pub(super) struct McpSupervisor {
    requests: mpsc::Receiver<SupervisorRequest>,
    /// Cloned into the tools.
    tx: mpsc::WeakSender<SupervisorRequest>,
    events: mpsc::Receiver<(InstanceKey, InstanceEvent)>,
    pool: InstancePool,
    vault: SharedSecrets,
    /// The servers, in the order of the file.
    servers: Vec<Server>,
    /// Names in use elsewhere.
    taken: BTreeSet<String>,
    /// Problems of servers whose name is in use.
    refused: Vec<Problem>,
    snapshots: watch::Sender<Arc<Snapshot>>,
    settle_waiters: Vec<oneshot::Sender<()>>,
}

impl McpSupervisor {
    pub fn new(
        context: InstanceContext,
        taken: BTreeSet<String>,
        tx: mpsc::WeakSender<SupervisorRequest>,
        requests: mpsc::Receiver<SupervisorRequest>,
        snapshots: watch::Sender<Arc<Snapshot>>,
    ) -> Self {
        let vault = context.vault.clone();
        let (events_tx, events) = mpsc::channel(CHANNEL_CAPACITY);
        let pool = InstancePool::new(context, events_tx);
        let (servers, refused, settle_waiters) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            requests,
            tx,
            events,
            pool,
            vault,
            servers,
            taken,
            refused,
            snapshots,
            settle_waiters,
        }
    }

    /// Runs until it is closed or all senders are dropped.
    pub async fn run(mut self) {
        loop {
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(SupervisorRequest::Close) | None => break,
                    Some(request) => self.handle_request(request),
                },
                Some((key, event)) = self.events.recv() => self.handle_event(key, event),
                Some(key) = self.pool.next_ended() => self.ended(key),
            }
            self.answer_settled();
        }
        self.events.close();
        self.pool.end().await;
    }

    fn handle_request(&mut self, request: SupervisorRequest) {
        match request {
            SupervisorRequest::Settle { desired, reply } => {
                self.reconcile(desired);
                self.settle_waiters.push(reply);
            }
            SupervisorRequest::Use { server, dialog, leases, reply } => {
                self.lend(&server, (dialog, leases), reply);
            }
            SupervisorRequest::Restart { server, reply } => self.restart(&server, reply),
            SupervisorRequest::Release { whose, server, reply } => {
                let any = self.pool.release_matching(LET_GO, |_, one| {
                    is_owned_by(&one.owner, &whose)
                        && server.as_ref().is_none_or(|id| *id == one.server)
                });
                self.publish();
                let _ = reply.send(any);
            }
            SupervisorRequest::Close => {}
        }
    }

    // --- configuration -------------------------------------------------------------------------

    fn reconcile(&mut self, desired: Vec<Desired>) {
        let mut before = std::mem::take(&mut self.servers);
        self.refused.clear();
        for server in desired {
            // Who is granted the toolset for resources must not get the tools of a server with it.
            if self.taken.contains(&server.id) || server.id == RESOURCES {
                self.refused.push(with_line(name_taken(&server.id), server.line));
                continue;
            }
            let index = before.iter().position(|known| known.id == server.id);
            let previous = index.map(|index| before.swap_remove(index));
            let server = self.merge(server, previous);
            self.servers.extend(server);
        }
        for removed in before {
            let reason = Text::new("it is not in the configuration any more", "它已不在配置中");
            self.pool.release_matching(reason, |_, one| one.server == removed.id);
        }
        self.publish();
    }

    /// The server after its configuration was read.
    fn merge(&mut self, desired: Desired, previous: Option<Server>) -> Option<Server> {
        let mut previous = previous;
        if let (Some(active), Some((listing, held))) =
            (previous.as_mut().and_then(|one| one.active.as_mut()), desired.judged)
            && Arc::ptr_eq(&active.listing, &listing)
        {
            active.held = held;
        }
        let Some(wanted) = desired.server else {
            return previous;
        };
        if wanted.transport.lacks_a_secret() {
            self.withdraw(previous.as_mut());
        }
        let action = plan(&wanted, previous.as_ref().map(Server::status), desired.allowed);
        let wanted = Arc::new(wanted);
        let mut server = previous.unwrap_or_else(|| Server {
            id: desired.id,
            line: None,
            wanted: wanted.clone(),
            active: None,
            trial: None,
            blocked: None,
        });
        server.line = desired.line;
        if action == ServerAction::Keep {
            return Some(server);
        }
        server.wanted = wanted;
        if let Some(trial) = server.trial.take() {
            self.pool.release(trial, Text::new("its configuration changed", "它的配置已改变"));
        }
        server.blocked = (action == ServerAction::AwaitPermission)
            .then(|| (BlockReason::NotPermitted, Instant::now()));
        if action == ServerAction::Start {
            server.trial =
                Some(self.pool.start(&server.id, server.wanted.clone(), InstanceOwner::Unassigned));
        }
        Some(server)
    }

    /// Ends what runs with a secret that it does not get any more.
    fn withdraw(&mut self, server: Option<&mut Server>) {
        let Some(server) = server.filter(|server| server.active.is_some()) else { return };
        server.active = None;
        let reason = Text::new("it does not get its secret any more", "它不再得到它的机密");
        self.pool.release_matching(reason, |_, one| one.server == server.id);
    }

    // --- events of instances -------------------------------------------------------------------

    fn handle_event(&mut self, key: InstanceKey, event: InstanceEvent) {
        match event {
            InstanceEvent::Open { connection, listing, held } => {
                self.pool.set_ready(key, connection, listing.clone());
                if self.trial_of(key).is_some() {
                    self.trial_succeeded(key, listing, held);
                } else if !held.is_empty() {
                    // Tools of one instance without consent are offered to no member.
                    self.set_tools(key, listing, Some(held));
                }
            }
            InstanceEvent::Tools { listing, held } => {
                self.pool.set_listing(key, listing.clone());
                self.set_tools(key, listing, held);
            }
            InstanceEvent::Failed(reason) => {
                self.pool.release(key, reason.clone());
                if let Some(server) = self.trial_of(key) {
                    tracing::warn!(server = server.id, %reason, "an MCP server cannot be used");
                    server.trial = None;
                    server.blocked = Some((BlockReason::Failed(reason), Instant::now()));
                }
            }
        }
        self.publish();
    }

    /// An instance of the configuration in use has other tools.
    fn set_tools(
        &mut self,
        key: InstanceKey,
        listing: Arc<Listing>,
        held: Option<BTreeSet<String>>,
    ) {
        let Some(instance) = self.pool.get(key) else { return };
        let server = self.servers.iter_mut().find(|server| server.id == instance.server);
        let active = server.and_then(|server| server.active.as_mut());
        if let Some(active) = active.filter(|active| active.config == instance.config) {
            active.held = held.unwrap_or_else(|| listing.other_than(&active.listing, &active.held));
            active.listing = listing;
        }
    }

    /// The configuration that this was the trial of is in use from now on.
    fn trial_succeeded(&mut self, key: InstanceKey, listing: Arc<Listing>, held: BTreeSet<String>) {
        let Some(server) = self.trial_of(key) else { return };
        let config = server.wanted.clone();
        (server.trial, server.blocked) = (None, None);
        server.active = Some(ActiveConfig { config: config.clone(), listing, held });
        let id = server.id.clone();
        self.pool.release_matching(STARTED_ANEW, |other, one| one.server == id && other != key);
        if let Some(instance) = self.pool.get_mut(key).filter(|_| config.stateless) {
            instance.owner = InstanceOwner::Shared;
        }
    }

    fn trial_of(&mut self, key: InstanceKey) -> Option<&mut Server> {
        self.servers.iter_mut().find(|server| server.trial == Some(key))
    }

    fn ended(&mut self, key: InstanceKey) {
        // Handle the events it sent before it ended.
        while let Ok((key, event)) = self.events.try_recv() {
            self.handle_event(key, event);
        }
        if self.pool.release(key, ENDED_EARLY).is_some() {
            self.publish();
        }
        if let Some(server) = self.trial_of(key) {
            server.trial = None;
            let reason = BlockReason::Failed(ENDED_EARLY.into());
            server.blocked = Some((reason, Instant::now()));
            self.publish();
        }
    }

    // --- leases --------------------------------------------------------------------------------

    fn lend(&mut self, id: &str, (dialog, leases): (DialogId, bool), reply: Waiter) {
        let found = self.servers.iter().find(|server| server.id == id);
        let Some(active) = found.and_then(|server| server.active.as_ref()) else {
            let _ = reply.send(Err(Text::new("it is not there any more", "它已不存在").into()));
            return;
        };
        let config = active.config.clone();
        let owner =
            if config.stateless { InstanceOwner::Shared } else { InstanceOwner::Dialog(dialog) };
        let spare = self.pool.find(id, &config, &InstanceOwner::Unassigned);
        let found = self.pool.find(id, &config, &owner).or(spare);
        let is_owned = leases || config.stateless;
        let owner = if is_owned { owner } else { InstanceOwner::Unassigned };
        let key = match found {
            Some(key) => key,
            None if self.pool.is_full() => {
                let text = Text::new(
                    "too many instances run; let some go with mcp_release",
                    "运行的实例太多；请用 mcp_release 释放一些",
                );
                let _ = reply.send(Err(text.into()));
                return;
            }
            None => self.pool.start(id, config, owner.clone()),
        };
        if let Some(instance) = self.pool.get_mut(key).filter(|_| is_owned) {
            instance.owner = owner;
        }
        self.publish();
        self.pool.send_handle(key, reply);
    }

    fn restart(&mut self, id: &str, reply: Waiter) {
        let Some(server) = self.servers.iter_mut().find(|server| server.id == id) else {
            let _ = reply.send(Err(localized!(
                "{PATH} names no such server that can be used",
                "{PATH} 中没有这样的可用服务器"
            )));
            return;
        };
        if matches!(server.blocked, Some((BlockReason::NotPermitted, _))) {
            let text = Text::new("it waits for the consent of a person", "它在等待人的同意");
            let _ = reply.send(Err(text.into()));
            return;
        }
        if let Some(trial) = server.trial.take() {
            self.pool.release(trial, STARTED_ANEW);
        }
        let key = self.pool.start(id, server.wanted.clone(), InstanceOwner::Unassigned);
        server.trial = Some(key);
        self.pool.send_handle(key, reply);
    }

    // --- replies and snapshots -----------------------------------------------------------------

    /// Answers `Settle` requests when no server has been starting for less than the timeout.
    fn answer_settled(&mut self) {
        let is_fresh = |instance: &Instance| match instance.state {
            InstanceState::Starting { since, .. } => since.elapsed() < READY_TIMEOUT,
            InstanceState::Ready(_) => false,
        };
        let trials = self.servers.iter().filter_map(|server| server.trial);
        if trials.filter_map(|key| self.pool.get(key)).any(is_fresh) {
            return;
        }
        for waiter in self.settle_waiters.drain(..) {
            let _ = waiter.send(());
        }
    }

    /// Publishes a new snapshot.
    fn publish(&self) {
        let Some(tx) = self.tx.upgrade() else { return };
        let secrets = self.vault.secrets();
        let listed_tools: Vec<ServerTools> =
            self.servers.iter().filter_map(Server::listed).collect();
        let held = listed_tools.iter().flat_map(ServerTools::held_names).collect();
        let has_held = |active: &ActiveConfig| !active.held.is_empty();
        let has_resources = |active: &ActiveConfig| active.listing.resources.is_some();
        let has_prompts = |active: &ActiveConfig| active.listing.prompts.is_some();
        let prompts = self.servers.iter().filter_map(|server| list_of(server, has_prompts));
        let lists = self.servers.iter().filter_map(|server| list_of(server, has_held)).collect();
        let resources: Arc<[ActiveList]> =
            self.servers.iter().filter_map(|server| list_of(server, has_resources)).collect();
        let mut taken = self.taken.clone();
        if !resources.is_empty() {
            taken.extend([LIST_RESOURCES, FETCH_RESOURCE].map(str::to_owned));
        }
        let (offered_tools, tool_problems) =
            tool_list::offered_tools(&listed_tools, &taken, &secrets);
        let stateful = listed_tools.iter().filter(|server| !server.config.stateless);
        let server_problems = self.servers.iter().filter_map(Server::problem);
        let line_of = |id: &str| self.servers.iter().find(|server| server.id == id)?.line;
        let tool_problems =
            tool_problems.into_iter().map(|(server, problem)| with_line(problem, line_of(&server)));
        let all = self.refused.iter().cloned().chain(server_problems).chain(tool_problems);
        let snapshot = Snapshot {
            stateful: stateful.map(|server| server.server.to_owned()).collect(),
            problems: all.map(|problem| problem.redacted(&secrets)).collect(),
            held,
            lists,
            resources,
            prompts: prompts.collect(),
            leases: self.pool.leases(),
            tools: offered_tools
                .into_iter()
                .map(|entry| (entry.server.clone(), ServerTool::of(entry, tx.clone())))
                .collect(),
        };
        self.snapshots.send_replace(Arc::new(snapshot));
    }
}

/// The list of a server, if it is one of those that are looked for.
fn list_of(server: &Server, is_wanted: impl Fn(&ActiveConfig) -> bool) -> Option<ActiveList> {
    let active = server.active.as_ref().filter(|active| is_wanted(active))?;
    let (config, listing) = (active.config.clone(), active.listing.clone());
    Some(ActiveList { server: server.id.clone(), config, listing })
}
