//! One entry of `members`, or `member_defaults`: all keys checked, nothing inherited yet.
//!
//! A wrong type of a critical key (provider, model, tools, access lists, model parameters) excludes the
//! member; for other keys only the key is ignored.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::access;
use super::expected;
use super::params;
use crate::domain::ModelParams;
use crate::domain::text::{Localized, Text, localized};
use crate::minds::nearest::{nearest, remove_or_rename};
use crate::minds::report::{ProblemReport, clip, must_be, value_type};

/// Lines of `gofor` and `nogo` are truncated to this length and number.
const MAX_LINE_CHARS: usize = 400;
const MAX_LINES: usize = 40;
/// A list with more names is invalid.
const MAX_NAMES: usize = 200;

/// All keys but those of the access lists.
const KEYS: [&str; 16] = [
    "name",
    "icon",
    "gofor",
    "nogo",
    "provider",
    "model",
    "toolsets",
    "tools",
    "model_params",
    "fbr_model_params",
    "fbr-effort",
    "fbr_effort",
    "diligence-push-max",
    "diligence_push_max",
    "streaming",
    "hidden",
];

/// The keys that are set; others are inherited.
#[derive(Debug, Clone, Default)]
pub(super) struct MemberSpec {
    pub name: Option<String>,
    pub icon: Option<String>,
    pub gofor: Option<Vec<String>>,
    pub nogo: Option<Vec<String>>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub toolsets: Option<Vec<String>>,
    pub tools: Option<Vec<String>>,
    pub params: Option<ModelParams>,
    pub fbr_params: Option<ModelParams>,
    pub fbr_effort: Option<u8>,
    pub diligence_push_max: Option<u32>,
    pub streaming: Option<bool>,
    pub hidden: Option<bool>,
    /// Access lists by key.
    pub access: BTreeMap<&'static str, Vec<String>>,
}

impl MemberSpec {
    /// `None` if the member is excluded; the report has the reason.
    pub(super) fn read_member(id: &str, value: &Value, report: &mut ProblemReport) -> Option<Self> {
        let mut reader = SpecReader::new(id, &["members", id], report);
        match value {
            Value::Null => Some(Self::default()),
            Value::Object(map) => {
                let spec = reader.read(map);
                (!reader.broken).then_some(spec)
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let (name, kind) = (clip(id), value_type(value));
                let found = localized!(
                    [kind] "member `{name}` is {kind}, not a map",
                    "成员 `{name}` 是{kind}，不是映射"
                );
                let fix = Text::new("give it keys, or remove it", "请为它写上键，或删除它");
                reader.add("wrong-type", &[], found, fix);
                None
            }
        }
    }

    pub(super) fn read_defaults(map: &Map<String, Value>, report: &mut ProblemReport) -> Self {
        let mut reader = SpecReader::new("member_defaults", &["member_defaults"], report);
        let mut spec = reader.read(map);
        if spec.name.take().is_some() {
            let found = Text::new(
                "`name` in `member_defaults` would name every member alike",
                "`member_defaults` 里的 `name` 会使所有成员同名",
            );
            reader.warn("unknown-key", &["name"], found, Text::new("remove it", "请删除"));
        }
        spec
    }

    /// Merges with `base`; own keys win. Lists and parameter maps are replaced, not merged.
    pub(super) fn over(self, base: &Self) -> Self {
        let mut access = base.access.clone();
        access.extend(self.access);
        Self {
            name: self.name,
            icon: self.icon.or_else(|| base.icon.clone()),
            gofor: self.gofor.or_else(|| base.gofor.clone()),
            nogo: self.nogo.or_else(|| base.nogo.clone()),
            provider: self.provider.or_else(|| base.provider.clone()),
            model: self.model.or_else(|| base.model.clone()),
            toolsets: self.toolsets.or_else(|| base.toolsets.clone()),
            tools: self.tools.or_else(|| base.tools.clone()),
            params: self.params.or_else(|| base.params.clone()),
            fbr_params: self.fbr_params.or_else(|| base.fbr_params.clone()),
            fbr_effort: self.fbr_effort.or(base.fbr_effort),
            diligence_push_max: self.diligence_push_max.or(base.diligence_push_max),
            streaming: self.streaming.or(base.streaming),
            hidden: self.hidden.or(base.hidden),
            access,
        }
    }
}

/// Reads one entry.
struct SpecReader<'r, 't> {
    owner: &'r str,
    at: Vec<&'r str>,
    report: &'r mut ProblemReport<'t>,
    /// A critical key is wrong: the member is excluded.
    broken: bool,
}

impl<'r, 't> SpecReader<'r, 't> {
    fn new(owner: &'r str, at: &[&'r str], report: &'r mut ProblemReport<'t>) -> Self {
        Self { owner, at: at.to_vec(), report, broken: false }
    }

    fn read(&mut self, map: &Map<String, Value>) -> MemberSpec {
        let mut spec = MemberSpec::default();
        for (key, value) in map {
            if value.is_null() {
                let (key_name, owner) = (clip(key), self.quoted_owner());
                let found =
                    localized!("`{key_name}` of {owner} is empty", "{owner} 的 `{key_name}` 为空");
                let fix = Text::new("give it a value, or remove the key", "请写上值，或删除该键");
                self.warn("empty", &[key], found, fix);
            } else {
                self.read_key(&mut spec, map, key, value);
            }
        }
        spec
    }

    fn read_key(
        &mut self,
        spec: &mut MemberSpec,
        map: &Map<String, Value>,
        key: &str,
        value: &Value,
    ) {
        if let Some(list) = access::KEYS.iter().find(|name| **name == key) {
            if let Some(entries) = self.required(key, value, name_list(value), expected::STRINGS) {
                let entries = self.without_reserved_paths(key, entries);
                spec.access.insert(list, entries);
            }
            return;
        }
        match key {
            "name" => spec.name = self.optional(key, value, non_blank(value), expected::STRING),
            "icon" => spec.icon = self.optional(key, value, non_blank(value), expected::STRING),
            "gofor" => {
                spec.gofor = self.optional(key, value, text_lines(value), expected::LINES);
            }
            "nogo" => {
                spec.nogo = self.optional(key, value, text_lines(value), expected::LINES);
            }
            "provider" => {
                spec.provider = self.required(key, value, non_blank(value), expected::STRING);
            }
            "model" => spec.model = self.required(key, value, non_blank(value), expected::STRING),
            "toolsets" => {
                spec.toolsets = self.required(key, value, name_list(value), expected::NAMES);
            }
            "tools" => spec.tools = self.required(key, value, name_list(value), expected::NAMES),
            "model_params" => spec.params = self.params(key, value),
            "fbr_model_params" => spec.fbr_params = self.params(key, value),
            "fbr-effort" | "fbr_effort" if !self.is_second_spelling(map, key) => {
                let percent = value.as_u64().and_then(|n| u8::try_from(n).ok());
                let effort = percent.filter(|n| *n <= 100);
                spec.fbr_effort = self.optional(key, value, effort, expected::PERCENT);
            }
            "diligence-push-max" | "diligence_push_max" if !self.is_second_spelling(map, key) => {
                let most = value.as_i64().and_then(|n| u32::try_from(n.max(0)).ok());
                spec.diligence_push_max = self.optional(key, value, most, expected::WHOLE);
            }
            "fbr_effort" | "diligence_push_max" => {}
            "streaming" => {
                spec.streaming = self.optional(key, value, value.as_bool(), expected::FLAG);
            }
            "hidden" => spec.hidden = self.optional(key, value, value.as_bool(), expected::FLAG),
            "import" | "use" | "from" => {
                let owner = self.quoted_owner();
                let found = localized!(
                    "`{key}` of {owner} asks for a teammate from an app",
                    "{owner} 的 `{key}` 要从应用引入队友"
                );
                let fix = Text::new("write the member out here", "请在此处写出该成员");
                self.warn("unsupported", &[key], found, fix);
            }
            other => self.unknown(other),
        }
    }

    /// A wrong value is ignored.
    fn optional<T>(&mut self, key: &str, value: &Value, read: Option<T>, what: Text) -> Option<T> {
        if read.is_none() {
            let (owner, value) = (self.quoted_owner(), describe(value));
            let found = localized!(
                [value] "`{key}` of {owner} is {value}; ignored",
                "{owner} 的 `{key}` 是{value}；已忽略"
            );
            self.warn("wrong-type", &[key], found, must_be(what));
        }
        read
    }

    /// A wrong value excludes the member.
    fn required<T>(&mut self, key: &str, value: &Value, read: Option<T>, what: Text) -> Option<T> {
        if read.is_none() {
            self.broken = true;
            let effect = if self.at.len() > 1 {
                Text::new("the member is left out", "该成员不予采用")
            } else {
                Text::new("ignored", "已忽略")
            };
            let (owner, value) = (self.quoted_owner(), describe(value));
            let found = localized!(
                [value, effect] "`{key}` of {owner} is {value}; {effect}",
                "{owner} 的 `{key}` 是{value}；{effect}"
            );
            self.add("wrong-type", &[key], found, must_be(what));
        }
        read
    }

    fn params(&mut self, key: &str, value: &Value) -> Option<ModelParams> {
        let Value::Object(map) = value else {
            return self.required(key, value, None, expected::MAP);
        };
        let mut findings = Vec::new();
        let params = params::read(map, &mut findings);
        for finding in findings {
            let path: Vec<&str> =
                [key].into_iter().chain(finding.path.iter().map(String::as_str)).collect();
            let at = path.iter().map(|key| clip(key)).collect::<Vec<_>>().join(".");
            let (owner, text) = (self.quoted_owner(), finding.text);
            let found = localized!([text] "`{at}` of {owner}: {text}", "{owner} 的 `{at}`：{text}");
            self.warn("params", &path, found, finding.fix);
        }
        Some(params)
    }

    /// Removes entries of reserved paths. If all are, they are kept: an empty list would allow
    /// everything.
    fn without_reserved_paths(&mut self, key: &str, entries: Vec<String>) -> Vec<String> {
        let (kept, refused): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| !access::allows_reserved_path(key, entry));
        if let Some(entry) = refused.first() {
            let (owner, entry) = (self.quoted_owner(), clip(entry));
            let found = localized!(
                "`{key}` of {owner} opens `{entry}`; ignored",
                "{owner} 的 `{key}` 开放了 `{entry}`；已忽略"
            );
            let fix = Text::new(
                "remove it: `.minds`, `.dialogs`, `.hive` and Taskdocs are closed to file tools, and \
                 `.git` to those that write",
                "请删除：文件工具不能访问 `.minds`、`.dialogs`、`.hive` 和任务文档，写文件的工具也不能访问 `.git`",
            );
            self.add("closed-area", &[key], found, fix);
        }
        if kept.is_empty() { refused } else { kept }
    }

    /// True for the underscore spelling if the dash spelling, which wins, is set too.
    fn is_second_spelling(&mut self, map: &Map<String, Value>, key: &str) -> bool {
        let dashed = key.replace('_', "-");
        if key == dashed || map.get(&dashed).is_none_or(Value::is_null) {
            return false;
        }
        let owner = self.quoted_owner();
        let found = localized!(
            "{owner} has both `{dashed}` and `{key}`; the first counts",
            "{owner} 同时有 `{dashed}` 和 `{key}`；以前者为准"
        );
        let fix = localized!("remove `{key}`", "请删除 `{key}`");
        self.warn("two-spellings", &[key], found, fix);
        true
    }

    fn unknown(&mut self, key: &str) {
        let (shown, owner) = (clip(key), self.quoted_owner());
        let found = localized!("unknown key `{shown}` of {owner}", "{owner} 有未知的键 `{shown}`");
        let known = || KEYS.into_iter().chain(access::KEYS);
        let fix = match params::path_of_setting(key) {
            Some(home) => params::meant_setting(&home),
            None => remove_or_rename(key, known()),
        };
        // What was meant has no effect.
        if nearest(key, known()).is_some() {
            self.add("unknown-key", &[key], found, fix);
        } else {
            self.warn("unknown-key", &[key], found, fix);
        }
    }

    fn add(
        &mut self,
        what: &str,
        keys: &[&str],
        found: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let (id, at) = self.locate(what, keys);
        self.report.add(&id, &at, found, fix);
    }

    fn warn(
        &mut self,
        what: &str,
        keys: &[&str],
        found: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let (id, at) = self.locate(what, keys);
        self.report.warn(&id, &at, found, fix);
    }

    /// The id of a problem, and the path of its key.
    fn locate<'k>(&self, what: &str, keys: &[&'k str]) -> (String, Vec<&'k str>)
    where
        'r: 'k,
    {
        let mut id = format!("team/{what}/{}", clip(self.owner));
        if !keys.is_empty() {
            id.push('/');
            id.push_str(&clip(&keys.join(".")));
        }
        (id, [self.at.as_slice(), keys].concat())
    }

    fn quoted_owner(&self) -> String {
        format!("`{}`", clip(self.owner))
    }
}

fn describe(value: &Value) -> Localized {
    match value {
        Value::String(text) if text.trim().is_empty() => {
            Text::new("a blank string", "空白字符串").into()
        }
        Value::Number(number) => localized!("the number {number}", "数字 {number}"),
        Value::Array(_) => {
            Text::new("a list of something else, or too long", "内容不符或过长的列表").into()
        }
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_) => {
            value_type(value).into()
        }
    }
}

fn non_blank(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn name_list(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array().filter(|items| items.len() <= MAX_NAMES)?;
    items.iter().map(non_blank).collect()
}

/// Lines of a text, a list of strings, or a map of texts.
fn text_lines(value: &Value) -> Option<Vec<String>> {
    let lines: Vec<String> = match value {
        Value::String(text) => text.lines().map(str::to_owned).collect(),
        Value::Array(items) => items.iter().map(non_blank).collect::<Option<_>>()?,
        Value::Object(map) => map
            .iter()
            .map(|(key, item)| non_blank(item).map(|item| format!("{key}: {item}")))
            .collect::<Option<_>>()?,
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    let short = |line: &String| line.trim().chars().take(MAX_LINE_CHARS).collect::<String>();
    let lines = lines.iter().map(short).filter(|line| !line.is_empty());
    Some(lines.take(MAX_LINES).collect())
}
