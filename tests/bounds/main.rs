//! What tools may cost: memory stays small whatever the workspace holds. Each test measures the peak
//! of the whole process, so they run one after the other.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

mod search;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dominds_tui::domain::{AgentId, DialogId, Lang, RootId};
use dominds_tui::tools::{Outcome, Registry, ToolCx};

/// Held while memory is measured.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a tool in a workspace, and tells by how many bytes the peak of memory grew. `None` where the
/// system does not tell.
fn measured(workspace: &Path, name: &str, arguments: &str) -> (Outcome, Option<u64>) {
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
    let before = peak_bytes();
    let outcome = runtime.block_on(tools.run(name, arguments, cx));
    let grown = before.and_then(|before| Some(peak_bytes()?.saturating_sub(before)));
    (outcome, grown)
}

/// The most memory this process has held at once.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
