//! A store that several boxes share: who works on what, and what becomes of it when one of them is gone. The time is a row of
//! the database.

use std::collections::BTreeSet;
use std::time::Duration;

use super::db::sql;
use super::task_tests::{At, at, done, id, new, slots_of};
use super::trigger_tests::{firing, in_force};
use super::*;
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::task::query::QueryRule;
use crate::domain::teams::task::{
    ActiveTask, AttemptId, Enqueued, NewTask, Priority, TaskEnd, TaskKind, TaskStatus,
};
use crate::domain::teams::trigger::{TriggerOverlap, TriggerState};
use crate::domain::{Lang, RootId, TaskId};
use crate::hive::server::TAKEOVER;
use crate::hive::test_support::{postgres_org, server, works};
use crate::hive::views::Ending;
use crate::samples::triggers::id as trigger_id;

/// The time of the database when a test begins, in milliseconds.
const START: i64 = 1_764_000_000_000;

/// Some boxes that share a store; seats are named as the boxes are.
pub(super) struct Boxes {
    org: String,
    pub(super) stores: Vec<Store>,
    now: i64,
    roots: u32,
}

impl Boxes {
    /// `None` where there is no server.
    pub(super) async fn start(names: &[&str], teams: &[&str]) -> Option<Self> {
        let mut boxes = Self { org: postgres_org(), stores: Vec::new(), now: START, roots: 0 };
        for name in names {
            let store = boxes.open(name).await?;
            boxes.stores.push(store);
            boxes.set_clock(0).await;
            works(boxes.stores.last_mut().unwrap(), name, teams).await;
        }
        Some(boxes)
    }

    async fn open(&self, name: &str) -> Option<Store> {
        let server = server(&self.org, name)?;
        Some(Store::of_server(&server, name, at(0)).await.unwrap())
    }

    /// Sets the clock of the database this many seconds further.
    pub(super) async fn set_clock(&mut self, seconds: i64) {
        self.now += seconds * 1_000;
        let set = "INSERT INTO hive_clock (org, now) VALUES ($1, $2) ON CONFLICT (org) DO UPDATE SET now = $2";
        sql(set).bind(self.now).execute(&mut self.stores[0].db).await.unwrap();
    }

    pub(super) async fn queue(&mut self, from: usize, name: &str, task: &NewTask) {
        let queued = self.stores[from].enqueue(task, &id(name), at(0)).await.unwrap();
        assert_eq!(queued, Enqueued::Queued(id(name)));
    }

    /// Starts as many tasks as fit on one of the boxes.
    pub(super) async fn claim(
        &mut self,
        by: usize,
        max_running: u32,
        room: u32,
    ) -> Vec<ActiveTask> {
        let first = self.roots;
        self.roots += room;
        let roots = (first..self.roots).map(|n| RootId::new(format!("cc/dd/{n:08x}"))).collect();
        let teams = [slots_of("qa", max_running)];
        let claimed = self.stores[by].claim(&teams, roots, (at(0), &At(0))).await.unwrap();
        self.stores[by].end_unfinished().await.unwrap();
        claimed
    }

    pub(super) async fn end(&mut self, by: usize, of: &AttemptId) -> bool {
        self.end_with(by, of, done()).await
    }

    pub(super) async fn end_with(&mut self, by: usize, of: &AttemptId, end: TaskEnd) -> bool {
        let ended = self.stores[by].end_task(of, Ending::from(end), at(0)).await.unwrap();
        self.stores[by].end_unfinished().await.unwrap();
        ended
    }

    pub(super) async fn take_over(&mut self, by: usize) {
        self.stores[by].take_over_lost(TAKEOVER, Lang::En).await.unwrap();
    }

    pub(super) async fn renew(&mut self, by: usize) -> bool {
        self.stores[by].renew().await.unwrap()
    }

    async fn status(&mut self, name: &str) -> (TaskStatus, u32) {
        let found = self.stores[0].find_task(id(name).as_str(), &At(0)).await.unwrap();
        let task = found.into_iter().next().unwrap();
        (task.status, task.attempt)
    }

    async fn notices(&mut self) -> Vec<String> {
        let items = self.stores[0].news(Listed::Open, &At(0)).await.unwrap();
        items.into_iter().map(|item| item.title).collect()
    }

    /// The tasks that one of the boxes works on, and those that it has to put away.
    async fn here(&mut self, at: usize) -> (Vec<String>, Vec<String>) {
        let view = self.stores[at].tasks_view(&At(0)).await.unwrap();
        let name = |id: &TaskId| id.as_str().trim_start_matches("task-").to_owned();
        let active = view.active.iter().map(|one| name(&one.task.id)).collect();
        (active, view.ended.iter().map(|one| name(&one.of.task)).collect())
    }
}

fn names(tasks: &[ActiveTask]) -> BTreeSet<String> {
    tasks.iter().map(|one| one.task.id.as_str().trim_start_matches("task-").to_owned()).collect()
}

fn rule() -> QueryRule {
    QueryRule { within: Duration::from_secs(30), limits: TeamLimits::default(), day: at(0) }
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn p1_two_engines_start_each_task_once_the_urgent_first_and_never_more_than_the_cap() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    let priorities = [Priority::Low, Priority::High, Priority::Normal, Priority::Critical];
    for (n, priority) in (0..50).zip(priorities.into_iter().cycle()) {
        boxes.queue(n % 2, &format!("t{n:02}"), &NewTask { priority, ..new("qa") }).await;
    }
    let (mut running, mut started) = (Vec::<(usize, ActiveTask)>::new(), Vec::new());
    for round in 0_usize.. {
        let (mut one, mut two) = (boxes.stores.remove(0), boxes.stores.remove(0));
        let roots = |by: u32| {
            let first = u32::try_from(round).unwrap() * 20 + by * 10;
            (first..first + 4).map(|n| RootId::new(format!("cc/dd/{n:08x}"))).collect()
        };
        let (teams, clock) = ([slots_of("qa", 5)], At(0));
        let (first, second) = tokio::join!(
            one.claim(&teams, roots(0), (at(0), &clock)),
            two.claim(&teams, roots(1), (at(0), &clock)),
        );
        boxes.stores = vec![one, two];
        let claimed = [first.unwrap(), second.unwrap()];
        // Within a claim, and from one to the next that was begun later, nothing goes before what is more urgent.
        for (by, tasks) in claimed.into_iter().enumerate() {
            started.extend(tasks.iter().map(|one| (round, one.task.priority, one.task.id.clone())));
            running.extend(tasks.into_iter().map(|one| (by, one)));
        }
        assert!(running.len() <= 5, "{}", running.len());
        let Some((by, task)) = running.pop() else { break };
        assert!(boxes.end(by, &task.attempt()).await);
    }
    let ids: BTreeSet<&TaskId> = started.iter().map(|(_, _, id)| id).collect();
    assert_eq!((ids.len(), started.len()), (50, 50), "each once");
    let rank = |priority: Priority| Priority::ALL.iter().position(|one| *one == priority);
    let order: Vec<_> =
        started.iter().map(|(round, priority, _)| (*round, rank(*priority))).collect();
    let of_round =
        |round: usize| order.iter().filter(move |(n, _)| *n == round).map(|(_, rank)| *rank);
    for round in 1..order.last().unwrap().0 {
        let (before, after) = (of_round(round).max(), of_round(round + 1).min());
        assert!(before.is_none() || after.is_none() || before <= after, "round {round}");
    }
}

#[tokio::test]
async fn p2_what_a_lost_engine_worked_on_is_given_to_another_after_its_lease_and_two_minutes() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    for n in 0..5 {
        boxes.queue(0, &format!("t{n}"), &new("qa")).await;
    }
    assert_eq!(boxes.claim(0, 5, 5).await.len(), 5);
    for (seconds, moved) in [(30, false), (100, false), (21, true)] {
        boxes.set_clock(seconds).await;
        assert!(boxes.renew(1).await || seconds > 30);
        works(&mut boxes.stores[1], "two", &["qa"]).await;
        boxes.take_over(1).await;
        let expected = if moved { TaskStatus::Pending } else { TaskStatus::Running };
        assert_eq!(boxes.status("t0").await, (expected, 1), "after {seconds} more");
    }
    assert_eq!(
        boxes.notices().await,
        ["one was not heard of any more: 5 of its tasks are taken from it"]
    );
    boxes.take_over(1).await;
    assert_eq!(boxes.notices().await.len(), 1, "it is told once");
    let claimed = boxes.claim(1, 5, 5).await;
    assert_eq!(names(&claimed), set(&["t0", "t1", "t2", "t3", "t4"]));
    assert!(claimed.iter().all(|one| one.task.attempt == 2 && !one.begun), "new dialogs");
    for task in &claimed {
        assert!(boxes.end(1, &task.attempt()).await);
    }
    let view = boxes.stores[0].tasks_view(&At(0)).await.unwrap();
    assert_eq!(view.deliveries.len(), 5, "each result once, where it was asked for");
    assert!(boxes.stores[1].tasks_view(&At(0)).await.unwrap().deliveries.is_empty());
}

#[tokio::test]
async fn p2_a_task_that_nobody_else_works_for_waits() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    works(&mut boxes.stores[1], "two", &["ops"]).await;
    boxes.queue(0, "a", &new("qa")).await;
    boxes.claim(0, 5, 5).await;
    boxes.set_clock(151).await;
    works(&mut boxes.stores[1], "two", &["ops"]).await;
    boxes.take_over(1).await;
    assert_eq!(boxes.claim(1, 5, 5).await, []);
    assert_eq!(boxes.status("a").await, (TaskStatus::Pending, 1));
    let view = boxes.stores[1].tasks_view(&At(0)).await.unwrap();
    assert_eq!(view.boxes_of(&TeamName::new("qa")).count(), 0, "nobody works for it");
    assert_eq!(view.boxes_of(&TeamName::new("ops")).collect::<Vec<_>>(), ["two"]);
}

#[tokio::test]
async fn p3_an_engine_that_is_back_in_time_goes_on_with_the_same_attempts() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.queue(1, "a", &new("qa")).await;
    let claimed = boxes.claim(0, 5, 5).await;
    boxes.set_clock(100).await;
    let mut again = boxes.open("one").await.unwrap();
    let moved = Registration { id: "later".to_owned(), workspace: "/one".to_owned() };
    again.register(&moved).await.unwrap();
    boxes.stores[0] = again;
    boxes.set_clock(25).await;
    boxes.take_over(1).await;
    assert_eq!(boxes.here(0).await, (vec!["a".to_owned()], vec![]));
    assert_eq!(boxes.status("a").await, (TaskStatus::Running, 1));
    assert!(boxes.end(0, &claimed[0].attempt()).await);
    assert_eq!(boxes.notices().await, [""; 0]);
}

#[tokio::test]
async fn p3_an_engine_that_is_back_too_late_puts_its_dialogs_away_and_changes_nothing() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.queue(1, "a", &new("qa")).await;
    let old = boxes.claim(0, 5, 5).await[0].attempt();
    boxes.set_clock(151).await;
    works(&mut boxes.stores[1], "two", &["qa"]).await;
    boxes.take_over(1).await;
    let new = boxes.claim(1, 5, 5).await[0].attempt();
    assert!(!boxes.renew(0).await, "its lease is over");
    works(&mut boxes.stores[0], "one", &["qa"]).await;
    assert_eq!(boxes.here(0).await, (vec![], vec!["a".to_owned()]));
    assert!(!boxes.end(0, &old).await, "p5: a late result is dropped");
    boxes.stores[0].set_blocked(&old, None, None, at(0)).await.unwrap();
    assert_eq!(boxes.here(1).await, (vec!["a".to_owned()], vec![]));
    boxes.stores[0].put_away(&old, 0).await.unwrap();
    assert_eq!(boxes.here(0).await, (vec![], vec![]));
    assert!(boxes.end(1, &new).await);
    assert_eq!(boxes.notices().await.len(), 1);
}

#[tokio::test]
async fn p5_a_task_whose_engine_was_lost_three_times_has_failed() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.queue(1, "a", &new("qa")).await;
    for attempt in 1..=3 {
        works(&mut boxes.stores[0], "one", &["qa"]).await;
        assert_eq!(boxes.claim(0, 5, 5).await[0].task.attempt, attempt);
        boxes.set_clock(151).await;
        boxes.take_over(1).await;
    }
    let found = boxes.stores[1].find_task("task-a", &At(0)).await.unwrap();
    assert_eq!(found[0].status, TaskStatus::Failed);
    assert_eq!(found[0].error.as_deref(), Some("gave up after 3 attempts"));
    let told = boxes.stores[1].tasks_view(&At(0)).await.unwrap().deliveries;
    assert_eq!(
        told.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(),
        ["gave up after 3 attempts"]
    );
}

#[tokio::test]
async fn p5_the_workspace_says_how_often_and_an_attempt_knows_where_the_one_before_it_was() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.stores[1].limit_attempts(2);
    boxes.queue(1, "a", &new("qa")).await;
    let mut earlier = Vec::new();
    for _ in 0..2 {
        works(&mut boxes.stores[0], "one", &["qa"]).await;
        earlier.push(boxes.claim(0, 5, 5).await.remove(0).earlier_box);
        boxes.set_clock(151).await;
        boxes.take_over(1).await;
    }
    assert_eq!(earlier, [None, Some("one".to_owned())]);
    let found = boxes.stores[1].find_task("task-a", &At(0)).await.unwrap();
    assert_eq!(found[0].error.as_deref(), Some("gave up after 2 attempts"));
}

#[tokio::test]
async fn what_waits_for_a_person_stays_on_its_box() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.queue(1, "a", &new("qa")).await;
    let of = boxes.claim(0, 5, 5).await[0].attempt();
    let asks = Some(crate::domain::teams::task::BlockReason::OpenQuestion);
    boxes.stores[0].set_blocked(&of, asks, None, at(0)).await.unwrap();
    boxes.set_clock(1_000).await;
    boxes.take_over(1).await;
    assert_eq!(boxes.status("a").await, (TaskStatus::Blocked, 1));
    boxes.stores[1].retry_task(&id("a"), at(0)).await.unwrap().unwrap().unwrap();
    works(&mut boxes.stores[1], "two", &["qa"]).await;
    assert_eq!(boxes.claim(1, 5, 5).await[0].task.attempt, 2);
    assert_eq!(boxes.here(0).await, (vec![], vec!["a".to_owned()]), "the old dialog is put away");
}

#[tokio::test]
async fn nothing_is_started_without_a_lease() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.queue(0, "a", &new("qa")).await;
    boxes.set_clock(31).await;
    assert_eq!(boxes.claim(0, 5, 5).await, []);
    let query = NewTask { kind: TaskKind::Query, ..new("qa") };
    let rule = rule();
    boxes.stores[1].ask(&query, &id("q"), (&rule, at(0))).await.unwrap().unwrap();
    let roots = [RootId::new("cc/dd/00000001")];
    assert_eq!(boxes.stores[0].start_queries(&roots, &At(0)).await.unwrap(), []);
    boxes.stores[0].end_unfinished().await.unwrap();
    works(&mut boxes.stores[0], "one", &["qa"]).await;
    assert_eq!(boxes.stores[0].start_queries(&roots, &At(0)).await.unwrap().len(), 1);
    assert_eq!(boxes.claim(0, 5, 5).await.len(), 1);
}

#[tokio::test]
async fn p6_a_query_is_answered_on_another_box_and_the_restart_of_a_third_leaves_it_alone() {
    let Some(mut boxes) = Boxes::start(&["one", "two", "three"], &[]).await else { return };
    works(&mut boxes.stores[1], "two", &["qa"]).await;
    let query = NewTask { kind: TaskKind::Query, ..new("qa") };
    let rule = rule();
    boxes.stores[0].ask(&query, &id("q"), (&rule, at(0))).await.unwrap().unwrap();
    let open = async |store: &mut Store| store.tasks_view(&At(0)).await.unwrap().queries.len();
    assert_eq!([open(&mut boxes.stores[0]).await, open(&mut boxes.stores[1]).await], [0, 1]);
    let roots = [RootId::new("cc/dd/00000001")];
    assert_eq!(boxes.stores[0].start_queries(&roots, &At(0)).await.unwrap(), [], "not there");
    let started = boxes.stores[1].start_queries(&roots, &At(0)).await.unwrap();
    boxes.stores[2].end_old_queries(at(0)).await.unwrap();
    assert!(boxes.end(1, &started[0].attempt()).await);
    let found = boxes.stores[0].find_task("task-q", &At(0)).await.unwrap();
    assert_eq!(found[0].result.as_deref(), Some("done"));
}

#[tokio::test]
async fn p6_a_query_whose_box_is_gone_is_not_given_to_another_and_ends_by_its_limit() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    let query = NewTask { kind: TaskKind::Query, ..new("qa") };
    let rule = rule();
    boxes.stores[0].ask(&query, &id("q"), (&rule, at(0))).await.unwrap().unwrap();
    let roots = [RootId::new("cc/dd/00000001")];
    boxes.stores[1].start_queries(&roots, &At(0)).await.unwrap();
    boxes.set_clock(151).await;
    works(&mut boxes.stores[0], "one", &["qa"]).await;
    boxes.take_over(0).await;
    assert_eq!(boxes.status("q").await.0, TaskStatus::Running);
    let ended = boxes.stores[0].give_up(&id("q"), &At(0)).await.unwrap().unwrap();
    assert_eq!(ended.status, TaskStatus::Cancelled);
}

#[tokio::test]
async fn p8_an_engine_with_another_file_of_a_team_works_for_the_others_until_the_first_is_gone() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &[]).await else { return };
    let same = |team: &str, hash: &str| (TeamName::new(team), hash.to_owned());
    boxes.stores[0].host(vec![same("qa", "x"), same("ops", "y")]).await.unwrap();
    boxes.stores[1].host(vec![same("qa", "other"), same("ops", "y")]).await.unwrap();
    let sharing = boxes.stores[1].sharing(&At(0)).await.unwrap().unwrap();
    assert_eq!(sharing.hosted, BTreeSet::from([TeamName::new("ops")]));
    assert_eq!(sharing.differing, [TeamName::new("qa")]);
    boxes.queue(1, "a", &new("qa")).await;
    assert_eq!(boxes.claim(1, 5, 5).await, []);
    boxes.set_clock(31).await;
    let two = Registration { id: "two".to_owned(), workspace: "/two".to_owned() };
    boxes.stores[1].register(&two).await.unwrap();
    let sharing = boxes.stores[1].sharing(&At(0)).await.unwrap().unwrap();
    assert_eq!(sharing.differing, [], "the other one is gone");
    assert_eq!(boxes.claim(1, 5, 5).await.len(), 1);
}

#[tokio::test]
async fn the_teams_of_an_engine_are_written_again_after_a_cut() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    let ops = || vec![(TeamName::new("ops"), "same".to_owned())];
    cut(&mut boxes, 0).await;
    boxes.stores[0].host(ops()).await.unwrap_err();
    assert!(boxes.stores[0].wants_more());
    boxes.stores[0].reconnect().await.unwrap();
    boxes.stores[0].host(ops()).await.unwrap();
    let sharing = boxes.stores[0].sharing(&At(0)).await.unwrap().unwrap();
    assert_eq!(sharing.hosted, BTreeSet::from([TeamName::new("ops")]));
    assert!(!boxes.stores[0].wants_more());
}

#[tokio::test]
async fn a_copy_of_a_workspace_does_not_work_beside_it() {
    let Some(mut boxes) = Boxes::start(&["one"], &["qa"]).await else { return };
    let mut copy =
        Store::of_server(&server(&boxes.org, "two").unwrap(), "one", at(0)).await.unwrap();
    let elsewhere = Registration { id: "copy".to_owned(), workspace: "/copy".to_owned() };
    let refused = copy.register(&elsewhere).await;
    assert!(
        matches!(&refused, Err(StoreFault::SeatInUse(at)) if at == "one (/one)"),
        "{refused:?}"
    );
    boxes.set_clock(31).await;
    copy.register(&elsewhere).await.unwrap();
    assert!(!boxes.renew(0).await);
}

#[tokio::test]
async fn a_call_that_is_made_again_after_a_cut_is_done_once() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    boxes.queue(0, "a", &new("qa")).await;
    boxes.queue(0, "a", &new("qa")).await;
    let of = boxes.claim(0, 5, 5).await[0].attempt();
    cut(&mut boxes, 0).await;
    assert!(boxes.end(0, &of).await, "p4: it connects anew and writes the end");
    cut(&mut boxes, 0).await;
    boxes.queue(0, "b", &new("qa")).await;
    assert_eq!(boxes.status("a").await, (TaskStatus::Done, 1));
    let told = boxes.stores[0].tasks_view(&At(0)).await.unwrap().deliveries;
    assert_eq!(told.len(), 1);
}

/// Makes the server cut the connection of one of the boxes.
pub(super) async fn cut(boxes: &mut Boxes, of: usize) {
    let pid = sql("SELECT CAST(pg_backend_pid() AS BIGINT) WHERE $1 <> ''");
    let pid: i64 = pid.fetch_one(&mut boxes.stores[of].db).await.unwrap().try_get(0).unwrap();
    let end = sql("SELECT 1 WHERE $1 <> '' AND pg_terminate_backend(CAST($2 AS INTEGER), 5000)");
    let other = (of + 1) % boxes.stores.len();
    let ended = end.bind(pid).fetch_optional(&mut boxes.stores[other].db).await.unwrap();
    assert!(ended.is_some());
}

#[tokio::test]
async fn p7_what_makes_a_trigger_fire_on_three_engines_counts_once_and_so_do_its_failures() {
    let names = ["one", "two", "three"];
    let Some(mut boxes) = Boxes::start(&names, &["qa"]).await else { return };
    let daily = trigger_id("qa", "daily");
    assert!(boxes.stores[0].enable_trigger(&daily, &in_force(3), at(0)).await.unwrap());
    for moment in 0..20 {
        let firing = firing(&moment.to_string(), TriggerOverlap::Allow);
        let mut fired = 0;
        for by in 0..3 {
            let task = id(&format!("t{moment}-{by}"));
            let done = boxes.stores[by].fire(&firing, &task, at(0)).await.unwrap();
            boxes.stores[by].end_unfinished().await.unwrap();
            fired += u32::from(done.is_ok());
        }
        assert_eq!(fired, 1, "{moment}");
        // Ten in a minute are enough for a member.
        boxes.set_clock(7).await;
        for store in &mut boxes.stores {
            assert!(store.renew().await.unwrap());
        }
    }
    for by in 0..3 {
        let of = boxes.claim(by, 20, 1).await[0].attempt();
        let failed = TaskEnd::Failed { error: "broken".to_owned() };
        boxes.stores[by].end_task(&of, Ending::from(failed), at(0)).await.unwrap();
    }
    let known = boxes.stores[0].triggers().await.unwrap();
    assert_eq!((known[0].state, known[0].failures), (TriggerState::Disabled, 3));
}

#[tokio::test]
async fn messages_are_looked_at_by_the_triggers_of_each_box() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    assert!(boxes.stores[0].send(("m1", "cli", "hello"), at(0)).await.unwrap());
    for store in &mut boxes.stores {
        let messages = store.messages().await.unwrap();
        assert_eq!(messages.len(), 1);
        store.message_seen(messages[0].number).await.unwrap();
        assert_eq!(store.messages().await.unwrap(), []);
    }
    let mut third = boxes.open("three").await.unwrap();
    works(&mut third, "three", &["qa"]).await;
    assert_eq!(third.messages().await.unwrap(), [], "it was sent before");
}

#[tokio::test]
async fn a_change_of_the_teams_is_settled_where_it_was_begun() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    let saga = Saga {
        id: "s1".to_owned(),
        kind: SagaKind::Member,
        team: TeamName::new("qa"),
        by: None,
        plan: serde_json::Value::Null,
    };
    boxes.stores[0].begin_change(&saga, at(0)).await.unwrap().unwrap();
    assert_eq!(boxes.stores[0].open_sagas().await.unwrap(), std::slice::from_ref(&saga));
    assert_eq!(boxes.stores[1].open_sagas().await.unwrap(), []);
    let view = boxes.stores[1].tasks_view(&At(0)).await.unwrap();
    assert_eq!(view.changes.len(), 1, "all know of it");
    assert!(boxes.stores[1].begin_change(&saga, at(0)).await.unwrap().is_err());
}

#[tokio::test]
async fn times_are_those_of_the_server() {
    let Some(mut boxes) = Boxes::start(&["one"], &["qa"]).await else { return };
    boxes.queue(0, "a", &new("qa")).await;
    let made = sql("SELECT created_at FROM tasks WHERE org = $1");
    let made: i64 = made.fetch_one(&mut boxes.stores[0].db).await.unwrap().try_get(0).unwrap();
    assert_eq!(made, START);
}

#[tokio::test]
async fn what_a_box_has_changed_itself_is_no_change_of_another() {
    let Some(mut boxes) = Boxes::start(&["one", "two"], &["qa"]).await else { return };
    let before = boxes.stores[0].version().await.unwrap();
    boxes.queue(0, "a", &new("qa")).await;
    let refused = NewTask { max_queue: 1, ..new("qa") };
    let outcome = boxes.stores[0].enqueue(&refused, &id("b"), at(0)).await.unwrap();
    assert!(matches!(outcome, Enqueued::Refused(_)));
    boxes.stores[0].end_unfinished().await.unwrap();
    assert_eq!(boxes.stores[0].version().await.unwrap(), before);
    boxes.queue(1, "c", &new("qa")).await;
    assert_ne!(boxes.stores[0].version().await.unwrap(), before);
}
