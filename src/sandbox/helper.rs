//! The first process of a sandbox: this program, started anew. It gives up what the command is not to
//! have, starts the command and waits. What is left when the command has ended either goes on until it
//! ends by itself, or ends now.
//!
//! It is reached by the name of a hidden command, before arguments are read in the usual way, so that it
//! starts quickly.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

use landlock::{ABI, Access as _, Ruleset, RulesetAttr as _, RulesetCreated, Scope};
use rustix::process::{Pid, WaitOptions, WaitStatus, wait};

use super::filter::{self, Sockets};
use super::{HELPER_NAME, STAY};

/// The sandbox could not be made.
const BROKEN: u8 = 125;
/// The command could not be started.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;

/// Runs as the first process of a sandbox, if the program was started as such.
#[must_use]
pub fn run(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != HELPER_NAME {
        return None;
    }
    let mut stay = false;
    for argument in arguments.by_ref() {
        match argument.to_str() {
            Some(STAY) => stay = true,
            Some("--") => break,
            _ => return Some(broken("an argument is not known")),
        }
    }
    let words: Vec<OsString> = arguments.collect();
    Some(match words.split_first() {
        Some((program, rest)) => first(program, rest, stay),
        None => broken("there is no command"),
    })
}

fn first(program: &OsStr, arguments: &[OsString], stay: bool) -> ExitCode {
    if let Err(error) = keep_to_itself().and_then(|()| refuse(Sockets::Held)) {
        return broken(&error);
    }
    let child = match Command::new(program).args(arguments).spawn() {
        Ok(child) => child,
        Err(error) => {
            say(&format!("{}: {error}", program.display()));
            let found = error.kind() != std::io::ErrorKind::NotFound;
            return ExitCode::from(if found { NOT_RUN } else { NOT_FOUND });
        }
    };
    let main = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let mut code = BROKEN;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => {
                if Some(pid) == main {
                    code = code_of(status);
                    if !stay {
                        return ExitCode::from(code);
                    }
                }
            }
            Ok(None) => {}
            Err(error) if error == rustix::io::Errno::INTR => {}
            // Nobody is left.
            Err(_) => return ExitCode::from(code),
        }
    }
}

/// A command that a signal ended tells it as a shell does.
fn code_of(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| signal + 128);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(BROKEN)
}

/// Sockets without a name in the file system, and signals, stay within the sandbox, where the kernel can
/// hold them.
fn keep_to_itself() -> Result<(), String> {
    let rules = Ruleset::default().scope(Scope::from_all(ABI::V6));
    let restricted = rules.and_then(Ruleset::create).and_then(RulesetCreated::restrict_self);
    restricted.map(|_| ()).map_err(|error| error.to_string())
}

fn refuse(sockets: Sockets) -> Result<(), String> {
    let program = filter::program(sockets).map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn broken(why: &str) -> ExitCode {
    say(why);
    ExitCode::from(BROKEN)
}

fn say(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "sandbox: {text}");
}
