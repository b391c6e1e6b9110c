//! Actions for a full context. Before a generation that can take a prompt: a warning as its prompt, or a
//! new course in its place. After a generation: a new course or a stop. The due action is derived from the
//! records (`domain/models/context_health/pressure.rs`).

use crate::domain::dialogs::state::{NextStep, next_step};
use crate::domain::{Assignment, ContextAction, Dialog, QueuedPrompt, SelfId};
use crate::driver::steps::course::start_course;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{Texts, UnansweredItem};

use super::refused_context::{QUOTED_CHARS, unanswered_items};

/// The action due before this generation. Messages of the user and assignments come first; fresh-boots
/// reasoning has none.
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
    (has_room && !is_reasoning(dialog)).then(|| dialog.history.context_action(cadence))?
}

fn is_reasoning(dialog: &Dialog) -> bool {
    dialog.assignment().is_some_and(Assignment::is_fresh_boots)
}

/// The action due after a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndAction {
    Nothing,
    NewCourse,
    Stop,
    /// The model only clears its mind, course after course.
    StopCircling,
}

/// Decides the action due after a generation, whatever the dialog would do next. Messages of the user come
/// first, and so does a reply that only needs delivering.
pub fn end_action(ended: &Dialog, owner: DialogOwner, cadence: u32) -> EndAction {
    let has_user_input =
        !ended.questions.is_empty() || ended.queue.iter().any(QueuedPrompt::is_user);
    let (step, waits) = (next_step(ended), ended.waits_for_others());
    let hopeless = ended.history.refusals.is_hopeless();
    // A course the model started itself is tried first.
    let asks_now = |step| asks_the_model(step) || (step == NextStep::StartCourse && hopeless);
    let due =
        ended.history.context_action(cadence).filter(|_| !has_user_input && !is_reasoning(ended));
    if step == Some(NextStep::StartCourse)
        && !has_user_input
        && ended.history.refusals.goes_in_circles()
    {
        return EndAction::StopCircling;
    }
    match due {
        // Otherwise it starts with the next generation, or when the dialog would become idle.
        Some(ContextAction::NewCourse) if step.is_none() && waits && would_lose_no_reply(ended) => {
            EndAction::NewCourse
        }
        Some(ContextAction::Stop) if step.map_or(waits || owner == DialogOwner::User, asks_now) => {
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

/// Who gives a dialog its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogOwner {
    /// A main dialog.
    User,
    /// A side dialog.
    Dialog,
}

/// True if a course that starts now loses no reply, unread or still to come.
fn would_lose_no_reply(dialog: &Dialog) -> bool {
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

/// Starts a new course instead of this generation. If the model would then miss a reply, it is postponed,
/// but only until it is overdue: then the unread replies are quoted at the start of the new course.
pub fn start_course_if_due(
    draft: &mut Draft,
    id: &SelfId,
    step: NextStep,
    action: Option<ContextAction>,
    texts: Texts,
) -> NextStep {
    let Some(dialog) = draft.dialog(id) else { return step };
    let history = &dialog.history;
    let has_time = !history.unread.is_empty() && !history.pressure.is_overdue();
    if action != Some(ContextAction::NewCourse) || has_time {
        return step;
    }
    let quote_unanswered: Vec<UnansweredItem<'_>> =
        if history.unread.is_empty() { Vec::new() } else { unanswered_items(dialog) };
    let opening = texts.forced_course_start(&quote_unanswered, QUOTED_CHARS);
    let at = Position { dialog: id.clone(), course: history.course, genseq: history.last_genseq };
    start_course(draft, &at, &opening, texts);
    NextStep::StartCourse
}

/// The prompt that warns the model.
pub fn warning(draft: &Draft, action: ContextAction, texts: Texts) -> Option<QueuedPrompt> {
    let content = texts.context_warning(action)?;
    let prompt = QueuedPrompt::of_runtime(draft.ids.message(), content, texts.0);
    Some(QueuedPrompt { language: None, ..prompt })
}
