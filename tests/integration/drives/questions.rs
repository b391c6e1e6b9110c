//! Questions for the human: asked, answered once, withdrawn.

use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::DriverEvent;
use dominds_tui::protocol::event::QuietOutcome;

use super::tellasks::once;
use super::{made, place, probe, question, replies, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

fn ask(id: &str) -> Reply {
    Reply::call(id, "askHuman", r#"{"tellaskContent":"Which colour?"}"#)
}

#[tokio::test(start_paused = true)]
async fn d01_a_question_waits_in_the_inbox_and_its_answer_lets_the_dialog_go_on() {
    let models = Sequence::new().reply("lead", ask("q")).reply("lead", Reply::saying("Blue then."));
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Paint").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.state(&dialog), "blocked");
    let row = question(&running);
    assert_eq!(
        (row.agent.as_str(), row.question.tellask_content.as_str()),
        ("lead", "Which colour?")
    );
    running.answer(&row, "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(running.inbox().is_empty());
    let lines = record_lines(&world.view(), &dialog);
    let expected = [
        "call q askHuman",
        "result q",
        "end 1",
        "answered q",
        "start 2",
        "says: Blue then.",
        "end 2",
    ];
    assert_eq!(lines[2..], expected);
    assert_eq!(replies(&world.models.requests()[1]), ["blue"]);
    let asked =
        running.seen.iter().filter(|event| matches!(event, DriverEvent::Asked { .. })).count();
    assert_eq!(asked, 1);
}

#[tokio::test(start_paused = true)]
async fn d07_a_question_is_answered_once() {
    let models = Sequence::new().reply("lead", ask("q")).reply("lead", Reply::saying("Blue then."));
    let (world, mut running, dialog) = World::talked(models, "Paint").await;
    let row = question(&running);
    assert!(running.answer(&row, "  ").await.is_err());
    running.answer(&row, "blue").await.expect("an answer");
    let late = running.answer(&row, "green").await.expect_err("answered");
    assert_eq!(late, "it was answered already, by @human at 2026-11-21 12:00:00: blue");
    running.quiet().await;
    assert!(running.answer(&row, "red").await.is_err());
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines.iter().filter(|line| *line == "answered q").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn d02_two_questions_in_a_round_are_both_refused_and_the_other_calls_run() {
    let round = ask("q1").and_call("t", "probe", "{}").and_call(
        "q2",
        "askHuman",
        r#"{"tellaskContent":"Which size?"}"#,
    );
    let models = Sequence::new().reply("lead", round).reply("lead", Reply::saying("I merge them."));
    let (world, _) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Paint").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(running.inbox().is_empty() && world.dialog(&dialog).questions.is_empty());
    let seen = world.models.requests();
    assert_eq!(seen.len(), 2);
    for id in ["q1", "q2"] {
        assert!(
            result_of(&seen[1], id).is_some_and(|text| text.contains("Only one `askHuman` call"))
        );
    }
    assert_eq!(result_of(&seen[1], "t"), Some("run 1"));
}

#[tokio::test(start_paused = true)]
async fn d02_e19_a_round_of_nothing_but_refused_calls_is_followed_up() {
    for (name, arguments) in [
        ("askHuman", "{}"),
        ("askHuman", "not json"),
        ("askHuman", r#"{"tellaskContent":"  "}"#),
        ("tellask", r#"{"targetAgentId":"alice","sessionSlug":"2bad","tellaskContent":"x"}"#),
        ("tellask", r#"{"targetAgentId":"alice","tellaskContent":"x"}"#),
        ("tellaskSessionless", r#"{"tellaskContent":"x"}"#),
        ("replyTellask", r#"{"replyContent":"x"}"#),
    ] {
        let models = Sequence::new()
            .reply("lead", Reply::call("c", name, arguments))
            .reply("lead", Reply::saying("I see."));
        let (world, _running, dialog) = World::talked(models, "Go").await;
        assert_eq!(world.models.remaining(), 0, "{name} {arguments}");
        assert!(result_of(&world.models.requests()[1], "c").is_some(), "{name} {arguments}");
        assert_eq!(world.state(&dialog), "idle_waiting_user", "{name} {arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn d04_a_person_is_heard_while_a_question_is_open_and_the_question_stays() {
    let models = Sequence::new()
        .reply("lead", ask("q"))
        .reply("lead", Reply::saying("Yes?"))
        .reply("lead", Reply::saying("Blue then."));
    let (world, mut running, dialog) = World::talked(models, "Paint").await;
    running.say(&dialog, "wait").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.state(&dialog), "blocked");
    let row = question(&running);
    running.answer(&row, "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
}

#[tokio::test(start_paused = true)]
async fn d05_an_answer_is_read_when_the_side_dialogs_of_the_asker_have_replied() {
    let round = ask("q").and_call("c", "tellaskSessionless", &once("alice", "Look."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", ask("qa"))
        .reply("alice", Reply::saying("looked"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let rows = running.inbox();
    assert_eq!(rows.len(), 2);
    let of = |agent: &str| rows.iter().find(|row| row.agent.as_str() == agent).expect("a question");
    running.answer(of("lead"), "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.models.requests().len(), 2, "the asker waits for its side dialog");
    running.answer(of("alice"), "green").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let last = world.models.requests().pop().expect("a request");
    assert_eq!(last.model, "lead");
    assert_eq!(replies(&last).len(), 2);
    assert_eq!(world.state(&main), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn an_open_question_holds_an_asker_whose_replies_are_in() {
    let round = ask("q").and_call("c", "tellaskSessionless", &once("alice", "Look."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", Reply::saying("looked"))
        .reply("lead", Reply::saying("Done."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(world.models.requests().len(), 2);
    assert!(record_lines(&world.view(), &main).contains(&"answered c".to_owned()));
    let row = question(&running);
    running.answer(&row, "blue").await.expect("an answer");
    running.quiet().await;
    assert_eq!(replies(&world.models.requests()[2]).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn d03_the_answer_to_a_side_dialog_completes_the_chain() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", ask("q"))
        .reply("alice", Reply::saying("It is blue."))
        .reply("lead", Reply::saying("Thanks."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let row = question(&running);
    assert_eq!((row.agent.as_str(), row.dialog.clone()), ("alice", made(&main, 2)));
    assert_eq!(row.blocks, ["lead".into()]);
    running.answer(&row, "blue").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let side = record_lines(&world.view(), &made(&main, 2));
    assert!(place(&side, "answered q") < place(&side, "says: It is blue."));
    assert!(place(&side, "says: It is blue.") < place(&side, "delivered c"));
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "answered c") < place(&lines, "says: Thanks."));
}

#[tokio::test(start_paused = true)]
async fn clearing_the_mind_withdraws_the_open_question() {
    let models = Sequence::new()
        .reply("lead", ask("q"))
        .reply("lead", Reply::call("t", "clear_mind", "{}"))
        .reply("lead", Reply::saying("A new start."));
    let (world, mut running, dialog) = World::talked(models, "Paint").await;
    let row = question(&running);
    running.say(&dialog, "forget it").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(running.inbox().is_empty() && world.dialog(&dialog).questions.is_empty());
    assert!(running.answer(&row, "blue").await.is_err());
    assert_eq!(world.dialog(&dialog).latest.current_course.0, 2);
    assert_eq!(world.models.remaining(), 0);
    running.shut_down().await;
    let mut again = world.start().await;
    assert!(again.inbox().is_empty());
    assert!(again.answer(&row, "blue").await.is_err());
}
