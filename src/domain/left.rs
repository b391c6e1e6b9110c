//! What a dialog that nobody drives was left as on disk: by a clean end, a crash, or another program.
//! Loading settles a tree by the same rules, so a list that loads nothing says the same.

use super::call::SpecialCall;
use super::dialog::Dialog;
use super::fresh_boots::{FbrStep, due};
use super::history::{CallFact, History};
use super::latest::{DisplayState, Latest, StopReason};

/// Why a dialog that nobody drives has stopped, if it has. One that was told to go on has not.
#[must_use]
pub fn interruption_left(dialog: &Dialog) -> Option<&StopReason> {
    let delivered = dialog.history.last.delivered;
    let cut_off = (was_cut_off(dialog) && !delivered).then_some(&StopReason::ServerRestart);
    let interruption = cut_off.or_else(|| dialog.latest.interruption());
    interruption.filter(|reason| !waits_rather(dialog, reason))
}

/// True if what is written says that it works, or its last generation has no end.
#[must_use]
pub fn seems_active(latest: &Latest, history: &History) -> bool {
    is_marked_active(latest) || history.last.open
}

fn is_marked_active(latest: &Latest) -> bool {
    latest.generating == Some(true)
        || latest.display_state.as_ref().is_some_and(DisplayState::is_running)
}

/// True if the program ended while this dialog worked and something is left undone.
#[must_use]
pub fn was_cut_off(dialog: &Dialog) -> bool {
    let working = is_marked_active(&dialog.latest);
    let last = &dialog.history.last;
    let unstarted = dialog.unstarted_assignment().is_some();
    let reasons = matches!(due(dialog), Some(FbrStep::Prompt(_) | FbrStep::Again(_)));
    let undone = last.open
        || last.broken_off
        || dialog.history.owes_followup()
        || has_open_tool(dialog)
        || reasons;
    let resume_requested = dialog.latest.needs_drive == Some(true) && !working;
    // A main dialog takes up its next course by itself.
    let between_courses = dialog.assignment().is_none()
        && dialog.latest.pending_course_start_prompt.is_some()
        && !last.open;
    let known = dialog.latest.interruption().is_some()
        || dialog.latest.is_dead()
        || resume_requested
        || between_courses;
    ((working || last.open) && undone || unstarted) && !known
}

/// True if a tool was called whose outcome nobody recorded.
#[must_use]
pub fn has_open_tool(dialog: &Dialog) -> bool {
    let reply = |call: &CallFact| matches!(call.special(), Some(SpecialCall::Reply(_)));
    dialog.history.open_calls().any(|(_, call)| !reply(call))
}

/// True if who waits for an answer or for others need not be told to continue: it goes on when that is
/// there, and a mere interruption says nothing more. What a person stopped stays so until they say `Continue`; a talk
/// with a person that was cut off goes on when they say so, work that they parked stays parked, a fork is continued by
/// a person; and who owes an answer to one it waits for would wait for ever.
#[must_use]
pub fn waits_rather(dialog: &Dialog, interruption: &StopReason) -> bool {
    let waits = !dialog.questions.is_empty() || dialog.waits_for_others();
    let empty = interruption.is_of_the_program();
    let free = !dialog.is_asked_back() && !dialog.talks_to_a_person();
    waits && empty && free
}
