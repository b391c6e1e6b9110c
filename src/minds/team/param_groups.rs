//! The settings each group of `model_params` knows. A group belongs to one family of providers, and a
//! setting that stands in another's group would silently do nothing: so it is said.

use serde_json::{Map, Value};

use super::params::Finding;
use crate::minds::nearest::did_you_mean;
use crate::minds::report::clip;

/// What a setting may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// 0 to this number.
    UpTo(f64),
    /// A whole number above 0.
    Count,
    Flag,
    Text,
    Texts,
    Map,
    OneOf(&'static [&'static str]),
}

type Setting = (&'static str, Kind);

const EFFORTS: Kind = Kind::OneOf(&["none", "minimal", "low", "medium", "high", "xhigh"]);
const SUMMARIES: Kind = Kind::OneOf(&["auto", "concise", "detailed", "none"]);

const GENERAL: &[Setting] = &[
    ("reasoning_effort", Kind::Text),
    ("reasoning_summary", Kind::Text),
    ("verbosity", Kind::Text),
    ("service_tier", Kind::Text),
    ("temperature", Kind::UpTo(2.0)),
    ("top_p", Kind::UpTo(1.0)),
    ("parallel_tool_calls", Kind::Flag),
    ("max_tokens", Kind::Count),
    ("json_response", Kind::Flag),
];
const CODEX: &[Setting] = &[
    ("reasoning_effort", EFFORTS),
    ("reasoning_summary", SUMMARIES),
    ("verbosity", Kind::Text),
    ("service_tier", Kind::Text),
    ("temperature", Kind::UpTo(2.0)),
    ("top_p", Kind::UpTo(1.0)),
    ("parallel_tool_calls", Kind::Flag),
    ("web_search", Kind::OneOf(&["disabled", "cached", "live"])),
    ("json_response", Kind::Flag),
    ("max_tokens", Kind::Count),
];
const OPENAI: &[Setting] = &[
    ("safety_identifier", Kind::Text),
    ("text_format", Kind::OneOf(&["text", "json_object", "json_schema"])),
    ("text_format_json_schema_name", Kind::Text),
    ("text_format_json_schema", Kind::Map),
    ("text_format_json_schema_strict", Kind::Flag),
    ("web_search_tool", Kind::Text),
    ("web_search_context_size", Kind::Text),
    ("web_search_allowed_domains", Kind::Texts),
    ("web_search_include_sources", Kind::Flag),
];
const ANTHROPIC: &[Setting] = &[
    ("temperature", Kind::UpTo(1.0)),
    ("top_p", Kind::UpTo(1.0)),
    ("top_k", Kind::Count),
    ("max_tokens", Kind::Count),
    ("stop_sequences", Kind::Texts),
    ("parallel_tool_calls", Kind::Flag),
    ("reasoning_effort", Kind::Text),
    ("thinking_budget", Kind::Count),
    ("reasoning_split", Kind::Flag),
    ("json_response", Kind::Flag),
];

/// What is wrong with the settings of one group. Settings that the program reads by name are checked
/// where they are read.
pub(super) fn check(
    group: &str,
    settings: &Map<String, Value>,
    is_read: impl Fn(&str) -> bool,
    findings: &mut Vec<Finding>,
) {
    for (key, value) in settings.iter().filter(|(key, _)| !is_read(key)) {
        let at = format!("{group}.{}", clip(key));
        match known(group).find(|(name, _)| name == key) {
            None => findings.push((at, "unknown setting; ignored".to_owned(), home(group, key))),
            Some((_, kind)) if fits(*kind, value) => {}
            Some((_, kind)) => {
                let fix = format!("it must be {}", words(*kind));
                findings.push((at, "wrong value; ignored".to_owned(), fix));
            }
        }
    }
}

/// Whether a setting belongs to a group.
pub(super) fn knows(group: &str, key: &str) -> bool {
    known(group).any(|(name, _)| *name == key)
}

fn known(group: &str) -> impl Iterator<Item = &'static Setting> {
    let (own, shared): (&[Setting], &[Setting]) = match group {
        "codex" => (CODEX, &[]),
        "anthropic" => (ANTHROPIC, &[]),
        "openai" => (OPENAI, GENERAL),
        _ => (GENERAL, &[]),
    };
    own.iter().chain(shared)
}

/// The group that knows a setting, or the setting that was probably meant.
fn home(group: &str, key: &str) -> String {
    let others = ["openai", "anthropic", "codex"].into_iter().filter(|other| *other != group);
    let mut at_home = others.filter(|other| knows(other, key));
    match at_home.next() {
        Some(other) => format!("it belongs to `model_params.{other}`, or remove it"),
        None => format!("remove it{}", did_you_mean(key, known(group).map(|(name, _)| *name))),
    }
}

fn fits(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::UpTo(most) => value.as_f64().is_some_and(|n| (0.0..=most).contains(&n)),
        Kind::Count => value.as_u64().is_some_and(|n| n > 0),
        Kind::Flag => value.is_boolean(),
        Kind::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        Kind::Texts => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
        Kind::Map => value.is_object(),
        Kind::OneOf(allowed) => value.as_str().is_some_and(|text| allowed.contains(&text)),
    }
}

fn words(kind: Kind) -> String {
    match kind {
        Kind::UpTo(most) => format!("0 to {most}"),
        Kind::Count => "a whole number above 0".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Text => "a word".to_owned(),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::Map => "a map".to_owned(),
        Kind::OneOf(allowed) => format!("one of {}", allowed.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_group_knows_its_own_settings_and_says_where_the_others_belong() {
        for (group, settings, expected) in [
            ("codex", json!({ "web_search": "live", "reasoning_effort": "xhigh" }), None),
            ("codex", json!({ "web_search": "on" }), Some("one of disabled, cached, live")),
            ("codex", json!({ "top_k": 4 }), Some("`model_params.anthropic`")),
            ("anthropic", json!({ "top_k": 4, "stop_sequences": ["x"] }), None),
            ("anthropic", json!({ "temperature": 1.5 }), Some("0 to 1")),
            ("anthropic", json!({ "stop_sequences": "x" }), Some("a list of texts")),
            ("anthropic", json!({ "top_kk": 4 }), Some("`top_k`")),
            ("anthropic", json!({ "verbosity": "low" }), Some("`model_params.openai`")),
            ("openai", json!({ "text_format": "json_schema", "verbosity": "low" }), None),
            ("openai", json!({ "text_format": "xml" }), Some("json_object")),
            ("openai", json!({ "web_search": "live" }), Some("`model_params.codex`")),
            ("general", json!({ "max_tokens": 0 }), Some("above 0")),
        ] {
            let mut findings = Vec::new();
            check(group, settings.as_object().unwrap(), |_| false, &mut findings);
            let fix = findings.first().map(|(_, _, fix)| fix.as_str());
            assert_eq!(fix.is_some(), expected.is_some(), "{group} {settings} {findings:?}");
            let told = expected.is_none_or(|part| fix.is_some_and(|fix| fix.contains(part)));
            assert!(told, "{group} {settings}: {findings:?}");
        }
    }

    #[test]
    fn what_is_read_elsewhere_is_not_judged_twice() {
        let mut findings = Vec::new();
        let settings = json!({ "temperature": "hot" });
        check("openai", settings.as_object().unwrap(), |_| true, &mut findings);
        assert_eq!(findings, []);
    }
}
