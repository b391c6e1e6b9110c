//! The one task that knows which servers there are and what runs. It takes one order or sign at a time
//! and never waits for a server: what takes long is a task of its own.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::Tool;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::fleet::{Fleet, Holder, Instance, Key, State, Waiter, is_for};
use super::instance::{Event, InstanceContext};
use super::listed::{Good, Server, at, name_taken};
use super::plan::{Step, Trouble, step};
use super::roster::{self, Offer};
use super::snapshot::Snapshot;
use super::tool::ServerTool;
use crate::domain::{DialogId, Problem, Vault};
use crate::minds::mcp_config::{McpServer, PATH};
use crate::tools::Whose;

/// A generation waits this long for a server that starts.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// Orders that may wait; who finds it full waits shortly, for the keeper never does.
pub(super) const ORDERS: usize = 64;

/// What is asked of the keeper.
#[derive(Debug)]
pub(super) enum Request {
    /// Take in what the file says; answered when nothing starts any more that is worth waiting for.
    Settle {
        wishes: Vec<Desired>,
        reply: oneshot::Sender<()>,
    },
    /// A dialog wants to call a tool.
    Use {
        server: String,
        dialog: DialogId,
        reply: Waiter,
    },
    /// Start a server anew; answered when it can be used, or why it cannot.
    Restart {
        server: String,
        reply: Waiter,
    },
    /// Answered with whether anything was held.
    Release {
        whose: Whose,
        server: Option<String>,
        reply: oneshot::Sender<bool>,
    },
    Close,
}

/// A server as the file wants it now.
#[derive(Debug)]
pub(super) struct Desired {
    pub id: String,
    pub line: Option<usize>,
    /// `None`: the entry is broken, so the server stays as it is.
    pub server: Option<McpServer>,
    /// A person agreed to it.
    pub allowed: bool,
}

#[derive(Debug)]
pub(super) struct McpSupervisor {
    orders: mpsc::Receiver<Request>,
    /// For the tools that are made here.
    tx: mpsc::WeakSender<Request>,
    signs: mpsc::Receiver<(Key, Event)>,
    fleet: Fleet,
    vault: Vault,
    /// In the order of the file.
    servers: Vec<Server>,
    /// Names a server or its tools cannot have.
    taken: BTreeSet<String>,
    /// Servers that cannot be called what they are called.
    refused: Vec<Problem>,
    told: watch::Sender<Arc<Snapshot>>,
    settling: Vec<oneshot::Sender<()>>,
}

impl McpSupervisor {
    pub fn new(
        around: InstanceContext,
        taken: BTreeSet<String>,
        desk: mpsc::WeakSender<Request>,
        orders: mpsc::Receiver<Request>,
        told: watch::Sender<Arc<Snapshot>>,
    ) -> Self {
        let vault = around.vault.clone();
        let (signs_in, signs) = mpsc::channel(ORDERS);
        let fleet = Fleet::new(around, signs_in);
        let (servers, refused, settling) = (Vec::new(), Vec::new(), Vec::new());
        Self { orders, tx: desk, signs, fleet, vault, servers, taken, refused, told, settling }
    }

    /// Works until it is told to close, or nobody can give orders any more.
    pub async fn run(mut self) {
        loop {
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(Request::Close) | None => break,
                    Some(order) => self.take(order),
                },
                Some((key, sign)) = self.signs.recv() => self.hear(key, sign),
                Some(key) = self.fleet.next_end() => self.ended(key),
            }
            self.answer_settled();
        }
        self.signs.close();
        self.fleet.end().await;
    }

    fn take(&mut self, order: Request) {
        match order {
            Request::Settle { wishes, reply } => {
                self.reconcile(wishes);
                self.settling.push(reply);
            }
            Request::Use { server, dialog, reply } => self.lend(&server, dialog, reply),
            Request::Restart { server, reply } => self.restart(&server, reply),
            Request::Release { whose, server, reply } => {
                let any = self.fleet.let_go_of("it was let go", |_, one| {
                    is_for(&one.holder, &whose)
                        && server.as_ref().is_none_or(|id| *id == one.server)
                });
                self.publish();
                let _ = reply.send(any);
            }
            Request::Close => {}
        }
    }

    // --- what the file says --------------------------------------------------------------------

    fn reconcile(&mut self, wishes: Vec<Desired>) {
        let mut before = std::mem::take(&mut self.servers);
        self.refused.clear();
        for wish in wishes {
            if self.taken.contains(&wish.id) {
                self.refused.push(at(name_taken(&wish.id), wish.line));
                continue;
            }
            let at = before.iter().position(|server| server.id == wish.id);
            let known = at.map(|at| before.swap_remove(at));
            let server = self.meet(wish, known);
            self.servers.extend(server);
        }
        for gone in before {
            let why = "it is not in the configuration any more";
            self.fleet.let_go_of(why, |_, one| one.server == gone.id);
        }
        self.publish();
    }

    /// A server as it is after the file was read.
    fn meet(&mut self, wish: Desired, known: Option<Server>) -> Option<Server> {
        let Some(wanted) = wish.server else {
            return known;
        };
        let todo = step(&wanted, known.as_ref().map(Server::known), wish.allowed);
        let wanted = Arc::new(wanted);
        let mut server = known.unwrap_or_else(|| Server {
            id: wish.id,
            line: None,
            wanted: wanted.clone(),
            good: None,
            trial: None,
            trouble: None,
        });
        server.line = wish.line;
        if todo == Step::Keep {
            return Some(server);
        }
        server.wanted = wanted;
        if let Some(trial) = server.trial.take() {
            self.fleet.let_go(trial, "its configuration changed");
        }
        server.trouble = (todo == Step::Hold).then(|| (Trouble::Unagreed, Instant::now()));
        if todo == Step::Try {
            server.trial =
                Some(self.fleet.start(&server.id, server.wanted.clone(), Holder::Nobody));
        }
        Some(server)
    }

    // --- what instances tell -------------------------------------------------------------------

    fn hear(&mut self, key: Key, sign: Event) {
        match sign {
            Event::Open { peer, tools } => {
                self.fleet.opened(key, peer);
                self.proved(key, tools);
            }
            Event::Tools(tools) => {
                let Some(instance) = self.fleet.get(key) else { return };
                let server = self.servers.iter_mut().find(|server| server.id == instance.server);
                let good = server.and_then(|server| server.good.as_mut());
                if let Some(good) = good.filter(|good| good.config == instance.config) {
                    good.tools = tools;
                }
            }
            Event::Failed(why) => {
                self.fleet.let_go(key, &why);
                if let Some(server) = self.trial_of(key) {
                    tracing::warn!(server = server.id, why, "an MCP server cannot be used");
                    server.trial = None;
                    server.trouble = Some((Trouble::Failed(why), Instant::now()));
                }
            }
        }
        self.publish();
    }

    /// If this was the trial of a configuration, that is in use from now on.
    fn proved(&mut self, key: Key, tools: Vec<Tool>) {
        let Some(server) = self.trial_of(key) else { return };
        let config = server.wanted.clone();
        (server.trial, server.trouble) = (None, None);
        server.good = Some(Good { config: config.clone(), tools });
        let id = server.id.clone();
        self.fleet.let_go_of("it was started anew", |other, one| one.server == id && other != key);
        if let Some(instance) = self.fleet.get_mut(key).filter(|_| config.stateless) {
            instance.holder = Holder::All;
        }
    }

    fn trial_of(&mut self, key: Key) -> Option<&mut Server> {
        self.servers.iter_mut().find(|server| server.trial == Some(key))
    }

    fn ended(&mut self, key: Key) {
        // What it said before it ended is heard first.
        while let Ok((key, sign)) = self.signs.try_recv() {
            self.hear(key, sign);
        }
        if self.fleet.let_go(key, "it ended while it started").is_some() {
            self.publish();
        }
        if let Some(server) = self.trial_of(key) {
            server.trial = None;
            let why = Trouble::Failed("it ended while it started".to_owned());
            server.trouble = Some((why, Instant::now()));
            self.publish();
        }
    }

    // --- who uses what -------------------------------------------------------------------------

    fn lend(&mut self, id: &str, dialog: DialogId, reply: Waiter) {
        let found = self.servers.iter().find(|server| server.id == id);
        let Some(good) = found.and_then(|server| server.good.as_ref()) else {
            let _ = reply.send(Err("it is not there any more".to_owned()));
            return;
        };
        let config = good.config.clone();
        let holder = if config.stateless { Holder::All } else { Holder::Dialog(dialog) };
        let spare = self.fleet.find(id, &config, &Holder::Nobody);
        let key = match self.fleet.find(id, &config, &holder).or(spare) {
            Some(key) => key,
            None if self.fleet.is_full() => {
                let text = "too many instances run; let some go with mcp_release";
                let _ = reply.send(Err(text.to_owned()));
                return;
            }
            None => self.fleet.start(id, config, holder.clone()),
        };
        if let Some(instance) = self.fleet.get_mut(key) {
            instance.holder = holder;
        }
        self.publish();
        self.fleet.hand(key, reply);
    }

    fn restart(&mut self, id: &str, reply: Waiter) {
        let Some(server) = self.servers.iter_mut().find(|server| server.id == id) else {
            let _ = reply.send(Err(format!("{PATH} names no such server that can be used")));
            return;
        };
        if matches!(server.trouble, Some((Trouble::Unagreed, _))) {
            let _ = reply.send(Err("it waits for the consent of a person".to_owned()));
            return;
        }
        if let Some(trial) = server.trial.take() {
            self.fleet.let_go(trial, "it was started anew");
        }
        let key = self.fleet.start(id, server.wanted.clone(), Holder::Nobody);
        server.trial = Some(key);
        self.fleet.hand(key, reply);
    }

    // --- telling -------------------------------------------------------------------------------

    /// Whoever waits for servers that start is answered when none is worth waiting for.
    fn answer_settled(&mut self) {
        let fresh = |instance: &Instance| match instance.state {
            State::Opening { since, .. } => since.elapsed() < PATIENCE,
            State::Open(_) => false,
        };
        let trials = self.servers.iter().filter_map(|server| server.trial);
        if trials.filter_map(|key| self.fleet.get(key)).any(fresh) {
            return;
        }
        for waiter in self.settling.drain(..) {
            let _ = waiter.send(());
        }
    }

    /// What everybody sees from now on.
    fn publish(&self) {
        let Some(desk) = self.tx.upgrade() else { return };
        let secrets = self.vault.secrets();
        let offers: Vec<Offer> = self.servers.iter().filter_map(Server::offer).collect();
        let (entries, doubts) = roster::entries(&offers, &self.taken, &secrets);
        let stateful = offers.iter().filter(|offer| !offer.config.stateless);
        let troubles = self.servers.iter().filter_map(Server::problem);
        let lines = |id: &str| self.servers.iter().find(|server| server.id == id)?.line;
        let doubts = doubts.into_iter().map(|(server, problem)| at(problem, lines(&server)));
        let all = self.refused.iter().cloned().chain(troubles).chain(doubts);
        let snapshot = Snapshot {
            stateful: stateful.map(|offer| offer.server.to_owned()).collect(),
            problems: all.map(|problem| problem.redacted(&secrets)).collect(),
            held: self.fleet.held(),
            tools: entries
                .into_iter()
                .map(|entry| (entry.server.clone(), ServerTool::of(entry, desk.clone())))
                .collect(),
        };
        self.told.send_replace(Arc::new(snapshot));
    }
}
