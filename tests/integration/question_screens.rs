//! The screens of docs/questions.md in the real program.

use std::process::Command;

use serde_json::{Value, json};

use super::pictures::{pictured, screen, staffed};
use crate::common::files;
use crate::common::pty::Home;
use crate::common::wait::{next_second, output};

const ALT_A: &str = "\x1ba";
const ENTER: &str = "\r";
const MEMBERS: [&str; 3] = ["planner", "dba", "ops"];

/// Returns the reply of the model to this input.
fn calls(input: &str, name: &str, arguments: &Value) -> Value {
    let call = json!({ "name": name, "arguments": arguments });
    json!({ "message": input, "role": "user", "response": "I look into it.", "funcCalls": [call] })
}

/// Lets a member ask three things, another one want to change something, and a third one only tell.
fn they_ask(home: &Home) {
    let planned = json!({
        "tellaskContent": "Before I start with the API:",
        "questions": [
            { "text": "Which database should the service use?", "recommended": "a",
              "options": [
                  { "label": "PostgreSQL", "pros": "proven", "cons": "a server to run" },
                  { "label": "SQLite", "pros": "one file" },
              ] },
            { "text": "Does the API page its lists?", "recommended": "a",
              "options": [
                  { "label": "cursors", "pros": "stable", "cons": "no page numbers" },
                  { "label": "offset", "pros": "simple", "cons": "slow on long lists" },
              ] },
            { "text": "Who may delete entries?" },
        ],
    });
    let split = json!({
        "category": "architectureDecisions",
        "description": "Split the crate: the parser becomes one of its own.",
        "diff": "--- a/Cargo.toml\n+++ b/Cargo.toml\n@@ -1,2 +1,2 @@\n [workspace]\n-members = [\"app\"]\n+members = [\"app\", \"parser\"]\n",
    });
    let full = json!({ "text": "The disk of the box is nearly full", "level": "warning" });
    let passed = json!({ "text": "The tests pass" });
    let answers = [
        calls("Plan the API", "askHuman", &planned),
        calls("Speed up the build", "request_decision", &split),
        calls("Watch the box", "notify_human", &full),
        calls("Run the tests", "notify_human", &passed),
    ];
    staffed(home, &MEMBERS, &answers);
    let config = "version: 1\nautonomy: { level: major_only }\n";
    files::put(&home.workspace(), ".minds/hive/hive.yaml", config);
    for (member, task, status) in [
        ("planner", "Plan the API", 3),
        ("dba", "Speed up the build", 3),
        ("ops", "Watch the box", 0),
        ("ops", "Run the tests", 0),
        ("ops", "Run the tests", 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(home.workspace()).args(["run", "--agent", member, task]);
        command.env_clear().envs(home.environment());
        let ended = output(&mut command);
        assert_eq!(ended.status.code(), Some(status), "{task}: {ended:?}");
        // The inbox is ordered by seconds.
        next_second();
    }
}

#[test]
fn the_page_about_questions_shows_its_inbox_form_and_approval_as_they_are() {
    let home = Home::new();
    they_ask(&home);
    let mut program = screen(&home);
    let listed = ["FOR YOU · 2 · 2 news", "@planner", "@dba", "! The disk", "×2"];
    pictured(&program, "questions/inbox", &listed);
    program.keys(ALT_A);
    program.until_shown(&["part 1 of 3"]);
    program.keys("a");
    program.keys(ENTER);
    pictured(
        &program,
        "questions/parts",
        &["1/3 answered", "PostgreSQL", "part 2 of 3", "recommended"],
    );
    program.keys("\x1bn");
    let decided = ["asks for approval", "architecture decisions", "approve", "reject", "+members"];
    pictured(&program, "questions/approval", &decided);
    program.leave_composer();
    program.quit();
    assert_eq!(program.end_restored(), 0);
}
