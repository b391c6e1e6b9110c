//! Tasks that wait for too long, as they are told of at each scan.

use std::time::{Duration, Instant};

use dominds_tui::domain::teams::notices::NewsKind;
use dominds_tui::domain::teams::task::{Enqueued, Priority, TaskKind, TaskStatus};
use dominds_tui::domain::{Clock, TaskId, TeamName};
use dominds_tui::llm::Sequence;

use super::tasks::{says, task, world};
use crate::common::World;
use crate::common::calls::FixedClock;
use crate::common::wait::LIMIT;

/// Lets the time between two scans for stalls pass.
pub(super) async fn until_the_next_scan() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(10)).await;
    tokio::time::resume();
}

/// A day on which a team may start one task, and has: what follows waits.
const ONE_A_DAY: &str = "limits: { max_tasks_per_day: 1 }\n";

impl World {
    async fn waits_since(&self, team: &str, ago: Duration) -> TaskId {
        let mut store = self.hive_store().await;
        let id = self.hive().new_task_id();
        let then = FixedClock.moment().checked_sub(ago).expect("a time");
        let queued = store.enqueue(&task(team, "waits"), &id, then).await.expect("a store");
        store.close().await;
        assert_eq!(queued, Enqueued::Queued(id.clone()));
        id
    }

    /// Waits until these items are open, besides those about used-up days and results.
    pub(super) async fn until_stalls(&self, expected: &[(NewsKind, &str)]) {
        let late = Instant::now() + LIMIT;
        loop {
            let mut open = self.news().await;
            open.retain(|(_, title)| title.contains("too long") || title.contains("cannot run"));
            if open.iter().map(|(kind, title)| (*kind, title.as_str())).eq(expected.iter().copied())
            {
                return;
            }
            assert!(Instant::now() < late, "{open:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn s18_1_a_task_that_waits_too_long_is_told_of_once_until_it_waits_no_more() {
    let world = world(Sequence::new().reply("alice", says("done")), "version: 1\n");
    let team = format!("lead: alice\n{ONE_A_DAY}");
    world.put(".minds/hive/teams/qa.yaml", &team);
    let first = world.delegate(task("qa", "first")).await;
    let waits = world.waits_since("qa", Duration::from_mins(135)).await;
    world.waits_since("qa", Duration::from_mins(30)).await;
    let mut running = world.start().await;
    running.until_task(&world, &first, |task| task.status == TaskStatus::Done).await;
    let item = (NewsKind::Notice, "[qa] 1 of its tasks wait or run for too long");
    // The first scan is at the start.
    for _ in 0..2 {
        world.until_stalls(&[item]).await;
        until_the_next_scan().await;
    }
    let mut store = world.hive_store().await;
    store.cancel_task(&waits, "no more", FixedClock.moment()).await.unwrap();
    store.close().await;
    // At once, not only at the next scan.
    world.until_stalls(&[]).await;
    running.shut_down().await;
}

#[tokio::test]
async fn s18_1_what_waits_for_a_day_is_for_the_team_above_and_at_the_root_a_failure() {
    let models = Sequence::new()
        .reply("carol", says("done"))
        .reply("lead", says("done"))
        .reply("alice", says("I look after it."));
    let world = world(models, "version: 1\n");
    world.put(".minds/hive/teams/lab.yaml", &format!("parent: qa\nlead: carol\n{ONE_A_DAY}"));
    world.put(".minds/hive/teams/main.yaml", ONE_A_DAY);
    let mut first = Vec::new();
    for team in ["lab", "main"] {
        first.push(world.delegate(task(team, "first")).await);
    }
    for team in ["lab", "main"] {
        world.waits_since(team, Duration::from_hours(25)).await;
    }
    let mut running = world.start().await;
    for id in &first {
        running.until_task(&world, id, |task| task.status == TaskStatus::Done).await;
    }
    let items = [
        (NewsKind::Failure, "[main] 1 of its tasks wait or run for too long"),
        (NewsKind::Notice, "[lab] 1 of its tasks wait or run for too long"),
    ];
    let escalated = async || {
        let tasks = world.tasks().await;
        tasks.into_iter().filter(|task| task.kind == TaskKind::Escalation).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        until_the_next_scan().await;
        world.until_stalls(&items).await;
        let late = Instant::now() + LIMIT;
        while escalated().await.is_empty() {
            assert!(Instant::now() < late, "nothing is escalated");
            running.idle().await;
        }
    }
    let [task] = escalated().await.try_into().expect("one, however often it is looked");
    assert_eq!((task.team.as_str(), task.priority), ("qa", Priority::High));
    assert_eq!(task.from, Some(TeamName::new("lab")));
    assert!(task.text.starts_with("[Escalation: stalled] Task "), "{}", task.text);
    running.shut_down().await;
}
