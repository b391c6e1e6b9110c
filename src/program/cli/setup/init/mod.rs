//! `init`: writes the starter of a workspace. At a terminal it first asks for the model and tries it (`wizard`); here
//! are only the lines that are read and printed, and the files.

mod choices;
#[cfg(test)]
mod tests;
mod wizard;

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::path::Path;
use std::time::Duration;

use super::probe::{list_models, probe_entered};
use crate::cli::exit::{CommandError, Status};
use crate::cli::{output, runtime};
use crate::consent::Trust;
use crate::guard::{Put, set_up};
use crate::minds::{FirstModel, starter};
use crate::platform::env;
use wizard::{Next, Wizard};

/// Timeout of a list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of a trial: local servers may load the model meanwhile.
const TRIAL_TIMEOUT: Duration = Duration::from_mins(1);
/// Bytes of an answer.
const MAX_LINE: u64 = 4096;

/// `teams`: with the file that makes teams possible. `yes`: nothing is asked.
pub fn init(folder: &Path, teams: bool, yes: bool) -> Result<Status, CommandError> {
    let entered = if yes || !may_ask(folder) { None } else { Some(ask(folder)?) };
    let mut files = match &entered {
        Some((first, _)) => first.starter_files(),
        None => starter::FILES.map(|(path, text)| (path, text.to_owned())).into(),
    };
    files.extend(teams.then(|| (starter::TEAMS.0, starter::TEAMS.1.to_owned())));
    write(folder, &files)?;
    if let Some((first, true)) = entered {
        agree(folder, &first);
        output::note("next: run dominds-tui");
    } else {
        let text = "next: configure your model in .minds/llm.yaml, then run dominds-tui";
        output::note(text);
    }
    Ok(Status::Done)
}

fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), CommandError> {
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let written = set_up(folder, &files)
        .map_err(|error| CommandError::invalid(format!("{}: {error}", folder.display())))?;
    for (path, put) in written {
        let word = match put {
            Put::Written => "written",
            Put::Kept => "kept",
        };
        output::print(&format!("{word}  {}", path.display()));
    }
    Ok(())
}

/// True if a person can answer, and the answers can be written: existing files are kept.
fn may_ask(folder: &Path) -> bool {
    let is_new = FirstModel::PATHS.iter().all(|path| folder.join(path).symlink_metadata().is_err());
    is_new && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for the model; true if it answered.
fn ask(folder: &Path) -> Result<(FirstModel, bool), CommandError> {
    let runtime = runtime::runtime()?;
    let mut wizard = Wizard::new();
    loop {
        for text in wizard.take_told() {
            output::note(&text);
        }
        match wizard.step() {
            Next::Ask(question) => {
                output::note(&question);
                wizard.answer(read_line()?.as_deref(), &env::variable);
            }
            Next::List(first) => {
                output::note(&format!("asking {} which models it has …", first.address));
                wizard.listed(runtime.block_on(list_models(folder, &first, LIST_TIMEOUT)));
            }
            Next::Try(first) => {
                let (model, address) = (&first.model, &first.address);
                let most = TRIAL_TIMEOUT.as_secs();
                output::note(&format!("trying {model} at {address}, for {most} s at most …"));
                wizard.tried(runtime.block_on(probe_entered(folder, &first, TRIAL_TIMEOUT)));
            }
            Next::Write { first, answered } => return Ok((first, answered)),
            Next::End => return Err(CommandError::refused("nothing was written")),
        }
    }
}

/// Reads a line; `None` at the end of the input.
fn read_line() -> Result<Option<String>, CommandError> {
    let mut line = Vec::new();
    let read = io::stdin().lock().take(MAX_LINE).read_until(b'\n', &mut line);
    let count =
        read.map_err(|error| CommandError::usage(format!("reading standard input: {error}")))?;
    Ok((count > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// Records what the person has agreed to by entering it; without that, the program asks when it starts.
fn agree(folder: &Path, first: &FirstModel) {
    let Some(config) = first.config() else { return };
    if let Err(error) = Trust::recorded(folder).agree_to_entered(&config) {
        output::note(&error.to_string());
    }
}
