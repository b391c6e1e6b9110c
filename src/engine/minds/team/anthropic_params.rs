//! The settings of `model_params` for the Messages API: those at its root and of `general`, then those
//! of `anthropic`, or of `anthropic-compatible` for a server of others.

use serde_json::{Map, Value};

use super::expected;
use super::param_values::{ParamFinding, effort, set_fails};
use crate::domain::text::Text;
use crate::domain::{AnthropicParams, Thinking};

const MIN_THINKING_BUDGET: u64 = 1024;
const MAX_STOPS: usize = 16;
const MAX_STOP_BYTES: usize = 200;

/// Sets the settings of a group. Unknown ones are reported by `param_groups`.
pub(super) fn set_all(
    params: &mut AnthropicParams,
    group: &str,
    settings: &Map<String, Value>,
    findings: &mut Vec<ParamFinding>,
) {
    for (key, value) in settings {
        let wrong = match (key.as_str(), group) {
            ("thinking", "anthropic") => {
                set_fails(&mut params.thinking, thinking(value)).then_some(expected::THINKING)
            }
            ("thinking", _) => {
                let on = value.as_bool().map(Thinking::from);
                set_fails(&mut params.thinking, on).then_some(expected::FLAG)
            }
            (key, _) => set_if_valid(params, key, value),
        };
        if let Some(what) = wrong {
            findings.push(ParamFinding::wrong(&[group, key], what));
        }
    }
}

/// What the object of the protocol says.
fn thinking(value: &Value) -> Option<Thinking> {
    let object = value.as_object()?;
    let budget = object.get("budget_tokens");
    if object.len() != 1 + usize::from(budget.is_some()) {
        return None;
    }
    match (object.get("type")?.as_str()?, budget) {
        ("adaptive", None) => Some(Thinking::Adaptive),
        ("disabled", None) => Some(Thinking::Off),
        ("enabled", Some(budget)) => {
            budget.as_u64().filter(|n| *n >= MIN_THINKING_BUDGET).map(Thinking::Budget)
        }
        _ => None,
    }
}

/// Sets a setting shared with other protocols, which report wrong values.
pub(super) fn set_shared(params: &mut AnthropicParams, key: &str, value: &Value) {
    set_if_valid(params, key, value);
}

/// The expected value, if the setting was not set.
fn set_if_valid(params: &mut AnthropicParams, key: &str, value: &Value) -> Option<Text> {
    let fraction = || value.as_f64().filter(|n| (0.0..=1.0).contains(n));
    let count = |min: u64| value.as_u64().filter(|n| *n >= min);
    match key {
        "temperature" => set_fails(&mut params.temperature, fraction()).then_some(expected::TO_ONE),
        "top_p" => set_fails(&mut params.top_p, fraction()).then_some(expected::TO_ONE),
        "top_k" => set_fails(&mut params.top_k, count(1)).then_some(expected::COUNT),
        "max_tokens" => set_fails(&mut params.max_tokens, count(1)).then_some(expected::COUNT),
        "stop_sequences" => {
            set_fails(&mut params.stop_sequences, stop_sequences(value)).then_some(expected::STOPS)
        }
        "parallel_tool_calls" => {
            set_fails(&mut params.parallel_tool_calls, value.as_bool()).then_some(expected::FLAG)
        }
        "reasoning_effort" => {
            set_fails(&mut params.reasoning_effort, effort(value)).then_some(expected::EFFORT)
        }
        "thinking_budget" => set_fails(&mut params.thinking_budget, count(MIN_THINKING_BUDGET))
            .then_some(expected::BUDGET),
        "reasoning_split" => {
            set_fails(&mut params.reasoning_split, value.as_bool()).then_some(expected::FLAG)
        }
        "json_response" => {
            set_fails(&mut params.json_response, value.as_bool()).then_some(expected::FLAG)
        }
        _ => None,
    }
}

fn stop_sequences(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array().filter(|items| items.len() <= MAX_STOPS)?;
    let stop = |item: &Value| {
        let text = item.as_str()?;
        // The API rejects blank ones.
        (!text.trim().is_empty() && text.len() <= MAX_STOP_BYTES).then(|| text.to_owned())
    };
    items.iter().map(stop).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::params::read;
    use super::*;

    #[test]
    fn settings_of_one_protocol_do_not_affect_the_other() {
        let mut findings = Vec::new();
        let map = json!({
            "max_tokens": 9, "json_response": true,
            "general": {"temperature": 0.5, "parallel_tool_calls": false},
            "openai": {"top_p": 0.1, "reasoning_effort": "high"},
            "anthropic": {"top_k": 3, "stop_sequences": ["END"], "reasoning_effort": "low",
                "thinking_budget": 2048, "reasoning_split": true, "max_tokens": 10},
        });
        let params = read(map.as_object().unwrap(), &mut findings);
        let word = |text: &str| Some(text.to_owned());
        let expected = AnthropicParams {
            max_tokens: Some(10),
            json_response: Some(true),
            temperature: Some(0.5),
            top_p: None,
            top_k: Some(3),
            stop_sequences: Some(vec!["END".to_owned()]),
            parallel_tool_calls: Some(false),
            reasoning_effort: word("low"),
            thinking_budget: Some(2048),
            reasoning_split: Some(true),
            thinking: None,
        };
        assert_eq!((&params.anthropic, findings.as_slice()), (&expected, [].as_slice()));
        assert_eq!((params.max_tokens, params.reasoning_effort), (Some(9), word("high")));
        let overlay = AnthropicParams { top_k: Some(7), ..AnthropicParams::default() };
        assert_eq!(overlay.over(&expected), AnthropicParams { top_k: Some(7), ..expected.clone() });
    }

    #[test]
    fn a_compatible_server_has_its_own_settings_where_there_are_some() {
        let budget = json!({"type": "enabled", "budget_tokens": 2048});
        let map = json!({
            "max_tokens": 9,
            "anthropic": {"top_k": 3, "thinking": budget},
            "anthropic-compatible": {"thinking": false},
        });
        let mut findings = Vec::new();
        let params = read(map.as_object().unwrap(), &mut findings);
        assert_eq!(findings, []);
        let shared = AnthropicParams { max_tokens: Some(9), ..AnthropicParams::default() };
        let compatible = AnthropicParams { thinking: Some(Thinking::Off), ..shared.clone() };
        assert_eq!(params.anthropic_compatible, Some(compatible));
        let thinking = Some(Thinking::Budget(2048));
        assert_eq!(params.anthropic, AnthropicParams { top_k: Some(3), thinking, ..shared });
    }

    #[test]
    fn an_unusable_setting_is_reported_with_its_path_and_its_fix() {
        for (setting, at, fix) in [
            (json!({"temperature": 1.5}), "anthropic.temperature", "0 to 1"),
            (json!({"thinking_budget": 1000}), "anthropic.thinking_budget", "at least 1024"),
            (json!({"stop_sequences": "END"}), "anthropic.stop_sequences", "a list"),
            (json!({"stop_sequences": [" "]}), "anthropic.stop_sequences", "a list"),
            (json!({"topk": 1}), "anthropic.topk", "did you mean `top_k`"),
            (json!({"thinking": true}), "anthropic.thinking", "type: adaptive"),
            (json!({"thinking": {"type": "enabled"}}), "anthropic.thinking", "budget_tokens"),
        ] {
            let mut findings = Vec::new();
            let map = json!({ "anthropic": setting });
            let params = read(map.as_object().unwrap(), &mut findings);
            assert_eq!(params.anthropic, AnthropicParams::default());
            assert_eq!(findings.len(), 1, "{setting}");
            assert_eq!(findings[0].path.join("."), at);
            assert!(findings[0].fix.to_string().contains(fix), "{findings:?}");
        }
    }
}
