//! One damage at a time: the rest of the tree is shown, it is reported, nothing is deleted.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use super::*;
use crate::domain::dialogs::latest::StopReason;
use crate::domain::{DialogId, Problem};
use crate::samples::assert_translated;
use crate::store::disk::faulty_disk::{DiskFault, FaultyDisk};

/// A tree with an open question and a side dialog that is awaited.
pub(super) fn tree() -> Workspace {
    let workspace = Workspace::new();
    let store = workspace.open();
    commit(&store, vec![create_main(), append(&main_id(), &[START, &say("m"), ASK])]).unwrap();
    commit(&store, vec![create_side(), append(&main_id(), &[TELLASK, CREATED, REMINDED, FINISH])])
        .unwrap();
    commit(&store, vec![append(&side_id(), &[START, &say("n")])]).unwrap();
    let loaded = store.load(run(), &root()).unwrap();
    commit(&store, loaded.repairs).unwrap();
    let reminders = loaded.tree.main().unwrap().reminders.clone();
    commit(&store, vec![TreeChange::Reminders { dialog: main_id(), reminders }]).unwrap();
    let again = store.load(run(), &root()).unwrap();
    assert_eq!((again.repairs, again.problems), (vec![], vec![]));
    drop(store);
    workspace
}

const CREATED: &str = r#"{"ts":"t","type":"sideDialog_created_record","sideDialogId":"cc/dd/00000002","askerDialogId":"aa/bb/00000001","agentId":"dev","taskDocPath":"task.tsk","createdAt":"2026-11-21 11:00:00","sessionSlug":"main","assignmentFromAsker":{"callName":"tellask","mentionList":["@dev"],"tellaskContent":"Do it.","originMemberId":"lead","askerDialogId":"aa/bb/00000001","callId":"s","collectiveTargets":["dev"]}}"#;
const REMINDED: &str = r#"{"ts":"t","type":"reminders_reconciled_record","reminders":[{"id":"abcd1234","content":"note","createdAt":"t","priority":"medium"}]}"#;

/// Every line and file of `before` is still somewhere below `.dialogs`.
fn assert_nothing_is_lost(before: &[(PathBuf, Option<Vec<u8>>)], workspace: &Workspace) {
    let lines = |files: &[(PathBuf, Option<Vec<u8>>)]| -> BTreeSet<Vec<u8>> {
        let texts = files.iter().filter_map(|(_, bytes)| bytes.as_ref());
        texts.flat_map(|bytes| bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec)).collect()
    };
    let lost: Vec<String> = lines(before)
        .difference(&lines(&contents(&workspace.at(""))))
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    assert_eq!(lost, [""; 0]);
}

/// The facts that must survive the loss of any index file.
fn assert_whole(workspace: &Workspace) -> Vec<Problem> {
    let before = contents(&workspace.at(""));
    let loaded = workspace.view().load(run(), &root()).unwrap();
    let main = loaded.tree.main().unwrap();
    let who = (main.meta.agent_id.as_str(), main.meta.task_doc_path.as_str());
    assert_eq!(who, ("lead", "task.tsk"));
    assert_eq!(main.questions.len(), 1);
    assert_eq!(main.pending, [waiting()]);
    assert_eq!(main.reminders.len(), 1);
    assert_eq!(loaded.tree.registry.len(), 1);
    let side = loaded.tree.get(&side_id()).unwrap();
    assert_eq!(side.meta, *meta(&side_id(), "dev", Some("main")));
    assert_eq!(side.stack, [AssignmentFrame::owing(assignment(), "replyTellask")]);
    assert_eq!(contents(&workspace.at("")), before);

    let store = workspace.open();
    let mending = store.load(run(), &root()).unwrap();
    assert_eq!(mending.tree, loaded.tree);
    commit(&store, mending.repairs).unwrap();
    let again = store.load(run(), &root()).unwrap();
    assert_eq!((again.repairs, again.problems), (vec![], vec![]));
    assert_nothing_is_lost(&before, workspace);
    for problem in &loaded.problems {
        assert_translated(&problem.text);
        assert_translated(&problem.fix);
    }
    loaded.problems
}

#[test]
fn a_damaged_small_file_is_rebuilt_and_named() {
    let main =
        ["dialog.yaml", "q4h.yaml", "pending-sideDialogs.json", "registry.yaml", "reminders.json"];
    let side =
        ["dialog.yaml", "asker-stack.jsonl"].map(|name| format!("sideDialogs/{SIDE}/{name}"));
    for name in main.iter().map(|name| (*name).to_owned()).chain(side) {
        for damage in ["", "\0\0\0\0", "{\"a\":", "- [", "\u{feff}hello", "42"] {
            let workspace = tree();
            fs::write(workspace.of_root(&name), damage).unwrap();
            let problems = assert_whole(&workspace);
            let named = problems.iter().any(|problem| problem.path.ends_with(&name));
            assert!(named, "{name} {damage:?} {problems:?}");
        }
    }
}

#[test]
fn a_list_without_its_stamp_is_written_anew() {
    for name in ["q4h.yaml", "reminders.json"] {
        let workspace = tree();
        let text = fs::read_to_string(workspace.of_root(name)).unwrap();
        fs::write(workspace.of_root(name), text.replace("updatedAt", "updated")).unwrap();
        assert_eq!(assert_whole(&workspace).len(), 1, "{name}");
    }
}

#[test]
fn a_missing_index_is_rebuilt_without_a_word() {
    for name in ["q4h.yaml", "pending-sideDialogs.json", "registry.yaml"] {
        let workspace = tree();
        fs::remove_file(workspace.of_root(name)).unwrap();
        assert_eq!(assert_whole(&workspace), [], "{name}");
        assert!(workspace.of_root(name).exists());
    }
}

#[test]
fn a_missing_state_is_taken_from_the_records_and_named() {
    let stack = format!("sideDialogs/{SIDE}/asker-stack.jsonl");
    let identity = format!("sideDialogs/{SIDE}/dialog.yaml");
    for name in ["reminders.json", "dialog.yaml", &stack, &identity] {
        let workspace = tree();
        fs::remove_file(workspace.of_root(name)).unwrap();
        assert_eq!(assert_whole(&workspace).len(), 1, "{name}");
    }
}

#[test]
fn a_dialog_whose_state_is_unreadable_is_held() {
    let workspace = tree();
    fs::write(workspace.of_root("latest.yaml"), "- 1\n").unwrap();
    let before = contents(&workspace.at(""));
    let store = workspace.open();
    let loaded = store.load(run(), &root()).unwrap();
    let main = loaded.tree.main().unwrap();
    // A restart would let it go on by itself.
    assert!(main.latest.interruption().is_some_and(StopReason::is_failure));
    assert_eq!(loaded.problems.len(), 1);
    commit(&store, loaded.repairs).unwrap();
    assert_nothing_is_lost(&before, &workspace);
    fs::remove_file(workspace.of_root("latest.yaml")).unwrap();
    let loaded = store.load(run(), &root()).unwrap();
    assert_eq!((loaded.problems, loaded.repairs), (vec![], vec![]));
}

#[test]
fn a_finished_copy_takes_the_place_of_an_absent_file() {
    let workspace = tree();
    let latest = workspace.of_root("latest.yaml");
    fs::rename(&latest, workspace.of_root(".latest.yaml.1.ab.tmp")).unwrap();
    let store = workspace.open();
    let loaded = store.load(run(), &root()).unwrap();
    assert!(matches!(loaded.repairs.as_slice(), [TreeChange::Latest { .. }]));
    commit(&store, loaded.repairs).unwrap();
    assert!(latest.is_file());
}

#[test]
fn a_broken_line_is_set_aside_and_its_neighbours_stay() {
    let glued =
        format!("{{\"ts\":\"t\",\"type\":\"agent_words_record\",\"content\":\"to{}", say("g"));
    for (broken, lines) in [("42", 7), ("{\"ts\":", 7), ("\0\0", 7), (glued.as_str(), 8)] {
        let workspace = tree();
        let course = workspace.of_root("course-001.jsonl");
        let text = fs::read_to_string(&course).unwrap();
        fs::write(&course, text.replacen('\n', &format!("\n{broken}\n"), 1)).unwrap();
        let before = contents(&workspace.at(""));
        let problems = workspace.view().load(run(), &root()).unwrap().problems;
        assert_eq!(problems.len(), 1, "{broken:?} {problems:?}");
        assert_eq!(problems[0].line, Some(2));
        assert_eq!(contents(&workspace.at("")), before);

        let store = workspace.open();
        store.load(run(), &root()).unwrap();
        let again = store.load(run(), &root()).unwrap();
        assert_eq!(again.problems, [], "{broken:?}");
        assert_eq!(again.tree.main().unwrap().history.entries.len(), lines);
        assert_nothing_is_lost(&before, &workspace);
    }
}

#[test]
fn what_a_broken_line_holds_of_records_stays_as_it_was_written() {
    let marvel =
        |id: &str| say(id).replacen("\"genseq\":1,", "\"genseq\":1, \"marvel\":{\"ts\":2},", 1);
    let (one, two) = (marvel("one"), marvel("two"));
    let torn = "{\"ts\":\"t\",\"type\":\"agent_words_record\",\"content\":\"to";
    for broken in [format!("{one}{two}"), format!("{torn}{one}{two}"), format!("{one}{torn}{two}")]
    {
        let workspace = tree();
        let course = workspace.of_root("course-001.jsonl");
        let text = fs::read_to_string(&course).unwrap();
        fs::write(&course, text.replacen('\n', &format!("\n{broken}\n"), 1)).unwrap();
        let before = contents(&workspace.at(""));
        let copied = workspace.view().lines(run(), &DialogId::main(root()), Course::FIRST).unwrap();
        assert_eq!((&copied[1].text, &copied[2].text), (&one, &two), "{broken}");
        workspace.open().load(run(), &root()).unwrap();
        let expected = text.replacen('\n', &format!("\n{one}\n{two}\n"), 1);
        assert_eq!(fs::read_to_string(&course).unwrap(), expected, "{broken}");
        assert_nothing_is_lost(&before, &workspace);
    }
}

#[test]
fn an_identity_that_is_rebuilt_keeps_the_keys_of_a_newer_writer() {
    let workspace = tree();
    let path = workspace.of_root("dialog.yaml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("agentId: lead\n"), "{text}");
    fs::write(&path, text.replace("agentId: lead\n", "marvel: 1\n")).unwrap();
    workspace.open().load(run(), &root()).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.contains("agentId: lead\n") && written.contains("marvel: 1\n"), "{written}");
}

#[test]
fn b12_a_torn_tail_is_cut_by_the_next_append_after_a_copy() {
    let whole = say("tail");
    for (tail, kept) in
        [("{\"ts\":\"t\",\"type\":\"agent_wo", false), ("\0\0\0\0", false), (whole.as_str(), true)]
    {
        let workspace = tree();
        let course = workspace.of_root("course-001.jsonl");
        let text = fs::read_to_string(&course).unwrap();
        fs::write(&course, format!("{text}{tail}")).unwrap();
        let before = contents(&workspace.at(""));
        let store = workspace.open();
        let problems = store.load(run(), &root()).unwrap().problems;
        assert_eq!(problems.is_empty(), kept, "{tail:?}");
        let facts = commit(&store, vec![append(&main_id(), &[&say("z")])]).unwrap().facts;
        assert_eq!(facts[0].line(), 7 + usize::from(kept));
        let expected = if kept { format!("{text}{tail}\n") } else { text };
        assert_eq!(
            fs::read_to_string(&course).unwrap(),
            format!("{expected}{}\n", facts[0].entry().line())
        );
        assert_nothing_is_lost(&before, &workspace);
        assert_eq!(workspace.at(".tui/salvage").exists(), !kept);
    }
}

#[test]
fn nothing_but_regular_files_is_opened() {
    let workspace = tree();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("course.jsonl");
    fs::rename(workspace.of_root("course-001.jsonl"), &target).unwrap();
    symlink(&target, workspace.of_root("course-001.jsonl")).unwrap();
    fs::remove_file(workspace.of_root("q4h.yaml")).unwrap();
    fs::create_dir(workspace.of_root("q4h.yaml")).unwrap();
    symlink(".", workspace.at("run/loop")).unwrap();
    let text = fs::read(&target).unwrap();
    let store = workspace.open();
    let loaded = store.load(run(), &root()).unwrap();
    let main = loaded.tree.main().unwrap();
    assert!(main.latest.interruption().is_some());
    assert_eq!(loaded.problems.len(), 2, "{:?}", loaded.problems);
    commit(&store, loaded.repairs).unwrap();
    assert!(commit(&store, vec![append(&main_id(), &[FINISH])]).is_err());
    assert!(store.page(run(), &DialogId::main(root()), Course::FIRST, None, 9).is_err());
    assert_eq!(fs::read(&target).unwrap(), text);
    let survey = store.survey(&[run()]);
    assert_eq!(survey.trees.len(), 1);
    assert!(survey.problems.iter().any(|problem| problem.path.ends_with("loop")));
}

#[test]
fn a_tree_nobody_can_tell_the_owner_of_is_set_aside_and_can_come_back() {
    let workspace = Workspace::new();
    {
        let store = workspace.open();
        commit(&store, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    }
    let identity = fs::read(workspace.of_root("dialog.yaml")).unwrap();
    fs::write(workspace.of_root("dialog.yaml"), "hello\n").unwrap();
    let before = contents(&workspace.at("run"));
    let viewed = workspace.view();
    assert!(matches!(viewed.load(run(), &root()), Err(StoreError::Damaged(_))));
    let survey = viewed.survey(&Bucket::ALL);
    assert!(survey.trees.is_empty() && survey.problems[0].text.to_string().contains(ROOT));
    assert_eq!(contents(&workspace.at("run")), before);

    let store = workspace.open();
    let Err(StoreError::Damaged(problem)) = store.load(run(), &root()) else {
        panic!("the tree is damaged");
    };
    assert!(problem.text.to_string().contains("quarantined"), "{problem}");
    assert!(workspace.at("malformed").join(ROOT).is_dir());
    assert!(workspace.at(".tui/quarantine.jsonl").is_file());
    assert!(store.examine().iter().any(|problem| problem.text.to_string().contains(ROOT)));
    assert_nothing_is_lost(&before, &workspace);
    fs::write(workspace.at("malformed").join(ROOT).join("dialog.yaml"), identity).unwrap();
    store.restore(ROOT).unwrap();
    assert_eq!(store.load(run(), &root()).unwrap().problems, []);
}

#[test]
fn an_unreadable_file_is_not_damage() {
    let workspace = tree();
    let before = contents(&workspace.at("run"));
    let disk = FaultyDisk::new(DiskFault::Unreadable("course-001.jsonl"));
    let store = workspace.open_on(Arc::new(disk)).unwrap();
    assert!(matches!(store.load(run(), &root()), Err(StoreError::Io { .. })));
    let survey = store.survey(&[run()]);
    assert!(survey.problems[0].text.to_string().contains("unreadable now"));
    assert_eq!(contents(&workspace.at("run")), before);
}

#[test]
fn the_courses_decide_which_questions_are_open() {
    let cleared = r#"{"ts":"t","type":"questions4human_reconciled_record","questions":[]}"#;
    let refused = ASK.replace("tellask_call_start", "func_call_requested");
    let question = "questions:\n  - id: x\n    tellaskContent: hand-written\n    askedAt: t\n    callId: CALL\n    callSiteRef: {course: 1, messageIndex: 3}\nupdatedAt: t\n";
    for (lines, file, expected) in [
        (vec![ASK], None, vec!["Which db?"]),
        (vec![ASK], Some("q"), vec!["hand-written"]),
        (vec![ASK, ANSWER], Some("q"), vec![]),
        (vec![ASK, ANSWER], None, vec![]),
        (vec![ANSWER], Some("q"), vec![]),
        (vec![ASK, cleared], Some("q"), vec![]),
        (vec![refused.as_str()], Some("q"), vec![]),
        (vec![START], Some("elsewhere"), vec!["hand-written"]),
        (vec![ASK], Some("elsewhere"), vec!["hand-written", "Which db?"]),
    ] {
        let workspace = Workspace::new();
        let store = workspace.open();
        commit(&store, vec![create_main(), append(&main_id(), &lines)]).unwrap();
        if let Some(call) = file {
            fs::write(workspace.of_root("q4h.yaml"), question.replace("CALL", call)).unwrap();
        }
        let loaded = store.load(run(), &root()).unwrap();
        let open: Vec<_> = loaded
            .tree
            .main()
            .unwrap()
            .questions
            .iter()
            .map(|q| q.tellask_content.as_str())
            .collect();
        assert_eq!(open, expected, "{lines:?} {file:?}");
    }
}

#[test]
fn the_side_dialogs_decide_who_is_waited_for() {
    let none: Option<Vec<Pending>> = None;
    let mut ghost = waiting();
    ghost.side_dialog_id = SelfId::new("ee/ff/00000009");
    ghost.call_id = "g".into();
    ghost.session_slug = Some(Slug::new("other"));
    let mut older = waiting();
    older.call_id = "older".into();
    for (lines, file, expected, problems) in [
        (vec![TELLASK], none.clone(), vec!["s"], 0),
        (vec![TELLASK], Some(vec![waiting()]), vec!["s"], 0),
        (vec![TELLASK, REPLY], Some(vec![waiting()]), vec![], 0),
        (vec![TELLASK, REPLY], none.clone(), vec![], 0),
        (vec![TELLASK], Some(vec![older]), vec!["s"], 0),
        (vec![TELLASK], Some(vec![waiting(), waiting()]), vec!["s"], 1),
        (vec![TELLASK], Some(vec![ghost]), vec!["g", "s"], 1),
    ] {
        let workspace = Workspace::new();
        let store = workspace.open();
        let made = vec![create_main(), create_side(), append(&main_id(), &lines)];
        commit(&store, made).unwrap();
        if let Some(file) = &file {
            let text = serde_json::to_string(file).unwrap();
            fs::write(workspace.of_root("pending-sideDialogs.json"), text).unwrap();
        }
        let loaded = store.load(run(), &root()).unwrap();
        let pending = &loaded.tree.main().unwrap().pending;
        let calls: Vec<_> = pending.iter().map(|p| p.call_id.as_str()).collect();
        assert_eq!(calls, expected, "{lines:?} {file:?}");
        assert_eq!(loaded.problems.len(), problems, "{:?}", loaded.problems);
    }
}

#[test]
fn b14_a_call_id_that_stands_twice_holds_its_dialog_and_is_named() {
    const RESULT: &str = r#"{"ts":"t","type":"func_result_record","genseq":1,"id":"c","name":"tellask","content":"waits"}"#;
    const REPLY: &str = r#"{"ts":"t","type":"tellask_result_record","callId":"c","callName":"tellask","status":"completed","content":"x","responder":{"responderId":"dev"},"call":{"tellaskContent":"?"}}"#;
    for lines in [[TELLASK, TELLASK], [RESULT, RESULT], [REPLY, REPLY]] {
        let workspace = Workspace::new();
        let store = workspace.open();
        commit(&store, vec![create_main(), append(&main_id(), &lines)]).unwrap();
        let loaded = store.load(run(), &root()).unwrap();
        let main = loaded.tree.main().unwrap();
        let reason = main.latest.interruption().map(StopReason::message).unwrap_or_default();
        assert!(reason.to_string().contains("stands twice"), "{reason:?}");
        let [problem] = loaded.problems.as_slice() else { panic!("{:?}", loaded.problems) };
        assert_eq!((problem.line, problem.path.ends_with("course-001.jsonl")), (Some(2), true));
    }
}

const SIDE_STACK: &str = "sideDialogs/cc/dd/00000002/asker-stack.jsonl";

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(150))]
    #[test]
    fn whatever_bytes_a_file_holds_the_tree_is_read_or_named(
        which in 0..8_usize,
        at in 0..1000_usize,
        cut in 0..40_usize,
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..40),
    ) {
        let names = [
            "dialog.yaml",
            "latest.yaml",
            "q4h.yaml",
            "registry.yaml",
            "reminders.json",
            "pending-sideDialogs.json",
            "course-001.jsonl",
            SIDE_STACK,
        ];
        let workspace = tree();
        let path = workspace.of_root(names[which]);
        let mut content = fs::read(&path).unwrap();
        let from = content.len() * at / 1000;
        let to = (from + cut).min(content.len());
        content.splice(from..to, bytes);
        fs::write(&path, content).unwrap();
        let before = contents(&workspace.at(""));
        let store = workspace.open();
        let survey = store.survey(&[run()]);
        proptest::prop_assert!(survey.trees.len() == 1 || !survey.problems.is_empty());
        if let Ok(loaded) = store.load(run(), &root()) {
            commit(&store, loaded.repairs).unwrap();
            let course = loaded.tree.main().unwrap().history.course;
            let entries = vec![std::sync::Arc::new(Entry::parse(FINISH).unwrap())];
            commit(&store, vec![TreeChange::Append { dialog: main_id(), course, entries }]).unwrap();
        }
        assert_nothing_is_lost(&before, &workspace);
    }
}

#[test]
fn a_question_whose_call_is_damaged_is_kept_as_a_copy() {
    let workspace = tree();
    let course = workspace.of_root("course-001.jsonl");
    let text = fs::read_to_string(&course).unwrap();
    fs::write(&course, text.replace("\"askHuman\"", "\"ask Human\"")).unwrap();
    let before = contents(&workspace.at(""));
    let store = workspace.open();
    let loaded = store.load(run(), &root()).unwrap();
    assert_eq!(loaded.tree.main().unwrap().questions, []);
    commit(&store, loaded.repairs).unwrap();
    assert_nothing_is_lost(&before, &workspace);
}

#[test]
fn a_stack_that_names_no_assignment_is_kept_as_a_copy() {
    let workspace = tree();
    let stack = workspace.of_root(SIDE_STACK);
    let text = fs::read_to_string(&stack).unwrap();
    fs::write(&stack, text.replace("assignmentFromAsker", "ssignmentFromAsker")).unwrap();
    let before = contents(&workspace.at(""));
    let store = workspace.open();
    let loaded = store.load(run(), &root()).unwrap();
    assert_eq!(
        loaded.tree.get(&side_id()).unwrap().stack,
        [AssignmentFrame::owing(assignment(), "replyTellask")]
    );
    commit(&store, loaded.repairs).unwrap();
    assert_nothing_is_lost(&before, &workspace);
}

#[test]
fn a_state_file_that_was_removed_does_not_come_back_from_a_copy_that_was_never_moved() {
    let workspace = tree();
    let file = workspace.at("run/aa/bb/00000001/pending-sideDialogs.json");
    // A process died before the move; the next one takes the copy for the file.
    let copy = file.with_file_name(".pending-sideDialogs.json.7.00000001.tmp");
    fs::rename(&file, &copy).unwrap();
    let store = workspace.open();
    let loaded = store.load(run(), &root()).unwrap();
    assert_eq!(loaded.tree.main().unwrap().pending, [waiting()]);
    commit(&store, loaded.repairs).unwrap();
    let answered = TreeChange::Pending { dialog: main_id(), pending: Vec::new() };
    commit(&store, vec![append(&main_id(), &[REPLY]), answered]).unwrap();
    let again = store.load(run(), &root()).unwrap();
    assert_eq!((again.repairs, copy.exists()), (vec![], false));
}

#[test]
fn shared_reminders_that_cannot_be_read_at_all_are_a_problem() {
    let workspace = Workspace::new();
    let (found, problems) = workspace.view().readable_reminders(&"../lead".into());
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert!(found.is_empty() && problem.path.starts_with(".dialogs/reminders/"), "{problem}");
    assert_translated(&problem.text);
}
