//! `init` through the real program: what it asks at a terminal, what it writes then, and that it asks nothing elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::common::http::{Request, json as json_page, page, serve};
use crate::common::pty::{Home, Program};
use crate::common::wait::output;

const KEY: &str = "sk-canary-1234";

/// Returns the answer of a server with one model, which wants the key.
fn answer(request: &Request) -> String {
    let head = request.head.to_lowercase();
    if !head.contains(&format!("authorization: bearer {KEY}")) {
        let error = json!({"error": {"message": "\u{1b}[2Jno key"}}).to_string();
        return json_page("401 Unauthorized", &error);
    }
    if request.path() == "/v1/models" {
        return json_page("200 OK", r#"{"data": [{"id": "only-model"}]}"#);
    }
    if !request.body.contains("\"only-model\"") {
        let error = json!({"error": {"message": "no such model"}}).to_string();
        return json_page("404 Not Found", &error);
    }
    let streamed = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n\
                    data: [DONE]\n\n";
    page("200 OK", "text/event-stream", streamed)
}

/// Serves until the test ends; the address of the provider.
fn server() -> String {
    let port = serve("127.0.0.1:0", |request| Some(answer(request)));
    format!("http://127.0.0.1:{port}/v1")
}

/// A terminal with `init`, with this key in its environment.
struct Asking {
    program: Program,
    home: Home,
}

impl Asking {
    fn new(args: &[&str]) -> Self {
        let home = Home::new();
        let mut environment = home.environment();
        environment.push(("SOME_KEY", KEY.into()));
        let workspace = home.workspace();
        let args = ["init"].iter().chain(args).map(|arg| OsStr::new(*arg));
        let args: Vec<&OsStr> = args.chain([workspace.as_os_str()]).collect();
        let program = Program::start(environment, &args, 120, 60);
        Self { program, home }
    }

    /// Answers a question once it is asked.
    fn answer(&mut self, asked: &str, line: &str) {
        self.program.until_shown(&[asked]);
        self.program.keys(&format!("{line}\r"));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.workspace().join(name)
    }
}

#[test]
fn at_a_terminal_the_model_is_asked_for_tried_and_written_with_the_consent_to_it() {
    let address = server();
    let mut asking = Asking::new(&[]);
    asking.answer("Which provider", "other");
    asking.answer("Address", &address);
    asking.answer("Environment variable", "SOME_KEY");
    asking.answer("1  only-model", "nonsense");
    asking.program.until_shown(&["no such model", "It did not work"]);
    asking.program.keys("m\r");
    asking.program.until("the models again", |screen| screen.matches("only-model").count() == 2);
    asking.program.keys("\r");
    let (status, raw) = asking.program.end();
    assert_eq!(status, 0);
    assert!(!String::from_utf8_lossy(&raw).contains(KEY));
    let models = fs::read_to_string(asking.file(".minds/llm.yaml")).expect("a file");
    for text in [address.as_str(), "SOME_KEY", "only-model"] {
        assert!(models.contains(text), "{models}");
    }
    assert!(!models.contains(KEY), "{models}");
    let team = fs::read_to_string(asking.file(".minds/team.yaml")).expect("a file");
    assert!(team.contains("model: \"only-model\""), "{team}");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    doctor.arg("-C").arg(asking.home.workspace()).args(["doctor", "--providers"]);
    doctor.env_clear().envs(asking.home.environment()).env("SOME_KEY", KEY);
    let found = output(&mut doctor);
    assert!(found.status.success(), "{found:?}");
}

#[test]
fn what_a_server_answers_is_cleaned_and_whoever_ends_there_has_no_file() {
    let address = server();
    let mut asking = Asking::new(&[]);
    asking.answer("Which provider", "other");
    asking.answer("Address", &address);
    asking.answer("Environment variable", "-");
    asking.answer("Model, by the name", "only-model");
    asking.program.until_shown(&["tried only-model", "no key", "It did not work"]);
    asking.program.keys("q\r");
    let (status, raw) = asking.program.end();
    assert_eq!(status, 1);
    let said = String::from_utf8_lossy(&raw);
    assert!(said.contains("nothing was written") && !said.contains("\u{1b}[2J"), "{said}");
    assert!(!asking.file(".minds").exists());
}

#[test]
fn the_end_of_the_input_writes_nothing_and_yes_asks_nothing() {
    let mut asking = Asking::new(&[]);
    asking.program.until_shown(&["Which provider"]);
    asking.program.keys("\u{4}");
    assert_eq!(asking.program.end().0, 1);
    assert!(!asking.file(".minds").exists());

    let mut silent = Asking::new(&["--yes"]);
    let (status, raw) = silent.program.end();
    assert_eq!(status, 0);
    assert!(!String::from_utf8_lossy(&raw).contains("Which provider"));
    assert!(silent.file(".minds/team.yaml").exists());
}

#[test]
fn without_a_terminal_and_where_a_model_is_configured_nothing_is_asked() {
    let home = Home::new();
    let mut init = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    init.arg("init").arg(home.workspace()).env_clear().envs(home.environment());
    let written = output(&mut init);
    assert!(written.status.success(), "{written:?}");
    let models = home.workspace().join(".minds/llm.yaml");
    let before = fs::read_to_string(&models).expect("a file");

    let workspace = home.workspace();
    let args: [&OsStr; 2] = ["init".as_ref(), workspace.as_os_str()];
    let mut again = Program::start(home.environment(), &args, 120, 40);
    let (status, raw) = again.end();
    assert_eq!(status, 0);
    assert!(String::from_utf8_lossy(&raw).contains("kept"));
    assert_eq!(fs::read_to_string(&models).expect("a file"), before);
}
