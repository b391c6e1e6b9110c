//! What a fork waits for, derived from its records as for any tree. Pure.
//!
//! A new fork is idle. Whether it then continues is decided elsewhere: a main dialog that waits for nobody
//! is continued like one that was stopped (`driver/supervisor/lifecycle.rs`), its side dialogs by the user.

use crate::domain::dialogs::latest::{ExecutionMarker, StopReason};
use crate::domain::dialogs::record::Record;
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::state::{NextStep, next_step};
use crate::domain::dialogs::tree::TreeChange;
use crate::domain::{Assignment, Dialog, SelfId};
use crate::driver::calls::ask_back::restore_asked_back;
use crate::driver::steps::draft::Draft;
use crate::protocol::lifecycle::AfterFork;

use super::copied_lines::snapshot_records;
use super::dialogs::GenerationOpening;

/// Drafts what is still to be written; returns what the fork waits for. `repairs`: the missing index
/// files of the new tree.
pub fn finish(
    draft: &mut Draft,
    repairs: Vec<TreeChange>,
    opening: GenerationOpening,
) -> AfterFork {
    for change in repairs {
        draft.add_applied(change);
    }
    let ids: Vec<SelfId> = draft.tree.dialogs.keys().cloned().collect();
    for id in &ids {
        restore_asked_back(draft, id);
    }
    let next = draft.tree.main().map_or(AfterFork::AutoContinue, |main| after_fork(main, opening));
    for id in &ids {
        let is_main = draft.tree.is_main(id);
        let Some(dialog) = draft.dialog(id).cloned() else { continue };
        let mut records =
            vec![Record::PendingSideDialogs { pending_side_dialogs: dialog.pending.clone() }];
        if is_main {
            records.push(Record::Registry { entries: draft.tree.registry.clone() });
        }
        draft.add_applied(snapshot_records(id, records, &draft.now.clone()));
        if waits_for_continue(&dialog, is_main, &next) {
            let reason = StopReason::ForkContinueReady;
            draft.edit_latest(id, |latest| {
                latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
            });
        }
        let shown = draft.dialog(id).map(|dialog| derive(dialog, Activity::Resting));
        draft.edit_latest(id, |latest| latest.display_state = shown);
    }
    next
}

fn after_fork(main: &Dialog, opening: GenerationOpening) -> AfterFork {
    // A dialog that is asked back does not just wait: another one waits for it.
    let is_asked_back = next_step(main) == Some(NextStep::HearAskBack);
    let waits = (main.waits_for_others() || !main.questions.is_empty()) && !is_asked_back;
    match opening {
        GenerationOpening::User { text, images } => AfterFork::DraftUserText { text, images },
        GenerationOpening::Course(_) | GenerationOpening::Nothing if waits => {
            AfterFork::RestorePending
        }
        GenerationOpening::Course(_) | GenerationOpening::Nothing => AfterFork::AutoContinue,
    }
}

/// True if the dialog is stopped until the user continues it.
fn waits_for_continue(dialog: &Dialog, is_main: bool, next: &AfterFork) -> bool {
    let owes =
        dialog.obligation().is_some() && dialog.questions.is_empty() && !dialog.waits_for_others();
    let delivered = dialog.assignment().is_some_and(Assignment::is_fresh_boots)
        && dialog.latest.fbr_state.is_none();
    let goes_on_with_answer =
        next_step(dialog).is_none() && dialog.history.asked_back().next().is_some();
    let is_unfinished =
        next_step(dialog).is_some() || dialog.history.last.open || (owes && !delivered);
    let asked_for = is_main && *next == AfterFork::AutoContinue;
    (is_unfinished && !goes_on_with_answer || asked_for) && !dialog.latest.is_dead()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::asking::question::{CallSite, Question};
    use crate::domain::{CallId, Course, DialogId, RootId, Stamp};

    fn asking() -> Dialog {
        let mut dialog = crate::samples::dialog_of(&[]);
        let site = CallSite {
            course: Course::FIRST,
            message_index: 0,
            call_site_genseq: None,
            extra: serde_json::Map::new(),
        };
        let id = DialogId::main(RootId::new("aa/bb/01"));
        let question = Question::new(&id, &CallId::new("q"), "?", Stamp::default(), site);
        dialog.questions.push(question);
        dialog
    }

    #[test]
    fn a_fork_waits_for_a_message_or_for_others_or_for_the_user_to_continue_it() {
        let hi = || "Hi".to_owned();
        let message = || GenerationOpening::User { text: hi(), images: Vec::new() };
        let draft = || AfterFork::DraftUserText { text: hi(), images: Vec::new() };
        for (dialog, opening, expected, waits) in [
            (crate::samples::dialog_of(&[]), message(), draft(), false),
            (asking(), message(), draft(), false),
            (asking(), GenerationOpening::Nothing, AfterFork::RestorePending, false),
            (
                crate::samples::dialog_of(&[]),
                GenerationOpening::Nothing,
                AfterFork::AutoContinue,
                true,
            ),
        ] {
            let next = after_fork(&dialog, opening);
            assert_eq!(
                (waits_for_continue(&dialog, true, &next), next),
                (waits, expected),
                "{dialog:?}"
            );
        }
    }
}
