//! Questions with parts, answered from the command line: without a driver, and by one that runs.

#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use serde_json::{Value, json};

use crate::serving::Driver;

/// A workspace in which two things are asked at once.
fn asked(driver: Driver) -> (Driver, String) {
    driver.ok(&["run", "plan"], 3);
    let question = driver.question();
    (driver, question)
}

/// Returns the status of a command, its output, and its error output.
fn run(driver: &Driver, args: &[&str]) -> (Option<i32>, String, String) {
    let ended = driver.run(args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

fn answers(driver: &Driver) -> Vec<Value> {
    let open = driver.json(&["q4h", "--json"]);
    let parts = open.pointer("/0/parts").and_then(Value::as_array).cloned().unwrap_or_default();
    parts.into_iter().map(|part| part["answer"].clone()).collect()
}

#[test]
fn q02_a_part_is_kept_with_status_3_and_the_last_one_lets_the_dialog_go_on() {
    for driver in [Driver::ended(), Driver::start()] {
        let (driver, question) = asked(driver);
        let shown = driver.json(&["q4h", "show", &question, "--json"]);
        assert_eq!((&shown["kind"], &shown["parts"][1]["id"]), (&json!("parts"), &json!("q2")));
        assert_eq!(
            shown["parts"][0]["options"][1],
            json!({ "key": "b", "label": "SQLite", "pros": "one file", "cons": null })
        );
        let told = driver.ok(&["q4h", "answer", &question, "--part", "q1=a", "--json"], 3);
        let kept = format!(r#""id":"{question}","part":"q1""#);
        assert!(told.contains(r#""event":"part_answered""#) && told.contains(&kept), "{told}");
        assert_eq!(answers(&driver)[0]["option"], "a");
        assert_eq!(answers(&driver)[1], Value::Null);
        let plain = driver.ok(&["q4h", "show", &question], 0);
        assert!(plain.contains("a: PostgreSQL") && plain.contains("q2: open"), "{plain}");
        let told =
            driver.ok(&["q4h", "answer", &question, "--part", "q2=yes, cursors", "--json"], 0);
        assert!(told.contains(r#""outcome":"done""#), "{told}");
        assert_eq!(driver.json(&["q4h", "--json"]), json!([]));
        let root = shown["rootId"].as_str().unwrap_or_default();
        let shown = driver.ok(&["show", root], 0);
        assert!(shown.contains("a: PostgreSQL") && shown.contains("yes, cursors"), "{shown}");
    }
}

#[test]
fn q03_what_is_wrong_with_an_answer_is_said_with_its_status() {
    let (driver, question) = asked(Driver::ended());
    let answer = |more: &[&str]| {
        let args: Vec<&str> = ["q4h", "answer", &question].iter().chain(more).copied().collect();
        let (status, _, said) = run(&driver, &args);
        (status, said)
    };
    assert_eq!(answer(&["--part", "q1=a", "--no-drive"]).0, Some(3));
    for (more, status, said) in [
        (&["--part", "q1=b"][..], 1, "q1 has an answer already"),
        (&["--part", "q1=z", "--replace"], 1, "q1 has no option z; its options are a, b"),
        (&["--part", "q9=z"], 2, "this question has no part q9; its parts: q1, q2"),
        (&["--part", "q2"], 2, "write it as ID=TEXT"),
        (&["--part", "q2= "], 2, "an answer needs some text"),
        (&["--recommended"], 1, "no open part of this question has a recommended option"),
        (&["--recommended", "--part", "q2=x"], 2, "cannot be used with"),
        (&["text", "--part", "q2=x"], 2, "cannot be used with"),
        (&[], 2, "required"),
    ] {
        let (code, told) = answer(more);
        assert_eq!(code, Some(status), "{more:?}: {told}");
        assert!(told.contains(said), "{more:?}: {told}");
    }
    assert_eq!(answers(&driver)[0]["option"], "a", "what was refused changed something");
    assert_eq!(answer(&["--part", "q1=b", "--replace", "--no-drive"]).0, Some(3));
    assert_eq!(answers(&driver)[0]["option"], "b");
}

#[test]
fn q04_a_question_is_dismissed_and_one_that_is_closed_says_by_whom() {
    let (driver, question) = asked(Driver::ended());
    driver.ok(&["q4h", "answer", &question, "--recommended", "--no-drive"], 3);
    assert_eq!(run(&driver, &["q4h", "dismiss", &question, "--part", "q7"]).0, Some(2));
    driver.ok(&["q4h", "dismiss", &question, "--part", "q2"], 0);
    let (status, _, said) = run(&driver, &["q4h", "answer", &question, "late"]);
    assert_eq!(status, Some(1));
    assert!(said.contains("it was answered already, by @human"), "{said}");
    let (status, _, said) = run(&driver, &["q4h", "answer", "q4h-no/such", "late"]);
    assert_eq!(status, Some(2), "{said}");
}
