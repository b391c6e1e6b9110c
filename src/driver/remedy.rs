//! What a full context asks for, where a generation begins that has room for it: a warning as its
//! prompt, or a new course in its place. What is due is folded from the records (`domain/fullness.rs`).

use crate::domain::record::Origin;
use crate::domain::state::NextStep;
use crate::domain::{Assignment, Dialog, QueuedPrompt, Remedy, SelfId};

use super::calls::Position;
use super::draft::Draft;
use super::generation::start_course;
use super::texts::Texts;

/// What a full context asks for before this generation. Words of a person and assignments come first;
/// in fresh-boots reasoning the phases do.
pub fn due(dialog: &Dialog, step: NextStep, cadence: u32) -> Option<Remedy> {
    let has_room = match step {
        NextStep::FollowUp | NextStep::ReadReplies | NextStep::Resume => true,
        NextStep::StartCourse
        | NextStep::TakePrompt
        | NextStep::StartAssignment
        | NextStep::HearAskBack
        | NextStep::DeliverWords
        | NextStep::Pause
        | NextStep::Reason
        | NextStep::Conclude => false,
    };
    let reasons = dialog.assignment().is_some_and(Assignment::is_fresh_boots);
    (has_room && !reasons).then(|| dialog.history.fullness.remedy(cadence))?
}

/// A new course instead of this generation, unless the model would then miss a reply.
pub fn begin_anew_if_due(
    draft: &mut Draft,
    id: &SelfId,
    step: NextStep,
    remedy: Option<Remedy>,
    texts: Texts,
) -> NextStep {
    let Some(dialog) = draft.dialog(id) else { return step };
    if remedy != Some(Remedy::NewCourse) || !dialog.history.unread.is_empty() {
        return step;
    }
    let at = Position {
        dialog: id.clone(),
        course: dialog.history.course,
        genseq: dialog.history.last_genseq,
    };
    start_course(draft, &at, texts.forced_course_start(), texts);
    NextStep::StartCourse
}

/// The prompt that tells the model.
pub fn warning(draft: &Draft, remedy: Remedy, texts: Texts) -> Option<QueuedPrompt> {
    Some(QueuedPrompt {
        content: texts.remedy(remedy)?,
        msg_id: draft.ids.message(),
        origin: Origin::Runtime,
        language: None,
        directive: None,
        assigns: None,
    })
}
