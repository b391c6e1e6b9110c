//! What the MCP servers of a workspace are, found out by starting them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::app::{self, Trust};
use crate::domain::Problem;
use crate::sandbox::Sandbox;
use crate::tools::ToolSource as _;

use super::config;

/// A server and its tools, under the names members use.
pub type ServerTools = (String, Vec<String>);

/// What was found.
#[derive(Debug)]
pub struct ServerReport {
    pub tools: Vec<ServerTools>,
    pub problems: Vec<Problem>,
}

/// Starts the servers a person agreed to, asks them, and ends them.
pub async fn query(workspace: &Path) -> ServerReport {
    let own = app::registry(Arc::default());
    let held = config::read().levels.servers;
    let wall = held.map(|level| (Sandbox::new(app::sandbox_config(workspace), level), level));
    let servers = app::mcp_servers(workspace, Arc::new(Trust::recorded(workspace)), &own, wall);
    let mut tasks = JoinSet::new();
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
