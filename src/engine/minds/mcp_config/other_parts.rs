//! Parts of an entry beside its tools: the manual, resources and prompts. An entry that Dominds refuses is left out
//! here as well.

use serde_json::{Map, Value};

use super::read::ServerReader;
use super::{McpManual, NameRule, PromptRules, ResourceRules, ToolFilter};
use crate::domain::text::{Text, localized};
use crate::minds::report::value_type;

pub(super) const PROMPTS: &str = "prompts";
pub(super) const RESOURCES: &str = "resources";
const SKILLS: &str = "skills";

const MANUAL: &str = "manual";
const TRANSFORM: &str = "transform";
const FILTER_KEYS: [&str; 3] = ["whitelist", "blacklist", TRANSFORM];
const MAX_SECTIONS: usize = 50;

impl ServerReader<'_, '_> {
    /// `None` if a value has a wrong form. `rules`: those of the whole entry, for a part that has none of its own.
    pub(super) fn prompts(&mut self, value: &Value, rules: &[NameRule]) -> Option<PromptRules> {
        let settings = self.settings(value, &[PROMPTS])?;
        let (filter, name_rules) = self.filter_and_rules(settings, &[PROMPTS], &[], rules)?;
        Some(PromptRules { filter, name_rules })
    }

    fn warn_unused(&mut self, keys: &[&str], part: &str) {
        let id = self.id;
        let found = localized!(
            "`{part}` of server `{id}`: this program uses no {part} of servers; ignored",
            "服务器 `{id}` 的 `{part}`：本程序不使用服务器的 {part}；已忽略"
        );
        let fix = Text::new(
            "leave it for Dominds, or remove it: only tools, resources and prompts are used here",
            "可为 Dominds 保留，也可删除：这里只使用工具、资源和提示词",
        );
        self.warn("unused-key", keys, found, fix);
    }

    /// Likewise.
    pub(super) fn resources(&mut self, value: &Value, rules: &[NameRule]) -> Option<ResourceRules> {
        let settings = self.settings(value, &[RESOURCES])?;
        let more = ["mimeTypes", "maxBytes", SKILLS];
        let (filter, name_rules) = self.filter_and_rules(settings, &[RESOURCES], &more, rules)?;
        let mime_types = self.texts(settings.get("mimeTypes"), &[RESOURCES, "mimeTypes"])?;
        let max_bytes = match settings.get("maxBytes").filter(|value| !value.is_null()) {
            Some(value) => Some(self.max_bytes(value)?),
            None => None,
        };
        self.check_skills(settings)?;
        Some(ResourceRules { filter, name_rules, mime_types, max_bytes })
    }

    fn max_bytes(&mut self, value: &Value) -> Option<usize> {
        let bytes = value.as_u64().and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.filter(|bytes| *bytes > 0);
        if bytes.is_none() {
            let fix = Text::new("write a whole number above 0", "请写大于 0 的整数");
            self.report_wrong_type(&[RESOURCES, "maxBytes"], value, fix);
        }
        bytes
    }

    /// Skills among resources are not used.
    fn check_skills(&mut self, settings: &Map<String, Value>) -> Option<()> {
        let Some(value) = settings.get(SKILLS).filter(|value| !value.is_null()) else {
            return Some(());
        };
        let skills = self.settings(value, &[RESOURCES, SKILLS])?;
        self.filter_and_rules(skills, &[RESOURCES, SKILLS], &["enabled"], &[])?;
        match skills.get("enabled") {
            None | Some(Value::Null | Value::Bool(false)) => {}
            Some(Value::Bool(true)) => self.warn_unused(&[RESOURCES, SKILLS], SKILLS),
            Some(value) => {
                let fix = Text::new("write `true` or `false`", "请写 `true` 或 `false`");
                self.report_wrong_type(&[RESOURCES, SKILLS, "enabled"], value, fix);
                return None;
            }
        }
        Some(())
    }

    fn settings<'v>(&mut self, value: &'v Value, keys: &[&str]) -> Option<&'v Map<String, Value>> {
        if let Value::Object(settings) = value {
            return Some(settings);
        }
        let fix = Text::new(
            "write a map such as `{ whitelist: [], blacklist: [] }`",
            "请写成映射，如 `{ whitelist: [], blacklist: [] }`",
        );
        self.report_wrong_type(keys, value, fix);
        None
    }

    /// Reads the lists and the steps of `transform`, without which it has these `rules`, and names unknown keys.
    fn filter_and_rules(
        &mut self,
        settings: &Map<String, Value>,
        at: &[&str],
        more: &[&str],
        rules: &[NameRule],
    ) -> Option<(ToolFilter, Vec<NameRule>)> {
        self.warn_unknown_keys(settings, at, &[&FILTER_KEYS, more].concat());
        let mut list = |key: &str| self.texts(settings.get(key), &[at, &[key]].concat());
        let filter = ToolFilter { whitelist: list("whitelist")?, blacklist: list("blacklist")? };
        let rules = match settings.get(TRANSFORM).filter(|value| !value.is_null()) {
            Some(own) => self.name_rules(Some(own), &[at, &[TRANSFORM]].concat())?,
            None => rules.to_vec(),
        };
        Some((filter, rules))
    }

    /// The manual; one of a wrong form is reported and left out, and the server stays.
    pub(super) fn manual(&mut self, value: Option<&Value>) -> Option<McpManual> {
        let value = value.filter(|value| !value.is_null())?;
        let manual = match value {
            Value::String(text) => Some(McpManual { text: text.clone(), ..McpManual::default() }),
            Value::Object(map) => manual_of(map),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        };
        if manual.is_none() {
            let (id, kind) = (self.id, value_type(value));
            let found = localized!(
                [kind] "the `manual` of server `{id}` is not understood ({kind}); ignored",
                "服务器 `{id}` 的 `manual` 无法理解（{kind}）；已忽略"
            );
            let fix = Text::new(
                "write a text, or `{ content: …, contentFile: …, sections: { TITLE: … } }`",
                "请写文本，或 `{ content: …, contentFile: …, sections: { 标题: … } }`",
            );
            self.warn("manual", &[MANUAL], found, fix);
        }
        manual
    }
}

/// `None` if a value is no text.
fn manual_of(map: &Map<String, Value>) -> Option<McpManual> {
    let text = |key: &str| match map.get(key) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_str().map(|text| Some(text.to_owned())),
    };
    let section = |title: Option<&str>, content: &Value| {
        let (title, content) = (title?.trim(), content.as_str()?.trim());
        Some(format!("## {title}\n\n{content}"))
    };
    let mut parts: Vec<String> = text("content")?.into_iter().collect();
    match map.get("sections") {
        None | Some(Value::Null) => {}
        Some(Value::Object(sections)) => {
            let all = sections.iter().take(MAX_SECTIONS);
            let all: Option<Vec<_>> =
                all.map(|(title, text)| section(Some(title.as_str()), text)).collect();
            parts.extend(all?);
        }
        Some(Value::Array(sections)) => {
            let of = |item: &Value| section(item.get("title")?.as_str(), item.get("content")?);
            let all: Option<Vec<_>> = sections.iter().take(MAX_SECTIONS).map(of).collect();
            parts.extend(all?);
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_)) => return None,
    }
    let file = text("contentFile")?.map(|path| path.trim().to_owned());
    Some(McpManual { text: parts.join("\n\n"), file: file.filter(|path| !path.is_empty()) })
}
