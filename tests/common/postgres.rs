//! A server of PostgreSQL for the tests of this process: that of `DOMINDS_TUI_TEST_POSTGRES`, or one in a folder of its own,
//! which ends with the process, however that ends.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The URL of a server to use.
const GIVEN: &str = "DOMINDS_TUI_TEST_POSTGRES";
/// Where Debian puts the programs, below the number of the version.
const DEBIAN: &str = "/usr/lib/postgresql";
const START_LIMIT: Duration = Duration::from_mins(1);
/// Starts the server, and ends it when nobody holds the other end of the pipe any more.
const WATCHED: &str = r#"dir=$1; shift; "$@" >"$dir/log" 2>&1 & pid=$!; cat >/dev/null; kill -QUIT $pid; wait $pid; rm -rf "$dir""#;

/// A server that runs.
pub struct Postgres {
    /// Of its first database.
    pub url: String,
    /// The pipe that it ends with.
    _watched: Option<Child>,
}

/// The server of this process; `None` if this machine has none, which is said.
pub fn postgres() -> Option<&'static Postgres> {
    static SERVER: OnceLock<Result<Postgres, String>> = OnceLock::new();
    match SERVER.get_or_init(start) {
        Ok(server) => Some(server),
        Err(why) => {
            super::skip::skip(why);
            None
        }
    }
}

fn start() -> Result<Postgres, String> {
    if let Some(url) = std::env::var_os(GIVEN) {
        let url = url.into_string().map_err(|_| format!("{GIVEN} is no text"))?;
        return Ok(Postgres { url, _watched: None });
    }
    let programs = programs().ok_or("there is no PostgreSQL (Debian: postgresql)")?;
    let dir = std::env::temp_dir().join(format!("dominds-pg-{}", std::process::id()));
    let fault = |error: std::io::Error| format!("no server of PostgreSQL: {error}");
    fs::create_dir(&dir).map_err(fault)?;
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).map_err(fault)?;
    let data = dir.join("data");
    fs::create_dir(&data).map_err(fault)?;
    // It does not run as root.
    let as_user: &[&str] = if rustix::process::geteuid().is_root() {
        let chown = Command::new("chown").args(["-R", "postgres"]).arg(&dir).status();
        chown.map_err(fault)?;
        &["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    } else {
        &["env"]
    };
    let (user, rest) = as_user.split_first().ok_or("no user")?;
    let mut init = Command::new(user);
    init.args(rest).arg(programs.join("initdb"));
    init.args(["-A", "trust", "-U", "hive", "--no-sync", "--locale=C", "--encoding=UTF8", "-D"]);
    let done = init.arg(&data).stdin(Stdio::null()).output().map_err(fault)?;
    if !done.status.success() {
        return Err(format!("initdb: {}", String::from_utf8_lossy(&done.stderr)));
    }
    let mut watched = Command::new("sh");
    watched.args(["-c", WATCHED, "sh"]).arg(&dir).args(as_user).arg(programs.join("postgres"));
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
    Ok(Postgres { url, _watched: Some(watched) })
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
