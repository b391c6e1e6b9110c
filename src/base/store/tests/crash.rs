//! The process dies, or one operation fails, at every operation of a representative day.

use super::*;
use crate::store::disk::faulty_disk::{DiskFault, FaultyDisk};
use std::collections::BTreeMap;

use crate::domain::{Dialog, DialogTree, Layout};

/// What happens, in order. Every step is acknowledged before the next begins.
fn steps() -> Vec<Vec<TreeChange>> {
    let states = |questions| TreeChange::Questions { dialog: main_id(), questions };
    let question = crate::domain::Question::new(
        &crate::domain::DialogId::main(root()),
        &"q".into(),
        "Which db?",
        Stamp::new("t1"),
        crate::domain::asking::question::CallSite {
            course: Course::FIRST,
            message_index: 0,
            call_site_genseq: Some(crate::domain::Genseq(1)),
            extra: serde_json::Map::new(),
        },
    );
    let mut delivered = AssignmentFrame::owing(assignment(), "replyTellask");
    delivered.tellask_reply_obligation = None;
    vec![
        vec![create_main(), append(&main_id(), &[START, &say("m")])],
        vec![append(&main_id(), &[ASK]), states(vec![question]), touch("2")],
        vec![append(&main_id(), &[ANSWER]), states(Vec::new()), touch("3")],
        vec![create_side()],
        vec![
            append(&main_id(), &[TELLASK, FINISH]),
            TreeChange::Pending { dialog: main_id(), pending: vec![waiting()] },
        ],
        vec![append(&side_id(), &[START, &say("n")])],
        vec![
            TreeChange::Artifact {
                dialog: side_id(),
                path: "artifacts/workspace/f/k-1.png".to_owned(),
                bytes: Arc::from(b"bytes".as_slice()),
            },
            append(&side_id(), &[&say("o")]),
        ],
        vec![
            append(&main_id(), &[REPLY]),
            TreeChange::Pending { dialog: main_id(), pending: Vec::new() },
            TreeChange::Stack { dialog: side_id(), stack: vec![delivered] },
        ],
    ]
}

fn touch(stamp: &str) -> TreeChange {
    TreeChange::Latest { dialog: main_id(), latest: Box::new(Latest::new(Stamp::new(stamp))) }
}

/// The facts a person sees of each dialog: its records, and what is open.
type TreeState = BTreeMap<String, (Vec<String>, String)>;

fn facts(tree: &DialogTree) -> TreeState {
    let of = |dialog: &Dialog| {
        let lines = dialog.history.entries.iter().map(|entry| entry.line()).collect();
        let questions: Vec<_> = dialog.questions.iter().map(|q| q.call_id.as_str()).collect();
        let pending: Vec<_> = dialog.pending.iter().map(|p| p.call_id.as_str()).collect();
        (lines, format!("asks {questions:?} waits {pending:?}"))
    };
    tree.dialogs.iter().map(|(id, dialog)| (id.to_string(), of(dialog))).collect()
}

fn seen(workspace: &Workspace) -> TreeState {
    match workspace.view().load(run(), &root()) {
        Ok(loaded) => facts(&loaded.tree),
        Err(StoreError::NotFound(_)) => TreeState::new(),
        Err(error) => panic!("{error}"),
    }
}

/// A store that makes its trees in this layout.
fn open_in(
    workspace: &Workspace,
    layout: Layout,
    disk: Arc<FaultyDisk>,
) -> Result<Store, StoreError> {
    Ok(workspace.open_on(disk)?.with_new_trees_in(Some(layout)))
}

/// How the facts look after each number of steps.
fn states(layout: Layout) -> Vec<TreeState> {
    let workspace = Workspace::new();
    let store = workspace.open().with_new_trees_in(Some(layout));
    let mut states = vec![TreeState::new()];
    for step in steps() {
        commit(&store, step).unwrap();
        states.push(seen(&workspace));
    }
    states
}

fn operations(layout: Layout) -> usize {
    let disk = Arc::new(FaultyDisk::new(DiskFault::Never));
    let workspace = Workspace::new();
    let store = open_in(&workspace, layout, disk.clone()).unwrap();
    for step in steps() {
        commit(&store, step).unwrap();
    }
    disk.operations()
}

/// True if `now` holds everything acknowledged `before`, and beyond it only a beginning of the step
/// that leads to `after`.
fn is_between(before: &TreeState, after: &TreeState, now: &TreeState) -> bool {
    let nothing = (Vec::new(), "asks [] waits []".to_owned());
    let kept = before.keys().all(|id| now.contains_key(id));
    kept && now.iter().all(|(id, (lines, open))| {
        let old = before.get(id).unwrap_or(&nothing);
        let Some(new) = after.get(id) else {
            return false;
        };
        lines.starts_with(&old.0) && new.0.starts_with(lines) && (*open == old.1 || *open == new.1)
    })
}

#[test]
fn a_death_at_any_operation_loses_and_doubles_nothing_acknowledged() {
    Layout::ALL.into_iter().for_each(dies_at_any_operation);
}

fn dies_at_any_operation(layout: Layout) {
    let states = states(layout);
    let last = operations(layout);
    assert!(last > 40, "{last}");
    for at in 0..last {
        let workspace = Workspace::new();
        let disk = Arc::new(FaultyDisk::new(DiskFault::StopAt(at)));
        let mut acknowledged = 0;
        if let Ok(store) = open_in(&workspace, layout, disk) {
            for step in steps() {
                if commit(&store, step).is_err() {
                    break;
                }
                acknowledged += 1;
            }
        }
        let state = seen(&workspace);
        let next = states.get(acknowledged + 1).unwrap_or(&states[acknowledged]);
        assert!(
            is_between(&states[acknowledged], next, &state),
            "{layout:?} stopped at {at} after step {acknowledged}: {state:#?}"
        );
        goes_on_after(&workspace, at);
    }
}

/// After the next start the tree is complete: repaired, free of problems, and its next line is clean.
fn goes_on_after(workspace: &Workspace, at: usize) {
    let store = workspace.open();
    let Ok(loaded) = store.load(run(), &root()) else {
        return;
    };
    commit(&store, loaded.repairs).unwrap();
    let line = say("after");
    commit(&store, vec![append(&main_id(), &[&line])]).unwrap();
    let again = store.load(run(), &root()).unwrap();
    assert_eq!(again.repairs, [], "stopped at {at}");
    let torn: Vec<_> = again.problems.iter().filter(|p| p.path.contains(ROOT)).collect();
    let of_side = |p: &&&crate::domain::Problem| p.path.contains("sideDialogs");
    assert_eq!(torn.iter().filter(|p| !of_side(p)).count(), 0, "{torn:?}");
    assert!(again.tree.main().unwrap().history.messages.contains(&"after".into()));
}

#[test]
fn a_failed_operation_leaves_the_step_undone_and_the_next_try_does_it_once() {
    Layout::ALL.into_iter().for_each(fails_at_any_operation);
}

fn fails_at_any_operation(layout: Layout) {
    let states = states(layout);
    for at in 0..operations(layout) {
        let workspace = Workspace::new();
        let disk = Arc::new(FaultyDisk::new(DiskFault::FailAt(at)));
        let Ok(store) = open_in(&workspace, layout, disk) else {
            continue;
        };
        for step in steps() {
            let made = |change: &TreeChange| !matches!(change, TreeChange::Create { .. });
            if commit(&store, step.clone()).is_ok() {
                continue;
            }
            // As the driver does it: read what there is, then try what is missing.
            let loaded = store.load(run(), &root());
            let there = loaded.as_ref().is_ok_and(|loaded| {
                step.iter().all(|change| {
                    let TreeChange::Create { meta, .. } = change else { return true };
                    loaded.tree.get(&meta.id).is_some()
                })
            });
            let already = loaded.as_ref().is_ok_and(|loaded| holds(&loaded.tree, &step));
            let again: Vec<TreeChange> = step
                .into_iter()
                .filter(|change| made(change) || !there)
                .filter(|change| !already || !matches!(change, TreeChange::Append { .. }))
                .collect();
            commit(&store, again).unwrap();
        }
        assert_eq!(seen(&workspace), states[states.len() - 1], "{layout:?} failed at {at}");
    }
}

/// True if the lines of a step are there although it was not acknowledged: its sync failed.
fn holds(tree: &DialogTree, step: &[TreeChange]) -> bool {
    step.iter().all(|change| {
        let TreeChange::Append { dialog, entries, .. } = change else { return true };
        let dialog = tree.get(dialog);
        dialog.is_some_and(|d| {
            let stands = |entry| d.history.entries.iter().any(|other| other == entry);
            entries.iter().all(stands)
        })
    })
}

#[test]
fn a_prompt_that_waits_when_its_course_has_ended_begins_the_next_one() {
    let said = say("m");
    let ended = [START, said.as_str(), FINISH];
    for (lines, prompt, opened) in
        [(&ended[..], "next", 2), (&ended[..], "m", 1), (&ended[..2], "next", 1)]
    {
        let workspace = Workspace::new();
        let store = workspace.open();
        commit(&store, vec![create_main(), append(&main_id(), lines)]).unwrap();
        drop(store);
        let waits = format!(
            "currentCourse: 1\nlastModified: '2026-11-21 11:00:00'\nstatus: active\n\
             pendingCourseStartPrompt: {{content: Go., msgId: {prompt}, grammar: markdown, origin: runtime}}\n"
        );
        fs::write(workspace.of_root("latest.yaml"), waits).unwrap();
        let loaded = workspace.view().load(run(), &root()).unwrap();
        let latest = &loaded.tree.main().unwrap().latest;
        assert_eq!(latest.current_course, Course(opened), "{prompt} {lines:?}");
        assert!(latest.pending_course_start_prompt.is_some());
        assert!(!loaded.repairs.iter().any(|change| matches!(change, TreeChange::Latest { .. })));
    }
}
