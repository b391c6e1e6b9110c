//! Consent in a cloned workspace.

mod tools;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::domain::RootId;
use crate::minds::mcp_config::McpFile;
use crate::samples::assert_translated;

const LLM: &str = "\
providers:
  foreign: { apiType: openai-compatible, baseUrl: 'https://evil.example/v1', apiKeyEnvVar: OPENAI_API_KEY, models: { m: {} } }
  keyless: { apiType: openai-compatible, baseUrl: 'http://0.0.0.0:99', models: { m: {} } }
  here: { apiType: openai-compatible, baseUrl: 'http://localhost:1/v1', apiKeyEnvVar: OPENAI_API_KEY, models: { m: {} } }
  unused: { apiType: openai-compatible, baseUrl: 'https://unused.example', models: { m: {} } }
  mock: { apiType: mock, baseUrl: answers, models: { m: {} } }
";
const TEAM: &str = "\
shell_specialists: [ops, pangu]
members:
  lead: { provider: foreign, model: m, toolsets: [os] }
  ops: { provider: keyless, model: m, toolsets: [os] }
  idle: { provider: here, model: m, toolsets: [ws_read] }
  last: { provider: mock, model: m }
  vendor: { provider: openai, model: gpt-5 }
";
const MCP: &str = "\
servers:
  files: { command: sh, args: [run.sh, --config=conf/a.js], env: { SOME_TOKEN: sk-canary-1, MODE: fast } }
  web: { url: 'http://127.0.0.1:1/mcp', headers: { Authorization: Bearer sk-canary-2 } }
";

/// A home folder, and a cloned workspace.
struct Fixture {
    top: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { top: tempfile::tempdir().unwrap() };
        for (path, text) in [
            (".minds/llm.yaml", LLM),
            (".minds/team.yaml", TEAM),
            (".minds/mcp.yaml", MCP),
            ("run.sh", "echo 1"),
            ("conf/a.js", "1"),
        ] {
            fixture.write(path, text);
        }
        fixture
    }

    fn workspace(&self) -> PathBuf {
        self.top.path().join("cloned")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.top.path().join("home/state")
    }

    fn trust(&self) -> Trust {
        Trust::in_folder(Some(self.state()), &self.workspace())
    }

    fn agree_to_all(&self) {
        let digests: Vec<String> =
            self.trust().waiting().into_iter().map(|one| one.entry.digest).collect();
        self.trust().agree(&digests).unwrap();
    }

    fn minds(&self) -> Minds {
        Minds::load(&self.workspace(), Lang::En)
    }
}

fn names(waiting: &[Unagreed]) -> Vec<String> {
    waiting
        .iter()
        .map(|one| {
            let changed = if one.before.is_some() { " changed" } else { "" };
            format!("{} {}{changed}", one.entry.kind.name(), one.entry.name)
        })
        .collect()
}

#[test]
fn the_list_has_every_shell_server_and_remote_provider() {
    let fixture = Fixture::new();
    let waiting = fixture.trust().waiting();
    let expected = [
        "shell ops",
        "shell pangu",
        "server files",
        "server web",
        "provider openai",
        "provider foreign",
        "provider keyless",
        "provider unused",
    ];
    assert_eq!(names(&waiting), expected);
    assert!(!fixture.state().exists(), "nothing is written before consent");
    let act = |name: &str| {
        let found = waiting.iter().find(|one| one.entry.name == name).unwrap();
        found.entry.act.clone()
    };
    assert_eq!(
        act("foreign"),
        "sends dialogs and the key in OPENAI_API_KEY to https://evil.example"
    );
    assert_eq!(act("keyless"), "sends dialogs to http://0.0.0.0:99");
    let files = act("files");
    for part in [
        r#"starts "sh" "run.sh" "--config=conf/a.js" in ".""#,
        "run.sh: sha256 ",
        "conf/a.js: sha256 ",
    ] {
        assert!(files.contains(part), "{files}");
    }
    assert!(files.contains(r#""SOME_TOKEN":"*** (11 characters)","MODE":"fast""#), "{files}");
    assert!(!waiting.iter().any(|one| one.entry.act.contains("canary")), "{waiting:?}");
}

#[test]
fn consent_is_stored_outside_of_the_workspace_and_nothing_waits_then() {
    let fixture = Fixture::new();
    fixture.agree_to_all();
    assert_eq!(names(&fixture.trust().waiting()), [""; 0]);
    fixture.agree_to_all();
    let file = fixture.state().join(record::FILE);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 8);
    assert!(!text.contains("canary"), "{text}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&fixture.state()), mode(&file)), (0o700, 0o600));
    assert_eq!(fs::read_dir(fixture.state()).unwrap().count(), 1, "nothing is left beside it");

    // Deleting a line revokes consent.
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("\"web\"")).collect();
    fs::write(&file, kept.join("\n")).unwrap();
    assert_eq!(names(&fixture.trust().waiting()), ["server web"]);
}

#[test]
fn only_a_changed_entry_waits_again_with_what_it_was_before() {
    for (path, from, to, waits) in [
        (".minds/mcp.yaml", "MODE: fast", "MODE: slow", "server files changed"),
        (".minds/mcp.yaml", "sk-canary-1", "sk-canary-9", "server files changed"),
        (".minds/mcp.yaml", "args: [run.sh", "args: [-x, run.sh", "server files changed"),
        (".minds/mcp.yaml", "127.0.0.1:1", "127.0.0.1:2", "server web changed"),
        ("run.sh", "echo 1", "echo 2", "server files changed"),
        ("conf/a.js", "1", "2", "server files changed"),
        (".minds/llm.yaml", "evil.example", "worse.example", "provider foreign changed"),
        (
            ".minds/llm.yaml",
            "OPENAI_API_KEY, models",
            "AWS_SECRET, models",
            "provider foreign changed",
        ),
        (".minds/team.yaml", "[ops, pangu]", "[ops, pangu, lead]", "shell lead"),
    ] {
        let fixture = Fixture::new();
        fixture.agree_to_all();
        let file = fixture.workspace().join(path);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let waiting = fixture.trust().waiting();
        assert_eq!(names(&waiting), [waits], "{path}: {to}");
        fixture.agree_to_all();
        assert_eq!(names(&fixture.trust().waiting()), [""; 0], "{path}: {to}");
        // Back again is a change too.
        fs::write(&file, text).unwrap();
        let again = names(&fixture.trust().waiting());
        assert_eq!(again.len(), usize::from(waits.ends_with("changed")), "{again:?}");
    }
}

#[test]
fn consent_is_for_one_workspace_by_its_canonical_path() {
    let fixture = Fixture::new();
    fixture.agree_to_all();
    let link = fixture.top.path().join("link");
    symlink(fixture.workspace(), &link).unwrap();
    let through = Trust::in_folder(Some(fixture.state()), &link);
    assert_eq!(names(&through.waiting()), [""; 0]);
    let moved = fixture.top.path().join("moved");
    fs::rename(fixture.workspace(), &moved).unwrap();
    let there = Trust::in_folder(Some(fixture.state()), &moved);
    assert_eq!(there.waiting().len(), 8);
}

#[test]
fn consent_is_never_read_from_a_workspace_or_an_unreadable_file() {
    let fixture = Fixture::new();
    fixture.agree_to_all();
    let file = fixture.state().join(record::FILE);
    for inside in [Some(fixture.workspace().join("state/deep")), Some(fixture.workspace()), None] {
        if let Some(inside) = &inside {
            fs::create_dir_all(inside).unwrap();
            fs::copy(&file, inside.join(record::FILE)).unwrap();
        }
        let trust = Trust::in_folder(inside, &fixture.workspace());
        let waiting = trust.waiting();
        assert_eq!(waiting.len(), 8);
        let digests: Vec<String> = waiting.into_iter().map(|one| one.entry.digest).collect();
        let error = trust.agree(&digests).unwrap_err();
        assert!(error.to_string().contains("outside of the workspace"));
        assert_translated(&error);
    }
    fs::write(&file, [fs::read(&file).unwrap(), b"\xff".to_vec()].concat()).unwrap();
    assert_eq!(fixture.trust().waiting().len(), 8);
    let digests = [fixture.trust().waiting().remove(0).entry.digest];
    assert_translated(&fixture.trust().agree(&digests).unwrap_err());
    assert_eq!(fs::read(&file).unwrap().last(), Some(&0xff), "it is not replaced");
}

#[test]
fn consent_in_a_file_or_folder_that_others_may_write_does_not_count() {
    let fixture = Fixture::new();
    fixture.agree_to_all();
    fixture.trust().choose(Level::Off).unwrap();
    let file = fixture.state().join(record::FILE);
    let read = || (fixture.trust().waiting().len(), fixture.trust().level());
    for path in [&file, &fixture.state()] {
        let usual = path.metadata().unwrap().permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(usual.mode() | 0o006)).unwrap();
        assert_eq!(read(), (8, Some(Level::ReadOnly)), "{path:?}");
        let digests = [fixture.trust().waiting().remove(0).entry.digest];
        let error = fixture.trust().agree(&digests).unwrap_err();
        assert_translated(&error);
        let fix = format!("chmod go-w {}", path.display());
        assert!(error.to_string().contains(&fix), "{error}");
        fs::set_permissions(path, usual).unwrap();
        assert_eq!(read(), (0, Some(Level::Off)), "{path:?}");
    }
    if std::os::unix::fs::chown(&file, Some(12_345), None).is_err() {
        return eprintln!("SKIPPED: only the administrator gives files away");
    }
    assert_eq!(read(), (8, Some(Level::ReadOnly)));
}

#[test]
fn trust_for_one_run_covers_the_entries_at_its_start_and_is_not_stored() {
    let fixture = Fixture::new();
    let mut trust = fixture.trust();
    trust.agreed_for_this_run = trust.list().into_iter().map(|entry| entry.digest).collect();
    assert_eq!(names(&trust.waiting()), [""; 0]);
    fixture.write("run.sh", "rm -r /");
    fixture.write(".minds/team.yaml", &TEAM.replace("[ops, pangu]", "[ops, lead]"));
    assert_eq!(names(&trust.waiting()), ["shell lead", "server files"]);
    assert!(!fixture.state().exists());
}

#[test]
fn a_provider_that_was_entered_is_agreed_to_as_it_was_entered_and_no_other() {
    let fixture = Fixture::new();
    let named = |key: &str| {
        let minds = fixture.minds();
        minds.providers().iter().find(|one| one.key == key).unwrap().clone()
    };
    let entered = named("foreign");
    let moved = ProviderConfig { base_url: "https://moved.example".to_owned(), ..entered.clone() };
    fixture.trust().agree_to_entered(&moved).unwrap();
    fixture.trust().agree_to_entered(&named("here")).unwrap();
    assert!(!fixture.state().exists(), "the files do not name it, or it needs no consent");
    let before = names(&fixture.trust().waiting());
    fixture.trust().agree_to_entered(&entered).unwrap();
    let after = names(&fixture.trust().waiting());
    let expected: Vec<_> = before.into_iter().filter(|name| name != "provider foreign").collect();
    assert_eq!(after, expected);
}

#[test]
fn only_entries_that_were_shown_are_agreed_to() {
    let fixture = Fixture::new();
    let shown: Vec<String> =
        fixture.trust().waiting().into_iter().map(|one| one.entry.digest).collect();
    fixture.write("run.sh", "echo 2");
    fixture.trust().agree(&shown).unwrap();
    assert_eq!(names(&fixture.trust().waiting()), ["server files"]);
}

#[test]
fn shells_servers_and_providers_are_blocked_until_consent() {
    let fixture = Fixture::new();
    let trust = fixture.trust();
    let minds = fixture.minds();
    let without_shell = trust.without_shell(&minds);
    assert_eq!(without_shell, ["ops", "pangu"].map(AgentId::new));
    let provider = |key: &str| trust.provider(minds.provider(key).unwrap());
    for key in ["foreign", "keyless", "unused", "openai"] {
        assert!(matches!(provider(key), Ok(Some(_))), "{key}");
    }
    for key in ["here", "mock"] {
        assert_eq!(provider(key), Ok(None), "{key}");
    }
    let file = McpFile::load(&fixture.workspace());
    for declared in &file.servers {
        let transport = &declared.server.as_ref().unwrap().transport;
        assert!(!trust.may(&declared.id, transport));
    }
    fixture.agree_to_all();
    assert_eq!(trust.without_shell(&minds), []);
    assert_eq!(provider("foreign"), Ok(None));
    let sh = &file.servers.first().unwrap().server.as_ref().unwrap().transport;
    assert!(trust.may("files", sh));
    assert!(!trust.may("other", sh));
    fixture.write("run.sh", "echo 2");
    assert!(!trust.may("files", sh));
}

#[test]
fn h18_decisions_left_to_members_wait_for_consent_and_a_stricter_rule_does_not() {
    let scopes = |all: &[AutonomyScope]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let fixture = Fixture::new();
    fixture.agree_to_all();
    let write = |text: &str| fixture.write(".minds/hive/hive.yaml", text);
    let waits = || names(&fixture.trust().waiting());
    write("autonomy: { level: major_only, scopeChanges: notify_and_proceed }");
    assert_eq!(waits(), [""; 0]);
    write("autonomy: { level: full, members: { ops: { orgChanges: automated } } }");
    assert_eq!(waits(), ["autonomy workspace", "autonomy member ops"]);
    let waiting = fixture.trust().waiting();
    assert_eq!(waiting[1].entry.act, "decides alone: orgChanges");
    let held = fixture.trust().unagreed_autonomy(&fixture.minds());
    assert_eq!(scopes(&held), ["workspace", "member ops"]);
    fixture.trust().agree(&[waiting[0].entry.digest.clone()]).unwrap();
    let held = fixture.trust().unagreed_autonomy(&fixture.minds());
    assert_eq!(scopes(&held), ["member ops"]);
    write("autonomy: { level: full, scopeChanges: requires_approval }");
    assert_eq!(waits(), ["autonomy workspace changed"]);
    write("autonomy: { level: full }");
    assert_eq!(waits(), [""; 0]);
    write("autonomy: { members: { ops: { scopeChanges: automated } } }");
    let held = fixture.minds().without_autonomy(vec![AutonomyScope::Member("ops".into())]);
    let entries = fixture.trust().unagreed(fixture.trust().list_of(&held));
    let expected = ["autonomy member ops"];
    assert_eq!(names(&entries), expected, "what is held back still waits");
}

#[test]
fn h18_whoever_is_put_into_a_team_that_decides_alone_needs_consent_again() {
    let fixture = Fixture::new();
    let team =
        |name: &str, text: &str| fixture.write(&format!(".minds/hive/teams/{name}.yaml"), text);
    fixture.write(".minds/hive/hive.yaml", "autonomy: { teams: { lab: { level: full } } }");
    team("lab", "lead: idle");
    let waiting = fixture.trust().waiting();
    let of_lab = waiting.iter().find(|one| one.entry.name == "team lab").unwrap();
    assert!(of_lab.entry.act.ends_with("; for @idle"), "{}", of_lab.entry.act);
    fixture.agree_to_all();
    assert_eq!(names(&fixture.trust().waiting()), [""; 0]);
    team("lab", "lead: idle\nmembers: [idle, ops]");
    assert_eq!(names(&fixture.trust().waiting()), ["autonomy team lab changed"]);
    let held = fixture.trust().unagreed_autonomy(&fixture.minds());
    assert_eq!(held, [AutonomyScope::Team("lab".to_owned())]);
    team("lab", "lead: idle");
    team("below", "parent: lab\nlead: ops");
    assert_eq!(names(&fixture.trust().waiting()), ["autonomy team lab changed"], "it holds below");
    team("below", "lead: ops");
    assert_eq!(names(&fixture.trust().waiting()), [""; 0]);
}

#[test]
fn a_provider_with_an_invalid_address_or_a_folder_elsewhere_cannot_be_used() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.top.path().join("elsewhere")).unwrap();
    symlink(fixture.top.path().join("elsewhere"), fixture.workspace().join("linked")).unwrap();
    for (base, api, fault) in [
        ("ftp://a.example", "openai-compatible", "not a web address"),
        ("../elsewhere", "mock", "outside the workspace"),
        ("linked", "mock", "outside the workspace"),
        ("/etc", "mock", "outside the workspace"),
    ] {
        let llm = format!(
            "providers: {{ p: {{ apiType: {api}, baseUrl: '{base}', models: {{ m: {{}} }} }} }}\n"
        );
        fixture.write(".minds/llm.yaml", &llm);
        let minds = fixture.minds();
        let found = fixture.trust().provider(minds.provider("p").unwrap());
        let error = found.unwrap_err();
        assert!(error.to_string().contains(fault), "{base}");
        assert_translated(&error);
    }
}

#[test]
fn a_login_waits_wherever_it_is_sent_and_goes_to_its_own_server_or_this_machine_alone() {
    let fixture = Fixture::new();
    let home = fixture.top.path().join("home");
    let entry = |base: &str, folder: &Path| {
        let llm = format!(
            "providers: {{ p: {{ apiType: codex, baseUrl: '{base}', models: {{ m: {{}} }} }} }}\n"
        );
        fixture.write(".minds/llm.yaml", &llm);
        let minds = fixture.minds();
        let env = |name: &str| (name == "CODEX_HOME").then(|| folder.display().to_string());
        let config = minds.provider("p").unwrap();
        list::provider_entry(&fixture.workspace(), config, &env)
    };
    let own = "https://chatgpt.com/backend-api/";
    for (base, address) in
        [(own, "https://chatgpt.com"), ("http://127.0.0.1:1", "http://127.0.0.1:1")]
    {
        let act = entry(base, &home).unwrap().expect("it waits").act;
        for part in [home.join("auth.json").to_str().unwrap(), address, "https://auth.openai.com"] {
            assert!(act.contains(part), "{act}");
        }
    }
    for (base, folder, fault) in [
        ("https://evil.example/backend-api/", home.clone(), "sent to https://chatgpt.com alone"),
        ("http://chatgpt.com/backend-api/", home.clone(), "sent to https://chatgpt.com alone"),
        (own, fixture.workspace().join(".codex"), "is in the workspace"),
        (own, PathBuf::from("relative"), "absolute path"),
    ] {
        let error = entry(base, &folder).unwrap_err();
        assert!(error.to_string().contains(fault), "{error}");
        assert_translated(&error);
    }
}

#[test]
fn the_digest_of_a_server_covers_its_program_wherever_path_finds_it() {
    let fixture = Fixture::new();
    let run = |fixture: &Fixture| {
        let waiting = fixture.trust().waiting();
        waiting.into_iter().find(|one| one.entry.name == "s").unwrap().entry
    };
    for entry in [
        "{ command: ./bin/tool }",
        "{ command: tool, env: { PATH: bin } }",
        "{ command: ./tool, cwd: bin }",
    ] {
        fixture.write("bin/tool", "1");
        fixture.write(".minds/mcp.yaml", &format!("servers: {{ s: {entry} }}\n"));
        let before = run(&fixture);
        assert!(before.act.contains("(bin/tool: sha256 6b86b273ff34fce1)"), "{}", before.act);
        fixture.write("bin/tool", "2");
        assert_ne!(run(&fixture).digest, before.digest, "{entry}");
    }
}

#[test]
fn what_a_program_of_a_server_reads_and_what_its_files_name_is_agreed_to_too() {
    for (entry, others, changed) in [
        ("{ command: npm, args: [start] }", "", "package.json"),
        ("{ command: npx, args: [-y, pkg], cwd: sub }", "", "sub/package.json"),
        ("{ command: sh, args: [-c, 'cd sub && npm start'] }", "", "sub/package.json"),
        ("{ command: npm, args: [start] }", "package.json: node sub/a", "sub/a.js"),
        ("{ command: make, args: [-C, sub] }", "", "sub/Makefile"),
        ("{ command: uv, args: [run, serve] }", "", "uv.lock"),
        ("{ command: node, args: [sub] }", "", "sub/index.js"),
        ("{ command: python3, args: [-m, sub.serve] }", "", "sub/serve.py"),
        ("{ command: sh, args: [-c, 'sh sub/a.sh'] }", "", "sub/a.sh"),
        ("{ command: sh, args: [one.sh] }", "one.sh: . ./two.sh", "two.sh"),
        ("{ command: node, args: [sub/one.js] }", "sub/one.js: require('./two')", "sub/two.js"),
        ("{ command: node, args: [one.mjs] }", "one.mjs: import './sub'", "sub/index.js"),
        ("{ command: python3, args: [one.py] }", "one.py: from sub import two", "sub/two.py"),
        ("{ command: python3, args: [one.py] }", "one.py: import os, two", "two.py"),
    ] {
        let fixture = Fixture::new();
        if let Some((path, text)) = others.split_once(": ") {
            fixture.write(path, text);
        }
        fixture.write(changed, "1");
        fixture.write(".minds/mcp.yaml", &format!("servers: {{ s: {entry} }}\n"));
        fixture.agree_to_all();
        assert_eq!(names(&fixture.trust().waiting()), [""; 0], "{entry}: {changed}");
        fixture.write(changed, "2");
        assert_eq!(names(&fixture.trust().waiting()), ["server s changed"], "{entry}: {changed}");
    }
}

#[test]
fn data_that_a_script_names_is_not_agreed_to_and_files_that_name_each_other_are_looked_at_once() {
    let fixture = Fixture::new();
    fixture.write(".minds/mcp.yaml", "servers: { s: { command: sh, args: [a.sh] } }\n");
    fixture.write("a.sh", "echo x >> state.json; echo y >> ./journal; . ./b.sh");
    fixture.write("b.sh", ". ./a.sh; . ../../etc/passwd.sh");
    fixture.agree_to_all();
    for written in ["state.json", "journal", "other.sh"] {
        fixture.write(written, "1");
    }
    assert_eq!(names(&fixture.trust().waiting()), [""; 0]);
    fixture.write("b.sh", "echo");
    let waiting = fixture.trust().waiting();
    assert_eq!(names(&waiting), ["server s changed"]);
    assert!(waiting[0].entry.act.contains("(1 program files that these name, b.sh among them"));
}

#[test]
fn a_server_that_is_not_enabled_waits_for_nothing() {
    let fixture = Fixture::new();
    fixture.write(".minds/mcp.yaml", "servers: { s: { command: ./run.sh, enabled: false } }\n");
    assert!(!names(&fixture.trust().waiting()).iter().any(|name| name.starts_with("server")));
}

#[test]
fn a_chosen_level_is_stored_per_workspace_and_does_not_affect_consent() {
    let fixture = Fixture::new();
    assert_eq!(fixture.trust().level(), None);
    fixture.agree_to_all();
    for level in [Level::Off, Level::ReadOnly] {
        fixture.trust().choose(level).unwrap();
        assert_eq!(fixture.trust().level(), Some(level));
    }
    assert_eq!(names(&fixture.trust().waiting()), [""; 0]);
    fixture.agree_to_all();
    assert_eq!(fixture.trust().level(), Some(Level::ReadOnly));
    let other = Trust::in_folder(Some(fixture.state()), fixture.top.path());
    assert_eq!(other.level(), None);
    let inside = Trust::in_folder(Some(fixture.workspace().join("x")), &fixture.workspace());
    assert!(inside.choose(Level::Off).is_err());
    assert_eq!(inside.level(), None);
}

#[test]
fn only_what_was_chosen_last_for_a_dialog_is_left_to_its_member_and_only_here() {
    let fixture = Fixture::new();
    let dialog = DialogId::main(RootId::new("aa/bb/01"));
    let other = DialogId::main(RootId::new("aa/bb/02"));
    let (strict, major, full) =
        (AutonomyLevel::ConfirmAll, AutonomyLevel::MajorOnly, AutonomyLevel::Full);
    assert!(fixture.trust().lets_decide(&dialog, strict), "that leaves nothing");
    fixture.trust().choose_autonomy_of(&dialog, Some(strict)).unwrap();
    assert!(!fixture.state().exists(), "it needs no record");
    fixture.trust().choose_autonomy_of(&dialog, Some(full)).unwrap();
    assert!(fixture.trust().lets_decide(&dialog, full));
    assert!(!fixture.trust().lets_decide(&dialog, major));
    assert!(!fixture.trust().lets_decide(&other, full));
    let elsewhere = Trust::in_folder(Some(fixture.state()), fixture.top.path());
    assert!(!elsewhere.lets_decide(&dialog, full));
    for later in [Some(major), Some(strict), None] {
        fixture.trust().choose_autonomy_of(&dialog, Some(full)).unwrap();
        fixture.trust().choose_autonomy_of(&dialog, later).unwrap();
        assert!(!fixture.trust().lets_decide(&dialog, full), "{later:?}");
    }
    let inside = Trust::in_folder(Some(fixture.workspace().join("x")), &fixture.workspace());
    assert!(inside.choose_autonomy_of(&dialog, Some(full)).is_err());
    assert!(inside.choose_autonomy_of(&dialog, Some(strict)).is_ok());
    assert!(!inside.lets_decide(&dialog, full));
}

#[test]
fn what_was_agreed_to_for_a_dialog_and_cannot_be_taken_back_is_an_error() {
    let fixture = Fixture::new();
    let dialog = DialogId::main(RootId::new("aa/bb/01"));
    let full = AutonomyLevel::Full;
    fixture.trust().choose_autonomy_of(&dialog, Some(full)).unwrap();
    let file = fixture.state().join(record::FILE);
    let usual = file.metadata().unwrap().permissions();
    fs::set_permissions(&file, fs::Permissions::from_mode(usual.mode() | 0o006)).unwrap();
    for stricter in [Some(AutonomyLevel::ConfirmAll), None] {
        let error = fixture.trust().choose_autonomy_of(&dialog, stricter).unwrap_err();
        assert_translated(&error);
        assert!(error.to_string().contains("cannot be taken back"), "{error}");
    }
    fs::set_permissions(&file, usual).unwrap();
    assert!(fixture.trust().lets_decide(&dialog, full), "it is still recorded");
}

#[test]
fn h18_what_new_teams_can_do_beyond_reading_waits_for_consent() {
    let fixture = Fixture::new();
    fixture.agree_to_all();
    let waits = |toolsets: &str| {
        let text = format!("spawn: {{ toolsets: {toolsets} }}");
        fixture.write(".minds/hive/hive.yaml", &text);
        fixture.trust().waiting()
    };
    for harmless in ["[]", "[ws_read]", "[team_memory, ws_read, personal_memory]"] {
        assert_eq!(names(&waits(harmless)), [""; 0], "{harmless}");
    }
    for never in ["[os]", "['*']", "[team_mgmt]", "[mcp_admin, ws_mod]", "[files]", "ws_mod"] {
        assert_eq!(names(&waits(never)), [""; 0], "it counts as absent: {never}");
        assert!(fixture.minds().problems().iter().any(|one| one.id == "hive/value/spawn.toolsets"));
    }
    let waiting = waits("[ws_read, ws_mod]");
    assert_eq!(names(&waiting), ["spawn toolsets"]);
    assert_eq!(waiting[0].entry.act, "gives the leads of teams that members make: ws_mod");
    fixture.trust().agree(&[waiting[0].entry.digest.clone()]).unwrap();
    assert_eq!(names(&waits("[ws_mod]")), [""; 0]);
    assert_eq!(names(&waits("[ws_mod, control]")), ["spawn toolsets changed"]);
}

#[test]
fn what_several_programs_agree_to_at_the_same_time_is_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state").join(record::FILE);
    let add = |n: usize| {
        for m in 0..10 {
            let entry = [list::store_entry("ab12")];
            record::add(&file, &format!("/workspace-{n}-{m}"), &entry).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for n in 0..4 {
            scope.spawn(move || add(n));
        }
    });
    assert_eq!(record::read(&file).unwrap().len(), 40);
}

#[test]
fn s15_5_secrets_that_commands_of_a_team_get_wait_for_consent_by_their_names() {
    let fixture = Fixture::new();
    let file = |text: &str| fixture.write(".minds/hive/teams/ops.yaml", text);
    fixture.write(".minds/hive/hive.yaml", "version: 1\n");
    file("lead: ops\nvault: { shell: [GITHUB_TOKEN, { DB_PASS: db/pass }] }\n");
    fixture.agree_to_all();
    assert_eq!(names(&fixture.trust().waiting()), [""; 0], "vaults are off");
    fixture.write(".minds/hive/hive.yaml", "version: 1\nvault: on\n");
    let waiting = fixture.trust().waiting();
    assert_eq!(names(&waiting), ["vault ops"]);
    let expected = "commands of @ops get GITHUB_TOKEN, DB_PASS (db/pass) in their environment";
    assert_eq!(waiting[0].entry.act, expected);
    assert!(waiting[0].holds_dialogs());
    let held = |fixture: &Fixture| fixture.trust().unagreed_vaults(&fixture.minds());
    assert_eq!(held(&fixture), [TeamName::new("ops")]);
    let minds = fixture.minds().without_shell_secrets(&held(&fixture));
    assert!(minds.hive().org().team(&TeamName::new("ops")).unwrap().shell_secrets.is_empty());
    fixture.agree_to_all();
    assert!(held(&fixture).is_empty());
    file("lead: ops\nvault: { shell: [GITHUB_TOKEN, NPM_TOKEN] }\n");
    assert_eq!(names(&fixture.trust().waiting()), ["vault ops changed"]);
}
