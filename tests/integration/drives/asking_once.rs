//! An answered question is not asked again for the same work, and few confirmations are asked for.

use dominds_tui::domain::DialogId;
use dominds_tui::domain::asking::inquiry::answers::AnswerInput;
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use serde_json::json;

use super::captured::captured;
use super::tellasks::once;
use super::{made, question, result_of};
use crate::common::{Running, World};

fn words(text: &str) -> String {
    json!({ "tellaskContent": text }).to_string()
}

fn confirmation(text: &str) -> String {
    json!({ "tellaskContent": text, "confirm": true }).to_string()
}

fn in_words(text: &str) -> Reply {
    Reply::saying(&json!({ "open_questions": [{ "text": text }] }).to_string())
}

fn asks(id: &str, arguments: &str) -> Reply {
    Reply::call(id, "askHuman", arguments)
}

/// A dialog with this script whose first question got this answer.
pub async fn answered(models: Sequence, config: &str, answer: &str) -> (World, Running, DialogId) {
    let world = World::new(models);
    world.put(".minds/hive/hive.yaml", config);
    let mut running = world.start().await;
    let dialog = running.begin("Build it").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    running.answer(&question(&running), answer).await.expect("an answer");
    running.quiet().await;
    (world, running, dialog)
}

/// The newest result of this call that a model was shown.
fn told(world: &World, call: &str) -> String {
    let requests = world.models.requests();
    let last = requests.last().expect("a request");
    result_of(last, call).unwrap_or_default().to_owned()
}

#[tokio::test(start_paused = true)]
async fn q09_what_was_answered_is_not_asked_again_until_a_person_speaks() {
    let models = Sequence::new()
        .reply("lead", asks("c1", &words("Which database?")))
        .reply("lead", asks("c2", &words(" which  DATABASE")))
        .reply("lead", Reply::saying("Then so."))
        .reply("lead", asks("c3", &words("Which database?")));
    let (world, mut running, dialog) = answered(models, "", "PostgreSQL, please").await;
    assert!(running.inbox().is_empty());
    let reason = told(&world, "c2");
    assert!(reason.contains("asked already") && reason.contains("PostgreSQL, please"), "{reason}");
    running.say(&dialog, "Think again.").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert!(world.view().examine().is_empty());
}

#[tokio::test(start_paused = true)]
async fn q09_parts_that_were_answered_are_not_asked_again() {
    let parts = json!({ "questions": [{ "text": "Which?" }, { "text": "When?" }] }).to_string();
    let models = Sequence::new()
        .reply("lead", asks("c1", &parts))
        .reply("lead", asks("c2", &parts))
        .reply("lead", asks("c3", &words("Which?")));
    let (world, running, _) = answered(models, "", "now").await;
    assert!(told(&world, "c2").contains("[q2] When?\n→ now"), "{}", told(&world, "c2"));
    assert_eq!(running.inbox().len(), 1, "one part of them is another question");
}

#[tokio::test(start_paused = true)]
async fn q09_what_was_answered_in_an_earlier_course_is_not_asked_again() {
    let models = Sequence::new()
        .reply("lead", asks("c1", &words("Which database?")))
        .reply("lead", Reply::call("m", "clear_mind", "{}"))
        .reply("lead", asks("c2", &words("Which database?")))
        .reply("lead", Reply::saying("Then so."));
    let (world, running, dialog) = answered(models, "", "PostgreSQL").await;
    assert!(running.inbox().is_empty());
    assert_eq!(world.dialog(&dialog).latest.current_course.0, 2);
    assert!(told(&world, "c2").contains("PostgreSQL"));
}

#[tokio::test(start_paused = true)]
async fn q09_what_was_answered_before_a_restart_is_not_asked_again() {
    let models = Sequence::new()
        .reply("lead", asks("c1", &words("Which database?")))
        .reply("lead", asks("c2", &words("May I?")))
        .reply("lead", asks("c3", &words("Which database?")))
        .reply("lead", Reply::saying("Then so."));
    let (world, running, _) = answered(models, "", "PostgreSQL").await;
    running.kill().await;
    let mut running = world.start().await;
    running.answer(&question(&running), "yes").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(told(&world, "c3").contains("PostgreSQL"));
}

#[tokio::test(start_paused = true)]
async fn q09_one_confirmation_is_asked_for_unless_more_are_configured() {
    for (config, asked) in [("", 1), ("questions: { max_confirmations_per_cycle: 2 }", 2)] {
        let models = Sequence::new()
            .reply("lead", asks("c1", &confirmation("Shall I delete it?")))
            .reply("lead", asks("c2", &confirmation("Really?")))
            .reply("lead", asks("c3", &words("What is its name?")));
        let (world, mut running, _) = answered(models, config, "Yes, do.").await;
        if asked == 2 {
            running.answer(&question(&running), "Really.").await.expect("an answer");
            running.quiet().await;
        } else {
            let reason = told(&world, "c2");
            assert!(
                reason.contains("your confirmation") && reason.contains("Yes, do."),
                "{reason}"
            );
        }
        assert_eq!(
            question(&running).question.tellask_content,
            "What is its name?",
            "other questions are asked"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn q09_every_question_of_a_member_who_evaluates_is_a_confirmation() {
    let config = "questions: { sources: { lead: eval } }";
    let models = Sequence::new()
        .reply("lead", in_words("Is it a bug?"))
        .reply("lead", asks("c2", &words("Is it urgent?")))
        .reply("lead", Reply::saying("Then so."));
    let (world, running, _) = answered(models, config, "It is.").await;
    assert!(running.inbox().is_empty());
    assert!(told(&world, "c2").contains("your confirmation"));
}

#[tokio::test(start_paused = true)]
async fn q09_a_question_in_words_that_was_answered_is_refused_once_and_is_plain_words_then() {
    let models = Sequence::new()
        .reply("lead", in_words("Which database?"))
        .reply("lead", in_words("Which database?"))
        .reply("lead", in_words("Which database?"));
    let (world, running, dialog) = answered(models, "", "PostgreSQL").await;
    assert!(running.inbox().is_empty());
    assert_eq!(world.models.remaining(), 0);
    assert_eq!(world.state(&dialog), "idle_waiting_user");
    let calls = captured(&world, &dialog);
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(told(&world, &calls[1]).contains("PostgreSQL"));
    assert!(world.view().examine().is_empty());
}

#[tokio::test(start_paused = true)]
async fn q09_a_new_question_in_words_is_asked_however_often_another_was_repeated() {
    let models = Sequence::new()
        .reply("lead", in_words("Which database?"))
        .reply("lead", in_words("Which database?"))
        .reply("lead", in_words("Which port?"))
        .reply("lead", in_words("Which port?"))
        .reply("lead", Reply::saying("Done."));
    let (world, mut running, _) = answered(models, "", "PostgreSQL").await;
    assert!(question(&running).question.tellask_content.contains("Which port?"));
    running.answer(&question(&running), "5432").await.expect("an answer");
    running.quiet().await;
    assert!(running.inbox().is_empty(), "its repetition is mere words");
    assert_eq!(world.models.remaining(), 1);
}

#[tokio::test(start_paused = true)]
async fn q09_a_form_that_was_wrong_once_does_not_keep_words_from_being_asked() {
    let models = Sequence::new()
        .reply("lead", Reply::saying(r#"{"open_questions":"Which?"}"#))
        .reply("lead", in_words("Which?"));
    let (_, running, _) = World::talked(models, "Go").await;
    assert_eq!(running.inbox().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn q09_a_new_assignment_may_ask_again() {
    let session = |text: &str| {
        json!({ "targetAgentId": "alice", "sessionSlug": "main", "tellaskContent": text })
            .to_string()
    };
    let models = Sequence::new()
        .reply("lead", Reply::call("t1", "tellask", &session("Look.")))
        .reply("alice", asks("c1", &words("Where?")))
        .reply("alice", Reply::saying("Seen."))
        .reply("lead", Reply::call("t2", "tellask", &session("Look once more.")))
        .reply("alice", asks("c2", &words("Where?")));
    let (_, running, main) = answered(models, "", "Here.").await;
    assert_eq!(question(&running).dialog, made(&main, 2));
}

#[tokio::test(start_paused = true)]
async fn q09_what_another_dialog_was_answered_may_be_asked() {
    let models = Sequence::new()
        .reply("lead", asks("c1", &words("Where?")))
        .reply("lead", Reply::call("t1", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", asks("c2", &words("Where?")));
    let (_, running, main) = answered(models, "", "Here.").await;
    assert_eq!(question(&running).dialog, made(&main, 2));
}

#[tokio::test(start_paused = true)]
async fn q09_a_dismissed_question_is_not_asked_again() {
    let models = Sequence::new()
        .reply("lead", asks("c1", &words("Which database?")))
        .reply("lead", asks("c2", &words("Which database?")))
        .reply("lead", Reply::saying("Then without."));
    let (world, mut running, _) = World::talked(models, "Build it").await;
    let row = question(&running);
    running.answer_parts(&row, AnswerInput::Dismiss(None), false).await.expect("dismissed");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(told(&world, "c2").contains("without an answer"));
}
