//! The public interface to all servers.

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
use super::prompts;
use super::resources;
use super::snapshot::{ActiveList, Snapshot};
use super::supervisor::{
    CHANNEL_CAPACITY, Desired, McpSupervisor, READY_TIMEOUT, SupervisorRequest,
};
use super::tool_list;
use crate::domain::safety::references::VaultUse;
use crate::domain::safety::sandbox::Level;
use crate::domain::{DialogId, Lang, Problem, PromptCall, Reminder, ServerPrompt, SharedSecrets};
use crate::llm::Clients;
use crate::minds::mcp_config::{McpFile, McpServer, RESOURCES};
use crate::sandbox::Sandbox;
use crate::tools::{LeaseScope, PromptText, Registry, ReminderUpdate, Tool, ToolSource};

/// What the servers of a workspace need.
#[derive(Clone)]
pub struct Setup {
    pub workspace: Arc<Path>,
    /// This program, which supervises the processes of servers.
    pub program: Arc<Path>,
    pub lang: Lang,
    pub env: &'static EnvReader,
    pub clients: Clients,
    /// Learns the secrets that servers get.
    pub vault: SharedSecrets,
    pub permission: Arc<dyn Permission>,
    /// Names of tools and toolsets in use elsewhere.
    pub taken: BTreeSet<String>,
    /// The sandbox for servers that are programs, unless the user turned it off.
    pub sandbox: Option<(Sandbox, Level)>,
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
    vault: SharedSecrets,
    tx: mpsc::Sender<SupervisorRequest>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    /// Taken when it is run.
    supervisor: Mutex<Option<McpSupervisor>>,
}

impl Servers {
    /// Nothing is started before the first [`ToolSource::settle`].
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let (tx, requests) = mpsc::channel(CHANNEL_CAPACITY);
        let (snapshots_tx, snapshots) = watch::channel(Arc::default());
        let Setup { workspace, program, lang, env, clients, vault, permission, mut taken, sandbox } =
            setup;
        taken.extend(super::BUILT_IN_NAMES.map(str::to_owned));
        let context = InstanceContext {
            workspace: workspace.clone(),
            program,
            env,
            clients,
            permission: permission.clone(),
            vault: vault.clone(),
            sandbox,
        };
        let supervisor = McpSupervisor::new(context, taken, tx.downgrade(), requests, snapshots_tx);
        let supervisor = Mutex::new(Some(supervisor));
        Self { workspace, lang, permission, vault, tx, snapshots, supervisor }
    }

    /// The current tools, as (server, tool).
    pub fn tools(&self) -> Vec<(String, String)> {
        let name = |(server, tool): &(String, Arc<dyn Tool>)| {
            (server.clone(), tool.spec().name.to_string())
        };
        self.now().tools.iter().map(name).collect()
    }

    fn now(&self) -> Arc<Snapshot> {
        self.snapshots.borrow().clone()
    }

    fn request(&self, request: SupervisorRequest) -> impl Future<Output = ()> + Send + use<> {
        let tx = self.tx.clone();
        async move { _ = tx.send(request).await }
    }
}

/// Returns the configured servers; `None` if the file is broken, so that everything stays as it is. Waiting
/// tools are checked again: a person may have agreed meanwhile.
fn desired(
    workspace: &Path,
    permission: &dyn Permission,
    lists: &[ActiveList],
    vault: &SharedSecrets,
) -> Option<Vec<Desired>> {
    let file = McpFile::load(workspace);
    let desired = file.servers.into_iter().map(|declared| {
        let may = |server: &McpServer| permission.may(&declared.id, &server.transport);
        let allowed = declared.server.as_ref().is_some_and(may);
        let judged = lists.iter().find(|list| list.server == declared.id).and_then(|list| {
            let (transport, facts) = (&list.config.transport, &list.listing.facts);
            let held = permission.held_tools(&declared.id, transport, facts).ok()?;
            Some((list.listing.clone(), held))
        });
        let (id, line) = (declared.id, declared.line);
        let version = |team: &str, key: &str| {
            let entry =
                vault.entry(team, key).filter(|one| one.rights.uses.contains(&VaultUse::Mcp));
            entry.map(|entry| entry.version)
        };
        let server = declared.server.map(|server| McpServer {
            transport: server.transport.with_versions(&version),
            ..server
        });
        Desired { id, line, server, allowed, judged }
    });
    (!file.broken).then(|| desired.collect())
}

impl ToolSource for Servers {
    fn run(&self) -> BoxFuture<'static, ()> {
        match self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(supervisor) => Box::pin(supervisor.run()),
            None => Box::pin(ready(())),
        }
    }

    fn settle(&self) -> BoxFuture<'static, ()> {
        const MARGIN: Duration = Duration::from_millis(200);
        let (workspace, permission) = (self.workspace.clone(), self.permission.clone());
        let (tx, now, vault) = (self.tx.clone(), self.now(), self.vault.clone());
        Box::pin(async move {
            let read = move || desired(&workspace, &*permission, &now.lists, &vault);
            let read = tokio::task::spawn_blocking(read).await;
            let Ok(Some(desired)) = read else { return };
            let (reply, settled) = oneshot::channel();
            if tx.send(SupervisorRequest::Settle { desired, reply }).await.is_ok() {
                // After the timeout the tools are added later; a problem reports that.
                let _ = timeout(READY_TIMEOUT + MARGIN, settled).await;
            }
        })
    }

    fn add_to(&self, registry: &mut Registry) {
        let now = self.now();
        for (server, tool) in &now.tools {
            if let Err(error) = registry.add(server, tool.clone()) {
                // A name that is taken is a problem since the tools were listed.
                tracing::warn!(server, %error, "a tool of an MCP server is left out");
            }
        }
        for (server, tool) in &now.held {
            registry.withhold(server, tool, tool_list::held_text(server, tool));
        }
        for list in now.resources.iter() {
            registry.add_toolset(&list.server);
        }
        let of_resources = resources::tools(&self.tx, &now.resources);
        let own = admin::tools(&self.tx).map(|tool| (admin::TOOLSET, tool)).into_iter();
        for (toolset, tool) in own.chain(of_resources.into_iter().map(|tool| (RESOURCES, tool))) {
            if let Err(error) = registry.add(toolset, tool) {
                // Ours come last, and servers are offered no names of ours: this would be a fault of the program.
                tracing::warn!(%error, "a tool for MCP servers is left out");
            }
        }
        // A dialog that can lease an instance can release it.
        for server in &now.stateful {
            registry.share(server, RELEASE);
        }
    }

    fn problems(&self) -> Vec<Problem> {
        self.now().problems.clone()
    }

    fn prompts(&self) -> Vec<ServerPrompt> {
        let now = self.now();
        let lists = now.prompts.iter().filter_map(|list| list.listing.prompts.as_ref());
        lists.flat_map(|list| &list.entries).map(|entry| entry.shown.clone()).collect()
    }

    fn prompt(&self, dialog: &DialogId, call: &PromptCall) -> Option<PromptText> {
        let now = self.now();
        let list = now.prompts.iter().find(|list| list.server == call.server)?;
        let mut entries = list.listing.prompts.as_ref()?.entries.iter();
        let original = entries.find(|entry| entry.shown.name == call.name)?.original.clone();
        let (call, dialog, tx) = (call.clone(), dialog.clone(), self.tx.clone());
        let reader = (self.vault.secrets(), self.lang);
        Some(Box::pin(prompts::text_of(original, call, dialog, tx, reader)))
    }

    fn update_reminders(&self, dialog: &DialogId, reminders: &[Reminder]) -> Vec<ReminderUpdate> {
        lease::upkeep(&self.now().leased_by(dialog), reminders, self.lang)
    }

    fn release(&self, whose: LeaseScope) -> BoxFuture<'static, ()> {
        let (reply, released) = oneshot::channel();
        let request = self.request(SupervisorRequest::Release { whose, server: None, reply });
        Box::pin(async move {
            request.await;
            let _ = released.await;
        })
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.request(SupervisorRequest::Close))
    }
}
