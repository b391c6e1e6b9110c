//! The log has one line with ids for each event of a team, and no text of dialogs.

use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};

use super::tellasks::{once, reply, session};
use super::{made, question};
use crate::common::World;
use crate::common::logged::Logged;

/// A secret that must be in no line.
const CANARY: &str = "canary-7f3a";

fn says(text: &str) -> String {
    format!("{text} {CANARY}")
}

#[tokio::test(start_paused = true)]
async fn each_event_of_a_team_is_one_line_with_ids_and_without_its_text() {
    let ask = format!(r#"{{"tellaskContent":"{}"}}"#, says("Which?"));
    let list = format!(r#"{{"path":"{CANARY}"}}"#);
    let fails = Reply::failure(LlmError::quoted(ErrorClass::Transport, &says("line cut")));
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellask", &session("alice", "plan", &says("Plan."))))
        .reply("alice", fails)
        .reply("alice", Reply::call("b", "tellaskBack", &ask).and_thinking(&says("Hm.")))
        .reply("lead", Reply::call("a", "replyTellaskBack", &reply(&says("Small."))))
        .reply("alice", Reply::call("t", "list_dir", &list))
        .reply("alice", Reply::call("r", "replyTellask", &reply(&says("a plan"))))
        .reply("lead", Reply::call("q", "askHuman", &ask))
        .reply("lead", Reply::call("x", "tellaskSessionless", &once("nobody", &says("Look."))))
        .reply("lead", Reply::call(&says("id"), &says("no such tool"), "{}"))
        .reply("lead", Reply::saying(&says("Good.")));
    let world = World::new(models);
    let log = Logged::listen();
    let mut running = world.start().await;
    let main = running.talk(&says("Go")).await;
    let row = question(&running);
    running.answer(&row, &says("blue")).await.expect("an answer");
    running.quiet().await;
    running.shut_down().await;
    assert_eq!(world.models.remaining(), 0);
    let side = made(&main, 2);
    let (lead, alice) = (format!("dialog={main} "), format!("dialog={side} "));
    for (event, parts) in [
        ("tellask", &[lead.as_str(), "call=c ", "tool=tellask"][..]),
        ("prompt", &[&lead, "genseq=1 ", "origin=\"user\"", "msg=m1"]),
        ("side dialog", &[&lead, &format!("made={side}"), "agent=alice"]),
        ("assignment begins", &[&alice, "call=c"]),
        ("retry", &[&alice, "class=Transport"]),
        ("tellask", &[&alice, "call=b ", "tool=tellaskBack"]),
        ("reply", &[&alice, "call=b ", "completed"]),
        ("tool call", &[&alice, "call=t ", "tool=list_dir"]),
        ("result", &[&alice, "call=t ", "tool=list_dir"]),
        ("reply call", &[&alice, "call=r "]),
        ("reply delivered", &[&alice, "call=r ", "of=c"]),
        ("reply", &[&lead, "call=c ", "completed"]),
        ("question", &[&lead, "call=q"]),
        ("answer", &[&lead, "call=q ", "completed"]),
        ("tellask", &[&lead, "call=x ", "tool=tellaskSessionless"]),
        ("reply", &[&lead, "call=x ", "failed"]),
        ("in all", &["tellasks=3", "questions=1", "answers=1", "retries=1"]),
    ] {
        assert_eq!(log.count(event, parts), 1, "{event} {parts:?}\n{}", log.text());
    }
    let tree = format!("tree{{root={}}}", main.root);
    let events = log.text().lines().filter(|line| line.contains(&lead)).count();
    let within = log.text().lines().filter(|l| l.contains(&lead) && l.contains(&tree)).count();
    assert_eq!((within, events > 10), (events, true), "{}", log.text());
    assert!(log.count("retry", &["drive{", "generation{"]) == 1, "{}", log.text());
    assert!(!log.text().contains(CANARY), "{}", log.text());
}

#[tokio::test(start_paused = true)]
async fn stops_continues_and_recovery_are_lines_too() {
    let models = Sequence::new().reply("lead", Reply::saying("w").and_hang());
    let world = World::new(models);
    let log = Logged::listen();
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.kill().await;
    let mut running = world.start().await;
    let lead = format!("dialog={main}");
    assert_eq!(log.count("stop", &[&lead, "server_restart"]), 1, "{}", log.text());
    assert!(log.count("recovery", &[&lead, "what=\"state\""]) > 0, "{}", log.text());
    world.models.push("lead", Reply::saying("Good."));
    running.resume(&main).await.expect("something to continue");
    running.quiet().await;
    assert_eq!(log.count("continue", &[&lead]), 1, "{}", log.text());
    running.shut_down().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_fails_for_good_is_a_line_without_the_words_of_the_provider() {
    let refused = LlmError::quoted(ErrorClass::Rejected, &says("bad prompt:")).with_status(400);
    let world = World::new(Sequence::new().reply("lead", Reply::failure(refused)));
    let log = Logged::listen();
    let mut running = world.start().await;
    let main = running.talk("Go").await;
    let parts = [format!("dialog={main} "), "class=Rejected status=400 attempt=1".to_owned()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(log.count("request failed", &parts), 1, "{}", log.text());
    assert_eq!(log.count("stop", &[parts[0]]), 1, "{}", log.text());
    assert!(!log.text().contains(CANARY), "{}", log.text());
    running.shut_down().await;
}
