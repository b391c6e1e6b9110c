//! Parses `mcp.yaml` into servers. A broken entry is skipped and reported.

use serde_json::{Map, Value};

use super::names::{NameRule, ToolFilter};
use super::server::{HttpServer, McpServer, StdioServer, Transport, ValueSource};
use super::{McpFile, PATH, ServerEntry, is_tool_name};
use crate::domain::Problem;
use crate::minds::nearest::did_you_mean;
use crate::minds::report::{ProblemReport, clip, value_type, with_line};
use crate::yaml;

const MAX_SERVERS: usize = 50;
const MAX_ITEMS: usize = 200;

const TOP_KEYS: [&str; 2] = ["version", "servers"];

const KEYS: [&str; 12] = [
    "truely-stateless",
    "transport",
    "command",
    "args",
    "cwd",
    "env",
    "url",
    "headers",
    "sessionId",
    "tools",
    "transform",
    "manual",
];

/// Parses the file. Each problem is reported once, with its line.
pub(super) fn read(text: &str) -> McpFile {
    let mut report = ProblemReport::new(PATH, text);
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(Value::Null) => return McpFile::default(),
        Ok(other) => {
            let found = format!("the file is {}, not a map", value_type(&other));
            report.add("mcp/yaml", &[], found, "write `servers:`".to_owned());
            return broken(report.finish());
        }
        Err(error) => {
            let found = format!("the file cannot be read as YAML: {}", error.text);
            let fix = "fix the syntax; until then the servers stay as they are";
            let problem = Problem::new("mcp/yaml", PATH, found, fix);
            return broken(vec![with_line(problem, error.line)]);
        }
    };
    check_top(&top, &mut report);
    read_servers(&top, report)
}

fn read_servers(top: &Map<String, Value>, mut report: ProblemReport) -> McpFile {
    let entries = match top.get("servers") {
        Some(Value::Object(entries)) => entries,
        None | Some(Value::Null) => {
            return McpFile { problems: report.finish(), ..McpFile::default() };
        }
        Some(other) => {
            let found = format!("`servers` is {}, not a map", value_type(other));
            let fix = "write one entry for each server below it".to_owned();
            report.add("mcp/wrong-type/servers", &["servers"], found, fix);
            return broken(report.finish());
        }
    };
    let mut servers = Vec::new();
    for (id, value) in entries.iter().take(MAX_SERVERS) {
        let server = ServerReader { id, report: &mut report }.read(value);
        let line = report.line(&["servers", id]);
        servers.push(ServerEntry { id: id.clone(), line, server });
    }
    if entries.len() > MAX_SERVERS {
        let found = format!("{} servers; only the first {MAX_SERVERS} are used", entries.len());
        report.add("mcp/too-many", &["servers"], found, "remove some".to_owned());
    }
    McpFile { servers, problems: report.finish(), broken: false }
}

fn check_top(top: &Map<String, Value>, report: &mut ProblemReport) {
    for key in top.keys().filter(|key| !TOP_KEYS.contains(&key.as_str())) {
        let found = format!("unknown key `{}`; ignored", clip(key));
        let fix = format!("remove it{}", did_you_mean(key, TOP_KEYS));
        report.add(&format!("mcp/unknown-key/{}", clip(key)), &[key], found, fix);
    }
    if let Some(version) = top.get("version").filter(|version| version.as_u64() != Some(1)) {
        let found =
            format!("`version` is {}, not 1; read as version 1", clip(&version.to_string()));
        report.add("mcp/version", &["version"], found, "write `version: 1`".to_owned());
    }
}

fn broken(problems: Vec<Problem>) -> McpFile {
    McpFile { problems, broken: true, ..McpFile::default() }
}

/// Reads one entry.
struct ServerReader<'a, 'r> {
    id: &'a str,
    report: &'a mut ProblemReport<'r>,
}

impl ServerReader<'_, '_> {
    /// `None` if the server cannot be used.
    fn read(mut self, value: &Value) -> Option<McpServer> {
        if !is_tool_name(self.id) {
            let found = format!("`{}` is not a valid server name; left out", clip(self.id));
            self.add("name", &[], found, "use letters, digits, `_` and `-`, 64 at most");
            return None;
        }
        let Value::Object(map) = value else {
            let found =
                format!("server `{}` is {}, not a map; left out", self.id, value_type(value));
            self.add("wrong-type", &[], found, "give it `command`, or `transport` and `url`");
            return None;
        };
        self.check_keys(map);
        let transport = self.transport(map)?;
        let filter = self.filter(map.get("tools"))?;
        let changes = self.name_rules(map.get("transform"))?;
        let stateless = self.flag(map, "truely-stateless")?;
        Some(McpServer { stateless, transport, filter, name_rules: changes })
    }

    fn add(&mut self, what: &str, keys: &[&str], found: String, fix: &str) {
        let mut path = vec!["servers", self.id];
        path.extend(keys);
        let id = format!(
            "mcp/{what}/{}{}",
            clip(self.id),
            keys.iter().fold(String::new(), |all, key| { format!("{all}/{}", clip(key)) })
        );
        self.report.add(&id, &path, found, fix.to_owned());
    }

    /// Reports a value of the wrong type; the server is skipped.
    fn report_wrong_type(&mut self, keys: &[&str], value: &Value, fix: &str) {
        let what = keys.join(".");
        let found = format!("`{what}` of server `{}` is {}; left out", self.id, value_type(value));
        self.add("wrong-type", keys, found, fix);
    }

    fn check_keys(&mut self, map: &Map<String, Value>) {
        for key in map.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let found = format!("unknown key `{}` of server `{}`; ignored", clip(key), self.id);
            let fix = format!("remove it{}", did_you_mean(key, KEYS));
            self.add("unknown-key", &[key], found, &fix);
        }
        let session =
            map.get("sessionId").is_some_and(|id| !id.is_null() && id.as_str() != Some(""));
        if session {
            let found = format!("`sessionId` of server `{}` is ignored", self.id);
            self.add(
                "session",
                &["sessionId"],
                found,
                "remove it: each instance opens a session of its own",
            );
        }
    }

    fn transport(&mut self, map: &Map<String, Value>) -> Option<Transport> {
        let named = map.get("transport").filter(|value| !value.is_null());
        match named.map(|value| value.as_str().unwrap_or_default()) {
            None if map.contains_key("command") || !map.contains_key("url") => self.program(map),
            Some("stdio") => self.program(map),
            None | Some("streamable_http") => self.http(map),
            Some(other) => {
                let found =
                    format!("server `{}`: unknown transport `{}`; left out", self.id, clip(other));
                let fix = format!(
                    "write `stdio` or `streamable_http`{}",
                    did_you_mean(other, ["stdio", "streamable_http"])
                );
                self.add("transport", &["transport"], found, &fix);
                None
            }
        }
    }

    fn program(&mut self, map: &Map<String, Value>) -> Option<Transport> {
        let command = self.text(map, "command")?;
        if command.trim().is_empty() {
            let found = format!("server `{}` has no `command`; left out", self.id);
            self.add("no-command", &["command"], found, "name the program to start");
            return None;
        }
        let args = self.texts(map.get("args"), &["args"])?;
        let cwd = Some(self.text(map, "cwd")?).filter(|cwd| !cwd.is_empty());
        let env = self.values(map.get("env"), "env")?;
        let cwd = cwd.unwrap_or_else(|| ".".to_owned());
        Some(Transport::Stdio(StdioServer { command, args, cwd, env }))
    }

    fn http(&mut self, map: &Map<String, Value>) -> Option<Transport> {
        let url = self.text(map, "url")?.trim().to_owned();
        if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            let found = format!("`url` of server `{}` is not a web address; left out", self.id);
            self.add("no-url", &["url"], found, "write it as `http://...` or `https://...`");
            return None;
        }
        let headers = self.values(map.get("headers"), "headers")?;
        for (name, _) in headers.iter().filter(|(name, given)| given.literal_secret(name).is_some())
        {
            let found = format!("server `{}` has a secret in the file: `{name}`", self.id);
            let fix = "put it into an environment variable, write `{ env: NAME }`, and replace \
                        it: it may have been shared";
            self.add("secret", &["headers", name], found, fix);
        }
        Some(Transport::Http(HttpServer { url, headers }))
    }

    fn filter(&mut self, value: Option<&Value>) -> Option<ToolFilter> {
        let map = match value {
            None | Some(Value::Null) => return Some(ToolFilter::default()),
            Some(Value::Object(map)) => map,
            Some(other) => {
                self.report_wrong_type(
                    &["tools"],
                    other,
                    "write `tools: { whitelist: [], blacklist: [] }`",
                );
                return None;
            }
        };
        let lists = ["whitelist", "blacklist"];
        for key in map.keys().filter(|key| !lists.contains(&key.as_str())) {
            let found =
                format!("unknown key `{}` in `tools` of server `{}`; ignored", clip(key), self.id);
            let fix = format!("remove it{}", did_you_mean(key, lists));
            self.add("unknown-key", &["tools", key], found, &fix);
        }
        Some(ToolFilter {
            whitelist: self.texts(map.get("whitelist"), &["tools", "whitelist"])?,
            blacklist: self.texts(map.get("blacklist"), &["tools", "blacklist"])?,
        })
    }

    fn name_rules(&mut self, value: Option<&Value>) -> Option<Vec<NameRule>> {
        let items = match value {
            None | Some(Value::Null) => return Some(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.report_wrong_type(
                    &["transform"],
                    other,
                    "write a list such as `[{ prefix: x_ }]`",
                );
                return None;
            }
        };
        let mut changes = Vec::new();
        for item in items.iter().take(MAX_ITEMS) {
            let Some(change) = name_rule(item) else {
                let found = format!(
                    "a step of `transform` of server `{}` is not understood; left out",
                    self.id
                );
                let fix = "write `prefix: x_`, `prefix: { remove: a_, add: b_ }` or `suffix: _y`";
                self.add("transform", &["transform"], found, fix);
                return None;
            };
            changes.push(change);
        }
        Some(changes)
    }

    fn flag(&mut self, map: &Map<String, Value>, key: &str) -> Option<bool> {
        match map.get(key) {
            None | Some(Value::Null) => Some(false),
            Some(Value::Bool(flag)) => Some(*flag),
            Some(other) => {
                self.report_wrong_type(&[key], other, "write `true` or `false`");
                None
            }
        }
    }

    fn text(&mut self, map: &Map<String, Value>, key: &str) -> Option<String> {
        match map.get(key) {
            None | Some(Value::Null) => Some(String::new()),
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.report_wrong_type(&[key], other, "write a string");
                None
            }
        }
    }

    fn texts(&mut self, value: Option<&Value>, keys: &[&str]) -> Option<Vec<String>> {
        let items = match value {
            None | Some(Value::Null) => return Some(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.report_wrong_type(keys, other, "write a list of strings");
                return None;
            }
        };
        let mut texts = Vec::new();
        for item in items.iter().take(MAX_ITEMS) {
            let Some(text) = scalar(item) else {
                self.report_wrong_type(keys, item, "write a list of strings");
                return None;
            };
            texts.push(text);
        }
        Some(texts)
    }

    fn values(&mut self, value: Option<&Value>, key: &str) -> Option<Vec<(String, ValueSource)>> {
        let map = match value {
            None | Some(Value::Null) => return Some(Vec::new()),
            Some(Value::Object(map)) => map,
            Some(other) => {
                self.report_wrong_type(
                    &[key],
                    other,
                    "write `NAME: string` or `NAME: { env: HOST_VARIABLE }`",
                );
                return None;
            }
        };
        let mut all = Vec::new();
        for (name, value) in map.iter().take(MAX_ITEMS) {
            let Some(given) = value_source(value) else {
                self.report_wrong_type(
                    &[key, name],
                    value,
                    "write a string or `{ env: HOST_VARIABLE }`",
                );
                return None;
            };
            all.push((name.clone(), given));
        }
        Some(all)
    }
}

fn name_rule(item: &Value) -> Option<NameRule> {
    let map = item.as_object().filter(|map| map.len() == 1)?;
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    match (map.get("prefix"), map.get("suffix")) {
        (Some(Value::String(prefix)), None) => Some(NameRule::Prefix(prefix.clone())),
        (Some(replaced), None) => {
            let add = text(replaced, "add").unwrap_or_default();
            Some(NameRule::Replace { remove: text(replaced, "remove")?, add })
        }
        (None, Some(Value::String(suffix))) => Some(NameRule::Suffix(suffix.clone())),
        (None | Some(_), _) => None,
    }
}

fn value_source(value: &Value) -> Option<ValueSource> {
    let env = || value.as_object().filter(|map| map.len() == 1)?.get("env")?.as_str();
    match env() {
        Some(name) if !name.trim().is_empty() => Some(ValueSource::Env(name.trim().to_owned())),
        Some(_) | None => scalar(value).map(ValueSource::Literal),
    }
}

/// A scalar as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
