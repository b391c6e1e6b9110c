//! The tools of all servers that models are offered: filtered, renamed, without duplicates. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::Tool;

use super::listing::{Listing, text_of};
use super::reading::unreadable_reason;
use super::result::{sanitize, sanitize_and_redact, sanitize_json};
use super::schema::parameters;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Problem, Secrets, SpecialCall};
use crate::minds::mcp_config::{McpServer, PATH, ToolFilter};
use crate::tools::{Description, ToolSpec};

/// Most tools of one server; further ones are left out.
pub(super) const MAX_TOOLS: usize = 256;
const MAX_DESCRIPTION_CHARS: usize = 8_000;
/// Characters of a name; more than any valid name has.
pub(super) const MAX_NAME_CHARS: usize = 1_000;
/// Size of the JSON schema of the arguments.
const MAX_REASON_CHARS: usize = 200;
const MAX_SCHEMA_BYTES: usize = 64 * 1024;

/// A server and the tools it listed.
#[derive(Debug)]
pub(super) struct ServerTools<'a> {
    pub server: &'a str,
    pub config: &'a McpServer,
    pub listing: &'a Listing,
    /// The names of tools that wait for the user: they are not offered.
    pub held: &'a BTreeSet<String>,
}

impl ServerTools<'_> {
    /// Each tool that waits, with its server, by the name models would know.
    pub fn held_names(&self) -> impl Iterator<Item = (String, String)> {
        let offered = self.held.iter().filter_map(|name| self.listing.offered_name(name));
        offered.map(|name| (self.server.to_owned(), name.to_owned()))
    }
}

/// Why a tool that waits is not run.
pub(super) fn held_text(server: &str, tool: &str) -> Localized {
    localized!(
        "{tool} was not run: the MCP server `{server}` now describes it differently from what a person agreed to, or it \
         is new. It waits until a person agrees; go on without it.",
        "未执行 {tool}：MCP 服务器 `{server}` 对它的描述与人同意时不同，或它是新的。它要等人同意；请先不用它继续。"
    )
}

/// A tool that models are offered.
#[derive(Debug, Clone)]
pub(super) struct OfferedTool {
    pub server: String,
    /// The server's own name for it.
    pub original: String,
    /// The digest of its description for models.
    pub digest: String,
    pub spec: ToolSpec,
}

/// A name in use elsewhere wins; among servers, the first of the file. Returns each problem with its
/// server.
pub(super) fn offered_tools(
    listed_tools: &[ServerTools],
    taken: &BTreeSet<String>,
    secrets: &Arc<Secrets>,
) -> (Vec<OfferedTool>, Vec<(String, Problem)>) {
    let (mut offered_tools, mut problems) = (Vec::new(), Vec::new());
    let mut used_names = taken.clone();
    for listed in listed_tools {
        let with_server = |problem| (listed.server.to_owned(), problem);
        problems.extend(
            too_many(listed)
                .into_iter()
                .chain(endless(listed))
                .chain(part_faults(listed))
                .chain(unmatched_patterns(listed))
                .map(with_server),
        );
        let tools = listed.listing.tools.iter().take(MAX_TOOLS);
        let is_agreed = |tool: &&Tool| !listed.held.contains(tool.name.as_ref());
        let allowed = tools.filter(|tool| listed.config.filter.allows(&tool.name));
        for tool in allowed.filter(is_agreed) {
            match offered_tool(listed, tool, &used_names, secrets) {
                Ok(offered_tool) => {
                    used_names.insert(offered_tool.spec.name.to_string());
                    offered_tools.push(offered_tool);
                }
                Err(problem) => problems.push(with_server(problem)),
            }
        }
    }
    (offered_tools, problems)
}

fn offered_tool(
    listed: &ServerTools,
    tool: &Tool,
    used_names: &BTreeSet<String>,
    secrets: &Arc<Secrets>,
) -> Result<OfferedTool, Problem> {
    let (server, original) = (listed.server, tool.name.as_ref());
    let shown = sanitize_and_redact(original, 80, secrets);
    let name = listed.listing.offered_name(original);
    let name = checked_name(server, &shown, name, used_names)?.to_owned();
    let parameters = match unreadable_reason(tool) {
        Some(reason) => Err(sanitize_and_redact(reason, MAX_REASON_CHARS, secrets)),
        None => parameters(&tool.input_schema),
    };
    let parameters = parameters.map_err(|reason| malformed(server, &shown, &reason))?;
    // Cleaned first: a hidden character could keep a secret from being found.
    let Some(parameters) = sanitize_json(parameters) else {
        return Err(hidden_name(server, &shown));
    };
    let parameters = secrets.redacted_json(parameters);
    if parameters.to_string().len() > MAX_SCHEMA_BYTES {
        let kib = MAX_SCHEMA_BYTES / 1024;
        return Err(Problem::new(
            format!("mcp/tool-too-large/{server}/{shown}"),
            PATH,
            localized!(
                "server `{server}`: the arguments of `{shown}` are described in more than {kib} KiB; \
                 left out",
                "服务器 `{server}`：`{shown}` 的参数描述超过 {kib} KiB；不予采用"
            ),
            Text::new(
                "put it on the blacklist, or use another server",
                "请把它加入 `blacklist`，或换用其他服务器",
            ),
        ));
    }
    let text = sanitize_and_redact(text_of(tool), MAX_DESCRIPTION_CHARS, secrets);
    let description = Description::Given(Arc::from(text));
    let digest = listed.listing.digest_of(original).unwrap_or_default().to_owned();
    // What a server says of its own tools is no reason to repeat a call.
    let spec = ToolSpec { name: name.into(), description, parameters, only_reads: false };
    Ok(OfferedTool { server: server.to_owned(), original: original.to_owned(), digest, spec })
}

/// Returns the problem of an argument whose name has hidden characters, so that it could not be used.
fn hidden_name(server: &str, shown: &str) -> Problem {
    Problem::new(
        format!("mcp/tool-hidden-characters/{server}/{shown}"),
        PATH,
        localized!(
            "server `{server}`: an argument of `{shown}` has a name with invisible or control characters; left out",
            "服务器 `{server}`：`{shown}` 有参数名含不可见字符或控制字符；不予采用"
        ),
        Text::new(
            "do not use this server unless you know why it does that",
            "除非清楚它为何这样做，否则请不要使用该服务器",
        ),
    )
}

/// Returns the problem that a tool's description does not fit the types of the protocol or of JSON schema.
fn malformed(server: &str, shown: &str, reason: &str) -> Problem {
    Problem::new(
        format!("mcp/tool-malformed/{server}/{shown}"),
        PATH,
        localized!(
            "server `{server}`: the description of `{shown}` is malformed ({reason}); left out",
            "服务器 `{server}`：`{shown}` 的描述格式有误（{reason}）；不予采用"
        ),
        Text::new(
            "report it to the makers of the server, or put the tool on the blacklist",
            "请向该服务器的作者报告，或把这个工具加入 `blacklist`",
        ),
    )
}

/// Returns the name of a tool, which must have no hidden characters and not be in use.
fn checked_name<'a>(
    server: &str,
    shown: &str,
    name: Option<&'a str>,
    used_names: &BTreeSet<String>,
) -> Result<&'a str, Problem> {
    let problem = |what: &str, text: Localized, fix: Text| {
        Problem::new(format!("mcp/{what}/{server}/{shown}"), PATH, text, fix)
    };
    let Some(name) = name else {
        let text = localized!(
            "server `{server}`: `{shown}` is no name for a tool; left out",
            "服务器 `{server}`：`{shown}` 不能作工具名；不予采用"
        );
        let fix = Text::new(
            "it is empty, too long, or contains invisible characters or a secret: put it on the blacklist",
            "它为空、过长，或含有不可见字符或密钥：请把它加入 `blacklist`",
        );
        return Err(problem("tool-invalid-name", text, fix));
    };
    if used_names.contains(name) || SpecialCall::of(name).is_some() {
        let text = localized!(
            "server `{server}`: the name `{name}` is taken; the tool is left out",
            "服务器 `{server}`：名称 `{name}` 已被占用；该工具不予采用"
        );
        let fix = Text::new(
            "give the server's tools a prefix with `transform: [{ prefix: x_ }]`, or put this one on the \
             blacklist",
            "请用 `transform: [{ prefix: x_ }]` 给该服务器的工具加前缀，或把这个工具加入 `blacklist`",
        );
        return Err(problem("tool-collision", text, fix));
    }
    Ok(name)
}

fn too_many(listed: &ServerTools) -> Option<Problem> {
    let server = listed.server;
    (listed.listing.tools.len() > MAX_TOOLS).then(|| {
        Problem::new(
            format!("mcp/too-many-tools/{server}"),
            PATH,
            localized!(
                "server `{server}` has more than {MAX_TOOLS} tools; the others are left out",
                "服务器 `{server}` 的工具超过 {MAX_TOOLS} 个；其余不予采用"
            ),
            Text::new(
                "have the server offer fewer tools, or split it",
                "请让服务器少提供一些工具，或拆分它",
            ),
        )
    })
}

fn endless(listed: &ServerTools) -> Option<Problem> {
    let server = listed.server;
    listed.listing.is_endless.then(|| {
        Problem::new(
            format!("mcp/endless-list/{server}"),
            PATH,
            localized!(
                "the list of tools of server `{server}` has no end; what came until it began anew is used",
                "服务器 `{server}` 的工具列表没有尽头；只采用它重复之前的部分"
            ),
            Text::new(
                "report it to the makers of the server: its `nextCursor` repeats",
                "请向该服务器的作者报告：它的 `nextCursor` 重复出现",
            ),
        )
    })
}

/// Why not all resources or prompts of a server are known, if its entry wants them.
fn part_faults(listed: &ServerTools) -> Vec<Problem> {
    let none = || Some(Localized::from(Text::new("it announces none", "它没有声明")));
    let (config, listing, server) = (listed.config, listed.listing, listed.server);
    let resources = listing.resources.as_ref().map_or_else(none, |list| list.fault.clone());
    let prompts = listing.prompts.as_ref().map_or_else(none, |list| list.fault.clone());
    let faults = [
        ("resources", resources.filter(|_| config.resources.is_some())),
        ("prompts", prompts.filter(|_| config.prompts.is_some())),
    ];
    let problem = |(part, reason): (&str, Option<Localized>)| {
        let reason = reason?;
        let problem = Problem::new(
            format!("mcp/{part}/{server}"),
            PATH,
            localized!(
                [reason] "not all {part} of server `{server}` are known: {reason}",
                "服务器 `{server}` 的 `{part}` 不全：{reason}"
            ),
            localized!(
                "remove `{part}` from its entry, or report it to the makers of the server",
                "请从它的条目中删除 `{part}`，或向该服务器的作者报告"
            ),
        );
        Some(problem.warning())
    };
    faults.into_iter().filter_map(problem).collect()
}

/// Patterns that match none of the server's tools are probably misspelt.
fn unmatched_patterns(listed: &ServerTools) -> Vec<Problem> {
    let filter = &listed.config.filter;
    let lists = [("whitelist", &filter.whitelist), ("blacklist", &filter.blacklist)];
    let mut problems = Vec::new();
    for (list, patterns) in lists {
        for pattern in patterns.iter().filter(|pattern| {
            let alone = ToolFilter { whitelist: vec![(*pattern).clone()], blacklist: Vec::new() };
            !listed.listing.tools.iter().any(|tool| alone.allows(&tool.name))
        }) {
            let (server, pattern, names) = (listed.server, sanitize(pattern, 80), names(listed));
            problems.push(Problem::new(
                format!("mcp/idle-pattern/{server}/{list}/{pattern}"),
                PATH,
                localized!(
                    "server `{server}`: `{pattern}` on the {list} matches none of its tools",
                    "服务器 `{server}`：`{list}` 中的 `{pattern}` 匹配不到它的任何工具"
                ),
                localized!(
                    "correct it or remove it; the server has: {names}",
                    "请修正或删除；该服务器有：{names}"
                ),
            ));
        }
    }
    problems
}

fn names(listed: &ServerTools) -> String {
    let names: Vec<&str> = listed.listing.tools.iter().map(|tool| tool.name.as_ref()).collect();
    sanitize(&names.join(", "), 400)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::resource_list::ResourceList;
    use super::*;
    use crate::minds::mcp_config::{NameRule, PromptRules, ResourceRules, StdioServer, Transport};

    fn server(changes: Vec<NameRule>, filter: ToolFilter) -> McpServer {
        let program = StdioServer {
            command: "x".to_owned(),
            args: Vec::new(),
            cwd: ".".to_owned(),
            env: Vec::new(),
        };
        McpServer {
            stateless: false,
            transport: Transport::Stdio(program),
            filter,
            name_rules: changes,
            resources: None,
            prompts: None,
        }
    }

    static NONE: BTreeSet<String> = BTreeSet::new();

    /// Returns the list of a server, from JSON.
    fn listing(config: &McpServer, tools: &[Value]) -> Listing {
        let tools = tools.iter().map(|tool| serde_json::from_value(tool.clone()).unwrap());
        Listing::new(tools.collect(), config, &Arc::default())
    }

    fn named(name: &str) -> Value {
        json!({"name": name, "inputSchema": {"type": "object"}})
    }

    fn tools(config: &McpServer, names: &[&str]) -> Listing {
        listing(config, &names.iter().map(|name| named(name)).collect::<Vec<_>>())
    }

    /// A list of which nothing waits.
    fn listed<'a>(server: &'a str, config: &'a McpServer, listing: &'a Listing) -> ServerTools<'a> {
        ServerTools { server, config, listing, held: &NONE }
    }

    fn offered_names(listed_tools: &[ServerTools], taken: &[&str]) -> (Vec<String>, Vec<String>) {
        let taken = taken.iter().map(|&name| name.to_owned()).collect();
        let (offered, problems) = offered_tools(listed_tools, &taken, &Arc::default());
        let names = offered.iter().map(|e| format!("{}/{}={}", e.server, e.original, e.spec.name));
        (names.collect(), problems.into_iter().map(|(_, problem)| problem.id).collect())
    }

    #[test]
    fn k10_a_name_in_use_is_left_out_and_the_first_server_wins() {
        let config = server(Vec::new(), ToolFilter::default());
        let one = tools(&config, &["read_file", "find"]);
        let two = tools(&config, &["find", "send", "tellask"]);
        let listed_tools = [listed("a", &config, &one), listed("b", &config, &two)];
        let (offered_tools, problems) = offered_names(&listed_tools, &["read_file"]);
        assert_eq!(offered_tools, ["a/find=find", "b/send=send"]);
        let lost = ["a/read_file", "b/find", "b/tellask"];
        assert_eq!(problems, lost.map(|name| format!("mcp/tool-collision/{name}")));
    }

    #[test]
    fn k10_a_name_that_is_not_as_it_is_seen_is_left_out_and_any_other_is_made_legal() {
        let prefix = |text: &str| vec![NameRule::Prefix(text.to_owned())];
        for (changes, name, expected) in [
            (Vec::new(), "a b", Some("a_b".to_owned())),
            (prefix("x."), "ab", Some("x_ab".to_owned())),
            (prefix(&"x".repeat(63)), "ab", Some(format!("{}a", "x".repeat(63)))),
            (Vec::new(), "", None),
            (Vec::new(), "a\u{202e}b", None),
            (Vec::new(), &"a".repeat(MAX_NAME_CHARS + 1), None),
        ] {
            let config = server(changes, ToolFilter::default());
            let tools = tools(&config, &[name]);
            let listed_tools = [listed("s", &config, &tools)];
            let (offered_tools, problems) =
                super::offered_tools(&listed_tools, &BTreeSet::new(), &Arc::default());
            let offered = offered_tools.first().map(|tool| tool.spec.name.to_string());
            assert_eq!(offered, expected, "{name}");
            let is_named = |id: &str| id.starts_with("mcp/tool-invalid-name/s/");
            assert_eq!(problems.iter().any(|(_, p)| is_named(&p.id)), expected.is_none());
        }
    }

    #[test]
    fn a_tool_whose_schema_is_none_costs_only_itself_and_an_endless_list_is_one_problem() {
        let config = server(Vec::new(), ToolFilter::default());
        let bad = json!({"name": "bad", "inputSchema": {"properties": {"type": "object"}}});
        let mut found = listing(&config, &[bad, json!({"name": "fine", "inputSchema": {}})]);
        found.is_endless = true;
        let (offered, problems) = offered_names(&[listed("s", &config, &found)], &[]);
        assert_eq!(offered, ["s/fine=fine"]);
        assert_eq!(problems, ["mcp/endless-list/s", "mcp/tool-malformed/s/bad"]);
    }

    #[test]
    fn what_is_not_all_known_of_resources_or_prompts_is_a_warning_where_the_entry_wants_it() {
        let wants = |resources| {
            let config = server(Vec::new(), ToolFilter::default());
            McpServer { resources, ..config }
        };
        let (config, silent) = (wants(Some(ResourceRules::default())), wants(None));
        let mut found = tools(&config, &["a"]);
        assert_eq!(offered_names(&[listed("s", &silent, &found)], &[]).1, [""; 0]);
        assert_eq!(offered_names(&[listed("s", &config, &found)], &[]).1, ["mcp/resources/s"]);
        let prompts = McpServer { prompts: Some(PromptRules::default()), ..wants(None) };
        assert_eq!(offered_names(&[listed("s", &prompts, &found)], &[]).1, ["mcp/prompts/s"]);
        let mut resources = ResourceList::default();
        resources.add(Vec::new(), true);
        found.resources = Some(resources);
        let problem = part_faults(&listed("s", &config, &found)).remove(0);
        crate::samples::assert_translated(&problem.text);
        found.resources = Some(ResourceList::default());
        assert_eq!(offered_names(&[listed("s", &config, &found)], &[]).1, [""; 0]);
    }

    #[test]
    fn a_filter_matches_original_names_and_a_pattern_without_a_match_is_reported() {
        let filter = ToolFilter {
            whitelist: vec!["re*".to_owned(), "wirte".to_owned()],
            blacklist: Vec::new(),
        };
        let config = server(vec![NameRule::Prefix("x_".to_owned())], filter);
        let tools = tools(&config, &["read", "write"]);
        let listed_tools = [listed("s", &config, &tools)];
        let (offered_tools, problems) = offered_names(&listed_tools, &[]);
        assert_eq!(offered_tools, ["s/read=x_read"]);
        assert_eq!(problems, ["mcp/idle-pattern/s/whitelist/wirte"]);
    }

    #[test]
    fn a_schema_is_passed_on_as_an_object_and_a_text_sanitized_and_truncated() {
        let tool = json!({"name": "t", "description": format!("a\u{202e}{}", "b".repeat(9_000)),
            "inputSchema": {"$schema": "x", "properties": {"n": {"type": ["number", "null"]}}}});
        let config = server(Vec::new(), ToolFilter::default());
        let listing = listing(&config, &[tool]);
        let listed_tools = [listed("s", &config, &listing)];
        let (offered_tools, _) =
            super::offered_tools(&listed_tools, &BTreeSet::new(), &Arc::default());
        let spec = &offered_tools[0].spec;
        let expected = json!({"properties": {"n": {"type": ["number", "null"]}}, "type": "object"});
        assert_eq!(spec.parameters, expected);
        let text = spec.description.text(crate::domain::Lang::En);
        assert!(text.starts_with("ab") && text.chars().count() == MAX_DESCRIPTION_CHARS + 1);
    }

    #[test]
    fn tools_beyond_the_limit_are_left_out_and_reported() {
        let names: Vec<String> = (0..=MAX_TOOLS).map(|n| format!("t{n}")).collect();
        let config = server(Vec::new(), ToolFilter::default());
        let tools = tools(&config, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let listed_tools = [listed("s", &config, &tools)];
        let (offered_tools, problems) = offered_names(&listed_tools, &[]);
        assert_eq!(
            (offered_tools.len(), problems),
            (MAX_TOOLS, vec!["mcp/too-many-tools/s".to_owned()])
        );
    }

    #[test]
    fn a_schema_that_is_too_large_leaves_out_only_its_tool() {
        let large = json!({"type": "object", "description": "x".repeat(MAX_SCHEMA_BYTES)});
        let config = server(Vec::new(), ToolFilter::default());
        let listing = listing(&config, &[json!({"name": "t", "inputSchema": large})]);
        let (_, problems) = offered_names(&[listed("s", &config, &listing)], &[]);
        assert_eq!(problems, ["mcp/tool-too-large/s/t"]);
    }

    #[test]
    fn a_tool_that_waits_is_not_offered_and_is_known_by_the_name_models_would_know() {
        let config = server(vec![NameRule::Prefix("x_".to_owned())], ToolFilter::default());
        let tools = tools(&config, &["read", "write"]);
        let held = BTreeSet::from(["write".to_owned()]);
        let listed = ServerTools { held: &held, ..listed("s", &config, &tools) };
        assert_eq!(listed.held_names().collect::<Vec<_>>(), [("s".into(), "x_write".into())]);
        let (offered, problems) = offered_names(&[listed], &[]);
        assert_eq!((offered, problems), (vec!["s/read=x_read".to_owned()], Vec::new()));
        crate::samples::assert_translated(&held_text("s", "x_write"));
    }

    #[test]
    fn what_a_model_is_told_of_a_tool_hides_nothing_and_a_hidden_argument_leaves_it_out() {
        let odd = "a\u{1b}]8;;x\u{7}\u{9b}\u{202e}\u{e0041}b\n";
        let schema = |key: &str| {
            json!({"type": "object", "properties": {key:
            {"type": "string", "description": odd, "enum": [odd]}}})
        };
        let config = server(Vec::new(), ToolFilter::default());
        let seen = json!({"name": "seen", "description": odd, "inputSchema": schema("n")});
        let hidden = json!({"name": "hidden", "inputSchema": schema("n\u{200b}")});
        let listing = listing(&config, &[seen, hidden]);
        let (offered, problems) =
            super::offered_tools(&[listed("s", &config, &listing)], &NONE, &Arc::default());
        let names: Vec<&str> = offered.iter().map(|tool| tool.original.as_str()).collect();
        assert_eq!(names, ["seen"]);
        let clean = "a]8;;xb\n";
        assert_eq!(offered[0].spec.description.text(crate::domain::Lang::En), clean);
        let argument = &offered[0].spec.parameters["properties"]["n"];
        assert_eq!((&argument["description"], &argument["enum"]), (&json!(clean), &json!([clean])));
        assert_eq!(problems[0].1.id, "mcp/tool-hidden-characters/s/hidden");
        crate::samples::assert_translated(&problems[0].1.text);
    }
}
