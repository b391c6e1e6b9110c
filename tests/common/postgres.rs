//! A PostgreSQL server for the tests of this process: that of `DOMINDS_TUI_TEST_POSTGRES`, or one in a folder
//! of its own, which ends with the process, however that ends.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The URL of a server to use.
const GIVEN: &str = "DOMINDS_TUI_TEST_POSTGRES";
/// The folder of the programs on Debian, below the number of the version.
const DEBIAN: &str = "/usr/lib/postgresql";
const START_LIMIT: Duration = Duration::from_mins(1);
/// Starts the server, and ends the one that then runs when the other end of the pipe is closed.
const WATCHED: &str = r#"dir=$1; shift; "$@" >"$dir/log" 2>&1 & cat >/dev/null; kill -QUIT $(head -n 1 "$dir/data/postmaster.pid") || kill -QUIT $!; wait; rm -rf "$dir""#;

/// A server that runs.
pub struct Postgres {
    /// The URL of its first database.
    pub url: String,
    /// Its folder, if it was started here.
    dir: Option<PathBuf>,
    /// The pipe that it ends with.
    watched: Option<Child>,
}

impl Postgres {
    /// Starts one for this test alone. `None` if this machine has none, which is printed, or a given one must be used.
    pub fn own() -> Option<Self> {
        if std::env::var_os(GIVEN).is_some() {
            super::skip::skip(&format!("{GIVEN} names a server that must not be killed"));
            return None;
        }
        start("own").map_err(|why| super::skip::skip(&why)).ok()
    }

    /// Kills the server, as a machine that fails does, and restarts it. Only if it was started here.
    pub fn crash_and_start(&self) {
        let (Some(dir), Some(programs)) = (&self.dir, programs()) else { return };
        let (user, rest) = as_user();
        let mut restart = Command::new(user);
        restart.args(rest).arg(programs.join("pg_ctl")).arg("-D").arg(dir.join("data"));
        restart
            .args(["-m", "immediate", "-w", "-s", "-l"])
            .arg(dir.join("data/log"))
            .arg("restart");
        let done = restart.stdin(Stdio::null()).stdout(Stdio::null()).status();
        assert!(done.is_ok_and(|status| status.success()), "the server does not start again");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(mut watched) = self.watched.take() {
            drop(watched.stdin.take());
            let _ = watched.wait();
        }
    }
}

/// Returns the server of this process; `None` if this machine has none, which is printed.
pub fn postgres() -> Option<&'static Postgres> {
    static SERVER: OnceLock<Result<Postgres, String>> = OnceLock::new();
    match SERVER.get_or_init(|| given().unwrap_or_else(|| start("all"))) {
        Ok(server) => Some(server),
        Err(why) => {
            super::skip::skip(why);
            None
        }
    }
}

fn given() -> Option<Result<Postgres, String>> {
    let url = std::env::var_os(GIVEN)?.into_string();
    let url = url.map_err(|_| format!("{GIVEN} is no text"));
    Some(url.map(|url| Postgres { url, dir: None, watched: None }))
}

/// The program that starts another as the user who may run a server, with its arguments: a server refuses to run as root.
fn as_user() -> (&'static str, &'static [&'static str]) {
    if rustix::process::geteuid().is_root() {
        ("setpriv", &["--reuid=postgres", "--regid=postgres", "--clear-groups"])
    } else {
        ("env", &[])
    }
}

fn start(name: &str) -> Result<Postgres, String> {
    let programs = programs().ok_or("there is no PostgreSQL (Debian: postgresql)")?;
    let dir = std::env::temp_dir().join(format!("dominds-pg-{name}-{}", std::process::id()));
    let fault = |error: std::io::Error| format!("no server of PostgreSQL: {error}");
    fs::create_dir(&dir).map_err(fault)?;
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).map_err(fault)?;
    let data = dir.join("data");
    fs::create_dir(&data).map_err(fault)?;
    if rustix::process::geteuid().is_root() {
        let chown = Command::new("chown").args(["-R", "postgres"]).arg(&dir).status();
        chown.map_err(fault)?;
    }
    let (user, rest) = as_user();
    let mut init = Command::new(user);
    init.args(rest).arg(programs.join("initdb"));
    init.args(["-A", "trust", "-U", "hive", "--no-sync", "--locale=C", "--encoding=UTF8", "-D"]);
    let done = init.arg(&data).stdin(Stdio::null()).output().map_err(fault)?;
    if !done.status.success() {
        return Err(format!("initdb: {}", String::from_utf8_lossy(&done.stderr)));
    }
    let mut watched = Command::new("sh");
    watched.args(["-c", WATCHED, "sh"]).arg(&dir).arg(user).args(rest);
    watched.arg(programs.join("postgres"));
    watched.arg("-D").arg(&data).arg("-k").arg(&dir);
    for setting in ["listen_addresses=", "fsync=off", "max_connections=200", "autovacuum=off"] {
        watched.args(["-c", setting]);
    }
    watched.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let watched = watched.spawn().map_err(fault)?;
    let url = format!("postgres://hive@localhost/postgres?host={}", dir.display());
    if !answers(&programs, &dir) {
        let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
        return Err(format!("the server of PostgreSQL does not start: {log}"));
    }
    Ok(Postgres { url, dir: Some(dir), watched: Some(watched) })
}

/// The newest version that is installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN).ok()?.flatten().map(|entry| entry.path().join("bin"));
    let whole = |bin: &PathBuf| bin.join("initdb").exists() && bin.join("postgres").exists();
    versions.filter(whole).max()
}

fn answers(programs: &Path, dir: &Path) -> bool {
    let late = Instant::now() + START_LIMIT;
    while Instant::now() < late {
        let asked = Command::new(programs.join("pg_isready")).args(["-q", "-h"]).arg(dir).status();
        if asked.is_ok_and(|status| status.success()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}
