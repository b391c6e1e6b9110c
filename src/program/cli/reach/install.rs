//! A machine without this program, or with an older one: it is put there, after asking.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::domain::Lang;
use crate::domain::text::size::size;
use crate::platform::env;
use crate::remote::{ConnectError, Connection, INSTALLED, Line, Program};
use crate::ui::text::SafeText;

use crate::cli::exit::CommandError;
use crate::cli::output;

/// The largest file that is offered unless it was named, in bytes. Those of packages and releases are smaller, one of
/// a development build is not.
const LARGEST_UNNAMED: u64 = 64_000_000;

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

/// Reads the program to put there: the named one, else this one. The error says why none can be offered.
fn offered(line: &Line, named: Option<&Path>, own: &Path) -> Result<Program, String> {
    let path = named.unwrap_or(own);
    let unread = |error: io::Error| format!("{}: {error}", env::display_path(path));
    let bytes = fs::metadata(path).map_err(unread)?.len();
    if named.is_none() && bytes > LARGEST_UNNAMED {
        let size = size(usize::try_from(bytes).unwrap_or_default(), Lang::En);
        return Err(format!(
            "This program is not sent, as it is a development build or as large as one ({size}): --program FILE \
             names another; that of the packages is the smallest"
        ));
    }
    let program = Program::read(path).map_err(unread)?;
    let fits = line.fits(&program);
    fits.map_err(|error| format!("{error}; --program FILE names one for that machine"))?;
    Ok(program)
}

/// Asks whether to install the program there, and does so. False if the person does not want it, or cannot be asked;
/// if there is nothing to offer, a line says why.
///
/// # Errors
/// It was not put there; the text says why.
pub async fn offer(
    line: &Line,
    found: &FoundThere,
    named: Option<&Path>,
) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let says = found.says(line.name());
    let program = match offered(line, named, &env::current_program()) {
        Ok(program) => program,
        Err(why) => {
            output::note(&format!("{says}. {why}"));
            return Ok(false);
        }
    };
    let size = size(program.size(), Lang::En);
    let (version, system) = (env!("CARGO_PKG_VERSION"), program.system());
    let which = named.map_or_else(|| "this program".to_owned(), env::display_path);
    let question = format!(
        "{says}. Put {which} there ({version}, {size} to send, for {system}), as {INSTALLED}? [y/N]"
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
    use std::fs::File;

    use super::*;

    #[test]
    fn a_large_program_is_sent_only_where_it_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        File::create(at("large")).unwrap().set_len(LARGEST_UNNAMED + 1).unwrap();
        fs::write(at("small"), "#!/bin/sh\n").unwrap();
        let line = Line::parse("/w", Some("ssh box")).unwrap();
        let why = offered(&line, None, &at("large")).unwrap_err();
        assert!(why.contains("(64.0 MB)") && why.contains("--program FILE"), "{why}");
        assert!(offered(&line, Some(&at("small")), &at("large")).unwrap().size() < 100);
        assert!(offered(&line, None, &at("small")).is_ok());
        let why = offered(&line, Some(&at("none")), &at("small")).unwrap_err();
        assert!(why.contains("none: "), "{why}");
    }

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
