//! What has become of the dialogs of a task, from their records alone, and what that means for the task.

use crate::domain::dialogs::latest::StopReason;
use crate::domain::dialogs::record::CallResult;
use crate::domain::dialogs::remaining_work::has_unknown_call;
use crate::domain::dialogs::state::next_step;
use crate::domain::dialogs::tree::DialogTree;
use crate::domain::ids::SelfId;
use crate::domain::reading::waits;
use crate::domain::text::Localized;

use super::{BlockReason, TaskStatus};

/// Restarts that may interrupt one attempt before a person has to look at it.
const MAX_CUTS: u32 = 2;

/// The state of a tree that a task is worked on in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rest {
    /// Something of it runs, or is about to.
    Moves,
    /// It waits for the answer of a person.
    Asks,
    /// A person stopped it.
    Stopped,
    /// The program stopped it while it worked.
    Cut {
        /// In a call that may have changed something.
        in_unknown_call: bool,
        /// Only because the store was away: that happens to every task, and is not counted against this one.
        for_the_store: bool,
    },
    /// Something went wrong, with the reason.
    Failed(Localized),
    /// It has ended with these words.
    Said(String),
    /// It has ended without words.
    Silent,
}

/// What to do about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: it is as it should be.
    Goes,
    /// It works again, and is blocked no longer.
    Unblock,
    Block(BlockReason),
    /// It was interrupted, and continues by itself.
    Continue {
        /// By a restart, of which there may be few.
        is_cut: bool,
    },
    Done(String),
    Failed(Localized),
    /// It ended without a result.
    Empty,
}

/// Looks at the dialogs of a tree that nothing is written to at this moment. `moves`: something of it is being driven.
/// `is_unknown`: whether this is the result of a call that was interrupted and may have changed something.
#[must_use]
pub fn rest(tree: &DialogTree, moves: bool, is_unknown: &dyn Fn(&CallResult) -> bool) -> Rest {
    let alive = || tree.dialogs.values().filter(|dialog| !dialog.latest.is_dead());
    if moves || alive().any(|dialog| next_step(dialog).is_some()) {
        return Rest::Moves;
    }
    if alive().any(|dialog| !dialog.questions.is_empty()) {
        return Rest::Asks;
    }
    let Some(main) = tree.main() else { return Rest::Silent };
    // What a side dialog does concerns the task only as long as it is waited for.
    let waits = main.waits_for_others();
    let concerned = || alive().filter(|dialog| waits || tree.is_main(&dialog.meta.id));
    let stops = || concerned().filter_map(|dialog| Some((dialog, dialog.latest.marked()?)));
    if stops().any(|(_, reason)| is_by_a_person(reason)) {
        return Rest::Stopped;
    }
    if stops().any(|(_, reason)| is_restart(reason)) {
        let in_unknown_call = stops().any(|(dialog, _)| has_unknown_call(dialog, is_unknown));
        let away = StopReason::store_is_away();
        let for_the_store = stops().all(|(_, reason)| *reason == away);
        return Rest::Cut { in_unknown_call, for_the_store };
    }
    if let Some((_, reason)) = stops().next() {
        return Rest::Failed(reason.message());
    }
    if waits {
        let nobody = |_: &SelfId| false;
        let stuck = waits::stuck(tree, nobody);
        let sentence = stuck.first().map(|wait| wait.sentence(tree)).unwrap_or_default();
        return Rest::Failed(Localized::same(sentence));
    }
    main.history.plain_answer().map_or(Rest::Silent, |words| Rest::Said(words.to_owned()))
}

fn is_by_a_person(reason: &StopReason) -> bool {
    matches!(reason, StopReason::UserStop | StopReason::EmergencyStop)
        || reason.is_pause()
        || *reason == StopReason::asker_is_dead()
}

fn is_restart(reason: &StopReason) -> bool {
    reason.is_of_the_program() || *reason == StopReason::ForkContinueReady
}

/// What follows for a task in this status. `cuts`: how often restarts have interrupted its attempt before.
#[must_use]
pub fn outcome(status: TaskStatus, rest: Rest, cuts: u32) -> Outcome {
    match (status, rest) {
        (
            TaskStatus::Pending | TaskStatus::Done | TaskStatus::Failed | TaskStatus::Cancelled,
            _,
        )
        | (TaskStatus::Running, Rest::Moves) => Outcome::Goes,
        (TaskStatus::Blocked, Rest::Moves) => Outcome::Unblock,
        (_, Rest::Asks) => Outcome::Block(BlockReason::OpenQuestion),
        (_, Rest::Stopped) => Outcome::Block(BlockReason::Stopped),
        (_, Rest::Cut { in_unknown_call, for_the_store })
            if in_unknown_call || !for_the_store && cuts >= MAX_CUTS =>
        {
            Outcome::Block(BlockReason::Restart)
        }
        (_, Rest::Cut { for_the_store, .. }) => Outcome::Continue { is_cut: !for_the_store },
        (_, Rest::Failed(reason)) => Outcome::Failed(reason),
        (_, Rest::Said(words)) => Outcome::Done(words),
        (_, Rest::Silent) => Outcome::Empty,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::Dialog;
    use crate::domain::dialogs::tree::Bucket;
    use crate::domain::ids::RootId;
    use crate::domain::text::localized;

    const START: &str = r#"{"ts":"t","genseq":1,"type":"gen_start_record"}"#;
    const FINISH: &str = r#"{"ts":"t","genseq":1,"type":"gen_finish_record","contextHealth":{"kind":"unavailable","reason":"none"}}"#;

    fn words(text: &str) -> String {
        format!(r#"{{"ts":"t","genseq":1,"type":"agent_words_record","content":"{text}"}}"#)
    }

    fn call(name: &str, result: &str) -> [String; 2] {
        [
            format!(
                r#"{{"ts":"t","genseq":1,"type":"func_call_record","id":"c","name":"{name}","rawArgumentsText":"{{}}"}}"#
            ),
            format!(
                r#"{{"ts":"t","genseq":1,"type":"func_result_record","id":"c","name":"{name}","content":"{result}"}}"#
            ),
        ]
    }

    fn tree(records: &[&str]) -> DialogTree {
        of(crate::samples::dialog_of(records))
    }

    fn of(dialog: Dialog) -> DialogTree {
        let mut tree = DialogTree::new(RootId::new("aa/bb/01"), Bucket::Run);
        tree.dialogs.insert(dialog.meta.id.clone(), Arc::new(dialog));
        tree
    }

    fn cut(in_unknown_call: bool, for_the_store: bool) -> Rest {
        Rest::Cut { in_unknown_call, for_the_store }
    }

    fn seen(tree: &DialogTree) -> Rest {
        rest(tree, false, &|result| result.content == "unknown")
    }

    #[test]
    fn a_tree_at_rest_is_judged_by_its_records() {
        let said = words("the report");
        let ended = [START, &said, FINISH];
        let stopped = |reason| seen(&of(crate::samples::dialog_of(&ended).stopped(reason)));
        assert_eq!(seen(&tree(&ended)), Rest::Said("the report".to_owned()));
        assert_eq!(seen(&tree(&[START, FINISH])), Rest::Silent);
        assert_eq!(seen(&tree(&[])), Rest::Silent);
        assert_eq!(rest(&tree(&ended), true, &|_| false), Rest::Moves);
        assert_eq!(seen(&of(crate::samples::dialog_of(&ended).asking())), Rest::Asks);
        assert_eq!(stopped(StopReason::UserStop), Rest::Stopped);
        assert_eq!(stopped(StopReason::EmergencyStop), Rest::Stopped);
        assert_eq!(stopped(StopReason::paused()), Rest::Stopped);
        let reason = localized!(("no key"), ("没有密钥"));
        assert_eq!(stopped(StopReason::system(reason.clone())), Rest::Failed(reason));
        assert_eq!(stopped(StopReason::ServerRestart), cut(false, false));
        assert_eq!(stopped(StopReason::store_is_away()), cut(false, true));
    }

    #[test]
    fn a_restart_in_a_call_of_unknown_outcome_is_told_from_others() {
        for (result, in_unknown_call) in [("unknown", true), ("done", false)] {
            let [made, result] = call("shell_cmd", result);
            let dialog = crate::samples::dialog_of(&[START, &made, &result]);
            let tree = of(dialog.stopped(StopReason::ServerRestart));
            assert_eq!(seen(&tree), cut(in_unknown_call, false));
        }
    }

    #[test]
    fn each_state_has_one_outcome_and_the_third_restart_waits_for_a_person_but_no_loss_of_the_store_does()
     {
        let goes_on = |is_cut| Outcome::Continue { is_cut };
        let (running, blocked) = (TaskStatus::Running, TaskStatus::Blocked);
        let failed = Localized::same("x");
        for (status, rest, cuts, expected) in [
            (running, Rest::Moves, 0, Outcome::Goes),
            (blocked, Rest::Moves, 0, Outcome::Unblock),
            (running, Rest::Asks, 0, Outcome::Block(BlockReason::OpenQuestion)),
            (running, Rest::Stopped, 0, Outcome::Block(BlockReason::Stopped)),
            (running, cut(false, false), 0, goes_on(true)),
            (running, cut(false, false), 1, goes_on(true)),
            (running, cut(false, false), 2, Outcome::Block(BlockReason::Restart)),
            (running, cut(true, false), 0, Outcome::Block(BlockReason::Restart)),
            (running, cut(false, true), 2, goes_on(false)),
            (running, cut(true, true), 0, Outcome::Block(BlockReason::Restart)),
            (running, Rest::Failed(failed.clone()), 0, Outcome::Failed(failed.clone())),
            (blocked, Rest::Said("r".to_owned()), 0, Outcome::Done("r".to_owned())),
            (running, Rest::Silent, 0, Outcome::Empty),
            (TaskStatus::Cancelled, Rest::Said("late".to_owned()), 0, Outcome::Goes),
            (TaskStatus::Pending, Rest::Silent, 0, Outcome::Goes),
        ] {
            assert_eq!(outcome(status, rest.clone(), cuts), expected, "{status:?} {rest:?} {cuts}");
        }
    }
}
