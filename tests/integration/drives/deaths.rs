//! What happens to dialogs that work for a dialog declared dead, and to those that wait for it.

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{DialogId, StopReason};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;

use super::lifecycle::contents;
use super::tellasks::{once, reply, session};
use super::{made, place};
use crate::common::World;
use crate::common::record_lines::{entries, record_lines};

fn ask(id: &str, member: &str) -> Reply {
    Reply::call(id, "tellask", &session(member, "main", "Help."))
}

fn is_dismissed(world: &World, dialog: &DialogId) -> bool {
    world.dialog(dialog).latest.interruption() == Some(&StopReason::asker_is_dead())
}

fn folder(world: &World, dialog: &DialogId) -> std::path::PathBuf {
    let tree = world.path().join(".dialogs/run").join(dialog.root.as_str());
    tree.join("sideDialogs").join(dialog.this.as_str())
}

#[tokio::test(start_paused = true)]
async fn who_works_for_the_dead_stops_with_all_below_and_nothing_is_written_into_the_dead() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice"))
        .reply("alice", ask("c2", "bob"))
        .reply("bob", ask("c3", "carol"))
        .reply("carol", Reply::saying("I look").and_hang())
        .reply("lead", Reply::saying("It died."))
        .reply("carol", Reply::saying("seen"))
        .reply("bob", Reply::call("r", "replyTellask", &reply("helped")))
        .reply("bob", Reply::saying("Nobody wants it."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let [alice, bob, carol] = [made(&main, 2), made(&main, 3), made(&main, 4)];
    running.declare_dead(&alice, None).await.expect("it may die");
    running.quiet().await;
    assert!(is_dismissed(&world, &bob) && is_dismissed(&world, &carol));
    let lines = record_lines(&world.view(), &bob);
    assert_eq!(lines.last().map(String::as_str), Some("guide"), "it is told: {lines:#?}");
    place(&record_lines(&world.view(), &carol), "says, cut: I look");
    let dead = contents(&folder(&world, &alice));
    running.kill().await;
    let mut running = world.start().await;
    assert!(is_dismissed(&world, &bob) && is_dismissed(&world, &carol), "a restart wakes nobody");
    running.resume(&bob).await.expect("a person may want it");
    running.resume(&carol).await.expect("a person may want it");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &bob);
    assert!(
        place(&lines, "answered c3") < place(&lines, "plain call r replyTellask"),
        "{lines:#?}"
    );
    assert!(!lines.contains(&"delivered c2".to_owned()), "{lines:#?}");
    assert_eq!((world.state(&alice), world.models.remaining()), ("dead", 0));
    assert_eq!(contents(&folder(&world, &alice)), dead);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_stopped_for_a_dead_asker_goes_on_for_a_new_one() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice"))
        .reply("alice", ask("c2", "bob"))
        .reply("bob", Reply::saying("Hm").and_hang())
        .reply("lead", ask("c3", "bob"))
        .reply("bob", Reply::saying("helped"))
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let alice = made(&main, 2);
    running.declare_dead(&alice, None).await.expect("it may die");
    let dead = contents(&folder(&world, &alice));
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    place(&record_lines(&world.view(), &main), "answered c3");
    assert_eq!((world.tree(&main.root).dialogs.len(), world.models.remaining()), (3, 0));
    running.kill().await;
    let running = world.start().await;
    assert_eq!(contents(&folder(&world, &alice)), dead, "a restart leaves its files as they are");
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn reasoning_for_the_dead_ends() {
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice"))
        .reply("alice", Reply::call("f", "freshBootsReasoning", r#"{"tellaskContent":"Why?"}"#))
        .reply("alice", Reply::saying("Because").and_hang())
        .reply("lead", Reply::saying("It died."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.declare_dead(&made(&main, 2), None).await.expect("it may die");
    running.quiet().await;
    let reasons = made(&main, 3);
    assert!(is_dismissed(&world, &reasons) && world.dialog(&reasons).latest.fbr_state.is_none());
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_death_is_reported_as_a_notice_and_not_as_a_reply() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c1", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying("Hm").and_hang())
        .reply("lead", Reply::saying("It died."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    running.declare_dead(&made(&main, 2), Some("it hangs")).await.expect("it may die");
    running.quiet().await;
    let notice = entries(&world.view(), &main).into_iter().find_map(|entry| match entry.record {
        Record::TellaskResult(result) => Some(result.content),
        _ => None,
    });
    let notice = notice.expect("a notice");
    assert!(notice.starts_with("[System notice]") && !notice.contains("replied:"), "{notice}");
    for part in ["callId c1", "@alice", "dead", "it hangs"] {
        assert!(notice.contains(part), "{part} in {notice}");
    }
}
