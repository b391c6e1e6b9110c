//! The instances that run, and who may use which.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{Peer, RoleClient};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::instance::{Birth, Event, InstanceContext};
use crate::domain::DialogId;
use crate::minds::mcp_config::McpServer;
use crate::tools::Whose;

/// Instances that run at once.
const MAX: usize = 64;
/// Until all have ended when the program does; what is left is killed.
const ENDING: Duration = Duration::from_secs(2);

pub(super) type Key = u64;
pub(super) type Waiter = oneshot::Sender<Result<Arc<Hold>, String>>;

/// The right to use an instance. It ends when the last of these is gone.
#[derive(Debug)]
pub(super) struct Hold {
    pub peer: Peer<RoleClient>,
    _stop: DropGuard,
}

/// Whom an instance is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    /// Nobody yet: it shows what the server has.
    Nobody,
    /// Every dialog.
    All,
    Dialog(DialogId),
}

#[derive(Debug)]
pub(super) struct Instance {
    pub server: String,
    pub config: Arc<McpServer>,
    pub holder: Holder,
    pub state: State,
    stop: CancellationToken,
    task: tokio::task::Id,
}

#[derive(Debug)]
pub(super) enum State {
    Opening { since: Instant, waiters: Vec<Waiter> },
    Open(Arc<Hold>),
}

#[derive(Debug)]
pub(super) struct Fleet {
    around: InstanceContext,
    signs: mpsc::Sender<(Key, Event)>,
    instances: BTreeMap<Key, Instance>,
    tasks: JoinSet<Key>,
    all: CancellationToken,
    last_key: Key,
}

impl Fleet {
    pub fn new(around: InstanceContext, signs: mpsc::Sender<(Key, Event)>) -> Self {
        Self {
            around,
            signs,
            instances: BTreeMap::new(),
            tasks: JoinSet::new(),
            all: CancellationToken::new(),
            last_key: 0,
        }
    }

    pub fn is_full(&self) -> bool {
        self.instances.len() >= MAX
    }

    pub fn start(&mut self, server: &str, config: Arc<McpServer>, holder: Holder) -> Key {
        self.last_key += 1;
        let key = self.last_key;
        let stop = self.all.child_token();
        let birth = Birth {
            key,
            name: server.to_owned(),
            server: config.clone(),
            around: self.around.clone(),
            stop: stop.clone(),
            signs: self.signs.clone(),
        };
        let task = self.tasks.spawn(birth.live()).id();
        let state = State::Opening { since: Instant::now(), waiters: Vec::new() };
        let instance = Instance { server: server.to_owned(), config, holder, state, stop, task };
        self.instances.insert(key, instance);
        key
    }

    pub fn get(&self, key: Key) -> Option<&Instance> {
        self.instances.get(&key)
    }

    pub fn get_mut(&mut self, key: Key) -> Option<&mut Instance> {
        self.instances.get_mut(&key)
    }

    /// An instance of this configuration for this holder whose connection stands.
    pub fn find(&self, server: &str, config: &McpServer, holder: &Holder) -> Option<Key> {
        let fits = |one: &Instance| {
            let alive = match &one.state {
                State::Opening { .. } => true,
                State::Open(hold) => !hold.peer.is_transport_closed(),
            };
            alive && one.server == server && *one.config == *config && one.holder == *holder
        };
        self.instances.iter().find_map(|(key, one)| fits(one).then_some(*key))
    }

    /// It can be used from now on; who waited for it is told.
    pub fn opened(&mut self, key: Key, peer: Peer<RoleClient>) {
        let Some(instance) = self.instances.get_mut(&key) else { return };
        let hold = Arc::new(Hold { peer, _stop: instance.stop.clone().drop_guard() });
        let before = std::mem::replace(&mut instance.state, State::Open(hold.clone()));
        if let State::Opening { waiters, .. } = before {
            for waiter in waiters {
                let _ = waiter.send(Ok(hold.clone()));
            }
        }
    }

    /// Tells the one who asks as soon as the instance can be used.
    pub fn hand(&mut self, key: Key, waiter: Waiter) {
        match self.instances.get_mut(&key).map(|instance| &mut instance.state) {
            Some(State::Open(hold)) => _ = waiter.send(Ok(hold.clone())),
            Some(State::Opening { waiters, .. }) => waiters.push(waiter),
            None => _ = waiter.send(Err("it has ended".to_owned())),
        }
    }

    /// Lets an instance go. Calls that run in it come to their end first.
    pub fn let_go(&mut self, key: Key, why: &str) -> Option<Instance> {
        let mut instance = self.instances.remove(&key)?;
        if let State::Opening { waiters, .. } = &mut instance.state {
            instance.stop.cancel();
            for waiter in waiters.drain(..) {
                let _ = waiter.send(Err(why.to_owned()));
            }
        }
        Some(instance)
    }

    /// Lets all go that are meant; true if there was one.
    pub fn let_go_of(&mut self, why: &str, meant: impl Fn(Key, &Instance) -> bool) -> bool {
        let keys: Vec<Key> = self
            .instances
            .iter()
            .filter(|(key, one)| meant(**key, one))
            .map(|(key, _)| *key)
            .collect();
        let any = !keys.is_empty();
        for key in keys {
            self.let_go(key, why);
        }
        any
    }

    /// Who holds an instance of which server.
    pub fn held(&self) -> Vec<(DialogId, String)> {
        let held = self.instances.values().filter_map(|one| match &one.holder {
            Holder::Dialog(dialog) => Some((dialog.clone(), one.server.clone())),
            Holder::Nobody | Holder::All => None,
        });
        held.collect()
    }

    /// The key of the next instance whose task ends; none while there is no task.
    pub async fn next_end(&mut self) -> Option<Key> {
        match self.tasks.join_next().await? {
            Ok(key) => Some(key),
            Err(error) => {
                tracing::error!(%error, "an instance of an MCP server broke");
                let task = error.id();
                self.instances.iter().find_map(|(key, one)| (one.task == task).then_some(*key))
            }
        }
    }

    /// Ends all.
    pub async fn end(mut self) {
        self.instances.clear();
        self.all.cancel();
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(ENDING, ended).await.is_err() {
            self.tasks.shutdown().await;
        }
    }
}

/// True if an instance is held for this dialog, or for one of this tree.
pub(super) fn is_for(holder: &Holder, whose: &Whose) -> bool {
    match (holder, whose) {
        (Holder::Dialog(dialog), Whose::Dialog(wanted)) => dialog == wanted,
        (Holder::Dialog(dialog), Whose::Tree(root)) => dialog.root == *root,
        (Holder::Nobody | Holder::All, _) => false,
    }
}
