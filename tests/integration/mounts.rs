//! Reserved areas under another name by a mount: the real program in a mount namespace of its own,
//! where the system allows one.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::files::put;
use crate::common::skip::skip;
use crate::common::wait::{end, output};

/// A workspace whose member makes this call when it is told to go.
fn workspace(tool: &str, arguments: &Value) -> tempfile::TempDir {
    let top = tempfile::tempdir().expect("a folder");
    let at = top.path();
    let member =
        "  lead: { provider: p, model: m, toolsets: [ws_mod, ws_read], diligence-push-max: 0 }\n";
    put(at, "ws/.minds/team.yaml", &format!("members:\n{member}"));
    put(
        at,
        "ws/.minds/llm.yaml",
        "providers:\n  p:\n    apiType: mock\n    baseUrl: mock-db\n    models: { m: {} }\n",
    );
    let call = json!({"name": tool, "arguments": arguments});
    let answer = json!({"message": "go", "role": "user", "response": "", "funcCalls": [call]});
    put(at, "ws/mock-db/m.yaml", &json!({"responses": [answer]}).to_string());
    put(at, "ws/.git/hooks/sample", "fine");
    put(at, "ws/.git/config", "fine");
    put(at, "ws/.hive/queue", "fine");
    put(at, "ws/free/x", "fine");
    fs::create_dir_all(at.join("ws/way")).expect("a folder");
    fs::create_dir_all(at.join("home")).expect("a folder");
    top
}

/// Runs in a namespace where `area` is also at `way`; standard output and error together.
fn run(top: &Path, area: &str) -> String {
    let script = r#"mount --bind "$1" way && exec "$2" run --json go"#;
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-c", script, "sh", area, env!("CARGO_BIN_EXE_dominds-tui")])
        .current_dir(top.join("ws"))
        .env("HOME", top.join("home"));
    let done = output(&mut command);
    String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned()
}

fn mounts_are_allowed() -> bool {
    let script = "mount --bind /usr /mnt";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).stdout(Stdio::null()).stderr(Stdio::null());
    let tried = command.spawn().is_ok_and(|mut child| end(&mut child).success());
    if !tried {
        skip("this system lets nobody mount");
    }
    tried
}

#[test]
fn a_reserved_area_is_closed_under_the_name_a_mount_gives_it() {
    if !mounts_are_allowed() {
        return;
    }
    let new = |path: &str| ("create_new_file", json!({"path": path, "content": "x"}));
    let read = |path: &str| ("read_file", json!({ "path": path }));
    for (area, (tool, arguments), allowed) in [
        (".git", new("way/hooks/new"), false),
        (".git", new("way/new"), false),
        (".git/hooks", new("way/new"), false),
        (".git", read("way/config"), true),
        (".minds", read("way/team.yaml"), false),
        (".minds", new("way/new"), false),
        (".hive", read("way/queue"), false),
        ("free", new("way/new"), true),
        ("free", read("way/x"), true),
    ] {
        let top = workspace(tool, &arguments);
        let output = run(top.path(), area);
        let what = format!("{tool} {arguments} with {area}: {output}");
        assert!(output.contains(tool), "it was called: {what}");
        assert_eq!(output.contains("\"ok\":true"), allowed, "{what}");
        assert_eq!(output.contains("ACCESS_DENIED"), !allowed, "{what}");
        for path in [".git/hooks/new", ".git/new", ".minds/new"] {
            assert!(!top.path().join("ws").join(path).exists(), "{path}: {what}");
        }
    }
}
