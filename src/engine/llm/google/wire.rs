//! The wire format of answers; a chunk of a stream and a complete answer are one type. Parsing is lenient
//! where servers are known to differ; unused fields are skipped.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::llm::Usage;
use crate::llm::lenient::{count, or_none, text};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    #[serde(default, borrow)]
    pub candidates: Option<Vec<Candidate<'a>>>,
    #[serde(default, deserialize_with = "or_none")]
    pub prompt_feedback: Option<PromptFeedback>,
    #[serde(default, deserialize_with = "or_none")]
    pub usage_metadata: Option<WireUsage>,
    #[serde(default, deserialize_with = "text")]
    pub model_version: String,
    #[serde(default, borrow)]
    pub error: Option<&'a RawValue>,
}

impl Chunk<'_> {
    /// Whether this is a part of an answer.
    pub(super) fn is_answer(&self) -> bool {
        let is_blocked = |feedback: &PromptFeedback| !feedback.block_reason.is_empty();
        self.candidates.as_ref().is_some_and(|candidates| !candidates.is_empty())
            || self.prompt_feedback.as_ref().is_some_and(is_blocked)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptFeedback {
    /// Why there is no answer.
    #[serde(default, deserialize_with = "text")]
    pub block_reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    #[serde(default, borrow)]
    pub content: Option<WireContent<'a>>,
    #[serde(default, deserialize_with = "text")]
    pub finish_reason: String,
    /// What the server says about the reason.
    #[serde(default, deserialize_with = "text")]
    pub finish_message: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireContent<'a> {
    #[serde(default, borrow)]
    pub parts: Option<Vec<WirePart<'a>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WirePart<'a> {
    #[serde(default, deserialize_with = "text")]
    pub text: String,
    /// Whether the text is a thought.
    #[serde(default, deserialize_with = "or_none")]
    pub thought: Option<bool>,
    #[serde(default, deserialize_with = "text")]
    pub thought_signature: String,
    #[serde(default, borrow)]
    pub function_call: Option<WireCall<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireCall<'a> {
    #[serde(default, deserialize_with = "text")]
    pub id: String,
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    #[serde(default, borrow)]
    pub args: Option<&'a RawValue>,
}

/// Counts of the request so far.
#[derive(Debug, Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, rename = "promptTokenCount", deserialize_with = "count")]
    prompt: Option<u64>,
    #[serde(default, rename = "candidatesTokenCount", deserialize_with = "count")]
    answer: Option<u64>,
    #[serde(default, rename = "thoughtsTokenCount", deserialize_with = "count")]
    thoughts: Option<u64>,
    #[serde(default, rename = "cachedContentTokenCount", deserialize_with = "count")]
    cached: Option<u64>,
    #[serde(default, rename = "totalTokenCount", deserialize_with = "count")]
    total: Option<u64>,
}

impl WireUsage {
    /// `None` while the prompt was not counted.
    pub(super) fn counts(&self) -> Option<Usage> {
        let written = [self.answer, self.thoughts];
        let known = written.iter().any(Option::is_some);
        let completion = written.into_iter().flatten().fold(0, u64::saturating_add);
        let counted = Usage::counted(self.prompt, known.then_some(completion), self.total);
        counted.map(|usage| usage.with_cached(self.cached))
    }
}
