//! Triggers: what messages and the clock make due becomes tasks. With the real store, whose thread no paused clock waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use dominds_tui::domain::safety::trust::{TrustEntry, TrustKind};
use dominds_tui::domain::teams::notices::NewsKind;
use dominds_tui::domain::teams::task::{Task, TaskKind, TaskStatus};
use dominds_tui::domain::teams::trigger::change::{
    TriggerAnswer, TriggerBasis, TriggerPatch, TriggerRefusal, TriggerRequest, TriggerWish,
};
use dominds_tui::domain::teams::trigger::{
    StoredTrigger, Trigger, TriggerConfig, TriggerId, TriggerState,
};
use dominds_tui::domain::text::Localized;
use dominds_tui::domain::{AgentId, Clock, Lang, Stamp, TeamName};
use dominds_tui::driver::PickUp;
use dominds_tui::llm::{ErrorClass, LlmError, Reply, Sequence};
use dominds_tui::protocol::{Command, TeamsRequest};
use serde_json::json;

use super::result_of;
use super::stalls::until_the_next_scan;
use super::tasks::{says, world};
use crate::common::{Running, World};

const KEYWORD: &str = "type: keyword\nconfig: { pattern: deploy failed }\ntask: Find out why.\n";
const ON_THE_HOUR: &str = "type: schedule\nconfig: { cron: '0 * * * *' }\ntask: Look around.\n";

/// A clock that is set by hand.
#[derive(Debug)]
struct HandClock(AtomicU64);

impl HandClock {
    /// Makes a clock at 2026-11-21, this many seconds after midnight.
    fn at(seconds: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(seconds)))
    }

    fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Stamp {
        let day = Stamp::new("2026-11-21 00:00:00").seconds().unwrap_or_default();
        Stamp::of_seconds(day + i64::try_from(self.0.load(Ordering::SeqCst)).unwrap_or_default())
    }
}

fn triggered(models: Sequence, file: &str) -> World {
    let world = world(models, "");
    world.put(".minds/hive/triggers/qa/watch.yaml", file);
    world
}

fn watch() -> TriggerId {
    TriggerId { team: TeamName::new("qa"), name: "watch".to_owned() }
}

impl World {
    async fn wish(&self, wish: TriggerWish) -> Result<TriggerAnswer, TriggerRefusal> {
        self.wish_on(None, wish).await
    }

    async fn wish_on(
        &self,
        basis: Option<TriggerBasis>,
        wish: TriggerWish,
    ) -> Result<TriggerAnswer, TriggerRefusal> {
        let TriggerId { team, name } = watch();
        let setup = self.hive();
        let mut store = setup.open_or_make().await.expect("a store");
        let request = TriggerRequest { team, name, by: None, basis, wish };
        let answer = setup.change_trigger(&mut store, request).await.expect("a store");
        store.close().await;
        answer
    }

    async fn enable(&self) {
        let active = TriggerAnswer::Is { state: TriggerState::Active, fault: None };
        assert_eq!(self.wish(TriggerWish::Enable).await, Ok(active));
    }

    async fn message(&self, id: &str, text: &str) {
        let mut store = self.hive().open_or_make().await.expect("a store");
        let now: SystemTime = self.setup.clock.moment();
        assert!(store.send((id, "cli", text), now).await.expect("a store"));
        store.close().await;
    }

    async fn messages(&self) -> usize {
        let mut store = self.hive().open_or_make().await.expect("a store");
        let count = store.messages().await.expect("a store").len();
        store.close().await;
        count
    }

    async fn trigger(&self) -> StoredTrigger {
        let mut store = self.hive().open_or_make().await.expect("a store");
        let all = store.triggers().await.expect("a store");
        store.close().await;
        all.into_iter().next().expect("a trigger")
    }
}

/// Waits until all messages have been looked at, and this many tasks are over.
async fn over(world: &World, running: &mut Running, count: usize) -> Vec<Task> {
    let late = std::time::Instant::now() + crate::common::wait::LIMIT;
    loop {
        let tasks = world.tasks().await;
        let ended = tasks.iter().filter(|task| !task.status.is_open()).count();
        if ended == count && world.messages().await == 0 {
            return tasks;
        }
        assert!(std::time::Instant::now() < late, "{tasks:?}");
        running.idle().await;
    }
}

#[tokio::test]
async fn s4_1_a_message_makes_a_task_whose_result_a_person_is_told() {
    let words =
        "It was the disk.\n```json:notify\n{\"notify\": true, \"reason\": \"it is down\"}\n```";
    let models = Sequence::new().reply("alice", says(words));
    let world = triggered(models, KEYWORD);
    world.enable().await;
    let mut running = world.start().await;
    world.message("m1", "The DEPLOY failed at noon").await;
    let tasks = over(&world, &mut running, 1).await;
    let task = &tasks[0];
    assert_eq!((task.kind, task.status), (TaskKind::Trigger, TaskStatus::Done));
    assert_eq!(task.result.as_deref(), Some("It was the disk."));
    assert!(task.correlation.as_ref().is_some_and(|one| one.starts_with("trigger:watch:")));
    let told = [(NewsKind::Notice, "[qa] It was the disk.".to_owned())];
    assert_eq!(world.news().await, told);
    let prompt = world.last_prompts().join("\n");
    for part in [
        "type: trigger",
        "Find out why.\n\n[Message] channel: cli · id: m1\n> The DEPLOY failed at noon\n",
        "```json:notify",
    ] {
        assert!(prompt.contains(part), "{prompt}");
    }
    running.shut_down().await;
}

#[tokio::test]
async fn s4_1_a_result_that_is_for_nobody_is_stored_alone() {
    let words = "Nothing.\n```json:notify\n{\"notify\": false, \"reason\": \"a test\"}\n```";
    let models = Sequence::new().reply("alice", says(words));
    let world = triggered(models, KEYWORD);
    world.enable().await;
    world.message("m1", "deploy failed").await;
    let mut running = world.start().await;
    let tasks = over(&world, &mut running, 1).await;
    assert_eq!(tasks[0].result.as_deref(), Some("Nothing."));
    assert_eq!(world.news().await, []);
    running.shut_down().await;
}

#[tokio::test]
async fn s4_2_the_same_message_counts_once_also_over_a_restart() {
    let models = Sequence::new().reply("alice", says("Seen.")).reply("alice", says("Again."));
    let world = triggered(models, KEYWORD);
    world.enable().await;
    for _ in 0..2 {
        world.message("m1", "deploy failed").await;
        let mut running = world.start().await;
        over(&world, &mut running, 1).await;
        running.shut_down().await;
    }
    world.message("m2", "deploy failed").await;
    let mut running = world.start().await;
    over(&world, &mut running, 2).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s8_1_a_file_alone_starts_nothing_and_a_message_that_nothing_meant_is_gone() {
    let world = triggered(Sequence::new(), KEYWORD);
    world.message("m1", "deploy failed").await;
    for _ in 0..2 {
        let mut running = world.start().await;
        over(&world, &mut running, 0).await;
        running.shut_down().await;
    }
    assert_eq!(world.tasks().await, []);
}

#[tokio::test]
async fn s4_5_a_schedule_fires_at_its_time_and_stores_its_result_alone() {
    let models = Sequence::new().reply("alice", says("All is quiet."));
    let mut world = triggered(models, ON_THE_HOUR);
    let clock = HandClock::at(9 * 3_600 - 2);
    world.setup.clock = clock.clone();
    world.enable().await;
    let mut running = world.start().await;
    clock.set(9 * 3_600 - 1);
    running.idle().await;
    clock.set(9 * 3_600);
    let tasks = over(&world, &mut running, 1).await;
    assert_eq!(tasks[0].result.as_deref(), Some("All is quiet."));
    assert_eq!(tasks[0].text, "Look around.");
    assert_eq!(world.news().await, []);
    // Three days of sleep, and a clock that is set back.
    for seconds in [3 * 24 * 3_600 + 5, 9 * 3_600 + 2] {
        clock.set(seconds);
        world.message("m", "wakes it up").await;
        over(&world, &mut running, 1).await;
    }
    running.shut_down().await;
}

/// Midnight of the next Monday, in seconds after the midnight of the clock's day.
const MONDAY: u64 = 2 * 24 * 3_600;

#[tokio::test]
async fn s19_4_a_window_ticks_until_it_closes_and_a_person_is_told_nothing() {
    let file = "type: window\nconfig: { watch_window: '30 9-16 * * 1-5', tick_interval_ms: 2000 }\ntask: Look around.\n";
    let models = Sequence::new().reply("alice", says("One.")).reply("alice", says("Two."));
    let mut world = triggered(models, file);
    let close = MONDAY + 16 * 3_600;
    let clock = HandClock::at(close - 6);
    world.setup.clock = clock.clone();
    world.enable().await;
    let mut running = world.start().await;
    clock.set(close - 5);
    running.idle().await;
    for (count, seconds) in [(1, close - 4), (2, close - 2)] {
        clock.set(seconds);
        over(&world, &mut running, count).await;
    }
    for seconds in [close, close + 2] {
        clock.set(seconds);
        world.message("m", "wakes it up").await;
        let tasks = over(&world, &mut running, 2).await;
        let results: Vec<Option<&str>> = tasks.iter().map(|task| task.result.as_deref()).collect();
        assert_eq!(results, [Some("One."), Some("Two.")]);
    }
    assert_eq!(world.news().await, []);
    let opening = world.trigger().await.opening.expect("an opening");
    assert_eq!(opening.ticks, 2);
    running.shut_down().await;
}

#[tokio::test]
async fn s19_5_a_tick_is_given_where_the_last_one_stopped_and_one_that_did_nothing_leaves_that() {
    let file = "type: window\nconfig: { open: '00:00', close: '24:00', tick_interval_ms: 2000, max_ticks_per_window: 3 }\n\
                task: Look around.\n";
    let stopped = "Found.\n```json:window_cursor\n{\"last_event_id\": 7, \"other\": 1}\n```";
    let noop = "{\"action\": \"noop\", \"reason\": \"nothing new\"}";
    let models = Sequence::new();
    for words in [stopped, noop, noop] {
        models.push("alice", says(words));
    }
    let mut world = triggered(models, file);
    let clock = HandClock::at(MONDAY + 9 * 3_600 + 1);
    world.setup.clock = clock.clone();
    world.enable().await;
    let mut running = world.start().await;
    let cursor = "```json:window_cursor\n{\"last_event_id\":7}\n```";
    for (count, is_given) in [(1, false), (2, true), (3, true)] {
        clock.set(MONDAY + 9 * 3_600 + 2 * u64::try_from(count).expect("small"));
        let tasks = over(&world, &mut running, count).await;
        let prompt = world.last_prompts().join("\n");
        assert_eq!(prompt.contains(cursor), is_given, "{count}: {prompt}");
        assert_eq!(tasks.first().and_then(|task| task.result.as_deref()), Some("Found."));
    }
    // A fourth one is more than the opening may have.
    clock.set(MONDAY + 9 * 3_600 + 8);
    world.message("m", "wakes it up").await;
    over(&world, &mut running, 3).await;
    let told = world.news().await;
    assert!(
        matches!(&told[..], [(NewsKind::Notice, text)] if text.contains("watch ticks no more")),
        "{told:?}"
    );
    running.shut_down().await;
}

#[tokio::test]
async fn s19_4_a_window_that_is_no_span_of_time_is_not_enabled() {
    let file = "type: window\nconfig: { watch_window: '0 9 * * *' }\ntask: Look around.\n";
    let world = triggered(Sequence::new(), file);
    let refusal = world.wish(TriggerWish::Enable).await.expect_err("no span");
    assert!(refusal.text().to_string().contains("give open, close and days"), "{refusal:?}");
    let mut store = world.hive().open_or_make().await.expect("a store");
    assert_eq!(store.triggers().await.expect("a store"), []);
    store.close().await;
}

#[tokio::test]
async fn s4_5_what_was_missed_while_nothing_ran_is_not_made_up_for() {
    let mut world = triggered(Sequence::new(), ON_THE_HOUR);
    let clock = HandClock::at(9 * 3_600 - 2);
    world.setup.clock = clock.clone();
    world.enable().await;
    clock.set(15 * 3_600);
    let mut running = world.start().await;
    world.message("m", "wakes it up").await;
    over(&world, &mut running, 0).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s4_3_three_failures_in_a_row_disable_a_trigger_and_a_person_is_told() {
    let models = Sequence::new();
    for _ in 0..3 {
        let error = LlmError::new(ErrorClass::Rejected, Localized::same("no"));
        models.push("alice", Reply::failure(error));
    }
    let world = triggered(models, KEYWORD);
    world.enable().await;
    let mut running = world.start().await;
    for n in 1..=3 {
        world.message(&format!("m{n}"), "deploy failed").await;
        over(&world, &mut running, n).await;
    }
    let trigger = world.trigger().await;
    assert_eq!(trigger.state, TriggerState::Disabled);
    assert_eq!(trigger.reason.as_deref(), Some("3 consecutive failures"));
    let told = world.news().await;
    let failures = |part: &str| {
        told.iter().filter(|(kind, text)| *kind == NewsKind::Failure && text.contains(part)).count()
    };
    assert_eq!(failures("trigger watch is disabled"), 1, "{told:?}");
    assert_eq!(failures("[qa] task failed: no"), 3, "each of its tasks: {told:?}");
    world.message("m4", "deploy failed").await;
    over(&world, &mut running, 3).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s8_2_what_cannot_run_never_fires_until_it_is_corrected() {
    let models = Sequence::new().reply("alice", says("Seen."));
    let world = triggered(models, "type: keyword\nconfig: { pattern: '/(/' }\ntask: Look.\n");
    let answer = world.wish(TriggerWish::Enable).await;
    let is_broken =
        matches!(&answer, Ok(TriggerAnswer::Is { state: TriggerState::Active, fault: Some(_) }));
    assert!(is_broken, "{answer:?}");
    let mut running = world.start().await;
    world.message("m1", "(").await;
    over(&world, &mut running, 0).await;
    let pattern = |pattern: &str| TriggerPatch {
        config: Some(TriggerConfig::Keyword { pattern: pattern.to_owned() }),
        ..TriggerPatch::default()
    };
    let bad = world.wish(TriggerWish::Update(Box::new(pattern("/[/")))).await;
    assert!(matches!(bad, Err(TriggerRefusal::CannotRun(_))), "{bad:?}");
    let good = world.wish(TriggerWish::Update(Box::new(pattern("bug")))).await;
    assert!(good.is_ok(), "{good:?}");
    world.message("m2", "a bug").await;
    over(&world, &mut running, 1).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s18_1_an_active_trigger_that_cannot_run_is_told_of_until_it_is_disabled() {
    let file = "type: schedule\nconfig: { cron: nonsense }\ntask: Look around.\n";
    let world = triggered(Sequence::new(), file);
    world.wish(TriggerWish::Enable).await.expect("it is active");
    let running = world.start().await;
    world.until_stalls(&[]).await;
    for _ in 0..2 {
        until_the_next_scan().await;
        world.until_stalls(&[(NewsKind::Notice, "[qa] 1 of its active triggers cannot run")]).await;
    }
    world.wish(TriggerWish::Disable { reason: None }).await.expect("it is disabled");
    // At once, not only at the next scan.
    world.until_stalls(&[]).await;
    running.shut_down().await;
}

#[tokio::test]
async fn a_file_that_breaks_leaves_an_active_trigger_as_it_was_and_one_that_changes_is_taken_over()
{
    let models = Sequence::new().reply("alice", says("One.")).reply("alice", says("Two."));
    let world = triggered(models, KEYWORD);
    world.enable().await;
    let mut running = world.start().await;
    world.put(".minds/hive/triggers/qa/watch.yaml", "type: {");
    world.message("m1", "deploy failed").await;
    assert_eq!(over(&world, &mut running, 1).await[0].text.lines().next(), Some("Find out why."));
    world.put(".minds/hive/triggers/qa/watch.yaml", &KEYWORD.replace("Find out why.", "Fix it."));
    world.message("m2", "deploy failed").await;
    assert_eq!(over(&world, &mut running, 2).await[1].text.lines().next(), Some("Fix it."));
    let kept = world.trigger().await.trigger().expect("a definition");
    assert_eq!(kept.task, "Fix it.");
    running.shut_down().await;
}

#[tokio::test]
async fn a_trigger_whose_file_was_removed_does_not_fire_when_another_file_comes() {
    let world = triggered(Sequence::new(), KEYWORD);
    let file = world.path().join(".minds/hive/triggers/qa/watch.yaml");
    world.enable().await;
    let mut running = world.start().await;
    // A team that cannot be used for a moment changes nothing of its triggers.
    let team = ".minds/hive/teams/qa.yaml";
    let kept = std::fs::read_to_string(world.path().join(team)).expect("a team");
    world.put(team, "lead: [");
    world.message("m0", "nothing").await;
    over(&world, &mut running, 0).await;
    assert_eq!(world.trigger().await.state, TriggerState::Active);
    world.put(team, &kept);
    std::fs::remove_file(&file).expect("a file");
    world.message("m1", "deploy failed").await;
    over(&world, &mut running, 0).await;
    let gone = world.trigger().await;
    assert_eq!(
        (gone.state, gone.reason.as_deref()),
        (TriggerState::Disabled, Some("its file was removed"))
    );
    world.put(".minds/hive/triggers/qa/watch.yaml", KEYWORD);
    world.message("m2", "deploy failed").await;
    over(&world, &mut running, 0).await;
    running.shut_down().await;
}

#[tokio::test]
async fn while_something_waits_for_consent_nothing_fires() {
    let models = Sequence::new().reply("alice", says("Seen."));
    let world = triggered(models, KEYWORD);
    world.enable().await;
    world.message("m1", "deploy failed").await;
    let entry = TrustEntry::new(TrustKind::Server, "s", "runs", "digest".to_owned());
    world.setup.trust.put(entry);
    let running = world.start().await;
    assert_eq!((world.messages().await, world.tasks().await), (1, Vec::new()));
    running.shut_down().await;
}

#[tokio::test]
async fn a_driver_that_only_goes_on_with_what_is_open_fires_nothing() {
    let mut world = triggered(Sequence::new(), KEYWORD);
    world.setup.pick_up = PickUp::Open;
    world.enable().await;
    world.message("m1", "deploy failed").await;
    let running = world.start().await;
    assert_eq!((world.messages().await, world.tasks().await), (1, Vec::new()));
    running.shut_down().await;
}

#[tokio::test]
async fn s8_1_a_test_is_a_task_that_changes_nothing_of_the_trigger() {
    let models = Sequence::new().reply("alice", says("Tried."));
    let world = triggered(models, KEYWORD);
    let wish = TriggerWish::Test { max_steps: Some(5), overlap: None, cause: None, lang: Lang::En };
    assert!(matches!(world.wish(wish).await, Ok(TriggerAnswer::Tested(_))));
    let mut running = world.start().await;
    let tasks = over(&world, &mut running, 1).await;
    assert_eq!((tasks[0].max_steps, tasks[0].text.as_str()), (5, "Find out why."));
    assert!(tasks[0].correlation.as_ref().is_some_and(|one| one.starts_with("test-trigger:")));
    // A person is told that the result of a message has nowhere to go.
    let told = world.news().await;
    assert_eq!(told, [(NewsKind::Notice, "[qa] Tried.".to_owned())]);
    let mut store = world.hive().open_or_make().await.expect("a store");
    assert_eq!(store.triggers().await.expect("a store"), []);
    store.close().await;
    running.shut_down().await;
}

fn calls(id: &str, tool: &str, args: &serde_json::Value) -> Reply {
    Reply::call(id, tool, &args.to_string())
}

fn told(world: &World, id: &str) -> serde_json::Value {
    let requests = world.models.requests();
    let result = requests.iter().rev().find_map(|request| result_of(request, id));
    serde_json::from_str(result.expect("a result")).expect("an object")
}

#[tokio::test]
async fn s8_1_a_lead_makes_enables_and_tries_a_trigger_of_the_team_below() {
    let of = json!({ "team": "qa", "trigger_name": "daily" });
    let create = json!({
        "team": "qa", "name": "daily", "type": "schedule", "config": { "cron": "0 9 * * *", "timezone": "UTC" },
        "task": "Look around.", "subagent": "bob",
    });
    let models = Sequence::new();
    for (id, tool, args) in [
        ("c1", "create_trigger", &create),
        ("c2", "create_trigger", &create),
        ("c3", "enable_trigger", &of),
        ("c4", "test_trigger", &of),
        ("c5", "list_triggers", &json!({ "team": "qa" })),
        ("c6", "list_triggers", &json!({ "team": "lab" })),
    ] {
        models.push("lead", calls(id, tool, args));
    }
    models.push("lead", says("That is it."));
    models.push("bob", says("Quiet."));
    let world = world(models, "");
    let mut running = world.start().await;
    running.talk("Go").await;
    let tasks = over(&world, &mut running, 1).await;
    assert_eq!(told(&world, "c1"), json!({ "success": true, "state": "pending" }));
    let exists = json!({ "success": false, "error": "Trigger 'daily' already exists" });
    assert_eq!(told(&world, "c2"), exists);
    assert_eq!(told(&world, "c3"), json!({ "success": true, "state": "active", "running": true }));
    assert_eq!(told(&world, "c4"), json!({ "success": true, "taskId": tasks[0].id }));
    let listed = told(&world, "c5");
    assert_eq!(listed.pointer("/triggers/0/nextAt"), Some(&json!("2026-11-22 09:00:00")));
    assert_eq!(listed.pointer("/triggers/0/state"), Some(&json!("active")));
    let foreign = json!({ "success": false, "error": "Team 'lab' is not a child of 'main'" });
    assert_eq!(told(&world, "c6"), foreign);
    assert_eq!(tasks[0].member, Some(AgentId::new("bob")));
    let news = world.news().await;
    assert!(
        news.contains(&(NewsKind::Notice, "[main] enabled the trigger qa/daily".to_owned())),
        "{news:?}"
    );
    let text = std::fs::read_to_string(world.path().join(".minds/hive/triggers/qa/daily.yaml"));
    assert!(text.expect("a file").starts_with("type: schedule\n"));
    running.shut_down().await;
}

#[tokio::test]
async fn q13_a_trigger_that_needs_approval_is_enabled_once_a_person_has_approved_just_that() {
    let of = json!({ "team": "qa", "trigger_name": "watch" });
    let models = Sequence::new()
        .reply("lead", calls("c1", "enable_trigger", &of))
        .reply("lead", calls("c2", "enable_trigger", &of))
        .reply("lead", says("It watches."));
    let world = world(models, "autonomy: { triggerChanges: requires_approval }");
    world.put(".minds/hive/triggers/qa/watch.yaml", KEYWORD);
    let mut running = world.start().await;
    running.talk("Go").await;
    let asked = running.inbox();
    assert_eq!(asked.len(), 1, "{asked:?}");
    let mut store = world.hive().open_or_make().await.expect("a store");
    assert_eq!(store.triggers().await.expect("a store"), [], "nothing happens before");
    store.close().await;
    running.answer(&asked[0], "yes").await.expect("an answer");
    running.quiet().await;
    assert_eq!(told(&world, "c2"), json!({ "success": true, "state": "active", "running": true }));
    assert_eq!(world.trigger().await.state, TriggerState::Active);
    running.shut_down().await;
}

#[tokio::test]
async fn q13_a_change_that_would_be_refused_is_not_asked_about() {
    let update = |more: serde_json::Value| {
        let mut args = json!({ "team": "qa", "trigger_name": "watch" });
        for (key, value) in more.as_object().into_iter().flatten() {
            args[key] = value.clone();
        }
        args
    };
    let models = Sequence::new();
    for (id, more) in [
        ("c1", json!({})),
        ("c2", json!({ "config": { "pattern": "/(/" } })),
        ("c3", json!({ "max_steps": 501 })),
        ("c4", json!({ "subagent": "carol" })),
    ] {
        models.push("lead", calls(id, "update_trigger", &update(more)));
    }
    models.push("lead", says("It stays."));
    let world = world(models, "autonomy: { triggerChanges: requires_approval }");
    world.put(".minds/hive/triggers/qa/watch.yaml", KEYWORD);
    world.enable().await;
    let mut running = world.start().await;
    running.talk("Go").await;
    assert_eq!(running.inbox(), []);
    for (id, part) in [
        ("c1", "nothing to change"),
        ("c2", "could not run with that"),
        ("c3", "from 1 to 500"),
        ("c4", "subagent 'carol' is not in team 'qa'"),
    ] {
        let refused = told(&world, id);
        assert_eq!(refused["success"], false, "{refused}");
        assert!(refused["error"].as_str().is_some_and(|error| error.contains(part)), "{refused}");
    }
    running.shut_down().await;
}

#[tokio::test]
async fn q13_what_was_approved_is_not_done_to_a_trigger_that_has_changed_meanwhile() {
    let world = triggered(Sequence::new(), KEYWORD);
    let config = TriggerConfig::Keyword { pattern: "deploy failed".to_owned() };
    let definition = Trigger::new(config, "Find out why.".to_owned());
    let basis = |state| Some(TriggerBasis { definition: definition.clone(), state });
    let other = || {
        let task = Some("Something else.".to_owned());
        TriggerWish::Update(Box::new(TriggerPatch { task, ..TriggerPatch::default() }))
    };
    let changed = Err(TriggerRefusal::Changed);
    // A change that assumes another state, active or pending, is refused.
    assert_eq!(world.wish_on(basis(TriggerState::Active), other()).await, changed);
    assert!(world.wish_on(basis(TriggerState::Pending), TriggerWish::Enable).await.is_ok());
    assert_eq!(world.wish_on(basis(TriggerState::Pending), other()).await, changed);
    assert!(world.wish_on(basis(TriggerState::Active), other()).await.is_ok());
    let enable = TriggerWish::Enable;
    assert_eq!(world.wish_on(basis(TriggerState::Active), enable).await, changed);
}

#[tokio::test]
async fn s6_1_a_team_that_is_shut_down_takes_its_triggers_with_it() {
    let world = triggered(Sequence::new(), KEYWORD);
    world.enable().await;
    let mut running = world.start().await;
    let change = |ticket| Command::Tasks {
        ticket,
        request: TeamsRequest::ShutDown { team: TeamName::new("qa"), cascade: true },
    };
    running.ask(change).await.expect("a shutdown");
    assert!(!world.path().join(".minds/hive/triggers/qa").exists());
    let mut store = world.hive().open_or_make().await.expect("a store");
    assert_eq!(store.triggers().await.expect("a store"), []);
    store.close().await;
    let backups = world.path().join(".hive/backups/teams");
    let of_qa = std::fs::read_dir(backups).expect("a folder").flatten();
    let kept: Vec<_> =
        of_qa.filter(|one| one.path().join("triggers/watch.yaml").exists()).collect();
    assert_eq!(kept.len(), 1);
    running.shut_down().await;
}
