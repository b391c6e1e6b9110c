//! The clipboard program of this machine. It is run without a shell, with a short deadline and few
//! variables, and gets the text on its standard input.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::env;

/// The time limit of a program; then it is killed.
const DEADLINE: Duration = Duration::from_secs(2);
/// Pause before looking at the program again.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The variables these programs need.
pub(super) const VARIABLES: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "TMPDIR",
    "TMUX",
];

/// A program, its arguments, and what must be there for it.
pub(super) type ProgramChoice = (&'static str, &'static [&'static str], Needs);

/// Known programs; the first available one is used.
const KNOWN: [ProgramChoice; 5] = [
    ("tmux", &["load-buffer", "-w", "-"], Needs::Set("TMUX")),
    ("wl-copy", &[], Needs::Display("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard", "-in"], Needs::Display("DISPLAY")),
    ("xsel", &["--clipboard", "--input"], Needs::Display("DISPLAY")),
    ("pbcopy", &[], Needs::MacOs),
];

#[derive(Debug, Clone, Copy)]
pub(super) enum Needs {
    Set(&'static str),
    /// A display of the machine in front of the person: over SSH it would be another one.
    Display(&'static str),
    MacOs,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipboardProgram {
    name: &'static str,
    path: PathBuf,
    args: &'static [&'static str],
}

impl ClipboardProgram {
    /// The program to use, if there is one.
    #[must_use]
    pub fn find() -> Option<Self> {
        let found = choose(&KNOWN, &env::variable, &|path| path.is_file());
        found.map(|(name, path, args)| Self { name, path, args })
    }

    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Gives text to the program.
    ///
    /// # Errors
    /// It could not be started, failed, or took longer than its deadline and was killed.
    pub fn give(&self, text: &str) -> io::Result<()> {
        let set = VARIABLES.iter().filter_map(|name| Some((*name, env::variable(name)?)));
        let mut child = Command::new(&self.path)
            .args(self.args)
            .env_clear()
            .envs(set)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let ended = feed(&mut child, text.as_bytes(), Instant::now() + DEADLINE);
        if ended.is_err() {
            // It may have ended meanwhile; it is reaped in either case.
            let _ = child.kill();
            let _ = child.wait();
        }
        ended
    }
}

/// True if the person sits at another machine.
pub(super) fn is_remote(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable("SSH_CONNECTION").is_some() || variable("SSH_TTY").is_some()
}

/// The first of these programs whose needs are met, in an absolute folder of `PATH`, with its arguments.
pub(super) fn choose(
    known: &[ProgramChoice],
    variable: &dyn Fn(&str) -> Option<String>,
    exists: &dyn Fn(&Path) -> bool,
) -> Option<(&'static str, PathBuf, &'static [&'static str])> {
    let remote = is_remote(variable);
    let paths = variable("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        std::env::split_paths(&paths).filter(|folder| folder.is_absolute()).collect();
    known.iter().find_map(|(name, args, needs)| {
        let met = match needs {
            Needs::Set(name) => variable(name).is_some(),
            Needs::Display(name) => !remote && variable(name).is_some(),
            Needs::MacOs => !remote && cfg!(target_os = "macos"),
        };
        let mut places = folders.iter().filter(|_| met).map(|folder| folder.join(name));
        let path = places.find(|path| exists(path))?;
        Some((*name, path, *args))
    })
}

/// Writes all of it, closes the pipe, and waits for the end of the program.
fn feed(child: &mut Child, mut rest: &[u8], deadline: Instant) -> io::Result<()> {
    let mut pipe = child.stdin.take();
    if let Some(pipe) = &pipe {
        fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
    }
    loop {
        if let Some(open) = &mut pipe {
            rest = write_some(open, rest)?;
            if rest.is_empty() {
                pipe = None;
            }
        }
        if let Some(status) = child.try_wait()? {
            return if status.success() {
                Ok(())
            } else {
                Err(io::Error::other(status.to_string()))
            };
        }
        if Instant::now() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Writes what fits; returns the rest. A program that closes the pipe gets no more.
pub(super) fn write_some<'a>(pipe: &mut ChildStdin, mut rest: &'a [u8]) -> io::Result<&'a [u8]> {
    while !rest.is_empty() {
        match pipe.write(rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(&[]),
            Err(error) => return Err(error),
        }
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(set: &[(&str, &str)], installed: &[&str]) -> Option<String> {
        let variable = |name: &str| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let exists = |path: &Path| installed.iter().any(|known| Path::new(known) == path);
        let found = choose(&KNOWN, &variable, &exists);
        found.map(|(_, path, _)| path.display().to_string())
    }

    #[test]
    fn a_program_is_used_only_where_its_display_is_the_one_in_front_of_the_person() {
        let path = ("PATH", "bin:/usr/bin:/opt/bin");
        let all = ["/usr/bin/tmux", "/opt/bin/wl-copy", "/usr/bin/xclip", "bin/wl-copy"];
        for (set, expected) in [
            (vec![path], None),
            (vec![path, ("WAYLAND_DISPLAY", "w")], Some("/opt/bin/wl-copy")),
            (vec![path, ("DISPLAY", ":0")], Some("/usr/bin/xclip")),
            (vec![path, ("DISPLAY", ":0"), ("SSH_CONNECTION", "x")], None),
            (vec![path, ("TMUX", "t"), ("SSH_TTY", "x")], Some("/usr/bin/tmux")),
            (vec![("PATH", "bin"), ("WAYLAND_DISPLAY", "w")], None),
        ] {
            assert_eq!(chosen(&set, &all).as_deref(), expected, "{set:?}");
        }
    }

    fn program(args: &'static [&'static str]) -> ClipboardProgram {
        ClipboardProgram { name: "sh", path: "/bin/sh".into(), args }
    }

    #[test]
    fn a_program_gets_the_whole_text_and_its_failure_is_reported() {
        let long = "x".repeat(300_000);
        let counts = program(&["-c", "test $(wc -c) = 300000"]);
        counts.give(&long).unwrap();
        assert!(program(&["-c", "exit 3"]).give(&long).is_err());
        let missing = ClipboardProgram { path: "/nonexistent".into(), ..program(&[]) };
        assert!(missing.give("x").is_err());
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let mut child =
            Command::new("/bin/sh").args(["-c", "sleep 60"]).stdin(Stdio::piped()).spawn().unwrap();
        let text = "x".repeat(200_000);
        let deadline = Instant::now() + Duration::from_millis(30);
        let late = feed(&mut child, text.as_bytes(), deadline);
        assert_eq!(late.unwrap_err().kind(), io::ErrorKind::TimedOut);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
