//! One server entry of the file.

use std::fmt;

use serde_json::{Value, json};

use super::names::{NameRule, ToolFilter};
use crate::domain::safety::references::reference_to;
use crate::domain::safety::secrets::looks_secret;

/// A server and how its tools are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// All dialogs share one instance.
    pub stateless: bool,
    pub transport: Transport,
    pub filter: ToolFilter,
    /// Applied in this order, after the filter.
    pub name_rules: Vec<NameRule>,
    /// `None`: members read none of its resources.
    pub resources: Option<ResourceRules>,
    /// `None`: a person is offered none of its prompts.
    pub prompts: Option<PromptRules>,
}

/// Which prompts of a server a person is offered, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptRules {
    pub filter: ToolFilter,
    /// Applied in this order to the name that is shown.
    pub name_rules: Vec<NameRule>,
}

/// Which resources of a server members may read, by their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceRules {
    pub filter: ToolFilter,
    /// Applied in this order to the address that an id is made from.
    pub name_rules: Vec<NameRule>,
    /// Empty: all.
    pub mime_types: Vec<String>,
    /// The size of the largest one that is passed on, in bytes.
    pub max_bytes: Option<usize>,
}

impl ResourceRules {
    /// True for a resource or a template that members are told of. `mime_type`: empty if it is not known.
    #[must_use]
    pub fn allows(&self, address: &str, mime_type: &str) -> bool {
        let is_known = || self.mime_types.iter().any(|known| known == mime_type);
        self.filter.allows(address) && (self.mime_types.is_empty() || is_known())
    }

    /// True for an address that was made from an allowed template. `plain`: the same with nothing encoded.
    #[must_use]
    pub fn allows_made(&self, address: &str, plain: &str) -> bool {
        let ToolFilter { whitelist, blacklist } = &self.filter;
        if whitelist.is_empty() && blacklist.is_empty() {
            return true;
        }
        // These could lead out of a whitelist, which names the template, or around a blacklist.
        let path = plain.split_once("://").map_or(plain, |(_, path)| path);
        let is_straight = !["..", "./", "//"].into_iter().any(|part| path.contains(part));
        let is_allowed = |made: &str| blacklist.is_empty() || self.filter.allows(made);
        is_straight && is_allowed(address) && is_allowed(plain)
    }
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    Stdio(StdioServer),
    Http(HttpServer),
}

/// A program that is connected through its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StdioServer {
    pub command: String,
    pub args: Vec<String>,
    /// Relative to the workspace.
    pub cwd: String,
    /// In the order of the file.
    pub env: Vec<(String, ValueSource)>,
}

/// A server at a web address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpServer {
    pub url: String,
    pub headers: Vec<(String, ValueSource)>,
}

/// A value of a variable or a header.
#[derive(Clone, PartialEq, Eq)]
pub enum ValueSource {
    Literal(String),
    /// The value of this environment variable, behind a text that is no secret, as `Bearer `.
    Env {
        prefix: String,
        variable: String,
    },
    /// A secret of a team's vault. `version`: of the value that the server was started with; 0 in a file, and of one
    /// that it does not get.
    Vault {
        team: String,
        key: String,
        version: i64,
    },
}

impl fmt::Debug for ValueSource {
    /// A literal may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(_) => f.write_str("***"),
            Self::Env { prefix, variable } => write!(f, "Env({prefix:?}, {variable})"),
            Self::Vault { team, key, version: _ } => write!(f, "Vault({key}@{team})"),
        }
    }
}

impl ValueSource {
    /// The value of this environment variable, and nothing else.
    #[cfg(test)]
    pub(crate) fn env(variable: &str) -> Self {
        Self::Env { prefix: String::new(), variable: variable.to_owned() }
    }

    /// The literal value, if its name looks like that of a secret.
    #[must_use]
    pub fn literal_secret(&self, name: &str) -> Option<&str> {
        match self {
            Self::Literal(text) => looks_secret(name).then_some(text),
            Self::Env { .. } | Self::Vault { .. } => None,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Literal(text) => json!(text),
            Self::Env { prefix, variable } if prefix.is_empty() => json!({ "env": variable }),
            Self::Env { prefix, variable } => json!({ "prefix": prefix, "env": variable }),
            Self::Vault { team, key, version: _ } => json!(reference_to(&format!("{key}@{team}"))),
        }
    }
}

impl Transport {
    /// Its environment variables or headers.
    #[must_use]
    pub fn values(&self) -> &[(String, ValueSource)] {
        match self {
            Self::Stdio(program) => &program.env,
            Self::Http(server) => &server.headers,
        }
    }

    /// The same with the versions of what it gets from vaults, so that another value starts the server anew.
    #[must_use]
    pub fn with_versions(mut self, version_of: &dyn Fn(&str, &str) -> Option<i64>) -> Self {
        let values = match &mut self {
            Self::Stdio(program) => &mut program.env,
            Self::Http(server) => &mut server.headers,
        };
        for (_, value) in values {
            if let ValueSource::Vault { team, key, version } = value {
                *version = version_of(team, key).unwrap_or_default();
            }
        }
        self
    }

    /// True if it names a secret that it does not get.
    #[must_use]
    pub fn lacks_a_secret(&self) -> bool {
        let is_missing =
            |value: &ValueSource| matches!(value, ValueSource::Vault { version: 0, .. });
        self.values().iter().any(|(_, value)| is_missing(value))
    }

    /// A description for problems, without possible secrets.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Stdio(program) => format!("starts {}", json!(program.command)),
            Self::Http(server) => {
                let address = server.url.split(['?', '#']).next().unwrap_or_default();
                format!("talks to {}", json!(address))
            }
        }
    }
}

impl Transport {
    /// A complete description in one line; literal secrets are replaced by their length.
    #[must_use]
    pub fn masked(&self) -> String {
        let mask = |(name, given): &(String, ValueSource)| {
            let given = match given {
                ValueSource::Literal(text) if given.literal_secret(name).is_some() => {
                    ValueSource::Literal(format!("*** ({} characters)", text.chars().count()))
                }
                ValueSource::Literal(_) | ValueSource::Env { .. } | ValueSource::Vault { .. } => {
                    given.clone()
                }
            };
            (name.clone(), given)
        };
        let masked = match self.clone() {
            Self::Stdio(program) => {
                let env = program.env.iter().map(mask).collect();
                Self::Stdio(StdioServer { env, ..program })
            }
            Self::Http(server) => {
                let headers = server.headers.iter().map(mask).collect();
                Self::Http(HttpServer { headers, ..server })
            }
        };
        masked.to_string()
    }
}

impl fmt::Display for Transport {
    /// A complete description in one line, for the user's consent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let map = |pairs: &[(String, ValueSource)]| {
            let pairs = pairs.iter().map(|(name, given)| (name.clone(), given.to_json()));
            Value::Object(pairs.collect())
        };
        match self {
            Self::Stdio(StdioServer { command, args, cwd, env }) => {
                write!(f, "starts {}", json!(command))?;
                for arg in args {
                    write!(f, " {}", json!(arg))?;
                }
                write!(f, " in {}", json!(cwd))?;
                if !env.is_empty() {
                    write!(f, " with {}", map(env))?;
                }
            }
            Self::Http(HttpServer { url, headers }) => {
                write!(f, "talks to {}", json!(url))?;
                if !headers.is_empty() {
                    write!(f, " with {}", map(headers))?;
                }
            }
        }
        Ok(())
    }
}
