//! Which state a dialog shows, decided once for all: for a loaded dialog, for one in a list, and for what
//! is written to disk.

use super::dialog::Dialog;
use super::latest::{Blocker, DisplayState, StopRequest};
use super::remaining_work::interruption_left;

/// What a dialog is doing right now, as far as the caller knows; not on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Resting,
    Driving,
    Stopping(StopRequest),
    /// Another process drives the workspace: what it wrote as running runs, the rest rests.
    Elsewhere,
    /// No process drives the workspace: it shows what the next one would.
    Left,
}

/// The state to show and to write.
#[must_use]
pub fn derive(dialog: &Dialog, activity: Activity) -> DisplayState {
    let latest = &dialog.latest;
    if let Some(reason) = latest.death() {
        return DisplayState::Dead { reason: reason.clone() };
    }
    let interruption = match activity {
        Activity::Driving => return DisplayState::Proceeding,
        Activity::Stopping(reason) => return DisplayState::Stopping { reason },
        Activity::Elsewhere => {
            if let Some(running) = latest.display_state.as_ref().filter(|state| state.is_running())
            {
                return running.clone();
            }
            latest.marked()
        }
        Activity::Resting => latest.marked(),
        Activity::Left => interruption_left(dialog),
    };
    if let Some(reason) = interruption {
        return DisplayState::stopped(reason.clone());
    }
    match (dialog.questions.is_empty(), !dialog.waits_for_others()) {
        (true, true) => DisplayState::Idle,
        (false, true) => DisplayState::Blocked { reason: Blocker::Human },
        (true, false) => DisplayState::Blocked { reason: Blocker::SideDialogs },
        (false, false) => DisplayState::Blocked { reason: Blocker::HumanAndSideDialogs },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::dialogs::latest::StopReason;

    const START: &str = r#"{"type":"gen_start_record","genseq":1}"#;
    const ASK_BACK: &str = r#"{"type":"tellask_call_record","genseq":1,"id":"b","name":"tellaskBack","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#;
    const STATUS: &str =
        r#"{"type":"func_result_record","genseq":1,"id":"b","name":"tellaskBack","content":"x"}"#;
    const FINISH: &str =
        r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable"}}"#;

    fn written(state: DisplayState) -> Dialog {
        let mut dialog = crate::samples::dialog_of(&[START]).asking();
        dialog.latest.display_state = Some(state);
        dialog
    }

    #[test]
    fn the_shown_state_follows_the_facts() {
        let dead = || {
            let mut dialog = written(DisplayState::Proceeding);
            dialog.latest.die();
            dialog
        };
        let stopping = Activity::Stopping(StopRequest::UserStop);
        for (dialog, activity, expected) in vec![
            (crate::samples::dialog_of(&[]), Activity::Resting, "idle_waiting_user"),
            (crate::samples::dialog_of(&[]).asking(), Activity::Resting, "blocked"),
            (crate::samples::dialog_of(&[]).waiting_in(1), Activity::Resting, "blocked"),
            (
                crate::samples::dialog_of(&[]).waiting_in(1).stopped(StopReason::UserStop),
                Activity::Resting,
                "stopped",
            ),
            (crate::samples::dialog_of(&[]).asking(), Activity::Driving, "proceeding"),
            (crate::samples::dialog_of(&[]), stopping, "proceeding_stop_requested"),
            (written(DisplayState::Proceeding), Activity::Resting, "blocked"),
            (written(DisplayState::Proceeding), Activity::Elsewhere, "proceeding"),
            (written(DisplayState::Idle), Activity::Elsewhere, "blocked"),
            (dead(), Activity::Elsewhere, "dead"),
            (dead(), Activity::Driving, "dead"),
            (dead(), Activity::Left, "dead"),
        ] {
            assert_eq!(derive(&dialog, activity).kind(), expected, "{activity:?}: {dialog:?}");
        }
    }

    #[test]
    fn a_dialog_left_behind_that_asked_back_waits_and_is_not_idle() {
        let waits = DisplayState::Blocked { reason: Blocker::SideDialogs };
        for records in [&[START, ASK_BACK, STATUS, FINISH][..], &[START, ASK_BACK, STATUS]] {
            let shown = derive(&crate::samples::dialog_of(records), Activity::Left);
            assert_eq!(shown, waits, "{records:?}");
        }
    }

    #[test]
    fn a_generation_without_its_end_was_stopped_by_a_restart() {
        let stopped = derive(&crate::samples::dialog_of(&[START]), Activity::Left);
        assert_eq!(stopped, DisplayState::stopped(StopReason::ServerRestart));
        assert_eq!(derive(&crate::samples::dialog_of(&[]), Activity::Left), DisplayState::Idle);
    }
}
