//! Prompts of MCP servers: texts that a person puts into a draft.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A prompt that a server offers, as the person is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerPrompt {
    pub server: String,
    /// No other one of this server has it.
    pub name: String,
    pub description: String,
    /// In the order of the server.
    pub arguments: Vec<PromptArgument>,
}

impl ServerPrompt {
    /// Returns the name that no other prompt has.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}:{}", self.server, self.name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    pub description: String,
    /// The server makes no text without it.
    pub required: bool,
}

/// A prompt that the person wants, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptCall {
    pub server: String,
    pub name: String,
    pub arguments: BTreeMap<String, String>,
}
