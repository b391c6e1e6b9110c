//! Trees in the layout of Dominds 1.29: read whole in every state.

use serde_json::{Value, json};

use super::*;
use crate::domain::dialogs::recent::BatchStatus;
use crate::domain::{Dialog, DialogTree, DisplayState, Layout};

const ASSIGNED: &str = r#"{"ts":"t","type":"tellask_anchor_record","genseq":1,"anchorRole":"assignment","callId":"s"}"#;
const SNAPSHOT: &str =
    r#"{"ts":"t","type":"active_callees_reconciled_record","activeCalleeDispatches":[]}"#;
const LINK: &str = r#"{"ts":"t","type":"tellask_callee_record","genseq":1,"callId":"s","calleeDialogId":"cc/dd/00000002"}"#;
const ANSWERS: &str = "answers:\n  - id: a2h-1\n    content: Dry.\n    answeredAt: t3\n    answerRef:\n      course: 1\n      \
                       genseq: 1\nupdatedAt: t3\n";

/// A `latest.yaml` with its required keys, and these.
fn latest_with(more: &Value) -> String {
    let mut file = json!({
        "currentCourse": 1, "lastModified": "2026-11-22 11:00:00", "status": "active", "generating": false,
        "displayState": { "kind": "idle_waiting_user" },
        "generationRunState": { "kind": "closed", "course": 1, "genseq": 1, "closedAt": "t" },
        "nextStep": { "nextSeq": 1, "triggers": [] },
        "tellaskCalls": { "calls": [] }, "tellaskResults": { "results": [] },
    });
    let map = file.as_object_mut().unwrap();
    map.extend(more.as_object().unwrap().clone());
    file.to_string()
}

fn at_work() -> Value {
    json!({
        "displayState": { "kind": "proceeding" }, "generating": true,
        "generationRunState": {
            "kind": "open", "course": 1, "genseq": 1, "phase": "streaming", "acceptedTriggerIds": [], "openedAt": "t",
        },
    })
}

fn stopped(reason: &str) -> Value {
    let reason = json!({ "kind": reason });
    json!({
        "displayState": { "kind": "stopped", "reason": reason, "continueEnabled": true },
        "executionMarker": { "kind": "interrupted", "reason": reason },
    })
}

fn callees(status: &str) -> String {
    let mut callee = json!({
        "callId": "s", "calleeDialogId": SIDE, "callName": "tellask", "status": status, "targetAgentId": "dev",
        "tellaskContent": "Do it.", "callType": "B", "mentionList": ["@dev"], "sessionSlug": "main", "createdAt": "t2",
    });
    if status != "pending" {
        callee["completion"] =
            json!({ "kind": "reply_tool", "resultRecordId": "tellask-result:s" });
    }
    let site = json!({ "course": 1, "genseq": 1 });
    let batch = json!({
        "batchId": "b", "callSite": site, "status": "open", "callees": [callee], "createdAt": "t2",
    });
    json!({ "batches": [batch] }).to_string()
}

/// The stack of the side dialog; `owes`: it has not replied.
fn stack(owes: bool) -> String {
    let mut frame = json!({
        "kind": "asker_dialog_stack_frame", "askerDialogId": ROOT,
        "assignmentFromAsker": {
            "callName": "tellask", "mentionList": ["@dev"], "tellaskContent": "Do it.", "originMemberId": "lead",
            "askerDialogId": ROOT, "callId": "s", "collectiveTargets": ["dev"], "callSiteCourse": 1,
            "callSiteGenseq": 1,
        },
    });
    if owes {
        frame["tellaskReplyObligation"] = json!({
            "expectedReplyCallName": "replyTellask", "targetDialogId": ROOT, "targetCallId": "s",
            "tellaskContent": "Do it.",
        });
    }
    format!("{frame}\n")
}

fn write(workspace: &Workspace, name: &str, text: &str) {
    let path = workspace.of_root(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn lines(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// A main dialog that asked one side dialog, which rests without having replied.
fn asking() -> Workspace {
    let workspace = Workspace::new();
    let identity = |id: &str, agent: &str| {
        format!(
            "id: {id}\nagentId: {agent}\ntaskDocPath: task.tsk\ncreatedAt: '2026-11-21 11:00:00'\n"
        )
    };
    write(&workspace, "dialog.yaml", &identity(ROOT, "lead"));
    write(&workspace, "latest.yaml", &latest_with(&json!({})));
    let said = say("m");
    write(&workspace, "course-001.jsonl", &lines(&[START, &said, TELLASK, LINK, FINISH]));
    write(&workspace, "active-callees.json", &callees("pending"));
    write(&workspace, "wake-queue.jsonl", "");
    let side = format!("sideDialogs/{SIDE}");
    let session = format!("{}sessionSlug: main\n", identity(SIDE, "dev"));
    write(&workspace, &format!("{side}/dialog.yaml"), &session);
    let owing = json!({ "displayState": { "kind": "proceeding" } });
    write(&workspace, &format!("{side}/latest.yaml"), &latest_with(&owing));
    write(&workspace, &format!("{side}/asker-stack.jsonl"), &stack(true));
    let told = say("a").replace("\"user\"", "\"runtime\"");
    let work = lines(&[START, &told, ASSIGNED, FINISH]);
    write(&workspace, &format!("{side}/course-001.jsonl"), &work);
    workspace
}

fn shown(workspace: &Workspace) -> DialogTree {
    let (loaded, foreign) = workspace.view().load_to_show(run(), &root()).unwrap();
    assert_eq!((foreign, loaded.tree.layout), (None, Layout::V1_29));
    loaded.tree
}

fn main_of(tree: &DialogTree) -> &Dialog {
    tree.main().unwrap()
}

#[test]
fn a_dialog_waits_for_the_calls_that_its_active_callees_name() {
    let workspace = asking();
    // Neither a list of 1.19.2 nor a callee that has replied counts.
    write(&workspace, "pending-sideDialogs.json", "{ broken");
    let tree = shown(&workspace);
    let main = main_of(&tree);
    let [waits] = main.pending.as_slice() else { panic!("{:?}", main.pending) };
    assert_eq!((waits.call_id.as_str(), waits.side_dialog_id.as_str()), ("s", SIDE));
    let recent = main.recent.as_ref().unwrap();
    assert_eq!(recent.batches[0].status, BatchStatus::Open);
    assert!(recent.state.next_step.as_ref().is_some_and(|next| next.triggers.is_empty()));
    assert_eq!(workspace.view().examine(), []);
    write(&workspace, "active-callees.json", &callees("final"));
    write(&workspace, "course-001.jsonl", &lines(&[START, TELLASK, FINISH, REPLY]));
    write(&workspace, &format!("sideDialogs/{SIDE}/asker-stack.jsonl"), &stack(false));
    assert_eq!(main_of(&shown(&workspace)).pending, []);
}

#[test]
fn each_state_is_shown_as_its_facts_are() {
    let workspace = asking();
    let listed = |latest: &Value, course: &[&str]| -> [(String, usize); 2] {
        write(&workspace, "latest.yaml", &latest_with(latest));
        write(&workspace, "course-001.jsonl", &lines(course));
        let survey = workspace.view().survey(&Bucket::ALL);
        let [tree] = survey.trees.as_slice() else { panic!("{survey:?}") };
        assert_eq!((tree.foreign, tree.layout), (None, Layout::V1_29));
        let state =
            |at: usize| (tree.dialogs[at].state.kind().to_owned(), tree.dialogs[at].pending.len());
        assert_eq!(tree.dialogs[1].asker, Some(main_id()));
        [state(0), state(1)]
    };
    let rests = ("idle_waiting_user".to_owned(), 0);
    let asked = [START, TELLASK, FINISH];
    for (latest, state) in [
        (json!({}), "blocked"),
        (stopped("user_stop"), "stopped"),
        // It waits, and what it waits for takes it up again.
        (stopped("server_restart"), "blocked"),
        (stopped("pending_runtime_prompt"), "blocked"),
        (
            json!({ "executionMarker": { "kind": "dead", "reason": { "kind": "declared_by_user" } } }),
            "dead",
        ),
    ] {
        assert_eq!(listed(&latest, &asked), [(state.to_owned(), 1), rests.clone()], "{latest}");
    }
    fs::remove_file(workspace.of_root("active-callees.json")).unwrap();
    write(&workspace, &format!("sideDialogs/{SIDE}/asker-stack.jsonl"), &stack(false));
    let idle = [START, FINISH];
    for (latest, course, state) in [
        (json!({}), &idle[..], "idle_waiting_user"),
        (json!({ "displayState": { "kind": "proceeding" } }), &idle[..], "idle_waiting_user"),
        (at_work(), &[START][..], "stopped"),
        (stopped("pending_runtime_prompt"), &idle[..], "stopped"),
        (stopped("pending_reply_obligation"), &idle[..], "stopped"),
        (
            json!({ "displayState": { "kind": "waiting_side_dialog" } }),
            &idle[..],
            "idle_waiting_user",
        ),
        (json!({}), &[START, ASK, FINISH][..], "blocked"),
    ] {
        let [main, side] = listed(&latest, course);
        assert_eq!((main, side), ((state.to_owned(), 0), rests.clone()), "{latest}");
    }
}

#[test]
fn a_dialog_that_a_guide_took_back_to_its_own_work_is_listed_as_it_is_read() {
    const GUIDE: &str = r#"{"ts":"t","type":"runtime_guide_record","content":"Go on."}"#;
    let workspace = asking();
    let course = format!("sideDialogs/{SIDE}/course-001.jsonl");
    let told = say("a").replace("\"user\"", "\"runtime\"");
    let second = |line: &str| line.replace("\"genseq\":1", "\"genseq\":2");
    let third = |line: &str| line.replace("\"genseq\":1", "\"genseq\":3");
    let talk = [second(START), second(&say("b")), second(FINISH)];
    let own = [third(START), third(FINISH)];
    let talked =
        [START, &told, ASSIGNED, FINISH].into_iter().chain(talk.iter().map(String::as_str));
    let guided = talked.clone().chain([GUIDE]).chain(own.iter().map(String::as_str));
    for (records, state) in
        [(talked.collect::<Vec<_>>(), "stopped"), (guided.collect(), "idle_waiting_user")]
    {
        write(&workspace, &course, &lines(&records));
        let survey = workspace.view().survey(&Bucket::ALL);
        assert_eq!(survey.trees[0].dialogs[1].state.kind(), state);
        let tree = shown(&workspace);
        let side = tree.get(&SelfId::new(SIDE)).unwrap();
        assert_eq!(side.latest.display_state.as_ref().map(DisplayState::kind), Some(state));
    }
}

#[test]
fn what_a_dialog_told_a_person_is_listed_until_it_is_acknowledged() {
    let workspace = asking();
    let listed = || {
        let survey = workspace.view().survey(&[Bucket::Run]);
        let dialogs = survey.trees.into_iter().flat_map(|tree| tree.dialogs);
        dialogs
            .flat_map(|dialog| dialog.human_answers)
            .map(|answer| answer.content)
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(), Vec::<String>::new());
    write(&workspace, "a2h.yaml", ANSWERS);
    assert_eq!(listed(), ["Dry."]);
    let tree = shown(&workspace);
    assert_eq!(main_of(&tree).recent.as_ref().unwrap().human_answers[0].id, "a2h-1");
}

#[test]
fn a_file_of_mere_snapshots_begins_no_course() {
    let workspace = asking();
    let side = format!("sideDialogs/{SIDE}/course-002.jsonl");
    write(&workspace, &side, &lines(&[SNAPSHOT]));
    let tree = shown(&workspace);
    assert_eq!(tree.get(&side_id()).unwrap().history.course, Course::FIRST);
}

#[test]
fn a_dialog_sees_the_reminders_of_its_member_and_of_its_task() {
    let workspace = asking();
    let reminder = |id: &str, scope: &str| {
        json!({ "id": id, "content": id, "scope": scope, "createdAt": "t", "priority": "high" })
            .to_string()
    };
    for (name, scope) in [
        ("agents/lead/one.json", "agent"),
        ("agents/lead/two.json", "runtime"),
        ("agent_tasks/lead/crc32-cecab405/three.json", "task"),
        ("agent_tasks/lead/crc32-00000000/other.json", "task"),
        ("agents/dev/other.json", "agent"),
        ("lead/other.json", "personal"),
    ] {
        let path = workspace.at("reminders").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let id = path.file_stem().unwrap().to_string_lossy().into_owned();
        fs::write(&path, reminder(&id, scope)).unwrap();
    }
    let tree = shown(&workspace);
    let meta = &main_of(&tree).meta;
    let ids = |layout: Layout| {
        let (found, problems) = workspace.view().shared_reminders(layout, meta).unwrap();
        assert_eq!(problems, []);
        found.into_iter().map(|reminder| reminder.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Layout::V1_29), ["one", "three", "two"]);
    assert_eq!(ids(Layout::V1_19), ["other"]);
    let (found, _) = workspace.view().shared_reminders(Layout::V1_29, meta).unwrap();
    let scopes: Vec<&str> = found.iter().map(|reminder| reminder.scope.as_str()).collect();
    assert_eq!(scopes, ["personal", "task", "agent_shared"], "in the words of the domain");
}

#[test]
fn hostile_and_cut_files_are_named_and_a_copy_is_kept_of_what_is_replaced() {
    let deep = "[".repeat(5000);
    for name in ["latest.yaml", "active-callees.json", "a2h.yaml"] {
        let workspace = asking();
        write(&workspace, "a2h.yaml", ANSWERS);
        let whole = fs::read_to_string(workspace.of_root(name)).unwrap();
        let cuts = (1..8).filter_map(|part| whole.get(..whole.len() * part / 8));
        let hostile = ["", "null", "\u{0}", "{\"batches\":[{}]}", "answers: [5]\n", deep.as_str()];
        for text in cuts.chain(hostile) {
            let workspace = asking();
            write(&workspace, "a2h.yaml", ANSWERS);
            write(&workspace, name, text);
            let before = contents(&workspace.at("run"));
            let survey = workspace.view().survey(&[Bucket::Run]);
            let is_named = survey.problems.iter().any(|problem| problem.path.contains(name));
            assert!(is_named, "{name} {text:?}: {survey:?}");
            assert!(!workspace.view().examine().is_empty());
            let _ = workspace.view().load_to_show(run(), &root());
            assert_eq!(contents(&workspace.at("run")), before, "{name} {text:?}");
            let store = workspace.open();
            let Ok(loaded) = store.load(run(), &root()) else { continue };
            commit(&store, loaded.repairs).unwrap();
            let again = fs::read_to_string(workspace.of_root(name)).unwrap_or_default();
            let kept = contents(&workspace.at(".tui/salvage"));
            let is_kept = kept.iter().any(|(_, bytes)| bytes.as_deref() == Some(text.as_bytes()));
            assert!(again == text || is_kept, "{name} {text:?}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_file_is_named() {
    let twice = callees("pending").replace("\"callees\":[", "\"callees\":[{\"callId\":1},");
    let nothing = latest_with(&json!({ "userWait": null }));
    for (name, text) in [
        ("active-callees.json", twice.as_str()),
        ("a2h.yaml", "answers: []\n"),
        ("latest.yaml", nothing.as_str()),
        ("course-001.jsonl", "no record\n"),
    ] {
        let workspace = asking();
        write(&workspace, name, text);
        let found = workspace.view().examine();
        assert!(found.iter().any(|problem| problem.path.ends_with(name)), "{name}: {found:?}");
    }
}

#[test]
fn a_dialog_whose_state_tells_no_layout_is_read_by_its_other_files() {
    let workspace = asking();
    let of_side = format!("sideDialogs/{SIDE}/latest.yaml");
    for name in ["latest.yaml", of_side.as_str()] {
        fs::remove_file(workspace.of_root(name)).unwrap();
    }
    let tree = shown(&workspace);
    assert_eq!(main_of(&tree).pending.len(), 1);
    assert_eq!(main_of(&tree).latest.display_state, None::<DisplayState>);
}
