//! `convert`: what it says, what it does, its exit status.

use std::fs;

use serde_json::Value;

use super::{MAIN, Workspace, identity};
use crate::common::files;

const DIALOG: &str = "80/54/26bc7b1d";
const LATEST: &str = "currentCourse: 1\nlastModified: 2026-11-22 00:00:00\nstatus: active\ngenerating: false\n\
                      displayState:\n  kind: idle_waiting_user\n";
const COURSE: &str = concat!(
    r#"{"ts":"t","type":"gen_start_record","genseq":1}"#,
    "\n",
    r#"{"ts":"t","type":"human_text_record","genseq":1,"content":"Build it","msgId":"m","grammar":"markdown","origin":"user"}"#,
    "\n",
    r#"{"ts":"t","type":"gen_finish_record","genseq":1}"#,
    "\n",
);
const TOLD: &str = "answers:\n  - id: a2h-1\n    content: Dry.\n    answeredAt: t\n    answerRef:\n      course: 1\n      \
                    genseq: 1\nupdatedAt: t\n";

fn workspace() -> Workspace {
    let workspace = Workspace::staffed();
    workspace.put("run", DIALOG, "dialog.yaml", &identity(DIALOG));
    workspace.put("run", DIALOG, "latest.yaml", LATEST);
    workspace.put("run", DIALOG, "course-001.jsonl", COURSE);
    workspace
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The only tree that a command named.
fn tree(text: &str) -> Value {
    let said = json(text);
    let trees = said.get("trees").and_then(Value::as_array).cloned().expect("a list");
    assert_eq!(trees.len(), 1, "{said}");
    trees.into_iter().next().expect("a tree")
}

#[test]
fn a_dialog_is_converted_both_ways_and_a_dry_run_says_so_before() {
    let workspace = workspace();
    let folder = workspace.folder("run", DIALOG);
    let before = files::contents(&folder);
    let said = tree(&workspace.ok(&["convert", "80/54", "--dry-run", "--json"]));
    assert!(
        said["result"] == "possible" && said["from"] == "1.19" && said["to"] == "1.29",
        "{said}"
    );
    assert!(
        said["copy"].is_null() && said["reason"].is_null() && said["lost"] == json("[]"),
        "{said}"
    );
    assert_eq!(files::contents(&folder), before);

    let said = workspace.ok(&["convert", DIALOG]);
    assert!(said.contains("1.19 -> 1.29; before: .dialogs/.tui/converted/"), "{said}");
    assert!(said.contains("converted: 1 tree"), "{said}");
    let kept = workspace.folder(".tui/converted", DIALOG).join("1.19-1");
    assert!(fs::read_to_string(kept.join("latest.yaml")).expect("the copy") == LATEST);
    assert!(workspace.read("run", DIALOG, "latest.yaml").contains("tellaskCalls"));
    assert_eq!(workspace.read("run", DIALOG, "course-001.jsonl"), COURSE);
    let again = tree(&workspace.ok(&["convert", DIALOG, "--json"]));
    assert_eq!(again["result"], "same");

    workspace.put("run", DIALOG, "a2h.yaml", TOLD);
    let plain = workspace.ok(&["convert", "--to", "1.19", "--dry-run", DIALOG]);
    assert!(plain.contains("answers to you that were not acknowledged"), "{plain}");
    assert!(plain.contains("nothing was changed"), "{plain}");
    let back = tree(&workspace.ok(&["convert", "--to", "1.19", "--json", DIALOG]));
    assert_eq!(back["lost"][0]["what"], "human_answers");
    assert!(back["result"] == "converted" && back["lost"][0]["count"] == 1, "{back}");
    assert!(workspace.ok(&["show", DIALOG]).contains("Build it"));
}

#[test]
fn what_does_not_rest_is_named_with_the_reason_and_the_others_are_converted() {
    let workspace = workspace();
    let before = files::contents(&workspace.folder("run", MAIN));
    // What it waits for is in its course alone.
    let ended = workspace.run(&["convert"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.out.contains("1.19, not converted: "), "{}", ended.out);
    assert!(ended.out.contains("converted: 1 tree, 1 tree not converted"), "{}", ended.out);
    assert_eq!(files::contents(&workspace.folder("run", MAIN)), before);
    assert!(workspace.read("run", DIALOG, "latest.yaml").contains("tellaskCalls"));
    workspace.ok(&["convert", "--dry-run"]);
    assert!(workspace.refused(2, &["convert", "no/such"]).contains("no/such"));
    assert_eq!(workspace.run(&["convert", "--to", "1.17"]).code, 2);
}
