//! Teams whose programs are killed at any moment, on one box, and on two boxes whose shared server is killed
//! as well: nothing that was acknowledged is lost or done twice.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]
#![expect(clippy::print_stdout, reason = "figures are printed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use dominds_tui::domain::Layout;
use serde_json::{Value, json};

use crate::boxes::{GIVES, Shared};
use crate::common::files::{self, files_below};
use crate::common::layout::assert_opens_in_dominds;
use crate::common::postgres::Postgres;
use crate::common::wait::{LIMIT, eventually};
use crate::remote::sessions::wanted_kills;
use crate::serving::Driver;
use crate::teams::{SLOW, run};

const TEAMS: usize = 10;
/// Tasks that are given to the teams of one workspace.
const TASKS: usize = 200;
/// The kinds of tasks: quick, slow, with a question for a person, and twice as often with a tool call.
const KINDS: [&str; 5] = ["hi", "slow", "use", "ask", "use"];

/// Workspaces with the same teams: one, or several that share a store.
struct Workplace {
    boxes: Vec<Driver>,
    running: Vec<Option<Child>>,
    random: fastrand::Rng,
    kills: u32,
    /// The store that several boxes share.
    shared: Option<Shared>,
    /// Tasks that were acknowledged, and questions whose answers were.
    given: BTreeSet<String>,
    answered: BTreeSet<String>,
}

impl Workplace {
    fn of(boxes: Vec<Driver>, seed: u64) -> Self {
        for one in &boxes {
            with_ten_teams(one);
        }
        let running = boxes.iter().map(|_| None).collect();
        let random = fastrand::Rng::with_seed(seed);
        let (given, answered) = (BTreeSet::new(), BTreeSet::new());
        Self { boxes, running, random, kills: 0, shared: None, given, answered }
    }

    /// Picks one of the boxes, with or without a driver.
    fn any_box(&mut self) -> usize {
        self.random.usize(..self.boxes.len())
    }

    /// Starts a program on a box where none runs: most of them work on tasks, some give one.
    fn start(&mut self, at: usize) {
        if self.running[at].is_none() {
            let args: &[&str] = match self.random.u8(..8) {
                0 => &["run", "give"],
                1 | 2 => &["drive"],
                _ => &["serve"],
            };
            self.running[at] = Some(self.boxes[at].spawn(args));
        }
    }

    /// Kills the program on a box, unless it has ended.
    fn kill(&mut self, at: usize) {
        let Some(mut child) = self.running[at].take() else { return };
        self.kills += u32::from(child.try_wait().expect("a child").is_none());
        let _ = child.kill();
        child.wait().expect("an end");
    }

    fn give(&mut self) {
        let (at, kind) = (self.any_box(), KINDS[self.random.usize(..KINDS.len())]);
        let team = format!("t{}", self.random.usize(..TEAMS));
        let (status, said) = run(&self.boxes[at], &["delegate", &team, kind]);
        if status == Some(0) {
            self.given.insert(said.trim().to_owned());
        }
    }

    /// Answers the oldest question of a box, if it has one.
    fn answer(&mut self, at: usize) {
        let open = self.boxes[at].json(&["q4h", "--json"]);
        let text = |key: &str| open[0][key].as_str().unwrap_or_default().to_owned();
        let (id, call) = (text("id"), format!("{}#{}", text("rootId"), text("callId")));
        if id.is_empty() {
            return;
        }
        let (status, said) = run(&self.boxes[at], &["q4h", "answer", "--no-drive", &id, "blue"]);
        if status == Some(0) {
            assert!(self.answered.insert(call), "{id} was answered before: {said}");
        }
    }

    /// Queues tasks again that have failed, or wait for a person because they were cut off too often.
    fn retry(&mut self, tasks: &BTreeMap<String, Value>) {
        let stuck = |task: &Value| {
            task["status"] == "failed"
                || (task["status"] == "blocked" && task["blockReason"] != "Open Question")
        };
        for (id, _) in tasks.iter().filter(|(_, task)| stuck(task)) {
            let at = self.any_box();
            run(&self.boxes[at], &["task", "retry", id]);
        }
    }

    /// A while in which a program works, and is killed.
    fn round(&mut self) {
        let at = self.any_box();
        self.start(at);
        thread::sleep(Duration::from_millis(self.random.u64(..250)));
        if self.given.len() < TASKS {
            self.give();
        }
        match self.random.u8(..12) {
            0 | 1 => self.answer(at),
            2 => {
                if let Ok(known) = tasks_of(&self.boxes[at]) {
                    self.retry(&known);
                }
            }
            _ => thread::sleep(Duration::from_millis(self.random.u64(..150))),
        }
        // It may be the other of two boxes: then both work for a while.
        let at = self.any_box();
        self.kill(at);
    }

    /// Lets all work end, without kills.
    fn finish(&mut self) {
        let late = Instant::now() + 2 * LIMIT;
        for at in 0..self.boxes.len() {
            self.kill(at);
            self.running[at] = Some(self.boxes[at].spawn(&["serve"]));
            // A command that came first would have the workspace, and nothing would work on its tasks.
            let listens = || self.boxes[at].running().0 == 1;
            assert!(eventually(listens), "box {at} is not driven: {}", self.report());
        }
        loop {
            let known = tasks_of(&self.boxes[0]).expect("tasks");
            let is_done = known.values().all(|task| task["status"] == "done");
            let rests = |one: &Driver| {
                let dialogs = one.json(&["dialogs", "--json"]);
                let rests = |dialog: &Value| dialog["state"] == "idle_waiting_user";
                one.json(&["q4h", "--json"]) == json!([]) && all(&dialogs).iter().all(rests)
            };
            // The result of a finished task may still be on its way to its asker.
            let is_at_rest = is_done && self.boxes.iter().all(rests);
            if is_at_rest && self.counted().told == due(&known) {
                break;
            }
            assert!(Instant::now() < late, "it never ends: {}", self.report());
            self.retry(&known);
            for at in 0..self.boxes.len() {
                self.answer(at);
                run(&self.boxes[at], &["resume", "--all"]);
            }
        }
        for at in 0..self.boxes.len() {
            self.boxes[at].ok(&["quit"], 0);
            let child = self.running[at].take();
            child.expect("a driver").wait().expect("an end");
        }
    }

    /// Compares the final state with the acknowledgements.
    fn check(&self) {
        let known = tasks_of(&self.boxes[0]).expect("tasks");
        let missing: Vec<_> = self.given.iter().filter(|id| !known.contains_key(*id)).collect();
        assert!(missing.is_empty(), "lost: {missing:?}");
        let mut attempts = 0;
        for one in &self.boxes {
            let dialogs = one.json(&["dialogs", "--all", "--json"]);
            let of_tasks = |dialog: &&Value| dialog["agentId"] != "lead";
            attempts += all(&dialogs).iter().filter(of_tasks).count() as u64;
            let (status, problems) = run(one, &["doctor"]);
            assert_eq!(status, Some(0), "{problems}");
            assert_opens_in_dominds(&one.home().workspace());
        }
        let begun: u64 =
            known.values().map(|task| task["attempt"].as_u64().expect("a number")).sum();
        assert_eq!(attempts, begun, "one dialog for each attempt");
        let Counted { results, told } = self.counted();
        let twice: Vec<_> = results.iter().filter(|(_, count)| **count > 1).collect();
        assert!(twice.is_empty(), "two results of one call: {twice:?}");
        let unanswered = self.answered.iter().filter(|call| !results.contains_key(*call));
        assert_eq!(unanswered.collect::<Vec<_>>(), Vec::<&String>::new(), "lost answers");
        assert_eq!(told, due(&known), "each result comes back once");
        let items = self.boxes[0].json(&["inbox", "--all", "--json"]);
        let notices = all(&items["items"]).iter().filter(|item| {
            item["kind"] == "notice"
                && item["title"].as_str().is_some_and(|title| title.starts_with("[t"))
        });
        let said: u64 = notices.map(|item| item["count"].as_u64().expect("a number")).sum();
        assert_eq!(said, known.len() as u64, "each result is told once: {items}");
    }

    fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        for (dialog, record) in self.boxes.iter().flat_map(records) {
            counted.note(&dialog, &record);
        }
        counted
    }

    fn report(&self) -> String {
        let mut text = String::new();
        for one in &self.boxes {
            let _ = writeln!(text, "{}", one.ok(&["tasks"], 0));
            let _ = writeln!(text, "{}", one.ok(&["dialogs"], 0));
            let _ = writeln!(text, "{}", run(one, &["health"]).1);
        }
        text
    }
}

fn all(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns all tasks, by id; an error while the store cannot be reached.
fn tasks_of(driver: &Driver) -> Result<BTreeMap<String, Value>, String> {
    let (status, said) = run(driver, &["tasks", "--json", "--limit", "10000"]);
    if status != Some(0) {
        return Err(said);
    }
    let listed: Value = serde_json::from_str(&said).expect("JSON");
    let id = |task: &Value| task["id"].as_str().expect("an id").to_owned();
    Ok(all(&listed["tasks"]).iter().map(|task| (id(task), task.clone())).collect())
}

/// Returns all records of a workspace, each with its dialog.
fn records(driver: &Driver) -> Vec<(String, Value)> {
    let mut records = Vec::new();
    for bucket in ["run", "done", "archive"] {
        let bucket = driver.home().workspace().join(".dialogs").join(bucket);
        for file in files_below(&bucket) {
            if file.extension() == Some("jsonl".as_ref()) {
                let dialog = file.parent().and_then(|folder| folder.strip_prefix(&bucket).ok());
                let dialog = dialog.expect("a dialog").to_string_lossy().into_owned();
                // A driver may move it meanwhile, and the last line may not be whole yet.
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                let whole = text.lines().filter_map(|line| serde_json::from_str(line).ok());
                records.extend(whole.map(|record| (dialog.clone(), record)));
            }
        }
    }
    records
}

/// Each task that a dialog has asked for, once: so often its result is due there.
fn due(tasks: &BTreeMap<String, Value>) -> BTreeMap<String, u32> {
    let asked = tasks.iter().filter(|(_, task)| task["from"] == "main");
    asked.map(|(id, _)| (id.clone(), 1)).collect()
}

/// The number of results of each call, and how many times a dialog was told the result of a task.
#[derive(Default)]
struct Counted {
    results: BTreeMap<String, u32>,
    told: BTreeMap<String, u32>,
}

impl Counted {
    fn note(&mut self, dialog: &str, record: &Value) {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        match record["type"].as_str() {
            // A note that a question waits is a result of the call as well.
            Some("func_result_record") => {
                *self.results.entry(format!("{dialog}#{} made", text("id"))).or_default() += 1;
            }
            Some("tellask_result_record") => {
                *self.results.entry(format!("{dialog}#{}", text("callId"))).or_default() += 1;
            }
            Some("human_text_record") => {
                let text = text("content");
                if let Some(result) = text.strip_prefix("[Dominds team task result]\ntask: ") {
                    let id = result.split(' ').next().unwrap_or_default().to_owned();
                    *self.told.entry(id).or_default() += 1;
                }
            }
            _ => {}
        }
    }
}

fn with_ten_teams(driver: &Driver) {
    let workspace = driver.home().workspace();
    let mut team = "member_defaults: { provider: script, model: m, diligence-push-max: 0 }\n\
                    default_responder: lead\nmembers:\n  lead: { name: Lead }\n"
        .to_owned();
    for n in 0..TEAMS {
        let _ = writeln!(team, "  m{n}: {{ name: M{n} }}");
        let file = format!(".minds/hive/teams/t{n}.yaml");
        files::put(&workspace, &file, &format!("lead: m{n}\nmembers: [m{n}]\nscope: [tests]\n"));
    }
    files::put(&workspace, ".minds/team.yaml", &team);
    let known = std::fs::read_to_string(workspace.join("answers/m.yaml")).expect("answers");
    let gives = GIVES.replace("team: qa", "team: t0");
    files::put(&workspace, "answers/m.yaml", &format!("{known}{SLOW}{gives}"));
}

/// Kills as often as was asked for, in workspaces of this kind, and disturbs them otherwise.
fn kill_in(workplace: impl Fn(u64) -> Workplace, disturb: impl Fn(&mut Workplace)) {
    let (wanted, mut made, mut given, mut seed) = (wanted_kills(), 0, 0, 1);
    while made < wanted {
        let mut workplace = workplace(seed);
        let has_tasks = |workplace: &Workplace| workplace.given.len() < TASKS;
        while has_tasks(&workplace) && made + workplace.kills < wanted {
            workplace.round();
            disturb(&mut workplace);
        }
        made += workplace.kills;
        workplace.finish();
        workplace.check();
        given += workplace.given.len();
        seed += 1;
        println!("{made} kills, {given} tasks");
    }
}

#[test]
fn r3_after_any_kills_each_task_is_done_once_and_reported_once() {
    for layout in Layout::ALL {
        let config = format!("layout: {}\n", layout.name());
        kill_in(|seed| Workplace::of(vec![Driver::ended_with(&config)], seed), |_| {});
    }
}

#[test]
fn r3_after_kills_of_two_engines_and_of_their_server_each_task_is_done_once_and_reported_once() {
    let Some(server) = Postgres::own() else { return };
    let two_boxes = |seed| {
        let shared = Shared::of(&server);
        let boxes = ["one", "two"].map(|name| {
            let one = Driver::ended();
            shared.configure(&one, name, "all", &one.home().workspace());
            one
        });
        Workplace { shared: Some(shared), ..Workplace::of(boxes.into(), seed) }
    };
    kill_in(two_boxes, |workplace| match (workplace.random.u8(..40), &workplace.shared) {
        (0 | 1, _) => server.crash_and_start(),
        // As after a long sleep: the leases have expired, and the first box to check takes the tasks over.
        (2, Some(shared)) => shared.move_clock(200),
        _ => {}
    });
}
