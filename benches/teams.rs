//! Measures a store of tasks under load: 100 teams, 10,000 tasks that wait, 50 that run. How long a caller waits for a task to be
//! queued, and how long a slot that becomes free stays empty; both until what has changed can be seen. In a file, or with `--server
//! URL` in a database as an organisation of its own; there `psql` has the server gather its statistics first, which it does by itself
//! within a minute. Prints figures; never fails on them.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and ends at the first error"
)]

mod team_store;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use dominds_tui::domain::teams::notices::NewNotice;
use dominds_tui::domain::teams::org::TeamLimits;
use dominds_tui::domain::teams::task::{ActiveTask, MAX_ATTEMPTS, NewTask, Priority, TaskEnd};
use dominds_tui::domain::{AgentId, RootId, TeamName};
use dominds_tui::hive::{
    Ending, Hive, HostedTeams, Server, Setup, StoreChoice, TAKEOVER, TeamSlots,
};
use dominds_tui::platform::random_name;

use team_store::resident;

const TEAMS: usize = 100;
const PENDING: usize = 10_000;
const RUNNING: usize = 50;
/// Tasks that are queued, and slots that become free, while it is so.
const MEASURED: usize = 500;

fn main() {
    let mut args = std::env::args().skip_while(|arg| arg != "--server").skip(1);
    let url = args.next();
    let workspace = tempfile::tempdir().expect("a folder");
    let setup = setup(workspace.path(), url.as_deref());
    println!("{}", if url.is_some() { "server" } else { "file" });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("a runtime").block_on(measure(setup, url));
}

fn setup(workspace: &Path, url: Option<&str>) -> Setup {
    let server = url.map(|url| Server {
        url: url.to_owned(),
        org: random_name(),
        box_name: "bench".to_owned(),
        workspaces: Vec::new(),
        teams: HostedTeams::All,
        takeover: TAKEOVER,
    });
    let store = server.map_or(StoreChoice::Own, |server| StoreChoice::Server(Box::new(server)));
    team_store::setup(workspace, "version: 1\n", store)
}

async fn measure(setup: Setup, url: Option<String>) {
    let hive = Hive::new(setup);
    let keeper = hive.run();
    let work = async {
        hive.host((0..TEAMS).map(team).collect(), MAX_ATTEMPTS).await.expect("teams");
        for n in 0..PENDING + RUNNING {
            hive.enqueue(task(n)).await.expect("a task");
        }
        let mut running = claim(&hive, 0, RUNNING).await;
        assert_eq!(running.len(), RUNNING, "they run");
        if let Some(url) = url {
            let done = Command::new("psql").args([&url, "-qc", "VACUUM ANALYZE"]).status();
            assert!(done.is_ok_and(|status| status.success()), "psql has gathered statistics");
        }
        let mut queued = Vec::new();
        for n in 0..MEASURED {
            let started = Instant::now();
            hive.enqueue(task(n)).await.expect("a task");
            queued.push(started.elapsed());
        }
        print("a task is queued", queued);
        let mut picked_up = Vec::new();
        for n in 0..MEASURED {
            let done = running.pop().expect("a task").attempt();
            let ending = Ending::from(TaskEnd::Done { result: "All tests pass.".to_owned() });
            hive.end(done, ending).await.expect("an end");
            let started = Instant::now();
            running.extend(claim(&hive, RUNNING + n, 1).await);
            picked_up.push(started.elapsed());
            assert_eq!(running.len(), RUNNING, "its slot is taken");
        }
        print("a free slot is taken", picked_up);
        println!("memory of the process: {} MB", resident() / 1_000_000);
        hive.close().await;
    };
    tokio::join!(keeper, work);
}

async fn claim(hive: &Hive, first: usize, count: usize) -> Vec<ActiveTask> {
    let slots = |n: usize| TeamSlots {
        team: team(n),
        limits: TeamLimits { max_tasks_per_day: 0, ..TeamLimits::default() },
        used_up: NewNotice::of_team((AgentId::new("lead"), team(n)), "day", String::new()),
    };
    let roots = (first..first + count).map(|n| RootId::new(format!("aa/bb/{n:08x}"))).collect();
    let claimed = hive.claim((0..TEAMS).map(slots).collect(), roots, SystemTime::UNIX_EPOCH);
    claimed.await.expect("tasks")
}

fn team(n: usize) -> TeamName {
    TeamName::new(format!("team-{n}"))
}

fn task(n: usize) -> NewTask {
    let priority = [Priority::Normal, Priority::High, Priority::Low][n % 3];
    let text = format!("Run the tests of part {n} and report what fails.");
    team_store::task(team(n % TEAMS), priority, text)
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1));
    let [half, most] = [50, 99].map(|percent| at(percent).copied().unwrap_or_default());
    println!("{what}: p50 {half:.2?}, p99 {most:.2?}");
}
