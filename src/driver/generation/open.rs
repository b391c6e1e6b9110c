//! Drafts the start and the end of a generation.

use crate::domain::latest::{CourseStartPrompt, StopReason};
use crate::domain::queue::{QueuedPrompt, next_prompts};
use crate::domain::record::{AnchorRole, HumanText, Origin, Record};
use crate::domain::state::NextStep;
use crate::domain::{Course, Dialog, MsgId, ReplyDirective, SelfId};
use crate::driver::calls::{Position, fresh_boots};
use crate::driver::drive::port::AnswerSegment;
use crate::driver::lifecycle::declare_dead;
use crate::driver::lifecycle::recovery::close_open_calls;
use crate::driver::steps::draft::Draft;
use crate::driver::texts::Texts;
use crate::protocol::event::Segment;

use super::context_actions;
use super::interjection;
use super::keep_going::count_push;

/// Opens the next generation and records its prompt, if it has one. Calls of an earlier generation whose
/// results could not be written are closed first: nothing of it can still run.
/// `cadence`: generations between two warnings about context pressure.
pub fn open(
    draft: &mut Draft,
    dialog_id: &SelfId,
    step: NextStep,
    cadence: u32,
    texts: Texts,
) -> Option<Position> {
    close_open_calls(draft, dialog_id, texts);
    let due = context_actions::due(draft.dialog(dialog_id)?, step, cadence);
    let step = context_actions::start_course_if_due(draft, dialog_id, step, due, texts);
    let dialog = draft.dialog(dialog_id)?;
    let mut prompts = prompts(draft, dialog, step, texts);
    if prompts.is_empty() {
        prompts.extend(due.and_then(|due| context_actions::warning(draft, due, texts)));
    }
    let course = course_of(dialog, step);
    let round = fresh_boots::round_due(dialog);
    let genseq = dialog.history.last_genseq.next();
    let queue = dialog.queue.clone();
    let at = Position { dialog: dialog_id.clone(), course, genseq };
    draft.append(dialog_id, course, genseq, Record::GenStart);
    if prompts.iter().any(QueuedPrompt::is_user) {
        interjection::park(draft, &at, texts);
    } else {
        interjection::unpark(draft, dialog_id, &prompts);
    }
    for prompt in &prompts {
        record_prompt(draft, &at, prompt, texts);
    }
    if step == NextStep::TakePrompt {
        draft.set_queue(dialog_id, queue.into_iter().skip(prompts.len()).collect());
    }
    record_reminders(draft, &at);
    draft.edit_latest(dialog_id, |latest| {
        latest.current_course = course;
        latest.generating = Some(true);
        latest.execution_marker = None;
        latest.needs_drive = latest.needs_drive.map(|_| false);
        if step == NextStep::StartCourse {
            latest.pending_course_start_prompt = None;
        }
    });
    if let Some(round) = round {
        fresh_boots::set_round(draft, dialog_id, round.delivered());
    }
    Some(at)
}

fn course_of(dialog: &Dialog, step: NextStep) -> Course {
    match step {
        NextStep::StartCourse => dialog.latest.current_course.max(dialog.history.course),
        NextStep::TakePrompt
        | NextStep::StartAssignment
        | NextStep::FollowUp
        | NextStep::ReadReplies
        | NextStep::HearAskBack
        | NextStep::Resume
        | NextStep::DeliverWords
        | NextStep::Pause
        | NextStep::AskAgain
        | NextStep::GiveUp
        | NextStep::Reason
        | NextStep::Conclude => dialog.history.course,
    }
}

/// The prompts that open the generation: one, all queued messages of the user in a row, or none.
fn prompts(draft: &Draft, dialog: &Dialog, step: NextStep, texts: Texts) -> Vec<QueuedPrompt> {
    if step == NextStep::TakePrompt {
        return next_prompts(&dialog.queue).to_vec();
    }
    runtime_prompt(draft, dialog, step, texts).into_iter().collect()
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
    QueuedPrompt {
        msg_id: draft.ids.message(),
        content,
        origin: Origin::Runtime,
        language: Some(texts.0.code().to_owned()),
        directive: Some(directive),
        assigns: None,
    }
}

/// Derived from the asker stack, so it survives any crash before its generation.
fn assignment_prompt(draft: &Draft, dialog: &Dialog, texts: Texts) -> Option<QueuedPrompt> {
    let assignment = dialog.unstarted_assignment()?;
    let directive = dialog.assignment_owed()?.clone();
    let slug = dialog.meta.session_slug.as_ref().map(crate::domain::Slug::as_str);
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

fn record_prompt(draft: &mut Draft, at: &Position, prompt: &QueuedPrompt, texts: Texts) {
    draft.set_durable();
    let language = prompt.language.clone().or_else(|| last_language(draft, &at.dialog));
    let language = language.unwrap_or_else(|| texts.0.code().to_owned());
    let text = HumanText {
        content: prompt.content.clone(),
        msg_id: prompt.msg_id.clone(),
        content_items: None,
        grammar: "markdown".to_owned(),
        origin: prompt.origin,
        user_language_code: Some(language),
        tellask_reply_directive: prompt.directive.clone(),
        q4h_answer_call_id: None,
    };
    draft.append(&at.dialog, at.course, at.genseq, Record::HumanText(text));
    if prompt.is_push() {
        count_push(draft, &at.dialog);
    }
    if let Some(call_id) = &prompt.assigns {
        let anchor = Record::Anchor {
            anchor_role: AnchorRole::Assignment,
            call_id: call_id.clone(),
            assignment_course: None,
            assignment_genseq: None,
            asker_dialog_id: None,
            asker_course: None,
        };
        draft.append(&at.dialog, at.course, at.genseq, anchor);
    }
}

/// The language the user was last answered in.
fn last_language(draft: &Draft, id: &SelfId) -> Option<String> {
    draft.dialog(id)?.history.language.clone()
}

/// Records the snapshot of the reminders that every generation starts with.
fn record_reminders(draft: &mut Draft, at: &Position) {
    let Some(reminders) = draft.dialog(&at.dialog).map(|dialog| dialog.reminders.clone()) else {
        return;
    };
    draft.append_detached(
        &at.dialog,
        at.course,
        Record::Reminders { reminders: reminders.clone() },
    );
    draft.set_reminders(&at.dialog, reminders);
}

/// Records the segments of an answer. `interrupted` marks the last text as truncated.
pub fn record_segments(
    draft: &mut Draft,
    at: &Position,
    segments: Vec<AnswerSegment>,
    interrupted: bool,
) {
    let last = segments.len().saturating_sub(1);
    for (n, AnswerSegment { segment, text: content, payload }) in segments.into_iter().enumerate() {
        let record = match segment {
            Segment::Thinking => Record::Thought {
                reasoning: Some(payload.unwrap_or_else(|| {
                    serde_json::json!({ "summary": [{ "type": "summary_text", "text": content }] })
                })),
                content,
                provider_data: None,
            },
            Segment::Saying => Record::Words { content, interrupted: interrupted && n == last },
        };
        draft.append(&at.dialog, at.course, at.genseq, record);
    }
}

/// Ends a generation with its last record.
pub fn finish(draft: &mut Draft, at: &Position, finish: Record) {
    close(draft, at, finish);
    fresh_boots::advance(draft, &at.dialog);
}

/// Ends a generation that failed or was stopped, and stops its dialog. It records no context health.
pub fn abort(draft: &mut Draft, at: &Position, reason: StopReason, model: Option<String>) {
    close(draft, at, Record::GenFinish { context_health: None, llm_gen_model: model });
    mark_stopped(draft, &at.dialog, reason);
}

/// Ends a failed generation whose dialog continues.
pub fn finish_failed(draft: &mut Draft, at: &Position, model: Option<String>) {
    draft.set_durable();
    close(draft, at, Record::GenFinish { context_health: None, llm_gen_model: model });
}

fn close(draft: &mut Draft, at: &Position, finish: Record) {
    draft.append(&at.dialog, at.course, at.genseq, finish);
    draft.edit_latest(&at.dialog, |latest| latest.generating = Some(false));
}

/// Stops the dialog until the user continues it. A dead dialog stays dead.
pub fn mark_stopped(draft: &mut Draft, dialog: &SelfId, reason: StopReason) {
    draft.set_durable();
    if reason == StopReason::asker_is_dead() && declare_dead::has_new_work(draft, dialog) {
        draft.edit_latest(dialog, |latest| latest.generating = latest.generating.map(|_| false));
        return;
    }
    draft.edit_latest(dialog, |latest| latest.interrupt(reason));
}

/// Clears the mind: the next generation opens a new course with this prompt. Reminders, side dialogs,
/// owed replies and queued messages stay; an open question is withdrawn.
pub fn start_course(draft: &mut Draft, at: &Position, opening: &str, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let next = at.course.next();
    let owed = dialog.assignment_owed().cloned();
    let mut content = opening.to_owned();
    let mut target = None;
    if let (Some(assignment), Some(owed)) = (dialog.assignment(), &owed) {
        let slug = dialog.meta.session_slug.as_ref().map(crate::domain::Slug::as_str);
        let again = texts.assignment(assignment, slug, &owed.expected_reply_call_name);
        content = format!("{again}\n---\n{content}");
        target = Some(crate::domain::latest::ReplyTarget {
            owner_dialog_id: owed.target_dialog_id.clone(),
            call_type: if slug.is_some() {
                crate::domain::CallType::B
            } else {
                crate::domain::CallType::C
            },
            call_id: owed.target_call_id.clone(),
        });
    }
    let prompt = CourseStartPrompt {
        content,
        msg_id: MsgId::new(draft.ids.message().as_str()),
        grammar: "markdown".to_owned(),
        origin: "runtime".to_owned(),
        user_language_code: last_language(draft, &at.dialog)
            .or_else(|| Some(texts.0.code().to_owned())),
        skip_taskdoc: None,
        tellask_reply_directive: owed,
        side_dialog_reply_target: target,
    };
    let is_main = draft.tree.is_main(&at.dialog);
    draft.edit_latest(&at.dialog, |latest| {
        latest.current_course = next;
        latest.pending_course_start_prompt = Some(prompt);
        if is_main {
            latest.needs_drive = Some(true);
        }
    });
    // After the course: if a crash leaves the questions, recovery withdraws them.
    withdraw_questions(draft, &at.dialog, at.course);
}

/// Withdraws the open questions of the previous course.
pub fn withdraw_questions(draft: &mut Draft, id: &SelfId, course: Course) {
    if draft.dialog(id).is_some_and(|dialog| !dialog.questions.is_empty()) {
        draft.append_detached(id, course, Record::Questions { questions: Vec::new() });
        draft.set_questions(id, Vec::new());
    }
}
