//! Restores a terminal that a killed or stopped program left in its modes.

use std::fs::File;
use std::io;

use crate::ui::terminal::{self, JobPlace, ModeFlag, RawMode, SavedLine, ShellLine};

use crate::cli::exit::Status;
use crate::cli::output;

/// The terminal of this process (`--reset-terminal`).
pub fn by_hand() -> Status {
    let tty = File::options().read(true).write(true).open("/dev/tty");
    let done = tty.and_then(|tty| {
        let (mut writer, mut line) = (&tty, ShellLine(&tty));
        terminal::reset(&mut writer, &mut line, &ModeFlag::default())
    });
    match done {
        Ok(()) => Status::Done,
        Err(error) => {
            output::note(&format!("dominds-tui: no terminal that could be reset: {error}"));
            Status::Usage
        }
    }
}

/// Restores the terminal after its screen was killed; says why the screen is gone.
pub fn after_kill(signal: i32, inline: bool, line: &mut SavedLine) {
    // If the terminal is gone as well, there is nothing to restore.
    if terminal::reset(&mut io::stdout(), line, &modes(inline)).is_err() {
        let _ = line.set(false);
    }
    let why = why(signal);
    output::note(&format!(
        "dominds-tui: ended by {why}; what was recorded is on disk\n\
         dominds-tui: `dominds-tui --reset-terminal` helps if the terminal is still not in order"
    ));
}

/// Restores the terminal after its screen was stopped and could not do it. It sets its modes again when it goes on.
pub fn after_stop(inline: bool, line: &mut SavedLine) {
    if terminal::job_place() == JobPlace::Foreground {
        // If the terminal is gone, there is nothing to restore.
        let _ = terminal::reset_modes(&mut io::stdout(), line, &modes(inline));
    }
}

fn modes(inline: bool) -> ModeFlag {
    if inline { ModeFlag::inline() } else { ModeFlag::default() }
}

fn why(signal: i32) -> String {
    let known = [
        (3, "SIGQUIT"),
        (6, "SIGABRT (a fault in the program)"),
        (7, "SIGBUS (a fault in the program)"),
        (9, "SIGKILL (by another program, or by the system for want of memory)"),
        (11, "SIGSEGV (a fault in the program)"),
    ];
    let name = known.into_iter().find(|(number, _)| *number == signal);
    name.map_or_else(|| format!("signal {signal}"), |(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_names_the_signal() {
        assert!(why(9).starts_with("SIGKILL") && why(6).starts_with("SIGABRT"));
        assert_eq!(why(31), "signal 31");
    }
}
