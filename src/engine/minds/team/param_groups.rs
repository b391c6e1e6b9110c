//! The settings of each group of `model_params`. A group belongs to one protocol; a setting in the wrong
//! group has no effect, so it is reported.

use serde_json::{Map, Value};

use super::expected;
use super::param_values::ParamFinding;
use crate::domain::text::{Localized, Text, localized};
use crate::minds::nearest::remove_or_rename;

/// The values a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SettingKind {
    /// 0 to this number.
    UpTo(f64),
    /// A whole number above 0.
    Count,
    /// A whole number.
    Whole,
    Flag,
    Text,
    Texts,
    /// A word in one version of Dominds, true or false in the other.
    WordOrFlag,
    /// A map, or its JSON as text.
    Schema,
    OneOf(&'static [&'static str]),
    /// Read where the group is read.
    Thinking,
}

type SettingSpec = (&'static str, SettingKind);

const EFFORTS: SettingKind =
    SettingKind::OneOf(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
const SUMMARIES: SettingKind = SettingKind::OneOf(&["auto", "concise", "detailed", "none"]);

const GENERAL: &[SettingSpec] = &[
    ("reasoning_effort", SettingKind::Text),
    ("reasoning_summary", SettingKind::Text),
    ("verbosity", SettingKind::Text),
    ("service_tier", SettingKind::Text),
    ("temperature", SettingKind::UpTo(2.0)),
    ("top_p", SettingKind::UpTo(1.0)),
    ("parallel_tool_calls", SettingKind::Flag),
    ("max_tokens", SettingKind::Count),
    ("json_response", SettingKind::Flag),
];
const CODEX: &[SettingSpec] = &[
    ("reasoning_effort", EFFORTS),
    ("reasoning_summary", SUMMARIES),
    ("verbosity", SettingKind::Text),
    ("service_tier", SettingKind::Text),
    ("temperature", SettingKind::UpTo(2.0)),
    ("top_p", SettingKind::UpTo(1.0)),
    ("parallel_tool_calls", SettingKind::Flag),
    ("web_search", SettingKind::OneOf(&["disabled", "cached", "live"])),
    ("json_response", SettingKind::Flag),
    ("max_tokens", SettingKind::Count),
];
const OPENAI: &[SettingSpec] = &[
    ("web_search_tool", SettingKind::WordOrFlag),
    ("web_search_context_size", SettingKind::Text),
    ("web_search_allowed_domains", SettingKind::Texts),
    ("web_search_include_sources", SettingKind::Flag),
];
/// Chat Completions; `text_format` and its like are those of `openai`.
const COMPATIBLE: &[SettingSpec] = &[
    ("temperature", SettingKind::UpTo(2.0)),
    ("top_p", SettingKind::UpTo(1.0)),
    ("parallel_tool_calls", SettingKind::Flag),
    ("reasoning_effort", SettingKind::Text),
    ("reasoning_split", SettingKind::Flag),
    ("service_tier", SettingKind::Text),
    ("thinking", SettingKind::Thinking),
];
/// What shapes the text of an answer.
const TEXT_FORMAT: &[SettingSpec] = &[
    ("safety_identifier", SettingKind::Text),
    ("text_format", SettingKind::OneOf(&["text", "json_object", "json_schema"])),
    ("text_format_json_schema_name", SettingKind::Text),
    ("text_format_json_schema", SettingKind::Schema),
    ("text_format_json_schema_strict", SettingKind::Flag),
];
const GOOGLE: &[SettingSpec] = &[
    ("temperature", SettingKind::UpTo(2.0)),
    ("top_p", SettingKind::UpTo(1.0)),
    ("thinking", SettingKind::Flag),
    ("thinking_budget", SettingKind::Whole),
    ("google_search_tool", SettingKind::Flag),
];
const ANTHROPIC: &[SettingSpec] = &[
    ("temperature", SettingKind::UpTo(1.0)),
    ("top_p", SettingKind::UpTo(1.0)),
    ("top_k", SettingKind::Count),
    ("max_tokens", SettingKind::Count),
    ("stop_sequences", SettingKind::Texts),
    ("parallel_tool_calls", SettingKind::Flag),
    ("reasoning_effort", SettingKind::Text),
    ("thinking_budget", SettingKind::Count),
    ("reasoning_split", SettingKind::Flag),
    ("thinking", SettingKind::Thinking),
    ("json_response", SettingKind::Flag),
];

/// Checks the settings of one group. Settings that are read by name (`is_read`) are checked where they
/// are read.
pub(super) fn check(
    group: &str,
    settings: &Map<String, Value>,
    is_read: impl Fn(&str) -> bool,
    findings: &mut Vec<ParamFinding>,
) {
    for (key, value) in settings.iter().filter(|(key, _)| !is_read(key)) {
        match settings_of(group).find(|(name, _)| name == key) {
            None => {
                let fix = suggestion(group, key);
                findings.push(ParamFinding::unknown(&[group, key], fix));
            }
            Some((name, kind)) if accepts(*kind, value) => {
                if name.starts_with("web_search") && !is_off(value) {
                    findings.push(unsent(&[group, key]));
                }
            }
            Some((_, kind)) => {
                findings.push(ParamFinding::wrong(&[group, key], description(*kind)));
            }
        }
    }
}

/// True if a setting asks for nothing.
fn is_off(value: &Value) -> bool {
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    is_empty || value.as_bool() == Some(false) || value.as_str() == Some("disabled")
}

/// A search that Dominds has the provider make.
fn unsent(path: &[&str]) -> ParamFinding {
    let found = Text::new("not sent: no search is asked for here", "不会发送：这里不请求搜索");
    let fix = Text::new("leave it for Dominds, or remove it", "可为 Dominds 保留，也可删除");
    ParamFinding::new(path, found, fix)
}

pub(super) fn has_setting(group: &str, key: &str) -> bool {
    settings_of(group).any(|(name, _)| *name == key)
}

/// True if the group has this setting, with such values.
pub(super) fn takes(group: &str, key: &str, value: &Value) -> bool {
    settings_of(group).any(|(name, kind)| *name == key && accepts(*kind, value))
}

fn settings_of(group: &str) -> impl Iterator<Item = &'static SettingSpec> {
    let tables: [&[SettingSpec]; 3] = match group {
        "codex" => [CODEX, &[], &[]],
        "anthropic" | "anthropic-compatible" => [ANTHROPIC, &[], &[]],
        "google" => [GOOGLE, &[], &[]],
        "openai" => [OPENAI, TEXT_FORMAT, GENERAL],
        "openai-compatible" => [COMPATIBLE, TEXT_FORMAT, &[]],
        _ => [GENERAL, &[], &[]],
    };
    tables.into_iter().flatten()
}

/// The fix for a setting that the group does not have.
fn suggestion(group: &str, key: &str) -> Localized {
    let others = ["openai", "anthropic", "codex", "openai-compatible", "google"]
        .into_iter()
        .filter(|other| *other != group);
    let mut groups = others.filter(|other| has_setting(other, key));
    match groups.next() {
        Some(other) => localized!(
            "it belongs to `model_params.{other}`, or remove it",
            "它属于 `model_params.{other}`，否则请删除"
        ),
        None => remove_or_rename(key, settings_of(group).map(|(name, _)| *name)),
    }
}

fn accepts(kind: SettingKind, value: &Value) -> bool {
    match kind {
        SettingKind::UpTo(most) => value.as_f64().is_some_and(|n| (0.0..=most).contains(&n)),
        SettingKind::Count => value.as_u64().is_some_and(|n| n > 0),
        SettingKind::Whole => value.is_u64(),
        SettingKind::Flag => value.is_boolean(),
        SettingKind::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        SettingKind::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
        SettingKind::WordOrFlag => value.is_boolean() || accepts(SettingKind::Text, value),
        SettingKind::Schema => value.is_object() || accepts(SettingKind::Text, value),
        SettingKind::Thinking => true,
        SettingKind::OneOf(allowed) => value.as_str().is_some_and(|text| allowed.contains(&text)),
    }
}

fn description(kind: SettingKind) -> Localized {
    match kind {
        SettingKind::UpTo(most) => localized!("0 to {most}", " 0 到 {most}"),
        SettingKind::Count => expected::COUNT.into(),
        SettingKind::Whole => expected::WHOLE.into(),
        SettingKind::Flag | SettingKind::WordOrFlag => expected::FLAG.into(),
        SettingKind::Text => expected::WORD.into(),
        SettingKind::Texts => expected::STRINGS.into(),
        SettingKind::Schema => expected::MAP.into(),
        SettingKind::Thinking => expected::THINKING.into(),
        SettingKind::OneOf(allowed) => {
            let allowed = allowed.join(", ");
            localized!("one of {allowed}", "以下之一：{allowed}")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_setting_in_the_wrong_group_is_reported_with_its_group() {
        for (group, settings, expected) in [
            ("codex", json!({ "web_search": "disabled", "reasoning_effort": "xhigh" }), None),
            ("codex", json!({ "web_search": "live" }), Some("leave it for Dominds")),
            ("codex", json!({ "web_search": "on" }), Some("one of disabled, cached, live")),
            ("codex", json!({ "top_k": 4 }), Some("`model_params.anthropic`")),
            ("anthropic", json!({ "top_k": 4, "stop_sequences": ["x"] }), None),
            ("anthropic", json!({ "temperature": 1.5 }), Some("0 to 1")),
            ("anthropic", json!({ "stop_sequences": "x" }), Some("a list of strings")),
            ("anthropic", json!({ "top_kk": 4 }), Some("`top_k`")),
            ("anthropic", json!({ "verbosity": "low" }), Some("`model_params.openai`")),
            ("openai", json!({ "text_format": "json_schema", "verbosity": "low" }), None),
            ("openai", json!({ "text_format": "xml" }), Some("json_object")),
            ("openai", json!({ "web_search": "live" }), Some("`model_params.codex`")),
            ("general", json!({ "max_tokens": 0 }), Some("above 0")),
            ("codex", json!({ "reasoning_effort": "max" }), None),
            ("openai", json!({ "web_search_tool": true }), Some("leave it for Dominds")),
            ("openai", json!({ "web_search_context_size": "low" }), Some("leave it for Dominds")),
            ("openai", json!({ "web_search_tool": false, "web_search_allowed_domains": [] }), None),
            ("openai", json!({ "text_format_json_schema": "{}" }), None),
            ("openai", json!({ "thinking": true }), Some("`model_params.anthropic`")),
            ("openai-compatible", json!({ "text_format": "text", "service_tier": "auto" }), None),
            ("openai-compatible", json!({ "verbosity": "low" }), Some("`model_params.openai`")),
            ("google", json!({ "thinking": true, "thinking_budget": 0 }), None),
            ("google", json!({ "google_search_tool": "on" }), Some("true or false")),
            ("anthropic-compatible", json!({ "top_k": 4 }), None),
        ] {
            let mut findings = Vec::new();
            check(group, settings.as_object().unwrap(), |_| false, &mut findings);
            let fix = findings.first().map(|finding| finding.fix.to_string());
            assert_eq!(fix.is_some(), expected.is_some(), "{group} {settings} {findings:?}");
            let reported = expected.is_none_or(|part| fix.is_some_and(|fix| fix.contains(part)));
            assert!(reported, "{group} {settings}: {findings:?}");
        }
    }

    #[test]
    fn a_setting_that_is_read_elsewhere_is_not_checked_twice() {
        let mut findings = Vec::new();
        let settings = json!({ "temperature": "hot" });
        check("openai", settings.as_object().unwrap(), |_| true, &mut findings);
        assert_eq!(findings, []);
    }
}
