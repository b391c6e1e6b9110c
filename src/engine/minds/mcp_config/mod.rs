//! `.minds/mcp.yaml`: the MCP servers of a workspace. Only parsed here; `mcp` starts them.

mod names;
mod other_parts;
mod read;
mod server;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use names::{MAX_NAME_BYTES, NameRule, ToolFilter, is_tool_name};
pub use server::{
    HttpServer, McpServer, PromptRules, ResourceRules, StdioServer, Transport, ValueSource,
};

use super::untrusted_files::{self, FileContent};
use crate::domain::Problem;
use crate::domain::text::{Text, localized};

pub const PATH: &str = ".minds/mcp.yaml";

/// The toolset of the resources of servers, and its tools, named as in Dominds.
pub(crate) const RESOURCES: &str = "resources";
pub(crate) const LIST_RESOURCES: &str = "list_resources";
pub(crate) const FETCH_RESOURCE: &str = "fetch_resource";

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
    pub manual: Option<McpManual>,
}

/// How members are to use the tools of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpManual {
    pub text: String,
    /// A file of the workspace with more of it.
    pub file: Option<String>,
}

/// Largest file with a part of a manual.
const MAX_MANUAL_BYTES: usize = 64 * 1024;

impl McpFile {
    /// Reads the file of a workspace. A missing file has no servers.
    #[must_use]
    pub fn load(workspace: &Path) -> Self {
        match untrusted_files::read(workspace, PATH, untrusted_files::CONFIG_LIMIT_BYTES) {
            FileContent::Text(text) => read::read(&text).with_manual_files(workspace),
            FileContent::Missing => Self::default(),
            FileContent::Unusable(reason) => Self {
                problems: vec![super::report::unusable(PATH, &reason)],
                broken: true,
                ..Self::default()
            },
        }
    }

    /// Reads the files of manuals; one that cannot be read is a problem, and the rest of its manual stays.
    fn with_manual_files(mut self, workspace: &Path) -> Self {
        let manuals = self.servers.iter_mut().filter_map(|entry| {
            let file = entry.manual.as_ref()?.file.clone()?;
            Some((file, entry.line, entry.manual.as_mut()?))
        });
        for (file, line, manual) in manuals {
            let reason = match untrusted_files::read(workspace, &file, MAX_MANUAL_BYTES) {
                FileContent::Text(text) => {
                    let parts = [manual.text.as_str(), text.trim()];
                    let parts = parts.into_iter().filter(|part| !part.is_empty());
                    manual.text = parts.collect::<Vec<_>>().join("\n\n");
                    continue;
                }
                FileContent::Missing => Text::new("it does not exist", "它不存在").into(),
                FileContent::Unusable(reason) => reason,
            };
            let shown = super::report::clip(&file);
            let found = localized!(
                [reason] "the file `{shown}` of a `manual` cannot be used: {reason}",
                "`manual` 的文件 `{shown}` 无法使用：{reason}"
            );
            let fix = Text::new(
                "name a text file of this workspace of at most 64 KiB",
                "请写明本工作区内不超过 64 KiB 的文本文件",
            );
            let problem = Problem::new(format!("mcp/manual-file/{shown}"), PATH, found, fix);
            self.problems.push(super::report::with_line(problem.warning(), line));
        }
        self
    }

    /// The manuals of the servers, by their names.
    pub(crate) fn manuals(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = self
            .servers
            .iter()
            .filter_map(|entry| Some((entry.id.as_str(), entry.manual.as_ref()?.text.trim())));
        entries.filter(|(_, text)| !text.is_empty())
    }

    fn values(&self) -> impl Iterator<Item = &(String, ValueSource)> {
        let all = self.servers.iter().chain(&self.disabled);
        let servers = all.filter_map(|declared| declared.server.as_ref());
        servers.flat_map(|server| server.transport.values())
    }

    /// `(name, variable)` of each value that is read from the environment.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values().filter_map(|(name, given)| match given {
            ValueSource::Env { variable, .. } => Some((name.as_str(), variable.as_str())),
            ValueSource::Literal(_) | ValueSource::Vault { .. } => None,
        })
    }

    /// Secrets written into the file as literals.
    pub(crate) fn literal_secrets(&self) -> impl Iterator<Item = &str> {
        self.values().filter_map(|(name, given)| given.literal_secret(name))
    }

    /// True if members may read resources of a server.
    pub(crate) fn has_resources(&self) -> bool {
        let servers = self.servers.iter().filter_map(|declared| declared.server.as_ref());
        servers.map(|server| &server.resources).any(Option::is_some)
    }

    /// True if a person may be offered prompts of a server.
    pub(crate) fn has_prompts(&self) -> bool {
        let servers = self.servers.iter().filter_map(|declared| declared.server.as_ref());
        servers.map(|server| &server.prompts).any(Option::is_some)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().chain(&self.disabled).map(|declared| declared.id.as_str())
    }
}
