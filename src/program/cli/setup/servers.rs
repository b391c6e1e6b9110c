//! Starts the MCP servers of a workspace to list their tools.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::app;
use crate::consent::Trust;
use crate::domain::Problem;
use crate::sandbox::Sandbox;
use crate::tools::ToolSource as _;

use crate::cli::config;
use crate::cli::running::team_store;

/// A server and the names of its tools, as members see them.
pub type ServerTools = (String, Vec<String>);

/// The tools and problems of all servers.
#[derive(Debug)]
pub struct ServerReport {
    pub tools: Vec<ServerTools>,
    pub problems: Vec<Problem>,
}

/// Starts the servers with consent, lists their tools, and stops them.
pub async fn query(workspace: &Path) -> ServerReport {
    let own = app::registry(Arc::default());
    let level = config::read(workspace).levels.servers;
    let sandbox = level.map(|level| (Sandbox::new(app::sandbox_config(workspace), level), level));
    let servers = app::mcp_servers(workspace, Arc::new(Trust::recorded(workspace)), &own, sandbox);
    let mut tasks = JoinSet::new();
    // A secret that cannot be opened is a problem of the server that needs it.
    if let Ok(Some(mut store)) = team_store::open(workspace).await {
        let _ = team_store::vault_problems(workspace, &mut store).await;
        store.close().await;
    }
    tasks.spawn(servers.run());
    servers.settle().await;
    let mut tools: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (server, tool) in servers.tools() {
        tools.entry(server).or_default().push(tool);
    }
    let problems = servers.problems();
    servers.close().await;
    while tasks.join_next().await.is_some() {}
    ServerReport { tools: tools.into_iter().collect(), problems }
}
