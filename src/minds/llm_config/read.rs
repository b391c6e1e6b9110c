//! Parses `llm.yaml` into providers. With a broken file, only the built-in ones exist.

use serde_json::{Map, Value};

use super::check;
use super::connection::Connection;
use super::provider::{ApiType, DEFAULT_CADENCE, ModelInfo, ProviderConfig};
use super::retry::RetryConfig;
use super::{PATH, builtin_providers};
use crate::domain::Problem;
use crate::minds::nearest::nearest;
use crate::minds::report::{ProblemReport, clip, value_type, with_line};
use crate::yaml;

const MAX_PROVIDERS: usize = 100;
const MAX_MODELS: usize = 500;

const KEYS: [&str; 21] = [
    "name",
    "apiType",
    "baseUrl",
    "apiKeyEnvVar",
    "apiQuirks",
    "caFile",
    "max_concurrent",
    "thinking_replay",
    "llm_connect_timeout_ms",
    "llm_first_byte_timeout_ms",
    "llm_idle_timeout_ms",
    "tool_result_max_chars",
    "llm_retry_aggressive_max_retries",
    "llm_retry_initial_delay_ms",
    "llm_retry_conservative_delay_ms",
    "llm_retry_backoff_multiplier",
    "llm_retry_max_delay_ms",
    "tech_spec_url",
    "api_mgmt_url",
    "model_param_options",
    "models",
];

/// Names under which users put an API key into the file by mistake.
const SECRET_KEYS: [&str; 5] = ["apiKey", "api_key", "key", "token", "secret"];

/// The built-in providers, replaced in place by entries of the file, then the others of the file.
pub(crate) fn read(text: &str) -> (Vec<ProviderConfig>, Vec<Problem>) {
    let mut report = ProblemReport::new(PATH, text);
    let mut providers = builtin_providers();
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(Value::Null) => return (providers, Vec::new()),
        Ok(other) => {
            let found = format!("the file is {}, not a map", value_type(&other));
            report.add("llm/yaml", &[], found, "write `providers:`".to_owned());
            return (providers, report.finish());
        }
        Err(error) => {
            let found = format!("the file cannot be read as YAML: {}", error.text);
            let fix = "fix the syntax; until then only the built-in providers are available";
            let problem = Problem::new("llm/yaml", PATH, found, fix);
            return (providers, vec![with_line(problem, error.line)]);
        }
    };
    let Some(entries) = top.get("providers").and_then(Value::as_object) else {
        let found = "there is no map `providers`; the file is ignored".to_owned();
        let fix = "write `providers:` with one entry per provider".to_owned();
        report.add("llm/no-providers", &["providers"], found, fix);
        return (providers, report.finish());
    };
    for (key, value) in entries.iter().take(MAX_PROVIDERS) {
        if let Some(provider) = read_provider(key, value, &mut report) {
            match providers.iter_mut().find(|known| known.key == *key) {
                Some(builtin) => *builtin = provider,
                None => providers.push(provider),
            }
        }
    }
    (providers, report.finish())
}

fn read_provider(key: &str, value: &Value, report: &mut ProblemReport) -> Option<ProviderConfig> {
    let Value::Object(map) = value else {
        let found = format!("provider `{}` is {}, not a map", clip(key), value_type(value));
        let fix = "give it `apiType`, `baseUrl` and `models`".to_owned();
        let id = format!("llm/wrong-type/{}", clip(key));
        report.add(&id, &["providers", key], found, fix);
        return None;
    };
    check_keys(key, map, report);
    check::check_provider(key, map, report);
    let text = |name: &str| {
        let value = map.get(name).and_then(Value::as_str).map(str::trim);
        value.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let api_type = ApiType::from_name(&text("apiType").unwrap_or_default());
    let connection = Connection::read(key, map, report);
    let cap = map.get("tool_result_max_chars").and_then(Value::as_u64);
    let cap = cap.and_then(|chars| usize::try_from(chars).ok()).filter(|chars| *chars > 0);
    Some(ProviderConfig {
        key: key.to_owned(),
        name: text("name").unwrap_or_else(|| key.to_owned()),
        base_url: text("baseUrl").unwrap_or_default(),
        api_key_env_var: text("apiKeyEnvVar"),
        tool_result_max_chars: cap.unwrap_or_else(|| api_type.default_tool_result_max_chars()),
        retry: RetryConfig::read(map, connection.dialect.quirks),
        connection,
        models: read_models(key, map.get("models"), report),
        families: Vec::new(),
        default_model: None,
        builtin: false,
        api_type,
    })
}

fn check_keys(provider: &str, map: &Map<String, Value>, report: &mut ProblemReport) {
    for key in map.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let at = ["providers", provider, key];
        if SECRET_KEYS.contains(&key.as_str()) {
            let found = format!("provider `{}` has an API key in the file", clip(provider));
            let fix = "put it into an environment variable, name that in `apiKeyEnvVar`, \
                        and replace the key: it may have been shared"
                .to_owned();
            report.add(&format!("llm/secret/{}", clip(provider)), &at, found, fix);
        } else {
            let found = format!("unknown key `{}` of provider `{}`", clip(key), clip(provider));
            let id = format!("llm/unknown-key/{}/{}", clip(provider), clip(key));
            let fix = match nearest(key, KEYS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it: nothing reads it".to_owned(),
            };
            report.warn(&id, &at, found, fix);
        }
    }
}

fn read_models(
    provider: &str,
    value: Option<&Value>,
    report: &mut ProblemReport,
) -> Vec<ModelInfo> {
    let empty = Map::new();
    let entries = match value {
        Some(Value::Object(map)) => map,
        None | Some(Value::Null) => &empty,
        Some(other) => {
            let found =
                format!("`models` of provider `{}` is {}", clip(provider), value_type(other));
            let fix = "write a map with one key per model".to_owned();
            let id = format!("llm/wrong-type/{}/models", clip(provider));
            report.add(&id, &["providers", provider, "models"], found, fix);
            &empty
        }
    };
    let read =
        |(key, value): (&String, &Value)| read_model(key, value.as_object().unwrap_or(&empty));
    entries.iter().take(MAX_MODELS).map(read).collect()
}

fn read_model(key: &str, map: &Map<String, Value>) -> ModelInfo {
    let text = |name: &str| map.get(name).and_then(Value::as_str).map(str::to_owned);
    let tokens = |name: &str| map.get(name).and_then(positive_integer);
    let cadence = tokens("caution_remediation_cadence_generations");
    ModelInfo {
        key: key.to_owned(),
        name: text("name").unwrap_or_else(|| key.to_owned()),
        context_length: tokens("context_length"),
        input_length: tokens("input_length"),
        output_length: tokens("output_length"),
        optimal_max_tokens: tokens("optimal_max_tokens"),
        critical_max_tokens: tokens("critical_max_tokens"),
        caution_cadence: cadence
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(DEFAULT_CADENCE),
        context_window: text("context_window"),
        supports_image_input: map.get("supports_image_input").and_then(Value::as_bool),
    }
}

/// A positive number, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be between 1 and 2^52"
)]
fn positive_integer(value: &Value) -> Option<u64> {
    const MAX: f64 = 4_503_599_627_370_496.0;
    let number = value.as_f64()?;
    (1.0..=MAX).contains(&number).then_some(number as u64)
}
