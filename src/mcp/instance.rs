//! One instance of a server, from its start to its end: one task each.

use std::future::pending;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::FusedFuture as _;
use rmcp::model::{ClientConfig, Implementation, PaginatedRequestParams, Tool};
use rmcp::service::{ClientInitializeError, NotificationContext, Peer, RoleClient, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ClientHandler, ServiceExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::environment::{EnvReader, Resolved};
use super::http;
use super::lines::{Lines, MAX_BYTES};
use super::plan::Permission;
use super::process::{self, LastWords, Process};
use super::result::tidy;
use super::roster::MAX_TOOLS;
use crate::domain::Vault;
use crate::domain::sandbox::Level;
use crate::llm::Clients;
use crate::minds::mcp_config::{McpServer, Program, Transport};
use crate::sandbox::Sandbox;

/// Until a server has told its tools; a first start may have to fetch the program.
const STARTING: Duration = Duration::from_secs(120);
/// Until a new list of tools is there.
const LISTING: Duration = Duration::from_secs(30);
/// Until a connection is closed in good order.
const CLOSING: Duration = Duration::from_secs(1);
/// What a server that has ended still had to say is waited for this long.
const LAST_WORDS: Duration = Duration::from_millis(100);
const MAX_PAGES: usize = 64;
const WHY_CHARS: usize = 600;

/// What an instance needs of the program around it.
#[derive(Clone)]
pub(super) struct InstanceContext {
    pub workspace: Arc<Path>,
    pub env: &'static EnvReader,
    pub clients: Clients,
    pub permission: Arc<dyn Permission>,
    /// Learns what servers are given, so that nobody repeats it.
    pub vault: Vault,
    pub wall: Option<(Sandbox, Level)>,
}

impl std::fmt::Debug for InstanceContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// What an instance tells.
#[derive(Debug)]
pub(super) enum Event {
    /// It can be used.
    Open { peer: Peer<RoleClient>, tools: Vec<Tool> },
    /// It has other tools now.
    Tools(Vec<Tool>),
    /// It could not be started; a sentence for a person.
    Failed(String),
}

/// An instance to be.
#[derive(Debug)]
pub(super) struct Birth<K> {
    /// What its signs are told under.
    pub key: K,
    pub name: String,
    pub server: Arc<McpServer>,
    pub around: InstanceContext,
    pub stop: CancellationToken,
    /// The keeper takes signs at once, so a full channel is a short wait.
    pub signs: mpsc::Sender<(K, Event)>,
}

/// Notices that a server has other tools now.
#[derive(Debug, Clone, Default)]
struct Ear(Arc<Notify>);

impl ClientHandler for Ear {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(rmcp::model::ClientCapabilities::default(), us)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

type Running = RunningService<RoleClient, Ear>;

impl<K: Copy + Send + 'static> Birth<K> {
    /// Lives until it is stopped or its server ends. Returns its key.
    pub async fn live(self) -> K {
        let (key, vault) = (self.key, &self.around.vault);
        if !self.is_permitted().await {
            let why = "nobody has agreed to it as it is now; `dominds-tui trust` shows what waits";
            let _ = self.signs.send((key, Event::Failed(why.to_owned()))).await;
            return key;
        }
        let own = match &self.server.transport {
            Transport::Stdio(program) => Resolved::of(&program.env, self.around.env, vault),
            Transport::Http(server) => Resolved::of(&server.headers, self.around.env, vault),
        };
        let failure = match own {
            Ok(own) => match &self.server.transport {
                Transport::Stdio(program) => self.by_pipes(program, &own).await.err(),
                Transport::Http(server) => self.by_web(&server.url, &own).await.err(),
            },
            Err(why) => Some(why),
        };
        if let Some(why) = failure {
            let _ = self.signs.send((key, Event::Failed(tidy(&why, WHY_CHARS)))).await;
        }
        key
    }

    /// Asked for each instance: a script may have changed since the last one.
    async fn is_permitted(&self) -> bool {
        let permission = self.around.permission.clone();
        let (name, server) = (self.name.clone(), self.server.clone());
        let asked = move || permission.may(&name, &server.transport);
        tokio::task::spawn_blocking(asked).await.unwrap_or(false)
    }

    async fn by_pipes(&self, program: &Program, own: &Resolved) -> Result<(), String> {
        let around = &self.around;
        let (process, pipes) = process::start(program, around, own).await?;
        let last = LastWords::default();
        let transport = AsyncRwTransport::<RoleClient, _, _>::new(
            Lines::new(pipes.stdout, MAX_BYTES),
            pipes.stdin,
        )
        .with_max_line_length(MAX_BYTES);
        let talk = async {
            let ear = Ear::default();
            let opened = self.opened(ear.clone().serve(transport)).await;
            let ended = match opened {
                Ok(running) => {
                    self.attend(running, &ear).await;
                    Ok(())
                }
                Err(why) => Err(why),
            };
            Process::end(process).await;
            ended
        };
        let mut heard = pin!(process::listen(&self.name, pipes.stderr, own, &last).fuse());
        let ended = tokio::select! {
            ended = talk => ended,
            () = async { (&mut heard).await; pending().await } => Ok(()),
        };
        if !heard.is_terminated() {
            let _ = timeout(LAST_WORDS, heard).await;
        }
        ended.map_err(|why| match last.text() {
            Some(words) => format!("{}; it wrote: {words}", own.redact(&why)),
            None => own.redact(&why),
        })
    }

    async fn by_web(&self, url: &str, own: &Resolved) -> Result<(), String> {
        let transport = http::transport(url, own, &self.around.clients)?;
        let ear = Ear::default();
        let running = self.opened(ear.clone().serve(transport)).await;
        self.attend(running.map_err(|why| own.redact(&why))?, &ear).await;
        Ok(())
    }

    /// The handshake and the first list of tools.
    async fn opened(
        &self,
        handshake: impl Future<Output = Result<Running, ClientInitializeError>>,
    ) -> Result<Running, String> {
        let begun = async {
            let running = handshake.await.map_err(|error| http::why_closed(&error))?;
            let tools = list(&running).await?;
            let sign = Event::Open { peer: running.peer().clone(), tools };
            let _ = self.signs.send((self.key, sign)).await;
            Ok(running)
        };
        tokio::select! {
            begun = timeout(STARTING, begun) => begun.unwrap_or_else(|_| {
                Err(format!("it did not answer within {} seconds", STARTING.as_secs()))
            }),
            () = self.stop.cancelled() => Err("it was stopped while it started".to_owned()),
        }
    }

    /// Passes on what it says about its tools, until the end.
    async fn attend(&self, running: Running, ear: &Ear) {
        let (peer, token) = (running.peer().clone(), running.cancellation_token());
        let mut ended = pin!(running.waiting());
        loop {
            tokio::select! {
                _ = &mut ended => return,
                () = self.stop.cancelled() => break,
                () = ear.0.notified() => {
                    if let Ok(Ok(tools)) = timeout(LISTING, list(&peer)).await {
                        let _ = self.signs.send((self.key, Event::Tools(tools))).await;
                    }
                }
            }
        }
        token.cancel();
        let _ = timeout(CLOSING, ended).await;
    }
}

async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let asked = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(asked)).await;
        let page = page.map_err(|error| format!("it did not list its tools: {error}"))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() > MAX_TOOLS {
            break;
        }
    }
    // One more than is offered shows that there are too many.
    tools.truncate(MAX_TOOLS + 1);
    Ok(tools)
}
