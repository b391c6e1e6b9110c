//! A workspace with entries without consent.

use std::time::Duration;

use dominds_tui::domain::DialogId;
use dominds_tui::domain::safety::trust::{TrustEntry, TrustKind};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::{ConsentView, QuietOutcome};
use dominds_tui::protocol::{Command, DriverEvent};

use crate::common::record_lines::record_lines;
use crate::common::{Running, World};

fn provider() -> TrustEntry {
    let act = "sends dialogs and the key in OPENAI_API_KEY to https://evil.example";
    TrustEntry::new(TrustKind::Provider, "p", act, "1".to_owned())
}

fn shell() -> TrustEntry {
    TrustEntry::new(TrustKind::Shell, "lead", "may run any command", "2".to_owned())
}

/// The last report about consent.
fn last_consent(running: &Running) -> Option<ConsentView> {
    running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Consent(consent) => Some(consent.clone()),
        _ => None,
    })
}

async fn agree(running: &mut Running, digests: &[&str]) {
    let digests = digests.iter().map(|&digest| digest.to_owned()).collect();
    running.ask(|ticket| Command::Agree { ticket, digests, level: None }).await.expect("agreed");
}

/// Waits until no event came for a while.
async fn settle(running: &mut Running) {
    while tokio::time::timeout(Duration::from_mins(1), running.event()).await.is_ok() {}
}

async fn begun(world: &World) -> DialogId {
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    running.quiet().await;
    running.shut_down().await;
    dialog
}

#[tokio::test(start_paused = true)]
async fn nothing_is_driven_before_a_person_agrees_and_what_waited_goes_on_then() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hello."))
        .reply("lead", Reply::saying("Again."))
        .reply("lead", Reply::saying("New."));
    let mut world = World::new(models);
    let old = begun(&world).await;
    world.setup.driving = false;
    let mut running = world.start().await;
    running.say(&old, "Once more").await.expect("recorded");
    running.shut_down().await;
    world.setup.driving = true;
    world.setup.trust.put(shell());
    world.setup.trust.put(provider());

    let mut running = world.start().await;
    let consent = last_consent(&running).expect("what waits is reported");
    assert!(consent.read_only);
    assert_eq!(consent.waiting.len(), 2);
    assert_eq!(world.models.requests().len(), 1, "nothing was picked up");
    let new = running.begin("Hi there").await.expect("it is recorded");
    running.ask(|ticket| Command::Continue { ticket, dialog: old.clone() }).await.ok();
    settle(&mut running).await;
    assert_eq!(world.models.requests().len(), 1, "nothing is driven");

    agree(&mut running, &["2"]).await;
    settle(&mut running).await;
    assert_eq!(world.models.requests().len(), 1, "one thing still waits");
    assert!(
        last_consent(&running)
            .is_some_and(|consent| consent.read_only && consent.waiting.len() == 1)
    );

    agree(&mut running, &["1"]).await;
    settle(&mut running).await;
    assert_eq!(last_consent(&running), Some(ConsentView::default()));
    assert_eq!(world.models.requests().len(), 3, "what was there and what is new goes on");
    for dialog in [&old, &new] {
        assert_eq!(world.state(dialog), "idle_waiting_user");
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_to_wait_while_dialogs_are_driven_has_no_effect_and_stops_nothing_else() {
    let models = Sequence::new()
        .reply("lead", Reply::saying("Hello."))
        .reply("lead", Reply::saying("Later."));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    running.quiet().await;
    assert_eq!(world.state(&dialog), "idle_waiting_user");

    world.setup.trust.put(provider());
    running.say(&dialog, "And now?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!(world.models.requests().len(), 1);
    assert_eq!(world.state(&dialog), "stopped");
    let state = world.dialog(&dialog).latest.display_state.expect("a state");
    let reason = format!("{state:?}");
    for named in ["OPENAI_API_KEY", "https://evil.example", ".minds/llm.yaml", "dominds-tui trust"]
    {
        assert!(reason.contains(named), "{reason}");
    }

    agree(&mut running, &["1"]).await;
    running
        .ask(|ticket| Command::Continue { ticket, dialog: dialog.clone() })
        .await
        .expect("goes on");
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines.last().map(String::as_str), Some("end 2"), "{lines:?}");
    assert_eq!(world.state(&dialog), "idle_waiting_user");
}
