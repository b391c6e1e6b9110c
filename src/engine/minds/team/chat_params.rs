//! The settings of `model_params` for Chat Completions alone: those shared with other protocols, then those of
//! `openai-compatible`. Where a member has none of its own there, `openai` holds, as in Dominds 1.19.2.

use serde_json::{Map, Value};

use super::param_values::{ParamFinding, effort, safety_identifier, set_fails, short_text};
use super::{expected, param_groups, text_format};
use crate::domain::text::Text;
use crate::domain::{ChatParams, Thinking};

pub(super) const GROUP: &str = "openai-compatible";
/// The settings that are read here.
pub(super) const READ: [&str; 7] = [
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "reasoning_effort",
    "reasoning_split",
    "service_tier",
    "thinking",
];
const JSON: &str = "json_response";
const GENERAL: &str = "general";

/// The settings, if there are some of its own.
pub(super) fn read(
    map: &Map<String, Value>,
    findings: &mut Vec<ParamFinding>,
) -> Option<ChatParams> {
    let own = map.get(GROUP)?.as_object()?;
    let mut params = ChatParams::default();
    let shared = map.get(GENERAL).and_then(Value::as_object).into_iter().flatten();
    let shared = shared.filter(|(key, _)| param_groups::has_setting(GENERAL, key));
    let root = map.iter().filter(|(key, _)| *key == JSON);
    for (key, value) in root.chain(shared) {
        // Wrong values are reported with their own group.
        set(&mut params, key, value);
    }
    for (key, value) in own.iter().filter(|(key, _)| READ.contains(&key.as_str())) {
        if let Some(what) = set(&mut params, key, value) {
            findings.push(ParamFinding::wrong(&[GROUP, key], what));
        }
    }
    if let Some(effort) = own.get("thinking").and_then(thinking_effort) {
        params.reasoning_effort.get_or_insert_with(|| effort.to_owned());
    }
    params.text_format = text_format::read(GROUP, own, findings);
    params.safety_identifier = safety_identifier(own);
    Some(params)
}

/// The expected value, if the setting was not set.
fn set(params: &mut ChatParams, key: &str, value: &Value) -> Option<Text> {
    let up_to = |most: f64| value.as_f64().filter(|n| (0.0..=most).contains(n));
    match key {
        "temperature" => set_fails(&mut params.temperature, up_to(2.0)).then_some(expected::TO_TWO),
        "top_p" => set_fails(&mut params.top_p, up_to(1.0)).then_some(expected::TO_ONE),
        "parallel_tool_calls" => {
            set_fails(&mut params.parallel_tool_calls, value.as_bool()).then_some(expected::FLAG)
        }
        "reasoning_effort" => {
            set_fails(&mut params.reasoning_effort, effort(value)).then_some(expected::EFFORT)
        }
        "reasoning_split" => {
            set_fails(&mut params.reasoning_split, value.as_bool()).then_some(expected::FLAG)
        }
        "service_tier" => {
            set_fails(&mut params.service_tier, short_text(value)).then_some(expected::WORD)
        }
        JSON => set_fails(&mut params.json_response, value.as_bool()).then_some(expected::FLAG),
        "thinking" if value.as_str() == Some("auto") => None,
        "thinking" => {
            set_fails(&mut params.thinking, thinking(value)).then_some(expected::CHAT_THINKING)
        }
        _ => None,
    }
}

fn thinking(value: &Value) -> Option<Thinking> {
    match value {
        Value::Bool(on) => Some(Thinking::from(*on)),
        Value::Object(object) => Some(Thinking::Given(object.clone())),
        Value::String(word) if word == "off" => Some(Thinking::Off),
        Value::String(_) => thinking_effort(value).map(|_| Thinking::On),
        Value::Null | Value::Number(_) | Value::Array(_) => None,
    }
}

/// The effort that a word for thinking stands for.
fn thinking_effort(value: &Value) -> Option<&str> {
    value.as_str().filter(|word| ["low", "medium", "high"].contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::params::read;
    use super::*;

    fn parsed(map: &Value) -> (crate::domain::ModelParams, Vec<ParamFinding>) {
        let mut findings = Vec::new();
        let params = read(map.as_object().unwrap(), &mut findings);
        (params, findings)
    }

    #[test]
    fn chat_completions_have_their_own_settings_or_those_of_openai() {
        let (params, findings) = parsed(&json!({
            "json_response": true,
            "general": {"top_p": 0.5},
            "openai": {"temperature": 0.1, "reasoning_effort": "max"},
            "openai-compatible": {"temperature": 1.5, "reasoning_effort": "high",
                "service_tier": "flex", "reasoning_split": true, "text_format": "text",
                "safety_identifier": "u"},
        }));
        assert_eq!(findings, []);
        let word = |text: &str| Some(text.to_owned());
        let expected = ChatParams {
            temperature: Some(1.5),
            top_p: Some(0.5),
            json_response: Some(true),
            reasoning_effort: word("high"),
            reasoning_split: Some(true),
            service_tier: word("flex"),
            text_format: Some(json!({"type": "text"})),
            safety_identifier: word("u"),
            ..ChatParams::default()
        };
        assert_eq!(params.chat, Some(expected));
        assert_eq!((params.temperature, params.reasoning_effort), (Some(0.1), word("max")));
        assert_eq!(parsed(&json!({"openai": {"temperature": 0.1}})).0.chat, None);
    }

    #[test]
    fn thinking_is_a_flag_a_word_or_a_map() {
        let object = json!({"type": "enabled", "depth": 2});
        for (value, thinking, effort, faults) in [
            (json!(true), Some(Thinking::On), None, 0),
            (json!(false), Some(Thinking::Off), None, 0),
            (json!("auto"), None, None, 0),
            (json!("off"), Some(Thinking::Off), None, 0),
            (json!("low"), Some(Thinking::On), Some("low"), 0),
            (object.clone(), object.as_object().cloned().map(Thinking::Given), None, 0),
            (json!("much"), None, None, 1),
            (json!(3), None, None, 1),
        ] {
            let (params, findings) = parsed(&json!({ "openai-compatible": {"thinking": value} }));
            let chat = params.chat.unwrap();
            assert_eq!((chat.thinking, chat.reasoning_effort.as_deref()), (thinking, effort));
            assert_eq!(findings.len(), faults, "{value}");
        }
    }

    #[test]
    fn the_effort_ultra_is_refused_in_every_group_and_max_is_not() {
        for group in ["general", "openai", "openai-compatible", "anthropic", "codex"] {
            for (effort, faults) in [("max", 0), ("ultra", 1)] {
                let (_, findings) = parsed(&json!({ group: {"reasoning_effort": effort} }));
                assert_eq!(findings.len(), faults, "{group} {effort}: {findings:?}");
                assert!(findings.iter().all(|one| one.fix.to_string().contains("max")));
            }
        }
    }
}
