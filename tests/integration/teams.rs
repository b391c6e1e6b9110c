//! Tasks of teams from the command line: without a driver, and with one that runs.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::boxes::GIVES;
use crate::common::files;
use crate::common::processes::comes_to_rest;
use crate::common::skip::has;
use crate::common::wait::eventually;
use crate::serving::Driver;

const TEAM: &str = "member_defaults: { provider: script, model: m, diligence-push-max: 0 }\n\
                    default_responder: lead\n\
                    members:\n  lead: { name: Lead }\n  qa: { name: Quinn }\n  tester: { name: Tess }\n";
pub const SLOW: &str = "  - message: slow\n    role: user\n    delayMs: 150\n    response: Slow.\n  - message: use\n    role: user\n    \
                    delayMs: 60\n    response: I look.\n    funcCalls:\n      - name: list_dir\n        arguments: { path: . }\n  - message: linger\n    role: user\n    \
                    delayMs: 60000\n    response: At last.\n  - message: inquire\n    role: user\n    response: I ask.\n    \
                    funcCalls:\n      - name: query_team\n        arguments: { team: qa, query: hi }\n  - message: hurry\n    role: user\n    response: I ask.\n    \
                    funcCalls:\n      - name: query_team\n        arguments: { team: qa, query: linger, timeout_ms: 300 }\n  \
                    - message: Hello.\n    role: tool\n    response: They say hello.\n";

pub fn with_teams(driver: Driver) -> Driver {
    let workspace = driver.home().workspace();
    files::put(&workspace, ".minds/team.yaml", TEAM);
    files::put(
        &workspace,
        ".minds/hive/teams/qa.yaml",
        "lead: qa\nmembers: [qa, tester]\nscope: [tests]\n",
    );
    let answers = workspace.join("answers/m.yaml");
    let known = fs::read_to_string(&answers).unwrap_or_default();
    files::put(&workspace, "answers/m.yaml", &format!("{known}{SLOW}"));
    driver
}

/// The status of a command, and all that it said.
pub fn run(driver: &Driver, args: &[&str]) -> (Option<i32>, String) {
    let ended = driver.run(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

fn delegate(driver: &Driver, text: &str) -> String {
    driver.ok(&["delegate", "qa", text], 0).trim().to_owned()
}

pub fn task(driver: &Driver, id: &str) -> Value {
    driver.json(&["task", "show", id, "--json"])
}

pub fn tasks(driver: &Driver) -> Vec<Value> {
    let listed = driver.json(&["tasks", "--json"]);
    listed["tasks"].as_array().cloned().unwrap_or_default()
}

#[test]
fn s2_1_a_task_is_given_and_reported_with_and_without_a_driver() {
    for (driver, runs) in [(Driver::ended(), false), (Driver::start(), true)] {
        let (status, said) = run(&driver, &["teams"]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("there are no teams here"), "{said}");
        let driver = with_teams(driver);
        let listed = driver.ok(&["teams"], 0);
        assert!(listed.contains("main  @lead") && listed.contains("\n  qa  @qa"), "{listed}");
        assert!(!driver.home().workspace().join(".hive").exists(), "looking makes no store");
        let id = delegate(&driver, "hi");
        assert!(id.starts_with("task-") && id.len() == 21, "{id}");
        if !runs {
            assert_eq!(task(&driver, &id)["status"], json!("pending"));
            driver.ok(&["drive"], 0);
        }
        assert!(eventually(|| task(&driver, &id)["status"] == json!("done")));
        let ended = task(&driver, &id.trim_start_matches("task-")[..6]);
        assert_eq!((&ended["result"], &ended["attempt"]), (&json!("Hello."), &json!(1)));
        assert_eq!((&ended["from"], &ended["team"]), (&Value::Null, &json!("qa")));
        let told = driver.ok(&["inbox", "--all"], 0);
        assert!(told.contains("[qa] Hello."), "{told}");
        let dialogs = driver.json(&["dialogs", "--all", "--json"]);
        let of_task = |one: &&Value| one["rootId"] == ended["dialog"];
        let dialog = dialogs.as_array().unwrap().iter().find(of_task).unwrap();
        assert_eq!((&dialog["status"], &dialog["agentId"]), (&json!("completed"), &json!("qa")));
        assert!(dialog["title"].as_str().unwrap().starts_with("qa task "), "{dialog}");
        let shown = driver.ok(&["team", "show", "qa"], 0);
        assert!(shown.contains("members  @qa @tester"), "{shown}");
    }
}

#[test]
fn every_command_about_teams_tasks_and_triggers_has_its_json() {
    let driver = with_teams(Driver::ended());
    files::put(&driver.home().workspace(), ".minds/hive/hive.yaml", "version: 1\n");
    let id = delegate(&driver, "hi");
    let config = r#"{"pattern":"x"}"#;
    for (args, key, expected) in [
        (&["task", "cancel", &id][..], "status", "cancelled"),
        (&["task", "retry", &id], "status", "pending"),
        (
            &[
                "trigger", "create", "qa", "w", "--type", "keyword", "--config", config, "--task",
                "hi",
            ],
            "state",
            "pending",
        ),
        (&["trigger", "update", "qa", "w", "--task", "hello"], "state", "pending"),
        (&["trigger", "enable", "qa", "w"], "state", "active"),
        (&["trigger", "disable", "qa", "w", "--reason", "loud"], "state", "disabled"),
        (&["team", "spawn", "lab", "--scope", "things"], "team", "lab"),
        (&["team", "update", "lab", "--add", "more"], "team", "lab"),
        (&["team", "shutdown", "lab", "--yes"], "team", "lab"),
    ] {
        let said = driver.json(&[args, &["--json"]].concat());
        assert_eq!(said[key], json!(expected), "{args:?}: {said}");
    }
    let tested = driver.json(&["trigger", "test", "qa", "w", "--json"]);
    assert_eq!(tested["enqueued"], json!(true), "{tested}");
    assert!(driver.ok(&["triggers"], 0).contains("(loud)"));
}

#[test]
fn the_day_of_a_team_that_is_used_up_is_said_by_every_list() {
    let driver = with_teams(Driver::ended());
    files::put(
        &driver.home().workspace(),
        ".minds/hive/teams/qa.yaml",
        "lead: qa\nmembers: [qa, tester]\nscope: [tests]\nlimits: { max_tasks_per_day: 1 }\n",
    );
    delegate(&driver, "what is this");
    delegate(&driver, "and the second");
    driver.ok(&["drive"], 0);
    let listed = driver.ok(&["teams"], 0);
    assert!(listed.contains("1 queued · until midnight"), "{listed}");
    let teams = driver.json(&["teams", "--json"]);
    let qa = teams["teams"].as_array().unwrap().iter().find(|team| team["name"] == "qa").unwrap();
    assert_eq!((&qa["usedUp"], &qa["pending"]), (&json!(true), &json!(1)));
    assert_eq!((&qa["waits"], &teams["teams"][0]["waits"]), (&json!("midnight"), &Value::Null));
    let listed = tasks(&driver);
    for (task, waits) in listed.iter().zip([json!("midnight"), Value::Null]) {
        assert!(task["ageSeconds"].is_u64() && task["waits"] == waits, "{task}");
        let id = task["id"].as_str().unwrap();
        assert_eq!(self::task(&driver, id)["waits"], waits, "{task}");
        let said = driver.ok(&["task", "show", id], 0);
        assert_eq!(said.contains("pending (until midnight)"), waits != Value::Null, "{said}");
    }
    assert!(driver.ok(&["tasks"], 0).contains("pending (until midnight)"));
    let all = driver.json(&["inbox", "--all", "--json"]);
    let is_used_up = |item: &&Value| item["title"].as_str().unwrap().contains("limit of a day");
    let item = all["items"].as_array().unwrap().iter().find(is_used_up).expect("a failure");
    let body = item["body"].as_str().unwrap();
    assert!(body.contains("max_tasks_per_day: 1 / 1") && body.contains("and the second"), "{item}");
    assert!(item["ageSeconds"].is_u64(), "{item}");
}

#[test]
fn s14_the_overview_has_trouble_first_and_what_is_not_known_is_no_zero() {
    let driver = with_teams(Driver::ended());
    let workspace = driver.home().workspace();
    files::put(
        &workspace,
        ".minds/hive/teams/qa.yaml",
        "lead: qa\nmembers: [qa, tester]\nscope: [tests]\nlimits: { max_tasks_per_day: 1 }\n",
    );
    let seen = driver.json(&["overview", "--json"]);
    assert_eq!((&seen["store"]["ok"], &seen["driver"]["running"]), (&json!(true), &json!(false)));
    assert_eq!(seen["teams"][0]["work"]["trouble"], Value::Null, "{seen}");
    assert!(!workspace.join(".hive").exists(), "looking makes no store");
    delegate(&driver, "what is this");
    delegate(&driver, "and the second");
    driver.ok(&["drive"], 0);
    let seen = driver.json(&["overview", "--json"]);
    let qa = &seen["teams"][0];
    assert_eq!((&qa["name"], &qa["work"]["pending"]), (&json!("qa"), &json!(1)), "{seen}");
    assert_eq!(qa["work"]["trouble"]["kind"], json!("usedUp"), "{seen}");
    assert_eq!((&seen["tasks"]["pending"], &seen["questions"]), (&json!(1), &json!([])), "{seen}");
    let said = driver.ok(&["overview"], 0);
    assert!(said.contains("goes on at midnight  -> limits in .minds/hive/teams/qa.yaml"), "{said}");
    fs::write(workspace.join(".hive/hive.db"), "no database ".repeat(100)).expect("written");
    let (status, said) = run(&driver, &["overview"]);
    assert_eq!(status, Some(6), "{said}");
    assert!(said.contains("tasks     not known: ") && !said.contains("0 queued"), "{said}");
    store_is_unknown(&driver, 6, "cannot be read");
}

/// `overview` and `health` end with this status and say why; no number stands for what is not known.
fn store_is_unknown(driver: &Driver, status: i32, why: &str) {
    let said = |args: &[&str]| -> Value {
        let ended = driver.run(args);
        assert_eq!(ended.status.code(), Some(status), "{ended:?}");
        serde_json::from_slice(&ended.stdout).expect("JSON")
    };
    let says = |text: &Value| text.as_str().is_some_and(|text| text.contains(why));
    let seen = said(&["overview", "--json"]);
    for part in ["tasks", "triggers", "news", "ended"] {
        assert!(says(&seen[part]["unknown"]), "{part}: {seen}");
    }
    assert!(says(&seen["teams"][0]["work"]["unknown"]), "{seen}");
    assert!(says(&seen["store"]["problem"]) && seen["store"]["ok"] == json!(false), "{seen}");
    assert_eq!(seen["questions"], json!([]), "those are in other files");
    let health = said(&["health", "--json"]);
    assert!(says(&health["store"]["state"]) && health["ok"] == json!(false), "{health}");
    for unknown in [&health["store"]["tasks"], &health["stalls"], &health["changes"]] {
        assert_eq!(unknown, &Value::Null, "{health}");
    }
}

/// Holds a database until its input ends.
const HOLD: &str = "import sqlite3, sys\n\
                    db = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                    db.execute('PRAGMA locking_mode = EXCLUSIVE')\n\
                    db.execute('BEGIN EXCLUSIVE')\n\
                    print('held', flush=True)\n\
                    sys.stdin.read()\n";
/// Leaves a step in a database that this program does not know.
const OUTGROW: &str = "import sqlite3, sys\n\
                       db = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                       db.execute(\"INSERT INTO _sqlx_migrations (version, description, success, checksum, \
                       execution_time) VALUES (99, 'later', 1, x'00', 0)\")\n\
                       db.close()\n\
                       print('done', flush=True)\n";

/// Starts a program of Python on a database, and waits until it says so.
fn python(program: &str, database: &Path) -> Child {
    let mut command = Command::new("python3");
    command.args(["-c", program]).arg(database).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a program");
    let mut said = String::new();
    let output = child.stdout.as_mut().expect("an output");
    BufReader::new(output).read_line(&mut said).expect("a line");
    assert!(!said.is_empty(), "it has failed");
    child
}

#[test]
fn s14_a_store_that_is_locked_or_of_a_newer_version_is_unknown_and_no_zero() {
    if !has("python3") {
        return;
    }
    let driver = with_teams(Driver::ended());
    delegate(&driver, "what is this");
    let database = driver.home().workspace().join(".hive/hive.db");
    let mut holds = python(HOLD, &database);
    store_is_unknown(&driver, 5, "another program holds the store");
    drop(holds.stdin.take());
    assert!(holds.wait().expect("its end").success());
    assert_eq!(driver.json(&["overview", "--json"])["tasks"]["pending"], json!(1), "it is free");
    assert!(python(OUTGROW, &database).wait().expect("its end").success());
    store_is_unknown(&driver, 6, "newer version");
}

#[test]
fn a_task_whose_request_is_made_again_is_retrying_in_every_list_and_in_none_without_a_driver() {
    let mut driver = with_teams(Driver::start());
    let id = delegate(&driver, "down");
    for (args, text) in [
        (&["tasks"][..], "  retrying "),
        (&["task", "show", &id], "  retrying "),
        (&["teams"], "1 running (1 retrying)"),
        (&["team", "show", "qa"], "  retrying "),
        (&["overview"], "tasks     1 running (1 retrying)"),
        (&["overview"], "qa  1/5 (1 retrying)"),
    ] {
        let says = || driver.ok(args, 0).contains(text);
        assert!(eventually(says), "{args:?}: {}", driver.ok(args, 0));
    }
    let numbers = |driver: &Driver| {
        let (team, seen) =
            (driver.json(&["team", "show", "qa", "--json"]), driver.json(&["overview", "--json"]));
        let work = seen["teams"].as_array().unwrap().iter().find(|one| one["name"] == "qa");
        let of_team = work.unwrap()["work"]["retrying"].clone();
        [team["retrying"].clone(), seen["tasks"]["retrying"].clone(), of_team]
    };
    assert!(eventually(|| task(&driver, &id)["retrying"] == json!(true)));
    assert_eq!(task(&driver, &id)["status"], json!("running"));
    assert!(eventually(|| numbers(&driver) == [json!(1), json!(1), json!(1)]));
    driver.quit();
    assert_eq!(task(&driver, &id)["retrying"], json!(false));
    assert_eq!(numbers(&driver), [json!(0), json!(0), json!(0)]);
    assert!(!driver.ok(&["tasks"], 0).contains("retrying"));
}

#[test]
fn what_waits_for_a_person_has_its_age_in_every_list() {
    let (mut driver, question) = Driver::asking();
    for runs in [true, false] {
        if !runs {
            driver.quit();
        }
        let listed = driver.json(&["q4h", "--json"]);
        let shown = driver.json(&["q4h", "show", &question, "--json"]);
        let items = driver.json(&["inbox", "--json"]);
        for one in [&listed[0], &shown, &items["items"][0]] {
            assert!(one["id"] == json!(question) && one["ageSeconds"].is_u64(), "{one}");
        }
    }
}

#[test]
fn what_a_run_leaves_to_its_teams_is_in_its_last_line_with_the_command_that_works_on_it() {
    for (driver, place, next) in [
        (Driver::ended(), "left to work on", "dominds-tui drive"),
        (Driver::start(), "on in the background", "dominds-tui tasks"),
    ] {
        let driver = with_teams(driver);
        let answers = driver.home().workspace().join("answers/m.yaml");
        let known = fs::read_to_string(&answers).expect("answers");
        fs::write(&answers, format!("{known}{GIVES}")).expect("answers");
        let said = driver.run(&["run", "give"]);
        let notes = String::from_utf8_lossy(&said.stderr).into_owned();
        let last = notes.lines().last().unwrap_or_default();
        assert!(last.contains(place) && last.contains(next), "{notes}");
    }
}

#[test]
fn what_cannot_be_done_with_a_task_is_said_with_its_status() {
    let driver = with_teams(Driver::ended());
    for (status, args, said) in [
        (2, &["delegate", "none", "x"][..], "Team 'none' not found; the teams are main, qa"),
        (2, &["delegate", "qa", " "], "the text is empty"),
        (2, &["delegate", "qa", "x", "--member", "lead"], "member 'lead' is not in team 'qa'"),
        (2, &["team", "show", "none"], "Team 'none' not found"),
        (2, &["task", "show", "abc"], "there is no task yet"),
        (2, &["tasks", "--status", "over"], "invalid value"),
    ] {
        let (found, text) = run(&driver, args);
        assert_eq!(found, Some(status), "{args:?}: {text}");
        assert!(text.contains(said), "{args:?}: {text}");
    }
    let id = delegate(&driver, "ask");
    driver.ok(&["drive"], 3);
    assert_eq!(task(&driver, &id)["blockReason"], json!("Open Question"));
    let (status, said) = run(&driver, &["delegate", "qa", "hi", "--overlap", "confirm"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(&id) && said.contains("--overlap allow"), "{said}");
    assert_eq!(run(&driver, &["delegate", "qa", "hi", "--overlap", "skip"]).0, Some(1));
    driver.ok(&["task", "cancel", &id], 0);
    let (status, said) = run(&driver, &["task", "cancel", &id]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("it is cancelled"), "{said}");
    driver.ok(&["drive"], 0);
    assert!(driver.json(&["q4h", "--json"]).as_array().unwrap().is_empty(), "its dialog is away");
    driver.ok(&["task", "retry", &id], 0);
    driver.ok(&["drive"], 3);
    assert_eq!(task(&driver, &id)["attempt"], json!(2));
    assert_eq!(run(&driver, &["task", "retry", "task-none"]).0, Some(2));
    let newer = delegate(&driver, "hi");
    for (limit, ids, is_told) in [("1", vec![&newer], true), ("2", vec![&newer, &id], false)] {
        let (_, said) = run(&driver, &["tasks", "--limit", limit]);
        let listed = said.lines().filter_map(|line| line.split(' ').next());
        let listed: Vec<&str> = listed.filter(|word| word.starts_with("task-")).collect();
        assert_eq!(listed, ids, "{said}");
        assert_eq!(said.contains("--limit lists more"), is_told, "{said}");
    }
}

#[test]
fn x5_with_teams_off_nothing_is_offered_or_started() {
    let driver = with_teams(Driver::ended());
    let id = delegate(&driver, "hi");
    files::put(&driver.home().workspace(), ".minds/hive/hive.yaml", "teams: off\n");
    let (status, said) = run(&driver, &["teams"]);
    assert_eq!(status, Some(1), "{said}");
    driver.ok(&["drive"], 0);
    files::put(&driver.home().workspace(), ".minds/hive/hive.yaml", "teams: on\n");
    assert_eq!(task(&driver, &id)["status"], json!("pending"));
    driver.ok(&["drive"], 0);
    assert_eq!(task(&driver, &id)["status"], json!("done"));
}

#[test]
fn s2_1_the_lines_of_a_run_say_what_becomes_of_each_task() {
    let driver = with_teams(Driver::ended());
    let (done, asks) = (delegate(&driver, "hi"), delegate(&driver, "ask"));
    let said = driver.ok(&["drive", "--json"], 3);
    let lines: Vec<Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |id: &str| -> Vec<String> {
        let updates = lines.iter().filter(|line| line["event"] == json!("task_updated"));
        let updates = updates.filter(|line| line["id"] == json!(id));
        updates.map(|line| line["status"].as_str().unwrap_or_default().to_owned()).collect()
    };
    // A state that is over at once may be left out.
    for (id, last) in [(&done, "done"), (&asks, "blocked")] {
        let updates = of(id);
        let expected: [&[&str]; 2] = [&["running", last], &[last]];
        assert!(expected.iter().any(|one| updates == *one), "{updates:?}: {said}");
    }
    let blocked = lines.iter().rfind(|line| line["event"] == json!("task_updated"));
    assert!(blocked.is_some_and(|line| line["team"] == json!("qa") && line["attempt"] == json!(1)));
}

#[test]
fn s3_1_a_query_is_answered_whoever_drives_and_no_list_shows_it() {
    for driver in [with_teams(Driver::ended()), with_teams(Driver::start())] {
        let (status, said) = run(&driver, &["run", "inquire"]);
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("They say hello."), "{said}");
        assert_eq!(tasks(&driver), [Value::Null; 0]);
        assert_eq!(driver.json(&["inbox", "--all", "--json"])["items"], json!([]));
        let done = || driver.json(&["dialogs", "--all", "--json"]).to_string();
        assert!(eventually(|| done().contains("qa query")), "{}", done());
        let teams = driver.json(&["teams", "--json"]).to_string();
        assert!(!teams.contains("\"activeDailyOps\":1"), "{teams}");
    }
}

#[test]
fn s3_1_a_query_whose_time_is_over_leaves_no_stopped_dialog_behind() {
    let driver = with_teams(Driver::ended());
    let (status, said) = run(&driver, &["run", "hurry"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("timeout after 300 ms") && !said.contains("stopped by you"), "{said}");
    let dialogs = driver.json(&["dialogs", "--all", "--json"]);
    let of_qa = dialogs.as_array().and_then(|all| all.iter().find(|one| one["agentId"] == "qa"));
    assert_eq!(of_qa.expect("its dialog")["status"], "completed", "{dialogs}");
}

/// Returns the index of the first of these lines.
fn place(lines: &[Value], fits: impl Fn(&Value) -> bool) -> usize {
    lines.iter().position(fits).unwrap_or_else(|| unreachable!("no such line: {lines:#?}"))
}

fn lines_of(said: &str) -> Vec<Value> {
    said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn q05_q08_a_question_of_a_task_is_told_before_what_becomes_of_the_task() {
    let driver = with_teams(Driver::ended());
    let id = delegate(&driver, "ask");
    let is = |line: &Value, event: &str| line["event"] == json!(event);
    let said = lines_of(&driver.ok(&["drive", "--json"], 3));
    let asked = place(&said, |line| is(line, "notification_added"));
    let blocked =
        place(&said, |line| is(line, "task_updated") && line["status"] == json!("blocked"));
    assert!(asked < blocked, "{said:#?}");
    assert_eq!(said[asked]["item"]["taskId"], json!(id));
    assert_eq!(task(&driver, &id)["blockReason"], json!("Open Question"));
    let question = driver.question();
    let said = lines_of(&driver.ok(&["q4h", "answer", &question, "blue", "--json"], 0));
    let order = [
        place(&said, |line| is(line, "answered")),
        place(&said, |line| is(line, "notification_resolved") && line["id"] == json!(question)),
        place(&said, |line| is(line, "task_updated") && line["id"] == json!(id)),
    ];
    assert!(order.is_sorted(), "{order:?}: {said:#?}");
    assert_eq!(task(&driver, &id)["status"], json!("done"));
}

#[test]
fn a_driver_whose_tasks_only_wait_is_at_rest() {
    let driver = with_teams(Driver::start());
    for text in ["ask", "linger"] {
        delegate(&driver, text);
    }
    let has = |status: &str| tasks(&driver).iter().any(|task| task["status"] == json!(status));
    assert!(eventually(|| has("blocked") && has("running")), "{:?}", tasks(&driver));
    let pid = driver.json(&["ps", "--json"])[0]["pid"].as_u64().expect("a driver");
    // It polls a few times a second; who looks because it has looked never rests.
    assert!(comes_to_rest(pid), "it works all the time");
}

#[test]
fn what_a_task_asks_and_says_is_listed_by_its_team() {
    let driver = with_teams(Driver::start());
    let items = |team: &str| -> Vec<Value> {
        let listed = driver.json(&["inbox", "--json", "--team", team]);
        listed["items"].as_array().cloned().unwrap_or_default()
    };
    let (asks, done) = (delegate(&driver, "ask"), delegate(&driver, "hi"));
    assert!(eventually(|| items("qa").len() == 2), "{:?}", items("qa"));
    for (kind, id) in [("question", &asks), ("notice", &done)] {
        let item = items("qa").into_iter().find(|item| item["kind"] == json!(kind)).unwrap();
        assert_eq!((&item["team"], &item["taskId"]), (&json!("qa"), &json!(id)), "{item}");
    }
    assert_eq!(items("main"), Vec::<Value>::new());
    assert!(driver.ok(&["inbox", "--all", "--team", "qa"], 0).contains("[qa] Hello."));
    assert!(driver.ok(&["inbox", "--all", "--team", "main"], 0).contains("no news"));
}

#[test]
fn a_person_delegates_looks_at_and_cancels_tasks_on_the_screen() {
    let driver = with_teams(Driver::ended());
    for (columns, rows) in [(120, 40), (60, 20)] {
        let mut screen = driver.screen_of(&[], columns, rows);
        screen.until("the dialogs", |screen| screen.to_uppercase().contains("DIALOGS"));
        screen.keys("\x1b4");
        screen.until_shown(&["TEAMS", "qa  @qa"]);
        screen.keys("ja");
        screen.until_shown(&["NEW TASK"]);
        screen.keys("ask\r");
        screen.until_shown(&["1 blocked"]);
        screen.keys("\r");
        screen.until_shown(&["TASKS · qa", "open question"]);
        screen.keys("o");
        screen.until_shown(&["from a person", "attempt 1"]);
        screen.keys("q");
        screen.until("the list", |screen| screen.contains("TASKS"));
        screen.keys("x");
        screen.until_shown(&["cancel ", "y yes"]);
        screen.keys("y");
        screen.until_shown(&["cancelled"]);
        screen.keys("q");
        screen.until("the teams", |screen| screen.contains("TEAMS"));
        screen.keys("q");
        let is_cancelled = || tasks(&driver).iter().all(|one| one["status"] == json!("cancelled"));
        assert!(eventually(is_cancelled), "{:?}", tasks(&driver));
        screen.quit();
        assert_eq!(screen.end().0, 0);
    }
}
