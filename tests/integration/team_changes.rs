//! Teams that are made, changed and shut down from the command line and by members: with approval, and with a driver that is
//! killed.

#![expect(clippy::indexing_slicing, reason = "a test that misses something fails")]

use std::fs;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::files;
use crate::common::wait::eventually;
use crate::serving::Driver;
use crate::teams::{run, task, tasks, with_teams};

const MAKES: &str = "  - message: make
    role: user
    response: I make a team.
    funcCalls:
      - name: spawn_team
        arguments: { name: docs, scope_accepts: [documents], init_context: Begin with the README. }
  - message: Approved.
    role: tool
    response: I go on.
    funcCalls:
      - name: spawn_team
        arguments: { name: docs, scope_accepts: [documents], init_context: Begin with the README. }
  - message: end
    role: user
    response: I shut it down.
    funcCalls:
      - name: shutdown_team
        arguments: { name: docs }
  - message: \"Your team docs is new. Get it ready for work:\"
    role: user
    response: Ready.
  - message: \"Your team bad is new. Get it ready for work:\"
    role: user
    response: I look.
    funcCalls:
      - name: list_teams
        arguments: {}
";

/// A workspace whose lead can make teams.
fn that_makes_teams(hive: &str) -> Driver {
    let driver = with_teams(Driver::ended());
    let workspace = driver.home().workspace();
    files::put(&workspace, ".minds/hive/hive.yaml", hive);
    let known = fs::read_to_string(workspace.join("answers/m.yaml")).unwrap_or_default();
    files::put(&workspace, "answers/m.yaml", &format!("{known}{MAKES}"));
    driver
}

fn status_of(driver: &Driver, team: &str) -> Value {
    let teams = driver.json(&["teams", "--json"]);
    let mut teams = teams["teams"].as_array().into_iter().flatten();
    teams.find(|one| one["name"] == team).map_or(Value::Null, |one| one["status"].clone())
}

#[test]
fn s1_1_a_member_makes_a_team_that_gets_ready_and_shuts_it_down() {
    let driver = that_makes_teams("version: 1\n");
    let before = fs::read_to_string(driver.home().workspace().join(".minds/team.yaml")).unwrap();
    let said = driver.ok(&["run", "--json", "make"], 0);
    assert!(said.contains("team_updated") && said.contains("(initializing)"), "{said}");
    assert_eq!(status_of(&driver, "docs"), json!("(initializing)"));
    driver.ok(&["drive"], 0);
    assert_eq!(status_of(&driver, "docs"), json!("active"));
    let told = driver.ok(&["inbox", "--all"], 0);
    assert!(told.contains("[docs] Team bootstrapped and ready."), "{told}");
    assert!(told.contains("[main] made the team docs below main"), "{told}");
    let history = driver.ok(&["inbox", "--history"], 0);
    assert!(history.contains("made the team docs below main"), "{history}");
    let problems = driver.ok(&["doctor"], 0);
    assert!(!problems.contains("docs"), "{problems}");

    driver.ok(&["run", "end"], 0);
    assert_eq!(status_of(&driver, "docs"), Value::Null);
    let workspace = driver.home().workspace();
    assert_eq!(fs::read_to_string(workspace.join(".minds/team.yaml")).unwrap(), before);
    assert!(!workspace.join("docs.tsk").exists());
    let dialogs = driver.json(&["dialogs", "--all", "--json"]);
    let of_docs = |one: &&Value| one["agentId"] == "docs";
    let archived = dialogs.as_array().unwrap().iter().find(of_docs).unwrap();
    assert_eq!(archived["status"], json!("archived"));
    assert!(tasks(&driver).iter().all(|one| one["team"] != "docs"));
}

#[test]
fn q13_a_change_of_teams_waits_for_approval_and_passes_once() {
    let driver = that_makes_teams("autonomy: { orgChanges: requires_approval }\n");
    driver.ok(&["run", "make"], 3);
    assert!(!driver.home().workspace().join(".minds/hive/teams/docs.yaml").exists());
    let open = driver.json(&["q4h", "--json"]);
    let item = &open[0];
    assert_eq!(item["kind"], json!("approval"), "{item}");
    let diff = item["diff"].as_str().unwrap();
    assert!(diff.contains("+++ .minds/team.yaml") && diff.contains("+  docs:"), "{diff}");
    let id = item["id"].as_str().unwrap();
    // The state it concerns has changed since: it is asked again.
    let workspace = driver.home().workspace();
    let text = fs::read_to_string(workspace.join(".minds/team.yaml")).unwrap();
    files::put(&workspace, ".minds/team.yaml", &format!("# changed\n{text}"));
    driver.ok(&["q4h", "approve", id], 3);
    assert!(!workspace.join(".minds/hive/teams/docs.yaml").exists());
    let open = driver.json(&["q4h", "--json"]);
    let id = open[0]["id"].as_str().unwrap().to_owned();
    driver.ok(&["q4h", "approve", &id], 0);
    assert_eq!(status_of(&driver, "docs"), json!("(initializing)"));
    // Again, it is another decision.
    driver.ok(&["team", "shutdown", "docs", "--yes"], 0);
    assert_eq!(status_of(&driver, "docs"), Value::Null);
    driver.ok(&["run", "make"], 3);
    assert_eq!(status_of(&driver, "docs"), Value::Null);
}

const GROWS: &str = "  - message: \"Your team crew is new. Get it ready for work:\"
    role: user
    response: I make a member.
    funcCalls:
      - name: define_member
        arguments: { id: scout, gofor: [looking around], persona: You look around. }
      - name: save_skill
        arguments: { member: scout, name: look, description: how to look, body: Look twice. }
  - message: '{\"success\":true,\"member\":\"scout\"}'
    role: tool
    response: I teach it.
    funcCalls:
      - name: save_skill
        arguments: { member: scout, name: look, description: how to look, body: Look twice. }
  - message: '{\"success\":true,\"path\":\".minds/skills/individual/scout/look.md\"}'
    role: tool
    response: Ready.
  - message: grow
    role: user
    response: I make another one.
    funcCalls:
      - name: define_member
        arguments: { id: second, gofor: [looking again], persona: You look again. }
";

#[test]
fn q13_what_a_new_team_needs_is_approved_with_it_and_what_it_wants_later_is_not() {
    let driver = that_makes_teams("autonomy: { orgChanges: requires_approval }\n");
    let workspace = driver.home().workspace();
    let known = fs::read_to_string(workspace.join("answers/m.yaml")).unwrap();
    files::put(&workspace, "answers/m.yaml", &format!("{known}{GROWS}"));
    driver.ok(&["team", "spawn", "crew", "--scope", "looking"], 0);
    driver.ok(&["drive"], 0);
    assert_eq!(status_of(&driver, "crew"), json!("active"));
    let skill = fs::read_to_string(workspace.join(".minds/skills/individual/scout/look.md"));
    assert!(skill.unwrap().ends_with("\nLook twice.\n"));
    driver.ok(&["delegate", "crew", "hi", "--member", "scout"], 0);
    driver.ok(&["drive"], 0);
    let ended = tasks(&driver).into_iter().find(|task| task["member"] == "scout").unwrap();
    assert_eq!(ended["status"], "done", "{ended}");
    let problems = driver.ok(&["doctor"], 0);
    assert!(!problems.contains("scout"), "{problems}");

    let before = fs::read_to_string(workspace.join(".minds/team.yaml")).unwrap();
    driver.ok(&["delegate", "crew", "grow"], 0);
    driver.ok(&["drive"], 3);
    let open = driver.json(&["q4h", "--json"]);
    let diff = open[0]["diff"].as_str().unwrap();
    for part in ["+  second:", "+++ .minds/team/second/persona.md", "+- second", "+  - second"] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    assert_eq!(fs::read_to_string(workspace.join(".minds/team.yaml")).unwrap(), before);
}

#[test]
fn s1_3_a_team_that_does_not_get_ready_is_shown_as_such_and_can_be_tried_again_or_shut_down() {
    let driver = that_makes_teams("tasks: { max_steps: 1 }\n");
    let spawn = ["team", "spawn", "bad", "--scope", "nothing", "--description", "Fails."];
    let said = driver.ok(&spawn, 0);
    assert!(said.contains("team bad is made"), "{said}");
    driver.ok(&["drive"], 4);
    assert_eq!(status_of(&driver, "bad"), json!("Bootstrap failed"));
    let told = driver.ok(&["inbox", "--all"], 0);
    assert!(told.contains("[bad] Team bootstrap failed: "), "{told}");
    let failed = tasks(&driver).into_iter().find(|one| one["team"] == "bad").unwrap();
    assert_eq!((&failed["type"], &failed["from"]), (&json!("bootstrap"), &Value::Null));
    let (status, said) = run(&driver, &spawn);
    assert_eq!((status, said.contains("Team 'bad' already exists")), (Some(1), true), "{said}");
    driver.ok(&["task", "retry", failed["id"].as_str().unwrap()], 0);
    assert_eq!(status_of(&driver, "bad"), json!("(initializing)"));
    let (status, said) = run(&driver, &["team", "shutdown", "bad"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("confirm with --yes"), "{said}");
    driver.ok(&["team", "shutdown", "bad", "--yes"], 0);
    assert_eq!(status_of(&driver, "bad"), Value::Null);
    driver.ok(&spawn, 0);
}

#[test]
fn teams_are_made_changed_and_shut_down_beside_a_driver_that_runs() {
    let driver = with_teams(Driver::start());
    files::put(&driver.home().workspace(), ".minds/hive/hive.yaml", "version: 1\n");
    driver.ok(&["team", "spawn", "docs", "--scope", "a", "b", "--parent", "qa"], 0);
    assert!(eventually(|| status_of(&driver, "docs") == json!("active")));
    driver.ok(&["team", "update", "docs", "--add", "c", "--remove", "a"], 0);
    let shown = driver.json(&["team", "show", "docs", "--json"]);
    assert_eq!(shown["scope"], json!(["b", "c"]));
    let linger = driver.ok(&["delegate", "docs", "linger"], 0);
    assert!(eventually(|| task(&driver, linger.trim())["status"] == json!("running")));
    let (status, said) = run(&driver, &["team", "shutdown", "qa", "--yes"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("Team 'qa' has children: docs; use cascade"), "{said}");
    driver.ok(&["team", "shutdown", "qa", "--cascade", "--yes"], 0);
    assert_eq!([status_of(&driver, "qa"), status_of(&driver, "docs")], [Value::Null, Value::Null]);
    let dialogs = driver.json(&["dialogs", "--all", "--json"]);
    let of_docs = dialogs.as_array().unwrap().iter().filter(|one| one["agentId"] == "docs");
    let statuses: Vec<&Value> = of_docs.map(|one| &one["status"]).collect();
    assert_eq!(statuses, [&json!("archived"), &json!("archived")]);
    // These members were not made with the team.
    let team = fs::read_to_string(driver.home().workspace().join(".minds/team.yaml")).unwrap();
    assert!(team.contains("qa: { name: Quinn }") && !team.contains("docs"), "{team}");
}

/// Returns which parts of a team exist: its file, its lead, its persona, its Taskdoc, its entry in the list.
fn parts_of(driver: &Driver, team: &str) -> [bool; 5] {
    let workspace = driver.home().workspace();
    let members = fs::read_to_string(workspace.join(".minds/team.yaml")).unwrap_or_default();
    [
        workspace.join(format!(".minds/hive/teams/{team}.yaml")).exists(),
        members.contains(&format!("\n  {team}:\n")),
        workspace.join(format!(".minds/team/{team}/persona.md")).exists(),
        workspace.join(format!("{team}.tsk")).exists(),
        !status_of(driver, team).is_null(),
    ]
}

#[test]
fn r1_after_any_kill_a_team_is_whole_or_gone_and_the_rest_of_the_files_is_as_it_was() {
    let driver = that_makes_teams("version: 1\n");
    let team_file = driver.home().workspace().join(".minds/team.yaml");
    let before = fs::read_to_string(&team_file).unwrap();
    // Measures how long one takes without a kill.
    let begun = Instant::now();
    driver.ok(&["team", "spawn", "docs", "--scope", "documents"], 0);
    let whole = begun.elapsed();
    driver.ok(&["team", "shutdown", "docs", "--yes"], 0);
    let (mut made, mut undone, mut kept) = (0, 0, 0);
    for step in 0..40_u32 {
        let ends = parts_of(&driver, "docs") == [true; 5];
        let args: &[&str] = if ends {
            &["team", "shutdown", "docs", "--yes"]
        } else {
            &["team", "spawn", "docs", "--scope", "documents"]
        };
        let mut command = driver.spawn(args);
        thread::sleep(whole * (step * 7 % 20) / 10);
        command.kill().unwrap();
        command.wait().unwrap();
        // The next start, which also lets a new team get ready.
        driver.ok(&["drive"], 0);
        let parts = parts_of(&driver, "docs");
        assert!(parts == [true; 5] || parts == [false; 5], "{step} {ends}: {parts:?}");
        if parts == [false; 5] {
            assert_eq!(fs::read_to_string(&team_file).unwrap(), before, "{step}");
            undone += 1;
        } else if ends {
            kept += 1;
        } else {
            made += 1;
        }
        let health = driver.json(&["health", "--json"]);
        assert_eq!((&health["changes"], &health["ok"]), (&json!([]), &json!(true)), "{step}");
    }
    assert!(made > 0 && undone > 0, "made {made}, undone {undone}, kept {kept}");
}
