//! A workspace of its own for each test, and short ways to run tools in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::domain::asking::autonomy::MemberAutonomy;
use crate::domain::{AccessLists, AgentId, DialogId, Lang, RootId};
use crate::guard::Access;
use crate::hive::Hive;
use crate::samples::Shows;

use super::{CallWatch, Registry, ReminderView, Shells, TeamPlace, ToolCx, ToolOutcome, ToolSpec};

const CLOCK: Shows = Shows("2026-11-21 12:00:00");

/// The schemas of tools as a provider gets them, a line for each.
pub(crate) fn schema_lines<'a>(tools: impl Iterator<Item = &'a ToolSpec>) -> String {
    tools.fold(String::new(), |lines, spec| format!("{lines}{} {}\n", spec.name, spec.parameters))
}

/// A workspace `ws` beside things that must stay out of reach.
pub(crate) struct TestBench {
    pub dir: TempDir,
    pub cx: ToolCx,
    tools: Registry,
    /// Its time stands still unless it is [moved on](Bench::wait).
    runtime: PausedRuntime,
    calls: AtomicU32,
}

impl TestBench {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("ws");
        std::fs::create_dir(&workspace).unwrap();
        let cx = ToolCx {
            approved: Arc::default(),
            caller: AgentId::new("lead"),
            dialog: DialogId::main(RootId::new("aa/bb/01")),
            sees_images: true,
            workspace: Arc::from(workspace),
            root: None,
            access: Arc::default(),
            toolsets: Arc::default(),
            taskdoc: Some(PathBuf::from("task.tsk")),
            main_dialog: true,
            reminders: Arc::from([]),
            shells: Shells::default(),
            keys: Arc::default(),
            clock: Arc::new(CLOCK),
            autonomy: MemberAutonomy::default(),
            news: Hive::nowhere(),
            teams: TeamPlace::default(),
            call: "call-1".to_owned(),
            watch: CallWatch::default(),
            lang: Lang::En,
            new_id: "new00001".to_owned(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        Self {
            dir,
            cx,
            tools: Registry::builtin(),
            runtime: PausedRuntime(Some(runtime)),
            calls: AtomicU32::new(0),
        }
    }

    /// Replaces the context of the tools.
    pub fn of(mut self, cx: ToolCx) -> Self {
        self.cx = cx;
        self
    }

    pub fn access(mut self, lists: &AccessLists) -> Self {
        self.cx.access = Arc::new(Access::new(lists));
        self
    }

    pub fn reminders(mut self, reminders: Vec<ReminderView>) -> Self {
        self.cx.reminders = Arc::from(reminders);
        self
    }

    /// A path in the workspace.
    pub fn at(&self, path: &str) -> PathBuf {
        self.cx.workspace.join(path)
    }

    /// Writes a file of the workspace (or beside it, through `..`), with its directories.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    pub fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap()
    }

    /// Runs a tool with all tools granted.
    pub fn run(&self, name: &str, args: &Value) -> ToolOutcome {
        self.run_raw(name, &args.to_string())
    }

    /// Runs a tool with all tools granted, on the runtime of the test.
    pub async fn call(&self, name: &str, args: &Value) -> ToolOutcome {
        let (subset, _) = self.tools.for_member(&["*".to_owned()], &[], self.cx.main_dialog);
        subset.run(name, &args.to_string(), self.cx.clone()).await
    }

    pub fn run_raw(&self, name: &str, raw: &str) -> ToolOutcome {
        self.round(&[(name, raw.to_owned())]).pop().unwrap()
    }

    /// Runs calls of one round side by side. The n-th call of a bench draws the id `new0000n`.
    pub fn round(&self, calls: &[(&str, String)]) -> Vec<ToolOutcome> {
        let (subset, unknown) = self.tools.for_member(&["*".to_owned()], &[], self.cx.main_dialog);
        assert!(unknown.is_empty());
        let running = calls.iter().map(|(name, raw)| {
            let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            let new_id = format!("new{number:05}");
            subset.run(name, raw, ToolCx { new_id, ..self.cx.clone() })
        });
        self.finish(futures_util::future::join_all(running))
    }

    /// Names and schemas of the tools in these toolsets.
    pub fn specs(&self, toolsets: &[&str]) -> Vec<(String, Value)> {
        let toolsets: Vec<String> = toolsets.iter().map(|&name| name.to_owned()).collect();
        let (subset, unknown) = self.tools.for_member(&toolsets, &[], self.cx.main_dialog);
        assert!(unknown.is_empty(), "{unknown:?}");
        subset.specs().map(|spec| (spec.name.to_string(), spec.parameters.clone())).collect()
    }

    /// Waits for something of this bench.
    pub fn finish<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.0.as_ref().unwrap().block_on(work)
    }

    /// Advances the time.
    pub fn wait(&self, time: Duration) {
        self.finish(tokio::time::advance(time));
    }

    /// Sets the member that calls.
    pub fn caller(&mut self, member: &str) -> &Self {
        self.cx.caller = AgentId::new(member);
        self
    }
}

/// A runtime whose time stands still.
struct PausedRuntime(Option<Runtime>);

/// Ends without waiting: some tests drop their bench inside another runtime.
impl Drop for PausedRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// The value of a header line.
pub(super) fn header<'a>(outcome: &'a ToolOutcome, key: &str) -> Option<&'a str> {
    let block = outcome.text.strip_prefix("```yaml\n")?.split("\n```").next()?;
    block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}
