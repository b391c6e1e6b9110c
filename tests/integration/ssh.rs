//! A screen on another machine: the real `ssh` and `sshd` on loopback, and a line that can be cut.

#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::common::pty::Program;
use crate::common::skip::has;
use crate::common::wait::{eventually, output};
use crate::serving::Driver;

/// Where Debian has it, which is not in everybody's path.
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
        Self::with_programs_of(Some(program))
    }

    /// A machine without this program.
    fn bare() -> Option<Self> {
        Self::with_programs_of(None)
    }

    fn with_programs_of(programs: Option<&Path>) -> Option<Self> {
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
        let line = Line::to(port);
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
        let wrapper = format!("#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n", self.config.display());
        fs::write(folder.join("ssh"), wrapper).expect("a program");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.join("ssh"), mode).expect("a mode");
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
        let home = self.driver.home();
        let via = format!("ssh -F {} box", self.config.display());
        let workspace = home.workspace();
        let mut args: Vec<&OsStr> = vec!["attach".as_ref(), "--via".as_ref(), via.as_ref()];
        args.push(workspace.as_ref());
        args.extend(more.iter().map(OsStr::new));
        Program::start(home.environment(), &args, 100, 30)
    }
}

impl Drop for Box {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Lets one key in, and gives commands the environment of the test: what a login would set is of the machine.
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

/// A connection through this process, which can be cut.
struct Line {
    port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let open = Arc::<Mutex<Vec<TcpStream>>>::default();
        let kept = open.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
                    thread::spawn(move || pass_on(from, to));
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

#[test]
fn one_inbox_over_two_workspaces_answers_in_the_right_one_and_says_which_line_is_cut() {
    let Some(remote) = Box::start() else { return };
    let near = Driver::start();
    remote.driver.ok(&["run", "--json", "ask"], 3);
    near.ok(&["run", "--json", "ask"], 3);
    // Nothing runs there yet, and the inbox starts nothing.
    let far = "ssh://box/".to_owned() + &remote.driver.home().workspace().display().to_string();
    let near_folder = near.home().workspace();
    let mut inbox = remote.inbox(&[&far, &near_folder.display().to_string(), "--plain"]);
    inbox.until_shown(&["no driver runs on this workspace", "Which colour?"]);
    let mut attached = remote.attach(&[]);
    attached.until_shown(&["Which colour?"]);
    attached.quit();
    assert_eq!(attached.end_restored(), 0);
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
fn a_machine_without_the_program_gets_it_once_the_person_agrees() {
    let Some(remote) = Box::bare() else { return };
    let installed = remote.driver.home().workspace().with_file_name(".local/bin/dominds-tui");
    let mut refused = remote.attach(&[]);
    refused.until_shown(&["is not installed on", "~/.local/bin/dominds-tui", "[y/N]"]);
    refused.keys("\r");
    let (status, raw) = refused.end();
    assert_eq!(status, 1);
    assert!(String::from_utf8_lossy(&raw).contains("is not installed there"));
    assert!(!installed.exists());

    let mut screen = remote.attach(&[]);
    screen.until_shown(&["[y/N]"]);
    screen.keys("y\r");
    screen.until_shown(&["DIALOGS"]);
    let own = fs::read(env!("CARGO_BIN_EXE_dominds-tui")).expect("this program");
    assert!(fs::read(&installed).expect("the program there") == own, "another program is there");
    screen.quit();
    assert_eq!(screen.end_restored(), 0);
    // From now on nobody is asked.
    let mut again = remote.attach(&[]);
    again.until_shown(&["DIALOGS"]);
    again.quit();
    assert_eq!(again.end_restored(), 0);
}
