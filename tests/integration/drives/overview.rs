//! The overview for a main dialog of the work below it.

use dominds_tui::llm::{Message, Reply, Request, Sequence};
use dominds_tui::protocol::event::QuietOutcome;

use super::health::say;
use super::tellasks::{once, reply, session};
use crate::common::World;

/// The notice about what goes on below, if there is one.
fn below(request: &Request) -> Option<&str> {
    request.messages.iter().find_map(|message| match message {
        Message::Environment(text) if text.contains("What goes on below this dialog") => {
            Some(text.as_str())
        }
        _ => None,
    })
}

fn of(world: &World, member: &str, nth: usize) -> Request {
    let mut requests = world.models.requests();
    requests.retain(|request| request.model == member);
    requests.into_iter().nth(nth).expect("a request")
}

#[tokio::test(start_paused = true)]
async fn a_main_dialog_knows_its_sessions_and_who_waits_below_it_also_after_clearing_its_mind() {
    let ask = |id: &str, to: &str, slug: &str| {
        Reply::call(id, "tellask", &session(to, slug, "Do your part."))
    };
    let question = r#"{"tellaskContent":"Which \"port\"?\nOr none?"}"#;
    let models = Sequence::new()
        .reply("lead", ask("c1", "alice", "api"))
        .reply("alice", Reply::call("r", "replyTellask", &reply("done")))
        .reply("lead", ask("c2", "bob", "ops.net"))
        .reply("bob", Reply::call("q", "askHuman", question))
        .reply("lead", Reply::call("k", "clear_mind", "{}"))
        .reply("lead", say("Fresh.", 100));
    let world = World::small(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    running.say(&main, "How far are you?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(below(&of(&world, "lead", 0)), None, "nothing goes on below");
    let rests = "- \"api\" | @alice | rests, can be asked";
    assert!(below(&of(&world, "lead", 1)).is_some_and(|notice| notice.contains(rests)));
    for nth in [2, 3] {
        let request = of(&world, "lead", nth);
        let notice = below(&request).expect("a notice");
        let lines: Vec<&str> = notice.lines().filter(|line| line.starts_with("- ")).collect();
        let expected = [
            rests,
            "- \"ops.net\" | @bob | waits for the human's answer",
            "- @bob \"ops.net\": \"Which \\\"port\\\"?\"",
        ];
        assert_eq!(lines, expected, "request {nth}");
    }
    assert_eq!(below(&of(&world, "bob", 0)), None, "a side dialog is told of its own work only");
}

#[tokio::test(start_paused = true)]
async fn a_side_dialog_that_was_stopped_or_waits_is_named_to_the_main_dialog() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::call("d", "tellaskSessionless", &once("bob", "Look.")))
        .reply("bob", Reply::call("q", "askHuman", r#"{"tellaskContent":"?"}"#))
        .reply("lead", say("We wait.", 100));
    let world = World::small(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    running.say(&main, "And?").await.expect("heard");
    running.quiet().await;
    let request = of(&world, "lead", 1);
    let notice = below(&request).expect("a notice");
    let lines: Vec<&str> = notice.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(lines, ["- @bob: \"?\"", "- @alice: waits for replies (@bob)"]);
}
