//! A home folder with secrets, a workspace with everything that is reserved, and servers on the machine that
//! a command may want to reach.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::acts::{Act, Script};
use super::run::{Means, ORDINARY, User};

/// What no output of a command may hold.
pub const CANARY: &str = "CANARY-5150";
/// Secrets below the home folder.
const SECRETS: [&str; 10] = [
    ".ssh/id_ed25519",
    ".gnupg/key",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".cargo/credentials.toml",
    ".kube/config",
    ".local/state/dominds-tui/trusted",
];
/// What is watched below the top folder; what changes there was written.
const WATCHED: [&str; 9] = [
    "ws/.minds",
    "ws/.dialogs",
    "ws/.hive",
    "ws/.git/config",
    "ws/.git/hooks",
    "ws/.git/config.worktree",
    "ws/.git/commondir",
    "ws/a.tsk",
    "other",
];

pub struct Place {
    top: tempfile::TempDir,
    pub user: User,
    tcp: u16,
    udp: u16,
    /// A process of the same user with a secret in its environment.
    victim: Child,
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

impl Place {
    pub fn new(user: User) -> Self {
        let top = tempfile::Builder::new().prefix("sbx").tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = top.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(&path, text).expect("a file");
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("a mode");
        };
        for secret in SECRETS {
            put(&format!("home/{secret}"), CANARY);
        }
        put("home/.bashrc", "x\n");
        put("home/.gitconfig", "[user]\n\tname = a\n\temail = a@b\n");
        put("other/file", CANARY);
        put("ws/src/a.txt", "hello\n");
        put("ws/.minds/team.yaml", "members: {}\n");
        put("ws/.dialogs/run/x/dialog.yaml", "id: x\n");
        put("ws/a.tsk/goals.md", "goals\n");
        symlink(top.path().join("home/.ssh"), top.path().join("ws/linked")).expect("a link");
        fs::copy(env!("CARGO_BIN_EXE_dominds-tui"), top.path().join("program")).expect("a copy");
        let workspace = top.path().join("ws");
        for words in [
            &["init", "-q", "."][..],
            &[
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "x",
            ],
        ] {
            let mut git = Command::new("git");
            git.args(words).current_dir(&workspace).env("HOME", top.path().join("home"));
            assert!(git.output().expect("git").status.success());
        }
        fs::create_dir_all(workspace.join(".git/hooks")).expect("a folder");
        serve_unix(UnixListener::bind(top.path().join("host.sock")).expect("a socket"));
        let (tcp, udp) = serve();
        let name = SocketAddr::from_abstract_name(format!("sbx-{tcp}")).expect("a name");
        serve_unix(UnixListener::bind_addr(&name).expect("a socket"));
        if user == User::Ordinary {
            let owner = format!("{ORDINARY}:{ORDINARY}");
            let chown = Command::new("chown").args(["-hR", &owner]).arg(top.path()).status();
            assert!(chown.expect("chown").success());
        }
        fs::set_permissions(top.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
        Self { user, tcp, udp, victim: victim(user), top }
    }

    pub fn workspace(&self) -> PathBuf {
        self.top.path().join("ws")
    }

    pub fn home(&self) -> PathBuf {
        self.top.path().join("home")
    }

    pub fn program(&self) -> PathBuf {
        self.top.path().join("program")
    }

    /// Names at the top of the workspace and of its repository.
    pub fn names(&self) -> Vec<String> {
        let folders = [self.workspace(), self.workspace().join(".git")];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").path().display().to_string()).collect();
        names.sort();
        names
    }

    /// A script with the names of this place in it.
    pub fn filled(&self, text: &str) -> String {
        let home = self.home().display().to_string();
        text.replace("{home}", &home)
            .replace("{ws}", &self.workspace().display().to_string())
            .replace("{top}", &self.top.path().display().to_string())
            .replace("{canary}", CANARY)
            .replace("{tcp}", &self.tcp.to_string())
            .replace("{udp}", &self.udp.to_string())
            .replace("{victim}", &self.victim.id().to_string())
    }

    /// A program made of a text in C; it lies in the workspace.
    pub fn compiled(&self, text: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let program = self.workspace().join(format!("src/c{:x}", hasher.finish()));
        if !program.exists() {
            let source = program.with_extension("c");
            fs::write(&source, text).expect("a file");
            let made = Command::new("cc").arg(&source).arg("-o").arg(&program).output();
            let made = made.expect("a compiler");
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        }
        program
    }

    /// What a forbidden act achieved, if it did.
    pub fn attempt(
        &self,
        wall: Option<(Means, &str)>,
        act: &Act,
        script: &Script,
    ) -> Option<String> {
        let before = self.watched();
        let ran = self.run(wall, script);
        let by = script.language;
        if self.watched() != before {
            return Some(format!("by {by:?}: a reserved file changed ({})", ran.said.trim()));
        }
        if ran.said.contains(CANARY) {
            return Some(format!("by {by:?}: the secret was told"));
        }
        let done = act.status_tells && ran.code == Some(0);
        done.then(|| format!("by {by:?}: it succeeded ({})", ran.said.trim()))
    }

    /// Every watched file with its mode and text. What only stands there is not counted.
    fn watched(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut files = BTreeMap::new();
        let mut left: Vec<PathBuf> =
            WATCHED.iter().map(|name| self.top.path().join(name)).collect();
        left.push(self.home().join(".bashrc"));
        left.push(self.home().join(".cargo"));
        while let Some(path) = left.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            if meta.is_dir() {
                let entries: Vec<PathBuf> = fs::read_dir(&path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path())
                    .collect();
                if !entries.is_empty() {
                    files.insert(path, (meta.mode(), Vec::new()));
                }
                left.extend(entries);
            } else {
                let text = fs::read(&path).unwrap_or_default();
                files.insert(path, (meta.mode(), text));
            }
        }
        files
    }
}

fn victim(user: User) -> Child {
    let mut command = Command::new("/bin/sleep");
    if user == User::Ordinary {
        command = Command::new("/usr/bin/setpriv");
        let id = ORDINARY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "/bin/sleep"]);
    }
    command.arg("987.654").env("SECRET", CANARY).stdin(Stdio::null());
    command.spawn().expect("a process")
}

/// Servers that send back what they are sent.
fn serve() -> (u16, u16) {
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let ports = (port(tcp.local_addr()), port(udp.local_addr()));
    thread::spawn(move || {
        for mut stream in tcp.incoming().flatten() {
            let mut word = [0; 16];
            let read = stream.read(&mut word).unwrap_or(0);
            let _ = stream.write_all(word.get(..read).unwrap_or_default());
        }
    });
    thread::spawn(move || {
        let mut word = [0; 16];
        while let Ok((read, from)) = udp.recv_from(&mut word) {
            let _ = udp.send_to(word.get(..read).unwrap_or_default(), from);
        }
    });
    ports
}

fn port(address: std::io::Result<std::net::SocketAddr>) -> u16 {
    address.expect("an address").port()
}

fn serve_unix(listener: UnixListener) {
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut word = [0; 16];
            let read = stream.read(&mut word).unwrap_or(0);
            let _ = stream.write_all(word.get(..read).unwrap_or_default());
        }
    });
}
