//! A configured server, as the supervisor sees it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::Tool;
use tokio::time::Instant;

use super::plan::{BlockReason, ServerStatus};
use super::pool::InstanceKey;
use super::tool_list::ServerTools;
use crate::domain::Problem;
use crate::minds::mcp_config::{McpServer, PATH};

/// When a failed server may be started again; checked when tools are requested.
const RETRY_AFTER: Duration = Duration::from_secs(60);

/// A server of the configuration.
#[derive(Debug)]
pub(super) struct Server {
    pub id: String,
    pub line: Option<usize>,
    pub wanted: Arc<McpServer>,
    pub active: Option<ActiveConfig>,
    /// The instance that tests whether `wanted` works.
    pub trial: Option<InstanceKey>,
    pub blocked: Option<(BlockReason, Instant)>,
}

/// A configuration that works, and its tools.
#[derive(Debug)]
pub(super) struct ActiveConfig {
    pub config: Arc<McpServer>,
    pub tools: Vec<Tool>,
}

impl Server {
    pub fn status(&self) -> ServerStatus<'_> {
        ServerStatus {
            wanted: &self.wanted,
            active: self.active.as_ref().map(|active| active.config.as_ref()),
            is_starting: self.trial.is_some(),
            blocked: self.blocked.as_ref().map(|(reason, _)| reason),
            may_retry: self
                .blocked
                .as_ref()
                .is_some_and(|(_, since)| since.elapsed() >= RETRY_AFTER),
        }
    }

    /// Its tools, if it can be used.
    pub fn listed(&self) -> Option<ServerTools<'_>> {
        let active = self.active.as_ref()?;
        Some(ServerTools { server: &self.id, config: &active.config, tools: &active.tools })
    }

    /// Why its entry is not in use.
    pub fn problem(&self) -> Option<Problem> {
        let id = &self.id;
        let (what, text, fix) = match (&self.blocked, self.trial) {
            (Some((BlockReason::Failed(reason), _)), _) => (
                "server",
                format!("server `{id}` cannot be used: {reason}"),
                "fix its entry, or what it needs; it is retried automatically".to_owned(),
            ),
            (None, Some(_)) if self.active.is_none() => (
                "starting",
                format!("server `{id}` is still starting"),
                "its tools come with the first request after it is ready".to_owned(),
            ),
            // Missing consent is reported elsewhere.
            (Some((BlockReason::NotPermitted, _)) | None, _) => return None,
        };
        let suffix = if self.active.is_some() { "; its former tools stay" } else { "" };
        Some(with_line(
            Problem::new(format!("mcp/{what}/{id}"), PATH, format!("{text}{suffix}"), fix),
            self.line,
        ))
    }
}

/// The name of a server is already in use.
pub(super) fn name_taken(id: &str) -> Problem {
    let text = format!("server `{id}`: a tool or toolset of this program has that name; left out");
    Problem::new(format!("mcp/server-name/{id}"), PATH, text, "give it another name")
}

pub(super) fn with_line(problem: Problem, line: Option<usize>) -> Problem {
    match line {
        Some(line) => problem.at_line(line),
        None => problem,
    }
}
