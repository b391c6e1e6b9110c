//! Fresh-boots reasoning as steps of a tree: a round begins, its calls are checked, the state advances,
//! the conclusion is delivered to the asker. The rules are in `domain/dialogs/fresh_boots/mod.rs`.
//!
//! A conclusion is delivered after its generation: first the asker's result, then the anchor in this
//! dialog, then the state is cleared. So recovery after a crash only has to look at the asker's records.

use crate::domain::dialogs::call::ReplyKind;
use crate::domain::dialogs::fresh_boots::{
    CONCLUSION_TOOLS, FbrPhase, FbrRound, FbrState, FbrStep, FbrVerdict, due, heard,
    round_by_course,
};
use crate::domain::dialogs::latest::DisplayState;
use crate::domain::dialogs::queue::QueuedPrompt;
use crate::domain::dialogs::record::{AnchorRole, Call, Record, ReplyStatus};
use crate::domain::{Assignment, CallId, Dialog, Latest, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::reply;
use super::results::{self, CallEnd, ResultAuthor, append_result};

/// Marks a new side dialog as reasoning, and as running from the start.
pub fn begin(latest: &mut Latest, effort: u32) {
    latest.generating = Some(true);
    latest.display_state = Some(DisplayState::Proceeding);
    latest.fbr_state = Some(FbrState::begin(FbrRound::first(effort)));
}

/// The round that begins or continues.
pub fn round_due(dialog: &Dialog) -> Option<FbrRound> {
    match due(dialog)? {
        FbrStep::Prompt(round) | FbrStep::Again(round) => Some(round),
        FbrStep::Conclude(_) => None,
    }
}

/// The prompt that opens a round; `None` where the model is only asked again.
pub fn prompt(draft: &Draft, dialog: &Dialog, texts: Texts) -> Option<QueuedPrompt> {
    let FbrStep::Prompt(round) = due(dialog)? else { return None };
    let content = texts.fresh_boots_prompt(dialog.assignment()?, round);
    Some(QueuedPrompt::of_runtime(draft.ids.message(), content, texts.0))
}

/// Advances the state when a generation has finished.
pub fn advance(draft: &mut Draft, id: &SelfId) {
    if let Some(FbrStep::Prompt(round)) = draft.dialog(id).and_then(due) {
        set_round(draft, id, round);
    }
}

/// Stores which round the dialog is in. Drafted after its records: the state must not refer to a prompt that
/// was not written.
pub fn set_round(draft: &mut Draft, id: &SelfId, round: FbrRound) {
    draft.edit_latest(id, |latest| {
        latest.fbr_state = latest.fbr_state.as_ref().map(|state| state.at(round));
    });
}

/// The phase of a dialog that is reasoning.
pub fn phase(dialog: &Dialog) -> Option<FbrPhase> {
    dialog.latest.fbr_state.as_ref().and_then(FbrState::round).map(|round| round.phase)
}

/// Records the conclusion among the calls of a round, or that they were refused. No call is run.
pub fn record_round(draft: &mut Draft, at: &Position, calls: Vec<Call>, texts: Texts) {
    let Some(phase) = draft.dialog(&at.dialog).and_then(phase) else { return };
    let recorded: Vec<(&str, &str)> =
        calls.iter().map(|call| (call.name.as_str(), call.raw_arguments_text.as_str())).collect();
    match heard(phase, &recorded) {
        FbrVerdict::Nothing => {}
        FbrVerdict::Conclusion(content) => {
            for call in calls {
                draft.append(&at.dialog, at.course, at.genseq, Record::FuncCall(call.clone()));
                append_result(draft, at, &call, content.clone());
            }
        }
        FbrVerdict::Refused => {
            let content = texts.fresh_boots_refused(phase);
            let note = Record::Words { content, interrupted: false };
            draft.append(&at.dialog, at.course, at.genseq, note);
        }
    }
}

/// Delivers the conclusion; if it is no longer awaited, the reasoning only ends.
pub fn conclude(draft: &mut Draft, id: &SelfId, texts: Texts) {
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(FbrStep::Conclude(content)) = due(dialog) else { return };
    let Some(assignment) = dialog.assignment().cloned() else { return };
    let at = Position {
        dialog: id.clone(),
        course: dialog.history.last.course.unwrap_or(dialog.history.course),
        genseq: dialog.history.last.genseq,
    };
    let content = content.unwrap_or_else(|| texts.fresh_boots_without_conclusion());
    let (asker, call) = (&assignment.asker_dialog_id, &assignment.call_id);
    if let Some(pending) = results::unanswered_pending(draft, asker, call) {
        let outcome = CallEnd {
            callee: Some(id),
            author: ResultAuthor::Callee,
            written: Some((at.course, at.genseq)),
            status: ReplyStatus::Completed,
            text: &content,
        };
        results::answer_asker(draft, asker, &pending, &outcome, texts);
    }
    close(draft, &at, &assignment);
}

/// Restores the state from the records, after a crash or changes by another program.
pub fn recover(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id).filter(|dialog| dialog.is_fresh_boots()) else { return };
    let Some(assignment) = dialog.assignment().cloned() else { return };
    let is_reasoning = dialog.latest.fbr_state.is_some();
    let waited_for =
        results::unanswered_pending(draft, &assignment.asker_dialog_id, &assignment.call_id)
            .is_some();
    match (is_reasoning, waited_for) {
        (false, true) => {
            let round = round_by_course(dialog);
            draft.edit_latest(id, |latest| latest.fbr_state = round.map(FbrState::begin));
        }
        (true, false) => abandon(draft, id),
        (true, true) | (false, false) => {}
    }
}

/// Ends reasoning whose conclusion is not awaited.
pub fn abandon(draft: &mut Draft, id: &SelfId) {
    let Some(dialog) = draft.dialog(id).filter(|dialog| dialog.is_fresh_boots()) else { return };
    let Some(assignment) = dialog.assignment().cloned() else { return };
    let (course, genseq) = (dialog.history.course, dialog.history.last.genseq);
    close(draft, &Position { dialog: id.clone(), course, genseq }, &assignment);
}

/// Ends the reasoning; if the conclusion has reached the asker, records what of that is not recorded yet.
fn close(draft: &mut Draft, at: &Position, assignment: &Assignment) {
    draft.set_durable();
    let (asker, call) = (&assignment.asker_dialog_id, &assignment.call_id);
    let anchored = draft.dialog(&at.dialog).is_some_and(|d| reply::is_anchored(d, call));
    if !anchored && results::is_delivered(draft, &at.dialog, asker, call) {
        let history = draft.dialog(&at.dialog).map(|dialog| &dialog.history);
        let resolved = history.is_some_and(|history| history.resolved_targets.contains(call));
        let call_fact = draft.dialog(asker).and_then(|dialog| dialog.history.calls.get(call));
        let anchor = Record::Anchor {
            anchor_role: AnchorRole::Response,
            call_id: call.clone(),
            assignment_course: None,
            assignment_genseq: None,
            asker_dialog_id: Some(asker.clone()),
            asker_course: call_fact.map(|call| call.course),
        };
        if draft.tree.layout.records_conclusions() && !resolved {
            let resolution = Record::ReplyResolution {
                call_id: conclusion_id(draft, &at.dialog, call),
                reply_call_name: ReplyKind::Sessionless.name().to_owned(),
                target_call_id: call.clone(),
            };
            draft.append(&at.dialog, at.course, at.genseq, resolution);
        }
        draft.append(&at.dialog, at.course, at.genseq, anchor);
    }
    draft.edit_latest(&at.dialog, |latest| latest.fbr_state = None);
}

/// The made-up call id of a conclusion, as Dominds makes it from the call that has it. `asked`: for one without a call.
fn conclusion_id(draft: &Draft, id: &SelfId, asked: &CallId) -> CallId {
    let entries = draft.dialog(id).map(|dialog| &dialog.history.entries);
    let mut newest = entries.into_iter().flat_map(|entries| entries.iter().rev());
    let call = newest.find_map(|entry| {
        let Record::FuncCall(call) = &entry.record else { return None };
        CONCLUSION_TOOLS.contains(&call.name.as_str()).then_some(&call.id)
    });
    CallId::new(format!("fbr-conclusion-{}", call.unwrap_or(asked)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Layout;
    use crate::driver::steps::draft::samples::draft_in;

    #[test]
    fn a_conclusion_has_the_name_of_the_call_that_concludes_and_of_no_other() {
        for (tool, expected) in
            [(CONCLUSION_TOOLS[1], "fbr-conclusion-f"), ("list_dir", "fbr-conclusion-c")]
        {
            let call = format!(
                r#"{{"type":"func_call_record","genseq":1,"id":"f","name":"{tool}","rawArgumentsText":"{{}}"}}"#
            );
            let (draft, id) = draft_in(Layout::V1_29, &[&call]);
            assert_eq!(conclusion_id(&draft, &id, &CallId::new("c")).as_str(), expected);
        }
    }
}
