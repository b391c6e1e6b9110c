//! Reports unknown toolsets and tools in `team.yaml`.

use std::collections::BTreeMap;

use super::nearest::did_you_mean;
use super::report::{clip, with_line};
use super::{Minds, team};
use crate::domain::Problem;

/// Unknown names beyond this number are not listed.
const MAX_PROBLEMS: usize = 50;

/// The first list that has an unknown name.
struct Mention<'a> {
    key: &'static str,
    owner: &'a str,
}

impl Minds {
    /// One problem per name in `toolsets` or `tools` that is neither among `known` (toolsets and
    /// tools of this program) nor an MCP server.
    #[must_use]
    pub fn unknown_tools(&self, known: &[&str]) -> Vec<Problem> {
        let mut unknown: BTreeMap<&str, Mention> = BTreeMap::new();
        for member in &self.team.members {
            for (key, names) in [("toolsets", &member.toolsets), ("tools", &member.tools)] {
                let bare = names.iter().map(|name| name.trim_start_matches('!'));
                for name in bare.filter(|name| !self.is_known(name, known)) {
                    let owner = member.id.as_str();
                    unknown.entry(name).or_insert(Mention { key, owner });
                }
            }
        }
        let problems = unknown.into_iter().take(MAX_PROBLEMS);
        problems.map(|(name, mention)| self.unknown_tool(name, &mention, known)).collect()
    }

    /// True if `mcp.yaml` has servers; their tools are unknown until they run.
    #[must_use]
    pub fn has_servers(&self) -> bool {
        !self.mcp.servers.is_empty()
    }

    fn is_known(&self, name: &str, known: &[&str]) -> bool {
        name == "*" || known.contains(&name) || self.mcp.ids().any(|server| server == name)
    }

    fn unknown_tool(&self, name: &str, mention: &Mention, known: &[&str]) -> Problem {
        let what = if mention.key == "tools" { "tool" } else { "toolset" };
        let problem = Problem::new(
            format!("team/unknown-{what}/{}", clip(name)),
            team::PATH,
            format!("`{}`: there is no {what} `{}`; skipped", mention.owner, clip(name)),
            format!(
                "remove it from `{}`{}",
                mention.key,
                did_you_mean(name, known.iter().copied())
            ),
        )
        .warning();
        let own: &[&str] = &["members", mention.owner, mention.key];
        let shared: &[&str] = &["member_defaults", mention.key];
        let is_it = |item: &str| item.trim().trim_start_matches('!') == name;
        let lines = self.team_lines.as_ref();
        let line = lines
            .and_then(|lines| [own, shared].iter().find_map(|keys| lines.of_item(keys, is_it)));
        with_line(problem, line)
    }
}
