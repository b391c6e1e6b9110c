//! Parses `mcp.yaml` into servers. A broken entry is skipped and reported.

use serde_json::{Map, Value};

use super::names::{NameRule, ToolFilter};
use super::other_parts;
use super::server::{HttpServer, McpServer, StdioServer, Transport, ValueSource};
use super::{McpFile, PATH, ServerEntry, is_tool_name};
use crate::domain::Problem;
use crate::domain::safety::references::Reference;
use crate::domain::teams::org::MAIN;
use crate::domain::text::{Localized, Text, localized};
use crate::minds::nearest::{did_you_mean, remove_or_rename};
use crate::minds::report::{
    ProblemReport, clip, file_is_not_a_map, not_yaml, value_type, with_line,
};
use crate::yaml;

const MAX_SERVERS: usize = 50;
const MAX_ITEMS: usize = 200;

const ENV: &str = "env";
const HEADERS: &str = "headers";
const PREFIX: &str = "prefix";

const VARIABLE_FORMS: Text = Text::new(
    "write a string or `{ env: HOST_VARIABLE }`",
    "请写字符串或 `{ env: HOST_VARIABLE }`",
);
const HEADER_FORMS: Text = Text::new(
    "write a string, `{ env: HOST_VARIABLE }` or `{ prefix: 'Bearer ', env: HOST_VARIABLE }`",
    "请写字符串、`{ env: HOST_VARIABLE }` 或 `{ prefix: 'Bearer ', env: HOST_VARIABLE }`",
);
const LIST_OF_STRINGS: Text = Text::new("write a list of strings", "请写字符串列表");

const TOP_KEYS: [&str; 2] = ["version", "servers"];

const KEYS: [&str; 15] = [
    "enabled",
    "truely-stateless",
    "transport",
    "command",
    "args",
    "cwd",
    ENV,
    "url",
    HEADERS,
    "sessionId",
    "tools",
    "transform",
    "manual",
    other_parts::RESOURCES,
    other_parts::PROMPTS,
];

/// Keys of other programs that would restrict a server: without them it could do more than its entry says.
const RESTRICTING_KEYS: [&str; 9] = [
    "allowedTools",
    "disabled",
    "disabledTools",
    "enabledTools",
    "excludeTools",
    "includeTools",
    "permissions",
    "roots",
    "sandbox",
];

/// Parses the file. Each problem is reported once, with its line.
pub(super) fn read(text: &str) -> McpFile {
    let mut report = ProblemReport::new(PATH, text);
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(Value::Null) => return McpFile::default(),
        Ok(other) => {
            let fix = Text::new("write `servers:`", "请写 `servers:`");
            report.add("mcp/yaml", &[], file_is_not_a_map(&other), fix);
            return broken(report.finish());
        }
        Err(error) => {
            let fix = Text::new(
                "fix the syntax; until then the servers stay as they are",
                "请修正语法；在此之前服务器保持原样",
            );
            let problem = Problem::new("mcp/yaml", PATH, not_yaml(&error), fix);
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
            let kind = value_type(other);
            let found =
                localized!([kind] "`servers` is {kind}, not a map", "`servers` 是{kind}，不是映射");
            let fix =
                Text::new("write one entry for each server below it", "请在其下为每个服务器写一项");
            report.add("mcp/wrong-type/servers", &["servers"], found, fix);
            return broken(report.finish());
        }
    };
    let (mut servers, mut disabled) = (Vec::new(), Vec::new());
    for (id, value) in entries.iter().take(MAX_SERVERS) {
        let manual = ServerReader { id, report: &mut report }.manual(value.get("manual"));
        let server = ServerReader { id, report: &mut report }.read(value);
        let line = report.line(&["servers", id]);
        let is_disabled = value.get("enabled") == Some(&Value::Bool(false));
        let list = if is_disabled { &mut disabled } else { &mut servers };
        list.push(ServerEntry { id: id.clone(), line, server, manual });
    }
    if entries.len() > MAX_SERVERS {
        let count = entries.len();
        let found = localized!(
            "{count} servers; only the first {MAX_SERVERS} are used",
            "有 {count} 个服务器；只使用前 {MAX_SERVERS} 个"
        );
        let fix = Text::new("remove some", "请减少一些");
        report.add("mcp/too-many", &["servers"], found, fix);
    }
    McpFile { servers, disabled, problems: report.finish(), broken: false }
}

fn check_top(top: &Map<String, Value>, report: &mut ProblemReport) {
    for key in top.keys().filter(|key| !TOP_KEYS.contains(&key.as_str())) {
        let shown = clip(key);
        let found = localized!("unknown key `{shown}`; ignored", "未知的键 `{shown}`；已忽略");
        let fix = remove_or_rename(key, TOP_KEYS);
        report.add(&format!("mcp/unknown-key/{shown}"), &[key], found, fix);
    }
    if let Some(version) = top.get("version").filter(|version| version.as_u64() != Some(1)) {
        let version = clip(&version.to_string());
        let found = localized!(
            "`version` is {version}, not 1; read as version 1",
            "`version` 是 {version} 而不是 1；按版本 1 读取"
        );
        let fix = Text::new("write `version: 1`", "请写 `version: 1`");
        report.add("mcp/version", &["version"], found, fix);
    }
}

fn broken(problems: Vec<Problem>) -> McpFile {
    McpFile { problems, broken: true, ..McpFile::default() }
}

/// Reads one entry.
pub(super) struct ServerReader<'a, 'r> {
    pub(super) id: &'a str,
    report: &'a mut ProblemReport<'r>,
}

impl ServerReader<'_, '_> {
    /// `None` if the server cannot be used.
    fn read(mut self, value: &Value) -> Option<McpServer> {
        if !is_tool_name(self.id) {
            let shown = clip(self.id);
            let found = localized!(
                "`{shown}` is not a valid server name; left out",
                "`{shown}` 不是有效的服务器名；不予采用"
            );
            let fix = Text::new(
                "use letters, digits, `_` and `-`, 64 at most",
                "请用字母、数字、`_` 和 `-`，最多 64 个",
            );
            self.add("name", &[], found, fix);
            return None;
        }
        let Value::Object(map) = value else {
            let (id, kind) = (self.id, value_type(value));
            let found = localized!(
                [kind] "server `{id}` is {kind}, not a map; left out",
                "服务器 `{id}` 是{kind}，不是映射；不予采用"
            );
            let fix = Text::new(
                "give it `command`, or `transport` and `url`",
                "请为它写上 `command`，或 `transport` 和 `url`",
            );
            self.add("wrong-type", &[], found, fix);
            return None;
        };
        self.check_keys(map)?;
        if !matches!(map.get("enabled"), None | Some(Value::Null)) {
            self.flag(map, "enabled")?;
        }
        let transport = self.transport(map)?;
        let tools = map.get("tools");
        let filter = self.filter(tools)?;
        let mut changes = self.name_rules(map.get("transform"), &["transform"])?;
        let part = |key: &str| map.get(key).filter(|value| !value.is_null());
        let resources = match part(other_parts::RESOURCES) {
            Some(value) => Some(self.resources(value, &changes)?),
            None => None,
        };
        let prompts = match part(other_parts::PROMPTS) {
            Some(value) => Some(self.prompts(value, &changes)?),
            None => None,
        };
        let in_tools = tools.and_then(|tools| tools.get("transform"));
        changes.extend(self.name_rules(in_tools, &["tools", "transform"])?);
        let stateless = self.flag(map, "truely-stateless")?;
        Some(McpServer { stateless, transport, filter, name_rules: changes, resources, prompts })
    }

    fn add(
        &mut self,
        what: &str,
        keys: &[&str],
        found: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let (id, path) = self.locate(what, keys);
        self.report.add(&id, &path, found, fix);
    }

    /// Reports what keeps nothing from working.
    pub(super) fn warn(
        &mut self,
        what: &str,
        keys: &[&str],
        found: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let (id, path) = self.locate(what, keys);
        self.report.warn(&id, &path, found, fix);
    }

    /// The id of a problem, and the path of its key.
    fn locate<'k>(&self, what: &str, keys: &[&'k str]) -> (String, Vec<&'k str>)
    where
        Self: 'k,
    {
        let mut path = vec!["servers", self.id];
        path.extend(keys);
        let keys = keys.iter().fold(String::new(), |all, key| format!("{all}/{}", clip(key)));
        (format!("mcp/{what}/{}{keys}", clip(self.id)), path)
    }

    /// Reports a value of the wrong type; the server is skipped.
    pub(super) fn report_wrong_type(&mut self, keys: &[&str], value: &Value, fix: Text) {
        let (what, id, kind) = (keys.join("."), self.id, value_type(value));
        let found = localized!(
            [kind] "`{what}` of server `{id}` is {kind}; left out",
            "服务器 `{id}` 的 `{what}` 是{kind}；不予采用"
        );
        self.add("wrong-type", keys, found, fix);
    }

    /// `None` if a key is there that would restrict the server.
    fn check_keys(&mut self, map: &Map<String, Value>) -> Option<()> {
        let restricting = map.keys().filter(|key| RESTRICTING_KEYS.contains(&key.as_str()));
        let mut is_restricted = false;
        for key in restricting {
            let id = self.id;
            let found = localized!(
                "`{key}` of server `{id}` would restrict it and is not known here; left out",
                "服务器 `{id}` 的 `{key}` 会限制它，但本程序不认识；不予采用"
            );
            let fix = Text::new(
                "use `enabled: false`, or `tools: { whitelist: [], blacklist: [] }`, and remove the key",
                "请用 `enabled: false` 或 `tools: { whitelist: [], blacklist: [] }`，并删除此键",
            );
            self.add("restricting-key", &[key], found, fix);
            is_restricted = true;
        }
        let is_known = |key: &str| KEYS.contains(&key) || RESTRICTING_KEYS.contains(&key);
        for key in map.keys().filter(|key| !is_known(key)) {
            let (shown, id) = (clip(key), self.id);
            let found = localized!(
                "unknown key `{shown}` of server `{id}`; ignored",
                "服务器 `{id}` 有未知的键 `{shown}`；已忽略"
            );
            self.add("unknown-key", &[key], found, remove_or_rename(key, KEYS));
        }
        let session =
            map.get("sessionId").is_some_and(|id| !id.is_null() && id.as_str() != Some(""));
        if session {
            let id = self.id;
            let found = localized!(
                "`sessionId` of server `{id}` is ignored",
                "服务器 `{id}` 的 `sessionId` 已忽略"
            );
            let fix = Text::new(
                "remove it: each instance opens a session of its own",
                "请删除：每个实例都会开启自己的会话",
            );
            self.add("session", &["sessionId"], found, fix);
        }
        (!is_restricted).then_some(())
    }

    fn transport(&mut self, map: &Map<String, Value>) -> Option<Transport> {
        let named = map.get("transport").filter(|value| !value.is_null());
        match named.map(|value| value.as_str().unwrap_or_default()) {
            None if map.contains_key("command") || !map.contains_key("url") => self.program(map),
            Some("stdio") => self.program(map),
            None | Some("streamable_http") => self.http(map),
            Some(other) => {
                let (id, shown) = (self.id, clip(other));
                let found = localized!(
                    "server `{id}`: unknown transport `{shown}`; left out",
                    "服务器 `{id}`：未知的传输方式 `{shown}`；不予采用"
                );
                let fix = Text::new(
                    "write `stdio` or `streamable_http`",
                    "请写 `stdio` 或 `streamable_http`",
                );
                let hint = did_you_mean(other, ["stdio", "streamable_http"]);
                self.add("transport", &["transport"], found, Localized::from(fix).and(hint));
                None
            }
        }
    }

    fn program(&mut self, map: &Map<String, Value>) -> Option<Transport> {
        let command = self.text(map, "command")?;
        if command.trim().is_empty() {
            let id = self.id;
            let found = localized!(
                "server `{id}` has no `command`; left out",
                "服务器 `{id}` 没有 `command`；不予采用"
            );
            let fix = Text::new("name the program to start", "请写明要启动的程序");
            self.add("no-command", &["command"], found, fix);
            return None;
        }
        let args = self.texts(map.get("args"), &["args"])?;
        let cwd = Some(self.text(map, "cwd")?).filter(|cwd| !cwd.is_empty());
        let env = self.values(map.get(ENV), ENV)?;
        let cwd = cwd.unwrap_or_else(|| ".".to_owned());
        Some(Transport::Stdio(StdioServer { command, args, cwd, env }))
    }

    fn http(&mut self, map: &Map<String, Value>) -> Option<Transport> {
        let url = self.text(map, "url")?.trim().to_owned();
        if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            let id = self.id;
            let found = localized!(
                "`url` of server `{id}` is not a web address; left out",
                "服务器 `{id}` 的 `url` 不是网址；不予采用"
            );
            let fix = Text::new(
                "write it as `http://...` or `https://...`",
                "请写成 `http://...` 或 `https://...`",
            );
            self.add("no-url", &["url"], found, fix);
            return None;
        }
        let headers = self.values(map.get(HEADERS), HEADERS)?;
        for (name, _) in headers.iter().filter(|(name, given)| given.literal_secret(name).is_some())
        {
            let id = self.id;
            let found = localized!(
                "server `{id}` has a secret in the file: `{name}`",
                "服务器 `{id}` 的机密写在了文件里：`{name}`"
            );
            let fix = Text::new(
                "put it into an environment variable, write `{ env: NAME }`, and replace it: it may \
                 have been shared",
                "请把它放进环境变量，写成 `{ env: NAME }`，并更换它：它可能已泄露",
            );
            self.add("secret", &["headers", name], found, fix);
        }
        Some(Transport::Http(HttpServer { url, headers }))
    }

    fn filter(&mut self, value: Option<&Value>) -> Option<ToolFilter> {
        let map = match value {
            None | Some(Value::Null) => return Some(ToolFilter::default()),
            Some(Value::Object(map)) => map,
            Some(other) => {
                let fix = Text::new(
                    "write `tools: { whitelist: [], blacklist: [] }`",
                    "请写成 `tools: { whitelist: [], blacklist: [] }`",
                );
                self.report_wrong_type(&["tools"], other, fix);
                return None;
            }
        };
        let lists = ["whitelist", "blacklist"];
        let is_known = |key: &str| lists.contains(&key) || key == "transform";
        for key in map.keys().filter(|key| !is_known(key)) {
            let (shown, id) = (clip(key), self.id);
            let found = localized!(
                "unknown key `{shown}` in `tools` of server `{id}`; ignored",
                "服务器 `{id}` 的 `tools` 有未知的键 `{shown}`；已忽略"
            );
            self.add("unknown-key", &["tools", key], found, remove_or_rename(key, lists));
        }
        Some(ToolFilter {
            whitelist: self.texts(map.get("whitelist"), &["tools", "whitelist"])?,
            blacklist: self.texts(map.get("blacklist"), &["tools", "blacklist"])?,
        })
    }

    pub(super) fn name_rules(
        &mut self,
        value: Option<&Value>,
        keys: &[&str],
    ) -> Option<Vec<NameRule>> {
        let items = match value {
            None | Some(Value::Null) => return Some(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => {
                let fix = Text::new(
                    "write a list such as `[{ prefix: x_ }]`",
                    "请写成列表，如 `[{ prefix: x_ }]`",
                );
                self.report_wrong_type(keys, other, fix);
                return None;
            }
        };
        let mut changes = Vec::new();
        for item in items.iter().take(MAX_ITEMS) {
            let Some(change) = name_rule(item) else {
                let id = self.id;
                let found = localized!(
                    "a step of `transform` of server `{id}` is not understood; left out",
                    "服务器 `{id}` 的 `transform` 有一步无法理解；不予采用"
                );
                let fix = Text::new(
                    "write `prefix: x_`, `prefix: { remove: a_, add: b_ }` or `suffix: _y`",
                    "请写 `prefix: x_`、`prefix: { remove: a_, add: b_ }` 或 `suffix: _y`",
                );
                self.add("transform", keys, found, fix);
                return None;
            };
            changes.push(change);
        }
        Some(changes)
    }

    pub(super) fn flag(&mut self, map: &Map<String, Value>, key: &str) -> Option<bool> {
        match map.get(key) {
            None | Some(Value::Null) => Some(false),
            Some(Value::Bool(flag)) => Some(*flag),
            Some(other) => {
                let fix = Text::new("write `true` or `false`", "请写 `true` 或 `false`");
                self.report_wrong_type(&[key], other, fix);
                None
            }
        }
    }

    fn text(&mut self, map: &Map<String, Value>, key: &str) -> Option<String> {
        match map.get(key) {
            None | Some(Value::Null) => Some(String::new()),
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.report_wrong_type(&[key], other, Text::new("write a string", "请写字符串"));
                None
            }
        }
    }

    pub(super) fn texts(&mut self, value: Option<&Value>, keys: &[&str]) -> Option<Vec<String>> {
        let items = match value {
            None | Some(Value::Null) => return Some(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.report_wrong_type(keys, other, LIST_OF_STRINGS);
                return None;
            }
        };
        let mut texts = Vec::new();
        for item in items.iter().take(MAX_ITEMS) {
            let Some(text) = scalar(item) else {
                self.report_wrong_type(keys, item, LIST_OF_STRINGS);
                return None;
            };
            texts.push(text);
        }
        Some(texts)
    }

    /// Reports a reference that would stay text, as it is not the whole value; the server is skipped.
    fn report_reference(&mut self, key: &str, name: &str) {
        let (id, shown) = (self.id, clip(name));
        let found = localized!(
            "`{key}.{shown}` of server `{id}` has `${{vault:` in it, but is no reference; left out",
            "服务器 `{id}` 的 `{key}.{shown}` 含有 `${{vault:`，但不是引用；不予采用"
        );
        let fix = Text::new(
            "write `${vault:KEY}` or `${vault:KEY@TEAM}` and nothing else: what stands around it, such as \
             `Bearer`, belongs in the secret",
            "请只写 `${vault:KEY}` 或 `${vault:KEY@TEAM}`：它前后的文字（如 `Bearer`）应放进机密里",
        );
        self.add("reference", &[key, name], found, fix);
    }

    fn values(&mut self, value: Option<&Value>, key: &str) -> Option<Vec<(String, ValueSource)>> {
        let map = match value {
            None | Some(Value::Null) => return Some(Vec::new()),
            Some(Value::Object(map)) => map,
            Some(other) => {
                let fix = Text::new(
                    "write `NAME: string` or `NAME: { env: HOST_VARIABLE }`",
                    "请写成 `NAME: 字符串` 或 `NAME: { env: HOST_VARIABLE }`",
                );
                self.report_wrong_type(&[key], other, fix);
                return None;
            }
        };
        let mut all = Vec::new();
        for (name, value) in map.iter().take(MAX_ITEMS) {
            let Some(given) = value_source(value, key) else {
                let fix = if key == HEADERS { HEADER_FORMS } else { VARIABLE_FORMS };
                self.report_wrong_type(&[key, name], value, fix);
                return None;
            };
            if let ValueSource::Literal(text) | ValueSource::Env { prefix: text, .. } = &given
                && Reference::is_begun_in(text)
            {
                self.report_reference(key, name);
                return None;
            }
            if let Value::Object(map) = value {
                let known: &[&str] = if key == HEADERS { &[ENV, PREFIX] } else { &[ENV] };
                self.warn_unknown_keys(map, &[key, name], known);
            }
            all.push((name.clone(), given));
        }
        Some(all)
    }

    /// Reports keys that mean nothing there.
    pub(super) fn warn_unknown_keys(
        &mut self,
        map: &Map<String, Value>,
        at: &[&str],
        known: &[&str],
    ) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let (shown, place, id) = (clip(key), at.join("."), self.id);
            let found = localized!(
                "unknown key `{shown}` in `{place}` of server `{id}`; ignored",
                "服务器 `{id}` 的 `{place}` 有未知的键 `{shown}`；已忽略"
            );
            let fix = remove_or_rename(key, known.iter().copied());
            self.warn("unknown-key", &[at, &[key.as_str()]].concat(), found, fix);
        }
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

/// Where a value of `env` or of `headers` comes from. A header may have a text before the value of the variable.
fn value_source(value: &Value, key: &str) -> Option<ValueSource> {
    let Some(map) = value.as_object() else { return scalar(value).map(literal_or_reference) };
    let prefix = match map.get(PREFIX).filter(|_| key == HEADERS) {
        Some(prefix) => prefix.as_str()?.to_owned(),
        None => String::new(),
    };
    let variable = map.get(ENV)?.as_str()?.trim().to_owned();
    (!variable.is_empty()).then_some(ValueSource::Env { prefix, variable })
}

/// A text, or the reference to a vault that it is; one that names no team is of the root.
fn literal_or_reference(text: String) -> ValueSource {
    match Reference::of(&text) {
        Some(Reference { key, team }) => {
            let team = team.unwrap_or_else(|| MAIN.to_owned());
            ValueSource::Vault { team, key, version: 0 }
        }
        None => ValueSource::Literal(text),
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
