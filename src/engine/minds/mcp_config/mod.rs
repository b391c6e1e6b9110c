//! `.minds/mcp.yaml`: the MCP servers of a workspace. Only parsed here; `mcp` starts them.

mod names;
mod read;
mod server;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use names::{MAX_NAME_BYTES, NameRule, ToolFilter, is_tool_name};
pub use server::{HttpServer, McpServer, StdioServer, Transport, ValueSource};

use super::untrusted_files::{self, FileContent};
use crate::domain::Problem;

pub const PATH: &str = ".minds/mcp.yaml";

/// The parsed file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpFile {
    /// In the order of the file.
    pub servers: Vec<ServerEntry>,
    /// Entries with `enabled: false`: nothing of them is used.
    pub disabled: Vec<ServerEntry>,
    pub problems: Vec<Problem>,
    /// True if the file exists and nothing of it can be used.
    pub broken: bool,
}

/// One entry of `servers`.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    pub id: String,
    pub line: Option<usize>,
    /// `None` if the entry cannot be used.
    pub server: Option<McpServer>,
}

impl McpFile {
    /// Reads the file of a workspace. A missing file has no servers.
    #[must_use]
    pub fn load(workspace: &Path) -> Self {
        match untrusted_files::read(workspace, PATH, untrusted_files::CONFIG_LIMIT_BYTES) {
            FileContent::Text(text) => read::read(&text),
            FileContent::Missing => Self::default(),
            FileContent::Unusable(reason) => Self {
                problems: vec![super::report::unusable(PATH, &reason)],
                broken: true,
                ..Self::default()
            },
        }
    }

    fn values(&self) -> impl Iterator<Item = &(String, ValueSource)> {
        let all = self.servers.iter().chain(&self.disabled);
        let servers = all.filter_map(|declared| declared.server.as_ref());
        servers.flat_map(|server| server.transport.values())
    }

    /// `(name, variable)` of each value that is read from the environment.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values().filter_map(|(name, given)| match given {
            ValueSource::Env(variable) => Some((name.as_str(), variable.as_str())),
            ValueSource::Literal(_) | ValueSource::Vault { .. } => None,
        })
    }

    /// Secrets written into the file as literals.
    pub(crate) fn literal_secrets(&self) -> impl Iterator<Item = &str> {
        self.values().filter_map(|(name, given)| given.literal_secret(name))
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().chain(&self.disabled).map(|declared| declared.id.as_str())
    }
}
