//! What a full context asks for: where a generation begins that has room for it, a warning as its
//! prompt, or a new course in its place; where one ends, a new course or a stop. What is due is folded
//! from the records (`domain/context_health/pressure.rs`).

use crate::domain::record::Origin;
use crate::domain::state::{NextStep, next_step, waits_for_others};
use crate::domain::{Assignment, ContextAction, Dialog, QueuedPrompt, SelfId};

use super::calls::Position;
use super::draft::Draft;
use super::generation::start_course;
use super::refused_context::{QUOTED_CHARS, Unanswered, unanswered};
use super::texts::Texts;

/// What a full context asks for before this generation. Words of a person and assignments come first;
/// in fresh-boots reasoning the phases do.
pub fn due(dialog: &Dialog, step: NextStep, cadence: u32) -> Option<ContextAction> {
    let has_room = match step {
        NextStep::FollowUp | NextStep::ReadReplies | NextStep::Resume => true,
        NextStep::StartCourse
        | NextStep::TakePrompt
        | NextStep::StartAssignment
        | NextStep::HearAskBack
        | NextStep::DeliverWords
        | NextStep::Pause
        | NextStep::AskAgain
        | NextStep::GiveUp
        | NextStep::Reason
        | NextStep::Conclude => false,
    };
    (has_room && !reasons(dialog)).then(|| dialog.history.remedy(cadence))?
}

fn reasons(dialog: &Dialog) -> bool {
    dialog.assignment().is_some_and(Assignment::is_fresh_boots)
}

/// What a full context asks for where a generation has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndAction {
    Nothing,
    NewCourse,
    Stop,
}

/// Decides that, whatever the dialog would do next. Words of a person come first, and so does a reply
/// that only needs delivering.
pub fn end_action(ended: &Dialog, owner: DialogOwner, cadence: u32) -> EndAction {
    let heard = !ended.questions.is_empty() || ended.queue.iter().any(QueuedPrompt::is_user);
    let (step, waits) = (next_step(ended), waits_for_others(ended));
    let hopeless = ended.history.refusals.is_hopeless();
    // A course the model began itself is given a try.
    let asks = |step| asks_the_model(step) || (step == NextStep::StartCourse && hopeless);
    let due = ended.history.remedy(cadence).filter(|_| !heard && !reasons(ended));
    match due {
        // Else it begins with the next generation, or in place of a rest.
        Some(ContextAction::NewCourse) if step.is_none() && waits && nothing_is_missed(ended) => {
            EndAction::NewCourse
        }
        Some(ContextAction::Stop) if step.map_or(waits || owner == DialogOwner::Person, asks) => {
            EndAction::Stop
        }
        Some(
            ContextAction::Caution
            | ContextAction::LastCall { .. }
            | ContextAction::NewCourse
            | ContextAction::Stop,
        )
        | None => EndAction::Nothing,
    }
}

/// Whose words a dialog goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogOwner {
    /// A main dialog.
    Person,
    /// A side dialog.
    Dialog,
}

/// True if a course that begins now will show all that waits to be read or is still to come.
fn nothing_is_missed(dialog: &Dialog) -> bool {
    dialog.history.unread.is_empty() && dialog.history.asked_back().next().is_none()
}

fn asks_the_model(step: NextStep) -> bool {
    match step {
        NextStep::TakePrompt
        | NextStep::StartAssignment
        | NextStep::FollowUp
        | NextStep::ReadReplies
        | NextStep::HearAskBack
        | NextStep::AskAgain
        | NextStep::Resume => true,
        NextStep::StartCourse
        | NextStep::DeliverWords
        | NextStep::Pause
        | NextStep::GiveUp
        | NextStep::Reason
        | NextStep::Conclude => false,
    }
}

/// A new course instead of this generation. If the model would then miss a reply, it is put off, but
/// not for ever: what it has not read by then is told at the start of the new course.
pub fn start_course_if_due(
    draft: &mut Draft,
    id: &SelfId,
    step: NextStep,
    remedy: Option<ContextAction>,
    texts: Texts,
) -> NextStep {
    let Some(dialog) = draft.dialog(id) else { return step };
    let history = &dialog.history;
    let has_time = !history.unread.is_empty() && !history.pressure.is_overdue();
    if remedy != Some(ContextAction::NewCourse) || has_time {
        return step;
    }
    let quote_unanswered: Vec<Unanswered<'_>> =
        if history.unread.is_empty() { Vec::new() } else { unanswered(dialog) };
    let opening = texts.forced_course_start(&quote_unanswered, QUOTED_CHARS);
    let at = Position { dialog: id.clone(), course: history.course, genseq: history.last_genseq };
    start_course(draft, &at, &opening, texts);
    NextStep::StartCourse
}

/// The prompt that tells the model.
pub fn warning(draft: &Draft, remedy: ContextAction, texts: Texts) -> Option<QueuedPrompt> {
    Some(QueuedPrompt {
        content: texts.remedy(remedy)?,
        msg_id: draft.ids.message(),
        origin: Origin::Runtime,
        language: None,
        directive: None,
        assigns: None,
    })
}
