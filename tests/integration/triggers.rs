//! Triggers from the command line: without a driver, with one that runs, and with one that is killed.

use serde_json::{Value, json};

use crate::common::files;
use crate::common::wait::eventually;
use crate::serving::Driver;
use crate::teams::{run, tasks, with_teams};

const WATCH: &[&str] = &["trigger", "create", "qa", "watch", "--type", "keyword", "--config"];

fn create(driver: &Driver, more: &[&str]) -> (Option<i32>, String) {
    let config = [r#"{"pattern":"deploy failed"}"#, "--task", "hi"];
    run(driver, &[WATCH, &config, more].concat())
}

fn shown(driver: &Driver) -> Value {
    driver.json(&["trigger", "show", "qa", "watch", "--json"])
}

#[test]
fn s8_1_a_trigger_is_made_tried_and_enabled_and_a_message_makes_its_task() {
    let driver = with_teams(Driver::start());
    assert_eq!(create(&driver, &[]).0, Some(0));
    let (_, said) = run(&driver, &["send", "The deploy failed."]);
    assert!(said.contains("those that are not enabled hear nothing"), "{said}");
    let (status, said) = create(&driver, &[]);
    assert_eq!(
        (status, said.contains("Trigger 'watch' already exists")),
        (Some(1), true),
        "{said}"
    );
    assert_eq!(
        (&shown(&driver)["state"], &shown(&driver)["running"]),
        (&json!("pending"), &json!(false))
    );
    driver.ok(&["trigger", "test", "qa", "watch"], 0);
    assert!(eventually(|| tasks(&driver).iter().any(|task| task["status"] == "done")));
    driver.ok(&["trigger", "enable", "qa", "watch"], 0);
    let sent = driver.json(&["send", "The deploy failed.", "--id", "m1", "--json"]);
    assert_eq!(sent, json!({ "id": "m1", "channel": "cli", "triggers": ["qa/watch"] }));
    let (status, said) = run(&driver, &["send", "All is well."]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("no trigger listens"), "{said}");
    assert!(eventually(|| shown(&driver)["lastStatus"] == "done"));
    driver.ok(&["send", "The deploy failed.", "--id", "m1"], 0);
    let all = driver.json(&["triggers", "--json"]);
    let expected = json!({
        "team": "qa", "name": "watch", "type": "keyword", "config": { "pattern": "deploy failed" }, "task": "hi",
        "subagent": null, "state": "active", "running": true, "fault": null, "reason": null, "failures": 0,
        "threshold": 3, "nextAt": null, "lastFiredAt": all["triggers"][0]["lastFiredAt"], "lastStatus": "done",
        "ageSeconds": all["triggers"][0]["ageSeconds"],
        "lastTask": all["triggers"][0]["lastTask"], "overlapPolicy": "skip-then-replace",
        "windowOpen": null, "ticks": null, "tokens": null,
    });
    assert_eq!(all["triggers"][0], expected);
    assert!(expected["ageSeconds"].is_u64(), "{expected}");
    let told = driver.ok(&["inbox", "--all"], 0);
    assert!(told.contains("[qa] Hello."), "{told}");
    driver.ok(&["trigger", "disable", "qa", "watch", "--reason", "too loud"], 0);
    let listed = driver.ok(&["triggers", "--team", "qa"], 0);
    assert!(listed.starts_with("qa/watch  disabled  keyword deploy failed"), "{listed}");
    // The second message was the same one.
    assert!(eventually(|| tasks(&driver).len() == 2));
}

#[test]
fn x2_a_message_waits_for_a_driver_and_drive_leaves_it_alone() {
    let driver = with_teams(Driver::ended());
    assert_eq!(create(&driver, &[]).0, Some(0));
    driver.ok(&["trigger", "enable", "qa", "watch"], 0);
    driver.ok(&["send", "deploy failed"], 0);
    driver.ok(&["drive"], 0);
    assert_eq!(tasks(&driver), Vec::<Value>::new());
}

#[test]
fn what_cannot_be_done_with_a_trigger_is_said_with_its_status() {
    let driver = with_teams(Driver::ended());
    let broken = "type: schedule\nconfig: { cron: nonsense }\ntask: hi\n";
    files::put(&driver.home().workspace(), ".minds/hive/triggers/qa/off.yaml", broken);
    files::put(&driver.home().workspace(), ".minds/hive/triggers/qa/torn.yaml", "type: {");
    let no_span = "type: window\nconfig: { watch_window: '0 9 * * *' }\ntask: hi\n";
    files::put(&driver.home().workspace(), ".minds/hive/triggers/qa/window.yaml", no_span);
    let create = |name, config, more: &[&'static str]| -> Vec<&'static str> {
        let first = [
            "trigger", "create", "qa", name, "--type", "schedule", "--config", config, "--task",
            "hi",
        ];
        [&first[..], more].concat()
    };
    let cron = r#"{"cron":"0 9 * * *"}"#;
    for (status, args, said) in [
        (2, vec!["trigger", "show", "qa", "none"], "Trigger 'none' not found"),
        (2, vec!["trigger", "enable", "qa", "none"], "Trigger 'none' not found"),
        (2, vec!["trigger", "enable", "none", "x"], "Team 'none' not found"),
        (2, create("Daily Health", cron, &[]), "Invalid trigger name 'Daily Health'"),
        (2, create("learning-cycle-x", cron, &[]), "Trigger name 'learning-cycle-x' is reserved"),
        (2, create("a", "{", &[]), "`--config` is no JSON"),
        (2, create("a", r#"{"pattern":"x"}"#, &[]), "`config` has no `pattern`"),
        (2, create("a", r#"{"cron":7}"#, &[]), "`config` cannot be used"),
        (
            2,
            create("a", cron, &["--subagent", "lead"]),
            "subagent 'lead' is not in team 'qa'; members: qa, tester",
        ),
        (
            2,
            create("a", cron, &["--max-steps", "501"]),
            "`max_steps` must be a number from 1 to 500, not 501",
        ),
        (2, vec!["trigger", "update", "qa", "off"], "nothing to change"),
        (2, vec!["send", " "], "the text is empty"),
        (2, vec!["triggers", "--team", "none"], "Team 'none' not found"),
        (6, vec!["trigger", "enable", "qa", "torn"], "torn.yaml cannot be used"),
        (0, vec!["trigger", "enable", "qa", "off"], "it cannot run: `nonsense` is no schedule"),
        (1, vec!["trigger", "enable", "qa", "window"], "give open, close and days"),
        (
            1,
            vec!["trigger", "update", "qa", "off", "--config", r#"{"cron":"also bad"}"#],
            "nothing is changed",
        ),
        (0, vec!["trigger", "update", "qa", "off", "--config", cron], "qa/off is active"),
    ] {
        let (found, text) = run(&driver, &args);
        assert_eq!(found, Some(status), "{args:?}: {text}");
        assert!(text.contains(said), "{args:?}: {text}");
    }
    let off = driver.json(&["trigger", "show", "qa", "off", "--json"]);
    assert_eq!((&off["running"], off["nextAt"].is_string()), (&json!(true), true), "{off}");
}

#[test]
fn s19_4_a_window_ticks_while_it_is_open_and_shows_what_it_has_used() {
    let driver = with_teams(Driver::start());
    let config =
        r#"{"open":"00:00","close":"24:00","tick_interval_ms":1000,"max_ticks_per_window":1}"#;
    let create = ["trigger", "create", "qa", "watch", "--type", "window", "--config", config];
    driver.ok(&[&create[..], &["--task", "hi"]].concat(), 0);
    assert_eq!(shown(&driver)["overlapPolicy"], "always-skip");
    driver.ok(&["trigger", "enable", "qa", "watch"], 0);
    assert!(eventually(|| shown(&driver)["lastStatus"] == "done"));
    let shown = shown(&driver);
    assert_eq!((&shown["windowOpen"], &shown["running"]), (&json!(true), &json!(true)));
    assert!(eventually(|| driver.ok(&["inbox", "--all"], 0).contains("watch ticks no more")));
    let said = driver.ok(&["trigger", "show", "qa", "watch"], 0);
    assert!(said.contains("window open, 1 ticks and"), "{said}");
    assert!(said.contains("it ticks no more until it opens anew"), "{said}");
    // At midnight the window opens again.
    assert!(tasks(&driver).len() <= 2);
}
