//! One server as the file describes it.

use std::fmt;

use serde_json::{Value, json};

use super::names::{NameRule, ToolFilter};
use crate::domain::secrets::looks_secret;

/// A server and how its tools are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// All dialogs may share one instance.
    pub stateless: bool,
    pub transport: Transport,
    pub filter: ToolFilter,
    /// Made in this order, on the names that are left.
    pub name_rules: Vec<NameRule>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    Stdio(StdioServer),
    Http(HttpServer),
}

/// A program that speaks through its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StdioServer {
    pub command: String,
    pub args: Vec<String>,
    /// From the workspace.
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
    /// The value of this environment variable.
    Env(String),
}

impl fmt::Debug for ValueSource {
    /// What is written out may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(_) => f.write_str("***"),
            Self::Env(name) => f.debug_tuple("Env").field(name).finish(),
        }
    }
}

impl ValueSource {
    /// The value, if it is written out under a name that tells of a secret.
    #[must_use]
    pub fn literal_secret(&self, name: &str) -> Option<&str> {
        match self {
            Self::Literal(text) => looks_secret(name).then_some(text),
            Self::Env(_) => None,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Literal(text) => json!(text),
            Self::Env(name) => json!({ "env": name }),
        }
    }
}

impl Transport {
    /// The variables or headers it is given.
    #[must_use]
    pub fn values(&self) -> &[(String, ValueSource)] {
        match self {
            Self::Stdio(program) => &program.env,
            Self::Http(server) => &server.headers,
        }
    }

    /// What a problem says of it: nothing that may be a secret.
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
    /// All of it in one line, secrets that are written out by their length only.
    #[must_use]
    pub fn masked(&self) -> String {
        let mask = |(name, given): &(String, ValueSource)| {
            let given = match given {
                ValueSource::Literal(text) if given.literal_secret(name).is_some() => {
                    ValueSource::Literal(format!("*** ({} characters)", text.chars().count()))
                }
                ValueSource::Literal(_) | ValueSource::Env(_) => given.clone(),
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
    /// All that matters to a person who is asked whether this may happen, in one line.
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
