//! A screen on another machine: the real `ssh` and `sshd` on loopback, and a line that can be cut.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use flate2::{Decompress, FlushDecompress};

use crate::common::files;
use crate::common::pty::Program;
use crate::common::skip::has;
use crate::common::wait::{eventually, output};
use crate::serving::Driver;

/// The model asks a question.
const ASKS: &str = "  - message: ask\n    role: user\n    response: A question.\n    funcCalls:\n      \
                    - name: askHuman\n        arguments:\n          tellaskContent: Which colour?\n";
/// The path on Debian, which is not in every `PATH`.
const SSHD: &str = "/usr/sbin/sshd";

/// A server of one user on loopback, and the way to it.
struct Box {
    driver: Driver,
    server: Child,
    line: Line,
    config: PathBuf,
    _folder: tempfile::TempDir,
}

impl Box {
    /// `None` where there is no `sshd`.
    fn start() -> Option<Self> {
        let program = Path::new(env!("CARGO_BIN_EXE_dominds-tui")).parent().expect("a folder");
        Self::with(Some(program), None)
    }

    /// Over such a line.
    fn over(slow: Slow) -> Option<Self> {
        let program = Path::new(env!("CARGO_BIN_EXE_dominds-tui")).parent().expect("a folder");
        Self::with(Some(program), Some(slow))
    }

    /// A machine without this program.
    fn bare() -> Option<Self> {
        Self::with(None, None)
    }

    fn with(programs: Option<&Path>, slow: Option<Slow>) -> Option<Self> {
        if !has("ssh") || !has(SSHD) {
            return None;
        }
        let driver = Driver::ended();
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for key in ["host", "user"] {
            let mut keygen = Command::new("ssh-keygen");
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(at(key));
            assert!(output(&mut keygen).status.success());
        }
        fs::copy(at("user.pub"), at("authorized")).expect("a key");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = port.expect("a port").port();
        let config = server_config(&driver, programs, folder.path(), port);
        fs::write(at("sshd_config"), config).expect("a file");
        // An administrator's server gives its privileges away in there.
        let _ = fs::create_dir_all("/run/sshd");
        let mut sshd = Command::new(SSHD);
        sshd.args(["-D", "-e", "-f"]).arg(at("sshd_config"));
        let server = sshd.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("sshd");
        assert!(eventually(|| TcpStream::connect(("127.0.0.1", port)).is_ok()), "no sshd");
        let line = Line::to(port, slow);
        let (key, known) = (at("user"), at("known"));
        let config = format!(
            "Host box\n HostName 127.0.0.1\n Port {}\n IdentityFile {}\n IdentitiesOnly yes\n BatchMode yes\n \
             StrictHostKeyChecking accept-new\n UserKnownHostsFile {}\n ServerAliveInterval 5\n",
            line.port,
            key.display(),
            known.display()
        );
        fs::write(at("ssh_config"), config).expect("a file");
        fs::set_permissions(at("authorized"), fs::Permissions::from_mode(0o600)).expect("a mode");
        Some(Self { driver, server, line, config: at("ssh_config"), _folder: folder })
    }

    /// An inbox whose `ssh` knows the box.
    fn inbox(&self, args: &[&str]) -> Program {
        let home = self.driver.home();
        let folder = self.config.with_file_name("bin");
        fs::create_dir_all(&folder).expect("a folder");
        let script = format!("exec /usr/bin/ssh -F {} \"$@\"", self.config.display());
        put_program(&folder.join("ssh"), &script);
        let mut environment = home.environment();
        for (name, value) in &mut environment {
            if *name == "PATH" {
                *value = format!("{}:{}", folder.display(), value.display()).into();
            }
        }
        let args: Vec<&OsStr> =
            std::iter::once("inbox").chain(args.iter().copied()).map(OsStr::new).collect();
        Program::start(environment, &args, 100, 30)
    }

    fn attach(&self, more: &[&str]) -> Program {
        self.attach_via(&format!("ssh -F {} box", self.config.display()), more)
    }

    /// Lets a screen start a driver that keeps running.
    fn start_driver(&self) {
        let mut attached = self.attach(&[]);
        attached.until_shown(&["Which colour?"]);
        attached.quit();
        assert_eq!(attached.end_restored(), 0);
    }

    /// Attaches a screen; also returns the file with every byte sent to it.
    fn attach_recorded(&self) -> (Program, PathBuf) {
        let (program, bytes) =
            (self.config.with_file_name("via"), self.config.with_file_name("bytes"));
        let (config, file) = (self.config.display(), bytes.display());
        put_program(&program, &format!("ssh -F {config} box \"$@\" | tee {file}"));
        (self.attach_via(&program.to_string_lossy(), &[]), bytes)
    }

    fn attach_via(&self, via: &str, more: &[&str]) -> Program {
        let home = self.driver.home();
        let workspace = home.workspace();
        let mut args: Vec<&OsStr> = vec!["attach".as_ref(), "--via".as_ref(), via.as_ref()];
        args.push(workspace.as_ref());
        args.extend(more.iter().map(OsStr::new));
        Program::start(home.environment(), &args, 100, 30)
    }
}

fn put_program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

impl Drop for Box {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Admits one key, and gives commands the environment of the test: that of a login would depend on the machine.
fn server_config(driver: &Driver, programs: Option<&Path>, folder: &Path, port: u16) -> String {
    let programs = programs.map(|folder| format!("{}:", folder.display())).unwrap_or_default();
    let variables = driver.home().environment().into_iter().map(|(name, value)| match name {
        "PATH" => format!(" \"PATH={programs}{}\"", value.display()),
        _ => format!(" \"{name}={}\"", value.display()),
    });
    let folder = folder.display();
    format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n\
         PidFile {folder}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n\
         LogLevel ERROR\nSetEnv{}\n",
        variables.collect::<String>()
    )
}

/// The speed of a line in each direction.
#[derive(Debug, Clone, Copy)]
struct Slow {
    bytes_per_second: u32,
    delay: Duration,
}

/// A connection through this process, which can be cut.
struct Line {
    port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    fn to(port: u16, slow: Option<Slow>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let open = Arc::<Mutex<Vec<TcpStream>>>::default();
        let kept = open.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
                    match slow {
                        Some(slow) => thread::spawn(move || pass_on_slowly(from, to, slow)),
                        None => thread::spawn(move || pass_on(from, to)),
                    };
                }
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend([client, server]);
            }
        });
        Self { port: own, open }
    }

    fn cut(&self) {
        for stream in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 4096];
    let mut pass = || -> io::Result<bool> {
        let count = from.read(&mut buffer)?;
        to.write_all(buffer.get(..count).unwrap_or_default())?;
        Ok(count > 0)
    };
    while pass().is_ok_and(|goes_on| goes_on) {}
    let _ = to.shutdown(Shutdown::Both);
}

/// Passes on the line's bytes per second, each after its delay; excess bytes wait, and at last the sender does.
fn pass_on_slowly(mut from: TcpStream, mut to: TcpStream, line: Slow) {
    let (pass, passed) = mpsc::sync_channel::<(Instant, Vec<u8>)>(16);
    thread::spawn(move || {
        for (at, bytes) in passed {
            thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                return;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
    let (mut buffer, mut free_at) = ([0; 512], Instant::now());
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = buffer.get(..count).unwrap_or_default().to_vec();
        let takes =
            Duration::from_secs(1) * u32::try_from(count).unwrap_or(1) / line.bytes_per_second;
        free_at = free_at.max(Instant::now()) + takes;
        thread::sleep(free_at.saturating_duration_since(Instant::now()));
        if pass.send((free_at + line.delay, bytes)).is_err() {
            return;
        }
    }
}

#[test]
fn a_screen_over_ssh_starts_a_driver_answers_survives_cuts_and_leaves_it_running() {
    let Some(remote) = Box::start() else { return };
    let mut screen = remote.attach(&[]);
    screen.until_shown(&["DIALOGS"]);
    let driver = remote.driver.running();
    assert_eq!(driver.0, 1, "it was started there");
    remote.driver.ok(&["run", "--json", "ask"], 3);
    screen.until_shown(&["Which colour?"]);
    for _ in 0..3 {
        remote.line.cut();
        screen.until_shown(&["connected again"]);
        screen.until("no word of it any more", |shown| !shown.contains("connected again"));
    }
    screen.keys("\x1ba");
    screen.keys("blue\r");
    screen.until_shown(&["Blue then."]);
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    assert_eq!(remote.driver.running(), driver, "leaving a screen ends nothing");
    assert_eq!(remote.driver.question(), "", "it was answered once");
}

#[test]
fn a_screen_that_cannot_get_there_says_what_ssh_said() {
    let Some(remote) = Box::start() else { return };
    let mut screen = remote.attach(&["--view"]);
    screen.until_shown(&["DIALOGS"]);
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    fs::remove_file(remote.config.with_file_name("user")).expect("a key");
    let mut refused = remote.attach(&[]);
    let (status, raw) = refused.end();
    assert_eq!(status, 1);
    let said = String::from_utf8_lossy(&raw).into_owned();
    assert!(said.contains("Permission denied"), "{said}");
}

/// Starts a remote and a local one, with an open question each, and returns their names in an inbox.
fn two_workspaces() -> Option<(Box, Driver, [String; 2])> {
    let (remote, near) = (Box::start()?, Driver::start());
    for driver in [&remote.driver, &near] {
        driver.ok(&["run", "--json", "ask"], 3);
    }
    let [far, here] =
        [&remote.driver, &near].map(|one| one.home().workspace().display().to_string());
    Some((remote, near, [format!("ssh://box/{far}"), here]))
}

#[test]
fn one_inbox_over_two_workspaces_answers_in_the_right_one_and_says_which_line_is_cut() {
    let Some((remote, near, [far, near_folder])) = two_workspaces() else { return };
    // No driver runs there yet, and the inbox starts none.
    let mut inbox = remote.inbox(&[&far, &near_folder, "--plain"]);
    inbox.until_shown(&["no driver runs on this workspace", "Which colour?"]);
    remote.start_driver();
    inbox.until("two questions", |shown| shown.matches("@lead  Which colour?").count() == 2);
    remote.line.cut();
    inbox.until("the line is cut, and back", |shown| {
        shown.contains("is tried again") && shown.matches("connected").count() >= 2
    });
    inbox.keys("1 blue\r");
    inbox.until_shown(&["1  the answer is recorded"]);
    let first_is_near = near.question().is_empty();
    assert_eq!(remote.driver.question().is_empty(), !first_is_near, "one of them is answered");
    inbox.keys("2 blue\r");
    inbox.until_shown(&["2  the answer is recorded"]);
    assert!(near.question().is_empty() && remote.driver.question().is_empty());
    inbox.keys("quit\r");
    assert_eq!(inbox.end().0, 0);
}

#[test]
fn one_screen_over_two_workspaces_answers_in_the_right_one_and_says_which_line_is_cut() {
    let Some((remote, near, [far, near_folder])) = two_workspaces() else { return };
    remote.start_driver();
    let mut screen = remote.inbox(&[&far, &near_folder]);
    screen.until_shown(&["FOR YOU · 2", "box · task.tsk", "work · task.tsk"]);
    remote.line.cut();
    screen.until_shown(&["box: connected again"]);
    let open = || [&near, &remote.driver].map(|one| !one.question().is_empty());
    screen.keys("\x1ba");
    screen.until_shown(&["── answer"]);
    screen.keys("blue\r");
    screen.until_shown(&["FOR YOU · 1", "has the same words: answer it the same?", "y yes"]);
    assert!(open()[0] != open()[1], "one of them is answered");
    screen.keys("y");
    screen.until("both are answered", |shown| !shown.contains("FOR YOU"));
    assert_eq!(open(), [false, false]);
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    assert_eq!(remote.driver.running().0, 1, "leaving ends no driver");
}

#[test]
fn a_machine_without_the_program_gets_it_once_the_person_agrees() {
    let Some(remote) = Box::bare() else { return };
    let installed = remote.driver.home().workspace().with_file_name(".local/bin/dominds-tui");
    // A development build is not sent unless it is named.
    let own = env!("CARGO_BIN_EXE_dominds-tui");
    let mut refused = remote.attach(&["--program", own]);
    let offer = ["is not installed on", "MB to send", "~/.local/bin/dominds-tui", "[y/N]"];
    refused.until_shown(&offer);
    refused.keys("\r");
    let (status, raw) = refused.end();
    assert_eq!(status, 1);
    assert!(String::from_utf8_lossy(&raw).contains("is not installed there"));
    assert!(!installed.exists());

    let mut screen = remote.attach(&["--program", own]);
    screen.until_shown(&["[y/N]"]);
    screen.keys("y\r");
    screen.until_shown(&["DIALOGS"]);
    let own = fs::read(own).expect("this program");
    assert!(fs::read(&installed).expect("the program there") == own, "another program is there");
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    // From now on there is no question.
    let mut again = remote.attach(&[]);
    again.until_shown(&["DIALOGS"]);
    again.quit();
    assert_eq!(again.end_restored(), 0);
}

/// Returns the size of the messages sent to a screen: all after the first one are one compressed stream.
fn bytes_of_messages(sent: &[u8]) -> usize {
    // The first frame comes after the marker that the program there prints; a length begins with 0.
    let begins = sent.iter().position(|byte| *byte == 0).expect("a frame");
    let sent = sent.get(begins..).unwrap_or_default();
    let (header, rest) = sent.split_first_chunk::<4>().expect("a frame");
    let first = usize::try_from(u32::from_be_bytes(*header)).expect("a length");
    let (mut stream, mut room) = (Decompress::new(false), vec![0; 1 << 16]);
    let packed = rest.get(first..).expect("a whole frame");
    loop {
        let taken = usize::try_from(stream.total_in()).expect("a count");
        let left = packed.get(taken..).unwrap_or_default();
        let before = stream.total_out();
        stream.decompress(left, &mut room, FlushDecompress::None).expect("a compressed stream");
        if stream.total_out() == before {
            return usize::try_from(before).expect("a count");
        }
    }
}

/// Bytes for everything else while a reply comes: rows, records, acknowledgements.
const BESIDE: usize = 8_000;

/// The figures are printed; `DOMINDS_REPLY_BYTES=200000` is the length of the reply that they are given for.
#[test]
fn over_a_slow_line_the_text_of_a_reply_crosses_once_and_compressed() {
    let slow = Slow { bytes_per_second: 8_000, delay: Duration::from_millis(125) };
    let Some(remote) = Box::over(slow) else { return };
    #[expect(clippy::disallowed_methods, reason = "how long it takes is for whoever runs it")]
    let length = std::env::var("DOMINDS_REPLY_BYTES").ok().and_then(|bytes| bytes.parse().ok());
    let length: usize = length.unwrap_or(30_000);
    let text = prose(length);
    let reply = serde_json::to_string(&format!("{text} THE END")).expect("a text");
    let answers = format!(
        "responses:\n{ASKS}  - message: blue\n    role: tool\n    chunkDelayMs: 1\n    response: {reply}\n"
    );
    files::put(&remote.driver.home().workspace(), "answers/m.yaml", &answers);
    remote.driver.ok(&["run", "ask"], 3);

    let mut ssh = Command::new("ssh");
    let started = Instant::now();
    assert!(output(ssh.arg("-F").arg(&remote.config).args(["box", "true"])).status.success());
    let ssh_alone = started.elapsed();
    let started = Instant::now();
    let (mut screen, bytes) = remote.attach_recorded();
    screen.until_shown(&["Which colour?"]);
    let first_screen = started.elapsed();
    screen.keys("\x1ba");
    screen.keys("blue");
    screen.until_shown(&["blue"]);
    screen.until_still();
    let received = || fs::read(&bytes).expect("the bytes");
    let before = received();
    let sent = Instant::now();
    screen.keys("\r");
    screen.until("it is answered", |shown| !shown.contains("FOR YOU"));
    // The answer is held for this time before it is sent.
    let answered = sent.elapsed().saturating_sub(Duration::from_secs(5));
    screen.until_shown(&["THE END"]);
    screen.until_still();
    let after = received();
    let packed = after.len() - before.len();
    let plain = bytes_of_messages(&after) - bytes_of_messages(&before);
    println!(
        "64 kbit/s, 250 ms: ssh alone {ssh_alone:.1?}, first screen {first_screen:.1?}; answered after {answered:.2?}; \
         reply of {length} bytes: {plain} bytes of messages, {packed} compressed"
    );
    assert!(plain <= length * 12 / 10 + BESIDE, "{plain}");
    assert!(packed <= length / 2 + BESIDE / 2, "{packed}");
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
}

/// Returns text as a model may write it, the same each time: paragraphs, lists and code with the words of a page.
fn prose(length: usize) -> String {
    let page = include_str!("../../docs/ARCHITECTURE.md");
    let words: Vec<&str> = page.split_whitespace().filter(|word| word.is_ascii()).collect();
    let mut random = fastrand::Rng::with_seed(7);
    let mut text = String::new();
    while text.len() < length {
        let (start, count) = (random.usize(..words.len()), random.usize(3..12));
        let phrase = words.iter().cycle().skip(start).take(count).copied();
        text.push_str(&phrase.collect::<Vec<_>>().join(" "));
        text.push_str(random.choice([" ", ", ", ". ", ".\n\n", "\n- "]).unwrap_or(" "));
    }
    text.truncate(length);
    text
}
