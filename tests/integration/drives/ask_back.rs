//! A side dialog asks its asker back before it goes on.

use std::time::Duration;

use dominds_tui::domain::DialogId;
use dominds_tui::llm::{Reply, Request, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent};

use super::tellasks::{once, reply, session};
use super::{made, place, question, result_of};
use crate::common::World;
use crate::common::record_lines::record_lines;

const QUESTION: &str = r#"{"tellaskContent":"Small or large?"}"#;

fn ask_alice() -> Reply {
    Reply::call("c", "tellask", &session("alice", "plan", "Plan it."))
}

fn ask_back() -> Reply {
    Reply::call("b", "tellaskBack", QUESTION)
}

fn answer_back(id: &str) -> Reply {
    Reply::call(id, "replyTellaskBack", &reply("Small."))
}

fn deliver() -> Reply {
    Reply::call("r", "replyTellask", &reply("a small plan"))
}

fn request_of<'a>(requests: &'a [Request], model: &str, n: usize) -> &'a Request {
    requests.iter().filter(|request| request.model == model).nth(n).expect("a request")
}

/// Returns the reply to a member's call, as its n-th request shows it.
fn given_to(world: &World, model: &str, n: usize, call: &str) -> String {
    let requests = world.models.requests();
    let request = request_of(&requests, model, n);
    let result = result_of(request, call).unwrap_or_default();
    format!("{result}\n{}", super::replies(request).concat())
}

fn all_done(world: &World, dialogs: &[&DialogId]) {
    assert_eq!(world.models.remaining(), 0);
    for id in dialogs {
        assert_eq!(world.state(id), "idle_waiting_user");
        assert!(world.dialog(id).obligation().is_none(), "{:?}", world.dialog(id).stack);
    }
}

#[tokio::test(start_paused = true)]
async fn e20_a_side_dialog_asks_back_and_goes_on_with_the_answer_while_its_asker_waits_for_another()
{
    let round = ask_alice().and_call("c2", "tellask", &session("bob", "look", "Look around."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", ask_back())
        .reply("bob", Reply::saying("seen").and_wait(Duration::from_mins(1)))
        .reply("lead", answer_back("a"))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    let lines = record_lines(&world.view(), &side);
    let asked = place(&lines, "call b tellaskBack");
    assert_eq!(lines[asked + 1..=asked + 4], ["answered b", "result b", "end 1", "start 2"]);
    let shown = world.models.requests();
    let second = request_of(&shown, "alice", 1);
    assert!(result_of(second, "b").is_some_and(|text| text.starts_with("【TellaskBack】")));
    assert!(super::replies(second).is_empty(), "the answer is shown once");
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "delivered b") < place(&lines, "answered c"), "{lines:#?}");
    assert!(place(&lines, "answered c") < place(&lines, "answered c2"), "{lines:#?}");
    all_done(&world, &[&main, &side]);
}

#[tokio::test(start_paused = true)]
async fn e21_a_plain_answer_to_a_question_asked_back_is_delivered_once() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply("lead", Reply::saying("Take the small one."))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    let lines = record_lines(&world.view(), &side);
    assert_eq!(lines.iter().filter(|line| *line == "answered b").count(), 1, "{lines:#?}");
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "says: Take the small one.") < place(&lines, "delivered b"));
    all_done(&world, &[&main, &side]);
}

#[tokio::test(start_paused = true)]
async fn e21_words_with_which_the_asker_asks_somebody_else_are_not_the_answer() {
    let looks = Reply::call("x", "tellaskSessionless", &once("bob", "Which?"))
        .and_saying("I ask bob first.");
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply("lead", looks)
        .reply("bob", Reply::saying("small"))
        .reply("lead", Reply::saying("Small, says bob."))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let requests = world.models.requests();
    let given = super::replies(request_of(&requests, "alice", 1)).concat();
    assert!(given.contains("Small, says bob.") && !given.contains("I ask bob"), "{given}");
    all_done(&world, &[&main, &made(&main, 2)]);
}

#[tokio::test(start_paused = true)]
async fn e22_a_question_asked_back_may_be_asked_back_further_up_and_nobody_locks_up() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("ab", "tellask", &session("bob", "help", "Help.")))
        .reply("bob", Reply::call("b1", "tellaskBack", QUESTION))
        .reply("alice", Reply::call("a1", "tellaskBack", QUESTION))
        .reply("lead", answer_back("l1"))
        .reply("alice", answer_back("a2"))
        .reply("bob", Reply::call("b3", "replyTellask", &reply("helped")))
        .reply("alice", Reply::saying("All clear."))
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    let quiet = tokio::time::timeout(Duration::from_secs(5), running.quiet()).await;
    assert_eq!(quiet, Ok(QuietOutcome::Done));
    let (alice, bob) = (made(&main, 2), made(&main, 3));
    for (dialog, question) in [(&alice, "answered a1"), (&bob, "answered b1")] {
        place(&record_lines(&world.view(), dialog), question);
    }
    all_done(&world, &[&main, &alice, &bob]);
}

#[tokio::test(start_paused = true)]
async fn questions_asked_back_by_two_side_dialogs_are_heard_one_after_the_other() {
    let round = ask_alice().and_call("c2", "tellask", &session("bob", "plan", "Plan it too."));
    let wants = |id: &str, text: &str| {
        Reply::call(id, "tellaskBack", &format!(r#"{{"tellaskContent":"{text}"}}"#))
    };
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", wants("b1", "Alice asks?"))
        .reply("bob", wants("b2", "Bob asks?"))
        .reply("lead", Reply::saying("to alice"))
        .reply("lead", Reply::saying("to bob"))
        .reply("alice", deliver())
        .reply("bob", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let shown = world.models.requests();
    for (model, call, text) in [("alice", "b1", "to alice"), ("bob", "b2", "to bob")] {
        let given = result_of(request_of(&shown, model, 1), call).expect("an answer");
        assert!(given.contains(text), "{model}: {given}");
    }
    all_done(&world, &[&main, &made(&main, 2), &made(&main, 3)]);
}

#[tokio::test(start_paused = true)]
async fn who_asks_somebody_for_an_answer_is_asked_back_by_them_first() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply("lead", Reply::call("x", "tellask", &session("bob", "look", "Which?")))
        .reply("bob", Reply::call("b2", "tellaskBack", r#"{"tellaskContent":"Of what?"}"#))
        .reply("lead", Reply::saying("Of the plans."))
        .reply("bob", Reply::call("r2", "replyTellask", &reply("the small one")))
        .reply("lead", Reply::saying("Small, says bob."))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &main);
    for (model, call, text) in [("bob", "b2", "Of the plans."), ("alice", "b", "Small, says bob.")]
    {
        let given = given_to(&world, model, 1, call);
        assert!(given.contains(text), "{model}: {given} {lines:#?}");
    }
    all_done(&world, &[&main, &made(&main, 2), &made(&main, 3)]);
}

#[tokio::test(start_paused = true)]
async fn an_older_question_asked_back_is_taken_up_again_where_a_newer_one_waits_for_who_asked_it() {
    let round = ask_alice().and_call("c2", "tellask", &session("bob", "plan", "Plan it too."));
    let wants = |id: &str| Reply::call(id, "tellaskBack", QUESTION);
    let seconds = Duration::from_secs;
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", wants("b1"))
        .reply("bob", wants("b2").and_wait(seconds(10)))
        .reply("lead", Reply::call("x1", "tellaskSessionless", &once("carol", "For alice?")))
        .reply("carol", Reply::saying("small").and_wait(seconds(30)))
        .reply("lead", Reply::call("x2", "tellask", &session("alice", "plan", "For bob too.")))
        .reply("alice", Reply::saying("I wait."))
        .reply("lead", Reply::saying("Carol has answered."))
        .reply("lead", Reply::saying("To alice: small."))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("To bob: large."))
        .reply("bob", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &main);
    for (model, request, call, text) in [("alice", 2, "b1", "To alice"), ("bob", 1, "b2", "To bob")]
    {
        let given = given_to(&world, model, request, call);
        assert!(given.contains(text), "{model}: {given} {lines:#?}");
    }
    all_done(&world, &[&main, &made(&main, 2), &made(&main, 3)]);
}

#[tokio::test(start_paused = true)]
async fn plain_words_that_answer_what_was_asked_back_are_not_the_reply_to_the_assignment_too() {
    let both = Reply::call("r", "replyTellask", &reply("half of it")).and_call(
        "b",
        "tellaskBack",
        QUESTION,
    );
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", Reply::call("d", "tellask", &session("bob", "help", "Help.")))
        .reply("bob", both)
        .reply("alice", Reply::saying("I see."))
        .reply("alice", Reply::saying("The small one."))
        .reply("bob", Reply::saying("Thanks."))
        .reply("alice", Reply::saying("Here is the plan."))
        .reply("lead", Reply::saying("Good."));
    let (world, _running, main) = World::talked(models, "Go").await;
    let lines = record_lines(&world.view(), &made(&main, 3));
    place(&lines, "answered b");
    let requests = world.models.requests();
    let given: Vec<_> = requests.iter().filter(|request| request.model == "lead").collect();
    let wrong = given.iter().flat_map(|request| super::replies(request));
    assert!(
        !wrong.clone().any(|text| text.contains("The small one.")),
        "{:#?}",
        wrong.collect::<Vec<_>>()
    );
}

#[tokio::test(start_paused = true)]
async fn an_asker_with_an_open_question_hears_what_it_is_asked_back_after_its_answer() {
    let round = ask_alice().and_call("q", "askHuman", r#"{"tellaskContent":"Money?"}"#);
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", ask_back())
        .reply("lead", answer_back("a"))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    let side = made(&main, 2);
    assert_eq!((world.models.requests().len(), world.state(&side)), (2, "blocked"));
    let row = question(&running);
    running.answer(&row, "ten").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    all_done(&world, &[&main, &side]);
}

#[tokio::test(start_paused = true)]
async fn an_asker_may_ask_a_person_before_it_answers_what_it_was_asked_back() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply("lead", Reply::call("q", "askHuman", r#"{"tellaskContent":"Money?"}"#))
        .reply("lead", Reply::saying("Small, it is said."))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
    let row = question(&running);
    running.answer(&row, "little").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    all_done(&world, &[&main, &made(&main, 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_comes_in_between_does_not_keep_the_plain_answer_to_what_was_asked_back() {
    let round = ask_alice().and_call("c2", "tellaskSessionless", &once("bob", "Look."));
    let models = Sequence::new()
        .reply("lead", round)
        .reply("alice", ask_back())
        .reply("bob", Reply::saying("seen").and_wait(Duration::from_secs(30)))
        .reply("lead", Reply::saying("Small.").and_wait(Duration::from_mins(1)))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let world = World::new(models);
    let mut running = world.start().await;
    let main = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    let lines = record_lines(&world.view(), &main);
    assert!(place(&lines, "start 2") < place(&lines, "answered c2"), "{lines:#?}");
    all_done(&world, &[&main, &made(&main, 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_person_is_heard_by_a_dialog_that_waits_for_its_asker() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply(
            "lead",
            Reply::call("a", "replyTellaskBack", &reply("Small.")).and_wait(Duration::from_mins(1)),
        )
        .reply("alice", Reply::saying("Hello."))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    assert_eq!(world.state(&side), "proceeding");
    running.say(&side, "Hi there").await.expect("heard");
    running.quiet().await;
    assert_eq!(world.state(&side), "stopped");
    running.resume(&side).await.expect("its own task");
    running.quiet().await;
    let lines = record_lines(&world.view(), &side);
    assert!(place(&lines, "result b") < place(&lines, "person: Hi there"), "{lines:#?}");
    assert!(place(&lines, "says: Hello.") < place(&lines, "answered b"), "{lines:#?}");
    all_done(&world, &[&main, &side]);
}

#[tokio::test(start_paused = true)]
async fn a_killed_program_loses_neither_the_question_asked_back_nor_its_answer() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply("lead", Reply::new().and_hang())
        .reply("lead", answer_back("a"))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    running.kill().await;
    let mut running = world.start().await;
    assert_eq!(world.state(&side), "blocked", "it waits for its asker");
    running.resume(&main).await.expect("it was interrupted");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    all_done(&world, &[&main, &side]);
    let lines = record_lines(&world.view(), &side);
    assert!(place(&lines, "end 1") < place(&lines, "answered b"), "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_dialog_that_is_stopped_while_it_asks_back_keeps_its_question() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", ask_back())
        .reply("lead", Reply::saying("Small.").and_wait(Duration::from_mins(1)))
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Good."));
    let (world, mut running, main) = World::begun(models, "Go").await;
    let side = made(&main, 2);
    running.send(Command::Stop { dialog: side.clone() }).await;
    running.quiet().await;
    assert_eq!(world.state(&side), "stopped");
    place(&record_lines(&world.view(), &side), "answered b");
    running.resume(&side).await.expect("it goes on");
    running.quiet().await;
    all_done(&world, &[&main, &side]);
}

#[tokio::test(start_paused = true)]
async fn a_main_dialog_has_nobody_to_ask_back() {
    let models =
        Sequence::new().reply("lead", ask_back()).reply("lead", Reply::saying("Then not."));
    let (world, _running, main) = World::talked(models, "Go").await;
    place(&record_lines(&world.view(), &main), "call b tellaskBack");
    let shown = world.models.requests();
    assert!(result_of(&shown[1], "b").is_some_and(|text| text.contains("tellaskBack")));
    assert_eq!(world.state(&main), "idle_waiting_user");
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_that_a_stop_cut_off_is_shown_as_its_files_say_after_a_restart() {
    let models = Sequence::new()
        .reply("lead", ask_alice())
        .reply("alice", deliver())
        .reply("lead", Reply::saying("Thanks."))
        .reply("alice", ask_back())
        .reply("lead", Reply::saying("Hm").and_hang());
    let (world, mut running, main) = World::talked(models, "Go").await;
    let side = made(&main, 2);
    running.say(&side, "And now?").await.expect("heard");
    running.idle().await;
    running.shut_down().await;
    assert_eq!((world.state(&main), world.state(&side)), ("stopped", "stopped"));
    let mut running = world.start().await;
    running.idle().await;
    let shown = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::Row(row) if row.dialog == side => Some(row.state.kind()),
        DriverEvent::Rows(rows) => {
            rows.iter().find(|row| row.dialog == side).map(|row| row.state.kind())
        }
        _ => None,
    });
    assert_eq!(shown, Some(world.state(&side)));
}
