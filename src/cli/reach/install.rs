//! A machine without this program, or with an older one: it is put there, after asking.

use std::io::{self, IsTerminal as _};

use crate::domain::Lang;
use crate::platform::env;
use crate::remote::{ConnectError, Connection, INSTALLED, Line, Program};
use crate::ui::text::{SafeText, copy_text};

use crate::cli::exit::CommandError;
use crate::cli::output;

/// The program found on the other machine, if it is not this version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundThere {
    Nothing,
    /// An older one, whose version may be known.
    Older(Option<String>),
}

impl FoundThere {
    /// Returns the program to be replaced, if any, from a successful or a failed connection. Behind a program
    /// other than `ssh`, a driver that rejects clients leads to no offer: that program may run no shell.
    pub fn of(found: &Result<Connection, ConnectError>, line: &Line) -> Option<Self> {
        match found {
            Ok(connection) => {
                let version = &connection.welcome.program;
                is_older(version).then(|| Self::Older(Some(version.clone())))
            }
            Err(ConnectError::NotInstalled(_)) => Some(Self::Nothing),
            Err(ConnectError::NoRelay(_)) => Some(Self::Older(None)),
            Err(ConnectError::Older(_)) => line.is_ssh().then_some(Self::Older(None)),
            Err(
                ConnectError::Nobody
                | ConnectError::AtRest(_)
                | ConnectError::Io { .. }
                | ConnectError::Peer { .. }
                | ConnectError::Answer(_)
                | ConnectError::Line(_)
                | ConnectError::Rejected(_),
            ) => None,
        }
    }

    fn says(&self, name: &str) -> String {
        match self {
            Self::Nothing => format!("dominds-tui is not installed on {name}"),
            Self::Older(None) => format!("the dominds-tui on {name} is too old for this one"),
            Self::Older(Some(version)) => {
                format!("the dominds-tui on {name} is older: {}", SafeText::line(version).as_str())
            }
        }
    }
}

/// True for the version of an earlier program; false if it is not a version.
fn is_older(version: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u32>> {
        version.split('.').map(|part| part.parse().ok()).collect()
    };
    match (numbers(version), numbers(env!("CARGO_PKG_VERSION"))) {
        (Some(there), Some(here)) => there < here,
        (None, _) | (_, None) => false,
    }
}

/// Asks whether to install this program there, and does so. False if the person does not want it, or cannot be asked.
///
/// # Errors
/// It was not put there; the text says why.
pub async fn offer(line: &Line, found: &FoundThere) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let program = Program::read(&env::current_program());
    let program =
        program.map_err(|error| CommandError::refused(format!("this program: {error}")))?;
    let size = copy_text::size(program.size(), Lang::En);
    let (version, system) = (env!("CARGO_PKG_VERSION"), program.system());
    let says = found.says(line.name());
    let question = format!(
        "{says}. Put this program there ({version}, {size} to send, for {system}), as {INSTALLED}? [y/N]"
    );
    if !output::confirm(&question)? {
        return Ok(false);
    }
    output::note(&format!("sending {size} …"));
    let installed = line.install(&program).await;
    installed.map_err(|error| CommandError::refused(format!("not installed: {error}")))?;
    output::note(&format!("installed as {INSTALLED}"));
    if matches!(found, FoundThere::Older(_)) {
        output::note(
            "a driver that runs there goes on with the older one until it is ended: `dominds-tui quit`",
        );
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_version_is_one_with_smaller_numbers_and_no_other_text() {
        for (version, older) in [
            ("0.0.9", true),
            (env!("CARGO_PKG_VERSION"), false),
            ("99.0.0", false),
            ("", false),
            ("new", false),
            ("0.0.x", false),
        ] {
            assert_eq!(is_older(version), older, "{version}");
        }
    }
}
