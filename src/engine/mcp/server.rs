//! A configured server, as the supervisor sees it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::listing::Listing;
use super::plan::{BlockReason, ServerStatus};
use super::pool::InstanceKey;
use super::tool_list::ServerTools;
use crate::domain::Problem;
use crate::domain::text::{Text, localized};
use crate::minds::mcp_config::{McpServer, PATH};

/// The delay before a failed server may be started again; checked when tools are requested.
const RETRY_AFTER: Duration = Duration::from_mins(1);

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
    pub listing: Arc<Listing>,
    /// The names of tools that wait for the user.
    pub held: BTreeSet<String>,
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

    /// Returns its tools, if it can be used.
    pub fn listed(&self) -> Option<ServerTools<'_>> {
        let active = self.active.as_ref()?;
        Some(ServerTools {
            server: &self.id,
            config: &active.config,
            listing: &active.listing,
            held: &active.held,
        })
    }

    /// Why its entry is not in use.
    pub fn problem(&self) -> Option<Problem> {
        let id = &self.id;
        let (what, text, fix) = match (&self.blocked, self.trial) {
            (Some((BlockReason::Failed(reason), _)), _) => (
                "server",
                localized!(
                    [reason] "server `{id}` cannot be used: {reason}",
                    "服务器 `{id}` 无法使用：{reason}"
                ),
                Text::new(
                    "fix its entry, or what it needs; it is retried automatically",
                    "请修正它的配置或所需的条件；程序会自动重试",
                ),
            ),
            (None, Some(_)) if self.active.is_none() => (
                "starting",
                localized!("server `{id}` is still starting", "服务器 `{id}` 仍在启动"),
                Text::new(
                    "its tools come with the first request after it is ready",
                    "就绪之后，它的工具随下一次请求提供",
                ),
            ),
            // Missing consent is reported elsewhere.
            (Some((BlockReason::NotPermitted, _)) | None, _) => return None,
        };
        let text = match self.active {
            Some(_) => text.and(Text::new("; its former tools stay", "；保留它原有的工具")),
            None => text,
        };
        Some(with_line(Problem::new(format!("mcp/{what}/{id}"), PATH, text, fix), self.line))
    }
}

/// The name of a server is already in use.
pub(super) fn name_taken(id: &str) -> Problem {
    let text = localized!(
        "server `{id}`: a tool or toolset of this program has that name; left out",
        "服务器 `{id}`：本程序已有同名的工具或工具集；不予采用"
    );
    let fix = Text::new("give it another name", "请换一个名称");
    Problem::new(format!("mcp/server-name/{id}"), PATH, text, fix)
}

pub(super) fn with_line(problem: Problem, line: Option<usize>) -> Problem {
    match line {
        Some(line) => problem.at_line(line),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::Localized;
    use crate::minds::mcp_config::{StdioServer, ToolFilter, Transport};
    use crate::samples::assert_translated;

    #[test]
    fn an_entry_that_is_not_in_use_is_reported_in_both_languages() {
        let program = StdioServer {
            command: "x".to_owned(),
            args: Vec::new(),
            cwd: ".".to_owned(),
            env: Vec::new(),
        };
        let config = Arc::new(McpServer {
            stateless: false,
            transport: Transport::Stdio(program),
            filter: ToolFilter::default(),
            name_rules: Vec::new(),
            resources: None,
            prompts: None,
        });
        let reason = BlockReason::Failed(Localized::same("the licence has run out"));
        let mut server = Server {
            id: "s".to_owned(),
            line: Some(3),
            wanted: config.clone(),
            active: None,
            trial: None,
            blocked: Some((reason, Instant::now())),
        };
        let failed = server.problem().unwrap();
        server.active =
            Some(ActiveConfig { config, listing: Arc::default(), held: BTreeSet::new() });
        let kept = server.problem().unwrap();
        assert!(kept.text.to_string().ends_with("; its former tools stay"), "{kept}");
        for problem in [failed, kept, name_taken("os")] {
            assert_translated(&problem.text);
            assert_translated(&problem.fix);
        }
    }
}
