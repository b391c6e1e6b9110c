//! Trees in the layout of Dominds 1.29 that are written: the derived parts change in the commit of what they are derived
//! from, and another reading finds them as they should be.

use serde_json::{Value, json};

use super::*;
use crate::domain::asking::question::{CallSite, Question};
use crate::domain::dialogs::reminder::{AGENT_SHARED, PERSONAL, SharedEdit, TASK};
use crate::domain::{DialogId, Genseq, HumanAnswer, Layout, Reminder};
use crate::store::disk::faulty_disk::{DiskFault, FaultyDisk};

const SECOND: &str = r#"{"ts":"t9","type":"gen_start_record","genseq":2}"#;
const ASSIGNED: &str = r#"{"ts":"t","type":"tellask_call_anchor_record","genseq":1,"anchorRole":"assignment","callId":"s"}"#;
const REPLY_CALL: &str = r#"{"ts":"t6","type":"tellask_call_record","genseq":1,"id":"r","name":"replyTellask","rawArgumentsText":"{\"replyContent\":\"done\"}","deliveryMode":"func_call_requested"}"#;
const RESOLVED: &str = r#"{"ts":"t7","type":"tellask_reply_resolution_record","genseq":1,"callId":"r","replyCallName":"replyTellask","targetCallId":"s"}"#;
const DELIVERED: &str = r#"{"ts":"t7","type":"tellask_call_anchor_record","genseq":1,"anchorRole":"response","callId":"s","assignmentCourse":1,"assignmentGenseq":1,"askerDialogId":"aa/bb/00000001","askerCourse":1}"#;
const RECEIPT: &str = r#"{"ts":"t8","type":"func_result_record","genseq":1,"id":"r","name":"replyTellask","content":"delivered"}"#;

pub(super) fn store(workspace: &Workspace) -> Store {
    workspace.open().with_new_trees_in(Some(Layout::V1_29))
}

fn file(workspace: &Workspace, name: &str) -> Value {
    let text = fs::read_to_string(workspace.of_root(name)).unwrap_or_default();
    crate::yaml::parse(&text).unwrap_or_default()
}

fn state(workspace: &Workspace) -> Value {
    file(workspace, "latest.yaml")
}

fn side_state(workspace: &Workspace) -> Value {
    file(workspace, &format!("sideDialogs/{SIDE}/latest.yaml"))
}

fn waits_for(pending: Vec<Pending>) -> TreeChange {
    TreeChange::Pending { dialog: main_id(), pending }
}

fn asks(questions: Vec<Question>) -> TreeChange {
    TreeChange::Questions { dialog: main_id(), questions }
}

fn question() -> Question {
    let course = Course::FIRST;
    let call_site_genseq = Some(Genseq(1));
    let extra = serde_json::Map::new();
    let site = CallSite { course, message_index: 0, call_site_genseq, extra };
    Question::new(&DialogId::main(root()), &"q".into(), "Which db?", Stamp::new("t1"), site)
}

/// A main dialog that asked a side dialog, in a generation that has ended.
fn asking(workspace: &Workspace) -> Store {
    let store = store(workspace);
    commit(&store, vec![create_main(), append(&main_id(), &[START, &say("m")])]).unwrap();
    let asked =
        vec![create_side(), append(&main_id(), &[TELLASK, FINISH]), waits_for(vec![waiting()])];
    commit(&store, asked).unwrap();
    store
}

/// What another process reads of the derived parts agrees with their files.
pub(super) fn is_whole(workspace: &Workspace) {
    let (loaded, foreign) = workspace.view().load_to_show(run(), &root()).unwrap();
    assert_eq!((loaded.tree.layout, foreign), (Layout::V1_29, None));
    let is_derived = |change: &TreeChange| {
        matches!(change, TreeChange::Latest { .. } | TreeChange::Pending { .. })
    };
    assert!(!loaded.repairs.iter().any(is_derived), "{:?}", loaded.repairs);
}

#[test]
fn each_file_has_the_keys_that_dominds_demands_from_the_beginning() {
    let workspace = Workspace::new();
    let store = store(&workspace);
    commit(&store, vec![create_main()]).unwrap();
    let made = state(&workspace);
    assert_eq!(made["nextStep"], json!({ "nextSeq": 1, "triggers": [] }));
    assert_eq!(made["tellaskCalls"], json!({ "calls": [] }));
    assert_eq!(made["tellaskResults"], json!({ "results": [] }));
    assert_eq!(made["disableDiligencePush"], false);
    is_whole(&workspace);
}

#[test]
fn the_goal_is_on_the_medium_and_tells_the_layout_where_latest_yaml_is_lost() {
    let workspace = Workspace::new();
    let disk = Arc::new(FaultyDisk::new(DiskFault::Never));
    let store = workspace.open_on(disk.clone()).unwrap();
    let store = store.with_new_trees_in(Some(Layout::V1_29));
    commit(&store, vec![create_main()]).unwrap();
    let synced = disk.log().len();
    let goal = Reminder::new("mainDialogGoal".to_owned(), "Ship it.".to_owned(), Stamp::new("t"));
    let reminders = TreeChange::Reminders { dialog: main_id(), reminders: vec![goal] };
    let changes = vec![append(&main_id(), &[START]), reminders];
    let batch = Batch { root: root(), changes, durable: false };
    assert!(store.waits_while_writing(&batch));
    store.commit(batch).unwrap().sync().unwrap();
    assert_eq!(disk.log().len(), synced + 1);
    drop(store);
    fs::write(workspace.of_root("latest.yaml"), "").unwrap();
    let loaded = workspace.view().load_to_show(run(), &root()).unwrap().0;
    assert_eq!(loaded.tree.layout, Layout::V1_29);
}

#[test]
fn a_question_and_the_wait_for_a_person_come_and_go_together() {
    let workspace = Workspace::new();
    let store = store(&workspace);
    commit(&store, vec![create_main(), append(&main_id(), &[START, &say("m")])]).unwrap();
    commit(&store, vec![append(&main_id(), &[ASK, FINISH]), asks(vec![question()])]).unwrap();
    let asked = state(&workspace);
    assert_eq!(asked["userWait"]["callId"], "q");
    assert_eq!(asked["userWait"]["kind"], "awaiting_user_answer");
    assert_eq!(asked["tellaskCalls"]["calls"][0]["callRecordId"], "tellask-call:q");
    assert_eq!(asked["generationRunState"]["kind"], "closed");
    is_whole(&workspace);
    commit(&store, vec![append(&main_id(), &[ANSWER]), asks(Vec::new())]).unwrap();
    let answered = state(&workspace);
    assert_eq!(answered.get("userWait"), None);
    assert_eq!(answered["tellaskResults"]["results"][0]["resultRecordId"], "tellask-result:q");
    assert!(!workspace.of_root("q4h.yaml").exists());
    is_whole(&workspace);
}

#[test]
fn a_batch_lives_from_its_calls_to_the_generation_that_takes_the_replies() {
    let workspace = Workspace::new();
    let store = asking(&workspace);
    let open = file(&workspace, "active-callees.json");
    let batch = &open["batches"][0];
    assert_eq!(batch["batchId"], format!("dispatch:{ROOT}:{ROOT}:c1:g1"));
    assert_eq!(
        (&batch["status"], &batch["callees"][0]["status"]),
        (&json!("open"), &json!("pending"))
    );
    assert_eq!(batch["callees"][0]["calleeDialogId"], SIDE);
    assert_eq!(state(&workspace)["tellaskCalls"]["calls"][0]["callId"], "s");
    is_whole(&workspace);
    commit(&store, vec![append(&main_id(), &[REPLY]), waits_for(Vec::new())]).unwrap();
    let replied = file(&workspace, "active-callees.json");
    let batch = &replied["batches"][0];
    assert_eq!(
        (&batch["status"], &batch["callees"][0]["status"]),
        (&json!("resolved"), &json!("final"))
    );
    let trigger = &state(&workspace)["nextStep"]["triggers"][0];
    assert_eq!((&trigger["kind"], &trigger["seq"]), (&json!("result_arrival"), &json!(1)));
    assert_eq!(trigger["batchId"], batch["batchId"]);
    is_whole(&workspace);
    commit(&store, vec![append(&main_id(), &[SECOND])]).unwrap();
    assert!(!workspace.of_root("active-callees.json").exists());
    let begun = state(&workspace);
    assert_eq!(begun["nextStep"], json!({ "nextSeq": 2, "triggers": [] }));
    let run = &begun["generationRunState"];
    assert_eq!(
        (&run["kind"], &run["genseq"], &run["openedAt"]),
        (&json!("open"), &json!(2), &json!("t9"))
    );
    assert_eq!(run["acceptedTriggerIds"], json!([trigger["triggerId"]]));
    is_whole(&workspace);
}

#[test]
fn an_assignment_says_where_it_was_asked_for_and_a_reply_where_it_went() {
    let workspace = Workspace::new();
    let store = asking(&workspace);
    let stack =
        fs::read_to_string(workspace.of_root(&format!("sideDialogs/{SIDE}/asker-stack.jsonl")));
    let frame: Value = serde_json::from_str(stack.unwrap().trim()).unwrap();
    let assigned = &frame["assignmentFromAsker"];
    assert_eq!((&assigned["callSiteCourse"], &assigned["callSiteGenseq"]), (&json!(1), &json!(1)));
    commit(&store, vec![append(&side_id(), &[START, &say("a"), ASSIGNED])]).unwrap();
    assert_eq!(side_state(&workspace)["latestAssignmentAnchor"]["callId"], "s");
    let mut delivered = AssignmentFrame::owing(assignment(), "replyTellask");
    delivered.tellask_reply_obligation = None;
    let reply = vec![
        append(&side_id(), &[REPLY_CALL]),
        append(&main_id(), &[REPLY]),
        waits_for(Vec::new()),
        append(&side_id(), &[RESOLVED, DELIVERED]),
        TreeChange::Stack { dialog: side_id(), stack: vec![delivered] },
        append(&side_id(), &[RECEIPT, FINISH]),
    ];
    commit(&store, reply).unwrap();
    let side = side_state(&workspace);
    let delivery = &side["replyDelivery"];
    assert_eq!(
        (&delivery["status"], &delivery["toolResultStatus"]),
        (&json!("delivered"), &json!("recorded"))
    );
    assert_eq!(
        (&delivery["targetDialogId"], &delivery["replyContent"]),
        (&json!(ROOT), &json!("done"))
    );
    assert_eq!(side["sideDialogFinalResponse"]["askerDialogId"], ROOT);
    assert_eq!(side["nextStep"]["triggers"], json!([]));
    let course =
        fs::read_to_string(workspace.of_root(&format!("sideDialogs/{SIDE}/course-001.jsonl")));
    let course = course.unwrap();
    assert!(course.contains("\"tellask_anchor_record\""), "{course}");
    assert!(!course.contains("\"tellask_call_anchor_record\""), "{course}");
    is_whole(&workspace);
}

#[test]
fn words_that_are_delivered_as_a_reply_end_their_call_without_a_reply_tool() {
    let workspace = Workspace::new();
    let store = asking(&workspace);
    commit(&store, vec![append(&side_id(), &[START, &say("a"), ASSIGNED, FINISH])]).unwrap();
    let mut delivered = AssignmentFrame::owing(assignment(), "replyTellask");
    delivered.tellask_reply_obligation = None;
    let resolved = RESOLVED.replace("\"r\"", "\"direct-fallback-x\"");
    let reply = vec![
        append(&main_id(), &[REPLY]),
        waits_for(Vec::new()),
        append(&side_id(), &[resolved.as_str(), DELIVERED]),
        TreeChange::Stack { dialog: side_id(), stack: vec![delivered] },
    ];
    commit(&store, reply).unwrap();
    let callees = file(&workspace, "active-callees.json");
    let completion = json!({
        "kind": "direct_fallback", "memo": "direct-fallback:saying", "resultRecordId": "tellask-result:s",
    });
    assert_eq!(callees["batches"][0]["callees"][0]["completion"], completion);
    let side = side_state(&workspace);
    let [assigned, replied] = ["latestAssignmentAnchor", "sideDialogFinalResponse"];
    assert_eq!((&side[assigned]["callId"], &side[replied]["callId"]), (&json!("s"), &json!("s")));
    assert_eq!(side.get("replyDelivery"), None);
    is_whole(&workspace);
}

#[test]
fn what_dominds_makes_anew_is_removed_and_unknown_keys_stay() {
    let workspace = Workspace::new();
    drop(asking(&workspace));
    let latest = fs::read_to_string(workspace.of_root("latest.yaml")).unwrap();
    fs::write(workspace.of_root("latest.yaml"), format!("{latest}marvel: 1\n")).unwrap();
    let mut callees = file(&workspace, "active-callees.json");
    callees["marvel"] = json!(2);
    callees["batches"][0]["callees"][0]["marvel"] = json!(3);
    fs::write(workspace.of_root("active-callees.json"), callees.to_string()).unwrap();
    fs::write(workspace.of_root("wake-queue.jsonl"), "{ broken").unwrap();
    let strange = r#"{"ts":"t","type":"hologram_record","x": [1, 2]}"#;
    let store = store(&workspace);
    let loaded = store.load(run(), &root()).unwrap();
    let latest = Box::new(loaded.tree.main().unwrap().latest.clone());
    let changes = vec![
        TreeChange::Latest { dialog: main_id(), latest },
        waits_for(loaded.tree.main().unwrap().pending.clone()),
        append(&main_id(), &[strange]),
    ];
    commit(&store, changes).unwrap();
    assert!(!workspace.of_root("wake-queue.jsonl").exists());
    assert_eq!(state(&workspace)["marvel"], 1);
    assert_eq!(file(&workspace, "active-callees.json"), callees);
    let course = fs::read_to_string(workspace.of_root("course-001.jsonl")).unwrap();
    assert!(course.lines().any(|line| line == strange), "{course}");
}

#[test]
fn a_tree_that_this_process_has_not_loaded_is_written_in_its_own_layout() {
    let workspace = Workspace::new();
    drop(asking(&workspace));
    let store = workspace.open().with_new_trees_in(Some(Layout::V1_19));
    commit(&store, vec![append(&main_id(), &[REPLY]), waits_for(Vec::new())]).unwrap();
    assert_eq!(state(&workspace)["nextStep"]["triggers"][0]["kind"], "result_arrival");
    assert!(!workspace.of_root("pending-sideDialogs.json").exists());
    is_whole(&workspace);
}

#[test]
fn a_damaged_tree_that_this_process_has_not_loaded_is_written_in_no_layout() {
    let workspace = Workspace::new();
    let made = store(&workspace);
    commit(&made, vec![create_main(), append(&main_id(), &[START])]).unwrap();
    drop(made);
    fs::write(workspace.of_root("dialog.yaml"), "hello\n").unwrap();
    let before = contents(&workspace.at("run"));
    for layout in Layout::ALL {
        let store = workspace.open().with_new_trees_in(Some(layout));
        let refused = commit(&store, vec![append(&main_id(), &[FINISH])]);
        assert!(matches!(refused, Err(StoreError::Damaged(_))), "{layout:?}: {refused:?}");
        assert_eq!(contents(&workspace.at("run")), before, "{layout:?}");
    }
}

#[test]
fn what_a_dialog_told_a_person_goes_with_its_file_when_all_of_it_is_acknowledged() {
    let workspace = Workspace::new();
    let store = asking(&workspace);
    let answer = |id: &str| -> HumanAnswer {
        let answer = json!({
            "id": id, "content": "Dry.", "answeredAt": "t", "answerRef": { "course": 1, "genseq": 1 }, "marvel": 1,
        });
        serde_json::from_value(answer).unwrap()
    };
    let told = |answers| TreeChange::HumanAnswers { dialog: main_id(), answers };
    commit(&store, vec![told(vec![answer("a"), answer("b")])]).unwrap();
    let both = file(&workspace, "a2h.yaml");
    assert_eq!(
        (&both["answers"][1]["id"], &both["answers"][1]["marvel"]),
        (&json!("b"), &json!(1))
    );
    assert!(both["updatedAt"].is_string());
    commit(&store, vec![told(Vec::new())]).unwrap();
    assert!(!workspace.of_root("a2h.yaml").exists());
}

#[test]
fn shared_reminders_are_in_the_places_and_scopes_of_their_layout() {
    let workspace = Workspace::new();
    let store = asking(&workspace);
    let add = |id: &str, scope: &str| {
        let new = Reminder::new(id.to_owned(), String::new(), Stamp::new("t"));
        let reminder = Box::new(Reminder { scope: scope.to_owned(), ..new });
        TreeChange::Shared { agent: "lead".into(), edit: SharedEdit::Add(reminder) }
    };
    commit(&store, vec![add("one", PERSONAL), add("two", AGENT_SHARED), add("three", TASK)])
        .unwrap();
    let scope = |name: &str| {
        let text = fs::read_to_string(workspace.at("reminders").join(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["scope"].clone()
    };
    assert_eq!(scope("agents/lead/one.json"), "agent");
    assert_eq!(scope("agents/lead/two.json"), "runtime");
    assert_eq!(scope("agent_tasks/lead/crc32-cecab405/three.json"), "task");
    let remove = |id: &str| TreeChange::Shared {
        agent: "lead".into(),
        edit: SharedEdit::Remove { id: id.to_owned() },
    };
    commit(&store, vec![remove("three")]).unwrap();
    assert!(!workspace.at("reminders/agent_tasks/lead/crc32-cecab405/three.json").exists());
}

#[test]
fn indexes_that_a_kill_left_short_are_filled_when_the_tree_is_taken_up() {
    let workspace = Workspace::new();
    drop(asking(&workspace));
    let mut short = state(&workspace);
    short["tellaskCalls"] = json!({ "calls": [] });
    short["generationRunState"] = json!({
        "kind": "open", "course": 1, "genseq": 1, "phase": "streaming", "acceptedTriggerIds": [], "openedAt": "t",
    });
    fs::write(workspace.of_root("latest.yaml"), short.to_string()).unwrap();
    let store = store(&workspace);
    let loaded = store.load(run(), &root()).unwrap();
    assert!(!loaded.repairs.is_empty());
    commit(&store, loaded.repairs).unwrap();
    let filled = state(&workspace);
    assert_eq!(filled["tellaskCalls"]["calls"][0]["callId"], "s");
    assert_eq!(filled["generationRunState"]["kind"], "closed");
    is_whole(&workspace);
}

#[test]
fn a_reply_that_is_recorded_behind_the_start_of_the_generation_that_took_it_is_read_already() {
    for (taken, unread) in [(true, 0), (false, 1)] {
        let workspace = Workspace::new();
        let store = asking(&workspace);
        commit(&store, vec![append(&main_id(), &[SECOND, REPLY]), waits_for(Vec::new())]).unwrap();
        drop(store);
        if taken {
            fs::remove_file(workspace.of_root("active-callees.json")).unwrap();
        }
        let (loaded, _) = workspace.view().load_to_show(run(), &root()).unwrap();
        let main = loaded.tree.main().unwrap();
        assert_eq!((main.history.unread.len(), main.pending.len()), (unread, 0), "{taken}");
    }
}
