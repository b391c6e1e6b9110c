//! Commands of members and the end of the program: the real program, real signals, real processes.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything here takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A workspace with a member that answers from a file, and a home folder.
struct Place(tempfile::TempDir, tempfile::TempDir);

impl Place {
    /// Whose commands are in no sandbox, so that they may outlive the program.
    fn new() -> Self {
        let place = Self::walled();
        let settings = place.1.path().join(".config/dominds-tui");
        fs::create_dir_all(&settings).expect("folders");
        fs::write(settings.join("config.yaml"), "sandbox: off\n").expect("a file");
        place
    }

    /// Whose commands are in a sandbox.
    fn walled() -> Self {
        let folder = || tempfile::tempdir().expect("a folder");
        let place = Self(folder(), folder());
        place.put(
            ".minds/team.yaml",
            "shell_specialists: [lead]\nmembers:\n  lead: { provider: p, model: m, toolsets: [os], diligence-push-max: 0 }\n",
        );
        place.put(
            ".minds/llm.yaml",
            "providers:\n  p:\n    apiType: mock\n    baseUrl: mock-db\n    models: { m: {} }\n",
        );
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    /// What the member calls when it is told so.
    fn answers(&self, told: &str, tool: &str, arguments: &Value) {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = json!({"message": told, "role": "user", "response": "", "funcCalls": [call]});
        self.put("mock-db/m.yaml", &json!({"responses": [answer]}).to_string());
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(self.0.path()).args(arguments).env("HOME", self.1.path());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().expect("the program")
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.program(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program")
    }

    /// The process whose number a command has written into `pid`.
    fn process(&self) -> u32 {
        let written = || fs::read_to_string(self.at("pid")).ok()?.strip_suffix('\n')?.parse().ok();
        eventually(written).expect("a command that has begun")
    }

    /// The reminders of the member.
    fn reminders(&self) -> Vec<Value> {
        let folder = fs::read_dir(self.at(".dialogs/reminders/lead"));
        let paths = folder.into_iter().flatten().flatten().map(|entry| entry.path());
        let whole = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
        let texts = whole.map(|path| fs::read_to_string(path).expect("a file"));
        texts.map(|text| serde_json::from_str(&text).expect("JSON")).collect()
    }
}

fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let late = Instant::now() + LIMIT;
    loop {
        match look() {
            None if Instant::now() < late => thread::sleep(Duration::from_millis(10)),
            found => return found,
        }
    }
}

/// True while the process is at work.
fn works(pid: u32) -> bool {
    let shown =
        Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().expect("ps");
    let state = String::from_utf8_lossy(&shown.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn signal(name: &str, child: &Child) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn serving(seconds: u32) -> Value {
    json!({"command": "echo $$ >pid; echo begun; sleep 600", "timeoutSeconds": seconds})
}

#[test]
fn what_a_headless_run_left_in_the_background_ends_with_it_unless_it_is_told_otherwise() {
    let place = Place::new();
    place.answers("go", "shell_cmd", &serving(1));
    let over = place.run(&["run", "go"]);
    assert_eq!(over.status.code(), Some(0), "{}", errors(&over));
    assert!(errors(&over).contains("background processes stopped: 1"), "{}", errors(&over));
    assert!(!works(place.process()));

    fs::remove_file(place.at("pid")).expect("a file");
    let left = place.run(&["run", "--leave-processes", "go"]);
    let pid = place.process();
    assert!(errors(&left).contains(&format!("process {pid} goes on")), "{}", errors(&left));
    assert!(works(pid));

    place.answers("stop", "stop_daemon", &json!({ "pid": pid }));
    let stopped = place.run(&["run", "stop"]);
    assert_eq!(stopped.status.code(), Some(0), "{}", errors(&stopped));
    assert!(!works(pid));
}

/// True if commands can be held in a sandbox here; CI has to have it.
fn walls_work(place: &Place) -> bool {
    let tried = place.run(&["sandbox", "--means", "bwrap", "--", "true"]);
    let works = tried.status.code() == Some(0);
    if !works {
        let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        assert!(!ci, "no sandbox: {}", errors(&tried));
        eprintln!("SKIPPED: no sandbox: {}", errors(&tried));
    }
    works
}

/// How many processes of this machine have the word among their arguments.
fn with_argument(word: &str) -> usize {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|one| one == word.as_bytes())).count()
}

/// Each leaves its command in a way of its own.
fn leaving(seconds: &str) -> String {
    let slow = format!("sleep {seconds}");
    let ways = [
        format!("{slow} &"),
        format!("nohup {slow} >/dev/null 2>&1 &"),
        format!("setsid {slow} &"),
        format!("setsid setsid {slow} </dev/null >/dev/null 2>&1 &"),
        format!("({slow} &)"),
        format!("( ( setsid {slow} & ) & )"),
        format!("sh -c 'trap \"\" TERM HUP INT; {slow}' &"),
        format!("setsid sh -c 'trap \"\" TERM; while :; do {slow}; done' &"),
        format!("bash -c '{slow} & disown -a' &"),
        format!("timeout 900 {slow} &"),
        format!("env -i PATH=/usr/bin:/bin {slow} &"),
        format!("echo begun; {slow}"),
    ];
    ways.join("\n")
}

#[test]
fn nothing_of_a_command_in_a_sandbox_outlives_the_program_however_that_ends() {
    let place = Place::walled();
    if !walls_work(&place) {
        return;
    }
    for (number, (end, seconds)) in
        [("TERM", 600), ("KILL", 600), ("TERM", 1), ("KILL", 1), ("run", 1)].into_iter().enumerate()
    {
        let marker = format!("9{number}{}.5", std::process::id());
        let command = json!({"command": leaving(&marker), "timeoutSeconds": seconds});
        place.answers("go", "shell_cmd", &command);
        let more = if end == "run" { "0.1" } else { "600" };
        let mut program = place.start(&["run", "--leave-processes", "--timeout", more, "go"]);
        if end != "run" {
            let all = eventually(|| (with_argument(&marker) >= 12).then_some(()));
            assert!(all.is_some(), "{end}: {} of 12 began", with_argument(&marker));
            signal(end, &program);
        }
        assert!(eventually(|| program.try_wait().expect("a child")).is_some(), "{end}");
        let gone = eventually(|| (with_argument(&marker) == 0).then_some(()));
        assert!(gone.is_some(), "{end}: {} are left", with_argument(&marker));
    }
}

/// A server in one command, a client in another one.
#[test]
fn commands_without_the_network_reach_each_other_and_nobody_else() {
    let place = Place::walled();
    if !walls_work(&place) || !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let outside = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = outside.local_addr().expect("an address").port();
    let server = "import socket as s; a = s.create_server(('127.0.0.1', 18765)); open('ready', 'w'); \
                  c, _ = a.accept(); c.send(b'hello')";
    let client = format!(
        "import socket as s, time\nwhile not __import__('os').path.exists('ready'): time.sleep(0.05)\n\
         open('got', 'wb').write(s.create_connection(('127.0.0.1', 18765), 5).recv(9))\n\
         try: s.create_connection(('127.0.0.1', {port}), 5); open('out', 'w')\nexcept OSError: pass"
    );
    let call = |text: &str, seconds: u32| {
        json!({"name": "shell_cmd", "arguments": {
            "command": text, "shell": "/usr/bin/python3", "timeoutSeconds": seconds
        }})
    };
    let calls = json!([call(server, 1), call(&client, 60)]);
    let answer = json!({"message": "go", "role": "user", "response": "", "funcCalls": calls});
    place.put("mock-db/m.yaml", &json!({"responses": [answer]}).to_string());
    let over = place.run(&["run", "--timeout", "50", "go"]);
    let got = fs::read_to_string(place.at("got")).unwrap_or_default();
    assert_eq!(got, "hello", "{}", errors(&over));
    assert!(!place.at("out").exists(), "the machine itself was reached");
}

#[test]
fn a_process_in_a_sandbox_hears_that_it_is_to_end() {
    let place = Place::walled();
    if !walls_work(&place) {
        return;
    }
    let command =
        "trap 'echo heard >heard; exit 3' TERM; echo begun >begun; while :; do sleep 0.05; done";
    place.answers("go", "shell_cmd", &json!({"command": command, "timeoutSeconds": 1}));
    let over = place.run(&["run", "go"]);
    assert!(errors(&over).contains("background processes stopped: 1"), "{}", errors(&over));
    assert!(place.at("begun").exists() && place.at("heard").exists(), "{}", errors(&over));
}

#[test]
fn a_command_behind_a_wall_cannot_write_what_runs_later_and_what_stood_in_for_it_is_gone() {
    let place = Place::walled();
    if !walls_work(&place) {
        return;
    }
    let team = fs::read_to_string(place.at(".minds/team.yaml")).expect("a file");
    let command = "echo evil >>.minds/team.yaml; mkdir .hive; echo evil >.hive/x; mkdir -p .git; \
                   echo evil >.git/config; echo fine >fine";
    place.answers("go", "shell_cmd", &json!({ "command": command }));
    let over = place.run(&["run", "go"]);
    assert_eq!(
        fs::read_to_string(place.at("fine")).ok().as_deref(),
        Some("fine\n"),
        "{}",
        errors(&over)
    );
    assert_eq!(fs::read_to_string(place.at(".minds/team.yaml")).ok(), Some(team));
    assert!(!place.at(".hive").exists() && !place.at(".git").exists());
    place.answers("make", "shell_cmd", &json!({"command": "mkdir new.tsk; echo made"}));
    place.run(&["run", "make"]);
    let told = "New since the command began: .*new.tsk";
    let found = Command::new("grep").args(["-rq", told]).arg(place.at(".dialogs")).status();
    assert!(found.expect("grep").success(), "nobody was told of the new Taskdoc");
    let left = fs::read_dir(place.1.path().join(".local/state/dominds-tui/sandbox"));
    let left: Vec<_> = left.expect("a folder").flatten().map(|one| one.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("run-")), "{left:?}");
}

#[test]
fn a_server_of_tools_runs_behind_the_wall_a_person_chose_for_servers() {
    const SERVER: &str = include_str!("interop/mcp_server.py");
    if !walls_work(&Place::walled()) || !Path::new("/usr/bin/python3").exists() {
        return;
    }
    for (settings, held) in
        [("mcp: { sandbox: workspace }\n", true), ("sandbox: workspace\n", false)]
    {
        let place = Place::new();
        fs::write(place.1.path().join(".config/dominds-tui/config.yaml"), settings)
            .expect("a file");
        place.put("server.py", SERVER);
        let start = "echo evil >.minds/evil; echo fine >fine; exec /usr/bin/python3 server.py echo";
        let server = json!({"command": "/bin/sh", "args": ["-c", start]});
        place.put(".minds/mcp.yaml", &json!({"version": 1, "servers": {"s": server}}).to_string());
        let agreed = place.run(&["trust", "--yes"]);
        assert_eq!(agreed.status.code(), Some(0), "{}", errors(&agreed));
        let told = place.run(&["doctor", "--mcp"]);
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(text.contains("s: ") && text.contains("echo"), "{settings}: {text}");
        assert!(place.at("fine").exists(), "{settings}");
        assert_eq!(place.at(".minds/evil").exists(), !held, "{settings}");
    }
}

#[test]
fn a_command_that_is_waited_for_ends_with_the_program() {
    for name in ["TERM", "INT", "HUP"] {
        let place = Place::new();
        place.answers("go", "shell_cmd", &serving(600));
        let mut program = place.start(&["run", "go"]);
        let pid = place.process();
        signal(name, &program);
        let ended = eventually(|| program.try_wait().expect("a child"));
        assert!(ended.is_some(), "{name}");
        assert!(!works(pid), "{name}");
    }
}

#[test]
fn c19_a_process_of_a_program_that_was_killed_is_found_again_with_all_it_wrote_meanwhile() {
    if !Path::new("/proc/self/stat").exists() {
        eprintln!("skipped: this system does not tell when a process started");
        return;
    }
    let place = Place::new();
    let command =
        "echo $$ >pid; echo begun; until [ -e go ]; do sleep 0.05; done; echo meanwhile; sleep 600";
    place.answers("go", "shell_cmd", &json!({"command": command, "timeoutSeconds": 1}));
    let mut program = place.start(&["run", "--timeout", "600", "--leave-processes", "go"]);
    let pid = place.process();
    assert!(eventually(|| (!place.reminders().is_empty()).then_some(())).is_some());
    signal("KILL", &program);
    program.wait().expect("a child");
    place.put("go", "");
    let kept = || {
        let written = fs::read_dir(place.at(".dialogs/.tui/processes")).ok()?.flatten().next()?;
        let texts = ["new", "next", "old"].map(|piece| {
            fs::read_to_string(written.path().join(format!("stdout.{piece}"))).unwrap_or_default()
        });
        texts.concat().contains("meanwhile").then_some(())
    };
    assert!(eventually(kept).is_some());
    assert!(works(pid));

    place.answers("look", "get_daemon_output", &json!({ "pid": pid }));
    let looked = place.run(&["run", "--json", "look"]);
    assert!(works(pid), "what another run has left is not ended with this one");
    let told = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(told.contains("\"ok\":true"), "{told}");
    let [reminder] = place.reminders().try_into().expect("one reminder");
    let content = reminder.get("content").and_then(Value::as_str).unwrap_or_default();
    assert!(content.contains("end of stdout:\nbegun\nmeanwhile\n"), "{content}");

    place.answers("stop", "stop_daemon", &json!({ "pid": pid }));
    place.run(&["run", "stop"]);
    assert!(!works(pid));
    assert_eq!(place.reminders(), Vec::<Value>::new());
}
