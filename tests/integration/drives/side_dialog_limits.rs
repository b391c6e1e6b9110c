//! How many side dialogs work at once in a tree, and how deep they ask one another.

use dominds_tui::domain::{DialogId, SideDialogLimits};
use dominds_tui::llm::{Reply, Sequence};

use super::tellasks::{once, session};
use super::{made, replies, result_of};
use crate::common::World;

fn ask(id: &str, member: &str) -> Reply {
    Reply::call(id, "tellaskSessionless", &once(member, "Look."))
}

fn world(models: Sequence, dialogs: usize, depth: usize) -> World {
    let mut world = World::new(models);
    world.setup.side_dialog_limits = SideDialogLimits { dialogs, depth };
    world
}

/// The newest result of a call that a request to the member holds.
fn last_result(world: &World, member: &str, call: &str) -> String {
    let mut seen = world.models.requests();
    seen.retain(|request| request.model == member);
    let results = seen.iter().rev().find_map(|request| result_of(request, call));
    results.unwrap_or_else(|| panic!("{member} knows nothing of {call}")).to_owned()
}

fn dialogs(world: &World, main: &DialogId) -> usize {
    world.tree(&main.root).dialogs.len()
}

#[tokio::test(start_paused = true)]
async fn no_more_side_dialogs_work_at_once_than_the_person_allows_and_one_round_counts_its_own() {
    let why = r#"{"tellaskContent":"Why?"}"#;
    let round = ask("c1", "alice")
        .and_call("c2", "tellaskSessionless", &once("bob", "Look."))
        .and_call("c3", "tellaskSessionless", &once("alice", "Look."))
        .and_call("c4", "freshBootsReasoning", why);
    let late =
        |text: &str| Reply::new().and_wait(std::time::Duration::from_secs(5)).and_saying(text);
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::saying("I wait."))
        .reply("alice", late("alice saw"))
        .reply("bob", late("bob saw"))
        .reply("lead", ask("c5", "alice"))
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let world = world(models, 2, 16);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    for (call, refused) in [("c1", false), ("c2", false), ("c3", true), ("c4", true), ("c5", false)]
    {
        let result = last_result(&world, "lead", call);
        assert_eq!(result.contains("2 side dialogs of this tree"), refused, "{call}: {result}");
    }
    assert_eq!((dialogs(&world, &main), world.models.remaining()), (4, 0));
    assert!(world.dialog(&main).pending.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_session_counts_while_it_works_and_is_given_its_newer_request_all_the_same() {
    let ask = |id: &str, slug: &str| Reply::call(id, "tellask", &session("alice", slug, "Help."));
    let again = session("alice", "one", "No, this.");
    let models = Sequence::new()
        .reply("lead", ask("c1", "one").and_call("c2", "tellask", &again))
        .reply("alice", Reply::saying("helped"))
        // The session rests: there is room for another, and then none for it.
        .reply("lead", ask("c3", "two").and_call("c4", "tellask", &again))
        .reply("lead", Reply::saying("I wait."))
        .reply("alice", Reply::saying("helped too"))
        .reply("lead", ask("c5", "one"))
        .reply("alice", Reply::saying("helped again"))
        .reply("lead", Reply::saying("Good."));
    let world = world(models, 1, 16);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    for (call, refused) in [("c2", false), ("c3", false), ("c4", true), ("c5", false)] {
        let result = last_result(&world, "lead", call);
        assert_eq!(result.contains("1 side dialogs of this tree"), refused, "{call}: {result}");
    }
    assert_eq!((dialogs(&world, &main), world.models.remaining()), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn side_dialogs_ask_one_another_only_so_deep_and_the_last_one_does_the_work() {
    let why = r#"{"tellaskContent":"Why?"}"#;
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice"))
        .reply("alice", ask("c2", "bob"))
        .reply("bob", ask("c3", "carol").and_call("c4", "freshBootsReasoning", why))
        .reply("bob", Reply::saying("bob saw"))
        .reply("alice", Reply::saying("alice saw"))
        .reply("lead", ask("c5", "carol"))
        .reply("carol", Reply::saying("carol saw"))
        .reply("lead", Reply::saying("Good."));
    let world = world(models, 500, 2);
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    for call in ["c3", "c4"] {
        let result = last_result(&world, "bob", call);
        assert!(result.contains("2 deep") && result.contains("Do the work here"), "{result}");
    }
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("carol saw"));
    assert_eq!((dialogs(&world, &main), world.models.remaining()), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn the_dead_make_room_and_a_restart_counts_what_is_there() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice"))
        .reply("alice", Reply::saying("I look").and_hang())
        .reply("lead", ask("c2", "bob").and_call("c3", "tellaskSessionless", &once("bob", "Look.")))
        .reply("bob", Reply::saying("I look").and_hang())
        .reply("bob", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let world = world(models, 1, 16);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.declare_dead(&made(&main, 2), None).await.expect("it may die");
    running.idle().await;
    running.kill().await;
    let mut running = world.start().await;
    running.resume(&made(&main, 3)).await.expect("it goes on");
    running.quiet().await;
    assert!(!last_result(&world, "lead", "c2").contains("side dialogs of this tree"));
    assert!(last_result(&world, "lead", "c3").contains("1 side dialogs of this tree"));
    assert_eq!((dialogs(&world, &main), world.models.remaining()), (3, 0));
}
