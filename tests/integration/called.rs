//! The driver calls the person, once for each question, with or without screens; and the examples of the
//! documents for a phone and a status line work as they are.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::files;
use crate::common::http::{page, serve};
use crate::common::skip::has;
use crate::common::wait::{LIMIT, eventually, output};
use crate::serving::Driver;

const PAGE: &str = include_str!("../../docs/scripting.md");
/// Longer than what comes together is called for together, and than the time between two calls.
const SETTLED: Duration = Duration::from_secs(4);
const FOCUSED: &str = "\x1b[I";
const NOT_FOCUSED: &str = "\x1b[O";

/// A driver whose calls are lines of a file.
fn driver() -> (Driver, impl Fn() -> usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let called = folder.path().join("called");
    let setting = format!("notify_command: [sh, -c, 'cat >> \"$0\"', '{}']\n", called.display());
    let driver = Driver::start_with(&setting);
    // The folder is kept as long as the calls are counted.
    let calls = move || {
        let _ = &folder;
        fs::read_to_string(&called).map_or(0, |text| text.lines().count())
    };
    (driver, calls)
}

/// Asks another question and checks the number of calls it leads to.
fn asks(driver: &Driver, calls: &impl Fn() -> usize, expected: usize) {
    let before = calls();
    driver.ok(&["run", "--json", "ask"], 3);
    if expected > 0 {
        assert!(eventually(|| calls() > before), "nobody was called");
    }
    std::thread::sleep(SETTLED);
    assert_eq!(calls() - before, expected);
}

#[test]
fn a_question_calls_once_with_any_number_of_screens_and_not_while_one_shows_it_to_somebody() {
    let (driver, calls) = driver();
    asks(&driver, &calls, 1);
    let mut first = driver.screen(&["attach"]);
    let second = driver.screen(&["attach"]);
    for screen in [&first, &second] {
        screen.until_shown(&["Which colour?"]);
    }
    asks(&driver, &calls, 1);
    // Somebody looks at the inbox of the first one.
    first.keys(FOCUSED);
    first.keys("2");
    asks(&driver, &calls, 0);
    first.keys(NOT_FOCUSED);
    asks(&driver, &calls, 1);
    // A screen that is looked at and goes is looked at no more.
    first.keys(FOCUSED);
    first.kill();
    drop((first, second));
    asks(&driver, &calls, 1);
}

#[test]
fn a_program_that_does_not_work_is_a_problem_until_it_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let works = folder.path().join("works");
    let setting = format!("notify_command: [sh, -c, 'test -e \"$0\"', '{}']\n", works.display());
    let driver = Driver::start_with(&setting);
    let screen = driver.screen_of(&["attach"], 120, 40);
    driver.ok(&["run", "--json", "ask"], 3);
    screen.until_shown(&["nobody was called"]);
    fs::write(&works, "").expect("a file");
    driver.ok(&["run", "--json", "ask"], 3);
    assert!(eventually(|| !screen.screen().contains("nobody was called")), "{}", screen.screen());
}

/// The text of the example after a heading, without its fence.
fn example(heading: &str) -> &'static str {
    let section = PAGE.split(&format!("## {heading}\n")).nth(1).expect("a section");
    let fenced = section.split("```").nth(1).expect("an example");
    fenced.split_once('\n').expect("a line").1
}

#[test]
fn the_example_for_a_phone_posts_the_text() {
    if !has("curl") || !has("jq") {
        return;
    }
    let (posted, posts) = std::sync::mpsc::channel();
    let port = serve("127.0.0.1:0", move |request| {
        posted.send(request.clone()).expect("somebody waits");
        Some(page("200 OK", "text/plain", ""))
    });
    let url = format!("http://127.0.0.1:{port}/topic");
    let setting = example("notify_command").replace("https://ntfy.sh/my-secret-topic", &url);
    assert!(setting.contains(&url), "{setting}");
    let driver = Driver::start_with(&setting);
    driver.ok(&["run", "--json", "ask"], 3);
    let request = posts.recv_timeout(LIMIT).expect("a request");
    assert!(request.head.starts_with("POST /topic "), "{request:?}");
    assert!(request.body.ends_with("@lead Which colour?\n"), "{request:?}");
}

#[test]
fn the_example_for_a_status_line_prints_how_many_questions_are_open() {
    let (driver, _) = Driver::asking();
    let workspace = driver.home().workspace();
    let command = example("Status line").split("#(").nth(1).and_then(|text| text.split(')').next());
    let command =
        command.expect("a command").replace("~/project", &workspace.display().to_string());
    // Run as by tmux.
    let script = command.replace("dominds-tui", env!("CARGO_BIN_EXE_dominds-tui"));
    let ran = output(
        Command::new("/bin/sh").args(["-c", &script]).env_clear().envs(driver.home().environment()),
    );
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "1?\n", "{ran:?}");
}

#[test]
fn a_question_that_is_put_off_is_not_counted_until_it_is_back() {
    let (mut driver, question) = Driver::asking();
    let file = driver.home().workspace().join(".dialogs/.tui/drafts.json");
    let key = format!("later/{question}");
    let until = || -> Option<i64> {
        let stored: Value = serde_json::from_str(&fs::read_to_string(&file).ok()?).ok()?;
        stored.get(&key)?.as_str()?.parse().ok()
    };
    let mut screen = driver.screen(&["attach"]);
    screen.until_shown(&["Which colour?"]);
    assert_eq!(driver.ok(&["inbox", "--count"], 0), "1?\n");
    screen.keys("\x1b2");
    screen.keys("Z");
    screen.until_shown(&["minutes, or hours"]);
    screen.keys("\r");
    assert!(eventually(|| until().is_some()), "{}", screen.screen());
    assert_eq!(driver.ok(&["inbox", "--count"], 0), "");
    let (back, listed) = (until().expect("a time"), driver.json(&["q4h", "--json"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "it is open all the same");
    screen.keys("B");
    assert!(eventually(|| driver.ok(&["inbox", "--count"], 0) == "1?\n"), "{}", screen.screen());
    screen.kill();
    driver.quit();
    // Without a driver, before that time and after it.
    for (back, counted) in [(back, ""), (back - 60 * 60, "1?\n")] {
        let stored = format!("{{\"{key}\":\"{back}\"}}");
        files::put(&driver.home().workspace(), ".dialogs/.tui/drafts.json", &stored);
        assert_eq!(driver.ok(&["inbox", "--count"], 0), counted);
    }
}

#[test]
fn tmux_takes_the_example_for_its_status_line() {
    if !has("tmux") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    files::put(folder.path(), "tmux.conf", example("Status line"));
    let tmux = |words: &[&str]| {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", "test", "-f", "tmux.conf"]).args(words).current_dir(folder.path());
        tmux.env_clear().env("TMUX_TMPDIR", folder.path()).env("TERM", "xterm");
        tmux.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        String::from_utf8_lossy(&output(tmux.stdin(Stdio::null())).stdout).into_owned()
    };
    tmux(&["new-session", "-d", "sleep 60"]);
    let set = tmux(&["show-options", "-gv", "status-right"]);
    tmux(&["kill-server"]);
    assert!(set.contains("#(dominds-tui -C ~/project inbox --count)"), "{set}");
}

#[test]
fn the_count_is_that_of_the_list_with_a_driver_and_without() {
    let (mut driver, _) = Driver::asking();
    for open in 1..3 {
        let listed = driver.json(&["q4h", "--json"]);
        assert_eq!(listed.as_array().map(Vec::len), Some(open));
        assert_eq!(driver.ok(&["inbox", "--count"], 0), format!("{open}?\n"));
        driver.ok(&["run", "--json", "ask"], 3);
    }
    driver.quit();
    assert_eq!(driver.ok(&["inbox", "--count"], 0), "3?\n");
    for question in driver.json(&["q4h", "--json"]).as_array().expect("a list") {
        let id = question.get("id").and_then(Value::as_str).expect("an id");
        driver.ok(&["q4h", "dismiss", id, "--no-drive"], 0);
    }
    assert_eq!(driver.ok(&["inbox", "--count"], 0), "");
    assert_eq!(driver.ok(&["inbox", "--count", "ssh://box/srv"], 0), "?\n");
}
