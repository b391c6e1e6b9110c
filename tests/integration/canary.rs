//! Keys in the environment of the program. Whatever a server is told about them and a member runs,
//! each key goes to its provider and nowhere else, in any encoding.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, LazyLock, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::common::files::files_below;
use crate::common::http;
use crate::common::pty::Program;
use crate::common::skip::has;
use crate::common::wait::{eventually, output};

/// The key of the provider.
const KEY: &str = "sk-canary-0123456789";
/// The token of the workspace's server.
const TOKEN: &str = "side/canary+987654321";
/// A literal value for it.
const LITERAL: &str = "literal-canary-5566";
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/mcp_server.py");
const LAST_WORDS: &str = "the bird is silent";

/// Calls by which a member might come by the key.
fn calls() -> Vec<(&'static str, Value)> {
    let shell = [
        "env; export -p; set",
        "cat /proc/self/environ | tr '\\0' '\\n'",
        "cat /proc/$PPID/environ | tr '\\0' '\\n'",
        "env >told-by-env; cat /proc/self/environ >told-by-proc; ps eww >told-by-ps 2>/dev/null; true",
        "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a canary",
        "echo \"$CANARY_KEY\" \"$COPY_OF_KEY\"; exit 3",
        "cat ../key-file",
        "cat inside.txt; tail -c 100 inside.txt >&2",
        "echo $SIDE_KEY $MCP_SIDE; base64 ../key-file; base64 -w 7 ../key-file",
        "head -c 65530 /dev/zero | tr '\\0' x; cat ../key-file; head -c 300000 /dev/zero | tr '\\0' x",
    ];
    // These run in the background, where they write in pieces.
    let background = [
        "head -c 9 ../key-file; sleep 2; tail -c +10 ../key-file; echo >wrote-1; sleep 600"
            .to_owned(),
        format!(
            "cat inside.txt >&2; sleep 2; head -c 4 ../key-file; sleep 0.2; tail -c +5 ../key-file; \
             echo >wrote-2; sleep 600 # {KEY}"
        ),
    ];
    let line = [
        "cat inside.txt",
        "cat /proc/self/environ",
        "awk 'BEGIN{for (k in ENVIRON) print ENVIRON[k]}'",
        "jq -n env",
    ];
    let shell = shell.map(|command| ("shell_cmd", json!({ "command": command })));
    let line = line.map(|command| ("readonly_shell", json!({ "command": command })));
    let variables = ["CANARY_KEY", "MCP_COPY", "MCP_SIDE"]
        .map(|key| ("env_get", json!({"key": key, "reveal": true})));
    let background =
        background.map(|command| ("shell_cmd", json!({"command": command, "timeoutSeconds": 1})));
    // While this one is waited for, the others are not ended.
    let waits = "until [ -e wrote-1 ] && [ -e wrote-2 ]; do sleep 0.1; done";
    let files = [
        ("shell_cmd", json!({"command": waits, "timeoutSeconds": 60})),
        ("read_file", json!({"path": "inside.txt"})),
        ("ripgrep_snippets", json!({"pattern": "canary"})),
        // The key is known here: the server that answers has seen it.
        ("add_reminder", json!({"content": format!("the key is {KEY}")})),
        (
            "shell_cmd",
            json!({"command": format!("echo {KEY} | rev | rev # {}", BASE64.encode(KEY))}),
        ),
        (KEY, json!({})),
    ];
    let places = [
        "text",
        "error",
        "structured",
        "link",
        "resource",
        "blocks",
        "long",
        "image",
        "refused",
        "stderr",
    ];
    let leaks = places.map(|place| ("leak", json!({ "where": place })));
    let leaks = leaks.into_iter().filter(|_| python());
    shell
        .into_iter()
        .chain(line)
        .chain(variables)
        .chain(background)
        .chain(files)
        .chain(leaks)
        .collect()
}

/// True if `python3` is there; without it there is no server of tools.
fn python() -> bool {
    static THERE: LazyLock<bool> = LazyLock::new(|| has("python3"));
    *THERE
}

/// The forms in which a key counts as the key.
fn written(key: &str) -> Vec<String> {
    let mut forms = vec![
        key.to_owned(),
        key.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat(),
        key.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat(),
        key.replace('/', "%2F").replace('+', "%2B"),
    ];
    forms.extend(["", "a", "ab"].map(|before| BASE64.encode(format!("{before}{key}"))));
    forms
}

/// Parts of these encodings by which they are recognised, whatever else was encoded together with the key.
fn forms(key: &str) -> Vec<String> {
    let part = |(n, form): (usize, String)| match n {
        0..4 => form,
        phase => form[(phase - 4) * 2..form.len() - 4].to_owned(),
    };
    written(key).into_iter().enumerate().map(part).collect()
}

/// The first request is rejected with the head of the request in the answer; the next one is answered
/// with all calls, then with words.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    fn start() -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let port = http::serve("127.0.0.1:0", move |request| {
            let mut requests = seen.lock().expect("no panic");
            let (status, answer) = answer(requests.len(), &request.head);
            requests.push((request.head.clone(), request.body.clone()));
            Some(http::json(status, &answer))
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<(String, String)> {
        self.requests.lock().expect("no panic").clone()
    }
}

fn answer(number: usize, head: &str) -> (&'static str, String) {
    let message = match number {
        0 => {
            let text = format!("wrong key in {head}");
            return ("401 Unauthorized", json!({"error": {"message": text}}).to_string());
        }
        1 => {
            let calls: Vec<Value> = calls()
                .into_iter()
                .enumerate()
                .map(|(n, (name, arguments))| {
                    let function = json!({"name": name, "arguments": arguments.to_string()});
                    json!({"id": format!("c{n}"), "type": "function", "function": function})
                })
                .collect();
            let text = format!("Looking for {KEY}.");
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        _ => json!({"role": "assistant", "content": LAST_WORDS}),
    };
    ("200 OK", json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string())
}

struct Place {
    top: tempfile::TempDir,
}

impl Place {
    fn new(port: u16) -> Self {
        let top = tempfile::tempdir().expect("a folder");
        let minds = top.path().join("work/.minds");
        fs::create_dir_all(&minds).expect("folders");
        fs::create_dir(top.path().join("home")).expect("a home");
        let llm = format!(
            "providers:\n  p:\n    apiType: openai-compatible\n    baseUrl: http://127.0.0.1:{port}/v1\n    \
             apiKeyEnvVar: CANARY_KEY\n    models: {{ m: {{}} }}\n"
        );
        fs::write(minds.join("llm.yaml"), llm).expect("a file");
        let mcp = format!(
            "version: 1\nservers:\n  side:\n    command: python3\n    args: ['{SERVER}', leak]\n    env: {{ \
             TOKEN: {{ env: SIDE_KEY }}, API_KEY: {LITERAL} }}\n"
        );
        fs::write(minds.join("mcp.yaml"), mcp).expect("a file");
        let team = "shell_specialists: [lead]\nmembers:\n  lead:\n    provider: p\n    model: m\n    \
                    streaming: false\n    diligence-push-max: 0\n    \
                    toolsets: [os, codex_inspect_and_patch_tools, ws_read, side]\n";
        fs::write(minds.join("team.yaml"), team).expect("a file");
        // Without a sandbox commands can reach more.
        let settings = top.path().join("home/.config/dominds-tui");
        fs::create_dir_all(&settings).expect("folders");
        fs::write(settings.join("config.yaml"), "sandbox: off\n").expect("a file");
        Self { top }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().join(name)
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let home = self.path("home").display().to_string();
        vec![
            ("HOME", home),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("CANARY_KEY", KEY.to_owned()),
            ("COPY_OF_KEY", KEY.to_owned()),
            ("MCP_COPY", KEY.to_owned()),
            ("LC_COPY", format!("x{KEY}")),
            ("SIDE_KEY", TOKEN.to_owned()),
            ("MCP_SIDE", TOKEN.to_owned()),
            ("DOMINDS_TUI_SHELL_ENV", "CANARY_KEY,COPY_OF_KEY,SIDE_KEY".to_owned()),
            ("DOMINDS_TUI_LOG", "trace".to_owned()),
        ]
    }

    fn program(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(self.path("work")).args(arguments).env_clear();
        output(command.envs(self.environment()))
    }

    /// Returns the output of the program until it has shown these words.
    fn screen(&self, words: &str) -> Vec<u8> {
        let workspace = self.path("work");
        let mut program =
            Program::start(self.environment(), &["-C".as_ref(), workspace.as_ref()], 160, 60);
        assert!(eventually(|| contains(&program.raw(), words)), "never shown");
        program.kill();
        program.raw()
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|path| contains(&fs::read(path).unwrap_or_default(), text));
    files
}

#[test]
fn a_key_is_in_no_file_no_output_no_child_and_on_no_screen() {
    let server = Server::start();
    let place = Place::new(server.port);
    assert!(place.program(&["trust", "--yes"]).status.success());
    let rejected = place.program(&["run", "Hi"]);
    assert_eq!(rejected.status.code(), Some(4));
    assert!(
        contains(&rejected.stderr, "wrong key in") || contains(&rejected.stdout, "wrong key in")
    );
    assert_eq!(place.program(&["resume", "--all"]).status.code(), Some(0));
    assert_eq!(place.program(&["trust", "--yes"]).status.code(), Some(0));
    let all = [KEY, TOKEN].map(written).concat().join("\n");
    fs::write(place.path("key-file"), KEY).expect("a file");
    fs::write(place.path("work/inside.txt"), all).expect("a file");
    let run = place.program(&["drive", "--json", "--deltas"]);
    fs::remove_file(place.path("key-file")).expect("the file");
    fs::remove_file(place.path("work/inside.txt")).expect("the file");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let drawn = place.screen(LAST_WORDS);
    let problems = place.program(&["doctor", "--json"]);
    let tools = place.program(&["doctor", "--mcp", "--json"]);
    let prompt = place.program(&["read", "lead"]);
    let shown = place.program(&["dialogs", "--all", "--json"]);

    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert!(
        requests.iter().all(|(head, _)| contains(head.as_bytes(), KEY)),
        "it reaches its provider"
    );
    let last: Value = serde_json::from_str(&requests[2].1).expect("JSON");
    let results =
        last["messages"].as_array().expect("messages").iter().filter(|m| m["role"] == "tool");
    assert_eq!(results.count(), calls().len(), "every call has run");
    assert!(requests[2].1.contains("HOME="), "an environment was sent");
    assert!(requests[2].1.contains("[redacted]"), "what a command finds elsewhere is taken out");
    if python() {
        assert!(requests[1].1.contains("Its key is [redacted]"), "the server was reached");
    }
    for key in [KEY, TOKEN, LITERAL].map(forms).concat() {
        for (what, bytes) in [
            ("standard output", &rejected.stdout),
            ("standard error", &rejected.stderr),
            ("events", &run.stdout),
            ("remarks", &run.stderr),
            ("screen", &drawn),
            ("problems", &problems.stdout),
            ("tools", &tools.stdout),
            ("prompt", &prompt.stdout),
            ("list", &shown.stdout),
            ("request", &requests[1].1.clone().into_bytes()),
            ("request", &requests[2].1.clone().into_bytes()),
        ] {
            let text = String::from_utf8_lossy(bytes);
            assert!(!contains(bytes, &key), "{key} is in {what}: {text}");
        }
    }
    for key in [KEY, TOKEN].map(forms).concat() {
        assert_eq!(holding(place.top.path(), &key), Vec::<PathBuf>::new(), "{key}");
    }
    let logs = place.path("home/.local/state/dominds-tui/logs");
    assert!(!holding(&logs, "tool call").is_empty(), "there is a log");
    assert_eq!(holding(&logs, LITERAL), Vec::<PathBuf>::new());
    assert_eq!(holding(&logs, "uthorization"), Vec::<PathBuf>::new(), "no header is logged");
    assert!(place.path("work/told-by-env").exists() && place.path("work/told-by-proc").exists());
    let kept = place.path("work/.dialogs/.tui/processes");
    assert_eq!(holding(&kept, "[redacted]").len(), 4, "a record, and what both have written");
    assert_eq!(wide(&place.path("work/.dialogs")), Vec::<PathBuf>::new());
    assert_eq!(wide(&place.path("home/.local/state/dominds-tui")), Vec::<PathBuf>::new());
}

/// Returns the files and folders that other users may read or enter.
fn wide(folder: &Path) -> Vec<PathBuf> {
    let mut wide = Vec::new();
    let mut all = vec![folder.to_owned()];
    while let Some(path) = all.pop() {
        let found = fs::symlink_metadata(&path).expect("a file");
        if found.is_dir() {
            all.extend(fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
        }
        if found.permissions().mode() & 0o077 != 0 {
            wide.push(path);
        }
    }
    wide
}
