//! What becomes of triggers and messages in the store, statement by statement.

use super::task_tests::{Bench, at, done, id, new, slots_of};
use super::*;
use crate::domain::AgentId;
use crate::domain::teams::notices::NewNotice;
use crate::domain::teams::task::{AttemptId, NewTask, TaskEnd, TaskKind, TaskRefusal, TaskTrigger};
use crate::domain::teams::trigger::window::{OpeningLimits, Tick};
use crate::domain::teams::trigger::{
    Firing, FiringRefusal, FiringRule, OpeningUse, StoredTrigger, TickRule, TriggerOverlap,
    TriggerState,
};
use crate::hive::test_support::Database;
use crate::hive::views::Ending;
use crate::samples::triggers::{id as trigger_id, keyword};

pub(super) fn in_force(threshold: u32) -> InForce {
    let json = serde_json::to_string(&keyword("x")).unwrap();
    InForce { json, threshold }
}

pub(super) fn firing(event: &str, overlap: TriggerOverlap) -> Firing {
    let trigger = TaskTrigger {
        name: "daily".to_owned(),
        tells: true,
        is_test: false,
        channel: Some("cli".to_owned()),
        message: Some(event.to_owned()),
        is_tick: false,
    };
    Firing {
        id: trigger_id("qa", "daily"),
        event: event.to_owned(),
        overlap,
        rule: FiringRule::default(),
        tick: None,
        task: NewTask {
            kind: TaskKind::Trigger,
            trigger: Some(trigger),
            origin: None,
            from: None,
            ..new("qa")
        },
    }
}

impl Bench {
    async fn enable(&mut self, threshold: u32) {
        let daily = trigger_id("qa", "daily");
        assert!(self.store.enable_trigger(&daily, &in_force(threshold), at(0)).await.unwrap());
    }

    async fn fire(&mut self, name: &str, event: &str, seconds: u64) -> Result<(), FiringRefusal> {
        self.fire_as(name, &firing(event, TriggerOverlap::Allow), seconds).await
    }

    async fn fire_as(
        &mut self,
        name: &str,
        firing: &Firing,
        seconds: u64,
    ) -> Result<(), FiringRefusal> {
        self.store.fire(firing, &id(name), at(seconds)).await.unwrap().map(|_| ())
    }

    async fn trigger(&mut self) -> StoredTrigger {
        self.store.triggers().await.unwrap().into_iter().next().unwrap()
    }

    /// Ends a tick that used these tokens and stopped at this cursor.
    async fn end_tick(&mut self, name: &str, tokens: u64, cursor: Option<&str>, seconds: u64) {
        self.claim(&[slots_of("qa", 10)], seconds).await;
        let of = AttemptId { task: id(name), attempt: 1 };
        let cursor = cursor.map(str::to_owned);
        let ending = Ending { tokens, cursor, ..done().into() };
        assert!(self.store.end_task(&of, ending, at(seconds)).await.unwrap());
    }

    /// Where a task is told that the last tick stopped.
    async fn cursor_of(&mut self, name: &str) -> Option<String> {
        let active = self.store.active_tasks(&super::task_tests::At(0)).await.unwrap();
        active.into_iter().find(|one| one.task.id == id(name)).unwrap().cursor
    }

    async fn titles(&mut self) -> Vec<String> {
        let news = self.store.news(Listed::Open, &super::task_tests::At(0)).await;
        news.unwrap().into_iter().map(|item| item.title).collect()
    }

    /// Runs a task that was made, to this end.
    async fn run(&mut self, name: &str, end: TaskEnd, seconds: u64) {
        self.claim(&[slots_of("qa", 10)], seconds).await;
        let of = AttemptId { task: id(name), attempt: 1 };
        let notice = NewNotice::of_team(
            (AgentId::new("qa"), crate::domain::TeamName::new("qa")),
            "trigger daily",
            "[qa] disabled".to_owned(),
        );
        let ending = Ending { disables: Some(notice), ..end.into() };
        assert!(self.store.end_task(&of, ending, at(seconds)).await.unwrap());
    }
}

/// A tick of the window that opened at that second, of which two and 1,000 tokens are allowed.
fn tick(opening: u64, number: u64) -> Firing {
    let mut firing = firing(&format!("{opening} {number}"), TriggerOverlap::Allow);
    firing.task.trigger.as_mut().unwrap().is_tick = true;
    let used_up = NewNotice::of_team(
        (AgentId::new("qa"), crate::domain::TeamName::new("qa")),
        &format!("window {opening}"),
        "[qa] used up".to_owned(),
    );
    let tick = Tick { opening: at(opening), number };
    let limits = OpeningLimits { ticks: Some(2), tokens: Some(1_000) };
    firing.tick = Some(TickRule { tick, limits, used_up });
    firing
}

fn failed() -> TaskEnd {
    TaskEnd::Failed { error: "no".to_owned() }
}

#[tokio::test]
async fn s8_1_only_a_trigger_that_somebody_enabled_fires() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        assert_eq!(bench.fire("a", "e1", 1).await, Err(FiringRefusal::Inactive));
        bench.enable(3).await;
        assert_eq!(bench.fire("a", "e1", 2).await, Ok(()));
        let daily = trigger_id("qa", "daily");
        let why = Some("too loud");
        assert!(bench.store.disable_trigger(&daily, why, &in_force(3), at(3)).await.unwrap());
        assert_eq!(bench.fire("b", "e2", 4).await, Err(FiringRefusal::Inactive));
        let trigger = bench.trigger().await;
        assert_eq!((trigger.state, trigger.reason.as_deref()), (TriggerState::Disabled, why));
        assert_eq!((trigger.last_fired, trigger.last_task), (Some(at(2)), Some(id("a"))));
    }
}

#[tokio::test]
async fn s4_2_the_same_event_counts_once_in_an_hour() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        assert_eq!(bench.fire("a", "m1", 0).await, Ok(()));
        assert_eq!(bench.fire("b", "m1", 3_599).await, Err(FiringRefusal::Duplicate));
        assert_eq!(bench.fire("b", "m1", 3_660).await, Ok(()));
    }
}

#[tokio::test]
async fn s4_5_a_clock_that_is_set_back_makes_nothing_fire_twice() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        assert_eq!(bench.fire("a", "at 09:00", 7_200).await, Ok(()));
        assert_eq!(bench.fire("b", "at 09:00", 3_000).await, Err(FiringRefusal::Duplicate));
    }
}

#[tokio::test]
async fn s4_2_of_eleven_events_in_a_minute_ten_count() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        for n in 0..10 {
            assert_eq!(bench.fire(&format!("a{n}"), &format!("m{n}"), n).await, Ok(()));
        }
        assert_eq!(bench.fire("b", "m10", 11).await, Err(FiringRefusal::RateLimited));
        let mut other = firing("m10", TriggerOverlap::Allow);
        other.task.member = Some(AgentId::new("tester"));
        assert_eq!(bench.fire_as("c", &other, 12).await, Ok(()), "of another member");
        assert_eq!(bench.fire("d", "m11", 61).await, Ok(()));
    }
}

#[tokio::test]
async fn s4_4_the_rule_of_a_trigger_decides_while_its_last_task_is_not_over() {
    for database in Database::all() {
        use TriggerOverlap::{Allow, AlwaysReplace, AlwaysSkip, SkipThenReplace};
        let skipped = Err(FiringRefusal::Overlap);
        for (rule, first, second, ended) in [
            (Allow, Ok(()), Ok(()), false),
            (AlwaysSkip, skipped, skipped, false),
            (AlwaysReplace, Ok(()), Ok(()), true),
            (SkipThenReplace, skipped, Ok(()), true),
        ] {
            let mut bench = Bench::on(database).await;
            bench.enable(3).await;
            assert_eq!(bench.fire_as("a", &firing("1", rule), 1).await, Ok(()));
            bench.claim(&[slots_of("qa", 10)], 2).await;
            assert_eq!(bench.fire_as("b", &firing("2", rule), 3).await, first, "{rule:?}");
            assert_eq!(bench.fire_as("c", &firing("3", rule), 4).await, second, "{rule:?}");
            let is_cancelled = bench.status("a").await == TaskStatus::Cancelled;
            assert_eq!(is_cancelled, ended, "{rule:?}");
            let late = bench.end("a", 1, &done(), 5).await;
            assert_eq!(late, !ended, "{rule:?}: a late end of a replaced task counts");
        }
    }
}

#[tokio::test]
async fn s4_4_what_is_over_is_in_nobodys_way() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        let rule = TriggerOverlap::SkipThenReplace;
        assert_eq!(bench.fire_as("a", &firing("1", rule), 1).await, Ok(()));
        assert_eq!(bench.fire_as("b", &firing("2", rule), 2).await, Err(FiringRefusal::Overlap));
        bench.run("a", done(), 3).await;
        assert_eq!(bench.fire_as("b", &firing("3", rule), 4).await, Ok(()));
        // The one that was skipped before does not count any more.
        assert_eq!(bench.fire_as("c", &firing("4", rule), 5).await, Err(FiringRefusal::Overlap));
    }
}

#[tokio::test]
async fn s4_3_failures_in_a_row_disable_a_trigger_and_a_person_is_told_once() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        let ends = [failed(), failed(), done(), failed(), failed(), failed()];
        for (n, end) in (1..).zip(ends) {
            let name = format!("a{n}");
            assert_eq!(bench.fire(&name, &name, n * 100).await, Ok(()));
            bench.run(&name, end, n * 100 + 1).await;
        }
        let trigger = bench.trigger().await;
        assert_eq!(trigger.state, TriggerState::Disabled);
        assert_eq!(trigger.reason.as_deref(), Some("3 consecutive failures"));
        assert_eq!((trigger.failures, trigger.last_status), (3, Some(TaskStatus::Failed)));
        assert_eq!(bench.titles().await, ["[qa] disabled"]);
        assert_eq!(bench.fire("b", "b", 900).await, Err(FiringRefusal::Inactive));
        bench.enable(3).await;
        assert_eq!((bench.trigger().await.failures, bench.trigger().await.reason), (0, None));
    }
}

#[tokio::test]
async fn s4_3_tests_and_cancelled_tasks_do_not_count() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(1).await;
        let mut test = firing("t", TriggerOverlap::Allow).task;
        test.trigger.as_mut().unwrap().is_test = true;
        bench.store.enqueue(&test, &id("t"), at(1)).await.unwrap();
        bench.run("t", failed(), 2).await;
        assert_eq!(bench.fire("a", "a", 3).await, Ok(()));
        bench.run("a", TaskEnd::Cancelled { error: "no".to_owned() }, 4).await;
        let trigger = bench.trigger().await;
        assert_eq!((trigger.state, trigger.failures), (TriggerState::Active, 0));
    }
}

#[tokio::test]
async fn a_team_that_does_not_take_a_task_leaves_the_event_for_later() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        assert_eq!(bench.fire("first", "m0", 1).await, Ok(()));
        let mut full = firing("m1", TriggerOverlap::Allow);
        full.task.max_queue = 1;
        let refusal = FiringRefusal::Task(TaskRefusal::QueueFull { most: 1 });
        assert_eq!(bench.fire_as("a", &full, 2).await, Err(refusal));
        assert_eq!(bench.fire("a", "m1", 3).await, Ok(()));
    }
}

#[tokio::test]
async fn messages_wait_in_their_order_until_triggers_have_looked_at_them() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for (n, text) in (1..).zip(["one", "two"]) {
            assert!(bench.store.send(("m", "cli", text), at(n)).await.unwrap());
        }
        let messages = bench.store.messages().await.unwrap();
        let shown: Vec<(&str, &str, SystemTime)> =
            messages.iter().map(|one| (one.channel.as_str(), one.text.as_str(), one.at)).collect();
        assert_eq!(shown, [("cli", "one", at(1)), ("cli", "two", at(2))]);
        bench.store.message_seen(messages[0].number).await.unwrap();
        assert_eq!(bench.store.messages().await.unwrap(), messages[1..]);
        assert!(bench.view().await.has_work());
    }
}

#[tokio::test]
async fn a_definition_is_taken_over_and_nothing_else_changes() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        assert_eq!(bench.fire("a", "a", 1).await, Ok(()));
        let other = InForce { json: "{}".to_owned(), threshold: 1 };
        bench.store.take_over(&trigger_id("qa", "daily"), &other).await.unwrap();
        let trigger = bench.trigger().await;
        assert_eq!((trigger.definition.as_str(), trigger.state), ("{}", TriggerState::Active));
        assert_eq!(trigger.trigger(), None);
        bench.run("a", failed(), 2).await;
        assert_eq!(bench.trigger().await.state, TriggerState::Disabled, "its threshold counts");
    }
}

#[tokio::test]
async fn s19_5_the_caps_of_a_window_end_one_opening_and_the_next_one_begins_at_nothing() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        for number in 1..=2 {
            let name = format!("a{number}");
            assert_eq!(bench.fire_as(&name, &tick(0, number), number * 30).await, Ok(()));
            bench.end_tick(&name, 10, None, number * 30 + 1).await;
        }
        let used = OpeningUse { at: at(0), ticks: 2, tokens: 20 };
        assert_eq!(bench.trigger().await.opening, Some(used));
        // Told once, also if it is tried again.
        for number in 3..=4 {
            let refused = Err(FiringRefusal::UsedUp);
            assert_eq!(bench.fire_as("b", &tick(0, number), number * 30).await, refused);
            assert_eq!(bench.titles().await, ["[qa] used up"]);
        }
        // Tokens count when a task is over, also beyond what is allowed.
        assert_eq!(bench.fire_as("c", &tick(9_000, 1), 9_030).await, Ok(()));
        bench.end_tick("c", 1_001, None, 9_031).await;
        assert_eq!(bench.fire_as("d", &tick(9_000, 2), 9_060).await, Err(FiringRefusal::UsedUp));
        let used = OpeningUse { at: at(9_000), ticks: 1, tokens: 1_001 };
        assert_eq!(bench.trigger().await.opening, Some(used));
    }
}

#[tokio::test]
async fn what_a_tick_used_does_not_count_for_the_opening_after_its_own() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        assert_eq!(bench.fire_as("a", &tick(0, 1), 30).await, Ok(()));
        assert_eq!(bench.fire_as("b", &tick(9_000, 1), 9_030).await, Ok(()));
        bench.end_tick("a", 900, None, 9_031).await;
        bench.end_tick("b", 5, None, 9_032).await;
        let used = OpeningUse { at: at(9_000), ticks: 1, tokens: 5 };
        assert_eq!(bench.trigger().await.opening, Some(used));
    }
}

#[tokio::test]
async fn s19_5_the_next_tick_is_given_where_the_newest_one_stopped() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        for (number, name) in (1..).zip(["a", "b"]) {
            assert_eq!(bench.fire_as(name, &tick(number, 1), number * 30).await, Ok(()));
        }
        bench.claim(&[slots_of("qa", 10)], 70).await;
        assert_eq!(bench.cursor_of("a").await, None);
        bench.end_tick("b", 0, Some("{\"last_event_id\":2}"), 71).await;
        // What an earlier one says late is older.
        bench.end_tick("a", 0, Some("{\"last_event_id\":1}"), 72).await;
        assert_eq!(bench.fire_as("c", &tick(3, 1), 90).await, Ok(()));
        bench.claim(&[slots_of("qa", 10)], 91).await;
        assert_eq!(bench.cursor_of("c").await.as_deref(), Some("{\"last_event_id\":2}"));
        // One that does not say where it stopped changes nothing, and a test neither.
        bench.end_tick("c", 0, None, 92).await;
        let mut test = tick(3, 2).task;
        test.trigger.as_mut().unwrap().is_test = true;
        bench.store.enqueue(&test, &id("t"), at(93)).await.unwrap();
        bench.end_tick("t", 7, Some("{\"last_event_id\":9}"), 94).await;
        assert_eq!(bench.fire_as("d", &tick(4, 1), 120).await, Ok(()));
        bench.claim(&[slots_of("qa", 10)], 121).await;
        assert_eq!(bench.cursor_of("d").await.as_deref(), Some("{\"last_event_id\":2}"));
        assert_eq!(bench.trigger().await.opening.map(|used| used.tokens), Some(0));
    }
}

#[tokio::test]
async fn another_trigger_of_the_name_of_a_removed_one_begins_anew() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.enable(3).await;
        assert_eq!(bench.fire_as("a", &tick(1, 1), 30).await, Ok(()));
        bench.end_tick("a", 3, Some("{\"last_event_id\":1}"), 31).await;
        bench.store.retire_trigger(&trigger_id("qa", "daily"), at(40)).await.unwrap();
        bench.enable(3).await;
        assert_eq!(bench.trigger().await.opening, None);
        assert_eq!(bench.fire_as("b", &tick(2, 1), 60).await, Ok(()));
        bench.claim(&[slots_of("qa", 10)], 61).await;
        assert_eq!(bench.cursor_of("b").await, None);
    }
}
