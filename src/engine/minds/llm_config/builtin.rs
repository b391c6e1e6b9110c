//! The built-in providers: base URL, protocol, and the environment variable of the API key. Any model
//! name is accepted; the catalogue has the settings of some.

use super::catalogue::families;
use super::connection::Connection;
use super::provider::{ApiType, ModelInfo, ProviderConfig};
use super::retry::RetryConfig;
use crate::domain::{Dialect, Quirk, Quirks};

/// Its models refuse `tool_choice`.
const KIMI_CODE: &str = "kimi-code";

/// Key, protocol, base URL, variable (as in Dominds 1.19.2, then what 1.29 has more).
const TABLE: [(&str, ApiType, &str, &str); 17] = [
    ("codex", ApiType::Codex, "https://chatgpt.com/backend-api/", "CODEX_HOME"),
    (
        "minimaxi.com-coding-plan",
        ApiType::Anthropic,
        "https://api.minimaxi.com/anthropic",
        "MINIMAX_CN_CP_API_KEY",
    ),
    (
        "minimaxi.com",
        ApiType::Anthropic,
        "https://api.minimaxi.com/anthropic",
        "MINIMAX_CN_API_KEY",
    ),
    (
        "minimax.io-coding-plan",
        ApiType::Anthropic,
        "https://api.minimax.io/anthropic",
        "MINIMAX_CP_API_KEY",
    ),
    ("minimax.io", ApiType::Anthropic, "https://api.minimax.io/anthropic", "MINIMAX_API_KEY"),
    (
        "bigmodel",
        ApiType::AnthropicCompatible,
        "https://open.bigmodel.cn/api/anthropic",
        "ZHIPUAI_API_KEY",
    ),
    ("z.ai", ApiType::AnthropicCompatible, "https://api.z.ai/api/anthropic", "ZAI_API_KEY"),
    (
        "volcano-engine-coding-plan",
        ApiType::Anthropic,
        "https://ark.cn-beijing.volces.com/api/coding",
        "ARK_CP_API_KEY",
    ),
    (
        "volcano-engine",
        ApiType::OpenAiCompatible,
        "https://ark.cn-beijing.volces.com/api/v3",
        "ARK_API_KEY",
    ),
    ("anthropic", ApiType::Anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    (
        "deepseek",
        ApiType::AnthropicCompatible,
        "https://api.deepseek.com/anthropic",
        "DEEPSEEK_API_KEY",
    ),
    (
        "aliyun-bailian",
        ApiType::AnthropicCompatible,
        "https://coding.dashscope.aliyuncs.com/apps/anthropic",
        "ALIYUN_BAILIAN_API_KEY",
    ),
    ("openai", ApiType::OpenAi, "https://api.openai.com/v1", "OPENAI_API_KEY"),
    ("google", ApiType::Google, "https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
    (
        "minimaxi.com-token-plan",
        ApiType::OpenAiCompatible,
        "https://api.minimaxi.com/v1",
        "MINIMAX_CN_TP_API_KEY",
    ),
    (
        "minimax.io-token-plan",
        ApiType::OpenAiCompatible,
        "https://api.minimax.io/v1",
        "MINIMAX_TP_API_KEY",
    ),
    (KIMI_CODE, ApiType::OpenAiCompatible, "https://api.kimi.com/coding/v1", "KIMI_CODE_API_KEY"),
];

pub(crate) fn providers() -> Vec<ProviderConfig> {
    let build = |(key, api_type, base_url, variable): (&str, ApiType, &str, &str)| ProviderConfig {
        key: key.to_owned(),
        name: key.to_owned(),
        base_url: base_url.to_owned(),
        api_key_env_var: Some(variable.to_owned()),
        connection: Connection {
            dialect: Dialect { quirks: quirks(key), ..Dialect::default() },
            ..Connection::default()
        },
        tool_result_max_chars: api_type.default_tool_result_max_chars(),
        retry: RetryConfig::default(),
        models: Vec::new(),
        families: families(key),
        default_model: Some(ModelInfo {
            supports_tool_choice: (key == KIMI_CODE).then_some(false),
            ..ModelInfo::unknown("")
        }),
        builtin: true,
        api_type,
    };
    TABLE.into_iter().map(build).collect()
}

/// How a built-in provider differs from its protocol.
fn quirks(key: &str) -> Quirks {
    if !key.ends_with("-token-plan") {
        return Quirks::NONE;
    }
    Quirks::NONE.with(Quirk::MinimaxReasoningDetails).with(Quirk::MinimaxThinkingType)
}
