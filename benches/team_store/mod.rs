//! The store of teams of a benchmark: its clock stands still.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use dominds_tui::domain::teams::task::{NewTask, Overlap, Priority, TaskKind};
use dominds_tui::domain::{Clock, Lang, Stamp, TeamName};
use dominds_tui::hive::{AnyStore, Setup, StoreChoice, VaultKeys};
use dominds_tui::platform::random_name;

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-27 12:00:00")
    }
}

/// A workspace with this `hive.yaml`.
pub fn setup(workspace: &Path, hive: &str, store: StoreChoice) -> Setup {
    let hive_file = workspace.join(".minds/hive/hive.yaml");
    fs::create_dir_all(hive_file.parent().expect("a folder")).expect("a folder");
    fs::write(hive_file, hive).expect("a file");
    Setup {
        workspace: workspace.to_owned(),
        clock: Arc::new(FixedClock),
        permission: Arc::new(AnyStore),
        random_name,
        store,
        vault_keys: VaultKeys::default(),
        lang: Lang::En,
    }
}

pub fn task(team: TeamName, priority: Priority, text: String) -> NewTask {
    NewTask {
        team,
        kind: TaskKind::Delegate,
        priority,
        text,
        member: None,
        max_steps: 100,
        correlation: None,
        cause: None,
        from: None,
        origin: None,
        wake: false,
        overlap: Overlap::Allow,
        max_queue: u32::MAX,
        once: None,
        trigger: None,
    }
}

/// Bytes of memory that this process has.
pub fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("what the system says");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib * 1_024
}
