//! Commands on trees in other layouts: shown, refused with the reason, never changed.

use std::fs;

use super::Workspace;
use crate::common::files;
use crate::common::wait::output;

#[test]
fn an_earlier_tree_is_listed_and_shown_as_history_and_nothing_in_it_changes() {
    let workspace = Workspace::staffed();
    let old = "11/22/old";
    let identity =
        format!("id: {old}\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: '2025-01-01 00:00:00'\n");
    workspace.put("run", old, "dialog.yaml", &identity);
    let line = r#"{"ts":"2025-01-01 00:00:00","type":"human_text_record","genseq":1,"content":"Build it","msgId":"m","grammar":"markdown","origin":"user"}"#;
    workspace.put("run", old, "course-001.jsonl", &format!("{line}\n"));
    let side = format!("{old}/subdialogs/sub-001");
    workspace.put("run", &side, "dialog.yaml", &identity.replace(old, "sub-001"));
    let files = || {
        let mut names: Vec<_> = fs::read_dir(workspace.folder("run", old))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        (names, workspace.read("run", old, "dialog.yaml"))
    };
    let before = files();
    assert!(workspace.ok(&["dialogs"]).contains("(history) Build it"));
    assert!(workspace.ok(&["show", old]).contains("Build it"));
    workspace.ok(&["drive", "--json"]);
    for command in [&["run", "--dialog", old, "hi"] as &[&str], &["read", "--dialog", old]] {
        let output = workspace.refused_after_some(1, command);
        assert!(output.contains("history in an earlier layout"), "{command:?}: {output}");
    }
    assert_eq!(files(), before);
}

const REMINDERS: &str = r#"{"reminders":[{"id":"abcd1234","content":"Port 8080","scope":"task","createdAt":"t","priority":"high"}],"updatedAt":"t"}"#;

#[test]
fn a_tree_of_another_layout_is_named_with_its_reason_and_no_command_changes_it() {
    const ALL: &str = "nextStep:\n  nextSeq: 1\n  triggers: []\ntellaskCalls:\n  calls: []\ntellaskResults:\n  results: []\n";
    const SOME: &str = "nextStep:\n  nextSeq: 1\n  triggers: []\n";
    let telepathy = ALL.replace(" []\ntellaskCalls", "\n    - kind: telepathy\ntellaskCalls");
    let (other, side) = ("80/54/26bc7b1d", "80/54/26bc7b1d/sideDialogs/cc/dd/00000009");
    for (name, reason, main_keys, side_keys) in [
        ("unclear", "is in no known layout", SOME, ALL),
        ("mixed", "in the layouts of two versions", ALL, ""),
        ("newer", "newer than 1.29", ALL, &telepathy),
    ] {
        let workspace = Workspace::staffed();
        let put = |id: &str, name: &str, text: &str| workspace.put("run", id, name, text);
        let state = "currentCourse: 1\nlastModified: 2026-11-22 00:00:00\nstatus: active\ngenerating: true\n";
        let identity =
            |id: &str| format!("id: {id}\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: t\n");
        let said = r#"{"ts":"t","type":"human_text_record","genseq":1,"content":"Build it","msgId":"m","grammar":"markdown","origin":"user"}"#;
        let question = r#"{"questions":[{"id":"q4h-80/54/26bc7b1d-80/54/26bc7b1d-c1-q","tellaskContent":"?","askedAt":"t","callId":"q","callSiteRef":{"course":1,"messageIndex":0}}],"updatedAt":"t"}"#;
        put(other, "dialog.yaml", &identity(other));
        put(other, "latest.yaml", &format!("{state}{main_keys}"));
        put(other, "course-001.jsonl", &format!("{said}\n"));
        put(other, "q4h.yaml", question);
        put(other, "reminders.json", REMINDERS);
        put(side, "dialog.yaml", &identity("cc/dd/00000009"));
        put(side, "latest.yaml", &format!("{state}{side_keys}"));
        let before = files::contents(&workspace.folder("run", other));
        let plain = workspace.ok(&["dialogs"]);
        assert!(plain.contains(") Build it") && plain.contains(reason), "{name}: {plain}");
        let listed: serde_json::Value =
            serde_json::from_str(&workspace.ok(&["dialogs", "--json"])).expect("JSON");
        let trees = listed.as_array().expect("a list");
        let tree = trees.iter().find(|tree| tree["rootId"] == other).expect("it is listed");
        assert!(tree["layout"] == name && tree["history"] == true, "{tree}");
        let why = tree["reason"].as_str().unwrap_or_default();
        assert!(why.contains(reason) && tree["next"].is_null(), "{tree}");
        assert!(trees.iter().any(|tree| tree["layout"] == "1.19"), "{listed}");
        let checked = workspace.run(&["doctor"]);
        let line = format!(".dialogs/run/{other}: {other} ");
        assert!(checked.out.contains(&line) && checked.out.contains(reason), "{}", checked.out);
        assert!(workspace.ok(&["show", other]).contains("Build it"));
        assert!(workspace.ok(&["export", other]).contains("Build it"));
        let reminded = workspace.run(&["reminders", other]);
        assert!(reminded.code == 0 && reminded.out.contains("Port 8080"), "{}", reminded.err);
        assert!(reminded.err.contains(reason), "{name}: {}", reminded.err);
        workspace.ok(&["drive", "--json"]);
        let listed = workspace.ok(&["q4h", "list", "--json"]);
        assert!(!listed.contains("q4h-80/54/26bc7b1d-80"), "{name}: {listed}");
        let request = workspace.run(&["read", "--dialog", other]);
        assert!(request.err.contains(reason), "{name}: {}", request.err);
        for command in [
            &["run", "--dialog", other, "hi"] as &[&str],
            &["resume", other],
            &["done", other],
            &["archive", other],
            &["delete", other, "--yes"],
            &["fork", other, "--course", "1", "--genseq", "1"],
            &["keep-going", other, "on"],
            &["stop", other],
            &["dead", "cc/dd/00000009"],
            &["q4h", "answer", "q4h-80/54/26bc7b1d-80/54/26bc7b1d-c1-q", "Yes."],
            &["q4h", "dismiss", "q4h-80/54/26bc7b1d-80/54/26bc7b1d-c1-q"],
        ] {
            let ended = workspace.run(command);
            assert_ne!(ended.code, 0, "{name} {command:?}: {}", ended.out);
            assert!(ended.err.contains(reason), "{name} {command:?}: {}", ended.err);
        }
        assert_eq!(files::contents(&workspace.folder("run", other)), before, "{name}");
        let aside = workspace.folder("malformed", other);
        fs::create_dir_all(aside.parent().expect("a folder")).expect("folders");
        fs::rename(workspace.folder("run", other), &aside).expect("set aside");
        let ended = workspace.run(&["doctor", "--restore", other]);
        let place = format!(".dialogs/malformed/{other}");
        assert!(ended.code != 0 && ended.err.contains(&place), "{name}: {}", ended.err);
        assert!(ended.err.contains(reason), "{name}: {}", ended.err);
        assert_eq!(files::contents(&aside), before, "{name}");
        assert!(!workspace.folder("run", other).exists(), "{name}");
    }
}

#[test]
fn a_dialog_in_an_empty_workspace_is_in_the_layout_of_1_29_unless_the_person_chose_1_19() {
    for (config, layout) in [("", "1.29"), ("layout: 1.19\n", "1.19")] {
        let (workspace, home) = (Workspace::staffed(), tempfile::tempdir().expect("a folder"));
        fs::remove_dir_all(workspace.0.path().join(".dialogs")).expect("no dialogs");
        files::put(home.path(), ".config/dominds-tui/config.yaml", config);
        let run = |args: &[&str]| output(workspace.command(args).env("HOME", home.path()));
        let json = |args: &[&str]| -> serde_json::Value {
            serde_json::from_slice(&run(args).stdout).expect("JSON")
        };
        let shown = json(&["read", "lead", "--json"]);
        let mut tools = shown["tools"].as_array().expect("tools").iter();
        let is_recent = tools.any(|tool| tool["name"] == "answerHuman");
        assert_eq!(is_recent, layout == "1.29", "what `read` shows, with `{config}`");
        let ran = run(&["run", "hi"]);
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        assert_eq!(json(&["dialogs", "--json"])[0]["layout"], layout);
    }
}

const TOLD: &str = "80/54/26bc7b1d";

/// A workspace with a tree of 1.29 that told the person twice.
fn told() -> Workspace {
    const STATE: &str = "currentCourse: 1\nlastModified: 2026-11-22 00:00:00\nstatus: active\nnextStep:\n  nextSeq: 1\n  \
                         triggers: []\ntellaskCalls:\n  calls: []\ntellaskResults:\n  results: []\n";
    let workspace = Workspace::staffed();
    let id = TOLD;
    let answer = |name: &str| {
        format!(
            "  - id: {name}\n    content: Dry.\n    answeredAt: 2026-11-22 00:00:00\n    answerRef:\n      course: 1\n      \
             genseq: 1\n"
        )
    };
    let identity = format!("id: {id}\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: t\n");
    workspace.put("run", id, "dialog.yaml", &identity);
    workspace.put("run", id, "latest.yaml", STATE);
    let stamp = "updatedAt: 2026-11-22 00:00:00\n";
    let both = format!("answers:\n{}{}{stamp}", answer("a2h-one"), answer("a2h-two"));
    workspace.put("run", id, "a2h.yaml", &both);
    workspace
}

#[test]
fn what_a_dialog_told_a_person_leaves_the_inbox_when_it_is_acknowledged() {
    let (workspace, id) = (told(), TOLD);
    workspace.ok(&["q4h", "ack", "a2h-one"]);
    let left = workspace.read("run", id, "a2h.yaml");
    assert!(left.contains("a2h-two") && !left.contains("a2h-one"), "{left}");
    workspace.ok(&["q4h", "ack", "a2h-t"]);
    assert!(!workspace.folder("run", id).join("a2h.yaml").exists());
    let again = workspace.run(&["q4h", "ack", "a2h-two"]);
    assert!(again.code != 0 && again.err.contains("acknowledged already"), "{}", again.err);
}

#[test]
fn what_a_dialog_told_that_was_put_away_is_kept_until_it_is_back_and_ack_says_where_it_is() {
    let workspace = told();
    let before = workspace.read("run", TOLD, "a2h.yaml");
    for (command, bucket, status) in
        [("done", "done", "completed"), ("archive", "archive", "archived")]
    {
        workspace.ok(&[command, TOLD]);
        for id in ["a2h-one", "a2h-"] {
            let refused = workspace.refused(1, &["q4h", "ack", id]);
            let why = format!("is {status}; `dominds-tui revive {TOLD}` restores it");
            assert!(refused.contains(&why), "{refused}");
        }
        assert_eq!(workspace.read(bucket, TOLD, "a2h.yaml"), before, "{command}");
        let none = workspace.refused(2, &["q4h", "ack", "a2h-three"]);
        assert!(none.contains("acknowledged already"), "{none}");
    }
    workspace.ok(&["revive", TOLD]);
    workspace.ok(&["q4h", "ack", "a2h-one"]);
    workspace.ok(&["q4h", "ack", "a2h-two"]);
    assert!(!workspace.folder("run", TOLD).join("a2h.yaml").exists());
}
