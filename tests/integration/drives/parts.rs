//! Questions with parts: asked in one call, answered part by part, recorded at once.

use dominds_tui::domain::asking::inquiry::answers::AnswerInput;
use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::{Course, DialogId, Genseq};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{ForkMode, InboxRow, Lifecycle};
use serde_json::{Value, json};

use super::{question, replies, result_of};
use crate::common::record_lines::{entries, record_lines};
use crate::common::{Running, World};

fn two() -> String {
    let option = |label: &str| json!({ "label": label });
    let questions = json!([
        { "text": "Which database?", "options": [option("PostgreSQL"), option("SQLite")],
          "recommended": "a" },
        { "text": "Does the API page?" },
    ]);
    json!({ "tellaskContent": "Before I start:", "questions": questions }).to_string()
}

fn ask() -> Sequence {
    Sequence::new().reply("lead", Reply::call("q", "askHuman", &two()))
}

fn parts(typed: &[(&str, &str)]) -> AnswerInput {
    let typed = typed.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned()));
    AnswerInput::Parts(typed.collect())
}

/// A dialog that asks in two parts.
async fn asked() -> (World, Running, DialogId, InboxRow) {
    let (world, running, dialog) =
        World::talked(ask().reply("lead", Reply::saying("Then so.")), "Build it").await;
    let row = question(&running);
    (world, running, dialog, row)
}

/// Returns the answers as the model got them.
fn answered(world: &World) -> Vec<String> {
    let requests = world.models.requests();
    let last = requests.last().expect("a request");
    replies(last).into_iter().map(str::to_owned).collect()
}

const BOTH: &str =
    "[q1] Which database?\n→ a: PostgreSQL\n\n[q2] Does the API page?\n→ yes, cursors";

#[tokio::test(start_paused = true)]
async fn q01_parts_are_one_question_whose_text_says_all_of_it() {
    let (world, _running, dialog, row) = asked().await;
    let text = "Before I start:\n\n1. Which database?\n   a  PostgreSQL\n   b  SQLite\n   \
                recommended: a\n\n2. Does the API page?";
    let state = world.dialog(&dialog);
    assert_eq!(state.questions.len(), 1);
    assert_eq!(state.questions[0].tellask_content, text);
    let call = entries(&world.view(), &dialog).iter().find_map(|entry| match &entry.record {
        Record::TellaskCall { call, .. } => Some(call.raw_arguments_text.clone()),
        _ => None,
    });
    let call: Value = serde_json::from_str(&call.expect("a call")).expect("arguments");
    assert_eq!(call["tellaskContent"], text);
    assert_eq!(call["questions"][0]["options"][1], json!({ "key": "b", "label": "SQLite" }));
    assert_eq!(call["questions"][1]["id"], "q2");
    assert_eq!(call["questions"][1]["createdAt"], "2026-11-21T12:00:00");
    let parts = row.several_parts().expect("parts");
    assert_eq!(parts.iter().map(|part| part.id.as_str()).collect::<Vec<_>>(), ["q1", "q2"]);
    assert!(!world.path().join(".hive").exists());
}

#[tokio::test(start_paused = true)]
async fn q01_what_cannot_be_asked_is_refused_with_the_reason() {
    for (arguments, reason) in [
        (json!({ "tellaskContent": "x", "kind": "approval" }), "`kind` does not belong"),
        (json!({ "tellaskContent": "x", "diff": "y" }), "`diff` does not belong"),
        (json!({ "questions": [] }), "`tellaskContent`, or several in `questions`"),
        (json!({ "questions": [{ "text": " " }] }), "question 1 has no text"),
        (json!({ "questions": [{ "question": "x" }] }), "A question has `text`"),
        (json!({ "questions": ["Which?"] }), "A question has `text`"),
        (json!({ "questions": vec![json!({ "text": "x" }); 21] }), "at most 20"),
    ] {
        let models = Sequence::new()
            .reply("lead", Reply::call("c", "askHuman", &arguments.to_string()))
            .reply("lead", Reply::saying("I see."));
        let (world, running, dialog) = World::talked(models, "Go").await;
        let told = world.models.requests()[1].clone();
        let told = result_of(&told, "c").expect("a result").to_owned();
        assert!(told.contains(reason), "{arguments}: {told}");
        assert!(running.inbox().is_empty() && world.dialog(&dialog).questions.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn q02_a_part_is_kept_unseen_by_the_model_until_all_have_an_answer() {
    let (world, mut running, dialog, row) = asked().await;
    let before = record_lines(&world.view(), &dialog);
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    running.quiet().await;
    assert_eq!(record_lines(&world.view(), &dialog), before);
    assert_eq!(world.models.requests().len(), 1);
    assert_eq!(question(&running).progress(), Some((1, 2)));
    let kept = parts(&[("q2", "yes, cursors")]);
    running.answer_parts(&row, kept, false).await.expect("recorded");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(answered(&world), [BOTH]);
    assert!(running.inbox().is_empty());
    assert_eq!(world.dialog(&dialog).answers, None);
}

#[tokio::test(start_paused = true)]
async fn q02_what_is_kept_is_there_after_a_restart_and_a_kill() {
    let (world, mut running, dialog, row) = asked().await;
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    running.shut_down().await;
    let running = world.start().await;
    running.kill().await;
    let mut again = world.start().await;
    again.idle().await;
    let row = question(&again);
    assert_eq!(row.progress(), Some((1, 2)));
    again.answer(&row, "yes, cursors").await.expect("recorded");
    assert_eq!(again.quiet().await, QuietOutcome::Done);
    assert_eq!(answered(&world), [BOTH]);
    assert_eq!(record_lines(&world.view(), &dialog).last().map(String::as_str), Some("end 2"));
}

#[tokio::test(start_paused = true)]
async fn q03_an_answer_to_a_part_is_replaced_only_on_purpose_and_never_by_no_option() {
    let (world, mut running, _, row) = asked().await;
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    let again = running.answer_parts(&row, parts(&[("q1", "b")]), false).await;
    assert_eq!(
        again.expect_err("answered"),
        "q1 has an answer already, of 2026-11-21 12:00:00; it can be replaced"
    );
    let no_option = running.answer_parts(&row, parts(&[("q1", "z")]), true).await;
    assert_eq!(no_option.expect_err("refused"), "q1 has no option z; its options are a, b");
    let no_part = running.answer_parts(&row, parts(&[("q2", "x"), ("q9", "y")]), true).await;
    assert_eq!(no_part.expect_err("refused"), "this question has no part q9; its parts are q1, q2");
    assert_eq!(question(&running).answers.len(), 1);
    running.answer_parts(&row, parts(&[("q1", "b")]), true).await.expect("replaced");
    running.answer_parts(&row, parts(&[("q2", "no")]), false).await.expect("recorded");
    running.quiet().await;
    let expected = "[q1] Which database?\n→ b: SQLite\n\n[q2] Does the API page?\n→ no";
    assert_eq!(answered(&world), [expected]);
}

#[tokio::test(start_paused = true)]
async fn q04_the_ways_to_answer_all_of_it_at_once() {
    const DISMISSED: &str =
        "The person dismissed this question without an answer. Go on without it or stop.";
    let first = |text: &str| format!("[q1] Which database?\n→ {text}");
    let second = |text: &str| format!("[q2] Does the API page?\n→ {text}");
    let both = |one: &str, two: &str| format!("{}\n\n{}", first(one), second(two));
    let words = |text: &str| AnswerInput::Words(text.to_owned());
    for (steps, expected) in [
        (vec![words("you decide")], both("you decide", "you decide")),
        (vec![AnswerInput::Dismiss(None)], both(DISMISSED, DISMISSED)),
        (
            vec![AnswerInput::Recommended, AnswerInput::Dismiss(Some("q2".to_owned()))],
            both("a: PostgreSQL", DISMISSED),
        ),
        (
            vec![parts(&[("q1", "b, and write the date")]), words("yes")],
            both("b: SQLite\nand write the date", "yes"),
        ),
    ] {
        let (world, mut running, _, row) = asked().await;
        for step in steps {
            running.answer_parts(&row, step, false).await.expect("taken");
        }
        assert_eq!(running.quiet().await, QuietOutcome::Done);
        assert_eq!(answered(&world), [expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn q04_one_part_is_answered_by_its_option_alone() {
    for (typed, expected) in [("b", "b: SQLite"), ("b, for now", "b: SQLite\nfor now"), ("?", "?")]
    {
        let options = json!([{ "label": "PostgreSQL" }, { "label": "SQLite" }]);
        let asked = json!({ "questions": [{ "text": "Which database?", "options": options }] });
        let models = Sequence::new()
            .reply("lead", Reply::call("q", "askHuman", &asked.to_string()))
            .reply("lead", Reply::saying("Then so."));
        let (world, mut running, _) = World::talked(models, "Build it").await;
        let row = question(&running);
        assert!(running.answer(&row, "z").await.is_err());
        running.answer(&row, typed).await.expect("recorded");
        running.quiet().await;
        assert_eq!(answered(&world), [expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn q04_a_question_in_words_can_be_dismissed_and_has_one_part() {
    let models = Sequence::new()
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#))
        .reply("lead", Reply::saying("Then none."));
    let (world, mut running, _) = World::talked(models, "Paint").await;
    let row = question(&running);
    assert!(running.answer_parts(&row, AnswerInput::Recommended, false).await.is_err());
    running.answer_parts(&row, AnswerInput::Dismiss(None), false).await.expect("dismissed");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(answered(&world)[0].starts_with("The person dismissed"));
    let late = running.answer_parts(&row, parts(&[("q1", "blue")]), false).await;
    assert!(late.expect_err("closed").starts_with("it was answered already, by @human"));
}

#[tokio::test(start_paused = true)]
async fn q16_of_two_answers_at_the_same_moment_one_is_taken() {
    let (world, mut running, dialog, row) = asked().await;
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    let both = [parts(&[("q2", "yes")]), AnswerInput::Words("no".to_owned())];
    let mut outcomes = Vec::new();
    for input in both {
        outcomes.push(running.answer_parts(&row, input, false).await);
    }
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    running.quiet().await;
    let lines = record_lines(&world.view(), &dialog);
    assert_eq!(lines.iter().filter(|line| *line == "answered q").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn q17_a_withdrawn_question_takes_the_answers_to_its_parts_along() {
    let models = ask()
        .reply("lead", Reply::call("t", "clear_mind", "{}"))
        .reply("lead", Reply::saying("A new start."));
    let (world, mut running, dialog) = World::talked(models, "Build it").await;
    let row = question(&running);
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    running.say(&dialog, "forget it").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(running.inbox().is_empty());
    assert_eq!(world.dialog(&dialog).answers, None);
    let closed = running.answer_parts(&row, parts(&[("q2", "yes")]), false).await;
    assert!(closed.is_err());
    assert!(world.view().examine().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_part_waits_while_the_asker_is_spoken_to() {
    let models =
        ask().reply("lead", Reply::saying("Yes?")).reply("lead", Reply::saying("Then so."));
    let (world, mut running, dialog) = World::talked(models, "Build it").await;
    let row = question(&running);
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    running.say(&dialog, "why?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(question(&running).progress(), Some((1, 2)));
    running.answer_parts(&row, parts(&[("q2", "yes, cursors")]), false).await.expect("recorded");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(answered(&world).last().map(String::as_str), Some(BOTH));
}

#[tokio::test(start_paused = true)]
async fn q17_a_fork_asks_all_parts_again() {
    let models = ask().reply("lead", Reply::saying("Yes?"));
    let (world, mut running, dialog) = World::talked(models, "Build it").await;
    let row = question(&running);
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    running.say(&dialog, "why?").await.expect("heard");
    running.quiet().await;
    let (root, course, genseq) = (dialog.root.clone(), Course(1), Genseq(2));
    let fork = Lifecycle::Fork { root, course, genseq, then: ForkMode::Stay };
    let fork = running.change(fork).await.expect("a fork");
    running.idle().await;
    let progress = |of: &DialogId| {
        let rows = running.inbox();
        rows.iter().find(|row| row.dialog == *of).and_then(InboxRow::progress)
    };
    assert_eq!((progress(&fork), progress(&dialog)), (Some((0, 2)), Some((1, 2))));
    assert!(world.view().examine().is_empty());
}

#[tokio::test(start_paused = true)]
async fn q18_one_text_that_dominds_recorded_answers_all_parts() {
    let (world, mut running, dialog, row) = asked().await;
    running.answer_parts(&row, parts(&[("q1", "a")]), false).await.expect("kept");
    running.shut_down().await;
    let folder = format!(".dialogs/run/{}", dialog.root);
    let course = world.path().join(&folder).join("course-001.jsonl");
    let mut lines = std::fs::read_to_string(&course).expect("a course");
    let answer = json!({
        "ts": "2026-11-21 12:01:00", "type": "tellask_result_record", "callId": "q",
        "status": "completed", "content": "both as you like", "callSiteCourse": 1,
        "callSiteGenseq": 1, "callName": "askHuman", "call": { "tellaskContent": "x" },
        "responder": { "responderId": "human" }, "rootCourse": 1, "rootGenseq": 1,
    });
    lines.push_str(&format!("{answer}\n"));
    std::fs::write(&course, lines).expect("a course");
    std::fs::remove_file(world.path().join(&folder).join("q4h.yaml")).expect("an index");
    let mut again = world.start().await;
    again.idle().await;
    assert!(again.inbox().is_empty());
    assert_eq!(world.dialog(&dialog).answers, None);
    assert_eq!(answered(&world), ["both as you like"]);
}

#[tokio::test(start_paused = true)]
async fn answers_that_could_not_be_read_again_are_not_kept() {
    let (world, mut running, dialog, row) = asked().await;
    let long = "\u{1}".repeat(513 * 1024);
    let refused = running.answer_parts(&row, parts(&[("q2", &long)]), false).await;
    assert!(refused.expect_err("too long").contains("512 KB"));
    let fits = "\u{1}".repeat(511 * 1024);
    running.answer_parts(&row, parts(&[("q2", &fits)]), false).await.expect("kept");
    running.kill().await;
    let mut again = world.start().await;
    again.idle().await;
    assert_eq!(question(&again).progress(), Some((1, 2)));
    assert_eq!(world.dialog(&dialog).answers.map(|answers| answers.bytes()), Some(fits.len()));
}

/// The answers file, as another program or a person may leave it.
fn put_answers(world: &World, dialog: &DialogId, question: &str, parts: &Value) {
    let name = dialog.root.as_str().replace('/', "-");
    let file = json!({ "dialog": dialog, "question": question, "parts": parts });
    world.put(&format!(".dialogs/.tui/answers/{name}/{name}.json"), &file.to_string());
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_complete_on_disk_close_the_question_at_loading() {
    let (world, running, dialog, row) = asked().await;
    running.kill().await;
    let all =
        json!({ "q1": { "option": "a", "at": "" }, "q2": { "text": "yes, cursors", "at": "" } });
    put_answers(&world, &dialog, &row.question.id, &all);
    let mut again = world.start().await;
    again.idle().await;
    assert_eq!(answered(&world), [BOTH]);
    assert!(again.inbox().is_empty());
}

#[tokio::test(start_paused = true)]
async fn answers_of_no_open_question_or_of_no_part_are_dropped() {
    let (world, running, dialog, row) = asked().await;
    running.kill().await;
    let some = json!({ "q1": { "option": "z", "at": "" }, "q7": { "text": "x", "at": "" },
                       "q2": { "text": "yes", "at": "" } });
    put_answers(&world, &dialog, &row.question.id, &some);
    let mut again = world.start().await;
    again.idle().await;
    assert_eq!(question(&again).answers.keys().collect::<Vec<_>>(), ["q2"]);
    again.kill().await;
    put_answers(&world, &dialog, "q4h-other", &json!({ "q1": { "option": "a", "at": "" } }));
    let mut last = world.start().await;
    last.idle().await;
    assert!(question(&last).answers.is_empty());
    assert_eq!(world.dialog(&dialog).answers, None);
}
