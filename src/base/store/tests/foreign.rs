//! Trees in other layouts: recognised by their files, shown, and never changed.

use super::*;
use crate::domain::{DialogId, ForeignLayout, Lang, Layout, Severity};

const OLD: &str = "currentCourse: 1\nlastModified: '2026-11-21 11:00:00'\nstatus: active\n";
const RECENT: &str = "currentCourse: 1\nlastModified: '2026-11-22 11:00:00'\nstatus: active\ngenerating: true\n\
                      generationRunState:\n  kind: open\n  course: 1\n  genseq: 1\n  phase: streaming\n  \
                      acceptedTriggerIds: []\n  openedAt: t\nnextStep:\n  nextSeq: 1\n  triggers: []\n\
                      tellaskCalls:\n  calls: []\ntellaskResults:\n  results: []\n";
const PARTIAL: &str = "currentCourse: 1\nlastModified: '2026-11-22 11:00:00'\nstatus: active\nnextStep:\n  \
                       nextSeq: 1\n  triggers: []\n";
const NEWER: &str = "nextStep:\n  triggers:\n    - kind: telepathy\ntellaskCalls: 1\ntellaskResults: 1\n\
                     currentCourse: 1\nlastModified: t\nstatus: active\n";
const TORN: &str = "{\"ts\":\"t\",\"type\":\"gen_start_record\",\"genseq\":1}\ntorn";
const STACK: &str = r#"{"kind":"asker_dialog_stack_frame","askerDialogId":"aa/bb/00000001","assignmentFromAsker":{"callName":"tellask","tellaskContent":"Do it.","originMemberId":"lead","askerDialogId":"aa/bb/00000001","callId":"s"}}"#;
const RECENT_STACK: &str = r#"{"kind":"asker_dialog_stack_frame","askerDialogId":"aa/bb/00000001","assignmentFromAsker":{"callName":"tellask","tellaskContent":"Do it.","originMemberId":"lead","askerDialogId":"aa/bb/00000001","callId":"s","callSiteCourse":1,"callSiteGenseq":1}}"#;
const GOAL: &str = r#"{"reminders":[{"id":"mainDialogGoal","content":"Ship.","scope":"dialog","createdAt":"t","priority":"high"}],"updatedAt":"t"}"#;
const BATCH: &str = r#"{"batches":[{"batchId":"b","callSite":{"course":1,"genseq":1},"status":"open","callees":[]}]}"#;
const NEWER_BATCH: &str = r#"{"batches":[{"batchId":"b","callSite":{"course":1,"genseq":1},"status":"ajar","callees":[]}]}"#;
const NEWER_SCOPE: &str = r#"{"reminders":[{"id":"r","content":"Ship.","scope":"galaxy","createdAt":"t","priority":"high"}],"updatedAt":"t"}"#;

/// Files below the main dialog, beside those of [`put`].
type Files = &'static [(&'static str, &'static str)];

/// A tree of each layout that is not written here.
const FOREIGN: [(ForeignLayout, Files); 6] = [
    (ForeignLayout::Older, &[("latest.yaml", OLD), ("subdialogs/x/y", "")]),
    (ForeignLayout::Unclear, &[("latest.yaml", PARTIAL), ("course-001.jsonl", TORN)]),
    (ForeignLayout::Mixed, &[("latest.yaml", RECENT), ("SIDE/latest.yaml", OLD)]),
    (ForeignLayout::Newer, &[("latest.yaml", RECENT), ("SIDE/latest.yaml", NEWER)]),
    (ForeignLayout::Newer, &[("latest.yaml", RECENT), ("active-callees.json", NEWER_BATCH)]),
    (ForeignLayout::Newer, &[("latest.yaml", RECENT), ("reminders.json", NEWER_SCOPE)]),
];

fn write(workspace: &Workspace, name: &str, text: &str) {
    let path = workspace.of_root(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A tree of two dialogs without state.
fn put(workspace: &Workspace, files: Files) {
    let identity = |id: &str, agent: &str| {
        format!(
            "id: {id}\nagentId: {agent}\ntaskDocPath: t.tsk\ncreatedAt: '2026-11-21 11:00:00'\n"
        )
    };
    write(workspace, "dialog.yaml", &identity(ROOT, "lead"));
    write(workspace, "course-001.jsonl", &format!("{START}\n{}\n", say("m")));
    write(workspace, &format!("sideDialogs/{SIDE}/dialog.yaml"), &identity(SIDE, "dev"));
    write(workspace, &format!("sideDialogs/{SIDE}/course-001.jsonl"), &format!("{START}\n"));
    for (name, text) in files {
        let name = name.replace("SIDE", &format!("sideDialogs/{SIDE}"));
        write(workspace, &name, text);
    }
}

/// The layout of a tree, or why it may only be read.
type Verdict = Result<Layout, ForeignLayout>;

/// What the only tree is listed as.
fn verdict(workspace: &Workspace) -> Verdict {
    let survey = workspace.view().survey(&Bucket::ALL);
    let [tree] = survey.trees.as_slice() else { panic!("{survey:?}") };
    assert_eq!(tree.dialogs.len(), 2, "{tree:?}");
    tree.foreign.map_or(Ok(tree.layout), Err)
}

/// Files of a tree, and its layout.
type Row = (Vec<(&'static str, &'static str)>, Verdict);

const OWN: Verdict = Ok(Layout::V1_19);
const NEW: Verdict = Ok(Layout::V1_29);

#[test]
fn the_files_of_a_tree_tell_its_layout() {
    use ForeignLayout::{Mixed, Newer, Older, Unclear};
    let strange = Box::leak(RECENT.replace("open\n", "ajar\n").into_boxed_str());
    let trigger = "triggers:\n  - kind: telepathy\n";
    let trigger = Box::leak(RECENT.replace("triggers: []\n", trigger).into_boxed_str());
    let waiting = format!("{RECENT}displayState:\n  kind: waiting_side_dialog\n");
    let waiting = Box::leak(waiting.into_boxed_str());
    let dreaming = format!("{RECENT}displayState:\n  kind: dreaming\n");
    let dreaming = Box::leak(dreaming.into_boxed_str());
    let with_old_marks = format!("{RECENT}needsDrive: true\n");
    let with_old_marks = Box::leak(with_old_marks.into_boxed_str());
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let blocked = "displayState:\n  kind: blocked\n  reason:\n    kind: bored\n";
    let blocked = leak(format!("{RECENT}{blocked}"));
    let calls = "calls:\n  - callId: s\n    callName: telepathy\n";
    let calls = leak(RECENT.replace("calls: []\n", calls));
    let results = "results:\n  - callId: s\n    callName: telepathy\n";
    let results = leak(RECENT.replace("results: []\n", results));
    let callee = leak(BATCH.replace("[]", r#"[{"callId":"s","status":"dreaming"}]"#));
    let personal = leak(GOAL.replace("\"dialog\"", "\"personal\""));
    let record = |kind: &str| -> &'static str {
        let line = format!("{{\"ts\":\"t\",\"type\":\"{kind}\",\"genseq\":1,\"callId\":\"s\"}}\n");
        Box::leak(line.into_boxed_str())
    };
    let (anchor, link) = (record("tellask_anchor_record"), record("tellask_callee_record"));
    let old_anchor = record("tellask_call_anchor_record");
    let table: Vec<Row> = vec![
        (vec![("latest.yaml", OLD), ("SIDE/latest.yaml", OLD)], OWN),
        (vec![("latest.yaml", RECENT), ("SIDE/latest.yaml", RECENT)], NEW),
        (vec![("latest.yaml", RECENT)], NEW),
        (vec![("latest.yaml", waiting)], NEW),
        (vec![("latest.yaml", with_old_marks), ("pending-sideDialogs.json", "[]")], NEW),
        (vec![("latest.yaml", PARTIAL), ("SIDE/latest.yaml", RECENT)], Err(Unclear)),
        (vec![("latest.yaml", OLD), ("SIDE/latest.yaml", PARTIAL)], Err(Unclear)),
        (vec![("latest.yaml", OLD), ("SIDE/latest.yaml", RECENT)], Err(Mixed)),
        (vec![("latest.yaml", RECENT), ("SIDE/latest.yaml", OLD)], Err(Mixed)),
        (vec![("latest.yaml", strange)], Err(Newer)),
        (vec![("latest.yaml", trigger)], Err(Newer)),
        (vec![("latest.yaml", RECENT), ("SIDE/latest.yaml", dreaming)], Err(Newer)),
        (vec![("latest.yaml", blocked)], Err(Newer)),
        (vec![("latest.yaml", RECENT), ("SIDE/latest.yaml", calls)], Err(Newer)),
        (vec![("latest.yaml", results)], Err(Newer)),
        (vec![("latest.yaml", RECENT), ("active-callees.json", BATCH)], NEW),
        (vec![("latest.yaml", RECENT), ("active-callees.json", NEWER_BATCH)], Err(Newer)),
        (vec![("latest.yaml", RECENT), ("active-callees.json", callee)], Err(Newer)),
        (vec![("latest.yaml", RECENT), ("reminders.json", GOAL)], NEW),
        (vec![("latest.yaml", RECENT), ("reminders.json", personal)], NEW),
        (vec![("latest.yaml", RECENT), ("reminders.json", NEWER_SCOPE)], Err(Newer)),
        // Only a tree with the keys of 1.29 can be of a newer one.
        (vec![("latest.yaml", OLD), ("active-callees.json", NEWER_BATCH)], OWN),
        (vec![("latest.yaml", OLD), ("reminders.json", NEWER_SCOPE)], OWN),
        // Records of the other layout may be left by a conversion.
        (vec![("latest.yaml", OLD), ("course-002.jsonl", anchor)], OWN),
        (vec![("latest.yaml", OLD), ("SIDE/course-002.jsonl", link)], OWN),
        (vec![("latest.yaml", RECENT), ("course-002.jsonl", old_anchor)], NEW),
        (vec![("latest.yaml", RECENT), ("subdialogs/x/y", "")], Err(Older)),
        // Without a state of the main dialog, or a damaged one.
        (vec![("SIDE/latest.yaml", RECENT)], NEW),
        (vec![("latest.yaml", "a: [\n"), ("SIDE/latest.yaml", RECENT)], NEW),
        (vec![("SIDE/latest.yaml", OLD), ("a2h.yaml", "answers: []\n")], OWN),
        (vec![("active-callees.json", BATCH)], NEW),
        (vec![("a2h.yaml", "answers: []\n"), ("pending-sideDialogs.json", "[]")], NEW),
        (vec![("wake-queue.jsonl", "")], NEW),
        (vec![("pending-sideDialogs.json", "[]"), ("SIDE/asker-stack.jsonl", RECENT_STACK)], OWN),
        (vec![("SIDE/asker-stack.jsonl", RECENT_STACK)], NEW),
        (vec![("SIDE/asker-stack.jsonl", STACK), ("reminders.json", GOAL)], OWN),
        (vec![("reminders.json", GOAL)], NEW),
        (vec![("course-002.jsonl", anchor)], NEW),
        (vec![("SIDE/course-002.jsonl", link)], NEW),
        (vec![("course-002.jsonl", record("active_callees_reconciled_record"))], NEW),
        (vec![("course-002.jsonl", old_anchor)], OWN),
        (vec![], OWN),
    ];
    for (files, expected) in table {
        let workspace = Workspace::new();
        put(&workspace, Box::leak(files.clone().into_boxed_slice()));
        assert_eq!(verdict(&workspace), expected, "{files:?}");
    }
}

#[test]
fn a_tree_that_does_not_tell_is_in_the_layout_of_its_workspace() {
    let newer = "80/54/00000009";
    for (others, expected) in [
        (vec![], OWN),
        (vec![(format!("run/{newer}/latest.yaml"), RECENT)], NEW),
        (vec![(format!("done/{newer}/latest.yaml"), RECENT)], NEW),
        (vec![(format!("archive/{newer}/latest.yaml"), OLD)], OWN),
        (vec![("reminders/agent_tasks/lead/crc32-00000000/r.json".to_owned(), "{}")], NEW),
        (vec![("reminders/agents/lead/r.json".to_owned(), "{}")], NEW),
        (vec![("reminders/agents/r.json".to_owned(), "{}")], OWN),
        (vec![("reminders/lead/r.json".to_owned(), "{}")], OWN),
    ] {
        let workspace = Workspace::new();
        put(&workspace, &[]);
        for (name, text) in &others {
            let path = workspace.at(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            if name.ends_with("latest.yaml") {
                let identity =
                    format!("id: {newer}\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: t\n");
                fs::write(path.with_file_name("dialog.yaml"), identity).unwrap();
            }
        }
        let listed = workspace.view().list(Bucket::Run, &root());
        let [tree] = listed.trees.as_slice() else { panic!("{listed:?}") };
        let found = tree.foreign.map_or(Ok(tree.layout), Err);
        assert_eq!(found, expected, "{others:?}");
    }
}

#[test]
fn no_store_changes_a_tree_that_may_only_be_read_and_each_refusal_says_why() {
    for (layout, files) in FOREIGN {
        let workspace = Workspace::new();
        put(&workspace, files);
        let before = contents(&workspace.at(""));
        let store = workspace.open();
        let main = DialogId::main(root());
        let survey = store.survey_and_set_aside(Bucket::Run);
        assert_eq!(survey.trees.first().and_then(|tree| tree.foreign), Some(layout));
        for refused in [
            store.load(Bucket::Run, &root()).map(drop),
            store.load_read_only(Bucket::Run, &root()).map(drop),
            store.relocate(&root(), Bucket::Run, Bucket::Done),
            store.delete(&root()),
            store.own_files().write_title(&main, Some("Mine")).map(drop),
        ] {
            let error = refused.expect_err("it may only be read");
            assert!(matches!(error, StoreError::ForeignLayout(_, why) if why == layout), "{error}");
        }
        assert!(
            !store.page(Bucket::Run, &main, Course::FIRST, None, 9).unwrap().entries.is_empty()
        );
        drop(store);
        let found = workspace.view().examine();
        let named: Vec<_> =
            found.iter().map(|problem| (problem.severity, &*problem.path)).collect();
        let path = format!(".dialogs/run/{ROOT}");
        let wanted = vec![(Severity::Warning, &*path)];
        assert_eq!(named, if layout == ForeignLayout::Older { Vec::new() } else { wanted });
        assert_eq!(contents(&workspace.at("")), before, "{layout:?}");
    }
}

#[test]
fn a_tree_that_may_only_be_read_and_was_set_aside_is_named_with_the_reason_and_stays_there() {
    for (layout, files) in FOREIGN {
        let workspace = Workspace::new();
        put(&workspace, files);
        let name = format!("{ROOT}__2");
        let aside = workspace.at("malformed").join(&name);
        fs::create_dir_all(aside.parent().unwrap()).unwrap();
        fs::rename(workspace.of_root(""), &aside).unwrap();
        let before = contents(&workspace.at("malformed"));
        let refused = workspace.open().restore(&name).expect_err("it may only be read").to_string();
        let found = workspace.view().examine();
        let [problem] = found.as_slice() else { panic!("{found:?}") };
        let reason = layout.reason().in_lang(Lang::En);
        let place = format!(".dialogs/malformed/{name}");
        let fix = format!("move its folder to .dialogs/run/{ROOT} yourself");
        let listed = problem.to_string();
        for (told, path) in [(&refused, &refused), (&listed, &problem.path)] {
            assert!(path.starts_with(&place), "{told}");
            assert!(told.contains(reason) && told.contains(&fix), "{told}");
        }
        assert!(!problem.fix.to_string().contains("--restore"), "{problem}");
        assert_eq!(contents(&workspace.at("malformed")), before, "{layout:?}");
    }
}

#[test]
fn a_new_tree_has_the_layout_of_its_workspace_unless_it_is_chosen() {
    let folder =
        |workspace: &Workspace, name: &str| fs::create_dir_all(workspace.at(name)).unwrap();
    for (made, chosen, expected) in [
        ("reminders/agents", None, Layout::V1_29),
        ("reminders/agent_tasks/lead/crc32-00000000", None, Layout::V1_29),
        ("reminders/lead", None, Layout::V1_19),
        (".tui", None, Layout::V1_29),
        ("run/aa", None, Layout::V1_29),
        (".tui", Some(Layout::V1_19), Layout::V1_19),
        ("reminders/lead", Some(Layout::V1_29), Layout::V1_29),
    ] {
        let workspace = Workspace::new();
        folder(&workspace, made);
        let store = workspace.open().with_new_trees_in(chosen);
        assert_eq!(store.layout_of_new_trees(), expected, "{made} {chosen:?}");
        commit(&store, vec![create_main(), append(&main_id(), &[START, &say("m"), FINISH])])
            .unwrap();
        drop(store);
        let (loaded, foreign) = workspace.view().load_to_show(run(), &root()).unwrap();
        assert_eq!((loaded.tree.layout, foreign), (expected, None), "{made} {chosen:?}");
        assert_eq!(loaded.repairs, [], "{made} {chosen:?}");
    }
}

#[test]
fn a_workspace_with_trees_of_which_none_tells_or_that_cannot_be_read_is_not_empty() {
    let of_new_trees = |workspace: &Workspace, context: &str, expected: Layout| {
        let store = workspace.open().with_new_trees_in(None);
        assert_eq!(store.layout_of_new_trees(), expected, "{context}");
    };
    let table: [(Files, Layout); 4] = [
        (&[], Layout::V1_19),
        (&[("latest.yaml", PARTIAL)], Layout::V1_19),
        (&[("latest.yaml", OLD)], Layout::V1_19),
        (&[("latest.yaml", RECENT)], Layout::V1_29),
    ];
    for (files, expected) in table {
        let workspace = Workspace::new();
        put(&workspace, files);
        of_new_trees(&workspace, &format!("{files:?}"), expected);
        fs::rename(workspace.at("run"), workspace.at("malformed")).unwrap();
        of_new_trees(&workspace, &format!("{files:?}, set aside"), expected);
    }
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.at("")).unwrap();
    fs::write(workspace.at("run"), "in the way").unwrap();
    of_new_trees(&workspace, "no folder", Layout::V1_19);
}

#[test]
fn unknown_keys_survive_wherever_a_tree_of_our_own_layout_is_written() {
    let workspace = Workspace::new();
    put(&workspace, &[]);
    let latest = format!(
        "{OLD}marvel: 1\npendingCourseStartPrompt:\n  content: go\n  msgId: m2\n  grammar: markdown\n  origin: runtime\n  \
         marvel: 2\n  sideDialogReplyTarget:\n    ownerDialogId: {ROOT}\n    callType: B\n    callId: s\n    marvel: 3\n"
    );
    write(&workspace, "latest.yaml", &latest);
    let stack = STACK.replace("\"callId\":\"s\"", "\"callId\":\"s\",\"marvel\":4").replace(
        "}}",
        "},\"tellaskReplyObligation\":{\"expectedReplyCallName\":\"replyTellask\",\"targetDialogId\":\"aa/bb/00000001\",\
         \"targetCallId\":\"s\",\"tellaskContent\":\"Do it.\",\"marvel\":5},\"marvel\":6}",
    );
    write(&workspace, &format!("sideDialogs/{SIDE}/asker-stack.jsonl"), &format!("{stack}\n"));
    write(&workspace, &format!("sideDialogs/{SIDE}/latest.yaml"), &format!("{OLD}marvel: 7\n"));
    let question = r#"{"questions":[{"id":"q","tellaskContent":"?","askedAt":"t","callId":"q","callSiteRef":{"course":1,"messageIndex":0,"marvel":8},"marvel":9}],"updatedAt":"t","marvel":10}"#;
    write(&workspace, "q4h.yaml", question);
    let store = workspace.open();
    let tree = store.load(Bucket::Run, &root()).unwrap().tree;
    let mut changes = Vec::new();
    for dialog in tree.dialogs.values() {
        let id = dialog.meta.id.clone();
        let mut latest = dialog.latest.clone();
        latest.needs_drive = Some(false);
        changes.push(TreeChange::Latest { dialog: id.clone(), latest: Box::new(latest) });
        if let Some(frame) = dialog.stack.first() {
            let stack = vec![frame.clone(), frame.clone()];
            changes.push(TreeChange::Stack { dialog: id.clone(), stack });
        }
        if let Some(question) = dialog.questions.first() {
            let questions = vec![question.clone(), question.clone()];
            changes.push(TreeChange::Questions { dialog: id, questions });
        }
    }
    commit(&store, changes).unwrap();
    let written = contents(&workspace.at("run")).into_iter().filter_map(|(_, bytes)| bytes);
    let text: String = written.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    for number in 1..=10 {
        let kept = [format!("marvel: {number}\n"), format!("\"marvel\":{number}")];
        assert!(kept.iter().any(|kept| text.contains(kept)), "{number}: {text}");
    }
}
