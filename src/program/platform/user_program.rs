//! A program the person has set, which gets a text on its standard input. It is run without a shell, in `/`,
//! with few variables and a deadline; its process group is killed at the end.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::clipboard::write_some;
use super::env;

/// Pause before looking at the program again.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The variables it gets: none with a key or a password.
const VARIABLES: [&str; 13] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "TMPDIR",
    "TMUX",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserProgram {
    path: PathBuf,
    args: Vec<String>,
}

impl UserProgram {
    /// True if the first of these words can name a program: a name, or an absolute path.
    #[must_use]
    pub fn is_name(word: &str) -> bool {
        !word.is_empty() && !word.contains('\0') && (word.starts_with('/') || !word.contains('/'))
    }

    /// Finds the program; a name is looked for in the absolute folders of `PATH`.
    ///
    /// # Errors
    /// There is none.
    pub fn find(words: &[String]) -> io::Result<Self> {
        let paths = env::variable("PATH").unwrap_or_default();
        find_in(words, &paths, &|path| path.is_file())
    }

    /// Gives it a text and waits for its end, until `deadline` or until `is_stopped`; then it is killed.
    ///
    /// # Errors
    /// It could not be started, failed, or was killed.
    pub fn give(
        &self,
        text: &str,
        deadline: Instant,
        is_stopped: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        let set = VARIABLES.iter().filter_map(|name| Some((*name, env::variable(name)?)));
        let mut child = Command::new(&self.path)
            .args(&self.args)
            .env_clear()
            .envs(set)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let ended = feed(&mut child, text.as_bytes(), deadline, is_stopped);
        // It was not reaped yet, so the number of the group is still its own.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        let status = child.wait()?;
        ended?;
        if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
    }
}

fn find_in(
    words: &[String],
    paths: &str,
    exists: &dyn Fn(&Path) -> bool,
) -> io::Result<UserProgram> {
    let Some((name, args)) = words.split_first().filter(|(name, _)| UserProgram::is_name(name))
    else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let folders = std::env::split_paths(paths).filter(|folder| folder.is_absolute());
    // An absolute path stays itself.
    let mut found = folders.chain([PathBuf::from("/")]).map(|folder| folder.join(name));
    let path = found.find(|path| exists(path)).ok_or(io::ErrorKind::NotFound)?;
    Ok(UserProgram { path, args: args.to_vec() })
}

/// Writes all of it, closes the pipe, and waits until the program has ended, without taking its status.
fn feed(
    child: &mut Child,
    mut rest: &[u8],
    deadline: Instant,
    is_stopped: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut pipe = child.stdin.take();
    if let Some(pipe) = &pipe {
        fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
    }
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    loop {
        if let Some(open) = &mut pipe {
            rest = write_some(open, rest)?;
            if rest.is_empty() {
                pipe = None;
            }
        }
        if waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some() {
            return Ok(());
        }
        if is_stopped() || Instant::now() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn found(name: &str) -> Option<PathBuf> {
        let exists =
            |path: &Path| path == Path::new("/opt/bin/push") || path == Path::new("bin/push");
        let program = find_in(&words(&[name, "a"]), "bin:/usr/bin:/opt/bin", &exists).ok()?;
        assert_eq!(program.args, ["a"]);
        Some(program.path)
    }

    #[test]
    fn a_program_is_an_absolute_path_or_a_name_in_the_absolute_folders_of_path() {
        let path = Some(PathBuf::from("/opt/bin/push"));
        assert_eq!(found("push"), path);
        assert_eq!(found("/opt/bin/push"), path);
        for name in ["bin/push", "./push", "../opt/bin/push", "", "pu\0sh", "other"] {
            assert_eq!(found(name), None, "{name:?}");
        }
        assert!(find_in(&[], "/usr/bin", &|_| true).is_err());
    }

    fn shell(script: &str) -> UserProgram {
        UserProgram { path: "/bin/sh".into(), args: words(&["-c", script]) }
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_mins(1)
    }

    #[test]
    fn it_gets_the_text_and_few_variables_and_its_failure_is_reported() {
        let text = "x".repeat(300_000);
        let never = || false;
        shell("test $(wc -c) = 300000 && test -z \"$CARGO_MANIFEST_DIR\" && test $(pwd) = /")
            .give(&text, later(), &never)
            .unwrap();
        let failed = shell("exit 3").give(&text, later(), &never).unwrap_err();
        assert!(failed.to_string().contains('3'), "{failed}");
        let missing = UserProgram { path: "/nonexistent".into(), args: Vec::new() };
        assert!(missing.give("x", later(), &never).is_err());
    }

    #[test]
    fn it_is_killed_with_all_it_started_at_its_deadline_when_stopped_and_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("held");
        // A running process holds a lock on the file; once all are gone, a lock succeeds at once.
        let lock = fifo.to_str().unwrap();
        let hang = format!("exec 9>{lock}; flock 9; sleep 60 & sleep 60");
        let leave = format!("exec 9>{lock}; flock 9; sleep 60 & exit 0");
        let soon = || Instant::now() + Duration::from_millis(300);
        let never = || false;
        let late = shell(&hang).give("x", soon(), &never).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        let stopped = shell(&hang).give("x", later(), &|| true).unwrap_err();
        assert_eq!(stopped.kind(), io::ErrorKind::TimedOut);
        shell(&leave).give("x", later(), &never).unwrap();
        let freed = format!("exec 9>{lock}; flock -w 20 9");
        shell(&freed).give("", later(), &never).unwrap();
    }
}
