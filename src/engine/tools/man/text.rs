//! The written manuals, cut into topics. A manual begins with what the toolset is for; each topic
//! follows under a heading with its name, in either language.

use schemars::JsonSchema;
use serde::Deserialize;

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Topic {
    Index,
    Principles,
    Tools,
    Scenarios,
    Errors,
}

impl Topic {
    pub(super) const ALL: [Self; 5] =
        [Self::Index, Self::Principles, Self::Tools, Self::Scenarios, Self::Errors];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Principles => "principles",
            Self::Tools => "tools",
            Self::Scenarios => "scenarios",
            Self::Errors => "errors",
        }
    }
}

pub(super) const TEXTS: [(&str, &str); 10] = [
    ("control", include_str!("control.md")),
    ("ws_read", include_str!("ws_read.md")),
    ("ws_mod", include_str!("ws_mod.md")),
    ("os", include_str!("os.md")),
    ("personal_memory", include_str!("personal_memory.md")),
    ("team_memory", include_str!("team_memory.md")),
    ("codex_inspect_and_patch_tools", include_str!("codex_inspect_and_patch_tools.md")),
    ("skills", include_str!("skills.md")),
    ("team_mgmt", include_str!("team_mgmt.md")),
    ("mcp_admin", include_str!("mcp_admin.md")),
];

/// The manual of a toolset, both languages.
pub(super) fn of(toolset: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(name, _)| *name == toolset).map(|(_, text)| *text)
}

/// Returns one topic of a manual in one language; the index is the text before the first heading.
pub(super) fn part(manual: &'static str, topic: Topic) -> &'static str {
    let mut parts = manual.split("\n## ");
    let index = parts.next().unwrap_or_default();
    if topic == Topic::Index {
        return index.trim();
    }
    let body = parts.find_map(|part| {
        let (heading, body) = part.split_once('\n')?;
        (heading.trim() == topic.name()).then_some(body)
    });
    body.unwrap_or_default().trim()
}
