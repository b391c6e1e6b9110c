//! Searching large trees and large files.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dominds_tui::domain::{AgentId, DialogId, Lang, RootId};
use dominds_tui::tools::{Outcome, Registry, ToolCx};

/// What this process may grow by.
const MOST_GROWTH_KIB: u64 = 100 * 1024;

/// Held while memory is measured.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line of what the system tells about this process.
fn kib(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Runs a tool in a workspace, and holds the peak against what the process was before.
fn run_small(workspace: &Path, name: &str, arguments: &str) -> Outcome {
    let (tools, _) = Registry::builtin().for_member(&["*".to_owned()], &[], true);
    let cx = ToolCx {
        caller: AgentId::new("lead"),
        dialog: DialogId::main(RootId::new("aa/bb/01")),
        sees_pictures: true,
        workspace: Arc::from(workspace),
        access: Arc::default(),
        taskdoc: None,
        main_dialog: true,
        reminders: Arc::from([]),
        lang: Lang::En,
        new_reminder_id: "new00001".to_owned(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let before = kib("VmRSS:");
    let outcome = runtime.block_on(tools.run(name, arguments, cx));
    match (before, kib("VmHWM:")) {
        (Some(before), Some(peak)) => {
            eprintln!("{name} {arguments}: {before} KiB before, {peak} KiB at most");
            assert!(peak.saturating_sub(before) < MOST_GROWTH_KIB, "{before} KiB, then {peak} KiB");
        }
        _ => eprintln!("SKIPPED: this system does not tell the peak of a process"),
    }
    outcome
}

#[test]
fn c08_a_tree_of_a_hundred_thousand_files_is_searched_in_little_memory() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a folder");
    for folder in 0..100 {
        let folder = dir.path().join(format!("d{folder:02}"));
        fs::create_dir(&folder).expect("a folder");
        for file in 0..1_000 {
            fs::write(folder.join(format!("f{file:03}.txt")), "a needle\nmore\n").expect("a file");
        }
    }
    let arguments = r#"{"pattern": "needle"}"#;
    let outcome = run_small(dir.path(), "ripgrep_count", arguments);
    assert!(outcome.text.contains("total_results: 100000\n"), "{}", outcome.text);
    assert!(outcome.text.contains("shown_files: 200\n"), "{}", outcome.text);
}

#[test]
fn c08_a_hundred_megabytes_in_long_lines_are_searched_in_little_memory() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a folder");
    let file = File::create(dir.path().join("large.txt")).expect("a file");
    let mut file = BufWriter::new(file);
    let line = vec![b'x'; 1024 * 1024];
    for number in 0..100 {
        file.write_all(&line).expect("written");
        // Ten lines of ten mebibytes each.
        let end = if number % 10 == 9 { "needle\n" } else { "" };
        file.write_all(end.as_bytes()).expect("written");
    }
    file.flush().expect("written");
    let arguments = r#"{"pattern": "needle", "context_before": 50, "context_after": 50}"#;
    let outcome = run_small(dir.path(), "ripgrep_snippets", arguments);
    assert!(outcome.text.contains("shown_results: 10\n"), "{}", outcome.text);
    assert!(outcome.text.contains("\n10: "), "{}", outcome.text);
    let outcome = run_small(dir.path(), "ripgrep_files", r#"{"pattern": "x+$"}"#);
    assert!(outcome.ok, "{}", outcome.text);
}

#[test]
fn c08_output_without_end_is_cut_and_the_search_ends() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a folder");
    let file = File::create(dir.path().join("many.txt")).expect("a file");
    let mut file = BufWriter::new(file);
    for _ in 0..1_000_000 {
        file.write_all(b"a needle in every line of a file without end\n").expect("written");
    }
    file.flush().expect("written");
    let arguments = r#"{"pattern": "needle", "max_results": 1000000, "context_before": 50}"#;
    let outcome = run_small(dir.path(), "ripgrep_snippets", arguments);
    assert!(outcome.text.contains("truncated_by_char_limit: true\n"), "{}", outcome.text);
}
