//! Parses `llm.yaml` into providers. With a broken file, only the built-in ones exist.

use serde_json::{Map, Value};

use super::check;
use super::connection::Connection;
use super::provider::{ApiType, DEFAULT_CADENCE, ModelInfo, ProviderConfig};
use super::retry::RetryConfig;
use super::{PATH, builtin_providers};
use crate::domain::Problem;
use crate::domain::text::{Text, localized};
use crate::minds::nearest::nearest;
use crate::minds::report::{
    ProblemReport, clip, file_is_not_a_map, not_yaml, value_type, with_line,
};
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
            let fix = Text::new("write `providers:`", "请写 `providers:`");
            report.add("llm/yaml", &[], file_is_not_a_map(&other), fix);
            return (providers, report.finish());
        }
        Err(error) => {
            let fix = Text::new(
                "fix the syntax; until then only the built-in providers are available",
                "请修正语法；在此之前只有内置的模型服务可用",
            );
            let problem = Problem::new("llm/yaml", PATH, not_yaml(&error), fix);
            return (providers, vec![with_line(problem, error.line)]);
        }
    };
    let Some(entries) = top.get("providers").and_then(Value::as_object) else {
        let found = Text::new(
            "there is no map `providers`; the file is ignored",
            "没有映射 `providers`；文件已忽略",
        );
        let fix = Text::new(
            "write `providers:` with one entry per provider",
            "请写 `providers:`，每个模型服务一项",
        );
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
        let (name, kind) = (clip(key), value_type(value));
        let found = localized!(
            [kind] "provider `{name}` is {kind}, not a map",
            "模型服务 `{name}` 是{kind}，不是映射"
        );
        let fix = Text::new(
            "give it `apiType`, `baseUrl` and `models`",
            "请为它写上 `apiType`、`baseUrl` 和 `models`",
        );
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
            let name = clip(provider);
            let found = localized!(
                "provider `{name}` has an API key in the file",
                "模型服务 `{name}` 的 API 密钥写在了文件里"
            );
            let fix = Text::new(
                "put it into an environment variable, name that in `apiKeyEnvVar`, and replace the \
                 key: it may have been shared",
                "请把它放进环境变量，在 `apiKeyEnvVar` 中写变量名，并更换密钥：它可能已泄露",
            );
            report.add(&format!("llm/secret/{}", clip(provider)), &at, found, fix);
        } else {
            let (name, shown) = (clip(provider), clip(key));
            let found = localized!(
                "unknown key `{shown}` of provider `{name}`",
                "模型服务 `{name}` 有未知的键 `{shown}`"
            );
            let id = format!("llm/unknown-key/{name}/{shown}");
            let fix = match nearest(key, KEYS) {
                Some(near) => localized!("did you mean `{near}`?", "是否指 `{near}`？"),
                None => {
                    Text::new("remove it: nothing reads it", "请删除：没有任何地方读取它").into()
                }
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
            let (name, kind) = (clip(provider), value_type(other));
            let found = localized!(
                [kind] "`models` of provider `{name}` is {kind}",
                "模型服务 `{name}` 的 `models` 是{kind}"
            );
            let fix = Text::new("write a map with one key per model", "请写成映射，每个模型一个键");
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
    let flag = |name: &str| map.get(name).and_then(Value::as_bool);
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
        supports_image_input: flag("supports_image_input"),
        supports_tool_choice: flag("supports_tool_choice"),
        supports_thinking: flag("supports_thinking"),
        default_thinking: flag("default_thinking"),
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
