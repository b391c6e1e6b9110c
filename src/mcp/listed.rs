//! A server of the file, as the keeper knows it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::Tool;
use tokio::time::Instant;

use super::fleet::Key;
use super::plan::{Known, Trouble};
use super::roster::Offer;
use crate::domain::Problem;
use crate::minds::mcp_config::{McpServer, PATH};

/// A server that failed is tried again after this time, when somebody asks for tools.
const TRY_AGAIN: Duration = Duration::from_secs(60);

/// A server of the file.
#[derive(Debug)]
pub(super) struct Server {
    pub id: String,
    pub line: Option<usize>,
    pub wanted: Arc<McpServer>,
    pub good: Option<Good>,
    /// The instance that shows whether `wanted` works.
    pub trial: Option<Key>,
    pub trouble: Option<(Trouble, Instant)>,
}

/// What a server's tools come from.
#[derive(Debug)]
pub(super) struct Good {
    pub config: Arc<McpServer>,
    pub tools: Vec<Tool>,
}

impl Server {
    /// What is known before the file is read again.
    pub fn known(&self) -> Known<'_> {
        Known {
            wanted: &self.wanted,
            good: self.good.as_ref().map(|good| good.config.as_ref()),
            trying: self.trial.is_some(),
            trouble: self.trouble.as_ref().map(|(trouble, _)| trouble),
            try_again: self.trouble.as_ref().is_some_and(|(_, at)| at.elapsed() >= TRY_AGAIN),
        }
    }

    /// What it has to offer, if it can be used.
    pub fn offer(&self) -> Option<Offer<'_>> {
        let good = self.good.as_ref()?;
        Some(Offer { server: &self.id, config: &good.config, tools: &good.tools })
    }

    /// What keeps its entry from being in use.
    pub fn problem(&self) -> Option<Problem> {
        let id = &self.id;
        let (what, found, mend) = match (&self.trouble, self.trial) {
            (Some((Trouble::Failed(why), _)), _) => (
                "server",
                format!("server `{id}` cannot be used: {why}"),
                "mend its entry, or what it needs; it is tried again by itself".to_owned(),
            ),
            (None, Some(_)) if self.good.is_none() => (
                "starting",
                format!("server `{id}` is still starting"),
                "its tools come with the first request after it is ready".to_owned(),
            ),
            // What waits for consent is told as such.
            (Some((Trouble::Unagreed, _)) | None, _) => return None,
        };
        let kept = if self.good.is_some() { "; its former tools stay" } else { "" };
        Some(at(
            Problem::new(format!("mcp/{what}/{id}"), PATH, format!("{found}{kept}"), mend),
            self.line,
        ))
    }
}

/// A server that cannot be called what it is called.
pub(super) fn name_taken(id: &str) -> Problem {
    let found = format!("server `{id}`: a tool or toolset of this program has that name; left out");
    Problem::new(format!("mcp/server-name/{id}"), PATH, found, "give it another name")
}

pub(super) fn at(problem: Problem, line: Option<usize>) -> Problem {
    match line {
        Some(line) => problem.at_line(line),
        None => problem,
    }
}
