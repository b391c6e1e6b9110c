//! Entries of the vaults as people see them: of a secret everything but its value.

use serde::{Deserialize, Serialize};

use crate::domain::ids::{AgentId, TeamName};
use crate::domain::safety::references::{EntryUse, VaultUse};
use crate::domain::time::Stamp;

/// An entry. Its JSON is in docs/scripting.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownEntry {
    pub team: TeamName,
    pub key: String,
    pub is_secret: bool,
    /// The text; `None` of a secret.
    pub value: Option<String>,
    #[serde(rename = "use")]
    pub uses: Vec<VaultUse>,
    pub hosts: Vec<String>,
    pub reveal: Reveal,
    pub updated_by: String,
    pub created_at: Stamp,
    pub updated_at: Stamp,
    pub used_at: Option<Stamp>,
    pub used_by: Option<String>,
}

/// Who may read a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reveal {
    No,
    /// The models of its team.
    Model,
}

/// A use of a secret, and when that was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownUse {
    #[serde(flatten)]
    pub used: EntryUse,
    pub at: Stamp,
}

/// All of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WholeEntry {
    pub entry: ShownEntry,
    /// The variables in which commands get it.
    pub variables: Vec<String>,
    /// Whose commands these are.
    pub members: Vec<AgentId>,
    /// The newest first.
    pub uses: Vec<ShownUse>,
}

/// Which entries are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListedEntries {
    All,
    Secrets,
    Texts,
}
