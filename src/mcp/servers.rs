//! The front of this module: what the rest of the program sees of all servers.

use std::collections::BTreeSet;
use std::future::ready;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::admin;
use super::environment::EnvReader;
use super::instance::InstanceContext;
use super::lease::{self, RELEASE};
use super::plan::Permission;
use super::snapshot::Snapshot;
use super::supervisor::{Desired, McpSupervisor, ORDERS, PATIENCE, Request};
use crate::domain::sandbox::Level;
use crate::domain::{DialogId, Lang, Problem, Reminder, Vault};
use crate::llm::Clients;
use crate::minds::mcp_config::{McpFile, McpServer};
use crate::sandbox::Sandbox;
use crate::tools::{Registry, Tool, ToolSource, Upkeep, Whose};

/// What the servers of a workspace need.
#[derive(Clone)]
pub struct Setup {
    pub workspace: Arc<Path>,
    pub lang: Lang,
    pub env: &'static EnvReader,
    pub clients: Clients,
    /// Learns what servers are given.
    pub vault: Vault,
    pub permission: Arc<dyn Permission>,
    /// Names of tools and toolsets that are in use elsewhere.
    pub taken: BTreeSet<String>,
    /// What servers that are programs run behind, if a person wants that.
    pub wall: Option<(Sandbox, Level)>,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// All servers of a workspace.
#[derive(Debug)]
pub struct Servers {
    workspace: Arc<Path>,
    lang: Lang,
    permission: Arc<dyn Permission>,
    desk: mpsc::Sender<Request>,
    seen: watch::Receiver<Arc<Snapshot>>,
    /// Until it is run.
    keeper: Mutex<Option<McpSupervisor>>,
}

impl Servers {
    /// Nothing is started before the first [`ToolSource::settle`].
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let (desk, orders) = mpsc::channel(ORDERS);
        let (told, seen) = watch::channel(Arc::default());
        let Setup { workspace, lang, env, clients, vault, permission, mut taken, wall } = setup;
        taken.extend(super::ALWAYS.map(str::to_owned));
        let around = InstanceContext {
            workspace: workspace.clone(),
            env,
            clients,
            permission: permission.clone(),
            vault,
            wall,
        };
        let keeper = McpSupervisor::new(around, taken, desk.downgrade(), orders, told);
        let keeper = Mutex::new(Some(keeper));
        Self { workspace, lang, permission, desk, seen, keeper }
    }

    /// The tools there are now, each with its server.
    pub fn tools(&self) -> Vec<(String, String)> {
        let name = |(server, tool): &(String, Arc<dyn Tool>)| {
            (server.clone(), tool.spec().name.to_string())
        };
        self.now().tools.iter().map(name).collect()
    }

    fn now(&self) -> Arc<Snapshot> {
        self.seen.borrow().clone()
    }

    fn order(&self, order: Request) -> impl Future<Output = ()> + Send + use<> {
        let desk = self.desk.clone();
        async move { _ = desk.send(order).await }
    }
}

/// `None` where the file is broken, so that everything stays as it is.
fn wishes(workspace: &Path, permission: &dyn Permission) -> Option<Vec<Desired>> {
    let file = McpFile::load(workspace);
    let wishes = file.servers.into_iter().map(|declared| {
        let may = |server: &McpServer| permission.may(&declared.id, &server.transport);
        let allowed = declared.server.as_ref().is_some_and(may);
        Desired { id: declared.id, line: declared.line, server: declared.server, allowed }
    });
    (!file.broken).then(|| wishes.collect())
}

impl ToolSource for Servers {
    fn run(&self) -> BoxFuture<'static, ()> {
        match self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(keeper) => Box::pin(keeper.run()),
            None => Box::pin(ready(())),
        }
    }

    fn settle(&self) -> BoxFuture<'static, ()> {
        const MARGIN: Duration = Duration::from_millis(200);
        let (workspace, permission) = (self.workspace.clone(), self.permission.clone());
        let desk = self.desk.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || wishes(&workspace, &*permission)).await;
            let Ok(Some(wishes)) = read else { return };
            let (reply, settled) = oneshot::channel();
            if desk.send(Request::Settle { wishes, reply }).await.is_ok() {
                // Too long: the tools come later, a problem says so.
                let _ = timeout(PATIENCE + MARGIN, settled).await;
            }
        })
    }

    fn add_to(&self, registry: &mut Registry) {
        let now = self.now();
        for (server, tool) in &now.tools {
            if let Err(error) = registry.add(server, tool.clone()) {
                tracing::warn!(server, %error, "a tool of an MCP server is left out");
            }
        }
        for tool in admin::tools(&self.desk) {
            if let Err(error) = registry.add(admin::TOOLSET, tool) {
                tracing::warn!(%error, "a tool for MCP servers is left out");
            }
        }
        // Who can hold an instance can let it go.
        for server in &now.stateful {
            registry.share(server, RELEASE);
        }
    }

    fn problems(&self) -> Vec<Problem> {
        self.now().problems.clone()
    }

    fn upkeep(&self, dialog: &DialogId, reminders: &[Reminder]) -> Vec<Upkeep> {
        lease::upkeep(&self.now().held_by(dialog), reminders, self.lang)
    }

    fn release(&self, whose: Whose) -> BoxFuture<'static, ()> {
        let (reply, released) = oneshot::channel();
        let order = self.order(Request::Release { whose, server: None, reply });
        Box::pin(async move {
            order.await;
            let _ = released.await;
        })
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.order(Request::Close))
    }
}
