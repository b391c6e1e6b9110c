//! The end of a generation that came to its end, and of one that failed.

use crate::domain::latest::StopReason;
use crate::domain::record::Record;
use crate::domain::state::Activity;
use crate::domain::{ContextHealth, DialogId, Problem, SelfId};
use crate::llm::{ErrorClass, LlmError, Usage};

use super::calls::Position;
use super::context_actions::{AtTheEnd, Owner, at_the_end};
use super::draft::Draft;
use super::filling::Filling;
use super::generation;
use super::keep_going::{ended, instead_of_resting, push_once};
use super::port::GenerationEnd;
use super::prepare::Ready;
use super::refused_context;
use super::tree::TreeTask;

/// What becomes of a dialog whose request failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// It waits for a person.
    Stops,
    /// It goes on with a push.
    Pushed,
    /// It goes on in a new course.
    BeginsAnew,
}

impl TreeTask {
    /// Drafts the end of a request that failed for good. Where a new course or a push may help, the
    /// dialog goes on, unless it was told to stop meanwhile.
    pub(super) fn failed(
        &self,
        draft: &mut Draft,
        at: &Position,
        error: &LlmError,
        push: bool,
        model: Option<String>,
    ) -> AfterFailure {
        let texts = self.engine.texts();
        let goes_on = self.activity(&at.dialog) == Activity::Driving;
        let too_long = error.class() == ErrorClass::ContextOverflow;
        if goes_on && too_long && refused_context::begin_anew(draft, at, texts) {
            generation::give_way(draft, at, model);
            return AfterFailure::BeginsAnew;
        }
        let care = self.ready.get(&at.dialog).map(|ready| &ready.care);
        if goes_on && push && care.is_some_and(|care| push_once(draft, at, care, texts)) {
            generation::give_way(draft, at, model);
            return AfterFailure::Pushed;
        }
        let filling = if too_long { self.filling(&at.dialog) } else { None };
        let reason = filling.map_or_else(|| stop_reason(error), |filling| filling.refused(error));
        generation::break_off(draft, at, reason, model);
        AfterFailure::Stops
    }

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
        let health = ContextHealth::measure(limits, usage);
        let context_health = Some(health.clone());
        let finish = Record::GenFinish { context_health, llm_gen_model: model };
        let goes_on = self.activity(&at.dialog) == Activity::Driving;
        let after = match ready.filter(|_| goes_on) {
            Some(ready) => self.after(draft, at, &finish, ready),
            None => AtTheEnd::Nothing,
        };
        generation::finish(draft, at, finish);
        if let (AtTheEnd::Stop, Some(filling)) = (after, self.filling(&at.dialog)) {
            generation::mark_stopped(draft, &at.dialog, filling.full(&health));
        }
    }

    /// Drafts what follows a whole answer; a stop is left to the caller.
    fn after(&self, draft: &mut Draft, at: &Position, finish: &Record, ready: &Ready) -> AtTheEnd {
        let texts = self.engine.texts();
        let Some(ended) = ended(draft, at, finish) else { return AtTheEnd::Nothing };
        let is_main = draft.tree.is_main(&at.dialog);
        let owner = if is_main { Owner::Person } else { Owner::Dialog };
        let after = at_the_end(&ended, owner, ready.care.cadence);
        match after {
            AtTheEnd::Nothing => instead_of_resting(draft, at, &ended, &ready.care, texts),
            AtTheEnd::NewCourse => {
                let opening = texts.forced_course_start(&[], 0);
                generation::start_course(draft, at, &opening, texts);
            }
            AtTheEnd::Stop => {}
        }
        after
    }

    /// What fills the context of a dialog that is being driven.
    fn filling(&self, id: &SelfId) -> Option<Filling> {
        let ready = self.ready.get(id)?;
        Some(ready.filling(&self.engine, self.tree.get(id)?))
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

/// Why a dialog stops whose request failed for good.
fn stop_reason(error: &LlmError) -> StopReason {
    match error.class() {
        ErrorClass::Empty => StopReason::LlmRetryStopped {
            error: error.to_string(),
            display: serde_json::json!({
                "titleTextI18n": { "en": "No answer", "zh": "没有回应" },
                "summaryTextI18n": {
                    "en": "the model sent nothing but empty answers: continue when it is well again",
                    "zh": "模型只返回空回应：待其恢复后再继续",
                },
            }),
            recovery_action: Some(serde_json::json!({ "kind": "none" })),
        },
        ErrorClass::ContextOverflow
        | ErrorClass::Rejected
        | ErrorClass::Fatal
        | ErrorClass::Violation
        | ErrorClass::RateLimited
        | ErrorClass::Transport
        | ErrorClass::Server
        | ErrorClass::Cut
        | ErrorClass::Malformed
        | ErrorClass::Cancelled => StopReason::system(error.message()),
    }
}

/// The problem, if the provider refused the request as it stands, or broke its protocol.
pub fn rejection(dialog: &DialogId, end: &GenerationEnd) -> Option<Problem> {
    let GenerationEnd::Failed { error, .. } = end else { return None };
    match error.class() {
        ErrorClass::Rejected | ErrorClass::ContextOverflow => Some(Problem::new(
            format!("llm_provider_rejected_request/{dialog}"),
            ".minds/llm.yaml",
            format!("a request of {dialog} was rejected: {error}"),
            "check the model, its key and its settings, then continue the dialog",
        )),
        ErrorClass::Violation => Some(Problem::new(
            format!("llm_protocol_violation/{dialog}"),
            ".minds/llm.yaml",
            format!("the stream of an answer to {dialog} cannot be trusted: {error}"),
            "use another server or `apiType` for this model, or continue the dialog to ask again",
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
