//! From the tools of all servers to those that are offered: filtered, renamed, without doubles. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use super::result::{clean, tidy};
use crate::domain::{Problem, Secrets, SpecialCall};
use crate::minds::mcp_config::{Filter, McpServer, PATH, is_name};
use crate::tools::{Description, ToolSpec};

/// Tools of one server beyond this number are left out.
pub(super) const MAX_TOOLS: usize = 256;
const DESCRIPTION_CHARS: usize = 8_000;
/// More than any name may have.
const MAX_NAME: usize = 1_000;
/// The largest schema of arguments, in bytes.
const SCHEMA_BYTES: usize = 64 * 1024;

/// A server and the tools it told.
#[derive(Debug)]
pub(super) struct Offer<'a> {
    pub server: &'a str,
    pub config: &'a McpServer,
    pub tools: &'a [Tool],
}

/// A tool as it is offered.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub server: String,
    /// The server's own name for it.
    pub original: String,
    pub spec: ToolSpec,
}

/// Names in use elsewhere win; among servers the first of the file. A problem comes with its server.
pub(super) fn entries(
    offers: &[Offer],
    taken: &BTreeSet<String>,
    secrets: &Arc<Secrets>,
) -> (Vec<Entry>, Vec<(String, Problem)>) {
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    let mut used = taken.clone();
    for offer in offers {
        let own = |problem| (offer.server.to_owned(), problem);
        problems.extend(too_many(offer).into_iter().chain(idle_patterns(offer)).map(own));
        let tools = offer.tools.iter().take(MAX_TOOLS);
        for tool in tools.filter(|tool| offer.config.filter.wants(&tool.name)) {
            match entry(offer, tool, &used, secrets) {
                Ok(entry) => {
                    used.insert(entry.spec.name.to_string());
                    entries.push(entry);
                }
                Err(problem) => problems.push(own(problem)),
            }
        }
    }
    (entries, problems)
}

fn entry(
    offer: &Offer,
    tool: &Tool,
    used: &BTreeSet<String>,
    secrets: &Arc<Secrets>,
) -> Result<Entry, Problem> {
    let (server, original) = (offer.server, tool.name.as_ref());
    let shown = clean(original, 80, secrets);
    let name = offer.config.changes.iter().fold(original.to_owned(), |name, c| c.apply(&name));
    check_name(server, (original, &shown), &clean(&name, MAX_NAME, secrets), used)?;
    let parameters = secrets.redacted_json(parameters(&tool.input_schema));
    if parameters.to_string().len() > SCHEMA_BYTES {
        return Err(Problem::new(
            format!("mcp/tool-too-large/{server}/{shown}"),
            PATH,
            format!(
                "server `{server}`: the arguments of `{shown}` are described in more than {} KiB; \
                 left out",
                SCHEMA_BYTES / 1024
            ),
            "put it on the blacklist, or use another server",
        ));
    }
    let told = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let description = Description::Given(Arc::from(clean(told, DESCRIPTION_CHARS, secrets)));
    let spec = ToolSpec { name: name.into(), description, parameters };
    Ok(Entry { server: server.to_owned(), original: original.to_owned(), spec })
}

/// A tool keeps its place only under a name that every provider takes and nobody has.
fn check_name(
    server: &str,
    (original, shown): (&str, &str),
    name: &str,
    used: &BTreeSet<String>,
) -> Result<(), Problem> {
    let problem = |what: &str, found: String, mend: &str| {
        Problem::new(format!("mcp/{what}/{server}/{shown}"), PATH, found, mend)
    };
    if !is_name(original) || !is_name(name) {
        let found = if name == original {
            format!("server `{server}`: `{shown}` is no name for a tool; left out")
        } else {
            let name = tidy(name, 80);
            format!(
                "server `{server}`: tool `{shown}` becomes `{name}`, which is no name; left out"
            )
        };
        let mend = "only letters, digits, `_` and `-` may be used, 64 at most: put it on the \
                    blacklist, or mend `transform`";
        return Err(problem("tool-invalid-name", found, mend));
    }
    if used.contains(name) || SpecialCall::of(name).is_some() {
        let found = format!("server `{server}`: the name `{name}` is taken; the tool is left out");
        let mend = "give the server's tools a prefix with `transform: [{ prefix: x_ }]`, or put \
                    this one on the blacklist";
        return Err(problem("tool-collision", found, mend));
    }
    Ok(())
}

/// The schema as the server gives it, as far as providers take it.
fn parameters(schema: &Map<String, Value>) -> Value {
    let mut schema = schema.clone();
    schema.shift_remove("$schema");
    if schema.get("type") != Some(&json!("object")) {
        schema.insert("type".to_owned(), json!("object"));
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".to_owned(), json!({}));
    }
    Value::Object(schema)
}

fn too_many(offer: &Offer) -> Option<Problem> {
    let server = offer.server;
    (offer.tools.len() > MAX_TOOLS).then(|| {
        Problem::new(
            format!("mcp/too-many-tools/{server}"),
            PATH,
            format!("server `{server}` has more than {MAX_TOOLS} tools; the others are left out"),
            "have the server offer fewer tools, or split it",
        )
    })
}

/// Patterns that fit none of the server's tools are probably misspelt.
fn idle_patterns(offer: &Offer) -> Vec<Problem> {
    let filter = &offer.config.filter;
    let lists = [("whitelist", &filter.whitelist), ("blacklist", &filter.blacklist)];
    let mut problems = Vec::new();
    for (list, patterns) in lists {
        for pattern in patterns.iter().filter(|pattern| {
            let alone = Filter { whitelist: vec![(*pattern).clone()], blacklist: Vec::new() };
            !offer.tools.iter().any(|tool| alone.wants(&tool.name))
        }) {
            let (server, pattern) = (offer.server, tidy(pattern, 80));
            problems.push(Problem::new(
                format!("mcp/idle-pattern/{server}/{list}/{pattern}"),
                PATH,
                format!("server `{server}`: `{pattern}` on the {list} fits none of its tools"),
                format!("correct it or remove it; the server has: {}", names(offer)),
            ));
        }
    }
    problems
}

fn names(offer: &Offer) -> String {
    let names: Vec<&str> = offer.tools.iter().map(|tool| tool.name.as_ref()).collect();
    tidy(&names.join(", "), 400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minds::mcp_config::{NameRule, Program, Transport};

    fn server(changes: Vec<NameRule>, filter: Filter) -> McpServer {
        let program = Program {
            command: "x".to_owned(),
            args: Vec::new(),
            cwd: ".".to_owned(),
            env: Vec::new(),
        };
        McpServer { stateless: false, transport: Transport::Stdio(program), filter, changes }
    }

    fn tools(names: &[&str]) -> Vec<Tool> {
        let tool = |name: &&str| {
            serde_json::from_value(json!({"name": name, "inputSchema": {"type": "object"}}))
                .unwrap()
        };
        names.iter().map(tool).collect()
    }

    fn told(offers: &[Offer], taken: &[&str]) -> (Vec<String>, Vec<String>) {
        let taken = taken.iter().map(|&name| name.to_owned()).collect();
        let (entries, problems) = entries(offers, &taken, &Arc::default());
        let entries =
            entries.iter().map(|e| format!("{}/{}={}", e.server, e.original, e.spec.name));
        (entries.collect(), problems.into_iter().map(|(_, problem)| problem.id).collect())
    }

    #[test]
    fn k10_a_name_that_is_taken_loses_and_the_first_server_wins() {
        let config = server(Vec::new(), Filter::default());
        let (one, two) = (tools(&["read_file", "find"]), tools(&["find", "send", "tellask"]));
        let offers = [
            Offer { server: "a", config: &config, tools: &one },
            Offer { server: "b", config: &config, tools: &two },
        ];
        let (entries, problems) = told(&offers, &["read_file"]);
        assert_eq!(entries, ["a/find=find", "b/send=send"]);
        let lost = ["a/read_file", "b/find", "b/tellask"];
        assert_eq!(problems, lost.map(|name| format!("mcp/tool-collision/{name}")));
    }

    #[test]
    fn k10_a_name_that_is_invalid_before_or_after_the_changes_is_left_out() {
        let prefix = vec![NameRule::Prefix("x.".to_owned())];
        for (changes, name, expected) in [
            (Vec::new(), "a b", "becomes nothing"),
            (prefix, "ab", "becomes `x.ab`"),
            (vec![NameRule::Prefix("x".repeat(63))], "ab", "becomes"),
        ] {
            let config = server(changes, Filter::default());
            let tools = tools(&[name]);
            let offers = [Offer { server: "s", config: &config, tools: &tools }];
            let (entries, problems) = super::entries(&offers, &BTreeSet::new(), &Arc::default());
            assert!(entries.is_empty(), "{name}");
            assert_eq!(problems[0].1.id, format!("mcp/tool-invalid-name/s/{name}"));
            assert_eq!(problems[0].1.text.contains("becomes"), expected != "becomes nothing");
        }
    }

    #[test]
    fn a_filter_looks_at_the_original_names_and_a_pattern_that_fits_nothing_is_told() {
        let filter =
            Filter { whitelist: vec!["re*".to_owned(), "wirte".to_owned()], blacklist: Vec::new() };
        let config = server(vec![NameRule::Prefix("x_".to_owned())], filter);
        let tools = tools(&["read", "write"]);
        let offers = [Offer { server: "s", config: &config, tools: &tools }];
        let (entries, problems) = told(&offers, &[]);
        assert_eq!(entries, ["s/read=x_read"]);
        assert_eq!(problems, ["mcp/idle-pattern/s/whitelist/wirte"]);
    }

    #[test]
    fn a_schema_is_passed_on_as_an_object_and_a_text_cleaned_and_bounded() {
        let told = json!({"name": "t", "description": format!("a\u{202e}{}", "b".repeat(9_000)),
            "inputSchema": {"$schema": "x", "properties": {"n": {"type": ["number", "null"]}}}});
        let tool: Tool = serde_json::from_value(told).unwrap();
        let config = server(Vec::new(), Filter::default());
        let offers = [Offer { server: "s", config: &config, tools: &[tool] }];
        let (entries, _) = super::entries(&offers, &BTreeSet::new(), &Arc::default());
        let spec = &entries[0].spec;
        let expected = json!({"properties": {"n": {"type": ["number", "null"]}}, "type": "object"});
        assert_eq!(spec.parameters, expected);
        let text = spec.description.text(crate::domain::Lang::En);
        assert!(text.starts_with("ab") && text.chars().count() == DESCRIPTION_CHARS + 1);
    }

    #[test]
    fn tools_without_end_are_left_out_and_told() {
        let names: Vec<String> = (0..=MAX_TOOLS).map(|n| format!("t{n}")).collect();
        let tools = tools(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let config = server(Vec::new(), Filter::default());
        let offers = [Offer { server: "s", config: &config, tools: &tools }];
        let (entries, problems) = told(&offers, &[]);
        assert_eq!((entries.len(), problems), (MAX_TOOLS, vec!["mcp/too-many-tools/s".to_owned()]));
    }

    #[test]
    fn a_schema_without_end_costs_the_tool_only() {
        let large = json!({"type": "object", "description": "x".repeat(SCHEMA_BYTES)});
        let tool: Tool =
            serde_json::from_value(json!({"name": "t", "inputSchema": large})).unwrap();
        let config = server(Vec::new(), Filter::default());
        let offers = [Offer { server: "s", config: &config, tools: &[tool] }];
        let (_, problems) = told(&offers, &[]);
        assert_eq!(problems, ["mcp/tool-too-large/s/t"]);
    }
}
