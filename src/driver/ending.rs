//! The end of a generation that came to its end, and of one that was rejected.

use crate::domain::record::Record;
use crate::domain::state::Activity;
use crate::domain::{ContextHealth, DialogId, Problem, SelfId};
use crate::llm::{ErrorClass, Usage};

use super::calls::Position;
use super::draft::Draft;
use super::generation;
use super::keep_going::instead_of_resting;
use super::port::GenerationEnd;
use super::tree::TreeTask;

impl TreeTask {
    /// Drafts the end of a whole answer, and what a main dialog does instead of resting. A dialog that
    /// was told to stop meanwhile does nothing.
    pub(super) fn finished(
        &self,
        draft: &mut Draft,
        at: &Position,
        usage: Option<Usage>,
        model: Option<String>,
    ) {
        let ready = self.ready.get(&at.dialog);
        let usage = usage.map(|u| (u.prompt_tokens, u.completion_tokens, u.total_tokens));
        let limits = ready.and_then(|ready| ready.limits.clone());
        let context_health = Some(ContextHealth::measure(limits, usage));
        let finish = Record::GenFinish { context_health, llm_gen_model: model };
        let goes_on = self.activity(&at.dialog) == Activity::Driving;
        if let Some(ready) = ready.filter(|_| goes_on) {
            instead_of_resting(draft, at, &finish, &ready.care, self.engine.texts());
        }
        generation::finish(draft, at, finish);
    }

    /// Keeps a rejected request among the problems until the dialog's next one succeeds.
    pub(super) async fn note_rejection(&mut self, id: &SelfId, rejection: Option<Problem>) {
        let before = match rejection.clone() {
            Some(problem) => self.rejected.insert(id.clone(), problem),
            None => self.rejected.remove(id),
        };
        if before != rejection {
            self.tell_problems().await;
        }
    }
}

/// The problem, if the provider refused the request as it stands.
pub fn rejection(dialog: &DialogId, end: &GenerationEnd) -> Option<Problem> {
    let GenerationEnd::Failed { error } = end else { return None };
    match error.class() {
        ErrorClass::Rejected | ErrorClass::ContextOverflow => Some(Problem::new(
            format!("llm_provider_rejected_request/{dialog}"),
            ".minds/llm.yaml",
            format!("a request of {dialog} was rejected: {error}"),
            "check the model, its key and its settings, then continue the dialog",
        )),
        ErrorClass::Fatal
        | ErrorClass::RateLimited
        | ErrorClass::Transport
        | ErrorClass::Server
        | ErrorClass::Empty
        | ErrorClass::Cut
        | ErrorClass::Malformed
        | ErrorClass::Cancelled => None,
    }
}
