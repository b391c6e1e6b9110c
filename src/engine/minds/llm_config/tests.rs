//! `llm.yaml`: merging with the built-in providers, effective values, problems.

use std::time::Duration;

use super::*;
use crate::domain::{Dialect, Problem, Quirk, Quirks, ThinkingReplay};
use crate::samples::assert_translated;

fn find<'a>(providers: &'a [ProviderConfig], key: &str) -> &'a ProviderConfig {
    providers.iter().find(|provider| provider.key == key).unwrap_or_else(|| panic!("no {key}"))
}

fn ids(problems: &[Problem]) -> Vec<(&str, Option<usize>)> {
    problems.iter().map(|p| (p.id.as_str(), p.line)).collect()
}

#[test]
fn a_provider_of_the_file_replaces_a_built_in_one_completely() {
    let (providers, problems) = read(
        "\
providers:
  openai:
    apiType: openai-compatible
    baseUrl: http://127.0.0.1:1/v1
    models: { m: {} }
  local:
    name: Local
    apiType: mock
    baseUrl: db
    apiQuirks: xcode.best
    tool_result_max_chars: 10
    models: { b: { name: B }, a: ~ }
",
    );
    assert_eq!(problems, []);
    let builtin = builtin_providers();
    assert_eq!(providers.len(), builtin.len() + 1);
    let openai = find(&providers, "openai");
    assert_eq!((openai.builtin, &openai.api_key_env_var), (false, &None));
    assert_eq!(openai.name, "openai");
    assert_eq!(openai.default_model, None);
    assert_eq!(find(&providers, "deepseek"), find(&builtin, "deepseek"));
    let local = providers.last().unwrap();
    assert_eq!(local.connection.dialect.quirks, Quirks::NONE.with(Quirk::XcodeBest));
    assert_eq!((local.retry.empty_retries, openai.retry.empty_retries), (4, 2));
    assert_eq!(local.tool_result_max_chars, 10);
    let models: Vec<_> = local.models.iter().map(|m| (m.key.as_str(), m.name.as_str())).collect();
    assert_eq!(models, [("b", "B"), ("a", "a")]);
}

#[test]
fn retry_numbers_out_of_range_count_as_not_set_and_the_delays_keep_their_order() {
    let ms = Duration::from_millis;
    let default = RetryConfig::default();
    for (yaml, expected) in [
        ("name: x", default),
        (
            "llm_retry_aggressive_max_retries: 0\n    llm_retry_initial_delay_ms: 0",
            RetryConfig { aggressive_max_retries: 0, initial_delay: ms(0), ..default },
        ),
        (
            "llm_retry_initial_delay_ms: 40000",
            RetryConfig { initial_delay: ms(40_000), conservative_delay: ms(40_000), ..default },
        ),
        ("llm_retry_max_delay_ms: 5", RetryConfig { max_delay: ms(30_000), ..default }),
        ("llm_retry_backoff_multiplier: 0.5", default),
        ("llm_retry_conservative_delay_ms: -5", default),
        ("llm_retry_aggressive_max_retries: 1.5", default),
    ] {
        let text = format!("providers:\n  p:\n    {yaml}\n");
        let (providers, _) = read(&text);
        assert_eq!(find(&providers, "p").retry, expected, "{yaml}");
    }
}

#[test]
fn a_models_limits_come_from_its_context_or_its_input_length() {
    for (yaml, expected) in [
        ("{}", None),
        ("{ context_length: 1000.9 }", Some((1000, 100_000, 900))),
        ("{ input_length: 500 }", Some((500, 100_000, 450))),
        ("{ context_length: -1, input_length: 500 }", Some((500, 100_000, 450))),
        ("{ context_length: 1e99 }", None),
        (
            "{ context_length: 1000, optimal_max_tokens: 7, critical_max_tokens: 8 }",
            Some((1000, 7, 8)),
        ),
    ] {
        let text = format!("providers:\n  p:\n    models:\n      m: {yaml}\n");
        let (providers, _) = read(&text);
        let limits = find(&providers, "p").model("m").unwrap().limits();
        let found = limits.map(|l| {
            (
                l.model_context_limit_tokens,
                l.effective_optimal_max_tokens,
                l.effective_critical_max_tokens,
            )
        });
        assert_eq!(found, expected, "{yaml}");
    }
}

#[test]
fn an_unusable_entry_is_reported_with_its_line() {
    for (text, expected) in [
        ("providers: [\n", vec![("llm/yaml", Some(2))]),
        ("- a", vec![("llm/yaml", None)]),
        ("provider: {}", vec![("llm/no-providers", None)]),
        ("providers: 3", vec![("llm/no-providers", Some(1))]),
        ("providers:\n  p: 3", vec![("llm/wrong-type/p", Some(2))]),
        (
            "providers:\n  p:\n    baseURL: x\n    future: y",
            vec![("llm/unknown-key/p/baseURL", Some(3)), ("llm/unknown-key/p/future", Some(4))],
        ),
        ("providers:\n  p:\n    models: [m]", vec![("llm/wrong-type/p/models", Some(3))]),
        ("providers:\n  p:\n    apiKey: sk-123", vec![("llm/secret/p", Some(3))]),
    ] {
        let (providers, problems) = read(text);
        assert_eq!(ids(&problems), expected, "{text}");
        assert!(providers.len() >= builtin_providers().len());
        assert!(problems.iter().all(|p| !p.to_string().contains("sk-123")));
    }
    assert_eq!(read("# later\n"), (builtin_providers(), Vec::new()));
}

#[test]
fn a_key_comes_from_the_named_variable_only() {
    let text = "\
providers:
  a: { apiType: openai-compatible, apiKeyEnvVar: A_KEY }
  b: { apiType: openai-compatible }
  c: { apiType: mock, apiKeyEnvVar: A_KEY }
";
    let (providers, _) = read(text);
    let set = |name: &str| (name == "A_KEY").then(|| "secret".to_owned());
    let blank = |_: &str| Some(" ".to_owned());
    let key = |provider: &str, env: Env| find(&providers, provider).api_key(env).ok();
    assert_eq!(key("a", &set), Some(Some("secret".to_owned())));
    assert_eq!(key("a", &blank), None);
    assert_eq!(key("b", &set), Some(None));
    assert_eq!(key("c", &|_| None), Some(None));
    let problem = find(&providers, "a").api_key(&|_| None).unwrap_err();
    assert!(
        problem.text.to_string().contains("A_KEY") && problem.fix.to_string().contains("A_KEY")
    );
}

#[test]
fn a_login_is_in_the_folder_that_its_variable_names_and_is_no_key() {
    let text =
        "providers: { a: { apiType: codex, apiKeyEnvVar: A_HOME }, b: { apiType: codex } }\n";
    let (providers, _) = read(text);
    let (a, b) = (find(&providers, "a"), find(&providers, "b"));
    assert_eq!((a.key_variable(), a.api_key(&|_| None).unwrap()), (None, None));
    let env = |name: &str| match name {
        "A_HOME" => Some("/elsewhere".to_owned()),
        "HOME" => Some("/home/me".to_owned()),
        _ => None,
    };
    let folder = |of: &ProviderConfig, env: Env| {
        of.login_folder(env).map(|folder| folder.display().to_string())
    };
    assert_eq!(folder(a, &env).unwrap(), "/elsewhere");
    assert_eq!(folder(b, &env).unwrap(), "/home/me/.codex");
    let relative = |name: &str| (name == "A_HOME").then(|| "here".to_owned());
    for refused in [folder(a, &relative), folder(b, &|_| None)] {
        let text = refused.unwrap_err();
        assert!(text.to_string().contains("absolute path"), "{text}");
        assert_translated(&text);
    }
}

#[test]
fn connection_settings_are_read_from_the_file() {
    let (providers, problems) = read(
        "\
providers:
  p:
    max_concurrent: 1
    llm_connect_timeout_ms: 500
    llm_first_byte_timeout_ms: 60000
    llm_idle_timeout_ms: 1
    caFile: /etc/ssl/own.pem
    thinking_replay: reasoning_content
    apiQuirks: [inline_think, max_completion_tokens]
  q:
    max_concurrent: ~
",
    );
    assert_eq!(problems, []);
    let ms = Duration::from_millis;
    let expected = Connection {
        max_concurrent: std::num::NonZeroUsize::MIN,
        connect_timeout: Some(ms(500)),
        first_byte_timeout: Some(ms(60_000)),
        idle_timeout: Some(ms(1)),
        ca_file: Some("/etc/ssl/own.pem".into()),
        dialect: Dialect {
            thinking_replay: ThinkingReplay::ReasoningContent,
            quirks: Quirks::NONE.with(Quirk::InlineThink).with(Quirk::MaxCompletionTokens),
        },
    };
    assert_eq!(find(&providers, "p").connection, expected);
    assert_eq!(find(&providers, "q").connection, Connection::default());
    assert_eq!(Connection::default().max_concurrent.get(), 8);
}

#[test]
fn an_unusable_value_is_reported_with_its_line_and_counts_as_not_set() {
    for (yaml, found, fix) in [
        ("max_concurrent: 0", "is 0", "from 1 to 1000"),
        ("max_concurrent: many", "is `many`", "from 1 to 1000"),
        ("llm_idle_timeout_ms: 1.5", "is 1.5", "milliseconds"),
        ("llm_connect_timeout_ms: [1]", "is a list", "milliseconds"),
        ("caFile: own.pem", "is `own.pem`", "absolute path"),
        ("thinking_replay: txt", "is `txt`", "did you mean `text`?"),
        ("apiQuirks: [inline-think]", "is `inline-think`", "did you mean `inline_think`?"),
        ("apiQuirks: 7", "is 7", "xcode.best"),
    ] {
        let (providers, problems) = read(&format!("providers:\n  p:\n    {yaml}\n"));
        let key = yaml.split(':').next().unwrap();
        assert_eq!(ids(&problems), [(format!("llm/wrong-value/p/{key}").as_str(), Some(3))]);
        let [text, actual] = [&problems[0].text, &problems[0].fix].map(ToString::to_string);
        assert!(text.contains(key) && text.contains(found) && actual.contains(fix), "{problems:?}");
        assert_eq!(find(&providers, "p").connection, Connection::default(), "{yaml}");
    }
}

#[test]
fn each_protocol_has_its_name_and_every_built_in_provider_can_be_used() {
    let names = "anthropic anthropic-compatible codex google openai openai-compatible mock";
    for name in names.split(' ') {
        let api_type = ApiType::from_name(name);
        assert_eq!((api_type.name(), api_type.is_supported()), (name, true));
    }
    for provider in builtin_providers() {
        assert_eq!(provider.unusable_reason(), None, "{}", provider.key);
    }
}

#[test]
fn a_model_says_whether_it_thinks_and_those_of_gemini_that_are_known_do() {
    let (providers, problems) = read(
        "\
providers:
  p:
    apiType: google
    baseUrl: https://a.example
    models: { m: { supports_thinking: true, default_thinking: false }, n: {} }
",
    );
    assert_eq!(problems, []);
    let thinks = |provider: &str, model: &str| {
        let model = find(&providers, provider).model(model).unwrap();
        (model.supports_thinking, model.default_thinking)
    };
    assert_eq!(thinks("p", "m"), (Some(true), Some(false)));
    assert_eq!(thinks("p", "n"), (None, None));
    assert_eq!(thinks("google", "gemini-2.5-pro-preview"), (None, Some(true)));
    assert_eq!(thinks("google", "gemma-3"), (None, None));
}

#[test]
fn words_of_dominds_without_effect_here_are_no_quirks_and_no_problem() {
    let (providers, problems) = read(
        "providers:\n  p:\n    apiType: mock\n    apiQuirks: [kimi-code, minimax-thinking-type]\n",
    );
    assert_eq!(problems, []);
    let quirks = find(&providers, "p").connection.dialect.quirks;
    assert_eq!(quirks, Quirks::NONE.with(Quirk::MinimaxThinkingType));
}

#[test]
fn built_in_model_settings_are_found_by_name_prefix() {
    let providers = builtin_providers();
    for (provider, model, expected) in [
        ("openai", "gpt-5", Some(272_000)),
        ("openai", "gpt-5-mini-2025-08-07", Some(272_000)),
        ("openai", "gpt-5.9", None),
        ("openai", "gpt-4o-mini", Some(128_000)),
        ("openai", "gpt-4omega", None),
        ("anthropic", "claude-sonnet-4-5-20250929", Some(200_000)),
        ("deepseek", "deepseek-chat", Some(128_000)),
        ("volcano-engine", "deepseek-chat", None),
    ] {
        let known = find(&providers, provider).model(model).unwrap();
        assert_eq!(known.context_length, expected, "{provider} {model}");
    }
    let mini = |key: &str| find(&providers, "openai").model(key).unwrap().supports_image_input;
    assert_eq!((mini("o3-mini-high"), mini("o3")), (Some(false), Some(true)));
    for provider in &providers {
        for family in &provider.families {
            assert!(family.output_length.is_none_or(|most| Some(most) < family.context_length));
            let needs_limit =
                matches!(provider.api_type, ApiType::Anthropic | ApiType::AnthropicCompatible);
            assert_eq!(needs_limit, family.output_length.is_some());
        }
    }
}
