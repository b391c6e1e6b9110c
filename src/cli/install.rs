//! A machine without this program: it is put there, after asking.

use std::io::{self, IsTerminal as _};

use crate::platform::env;
use crate::remote::{INSTALLED, Line, Program};

use super::exit::CommandError;
use super::lines;

/// Bytes of a megabyte.
const MB: f64 = 1e6;

/// Asks whether this program is to be put there, and does so. False if the person does not want it, or cannot be asked.
///
/// # Errors
/// It was not put there; the text says why.
pub async fn offer(line: &Line) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let program = Program::read(&env::current_program());
    let program =
        program.map_err(|error| CommandError::refused(format!("this program: {error}")))?;
    #[expect(clippy::cast_precision_loss, reason = "it is rounded anyway")]
    let size = program.size() as f64 / MB;
    let (name, version, system) = (line.name(), env!("CARGO_PKG_VERSION"), program.system());
    let question = format!(
        "dominds-tui is not installed on {name}. Put this program there ({version}, {size:.1} MB, for {system}), as {INSTALLED}? \
         [y/N]"
    );
    if !lines::confirm(&question)? {
        return Ok(false);
    }
    lines::note(&format!("sending {size:.1} MB …"));
    let installed = line.install(&program).await;
    installed.map_err(|error| CommandError::refused(format!("not installed: {error}")))?;
    lines::note(&format!("installed as {INSTALLED}"));
    Ok(true)
}
