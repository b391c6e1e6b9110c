//! A person speaks to a dialog that has other work to do: that work is parked, the person is answered,
//! and the work waits until they say `Continue`.

use crate::domain::latest::{ExecutionMarker, Parked, StopReason};
use crate::domain::queue::enqueue;
use crate::domain::record::Record;
use crate::domain::state::waits_for_others;
use crate::domain::{Dialog, Latest, SelfId};

use super::calls::Position;
use super::draft::Draft;
use super::generation::directed_prompt;
use super::texts::Texts;

/// Parks the reply a dialog owes, at the beginning of the generation that answers a person. Words that
/// go on with the same talk park nothing anew.
pub fn park(draft: &mut Draft, at: &Position, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let Some(owed) = dialog.obligation().cloned() else { return };
    if dialog.parked().is_some_and(|parked| !parked.is_surfaced()) {
        return;
    }
    let guide = Record::RuntimeGuide { content: texts.answer_the_person_first() };
    draft.append(&at.dialog, at.course, at.genseq, guide);
    draft.latest(&at.dialog, |latest| latest.set_parked(Some(&Parked::new(owed))));
}

/// Forgets that the model was told to take its work up again: it does so now.
pub fn unpark_surfaced(draft: &mut Draft, id: &SelfId) {
    if draft.dialog(id).and_then(Dialog::parked).is_some_and(|parked| parked.is_surfaced()) {
        draft.latest(id, |latest| latest.set_parked(None));
    }
}

/// The person was answered: the dialog's own work waits for them.
pub fn pause(draft: &mut Draft, id: &SelfId) {
    draft.must_last();
    draft.latest(id, |latest| {
        let reason = StopReason::paused();
        latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
    });
}

/// Ends a stop, as a person wants it; true if work that was parked was taken up again.
pub fn go_on(draft: &mut Draft, id: &SelfId, texts: Texts) -> bool {
    let paused = draft.dialog(id).and_then(|dialog| dialog.latest.interruption());
    let paused = paused.is_some_and(StopReason::is_pause);
    draft.latest(id, Latest::clear_interruption);
    if paused {
        resume(draft, id, texts);
    }
    paused
}

/// A person's answer ends a stop. Work that was parked is no longer put off: the answer itself lets
/// the dialog go on with it.
pub fn end_pause(draft: &mut Draft, id: &SelfId) {
    draft.latest(id, |latest| {
        if latest.interruption().is_some_and(StopReason::is_pause) {
            latest.set_parked(None);
        }
        latest.clear_interruption();
    });
}

/// Takes the parked work up again, as the facts are now: at once, or as soon as what it waits for is
/// there. Work that is owed no longer is forgotten.
fn resume(draft: &mut Draft, id: &SelfId, texts: Texts) {
    draft.must_last();
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(parked) = dialog.parked() else {
        draft.latest(id, |latest| latest.set_parked(None));
        return;
    };
    let text = texts.back_to_the_task(&parked.directive);
    if is_held(dialog) {
        let (course, genseq) = (dialog.history.course, dialog.history.last_genseq);
        draft.append(id, course, genseq, Record::RuntimeGuide { content: text });
        draft.latest(id, |latest| latest.set_parked(Some(&parked.surfaced())));
    } else {
        let mut queue = dialog.queue.clone();
        enqueue(&mut queue, directed_prompt(draft, text, parked.directive, texts));
        draft.latest(id, |latest| latest.set_parked(None));
        draft.queue(id, queue);
    }
}

/// True if it would only wait. A prompt that is there lets a side dialog go on all the same.
fn is_held(dialog: &Dialog) -> bool {
    let prompted = dialog.assignment().is_some() && !dialog.queue.is_empty();
    (!dialog.questions.is_empty() || waits_for_others(dialog)) && !prompted
}
