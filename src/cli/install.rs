//! A machine without this program: it is put there, after asking.

use std::io::{self, IsTerminal as _};

use crate::domain::Lang;
use crate::platform::env;
use crate::remote::{INSTALLED, Line, Program};
use crate::ui::text::copy_text;

use super::exit::CommandError;
use super::lines;

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
    let size = copy_text::size(program.size(), Lang::En);
    let (name, version, system) = (line.name(), env!("CARGO_PKG_VERSION"), program.system());
    let question = format!(
        "dominds-tui is not installed on {name}. Put this program there ({version}, {size}, for {system}), as {INSTALLED}? \
         [y/N]"
    );
    if !lines::confirm(&question)? {
        return Ok(false);
    }
    lines::note(&format!("sending {size} …"));
    let installed = line.install(&program).await;
    installed.map_err(|error| CommandError::refused(format!("not installed: {error}")))?;
    lines::note(&format!("installed as {INSTALLED}"));
    Ok(true)
}
