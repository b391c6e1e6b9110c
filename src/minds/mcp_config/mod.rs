//! `.minds/mcp.yaml`: the servers of the Model Context Protocol a workspace names. Only read here; what
//! becomes of them is the business of `mcp`.

mod names;
mod read;
mod server;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use names::{NameRule, ToolFilter, is_tool_name};
pub use server::{HttpServer, McpServer, StdioServer, Transport, ValueSource};

use super::files::{self, FileContent};
use crate::domain::Problem;

pub const PATH: &str = ".minds/mcp.yaml";

/// What the file says, or said when it could last be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpFile {
    /// In the order of the file.
    pub servers: Vec<ServerEntry>,
    pub problems: Vec<Problem>,
    /// True where the file is there and nothing of it can be used.
    pub broken: bool,
}

/// One entry of `servers`.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    pub id: String,
    /// Where it stands.
    pub line: Option<usize>,
    /// `None` where the entry cannot be used.
    pub server: Option<McpServer>,
}

impl McpFile {
    /// The file of a workspace. One that is not there names no servers.
    #[must_use]
    pub fn load(workspace: &Path) -> Self {
        match files::read(workspace, PATH, files::CONFIG_LIMIT_BYTES) {
            FileContent::Text(text) => read::read(&text),
            FileContent::Missing => Self::default(),
            FileContent::Unusable(reason) => Self {
                problems: vec![super::unusable(PATH, &reason)],
                broken: true,
                ..Self::default()
            },
        }
    }

    fn values(&self) -> impl Iterator<Item = &(String, ValueSource)> {
        let servers = self.servers.iter().filter_map(|declared| declared.server.as_ref());
        servers.flat_map(|server| server.transport.values())
    }

    /// The variables of the environment that entries name, each behind the name it is given there.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values().filter_map(|(name, given)| match given {
            ValueSource::Env(variable) => Some((name.as_str(), variable.as_str())),
            ValueSource::Literal(_) => None,
        })
    }

    /// Values that are written out and should not be.
    pub(crate) fn literal_secrets(&self) -> impl Iterator<Item = &str> {
        self.values().filter_map(|(name, given)| given.literal_secret(name))
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(|declared| declared.id.as_str())
    }
}
