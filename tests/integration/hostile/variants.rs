//! The ways.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::wait::output;

use super::place::Place;
use super::tricks::tricks;

/// The effect after a person agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// It acts: a program runs, or a connection is made.
    Acts,
    /// There is nothing to agree to, or its effect cannot be seen here.
    None,
}

pub struct Variant {
    pub name: &'static str,
    /// Below the folder of the test; `@PORT@` is a trap, `@LLM@` the model of this machine.
    pub files: Vec<(&'static str, String)>,
    pub links: Vec<(&'static str, &'static str)>,
    /// The model's calls, all at once.
    pub calls: Vec<(String, Value)>,
    /// The entries on the sheet; empty if nothing waits.
    pub waits: Vec<&'static str>,
    pub control: Control,
    /// A file, and what changes in it after consent.
    pub change: Option<(&'static str, &'static str, &'static str)>,
    pub prepare: Option<fn(&Place)>,
}

pub const TEAM: &str = "work/.minds/team.yaml";
pub const LLM: &str = "work/.minds/llm.yaml";
pub const MCP: &str = "work/.minds/mcp.yaml";
pub const SERVE: &str = "#!/bin/sh\necho ran >>acted\n";

pub fn plain(name: &'static str) -> Variant {
    Variant {
        name,
        files: Vec::new(),
        links: Vec::new(),
        calls: Vec::new(),
        waits: Vec::new(),
        control: Control::None,
        change: None,
        prepare: None,
    }
}

pub fn members(specialists: &str, lead: &str) -> String {
    format!(
        "{specialists}\nmember_defaults: {{ provider: here, model: m, streaming: false, \
         diligence-push-max: 0 }}\nmembers:\n  lead: {{ {lead} }}\n"
    )
}

pub fn runs(command: &str) -> (String, Value) {
    ("shell_cmd".to_owned(), json!({ "command": command }))
}

pub fn looks(line: &str) -> (String, Value) {
    ("readonly_shell".to_owned(), json!({ "command": line }))
}

/// A member that was given a shell.
pub fn shell(name: &'static str, specialists: &str, lead: &str) -> Variant {
    Variant {
        files: vec![(TEAM, members(specialists, lead))],
        calls: vec![runs("echo ran >>acted")],
        waits: vec!["commands of lead"],
        control: Control::Acts,
        ..plain(name)
    }
}

/// A server of tools.
pub fn server(
    name: &'static str,
    entry: &str,
    change: (&'static str, &'static str, &'static str),
) -> Variant {
    Variant {
        files: vec![
            (MCP, format!("servers: {{ tools: {entry} }}\n")),
            ("work/serve.sh", SERVE.to_owned()),
            ("work/bin/serve.sh", SERVE.replace("acted", "\"${0%/*}/../acted\"")),
        ],
        waits: vec!["server tools"],
        control: Control::Acts,
        change: Some(change),
        ..plain(name)
    }
}

/// A provider elsewhere.
pub fn provider(name: &'static str, entry: &str) -> Variant {
    Variant {
        files: vec![
            (LLM, format!("providers: {{ far: {{ {entry}, models: {{ m: {{}} }} }} }}\n")),
            (TEAM, members("", "provider: far")),
        ],
        waits: vec!["provider far"],
        control: Control::Acts,
        change: Some((LLM, "0.0.0.0", "[::]")),
        ..plain(name)
    }
}

/// A repository whose configuration names programs, and a member that only looks.
pub fn repository(name: &'static str, line: &str, prepare: fn(&Place)) -> Variant {
    Variant {
        files: vec![(TEAM, members("", "toolsets: [codex_inspect_and_patch_tools]"))],
        calls: vec![looks(line)],
        prepare: Some(prepare),
        ..plain(name)
    }
}

pub fn git(place: &Place, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(place.at("work")).args(["-c", "user.name=x", "-c", "user.email=x@x"]);
    let done = output(command.args(arguments).env("HOME", place.at("home")));
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}

pub fn committed(place: &Place) {
    git(place, &["init", "-q"]);
    place.put("work/a.txt", "one\n");
    git(place, &["add", "a.txt"]);
    git(place, &["commit", "-qm", "x"]);
    place.put("work/a.txt", "two\n");
    place.put("work/act.sh", SERVE);
}

fn with_monitor(place: &Place) {
    committed(place);
    git(place, &["config", "core.fsmonitor", "./act.sh"]);
}

fn with_drivers(place: &Place) {
    committed(place);
    place.put("work/.gitattributes", "*.txt diff=act filter=act\n");
    for key in ["diff.act.textconv", "diff.act.command", "filter.act.clean", "diff.external"] {
        git(place, &["config", key, "./act.sh"]);
    }
}

fn with_pager(place: &Place) {
    committed(place);
    for key in ["core.pager", "pager.log", "gpg.program", "core.alternateRefsCommand"] {
        git(place, &["config", key, "./act.sh"]);
    }
    git(place, &["config", "log.showSignature", "true"]);
}

/// A record of a process in the background, true in all but whose it is.
fn with_forged_record(place: &Place) {
    let pid = place.victim();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let ticks: u64 = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.split_whitespace().nth(19)?.parse().ok())
        .unwrap_or_default();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let record = json!({
        "pid": pid, "startedTicks": ticks, "boot": boot.trim(), "command": "sleep 600",
        "shell": "sh", "agent": "lead", "startedAt": "2026-11-21 12:00:00",
        "identity": { "pid": pid, "started_ticks": ticks, "boot": boot.trim() },
    });
    for folder in [format!("{pid}"), "one".to_owned()] {
        let path = format!("work/.dialogs/.tui/processes/{folder}/process.json");
        place.put(&path, &record.to_string());
    }
    assert_eq!(fs::metadata(place.at("work")).expect("a folder").uid(), own_uid());
}

fn own_uid() -> u32 {
    fs::metadata("/proc/self").map_or(0, |own| own.uid())
}

pub fn all() -> Vec<Variant> {
    let mut all = shells();
    all.extend(servers());
    all.extend(providers());
    all.extend(structure());
    all.extend(tricks());
    all
}

fn shells() -> Vec<Variant> {
    vec![
        shell("a specialist with its toolset", "shell_specialists: [lead]", "toolsets: [os]"),
        shell("a specialist with the tool", "shell_specialists: [lead]", "tools: [shell_cmd]"),
        shell("a specialist with everything", "shell_specialists: [lead]", "toolsets: ['*']"),
        shell("one name in place of a list", "shell_specialists: lead", "toolsets: [os]"),
        shell(
            "a hidden specialist",
            "shell_specialists: [lead]\ndefault_responder: lead",
            "toolsets: [os], hidden: true",
        ),
        Variant {
            waits: Vec::new(),
            control: Control::None,
            ..shell(
                "a hidden member nobody named",
                "default_responder: lead",
                "toolsets: ['*'], hidden: true",
            )
        },
        Variant {
            waits: Vec::new(),
            control: Control::None,
            ..shell("a toolset without a name", "", "toolsets: [os, '*'], tools: [shell_cmd]")
        },
    ]
}

fn servers() -> Vec<Variant> {
    let script = ("work/serve.sh", "ran", "ran again");
    let inner = ("work/bin/serve.sh", "ran", "ran again");
    let entry = |from, to| (MCP, from, to);
    vec![
        server("a script of the workspace", "{ command: ./serve.sh }", script),
        server("a script for a shell", "{ command: sh, args: [serve.sh] }", script),
        server(
            "words for a shell",
            "{ command: sh, args: [-c, 'echo ran >>acted'] }",
            entry("ran", "again"),
        ),
        server(
            "a program by a PATH of its own",
            "{ command: serve.sh, env: { PATH: './bin:/bin' }, cwd: . }",
            entry("./bin", "bin"),
        ),
        server("a script in a folder", "{ command: ./serve.sh, cwd: bin }", inner),
        server("a script by its whole path", "{ command: '@TOP@/work/serve.sh' }", script),
        server(
            "a script as an option",
            "{ command: sh, args: [-c, '. ./serve.sh', '--file=serve.sh'] }",
            script,
        ),
        Variant {
            files: vec![
                (MCP, "servers: { tools: { command: sh, args: [first.sh] } }\n".to_owned()),
                ("work/first.sh", "#!/bin/sh\n. ./serve.sh\n".to_owned()),
                ("work/serve.sh", SERVE.to_owned()),
            ],
            ..server("the second file of a script", "", script)
        },
        Variant {
            files: vec![
                (
                    MCP,
                    "servers: { tools: { command: sh, args: [serve.sh, npm, start] } }\n"
                        .to_owned(),
                ),
                ("work/serve.sh", SERVE.to_owned()),
                ("work/package.json", r#"{ "scripts": { "start": "true" } }"#.to_owned()),
            ],
            ..server("a package.json", "", ("work/package.json", "true", "false"))
        },
        Variant {
            waits: Vec::new(),
            control: Control::None,
            change: None,
            ..server(
                "a server that is not enabled",
                "{ command: ./serve.sh, enabled: false }",
                script,
            )
        },
        server("one for all dialogs", "{ command: ./serve.sh, truely-stateless: true }", script),
        Variant {
            links: vec![("work/linked.sh", "serve.sh")],
            ..server("a script behind a link", "{ command: ./linked.sh }", script)
        },
        server("an address", "{ url: 'http://0.0.0.0:@PORT@/mcp' }", entry("/mcp", "/other")),
        server(
            "an address of this machine",
            "{ url: 'http://127.0.0.1:@PORT@/mcp' }",
            entry("/mcp", "/other"),
        ),
        server(
            "an address with a key",
            "{ url: 'http://0.0.0.0:@PORT@/mcp', headers: { Authorization: { env: A_KEY } } }",
            entry("A_KEY", "HOME"),
        ),
    ]
}

fn providers() -> Vec<Variant> {
    vec![
        provider("a model without a key", "apiType: openai-compatible, baseUrl: 'http://0.0.0.0:@PORT@/v1'"),
        provider("a model with a key", "apiType: openai-compatible, baseUrl: 'http://0.0.0.0:@PORT@/v1', apiKeyEnvVar: A_KEY"),
        provider("a model by another protocol", "apiType: openai, baseUrl: 'http://0.0.0.0:@PORT@/v1', apiKeyEnvVar: A_KEY"),
        provider("a model by a third protocol", "apiType: anthropic, baseUrl: 'http://0.0.0.0:@PORT@', apiKeyEnvVar: A_KEY"),
        Variant {
            files: vec![
                (LLM, "providers: { far: { apiType: openai-compatible, baseUrl: 'http://0.0.0.0:@PORT@/v1', models: { m: {} } } }\n".to_owned()),
                (TEAM, "member_defaults: { streaming: false, diligence-push-max: 0 }\nmembers: { lead: {} }\n".to_owned()),
            ],
            ..provider("a model nobody chose", "apiType: mock, baseUrl: x")
        },
    ]
}

fn structure() -> Vec<Variant> {
    vec![
        Variant {
            files: vec![
                ("elsewhere/.minds/team.yaml", members("shell_specialists: [lead]", "toolsets: [os]")),
                ("elsewhere/.minds/llm.yaml", "@LLM@".to_owned()),
            ],
            links: vec![("work/.minds", "../elsewhere/.minds")],
            calls: vec![runs("echo ran >>acted")],
            ..plain("a configuration behind a link")
        },
        Variant {
            links: vec![("work/.dialogs", "../elsewhere")],
            ..plain("dialogs behind a link")
        },
        Variant { prepare: Some(with_forged_record), ..plain("a record of a process of the person") },
        Variant {
            links: vec![("work/task.tsk", "../elsewhere")],
            calls: vec![("change_mind".to_owned(), json!({ "selector": "goals", "content": "x" }))],
            ..plain("a Taskdoc behind a link")
        },
        Variant {
            files: vec![(TEAM, members("", "toolsets: [ws_mod]"))],
            links: vec![("work/out", "../elsewhere")],
            calls: vec![("create_new_file".to_owned(), json!({ "path": "out/x", "content": "x" }))],
            ..plain("a file behind a link")
        },
        repository("a monitor of files", "git status", with_monitor),
        repository("programs that show differences", "git diff", with_drivers),
        repository("programs around a log", "git log -p", with_pager),
        Variant {
            files: vec![
                (TEAM, members("", "toolsets: [codex_inspect_and_patch_tools]")),
                ("elsewhere/secret", "sk-outside".to_owned()),
            ],
            calls: vec![looks("rg --pre ./act.sh secret .. ; awk 'BEGIN{system(\"echo ran >>acted\")}'")],
            ..plain("a line that only looks")
        },
        Variant {
            files: vec![
                (TEAM, members("", "provider: answers, model: m")),
                (LLM, "providers: { answers: { apiType: mock, baseUrl: ../elsewhere, models: { m: {} } } }\n".to_owned()),
            ],
            ..plain("answers of a model from outside")
        },
        Variant {
            files: vec![
                (TEAM, members("shell_specialists: [lead]", "toolsets: [os]")),
                ("work/.minds/config.yaml", "sandbox: off\n".to_owned()),
                ("work/config.yaml", "sandbox: off\n".to_owned()),
                ("work/.config/dominds-tui/config.yaml", "sandbox: off\n".to_owned()),
                ("work/.local/state/dominds-tui/trusted.jsonl", "{}\n".to_owned()),
                ("work/.dialogs/.tui/trusted.jsonl", "{}\n".to_owned()),
            ],
            calls: vec![runs("echo ran >../elsewhere/acted; echo ran >>acted")],
            waits: vec!["commands of lead"],
            control: Control::Acts,
            ..plain("settings of its own")
        },
    ]
}
