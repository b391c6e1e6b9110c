//! A person chooses how much the member of one dialog decides alone: it holds from the next generation on, in this
//! dialog alone, and only by the choice of a person.

use dominds_tui::domain::asking::autonomy::AutonomyLevel;
use dominds_tui::domain::safety::trust::{TrustEntry, TrustKind};
use dominds_tui::domain::{Course, DialogId, Genseq};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent, ForkMode, Lifecycle};
use serde_json::json;

use super::result_of;
use crate::common::{Running, World};

impl Running {
    async fn let_decide(
        &mut self,
        dialog: &DialogId,
        level: Option<AutonomyLevel>,
    ) -> Result<(), String> {
        let dialog = dialog.clone();
        let choose = |ticket| Command::SetDialogAutonomy { ticket, dialog, level };
        self.ask(choose).await.map(drop)
    }

    /// The level in the row as last reported to all.
    fn shown_autonomy(&self, dialog: &DialogId) -> Option<AutonomyLevel> {
        let row = self.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Row(row) if row.dialog == *dialog => Some(row.autonomy),
            DriverEvent::Rows(rows) => {
                rows.iter().find(|row| row.dialog == *dialog).map(|row| row.autonomy)
            }
            _ => None,
        });
        row.expect("a row")
    }
}

fn requests(call: &str) -> Reply {
    let decision = json!({
        "category": "scopeChanges", "description": "Split the crate?", "diff": "-a\n+b\n"
    });
    Reply::call(call, "request_decision", &decision.to_string())
}

/// A dialog whose member has said something, in a workspace with this configuration.
async fn talked(models: Sequence, config: &str) -> (World, Running, DialogId) {
    let world = World::new(models);
    world.put(".minds/hive/hive.yaml", config);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    (world, running, dialog)
}

/// The result of this call in the last request.
fn result(world: &World, call: &str) -> String {
    let requests = world.models.requests();
    result_of(requests.last().expect("a request"), call).unwrap_or_default().to_owned()
}

/// Two requests for a decision, each after a message.
fn decides_twice() -> Sequence {
    Sequence::new()
        .reply("lead", Reply::saying("Ready."))
        .reply("lead", requests("d1"))
        .reply("lead", Reply::saying("Done."))
        .reply("lead", requests("d2"))
        .reply("lead", Reply::saying("Done."))
}

const CONFIRM: &str = "autonomy: { level: confirm_all }\n";

#[tokio::test(start_paused = true)]
async fn a_looser_level_holds_in_its_dialog_over_a_restart_until_it_is_taken_back() {
    let (world, mut running, dialog) = talked(decides_twice(), CONFIRM).await;
    assert_eq!(running.shown_autonomy(&dialog), None);
    running.let_decide(&dialog, Some(AutonomyLevel::Full)).await.expect("chosen");
    assert_eq!(running.shown_autonomy(&dialog), Some(AutonomyLevel::Full));
    running.shut_down().await;
    let mut running = world.start().await;
    assert_eq!(running.shown_autonomy(&dialog), Some(AutonomyLevel::Full));
    running.say(&dialog, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(result(&world, "d1").contains(r#""policy":"automated""#), "{}", result(&world, "d1"));
    let system = world.models.requests().last().map(|request| request.system.clone());
    assert!(system.is_some_and(|text| text.contains("proceed without confirmation")));
    running.let_decide(&dialog, None).await.expect("taken back");
    assert_eq!(running.shown_autonomy(&dialog), None);
    running.say(&dialog, "On").await.expect("said");
    running.quiet().await;
    assert_eq!(running.inbox().len(), 1, "a person is asked again");
}

#[tokio::test(start_paused = true)]
async fn a_stricter_level_holds_also_where_the_workspace_configures_nothing() {
    for config in ["", "autonomy: { level: full }\n"] {
        let (_world, mut running, dialog) = talked(decides_twice(), config).await;
        running.let_decide(&dialog, Some(AutonomyLevel::ConfirmAll)).await.expect("chosen");
        running.say(&dialog, "On").await.expect("said");
        running.quiet().await;
        assert_eq!(running.inbox().len(), 1, "{config}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_written_for_a_kind_of_decision_limits_every_dialog() {
    let config = "autonomy: { level: full, scopeChanges: requires_approval }\n";
    let (_world, mut running, dialog) = talked(decides_twice(), config).await;
    running.let_decide(&dialog, Some(AutonomyLevel::Full)).await.expect("chosen");
    running.say(&dialog, "On").await.expect("said");
    running.quiet().await;
    assert_eq!(running.inbox().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_level_that_only_the_files_of_a_dialog_name_gives_it_nothing() {
    let (world, mut running, dialog) = talked(decides_twice(), CONFIRM).await;
    running.let_decide(&dialog, Some(AutonomyLevel::Full)).await.expect("chosen");
    let name = format!("dialog {dialog}");
    // An entry of this kind holds no dialogs.
    let entry = TrustEntry::new(TrustKind::Tool, &name, "nobody agreed here", "7".to_owned());
    world.setup.trust.put(entry);
    running.say(&dialog, "On").await.expect("said");
    running.quiet().await;
    assert_eq!(running.inbox().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fork_keeps_the_level_and_another_dialog_has_none() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One."))
        .reply("lead", Reply::saying("Two."))
        .reply("lead", Reply::saying("Three."));
    let (world, mut running, main) = talked(models, CONFIRM).await;
    running.let_decide(&main, Some(AutonomyLevel::MajorOnly)).await.expect("chosen");
    running.say(&main, "On").await.expect("said");
    running.quiet().await;
    let (root, course, genseq) = (main.root.clone(), Course(1), Genseq(2));
    let change = Lifecycle::Fork { root, course, genseq, then: ForkMode::Stay };
    let made = running.ask(|ticket| Command::Lifecycle { ticket, change }).await;
    let fork = made.expect("a fork").expect("a dialog");
    assert_eq!(running.shown_autonomy(&fork), Some(AutonomyLevel::MajorOnly));
    assert_eq!(world.dialog(&fork).latest.chosen_autonomy, Some(AutonomyLevel::MajorOnly));
    let other = running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    assert_eq!(running.shown_autonomy(&other), None);
}
