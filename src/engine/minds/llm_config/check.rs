//! Checks the types of values in `llm.yaml`. Each wrong value is ignored and reported.

use serde_json::{Map, Value};

use crate::domain::text::{Localized, Text, localized};
use crate::minds::nearest::nearest;
use crate::minds::report::{ProblemReport, clip, must_be, value_type};

/// The values a key accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Text,
    /// Above 0.
    Count,
    /// 0 or above.
    Amount,
    Flag,
}

impl ValueKind {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Count => value.as_f64().is_some_and(|number| number >= 1.0),
            Self::Amount => value.as_f64().is_some_and(|number| number >= 0.0),
            Self::Flag => value.is_boolean(),
        }
    }

    fn description(self) -> Text {
        match self {
            Self::Text => Text::new("a string", "字符串"),
            Self::Count => Text::new("a number, 1 or above", "不小于 1 的数字"),
            Self::Amount => Text::new("a number, 0 or above", "不小于 0 的数字"),
            Self::Flag => Text::new("true or false", " true 或 false"),
        }
    }
}

const PROVIDER: [(&str, ValueKind); 12] = [
    ("name", ValueKind::Text),
    ("apiType", ValueKind::Text),
    ("baseUrl", ValueKind::Text),
    ("apiKeyEnvVar", ValueKind::Text),
    ("tech_spec_url", ValueKind::Text),
    ("api_mgmt_url", ValueKind::Text),
    ("tool_result_max_chars", ValueKind::Count),
    ("llm_retry_aggressive_max_retries", ValueKind::Amount),
    ("llm_retry_initial_delay_ms", ValueKind::Amount),
    ("llm_retry_conservative_delay_ms", ValueKind::Amount),
    ("llm_retry_backoff_multiplier", ValueKind::Count),
    ("llm_retry_max_delay_ms", ValueKind::Amount),
];

const MODEL: [(&str, ValueKind); 12] = [
    ("name", ValueKind::Text),
    ("context_length", ValueKind::Count),
    ("input_length", ValueKind::Count),
    ("output_length", ValueKind::Count),
    ("optimal_max_tokens", ValueKind::Count),
    ("critical_max_tokens", ValueKind::Count),
    ("caution_remediation_cadence_generations", ValueKind::Count),
    ("context_window", ValueKind::Text),
    ("supports_image_input", ValueKind::Flag),
    ("supports_tool_choice", ValueKind::Flag),
    // For the protocol of Gemini alone.
    ("supports_thinking", ValueKind::Flag),
    ("default_thinking", ValueKind::Flag),
];

/// Checks one provider and its models.
pub(super) fn check_provider(key: &str, map: &Map<String, Value>, report: &mut ProblemReport) {
    let at = ["providers", key];
    let shown = clip(key);
    let owner = localized!("provider `{shown}`", "模型服务 `{shown}`");
    check_values(&owner, &at, map, &PROVIDER, report);
    let models = map.get("models").and_then(Value::as_object);
    for (name, value) in models.into_iter().flatten() {
        let at = ["providers", key, "models", name];
        let model = clip(name);
        let who = localized!(
            "model `{model}` of provider `{shown}`",
            "模型服务 `{shown}` 的模型 `{model}`"
        );
        match value {
            Value::Null => {}
            Value::Object(model) => {
                check_values(&who, &at, model, &MODEL, report);
                check_misspelt_keys(&who, &at, model, report);
            }
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                let id = format!("llm/wrong-type/{}/{}", clip(key), clip(name));
                let kind = value_type(other);
                let found = localized!(
                    [who, kind] "{who} is {kind}, not a map; ignored",
                    "{who} 是{kind}，不是映射；已忽略"
                );
                report.warn(
                    &id,
                    &at,
                    found,
                    Text::new("write `{}` or its keys", "请写 `{}` 或它的键"),
                );
            }
        }
    }
}

fn check_values(
    who: &Localized,
    at: &[&str],
    map: &Map<String, Value>,
    known: &[(&'static str, ValueKind)],
    report: &mut ProblemReport,
) {
    for (key, wanted) in known {
        let Some(value) = map.get(*key) else { continue };
        if wanted.accepts(value) {
            continue;
        }
        let keys = [at, &[key]].concat();
        let id = format!("llm/wrong-value/{}", id_path(&keys));
        let value = describe(value);
        let found = localized!(
            [who, value] "`{key}` of {who} is {value}; ignored",
            "{who} 的 `{key}` 是{value}；已忽略"
        );
        report.warn(&id, &keys, found, must_be(wanted.description()));
    }
}

/// Reports keys that are close to a known one. Others are allowed: they may describe the model.
fn check_misspelt_keys(
    who: &Localized,
    at: &[&str],
    map: &Map<String, Value>,
    report: &mut ProblemReport,
) {
    let names = MODEL.map(|(name, _)| name);
    for key in map.keys().filter(|key| !names.contains(&key.as_str())) {
        if let Some(near) = nearest(key, names) {
            let keys = [at, &[key]].concat();
            let id = format!("llm/unknown-key/{}", id_path(&keys));
            let shown = clip(key);
            let found =
                localized!([who] "unknown key `{shown}` of {who}", "{who} 有未知的键 `{shown}`");
            let fix = localized!("did you mean `{near}`?", "是否指 `{near}`？");
            report.warn(&id, &keys, found, fix);
        }
    }
}

fn id_path(keys: &[&str]) -> String {
    keys.iter().skip(1).map(|key| clip(key)).collect::<Vec<_>>().join("/")
}

fn describe(value: &Value) -> Localized {
    match value {
        Value::Number(number) => localized!("the number {number}", "数字 {number}"),
        Value::String(text) => {
            let text = clip(text);
            localized!("the string `{text}`", "字符串 `{text}`")
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            value_type(value).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Severity;
    use crate::minds::llm_config::read;

    #[test]
    fn a_value_of_the_wrong_type_is_ignored_and_reported_with_its_line() {
        for (line, id, at) in [
            ("    baseUrl: 3", "llm/wrong-value/p/baseUrl", 3),
            ("    apiQuirks: { a: b }", "llm/wrong-value/p/apiQuirks", 3),
            ("    llm_retry_max_delay_ms: soon", "llm/wrong-value/p/llm_retry_max_delay_ms", 3),
            ("    tool_result_max_chars: 0", "llm/wrong-value/p/tool_result_max_chars", 3),
            (
                "    models:\n      m:\n        context_length: big",
                "llm/wrong-value/p/models/m/context_length",
                5,
            ),
            (
                "    models:\n      m:\n        supports_image_input: 1",
                "llm/wrong-value/p/models/m/supports_image_input",
                5,
            ),
            (
                "    models:\n      m:\n        supports_tool_choice: no way",
                "llm/wrong-value/p/models/m/supports_tool_choice",
                5,
            ),
            ("    models:\n      m: 3", "llm/wrong-type/p/m", 4),
            (
                "    models:\n      m:\n        contextLength: 5",
                "llm/unknown-key/p/models/m/contextLength",
                5,
            ),
        ] {
            let (providers, problems) = read(&format!("providers:\n  p:\n{line}\n"));
            let [problem] = problems.as_slice() else { panic!("{line}: {problems:?}") };
            assert_eq!((problem.id.as_str(), problem.line), (id, Some(at)), "{line}");
            assert_eq!(problem.severity, Severity::Warning, "{line}");
            assert!(providers.iter().any(|provider| provider.key == "p"), "{line}");
        }
    }

    #[test]
    fn valid_values_and_descriptive_keys_are_not_reported() {
        let text = "\
providers:
  p:
    name: P
    apiQuirks: [xcode.best, same-context-empty-response]
    llm_retry_backoff_multiplier: 1.5
    model_param_options: { temperature: 0..2 }
    models:
      a:
      b: { context_length: 1e5, supports_image_input: false, vendor_note: x }
      c: { supports_tool_choice: false, supports_thinking: true, default_thinking: true }
";
        assert_eq!(read(text).1, []);
    }
}
