//! The user sends a message to a dialog that owes a reply: that work is parked, the user is answered, and
//! the work waits until the user continues it.

use crate::domain::dialogs::latest::{ExecutionMarker, ParkedWork, StopReason};
use crate::domain::dialogs::queue::{self, enqueue};
use crate::domain::dialogs::record::Record;
use crate::domain::{Dialog, Latest, QueuedPrompt, ReplyDirective, SelfId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::prompts::directed_prompt;

/// Parks the reply a dialog owes, at the start of the generation that answers the user. Further messages
/// of the same interjection park nothing again. In trees of Dominds 1.29 one that waits and owes nothing is told so, too.
pub fn park(draft: &mut Draft, at: &Position, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let Some(owed) = dialog.obligation().cloned() else {
        if draft.tree.layout.has_recent_rules() && !dialog.pending.is_empty() {
            let guide = Record::RuntimeGuide { content: texts.answer_the_person_while_waiting() };
            draft.append(&at.dialog, at.course, at.genseq, guide);
        }
        return;
    };
    if dialog.talks_to_a_person() {
        return;
    }
    let guide = Record::RuntimeGuide { content: texts.answer_the_person_first() };
    draft.append(&at.dialog, at.course, at.genseq, guide);
    draft.edit_latest(&at.dialog, |latest| latest.set_parked(Some(&ParkedWork::new(owed))));
}

/// Clears the parked work if the dialog resumes it: by an earlier guide, or by one of these prompts.
/// Otherwise the interjection continues.
pub fn unpark(draft: &mut Draft, id: &SelfId, prompts: &[QueuedPrompt]) {
    let asked = prompts.iter().any(|prompt| prompt.directive.is_some());
    let talks = draft.dialog(id).is_some_and(Dialog::talks_to_a_person);
    if asked || !talks {
        draft.edit_latest(id, |latest| latest.set_parked(None));
    }
}

/// The user was answered: stops the dialog until its own work is continued.
pub fn pause(draft: &mut Draft, id: &SelfId) {
    draft.set_durable();
    draft.edit_latest(id, |latest| {
        let reason = StopReason::paused();
        latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
    });
}

/// Ends a stop on request of the user; true if parked work was resumed.
pub fn continue_dialog(draft: &mut Draft, id: &SelfId, texts: Texts) -> bool {
    let paused = draft.dialog(id).and_then(|dialog| dialog.latest.interruption());
    let paused = paused.is_some_and(StopReason::is_pause);
    draft.edit_latest(id, Latest::clear_interruption);
    if paused {
        resume_parked(draft, id, texts);
    }
    paused
}

/// Resumes the parked work: with a queued prompt, or with a guide if the dialog still waits for something.
/// Work that is no longer owed is cleared.
fn resume_parked(draft: &mut Draft, id: &SelfId, texts: Texts) {
    draft.set_durable();
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(parked) = dialog.parked() else {
        draft.edit_latest(id, |latest| latest.set_parked(None));
        return;
    };
    let text = texts.back_to_the_task(&parked.directive);
    if must_still_wait(dialog, &parked.directive) {
        let (course, genseq) = (dialog.history.course, dialog.history.last_genseq);
        draft.append(id, course, genseq, Record::RuntimeGuide { content: text });
        draft.edit_latest(id, |latest| latest.set_parked(Some(&parked.surfaced())));
    } else {
        let mut queue = dialog.queue.clone();
        enqueue(&mut queue, directed_prompt(draft, text, parked.directive, texts));
        draft.edit_latest(id, |latest| latest.set_parked(None));
        draft.set_queue(id, queue);
    }
}

/// True if a resumed dialog would only wait. A question asked back can be answered while the dialog waits
/// for the one that asks; and a queued prompt lets a side dialog continue in any case.
fn must_still_wait(dialog: &Dialog, owed: &ReplyDirective) -> bool {
    let prompted = dialog.assignment().is_some() && queue::loud(&dialog.queue).next().is_some();
    (!dialog.questions.is_empty() || !dialog.has_all_it_asked_for(owed)) && !prompted
}
