//! The process that a shell waits for while a screen is open.
//!
//! A driver goes on without its screen in the process that has it: streams of answers cannot be handed to another
//! one. The shell waits for the process it started, so that one is small: it starts the program once more, waits, and
//! ends when it is released, so that the shell has its terminal back.
//!
//! It stops with the program, so that the shell sees a stopped job. The program gives the terminal back before it stops
//! itself; where it could not (`kill -STOP`), this process does.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, getppid, getsid, kill_process,
    set_parent_process_death_signal, setsid, waitid,
};
use tokio::signal::unix::{SignalKind, signal};

use super::env;

/// The option that tells the program who waits for it.
pub const WAITED_FOR_BY: &str = "--waited-for-by";

/// The process that waits for this one; 0 if none does.
static WAITER: AtomicI32 = AtomicI32::new(0);

/// What a program stops itself with after it has given the terminal back. It stops a process as `TSTP` does, which the
/// program handles; where no shell could continue it, neither stops it.
const STOPS_ITSELF: Signal = Signal::TTOU;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// With this exit status; with 0 it was released, and goes on.
    Ended(u8),
    /// By a signal that a program cannot handle: the terminal was not restored.
    Killed { signal: i32 },
}

impl Waited {
    fn of(status: std::process::ExitStatus) -> Self {
        let asks = [Signal::HUP, Signal::INT, Signal::TERM].map(Signal::as_raw);
        match status.signal().filter(|signal| !asks.contains(signal)) {
            Some(signal) => Self::Killed { signal },
            None => Self::Ended(status_of(status)),
        }
    }

    /// Returns the status as a shell reports it.
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Self::Ended(status) => status,
            Self::Killed { signal } => u8::try_from(128 + signal).unwrap_or(1),
        }
    }
}

/// Starts this program again with the same arguments and waits for it. Signals are passed on, since they are
/// meant for the program. `give_back` restores the terminal if the program was stopped before it could.
///
/// # Errors
/// The program could not be started.
pub async fn wait_for_program(
    arguments: impl Iterator<Item = OsString>,
    mut give_back: impl FnMut(),
) -> io::Result<Waited> {
    let mut arguments = arguments;
    let name = arguments.next().unwrap_or_default();
    let mut hang_up = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut stop = signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?;
    let mut children = signal(SignalKind::child())?;
    let mut released = signal(SignalKind::user_defined1())?;
    let mut command = Command::new(env::current_program());
    command.arg0(&name).arg(WAITED_FOR_BY).arg(std::process::id().to_string()).args(arguments);
    let mut child = tokio::process::Command::from(command).spawn()?;
    let program = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let pass_on = |signal| {
        // It may have ended meanwhile.
        let _ = program.map(|program| kill_process(program, signal));
    };
    loop {
        tokio::select! {
            biased;
            ended = child.wait() => return Ok(Waited::of(ended?)),
            _ = released.recv() => return Ok(Waited::Ended(0)),
            _ = hang_up.recv() => pass_on(Signal::HUP),
            _ = interrupt.recv() => pass_on(Signal::INT),
            _ = terminate.recv() => pass_on(Signal::TERM),
            _ = stop.recv() => pass_on(Signal::TSTP),
            _ = children.recv() => {
                if let Some(signal) = program.and_then(stopped_by) {
                    stop_too(signal, &mut give_back);
                }
            }
        }
    }
}

/// The signal that has stopped the program, if it was stopped since the last call.
fn stopped_by(program: Pid) -> Option<i32> {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    waitid(WaitId::Pid(program), options).ok()??.stopping_signal()
}

/// Stops this process after the program was stopped by this signal, unless no shell could continue both.
fn stop_too(signal: i32, give_back: &mut impl FnMut()) {
    // The group of the first process of a session has no shell above it.
    if getsid(None).is_ok_and(|session| session == getpgrp()) {
        return;
    }
    if signal != STOPS_ITSELF.as_raw() {
        give_back();
    }
    if let Err(error) = kill_process(getpid(), Signal::STOP) {
        // It goes on, as the shell sees.
        tracing::warn!(%error, "it could not be stopped");
    }
}

/// Returns the status as a shell reports it.
fn status_of(status: std::process::ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Notes who waits for this process, which ends with it. Returns false if that is not its parent.
#[must_use]
pub fn is_waited_for_by(pid: u32) -> bool {
    let Some(waiter) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    if set_parent_process_death_signal(Some(Signal::KILL)).is_err() || getppid() != Some(waiter) {
        return false;
    }
    WAITER.store(waiter.as_raw_pid(), Ordering::Release);
    true
}

/// True if this process can leave its terminal.
#[must_use]
pub fn can_release() -> bool {
    waiter().is_some()
}

fn waiter() -> Option<Pid> {
    Pid::from_raw(WAITER.load(Ordering::Acquire))
}

/// Leaves the terminal to the shell: this process goes on in a session of its own, and its further output is
/// dropped.
pub fn leave_terminal() {
    let _ = set_parent_process_death_signal(None);
    // Fails for the first process of a group, which is in no job of a shell anyway.
    let _ = setsid();
    if let Err(error) = forget_terminal() {
        // The shell gets it back all the same, and this process neither reads nor draws any more.
        tracing::warn!(%error, "the terminal is still open");
    }
    if let Some(waiter) = Pid::from_raw(WAITER.swap(0, Ordering::AcqRel)) {
        let _ = kill_process(waiter, Signal::USR1);
    }
}

fn forget_terminal() -> io::Result<()> {
    let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// True if standard input was a terminal that is gone.
#[must_use]
pub fn terminal_is_gone() -> bool {
    rustix::termios::tcgetattr(io::stdin()).is_err_and(|error| error == rustix::io::Errno::IO)
}

/// Stops this process as Ctrl+Z does, once the terminal is given back; who waits for it stops too. Returns when it was
/// continued.
///
/// # Errors
/// The process could not be stopped.
pub fn stop() -> io::Result<()> {
    Ok(kill_process(getpid(), STOPS_ITSELF)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_what_a_shell_reports() {
        let run = |script| Command::new("sh").args(["-c", script]).status().unwrap();
        for (script, status) in [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143)] {
            assert_eq!(Waited::of(run(script)), Waited::Ended(status), "{script}");
        }
        for (script, signal) in [("kill -KILL $$", 9), ("kill -ABRT $$", 6)] {
            let waited = Waited::of(run(script));
            assert_eq!(waited, Waited::Killed { signal }, "{script}");
            assert_eq!(i32::from(waited.status()), 128 + signal);
        }
    }

    #[test]
    fn a_stop_of_the_program_is_seen_once_with_its_signal() {
        let mut child = Command::new("sh").args(["-c", "kill -STOP $$"]).spawn().unwrap();
        let program = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let begun = std::time::Instant::now();
        let signal = loop {
            if let Some(signal) = stopped_by(program) {
                break signal;
            }
            assert!(begun.elapsed() < std::time::Duration::from_secs(20), "it does not stop");
            std::thread::yield_now();
        };
        assert_eq!((signal, stopped_by(program)), (Signal::STOP.as_raw(), None));
        kill_process(program, Signal::CONT).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(stopped_by(program), None, "it is gone");
    }

    #[test]
    fn a_process_is_waited_for_by_its_parent_alone() {
        assert!(!is_waited_for_by(0) && !is_waited_for_by(1_000_000_000) && !can_release());
        // This process must not end with its parent.
        set_parent_process_death_signal(None).unwrap();
    }
}
