//! A driver on another machine: a program, usually `ssh`, connects to it and carries frames on its standard
//! input and output. On the other side `relay` passes them to the socket of the driver.

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::domain::safety::references::VAULT_KEY;
use crate::protocol::wire::{self, Hello};

use super::client::{ConnectError, Connection, Halves, Leaving, begin, first_answer};
use super::framed::FrameWriter;
use super::machine::{self, Machine};

/// Timeout for connecting, including the time to type a password.
const PATIENCE: Duration = Duration::from_mins(2);
/// Timeout for the error output of a program that could not connect.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_secs(2);
/// Most bytes kept of the program's standard error.
const MAX_SAID: usize = 4096;
/// Printed before the first frame: the shell there may print a text of its own when it starts.
const MARKER: &str = "dominds-tui-frames-follow";
/// Read of such a text at most, in bytes.
const MAX_GREETING: usize = 64 * 1024;
/// Lines of it that a message names, and characters of each.
const SHOWN_LINES: usize = 5;
const SHOWN_CHARS: usize = 120;
/// The status of a shell for a program that it does not find.
const NOT_FOUND: i32 = 127;
/// What a program says that is older than the command.
const UNKNOWN_RELAY: &str = "unrecognized subcommand 'relay'";

/// The way to a workspace on another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The program that leads there, and its arguments.
    words: Vec<String>,
    /// The workspace there; `~/` at its beginning is the home of the user there.
    path: String,
    /// The name as it was given.
    name: String,
    /// A driver is started there if none runs.
    starts: bool,
    /// The machine there, once a shell has named it.
    machine: Arc<OnceLock<Machine>>,
}

/// Why a place on another machine cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    #[error(
        "{0:?} is no place on another machine: write ssh://HOST/PATH, ssh://USER@HOST:PORT/PATH, or ssh://HOST/~/PATH"
    )]
    Form(String),
    #[error("--via has no program: write for example --via 'ssh -p 2222 box'")]
    NoProgram,
}

impl Line {
    /// Parses a place: `ssh://[USER@]HOST[:PORT]/PATH`; with `via`, the words of another program that
    /// connects to it, a path is enough.
    ///
    /// # Errors
    /// It has another form.
    pub fn parse(place: &str, via: Option<&str>) -> Result<Self, LineFault> {
        let fault = || LineFault::Form(place.to_owned());
        let name = place.to_owned();
        let (host, path) = match place.strip_prefix("ssh://") {
            Some(rest) => {
                let (host, path) = rest.split_once('/').ok_or_else(fault)?;
                let path =
                    if path.starts_with("~/") { path.to_owned() } else { format!("/{path}") };
                (host, path)
            }
            None if via.is_some() => ("", place.to_owned()),
            None => return Err(fault()),
        };
        if path.trim_matches('/').is_empty() || path.contains('\0') {
            return Err(fault());
        }
        if let Some(via) = via {
            let words: Vec<String> = via.split_whitespace().map(str::to_owned).collect();
            if words.is_empty() {
                return Err(LineFault::NoProgram);
            }
            return Ok(Self { words, path, name, starts: true, machine: Arc::default() });
        }
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse::<u16>().map_err(|_| fault())?)),
            None => (host, None),
        };
        // A word that begins with a dash would be an option of ssh.
        let is_name = |part: &str| {
            !part.is_empty()
                && !part.starts_with('-')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        if !host.split('@').all(is_name) || host.split('@').count() > 2 {
            return Err(fault());
        }
        let mut words = vec!["ssh".to_owned(), "-T".to_owned()];
        // A line that is cut is noticed, and not waited for.
        words.extend(
            ["-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"].map(str::to_owned),
        );
        if let Some(port) = port {
            words.extend(["-p".to_owned(), port.to_string()]);
        }
        words.push(host.to_owned());
        Ok(Self { words, path, name, starts: true, machine: Arc::default() })
    }

    /// Makes it use a running driver only; none is started there.
    #[must_use]
    pub fn only_running(self) -> Self {
        Self { starts: false, ..self }
    }

    /// The program that leads there, and its arguments.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// The machine there, once a shell has named it.
    pub(super) fn machine(&self) -> Option<&Machine> {
        self.machine.get()
    }

    /// A shell is behind it, by `ssh`.
    #[must_use]
    pub fn is_ssh(&self) -> bool {
        self.words.first().is_some_and(|program| program == "ssh")
    }

    /// Returns the name as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the command for the shell on the other side, whichever that is. A non-login shell may not have
    /// the folders in which people install programs in its `PATH`.
    fn command_there(&self) -> String {
        let (home, path) = match self.path.strip_prefix("~/") {
            Some(below) => ("\"$HOME\"/", below),
            None => ("", self.path.as_str()),
        };
        let script = format!(
            "PATH=\"$PATH:$HOME/.local/bin:$HOME/.cargo/bin\"; {}; echo {MARKER}; exec dominds-tui -C {home}{} relay{}",
            machine::ASK,
            quoted(path),
            if self.starts { "" } else { " --no-start" }
        );
        format!("sh -c {}", quoted(&script))
    }

    /// Connects.
    ///
    /// # Errors
    /// The program could not connect, with its output, or the driver there rejects the client.
    pub async fn connect(
        &self,
        hello: Hello,
        leaving: Leaving,
    ) -> Result<Connection, ConnectError> {
        let [program, arguments @ ..] = self.words.as_slice() else {
            return Err(ConnectError::Line(LineFault::NoProgram.to_string()));
        };
        let mut command = Command::new(program);
        command.args(arguments).arg(self.command_there()).kill_on_drop(true);
        command.env_remove(VAULT_KEY);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |error: io::Error| ConnectError::Line(format!("{program}: {error}"));
        let mut child = command.spawn().map_err(failed)?;
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let (Some(read), Some(write), Some(errors)) = pipes else {
            return Err(ConnectError::Line(format!("{program}: it has no pipes")));
        };
        let said = Said::of(errors);
        let (read, mut write): Halves = (Box::new(read), Box::new(write));
        // The error is dropped: the output of the program says what failed.
        let cut = |_: io::Error| ConnectError::Nobody;
        let hello = Hello { low_bandwidth: true, ..hello };
        let greeting = wire::encode_hello(&hello);
        let greeting = greeting.map_err(|fault| ConnectError::Answer(fault.to_string()))?;
        let mut greeted = Vec::new();
        let exchanged = async {
            // A program that has ended does not take it. What it printed is still there to be read.
            let _ = FrameWriter::new(&mut write).write(&greeting).await;
            let skipped = timeout(PATIENCE, skip_greeting(read, &mut greeted)).await;
            let (mut read, machine) = skipped.unwrap_or(Err(ConnectError::Nobody))?;
            if let Some(machine) = machine {
                // A line leads to one machine.
                let _ = self.machine.set(machine);
            }
            let first = first_answer(&mut read, PATIENCE, cut).await?;
            Ok((first, read))
        };
        let answer = exchanged.await;
        let begun =
            answer.and_then(|(first, read)| begin(&first, (read, write), (&hello, leaving)));
        match begun {
            Ok(mut connection) => {
                connection.tasks.keep(child, said.reading);
                Ok(connection)
            }
            Err(ConnectError::Nobody) => Err(self.explain(child, (said, &greeted)).await),
            Err(error) => Err(error),
        }
    }

    /// Returns why the connection failed. `greeted`: the output of a shell there, if nothing else came.
    async fn explain(&self, mut child: Child, (said, greeted): (Said, &[u8])) -> ConnectError {
        let ended = timeout(LAST_WORDS_TIMEOUT, child.wait()).await;
        let code = ended.ok().and_then(Result::ok).and_then(|status| status.code());
        let text = said.whole().await;
        let text = text.trim();
        let name = &self.name;
        if code == Some(NOT_FOUND) {
            return ConnectError::NotInstalled(name.clone());
        }
        if text.contains(UNKNOWN_RELAY) {
            return ConnectError::NoRelay(name.clone());
        }
        if let Some(lines) = shown_lines(greeted) {
            let text = text.lines().last().map(|line| format!("; {line}")).unwrap_or_default();
            return ConnectError::Line(format!(
                "{name}: the shell there printed {lines}, and dominds-tui was not heard behind it{text}"
            ));
        }
        ConnectError::Line(match (code, text) {
            (Some(code), "") => {
                format!("{name}: {} ended with status {code}", self.words.join(" "))
            }
            (None, "") => format!("{name}: no answer"),
            (_, text) => format!("{name}: {text}"),
        })
    }
}

/// Reads up to the marker, and nothing behind it; also returns the machine that was named before it. A program that
/// prints none begins with a frame, whose first byte is in no text. `greeted`: what came where neither did.
async fn skip_greeting(
    mut read: Box<dyn AsyncRead + Send + Unpin>,
    greeted: &mut Vec<u8>,
) -> Result<(Box<dyn AsyncRead + Send + Unpin>, Option<Machine>), ConnectError> {
    let marker = format!("{MARKER}\n");
    while greeted.len() < MAX_GREETING {
        match read.read_u8().await {
            Ok(0) => {
                greeted.clear();
                return Ok((Box::new(io::Cursor::new([0]).chain(read)), None));
            }
            Ok(byte) => greeted.push(byte),
            Err(_) => return Err(ConnectError::Nobody),
        }
        if greeted.ends_with(marker.as_bytes()) {
            let machine = Machine::of(greeted);
            greeted.clear();
            return Ok((read, machine));
        }
    }
    Err(ConnectError::Nobody)
}

/// The last lines of a text that a shell printed; `None` of an empty one.
fn shown_lines(greeted: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(greeted);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(SHOWN_LINES)..).unwrap_or_default();
    let shown = |line: &&str| format!("“{}”", line.chars().take(SHOWN_CHARS).collect::<String>());
    let shown: Vec<String> = last.iter().map(shown).collect();
    (!shown.is_empty()).then(|| shown.join(" "))
}

/// A word of a shell.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The end of a program's error output, which is read as long as it runs.
#[derive(Debug)]
pub(super) struct Said {
    kept: Arc<Mutex<Vec<u8>>>,
    reading: JoinSet<()>,
}

impl Said {
    pub fn of(mut output: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let all = Arc::<Mutex<Vec<u8>>>::default();
        let (kept, mut reading) = (all.clone(), JoinSet::new());
        reading.spawn(async move {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = output.read(&mut buffer).await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
                let too_many = kept.len().saturating_sub(MAX_SAID);
                kept.drain(..too_many);
            }
        });
        Self { kept: all, reading }
    }

    /// Returns the whole output, whose end has to come soon after that of the program.
    pub async fn whole(mut self) -> String {
        let _ = timeout(LAST_WORDS_TIMEOUT, self.reading.join_next()).await;
        self.text()
    }

    fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::wire::Audience;

    #[test]
    fn a_place_on_another_machine_is_a_host_and_a_path() {
        for (place, words, path) in [
            ("ssh://box/srv/w", "box", "/srv/w"),
            ("ssh://me@box.example:2222/srv/w", "-p 2222 me@box.example", "/srv/w"),
            ("ssh://box/~/my work", "box", "~/my work"),
        ] {
            let line = Line::parse(place, None).unwrap();
            assert!(line.words.join(" ").ends_with(&format!("ServerAliveCountMax=3 {words}")));
            assert_eq!((line.path.as_str(), line.name()), (path, place));
        }
        let via = Line::parse("/srv/w", Some("ssh -p 22 box")).unwrap();
        assert_eq!((via.words.join(" ").as_str(), via.path.as_str()), ("ssh -p 22 box", "/srv/w"));
    }

    #[test]
    fn a_host_is_never_an_option_and_a_path_never_a_command() {
        for place in [
            "ssh://-oProxyCommand=reboot/w",
            "ssh://a@-b/w",
            "ssh://a@b@c/w",
            "ssh://box;reboot/w",
            "ssh://box:port/w",
            "ssh:///w",
            "ssh://box/",
            "ssh://box",
            "/srv/w",
        ] {
            assert!(matches!(Line::parse(place, None), Err(LineFault::Form(_))), "{place}");
        }
        assert_eq!(Line::parse("/w", Some(" ")), Err(LineFault::NoProgram));
        let hostile = Line::parse("ssh://box/~/a'; touch gone; '$(touch gone)", None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let there = hostile.command_there().replace(machine::ASK, ":");
        let there = there.replace("exec dominds-tui", "printf \"%s\\n\"");
        let ran = std::process::Command::new("sh")
            .args(["-c", &there])
            .current_dir(folder.path())
            .env("HOME", "/home/me")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        let after = format!("{MARKER}\n-C\n/home/me/a'; touch gone; '$(touch gone)\nrelay\n");
        assert_eq!(printed, after);
        assert!(!folder.path().join("gone").exists());
    }

    fn through(text: &[u8]) -> Box<dyn AsyncRead + Send + Unpin> {
        Box::new(io::Cursor::new(text.to_vec()))
    }

    #[tokio::test]
    async fn what_a_shell_prints_before_the_marker_is_skipped_and_nothing_behind_it() {
        let marked =
            |before: &str| [before.as_bytes(), MARKER.as_bytes(), b"\n\0\0\0\x02{}"].concat();
        let long = "Welcome to box\n".repeat(4_000);
        for text in [
            marked(""),
            marked("Welcome to box, have a nice day\n"),
            marked("no line end"),
            marked(&long),
            // Output of a program that prints no marker.
            b"\0\0\0\x02{}".to_vec(),
            b"Last login: today\n\0\0\0\x02{}".to_vec(),
        ] {
            let mut seen = Vec::new();
            let (mut rest, _) = skip_greeting(through(&text), &mut seen).await.unwrap();
            let frame = first_answer(&mut rest, PATIENCE, |_| ConnectError::Nobody).await.unwrap();
            assert_eq!((seen.len(), frame.as_slice()), (0, &b"{}"[..]));
        }
    }

    #[tokio::test]
    async fn a_text_without_a_marker_is_read_to_a_bound_and_its_last_lines_are_named() {
        let endless = "noise\n".repeat(MAX_GREETING);
        let mut seen = Vec::new();
        let error = skip_greeting(through(endless.as_bytes()), &mut seen).await.err();
        assert!(matches!(error, Some(ConnectError::Nobody)), "{error:?}");
        assert_eq!(seen.len(), MAX_GREETING);
        let line = Line::parse("/w", Some("printf Welcome\\nto\\nbox\\n")).unwrap();
        let hello = Hello::new(Audience::Screen, "pts/1");
        let error = line.connect(hello, Leaving::DriverStays).await.err().unwrap().to_string();
        assert!(error.contains("“Welcome” “to” “box”"), "{error}");
    }

    #[tokio::test]
    async fn a_program_that_knows_no_relay_is_called_older() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("older");
        let text = "#!/bin/sh\necho \"error: unrecognized subcommand 'relay'\" >&2\nexit 2\n";
        std::fs::write(&script, text).unwrap();
        let line = Line::parse("/w", Some(&format!("sh {}", script.display()))).unwrap();
        let hello = Hello::new(Audience::Screen, "pts/1");
        let error = line.connect(hello, Leaving::DriverStays).await.err().unwrap();
        assert!(matches!(error, ConnectError::NoRelay(_)), "{error}");
        assert!(error.to_string().contains("install this version there"), "{error}");
    }

    #[tokio::test]
    async fn a_program_that_leads_nowhere_is_quoted() {
        for (via, part) in [
            ("false", "/w: false ended with status 1"),
            ("no-such-program-here", "no-such-program-here: "),
            ("ls --no-such-option", "no-such-option"),
        ] {
            let line = Line::parse("/w", Some(via)).unwrap();
            let hello = Hello::new(Audience::Screen, "pts/1");
            let error = line.connect(hello, Leaving::DriverStays).await.err().unwrap();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
