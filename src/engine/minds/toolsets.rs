//! Reports unknown toolsets and tools in `team.yaml`.

use std::collections::BTreeMap;

use super::mcp_config::{FETCH_RESOURCE, LIST_RESOURCES, RESOURCES};
use super::nearest::did_you_mean;
use super::report::{clip, with_line};
use super::{Minds, team};
use crate::domain::Problem;
use crate::domain::text::wildcard::fits;
use crate::domain::text::{Text, localized};

/// Unknown names beyond this number are not listed.
const MAX_PROBLEMS: usize = 50;

/// Toolsets and tools of Dominds 1.29 that this program has not; `*` stands for any text. A file for both may name
/// them.
const OF_DOMINDS: [&str; 11] = [
    "apply_occurrence_replace",
    "create_symlink",
    "fs_*",
    "mcp_disable",
    "pad_*",
    "prepare_occurrence_replace",
    "read_symlink",
    "rm_symlink",
    "*_personal_skill",
    "import_personal_skill_from_file",
    "team_mgmt_*",
];

/// A toolset and its tools that are there if a server gives resources.
const OF_RESOURCES: [&str; 3] = [RESOURCES, LIST_RESOURCES, FETCH_RESOURCE];

/// Tools that members have in trees in the layout of Dominds 1.29, named here or not.
const IN_RECENT_TREES: [&str; 2] = ["migrate_reminder", "set_dialog_goal"];

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
        let is_ours = known.contains(&name) || IN_RECENT_TREES.contains(&name);
        let is_ours = is_ours || (OF_RESOURCES.contains(&name) && self.mcp.has_resources());
        name == "*" || is_ours || self.mcp.ids().any(|server| server == name)
    }

    fn unknown_tool(&self, name: &str, mention: &Mention, known: &[&str]) -> Problem {
        let (id, what) = if mention.key == "tools" {
            ("tool", Text::new("tool", "工具"))
        } else {
            ("toolset", Text::new("toolset", "工具集"))
        };
        let (shown, Mention { key, owner }) = (clip(name), mention);
        let (found, fix) = if OF_DOMINDS.iter().any(|pattern| fits(pattern, name)) {
            (
                localized!(
                    [what] "`{owner}`: the {what} `{shown}` of Dominds is not offered here; skipped",
                    "`{owner}`：此处不提供 Dominds 的{what} `{shown}`；已跳过"
                ),
                localized!(
                    "leave it for Dominds, or remove it from `{key}`",
                    "可为 Dominds 保留，或把它从 `{key}` 中删除"
                ),
            )
        } else if OF_RESOURCES.contains(&name) {
            (
                localized!(
                    [what] "`{owner}`: the {what} `{shown}` is not there: no server has `resources`; skipped",
                    "`{owner}`：没有{what} `{shown}`：没有服务器写了 `resources`；已跳过"
                ),
                localized!(
                    "give a server in .minds/mcp.yaml `resources: {{}}`, or remove it from `{key}`",
                    "请在 .minds/mcp.yaml 中为某个服务器写上 `resources: {{}}`，或把它从 `{key}` 中删除"
                ),
            )
        } else {
            let fix = localized!("remove it from `{key}`", "请把它从 `{key}` 中删除");
            let found = localized!(
                [what] "`{owner}`: there is no {what} `{shown}`; skipped",
                "`{owner}`：没有{what} `{shown}`；已跳过"
            );
            (found, fix)
        };
        let fix = fix.and(did_you_mean(name, known.iter().copied()));
        let problem =
            Problem::new(format!("team/unknown-{id}/{shown}"), team::PATH, found, fix).warning();
        let own: &[&str] = &["members", mention.owner, mention.key];
        let shared: &[&str] = &["member_defaults", mention.key];
        let is_it = |item: &str| item.trim().trim_start_matches('!') == name;
        let lines = self.team_lines.as_ref();
        let line = lines
            .and_then(|lines| [own, shared].iter().find_map(|keys| lines.of_item(keys, is_it)));
        with_line(problem, line)
    }
}
