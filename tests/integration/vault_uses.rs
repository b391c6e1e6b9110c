//! Secrets of vaults where they are used: variables of commands, and what servers of tools are started with.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use dominds_tui::domain::SharedSecrets;
use serde_json::{Value, json};

use crate::common::files::{files_below, put};
use crate::common::http;
use crate::common::skip::{has, skip};
use crate::common::wait::{end, eventually};
use crate::serving::Driver;
use crate::vault::{ON, SECRET, is_in_no_file, said, set, with_vault};

/// Another value of the same secret.
const NEWER: &str = "ghp-canary-9876543210";
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/mcp_server.py");
/// Two teams whose members may run commands.
const TEAM: &str = "shell_specialists: [lead, qa]\n\
                    member_defaults: { provider: script, model: m, diligence-push-max: 0 }\n\
                    default_responder: lead\nmembers:\n  \
                    lead: { name: Lead, toolsets: [os, codex_inspect_and_patch_tools] }\n  \
                    qa: { name: Quinn, toolsets: [os, codex_inspect_and_patch_tools] }\n";
const AGREED: &str = "commands of @qa get GITHUB_TOKEN in their environment";

/// A workspace of these teams, with consent to their commands. Without a sandbox commands can reach more.
fn with_commands() -> Driver {
    let driver = Driver::ended_with("sandbox: off\n");
    let workspace = driver.home().workspace();
    put(&workspace, ".minds/hive/hive.yaml", ON);
    put(&workspace, ".minds/team.yaml", TEAM);
    put(&workspace, ".minds/hive/teams/qa.yaml", "lead: qa\n");
    driver.ok(&["trust", "--yes"], 0);
    let file = "lead: qa\nvault: { shell: [GITHUB_TOKEN] }\n";
    put(&workspace, ".minds/hive/teams/qa.yaml", file);
    driver
}

fn shell(command: &str) -> Value {
    json!({ "name": "shell_cmd", "arguments": { "command": command, "timeoutSeconds": 60 } })
}

/// Scripts the calls that a member answers this message with.
fn answers(driver: &Driver, message: &str, calls: &[Value]) {
    let answer =
        json!({ "message": message, "role": "user", "response": "I look.", "funcCalls": calls });
    let all = json!({ "responses": [answer] }).to_string();
    put(&driver.home().workspace(), "answers/m.yaml", &all);
}

/// All that is recorded of dialogs.
fn recorded(driver: &Driver) -> String {
    let files = files_below(&driver.home().workspace().join(".dialogs")).into_iter();
    let texts = files.filter_map(|file| fs::read(file).ok());
    texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

/// A command of each kind prints how long its variable is: after `WORD-shell-` and `WORD-looks-`.
fn measures(driver: &Driver, member: &str, word: &str) -> String {
    let looks = format!("echo {word}-looks-${{#GITHUB_TOKEN}}");
    let arguments = json!({ "command": looks, "timeout_ms": 60_000 });
    let calls = [
        shell(&format!("echo {word}-shell-${{#GITHUB_TOKEN}}")),
        json!({ "name": "readonly_shell", "arguments": arguments }),
    ];
    answers(driver, word, &calls);
    driver.ok(&["run", "--agent", member, word], 0);
    recorded(driver)
}

fn uses_of(driver: &Driver, team: &str) -> Vec<Value> {
    let listed = driver.json(&["vault", "uses", "--team", team, "--json"]);
    listed.get("uses").and_then(Value::as_array).cloned().unwrap_or_default()
}

#[test]
fn s15_5_a_command_of_the_team_gets_the_variable_once_a_person_agreed_and_nobody_else_does() {
    let driver = with_commands();
    let token = ["GITHUB_TOKEN", "--team", "qa", "--secret", "--use"];
    set(&driver, &[&token[..], &["shell"]].concat(), SECRET);
    answers(&driver, "waits", &[shell("echo waits-shell-${#GITHUB_TOKEN}")]);
    let held = driver.run(&["run", "--agent", "qa", "waits"]);
    assert_eq!(held.status.code(), Some(6), "{held:?}");
    assert!(said(&held).contains(AGREED), "{}", said(&held));
    assert!(!recorded(&driver).contains("waits-shell-"), "nothing was begun");
    assert!(driver.ok(&["trust", "--yes"], 0).contains(AGREED));

    let seen = measures(&driver, "qa", "own");
    assert!(seen.contains("own-shell-21"), "{seen}");
    assert!(!seen.contains("own-looks-21"), "{seen}");
    // Where there is no sandbox such a command is not run.
    let sandbox = driver.run(&["sandbox", "--means", "bwrap", "--", "true"]);
    if sandbox.status.success() {
        assert!(seen.contains("own-looks-0"), "{seen}");
    } else {
        skip(&format!("no sandbox: {}", said(&sandbox)));
    }
    let seen = measures(&driver, "lead", "other");
    assert!(seen.contains("other-shell-0"), "it is of another team: {seen}");
    assert!(!seen.contains("other-looks-21"), "{seen}");
    let [used] = uses_of(&driver, "qa").try_into().expect("one use");
    for (field, expected) in
        [("key", "GITHUB_TOKEN"), ("place", "shell"), ("target", "shell_cmd"), ("by", "@qa")]
    {
        assert_eq!(used.get(field), Some(&json!(expected)), "{used}");
    }
    is_in_no_file(&driver);
}

#[test]
fn s15_5_a_secret_that_is_not_for_commands_is_no_variable_and_that_is_a_problem() {
    let driver = with_commands();
    let token = ["GITHUB_TOKEN", "--team", "qa", "--secret", "--use"];
    set(&driver, &[&token[..], &["web,mcp"]].concat(), SECRET);
    driver.ok(&["trust", "--yes"], 0);
    let problem = "commands of team qa do not get GITHUB_TOKEN (GITHUB_TOKEN)";
    let doctor = || said(&driver.run(&["doctor"]));
    let seen = measures(&driver, "qa", "refused");
    assert!(seen.contains("refused-shell-0"), "{seen}");
    assert!(doctor().contains(problem), "{}", doctor());
    assert_eq!(uses_of(&driver, "qa"), Vec::<Value>::new());

    set(&driver, &[&token[..], &["shell"]].concat(), SECRET);
    let seen = measures(&driver, "qa", "given");
    assert!(seen.contains("given-shell-21"), "{seen}");
    assert!(!doctor().contains(problem), "{}", doctor());

    driver.ok(&["vault", "close", "GITHUB_TOKEN", "--team", "qa"], 0);
    let seen = measures(&driver, "qa", "closed");
    assert!(seen.contains("closed-shell-0"), "{seen}");
    assert!(doctor().contains(problem), "{}", doctor());
    assert_eq!(uses_of(&driver, "qa").len(), 1, "a use is one that happened");
    is_in_no_file(&driver);
}

#[test]
fn s15_5_what_a_command_prints_of_its_variable_is_redacted_and_a_reference_in_it_refused() {
    let driver = with_commands();
    let token = ["GITHUB_TOKEN", "--team", "qa", "--secret", "--use", "shell"];
    set(&driver, &token, SECRET);
    driver.ok(&["trust", "--yes"], 0);
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    let calls = [
        shell(&format!("printf %s \"$GITHUB_TOKEN\" >'{}'", whole.display())),
        shell("echo \"[$GITHUB_TOKEN]\"; echo \"$GITHUB_TOKEN\" >&2"),
        shell("printf %s \"$GITHUB_TOKEN\" | base64"),
        shell("printf %s \"$GITHUB_TOKEN\" | od -An -tx1 | tr -d ' \\n'"),
        shell("for c in $(echo $GITHUB_TOKEN | fold -w 1); do printf %s $c; done"),
        shell("env"),
        shell("curl -H ${vault:GITHUB_TOKEN} x"),
    ];
    answers(&driver, "leak", &calls);
    let run = driver.run(&["run", "--json", "--deltas", "--agent", "qa", "leak"]);
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    assert_eq!(fs::read_to_string(&whole).expect("a file"), SECRET, "the command has the value");
    let known = SharedSecrets::default().learn([], [SECRET.to_owned()]);
    let seen = recorded(&driver);
    for text in [&seen, &said(&run)] {
        assert!(!known.is_in(text), "{text}");
    }
    assert!(seen.contains("[redacted]"), "{seen}");
    let refused = "use the variable $GITHUB_TOKEN; it is set if the team";
    assert!(seen.contains(refused), "{seen}");
    assert_eq!(uses_of(&driver, "qa").len(), calls.len() - 1, "one for each command that ran");
    is_in_no_file(&driver);
}

/// The server `side` of this entry, which names the secret `API`, gets what the vault has, and only if that is for
/// servers. `got`: the values that it got so far.
fn follows_the_vault(driver: &Driver, entry: &Value, got: &dyn Fn() -> Vec<String>) {
    let file = json!({ "version": 1, "servers": { "side": entry } }).to_string();
    put(&driver.home().workspace(), ".minds/mcp.yaml", &file);
    let agreed = driver.ok(&["trust", "--yes"], 0);
    assert!(agreed.contains("${vault:API@main}"), "{agreed}");
    let doctor = || said(&driver.run(&["doctor", "--mcp"]));
    let refused = "needs the secret API of team main";
    assert!(doctor().contains(refused), "it is not set: {}", doctor());
    set(driver, &["API", "--secret", "--use", "shell"], SECRET);
    assert!(doctor().contains(refused), "it is not for servers: {}", doctor());
    assert_eq!(got(), [""; 0]);
    set(driver, &["API", "--secret", "--use", "mcp"], SECRET);
    let told = doctor();
    assert!(told.contains("side: echo\n") && !told.contains(refused), "{told}");
    assert!(!got().is_empty() && got().iter().all(|value| value == SECRET), "{:?}", got());

    let mut serving = driver.spawn(&["serve"]);
    assert!(eventually(|| driver.running().0 == 1), "it does not listen");
    let before = got().len();
    driver.ok(&["run", "hi"], 0);
    assert!(eventually(|| got().len() > before), "it was not started");
    assert!(got().iter().all(|value| value == SECRET), "{:?}", got());
    set(driver, &["API", "--secret", "--use", "mcp"], NEWER);
    driver.ok(&["run", "hi"], 0);
    assert!(eventually(|| got().last().is_some_and(|value| value == NEWER)), "{:?}", got());
    assert!(got().iter().all(|value| value == SECRET || value == NEWER), "{:?}", got());
    let uses = uses_of(driver, "main");
    let first = uses.first().cloned().unwrap_or_default();
    for (field, expected) in [("key", "API"), ("place", "mcp"), ("target", "side"), ("by", "")] {
        assert_eq!(first.get(field), Some(&json!(expected)), "{first}");
    }
    driver.ok(&["quit"], 0);
    end(&mut serving);

    driver.ok(&["vault", "close", "API"], 0);
    let before = got().len();
    assert!(doctor().contains(refused), "it is closed: {}", doctor());
    assert_eq!(got().len(), before);
    is_in_no_file(driver);
    for file in driver.home().workspace().parent().into_iter().flat_map(files_below) {
        let bytes = fs::read(&file).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(NEWER), "{}", file.display());
    }
}

#[test]
fn s15_6_a_server_gets_its_variable_from_the_vault_and_is_started_anew_with_another_value() {
    if !has("python3") {
        return;
    }
    let driver = with_vault();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("got");
    // No file of the workspace is named in the command line: consent would depend on what is in it.
    let script = format!("printf '%s\\n' \"$TOKEN\" >>\"$NOTED_IN\"; exec python3 '{SERVER}' echo");
    let env = json!({ "TOKEN": "${vault:API}", "NOTED_IN": file.display().to_string() });
    let entry = json!({ "command": "sh", "args": ["-c", script], "env": env });
    follows_the_vault(&driver, &entry, &|| lines_of(&file));
}

fn lines_of(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A server over HTTP with the tool `echo`, which notes the header of each request.
fn far_server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let noted: Arc<Mutex<Vec<String>>> = Arc::default();
    let writes = noted.clone();
    let port = http::serve("127.0.0.1:0", move |request| {
        if let (Some(value), Ok(mut noted)) = (token_in(&request.head), writes.lock()) {
            noted.push(value);
        }
        Some(answer_to(&request.body))
    });
    (port, noted)
}

/// The value of the header that has the secret.
fn token_in(head: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("x-token").then(|| value.trim().to_owned())
    })
}

fn answer_to(body: &str) -> String {
    let Ok(message) = serde_json::from_str::<Value>(body) else {
        return http::page("405 Method Not Allowed", "text/plain", "");
    };
    let result = match message.get("method").and_then(Value::as_str) {
        Some("initialize") => json!({
            "protocolVersion": message.pointer("/params/protocolVersion"),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "test", "version": "1" },
        }),
        Some("tools/list") => {
            json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })
        }
        Some(_) | None => return http::page("202 Accepted", "text/plain", ""),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": message.get("id"), "result": result });
    http::json("200 OK", &answer.to_string())
}

#[test]
fn s15_6_a_server_at_an_address_gets_its_header_from_the_vault_and_then_another_value() {
    let driver = with_vault();
    let (port, noted) = far_server();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let entry = json!({ "url": url, "headers": { "X-Token": "${vault:API}" } });
    let got = || noted.lock().map(|notes| notes.clone()).unwrap_or_default();
    follows_the_vault(&driver, &entry, &got);
}
