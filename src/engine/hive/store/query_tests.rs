//! Queries of other teams in the store: they run at once or are refused, and nobody waits for them later.

use super::task_tests::{At, Bench, DAY, at, id, new, slots_of};
use super::*;
use crate::domain::RootId;
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::task::query::QueryRule;
use crate::domain::teams::task::{AttemptId, NewTask, Overlap, TaskFilter, TaskKind, TaskRefusal};
use crate::hive::test_support::Database;

fn query(team: &str) -> NewTask {
    NewTask { kind: TaskKind::Query, origin: None, ..new(team) }
}

impl Bench {
    async fn ask(&mut self, name: &str, max_running: u32, seconds: u64) -> Result<(), TaskRefusal> {
        let limits = TeamLimits { max_running, max_tasks_per_day: 4, ..TeamLimits::default() };
        let day = at(seconds / DAY * DAY);
        let rule = QueryRule { within: Duration::from_secs(30), limits, day };
        let asked = self.store.ask(&query("qa"), &id(name), (&rule, at(seconds))).await.unwrap();
        asked.map(drop)
    }

    async fn start_queries(&mut self, seconds: u64) -> Vec<String> {
        let roots = [RootId::new("ee/ff/01"), RootId::new("ee/ff/02")];
        let started = self.store.start_queries(&roots, &At(seconds)).await.unwrap();
        started.into_iter().map(|active| active.task.id.to_string()).collect()
    }

    async fn open(&mut self) -> usize {
        self.store.open_queries().await.unwrap().len()
    }
}

#[tokio::test]
async fn s19_1_a_query_has_a_slot_or_is_refused_and_no_list_shows_it() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.queue("t1", &new("qa")).await;
        assert_eq!(bench.claim(&[slots_of("qa", 2)], 2).await, ["t1"]);
        assert_eq!(bench.ask("q1", 2, 2).await, Ok(()));
        assert_eq!(bench.ask("q2", 2, 2).await, Err(TaskRefusal::Saturated));
        bench.queue("t2", &new("qa")).await;
        assert_eq!(bench.claim(&[slots_of("qa", 2)], 3).await, [""; 0], "the query has the slot");
        assert_eq!(bench.start_queries(3).await, ["task-q1"]);
        assert_eq!(bench.start_queries(3).await, [""; 0], "once");
        let view = bench.store.tasks_view(&At(3)).await.unwrap();
        assert_eq!((view.active.len(), view.queries.len(), view.listed.len()), (2, 1, 2));
        let all = TaskFilter { limit: 9, ..TaskFilter::default() };
        assert_eq!(bench.store.tasks(&all, &At(3)).await.unwrap().len(), 2);
        let busy = NewTask { overlap: Overlap::Replace, ..new("qa") };
        bench.add("t3", &busy, 3).await;
        assert_eq!(bench.open().await, 1, "nobody replaces a query");
        let ended = bench.store.give_up(&id("q1"), &At(4)).await.unwrap().unwrap();
        assert_eq!(ended.status, TaskStatus::Cancelled);
        assert_eq!(bench.store.retry_task(&id("q1"), at(5)).await.unwrap(), None);
        assert_eq!(bench.ask("q3", 9, 5).await, Ok(()));
        assert_eq!(bench.start_queries(5).await, ["task-q3"]);
        bench.store.end_old_queries(at(6)).await.unwrap();
        assert_eq!(bench.open().await, 0, "nobody waits after a restart");
    }
}

#[tokio::test]
async fn a_query_for_which_nobody_can_wait_any_more_ends_and_is_deleted_two_days_later() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        assert_eq!(bench.ask("q1", 5, 0).await, Ok(()));
        bench.start_queries(1).await;
        bench.start_queries(35).await;
        assert_eq!(bench.open().await, 1, "whoever asked may still look");
        bench.start_queries(41).await;
        assert_eq!(bench.open().await, 0);
        let of = AttemptId { task: id("q1"), attempt: 1 };
        bench.store.put_away(&of, 0).await.unwrap();
        for (name, seconds, is_there) in [("q2", DAY, true), ("q3", 2 * DAY + 42, false)] {
            assert_eq!(bench.ask(name, 5, seconds).await, Ok(()));
            let found = bench.store.find_task("task-q1", &At(seconds)).await.unwrap();
            assert_eq!(found.len(), usize::from(is_there), "{name}");
        }
    }
}

#[tokio::test]
async fn queries_count_for_what_a_team_may_start_in_a_day() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for name in ["q1", "q2", "q3", "q4"] {
            assert_eq!(bench.ask(name, 9, 1).await, Ok(()));
            bench.start_queries(1).await;
        }
        assert_eq!(bench.ask("q5", 9, 2).await, Err(TaskRefusal::UsedUp));
        assert_eq!(bench.ask("q5", 9, DAY + 2).await, Ok(()));
    }
}
