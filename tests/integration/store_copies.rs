//! Copies of the store from the command line, and how it is.

#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::fs;

use serde_json::{Value, json};

use crate::common::files;
use crate::serving::Driver;

fn configured(driver: Driver) -> Driver {
    files::put(&driver.home().workspace(), ".minds/hive/hive.yaml", "version: 1\n");
    driver
}

fn run(driver: &Driver, args: &[&str]) -> (Option<i32>, String) {
    let ended = driver.run(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

fn notices(driver: &Driver) -> usize {
    let listed: Value = driver.json(&["inbox", "--all", "--json"]);
    listed["items"].as_array().map_or(0, Vec::len)
}

#[test]
fn r4_a_damaged_store_is_replaced_by_a_copy_and_both_are_kept() {
    let driver = configured(Driver::ended());
    let workspace = driver.home().workspace();
    assert_eq!(run(&driver, &["hive", "backup", "copy.db"]).0, Some(1), "there is none");
    for _ in 0..2 {
        driver.ok(&["run", "notify"], 0);
    }
    let copies = fs::read_dir(workspace.join(".hive/backups")).expect("copies").count();
    assert_eq!(copies, 1, "that of this day");
    let copy = workspace.join("copy.db");
    let name = copy.to_str().expect("UTF-8");
    driver.ok(&["hive", "backup", name], 0);
    let (status, said) = run(&driver, &["hive", "backup", name]);
    assert_eq!(status, Some(6), "it is not overwritten: {said}");
    let health = driver.json(&["health", "--json"]);
    assert_eq!((&health["ok"], &health["store"]["state"]), (&json!(true), &json!("ok")));
    assert!(health["store"]["newestCopy"].is_string(), "{health}");
    let garbage = "no database ".repeat(100);
    fs::write(workspace.join(".hive/hive.db"), &garbage).expect("written");
    let (status, said) = run(&driver, &["health"]);
    assert_eq!(status, Some(6), "{said}");
    assert!(said.contains("cannot be read"), "{said}");
    assert_eq!(run(&driver, &["hive", "restore", "none.db"]).0, Some(6));
    let said = driver.ok(&["hive", "restore", name], 0);
    let aside = said.lines().find_map(|line| line.strip_prefix("the one before it is in "));
    let kept = fs::read_to_string(format!("{}/hive.db", aside.expect("a folder")));
    assert_eq!(kept.expect("a file"), garbage);
    assert_eq!((notices(&driver), run(&driver, &["health"]).0), (1, Some(0)));
    let (status, said) = run(&driver, &["hive", "reset"]);
    assert_eq!(status, Some(2), "{said}");
    driver.ok(&["hive", "reset", "--yes"], 0);
    assert_eq!(notices(&driver), 0);
    driver.ok(&["run", "notify"], 0);
    assert_eq!(notices(&driver), 1);
}

#[test]
fn r4_a_store_in_use_is_copied_and_not_replaced() {
    let driver = configured(Driver::start());
    driver.ok(&["run", "notify"], 0);
    let copy = driver.home().workspace().join("copy.db");
    let name = copy.to_str().expect("UTF-8");
    driver.ok(&["hive", "backup", name], 0);
    for args in [&["hive", "restore", name][..], &["hive", "reset", "--yes"]] {
        let (status, said) = run(&driver, args);
        assert_eq!(status, Some(5), "{said}");
    }
    let health = driver.json(&["health", "--json"]);
    assert_eq!(health["driver"]["running"], json!(true), "{health}");
    assert_eq!(notices(&driver), 1);
}
