//! Commands that end, put away, bring back, fork and delete dialogs.

use std::fs;

use super::{MAIN, SIDE, Workspace};

#[test]
fn b18_done_archive_and_revive_move_a_tree_as_a_whole() {
    let workspace = Workspace::new();
    let latest = format!("sideDialogs/{SIDE}/latest.yaml");
    let before = workspace.read("run", MAIN, &latest);
    for (command, from, to) in [
        ("done", "run", "done"),
        ("archive", "done", "archive"),
        ("revive", "archive", "run"),
        ("archive", "run", "archive"),
    ] {
        let output = workspace.ok(&[command, "aa/bb"]);
        assert!(output.starts_with(&format!("@lead {MAIN} with its side dialog is ")), "{output}");
        assert!(!workspace.folder(from, MAIN).exists(), "{command}");
        assert_eq!(workspace.read(to, MAIN, &latest), before, "{command}: nothing is edited");
        let again = workspace.refused(1, &[command, MAIN]);
        assert!(again.contains("already"), "{again}");
    }
    workspace.refused(2, &["done", "no/such"]);
    assert_eq!(workspace.ok(&["dialogs"]), "");
    assert!(workspace.ok(&["dialogs", "--all"]).contains("(archived)"));
}

#[test]
fn a_dialog_is_deleted_with_yes_only() {
    let workspace = Workspace::new();
    let output = workspace.refused(2, &["delete", MAIN]);
    assert!(output.contains("--yes"), "{output}");
    assert!(workspace.folder("run", MAIN).is_dir());
    workspace.ok(&["delete", MAIN, "--yes"]);
    assert!(!workspace.folder("run", MAIN).exists());
    workspace.refused(2, &["delete", MAIN, "--yes"]);
}

#[test]
fn e25_dead_closes_the_call_and_says_no_to_main_dialogs() {
    let workspace = Workspace::new();
    let output = workspace.refused(2, &["dead", MAIN]);
    assert!(output.contains("main dialog"), "{output}");
    workspace.ok(&["dead", SIDE, "--note", "it hangs"]);
    workspace.ok(&["dead", SIDE]);
    let side = format!("{MAIN}/sideDialogs/{SIDE}");
    assert!(workspace.read("run", &side, "latest.yaml").contains("kind: dead"));
    let course = workspace.read("run", MAIN, "course-001.jsonl");
    let closed: Vec<&str> =
        course.lines().filter(|line| line.contains("tellask_result_record")).collect();
    assert_eq!(closed.len(), 1, "{course}");
    assert!(closed.concat().contains("it hangs"));
    assert!(!workspace.folder("run", MAIN).join("pending-sideDialogs.json").exists());
    assert!(workspace.ok(&["dialogs", "--json"]).contains(r#""state":"dead""#));
}

#[test]
fn b17_fork_prints_the_new_id_and_nothing_else() {
    let workspace = Workspace::new();
    let before = workspace.read("run", MAIN, "course-001.jsonl");
    let ended = workspace.run(&["fork", MAIN, "--course", "1", "--genseq", "2"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let id = ended.out.strip_suffix('\n').expect("one line");
    assert!(id != MAIN && workspace.folder("run", id).is_dir(), "{id:?}");
    assert!(ended.err.contains("Ask dev"), "the words it was made at: {}", ended.err);
    let course = workspace.read("run", id, "course-001.jsonl");
    assert!(course.contains("Hi.") && !course.contains("Ask dev"), "{course}");
    assert_eq!(workspace.read("run", MAIN, "course-001.jsonl"), before);
    assert!(!workspace.folder(".tui", "").exists(), "nothing of ours is left");
    let output = workspace.refused(2, &["fork", MAIN, "--course", "1", "--genseq", "9"]);
    assert!(output.contains("no generation 9"), "{output}");
    let output = workspace.refused(2, &["fork", MAIN, "--course", "9", "--genseq", "1"]);
    assert!(output.contains("course 9 does not exist"), "{output}");
    workspace.refused(2, &["fork", MAIN, "--course", "1"]);
}

#[test]
fn b04_a_malformed_main_dialog_is_set_aside_and_doctor_puts_it_back() {
    let workspace = Workspace::new();
    // No record tells who the main dialog is.
    fs::remove_dir_all(workspace.folder("run", MAIN).join("sideDialogs")).expect("removed");
    let whole = workspace.read("run", MAIN, "dialog.yaml");
    workspace.put("run", MAIN, "dialog.yaml", ": {{ nothing");
    let found = workspace.run(&["doctor"]);
    assert_eq!(found.code, 6);
    assert!(workspace.folder("run", MAIN).is_dir(), "doctor changes nothing: {}", found.out);
    let ended = workspace.run(&["drive", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("quarantined"), "{}", ended.out);
    assert!(!workspace.folder("run", MAIN).exists());
    let doctor = workspace.run(&["doctor"]);
    assert!(doctor.code == 6 && doctor.out.contains("--restore"), "{}", doctor.out);

    workspace.put("malformed", MAIN, "dialog.yaml", &whole);
    for name in ["../run", "no/such"] {
        workspace.refused(2, &["doctor", "--restore", name]);
    }
    assert!(workspace.ok(&["doctor", "--restore", MAIN]).contains(MAIN));
    assert!(workspace.folder("run", MAIN).is_dir());
    assert!(workspace.ok(&["dialogs"]).contains("@lead"));
}

#[test]
fn a_declared_death_is_reported_once_and_says_whether_somebody_waits() {
    let workspace = Workspace::new();
    let lonely = "cc/dd/00000003";
    let side = format!("{MAIN}/sideDialogs/{lonely}");
    let identity = "agentId: dev\ntaskDocPath: t.tsk\ncreatedAt: 2026-11-21 12:00:00\n";
    workspace.put("run", &side, "dialog.yaml", &format!("id: {lonely}\n{identity}"));
    workspace.put("run", &side, "asker-stack.jsonl", "");
    for (dialog, expected) in [
        (SIDE, "is dead; the next `dominds-tui drive` notifies the dialog that waits for it"),
        (SIDE, "is dead already"),
        (lonely, "is dead; no dialog waits for it"),
    ] {
        let output = workspace.ok(&["dead", dialog]);
        assert!(output.trim_end().ends_with(expected), "{output}");
    }
}

#[test]
fn what_needs_a_running_dialog_says_of_another_where_it_is_and_how_it_comes_back() {
    let workspace = Workspace::staffed();
    for (put_away, state) in [("done", "completed"), ("archive", "archived")] {
        workspace.ok(&[put_away, MAIN]);
        for command in [
            &["run", "--dialog", MAIN, "hi"] as &[&str],
            &["stop", SIDE],
            &["resume", SIDE],
            &["keep-going", MAIN, "on"],
            &["dead", SIDE],
        ] {
            let output = workspace.refused(1, command);
            let expected = format!("is {state}; `dominds-tui revive {MAIN}` restores it");
            assert!(output.contains(&expected), "{command:?}: {output}");
        }
    }
}

#[test]
fn what_is_resumed_is_named_and_is_said_to_wait_for_drive() {
    let workspace = Workspace::staffed();
    let output = workspace.ok(&["resume", "--all"]);
    let expected = format!(
        "@dev {MAIN}#{SIDE} is resumed; `dominds-tui drive`, or the screen, continues it\n"
    );
    assert_eq!(output, expected);
    let listed = workspace.ok(&["dialogs"]);
    assert!(listed.contains("resumed") && listed.contains("next: dominds-tui drive"), "{listed}");
    assert!(!listed.contains("the program ended") && !listed.contains("next: dominds-tui resume"));
}

#[test]
fn a_fork_goes_on_by_itself_unless_it_is_told_not_to() {
    // A tool was called in the first generation; the second is the follow-up.
    let record = |genseq: u32, kind: &str, fields: &str| {
        format!(
            r#"{{"ts":"t","type":"{kind}_record","genseq":{genseq},"rootCourse":1,"rootGenseq":{genseq}{fields}}}"#
        ) + "\n"
    };
    let end = r#","contextHealth":{"kind":"unavailable","reason":"usage_unavailable"}"#;
    let course = [
        record(1, "gen_start", ""),
        record(
            1,
            "human_text",
            r#","content":"Look","msgId":"m1","grammar":"markdown","origin":"user""#,
        ),
        record(1, "func_call", r#","id":"t","name":"list_dir","rawArgumentsText":"{}""#),
        record(1, "func_result", r#","id":"t","name":"list_dir","content":"nothing""#),
        record(1, "gen_finish", end),
        record(2, "gen_start", ""),
        record(2, "agent_words", r#","content":"I see.""#),
        record(2, "gen_finish", end),
    ];
    for (option, drives) in [(None, true), (Some("--no-drive"), false)] {
        let workspace = Workspace::staffed();
        fs::remove_dir_all(workspace.folder("run", MAIN).join("sideDialogs")).expect("removed");
        workspace.put("run", MAIN, "course-001.jsonl", &course.concat());
        let mut command = vec!["fork", MAIN, "--course", "1", "--genseq", "2", "--json"];
        command.extend(option);
        let output = workspace.ok(&command);
        assert!(output.contains(r#""next":"auto_continue""#), "{output}");
        assert_eq!(output.contains(r#""event":"gen_start""#), drives, "{output}");
    }
}

/// The tree of [`Workspace::staffed`] as Dominds 1.29 has it.
fn recent() -> Workspace {
    let workspace = Workspace::staffed();
    let at = "2026-11-21 12:00:00";
    let state = |calls: &str, more: &str| {
        format!(
            "currentCourse: 1\nlastModified: {at}\nstatus: active\ngenerating: false\nnextStep:\n  nextSeq: 1\n  \
             triggers: []\ntellaskCalls:\n  calls: [{calls}]\ntellaskResults:\n  results: []\n{more}"
        )
    };
    let call = format!(
        r#"{{"callId":"c","callName":"tellaskSessionless","course":1,"genseq":2,"recordedAt":"{at}","callRecordId":"tellask-call:c"}}"#
    );
    let callee = format!(
        r#"{{"callId":"c","calleeDialogId":"{SIDE}","callName":"tellaskSessionless","status":"pending","targetAgentId":"dev","tellaskContent":"Look.","callType":"C","mentionList":["@dev"],"createdAt":"{at}"}}"#
    );
    let batches = format!(
        r#"{{"batches":[{{"batchId":"dispatch:{MAIN}:{MAIN}:c1:g2","callSite":{{"course":1,"genseq":2}},"status":"open","callees":[{callee}],"createdAt":"{at}"}}]}}"#
    );
    let ended = format!(
        "generationRunState:\n  kind: closed\n  course: 1\n  genseq: 2\n  closedAt: {at}\ndisplayState:\n  kind: \
         idle_waiting_user\n"
    );
    let stopped = "  kind: user_stop\n";
    let stopped = format!(
        "executionMarker:\n  kind: interrupted\n  reason:\n  {stopped}displayState:\n  kind: stopped\n  \
         continueEnabled: true\n  reason:\n  {stopped}"
    );
    let side = format!("{MAIN}/sideDialogs/{SIDE}");
    let stack = workspace.read("run", &side, "asker-stack.jsonl");
    let placed = r#""callId":"c","callSiteCourse":1,"callSiteGenseq":2}"#;
    let stack = stack.replace(r#""callId":"c"}"#, placed);
    workspace.put("run", MAIN, "latest.yaml", &state(&call, &ended));
    workspace.put("run", MAIN, "active-callees.json", &batches);
    workspace.put("run", &side, "latest.yaml", &state("", &stopped));
    workspace.put("run", &side, "asker-stack.jsonl", &stack);
    workspace
}

#[test]
fn done_archive_and_revive_move_a_tree_of_1_29_as_a_whole() {
    let workspace = recent();
    let side = format!("sideDialogs/{SIDE}");
    let names = ["active-callees.json", "course-001.jsonl"].map(str::to_owned);
    let of_side = ["latest.yaml", "asker-stack.jsonl"].map(|name| format!("{side}/{name}"));
    let names = [names, of_side].concat();
    let files = |bucket: &str| -> Vec<String> {
        names.iter().map(|name| workspace.read(bucket, MAIN, name)).collect()
    };
    let before = files("run");
    for (command, from, to) in [
        ("done", "run", "done"),
        ("archive", "done", "archive"),
        ("revive", "archive", "run"),
        ("archive", "run", "archive"),
    ] {
        let output = workspace.ok(&[command, "aa/bb"]);
        assert!(output.starts_with(&format!("@lead {MAIN} with its side dialog is ")), "{output}");
        assert!(!workspace.folder(from, MAIN).exists(), "{command}");
        assert_eq!(files(to), before, "{command}: nothing is edited");
    }
    let listed = workspace.ok(&["dialogs", "--all", "--json"]);
    assert!(listed.contains(r#""layout":"1.29""#), "{listed}");
}

#[test]
fn a_dead_side_dialog_of_1_29_fails_its_call_and_the_asker_takes_that_as_a_reply() {
    let workspace = recent();
    let stopped = workspace.ok(&["stop", SIDE]);
    assert!(stopped.contains("is not running"), "{stopped}");
    workspace.refused(2, &["dead", MAIN]);
    workspace.ok(&["dead", SIDE, "--note", "it hangs"]);
    let side = format!("{MAIN}/sideDialogs/{SIDE}");
    let latest = workspace.read("run", &side, "latest.yaml");
    assert!(latest.contains("kind: dead") && latest.contains("tellaskCalls:"), "{latest}");
    let course = workspace.read("run", MAIN, "course-001.jsonl");
    let mut results = course.lines().filter(|line| line.contains("\"tellask_result_record\""));
    assert!(results.next().is_some_and(|line| line.contains("it hangs")), "{course}");
    assert_eq!(results.next(), None, "{course}");
    let latest = workspace.read("run", MAIN, "latest.yaml");
    for part in ["resultRecordId: tellask-result:c", "kind: result_arrival"] {
        assert!(latest.contains(part), "{part}: {latest}");
    }
    let batches = workspace.read("run", MAIN, "active-callees.json");
    assert!(batches.contains("\"resolved\"") && !batches.contains("pending"), "{batches}");
    workspace.ok(&["drive"]);
    let latest = workspace.read("run", MAIN, "latest.yaml");
    assert!(latest.contains("triggers: []"), "{latest}");
    assert!(!workspace.folder("run", MAIN).join("active-callees.json").exists());
    let course = workspace.read("run", MAIN, "course-001.jsonl");
    assert!(course.contains("\"genseq\":3"), "{course}");
}
