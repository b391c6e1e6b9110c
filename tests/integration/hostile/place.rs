//! A workspace as it might be cloned, a home beside it, and traps for whatever it does.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::common::files;
use crate::common::http;
use crate::common::pty::Program;
use crate::common::wait::{end, eventually, output};

use super::variants::Variant;

/// The file that a program leaves in the workspace if it runs against the rules.
const MARK: &str = "acted";

/// The beginning of an act that wrote outside of the workspace, which no consent allows.
pub const OUTSIDE: &str = "written outside";

pub struct Place {
    top: tempfile::TempDir,
    /// Requests to the model of this machine.
    asked: Arc<AtomicUsize>,
    /// Connections to other servers than the model.
    reached: Arc<AtomicUsize>,
    /// A process of the person that has nothing to do with all this.
    victim: Mutex<Child>,
    outside: Vec<PathBuf>,
}

/// A model on this machine: it never answers the first request, then with the calls, then with words.
fn model(calls: Vec<(String, Value)>) -> (u16, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let port = http::serve("127.0.0.1:0", move |request| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            return None;
        }
        let answered = request.body.contains("\"role\":\"tool\"");
        let message = if answered || calls.is_empty() {
            json!({ "role": "assistant", "content": "Done." })
        } else {
            let call = |(at, (name, arguments)): (usize, &(String, Value))| {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                json!({ "id": format!("c{at}"), "type": "function", "function": function })
            };
            let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
            json!({ "role": "assistant", "content": "Looking.", "tool_calls": calls })
        };
        let reason = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
        let choice = json!({ "message": message, "finish_reason": reason });
        Some(http::json("200 OK", &json!({ "choices": [choice] }).to_string()))
    });
    (port, asked)
}

/// Counts who comes.
fn trap() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("0.0.0.0:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let reached = Arc::new(AtomicUsize::new(0));
    let count = reached.clone();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            drop(socket);
        }
    });
    (port, reached)
}

impl Place {
    /// A workspace with a dialog whose resume is requested, and then what the variant brings along.
    pub fn with(variant: &Variant) -> Self {
        let top = tempfile::tempdir().expect("a folder");
        let (model, asked) = model(variant.calls.clone());
        let (port, reached) = trap();
        let victim = Command::new("sleep").arg("600").spawn().expect("a process");
        let mut place =
            Self { top, asked, reached, victim: Mutex::new(victim), outside: Vec::new() };
        for folder in ["work/.minds", "home", "elsewhere/.minds"] {
            fs::create_dir_all(place.at(folder)).expect("folders");
        }
        let llm = format!(
            "providers:\n  here: {{ apiType: openai-compatible, baseUrl: 'http://127.0.0.1:{model}/v1', \
             models: {{ m: {{}} }} }}\n"
        );
        let team = "member_defaults: { provider: here, model: m, streaming: false, \
                    diligence-push-max: 0 }\nmembers:\n  lead: {}\n";
        place.put("work/.minds/llm.yaml", &llm);
        place.put("work/.minds/team.yaml", team);
        let begun = place.program(&["run", "--timeout", "1", "go"]);
        assert_eq!(begun.status.code(), Some(7), "{begun:?}");
        let output = place.program(&["resume", "--all"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");

        for (path, text) in &variant.files {
            let text = text
                .replace("@LLM@", &llm)
                .replace("@PORT@", &port.to_string())
                .replace("@TOP@", &place.top.path().display().to_string());
            place.put(path, &text);
        }
        for (path, to) in &variant.links {
            let path = place.at(path);
            let _ = fs::remove_dir_all(&path);
            let _ = fs::remove_file(&path);
            symlink(to, path).expect("a link");
        }
        if let Some(prepare) = variant.prepare {
            prepare(&place);
        }
        place.forget_requests();
        place.outside = place.listed_outside();
        place
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    pub fn put(&self, path: &str, text: &str) {
        files::put(self.top.path(), path, text);
        let path = self.at(path);
        if path.extension().is_some_and(|end| end == "sh") {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }

    pub fn change(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.at(path)).expect("a file");
        assert!(text.contains(from), "{path}: {from}");
        self.put(path, &text.replacen(from, to, 1));
    }

    /// Returns the pid of a process that the program must not touch.
    pub fn victim(&self) -> u32 {
        self.victim.lock().expect("no panic").id()
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", self.at("home").display().to_string()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("A_KEY", "sk-hostile-12345".to_owned()),
            ("OPENAI_API_KEY", "sk-hostile-67890".to_owned()),
        ]
    }

    fn command(&self, arguments: &[&str], more: &[(&str, String)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        let work = self.at("work");
        command.arg("-C").arg(&work).args(arguments).current_dir(work).env_clear();
        command.envs(self.environment()).envs(more.iter().cloned());
        command
    }

    pub fn program(&self, arguments: &[&str]) -> Output {
        self.program_with(arguments, &[])
    }

    /// Runs it with more variables.
    pub fn program_with(&self, arguments: &[&str], more: &[(&str, String)]) -> Output {
        output(&mut self.command(arguments, more))
    }

    /// A driver without a screen that listens, while something is done.
    pub fn served<T>(&self, more: &[(&str, String)], act: impl FnOnce() -> T) -> T {
        let mut command = self.command(&["serve"], more);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut driver = command.spawn().expect("a driver");
        let listed = || self.program_with(&["ps", "--json"], more).stdout;
        let listens =
            || serde_json::from_slice::<Vec<Value>>(&listed()).is_ok_and(|all| !all.is_empty());
        assert!(eventually(listens), "the driver does not listen");
        let done = act();
        let quit = self.program_with(&["quit"], more);
        assert_eq!(quit.status.code(), Some(0), "{quit:?}");
        assert!(end(&mut driver).success());
        done
    }

    /// Returns the record that is stored when another person agrees to all of this workspace.
    pub fn record_of_consent(&self) -> String {
        let other = self.at("other");
        fs::create_dir(&other).expect("a folder");
        let agreed =
            self.program_with(&["trust", "--yes"], &[("HOME", other.display().to_string())]);
        assert!(agreed.status.success(), "{agreed:?}");
        let record = other.join(".local/state/dominds-tui/trusted.jsonl");
        let record = fs::read_to_string(record).expect("a record");
        fs::remove_dir_all(other).expect("removed");
        record
    }

    /// Returns the screen once it has all these words, or after a moment if there are none; then the
    /// person looks only, and leaves.
    pub fn screen(&self, words: &[&str]) -> String {
        let work = self.at("work");
        let mut program =
            Program::start(self.environment(), &["-C".as_ref(), work.as_ref()], 140, 50);
        let first: &[&str] = if words.is_empty() { &["? help"] } else { words };
        eventually(|| has_all(&program.screen(), first));
        let screen = program.screen();
        if !words.is_empty() {
            program.keys("l");
            eventually(|| program.screen().contains("look only"));
        }
        program.press_quit();
        eventually(|| !program.is_alive());
        screen
    }

    pub fn forget_requests(&self) {
        self.asked.store(1, Ordering::SeqCst);
    }

    /// Returns the number of generations requested since the repository exists.
    pub fn driven(&self) -> usize {
        self.asked.load(Ordering::SeqCst).saturating_sub(1)
    }

    /// True if a program has left its mark, which is removed.
    pub fn was_marked(&self) -> bool {
        fs::remove_file(self.at("work").join(MARK)).is_ok()
    }

    /// Returns the acts since the last call.
    pub fn acts(&self) -> Vec<String> {
        let mut acts = Vec::new();
        if self.was_marked() {
            acts.push("a program ran".to_owned());
        }
        let reached = self.reached.swap(0, Ordering::SeqCst);
        if reached > 0 {
            acts.push(format!("{reached} connections"));
        }
        let listed = self.listed_outside();
        if listed != self.outside {
            acts.push(format!("{OUTSIDE}: {listed:?}"));
        }
        if self.victim.lock().expect("no panic").try_wait().expect("a child").is_some() {
            acts.push("a process of the person was ended".to_owned());
        }
        acts
    }

    /// Returns all paths below the top, except the workspace and the program's state in the home folder.
    fn listed_outside(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        list(self.top.path(), &mut all);
        let own = [self.at("work"), self.at("home/.local"), self.at("home/.config")];
        all.retain(|path| !own.iter().any(|folder| path.starts_with(folder)));
        all
    }
}

fn has_all(text: &str, words: &[&str]) -> bool {
    words.iter().all(|word| text.contains(word))
}

fn list(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            list(&path, all);
        }
        all.push(path);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut victim = self.victim.lock().expect("no panic");
        let _ = victim.kill();
        let _ = victim.wait();
    }
}
