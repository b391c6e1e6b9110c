//! A server's list of tools, with the facts of each that a person agrees to: all that a model is told of it. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::prompt_list::PromptList;
use super::resource_list::ResourceList;
use super::result::sanitize_and_redact;
use super::tool_list::MAX_NAME_CHARS;
use crate::domain::Secrets;
use crate::domain::hex;
use crate::domain::safety::server_tools::ToolFacts;
use crate::minds::mcp_config::{MAX_NAME_BYTES, McpServer, is_tool_name};

/// Characters of a digest at the end of a name that something else has too.
const MARK_CHARS: usize = 6;

/// The tools of a server, each name once.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub tools: Vec<Tool>,
    /// The list had no end: a page led to one before it.
    pub is_endless: bool,
    /// The names models know, by the server's own. Every provider accepts each, and no two are the same.
    names: BTreeMap<String, String>,
    /// The facts of the tools that the server's entry lets through.
    pub facts: Vec<ToolFacts>,
    /// `None`: its entry wants no resources, or it has none.
    pub resources: Option<ResourceList>,
    /// Likewise.
    pub prompts: Option<PromptList>,
}

impl Listing {
    /// Makes a listing. Of two tools of the same name the first counts.
    pub fn new(tools: Vec<Tool>, config: &McpServer, secrets: &Arc<Secrets>) -> Self {
        let mut names = BTreeSet::new();
        let is_first = |tool: &Tool| names.insert(tool.name.to_string());
        let mut tools = tools;
        tools.retain(is_first);
        let names = offered_names(&tools, config, secrets);
        let offered = tools.iter().filter(|tool| config.filter.allows(&tool.name));
        let facts = offered
            .filter_map(|tool| Some(facts(tool, names.get(tool.name.as_ref())?, secrets)))
            .collect();
        Self { tools, is_endless: false, names, facts, resources: None, prompts: None }
    }

    /// The name models know a tool by; `None` for one that is never offered, because of its name.
    pub fn offered_name(&self, original: &str) -> Option<&str> {
        self.names.get(original).map(String::as_str)
    }

    /// Returns the digest of a tool's facts for models.
    pub fn digest_of(&self, name: &str) -> Option<&str> {
        let known = self.facts.iter().find(|known| known.name == name);
        known.map(|known| known.digest.as_str())
    }

    /// Returns the names of tools that differ from another list, or are held there.
    pub fn other_than(&self, before: &Self, held: &BTreeSet<String>) -> BTreeSet<String> {
        let is_other = |tool: &&ToolFacts| {
            held.contains(&tool.name) || before.digest_of(&tool.name) != Some(&tool.digest)
        };
        self.facts.iter().filter(is_other).map(|tool| tool.name.clone()).collect()
    }
}

/// Returns the offered names: legal ones are kept; in others, illegal characters are replaced and clashes marked.
fn offered_names(
    tools: &[Tool],
    config: &McpServer,
    secrets: &Arc<Secrets>,
) -> BTreeMap<String, String> {
    let clean = |name: &str| sanitize_and_redact(name, MAX_NAME_CHARS, secrets) == name;
    let renamed = tools.iter().filter_map(|tool| {
        let name =
            config.name_rules.iter().fold(tool.name.to_string(), |name, rule| rule.apply(&name));
        let is_known = !tool.name.is_empty() && clean(&tool.name) && clean(&name);
        is_known.then(|| (tool.name.to_string(), name))
    });
    let (legal, other): (Vec<_>, Vec<_>) = renamed.partition(|(_, name)| is_tool_name(name));
    let mut taken: BTreeSet<String> = legal.iter().map(|(_, name)| name.clone()).collect();
    let mut names: BTreeMap<String, String> = legal.into_iter().collect();
    for (original, name) in other {
        let mut legal = legal_name(&name);
        if taken.contains(&legal) {
            legal.truncate(MAX_NAME_BYTES - MARK_CHARS - 1);
            legal = marked(&legal, &original);
        }
        if taken.insert(legal.clone()) {
            names.insert(original, legal);
        }
    }
    names
}

/// The name with a mark of what it stands for behind it.
pub(super) fn marked(name: &str, of: &str) -> String {
    let mark: String = hex(&Sha256::digest(of)).chars().take(MARK_CHARS).collect();
    format!("{name}_{mark}")
}

fn legal_name(name: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let legal = name.chars().map(|c| if is_legal(c) { c } else { '_' });
    legal.take(MAX_NAME_BYTES).collect()
}

fn facts(tool: &Tool, offered: &str, secrets: &Arc<Secrets>) -> ToolFacts {
    let name = tool.name.as_ref();
    let text = text_of(tool);
    let schema = canonical(&tool.input_schema);
    let mut hash = Sha256::new();
    for part in [name, offered, text, &schema.to_string()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let (shown, schema) = (secrets.redacted(text.to_owned()), secrets.redacted_json(schema));
    let act = format!("offered as {offered}: {}, with arguments {schema}", json!(shown));
    ToolFacts::new(name, &act, hex(&hash.finalize()))
}

/// Returns the text that tells models what a tool does.
pub(super) fn text_of(tool: &Tool) -> &str {
    tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default()
}

/// Returns the object with sorted keys, so that their order does not matter.
fn canonical(map: &Map<String, Value>) -> Value {
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort_unstable();
    let pairs = keys.into_iter().filter_map(|key| Some((key.clone(), sorted(map.get(key)?))));
    Value::Object(pairs.collect())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => canonical(map),
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minds::mcp_config::{HttpServer, NameRule, ToolFilter, Transport};

    fn config() -> McpServer {
        let transport = Transport::Http(HttpServer { url: "x".to_owned(), headers: Vec::new() });
        McpServer {
            stateless: false,
            transport,
            filter: ToolFilter::default(),
            name_rules: Vec::new(),
            resources: None,
            prompts: None,
        }
    }

    fn listing(config: &McpServer, tools: &Value) -> Listing {
        let tools = serde_json::from_value(tools.clone()).unwrap();
        Listing::new(tools, config, &Arc::default())
    }

    fn tool(text: &str) -> Value {
        json!([{"name": "a", "description": text, "inputSchema": {"type": "object",
            "properties": {"x": {"type": "string"}, "y": {"enum": ["1", "2"]}}}}])
    }

    #[test]
    fn the_order_of_keys_does_not_matter_and_everything_a_model_is_told_does() {
        let known = listing(&config(), &tool("Reads."));
        let digest = known.digest_of("a").unwrap();
        let reordered = json!([{"inputSchema": {"properties": {"y": {"enum": ["1", "2"]},
            "x": {"type": "string"}}, "type": "object"}, "description": "Reads.", "name": "a"}]);
        assert_eq!(listing(&config(), &reordered).digest_of("a"), Some(digest));
        let text = tool("Reads.").to_string();
        for (from, to) in [
            ("Reads.", "Reads it."),
            ("Reads.", "Reads.\u{200b}"),
            ("\"string\"", "\"number\""),
            ("\"x\"", "\"z\""),
            (r#"["1","2"]"#, r#"["2","1"]"#),
        ] {
            let to = text.replacen(from, to, 1);
            assert_ne!(text, to);
            let other = listing(&config(), &serde_json::from_str(&to).unwrap());
            assert_ne!(other.digest_of("a"), Some(digest), "{to}");
        }
        let renamed = McpServer { name_rules: vec![NameRule::Prefix("x_".to_owned())], ..config() };
        assert_ne!(listing(&renamed, &tool("Reads.")).digest_of("a"), Some(digest));
    }

    #[test]
    fn of_two_tools_of_a_name_the_first_counts() {
        let both = json!([{"name": "a", "description": "1", "inputSchema": {}},
            {"name": "a", "description": "2", "inputSchema": {}}]);
        let found = listing(&config(), &both);
        assert_eq!((found.tools.len(), found.facts.len()), (1, 1));
        assert!(found.facts[0].act.contains(r#""1""#), "{}", found.facts[0].act);
    }

    #[test]
    fn every_name_is_legal_unique_and_the_same_in_every_order() {
        let long = "n".repeat(80);
        let mut all = vec![
            ("calendar.list", "calendar_list".to_owned()),
            ("a_b", "a_b".to_owned()),
            ("db/query:all", "db_query_all".to_owned()),
            ("搜索", "__".to_owned()),
            (&long, "n".repeat(64)),
        ];
        for _ in 0..all.len() {
            all.rotate_left(1);
            let tools = all.iter().map(|(name, _)| json!({"name": name, "inputSchema": {}}));
            let found = listing(&config(), &tools.collect());
            for (name, expected) in &all {
                assert_eq!(found.offered_name(name), Some(expected.as_str()));
            }
            assert_eq!(found.facts.len(), all.len());
        }
        let alike = ["a.b", "a_b", "a b", "a/b", &long, &format!("{long}x"), &"n".repeat(64)];
        let tools = alike.iter().map(|name| json!({"name": name, "inputSchema": {}}));
        let found = listing(&config(), &tools.collect());
        let names: BTreeSet<&str> =
            alike.iter().map(|name| found.offered_name(name).unwrap()).collect();
        assert_eq!(names.len(), alike.len());
        assert!(names.iter().all(|name| is_tool_name(name)), "{names:?}");
        assert_eq!(found.offered_name("a_b"), Some("a_b"));
        assert_eq!(found.offered_name(&"n".repeat(64)), Some("n".repeat(64).as_str()));
    }

    #[test]
    fn nobody_is_asked_about_a_tool_that_is_never_offered() {
        let filter = ToolFilter { whitelist: Vec::new(), blacklist: vec!["no*".to_owned()] };
        let tool_called = |name: &str| json!({"name": name, "inputSchema": {}});
        let tools = json!([
            tool_called("a\u{1b}[31m"),
            tool_called("a\u{202e}b"),
            tool_called("no_go"),
            tool_called("go")
        ]);
        let found = listing(&McpServer { filter, ..config() }, &tools);
        let names: Vec<&str> = found.facts.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["go"]);
    }

    #[test]
    fn what_is_shown_is_printable_and_holds_no_secret() {
        let secrets = Arc::new(Secrets::new([], ["sk-canary-0123".to_owned()]));
        let tools = serde_json::from_value(tool("a\u{1b}\u{9b}\u{202e} sk-canary-0123")).unwrap();
        let found = Listing::new(tools, &config(), &secrets);
        let act = &found.facts[0].act;
        assert!(act.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '), "{act}");
        assert!(!act.contains("canary") && act.contains("\\u{202e}"), "{act}");
    }
}
