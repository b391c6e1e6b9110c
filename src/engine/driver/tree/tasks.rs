//! What a tree does for tasks: it tells how it rests, takes results of tasks that its dialogs gave, and stops when its own
//! task has had all its steps.

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::queue;
use crate::domain::dialogs::record::CallResult;
use crate::domain::teams::task::outcome::{Rest, rest};
use crate::domain::text::Localized;
use crate::domain::{Dialog, QueuedPrompt, SelfId, TaskId};
use crate::driver::steps::stop::mark_stopped;
use crate::driver::texts::Texts;

use super::state::TreeState;

/// Results that may wait for one dialog; others stay in the store.
const MAX_RESULTS: usize = 100;

impl TreeState {
    /// The task that is worked on in this tree.
    pub(super) fn task(&self) -> Option<TaskId> {
        let view = self.tasks.borrow();
        view.of_root(&self.tree().root).map(|active| active.task.id.clone())
    }

    /// How this tree rests. Steps that could not be written are still to be done.
    pub(super) fn rest(&self) -> Rest {
        let moves = !self.is_idle() || self.has_unwritable();
        rest(self.tree(), moves, &|result| self.is_unknown(result))
    }

    /// True for the result of a call that was interrupted and may have changed something.
    pub(super) fn is_unknown(&self, result: &CallResult) -> bool {
        Texts::is_unknown_outcome(&result.content) && !self.engine.tools.only_reads(&result.name)
    }

    /// Stops a main dialog whose task has used all its steps; true if it did.
    pub(super) async fn stop_after_steps(&mut self, id: &SelfId) -> bool {
        let most = self.tasks.borrow().of_root(&self.tree().root).map(|task| task.task.max_steps);
        let Some(most) = most.filter(|_| self.tree().is_main(id)) else { return false };
        if self.tree().get(id).is_none_or(|dialog| dialog.history.last_genseq.0 < most) {
            return false;
        }
        let mut draft = self.draft();
        mark_stopped(&mut draft, id, StopReason::system(Texts::max_steps_reached(most)));
        self.commit_or_stop(id, draft).await;
        true
    }

    /// Puts a prompt about a task, mostly its result, into the queue of a dialog, or of the main dialog if that one has
    /// ended. A prompt that the tree has already is not taken again. False if there is no room.
    pub(super) async fn take_prompt(&mut self, id: &SelfId, mut prompt: QueuedPrompt) -> bool {
        let main = self.tree().root.main();
        let asked = self.tree().get(id).filter(|dialog| is_at_work(dialog, id == &main));
        let id = if asked.is_some() { id.clone() } else { main };
        let holds = |dialog: &Dialog| {
            dialog.history.messages.contains(&prompt.msg_id)
                || dialog.queue.iter().any(|waiting| waiting.msg_id == prompt.msg_id)
        };
        if self.tree().dialogs.values().any(|dialog| holds(dialog)) {
            return true;
        }
        let Some(dialog) = self.tree().get(&id) else { return true };
        if dialog.queue.iter().filter(|waiting| waiting.msg_id.is_delivery()).count() >= MAX_RESULTS
        {
            return false;
        }
        // A dialog that waits for a person, or was stopped by one, is not woken.
        prompt.quiet |= !dialog.questions.is_empty() || dialog.latest.marked().is_some();
        let mut waiting = dialog.queue.clone();
        queue::enqueue(&mut waiting, prompt);
        let mut draft = self.draft();
        draft.set_durable();
        draft.set_queue(&id, waiting);
        let taken: Result<(), Localized> = self.commit_request(draft).await;
        taken.is_ok()
    }
}

/// True for a dialog that will have another generation: a side dialog that has replied for good has none. Fresh-boots
/// dialogs are told nothing.
fn is_at_work(dialog: &Dialog, is_main: bool) -> bool {
    let works = !dialog.is_fresh_boots() && dialog.obligation().is_some();
    !dialog.latest.is_dead() && (is_main || works)
}
