//! What members keep for later, beyond a dialog: where memories lie, and how much of them is put
//! into every context.

use crate::domain::ids::AgentId;

/// Most bytes of one memory.
pub const FILE_LIMIT_BYTES: usize = 64 * 1024;

/// Most bytes of all memories of one keeper that are put into a context.
pub const TOTAL_LIMIT_BYTES: usize = 128 * 1024;

/// Whose memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryOwner {
    Team,
    Member,
}

impl MemoryOwner {
    /// The folder below the workspace, for a member or as a member sees it.
    #[must_use]
    pub fn folder(self, member: &AgentId) -> String {
        match self {
            Self::Team => ".minds/memory/team_shared".to_owned(),
            Self::Member => format!(".minds/memory/individual/{member}"),
        }
    }

    /// The tools that change a memory: one for new ones, one for its text, one that drops it.
    #[must_use]
    pub fn tools(self) -> [&'static str; 3] {
        match self {
            Self::Team => ["add_team_memory", "replace_team_memory", "drop_team_memory"],
            Self::Member => {
                ["add_personal_memory", "replace_personal_memory", "drop_personal_memory"]
            }
        }
    }
}

/// Whether a file of this name is put into contexts.
#[must_use]
pub fn is_shown(file_name: &str) -> bool {
    file_name.strip_suffix(".md").is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_markdown_by_a_plain_name_is_shown() {
        for (name, shown) in
            [("a.md", true), ("文.md", true), (".md", false), (".a.md", false), ("a.txt", false)]
        {
            assert_eq!(is_shown(name), shown, "{name}");
        }
    }
}
