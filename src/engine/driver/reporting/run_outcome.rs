//! The outcome of a run, derived from the state of the loaded trees. Of trees that were not loaded only
//! stopped work counts, and only if the run was to drive everything.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::dialogs::latest::{DisplayState, StopReason};
use crate::domain::reading::waits::{self, Awaited};
use crate::domain::{DialogTree, SelfId};
use crate::protocol::event::{HaltedDialog, QuietOutcome, TreeRow};

/// What becomes of dialogs that the end of the program cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterRestart {
    /// They go on by themselves, but for those that a person has to look at first.
    #[default]
    Continue,
    /// They wait until a person continues them.
    Ask,
}

/// Which trees are loaded without a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickUp {
    /// All that can continue, those that a restart cut off if the person wants that, and those that triggers make.
    Everything(AfterRestart),
    /// All that can continue; no trigger fires.
    Open,
    /// None: only trees named in commands.
    Named,
}

impl PickUp {
    /// True if all that can continue does.
    #[must_use]
    pub fn is_all(self) -> bool {
        match self {
            Self::Everything(_) | Self::Open => true,
            Self::Named => false,
        }
    }

    /// True if triggers fire.
    #[must_use]
    pub fn fires(self) -> bool {
        matches!(self, Self::Everything(_))
    }

    /// True if what a restart cut off goes on by itself.
    #[must_use]
    pub fn takes_up(self) -> bool {
        self == Self::Everything(AfterRestart::Continue)
    }
}

/// What only the tree task knows when it becomes idle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdleReport {
    /// Waits that can never end, by the dialog that waits.
    stuck: BTreeMap<SelfId, Vec<UnmetWait>>,
    /// Dialogs whose last step could not be written.
    unwritable: BTreeSet<SelfId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct UnmetWait {
    on: Option<SelfId>,
    sentence: String,
}

impl IdleReport {
    pub const EMPTY: Self = Self { stuck: BTreeMap::new(), unwritable: BTreeSet::new() };

    pub fn of<'a>(tree: &DialogTree, unwritable: impl Iterator<Item = &'a SelfId>) -> Self {
        let mut stuck: BTreeMap<SelfId, Vec<UnmetWait>> = BTreeMap::new();
        for stuck_wait in waits::stuck(tree, |_| false) {
            let sentence = stuck_wait.sentence(tree);
            let on = match stuck_wait.wait.on {
                Awaited::Reply(on) | Awaited::Answer(on) => Some(on),
                Awaited::Human => None,
            };
            stuck.entry(stuck_wait.wait.waiter).or_default().push(UnmetWait { on, sentence });
        }
        Self { stuck, unwritable: unwritable.cloned().collect() }
    }
}

/// A tree that was loaded.
#[derive(Debug, Clone, Copy)]
pub struct TreeResult<'a> {
    pub rows: &'a [TreeRow],
    /// True if a question of it is open.
    pub has_question: bool,
    pub idle: &'a IdleReport,
}

/// The outcome of a run, and the dialogs that cause it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    pub outcome: QuietOutcome,
    pub halted: Vec<HaltedDialog>,
}

impl RunOutcome {
    /// Dialogs of tasks that have failed are put away, and cause no outcome themselves.
    #[must_use]
    pub fn with_failed_tasks(mut self, failed: u64) -> Self {
        if failed > 0 && self.outcome != QuietOutcome::QuestionWaits {
            self.outcome = QuietOutcome::Failed;
        }
        self
    }
}

/// In order of precedence: open questions, which the user can answer; failures; waits that never end;
/// what the user stopped.
///
/// `others`: rows of trees that were to be driven too, but in which nothing could continue.
pub fn run_outcome<'a>(
    trees: impl Iterator<Item = TreeResult<'a>>,
    others: impl Iterator<Item = &'a TreeRow>,
) -> RunOutcome {
    let trees: Vec<TreeResult<'_>> = trees.collect();
    let halted = |find: fn(&TreeResult<'_>) -> Vec<HaltedDialog>| -> Vec<HaltedDialog> {
        trees.iter().flat_map(find).collect()
    };
    if trees.iter().any(|tree| tree.has_question) {
        return RunOutcome { outcome: QuietOutcome::QuestionWaits, halted: Vec::new() };
    }
    for (outcome, find) in [
        (QuietOutcome::Failed, failed as fn(&TreeResult<'_>) -> Vec<HaltedDialog>),
        (QuietOutcome::Blocked, stuck),
    ] {
        let halted = halted(find);
        if !halted.is_empty() {
            return RunOutcome { outcome, halted };
        }
    }
    let mut parked = halted(paused);
    let idle = IdleReport::EMPTY;
    for row in others {
        parked.extend(paused(&TreeResult {
            rows: std::slice::from_ref(row),
            has_question: false,
            idle: &idle,
        }));
    }
    let outcome = if parked.is_empty() { QuietOutcome::Done } else { QuietOutcome::Paused };
    RunOutcome { outcome, halted: parked }
}

fn failed(tree: &TreeResult<'_>) -> Vec<HaltedDialog> {
    let is_failed = |row: &&TreeRow| {
        stopped(row).is_some_and(StopReason::is_failure)
            || tree.idle.unwritable.contains(&row.dialog.this)
    };
    tree.rows.iter().filter(is_failed).map(|row| tree.halted(row)).collect()
}

fn paused(tree: &TreeResult<'_>) -> Vec<HaltedDialog> {
    let is_paused = |row: &&TreeRow| stopped(row).is_some_and(|reason| !reason.is_failure());
    tree.rows.iter().filter(is_paused).map(|row| tree.halted(row)).collect()
}

fn stuck(tree: &TreeResult<'_>) -> Vec<HaltedDialog> {
    let is_stuck = |row: &&TreeRow| tree.idle.stuck.contains_key(&row.dialog.this);
    tree.rows.iter().filter(is_stuck).map(|row| tree.halted(row)).collect()
}

fn stopped(row: &TreeRow) -> Option<&StopReason> {
    match &row.state {
        DisplayState::Stopped { reason, .. } => Some(reason),
        DisplayState::Idle
        | DisplayState::Proceeding
        | DisplayState::Stopping { .. }
        | DisplayState::Blocked { .. }
        | DisplayState::Dead { .. } => None,
    }
}

impl TreeResult<'_> {
    fn halted(&self, row: &TreeRow) -> HaltedDialog {
        let unmet = self.idle.stuck.get(&row.dialog.this).map(Vec::as_slice).unwrap_or_default();
        let sentences: Vec<&str> = unmet.iter().map(|wait| wait.sentence.as_str()).collect();
        let waits = (!sentences.is_empty()).then(|| sentences.join("; "));
        HaltedDialog {
            dialog: row.dialog.clone(),
            agent: row.agent.clone(),
            reason: stopped(row).map(|reason| reason.message().to_string()).or(waits),
            waits_for: unmet.iter().filter_map(|wait| wait.on.clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::Localized;
    use crate::domain::{AgentId, Course, DialogId, Genseq, RootId, Stamp};

    fn row(id: &str, state: DisplayState) -> TreeRow {
        TreeRow {
            dialog: DialogId::side(&RootId::new("main"), &SelfId::new(id)),
            asker: None,
            agent: AgentId::new(format!("agent-{id}")),
            slug: None,
            taskdoc: "t.tsk".to_owned(),
            state,
            course: Course::FIRST,
            genseq: Genseq(1),
            created_at: Stamp::default(),
            last_modified: Stamp::default(),
            questions: 0,
            history: false,
            layout: None,
            queued: std::sync::Arc::default(),
            unreviewed: 0,
            retrying: false,
            model: None,
            autonomy: None,
            pending: 0,
            title: String::new(),
            reasoning: None,
            context_percent: None,
            context_level: None,
            keep_going: None,
        }
    }

    fn stop(reason: StopReason) -> DisplayState {
        DisplayState::Stopped { reason, continue_enabled: Some(true) }
    }

    fn stuck(waits: &[(&str, &str)]) -> IdleReport {
        let mut idle = IdleReport::EMPTY;
        for (waiter, on) in waits {
            let wait =
                UnmetWait { on: Some(SelfId::new(on)), sentence: format!("{waiter} for {on}") };
            idle.stuck.entry(SelfId::new(waiter)).or_default().push(wait);
        }
        idle
    }

    fn outcome_of(rows: &[TreeRow], idle: &IdleReport) -> (QuietOutcome, Vec<String>) {
        let run = run_outcome(
            [TreeResult { rows, has_question: false, idle }].into_iter(),
            [].into_iter(),
        );
        let name = |halted: HaltedDialog| halted.dialog.this.to_string();
        (run.outcome, run.halted.into_iter().map(name).collect())
    }

    #[test]
    fn a_wait_that_never_ends_is_blocked_and_what_the_user_stopped_is_paused() {
        let ring = stuck(&[("main", "a"), ("a", "b"), ("b", "a")]);
        let (idle, user) = (|| DisplayState::Idle, || stop(StopReason::UserStop));
        let failed = || stop(StopReason::system(Localized::same("x")));
        let nothing = IdleReport::EMPTY;
        for ([main, a, b], idle, outcome, names) in [
            ([idle(), idle(), idle()], &nothing, QuietOutcome::Done, &[][..]),
            ([idle(), user(), idle()], &nothing, QuietOutcome::Paused, &["a"]),
            ([idle(), stop(StopReason::paused()), idle()], &nothing, QuietOutcome::Paused, &["a"]),
            ([idle(), idle(), idle()], &ring, QuietOutcome::Blocked, &["a", "b", "main"]),
            ([user(), idle(), idle()], &ring, QuietOutcome::Blocked, &["a", "b", "main"]),
            ([user(), failed(), idle()], &ring, QuietOutcome::Failed, &["a"]),
        ] {
            let rows = [row("a", a), row("b", b), row("main", main)];
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(outcome_of(&rows, idle), (outcome, names), "{rows:?}");
        }
    }

    #[test]
    fn of_unloaded_trees_only_stopped_work_counts_and_only_after_the_others() {
        let (user, failed) =
            (|| stop(StopReason::UserStop), || stop(StopReason::system(Localized::same("x"))));
        for (own, other, outcome, names) in [
            (DisplayState::Idle, DisplayState::Idle, QuietOutcome::Done, &[][..]),
            (DisplayState::Idle, failed(), QuietOutcome::Done, &[]),
            (DisplayState::Idle, user(), QuietOutcome::Paused, &["other"]),
            (user(), user(), QuietOutcome::Paused, &["own", "other"]),
            (failed(), user(), QuietOutcome::Failed, &["own"]),
        ] {
            let (own, other) = ([row("own", own)], row("other", other));
            let left = TreeResult { rows: &own, has_question: false, idle: &IdleReport::EMPTY };
            let run = run_outcome([left].into_iter(), [&other].into_iter());
            let ids: Vec<&str> =
                run.halted.iter().map(|halted| halted.dialog.this.as_str()).collect();
            assert_eq!((run.outcome, ids.as_slice()), (outcome, names));
        }
    }

    #[test]
    fn a_blocked_dialog_is_reported_with_what_it_waits_for() {
        let rows = [row("main", DisplayState::Idle), row("a", DisplayState::Idle)];
        let idle = stuck(&[("main", "a")]);
        let run = run_outcome(
            [TreeResult { rows: &rows, has_question: false, idle: &idle }].into_iter(),
            [].into_iter(),
        );
        let expected = HaltedDialog {
            dialog: DialogId::main(RootId::new("main")),
            agent: AgentId::new("agent-main"),
            reason: Some("main for a".to_owned()),
            waits_for: vec![SelfId::new("a")],
        };
        assert_eq!(run.halted, [expected]);
    }

    #[test]
    fn a_step_that_could_not_be_written_is_a_failure() {
        let rows = [row("main", DisplayState::Idle)];
        let unwritable = BTreeSet::from([SelfId::new("main")]);
        let idle = IdleReport { unwritable, ..IdleReport::EMPTY };
        assert_eq!(outcome_of(&rows, &idle), (QuietOutcome::Failed, vec!["main".to_owned()]));
    }
}
