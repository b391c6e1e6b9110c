//! A driver without a screen, and what reaches it: the real program as `serve`, commands and screens.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use dominds_tui::protocol::wire::{self, Audience, Hello};
use dominds_tui::remote::{Place, UserFolders};
use serde_json::Value;

use crate::common::files;
use crate::common::processes::comes_to_rest;
use crate::common::pty::{Home, Program};
use crate::common::quarter::tries;
use crate::common::wait::{eventually, found, output};

const TEAM: &str = "member_defaults:\n  provider: script\n  model: m\n  diligence-push-max: 0\n\
                    default_responder: lead\nmembers:\n  lead:\n    name: Lead\n";
const MODELS: &str = "providers:\n  script:\n    name: Script\n    apiType: mock\n    \
                      baseUrl: answers\n    max_concurrent: 50\n    models:\n      m:\n        name: M\n";
/// A member that asks when told to, and accepts any answer.
const ANSWERS: &str = "responses:\n  - message: ask\n    role: user\n    response: A question.\n    \
                       funcCalls:\n      - name: askHuman\n        arguments:\n          \
                       tellaskContent: Which colour?\n  - message: blue\n    role: tool\n    \
                       response: Blue then.\n  - message: hi\n    role: user\n    response: Hello.\n  \
                       - message: plan\n    role: user\n    response: Two questions.\n    funcCalls:\n      \
                       - name: askHuman\n        arguments:\n          tellaskContent: \"Before I start:\"\n          \
                       questions:\n            - text: Which database?\n              recommended: a\n              \
                       options:\n                - { label: PostgreSQL, pros: proven, cons: a server }\n                \
                       - { label: SQLite, pros: one file }\n            - text: Does the API page?\n  \
                       - message: decide\n    role: user\n    response: A decision.\n    funcCalls:\n      \
                       - name: request_decision\n        arguments:\n          category: scopeChanges\n          \
                       description: Split the crate?\n          diff: \"-a\\n+b\\n\"\n  \
                       - message: tell\n    role: user\n    response: A decision.\n    funcCalls:\n      \
                       - name: request_decision\n        arguments:\n          category: orgChanges\n          \
                       description: Make a team?\n  \
                       - message: notify\n    role: user\n    response: A notice.\n    funcCalls:\n      \
                       - name: notify_human\n        arguments:\n          level: warning\n          \
                       text: \"The tests pass.\\n\\nAll 12 of them.\"\n  \
                       - message: choose\n    role: user\n    response: A choice.\n    funcCalls:\n      \
                       - name: askHuman\n        arguments:\n          questions:\n            \
                       - text: Which licence?\n              options: [{ label: MIT }, { label: Apache }]\n  \
                       - message: down\n    role: user\n    streamError: connection refused\n";

/// A driver that is killed with the test.
pub struct Driver {
    home: Home,
    child: Child,
}

impl Driver {
    pub fn start() -> Self {
        Self::start_with("")
    }

    /// Starts it with this configuration of the person.
    pub fn start_with(config: &str) -> Self {
        let home = Home::new();
        let workspace = home.workspace();
        files::put(&workspace, ".minds/team.yaml", TEAM);
        files::put(&workspace, ".minds/llm.yaml", MODELS);
        files::put(&workspace, "answers/m.yaml", ANSWERS);
        configure(&home, config);
        let mut serve = command(&home, &["serve"]);
        let child = serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a driver");
        let driver = Self { home, child };
        let listens =
            || driver.json(&["ps", "--json"]).as_array().is_some_and(|all| all.len() == 1);
        assert!(eventually(listens), "it does not listen");
        driver
    }

    pub fn run(&self, args: &[&str]) -> Output {
        output(&mut command(&self.home, args))
    }

    /// Starts a command that says nothing.
    pub fn spawn(&self, args: &[&str]) -> Child {
        let mut command = command(&self.home, args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("a command")
    }

    pub fn ok(&self, args: &[&str], status: i32) -> String {
        let ended = self.run(args);
        assert_eq!(ended.status.code(), Some(status), "{args:?}: {ended:?}");
        String::from_utf8_lossy(&ended.stdout).into_owned()
    }

    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_slice(&self.run(args).stdout).unwrap_or_default()
    }

    /// Makes a workspace without a driver.
    pub fn ended() -> Self {
        Self::ended_with("")
    }

    /// Makes one with this configuration of the person.
    pub fn ended_with(config: &str) -> Self {
        let mut driver = Self::start_with(config);
        driver.quit();
        driver
    }

    pub fn quit(&mut self) {
        assert!(self.ok(&["quit"], 0).contains("has ended"));
        assert!(eventually(|| !self.is_alive()));
    }

    /// The first screen of a workspace, which drives it and shows an open question.
    fn first_screen(&self) -> Program {
        let screen = self.screen(&[]);
        screen.until_shown(&["DIALOGS"]);
        self.ok(&["run", "--json", "ask"], 3);
        screen.until_shown(&["Which colour?"]);
        screen
    }

    /// Returns the path of its socket, as it has noted it.
    pub fn socket(&self) -> PathBuf {
        let notes = fs::read_dir(self.home.state_folder().join("drivers")).expect("notes");
        let mut notes = notes.flatten().map(|note| note.path());
        let note = notes.find(|path| path.extension() == Some("json".as_ref()));
        let note = fs::read(note.expect("a note")).expect("a note");
        let note: Value = serde_json::from_slice(&note).expect("JSON");
        note.pointer("/socket").and_then(Value::as_str).expect("a socket").into()
    }

    /// Returns the place where a client finds it.
    pub fn place(&self) -> Place {
        let state = Some(self.home.state_folder());
        Place::of(&self.home.workspace(), UserFolders { runtime: None, state })
    }

    pub fn home(&self) -> &Home {
        &self.home
    }

    fn configure(&self, text: &str) {
        configure(&self.home, text);
    }

    pub fn question(&self) -> String {
        let open = self.json(&["q4h", "--json"]);
        open.pointer("/0/id").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Returns the number of drivers, and the pid of the first one.
    pub fn running(&self) -> (usize, u64) {
        let running = self.json(&["ps", "--json"]);
        let pid = running.pointer("/0/pid").and_then(Value::as_u64);
        (running.as_array().map_or(0, Vec::len), pid.unwrap_or_default())
    }

    /// Starts it with an open question.
    pub fn asking() -> (Self, String) {
        let driver = Self::start();
        driver.ok(&["run", "ask"], 3);
        let question = driver.question();
        (driver, question)
    }

    pub fn screen(&self, args: &[&str]) -> Program {
        self.screen_of(args, 100, 30)
    }

    pub fn screen_of(&self, args: &[&str], columns: u16, rows: u16) -> Program {
        let workspace = self.home.workspace();
        let mut all: Vec<&OsStr> = vec!["-C".as_ref(), workspace.as_ref()];
        all.extend(args.iter().map(OsStr::new));
        Program::start(self.home.environment(), &all, columns, rows)
    }

    fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Ends the driver that a screen has left, too.
        let _ = self.run(&["quit"]);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn configure(home: &Home, text: &str) {
    let file = home.config_file("config.yaml");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, text).expect("a configuration");
}

fn command(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
    command
        .arg("-C")
        .arg(home.workspace())
        .args(args)
        .env_clear()
        .envs(home.environment())
        .stdin(Stdio::null());
    command
}

#[test]
fn an_answer_of_a_command_is_applied_by_the_driver_that_runs_and_its_screens_see_it() {
    let (mut driver, question) = Driver::asking();
    let mut screen = driver.screen(&[]);
    screen.until_shown(&["Which colour?"]);
    let told = driver.ok(&["q4h", "answer", &question, "blue", "--json"], 0);
    assert!(told.contains("Blue then.") && told.contains(r#""outcome":"done""#), "{told}");
    screen.until_shown(&["answered by a command: Which colour?", "nothing waits for you"]);
    let again = driver.run(&["q4h", "answer", &question, "red"]);
    assert_ne!(again.status.code(), Some(0), "{again:?}");
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    assert!(driver.is_alive(), "leaving a screen ends nothing");
}

#[test]
fn a_tree_that_was_set_aside_is_restored_by_the_driver_that_runs_and_its_screens_see_it() {
    let driver = Driver::ended();
    driver.ok(&["run", "--json", "ask"], 3);
    let listed = driver.json(&["dialogs", "--json"]);
    let root = listed.pointer("/0/rootId").and_then(Value::as_str).expect("a dialog").to_owned();
    let dialogs = driver.home.workspace().join(".dialogs");
    let (active, aside) = (dialogs.join("run").join(&root), dialogs.join("malformed").join(&root));
    fs::create_dir_all(aside.parent().expect("a folder")).expect("folders");
    fs::rename(&active, &aside).expect("set aside");
    let mut screen = driver.screen(&[]);
    screen.until_shown(&["DIALOGS"]);
    driver.ok(&["doctor", "--restore", "no/such"], 2);
    assert!(driver.ok(&["doctor", "--restore", &root], 0).contains("is restored"));
    screen.until_shown(&["Which colour?"]);
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    assert!(active.is_dir() && !aside.exists());
}

#[test]
fn a_command_waits_for_its_own_tree_and_not_for_the_others() {
    let (driver, _) = Driver::asking();
    let told = driver.ok(&["run", "--json", "hi"], 0);
    assert!(told.contains("Hello.") && !told.contains("Which colour?"), "{told}");
    let running = driver.json(&["ps", "--json"]);
    assert_eq!(running.pointer("/0/openQuestions"), Some(&Value::from(1)), "{running}");
}

#[test]
fn commands_say_which_dialog_retries_while_its_driver_is_there() {
    let mut driver = Driver::start();
    let mut run = driver.spawn(&["run", "down"]);
    let of = |args: &[&str], field: &str| driver.json(args).pointer(field).cloned();
    let number = || of(&["ps", "--json"], "/0/retryingDialogs") == Some(Value::from(1));
    assert!(eventually(number), "{}", driver.ok(&["ps"], 0));
    assert_eq!(of(&["ps", "--json"], "/0/runningDialogs"), Some(Value::from(1)));
    for (args, text) in [(["ps"], "running 1 (1 retrying)"), (["dialogs"], "@lead  retrying  ")] {
        assert!(eventually(|| driver.ok(&args, 0).contains(text)), "{}", driver.ok(&args, 0));
    }
    let listed = || of(&["dialogs", "--json"], "/0/retrying");
    assert!(eventually(|| listed() == Some(Value::from(true))), "{:?}", listed());
    assert_eq!(of(&["dialogs", "--json"], "/0/state"), Some(Value::from("proceeding")));
    driver.quit();
    assert!(eventually(|| run.try_wait().expect("a child").is_some()), "the command goes on");
    let listed = driver.json(&["dialogs", "--json"]);
    assert_eq!(listed.pointer("/0/retrying"), Some(&Value::from(false)), "{listed}");
}

#[test]
fn a_draft_of_one_screen_is_there_in_the_next_one() {
    let (driver, _) = Driver::asking();
    let mut first = driver.screen(&["attach"]);
    first.until_shown(&["Which colour?"]);
    first.keys("\x1ba");
    first.keys("half an answ");
    let drafts = driver.home.workspace().join(".dialogs/.tui/drafts.json");
    let is_stored = || fs::read_to_string(&drafts).is_ok_and(|text| text.contains("half an answ"));
    assert!(eventually(is_stored), "{}", first.screen());
    first.kill();
    let second = driver.screen(&[]);
    second.until_shown(&["half an answ"]);
}

#[test]
fn a_screen_that_views_answers_nothing() {
    let (driver, question) = Driver::asking();
    let mut screen = driver.screen(&["attach", "--view"]);
    screen.until_shown(&["Which colour?"]);
    screen.keys("2");
    screen.keys("\r");
    screen.until_shown(&["only views"]);
    let open = driver.json(&["q4h", "--json"]);
    assert_eq!(open.pointer("/0/id").and_then(Value::as_str), Some(question.as_str()));
}

#[test]
fn a_driver_outlives_a_hang_up_and_ends_when_it_is_asked_to() {
    let (mut driver, _) = Driver::asking();
    let pid = driver.child.id().to_string();
    assert!(output(Command::new("kill").args(["-s", "HUP", &pid])).status.success());
    assert!(driver.ok(&["run", "--json", "hi"], 0).contains("Hello."));
    assert!(driver.ok(&["quit"], 0).contains("has ended"));
    let status = found(|| driver.child.try_wait().expect("a child")).expect("its end");
    assert_eq!(status.code(), Some(0));
    assert_eq!(driver.json(&["ps", "--json"]), Value::Array(Vec::new()));
    assert!(driver.ok(&["quit"], 0).contains("no driver"));
    // The next one has the workspace for itself.
    assert!(driver.ok(&["run", "--json", "hi"], 0).contains("Hello."));
}

#[test]
fn the_driver_of_a_screen_is_reached_and_a_second_screen_shows_it() {
    let driver = Driver::ended();
    let mut first = driver.first_screen();
    let mut second = driver.screen(&[]);
    second.until_shown(&["Which colour?"]);
    second.quit();
    assert_eq!(second.end_restored(), 0);
    assert!(first.is_alive());
    first.quit();
    assert_eq!(first.end_restored(), 0);
}

#[test]
fn a_screen_that_is_left_gives_the_terminal_back_and_its_driver_goes_on_until_it_is_ended() {
    let driver = Driver::ended();
    let mut first = driver.first_screen();
    let before = driver.running();
    first.keys("\x1ba");
    first.keys("half an answ");
    first.until_shown(&["half an answ"]);
    first.leave_composer();
    first.keys("Q");
    assert_eq!(first.end_restored(), 0);
    assert_eq!(driver.running(), before, "the same process drives");
    let name = fs::read_to_string(format!("/proc/{}/comm", before.1)).expect("a name");
    assert_eq!(name.trim_end(), "dominds-tui", "lists of processes name the program");
    driver.ok(&["run", "--json", "hi"], 0);
    let mut second = driver.screen(&[]);
    second.until_shown(&[
        "Which colour?",
        "half an answ",
        "since you looked last: dialogs with news 1",
    ]);
    second.keys("\x15blue\r");
    second.until_shown(&["Blue then."]);
    second.quit();
    assert_eq!(second.end_restored(), 0);
    assert!(driver.ok(&["quit"], 0).contains("has ended"));
    assert_eq!(driver.running().0, 0);
}

#[test]
fn a_team_goes_on_without_the_terminal_that_started_it_unless_the_user_set_that_it_stops() {
    for (setting, drivers) in [("", 1), ("hang_up: go-on\n", 1), ("hang_up: stop\n", 0)] {
        let driver = Driver::ended();
        driver.configure(setting);
        let mut screen = driver.first_screen();
        screen.hang_up();
        assert!(eventually(|| !screen.is_alive()), "{setting}");
        assert_eq!(driver.running().0, drivers, "{setting}");
        driver.ok(&["q4h", "answer", "--json", &driver.question(), "blue"], 0);
        driver.ok(&["quit"], 0);
        assert_eq!(driver.running().0, 0, "{setting}");
    }
}

/// Each screen shows a new question, half of them answer it, and all lose their terminal, at any moment.
#[test]
fn of_screens_whose_terminal_is_closed_at_any_moment_none_stays_and_each_answer_counts_once() {
    let wanted = tries("DOMINDS_HANG_UPS", 32);
    let driver = Driver::ended();
    let mut first = driver.first_screen();
    first.hang_up();
    assert!(eventually(|| !first.is_alive()), "it has no terminal");
    let running = driver.running();
    assert_eq!(running.0, 1, "the team goes on");
    driver.ok(&["q4h", "answer", "--json", &driver.question(), "blue"], 0);
    let mut random = fastrand::Rng::with_seed(7);
    let (mut answered, mut shown_after) = (0, Vec::new());
    for number in 0..wanted {
        driver.ok(&["run", "--json", "ask"], 3);
        let started = Instant::now();
        let mut screen = driver.screen(&[]);
        if random.bool() {
            screen.until_shown(&["Which colour?"]);
            shown_after.push(started.elapsed());
            screen.keys("\x1ba");
            screen.keys("blue\r");
        }
        std::thread::sleep(Duration::from_millis(random.u64(..200)));
        screen.hang_up();
        assert!(eventually(|| !screen.is_alive()), "screen {number} stays");
        assert_eq!(driver.running(), running, "screen {number}");
        let open = driver.question();
        if open.is_empty() {
            answered += 1;
        } else {
            driver.ok(&["q4h", "answer", "--json", &open, "blue"], 0);
        }
    }
    shown_after.sort();
    let (half, longest) = (shown_after.get(shown_after.len() / 2), shown_after.last());
    println!(
        "{wanted} terminals were closed; {answered} answers came from a screen; it showed the question after \
         {half:.0?}, at most {longest:.0?}"
    );
    assert!(comes_to_rest(running.1), "a driver that has nothing to do works");
    let (mut dialogs, places) = (0, driver.home.workspace().join(".dialogs"));
    for course in files::files_below(&places) {
        if course.file_name() == Some("course-001.jsonl".as_ref()) {
            dialogs += 1;
            let records = || fs::read_to_string(&course).expect("records");
            let is_once = || records().matches("Blue then.").count() == 1;
            assert!(eventually(is_once), "{}", records());
        }
    }
    assert_eq!(dialogs, wanted + 1);
    // It may have ended by itself, as it was not needed.
    driver.ok(&["quit"], 0);
}

/// The time a process has worked, in hundredths of a second.
pub fn cpu_ticks(process: u64) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    let field = |number: usize| fields.get(number).and_then(|ticks| ticks.parse::<u64>().ok());
    field(11).zip(field(12)).map(|(user, system)| user + system).expect("times")
}

#[test]
fn what_waits_for_a_screen_gets_its_signals_and_its_end() {
    for (signal, status) in [("TERM", 143), ("INT", 130)] {
        let driver = Driver::ended();
        let mut screen = driver.first_screen();
        screen.signal(signal);
        assert_eq!(screen.end_restored(), status, "{signal}");
        assert_eq!(driver.running().0, 0, "{signal}");
    }
    let driver = Driver::ended();
    let mut screen = driver.first_screen();
    screen.kill();
    assert!(eventually(|| driver.running().0 == 0), "it ends with who waits for it");
}

fn send(signal: &str, process: u64) {
    let sent = output(Command::new("kill").args(["-s", signal, &process.to_string()]));
    assert!(sent.status.success(), "{signal}");
}

#[test]
fn a_screen_that_is_killed_leaves_the_terminal_in_order_and_a_line_says_why() {
    for (signal, status) in [("KILL", 137), ("ABRT", 134)] {
        let driver = Driver::ended();
        let mut screen = driver.first_screen();
        send(signal, driver.running().1);
        assert_eq!(screen.end_restored(), status, "{signal}");
        let raw = String::from_utf8_lossy(&screen.raw()).into_owned();
        assert!(raw.contains(&format!("ended by SIG{signal}")), "{raw}");
        assert!(raw.contains("--reset-terminal"), "{raw}");
    }
    let home = Home::new();
    let mut reset = Program::start(home.environment(), &["--reset-terminal".as_ref()], 80, 24);
    let (status, raw) = reset.end();
    let raw = String::from_utf8_lossy(&raw).into_owned();
    assert_eq!(status, 0, "{raw}");
    for off in ["1049", "1000", "1006", "1004", "2004", "2031"] {
        assert!(raw.contains(&format!("\x1b[?{off}l")), "{off}: {raw:?}");
    }
    assert!(raw.contains("\x1b[?25h") && raw.contains("\x1b[23;0t"), "{raw:?}");
}

#[test]
fn a_screen_that_was_stopped_from_outside_sets_its_modes_and_draws_everything_anew() {
    let driver = Driver::ended();
    let mut screen = driver.first_screen();
    screen.until_still();
    let (process, entered) = (driver.running().1, || {
        let raw = String::from_utf8_lossy(&screen.raw()).into_owned();
        raw.matches("\x1b[?1049h").count()
    });
    assert_eq!(entered(), 1);
    send("STOP", process);
    screen.resize(100, 30);
    send("CONT", process);
    assert!(eventually(|| entered() == 2), "{}", screen.screen());
    screen.until("the last row", |shown| {
        shown.lines().nth(29).is_some_and(|row| row.contains("help"))
    });
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
}

#[test]
fn a_team_finishes_its_steps_and_stops_if_the_user_set_that() {
    let driver = Driver::ended();
    driver.configure("hang_up: finish-step\n");
    let mut screen = driver.first_screen();
    screen.hang_up();
    assert!(eventually(|| !screen.is_alive() && driver.running().0 == 0));
    assert!(!driver.question().is_empty(), "the question is still open");
}

#[test]
fn a_screen_whose_driver_nobody_can_reach_says_so_once_and_works() {
    let driver = Driver::ended();
    let workspace = driver.home.workspace();
    files::put(&workspace, ".dialogs/.tui/driver.sock/file", "a folder gives way to nothing");
    let notes = driver.home.state_folder().join("drivers");
    fs::remove_dir_all(&notes).expect("a folder");
    fs::write(&notes, "no folder").expect("a file");
    let mut environment = driver.home.environment();
    environment.push(("XDG_RUNTIME_DIR", "/nonexistent".into()));
    let args: [&OsStr; 2] = ["-C".as_ref(), workspace.as_ref()];
    let mut screen = Program::start(environment, &args, 120, 30);
    screen.until_shown(&["there is no place for a socket"]);
    screen.keys("Q");
    screen.until_shown(&["the driver ends with its screen"]);
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
}

#[test]
fn what_is_no_socket_gives_way_to_that_of_a_driver_which_says_so_once() {
    let driver = Driver::ended();
    let workspace = driver.home.workspace();
    let socket = workspace.join(".dialogs/.tui/driver.sock");
    fs::create_dir_all(socket.parent().expect("a folder")).expect("a folder");
    std::os::unix::fs::symlink("/nonexistent", &socket).expect("a link");
    let mut environment = driver.home.environment();
    environment.push(("XDG_RUNTIME_DIR", "/nonexistent".into()));
    let mut run = command(&driver.home, &["run", "hi"]);
    let said = output(run.env_clear().envs(environment));
    let errors = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(
        (said.status.code(), errors.matches("was no socket").count()),
        (Some(0), 1),
        "{errors}"
    );
    assert!(socket.symlink_metadata().is_err(), "it has gone with the driver");
}

/// Everything that connects, in a workspace that brings along a way to the socket of another one.
#[test]
fn a_clone_reaches_nothing_of_the_driver_of_another_workspace() {
    let (mut driver, question) = Driver::asking();
    let clone = tempfile::tempdir().expect("a folder");
    files::put(clone.path(), ".minds/team.yaml", TEAM);
    files::put(clone.path(), ".minds/llm.yaml", MODELS);
    files::put(clone.path(), "answers/m.yaml", ANSWERS);
    let socket = clone.path().join(".dialogs/.tui/driver.sock");
    fs::create_dir_all(socket.parent().expect("a folder")).expect("a folder");
    let mut environment = driver.home.environment();
    environment.push(("XDG_RUNTIME_DIR", "/nonexistent".into()));
    let greeting = Hello::new(Audience::Screen, "there");
    let greeting = wire::encode_hello(&greeting).expect("a frame");
    for (args, status) in [
        (&["quit"][..], Some(0)),
        (&["attach", "--plain"], Some(1)),
        (&["relay", "--no-start"], Some(1)),
        (&["stop", "--all"], None),
        (&["autonomy", "full"], Some(0)),
        (&["q4h", "answer", &question, "blue"], None),
        (&["run", "hi"], Some(0)),
    ] {
        let _ = fs::remove_file(&socket);
        std::os::unix::fs::symlink(driver.socket(), &socket).expect("a link");
        let mut command = Command::new(env!("CARGO_BIN_EXE_dominds-tui"));
        command.arg("-C").arg(clone.path()).args(args).env_clear().envs(environment.clone());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a command");
        let mut input = child.stdin.take().expect("its input");
        // Most read nothing.
        let _ = std::io::Write::write_all(&mut input, &greeting);
        drop(input);
        let said = child.wait_with_output().expect("an end");
        assert!(status.is_none() || said.status.code() == status, "{args:?}: {said:?}");
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(!text.contains("Which colour?") && !text.contains("welcome"), "{args:?}: {text}");
    }
    assert!(driver.is_alive());
    assert_eq!(driver.question(), question);
    let dialogs = driver.json(&["dialogs", "--json"]);
    assert_eq!(dialogs.as_array().map(Vec::len), Some(1), "{dialogs}");
    assert!(!driver.home.workspace().join(".minds/hive/hive.yaml").exists());
}

#[test]
fn what_is_open_where_no_driver_runs_is_what_the_files_say() {
    let (driver, question) = Driver::asking();
    driver.ok(&["quit"], 0);
    let listed = driver.json(&["inbox", "--json"]);
    assert_eq!(listed.pointer("/items/0/id").and_then(Value::as_str), Some(question.as_str()));
    assert_eq!(listed.pointer("/items/0/kind"), Some(&Value::from("question")), "{listed}");
    assert_eq!(listed.pointer("/storeAway"), Some(&Value::Array(Vec::new())), "{listed}");
    let mut plain = driver.screen(&["inbox", "--plain"]);
    plain.until_shown(&["no driver runs on this workspace", "1  @lead  Which colour?"]);
    plain.keys("1 blue\r");
    plain.until_shown(&["1  not sent: no driver runs", "q4h answer"]);
    plain.keys("quit\r");
    assert_eq!(plain.end().0, 0);
    assert_eq!(driver.question(), question, "it is still open");
}

#[test]
fn the_inbox_lists_what_is_open_for_scripts_and_tells_them_what_happens() {
    let (driver, question) = Driver::asking();
    let listed = driver.json(&["inbox", "--json"]);
    assert_eq!(listed.pointer("/items/0/id").and_then(Value::as_str), Some(question.as_str()));
    assert_eq!(listed.pointer("/down"), Some(&Value::Array(Vec::new())));
    let mut watch = command(&driver.home, &["inbox", "--watch"]);
    let mut watch = watch.stdout(Stdio::piped()).spawn().expect("a program");
    let mut said = std::io::BufReader::new(watch.stdout.take().expect("its output"));
    let mut next = || {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut said, &mut line).expect("a line");
        serde_json::from_str::<Value>(&line).expect("JSON")
    };
    let asked = next();
    assert_eq!(asked.pointer("/event"), Some(&Value::from("asked")), "{asked}");
    driver.ok(&["q4h", "answer", &question, "blue"], 0);
    let answered = next();
    assert_eq!(answered.pointer("/event"), Some(&Value::from("answered")), "{answered}");
    assert_eq!(answered.pointer("/by"), Some(&Value::from("a command")), "{answered}");
    watch.kill().expect("an end");
    watch.wait().expect("an end");
    driver.ok(&["quit"], 0);
    let down = driver.json(&["inbox", "--json"]);
    assert_eq!(
        down.pointer("/down/0/why").and_then(Value::as_str).map(|why| why.contains("no driver")),
        Some(true),
        "{down}"
    );
}
