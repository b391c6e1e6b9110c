//! What the teams remember, as clients read and change it.

use serde::{Deserialize, Serialize};

use crate::domain::TeamName;
use crate::domain::teams::memory::ListedMemories;

/// What a client wants of the memories of teams.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoriesRequest {
    /// Those of all teams: answered by [`super::DriverEvent::Memories`].
    List { listed: ListedMemories },
    /// Those of all teams that fit this text, the best first; answered likewise.
    Search { text: String },
    /// All that had this key, deleted ones too: answered by [`super::DriverEvent::MemoryChain`].
    Chain { team: TeamName, key: String },
    /// Deletes the one with this key, with all that it replaced.
    Delete { team: TeamName, key: String },
    /// Brings back what was deleted last under this key.
    Restore { team: TeamName, key: String },
}

impl MemoriesRequest {
    /// True if it changes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::List { .. } | Self::Search { .. } | Self::Chain { .. } => true,
            Self::Delete { .. } | Self::Restore { .. } => false,
        }
    }
}
