//! The team most dialogs here are driven with, and what only these tests do with a driver.

use std::sync::Arc;
use std::time::Duration;

use dominds_tui::domain::{AgentId, DialogId, Problem};
use dominds_tui::llm::Sequence;
use dominds_tui::protocol::{Command, DriverEvent};

use crate::common::wait::until;
use crate::common::{Running, World};

/// The problems as last reported.
pub fn open_problems(running: &Running) -> Vec<Problem> {
    let problems = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Problems(problems) => Some(problems.clone()),
        _ => None,
    });
    problems.unwrap_or_default()
}

const MEMBERS: [&str; 4] = ["lead", "alice", "bob", "carol"];

impl World {
    /// A team of `lead`, `alice`, `bob` and `carol`, and a Taskdoc.
    pub fn new(models: Sequence) -> Self {
        let world = Self::empty(models);
        let members: String = MEMBERS.map(|id| {
            format!("  {id}:\n    name: {id}\n    model: {id}\n    toolsets: [ws_mod]\n    diligence-push-max: 0\n")
        }).concat();
        let known: String = MEMBERS.map(|id| format!("      {id}:\n        name: {id}\n")).concat();
        world.put(
            ".minds/team.yaml",
            &format!(
                "member_defaults:\n  provider: script\n  model: lead\ndefault_responder: lead\nmembers:\n{members}"
            ),
        );
        world.put(
            ".minds/llm.yaml",
            &format!(
                "providers:\n  script:\n    name: Script\n    apiType: mock\n    baseUrl: none\n    models:\n{known}"
            ),
        );
        world.put("task.tsk/goals.md", "See it through.\n");
        world
    }

    pub fn put(&self, path: &str, text: &str) {
        crate::common::files::put(self.path(), path, text);
    }

    /// A world in which `lead` began a dialog with these words and nothing moves any more.
    pub async fn talked(models: Sequence, text: &str) -> (Self, Running, DialogId) {
        let world = Self::new(models);
        let mut running = world.start().await;
        let dialog = running.talk(text).await;
        (world, running, dialog)
    }

    /// Begins a dialog and returns as soon as everything waits for the clock: for answers that take their time.
    pub async fn begun(models: Sequence, text: &str) -> (Self, Running, DialogId) {
        let world = Self::new(models);
        let mut running = world.start().await;
        let dialog = running.begin(text).await.expect("a dialog");
        running.idle().await;
        (world, running, dialog)
    }
}

impl Running {
    /// Waits until everything that can happen at this moment has happened; no clock moves on.
    pub async fn idle(&mut self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
        while let Ok(event) = self.driver.events.try_recv() {
            self.seen.push(event);
            tokio::task::yield_now().await;
        }
    }

    /// A new main dialog of `lead`, not waited for.
    pub async fn begin(&mut self, text: &str) -> Result<DialogId, String> {
        let (agent, text) = (AgentId::new("lead"), text.to_owned());
        let taskdoc = "task.tsk".to_owned();
        let made = self
            .ask(|ticket| Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() })
            .await?;
        Ok(made.expect("a dialog"))
    }

    /// A new main dialog of `lead`, until nothing moves.
    pub async fn talk(&mut self, text: &str) -> DialogId {
        let dialog = self.begin(text).await.expect("a new dialog");
        self.quiet().await;
        dialog
    }

    pub async fn say(&mut self, dialog: &DialogId, text: &str) -> Result<(), String> {
        let (dialog, text) = (dialog.clone(), text.to_owned());
        self.ask(|ticket| Command::Say { ticket, dialog, text, images: Vec::new() }).await.map(drop)
    }

    /// What runs in the dialog is stopped for these words.
    pub async fn say_now(&mut self, dialog: &DialogId, text: &str) -> Result<(), String> {
        let (dialog, text) = (dialog.clone(), text.to_owned());
        let said = |ticket| Command::SayNow { ticket, dialog, text, images: Vec::new() };
        self.ask(said).await.map(drop)
    }

    pub async fn resume(&mut self, dialog: &DialogId) -> Result<(), String> {
        let dialog = dialog.clone();
        self.ask(|ticket| Command::Continue { ticket, dialog }).await.map(drop)
    }

    /// Ends the program as a kill would: no further byte is written.
    pub async fn kill(self) -> Vec<DriverEvent> {
        let Self { mut driver, store, mut seen, .. } = self;
        while let Ok(event) = driver.events.try_recv() {
            seen.push(event);
        }
        drop(driver);
        until(|| Arc::strong_count(&store) == 1).await;
        seen
    }
}
