//! The sessions of a main dialog: which side dialog a member answers in under which name.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::ids::{AgentId, SelfId, Slug};

/// One session of `registry.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegistryEntry {
    /// `agent!slug`.
    pub key: String,
    pub side_dialog_id: SelfId,
    pub agent_id: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl RegistryEntry {
    #[must_use]
    pub fn new(agent: &AgentId, slug: &Slug, side: &SelfId) -> Self {
        Self {
            key: format!("{agent}!{slug}"),
            side_dialog_id: side.clone(),
            agent_id: agent.clone(),
            session_slug: Some(slug.clone()),
            extra: Map::new(),
        }
    }
}
