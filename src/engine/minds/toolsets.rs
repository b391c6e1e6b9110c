//! Reports unknown toolsets and tools in `team.yaml`.

use std::collections::BTreeMap;

use super::nearest::did_you_mean;
use super::report::{clip, with_line};
use super::{Minds, team};
use crate::domain::Problem;
use crate::domain::text::{Text, localized};

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
        let (id, what) = if mention.key == "tools" {
            ("tool", Text::new("tool", "工具"))
        } else {
            ("toolset", Text::new("toolset", "工具集"))
        };
        let (shown, Mention { key, owner }) = (clip(name), mention);
        let fix = localized!("remove it from `{key}`", "请把它从 `{key}` 中删除");
        let problem = Problem::new(
            format!("team/unknown-{id}/{shown}"),
            team::PATH,
            localized!(
                [what] "`{owner}`: there is no {what} `{shown}`; skipped",
                "`{owner}`：没有{what} `{shown}`；已跳过"
            ),
            fix.and(did_you_mean(name, known.iter().copied())),
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
