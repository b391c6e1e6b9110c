//! One server as the file describes it.

use std::fmt;

use serde_json::{Value, json};

use super::names::{Filter, NameRule};
use crate::domain::secrets::looks_secret;

/// A server and how its tools are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// All dialogs may share one instance.
    pub stateless: bool,
    pub transport: Transport,
    pub filter: Filter,
    /// Made in this order, on the names that are left.
    pub changes: Vec<NameRule>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    Stdio(Program),
    Http(HttpServer),
}

/// A program that speaks through its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub command: String,
    pub args: Vec<String>,
    /// From the workspace.
    pub cwd: String,
    /// In the order of the file.
    pub env: Vec<(String, Given)>,
}

/// A server at a web address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpServer {
    pub url: String,
    pub headers: Vec<(String, Given)>,
}

/// A value of a variable or a header.
#[derive(Clone, PartialEq, Eq)]
pub enum Given {
    Literal(String),
    /// The value of this environment variable.
    Env(String),
}

impl fmt::Debug for Given {
    /// What is written out may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(_) => f.write_str("***"),
            Self::Env(name) => f.debug_tuple("Env").field(name).finish(),
        }
    }
}

impl Given {
    /// The value, if it is written out under a name that tells of a secret.
    #[must_use]
    pub fn open_secret(&self, name: &str) -> Option<&str> {
        match self {
            Self::Literal(text) => looks_secret(name).then_some(text),
            Self::Env(_) => None,
        }
    }

    fn shown(&self) -> Value {
        match self {
            Self::Literal(text) => json!(text),
            Self::Env(name) => json!({ "env": name }),
        }
    }
}

impl Transport {
    /// The variables or headers it is given.
    #[must_use]
    pub fn given(&self) -> &[(String, Given)] {
        match self {
            Self::Stdio(program) => &program.env,
            Self::Http(server) => &server.headers,
        }
    }

    /// What a problem says of it: nothing that may be a secret.
    #[must_use]
    pub fn in_short(&self) -> String {
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
        let mask = |(name, given): &(String, Given)| {
            let given = match given {
                Given::Literal(text) if given.open_secret(name).is_some() => {
                    Given::Literal(format!("*** ({} characters)", text.chars().count()))
                }
                Given::Literal(_) | Given::Env(_) => given.clone(),
            };
            (name.clone(), given)
        };
        let masked = match self.clone() {
            Self::Stdio(program) => {
                let env = program.env.iter().map(mask).collect();
                Self::Stdio(Program { env, ..program })
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
        let map = |pairs: &[(String, Given)]| {
            let pairs = pairs.iter().map(|(name, given)| (name.clone(), given.shown()));
            Value::Object(pairs.collect())
        };
        match self {
            Self::Stdio(Program { command, args, cwd, env }) => {
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
