//! A main dialog in the layout of Dominds 1.29 that rests is woken when a process ends that it has left in the background.
//! One that works, or works again meanwhile, reads that in the reminder of the process.

use std::collections::BTreeSet;

use crate::domain::dialogs::background::Background;
use crate::domain::dialogs::queue::enqueue;
use crate::domain::dialogs::shown_state::Activity;
use crate::domain::dialogs::state::next_step;
use crate::domain::{Dialog, QueuedPrompt, SelfId};
use crate::tools::StateChange;

use super::state::TreeState;

impl TreeState {
    /// Remembers the processes that a call has left in the background.
    pub(super) fn await_processes(&mut self, id: &SelfId, pids: BTreeSet<u32>) {
        if self.tree().layout.has_recent_rules() && self.tree().is_main(id) {
            self.awaited.extend(pids);
        }
    }

    /// A generation begins, and reads in the reminders which processes have ended.
    pub(super) fn forget_ended_processes(&mut self, id: &SelfId) {
        if !self.awaited.is_empty() && self.tree().is_main(id) {
            let known = self.engine.shells.list();
            self.awaited.retain(|pid| is_running(&known, *pid));
        }
    }

    /// Queues a prompt for the main dialog if it rests and a process of it has ended; true if there is one.
    pub(super) async fn wake_by_processes(&mut self) -> bool {
        let may_start = self.engine.driving.is_on() && !self.closing && self.task().is_none();
        if self.awaited.is_empty() || !may_start {
            return false;
        }
        let main = self.tree().root.main();
        let rests = self.activity(&main) == Activity::Resting;
        let dialog = self.tree().get(&main).filter(|dialog| rests && may_be_woken(dialog));
        let Some(mut queue) = dialog.map(|dialog| dialog.queue.clone()) else { return false };
        let known = self.engine.shells.list();
        let ended: BTreeSet<u32> =
            self.awaited.iter().copied().filter(|pid| !is_running(&known, *pid)).collect();
        if ended.is_empty() {
            return false;
        }
        self.awaited.retain(|pid| !ended.contains(pid));
        let mut draft = self.draft();
        let texts = self.engine.texts();
        let content = texts.processes_ended(&ended);
        enqueue(&mut queue, QueuedPrompt::of_runtime(draft.ids.message(), content, texts.0));
        draft.set_durable();
        draft.set_queue(&main, queue);
        self.commit_or_stop(&main, draft).await
    }
}

/// The processes that these changes are about.
pub(super) fn left_behind(changes: &[StateChange]) -> BTreeSet<u32> {
    let pid = |change: &StateChange| {
        let StateChange::Follow { meta, .. } = change else { return None };
        u32::try_from(meta.get("pid")?.as_u64()?).ok()
    };
    changes.iter().filter_map(pid).collect()
}

fn is_running(known: &[Background], pid: u32) -> bool {
    known.iter().any(|process| process.pid == pid && process.is_running())
}

/// True for a dialog that has nothing to do, and that nobody has stopped. Where the context is nearly full, one more
/// prompt would count as the warning about that.
fn may_be_woken(dialog: &Dialog) -> bool {
    let stopped = dialog.latest.is_dead() || dialog.latest.marked().is_some();
    let begun = dialog.history.last.course.is_some() && !dialog.history.last.open;
    let waits = !dialog.questions.is_empty() || next_step(dialog).is_some();
    begun && !stopped && !waits && !dialog.history.pressure.is_tight()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::StopReason;

    const START: &str = r#"{"type":"gen_start_record","genseq":1}"#;
    const END: &str = r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"model_limit_unavailable"}}"#;

    #[test]
    fn only_a_dialog_that_rests_by_itself_is_woken() {
        let rested = crate::samples::dialog_of(&[START, END]);
        assert!(may_be_woken(&rested));
        assert!(!may_be_woken(&crate::samples::dialog_of(&[])), "nothing has begun");
        assert!(!may_be_woken(&crate::samples::dialog_of(&[START])), "it works");
        let mut stopped = rested.clone();
        stopped.latest.interrupt(StopReason::UserStop);
        assert!(!may_be_woken(&stopped));
        let mut dead = rested.clone();
        dead.latest.die();
        assert!(!may_be_woken(&dead));
        let mut asked = rested;
        let prompt = QueuedPrompt::of_runtime("m".into(), "x".to_owned(), crate::domain::Lang::En);
        asked.queue.push(prompt);
        assert!(!may_be_woken(&asked), "it goes on by itself");
    }

    #[test]
    fn a_call_leaves_behind_the_processes_that_it_follows() {
        let follow = |meta| StateChange::Follow {
            id: "r".to_owned(),
            content: "c".to_owned(),
            owner: "shellCmd",
            meta,
        };
        let changes = [
            follow(json!({ "pid": 7 })),
            follow(json!({ "pid": "8" })),
            follow(json!({ "pid": u64::MAX })),
            StateChange::DeleteReminder { id: "9".to_owned() },
        ];
        assert_eq!(left_behind(&changes), BTreeSet::from([7]));
    }
}
