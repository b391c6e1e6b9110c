//! The prompts that open a generation.

use crate::domain::dialogs::queue::{QueuedPrompt, next_prompts, quiet};
use crate::domain::dialogs::record::Origin;
use crate::domain::dialogs::state::NextStep;
use crate::domain::{Dialog, ReplyDirective, Slug};
use crate::driver::calls::fresh_boots;
use crate::driver::steps::draft::Draft;
use crate::driver::texts::Texts;

/// The prompts that open the generation: one, all queued messages of the user in a row, or none.
pub fn prompts(draft: &Draft, dialog: &Dialog, step: NextStep, texts: Texts) -> Vec<QueuedPrompt> {
    if step == NextStep::TakePrompt {
        return next_prompts(&dialog.queue);
    }
    runtime_prompt(draft, dialog, step, texts).into_iter().collect()
}

/// The results of tasks that wait for a generation; it is told them before its own prompt. Fresh-boots dialogs get
/// none.
pub fn results(dialog: &Dialog, step: NextStep) -> Vec<QueuedPrompt> {
    match step {
        NextStep::Reason
        | NextStep::DeliverWords
        | NextStep::Pause
        | NextStep::GiveUp
        | NextStep::Conclude => Vec::new(),
        NextStep::StartCourse
        | NextStep::TakePrompt
        | NextStep::StartAssignment
        | NextStep::FollowUp
        | NextStep::ReadReplies
        | NextStep::HearAskBack
        | NextStep::AskAgain
        | NextStep::Resume => quiet(&dialog.queue).cloned().collect(),
    }
}

fn runtime_prompt(
    draft: &Draft,
    dialog: &Dialog,
    step: NextStep,
    texts: Texts,
) -> Option<QueuedPrompt> {
    match step {
        NextStep::StartCourse => {
            dialog.latest.pending_course_start_prompt.clone().map(|start| QueuedPrompt {
                msg_id: start.msg_id,
                content: start.content,
                origin: Origin::Runtime,
                language: start.user_language_code,
                directive: start.tellask_reply_directive,
                assigns: start.side_dialog_reply_target.map(|target| target.call_id),
                content_items: None,
                quiet: false,
            })
        }
        NextStep::StartAssignment => assignment_prompt(draft, dialog, texts),
        NextStep::HearAskBack => ask_back_prompt(draft, dialog, texts),
        NextStep::AskAgain => {
            let owed = dialog.obligation()?.clone();
            Some(directed_prompt(draft, texts.still_owed(&owed), owed, texts))
        }
        NextStep::TakePrompt
        | NextStep::FollowUp
        | NextStep::ReadReplies
        | NextStep::Resume
        | NextStep::DeliverWords
        | NextStep::Pause
        | NextStep::GiveUp
        | NextStep::Conclude => None,
        NextStep::Reason => fresh_boots::prompt(draft, dialog, texts),
    }
}

/// Derived from the asker stack, like the prompt of an assignment.
fn ask_back_prompt(draft: &Draft, dialog: &Dialog, texts: Texts) -> Option<QueuedPrompt> {
    let directive = dialog.ask_back_to_hear()?.clone();
    let side = draft.dialog(&directive.target_dialog_id)?;
    let content = texts.ask_back(&side.meta.agent_id, side.assignment()?, &directive);
    Some(directed_prompt(draft, content, directive, texts))
}

/// A prompt of the runtime that asks for a reply.
pub fn directed_prompt(
    draft: &Draft,
    content: String,
    directive: ReplyDirective,
    texts: Texts,
) -> QueuedPrompt {
    let prompt = QueuedPrompt::of_runtime(draft.ids.message(), content, texts.0);
    QueuedPrompt { directive: Some(directive), ..prompt }
}

/// Derived from the asker stack, so it survives any crash before its generation.
fn assignment_prompt(draft: &Draft, dialog: &Dialog, texts: Texts) -> Option<QueuedPrompt> {
    let assignment = dialog.unstarted_assignment()?;
    let directive = dialog.assignment_owed()?.clone();
    let slug = dialog.meta.session_slug.as_ref().map(Slug::as_str);
    let mut content = texts.assignment(assignment, slug, &directive.expected_reply_call_name);
    if dialog.history.last.open || has_unanswered_assignment(dialog) {
        content = format!("{}\n\n---\n\n{content}", texts.assignment_update());
    }
    let assigns = Some(assignment.call_id.clone());
    Some(QueuedPrompt { assigns, ..directed_prompt(draft, content, directive, texts) })
}

/// True if an earlier assignment of this session was never answered.
fn has_unanswered_assignment(dialog: &Dialog) -> bool {
    let history = &dialog.history;
    history.assignments.keys().any(|call| !history.resolved_targets.contains(call))
}
