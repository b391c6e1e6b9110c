//! A store that three boxes share: whatever they do, in any order, each task is in one state at one place.

use super::db::sql;
use super::shared_tests::{Boxes, cut};
use super::task_tests::{At, at, done, new};
use crate::domain::teams::task::{AttemptId, TaskEnd, TaskStatus};
use crate::hive::test_support::works;

/// What may happen to tasks of one team on three boxes, in any order.
#[derive(Debug, Clone, Copy)]
enum Act {
    Queue,
    Claim,
    End,
    Block,
    Retry,
    Cancel,
    Renew,
    TakeOver,
    Clock(i64),
    Cut,
}

/// The next number of a sequence that is the same in each run.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn act(state: &mut u64) -> Act {
    match next(state) % 20 {
        0..=3 => Act::Queue,
        4..=8 => Act::Claim,
        9..=11 => Act::End,
        12 => Act::Block,
        13 => Act::Retry,
        14 => Act::Cancel,
        15 => Act::Renew,
        16 | 17 => Act::TakeOver,
        18 => Act::Clock([5, 31, 121, 151][usize::try_from(next(state) % 4).unwrap()]),
        _ => Act::Cut,
    }
}

impl Boxes {
    /// What each box believes that it works on, also one that was away: attempts that it has claimed.
    async fn do_one(
        &mut self,
        act: Act,
        by: usize,
        held: &mut Vec<(usize, AttemptId)>,
        state: &mut u64,
    ) {
        let pick = |state: &mut u64, held: &[(usize, AttemptId)]| {
            let len = u64::try_from(held.len()).unwrap();
            (len > 0).then(|| held[usize::try_from(next(state) % len.max(1)).unwrap()].clone())
        };
        match act {
            Act::Queue => {
                let name = format!("q{}", next(state));
                self.queue(by, &name, &new("qa")).await;
            }
            Act::Claim => {
                let claimed = self.claim(by, 3, 2).await;
                held.extend(claimed.iter().map(|one| (by, one.attempt())));
            }
            // A box may end what it believes to work on, however late; or it finds that the dialog is gone.
            Act::End => {
                if let Some((by, of)) = pick(state, held) {
                    let before = self.stores[by].find_task(of.task.as_str(), &At(0)).await.unwrap();
                    let is_gone = next(state).is_multiple_of(3);
                    let error = "its dialog is gone".to_owned();
                    let end = if is_gone { TaskEnd::Cancelled { error } } else { done() };
                    let ended = self.end_with(by, &of, end).await;
                    let is_open =
                        matches!(before[0].status, TaskStatus::Running | TaskStatus::Blocked);
                    assert_eq!(ended, is_open && before[0].attempt == of.attempt, "{of:?}");
                }
            }
            Act::Block => {
                if let Some((by, of)) = pick(state, held) {
                    let asks = Some(crate::domain::teams::task::BlockReason::OpenQuestion);
                    self.stores[by].set_blocked(&of, asks, None, at(0)).await.unwrap();
                    self.stores[by].end_unfinished().await.unwrap();
                }
            }
            Act::Retry | Act::Cancel => {
                if let Some((_, of)) = pick(state, held) {
                    let store = &mut self.stores[by];
                    if matches!(act, Act::Retry) {
                        let _ = store.retry_task(&of.task, at(0)).await.unwrap();
                    } else {
                        store.cancel_task(&of.task, "not needed", at(0)).await.unwrap();
                    }
                    store.end_unfinished().await.unwrap();
                }
            }
            Act::Renew => {
                if !self.renew(by).await {
                    let name = ["one", "two", "three"][by];
                    works(&mut self.stores[by], name, &["qa"]).await;
                }
            }
            Act::TakeOver => self.take_over(by).await,
            Act::Clock(seconds) => self.set_clock(seconds).await,
            Act::Cut => {
                cut(self, by).await;
                self.stores[by].reconnect().await.unwrap();
            }
        }
    }

    async fn count(&mut self, statement: &'static str) -> i64 {
        sql(statement).fetch_one(&mut self.stores[0].db).await.unwrap().try_get(0).unwrap()
    }
}

#[tokio::test]
async fn whatever_happens_on_three_boxes_each_task_is_in_one_state_at_one_place() {
    for seed in 1..=6 {
        let Some(mut boxes) = Boxes::start(&["one", "two", "three"], &["qa"]).await else { return };
        let (mut state, mut held) = (seed, Vec::new());
        for step in 0..150 {
            let by = usize::try_from(next(&mut state) % 3).unwrap();
            let act = act(&mut state);
            boxes.do_one(act, by, &mut held, &mut state).await;
            for (rule, broken) in [
                (
                    "never more than the cap",
                    "SELECT COUNT(*) FROM (SELECT 1 AS x FROM tasks WHERE org = $1 AND status = 'running' HAVING COUNT(*) > 3) y",
                ),
                (
                    "what is worked on has one open attempt, its newest one",
                    "SELECT COUNT(*) FROM tasks t WHERE t.org = $1 AND t.status IN ('running', 'blocked') AND NOT EXISTS ( \
                     SELECT 1 FROM attempts a WHERE a.org = t.org AND a.task = t.id AND a.attempt = t.attempt AND a.outcome IS NULL)",
                ),
                (
                    "no other attempt is open",
                    "SELECT COUNT(*) FROM attempts a JOIN tasks t ON t.org = a.org AND t.id = a.task WHERE a.org = $1 \
                     AND a.outcome IS NULL AND (a.attempt <> t.attempt OR t.status NOT IN ('running', 'blocked'))",
                ),
                (
                    "a result is delivered for what has ended, to whoever asked",
                    "SELECT COUNT(*) FROM tasks t WHERE t.org = $1 AND t.status IN ('done', 'failed') AND NOT EXISTS ( \
                     SELECT 1 FROM deliveries d WHERE d.org = t.org AND d.task = t.id AND d.attempt = t.attempt AND d.seat = t.origin_seat)",
                ),
            ] {
                let found = boxes.count(broken).await;
                assert_eq!(found, 0, "{rule}: seed {seed}, step {step}, {act:?} by {by}");
            }
        }
        // In the end nothing is stuck: the boxes that are left finish everything.
        for _ in 0..4 {
            boxes.set_clock(151).await;
            works(&mut boxes.stores[0], "one", &["qa"]).await;
            boxes.take_over(0).await;
        }
        while let Some(one) = boxes.claim(0, 3, 1).await.pop() {
            assert!(boxes.end(0, &one.attempt()).await);
            for (by, of) in std::mem::take(&mut held) {
                boxes.end(by, &of).await;
            }
        }
        let left = "SELECT COUNT(*) FROM tasks WHERE org = $1 AND status IN ('pending', 'running')";
        assert_eq!(boxes.count(left).await, 0, "seed {seed}");
    }
}
