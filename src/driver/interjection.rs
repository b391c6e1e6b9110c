//! A person speaks to a dialog that has other work to do: that work is parked, the person is answered,
//! and the work waits until they say `Continue`.

use crate::domain::latest::{ExecutionMarker, Parked, StopReason};
use crate::domain::queue::enqueue;
use crate::domain::record::Record;
use crate::domain::state::has_all_it_asked_for;
use crate::domain::{Dialog, Latest, QueuedPrompt, ReplyDirective, SelfId};

use super::calls::Position;
use super::draft::Draft;
use super::generation::directed_prompt;
use super::texts::Texts;

/// Parks the reply a dialog owes, at the beginning of the generation that answers a person. Words that
/// go on with the same talk park nothing anew.
pub fn park(draft: &mut Draft, at: &Position, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    let Some(owed) = dialog.obligation().cloned() else { return };
    if dialog.talks_to_a_person() {
        return;
    }
    let guide = Record::RuntimeGuide { content: texts.answer_the_person_first() };
    draft.append(&at.dialog, at.course, at.genseq, guide);
    draft.latest(&at.dialog, |latest| latest.set_parked(Some(&Parked::new(owed))));
}

/// Forgets what was parked where the dialog takes its work up again: it was told to before, or is with
/// this prompt. The talk with a person goes on otherwise.
pub fn unpark(draft: &mut Draft, id: &SelfId, prompts: &[QueuedPrompt]) {
    let asked = prompts.iter().any(|prompt| prompt.directive.is_some());
    let talks = draft.dialog(id).is_some_and(Dialog::talks_to_a_person);
    if asked || !talks {
        draft.latest(id, |latest| latest.set_parked(None));
    }
}

/// The person was answered: the dialog's own work waits for them.
pub fn pause(draft: &mut Draft, id: &SelfId) {
    draft.set_durable();
    draft.latest(id, |latest| {
        let reason = StopReason::paused();
        latest.execution_marker = Some(ExecutionMarker::Interrupted { reason });
    });
}

/// Ends a stop, as a person wants it; true if work that was parked was taken up again.
pub fn continue_dialog(draft: &mut Draft, id: &SelfId, texts: Texts) -> bool {
    let paused = draft.dialog(id).and_then(|dialog| dialog.latest.interruption());
    let paused = paused.is_some_and(StopReason::is_pause);
    draft.latest(id, Latest::clear_interruption);
    if paused {
        resume_parked(draft, id, texts);
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
fn resume_parked(draft: &mut Draft, id: &SelfId, texts: Texts) {
    draft.set_durable();
    let Some(dialog) = draft.dialog(id) else { return };
    let Some(parked) = dialog.parked() else {
        draft.latest(id, |latest| latest.set_parked(None));
        return;
    };
    let text = texts.back_to_the_task(&parked.directive);
    if would_only_wait(dialog, &parked.directive) {
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

/// True if it would only wait. What was asked back can be answered while the dialog waits for the one
/// that asks; and a prompt that is there lets a side dialog go on all the same.
fn would_only_wait(dialog: &Dialog, owed: &ReplyDirective) -> bool {
    let prompted = dialog.assignment().is_some() && !dialog.queue.is_empty();
    (!dialog.questions.is_empty() || !has_all_it_asked_for(dialog, owed)) && !prompted
}
