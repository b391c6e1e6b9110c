//! Questions in the last words of a turn: asked as if the model had called `askHuman`.

use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::Command;
use dominds_tui::protocol::event::QuietOutcome;

use super::fresh_boots::{conclude, reason};
use super::tellasks::once;
use super::{made, place, probe, question, replies, result_of};
use crate::common::World;
use crate::common::record_lines::{entries, record_lines};

const ASKS: &str = r#"I cannot go on.

{"status":"failed","open_questions":[{"id":"q1","text":"Which database?"},{"text":"Does the API page?"}]}"#;
const BROKEN: &str = r#"{"open_questions":[{"text":"Which?"}"#;

/// The ids of the calls in a dialog that the runtime made of its words.
pub fn captured(world: &World, dialog: &dominds_tui::domain::DialogId) -> Vec<String> {
    let all = entries(&world.view(), dialog);
    let calls = all.iter().filter_map(|entry| match &entry.record {
        Record::TellaskCall { call, .. } => Some(call.id.to_string()),
        _ => None,
    });
    calls.filter(|id| id.starts_with("oq-")).collect()
}

#[tokio::test(start_paused = true)]
async fn q05_questions_in_the_last_words_are_asked_and_answered_as_parts() {
    let models =
        Sequence::new().reply("lead", Reply::saying(ASKS)).reply("lead", Reply::saying("Then so."));
    let (world, mut running, dialog) = World::talked(models, "Build it").await;
    let row = question(&running);
    let parts = row.several_parts().expect("parts");
    assert_eq!(parts.iter().map(|part| part.id.as_str()).collect::<Vec<_>>(), ["q1", "q2"]);
    assert_eq!(parts[1].created_at, "2026-11-21T12:00:00");
    assert_eq!(world.state(&dialog), "blocked");
    let state = world.dialog(&dialog);
    assert_eq!(state.questions[0].tellask_content, "1. Which database?\n\n2. Does the API page?");
    assert_eq!(captured(&world, &dialog).len(), 1);
    running.answer(&row, "you decide").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let told = replies(&world.models.requests()[1]).concat();
    assert!(told.starts_with("[q1] Which database?\n→ you decide"), "{told}");
    assert!(world.view().examine().is_empty());
}

#[tokio::test(start_paused = true)]
async fn q20_words_that_ask_are_one_question_however_they_are_split_in_the_stream() {
    for size in [1, 2, 7, 64] {
        let letters: Vec<char> = ASKS.chars().collect();
        let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
        let reply = pieces.fold(Reply::new(), |reply, piece| reply.and_saying(&piece));
        let (_world, running, _) =
            World::talked(Sequence::new().reply("lead", reply), "Build it").await;
        let row = question(&running);
        assert_eq!(row.several_parts().map(<[_]>::len), Some(2), "pieces of {size}");
    }
}

#[tokio::test(start_paused = true)]
async fn q06_words_that_ask_nothing_and_turns_that_end_with_a_call_stay_as_they_are() {
    for words in ["Done.", r#"{"open_questions":[]}"#, r#"> {"open_questions":[{"text":"x"}]}"#] {
        let models = Sequence::new().reply("lead", Reply::saying(words));
        let (world, running, dialog) = World::talked(models, "Go").await;
        assert!(running.inbox().is_empty(), "{words}");
        assert_eq!(world.state(&dialog), "idle_waiting_user", "{words}");
    }
    let models = Sequence::new()
        .reply("lead", Reply::saying(ASKS).and_call("t", "probe", "{}"))
        .reply("lead", Reply::saying("Done."));
    let (world, _) = probe::world(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert!(captured(&world, &dialog).is_empty());
}

#[tokio::test(start_paused = true)]
async fn q06_what_fresh_boots_reasoning_says_asks_nothing() {
    let models = Sequence::new()
        .reply("lead", reason(Some(1)))
        .reply("lead", Reply::saying(ASKS))
        .reply("lead", Reply::saying(ASKS))
        .reply("lead", conclude("PostgreSQL."))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.remaining(), 0);
    assert!(captured(&world, &made(&main, 2)).is_empty());
}

#[tokio::test(start_paused = true)]
async fn q06_words_that_a_stop_cut_short_ask_nothing() {
    let models = Sequence::new().reply("lead", Reply::saying(ASKS).and_hang());
    let world = World::new(models);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.idle().await;
    running.send(Command::Stop { dialog: dialog.clone() }).await;
    running.idle().await;
    assert!(running.inbox().is_empty() && captured(&world, &dialog).is_empty());
    let said = record_lines(&world.view(), &dialog).concat();
    assert!(said.contains("open_questions") && world.state(&dialog) == "stopped", "{said}");
}

#[tokio::test(start_paused = true)]
async fn q06_nothing_is_captured_while_a_question_is_open() {
    let models =
        Sequence::new().reply("lead", Reply::saying(ASKS)).reply("lead", Reply::saying(ASKS));
    let (world, mut running, dialog) = World::talked(models, "Go").await;
    running.say(&dialog, "why?").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    assert_eq!(running.inbox().len(), 1);
    assert_eq!(captured(&world, &dialog).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn q06_what_cannot_be_asked_fails_once_with_the_right_form_and_is_plain_words_then() {
    let many = format!(r#"{{"open_questions":[{}]}}"#, vec![r#"{"text":"x"}"#; 21].join(","));
    for (words, reason) in [
        (BROKEN.to_owned(), "valid JSON"),
        (r#"{"open_questions":"Which?"}"#.to_owned(), "no item of the list has a `text`"),
        (many, "at most 20"),
    ] {
        let models = Sequence::new()
            .reply("lead", Reply::saying(&words))
            .reply("lead", Reply::saying(&words))
            .reply("lead", Reply::saying(&words))
            .reply("lead", Reply::saying("I see."));
        let (world, mut running, dialog) = World::talked(models, "Go").await;
        assert!(running.inbox().is_empty());
        let calls = captured(&world, &dialog);
        assert_eq!((calls.len(), world.models.requests().len()), (1, 2), "{words}");
        let told = world.models.requests()[1].clone();
        let told = result_of(&told, &calls[0]).expect("a result").to_owned();
        assert!(told.contains(reason) && told.contains("askHuman"), "{told}");
        assert_eq!(world.state(&dialog), "idle_waiting_user");
        running.say(&dialog, "again").await.expect("heard");
        assert_eq!(running.quiet().await, QuietOutcome::Done);
        assert_eq!(captured(&world, &dialog).len(), 2, "it is told again after new words");
        assert!(world.view().examine().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn q07_words_of_a_side_dialog_that_ask_are_not_its_reply() {
    let models = Sequence::new()
        .reply("lead", Reply::call("c", "tellaskSessionless", &once("alice", "Look.")))
        .reply("alice", Reply::saying(ASKS))
        .reply("alice", Reply::saying("It is PostgreSQL."))
        .reply("lead", Reply::saying("Thanks."));
    let (world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    assert_eq!(question(&running).dialog, side);
    assert!(!record_lines(&world.view(), &main).contains(&"answered c".to_owned()));
    running.answer(&question(&running), "PostgreSQL").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &side);
    assert!(place(&lines, "says: It is PostgreSQL.") < place(&lines, "delivered c"));
    let last = world.models.requests().pop().expect("a request");
    assert_eq!(replies(&last).len(), 1);
    assert!(replies(&last)[0].contains("It is PostgreSQL."));
}

#[tokio::test(start_paused = true)]
async fn q06_capture_is_switched_off_and_sources_are_named_in_the_configuration() {
    for (config, asked) in [
        ("questions: { capture: off }", None),
        ("questions: { capture: tasks }", None),
        ("questions: { sources: { lead: execute } }", Some("execute")),
        ("version: 1", Some("dialog")),
    ] {
        let world = World::new(Sequence::new().reply("lead", Reply::saying(ASKS)));
        world.put(".minds/hive/hive.yaml", config);
        let mut running = world.start().await;
        running.begin("Go").await.expect("a dialog");
        running.quiet().await;
        let source = running.inbox().first().and_then(|row| row.inquiry.clone()?.source);
        assert_eq!(source.map(|source| source.kind).as_deref(), asked, "{config}");
    }
}
