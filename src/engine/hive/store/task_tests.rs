//! What becomes of tasks in the store, statement by statement.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::super::folder::Folder;
use super::db::sql;
use super::*;
use crate::domain::teams::notices::{NewNotice, NewsKind, NewsLevel};
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::task::row::MAX_OPEN_ROWS;
use crate::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, Cause, Enqueued, HandoffRule, MAX_DEPTH, MAX_ESCALATIONS,
    NewTask, Overlap, Priority, RetryRefusal, TaskEnd, TaskFilter, TaskKind, TaskRefusal,
    TaskStatus, TeamWork,
};
use crate::domain::{AgentId, Clock, DialogId, RootId, Stamp, TaskId, TeamName};
use crate::hive::test_support::{Database, server, works};
use crate::hive::views::{Ending, TasksView, TeamSlots};

/// Seconds since the start.
#[derive(Debug)]
pub(super) struct At(pub(super) u64);

impl Clock for At {
    fn now(&self) -> Stamp {
        Stamp::default()
    }

    fn moment(&self) -> SystemTime {
        at(self.0)
    }
}

pub(super) const DAY: u64 = 24 * 3_600;

pub(super) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_764_000_000 + seconds)
}

pub(super) fn new(team: &str) -> NewTask {
    NewTask {
        team: TeamName::new(team),
        kind: TaskKind::Delegate,
        priority: Priority::Normal,
        text: "x".to_owned(),
        member: None,
        max_steps: 100,
        correlation: None,
        cause: None,
        from: Some(TeamName::main()),
        origin: Some(DialogId::main(RootId::new("aa/bb/01"))),
        wake: false,
        overlap: Overlap::Allow,
        max_queue: 1_000,
        once: None,
        trigger: None,
    }
}

pub(super) fn id(name: &str) -> TaskId {
    TaskId::new(format!("task-{name}"))
}

pub(super) fn slots(team: &str, limits: TeamLimits) -> TeamSlots {
    let (lead, team) = (AgentId::new("quinn"), TeamName::new(team));
    let used_up =
        NewNotice::of_team((lead, team.clone()), "limit today", "[qa] used up".to_owned());
    TeamSlots { team, limits, used_up }
}

pub(super) fn slots_of(team: &str, max_running: u32) -> TeamSlots {
    slots(team, TeamLimits { max_running, ..TeamLimits::default() })
}

pub(super) struct Bench {
    dir: tempfile::TempDir,
    pub(super) store: Store,
    roots: u32,
}

impl Bench {
    pub(super) async fn on(database: Database) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = match database {
            Database::File => {
                let folder = Folder::of(dir.path());
                let seat = folder.prepare("ab12").unwrap();
                folder.make_database().unwrap();
                Store::open(&folder.database(), &seat, at(0)).await.unwrap()
            }
            Database::Server => {
                let server = server(dir.path().to_str().unwrap(), "box").unwrap();
                let mut store = Store::of_server(&server, "ab12", at(0)).await.unwrap();
                store.db.goes_by_caller();
                works(&mut store, "ab12", &["blocked", "ended", "main", "ops", "qa", "runs"]).await;
                store
            }
        };
        Self { dir, store, roots: 0 }
    }

    /// The file of the database.
    pub(super) fn database(&self) -> PathBuf {
        Folder::of(self.dir.path()).database()
    }

    /// The same store, opened by another program.
    pub(super) async fn beside(&self, database: Database) -> Store {
        match database {
            Database::File => Store::open(&self.database(), "ab12", at(0)).await.unwrap(),
            Database::Server => {
                let server = server(self.dir.path().to_str().unwrap(), "other").unwrap();
                Store::of_server(&server, "cd34", at(0)).await.unwrap()
            }
        }
    }

    pub(super) async fn add(&mut self, name: &str, task: &NewTask, seconds: u64) -> Enqueued {
        self.store.enqueue(task, &id(name), at(seconds)).await.unwrap()
    }

    pub(super) async fn queue(&mut self, name: &str, task: &NewTask) {
        assert_eq!(self.add(name, task, 1).await, Enqueued::Queued(id(name)));
    }

    /// Starts as many tasks as fit, at most `room`; returns them.
    pub(super) async fn claim_up_to(
        &mut self,
        teams: &[TeamSlots],
        room: u32,
        seconds: u64,
    ) -> Vec<ActiveTask> {
        let first = self.roots;
        self.roots += room;
        let roots = (first..self.roots).map(|n| RootId::new(format!("cc/dd/{n:08x}"))).collect();
        let day = at(seconds / DAY * DAY);
        self.store.claim(teams, roots, (day, &At(seconds))).await.unwrap()
    }

    pub(super) async fn claim(&mut self, teams: &[TeamSlots], seconds: u64) -> Vec<String> {
        names(&self.claim_up_to(teams, 10, seconds).await)
    }

    pub(super) async fn end(
        &mut self,
        name: &str,
        attempt: u32,
        end: &TaskEnd,
        seconds: u64,
    ) -> bool {
        let of = AttemptId { task: id(name), attempt };
        let ending = Ending { tokens: 7, ..end.clone().into() };
        self.store.end_task(&of, ending, at(seconds)).await.unwrap()
    }

    pub(super) async fn view(&mut self) -> TasksView {
        self.store.tasks_view(&At(0)).await.unwrap()
    }

    pub(super) async fn status(&mut self, name: &str) -> TaskStatus {
        let found = self.store.find_task(id(name).as_str(), &At(0)).await.unwrap();
        found.into_iter().next().unwrap().status
    }
}

fn names(tasks: &[ActiveTask]) -> Vec<String> {
    tasks.iter().map(|one| one.task.id.as_str().trim_start_matches("task-").to_owned()).collect()
}

pub(super) fn done() -> TaskEnd {
    TaskEnd::Done { result: "done".to_owned() }
}

#[tokio::test]
async fn s2_1_what_goes_first_is_started_first_and_never_more_than_there_are_slots() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for (name, priority) in [
            ("a", Priority::Low),
            ("b", Priority::Normal),
            ("c", Priority::Critical),
            ("d", Priority::Normal),
            ("e", Priority::High),
        ] {
            bench.queue(name, &NewTask { priority, ..new("qa") }).await;
        }
        bench.queue("other", &new("ops")).await;
        let teams = [slots_of("qa", 2)];
        let mut started = Vec::new();
        for _ in 0..3 {
            let claimed = bench.claim(&teams, 10).await;
            assert_eq!(bench.claim(&teams, 10).await, [""; 0], "no slot is left");
            for name in &claimed {
                assert!(bench.end(name, 1, &done(), 20).await);
            }
            started.extend(claimed);
        }
        assert_eq!(started, ["c", "e", "b", "d", "a"]);
        assert_eq!(bench.status("other").await, TaskStatus::Pending, "its team is not worked for");
    }
}

#[tokio::test]
async fn s2_1_of_several_teams_the_most_urgent_task_gets_the_last_slot_of_the_engine() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("a", &new("qa")).await;
        bench.queue("b", &NewTask { priority: Priority::High, ..new("ops") }).await;
        let teams = [slots_of("qa", 5), slots_of("ops", 5)];
        assert_eq!(names(&bench.claim_up_to(&teams, 1, 10).await), ["b"]);
        assert_eq!(names(&bench.claim_up_to(&teams, 1, 10).await), ["a"]);
    }
}

#[tokio::test]
async fn s19_3_a_blocked_task_frees_its_slot_and_goes_on_beyond_the_cap() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("a", &new("qa")).await;
        bench.queue("b", &new("qa")).await;
        let teams = [slots_of("qa", 1)];
        assert_eq!(bench.claim(&teams, 10).await, ["a"]);
        let a = AttemptId { task: id("a"), attempt: 1 };
        let asks = Some(BlockReason::OpenQuestion);
        bench.store.set_blocked(&a, asks, None, at(11)).await.unwrap();
        assert_eq!(bench.claim(&teams, 12).await, ["b"]);
        bench.store.set_blocked(&a, None, None, at(13)).await.unwrap();
        let running =
            bench.view().await.active.iter().filter(|one| one.task.block_reason.is_none()).count();
        assert_eq!(running, 2);
        let old = AttemptId { task: id("a"), attempt: 9 };
        bench.store.set_blocked(&old, asks, None, at(14)).await.unwrap();
        assert_eq!(bench.status("a").await, TaskStatus::Running, "only the newest attempt counts");
    }
}

#[tokio::test]
async fn s2_6_a_team_that_has_used_up_its_day_is_served_again_on_the_next() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for name in ["a", "b", "c", "d"] {
            bench.queue(name, &new("qa")).await;
        }
        let limits = TeamLimits { max_tasks_per_day: 2, ..TeamLimits::default() };
        let teams = [slots("qa", limits)];
        assert_eq!(bench.claim(&teams, 10).await, ["a", "b"]);
        assert!(bench.view().await.used_up.is_empty());
        for _ in 0..3 {
            assert_eq!(bench.claim(&teams, DAY - 1).await, [""; 0]);
        }
        assert_eq!(*bench.view().await.used_up, [TeamName::new("qa")]);
        let told = bench.store.news(Listed::Open, &At(0)).await.unwrap();
        let told: Vec<_> = told.iter().map(|item| (item.kind, item.count, &item.work)).collect();
        let work = Some(TeamWork { team: TeamName::new("qa"), task: None });
        assert_eq!(told, [(NewsKind::Failure, 1, &work)], "once");
        assert!(bench.end("a", 1, &done(), DAY - 1).await);
        let limits = TeamLimits { max_tokens_per_day: 7, ..TeamLimits::default() };
        assert_eq!(
            bench.claim(&[slots("qa", limits)], DAY - 1).await,
            [""; 0],
            "7 tokens are used"
        );
        assert_eq!(bench.claim(&teams, DAY).await, ["c", "d"]);
        assert!(bench.view().await.used_up.is_empty(), "it is another day");
    }
}

#[tokio::test]
async fn s2_6_what_a_cancelled_attempt_used_counts_for_the_day_once() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("a", &new("qa")).await;
        bench.queue("b", &new("qa")).await;
        let limits = TeamLimits { max_tokens_per_day: 5, max_running: 1, ..TeamLimits::default() };
        assert_eq!(bench.claim(&[slots("qa", limits)], 10).await, ["a"]);
        bench.store.cancel_task(&id("a"), "no more", at(11)).await.unwrap();
        let ended = bench.view().await.ended[0].clone();
        assert!(!ended.is_counted);
        for tokens in [5, 7] {
            bench.store.put_away(&ended.of, tokens).await.unwrap();
        }
        let task = bench.store.find_task("task-a", &At(0)).await.unwrap().remove(0);
        assert_eq!(task.tokens, 5);
        assert_eq!(bench.claim(&[slots("qa", limits)], 12).await, [""; 0], "5 tokens are used");
        assert_eq!(bench.claim(&[slots("qa", limits)], DAY).await, ["b"]);
        bench.end("b", 1, &done(), DAY).await;
        assert!(bench.view().await.ended[0].is_counted, "with its end");
    }
}

#[tokio::test]
async fn an_end_counts_once_and_only_for_the_newest_attempt() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("a", &new("qa")).await;
        bench.claim(&[slots_of("qa", 1)], 10).await;
        let failed = TaskEnd::Failed { error: "no".to_owned() };
        assert!(!bench.end("a", 2, &done(), 11).await, "there is no such attempt");
        assert!(bench.end("a", 1, &failed, 12).await);
        assert!(!bench.end("a", 1, &done(), 13).await);
        let task = bench.store.find_task("task-a", &At(0)).await.unwrap().remove(0);
        assert_eq!(
            (task.status, task.error.as_deref(), task.tokens),
            (TaskStatus::Failed, Some("no"), 7)
        );
        assert_eq!(task.duration_ms, Some(2_000));
        let view = bench.view().await;
        assert_eq!((view.active.len(), view.ended.len(), view.deliveries.len()), (0, 1, 1));
        assert_eq!(view.listed[0].error.as_deref(), Some("no"), "lists say why");
        let of = view.ended[0].of.clone();
        bench.store.put_away(&of, 0).await.unwrap();
        bench.store.delivered(&of).await.unwrap();
        let view = bench.view().await;
        assert_eq!((view.ended.len(), view.deliveries.len()), (0, 0));
    }
}

#[tokio::test]
async fn what_is_started_again_is_a_new_attempt_and_the_old_one_is_put_away() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("a", &new("qa")).await;
        let retry =
            async |bench: &mut Bench| bench.store.retry_task(&id("a"), at(20)).await.unwrap();
        assert_eq!(retry(&mut bench).await, Some(Err(RetryRefusal::Open(TaskStatus::Pending))));
        bench.claim(&[slots_of("qa", 1)], 10).await;
        assert_eq!(retry(&mut bench).await, Some(Err(RetryRefusal::Open(TaskStatus::Running))));
        let first = AttemptId { task: id("a"), attempt: 1 };
        bench.store.set_blocked(&first, Some(BlockReason::Restart), None, at(11)).await.unwrap();
        assert_eq!(retry(&mut bench).await, Some(Ok(())));
        assert_eq!(bench.view().await.ended.len(), 1);
        let gone = TaskEnd::Cancelled { error: "its dialog is gone".to_owned() };
        for late in [&done(), &gone] {
            assert!(!bench.end("a", 1, late, 21).await, "{late:?} is late");
        }
        let again = bench.claim_up_to(&[slots_of("qa", 1)], 1, 30).await;
        assert_eq!((again[0].task.attempt, again[0].begun), (2, false));
        assert!(bench.end("a", 2, &done(), 31).await);
        assert_eq!(retry(&mut bench).await, Some(Err(RetryRefusal::Done)));
        assert_eq!(bench.store.retry_task(&id("none"), at(20)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_task_is_cancelled_in_any_state_but_an_end() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for name in ["waits", "runs", "blocked", "ended"] {
            bench.queue(name, &new(name)).await;
            if name != "waits" {
                bench.claim(&[slots_of(name, 1)], 10).await;
            }
        }
        let blocked = AttemptId { task: id("blocked"), attempt: 1 };
        bench.store.set_blocked(&blocked, Some(BlockReason::Stopped), None, at(11)).await.unwrap();
        bench.end("ended", 1, &done(), 12).await;
        for (name, was, is) in [
            ("waits", TaskStatus::Pending, TaskStatus::Cancelled),
            ("runs", TaskStatus::Running, TaskStatus::Cancelled),
            ("blocked", TaskStatus::Blocked, TaskStatus::Cancelled),
            ("ended", TaskStatus::Done, TaskStatus::Done),
        ] {
            let found = bench.store.cancel_task(&id(name), "not needed", at(20)).await.unwrap();
            assert_eq!(found, Some(was), "{name}");
            assert_eq!(bench.status(name).await, is, "{name}");
        }
        assert_eq!(bench.store.cancel_task(&id("none"), "x", at(20)).await.unwrap(), None);
        let view = bench.view().await;
        assert_eq!(view.ended.len(), 3, "the one that waited had no dialog");
        assert_eq!(view.deliveries.len(), 4, "who asked is told of each");
    }
}

#[tokio::test]
async fn s2_4_four_policies_meet_an_idle_team_a_young_task_and_an_old_one() {
    for database in Database::all() {
        for (policy, running, queued, cancels) in [
            (Overlap::Allow, None, true, false),
            (Overlap::Skip, None, true, false),
            (Overlap::Confirm, None, true, false),
            (Overlap::Replace, None, true, false),
            (Overlap::Allow, Some(60), true, false),
            (Overlap::Skip, Some(60), false, false),
            (Overlap::Confirm, Some(60), false, false),
            (Overlap::Replace, Some(60), false, false),
            (Overlap::Allow, Some(660), true, false),
            (Overlap::Skip, Some(660), false, false),
            (Overlap::Confirm, Some(660), false, false),
            (Overlap::Replace, Some(660), true, true),
        ] {
            let mut bench = Bench::on(database).await;
            if running.is_some() {
                bench.queue("old", &new("qa")).await;
                bench.claim(&[slots_of("qa", 1)], 1).await;
            }
            let task = NewTask { overlap: policy, ..new("qa") };
            let outcome = bench.add("new", &task, 1 + running.unwrap_or(0)).await;
            assert_eq!(matches!(outcome, Enqueued::Queued(_)), queued, "{policy:?} {running:?}");
            if let Enqueued::NeedsConfirmation { in_flight, would_cancel_running } = &outcome {
                assert_eq!(in_flight[0].stale, running == Some(660));
                assert_eq!(*would_cancel_running, policy == Overlap::Replace);
            }
            if running.is_some() {
                let is_cancelled = bench.status("old").await == TaskStatus::Cancelled;
                assert_eq!(is_cancelled, cancels, "{policy:?} {running:?}");
            }
        }
    }
}

#[tokio::test]
async fn s19_2_work_is_handed_over_once_a_minute_and_five_times_in_one() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let handed = |correlation: &str| NewTask {
            from: Some(TeamName::new("qa")),
            correlation: Some(correlation.to_owned()),
            once: Some(HandoffRule::default()),
            ..new("main")
        };
        assert_eq!(bench.add("a", &handed("c"), 100).await, Enqueued::Queued(id("a")));
        let refused = bench.add("b", &handed("c"), 159).await;
        assert_eq!(refused, Enqueued::Refused(TaskRefusal::Duplicate));
        assert_eq!(bench.add("c", &handed("c"), 161).await, Enqueued::Queued(id("c")));
        for n in 0..4 {
            let outcome = bench.add(&format!("d{n}"), &handed(&format!("d{n}")), 162).await;
            assert!(matches!(outcome, Enqueued::Queued(_)), "{outcome:?}");
        }
        let refused = bench.add("e", &handed("e"), 170).await;
        assert_eq!(refused, Enqueued::Refused(TaskRefusal::TooOften { retry_after_ms: 51_000 }));
        let other = NewTask { from: Some(TeamName::new("ops")), ..handed("c") };
        assert!(
            matches!(bench.add("f", &other, 170).await, Enqueued::Queued(_)),
            "another team may"
        );
        assert!(matches!(bench.add("e", &handed("e"), 222).await, Enqueued::Queued(_)));
    }
}

#[tokio::test]
async fn s2_6_chains_of_tasks_end() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let cause = |depth| {
            let root_correlation = "task-root".to_owned();
            Some(Cause { task: id("above"), root_correlation, depth })
        };
        let deep = NewTask { cause: cause(MAX_DEPTH - 2), ..new("qa") };
        bench.queue("deep", &deep).await;
        let stored = bench.store.find_task("task-deep", &At(0)).await.unwrap().remove(0);
        assert_eq!((stored.cause, stored.depth), (Some(id("above")), MAX_DEPTH - 1));
        let deeper = NewTask { cause: cause(MAX_DEPTH - 1), ..new("qa") };
        let refused = Enqueued::Refused(TaskRefusal::ChainTooLong);
        assert_eq!(bench.add("deeper", &deeper, 1).await, refused);
        let escalation = NewTask { kind: TaskKind::Escalation, cause: cause(1), ..new("main") };
        for n in 0..MAX_ESCALATIONS {
            bench.queue(&format!("e{n}"), &escalation).await;
        }
        let refused = Enqueued::Refused(TaskRefusal::TooManyEscalations);
        assert_eq!(bench.add("e", &escalation, 1).await, refused);
        let full = NewTask { max_queue: 1, ..new("qa") };
        let refused = Enqueued::Refused(TaskRefusal::QueueFull { most: 1 });
        assert_eq!(bench.add("full", &full, 1).await, refused);
        bench.queue("unbounded", &NewTask { max_queue: 0, ..new("qa") }).await;
    }
}

#[tokio::test]
async fn tasks_are_found_by_team_status_type_and_the_start_of_their_id() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("aa1", &new("qa")).await;
        bench.queue("aa2", &NewTask { kind: TaskKind::Escalation, ..new("qa") }).await;
        bench.queue("bb", &new("ops")).await;
        bench.claim(&[slots_of("ops", 1)], 10).await;
        let mut found = async |filter: TaskFilter| {
            let tasks = bench.store.tasks(&filter, &At(0)).await.unwrap();
            tasks.iter().map(|task| task.id.to_string()).collect::<Vec<_>>().join(" ")
        };
        let all = || TaskFilter { limit: 10, ..TaskFilter::default() };
        assert_eq!(found(all()).await, "task-bb task-aa2 task-aa1");
        assert_eq!(found(TaskFilter { limit: 1, ..all() }).await, "task-bb");
        let qa = Some(TeamName::new("qa"));
        assert_eq!(found(TaskFilter { team: qa, ..all() }).await, "task-aa2 task-aa1");
        let statuses = vec![TaskStatus::Running, TaskStatus::Done];
        assert_eq!(found(TaskFilter { statuses, ..all() }).await, "task-bb");
        let kind = Some(TaskKind::Escalation);
        assert_eq!(found(TaskFilter { kind, ..all() }).await, "task-aa2");
        let since = Some(at(2));
        assert_eq!(found(TaskFilter { since, ..all() }).await, "");
        assert_eq!(bench.store.find_task("task-aa", &At(0)).await.unwrap().len(), 2);
        assert_eq!(bench.store.find_task("task-b", &At(0)).await.unwrap().len(), 1);
        assert_eq!(bench.store.find_task("task-%", &At(0)).await.unwrap().len(), 0);
    }
}

#[tokio::test]
async fn with_too_many_notices_a_task_ends_all_the_same() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for n in 0..crate::domain::teams::notices::MAX_OPEN {
            let from =
                (AgentId::new("ops"), DialogId::main(RootId::new("aa/bb/01")), format!("c{n}"));
            let notice =
                NewNotice::of(from, NewsLevel::Info, (None, &format!("text {n}"))).unwrap();
            bench.store.add_notice(&notice, at(1)).await.unwrap();
        }
        bench.queue("a", &new("qa")).await;
        bench.claim(&[slots_of("qa", 1)], 10).await;
        let from = (AgentId::new("qa"), DialogId::main(RootId::new("cc/dd/01")), "end".to_owned());
        let notice = NewNotice::of(from, NewsLevel::Info, (None, "[qa] done")).unwrap();
        let of = AttemptId { task: id("a"), attempt: 1 };
        let news = Some((NewsKind::Notice, notice));
        let ending = Ending { news, ..done().into() };
        assert!(bench.store.end_task(&of, ending, at(11)).await.unwrap());
        assert_eq!(bench.status("a").await, TaskStatus::Done);
    }
}

#[tokio::test]
async fn what_is_listed_is_read_in_the_order_of_an_index_and_bounded() {
    let mut bench = Bench::on(Database::File).await;
    for name in 0..210 {
        bench.queue(&format!("{name:03}"), &new("qa")).await;
    }
    let first = bench.claim(&[slots_of("qa", 2)], 10).await;
    assert_eq!(first, ["000", "001"]);
    assert!(bench.end("000", 1, &done(), 20).await);
    let listed = bench.view().await.listed;
    let (open, ended): (Vec<_>, Vec<_>) = listed.iter().partition(|row| row.status.is_open());
    assert_eq!((open.len(), ended.len()), (MAX_OPEN_ROWS, 1));
    let ids: Vec<&str> = open.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids[..3], ["task-001", "task-002", "task-003"], "what runs, then the queue");
    for which in [
        "status = 'pending' ORDER BY priority, ord LIMIT 10",
        "ended_at IS NOT NULL ORDER BY ended_at DESC, ord DESC LIMIT 10",
    ] {
        let plan =
            format!("EXPLAIN QUERY PLAN SELECT id, text FROM tasks WHERE org = $1 AND {which}");
        let plan = sql(plan);
        let steps = plan.fetch_all(&mut bench.store.db).await.unwrap();
        let steps: Vec<String> = steps.iter().map(|step| step.try_get(3).unwrap()).collect();
        assert!(steps.iter().all(|step| !step.contains("TEMP B-TREE")), "{which}: {steps:?}");
    }
}

#[tokio::test]
async fn s18_1_a_task_waits_since_it_was_queued_last_and_runs_since_its_start() {
    for database in Database::all() {
        const HOUR: u64 = 3_600;
        let mut bench = Bench::on(database).await;
        bench.add("old", &new("qa"), 0).await;
        bench.add("again", &new("qa"), 1).await;
        bench.add("new", &new("qa"), 9 * HOUR).await;
        assert_eq!(bench.claim(&[slots_of("qa", 2)], HOUR).await, ["old", "again"]);
        let failed = TaskEnd::Failed { error: "no".to_owned() };
        assert!(bench.end("again", 1, &failed, 8 * HOUR).await);
        bench.store.retry_task(&id("again"), at(8 * HOUR)).await.unwrap();
        let listed = bench.view().await.listed;
        let again = listed.iter().find(|row| row.id == id("again")).map(|row| row.since.clone());
        assert_eq!(again, Some(At(0).stamp(at(8 * HOUR))), "lists say so, too");
        let hours =
            |found: Vec<(crate::domain::teams::task::Task, Duration)>| -> Vec<(String, u64)> {
                let hours = |(task, age): (crate::domain::teams::task::Task, Duration)| {
                    (task.id.as_str().trim_start_matches("task-").to_owned(), age.as_secs() / HOUR)
                };
                found.into_iter().map(hours).collect()
            };
        let clock = At(10 * HOUR);
        let found = bench.store.long_open(at(9 * HOUR), &clock).await.unwrap();
        assert_eq!(hours(found), [("old".to_owned(), 9), ("again".to_owned(), 2)]);
        let found = bench.store.long_open(at(2 * HOUR), &clock).await.unwrap();
        assert_eq!(hours(found), [("old".to_owned(), 9)]);
    }
}

#[tokio::test]
async fn what_is_read_after_a_task_was_queued_or_started_is_what_all_of_the_store_gives() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let mut random = fastrand::Rng::with_seed(7);
        let day_is_over = TeamLimits { max_tasks_per_day: 1, ..TeamLimits::default() };
        let teams = [slots_of("qa", 50), slots("ops", day_is_over)];
        let mut started = 0;
        let mut view = bench.view().await;
        for n in 0..MAX_OPEN_ROWS + 60 {
            let priority = Priority::ALL[random.usize(..4)];
            let team = ["qa", "ops", "main"][random.usize(..3)];
            let task = NewTask { priority, ..new(team) };
            bench.queue(&format!("t{n}"), &task).await;
            let queued = Changes::Queued(task.team, priority);
            view = bench.store.tasks_view_after(&queued, &view, &At(0)).await.unwrap();
            assert_eq!(view, bench.view().await, "after {n} tasks");
            if n % 20 == 0 {
                started += bench.claim_up_to(&teams, 2, 2).await.len();
                let changes = Changes::Started;
                view = bench.store.tasks_view_after(&changes, &view, &At(0)).await.unwrap();
                assert_eq!(view, bench.view().await, "{started} of {n} tasks run");
            }
        }
        assert!(started > 10);
        assert_eq!(view.listed.len(), MAX_OPEN_ROWS);
    }
}
