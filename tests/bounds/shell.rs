//! A command that writes a gigabyte: it costs neither memory nor disk, and the result says what was cut.

use std::path::PathBuf;
use std::sync::Arc;

use dominds_tui::domain::{AgentId, Clock, DialogId, Lang, RootId, Stamp};
use dominds_tui::tools::{RESULT_LIMIT_CHARS, Registry, Shells, ToolCx};

/// What the peak of this process may grow by.
const MOST_GROWTH_KIB: u64 = 100 * 1024;

#[derive(Debug)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

/// The largest this process has been, as far as the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[tokio::test]
async fn a_command_that_writes_a_gigabyte_costs_little_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let cx = ToolCx {
        caller: AgentId::new("lead"),
        dialog: DialogId::main(RootId::new("aa/bb/01")),
        sees_pictures: false,
        workspace: Arc::from(folder.path()),
        access: Arc::default(),
        taskdoc: Some(PathBuf::from("task.tsk")),
        main_dialog: true,
        reminders: Arc::from([]),
        shells: Shells::default(),
        keys: Arc::default(),
        clock: Arc::new(Noon),
        lang: Lang::En,
        new_reminder_id: "new00001".to_owned(),
    };
    let (tools, _) = Registry::builtin().for_member(&["os".to_owned()], &[], true);
    let arguments = r#"{"command": "yes | head -c 1073741824", "timeoutSeconds": 3000}"#;
    let before = peak_kib();
    let outcome = tools.run("shell_cmd", arguments, cx).await;
    let text = outcome.text;
    assert!(text.starts_with("exit code 0\nstdout:\ny\ny\n"), "{}", text.len());
    assert!(text.contains("of 1073741824 bytes cut here; 536870912 lines in all"));
    assert!(text.chars().count() <= RESULT_LIMIT_CHARS);
    match (before, peak_kib()) {
        (Some(before), Some(after)) => {
            eprintln!("peak before {before} KiB, after {after} KiB");
            assert!(after - before < MOST_GROWTH_KIB, "{before} KiB, then {after} KiB");
        }
        _ => eprintln!("skipped: this system does not tell the peak of a process"),
    }
}
