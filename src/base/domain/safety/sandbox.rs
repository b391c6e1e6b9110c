//! How much of the machine a command of a member can reach.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a command may do. Chosen by a person, never by a workspace.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Level {
    /// Reads the workspace, writes to a private `/tmp`, reaches no network.
    #[serde(rename = "read-only")]
    ReadOnly,
    /// Writes to the workspace too, but to nothing in it that decides what runs later.
    #[serde(rename = "workspace")]
    #[default]
    Workspace,
    /// The same, with the network.
    #[serde(rename = "workspace+net")]
    WorkspaceNet,
    /// Whatever the person may do who started the program.
    #[serde(rename = "off")]
    Off,
}

impl Level {
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Workspace, Self::WorkspaceNet, Self::Off];

    /// As it stands in files, on the command line and on the screen.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Workspace => "workspace",
            Self::WorkspaceNet => "workspace+net",
            Self::Off => "off",
        }
    }

    /// The level with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The one after it, around.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::ReadOnly => Self::Workspace,
            Self::Workspace => Self::WorkspaceNet,
            Self::WorkspaceNet => Self::Off,
            Self::Off => Self::ReadOnly,
        }
    }

    /// True if files of the workspace can be written.
    #[must_use]
    pub fn writes(self) -> bool {
        self != Self::ReadOnly
    }

    /// True if the network can be reached.
    #[must_use]
    pub fn has_network(self) -> bool {
        matches!(self, Self::WorkspaceNet | Self::Off)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_found_by_its_name_and_nothing_else_is() {
        for level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
            assert_eq!(serde_json::json!(level), level.name());
            assert_eq!(level.next().next().next().next(), level);
        }
        for name in ["", "Off", "none", "workspace-net", "workspace+net "] {
            assert_eq!(Level::named(name), None, "{name:?}");
        }
    }
}
