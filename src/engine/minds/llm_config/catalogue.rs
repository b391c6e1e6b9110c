//! Published limits of known models. A model that is not in the table can be used, but its context
//! health is not measured.
//!
//! Token counts are from the vendors' model pages. Where the limit of the prompt is smaller than that of
//! the context, the table has the smaller one.

use super::provider::ModelInfo;

const GOOGLE: &str = "google";

/// Name prefix, maximum prompt tokens, maximum answer tokens, image support. The answer limit is set only
/// where the protocol requires one: elsewhere vendors count it against the account's rate limit.
type ModelFamily = (&'static str, u64, Option<u64>, bool);

const ANTHROPIC: &[ModelFamily] = &[
    ("claude-3-haiku", 200_000, Some(4_096), true),
    ("claude-3-5-haiku", 200_000, Some(8_192), true),
    ("claude-3-7-sonnet", 200_000, Some(64_000), true),
    ("claude-haiku-4-5", 200_000, Some(64_000), true),
    ("claude-sonnet-4", 200_000, Some(64_000), true),
    ("claude-sonnet-4-5", 200_000, Some(64_000), true),
    ("claude-opus-4", 200_000, Some(32_000), true),
    ("claude-opus-4-1", 200_000, Some(32_000), true),
    ("claude-opus-4-5", 200_000, Some(64_000), true),
];

const OPENAI: &[ModelFamily] = &[
    ("gpt-4o", 128_000, None, true),
    ("gpt-4.1", 1_047_576, None, true),
    ("gpt-5", 272_000, None, true),
    ("gpt-5.1", 272_000, None, true),
    ("o3", 200_000, None, true),
    ("o3-mini", 200_000, None, false),
    ("o4-mini", 200_000, None, true),
];

const DEEPSEEK: &[ModelFamily] = &[
    ("deepseek-chat", 128_000, Some(8_192), false),
    ("deepseek-reasoner", 128_000, Some(65_536), false),
];

const GLM: &[ModelFamily] =
    &[("glm-4.5", 128_000, Some(96_000), false), ("glm-4.6", 200_000, Some(128_000), false)];

const MINIMAX: &[ModelFamily] = &[("MiniMax-M2", 204_800, Some(131_072), false)];

const QWEN: &[ModelFamily] = &[("qwen3-coder-plus", 1_000_000, Some(65_536), false)];

/// They are also asked for their thoughts: they think if nobody says otherwise.
const GEMINI: &[ModelFamily] = &[
    ("gemini-2.5-flash", 1_048_576, None, true),
    ("gemini-2.5-pro", 1_048_576, None, true),
    ("gemini-3.1-pro", 1_048_576, None, true),
    ("gemini-3.5-flash", 1_048_576, None, true),
];

/// The families of a built-in provider.
pub(super) fn families(provider: &str) -> Vec<ModelInfo> {
    let table = match provider {
        "anthropic" => ANTHROPIC,
        "codex" | "openai" => OPENAI,
        "deepseek" => DEEPSEEK,
        "bigmodel" | "z.ai" => GLM,
        "minimaxi.com" | "minimaxi.com-coding-plan" | "minimax.io" | "minimax.io-coding-plan" => {
            MINIMAX
        }
        "aliyun-bailian" => QWEN,
        GOOGLE => GEMINI,
        _ => &[],
    };
    let thinks = (provider == GOOGLE).then_some(true);
    let family = |of: &ModelFamily| ModelInfo { default_thinking: thinks, ..model_info(of) };
    table.iter().map(family).collect()
}

fn model_info((key, prompt, answer, images): &ModelFamily) -> ModelInfo {
    ModelInfo {
        context_length: Some(*prompt),
        output_length: *answer,
        supports_image_input: Some(*images),
        ..ModelInfo::unknown(key)
    }
}
