//! How much memory a tool takes, whatever it is pointed at. Each test resets the peak of the
//! process, runs one call and looks at the peak again; so they run one after the other,
//! and in a process of their own.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

#[path = "../common/calls.rs"]
mod calls;

mod files;
mod reminders;
mod search;
mod shell;

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dominds_tui::tools::{Registry, Shells, ToolOutcome};
use serde_json::Value;

use calls::{TEAM, call};

/// What a call may take, in bytes.
const MAX_GROWTH: u64 = 64 * 1024 * 1024;

/// The peak belongs to the process, so only one test at a time may move it.
static ALONE: Mutex<()> = Mutex::new(());

/// A workspace, and the built-in tools in it.
struct Ground {
    dir: tempfile::TempDir,
    tools: Registry,
    _alone: MutexGuard<'static, ()>,
}

impl Ground {
    pub fn new() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = tempfile::tempdir().expect("a folder");
        let minds = dir.path().join(".minds");
        std::fs::create_dir(&minds).expect("a folder");
        std::fs::write(minds.join("team.yaml"), TEAM).expect("a team");
        Self { dir, tools: Registry::builtin(), _alone: alone }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Runs a call; gives its outcome and by how many bytes the peak of memory grew.
    pub fn run(&self, tool: &str, args: &Value) -> (ToolOutcome, u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let before = reset_peak();
        let shells = Shells::default();
        let called = call(self.dir.path(), &self.tools, &shells, (tool, args));
        let outcome = runtime.block_on(called);
        (outcome, peak().saturating_sub(before))
    }
}

/// Holds what a call took against what any call may take.
fn stays_small(what: &str, (outcome, grown): (ToolOutcome, u64)) -> ToolOutcome {
    eprintln!("{what}: the peak grew by {} KiB", grown / 1024);
    assert!(grown < MAX_GROWTH, "{what}: the peak grew by {grown} bytes");
    outcome
}

/// Forgets the peak so far; gives what is in use now.
fn reset_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").expect("the peak can be reset");
    peak()
}

/// The most memory in use since the last reset, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the state of the process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib * 1024
}
