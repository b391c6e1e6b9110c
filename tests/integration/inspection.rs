//! The command line's report on dialogs that stand still: a main dialog that waits for a side dialog,
//! which waits for a human, and one that stopped on a failure.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::wait::output;

const MAIN: &str = ".dialogs/run/aa/bb/00000001";
const SIDE: &str = ".dialogs/run/aa/bb/00000001/sideDialogs/cc/dd/00000002";
const STOPPED: &str = ".dialogs/run/ee/ff/00000003";
const QUESTION: &str = "q4h-aa/bb/00000001-cc/dd/00000002-c1-q1";

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    let mut private = DirBuilder::new();
    private.recursive(true).mode(0o700).create(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, text).expect("a file");
}

fn latest(more: &str) -> String {
    format!(
        "currentCourse: 1\nlastModified: 2026-11-21 12:00:05\nstatus: active\ngenerating: false\n{more}"
    )
}

fn identity(id: &str, agent: &str, more: &str) -> String {
    format!(
        "id: {id}\nagentId: {agent}\ntaskDocPath: task.tsk\ncreatedAt: 2026-11-21 12:00:00\n{more}"
    )
}

/// Records of one generation; `records` stand between its start and its end.
fn course(records: &[Value]) -> String {
    let anchored = |mut record: Value| {
        if let Some(fields) = record.as_object_mut() {
            fields.insert("ts".to_owned(), json!("2026-11-21 12:00:01"));
            fields.insert("genseq".to_owned(), json!(1));
            fields.insert("rootCourse".to_owned(), json!(1));
            fields.insert("rootGenseq".to_owned(), json!(1));
        }
        format!("{record}\n")
    };
    let health = json!({"kind": "unavailable", "reason": "usage_unavailable"});
    let start = json!({"type": "gen_start_record"});
    let end = json!({"type": "gen_finish_record", "contextHealth": health});
    let all = [start].into_iter().chain(records.iter().cloned()).chain([end]);
    all.map(anchored).collect()
}

/// The call that is pending, and the assignment it became.
fn tellask() -> (Value, Value) {
    let pending = json!([{
        "sideDialogId": "cc/dd/00000002", "createdAt": "2026-11-21 12:00:02",
        "callName": "tellask", "mentionList": ["@alice"], "tellaskContent": "Choose\nit",
        "targetAgentId": "alice", "callId": "t1", "callSiteCourse": 1, "callSiteGenseq": 1,
        "callType": "B", "sessionSlug": "db"
    }]);
    let frame = json!({
        "kind": "asker_dialog_stack_frame",
        "askerDialogId": "aa/bb/00000001",
        "assignmentFromAsker": {
            "callName": "tellask", "mentionList": ["@alice"], "tellaskContent": "Choose\nit",
            "originMemberId": "lead", "askerDialogId": "aa/bb/00000001", "callId": "t1",
            "collectiveTargets": ["alice"]
        },
        "tellaskReplyObligation": {
            "expectedReplyCallName": "replyTellask", "targetDialogId": "aa/bb/00000001",
            "targetCallId": "t1", "tellaskContent": "Choose\nit"
        }
    });
    (pending, frame)
}

fn write_main(folder: &Path, pending: &Value) {
    let arguments = json!({
        "targetAgentId": "alice", "sessionSlug": "db", "tellaskContent": "Choose\nit"
    });
    put(folder, &format!("{MAIN}/dialog.yaml"), &identity("aa/bb/00000001", "lead", ""));
    let budget = "disableDiligencePush: false\ndiligencePushRemainingBudget: 2\n";
    put(folder, &format!("{MAIN}/latest.yaml"), &latest(budget));
    put(folder, &format!("{MAIN}/pending-sideDialogs.json"), &pending.to_string());
    let records = [
        json!({"type": "human_text_record", "content": "Begin", "msgId": "m", "grammar": "markdown", "origin": "user"}),
        json!({"type": "tellask_call_record", "id": "t1", "name": "tellask", "rawArgumentsText": arguments.to_string(), "deliveryMode": "tellask_call_start"}),
        json!({"type": "func_result_record", "id": "t1", "name": "tellask", "content": "waits"}),
    ];
    put(folder, &format!("{MAIN}/course-001.jsonl"), &course(&records));
}

fn write_side(folder: &Path, frame: &Value) {
    let slug = "sessionSlug: db\n";
    put(folder, &format!("{SIDE}/dialog.yaml"), &identity("cc/dd/00000002", "alice", slug));
    put(folder, &format!("{SIDE}/latest.yaml"), &latest(""));
    put(folder, &format!("{SIDE}/asker-stack.jsonl"), &format!("{frame}\n"));
    let question = format!(
        "questions:\n  - id: {QUESTION}\n    tellaskContent: Which db?\n    askedAt: 2026-11-21 12:00:03\n    \
         callId: q1\n    callSiteRef:\n      course: 1\n      messageIndex: 1\nupdatedAt: 2026-11-21 12:00:03\n"
    );
    put(folder, &format!("{SIDE}/q4h.yaml"), &question);
    let asked = json!({"tellaskContent": "Which db?"}).to_string();
    let directive = &frame["tellaskReplyObligation"];
    let records = [
        json!({"type": "human_text_record", "content": "x", "msgId": "a", "grammar": "markdown", "origin": "runtime", "tellaskReplyDirective": directive}),
        json!({"type": "tellask_call_anchor_record", "anchorRole": "assignment", "callId": "t1"}),
        json!({"type": "tellask_call_record", "id": "q1", "name": "askHuman", "rawArgumentsText": asked, "deliveryMode": "tellask_call_start"}),
        json!({"type": "func_result_record", "id": "q1", "name": "askHuman", "content": "waits"}),
    ];
    put(folder, &format!("{SIDE}/course-001.jsonl"), &course(&records));
}

fn write_stopped(folder: &Path) {
    put(folder, &format!("{STOPPED}/dialog.yaml"), &identity("ee/ff/00000003", "lead", ""));
    let reason = "executionMarker:\n  kind: interrupted\n  reason:\n    kind: system_stop\n    detail: no credit\n";
    put(folder, &format!("{STOPPED}/latest.yaml"), &latest(reason));
}

fn workspace() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (pending, frame) = tellask();
    write_main(folder.path(), &pending);
    write_side(folder.path(), &frame);
    write_stopped(folder.path());
    put(
        folder.path(),
        ".minds/team.yaml",
        "member_defaults:\n  provider: mock\n  model: m\nmembers:\n  lead:\n    name: Lead\n  alice:\n    name: Alice\n",
    );
    put(
        folder.path(),
        ".minds/llm.yaml",
        "providers:\n  mock:\n    name: Mock\n    apiType: mock\n    baseUrl: answers\n    models:\n      m:\n        name: m\n",
    );
    put(folder.path(), "task.tsk/goals.md", "See it through.\n");
    folder
}

/// Runs the program on the workspace, for somebody whose home is new; standard output, and the exit status.
fn run(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.arg("-C").arg(folder).args(arguments).env("LC_ALL", "C");
    command.env("HOME", folder.join("home")).env_remove("XDG_STATE_HOME");
    let done = output(&mut command);
    let text = String::from_utf8(done.stdout).expect("text");
    (text, done.status.code().expect("a status"))
}

fn json_of(folder: &Path, arguments: &[&str]) -> Value {
    let (text, status) = run(folder, arguments);
    assert_eq!(status, 0, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The entry of a main dialog.
fn entry<'a>(dialogs: &'a Value, root: &str) -> &'a Value {
    let all = dialogs.as_array().expect("a list");
    all.iter().find(|dialog| dialog["rootId"] == root).expect("an entry")
}

#[test]
fn dialogs_tell_whom_a_dialog_waits_for_and_what_to_do() {
    let folder = workspace();
    let dialogs = json_of(folder.path(), &["dialogs", "--json"]);
    let root = entry(&dialogs, "aa/bb/00000001");
    let expected = json!([{
        "rootId": "aa/bb/00000001", "selfId": "cc/dd/00000002", "agentId": "alice",
        "callId": "t1", "callName": "tellask", "callType": "B", "sessionSlug": "db",
        "course": 1, "genseq": 1, "askedAt": "2026-11-21 12:00:02", "headline": "Choose"
    }]);
    assert_eq!(root["pending"], expected);
    assert_eq!(root["pendingSideDialogs"], json!(1));
    assert_eq!(root["reason"], json!("waits for side dialogs"));
    assert_eq!(root["registry"][0]["key"], json!("alice!db"));
    assert_eq!(root["contextPercent"], Value::Null);
    assert_eq!(root["keepGoing"], json!({"remaining": 2, "max": 3}));
    let side = &root["sideDialogs"][0];
    assert_eq!(side["questions"][0]["headline"], json!("Which db?"));
    assert_eq!(side["next"], json!(format!("dominds-tui q4h answer {QUESTION} TEXT")));

    let (text, _) = run(folder.path(), &["dialogs"]);
    let waits = "waits for @alice !db  cc/dd  call t1  Choose";
    for line in [waits, "keep-going 2 of 3", "? Which db?  q4h-aa/bb"] {
        assert!(text.contains(line), "{line}\n{text}");
    }

    let show = json_of(folder.path(), &["show", "cc/dd/00000002", "--json"]);
    assert_eq!(show["dialog"], *side);
    assert_eq!(show["records"].as_array().map(Vec::len), Some(6));
}

#[test]
fn a_question_has_the_title_of_its_dialog_and_says_how_it_is_answered() {
    let folder = workspace();
    let questions = json_of(folder.path(), &["q4h", "list", "--json"]);
    let dialogs = json_of(folder.path(), &["dialogs", "--json"]);
    let title = &entry(&dialogs, "aa/bb/00000001")["sideDialogs"][0]["title"];
    assert_eq!((&questions[0]["title"], &questions[0]["kind"]), (title, &json!("free_text")));
    assert!(title.as_str().is_some_and(|title| !title.is_empty()), "{title}");
    let question =
        std::fs::read_to_string(folder.path().join(format!("{SIDE}/q4h.yaml"))).expect("questions");
    put(
        folder.path(),
        &format!("{SIDE}/q4h.yaml"),
        &question.replace("Which db?", "Drop it? (yes/no)"),
    );
    let shown = json_of(folder.path(), &["q4h", "show", QUESTION, "--json"]);
    assert_eq!((&shown["title"], &shown["kind"]), (title, &json!("approval")));
}

#[test]
fn whether_a_dialog_goes_on_is_listed_as_a_question_of_the_program() {
    let folder = workspace();
    for file in ["q4h.yaml", "course-001.jsonl"] {
        let path = format!("{SIDE}/{file}");
        let text = std::fs::read_to_string(folder.path().join(&path)).expect("a file");
        put(folder.path(), &path, &text.replace("q1", "keep-going-1"));
    }
    let (listed, status) = run(folder.path(), &["q4h", "list"]);
    assert_eq!(status, 0, "{listed}");
    assert!(listed.contains("  the program (@alice)  "), "{listed}");
    let (shown, _) = run(folder.path(), &["q4h", "show", &QUESTION.replace("q1", "keep-going-1")]);
    assert!(shown.starts_with("the program (@alice) asks, "), "{shown}");
}

#[test]
fn a_stopped_dialog_says_why_and_what_to_do() {
    let folder = workspace();
    let dialogs = json_of(folder.path(), &["dialogs", "--json"]);
    let stopped = entry(&dialogs, "ee/ff/00000003");
    assert_eq!(stopped["reason"], json!("stopped: no credit"));
    let next = "fix the cause, then: dominds-tui resume ee/ff/00000003 && dominds-tui drive";
    assert_eq!(stopped["next"], json!(next));
}

#[test]
fn the_doctor_names_problems_and_no_states() {
    let folder = workspace();
    let doctor = json_of(folder.path(), &["doctor", "--json"]);
    assert_eq!((&doctor["problems"], &doctor["dialogs"]), (&json!([]), &json!(3)));
    assert_eq!(doctor["sandbox"]["level"], json!("workspace"));
    put(folder.path(), "task.tsk/notes.txt", "x");
    let (text, status) = run(folder.path(), &["doctor"]);
    assert_eq!(status, 6, "{text}");
    assert!(text.contains("`notes.txt` does not belong there"), "{text}");
}

#[test]
fn warnings_alone_end_the_doctor_with_0_and_with_6_when_strict() {
    let folder = workspace();
    assert_eq!(run(folder.path(), &["doctor", "--strict"]).1, 0);
    let open = Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path().join(".dialogs"), open).expect("a mode");
    for (args, expected) in [(&["doctor"][..], 0), (&["doctor", "--strict"], 6)] {
        let (text, status) = run(folder.path(), args);
        assert_eq!(status, expected, "{text}");
        assert!(text.contains("chmod -R go-rwx .dialogs"), "{text}");
    }
}

#[test]
fn the_doctor_names_the_place_where_a_file_nests_too_deep() {
    for file in ["team.yaml", "llm.yaml", "mcp.yaml"] {
        let folder = workspace();
        for piece in ["[", "{", "{\"a\":", "[{a: ", "- - - ", "? ? "] {
            put(folder.path(), &format!(".minds/{file}"), &piece.repeat(200 * 1024 / piece.len()));
            let (text, status) = run(folder.path(), &["doctor"]);
            assert_eq!(status, 6, "{file} {piece}: {text}");
            let place = text.contains(&format!(".minds/{file}:1: "));
            assert!(place && text.contains("nested more than 64 deep, at column "), "{text}");
        }
    }
}

#[test]
fn reminders_are_listed_newest_first_with_those_a_member_shares() {
    let folder = workspace();
    let reminder = |id: &str, content: &str, scope: &str, at: &str| {
        json!({
            "id": id, "content": content, "scope": scope, "renderMode": "markdown",
            "createdAt": at, "priority": "medium", "ownerName": null,
        })
    };
    let own = reminder("aaaaaaaa", "Port 8080\nis taken", "dialog", "2026-11-21 12:00:01");
    let hidden = json!({"echoback": false});
    let mut quiet = reminder("bbbbbbbb", "For people", "dialog", "2026-11-21 12:00:03");
    quiet["echoback"] = hidden["echoback"].clone();
    let list = json!({"reminders": [own, quiet], "updatedAt": "2026-11-21 12:00:03"});
    put(folder.path(), &format!("{MAIN}/reminders.json"), &list.to_string());
    let shared = reminder("cccccccc", "I like tabs", "personal", "2026-11-21 12:00:02");
    put(folder.path(), ".dialogs/reminders/lead/cccccccc.json", &shared.to_string());

    let listed = json_of(folder.path(), &["reminders", "aa/bb", "--json"]);
    let all = listed["reminders"].as_array().expect("a list");
    let ids: Vec<&str> = all.iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, ["bbbbbbbb", "cccccccc", "aaaaaaaa"], "{listed}");
    assert_eq!(listed["rootId"], json!("aa/bb/00000001"));
    assert_eq!((&all[0]["sentToModel"], &all[1]["scope"]), (&json!(false), &json!("personal")));
    assert_eq!(all[2]["content"], json!("Port 8080\nis taken"));

    let (text, status) = run(folder.path(), &["reminders", "aa/bb"]);
    assert_eq!(status, 0, "{text}");
    let row = "aaaaaaaa  dialog  2026-11-21 12:00:01\n  Port 8080\n  is taken\n";
    assert!(text.contains(row) && text.contains("not sent to the model"), "{text}");
    let (none, status) = run(folder.path(), &["reminders", "ee/ff"]);
    assert_eq!((none.contains("I like tabs"), status), (true, 0), "a member has them everywhere");
    let (_, status) = run(folder.path(), &["reminders", "zz/zz"]);
    assert_eq!(status, 2, "no such dialog");
}

#[test]
fn read_shows_what_a_member_is_sent_and_says_why_it_cannot() {
    let folder = workspace();
    put(folder.path(), ".minds/team/lead/persona.md", "A captain.\n");
    let shown = json_of(folder.path(), &["read", "lead", "--json"]);
    assert_eq!((&shown["member"], &shown["model"]), (&json!("lead"), &json!("m")));
    assert!(shown["system"].as_str().expect("a prompt").contains("A captain."));
    let names = |shown: &Value| -> Vec<String> {
        let tools = shown["tools"].as_array().expect("tools");
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let main = names(&shown);
    assert!(main.contains(&"change_mind".to_owned()) && !main.contains(&"tellaskBack".to_owned()));
    let side = names(&json_of(folder.path(), &["read", "--side", "--json"]));
    assert!(!side.contains(&"change_mind".to_owned()) && side.contains(&"tellaskBack".to_owned()));
    let (text, status) = run(folder.path(), &["read"]);
    assert_eq!(status, 0);
    for part in ["@lead, model m of mock", "SYSTEM PROMPT", "See it through.", "\"properties\""] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let next = json_of(folder.path(), &["read", "--dialog", "cc/dd/00000002", "--json"]);
    assert_eq!(next["member"], json!("alice"));
    assert_eq!(run(folder.path(), &["read", "nobody"]).1, 2);
    put(folder.path(), ".minds/team.yaml", "members:\n  lead: { provider: gone }\n");
    assert_eq!(run(folder.path(), &["read", "lead"]).1, 6);
}

#[test]
fn members_are_listed_with_their_models_and_hidden_ones_on_demand() {
    let folder = workspace();
    let members = json_of(folder.path(), &["members", "--json"]);
    let lead = json!({
        "id": "lead", "name": "Lead", "gofor": [], "provider": "mock", "model": "m", "fault": null,
        "isDefault": true, "isHidden": false,
    });
    assert_eq!(members[0], lead);
    let ids = |members: &Value| -> Vec<String> {
        let all = members.as_array().expect("a list").iter();
        all.map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&members), ["lead", "alice"]);
    let all = ids(&json_of(folder.path(), &["members", "--all", "--json"]));
    assert!(all.contains(&"fuxi".to_owned()), "{all:?}");
    let (text, status) = run(folder.path(), &["members"]);
    assert_eq!(status, 0);
    assert_eq!(text, "@lead   m of mock  Lead (default)\n@alice  m of mock  Alice\n");
    put(folder.path(), ".minds/team.yaml", "members:\n  lead: { provider: gone }\n");
    let (text, status) = run(folder.path(), &["members"]);
    assert_eq!(status, 0);
    assert!(text.starts_with("@lead  no model: "), "{text}");
}

/// The ids of the problems that `doctor` names.
fn ids_of_problems(folder: &Path, home: &Path, key: Option<&str>) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.arg("-C").arg(folder).args(["doctor", "--json"]).env_clear().env("HOME", home);
    command.env("XDG_CONFIG_HOME", home.join("config"));
    if let Some(key) = key {
        command.env("A_KEY", key);
    }
    let done = output(&mut command);
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let problems = report.get("problems").and_then(Value::as_array).expect("a list");
    let fails = problems.iter().any(|problem| problem["severity"] == json!("error"));
    assert_eq!(done.status.code(), Some(if fails { 6 } else { 0 }), "{report}");
    problems.iter().map(|problem| problem["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn the_doctor_knows_what_the_screen_counts() {
    let (folder, home) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let (at, home) = (folder.path(), home.path());
    assert_eq!(ids_of_problems(at, home, None), ["team/missing"]);
    let team = "members:\n  lead:\n    name: Lead\n    provider: far\n    model: m\n";
    put(at, ".minds/team.yaml", team);
    put(
        at,
        ".minds/llm.yaml",
        "providers:\n  far:\n    name: Far\n    apiType: openai-compatible\n    baseUrl: https://example.com/v1\n    apiKeyEnvVar: A_KEY\n    models:\n      m:\n        name: m\n",
    );
    let waits = "trust/provider/far";
    assert_eq!(ids_of_problems(at, home, None), ["llm/no-key/far", waits]);
    assert_eq!(ids_of_problems(at, home, Some("k")), [waits]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.arg("-C").arg(at).args(["trust", "--yes"]).env_clear().env("HOME", home);
    assert!(output(&mut command).status.success());
    assert_eq!(ids_of_problems(at, home, Some("k")), Vec::<String>::new());
    put(home, "config/dominds-tui/config.yaml", "theme: pink\nlanguage: fr\n");
    assert_eq!(ids_of_problems(at, home, Some("k")), ["config/theme", "config/language"]);
    assert!(!at.join(".dialogs").exists(), "nothing was made");
}

#[test]
fn the_doctor_reports_what_other_users_may_read_and_fixes_nothing() {
    let (folder, home) = (workspace(), tempfile::tempdir().expect("a folder"));
    let (at, state) = (folder.path(), home.path().join(".local/state/dominds-tui"));
    assert_eq!(ids_of_problems(at, home.path(), None), Vec::<String>::new());
    let mode = |path: &Path| path.metadata().expect("a folder").permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700, "it is made for one person");
    for open in [at.join(".dialogs"), state.clone()] {
        std::fs::set_permissions(&open, Permissions::from_mode(0o755)).expect("a mode");
    }
    assert_eq!(ids_of_problems(at, home.path(), None), ["mode/.dialogs"]);
    assert_eq!(mode(&at.join(".dialogs")), 0o755, "what is not ours alone is left as it is");
    assert_eq!(mode(&state), 0o700, "our own folder is closed again");
    std::fs::set_permissions(at.join(".dialogs"), Permissions::from_mode(0o700)).expect("a mode");
    put(home.path(), "config/dominds-tui/config.yaml", "language: en\n");
    assert_eq!(ids_of_problems(at, home.path(), None), Vec::<String>::new());
    let settings = home.path().join("config/dominds-tui/config.yaml");
    std::fs::set_permissions(&settings, Permissions::from_mode(0o666)).expect("a mode");
    let ids = ids_of_problems(at, home.path(), None);
    assert_eq!(ids, ["config/file"]);
}

#[test]
fn reading_commands_leave_no_folder_of_dialogs_where_there_was_none() {
    let folder = tempfile::tempdir().expect("a folder");
    for staffed in [false, true] {
        if staffed {
            put(folder.path(), ".minds/team.yaml", "members:\n  lead: { name: Lead }\n");
        }
        for command in [
            &["dialogs"] as &[&str],
            &["dialogs", "--all", "--json"],
            &["show", "aa"],
            &["q4h"],
            &["q4h", "show", "x"],
            &["read"],
            &["doctor"],
            &["doctor", "--mcp"],
            &["doctor", "--providers"],
            &["doctor", "--restore", "x"],
            &["stop", "--all"],
            &["resume", "--all"],
            &["drive"],
            &["run", "--agent", "nobody", "hi"],
            &["trust", "--yes"],
        ] {
            run(folder.path(), command);
            assert!(!folder.path().join(".dialogs").exists(), "{command:?}");
        }
    }
}

#[test]
fn dialogs_of_one_second_are_listed_the_newest_first_too() {
    let folder = workspace();
    let newest = ".dialogs/run/00/11/00000009";
    put(folder.path(), &format!("{newest}/dialog.yaml"), &identity("00/11/00000009", "lead", ""));
    put(folder.path(), &format!("{newest}/latest.yaml"), &latest(""));
    let dialogs = json_of(folder.path(), &["dialogs", "--json"]);
    let ids = dialogs.as_array().expect("a list").iter().map(|dialog| &dialog["rootId"]);
    let ids: Vec<&Value> = ids.collect();
    assert_eq!(ids, ["00/11/00000009", "ee/ff/00000003", "aa/bb/00000001"]);
}

#[test]
fn words_that_are_refused_leave_what_was_told_to_go_on_as_it_was() {
    let folder = workspace();
    let side = format!("{STOPPED}/sideDialogs/cc/dd/00000004");
    let assigned = "askerDialogId: ee/ff/00000003\nassignmentFromAsker:\n  callName: tellaskSessionless\n  mentionList: ['@alice']\n  tellaskContent: Look\n  originMemberId: lead\n  askerDialogId: ee/ff/00000003\n  callId: t9\n";
    let dead = "executionMarker:\n  kind: dead\n  reason:\n    kind: declared_by_user\n";
    let file = format!("{STOPPED}/latest.yaml");
    put(folder.path(), &file, &latest("needsDrive: true\n"));
    put(
        folder.path(),
        &format!("{side}/dialog.yaml"),
        &identity("cc/dd/00000004", "alice", assigned),
    );
    put(folder.path(), &format!("{side}/latest.yaml"), &latest(dead));
    put(
        folder.path(),
        &format!("{side}/asker-stack.jsonl"),
        "{\"askerDialogId\":\"ee/ff/00000003\"}\n",
    );
    let before = std::fs::read_to_string(folder.path().join(&file)).expect("a file");
    let dialog = "ee/ff/00000003#cc/dd/00000004";
    let (_, status) = run(folder.path(), &["run", "--dialog", dialog, "hello"]);
    assert_eq!(status, 1);
    let after = std::fs::read_to_string(folder.path().join(&file)).expect("a file");
    assert_eq!(after, before);
}
