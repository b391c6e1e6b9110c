//! One instance of a server, from its start to its end: one task each.

use std::collections::BTreeSet;
use std::future::pending;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::FusedFuture as _;
use rmcp::model::{ClientConfig, ErrorCode, Implementation, PaginatedRequestParams, Tool};
use rmcp::service::{
    ClientCacheConfig, ClientInitializeError, NotificationContext, Peer, RoleClient, RunningService,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ClientHandler, ServiceError, ServiceExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::answers::{Answers, ConnectionEnd};
use super::environment::{EnvReader, ResolvedVariables};
use super::http;
use super::input::ServerInput;
use super::listing::Listing;
use super::message_filter::{MAX_BYTES, MessageFilter};
use super::plan::{NOT_AGREED, Permission};
use super::process::{self, ServerProcess, StderrTail};
use super::prompt_list::{MAX_PROMPTS, PromptEntry, PromptList};
use super::resource_list::{MAX_RESOURCES, ResourceEntry, ResourceList};
use super::result::sanitize;
use super::tool_list::MAX_TOOLS;
use crate::domain::SharedSecrets;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::{Localized, Text, localized};
use crate::llm::Clients;
use crate::minds::mcp_config::{McpServer, PromptRules, ResourceRules, StdioServer, Transport};
use crate::sandbox::Sandbox;

/// Timeout of the handshake and the first tool list; a first start may have to download the program.
const START_TIMEOUT: Duration = Duration::from_mins(2);
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of each list of resources or prompts: the tools wait for it.
const PART_TIMEOUT: Duration = Duration::from_secs(4);
/// Timeout of an orderly end of the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout of the remaining error output of a server that has ended.
const STDERR_TIMEOUT: Duration = Duration::from_millis(100);
const MAX_PAGES: usize = 64;
const MAX_REASON_CHARS: usize = 600;

/// What instances need from the rest of the program.
#[derive(Clone)]
pub(super) struct InstanceContext {
    pub workspace: Arc<Path>,
    /// This program, which supervises the processes of servers.
    pub program: Arc<Path>,
    pub env: &'static EnvReader,
    pub clients: Clients,
    pub permission: Arc<dyn Permission>,
    /// Learns the secrets that servers get, so that they are redacted everywhere.
    pub vault: SharedSecrets,
    pub sandbox: Option<(Sandbox, Level)>,
}

impl std::fmt::Debug for InstanceContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InstanceContext")
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// What an instance reports to the supervisor.
#[derive(Debug)]
pub(super) enum InstanceEvent {
    /// It is ready.
    Open { connection: Connection, listing: Arc<Listing>, held: BTreeSet<String> },
    /// Its tool list changed. `held`: the names of tools that wait for the user; `None`: consent to the
    /// server is gone, so no new tool has any.
    Tools { listing: Arc<Listing>, held: Option<BTreeSet<String>> },
    /// It could not be started; the reason for the user.
    Failed(Localized),
}

/// The way to a server.
#[derive(Debug)]
pub(super) struct Connection {
    pub peer: Peer<RoleClient>,
    pub end: Arc<ConnectionEnd>,
}

/// The task of an instance.
#[derive(Debug)]
pub(super) struct InstanceTask<K> {
    /// Sent with each event.
    pub key: K,
    pub name: String,
    pub server: Arc<McpServer>,
    pub context: InstanceContext,
    pub stop: CancellationToken,
    /// The supervisor never blocks, so a full channel is a short wait.
    pub events: mpsc::Sender<(K, InstanceEvent)>,
}

/// Receives the notifications that a list changed.
#[derive(Debug, Clone)]
struct ListWatcher {
    changed: Arc<Notify>,
    /// Its resources are used.
    has_resources: bool,
    /// Its prompts are used.
    has_prompts: bool,
}

impl ClientHandler for ListWatcher {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(rmcp::model::ClientCapabilities::default(), us)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        if self.has_resources {
            self.changed.notify_one();
        }
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        if self.has_prompts {
            self.changed.notify_one();
        }
    }
}

type McpConnection = RunningService<RoleClient, ListWatcher>;

impl<K: Copy + Send + 'static> InstanceTask<K> {
    /// Runs until it is stopped or its server ends. Returns its key.
    pub async fn run(self) -> K {
        let (key, vault) = (self.key, &self.context.vault);
        if !self.is_permitted().await {
            let _ = self.events.send((key, InstanceEvent::Failed(NOT_AGREED.into()))).await;
            return key;
        }
        let variables = match &self.server.transport {
            Transport::Stdio(program) => {
                ResolvedVariables::resolve(&self.name, &program.env, self.context.env, vault)
            }
            Transport::Http(server) => {
                ResolvedVariables::resolve(&self.name, &server.headers, self.context.env, vault)
            }
        };
        let failure = match variables {
            Ok(variables) => match &self.server.transport {
                Transport::Stdio(program) => self.run_stdio(program, &variables).await.err(),
                Transport::Http(server) => self.run_http(&server.url, &variables).await.err(),
            },
            Err(reason) => Some(reason),
        };
        if let Some(reason) = failure {
            let reason = reason.map(|text| sanitize(&text, MAX_REASON_CHARS));
            let _ = self.events.send((key, InstanceEvent::Failed(reason))).await;
        }
        key
    }

    /// Checked for each instance: a script may have changed since the last one.
    async fn is_permitted(&self) -> bool {
        let permission = self.context.permission.clone();
        let (name, server) = (self.name.clone(), self.server.clone());
        let check = move || permission.may(&name, &server.transport);
        tokio::task::spawn_blocking(check).await.unwrap_or(false)
    }

    /// A list, and which tools of it wait for the user.
    async fn judged(&self, listed: Listed) -> (Arc<Listing>, Result<BTreeSet<String>, Localized>) {
        let secrets = self.context.vault.secrets();
        let mut listing = Listing::new(listed.tools.items, &self.server, &secrets);
        listing.is_endless = listed.tools.is_endless;
        listing.resources = listed.resources;
        listing.prompts = listed.prompts;
        let listing = Arc::new(listing);
        let permission = self.context.permission.clone();
        let (name, server, listed) = (self.name.clone(), self.server.clone(), listing.clone());
        let judge = move || permission.held_tools(&name, &server.transport, &listed.facts);
        let held = tokio::task::spawn_blocking(judge).await;
        (listing, held.unwrap_or_else(|_| Err(NOT_AGREED.into())))
    }

    async fn run_stdio(
        &self,
        program: &StdioServer,
        variables: &ResolvedVariables,
    ) -> Result<(), Localized> {
        let context = &self.context;
        let (process, pipes) = process::start(program, context, variables).await?;
        let tail = StderrTail::default();
        let (input, meter) = ServerInput::new(pipes.stdin);
        let output = MessageFilter::new(pipes.stdout, MAX_BYTES);
        let transport = AsyncRwTransport::<RoleClient, _, _>::new(output, input)
            .with_max_line_length(MAX_BYTES);
        let transport = Answers::measured(transport, meter);
        let session = async {
            let (watcher, end) = (self.watcher(), transport.end());
            let connected = self.connect(watcher.clone().serve(transport), end).await;
            let ended = match connected {
                Ok(running) => {
                    self.watch_lists(running, &watcher).await;
                    Ok(())
                }
                Err(reason) => Err(reason),
            };
            ServerProcess::end(process).await;
            ended
        };
        let mut stderr =
            pin!(process::read_stderr(&self.name, pipes.stderr, variables, &tail).fuse());
        let ended = tokio::select! {
            ended = session => ended,
            () = async { (&mut stderr).await; pending().await } => Ok(()),
        };
        if !stderr.is_terminated() {
            let _ = timeout(STDERR_TIMEOUT, stderr).await;
        }
        ended.map_err(|reason| {
            let reason = reason.map(|text| variables.redact(&text));
            match tail.text() {
                Some(output) => {
                    reason.and(localized!("; it wrote: {output}", "；它的输出：{output}"))
                }
                None => reason,
            }
        })
    }

    async fn run_http(&self, url: &str, variables: &ResolvedVariables) -> Result<(), Localized> {
        let transport = http::transport(url, variables, &self.context.clients)?;
        let (watcher, end) = (self.watcher(), transport.end());
        let running = self.connect(watcher.clone().serve(transport), end).await;
        let redact = |reason: Localized| reason.map(|text| variables.redact(&text));
        self.watch_lists(running.map_err(redact)?, &watcher).await;
        Ok(())
    }

    fn watcher(&self) -> ListWatcher {
        ListWatcher {
            changed: Arc::default(),
            has_resources: self.server.resources.is_some(),
            has_prompts: self.server.prompts.is_some(),
        }
    }

    /// The handshake and the first lists.
    async fn connect(
        &self,
        handshake: impl Future<Output = Result<McpConnection, ClientInitializeError>>,
        end: Arc<ConnectionEnd>,
    ) -> Result<McpConnection, Localized> {
        let connected = async {
            let running =
                handshake.await.map_err(|error| Localized::same(http::open_error(&error)))?;
            // The library would keep hundreds of answers, each as large as a message, as long as the server says.
            running.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
            let listed = self.list(&running).await?;
            // The consent is checked again: the files may have been changed while the server started.
            let (listing, held) = self.judged(listed).await;
            let connection = Connection { peer: running.peer().clone(), end };
            let event = InstanceEvent::Open { connection, listing, held: held? };
            let _ = self.events.send((self.key, event)).await;
            Ok(running)
        };
        tokio::select! {
            connected = timeout(START_TIMEOUT, connected) => {
                connected.unwrap_or_else(|_| Err(unanswered(START_TIMEOUT)))
            }
            () = self.stop.cancelled() => {
                Err(Text::new("it was stopped while it started", "它在启动时被停止").into())
            }
        }
    }

    /// Reports changes of the lists until the connection ends.
    async fn watch_lists(&self, running: McpConnection, watcher: &ListWatcher) {
        let (peer, token) = (running.peer().clone(), running.cancellation_token());
        let mut ended = pin!(running.waiting());
        loop {
            tokio::select! {
                _ = &mut ended => return,
                () = self.stop.cancelled() => break,
                () = watcher.changed.notified() => {
                    if let Ok(Ok(listed)) = timeout(LIST_TIMEOUT, self.list(&peer)).await {
                        let (listing, held) = self.judged(listed).await;
                        let held = held.inspect_err(|reason| {
                            // The tools of before stay; without a judgement nothing new may be offered.
                            tracing::warn!(server = self.name, %reason, "nothing new of an MCP server is offered");
                        });
                        let event = InstanceEvent::Tools { listing, held: held.ok() };
                        let _ = self.events.send((self.key, event)).await;
                    }
                }
            }
        }
        token.cancel();
        let _ = timeout(CLOSE_TIMEOUT, ended).await;
    }

    /// What the server lists: its tools, and the resources and prompts that its entry wants and it announces.
    async fn list(&self, peer: &Peer<RoleClient>) -> Result<Listed, Localized> {
        let tools = pages(MAX_TOOLS, move |params| async move {
            let page = peer.list_tools(Some(params)).await?;
            Ok::<_, ServiceError>((page.tools, page.next_cursor))
        });
        let tools = tools.await.map_err(|error| {
            localized!("it did not list its tools: {error}", "它没有列出工具：{error}")
        })?;
        let announced = peer.peer_info().is_some_and(|info| info.capabilities.resources.is_some());
        let resources = match self.server.resources.as_ref().filter(|_| announced) {
            Some(rules) => Some(self.list_resources(peer, rules).await),
            None => None,
        };
        let announced = peer.peer_info().is_some_and(|info| info.capabilities.prompts.is_some());
        let prompts = match self.server.prompts.as_ref().filter(|_| announced) {
            Some(rules) => Some(self.list_prompts(peer, rules).await),
            None => None,
        };
        Ok(Listed { tools, resources, prompts })
    }

    /// A list that fails is no reason to do without the tools.
    async fn list_resources(&self, peer: &Peer<RoleClient>, rules: &ResourceRules) -> ResourceList {
        let secrets = &self.context.vault.secrets();
        let resources = pages(MAX_RESOURCES, move |params| async move {
            let page = peer.list_resources(Some(params)).await?;
            let of = |resource| ResourceEntry::of_resource(resource, rules, secrets);
            let entries: Vec<_> = page.resources.into_iter().filter_map(of).collect();
            Ok::<_, ServiceError>((entries, page.next_cursor))
        });
        let templates = pages(MAX_RESOURCES, move |params| async move {
            let page = peer.list_resource_templates(Some(params)).await?;
            let of = |template| ResourceEntry::of_template(template, rules, secrets);
            let entries: Vec<_> = page.resource_templates.into_iter().filter_map(of).collect();
            Ok::<_, ServiceError>((entries, page.next_cursor))
        });
        let mut list = ResourceList::default();
        for listed in [in_time(resources).await, in_time(templates).await] {
            match listed {
                Ok(found) => list.add(found.items, found.is_endless),
                Err(reason) => list.fault = Some(reason),
            }
        }
        list
    }

    /// Likewise.
    async fn list_prompts(&self, peer: &Peer<RoleClient>, rules: &PromptRules) -> PromptList {
        let (server, secrets) = (self.name.as_str(), self.context.vault.secrets());
        let secrets = &secrets;
        let prompts = pages(MAX_PROMPTS, move |params| async move {
            let page = peer.list_prompts(Some(params)).await?;
            let of = |prompt| PromptEntry::of(prompt, server, rules, secrets);
            let entries: Vec<_> = page.prompts.into_iter().filter_map(of).collect();
            Ok::<_, ServiceError>((entries, page.next_cursor))
        });
        match in_time(prompts).await {
            Ok(found) => PromptList::of(found.items, found.is_endless),
            Err(reason) => PromptList { fault: Some(reason), ..PromptList::default() },
        }
    }
}

/// A list for which the tools wait. The error says why it is not known.
async fn in_time<T>(
    list: impl Future<Output = Result<Pages<T>, ServiceError>>,
) -> Result<Pages<T>, Localized> {
    match timeout(PART_TIMEOUT, list).await {
        // Many servers have no templates, and do not know what they are asked.
        Ok(Err(ServiceError::McpError(error))) if error.code == ErrorCode::METHOD_NOT_FOUND => {
            Ok(Pages { items: Vec::new(), is_endless: false })
        }
        Ok(Ok(listed)) => Ok(listed),
        Ok(Err(error)) => Err(Localized::same(sanitize(&error.to_string(), MAX_REASON_CHARS))),
        Err(_) => Err(unanswered(PART_TIMEOUT)),
    }
}

pub(super) fn unanswered(limit: Duration) -> Localized {
    let seconds = limit.as_secs();
    localized!("it did not answer within {seconds} seconds", "它在 {seconds} 秒内没有应答")
}

/// What a server listed.
#[derive(Debug)]
struct Listed {
    tools: Pages<Tool>,
    resources: Option<ResourceList>,
    prompts: Option<PromptList>,
}

/// The items of all pages of a list.
#[derive(Debug)]
struct Pages<T> {
    items: Vec<T>,
    is_endless: bool,
}

/// Asks for the pages of a list, until there are more than `most` items.
async fn pages<T, F>(
    most: usize,
    ask: impl Fn(PaginatedRequestParams) -> F,
) -> Result<Pages<T>, ServiceError>
where
    F: Future<Output = Result<(Vec<T>, Option<String>), ServiceError>>,
{
    let mut listed = Pages { items: Vec::new(), is_endless: false };
    let (mut cursor, mut cursors) = (None, BTreeSet::new());
    loop {
        let (items, next) = ask(PaginatedRequestParams::default().with_cursor(cursor)).await?;
        listed.items.extend(items);
        // An empty one is meant as none.
        cursor = next.filter(|cursor| !cursor.is_empty());
        let Some(next) = &cursor else { break };
        listed.is_endless = !cursors.insert(next.clone()) || cursors.len() > MAX_PAGES;
        if listed.is_endless || listed.items.len() > most {
            break;
        }
    }
    // One more than the limit shows that there are too many.
    listed.items.truncate(most + 1);
    Ok(listed)
}
