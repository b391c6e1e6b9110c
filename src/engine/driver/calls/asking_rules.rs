//! Limits to questions: as long as the asker has the same work, a person is asked the same once, and few confirmations.

use crate::domain::asking::inquiry::CONFIRMING_SOURCE;
use crate::domain::dialogs::history::Cycle;
use crate::driver::texts::Texts;

/// The rules for a member's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskingRules {
    /// The kind of source its questions name, if configured.
    pub source: Option<&'static str>,
    /// Confirmations that may be asked for one piece of work.
    pub most_confirmations: usize,
}

impl AskingRules {
    /// Why a question is not asked, in words for the model.
    pub fn refusal(
        &self,
        cycle: &Cycle,
        content: &str,
        confirm: bool,
        texts: Texts,
    ) -> Option<String> {
        if let Some(question) = cycle.answered(content) {
            return Some(texts.asked_already(&question.answer));
        }
        let all_confirm = self.source == Some(CONFIRMING_SOURCE);
        if !confirm && !all_confirm {
            return None;
        }
        let confirmations: Vec<_> =
            cycle.all().filter(|question| question.confirms || all_confirm).collect();
        let last = confirmations.last()?;
        (confirmations.len() >= self.most_confirmations)
            .then(|| texts.confirmed_already(&last.answer))
    }
}
