//! A workspace of its own for each test, and short ways to run tools in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;

use crate::domain::{AccessLists, AgentId, Clock, DialogId, Lang, RootId, Stamp};

use super::{Access, Outcome, Registry, ReminderView, Shells, ToolCx};

#[derive(Debug)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Stamp {
        Stamp::new("2026-11-21 12:00:00")
    }
}

/// A workspace `ws` beside things that must stay out of reach.
pub(super) struct Bench {
    pub dir: TempDir,
    pub cx: ToolCx,
}

impl Bench {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().join("ws");
        std::fs::create_dir(&workspace).unwrap();
        let cx = ToolCx {
            caller: AgentId::new("lead"),
            dialog: DialogId::main(RootId::new("aa/bb/01")),
            sees_pictures: true,
            workspace: Arc::from(workspace),
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
        Self { dir, cx }
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
    pub fn run(&self, name: &str, args: &Value) -> Outcome {
        self.run_raw(name, &args.to_string())
    }

    /// Runs a tool with all tools granted, on the runtime of the test.
    pub async fn call(&self, name: &str, args: &Value) -> Outcome {
        let all = ["*".to_owned()];
        let (subset, _) = Registry::builtin().for_member(&all, &[], self.cx.main_dialog);
        subset.run(name, &args.to_string(), self.cx.clone()).await
    }

    pub fn run_raw(&self, name: &str, raw: &str) -> Outcome {
        let (subset, unknown) =
            Registry::builtin().for_member(&["*".to_owned()], &[], self.cx.main_dialog);
        assert!(unknown.is_empty());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(subset.run(name, raw, self.cx.clone()))
    }
}

/// The value of a header line.
pub(super) fn header<'a>(outcome: &'a Outcome, key: &str) -> Option<&'a str> {
    let block = outcome.text.strip_prefix("```yaml\n")?.split("\n```").next()?;
    block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}
