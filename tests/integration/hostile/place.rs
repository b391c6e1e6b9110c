//! A workspace as it might be cloned, a home beside it, and traps for whatever it does.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::common::files;
use crate::common::http;
use crate::common::pty::Program;
use crate::common::wait::{eventually, output};

use super::variants::Variant;

/// What a program that must not run leaves in the workspace.
const MARK: &str = "acted";

pub struct Place {
    top: tempfile::TempDir,
    /// Requests to the model of this machine.
    asked: Arc<AtomicUsize>,
    /// Connections to what is not the model.
    reached: Arc<AtomicUsize>,
    /// A process of the person that has nothing to do with all this.
    victim: Mutex<Child>,
    outside: Vec<PathBuf>,
}

/// A model on this machine: it never answers the first request, then with the call, then with words.
fn model(call: Option<(String, Value)>) -> (u16, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let port = http::serve("127.0.0.1:0", move |request| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            return None;
        }
        let answered = request.body.contains("\"role\":\"tool\"");
        let message = match call.as_ref().filter(|_| !answered) {
            Some((name, arguments)) => {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                let call = json!({ "id": "c1", "type": "function", "function": function });
                json!({ "role": "assistant", "content": "Looking.", "tool_calls": [call] })
            }
            None => json!({ "role": "assistant", "content": "Done." }),
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
        let (model, asked) = model(variant.call.clone());
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

    /// The number of a process that is none of the program's business.
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
        ]
    }

    pub fn program(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(self.at("work")).args(arguments).env_clear();
        output(command.envs(self.environment()))
    }

    /// The screen when all these words stand on it, or after a moment where there are none; then the
    /// person only looks, and leaves.
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
        program.keys("qy");
        eventually(|| !program.is_alive());
        screen
    }

    pub fn forget_requests(&self) {
        self.asked.store(1, Ordering::SeqCst);
    }

    /// Generations that were asked for since the repository is there.
    pub fn driven(&self) -> usize {
        self.asked.load(Ordering::SeqCst).saturating_sub(1)
    }

    /// What has happened, and is forgotten then.
    pub fn acts(&self) -> Vec<String> {
        let mut acts = Vec::new();
        let mark = self.at("work").join(MARK);
        if let Ok(text) = fs::read_to_string(&mark) {
            acts.push(format!("a program ran: {text}"));
            let _ = fs::remove_file(&mark);
        }
        let reached = self.reached.swap(0, Ordering::SeqCst);
        if reached > 0 {
            acts.push(format!("{reached} connections"));
        }
        let listed = self.listed_outside();
        if listed != self.outside {
            acts.push(format!("written outside: {listed:?}"));
        }
        if self.victim.lock().expect("no panic").try_wait().expect("a child").is_some() {
            acts.push("a process of the person was ended".to_owned());
        }
        acts
    }

    /// All below the top but the workspace and what the program keeps in the home folder.
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
