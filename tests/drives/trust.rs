//! A key that would go where nobody has agreed to send it.

use dominds_tui::domain::{DialogId, KeyUse};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, HeldKey, UiEvent};

use crate::common::story::story;
use crate::common::{Running, World};

fn key() -> KeyUse {
    let address = "https://evil.example".to_owned();
    KeyUse { variable: "OPENAI_API_KEY".to_owned(), address }
}

async fn go_on(running: &mut Running, dialog: &DialogId) {
    let dialog = dialog.clone();
    running.ask(|ticket| Command::Continue { ticket, dialog }).await.expect("goes on");
    running.quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_dialog_whose_key_waits_for_consent_stops_before_anything_is_sent_and_goes_on_after_it() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Hello.")));
    *world.setup.held.lock().expect("not poisoned") = Some(key());
    let mut running = world.start().await;
    let dialog = running.begin("Hi").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Failed);
    assert_eq!(world.models.requests().len(), 0);
    assert_eq!(world.state(&dialog), "stopped");
    let held = HeldKey { key: key(), file: ".minds/llm.yaml".to_owned() };
    let told = UiEvent::KeyHeld { dialog: dialog.clone(), held };
    assert!(running.seen.contains(&told));
    let state = world.dialog(&dialog).latest.display_state.expect("a state");
    let reason = format!("{state:?}");
    for named in ["OPENAI_API_KEY", "https://evil.example", ".minds/llm.yaml", "dominds-tui trust"]
    {
        assert!(reason.contains(named), "{reason}");
    }

    running.seen.clear();
    go_on(&mut running, &dialog).await;
    assert_eq!(world.models.requests().len(), 0, "to go on is no consent");
    assert!(running.seen.contains(&told));

    let other = KeyUse { variable: "OTHER".to_owned(), ..key() };
    let refused = running.ask(|ticket| Command::Trust { ticket, key: other }).await;
    assert!(refused.is_err());
    running.ask(|ticket| Command::Trust { ticket, key: key() }).await.expect("agreed");
    go_on(&mut running, &dialog).await;
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    let told = story(&world.view(), &dialog);
    assert_eq!(told, ["start 1", "person: Hi", "says: Hello.", "end 1"]);
}
