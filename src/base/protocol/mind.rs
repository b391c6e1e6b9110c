//! What a member is sent before anybody says something: for reading only.

use serde::{Deserialize, Serialize};

use crate::domain::AgentId;

/// The request that a new main dialog of a member would begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MindView {
    pub agent: AgentId,
    pub provider: String,
    pub model: String,
    /// The settings that are sent: names and values.
    pub settings: Vec<(String, String)>,
    pub system: String,
    /// The messages before the first prompt, in order.
    pub context: Vec<String>,
    pub tools: Vec<MindTool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MindTool {
    pub name: String,
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: String,
}
