//! The vaults of the teams, as clients read them. Nothing is set or deleted this way.

use serde::{Deserialize, Serialize};

use crate::domain::TeamName;
use crate::domain::teams::vault::ListedEntries;

/// What a client wants to see of the vaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VaultRequest {
    /// The entries of all teams: answered by [`super::DriverEvent::Vault`].
    List { listed: ListedEntries },
    /// All of this one: answered by [`super::DriverEvent::VaultEntry`].
    Show { team: TeamName, key: String },
}
