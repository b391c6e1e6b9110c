//! Decisions of members: made, told or approved, by the autonomy that is configured.

use dominds_tui::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use dominds_tui::domain::asking::decisions::Resolution;
use dominds_tui::domain::asking::inquiry::answers::AnswerInput;
use dominds_tui::domain::dialogs::record::Record;
use dominds_tui::domain::safety::trust::{TrustEntry, TrustKind};
use dominds_tui::domain::{Bucket, DialogId};
use dominds_tui::llm::{Reply, Sequence};
use dominds_tui::protocol::event::QuietOutcome;
use dominds_tui::protocol::{Command, DriverEvent, Lifecycle};
use serde_json::json;

use super::asking_once::answered;
use super::{question, replies, result_of};
use crate::common::record_lines::entries;
use crate::common::{Running, World};

const CONFIG: &str = "autonomy:\n  level: major_only\n  orgChanges: automated\n";

fn decision(category: &str) -> String {
    json!({ "category": category, "description": "Split the crate?", "diff": "-a\n+b\n" })
        .to_string()
}

fn requests(id: &str, category: &str) -> Reply {
    Reply::call(id, "request_decision", &decision(category))
}

/// A dialog whose first call requests this decision.
async fn requested(category: &str) -> (World, Running, DialogId) {
    let models = with_done(requests("d", category));
    let world = World::new(models);
    world.put(".minds/hive/hive.yaml", CONFIG);
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    (world, running, dialog)
}

fn with_done(first: Reply) -> Sequence {
    Sequence::new().reply("lead", first).reply("lead", Reply::saying("Done."))
}

fn last_result(world: &World, call: &str) -> String {
    let requests = world.models.requests();
    result_of(requests.last().expect("a request"), call).unwrap_or_default().to_owned()
}

/// The titles of the open notices.
fn notices(world: &World) -> Vec<String> {
    world.setup.news.items().into_iter().map(|item| item.title).collect()
}

/// Returns the decisions of the history: their result, who made them, what they are, and why.
fn history(world: &World) -> Vec<(&'static str, String, String, String)> {
    let decisions = world.setup.news.decisions().into_iter();
    decisions.map(|one| (one.result.name(), one.by, one.what, one.reason)).collect()
}

#[tokio::test(start_paused = true)]
async fn q12_an_automated_decision_goes_on_and_asks_nobody() {
    for (category, policy) in
        [("dependencyModifications", "automated"), ("orgChanges", "automated")]
    {
        let (world, running, dialog) = requested(category).await;
        assert_eq!(
            last_result(&world, "d"),
            format!(r#"{{"decision":"proceed","policy":"{policy}","option":null}}"#)
        );
        assert_eq!((running.inbox().len(), notices(&world)), (0, Vec::new()));
        let made = ("automatic", "@lead".to_owned(), "Split the crate?".to_owned(), String::new());
        assert_eq!(history(&world), [made]);
        assert_eq!(world.state(&dialog), "idle_waiting_user");
    }
}

#[tokio::test(start_paused = true)]
async fn q12_a_decision_that_is_told_goes_on_with_a_notice() {
    let (world, running, _) = requested("triggerChanges").await;
    let result = last_result(&world, "d");
    assert!(result.contains(r#""policy":"notify_and_proceed""#), "{result}");
    assert!(result.contains(r#""notice":"n-1/1/d""#), "{result}");
    assert_eq!(notices(&world), ["Split the crate?"]);
    assert_eq!(history(&world)[0].0, "notified");
    let is_told =
        |event: &DriverEvent| matches!(event, DriverEvent::News(items) if items.len() == 1);
    assert!(running.seen.iter().any(is_told), "every client is told");
    assert!(running.inbox().is_empty());
}

#[tokio::test(start_paused = true)]
async fn q12_a_decision_that_requires_approval_waits_for_it_also_over_a_restart() {
    for (typed, read) in [
        ("a", "Approved."),
        ("a, with tests", "Approved.\nwith tests"),
        ("x, too early", "Rejected.\ntoo early"),
    ] {
        let (world, running, dialog) = requested("scopeChanges").await;
        let row = question(&running);
        let inquiry = row.inquiry.clone().expect("parts");
        let approval = inquiry.approval.expect("an approval");
        assert_eq!(approval.diff.as_deref(), Some("-a\n+b\n"));
        assert_eq!(world.models.requests().len(), 1, "it is held");
        assert_eq!(world.state(&dialog), "blocked");
        running.kill().await;
        let mut running = world.start().await;
        running.idle().await;
        assert_eq!(question(&running), row);
        running.answer(&row, typed).await.expect("an answer");
        assert_eq!(running.quiet().await, QuietOutcome::Done);
        let pending = last_result(&world, "d");
        let id = &row.question.id;
        assert!(
            pending.starts_with(&format!(r#"{{"decision":"pending","question":"{id}"}}"#)),
            "{pending}"
        );
        let told = replies(world.models.requests().last().expect("a request")).concat();
        assert_eq!(told, read, "{typed}");
        assert!(world.view().examine().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn q12_words_that_choose_nothing_are_refused_and_a_dismissal_rejects() {
    let (world, mut running, _) = requested("scopeChanges").await;
    let row = question(&running);
    let refused = running.answer(&row, "looks fine").await.expect_err("no choice");
    assert!(refused.contains("a (approve), x (reject)"), "{refused}");
    running.answer_parts(&row, AnswerInput::Dismiss(None), false).await.expect("dismissed");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(replies(world.models.requests().last().expect("a request")), ["Rejected."]);
}

#[tokio::test(start_paused = true)]
async fn how_a_question_was_closed_is_told_and_recorded() {
    let words = |text: &str| AnswerInput::Words(text.to_owned());
    for (category, input, how) in [
        ("scopeChanges", words("a, with tests"), Resolution::Approved),
        ("scopeChanges", words("x"), Resolution::Rejected),
        ("scopeChanges", AnswerInput::Dismiss(None), Resolution::Rejected),
        ("", words("blue"), Resolution::Answered),
        ("", AnswerInput::Dismiss(None), Resolution::Dismissed),
    ] {
        let asks = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#);
        let first = if category.is_empty() { asks } else { requests("d", category) };
        let world = World::new(with_done(first));
        world.put(".minds/hive/hive.yaml", CONFIG);
        let mut running = world.start().await;
        running.begin("Go").await.expect("a dialog");
        running.quiet().await;
        let row = question(&running);
        running.answer_parts(&row, input, false).await.expect("an answer");
        running.quiet().await;
        assert_eq!(closed(&running), [how]);
        let [(result, by, what, _)] = history(&world).try_into().expect("one decision");
        assert_eq!((result, by.as_str()), (how.name(), "@human"));
        assert_eq!(what, row.question.tellask_content);
    }
}

/// Returns how questions were closed, as reported to clients.
fn closed(running: &Running) -> Vec<Resolution> {
    let how = |event: &DriverEvent| match event {
        DriverEvent::Answered { how, .. } => Some(*how),
        _ => None,
    };
    running.seen.iter().filter_map(how).collect()
}

#[tokio::test(start_paused = true)]
async fn q17_a_question_of_a_dialog_that_is_archived_expires_and_is_no_decision() {
    let asks = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which colour?"}"#);
    let world = World::new(Sequence::new().reply("lead", asks));
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    let archive = |ticket| Command::Lifecycle {
        ticket,
        change: Lifecycle::Move { root: dialog.root.clone(), to: Bucket::Archive },
    };
    running.ask(archive).await.expect("archived");
    while closed(&running).is_empty() {
        running.event().await;
    }
    assert_eq!(closed(&running), [Resolution::Expired]);
    assert!(history(&world).is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_is_dismissed_leaves_the_list_of_every_client() {
    let (world, mut running, _) = requested("triggerChanges").await;
    let ids = vec![world.setup.news.items()[0].id.clone()];
    running.ask(|ticket| Command::DismissNews { ticket, ids }).await.expect("dismissed");
    let last = running.seen.iter().rev().find_map(|event| match event {
        DriverEvent::News(items) => Some(items.len()),
        _ => None,
    });
    assert_eq!((last, notices(&world).len()), (Some(0), 0));
}

#[tokio::test(start_paused = true)]
async fn q12_approvals_may_be_asked_for_again_and_again() {
    let models = Sequence::new()
        .reply("lead", requests("d1", "scopeChanges"))
        .reply("lead", requests("d2", "scopeChanges"));
    let world = World::new(models);
    world.put(".minds/hive/hive.yaml", CONFIG);
    let mut running = world.start().await;
    running.begin("Go").await.expect("a dialog");
    running.quiet().await;
    running.answer(&question(&running), "x").await.expect("an answer");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
}

#[tokio::test(start_paused = true)]
async fn one_thing_is_asked_at_a_time_whatever_asks_it() {
    let both = Reply::call("d1", "request_decision", &decision("scopeChanges")).and_call(
        "d2",
        "request_decision",
        &decision("scopeChanges"),
    );
    let asks = Reply::call("q", "askHuman", r#"{"tellaskContent":"Which?"}"#).and_call(
        "d2",
        "request_decision",
        &decision("scopeChanges"),
    );
    for first in [both, asks] {
        let models = with_done(first);
        let (world, running, _) = answered_with(models, "a").await;
        assert!(running.inbox().is_empty());
        let told = last_result(&world, "d2");
        assert!(told.contains("earlier question"), "{told}");
        assert!(world.view().examine().is_empty());
    }
}

/// As [`answered`], with the autonomy of these tests.
async fn answered_with(models: Sequence, answer: &str) -> (World, Running, DialogId) {
    answered(models, CONFIG, answer).await
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_in_a_course_that_was_cleared_in_the_same_round() {
    for clears_first in [true, false] {
        let reply = if clears_first {
            Reply::call("m", "clear_mind", "{}").and_call(
                "d",
                "request_decision",
                &decision("scopeChanges"),
            )
        } else {
            requests("d", "scopeChanges").and_call("m", "clear_mind", "{}")
        };
        let models = with_done(reply);
        let world = World::new(models);
        world.put(".minds/hive/hive.yaml", CONFIG);
        let mut running = world.start().await;
        let dialog = running.begin("Go").await.expect("a dialog");
        assert_eq!(running.quiet().await, QuietOutcome::Done, "clears first: {clears_first}");
        assert!(running.inbox().is_empty());
        assert_eq!(world.dialog(&dialog).latest.current_course.0, 2);
        assert!(world.view().examine().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn q11_where_nothing_is_configured_the_call_is_not_offered() {
    for (config, offered) in [("version: 1", false), (CONFIG, true)] {
        let world = World::new(Sequence::new().reply("lead", Reply::saying("Hi.")));
        world.put(".minds/hive/hive.yaml", config);
        let mut running = world.start().await;
        running.begin("Go").await.expect("a dialog");
        running.quiet().await;
        let request = world.models.requests().remove(0);
        let has = request.tools.iter().any(|tool| tool.name == "request_decision");
        assert_eq!((has, request.system.contains("# Autonomy")), (offered, offered), "{config}");
    }
}

#[tokio::test(start_paused = true)]
async fn q11_a_change_of_the_file_holds_from_the_next_generation_on() {
    let models = Sequence::new()
        .reply("lead", requests("d1", "scopeChanges"))
        .reply("lead", Reply::saying("First."))
        .reply("lead", requests("d2", "scopeChanges"));
    let world = World::new(models);
    world.put(".minds/hive/hive.yaml", "autonomy: { scopeChanges: notify_and_proceed }");
    let mut running = world.start().await;
    let dialog = running.begin("Go").await.expect("a dialog");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    world.put(".minds/hive/hive.yaml", "autonomy: { scopeChanges: requires_approval }");
    running.say(&dialog, "Again").await.expect("heard");
    assert_eq!(running.quiet().await, QuietOutcome::QuestionWaits);
}

#[tokio::test(start_paused = true)]
async fn h18_what_nobody_has_agreed_to_requires_approval() {
    for (agreed, asked) in [(false, 1), (true, 0)] {
        let models = Sequence::new()
            .reply("lead", Reply::saying("Hi."))
            .reply("lead", requests("d", "scopeChanges"))
            .reply("lead", Reply::saying("Done."));
        let world = World::new(models);
        let mut running = world.start().await;
        let dialog = running.begin("Hi").await.expect("a dialog");
        running.quiet().await;
        // While it runs, somebody else writes it.
        world.put(".minds/hive/hive.yaml", "autonomy: { level: full }");
        let act = "decides alone: scopeChanges";
        let entry = TrustEntry::new(TrustKind::Autonomy, "workspace", act, "7".to_owned());
        world.setup.trust.put(entry);
        if agreed {
            let digests = vec!["7".to_owned()];
            let agree = |ticket| Command::Agree { ticket, digests, level: None };
            running.ask(agree).await.expect("agreed");
        }
        running.say(&dialog, "Go").await.expect("heard");
        running.quiet().await;
        assert_eq!(running.inbox().len(), asked, "agreed: {agreed}");
    }
}

#[tokio::test(start_paused = true)]
async fn h18_what_waited_for_consent_goes_on_when_another_level_is_chosen() {
    let world = World::new(Sequence::new().reply("lead", Reply::saying("Hi.")));
    world.put(".minds/hive/hive.yaml", "autonomy: { level: full }");
    let act = "decides alone: scopeChanges";
    world.setup.trust.put(TrustEntry::new(TrustKind::Autonomy, "workspace", act, "7".to_owned()));
    let mut running = world.start().await;
    running.begin("Hi").await.expect("recorded");
    running.idle().await;
    assert_eq!(world.models.requests().len(), 0, "nothing is driven before a person agrees");
    let (scope, level) = (AutonomyScope::Workspace, AutonomyLevel::MajorOnly);
    let choose = |ticket| Command::SetAutonomy { ticket, scope, level };
    running.ask(choose).await.expect("chosen");
    assert_eq!(running.quiet().await, QuietOutcome::Done);
    assert_eq!(world.models.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_an_ordinary_question_for_whoever_reads_the_records() {
    let (world, _running, dialog) = requested("scopeChanges").await;
    let text = world.dialog(&dialog).questions[0].tellask_content.clone();
    assert!(text.starts_with("Split the crate?\n   a  approve\n   x  reject"), "{text}");
    assert!(text.contains("```diff\n-a\n+b\n```"), "{text}");
    let call = entries(&world.view(), &dialog).iter().find_map(|entry| match &entry.record {
        Record::TellaskCall { call, .. } => Some(call.clone()),
        _ => None,
    });
    let call = call.expect("a call");
    assert!(call.id.as_str().starts_with("ap-"));
    let arguments: serde_json::Value =
        serde_json::from_str(&call.raw_arguments_text).expect("arguments");
    assert_eq!(arguments["tellaskContent"], text);
    assert_eq!(arguments["category"], "scopeChanges");
}
