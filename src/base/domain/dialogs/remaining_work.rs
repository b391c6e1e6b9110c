//! The state in which a dialog that nobody drives was left on disk: by a clean end, a crash, or another program.
//! Loading a tree applies the same rules, so a list that loads nothing shows the same.

use super::call::SpecialCall;
use super::dialog::Dialog;
use super::fresh_boots::{FbrStep, due};
use super::history::{CallFact, History};
use super::latest::{DisplayState, Latest, StopReason, StopRequest};
use super::record::{CallResult, Record};

/// How often in a row a dialog may be cut off before a person has to look at it.
const MAX_CUTS: usize = 3;

/// Why a dialog that nobody drives has stopped, if it has. One that was told to go on has not.
#[must_use]
pub fn interruption_left(dialog: &Dialog) -> Option<&StopReason> {
    let delivered = dialog.history.last.delivered;
    let cut_off = (was_cut_off(dialog) && !delivered).then(|| cut_reason(&dialog.latest));
    let interruption = cut_off.or_else(|| dialog.latest.interruption());
    interruption.filter(|reason| !waits_rather(dialog, reason))
}

/// Why a dialog that was cut off has stopped: a person who was stopping it has stopped it.
#[must_use]
pub fn cut_reason(latest: &Latest) -> &'static StopReason {
    match latest.display_state {
        Some(DisplayState::Stopping { reason: StopRequest::UserStop }) => &StopReason::UserStop,
        Some(DisplayState::Stopping { reason: StopRequest::EmergencyStop }) => {
            &StopReason::EmergencyStop
        }
        Some(
            DisplayState::Idle
            | DisplayState::Proceeding
            | DisplayState::Blocked { .. }
            | DisplayState::Stopped { .. }
            | DisplayState::Dead { .. },
        )
        | None => &StopReason::ServerRestart,
    }
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

/// True if a dialog that waits for an answer or for others need not be told to continue: it goes on when that comes, so
/// a mere interruption changes nothing. What a person stopped stays so until they say `Continue`; a cut-off talk with a
/// person and a fork are continued by a person, too, and parked work stays parked; and a dialog that owes an answer to
/// one it waits for would wait for ever.
#[must_use]
pub fn waits_rather(dialog: &Dialog, interruption: &StopReason) -> bool {
    let waits = !dialog.questions.is_empty() || dialog.waits_for_others();
    let empty = interruption.is_of_the_program();
    let free = !dialog.is_asked_back() && !dialog.talks_to_a_person();
    waits && empty && free
}

/// Why a dialog that a restart cut off waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitCause {
    /// It was in a call that may have changed something; whether it did is unknown.
    UnknownCall,
    /// It was cut off again and again, and got no further.
    CutAgain,
}

/// Whether a dialog that a restart cut off goes on by itself; `None` if none cut it off. `is_unknown`: whether this is
/// the result of a call that was interrupted and may have changed something.
#[must_use]
pub fn taken_up(
    dialog: &Dialog,
    is_unknown: &dyn Fn(&CallResult) -> bool,
) -> Option<Result<(), WaitCause>> {
    match dialog.latest.interruption()? {
        StopReason::ServerRestart | StopReason::PendingCourseStart => {}
        StopReason::UserStop
        | StopReason::EmergencyStop
        | StopReason::ForkContinueReady
        | StopReason::SystemStop { .. }
        | StopReason::LlmRetryStopped { .. } => return None,
    }
    Some(if has_unknown_call(dialog, is_unknown) {
        Err(WaitCause::UnknownCall)
    } else if cuts(dialog) >= MAX_CUTS {
        Err(WaitCause::CutAgain)
    } else {
        Ok(())
    })
}

/// Number of generations at the end of its course that did not finish.
fn cuts(dialog: &Dialog) -> usize {
    let newest = dialog.history.entries.iter().rev();
    let cut = newest.take_while(|entry| !matches!(entry.record, Record::GenFinish { .. }));
    cut.filter(|entry| matches!(entry.record, Record::GenStart)).count()
}

/// True if a call of its last generation may have changed something; whether it did is unknown.
#[must_use]
pub fn has_unknown_call(dialog: &Dialog, is_unknown: &dyn Fn(&CallResult) -> bool) -> bool {
    let newest = dialog.history.entries.iter().rev();
    let mut last = newest.take_while(|entry| !matches!(entry.record, Record::GenStart));
    last.any(|entry| {
        let Record::FuncResult(result) = &entry.record else { return false };
        is_unknown(result)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;

    #[test]
    fn what_a_person_was_stopping_when_the_program_ended_is_stopped_by_them() {
        for (state, reason) in [
            (Some(DisplayState::Stopping { reason: StopRequest::UserStop }), StopReason::UserStop),
            (
                Some(DisplayState::Stopping { reason: StopRequest::EmergencyStop }),
                StopReason::EmergencyStop,
            ),
            (Some(DisplayState::Proceeding), StopReason::ServerRestart),
            (None, StopReason::ServerRestart),
        ] {
            let mut latest = Latest::new(Stamp::default());
            latest.display_state = state;
            assert_eq!(*cut_reason(&latest), reason);
        }
    }
}
