//! Which tasks are started, where there are many teams.

use std::collections::BTreeMap;

use super::task_tests::{Bench, at, done, id, new, slots};
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::task::{AttemptId, NewTask, Priority};
use crate::hive::test_support::{Database, works};

/// More than one statement asks for.
const TEAMS: usize = 120;

/// What a team may still do, and what waits for it: priority, order and name.
struct Queue {
    free: u32,
    left_of_day: u32,
    waiting: Vec<(Priority, usize, String)>,
}

impl Queue {
    fn open(&self) -> usize {
        usize::try_from(self.free.min(self.left_of_day)).unwrap().min(self.waiting.len())
    }
}

fn limits(n: usize) -> TeamLimits {
    TeamLimits {
        max_running: u32::try_from(1 + n % 3).unwrap(),
        // Every seventh team may start two tasks, all others as many as they like.
        max_tasks_per_day: if n.is_multiple_of(7) { 2 } else { 0 },
        max_tokens_per_day: 0,
        ..TeamLimits::default()
    }
}

/// The names of the tasks that go first, in their order, as somebody would choose them who looks at all of them.
fn choose(queues: &mut BTreeMap<String, Queue>, room: usize) -> Vec<String> {
    let mut next = Vec::new();
    for (team, queue) in queues.iter_mut() {
        queue.waiting.sort();
        let open = queue.waiting.iter().take(queue.open()).cloned();
        next.extend(open.map(|task| (task, team.clone())));
    }
    next.sort();
    next.truncate(room);
    let mut chosen = Vec::new();
    for ((_, _, name), team) in next {
        let queue = queues.get_mut(&team).unwrap();
        queue.waiting.remove(0);
        queue.free -= 1;
        queue.left_of_day -= 1;
        chosen.push(name);
    }
    chosen
}

#[tokio::test]
async fn of_many_teams_those_tasks_are_started_that_go_first_within_the_limits_of_each() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let teams: Vec<String> = (0..TEAMS).map(|n| format!("team-{n}")).collect();
        if database == Database::Server {
            let names: Vec<&str> = teams.iter().map(String::as_str).collect();
            works(&mut bench.store, "ab12", &names).await;
        }
        let mut queues = BTreeMap::new();
        for (n, team) in teams.iter().enumerate() {
            let limits = limits(n);
            let left_of_day =
                if limits.max_tasks_per_day == 0 { u32::MAX } else { limits.max_tasks_per_day };
            let waiting = Vec::new();
            queues.insert(team.clone(), Queue { free: limits.max_running, left_of_day, waiting });
        }
        let priorities = [Priority::Normal, Priority::Low, Priority::Critical, Priority::High];
        for n in 0..4 * TEAMS {
            // Some teams get none, some more than they have slots.
            let (team, priority) = (&teams[n * n % TEAMS], priorities[n % 4]);
            bench.queue(&n.to_string(), &NewTask { priority, ..new(team) }).await;
            queues.get_mut(team).unwrap().waiting.push((priority, n, n.to_string()));
        }
        let slots: Vec<_> =
            teams.iter().enumerate().map(|(n, team)| slots(team, limits(n))).collect();
        let mut running = Vec::<(String, String)>::new();
        for room in [1, 7, 0, 60, 300, 300, 1] {
            let expected = choose(&mut queues, room);
            let claimed = bench.claim_up_to(&slots, u32::try_from(room).unwrap(), 10).await;
            let mut names: Vec<String> = Vec::new();
            for active in &claimed {
                let name = active.task.id.as_str().trim_start_matches("task-").to_owned();
                running.push((active.task.team.to_string(), name.clone()));
                names.push(name);
            }
            let sorted = |mut names: Vec<String>| {
                names.sort();
                names
            };
            assert_eq!(sorted(names), sorted(expected), "with room for {room}");
            // Half of what runs ends.
            let half = running.len() / 2;
            for (team, name) in running.drain(..half) {
                let of = AttemptId { task: id(&name), attempt: 1 };
                let ended = bench.store.end_task(&of, done().into(), at(20)).await;
                assert!(ended.unwrap());
                queues.get_mut(&team).unwrap().free += 1;
            }
        }
    }
}
