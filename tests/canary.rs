//! A key lies in the environment of the program. Whatever a server says about it and whatever a member
//! runs, it goes to its provider and nowhere else.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test, its functions included, fails by panicking"
)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};

const KEY: &str = "sk-canary-0123456789";
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
    ];
    let line =
        ["cat /proc/self/environ", "awk 'BEGIN{for (k in ENVIRON) print ENVIRON[k]}'", "jq -n env"];
    let shell = shell.map(|command| ("shell_cmd", json!({ "command": command })));
    let line = line.map(|command| ("readonly_shell", json!({ "command": command })));
    let variables =
        ["CANARY_KEY", "MCP_COPY"].map(|key| ("env_get", json!({"key": key, "reveal": true})));
    shell.into_iter().chain(line).chain(variables).collect()
}

/// The first request is rejected with the head of the request in the answer; the next one is answered
/// with all calls, then with words.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<(String, String)>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let told = requests.clone();
        thread::spawn(move || {
            for mut socket in listener.incoming().flatten() {
                let (head, body) = request(&mut socket);
                let mut requests = told.lock().expect("no panic");
                let (status, answer) = answer(requests.len(), &head);
                requests.push((head, body));
                drop(requests);
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close"
                );
                let _ =
                    write!(socket, "{head}\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
            }
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
            json!({"role": "assistant", "content": "Looking.", "tool_calls": calls})
        }
        _ => json!({"role": "assistant", "content": LAST_WORDS}),
    };
    ("200 OK", json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string())
}

/// Head and body of a request.
fn request(socket: &mut TcpStream) -> (String, String) {
    let mut read = Vec::new();
    let mut block = vec![0; 65536];
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                return (head.to_owned(), body.to_owned());
            }
        }
        match socket.read(&mut block) {
            Ok(count @ 1..) => read.extend_from_slice(&block[..count]),
            Ok(0) | Err(_) => return (text, String::new()),
        }
    }
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
        let team = "shell_specialists: [lead]\nmembers:\n  lead:\n    provider: p\n    model: m\n    \
                    streaming: false\n    diligence-push-max: 0\n    \
                    toolsets: [os, codex_inspect_and_patch_tools]\n";
        fs::write(minds.join("team.yaml"), team).expect("a file");
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
            ("DOMINDS_TUI_SHELL_ENV", "CANARY_KEY,COPY_OF_KEY".to_owned()),
        ]
    }

    fn program(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_dominds-tui"))
            .arg("-C")
            .arg(self.path("work"))
            .args(arguments)
            .env_clear()
            .envs(self.environment())
            .output()
            .expect("the program")
    }

    /// What the program draws until it has shown these words.
    fn screen(&self, words: &str) -> Vec<u8> {
        let size = PtySize { rows: 60, cols: 160, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.env_clear();
        command.arg("-C");
        command.arg(self.path("work"));
        self.environment().into_iter().for_each(|(name, value)| command.env(name, value));
        let mut child = pair.slave.spawn_command(command).expect("the program");
        drop(pair.slave);
        let mut from = pair.master.try_clone_reader().expect("a reader");
        let drawn = Arc::new(Mutex::new(Vec::new()));
        let into = drawn.clone();
        let reader = thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut block) {
                into.lock().expect("no panic").extend_from_slice(&block[..count]);
            }
        });
        let late = Instant::now() + Duration::from_secs(60);
        while !contains(&drawn.lock().expect("no panic"), words) {
            assert!(Instant::now() < late, "never shown");
            thread::sleep(Duration::from_millis(20));
        }
        child.kill().expect("a child");
        child.wait().expect("its end");
        drop(pair.master);
        reader.join().expect("no panic");
        let drawn = drawn.lock().expect("no panic");
        drawn.clone()
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// The files below a folder that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let files = entries.flat_map(|path| {
        if path.is_dir() {
            holding(&path, text)
        } else if contains(&fs::read(&path).unwrap_or_default(), text) {
            vec![path]
        } else {
            Vec::new()
        }
    });
    files.collect()
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
    fs::write(place.path("key-file"), KEY).expect("a file");
    let run = place.program(&["drive", "--json"]);
    fs::remove_file(place.path("key-file")).expect("the file");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let drawn = place.screen(LAST_WORDS);
    let problems = place.program(&["doctor", "--json"]);

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
    assert!(requests[2].1.contains("HOME="), "an environment was told");
    assert!(requests[2].1.contains("[redacted]"), "what a command finds elsewhere is taken out");
    for (what, bytes) in [
        ("standard output", &rejected.stdout),
        ("standard error", &rejected.stderr),
        ("events", &run.stdout),
        ("remarks", &run.stderr),
        ("screen", &drawn),
        ("problems", &problems.stdout),
        ("request", &requests[2].1.clone().into_bytes()),
    ] {
        assert!(!contains(bytes, KEY), "the key is in {what}: {}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(holding(place.top.path(), KEY), Vec::<PathBuf>::new());
    assert!(place.path("work/told-by-env").exists() && place.path("work/told-by-proc").exists());
}
