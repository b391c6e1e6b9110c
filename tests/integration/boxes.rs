//! Two boxes that share a store of teams and tasks: each is the real program in a workspace of its own, with the same teams.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]
#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::common::files;
use crate::common::postgres::{Postgres, postgres};
use crate::common::wait::{eventually, output};
use crate::serving::Driver;
use crate::teams::{run, tasks, with_teams};

pub const GIVES: &str = "  - message: give\n    role: user\n    response: I give it to QA.\n    funcCalls:\n      - name: delegate_task\n        \
                     arguments: { team: qa, task: hi, wake: true }\n  - message: consult\n    role: user\n    response: I ask QA.\n    \
                     funcCalls:\n      - name: query_team\n        arguments: { team: qa, query: hi }\n";

/// A database of its own, in a server.
pub struct Shared {
    url: String,
    name: String,
}

impl Shared {
    /// Makes one; `None` if there is no server, which is printed.
    fn new() -> Option<Self> {
        postgres().map(Self::of)
    }

    pub fn of(server: &Postgres) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("boxes_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        psql(&server.url, &format!("CREATE DATABASE {name}"));
        Self { url: server.url.replacen("/postgres?", &format!("/{name}?"), 1), name }
    }

    /// A box that works for these teams, not yet started.
    fn joined(&self, name: &str, teams: &str) -> Driver {
        let driver = with_teams(Driver::ended());
        let workspace = driver.home().workspace();
        let known = fs::read_to_string(workspace.join("answers/m.yaml")).expect("answers");
        files::put(&workspace, "answers/m.yaml", &format!("{known}{GIVES}"));
        self.configure(&driver, name, teams, &workspace);
        driver
    }

    /// Lets a workspace use it: the one that the configuration names.
    pub fn configure(&self, driver: &Driver, name: &str, teams: &str, workspace: &Path) {
        let (url, workspace) = (&self.url, workspace.display());
        let text = format!(
            "hive: {{ url: \"{url}\", org: acme, box: {name}, workspaces: [{workspace}], teams: {teams} }}\n"
        );
        configure(driver, &text, 0o600);
    }

    /// Sets the clock of the database this many seconds ahead; it stands still from then on.
    pub fn move_clock(&self, seconds: u32) {
        psql(
            &self.url,
            &format!(
                "INSERT INTO hive_clock (org, now) VALUES ('acme', hive_now('acme') + {seconds}000) \
                 ON CONFLICT (org) DO UPDATE SET now = excluded.now"
            ),
        );
    }

    /// Closes the database for everyone, or opens it again.
    fn admit(&self, everybody: bool) {
        let (url, name) = (&postgres().expect("a server").url, &self.name);
        psql(url, &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {everybody}"));
    }

    /// Cuts all connections, as a server that is started again does.
    fn cut_all(&self) {
        let name = &self.name;
        let cut = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
        );
        psql(&postgres().expect("a server").url, &cut);
    }
}

fn psql(url: &str, statement: &str) {
    let done =
        output(Command::new("psql").args([url, "-v", "ON_ERROR_STOP=1", "-q", "-c", statement]));
    assert!(done.status.success(), "{statement}: {done:?}");
}

fn configure(driver: &Driver, text: &str, mode: u32) {
    let file = driver.home().config_file("config.yaml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, text).expect("a configuration");
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// A driver that is killed with the test.
struct Served(Child);

impl Served {
    fn start(driver: &Driver) -> Self {
        Self(driver.spawn(&["serve"]))
    }

    fn kill(mut self) {
        let _ = self.0.kill();
        self.0.wait().expect("an end");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn task(driver: &Driver, id: &str) -> Value {
    driver.json(&["task", "show", id, "--json"])
}

fn boxes_of(driver: &Driver, team: &str) -> Vec<String> {
    let teams = driver.json(&["teams", "--json"]);
    let teams = teams["teams"].as_array().into_iter().flatten();
    let boxes =
        teams.filter(|one| one["name"] == team).filter_map(|one| one["boxes"].as_array().cloned());
    boxes.flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Tasks without the seconds since their last change, which pass between two looks.
fn without_age(mut tasks: Vec<Value>) -> Vec<Value> {
    for task in tasks.iter_mut().filter_map(Value::as_object_mut) {
        task.remove("ageSeconds");
    }
    tasks
}

/// All that the dialogs of a workspace say.
fn said(driver: &Driver) -> String {
    let mut texts = String::new();
    collect(&driver.home().workspace().join(".dialogs"), &mut texts);
    texts
}

fn collect(folder: &Path, texts: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), texts);
        } else {
            texts.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
        }
    }
}

#[test]
fn p6_what_is_given_on_one_box_is_done_on_another_and_its_result_comes_back_once() {
    let Some(shared) = Shared::new() else { return };
    let (one, two) = (shared.joined("one", "[main]"), shared.joined("two", "[qa]"));
    let (_first, second) = (Served::start(&one), Served::start(&two));
    assert!(eventually(|| boxes_of(&one, "qa") == ["two"] && boxes_of(&two, "main") == ["one"]));
    one.ok(&["run", "give"], 0);
    assert!(eventually(|| said(&one).contains("[Dominds team task result]")), "it comes back");
    let listed = tasks(&one);
    assert_eq!(
        (listed.len(), &listed[0]["status"], &listed[0]["box"]),
        (1, &json!("done"), &json!("two"))
    );
    assert_eq!(without_age(tasks(&two)), without_age(listed), "both know the same");
    assert!(!said(&two).contains("[Dominds team task result]"));
    assert_eq!(said(&one).matches("status: done\\n\\nHello.").count(), 1, "{}", said(&one));
    let dialogs = two.json(&["dialogs", "--all", "--json"]);
    assert_eq!(dialogs.as_array().expect("dialogs").len(), 1, "it was done here");
    one.ok(&["run", "consult"], 0);
    assert!(said(&one).matches("Hello.").count() > 1, "a query is answered there");
    let health = one.json(&["health", "--json"]);
    let alive = health["engines"]
        .as_array()
        .expect("engines")
        .iter()
        .filter(|engine| engine["alive"] == true);
    assert_eq!((alive.count(), &health["ok"]), (2, &json!(true)), "{health}");
    let mut screen = one.screen(&[]);
    screen.until_shown(&["DIALOGS"]);
    screen.keys("\u{1b}5");
    screen.until_shown(&["TASKS"]);
    screen.keys("*");
    screen.until_shown(&["qa"]);
    screen.keys("\r");
    screen.until_shown(&["it was made on box two"]);
    drop(screen);
    two.ok(&["quit"], 0);
    assert!(eventually(|| boxes_of(&one, "qa").is_empty()), "it has given its lease back");
    drop(second);
}

#[test]
fn what_asks_on_another_box_is_named_here_with_its_box() {
    let Some(shared) = Shared::new() else { return };
    let (one, two) = (shared.joined("one", "[main]"), shared.joined("two", "[qa]"));
    let (_first, _second) = (Served::start(&one), Served::start(&two));
    let id = one.ok(&["delegate", "qa", "ask"], 0).trim().to_owned();
    assert!(eventually(|| task(&one, &id)["status"] == "blocked"));
    let listed = one.json(&["inbox", "--json"]);
    let asks = &listed["elsewhere"][0];
    assert_eq!(
        (&asks["team"], &asks["taskId"], &asks["box"]),
        (&json!("qa"), &json!(id), &json!("two"))
    );
    assert_eq!(listed["items"], json!([]), "{listed}");
    let (_, said) = run(&one, &["q4h"]);
    assert!(said.contains(&format!("{id} of qa asks a person on box two")), "{said}");
    let there = two.json(&["inbox", "--json"]);
    assert_eq!((&there["items"][0]["taskId"], &there["elsewhere"]), (&json!(id), &json!([])));
}

#[test]
fn p2_what_a_killed_box_worked_on_is_done_by_another_and_its_dialogs_are_put_away_when_it_is_back()
{
    let Some(shared) = Shared::new() else { return };
    let (one, two) = (shared.joined("one", "all"), shared.joined("two", "all"));
    let first = Served::start(&one);
    let ids: Vec<String> =
        (0..3).map(|_| one.ok(&["delegate", "qa", "linger"], 0).trim().to_owned()).collect();
    let all = |status: &str, attempt: u32| {
        ids.iter().all(|id| {
            let task = task(&two, id);
            task["status"] == status && task["attempt"] == attempt
        })
    };
    assert!(eventually(|| all("running", 1)));
    first.kill();
    // On the second box it takes less than a minute.
    let answers = two.home().workspace().join("answers/m.yaml");
    let slow = fs::read_to_string(&answers).expect("answers");
    fs::write(&answers, slow.replace("delayMs: 60000", "delayMs: 10")).expect("answers");
    shared.move_clock(100);
    let _second = Served::start(&two);
    assert!(eventually(|| boxes_of(&two, "qa") == ["two"]));
    // It works here, and has taken over nothing; a takeover by time alone is tested in the store.
    assert!(all("running", 1), "not before its time");
    shared.move_clock(60);
    assert!(eventually(|| all("done", 2)), "{:?}", tasks(&two));
    for part in ["attempt 2 of 3", "An earlier attempt on one did not come to its end"] {
        assert!(said(&two).contains(part), "the prompt says {part}: {}", said(&two));
    }
    let told = two.ok(&["inbox", "--all"], 0);
    assert_eq!(told.matches("one was not heard of any more: 3 of its tasks").count(), 1, "{told}");
    let _again = Served::start(&one);
    let archived = || {
        let dialogs = one.json(&["dialogs", "--all", "--json"]);
        let dialogs = dialogs.as_array().cloned().unwrap_or_default();
        let away = dialogs.iter().filter(|dialog| dialog["status"] == json!("archived")).count();
        (dialogs.len(), away)
    };
    assert!(
        eventually(|| archived() == (3, 3)),
        "{:?}",
        one.ok(&["dialogs", "--all", "--json"], 0)
    );
    assert!(all("done", 2), "and nothing else changes");
}

#[test]
fn p8_only_the_workspaces_of_the_configuration_use_the_server_and_nothing_in_a_workspace_names_one()
{
    let Some(shared) = Shared::new() else { return };
    let one = shared.joined("one", "all");
    let workspace = one.home().workspace();
    let id = one.ok(&["delegate", "qa", "hi"], 0);
    assert!(!workspace.join(".hive/hive.db").exists(), "it is on the server");
    shared.configure(&one, "one", "all", &workspace.join("elsewhere"));
    assert_eq!(run(&one, &["task", "show", id.trim()]).0, Some(2), "it has its own store now");
    one.ok(&["delegate", "qa", "hi"], 0);
    assert!(workspace.join(".hive/hive.db").exists());
    let url = &shared.url;
    files::put(
        &workspace,
        ".minds/hive/hive.yaml",
        &format!("version: 1\nurl: \"{url}\"\norg: acme\n"),
    );
    let (status, said) = run(&one, &["health"]);
    assert_eq!(status, Some(6), "{said}");
    assert!(said.contains("your own config.yaml") && !said.contains(url.as_str()), "{said}");
    assert_eq!(run(&one, &["task", "show", id.trim()]).0, Some(2), "and it is not used");
}

#[test]
fn p8_a_team_whose_file_is_another_one_elsewhere_is_not_worked_for_here() {
    let Some(shared) = Shared::new() else { return };
    let (one, two) = (shared.joined("one", "all"), shared.joined("two", "all"));
    let other = "lead: qa\nmembers: [qa, tester]\nscope: [other tests]\n";
    files::put(&two.home().workspace(), ".minds/hive/teams/qa.yaml", other);
    let _first = Served::start(&one);
    assert!(eventually(|| boxes_of(&one, "qa") == ["one"]));
    let _second = Served::start(&two);
    assert!(eventually(|| boxes_of(&two, "main") == ["one", "two"]));
    let id = two.ok(&["delegate", "qa", "hi"], 0);
    assert!(eventually(|| task(&two, id.trim())["status"] == "done"));
    assert_eq!(task(&two, id.trim())["box"], json!("one"));
    for command in ["health", "doctor"] {
        let (status, said) = run(&two, &[command]);
        assert_eq!(status, Some(6), "{said}");
        assert!(said.contains("teams/qa.yaml"), "{command} names the file: {said}");
        assert!(!run(&one, &[command]).1.contains("qa.yaml"), "where it is in force");
    }
    assert!(two.ok(&["teams"], 0).contains("(on one)"));
    let mut screen = two.screen(&[]);
    screen.until_shown(&["DIALOGS"]);
    screen.keys("!");
    screen.until_shown(&["another box works for team qa by another file"]);
    screen.keys("\x1b");
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    // With the same file it is worked for on both.
    let same = one.home().workspace().join(".minds/hive/teams/qa.yaml");
    files::put(
        &two.home().workspace(),
        ".minds/hive/teams/qa.yaml",
        &fs::read_to_string(same).expect("a file"),
    );
    assert!(eventually(|| boxes_of(&two, "qa") == ["one", "two"]), "{:?}", boxes_of(&two, "qa"));
}

#[test]
fn what_cannot_be_used_of_the_configuration_is_said_and_no_other_store_is_used_instead() {
    let Some(shared) = Shared::new() else { return };
    let one = shared.joined("one", "all");
    let workspace = one.home().workspace();
    let (place, url) = (workspace.display(), &shared.url);
    for (text, mode, reason) in [
        (
            format!("hive: {{ url: \"{url}\", org: acme, workspaces: [{place}] }}\n"),
            0o644,
            "others can read",
        ),
        (
            format!("hive: {{ urlEnv: NO_SUCH_URL, org: acme, workspaces: [{place}] }}\n"),
            0o600,
            "NO_SUCH_URL is not set",
        ),
        (
            format!("hive: {{ url: \"mysql://s3cret@h/d\", org: acme, workspaces: [{place}] }}\n"),
            0o600,
            "no URL of PostgreSQL",
        ),
        (format!("hive: {{ url: \"{url}\", workspaces: [{place}] }}\n"), 0o600, "hive.org"),
        (
            format!("hive: {{ url: \"{url}\", org: \"a b\", workspaces: [{place}] }}\n"),
            0o600,
            "is no name",
        ),
        (
            format!("hive: {{ url: \"{url}\", org: acme, workspaces: [here] }}\n"),
            0o600,
            "no folders",
        ),
        (
            format!("hive: {{ url: \"{url}\", org: acme, workspaces: [{place}], takeover: 5 }}\n"),
            0o600,
            "unknown setting",
        ),
        ("hive: yes\n".to_owned(), 0o600, "expected a mapping"),
    ] {
        configure(&one, &text, mode);
        let (status, said) = run(&one, &["delegate", "qa", "hi"]);
        assert_eq!(status, Some(6), "{reason}: {said}");
        assert!(said.contains(reason), "{reason}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    assert!(!workspace.join(".hive/hive.db").exists());
}

#[test]
fn r4_while_the_server_is_down_dialogs_go_on_and_tasks_wait_for_it() {
    let Some(shared) = Shared::new() else { return };
    let one = shared.joined("one", "all");
    let nowhere = one.home().workspace().with_file_name("nowhere");
    let down = Shared {
        url: format!("postgres://hive@localhost/postgres?host={}", nowhere.display()),
        name: String::new(),
    };
    down.configure(&one, "one", "all", &one.home().workspace());
    let (status, said) = run(&one, &["delegate", "qa", "hi"]);
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains("the server of the store cannot be reached"), "{said}");
    let is_told = |place: &str| {
        let listed = one.json(&["inbox", "--json"]);
        let why = listed["storeAway"][0]["why"].as_str().unwrap_or_default().to_owned();
        assert!(why.contains("the server of the store cannot be reached"), "{place}: {listed}");
    };
    is_told("without a driver");
    let served = Served::start(&one);
    assert!(one.ok(&["run", "hi"], 0).contains("Hello."));
    one.ok(&["run", "ask"], 3);
    is_told("with a driver");
    let open = one.json(&["q4h", "--json"]);
    let why = open[0]["workUnknown"].as_str().unwrap_or_default();
    assert!(why.contains("cannot be reached"), "{open}");
    let (status, said) = run(&one, &["health"]);
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains("tasks     not known"), "{said}");
    let health = one.json(&["health", "--json"]);
    assert_eq!((&health["engines"], &health["store"]["tasks"]), (&Value::Null, &Value::Null));
    drop(served);
    // The server comes back while the driver runs.
    shared.configure(&one, "one", "all", &one.home().workspace());
    let _served = Served::start(&one);
    let id = one.ok(&["delegate", "qa", "hi"], 0);
    assert!(eventually(|| task(&one, id.trim())["status"] == "done"));
    shared.cut_all();
    let id = one.ok(&["delegate", "qa", "hi"], 0);
    assert!(eventually(|| task(&one, id.trim())["status"] == "done"), "it connects anew");
}

#[test]
fn p4_a_box_that_does_not_reach_the_server_stops_its_tasks_and_continues_them_when_it_does() {
    let Some(shared) = Shared::new() else { return };
    let one = shared.joined("one", "all");
    let answers = one.home().workspace().join("answers/m.yaml");
    let quick =
        fs::read_to_string(&answers).expect("answers").replace("delayMs: 60000", "delayMs: 10");
    fs::write(&answers, quick.replacen("delayMs: 10", "delayMs: 600000", 1)).expect("answers");
    let _served = Served::start(&one);
    let id = one.ok(&["delegate", "qa", "linger"], 0);
    let id = id.trim();
    assert!(eventually(|| task(&one, id)["status"] == "running"));
    let state = |word: &str| said(&one).contains(word);
    assert!(eventually(|| state("generating: true")), "its dialog works");
    shared.admit(false);
    shared.cut_all();
    fs::write(&answers, quick).expect("answers");
    assert!(eventually(|| state("kind: stopped")), "it stops by itself");
    let listed = one.json(&["dialogs", "--json"]);
    let reason = listed[0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("the store cannot be reached"), "{listed}");
    assert!(one.ok(&["run", "hi"], 0).contains("Hello."), "other dialogs go on");
    shared.admit(true);
    assert!(eventually(|| task(&one, id)["status"] == "done"), "{:?}", task(&one, id));
    assert_eq!(task(&one, id)["attempt"], 1, "it went on");
    assert_eq!(tasks(&one).len(), 1);
}
