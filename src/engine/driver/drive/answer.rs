//! The complete answer of a model.

use crate::domain::dialogs::record::Call;
use crate::llm::Usage;
use crate::protocol::event::Segment;

/// The answer of the model.
#[derive(Debug, Default, Clone)]
pub struct ModelAnswer {
    pub segments: Vec<AnswerSegment>,
    pub calls: Vec<Call>,
    pub usage: Option<Usage>,
}

impl ModelAnswer {
    /// The text it says, if it has no calls; empty otherwise.
    pub fn last_words(&self) -> String {
        let ends_with_words = self.calls.is_empty();
        let saying = self.segments.iter().filter(|one| one.segment == Segment::Saying);
        let texts = saying.filter(|_| ends_with_words).map(|one| one.text.as_str());
        texts.collect::<Vec<_>>().join("\n\n")
    }

    /// True without any text, thought or call.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.calls.is_empty()
    }
}

/// One thought or text of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerSegment {
    pub segment: Segment,
    pub text: String,
    /// Data the provider needs back with a thought.
    pub payload: Option<serde_json::Value>,
}
