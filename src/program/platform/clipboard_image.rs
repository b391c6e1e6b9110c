//! The image in the clipboard of this machine, from its clipboard program. The program is run without a
//! shell, in `/`, with few variables, a deadline and a bounded output; its process group is killed at the
//! end.

use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use super::clipboard::{Needs, ProgramChoice, VARIABLES, choose, is_remote};
use super::env;

/// The time limit of a program; then it is killed.
const DEADLINE: Duration = Duration::from_secs(3);
/// Pause before looking at the program again.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A program with its arguments for a PNG image, and what must be there for it.
const KNOWN: [ProgramChoice; 3] = [
    ("wl-paste", &["--no-newline", "--type", "image/png"], Needs::Display("WAYLAND_DISPLAY")),
    ("xclip", &["-selection", "clipboard", "-t", "image/png", "-o"], Needs::Display("DISPLAY")),
    ("pngpaste", &["-"], Needs::MacOs),
];

/// Why there is no image.
#[derive(Debug)]
pub enum NoImage {
    /// The clipboard belongs to another machine.
    Remote,
    /// No program is installed that knows the clipboard of this display.
    NoProgram,
    /// The program reports that there is no image, or failed.
    Failed {
        program: &'static str,
        error: io::Error,
    },
    TooLarge,
}

/// Returns the bytes of the image in the clipboard, at most `most`.
///
/// # Errors
/// There is no image, or no program that returns it.
pub fn read(most: usize) -> Result<Vec<u8>, NoImage> {
    if is_remote(&env::variable) {
        return Err(NoImage::Remote);
    }
    let found = choose(&KNOWN, &env::variable, &|path| path.is_file());
    let (name, path, args) = found.ok_or(NoImage::NoProgram)?;
    output(path, args, most, Instant::now() + DEADLINE)
        .map_err(|error| NoImage::Failed { program: name, error })?
        .ok_or(NoImage::TooLarge)
}

/// Returns the output of a program; `None` if it is longer than `most`.
fn output(
    path: PathBuf,
    args: &[&str],
    most: usize,
    deadline: Instant,
) -> io::Result<Option<Vec<u8>>> {
    let set = VARIABLES.iter().filter_map(|name| Some((*name, env::variable(name)?)));
    let mut child = Command::new(path)
        .args(args)
        .env_clear()
        .envs(set)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let read = drain(&mut child, most, deadline);
    // Until it is reaped, its pid is not reused.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait()?;
    let bytes = read?;
    let killed = bytes.as_ref().is_none_or(|bytes| !bytes.is_empty());
    if killed || status.success() { Ok(bytes) } else { Err(io::Error::other(status.to_string())) }
}

/// Reads until the program closes its output.
fn drain(child: &mut Child, most: usize, deadline: Instant) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let Some(mut pipe) = child.stdout.take() else { return Ok(Some(bytes)) };
    fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return Ok(Some(bytes)),
            Ok(count) => bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(POLL_INTERVAL),
            Err(error) => return Err(error),
        }
        if bytes.len() > most {
            return Ok(None);
        }
        if Instant::now() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, most: usize, time: Duration) -> io::Result<Option<Vec<u8>>> {
        output("/bin/sh".into(), &["-c", script], most, Instant::now() + time)
    }

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn what_a_program_writes_is_read_up_to_its_bound_and_its_failure_is_reported() {
        let written = shell("head -c 300000 /dev/zero", 300_000, LONG).unwrap();
        assert_eq!(written.map(|bytes| bytes.len()), Some(300_000));
        assert_eq!(shell("cat /dev/zero", 300_000, LONG).unwrap(), None);
        assert!(shell("exit 1", 9, LONG).unwrap_err().to_string().contains('1'));
        assert!(output("/nonexistent".into(), &[], 9, Instant::now() + LONG).is_err());
        let alone =
            shell("test -z \"$CARGO_MANIFEST_DIR\" && test $(pwd) = / && echo yes", 9, LONG);
        assert_eq!(alone.unwrap().as_deref(), Some(b"yes\n".as_slice()));
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        // A running process holds a lock on the file; once all are gone, a lock succeeds at once.
        let lock = folder.path().join("held").display().to_string();
        let hang = format!("exec 9>{lock}; flock 9; sleep 60 & sleep 60");
        let late = shell(&hang, 9, Duration::from_millis(300)).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        shell(&format!("exec 9>{lock}; flock -w 20 9"), 9, LONG).unwrap();
    }
}
