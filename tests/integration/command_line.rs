//! Commands that only record a person's wish, through the real binary.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::path::Path;
use std::process::{Command, Output};

use crate::common::files;
use crate::common::wait::output;

const TEAM: &str = "member_defaults:\n  provider: script\n  model: m\ndefault_responder: lead\n\
                    members:\n  lead:\n    name: Lead\n    diligence-push-max: 2\n";
const MODELS: &str = "providers:\n  script:\n    name: Script\n    apiType: mock\n    \
                      baseUrl: answers\n    models:\n      m:\n        name: M\n";
const ANSWERS: &str = "responses:\n  - message: hi\n    role: user\n    response: Hello.\n";

fn run(workspace: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command.env("LANG", "en_US.UTF-8").env_remove("LC_ALL").arg("-C").arg(workspace);
    output(command.args(arguments))
}

fn main_dialog(workspace: &Path) -> serde_json::Value {
    let listed = run(workspace, &["dialogs", "--json"]);
    let trees: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).expect("a list");
    trees.into_iter().next().expect("a dialog")
}

#[test]
fn a_time_limit_that_is_none_is_wrong_usage() {
    let workspace = tempfile::tempdir().expect("a folder");
    for limit in ["-1", "nan", "inf", "1e18", "soon"] {
        for command in [&["drive"] as &[&str], &["run", "hi"], &["doctor", "--providers"]] {
            let limit = format!("--timeout={limit}");
            let refused = run(workspace.path(), &[command, &[limit.as_str()]].concat());
            assert_eq!(refused.status.code(), Some(2), "{command:?} {limit}");
            assert!(String::from_utf8_lossy(&refused.stderr).contains("a number of seconds"));
        }
    }
}

#[test]
fn keep_going_is_switched_and_refilled_from_the_command_line() {
    let workspace = tempfile::tempdir().expect("a folder");
    let put = |path: &str, text: &str| files::put(workspace.path(), path, text);
    put(".minds/team.yaml", TEAM);
    put(".minds/llm.yaml", MODELS);
    put("answers/m.yaml", ANSWERS);
    let pushed = run(workspace.path(), &["run", "hi"]);
    assert_eq!(pushed.status.code(), Some(3), "after its pushes it asks");
    let dialog = main_dialog(workspace.path());
    assert_eq!(dialog.get("keepGoing"), Some(&serde_json::json!({ "remaining": 2, "max": 2 })));
    let id = dialog.get("rootId").and_then(serde_json::Value::as_str).expect("an id").to_owned();
    for (switch, expected) in [
        ("off", serde_json::Value::Null),
        ("refill", serde_json::Value::Null),
        ("on", serde_json::json!({ "remaining": 2, "max": 2 })),
    ] {
        let done = run(workspace.path(), &["keep-going", &id, switch]);
        assert_eq!(done.status.code(), Some(0), "{switch}: {done:?}");
        assert_eq!(main_dialog(workspace.path()).get("keepGoing"), Some(&expected), "{switch}");
    }
    assert_eq!(run(workspace.path(), &["keep-going", &id, "perhaps"]).status.code(), Some(2));
    put(".minds/diligence.md", "");
    let refused = run(workspace.path(), &["keep-going", &id, "on"]);
    assert_ne!(refused.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("diligence file"), "{refused:?}");
}
