//! Maps a member's model parameters to those of its provider's protocol.

use crate::domain::{AnthropicParams, ChatParams, ModelParams, Thinking};
use crate::llm;
use crate::minds::ApiType;

/// The parameters to send.
pub fn params(of: &ModelParams, api: &ApiType, cache_key: String) -> llm::ModelParams {
    let params = match api {
        ApiType::Anthropic => messages(&of.anthropic),
        ApiType::AnthropicCompatible => {
            messages(of.anthropic_compatible.as_ref().unwrap_or(&of.anthropic))
        }
        ApiType::OpenAiCompatible => of.chat.as_ref().map_or_else(
            || llm::ModelParams { service_tier: None, ..openai(of) },
            |chat| llm::ModelParams { max_tokens: number(of.max_tokens), ..completions(chat) },
        ),
        ApiType::Codex => {
            let params =
                of.codex.as_ref().map_or_else(|| openai(of), |own| openai(&own.clone().over(of)));
            // These are of the API alone, as in Dominds.
            llm::ModelParams { text_format: None, safety_identifier: None, ..params }
        }
        ApiType::Google => google(of),
        ApiType::OpenAi | ApiType::Mock | ApiType::Unknown(_) => openai(of),
    };
    llm::ModelParams { cache_key: Some(cache_key), ..params }
}

/// The same for a model of Gemini. `supported`: whether it thinks; `by_default`: whether it is asked to, where its
/// member does not say so.
pub fn with_thinking(
    params: llm::ModelParams,
    supported: Option<bool>,
    by_default: Option<bool>,
) -> llm::ModelParams {
    if supported == Some(false) {
        return llm::ModelParams { thinking: None, thinking_budget: None, ..params };
    }
    let by_default = by_default.filter(|_| params.thinking_budget.is_none());
    let thinking = params.thinking.or_else(|| by_default.map(Thinking::from));
    llm::ModelParams { thinking, ..params }
}

fn openai(of: &ModelParams) -> llm::ModelParams {
    llm::ModelParams {
        max_tokens: number(of.max_tokens),
        temperature: of.temperature,
        top_p: of.top_p,
        parallel_tool_calls: of.parallel_tool_calls,
        reasoning_effort: of.reasoning_effort.clone(),
        reasoning_summary: of.reasoning_summary.clone(),
        verbosity: of.verbosity.clone(),
        service_tier: of.service_tier.clone(),
        text_format: of.text_format.clone(),
        safety_identifier: of.safety_identifier.clone(),
        json_response: of.json_response.unwrap_or_default(),
        ..llm::ModelParams::default()
    }
}

fn completions(of: &ChatParams) -> llm::ModelParams {
    llm::ModelParams {
        temperature: of.temperature,
        top_p: of.top_p,
        parallel_tool_calls: of.parallel_tool_calls,
        reasoning_effort: of.reasoning_effort.clone(),
        reasoning_split: of.reasoning_split,
        service_tier: of.service_tier.clone(),
        thinking: of.thinking.clone(),
        text_format: of.text_format.clone(),
        safety_identifier: of.safety_identifier.clone(),
        json_response: of.json_response.unwrap_or_default(),
        ..llm::ModelParams::default()
    }
}

fn messages(of: &AnthropicParams) -> llm::ModelParams {
    llm::ModelParams {
        max_tokens: number(of.max_tokens),
        temperature: of.temperature,
        top_p: of.top_p,
        top_k: number(of.top_k),
        stop_sequences: of.stop_sequences.clone().unwrap_or_default(),
        parallel_tool_calls: of.parallel_tool_calls,
        reasoning_effort: of.reasoning_effort.clone(),
        thinking_budget: number(of.thinking_budget),
        reasoning_split: of.reasoning_split,
        thinking: of.thinking.clone(),
        json_response: of.json_response.unwrap_or_default(),
        ..llm::ModelParams::default()
    }
}

fn google(of: &ModelParams) -> llm::ModelParams {
    let own = &of.google;
    llm::ModelParams {
        max_tokens: number(own.max_tokens),
        temperature: own.temperature,
        top_p: own.top_p,
        thinking: own.thinking.map(Thinking::from),
        thinking_budget: number(own.thinking_budget),
        google_search: own.google_search_tool.unwrap_or_default(),
        json_response: own.json_response.unwrap_or_default(),
        ..llm::ModelParams::default()
    }
}

fn number(of: Option<u64>) -> Option<u32> {
    of.and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::GoogleParams;

    #[test]
    fn a_model_of_gemini_thinks_as_its_member_says_else_as_its_entry_does() {
        use Thinking::{Off, On};
        for (member, budget, supported, by_default, expected) in [
            (None, None, None, None, None),
            (None, None, Some(true), None, None),
            (None, None, None, Some(true), Some(On)),
            (None, None, Some(true), Some(false), Some(Off)),
            (None, Some(9), Some(true), Some(false), None),
            (Some(true), Some(9), None, Some(false), Some(On)),
            (Some(false), Some(9), Some(true), Some(true), Some(Off)),
            (Some(true), Some(9), Some(false), Some(true), None),
        ] {
            let own = GoogleParams { thinking: member, ..GoogleParams::default() };
            let google = GoogleParams { thinking_budget: budget, ..own };
            let of = ModelParams { google, ..ModelParams::default() };
            let sent = params(&of, &ApiType::Google, String::new());
            let sent = with_thinking(sent, supported, by_default);
            let case = (member, budget, supported, by_default);
            assert_eq!(sent.thinking, expected, "{case:?}");
            let has_budget = budget.is_some() && supported != Some(false);
            assert_eq!(sent.thinking_budget.is_some(), has_budget, "{case:?}");
        }
    }

    #[test]
    fn a_login_of_codex_is_sent_its_own_settings_and_else_those_of_openai() {
        let word = |text: &str| Some(text.to_owned());
        let own = ModelParams { reasoning_effort: word("xhigh"), ..ModelParams::default() };
        let of = ModelParams {
            reasoning_effort: word("low"),
            verbosity: word("low"),
            safety_identifier: word("u"),
            codex: Some(Box::new(own)),
            ..ModelParams::default()
        };
        for (api, effort, user) in
            [(ApiType::Codex, "xhigh", None), (ApiType::OpenAi, "low", word("u"))]
        {
            let sent = params(&of, &api, String::new());
            assert_eq!(sent.safety_identifier, user);
            assert_eq!((sent.reasoning_effort, sent.verbosity), (word(effort), word("low")));
        }
    }
}
