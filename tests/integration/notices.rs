//! Notices and the history of decisions from the command line and on a screen: without a driver, and with one that runs.

#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::files;
use crate::common::wait::{eventually, next_second};
use crate::serving::Driver;

const FILE: &str = ".minds/hive/hive.yaml";
const CONFIG: &str = "version: 1\nautonomy: { level: major_only }\n";

fn configured(driver: Driver) -> Driver {
    files::put(&driver.home().workspace(), FILE, CONFIG);
    driver
}

/// The status of a command, and all that it said.
fn run(driver: &Driver, args: &[&str]) -> (Option<i32>, String) {
    let ended = driver.run(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

/// All notices that are stored.
fn stored(driver: &Driver) -> Vec<Value> {
    let listed = driver.json(&["inbox", "--all", "--json"]);
    listed["items"].as_array().cloned().unwrap_or_default()
}

fn text_of<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap_or_default()
}

#[test]
fn q14_a_notice_counts_up_is_shown_and_dismissed_with_and_without_a_driver() {
    for driver in [Driver::ended(), Driver::start()] {
        let driver = configured(driver);
        assert_eq!(run(&driver, &["inbox", "--all"]), (Some(0), "there is no news\n".to_owned()));
        assert!(!driver.home().workspace().join(".hive").exists());
        let told = driver.ok(&["run", "--json", "notify"], 0);
        let added = told.lines().find(|line| line.contains("notification_added")).expect("a line");
        let added: Value = serde_json::from_str(added).expect("JSON");
        assert_eq!(added["item"]["title"], json!("The tests pass."));
        driver.ok(&["run", "notify"], 0);
        let items = stored(&driver);
        let [item] = items.as_slice() else { unreachable!("{items:?}") };
        assert_eq!(
            (&item["count"], &item["kind"], &item["status"]),
            (&json!(2), &json!("notice"), &json!("open"))
        );
        assert_eq!((&item["agentId"], &item["level"]), (&json!("lead"), &json!("warning")));
        let id = text_of(item, "id").to_owned();
        let shown = driver.ok(&["inbox", "--show", &id], 0);
        assert!(
            shown.contains("@lead: The tests pass.") && shown.contains("All 12 of them."),
            "{shown}"
        );
        assert_eq!(run(&driver, &["inbox", "--show", "n-no"]).0, Some(2));
        let (status, said) = run(&driver, &["inbox", "--dismiss", &id, "--dismiss", "n-no"]);
        assert_eq!(status, Some(2), "{said}");
        assert_eq!(stored(&driver)[0]["status"], json!("open"), "all or none");
        driver.ok(&["inbox", "--dismiss", &id], 0);
        let item = stored(&driver).remove(0);
        assert_eq!((&item["status"], &item["resolvedBy"]), (&json!("dismissed"), &json!("@human")));
        driver.ok(&["run", "notify"], 0);
        driver.ok(&["inbox", "--dismiss-news"], 0);
        assert!(stored(&driver).iter().all(|item| item["status"] == json!("dismissed")));
    }
}

#[test]
fn q14_what_a_command_dismisses_leaves_the_screen_of_the_driver_that_runs() {
    let driver = configured(Driver::start());
    let screen = driver.screen(&["attach"]);
    driver.ok(&["run", "notify"], 0);
    screen.until_shown(&["1 news", "The tests pass."]);
    let listed = driver.json(&["inbox", "--json", "--kind", "notice"]);
    assert_eq!(listed["items"][0]["title"], json!("The tests pass."), "{listed}");
    assert_eq!(driver.json(&["inbox", "--json", "--kind", "question"])["items"], json!([]));
    driver.ok(&["inbox", "--dismiss-news"], 0);
    screen.until("no news", |shown| !shown.contains("1 news"));
}

#[test]
fn q14_the_history_says_who_decided_what_and_why() {
    let driver = configured(Driver::ended());
    driver.ok(&["run", "ask"], 3);
    driver.ok(&["q4h", "answer", &driver.question(), "blue, like the sea"], 0);
    driver.ok(&["run", "decide"], 3);
    driver.ok(&["q4h", "reject", &driver.question(), "too early"], 0);
    driver.ok(&["run", "ask"], 3);
    driver.ok(&["q4h", "dismiss", &driver.question()], 0);
    driver.ok(&["run", "tell"], 0);
    let history = driver.json(&["inbox", "--history", "--json"]);
    let all = history["decisions"].as_array().cloned().unwrap_or_default();
    let told: Vec<[&str; 4]> = all
        .iter()
        .map(|one| ["result", "by", "what", "reason"].map(|key| text_of(one, key)))
        .map(|[result, by, what, reason]| {
            [
                result,
                by,
                what.lines().next().unwrap_or_default(),
                reason.lines().last().unwrap_or_default(),
            ]
        })
        .collect();
    let dismissed = told.get(1).map(|one| one[3]).unwrap_or_default();
    assert_eq!(
        told,
        [
            ["notified", "@lead", "Make a team?", ""],
            ["dismissed", "@human", "Which colour?", dismissed],
            ["rejected", "@human", "Split the crate?", "too early"],
            ["answered", "@human", "Which colour?", "blue, like the sea"],
        ]
    );
    let found = driver.ok(&["inbox", "--history", "--search", "TOO early"], 0);
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(found.contains("rejected by @human  @lead: Split the crate?"), "{found}");
    assert_eq!(run(&driver, &["inbox", "--search", "x"]).0, Some(2));
}

#[test]
fn q1_a_plain_workspace_has_no_store() {
    let driver = Driver::ended();
    driver.ok(&["run", "ask"], 3);
    driver.ok(&["q4h", "answer", &driver.question(), "blue"], 0);
    assert!(!driver.home().workspace().join(".hive").exists());
    assert_eq!(driver.ok(&["inbox", "--history"], 0), "no decision is recorded\n");
}

#[test]
fn x3_a_store_that_came_with_a_clone_is_not_opened_until_a_person_agrees() {
    let theirs = configured(Driver::ended());
    theirs.ok(&["run", "notify"], 0);
    let ours = configured(Driver::ended());
    let (from, to) =
        (theirs.home().workspace().join(".hive"), ours.home().workspace().join(".hive"));
    fs::create_dir(&to).expect("a folder");
    for name in ["hive.db", "seat"] {
        fs::copy(from.join(name), to.join(name)).expect("a copy");
    }
    for args in [&["inbox", "--all"][..], &["delegate", "main", "Look."]] {
        let (status, said) = run(&ours, args);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("dominds-tui trust"), "{said}");
    }
    let open = ours.json(&["inbox", "--json"]);
    let why = open["storeAway"][0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("dominds-tui trust"), "{open}");
    let (_, listed) = run(&ours, &["trust"]);
    assert!(listed.contains("store .hive: opens a database that was not made here"), "{listed}");
    ours.ok(&["trust", "--yes"], 0);
    assert_eq!(stored(&ours)[0]["title"], json!("The tests pass."));
    assert_eq!(stored(&theirs)[0]["title"], json!("The tests pass."), "its own");
}

#[test]
fn r4_a_damaged_store_is_a_problem_stays_as_it_is_and_stops_no_dialog() {
    let driver = configured(Driver::ended());
    driver.ok(&["run", "notify"], 0);
    let database = driver.home().workspace().join(".hive/hive.db");
    let garbage = "no database ".repeat(100);
    fs::write(&database, &garbage).expect("written");
    for args in [&["doctor"][..], &["inbox", "--all"], &["inbox", "--history"]] {
        let (status, said) = run(&driver, args);
        assert_eq!(status, Some(6), "{said}");
        assert!(said.contains(".hive/hive.db cannot be read"), "{said}");
    }
    let listed = driver.json(&["inbox", "--json"]);
    let why = listed["storeAway"][0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("cannot be read"), "what is not known is no empty list: {listed}");
    let told = driver.ok(&["run", "--json", "notify"], 0);
    assert!(told.contains(r#""ok":false"#), "the member is told: {told}");
    assert!(told.contains("hive/store"), "and so is the person: {told}");
    assert_eq!(fs::read_to_string(&database).expect("a file"), garbage);
}

#[test]
fn q14_news_is_listed_where_no_driver_runs() {
    let driver = configured(Driver::ended());
    driver.ok(&["run", "notify"], 0);
    let listed = driver.json(&["inbox", "--json"]);
    assert_eq!(listed["items"][0]["title"], json!("The tests pass."), "{listed}");
}

/// Keys that answer, and the texts that are typed with them: `keys` counts only the keys.
struct Hand {
    screen: crate::common::pty::Program,
    keys: usize,
}

impl Hand {
    fn key(&mut self, key: &str) -> &mut Self {
        self.keys += 1;
        self.screen.keys(key);
        // Text that arrives together with a line end counts as a paste.
        thread::sleep(Duration::from_millis(100));
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.screen.keys(text);
        self
    }

    fn until(&mut self, text: &str) -> &mut Self {
        self.screen.until_shown(&[text]);
        self
    }
}

#[test]
fn q19_five_mixed_items_take_at_most_twenty_keys() {
    for (columns, rows) in [(120, 40), (60, 20)] {
        let driver = configured(Driver::start());
        for asks in ["plan", "choose", "decide", "ask"] {
            driver.ok(&["run", asks], 3);
            // The inbox is ordered by seconds.
            next_second();
        }
        driver.ok(&["run", "notify"], 0);
        let screen = driver.screen_of(&["attach"], columns, rows);
        let mut hand = Hand { screen, keys: 0 };
        hand.until("Which database?").key("a").key("\r");
        hand.until("Does the API page?").text("no").key("\r");
        hand.until("Which licence").key("b").key("\r");
        // A question that is not wholly on the screen is not approved.
        hand.until("Split the crate?").until("reject").key("a").key("\r");
        hand.until("Which colour?").text("blue").key("\r");
        hand.key("\x1b2").key("G");
        hand.until("x dismiss").key("x");
        let is_over = || {
            driver.json(&["q4h", "--json"]) == json!([])
                && stored(&driver).iter().all(|item| item["status"] == json!("dismissed"))
        };
        assert!(eventually(is_over), "{columns}x{rows}: {}", hand.screen.screen());
        assert!(hand.keys <= 20, "{} keys", hand.keys);
    }
}
