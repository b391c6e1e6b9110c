//! What teams remember, from the command line: without a driver, and with one that runs.

use std::fs;
use std::thread;

use serde_json::{Value, json};

use crate::common::files;
use crate::common::wait::eventually;
use crate::serving::Driver;
use crate::teams::run;

fn with_memory(driver: Driver) -> Driver {
    files::put(&driver.home().workspace(), ".minds/hive/hive.yaml", "memory: on\n");
    driver
}

fn keys(listed: &Value) -> Vec<&str> {
    let rows = listed["memories"].as_array().into_iter().flatten();
    rows.filter_map(|row| row["key"].as_str()).collect()
}

#[test]
fn s12_10_where_memory_is_not_on_no_command_makes_a_store() {
    let driver = Driver::ended();
    let (status, said) = run(&driver, &["memory", "list"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("`memory: on`"), "{said}");
    assert!(!driver.home().workspace().join(".hive").exists());
}

#[test]
fn a_person_saves_finds_corrects_deletes_and_restores_with_and_without_a_driver() {
    for driver in [Driver::ended(), Driver::start()] {
        let driver = with_memory(driver);
        let text = "Increase the pool of connections.";
        let save = ["memory", "save", "redis-timeout", text, "--type", "lesson", "--json"];
        let saved = driver.json(&save);
        assert_eq!((&saved["type"], &saved["supersedes"]), (&json!("lesson"), &Value::Null));
        assert_eq!(driver.json(&save)["unchanged"], json!(true));
        let other = ["memory", "save", "redis-timeout", "Close it.", "--type", "lesson"];
        let (status, said) = run(&driver, &other);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("Active memory 'redis-timeout' already exists."), "{said}");
        let replace = [&other[..], &["--reason", "a leak", "--json"]].concat();
        assert_eq!(driver.json(&replace)["supersedes"], saved["id"]);
        let found = driver.json(&["memory", "search", "redis connection", "--json"]);
        assert_eq!(keys(&found), ["redis-timeout", "redis-timeout"]);
        let old = &found["memories"][1];
        assert_eq!((&old["isActive"], &old["updatedBy"]), (&json!(false), &json!("@human")));
        assert_eq!(old["snippet"], json!(format!("[SUPERSEDED] {text}")));
        let listed = driver.json(&["memory", "list", "--team", "*", "--json"]);
        assert_eq!((keys(&listed), &listed["total"]), (vec!["redis-timeout"], &json!(1)));
        let chain = driver.json(&["memory", "show", "redis-timeout", "--chain", "--json"]);
        assert_eq!(chain["chain"].as_array().map(Vec::len), Some(2));
        assert_eq!(run(&driver, &["memory", "delete", "redis-timeout"]).0, Some(2));
        driver.ok(&["memory", "delete", "redis-timeout", "--yes"], 0);
        assert_eq!(run(&driver, &["memory", "delete", "redis-timeout", "--yes"]).0, Some(1));
        assert_eq!(driver.ok(&["memory", "search", "redis"], 0), "nothing was found\n");
        driver.ok(&["memory", "restore", "redis-timeout"], 0);
        let shown = driver.ok(&["memory", "show", "redis-timeout"], 0);
        assert!(shown.starts_with("[LESSON] main redis-timeout") && shown.contains("Close it."));
        assert_eq!(driver.json(&["memory", "reindex", "--json"])["memories"], json!(2));
        assert_eq!(run(&driver, &["memory", "list", "--team", "none"]).0, Some(2));
        driver.ok(&["health"], 0);
    }
}

#[test]
fn s12_9_memories_are_exported_and_become_a_part_of_the_texts_of_a_member() {
    let driver = with_memory(Driver::ended());
    let workspace = driver.home().workspace();
    driver.ok(&["memory", "save", "a/b", "The build needs make.", "--type", "lesson"], 0);
    let folder = workspace.join("kept");
    let to = folder.to_string_lossy().into_owned();
    let files = driver.json(&["memory", "export", &to, "--json"]);
    let name = files["files"][0].as_str().expect("a file").to_owned();
    assert!(name.starts_with("a-b-"), "{name}");
    let text = fs::read_to_string(folder.join(&name)).expect("a file");
    assert!(
        text.contains("key: \"a/b\"") && text.ends_with("\n\nThe build needs make.\n"),
        "{text}"
    );
    assert_eq!(run(&driver, &["memory", "export", &to]).0, Some(6), "nothing is overwritten");
    files::put(&workspace, ".minds/team/lead/knowhow.md", "Known before.\n");
    for _ in 0..2 {
        driver.ok(&["memory", "promote", "a/b", "--to", "lead"], 0);
        let knowhow = fs::read_to_string(workspace.join(".minds/team/lead/knowhow.md"));
        assert_eq!(knowhow.expect("a file"), "Known before.\n\nThe build needs make.\n");
    }
    let listed = driver.json(&["memory", "list", "--json"]);
    assert_eq!(listed["memories"][0]["type"], json!("historical"));
    driver.ok(&["memory", "save", "short", "make"], 0);
    driver.ok(&["memory", "promote", "short", "--to", "lead"], 0);
    let knowhow = fs::read_to_string(workspace.join(".minds/team/lead/knowhow.md"));
    assert!(knowhow.expect("a file").ends_with("needs make.\n\nmake\n"), "words are no text");
    assert_eq!(run(&driver, &["memory", "promote", "a/b", "--to", "nobody"]).0, Some(2));
}

#[test]
fn s12_6_of_two_programs_that_save_a_key_at_once_one_is_refused() {
    let driver = with_memory(Driver::ended());
    driver.ok(&["memory", "list"], 0);
    for n in 0..5 {
        let key = format!("k{n}");
        let save = |text: &str| run(&driver, &["memory", "save", key.as_str(), text]);
        let said = thread::scope(|scope| {
            let (one, two) = (scope.spawn(|| save("one")), scope.spawn(|| save("two")));
            [one, two].map(|saved| saved.join().expect("a thread"))
        });
        let mut statuses: Vec<Option<i32>> = said.iter().map(|(status, _)| *status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [Some(0), Some(1)], "{said:?}");
        assert!(said.iter().any(|(_, said)| said.contains(&format!("'{key}' already exists"))));
        let chain = driver.json(&["memory", "show", &key, "--chain", "--json"]);
        assert_eq!(chain["chain"].as_array().map(Vec::len), Some(1), "{chain}");
    }
}

#[test]
fn s12_9_a_promotion_that_was_killed_is_finished_by_the_next_one() {
    let driver = with_memory(Driver::ended());
    let file = driver.home().workspace().join(".minds/team/lead/knowhow.md");
    let text = |n: u32| format!("The build of part {n} needs make.");
    let knowhow = || fs::read_to_string(&file).unwrap_or_default();
    for n in 0..8 {
        let key = format!("part-{n}");
        driver.ok(&["memory", "save", &key, &text(n), "--type", "lesson"], 0);
        let promote = ["memory", "promote", key.as_str(), "--to", "lead"];
        let mut killed = driver.spawn(&promote);
        // Half of them before the file is written, as far as that can be seen.
        if n % 2 == 0 {
            assert!(eventually(|| knowhow().contains(&text(n))), "{n}");
        }
        killed.kill().expect("a kill");
        killed.wait().expect("an end");
        driver.ok(&promote, 0);
        let shown = driver.json(&["memory", "show", &key, "--json"]);
        assert_eq!(shown["type"], json!("historical"), "{n}");
        assert_eq!(knowhow().matches(&text(n)).count(), 1, "{n}");
    }
    let paragraphs: Vec<String> =
        knowhow().split("\n\n").map(|one| one.trim().to_owned()).collect();
    assert_eq!(paragraphs, (0..8).map(text).collect::<Vec<_>>());
    driver.ok(&["health"], 0);
}
