//! Asking teammates once.

use serde_json::json;

use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;

use super::{made, place, replies, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

/// Arguments of a `tellaskSessionless`.
pub fn once(target: &str, content: &str) -> String {
    json!({ "targetAgentId": target, "tellaskContent": content }).to_string()
}

/// Arguments of a `tellask`.
pub fn session(target: &str, slug: &str, content: &str) -> String {
    json!({ "targetAgentId": target, "sessionSlug": slug, "tellaskContent": content }).to_string()
}

/// Arguments of a reply tool.
pub fn reply(content: &str) -> String {
    json!({ "replyContent": content }).to_string()
}

fn ask_once(id: &str, target: &str) -> Reply {
    Reply::call(id, "tellaskSessionless", &once(target, "Look."))
}

#[tokio::test(start_paused = true)]
async fn e01_a_tellask_makes_a_side_dialog_and_its_reply_lets_the_asker_go_on() {
    let models = Sequence::new()
        .reply("lead", ask_once("c", "alice"))
        .reply("alice", Reply::call("r", "replyTellaskSessionless", &reply("seen")))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let side = made(&main, 2);
    let lines = record_lines(&world.view(), &main);
    let expected = [
        "start 1",
        "person: Go",
        "call c tellaskSessionless",
        "makes aa/00/00000002",
        "result c",
        "end 1",
        "answered c",
        "start 2",
        "says: Good.",
        "end 2",
    ];
    assert_eq!(lines, expected);
    let expected = [
        "start 1",
        "prompt",
        "assigned c",
        "plain call r replyTellaskSessionless",
        "delivered c",
        "responded c",
        "result r",
        "end 1",
    ];
    assert_eq!(record_lines(&world.view(), &side), expected);
    let seen = world.models.requests();
    assert!(replies(&seen[2])[0].contains("seen"));
    assert!(seen[1].messages.iter().any(|m| m.text().is_some_and(|t| t.contains("@lead"))));
    assert_eq!(world.state(&main), "idle_waiting_user");
    assert_eq!(world.state(&side), "idle_waiting_user");
    assert!(world.dialog(&main).pending.is_empty() && world.dialog(&side).obligation().is_none());
}

#[tokio::test(start_paused = true)]
async fn e13_plain_words_deliver_the_reply_without_another_turn() {
    let models = Sequence::new()
        .reply("lead", ask_once("c", "alice"))
        .reply("alice", Reply::saying("I look.").and_call("t", "list_dir", r#"{"path":"."}"#))
        .reply("alice", Reply::saying("First this.").and_thinking("hm").and_saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    assert_eq!(world.models.remaining(), 0);
    let lines = record_lines(&world.view(), &made(&main, 2));
    assert_eq!(lines.iter().filter(|line| *line == "delivered c").count(), 1);
    let last = world.models.requests().pop().expect("a request");
    let text = replies(&last).concat();
    assert!(text.contains("seen") && !text.contains("First this."), "{text}");
}

#[tokio::test(start_paused = true)]
async fn e10_all_tellasks_of_a_round_are_registered_before_any_starts_and_the_asker_waits_for_all()
{
    let round = ask_once("c1", "alice").and_call("c2", "tellaskSessionless", &once("bob", "Look."));
    let late = Reply::new().and_wait(std::time::Duration::from_secs(5)).and_saying("bob saw");
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", Reply::saying("alice saw"))
        .reply("bob", late)
        .reply("lead", Reply::saying("Both."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    assert_eq!(world.models.requests().len(), 3, "the asker waits for the second reply");
    assert_eq!(world.dialog(&main).pending.len(), 1);
    running.quiet().await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "makes aa/00/00000003") < place(&lines, "answered c1"));
    assert!(place(&lines, "answered c1") < place(&lines, "answered c2"));
    assert!(place(&lines, "answered c2") < place(&lines, "start 2"));
    let seen = world.models.requests();
    assert_eq!(replies(&seen[3]).len(), 2);
    // The files on disk when the first side dialog started named both.
    assert_eq!(lines.iter().filter(|line| line.starts_with("start")).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn e12_a_tool_in_the_same_round_is_followed_up_once_and_then_the_asker_waits() {
    let round = ask_once("c", "alice").and_call("t", "list_dir", r#"{"path":"."}"#);
    let late = Reply::new().and_wait(std::time::Duration::from_secs(5)).and_saying("seen");
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::saying("I wait."))
        .reply("alice", late)
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: I wait.") < place(&lines, "answered c"));
    assert_eq!(lines.iter().filter(|line| line.starts_with("start")).count(), 3);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn e23_tellasks_nest_and_replies_travel_back_the_same_way() {
    let models = Sequence::new()
        .reply("lead", ask_once("c1", "alice"))
        .reply("alice", ask_once("c2", "bob"))
        .reply("bob", ask_once("c3", "carol"))
        .reply("carol", Reply::saying("carol's"))
        .reply("bob", Reply::call("r", "replyTellaskSessionless", &reply("bob's")))
        .reply("alice", Reply::saying("alice's"))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    let tree = world.tree(&main.root);
    assert_eq!(tree.dialogs.len(), 4);
    for dialog in tree.dialogs.values() {
        assert!(dialog.pending.is_empty() && dialog.obligation().is_none(), "{dialog:?}");
    }
    let chain: Vec<&str> = (2..=4)
        .map(|n| tree.get(&made(&main, n).this).and_then(|d| d.asker()).expect("an asker").as_str())
        .collect();
    assert_eq!(chain, ["aa/00/00000001", "aa/00/00000002", "aa/00/00000003"]);
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last)[0].contains("alice's"));
}

#[tokio::test(start_paused = true)]
async fn e15_the_wrong_reply_tool_is_refused_with_the_right_name_and_the_model_goes_on() {
    for wrong in ["replyTellask", "replyTellaskBack"] {
        let models = Sequence::new()
            .reply("lead", ask_once("c", "alice"))
            .reply("alice", Reply::call("r1", wrong, &reply("seen")))
            .reply("alice", Reply::call("r2", "replyTellaskSessionless", &reply("seen")))
            .reply("lead", Reply::saying("Good."));
        let (world, _running, main) = World::talked(models, "Go").await;
        let seen = world.models.requests();
        let refusal = result_of(&seen[2], "r1").unwrap_or_default();
        assert!(refusal.contains("replyTellaskSessionless"), "{refusal}");
        assert_eq!(world.models.remaining(), 0);
        assert_eq!(world.state(&main), "idle_waiting_user");
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_replies_in_a_round_the_first_is_delivered() {
    let twice = Reply::call("r1", "replyTellaskSessionless", &reply("first")).and_call(
        "r2",
        "replyTellaskSessionless",
        &reply("second"),
    );
    let models = Sequence::new()
        .reply("lead", ask_once("c", "alice"))
        .reply("alice", twice)
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &main);
    assert_eq!(lines.iter().filter(|line| *line == "answered c").count(), 1);
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("first"));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn e17_e18_a_tellask_nobody_can_answer_fails_at_once_and_oneself_is_told_of_fresh_boots() {
    for (target, expected) in
        [("nobody", "alice"), ("lead", "freshBootsReasoning"), ("@nobody", "@nobody")]
    {
        let models = Sequence::new()
            .reply("lead", ask_once("c", target))
            .reply("lead", Reply::saying("I see."));
        let world = World::new(models);
        let mut running = world.start().await;
        let main = running.begin("Go").await.expect("a dialog");
        assert_eq!(running.quiet().await, QuietOutcome::Done);
        assert_eq!(world.tree(&main.root).dialogs.len(), 1);
        let lines = record_lines(&world.view(), &main);
        assert_eq!(
            lines[2..],
            [
                "call c tellaskSessionless",
                "closed c",
                "result c",
                "end 1",
                "start 2",
                "says: I see.",
                "end 2"
            ]
        );
        let seen = world.models.requests();
        let result = result_of(&seen[1], "c").unwrap_or_default();
        assert!(result.contains(expected), "{target}: {result}");
    }
}

#[tokio::test(start_paused = true)]
async fn e18a_a_side_dialog_does_not_ask_its_own_asker_afresh() {
    let models = Sequence::new()
        .reply("lead", ask_once("c", "alice"))
        .reply("alice", ask_once("c2", "lead"))
        .reply("alice", Reply::saying("seen"))
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    assert_eq!(world.tree(&main.root).dialogs.len(), 2);
    let seen = world.models.requests();
    assert!(result_of(&seen[2], "c2").is_some_and(|text| text.contains("tellaskBack")));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn e24_a_reply_to_an_asker_that_cleared_its_mind_is_carried_over() {
    let round = ask_once("c", "alice").and_call("t", "clear_mind", "{}");
    let late = Reply::new().and_wait(std::time::Duration::from_secs(5)).and_saying("seen");
    let models = Sequence::new()
        .reply("lead", round)
        .reply("lead", Reply::saying("Where was I?"))
        .reply("alice", late)
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: Where was I?") < place(&lines, "carried over: answered c"));
    let last = world.models.requests().pop().expect("a request");
    assert!(replies(&last).concat().contains("seen"));
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_belong_to_a_call_are_refused_with_the_fitting_advice() {
    let with_slug = r#"{"sessionSlug":"one","tellaskContent":"Look."}"#;
    let both = session("alice", "one", "Look.");
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &both))
        .reply("lead", Reply::call("f", "freshBootsReasoning", with_slug))
        .reply("lead", ask_once("d", "alice"))
        .reply("alice", Reply::call("b", "tellaskBack", with_slug))
        .reply("alice", Reply::saying("Seen."))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0, "each refusal is followed up");
    assert_eq!(world.tree(&main.root).dialogs.len(), 2, "nothing was made of them");
    let requests = world.models.requests();
    for (request, call, advice) in [
        (
            1,
            "c",
            "`sessionSlug` does not belong to `tellaskSessionless`: to ask in a session, call `tellask`",
        ),
        (2, "f", "`sessionSlug` does not belong to `freshBootsReasoning`: it goes to yourself"),
        (4, "b", "`sessionSlug` does not belong to `tellaskBack`: it goes to the tellasker"),
    ] {
        let result = result_of(&requests[request], call).expect("a result");
        assert!(result.contains(advice), "{result}");
    }
}
