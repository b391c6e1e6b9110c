//! `vault` from the command line: secrets that no output and no file shows, and credentials that are migrated.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use dominds_tui::domain::SharedSecrets;
use serde_json::{Value, json};

use crate::boxes::Shared;
use crate::common::files::{files_below, put};
use crate::common::postgres::{Postgres, postgres};
use crate::common::wait::{end, eventually, output_of};
use crate::serving::Driver;
use crate::teams::with_teams;

pub const SECRET: &str = "ghp-canary-0123456789";
/// A secret that JSON, addresses and base64 write differently.
const SIGNS: &str = "ghp-canary/01+2\"3?????456789";
pub const ON: &str = "version: 1\nvault: on\n";
const TEAM: &str = "member_defaults: { provider: script, model: m, diligence-push-max: 0 }\n\
                    default_responder: lead\n\
                    members: { lead: { name: L }, lab: { name: B }, ops: { name: O }, qa: { name: Q } }\n";

pub fn with_vault() -> Driver {
    let driver = Driver::ended();
    put(&driver.home().workspace(), ".minds/hive/hive.yaml", ON);
    driver
}

fn with_input(driver: &Driver, args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    let home = driver.home();
    command.arg("-C").arg(home.workspace()).args(args).env_clear().envs(home.environment());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a command");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    output_of(child)
}

pub fn set(driver: &Driver, args: &[&str], value: &str) {
    let ended = with_input(driver, &[&["vault", "set"][..], args].concat(), value);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
}

pub fn said(ended: &Output) -> String {
    String::from_utf8_lossy(&[ended.stdout.as_slice(), &ended.stderr].concat()).into_owned()
}

/// Looks into all files of the workspace and of the person.
pub fn is_in_no_file(driver: &Driver) {
    let workspace = driver.home().workspace();
    for file in files_below(workspace.parent().expect("the home")) {
        let bytes = fs::read(&file).unwrap_or_default();
        assert!(!has_secret(&bytes), "{}", file.display());
    }
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes())
}

#[test]
fn s15_2_no_command_and_no_file_shows_a_secret() {
    let driver = with_vault();
    set(
        &driver,
        &["GITHUB_TOKEN", "--secret", "--use", "shell,mcp", "--hosts", "api.github.com"],
        SECRET,
    );
    set(&driver, &["cursor"], "7\n");
    let all = driver.json(&["vault", "list", "--json"]);
    let keys = |n: usize| all.pointer(&format!("/entries/{n}/key")).cloned();
    assert_eq!((keys(0), keys(1)), (Some(json!("GITHUB_TOKEN")), Some(json!("cursor"))));
    let one = driver.json(&["vault", "show", "GITHUB_TOKEN", "--json"]);
    let shown = |field: &str| one.get(field).cloned().unwrap_or_default();
    assert_eq!((shown("isSecret"), shown("value")), (json!(true), json!(null)));
    assert_eq!((shown("use"), shown("reveal")), (json!(["shell", "mcp"]), json!("no")));
    assert_eq!(shown("updatedBy"), json!("@human"));
    let plain = driver.json(&["vault", "show", "cursor", "--json"]);
    assert_eq!(plain.get("value"), Some(&json!("7")));
    for args in [&["vault", "list"][..], &["vault", "show", "GITHUB_TOKEN"], &["vault", "uses"]] {
        assert!(!said(&driver.run(args)).contains(SECRET), "{args:?}");
    }
    is_in_no_file(&driver);
    assert_eq!(driver.run(&["vault", "delete", "cursor"]).status.code(), Some(2));
    driver.ok(&["vault", "delete", "cursor", "--yes"], 0);
    assert_eq!(driver.run(&["vault", "show", "cursor"]).status.code(), Some(1));
    driver.ok(&["vault", "key", "rotate"], 0);
    let key = driver.ok(&["vault", "key", "export", "--yes"], 0);
    assert_eq!(with_input(&driver, &["vault", "key", "import"], &key).status.code(), Some(0));
    assert_eq!(with_input(&driver, &["vault", "key", "import"], "x").status.code(), Some(2));
}

/// A text that a model says, and hands to whatever keeps texts.
fn spread(text: &str) -> String {
    let text = json!(text).to_string();
    let call = |tool: &str, kept: &str| {
        format!("      - name: {tool}\n        arguments:\n          {kept}: {text}\n")
    };
    let named = "          key: of-model\n";
    let calls = call("memory_save", "content")
        + named
        + &call("vault_set", "value")
        + named
        + &call("notify_human", "text");
    format!(
        "responses:\n  - message: leak\n    role: user\n    response: {text}\n    funcCalls:\n{calls}"
    )
}

#[test]
fn s15_2_what_models_and_people_write_of_a_secret_is_in_no_export_and_no_list() {
    let driver = with_vault();
    let workspace = driver.home().workspace();
    put(&workspace, ".minds/hive/hive.yaml", &format!("{ON}memory: on\n"));
    set(&driver, &["GITHUB_TOKEN", "--secret", "--use", "shell"], SIGNS);
    let known = SharedSecrets::default().learn([], [SIGNS.to_owned()]);
    let behind = URL_SAFE.encode(format!("x{SIGNS}\n"));
    let text = format!("It is {SIGNS} or {} or {behind}.", STANDARD.encode(SIGNS));
    assert!([&text, &behind].into_iter().all(|written| known.is_in(written)));
    put(&workspace, "answers/m.yaml", &spread(&text));
    driver.ok(&["run", "leak"], 0);
    driver.ok(&["memory", "save", "of-person", &text], 0);
    let dialogs = driver.json(&["dialogs", "--json"]);
    let root = dialogs.pointer("/0/rootId").and_then(Value::as_str).expect("a dialog");
    let folder = workspace.join("kept").to_string_lossy().into_owned();
    let of_team = ["memory", "export", folder.as_str()];
    for (args, is_text_there) in [
        (&["export", root][..], true),
        (&["export", root, "--format", "html"], true),
        (&["export", root, "--format", "json"], true),
        (&["show", root, "--json"], true),
        (&["inbox", "--json"], true),
        (&["memory", "list", "--json"], true),
        (&["memory", "show", "of-model"], true),
        (&["memory", "show", "of-person", "--json"], true),
        (&of_team[..], false),
        (&["vault", "list"], true),
        (&["vault", "list", "--json"], true),
        (&["vault", "show", "of-model", "--json"], true),
        (&["vault", "show", "GITHUB_TOKEN", "--json"], false),
        (&["vault", "uses", "--json"], false),
        (&["doctor"], false),
        (&["doctor", "--json"], false),
        (&["health", "--json"], false),
    ] {
        let seen = said(&driver.run(args));
        assert!(!known.is_in(&seen), "{args:?}: {seen}");
        assert!(seen.contains("[redacted]") || !is_text_there, "{args:?}: {seen}");
    }
    assert_eq!(files_below(&workspace.join("kept")).len(), 2, "both memories are exported");
    fs::remove_file(workspace.join("answers/m.yaml")).expect("the file");
    for file in files_below(workspace.parent().expect("the home")) {
        let bytes = fs::read(&file).unwrap_or_default();
        assert!(!known.is_in(&bytes), "{}", file.display());
    }
}

#[test]
fn s15_2_a_text_with_a_secret_in_it_is_refused_and_stored_nowhere() {
    let driver = with_vault();
    set(&driver, &["GITHUB_TOKEN", "--secret"], SECRET);
    let note = format!("it is {SECRET}");
    for (key, value) in [("NOTE", note.as_str()), (SECRET, "x")] {
        let refused = with_input(&driver, &["vault", "set", key], value);
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        assert!(said(&refused).contains("use `--secret`"), "{}", said(&refused));
        assert!(!said(&refused).contains(SECRET), "{}", said(&refused));
        assert_eq!(driver.run(&["vault", "show", key]).status.code(), Some(1));
    }
    set(&driver, &["NOTE", "--secret"], &note);
    is_in_no_file(&driver);
}

#[test]
fn s15_2_a_memory_that_a_person_saves_holds_no_secret_that_can_be_opened() {
    let driver = with_vault();
    let workspace = driver.home().workspace();
    put(&workspace, ".minds/hive/hive.yaml", &format!("{ON}memory: on\n"));
    set(&driver, &["GITHUB_TOKEN", "--secret"], SECRET);
    let (key, text) = (format!("of {SECRET}"), format!("It is {SECRET}."));
    let saved = driver.json(&["memory", "save", &key, &text, "--json"]);
    assert_eq!(saved.get("key"), Some(&json!("of [redacted]")), "{saved}");
    assert_eq!(saved.get("redacted"), Some(&json!(true)), "{saved}");
    let shown = driver.ok(&["memory", "show", "of [redacted]"], 0);
    assert!(shown.contains("It is [redacted]."), "{shown}");
    let again = ["memory", "save", "of [redacted]", "It is another.", "--reason", SECRET];
    let told = driver.ok(&again, 0);
    assert_eq!(told, "memory of [redacted] is saved; a secret was taken out\n");
    let shown = driver.ok(&["memory", "show", "of [redacted]"], 0);
    assert!(shown.contains("replaced the one before it: [redacted]"), "{shown}");
    is_in_no_file(&driver);
    let mut files = files_below(workspace.parent().expect("the home")).into_iter();
    let key = files.find(|file| file.extension().is_some_and(|end| end == "key"));
    fs::remove_file(key.expect("a key")).expect("no key");
    let told = driver.ok(&["memory", "save", "later", "It goes on."], 0);
    assert_eq!(told, "memory later is saved\n");
}

#[test]
fn s15_2_a_terminal_does_not_show_a_value_that_is_typed() {
    let driver = with_vault();
    let mut program = driver.screen(&["vault", "set", "token"]);
    program.until_shown(&["value:"]);
    program.keys(&format!("{SECRET}\r"));
    let (status, raw) = program.end();
    assert!(status == 0 && !has_secret(&raw), "{}", program.screen());
    let entry = driver.json(&["vault", "show", "token", "--json"]);
    assert_eq!(entry.get("value"), Some(&json!(SECRET)));
}

#[test]
fn health_says_how_many_secrets_there_are_and_what_is_here_of_their_key() {
    let driver = with_vault();
    let vault = || driver.json(&["health", "--json"]).get("vault").cloned();
    assert_eq!(vault(), Some(json!(null)), "there is no store");
    set(&driver, &["GITHUB_TOKEN", "--secret"], SECRET);
    set(&driver, &["cursor"], "7\n");
    let seen = |key: &str| assert_eq!(vault(), Some(json!({ "key": key, "secrets": 1 })));
    seen("present");
    let health = said(&driver.run(&["health"]));
    assert!(health.contains("vault     key present, secrets 1"), "{health}");
    let workspace = driver.home().workspace();
    let mut files = files_below(workspace.parent().expect("the home")).into_iter();
    let key = files.find(|file| file.extension().is_some_and(|end| end == "key"));
    let key = key.expect("a key");
    fs::write(&key, format!("{}=\n", "A".repeat(43))).expect("another key");
    seen("wrong");
    fs::remove_file(&key).expect("no key");
    seen("absent");
    put(&workspace, ".minds/hive/hive.yaml", "version: 1\n");
    assert_eq!(vault(), Some(json!(null)), "vaults are off");
}

#[test]
fn a_team_that_a_person_makes_gets_its_credential_from_standard_input() {
    let driver = with_vault();
    let spawn = ["team", "spawn", "lab", "--scope", "things", "--credential", "GITHUB_TOKEN"];
    let with = |more: &[&str]| with_input(&driver, &[&spawn[..], more].concat(), SECRET);
    for wrong in [&["--credential", "B"][..], &["--context", "-"], &["--hosts", "a b"]] {
        let ended = with(wrong);
        assert_eq!(ended.status.code(), Some(2), "{wrong:?}: {ended:?}");
    }
    assert_ne!(driver.run(&["team", "show", "lab"]).status.code(), Some(0), "no team was made");
    let ended = with(&["--use", "shell"]);
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(!said(&ended).contains(SECRET), "{}", said(&ended));
    let entry = driver.json(&["vault", "show", "GITHUB_TOKEN", "--team", "lab", "--json"]);
    let shown = |field: &str| entry.get(field).cloned().unwrap_or_default();
    assert_eq!((shown("isSecret"), shown("value")), (json!(true), json!(null)));
    assert_eq!((shown("use"), shown("reveal")), (json!(["shell"]), json!("no")));
    let again = with(&[]);
    assert_eq!(again.status.code(), Some(1), "there is such a team: {again:?}");
    let ended = driver.run(&["team", "spawn", "x", "--scope", "things", "--use", "shell"]);
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}

#[test]
fn s15_2_a_screen_shows_a_secret_by_its_key_alone() {
    let driver = with_vault();
    set(&driver, &["GITHUB_TOKEN", "--secret", "--use", "shell"], SECRET);
    driver.ok(&["run", "hi"], 0);
    let mut program = driver.screen(&[]);
    program.until_shown(&["DIALOGS"]);
    program.keys("\x1b0");
    program.until_shown(&["OVERVIEW"]);
    program.keys("v");
    program.until_shown(&["VAULT", "GITHUB_TOKEN", "secret"]);
    program.keys("\r");
    program.until_shown(&["closed", "it was not used yet"]);
    assert!(!has_secret(&program.raw()));
    is_in_no_file(&driver);
}

#[test]
fn m7_a_team_that_nobody_migrated_is_not_worked_for_until_serve_does_it() {
    let driver = with_teams(with_vault());
    let workspace = driver.home().workspace();
    put(
        &workspace,
        ".minds/hive/teams/qa.yaml",
        "lead: qa\nmembers: [qa, tester]\nscope: [tests]\ncredentials:\n  A: canary-a-0123\n",
    );
    let task = driver.ok(&["delegate", "qa", "hi"], 0).trim().to_owned();
    let status = || driver.json(&["task", "show", &task, "--json"]).get("status").cloned();
    driver.run(&["drive"]);
    assert_eq!(status(), Some(json!("pending")));
    let overview = driver.json(&["overview", "--json"]);
    let trouble =
        |field: &str| overview.pointer(&format!("/teams/0/work/trouble/{field}")).cloned();
    assert_eq!(trouble("kind"), Some(json!("quarantined")), "{overview}");
    assert_eq!(trouble("helps"), Some(json!("dominds-tui vault migrate")));
    let doctor = said(&driver.run(&["doctor"]));
    assert!(doctor.contains("credentials are not migrated"), "{doctor}");
    let mut serving = driver.spawn(&["serve", "--migrate-credentials"]);
    assert!(eventually(|| status() == Some(json!("done"))), "{:?}", status());
    let file = fs::read_to_string(workspace.join(".minds/hive/teams/qa.yaml")).expect("a file");
    assert!(!file.contains("credentials"), "{file}");
    driver.ok(&["quit"], 0);
    end(&mut serving);
}

#[test]
fn where_vaults_are_off_the_command_says_how_they_are_turned_on() {
    let driver = Driver::ended();
    let ended = driver.run(&["vault", "list"]);
    assert_eq!(ended.status.code(), Some(1));
    assert!(said(&ended).contains("vault: on"), "{}", said(&ended));
    assert!(!driver.home().workspace().join(".hive").exists());
}

/// A workspace with vaults and the files of three teams, each with a credential; that of `qa` is none.
fn with_credentials(server: Option<&Postgres>) -> Driver {
    let driver = with_vault();
    let workspace = driver.home().workspace();
    if let Some(server) = server {
        Shared::of(server).configure(&driver, "one", "all", &workspace);
    }
    put(&workspace, ".minds/team.yaml", TEAM);
    for (team, credential) in
        [("lab", "B: canary-c-0123"), ("ops", "A: canary-a-0123"), ("qa", "TOKEN: [canary-b-0123]")]
    {
        put_team(&driver, team, credential);
    }
    put(&workspace, ".minds/team/ops/persona.md", "Call get_credential(\"A\").\n");
    driver
}

fn put_team(driver: &Driver, team: &str, credential: &str) {
    let text = format!("lead: {team}\nscope: [{team}]\ncredentials:\n  {credential}\n");
    put(&driver.home().workspace(), &format!(".minds/hive/teams/{team}.yaml"), &text);
}

fn status(driver: &Driver, what: &str, name: &str) -> Option<Value> {
    driver.json(&[what, "show", name, "--json"]).get("status").cloned()
}

#[test]
fn m3_of_three_teams_two_are_migrated_and_a_faulty_one_is_quarantined_until_it_is_repaired() {
    for server in std::iter::once(None).chain(postgres().map(Some)) {
        let driver = with_credentials(server);
        let workspace = driver.home().workspace();
        let preview = driver.ok(&["vault", "migrate", "--dry-run"], 0);
        assert!(preview.contains("ops  1 credential: A (new)   1 file, 1 place"), "{preview}");
        assert!(!preview.contains("canary"), "{preview}");
        let is_unchanged = !workspace.join(".hive").exists();
        assert!(is_unchanged || server.is_some(), "nothing was changed");
        let done = driver.run(&["vault", "migrate"]);
        assert_eq!(done.status.code(), Some(6), "{done:?}");
        let told = said(&done);
        let why = "qa  cannot be migrated: credentials.TOKEN is a list, not a text";
        assert!(told.contains(why) && !told.contains("canary"), "{told}");
        let persona = fs::read_to_string(workspace.join(".minds/team/ops/persona.md"));
        assert_eq!(persona.expect("a file"), "Call vault_get(\"A\").\n");
        for (team, key) in [("lab", "B"), ("ops", "A")] {
            let entry = driver.json(&["vault", "show", key, "--team", team, "--json"]);
            assert_eq!(entry.get("updatedBy"), Some(&json!("migration")), "{entry}");
            assert_eq!(status(&driver, "team", team), Some(json!("active")));
        }
        assert_eq!(status(&driver, "team", "qa"), Some(json!("quarantined")));
        let [held, free] =
            ["qa", "ops"].map(|team| driver.ok(&["delegate", team, "hi"], 0).trim().to_owned());
        let mut serving = driver.spawn(&["serve"]);
        assert!(eventually(|| status(&driver, "task", &free) == Some(json!("done"))));
        assert_eq!(status(&driver, "task", &held), Some(json!("pending")), "it is not claimed");
        driver.ok(&["quit"], 0);
        end(&mut serving);
        put_team(&driver, "qa", "TOKEN: canary-b-0123");
        driver.ok(&["vault", "migrate"], 0);
        assert_eq!(status(&driver, "team", "qa"), Some(json!("active")));
        let mut serving = driver.spawn(&["serve"]);
        assert!(eventually(|| status(&driver, "task", &held) == Some(json!("done"))));
        driver.ok(&["quit"], 0);
        end(&mut serving);
        let told = driver.ok(&["vault", "migrate"], 0);
        assert!(told.contains("there are no credentials to migrate"), "{told}");
    }
}
