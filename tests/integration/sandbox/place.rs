//! A home folder with secrets, a workspace with everything that is reserved, and servers on the machine that
//! a command may want to reach.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::files;
use crate::common::wait::output;

use super::run::{ORDINARY, User};
use super::servers::Servers;

/// A secret that must be in no output of a command.
pub const CANARY: &str = "CANARY-5150";
/// Secrets below the home folder.
const SECRETS: [&str; 19] = [
    ".ssh/id_ed25519",
    ".gnupg/key",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".cargo/credentials.toml",
    ".kube/config",
    ".bash_history",
    ".local/state/dominds-tui/trusted",
    ".npm/_logs/log",
    ".config/pip/pip.conf",
    ".local/share/uv/credentials/credentials.toml",
    ".local/bin/.netrc",
    ".pyenv/versions/3/pip.conf",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    "go/src/private/x.go",
];
/// The watched paths below the top folder; a change there is a write.
const WATCHED: [&str; 25] = [
    "home",
    "other",
    "ws/.minds",
    "ws/.dialogs",
    "ws/.hive",
    "ws/a.tsk",
    "ws/deep/b.tsk",
    "ws/deep/r/.git/config",
    "ws/deep/r/.git/hooks",
    "ws/.git/config",
    "ws/.git/hooks",
    "ws/.git/config.worktree",
    "ws/.git/commondir",
    "ws/.git/modules/m/config",
    "ws/.git/modules/m/config.worktree",
    "ws/.git/modules/m/commondir",
    "ws/.git/modules/m/hooks",
    "ws/.git/worktrees/w/config.worktree",
    "ws/.git/worktrees/w/commondir",
    "ws/gitconfig.inc",
    "ws/tools/clean.sh",
    "ws/node_modules/dep/.git/config",
    "ws/deep/bare/config",
    "ws/deep/r/.git/rebase-merge",
    "ws/src/a.txt",
];
/// Paths that this program itself writes.
const OWN: [&str; 2] =
    ["home/.local/state/dominds-tui/sandbox", "home/.local/state/dominds-tui/logs"];
/// Everything in a repository that has to be there for the acts.
const GIT: &str = r"
set -e
git init -q . && git commit -q --allow-empty -m x
git init -q deep/r && git -C deep/r commit -q --allow-empty -m x
git init -q sub && git -C sub commit -q --allow-empty -m x
mkdir .git/modules && mv sub/.git .git/modules/m
echo 'gitdir: ../.git/modules/m' >sub/.git
git -C sub config core.worktree ../../../sub
git add sub && git commit -q -m sub
git worktree add -q ../w
git init -q node_modules/dep && git init -q --bare deep/bare
mkdir deep/r/.git/rebase-merge tools
echo 'pick 1234567 x' >deep/r/.git/rebase-merge/git-rebase-todo
echo '[core]' >gitconfig.inc && git config include.path ../gitconfig.inc
echo cat >tools/clean.sh && git config filter.x.clean 'sh tools/clean.sh %f'
for d in .git .git/modules/m deep/r/.git; do mkdir -p $d/hooks; echo '#' >$d/hooks/none.sample; done
";

/// Mode and text by path.
pub type Watched = BTreeMap<PathBuf, (u32, Vec<u8>)>;

pub struct Place {
    pub user: User,
    servers: Servers,
    /// A process of the same user with a secret in its environment and in its input.
    victim: Child,
    top: tempfile::TempDir,
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
        let put = |path: &str, text: &str| put(top.path(), path, text);
        for secret in SECRETS {
            put(&format!("home/{secret}"), CANARY);
        }
        // As this program creates it.
        let state = top.path().join("home/.local/state/dominds-tui");
        fs::set_permissions(state, fs::Permissions::from_mode(0o700)).expect("a mode");
        put("home/.bashrc", "x\n");
        put("home/.cargo/config.toml", "\n");
        put("home/.cargo/bin/tool", "#!/bin/sh\n");
        put("home/.cargo/config", &format!("[registry]\ntoken = \"{CANARY}\"\n"));
        let url = format!("[url \"https://{CANARY}@host/\"]\n\tinsteadOf = https://host/\n");
        put("home/.gitconfig", &format!("[user]\n\tname = a\n\temail = a@b\n{url}"));
        put("other/file", CANARY);
        put("ws/src/a.txt", "hello\n");
        put("ws/.minds/team.yaml", "members: {}\n");
        put("ws/.dialogs/run/x/dialog.yaml", "id: x\n");
        put("ws/a.tsk/goals.md", "goals\n");
        put("ws/deep/b.tsk/goals.md", "goals\n");
        symlink(top.path().join("home/.ssh"), top.path().join("ws/linked")).expect("a link");
        symlink("../../.ssh", top.path().join("home/.cargo/bin/linked")).expect("a link");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", GIT]).current_dir(top.path().join("ws"));
        let ran = output(command.env("HOME", top.path().join("home")));
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let servers = Servers::new(top.path());
        let victim = victim(user, &top.path().join("home/.netrc"));
        let place = Self { user, servers, victim, top };
        place.give();
        fs::set_permissions(place.top(), fs::Permissions::from_mode(0o755)).expect("a mode");
        let program = Path::new(env!("CARGO_BIN_EXE_dominds-tui"));
        if fs::hard_link(program, place.program()).is_err() {
            copy(program, &place.program());
        }
        place
    }

    /// Gives the place to its user.
    pub fn give(&self) {
        if self.user == User::Ordinary {
            let owner = format!("{ORDINARY}:{ORDINARY}");
            let folders =
                ["home", "other", "ws", "w", "host.sock", ""].map(|name| self.top().join(name));
            let chown = output(Command::new("chown").args(["-hR", &owner]).args(&folders[..5]));
            assert!(chown.status.success());
            let chown = output(Command::new("chown").arg(&owner).arg(self.top()));
            assert!(chown.status.success());
        }
    }

    pub fn put(&self, path: &str, text: &str) {
        put(self.top(), path, text);
    }

    pub fn top(&self) -> &Path {
        self.top.path()
    }

    pub fn workspace(&self) -> PathBuf {
        self.top().join("ws")
    }

    pub fn home(&self) -> PathBuf {
        self.top().join("home")
    }

    pub fn program(&self) -> PathBuf {
        self.top().join("program")
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

    /// Returns a mark that no other place has.
    pub fn mark(&self) -> String {
        format!("{}{}", self.victim.id(), std::process::id())
    }

    /// Returns a number that is unique in all places.
    pub fn number() -> usize {
        static GIVEN: AtomicUsize = AtomicUsize::new(1);
        GIVEN.fetch_add(1, Ordering::SeqCst)
    }

    /// A script with the names of this place in it.
    pub fn filled(&self, text: &str, target: &str, number: usize) -> String {
        text.replace("{target}", target)
            .replace("{home}", &self.home().display().to_string())
            .replace("{ws}", &self.workspace().display().to_string())
            .replace("{top}", &self.top().display().to_string())
            .replace("{canary}", CANARY)
            .replace("{tcp}", &self.servers.tcp.to_string())
            .replace("{port}", &format!("{:04X}", self.servers.tcp))
            .replace("{udp}", &self.servers.udp.to_string())
            .replace("{victim}", &self.victim.id().to_string())
            .replace("{n}", &number.to_string())
    }

    /// Compiles a program from a C text; it is in the workspace.
    pub fn compiled(&self, text: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let name = format!("c{:x}", hasher.finish());
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
        if !made.exists() {
            // Another test may be about the same program.
            let own = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
            let (source, built) = (own.path().join("a.c"), own.path().join("a"));
            fs::write(&source, text).expect("a file");
            let mut cc = Command::new("cc");
            let ran = output(cc.args(["-w", "-D_GNU_SOURCE", "-o"]).arg(&built).arg(&source));
            assert!(ran.status.success(), "{text}\n{}", String::from_utf8_lossy(&ran.stderr));
            fs::rename(&built, &made).expect("a program");
        }
        let program = self.workspace().join("src").join(name);
        if !program.exists() {
            copy(&made, &program);
        }
        program
    }

    /// Returns one of the watched files that has changed.
    pub fn changed(&self, before: &Watched) -> Option<String> {
        let now = self.watched();
        let differs = |path: &&PathBuf| now.get(*path) != before.get(*path);
        let path = now.keys().chain(before.keys()).find(differs)?;
        Some(path.strip_prefix(self.top()).unwrap_or(path).display().to_string())
    }

    /// Returns every watched file with its mode and text. Empty folders are not counted.
    pub fn watched(&self) -> Watched {
        let mut files = BTreeMap::new();
        let mut left: Vec<PathBuf> = WATCHED.iter().map(|name| self.top().join(name)).collect();
        while let Some(path) = left.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            if OWN.iter().any(|own| path.ends_with(own)) {
                continue;
            }
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

/// Copies a program with `cp`: if this process had the copy open for writing, a child that another test
/// starts meanwhile would inherit it, and a file that is open for writing cannot be run.
fn copy(program: &Path, to: &Path) {
    let copied = output(Command::new("cp").args([program, to]));
    assert!(copied.status.success(), "{}", to.display());
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn put(top: &Path, path: &str, text: &str) {
    files::put(top, path, text);
    fs::set_permissions(top.join(path), fs::Permissions::from_mode(0o600)).expect("a mode");
}

fn victim(user: User, reads: &Path) -> Child {
    let mut command = Command::new("/bin/sleep");
    if user == User::Ordinary {
        command = Command::new("/usr/bin/setpriv");
        let id = ORDINARY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "/bin/sleep"]);
    }
    command.arg("987.654").env("SECRET", CANARY).stdin(File::open(reads).expect("a file"));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process")
}
