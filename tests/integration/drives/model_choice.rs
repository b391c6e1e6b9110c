//! A person chooses the model of a dialog: it answers from the next generation on, also after a restart.

use dominds_tui::domain::{Bucket, Course, DialogId, Genseq, Latest, ModelChoice};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent, ForkMode, Lifecycle};

use super::made;
use super::tellasks::once;
use crate::common::{Running, World};

fn choice(provider: &str, model: &str) -> ModelChoice {
    ModelChoice { provider: provider.to_owned(), model: model.to_owned() }
}

impl Running {
    async fn choose(
        &mut self,
        dialog: &DialogId,
        model: Option<ModelChoice>,
    ) -> Result<(), String> {
        let dialog = dialog.clone();
        self.ask(|ticket| Command::SetModel { ticket, dialog, model }).await.map(drop)
    }

    /// The model in the row as last reported to all.
    fn shown_model(&self, dialog: &DialogId) -> Option<ModelChoice> {
        let row = self.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Row(row) if row.dialog == *dialog => Some(row.model.clone()),
            DriverEvent::Rows(rows) => {
                rows.iter().find(|row| row.dialog == *dialog).map(|row| row.model.clone())
            }
            _ => None,
        });
        row.expect("a row")
    }
}

/// The models that were asked, in order.
fn asked(world: &World) -> Vec<String> {
    world.models.requests().into_iter().map(|request| request.model).collect()
}

#[tokio::test(start_paused = true)]
async fn a_chosen_model_answers_from_the_next_generation_on_until_the_members_is_wanted_again() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("One."))
        .reply("bob", Reply::saying("Two."))
        .reply("bob", Reply::saying("Three."))
        .reply("lead", Reply::saying("Four."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    assert_eq!(running.shown_model(&dialog), None);
    running.choose(&dialog, Some(choice("script", "bob"))).await.expect("chosen");
    assert_eq!(running.shown_model(&dialog), Some(choice("script", "bob")));
    running.say(&dialog, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.shut_down().await;
    let mut running = world.start().await;
    assert_eq!(running.shown_model(&dialog), Some(choice("script", "bob")));
    running.say(&dialog, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    running.choose(&dialog, None).await.expect("chosen");
    assert_eq!(running.shown_model(&dialog), None);
    running.say(&dialog, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(asked(&world), ["lead", "bob", "bob", "lead"]);
}

#[tokio::test(start_paused = true)]
async fn a_generation_that_runs_ends_with_its_model() {
    let models =
        Sequence::new().reply("lead", Reply::new().and_hang()).reply("bob", Reply::saying("Two."));
    let (world, mut running, dialog) = World::begun(models, "Go").await;
    running.choose(&dialog, Some(choice("script", "bob"))).await.expect("chosen");
    running.idle().await;
    assert_eq!(asked(&world), ["lead"]);
    running.say_now(&dialog, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(asked(&world), ["lead", "bob"]);
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_has_a_choice_of_its_own() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Ready."))
        .reply("carol", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying("seen"))
        .reply("carol", Reply::saying("Good."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    running.choose(&main, Some(choice("script", "carol"))).await.expect("chosen");
    running.say(&main, "Ask alice").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(asked(&world), ["lead", "carol", "alice", "carol"]);
    let side = made(&main, 2);
    assert_eq!(world.dialog(&side).latest.chosen_model, None);
    running.choose(&side, Some(choice("script", "bob"))).await.expect("chosen");
    assert_eq!(world.dialog(&side).latest.chosen_model, Some(choice("script", "bob")));
    assert_eq!(world.dialog(&main).latest.chosen_model, Some(choice("script", "carol")));
}

#[tokio::test(start_paused = true)]
async fn a_fork_keeps_the_choice() {
    let models =
        Sequence::new().reply("lead", Reply::saying("One.")).reply("bob", Reply::saying("Two."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    running.choose(&main, Some(choice("script", "bob"))).await.expect("chosen");
    running.say(&main, "On").await.expect("said");
    running.quiet().await;
    let (root, course, genseq) = (main.root.clone(), Course(1), Genseq(2));
    let change = Lifecycle::Fork { root, course, genseq, then: ForkMode::Stay };
    let made = running.ask(|ticket| Command::Lifecycle { ticket, change }).await;
    let fork = made.expect("a fork").expect("a dialog");
    assert_eq!(running.shown_model(&fork), Some(choice("script", "bob")));
    assert_eq!(world.dialog(&fork).latest.chosen_model, Some(choice("script", "bob")));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_not_in_the_file_is_refused_and_nothing_changes() {
    let models = Sequence::new().reply("lead", Reply::saying("One."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    for (provider, model) in
        [("script", "dave"), ("other", "lead"), ("anthropic", "x"), ("../x", "\u{1b}")]
    {
        let refused = running.choose(&dialog, Some(choice(provider, model))).await;
        let refused = refused.expect_err("it is not in the file");
        assert!(refused.contains(".minds/llm.yaml"), "{refused}");
    }
    assert_eq!(world.dialog(&dialog).latest.chosen_model, None);
}

#[tokio::test(start_paused = true)]
async fn a_chosen_model_that_vanished_stops_the_dialog_and_no_other_model_is_asked() {
    let models =
        Sequence::new().reply("lead", Reply::saying("One.")).reply("lead", Reply::saying("Two."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    running.choose(&dialog, Some(choice("script", "bob"))).await.expect("chosen");
    let file = std::fs::read_to_string(world.path().join(".minds/llm.yaml")).expect("a file");
    world.put(".minds/llm.yaml", &file.replace("      bob:\n        name: bob\n", ""));
    let team = std::fs::read_to_string(world.path().join(".minds/team.yaml")).expect("a team");
    world.put(".minds/team.yaml", &team.replace("model: bob", "model: carol"));
    running.say(&dialog, "On").await.expect("said");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    let shown = format!("{:?}", world.dialog(&dialog).latest.marked());
    assert!(shown.contains("`bob`") && shown.contains("Alt+m"), "{shown}");
    assert_eq!(asked(&world), ["lead"]);
    running.choose(&dialog, None).await.expect("the member's own");
    running.resume(&dialog).await.expect("it goes on");
    running.quiet().await;
    assert_eq!(asked(&world), ["lead", "lead"]);
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_was_put_away_keeps_its_choice_and_takes_none() {
    let models = Sequence::new().reply("lead", Reply::saying("One."));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    running.choose(&dialog, Some(choice("script", "bob"))).await.expect("chosen");
    let (root, to) = (dialog.root.clone(), Bucket::Archive);
    let change = Lifecycle::Move { root, to };
    running.ask(|ticket| Command::Lifecycle { ticket, change }).await.expect("moved");
    running.choose(&dialog, None).await.expect_err("it is archived");
    running.shut_down().await;
    let listed = world.view().survey(&[Bucket::Archive]).trees.remove(0);
    let latest: &Latest = &listed.dialogs[0].latest;
    assert_eq!(latest.chosen_model, Some(choice("script", "bob")));
}

#[tokio::test(start_paused = true)]
async fn the_screen_is_told_the_models_of_the_file_in_its_order() {
    let mut world = World::new(Sequence::new());
    world.setup.audience = dominds_tui::driver::Audience::Screen;
    let mut running = world.start().await;
    let models = loop {
        let told = running.seen.iter().rev().find_map(|event| match event {
            DriverEvent::Workspace(view) => Some(view.models.clone()),
            _ => None,
        });
        match told {
            Some(models) => break models,
            None => drop(running.event().await),
        }
    };
    let names: Vec<String> = models.iter().map(|model| model.choice.to_string()).collect();
    assert_eq!(names, ["script / lead", "script / alice", "script / bob", "script / carol"]);
}
