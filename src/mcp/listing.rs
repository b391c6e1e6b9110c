//! A list of tools as a server gave it, with what a person agrees to of each: all that a model is told of it. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::result::sanitize_and_redact;
use super::tool_list::{MAX_NAME_CHARS, offered_name};
use crate::domain::server_tools::ToolFacts;
use crate::domain::{Secrets, hex};
use crate::minds::mcp_config::{McpServer, is_tool_name};

/// The tools of a server, each name once.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub tools: Vec<Tool>,
    /// Of the tools that the entry of the server lets through.
    pub facts: Vec<ToolFacts>,
}

impl Listing {
    /// Of two tools of the same name the first counts.
    pub fn new(tools: Vec<Tool>, config: &McpServer, secrets: &Arc<Secrets>) -> Self {
        let mut names = BTreeSet::new();
        let is_first = |tool: &Tool| names.insert(tool.name.to_string());
        let mut tools = tools;
        tools.retain(is_first);
        let offered = tools.iter().filter(|tool| config.filter.allows(&tool.name));
        let facts = offered.filter_map(|tool| facts(tool, config, secrets)).collect();
        Self { tools, facts }
    }

    /// The digest of what models are told of a tool.
    pub fn digest_of(&self, name: &str) -> Option<&str> {
        let known = self.facts.iter().find(|known| known.name == name);
        known.map(|known| known.digest.as_str())
    }

    /// The names of those that are not as they are in another list, or are held there.
    pub fn other_than(&self, before: &Self, held: &BTreeSet<String>) -> BTreeSet<String> {
        let is_other = |tool: &&ToolFacts| {
            held.contains(&tool.name) || before.digest_of(&tool.name) != Some(&tool.digest)
        };
        self.facts.iter().filter(is_other).map(|tool| tool.name.clone()).collect()
    }
}

/// `None` for a tool that is never offered, because of its name.
fn facts(tool: &Tool, config: &McpServer, secrets: &Arc<Secrets>) -> Option<ToolFacts> {
    let name = tool.name.as_ref();
    let offered = offered_name(config, name);
    for name in [name, &offered] {
        if !is_tool_name(name) || sanitize_and_redact(name, MAX_NAME_CHARS, secrets) != name {
            return None;
        }
    }
    let text = text_of(tool);
    let schema = canonical(&tool.input_schema);
    let mut hash = Sha256::new();
    for part in [name, &offered, text, &schema.to_string()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let (shown, schema) = (secrets.redacted(text.to_owned()), secrets.redacted_json(schema));
    let act = format!("offered as {offered}: {}, with arguments {schema}", json!(shown));
    Some(ToolFacts::new(name, &act, hex(&hash.finalize())))
}

/// What says for models what it does.
pub(super) fn text_of(tool: &Tool) -> &str {
    tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default()
}

/// The same for every order of keys.
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
