//! Approvals and autonomy from the command line: without a driver, and with one that runs.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::fs;
use std::sync::Arc;
use std::thread;

use dominds_tui::store::{Access, Store, StoreOptions};
use serde_json::{Value, json};

use crate::common::calls::FixedClock;
use crate::common::files;
use crate::serving::Driver;

const FILE: &str = ".minds/hive/hive.yaml";

/// The status of a command, and all that it said.
fn run(driver: &Driver, args: &[&str]) -> (Option<i32>, String) {
    let ended = driver.run(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

fn config(driver: &Driver) -> String {
    fs::read_to_string(driver.home().workspace().join(FILE)).expect("a file")
}

/// A decision that waits for approval, and its id.
fn asked(driver: &Driver) -> String {
    driver.ok(&["autonomy", "major_only"], 0);
    driver.ok(&["run", "decide"], 3);
    driver.question()
}

/// Returns the transcript of the first main dialog.
fn shown(driver: &Driver) -> String {
    let dialogs = driver.json(&["dialogs", "--json"]);
    let root = dialogs.pointer("/0/rootId").and_then(Value::as_str).expect("a dialog").to_owned();
    driver.ok(&["show", &root], 0)
}

#[test]
fn q12_a_decision_is_approved_or_rejected_from_the_command_line() {
    for driver in [Driver::ended(), Driver::start()] {
        for (verdict, told) in [
            (&["approve"][..], "Approved."),
            (&["approve", "but keep the tests"], "Approved.\nbut keep the tests"),
            (&["reject", "too early"], "Rejected.\ntoo early"),
            (&["dismiss"], "Rejected."),
        ] {
            let id = asked(&driver);
            let open = driver.json(&["q4h", "show", &id, "--json"]);
            assert_eq!(
                (&open["kind"], &open["category"], &open["diff"]),
                (&json!("approval"), &json!("scopeChanges"), &json!("-a\n+b\n"))
            );
            let (word, more) = verdict.split_first().expect("a word");
            let args: Vec<&str> =
                ["q4h", *word, &id].into_iter().chain(more.iter().copied()).collect();
            let answered = run(&driver, &args);
            assert_eq!(answered.0, Some(0), "{args:?}: {answered:?}");
            let shown = shown(&driver);
            for line in told.lines() {
                assert!(shown.contains(line), "{args:?}: {shown}");
            }
            let (status, said) = run(&driver, &["q4h", "approve", &id]);
            assert_eq!(status, Some(1));
            assert!(said.contains("it was answered already, by @human"), "{said}");
        }
    }
}

#[test]
fn q12_what_cannot_be_approved_is_said_with_its_status() {
    let driver = Driver::ended();
    let id = asked(&driver);
    let (status, said) = run(&driver, &["q4h", "answer", &id, "looks fine"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("choose first: a (approve), x (reject)"), "{said}");
    driver.ok(&["q4h", "answer", &id, "yes", "--no-drive"], 0);
    driver.ok(&["run", "ask"], 3);
    let question = driver.question();
    let (status, said) = run(&driver, &["q4h", "approve", &question]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("is a question, not an approval: use `dominds-tui q4h answer"), "{said}");
    assert_eq!(run(&driver, &["q4h", "reject", "q4h-no"]).0, Some(2));
    assert_eq!(run(&driver, &["q4h", "approve"]).0, Some(2));
}

#[test]
fn q16_of_two_clients_that_decide_at_the_same_moment_one_is_told_by_whom_it_was_done() {
    let driver = Driver::start();
    for _ in 0..4 {
        let id = asked(&driver);
        let both = thread::scope(|scope| {
            let decide = |word: &'static str| {
                let (driver, id) = (&driver, id.as_str());
                scope.spawn(move || run(driver, &["q4h", word, id]))
            };
            [decide("approve"), decide("reject")].map(|one| one.join().expect("a status"))
        });
        let (done, refused): (Vec<_>, Vec<_>) =
            both.iter().partition(|(status, _)| *status == Some(0));
        assert_eq!((done.len(), refused.len()), (1, 1), "{both:?}");
        for (status, said) in refused {
            assert_eq!(*status, Some(1), "{said}");
            assert!(said.contains("it was answered already, by @human at"), "{said}");
        }
    }
}

#[test]
fn q16_a_second_process_that_cannot_reach_the_first_changes_nothing() {
    let driver = Driver::ended();
    let id = asked(&driver);
    let options = StoreOptions::new(Arc::new(FixedClock));
    let held = Store::open(&driver.home().workspace(), Access::ReadWrite, options);
    for args in [&["approve"][..], &["dismiss"], &["answer", "--recommended"]] {
        let all = ["q4h"].into_iter().chain(args.iter().copied()).chain([id.as_str()]);
        let args: Vec<&str> = all.collect();
        assert_eq!(run(&driver, &args).0, Some(5), "{args:?}");
    }
    drop(held.expect("a store"));
    driver.ok(&["q4h", "approve", &id], 0);
}

#[test]
fn q11_a_level_is_chosen_for_the_workspace_a_team_or_a_member_and_comments_stay() {
    for driver in [Driver::ended(), Driver::start()] {
        let before = "# mine\nautonomy:\n  level: confirm_all  # for now\n";
        files::put(&driver.home().workspace(), FILE, before);
        driver.ok(&["autonomy", "full"], 0);
        assert_eq!(config(&driver), before.replace("confirm_all", "full"));
        let held = driver.json(&["autonomy", "--json"]);
        assert_eq!((&held["level"], &held["unagreed"]), (&json!("full"), &json!([])));
        assert_eq!(held["members"]["lead"]["scopeChanges"], "automated", "it was agreed to");
        driver.ok(&["autonomy", "major_only", "--member", "@lead"], 0);
        let held = driver.json(&["autonomy", "--json"]);
        assert_eq!(held["members"]["lead"]["scopeChanges"], "requires_approval");
        let said = driver.ok(&["autonomy", "confirm_all", "--team", "main"], 0);
        assert!(said.contains("@lead: scopeChanges requires_approval"), "{said}");
        for (args, status) in [
            (&["autonomy", "some"][..], 2),
            (&["autonomy", "full", "--member", "nobody"], 2),
            (&["autonomy", "full", "--team", "others"], 2),
            (&["autonomy", "--member", "lead"], 2),
        ] {
            assert_eq!(run(&driver, args).0, Some(status), "{args:?}");
        }
        let after = config(&driver);
        assert!(after.starts_with("# mine\n") && after.contains("# for now"), "{after}");
    }
}

#[test]
fn h18_what_a_clone_leaves_to_members_holds_only_once_it_is_agreed_to() {
    let driver = Driver::ended();
    files::put(&driver.home().workspace(), FILE, "autonomy: { scopeChanges: automated }\n");
    let scope = |driver: &Driver| {
        driver.json(&["autonomy", "--json"])["members"]["lead"]["scopeChanges"].clone()
    };
    assert_eq!(scope(&driver), "requires_approval");
    driver.ok(&["autonomy", "major_only"], 0);
    let said = driver.ok(&["autonomy"], 0);
    assert!(said.contains("workspace: nobody has agreed"), "{said}");
    assert_eq!(scope(&driver), "requires_approval", "a level agrees to nothing beside it");
    let waiting = run(&driver, &["trust"]).1;
    assert!(waiting.contains("autonomy workspace: decides alone: scopeChanges"), "{waiting}");
    driver.ok(&["trust", "--yes"], 0);
    assert_eq!(scope(&driver), "automated");
}

#[test]
fn a_file_that_cannot_be_changed_is_named_and_stays() {
    let driver = Driver::ended();
    for text in ["autonomy: full\n", "- a\n", "autonomy: [\n"] {
        files::put(&driver.home().workspace(), FILE, text);
        let (status, said) = run(&driver, &["autonomy", "full"]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains(FILE), "{said}");
        assert_eq!(config(&driver), text);
    }
}
