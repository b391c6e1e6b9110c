//! The start of a generation: its prompt, its reminders, and a new course if one is due.

use crate::domain::dialogs::queue::QueuedPrompt;
use crate::domain::dialogs::record::{AnchorRole, HumanText, Record};
use crate::domain::dialogs::state::NextStep;
use crate::domain::{Course, Dialog, SelfId};
use crate::driver::calls::fresh_boots;
use crate::driver::calls::open_calls::close_open_calls;
use crate::driver::steps::course::last_language;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::goals;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::keep_going::count_push;
use super::{context_actions, interjection, prompts};

/// Opens the next generation and records its prompt, if it has one. Calls of an earlier generation whose
/// results could not be written are closed first: nothing of it can still run.
/// `cadence`: generations between two warnings about context pressure.
pub fn open_generation(
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
    let mut prompts = prompts::prompts(draft, dialog, step, texts);
    if prompts.is_empty() {
        prompts.extend(due.and_then(|due| context_actions::warning(draft, due, texts)));
    }
    let course = course_of(dialog, step);
    let round = fresh_boots::round_due(dialog);
    let genseq = dialog.history.last_genseq.next();
    let (results, queue) = (prompts::results(dialog, step), dialog.queue.clone());
    prompts.splice(0..0, results);
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
    let is_taken = |waiting: &QueuedPrompt| prompts.iter().any(|p| p.msg_id == waiting.msg_id);
    if queue.iter().any(is_taken) {
        draft.set_queue(dialog_id, queue.into_iter().filter(|p| !is_taken(p)).collect());
    }
    record_reminders(draft, &at, texts);
    draft.edit_latest(dialog_id, |latest| {
        latest.current_course = course;
        latest.generating = Some(true);
        latest.execution_marker = None;
        latest.needs_drive = latest.needs_drive.map(|_| false);
        latest.pending_course_start_prompt = None;
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

fn record_prompt(draft: &mut Draft, at: &Position, prompt: &QueuedPrompt, texts: Texts) {
    draft.set_durable();
    let language = prompt.language.clone().or_else(|| last_language(draft, &at.dialog));
    let language = language.unwrap_or_else(|| texts.0.code().to_owned());
    let text = HumanText {
        content: prompt.content.clone(),
        msg_id: prompt.msg_id.clone(),
        content_items: prompt.content_items.clone(),
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

/// Records the snapshot of the reminders that every generation starts with.
fn record_reminders(draft: &mut Draft, at: &Position, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let reminders = goals::with_goal(draft, dialog, texts);
    draft.append_detached(
        &at.dialog,
        at.course,
        Record::Reminders { reminders: reminders.clone() },
    );
    draft.set_reminders(&at.dialog, reminders);
}
