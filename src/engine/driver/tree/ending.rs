//! Ends a generation, finished or failed.

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::Record;
use crate::domain::dialogs::shown_state::Activity;
use crate::domain::text::{Text, localized};
use crate::domain::{ContextHealth, DialogId, Problem, SelfId};
use crate::driver::context::prepare::PreparedMember;
use crate::driver::context::usage::ContextUsage;
use crate::driver::drive::port::GenerationEnd;
use crate::driver::generation::context_actions::{DialogOwner, EndAction, end_action};
use crate::driver::generation::keep_going::{act_before_idle, dialog_after_finish, push_once};
use crate::driver::generation::{end, refused_context, repeats};
use crate::driver::shared::blocking::blocking;
use crate::driver::steps::course::start_course;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::steps::stop::mark_stopped;
use crate::llm::{ErrorClass, LlmError, Usage};

use super::state::{TreeState, replace_problem};

/// What a dialog does after its request failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterFailure {
    /// It waits for the user.
    Stops,
    /// It continues with a push.
    Pushed,
    /// It continues in a new course.
    StartsCourse,
}

impl TreeState {
    /// Drafts the end of a request that failed for good. If a new course or a push may help, the dialog
    /// continues, unless a stop was requested meanwhile.
    pub(super) async fn draft_failure(
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
        if goes_on && too_long && refused_context::restart_in_new_course(draft, at, texts) {
            end::finish_failed(draft, at, model);
            return AfterFailure::StartsCourse;
        }
        let policy = self.prepared.get(&at.dialog).map(|prepared| &prepared.policy);
        if goes_on && push && policy.is_some_and(|policy| push_once(draft, at, policy, texts)) {
            end::finish_failed(draft, at, model);
            return AfterFailure::Pushed;
        }
        let context_usage = if too_long { self.context_usage(&at.dialog).await } else { None };
        let reason = context_usage.map_or_else(
            || stop_reason(error),
            |context_usage| context_usage.refused_stop_reason(error),
        );
        end::abort(draft, at, reason, model);
        AfterFailure::Stops
    }

    /// Drafts the end of a complete answer, and what a main dialog does instead of becoming idle. After a
    /// stop request nothing is added.
    pub(super) async fn draft_finish(
        &self,
        draft: &mut Draft,
        at: &Position,
        usage: Option<Usage>,
        model: Option<String>,
    ) {
        let prepared = self.prepared.get(&at.dialog);
        let cached = usage.and_then(|usage| usage.cached_tokens);
        let usage = usage.map(|u| (u.prompt_tokens, u.completion_tokens, u.total_tokens));
        let limits = prepared.and_then(|prepared| prepared.limits.clone());
        let health = ContextHealth::measure(limits, usage).with_cached(cached);
        let context_health = Some(health.clone());
        let finish = Record::GenFinish { context_health, llm_gen_model: model };
        let goes_on = self.activity(&at.dialog) == Activity::Driving;
        let repeated = goes_on.then(|| repeats::answer(draft, at, self.engine.texts())).flatten();
        let after = match prepared.filter(|_| goes_on) {
            Some(prepared) => self.draft_follow_up(draft, at, &finish, prepared),
            None => EndAction::Nothing,
        };
        end::finish(draft, at, finish);
        match after {
            EndAction::Stop => {
                if let Some(context_usage) = self.context_usage(&at.dialog).await {
                    mark_stopped(draft, &at.dialog, context_usage.full_stop_reason(&health));
                }
            }
            EndAction::StopCircling => mark_stopped(draft, &at.dialog, StopReason::in_circles()),
            EndAction::Nothing | EndAction::NewCourse => {}
        }
        if let Some(reason) = repeated {
            mark_stopped(draft, &at.dialog, reason);
        }
    }

    /// Drafts what follows a complete answer; a stop is left to the caller.
    fn draft_follow_up(
        &self,
        draft: &mut Draft,
        at: &Position,
        finish: &Record,
        prepared: &PreparedMember,
    ) -> EndAction {
        let texts = self.engine.texts();
        let Some(ended) = dialog_after_finish(draft, at, finish) else { return EndAction::Nothing };
        let is_main = draft.tree.is_main(&at.dialog);
        let owner = if is_main { DialogOwner::User } else { DialogOwner::Dialog };
        let after = end_action(&ended, owner, prepared.policy.cadence);
        match after {
            EndAction::Nothing => act_before_idle(draft, at, &ended, &prepared.policy, texts),
            EndAction::NewCourse => {
                let opening = texts.forced_course_start(&[], 0);
                start_course(draft, at, &opening, texts);
            }
            EndAction::Stop | EndAction::StopCircling => {}
        }
        after
    }

    /// The context usage of a dialog that is being driven.
    async fn context_usage(&self, id: &SelfId) -> Option<ContextUsage> {
        let prepared = self.prepared.get(id)?.clone();
        let dialog = self.tree().dialogs.get(id)?.clone();
        let engine = self.engine.clone();
        blocking(move |on| prepared.context_usage(&engine, &dialog, on)).await.ok()
    }

    /// Reports a rejected request as a problem until the dialog's next request succeeds.
    pub(super) async fn note_rejection(&mut self, id: &SelfId, rejection: Option<Problem>) {
        if replace_problem(&mut self.rejected, id, rejection) {
            self.report_problems().await;
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
                    "en": "the model sent nothing but empty answers: continue when it works again",
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
        | ErrorClass::Cancelled => StopReason::system(error.message().clone()),
    }
}

/// The problem, if the provider rejected the request or violated its protocol. `name`: the dialog, for a person.
pub fn rejection(dialog: &DialogId, name: &str, end: &GenerationEnd) -> Option<Problem> {
    let GenerationEnd::Failed { error, .. } = end else { return None };
    let reason = error.message();
    match error.class() {
        ErrorClass::Rejected | ErrorClass::ContextOverflow => Some(Problem::new(
            format!("llm_provider_rejected_request/{dialog}"),
            ".minds/llm.yaml",
            localized!([reason]
                "a request of {name} was rejected: {reason}",
                "{name} 的请求被拒绝：{reason}"
            ),
            Text::new(
                "check the model, its key and its settings, then continue the dialog",
                "请检查模型及其密钥和设置，然后继续该对话",
            ),
        )),
        ErrorClass::Violation => Some(Problem::new(
            format!("llm_protocol_violation/{dialog}"),
            ".minds/llm.yaml",
            localized!([reason]
                "the stream of an answer to {name} cannot be trusted: {reason}",
                "给 {name} 的应答流不可信：{reason}"
            ),
            Text::new(
                "use another server or `apiType` for this model, or continue the dialog to ask again",
                "请为该模型换用其他服务器或 `apiType`，或继续该对话以重新请求",
            ),
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
