//! `model_params`: the settings at its root, then those of `general`, then those of `openai` (the
//! protocol of most providers). `codex` is for its logins, `openai-compatible` for Chat Completions, `anthropic` and
//! `anthropic-compatible` are for the Messages API, `google` is for that of Gemini.

use serde_json::{Map, Value};

use super::param_values::{ParamFinding, effort, safety_identifier, set_fails, short_text};
use super::{anthropic_params, chat_params, expected, param_groups, text_format};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{GoogleParams, ModelParams};
use crate::minds::nearest::did_you_mean;

const ROOT: [&str; 2] = [LIMIT, "json_response"];
const LIMIT: &str = "max_tokens";
const CODEX: &str = "codex";
const OPENAI: &str = "openai";
/// The groups for the Messages API: of its vendor, and of others.
const ANTHROPIC: &str = "anthropic";
const ANTHROPIC_COMPATIBLE: &str = "anthropic-compatible";
const GOOGLE: &str = "google";
const GROUPS: [&str; 7] =
    ["general", CODEX, OPENAI, chat_params::GROUP, ANTHROPIC, ANTHROPIC_COMPATIBLE, GOOGLE];
/// The groups whose settings are read here.
const READ_GROUPS: [&str; 2] = ["general", OPENAI];
const TUNING: [&str; 7] = [
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "reasoning_effort",
    "reasoning_summary",
    "verbosity",
    "service_tier",
];

pub(super) fn read(map: &Map<String, Value>, findings: &mut Vec<ParamFinding>) -> ModelParams {
    let mut params = ModelParams::default();
    for (key, value) in map {
        if ROOT.contains(&key.as_str()) {
            set(&mut params, &[key], value, findings);
            anthropic_params::set_shared(&mut params.anthropic, key, value);
        } else if !GROUPS.contains(&key.as_str()) {
            findings.push(unknown_setting(key));
        } else if !value.is_object() {
            let text = Text::new("not a map; ignored", "不是映射；已忽略");
            let fix =
                Text::new("give it a map of settings, or remove it", "请写成设置的映射，或删除它");
            findings.push(ParamFinding::new(&[key], text, fix));
        }
    }
    for group in GROUPS {
        let settings = map.get(group).and_then(Value::as_object);
        let is_read = |key: &str| match group {
            ANTHROPIC | ANTHROPIC_COMPATIBLE => param_groups::has_setting(group, key),
            chat_params::GROUP => chat_params::READ.contains(&key),
            _ => READ_GROUPS.contains(&group) && (TUNING.contains(&key) || ROOT.contains(&key)),
        };
        if let Some(settings) = settings {
            param_groups::check(group, settings, is_read, findings);
        }
    }
    for group in READ_GROUPS {
        let Some(settings) = map.get(group).and_then(Value::as_object) else {
            continue;
        };
        for (key, value) in settings {
            if group == "general" {
                anthropic_params::set_shared(&mut params.anthropic, key, value);
            }
            if !set(&mut params, &[group, key], value, findings) {
                params.extra.insert(key.clone(), value.clone());
            }
        }
    }
    let shared = params.anthropic.clone();
    let own = |group: &str| map.get(group).and_then(Value::as_object);
    if let Some(settings) = own(ANTHROPIC_COMPATIBLE) {
        let compatible = params.anthropic_compatible.insert(shared);
        anthropic_params::set_all(compatible, ANTHROPIC_COMPATIBLE, settings, findings);
    }
    if let Some(settings) = own(ANTHROPIC) {
        anthropic_params::set_all(&mut params.anthropic, ANTHROPIC, settings, findings);
    }
    if let Some(settings) = own(OPENAI) {
        params.text_format = text_format::read(OPENAI, settings, findings);
        params.safety_identifier = safety_identifier(settings);
    }
    params.chat = chat_params::read(map, findings);
    params.codex = own(CODEX).map(|settings| Box::new(codex(settings, findings)));
    params.google = google(map);
    params
}

/// The settings at the root, then those of `general`, then those of `google`. A value that is not taken is reported
/// where they are read.
fn google(map: &Map<String, Value>) -> GoogleParams {
    let mut params = GoogleParams::default();
    let mut root = map.clone();
    root.retain(|key, _| ROOT.contains(&key.as_str()));
    let own = |group: &str| map.get(group).and_then(Value::as_object);
    let groups = [("general", Some(&root)), ("general", own("general")), (GOOGLE, own(GOOGLE))];
    for (group, settings) in groups {
        let settings = settings.into_iter().flatten();
        for (key, value) in settings.filter(|(key, value)| param_groups::takes(group, key, value)) {
            match key.as_str() {
                LIMIT => params.max_tokens = value.as_u64(),
                "json_response" => params.json_response = value.as_bool(),
                "temperature" => params.temperature = value.as_f64(),
                "top_p" => params.top_p = value.as_f64(),
                "thinking" => params.thinking = value.as_bool(),
                "thinking_budget" => params.thinking_budget = value.as_u64(),
                "google_search_tool" => params.google_search_tool = value.as_bool(),
                _ => {}
            }
        }
    }
    params
}

/// The settings for a login of codex, whose server takes no limit of the output. A value that the group does not take is
/// reported with the group.
fn codex(settings: &Map<String, Value>, findings: &mut Vec<ParamFinding>) -> ModelParams {
    let mut params = ModelParams::default();
    for (key, value) in settings {
        if key != LIMIT && param_groups::takes(CODEX, key, value) {
            set(&mut params, &[CODEX, key], value, findings);
        }
    }
    params
}

/// The path below `model_params` of a setting that is misplaced.
pub(super) fn path_of_setting(key: &str) -> Option<String> {
    if ROOT.contains(&key) || GROUPS.contains(&key) {
        return Some(key.to_owned());
    }
    let group = if TUNING.contains(&key) {
        Some(OPENAI)
    } else {
        param_groups::has_setting(ANTHROPIC, key).then_some(ANTHROPIC)
    };
    group.map(|group| format!("{group}.{key}"))
}

/// The fix for a setting that belongs elsewhere below `model_params`.
pub(super) fn meant_setting(home: &str) -> Localized {
    localized!("did you mean `model_params.{home}`?", "是否指 `model_params.{home}`？")
}

fn unknown_setting(key: &str) -> ParamFinding {
    let fix = path_of_setting(key).map_or_else(
        || {
            let hint = did_you_mean(key, ROOT.into_iter().chain(GROUPS));
            Localized::from(Text::new(
                "remove it, or put it into a provider's group",
                "请删除，或放进某个协议的组里",
            ))
            .and(hint)
        },
        |home| meant_setting(&home),
    );
    ParamFinding::unknown(&[key], fix)
}

/// False if the setting at the end of `path` is unknown.
fn set(
    params: &mut ModelParams,
    path: &[&str],
    value: &Value,
    findings: &mut Vec<ParamFinding>,
) -> bool {
    let up_to = |max: f64| value.as_f64().filter(|n| (0.0..=max).contains(n));
    let wrong = match path.last().copied().unwrap_or_default() {
        LIMIT => set_fails(&mut params.max_tokens, value.as_u64().filter(|n| *n > 0))
            .then_some(expected::COUNT),
        "temperature" => set_fails(&mut params.temperature, up_to(2.0)).then_some(expected::TO_TWO),
        "top_p" => set_fails(&mut params.top_p, up_to(1.0)).then_some(expected::TO_ONE),
        "parallel_tool_calls" => {
            set_fails(&mut params.parallel_tool_calls, value.as_bool()).then_some(expected::FLAG)
        }
        "json_response" => {
            set_fails(&mut params.json_response, value.as_bool()).then_some(expected::FLAG)
        }
        "reasoning_effort" => {
            set_fails(&mut params.reasoning_effort, effort(value)).then_some(expected::EFFORT)
        }
        "reasoning_summary" => {
            set_fails(&mut params.reasoning_summary, short_text(value)).then_some(expected::WORD)
        }
        "verbosity" => {
            set_fails(&mut params.verbosity, short_text(value)).then_some(expected::WORD)
        }
        "service_tier" => {
            set_fails(&mut params.service_tier, short_text(value)).then_some(expected::WORD)
        }
        _ => return false,
    };
    if let Some(what) = wrong {
        findings.push(ParamFinding::wrong(path, what));
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn gemini_has_the_settings_of_general_and_over_them_its_own() {
        let mut findings = Vec::new();
        let map = json!({
            "max_tokens": 1,
            "json_response": true,
            "general": {"max_tokens": 9, "temperature": 0.5, "top_p": 0.5},
            "openai": {"max_tokens": 5, "json_response": false, "temperature": 0.1},
            "google": {"top_p": 0.25, "thinking": true, "thinking_budget": 512,
                "google_search_tool": true},
        });
        let google = read(map.as_object().unwrap(), &mut findings).google;
        assert_eq!(findings, []);
        let expected = GoogleParams {
            max_tokens: Some(9),
            json_response: Some(true),
            temperature: Some(0.5),
            top_p: Some(0.25),
            thinking: Some(true),
            thinking_budget: Some(512),
            google_search_tool: Some(true),
        };
        assert_eq!(google, expected);
        let overlay = GoogleParams { thinking: Some(false), ..GoogleParams::default() };
        assert_eq!(overlay.over(&google), GoogleParams { thinking: Some(false), ..google });
        let wrong = json!({"google": {"temperature": 3, "thinking": "on", "thinking_budget": -1}});
        let google = read(wrong.as_object().unwrap(), &mut findings).google;
        assert_eq!((google, findings.len()), (GoogleParams::default(), 3));
    }

    #[test]
    fn a_login_of_codex_has_settings_of_its_own() {
        let mut findings = Vec::new();
        let map = json!({
            "openai": {"reasoning_effort": "low", "verbosity": "low"},
            "codex": {"reasoning_effort": "xhigh", "max_tokens": 9, "web_search": "disabled"},
        });
        let params = read(map.as_object().unwrap(), &mut findings);
        assert_eq!(findings, []);
        let word = |text: &str| Some(text.to_owned());
        let own = ModelParams { reasoning_effort: word("xhigh"), ..ModelParams::default() };
        assert_eq!(params.codex.as_deref(), Some(&own));
        assert_eq!(params.reasoning_effort, word("low"));
        for settings in [json!({"reasoning_effort": "ultra"}), json!({"verbosity": "v".repeat(41)})]
        {
            let mut findings = Vec::new();
            let map = json!({ "codex": settings });
            let params = read(map.as_object().unwrap(), &mut findings);
            assert_eq!(params.codex.as_deref(), Some(&ModelParams::default()), "{map}");
            assert_eq!(findings.len(), 1, "{map}: {findings:?}");
        }
    }
}
