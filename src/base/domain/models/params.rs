//! Settings for models that speak the Messages protocol. They never fall back to those of another
//! family of providers, nor the other way round.

/// Unset ones are not sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnthropicParams {
    pub max_tokens: Option<u64>,
    pub json_response: Option<bool>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u64>,
    pub stop_sequences: Option<Vec<String>>,
    pub parallel_tool_calls: Option<bool>,
    /// How much effort to make; asks for thinking as the model finds right.
    pub reasoning_effort: Option<String>,
    /// Most tokens of thinking; asks for thinking.
    pub thinking_budget: Option<u64>,
    /// Asks for thoughts apart from words, where a server otherwise mixes them.
    pub reasoning_split: Option<bool>,
}

impl AnthropicParams {
    /// These settings where set, else those of `base`.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        Self {
            max_tokens: self.max_tokens.or(base.max_tokens),
            json_response: self.json_response.or(base.json_response),
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            top_k: self.top_k.or(base.top_k),
            stop_sequences: self.stop_sequences.or_else(|| base.stop_sequences.clone()),
            parallel_tool_calls: self.parallel_tool_calls.or(base.parallel_tool_calls),
            reasoning_effort: self.reasoning_effort.or_else(|| base.reasoning_effort.clone()),
            thinking_budget: self.thinking_budget.or(base.thinking_budget),
            reasoning_split: self.reasoning_split.or(base.reasoning_split),
        }
    }
}
