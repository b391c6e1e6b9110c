//! `sandbox`: runs one command in the sandbox of members' commands, to test the sandbox.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::app;
use crate::domain::safety::sandbox::Level;
use crate::platform::env;
use crate::sandbox::{CommandSpec, Sandbox};
use crate::tools::{Environment, Shells};

use crate::cli::args;
use crate::cli::config;
use crate::cli::exit::{CommandError, Status};

/// Runs it with the input and output of this process, and waits.
pub fn run(workspace: &Path, wanted: &args::SandboxArgs) -> Result<Status, CommandError> {
    let level = wanted.level.unwrap_or_else(|| config::read(workspace).levels.of(workspace));
    let Some((program, arguments)) = wanted.command.split_first() else {
        return Err(CommandError::usage("there is no command"));
    };
    let engine = app::read_only_engine(workspace, None)?;
    let secrets = engine.command_secrets();
    let environment = Shells::new(Environment::of(env::all())).environment(&secrets);
    if level == Level::Off {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(workspace).env_clear().envs(environment);
        return passed(program, command.status());
    }
    let sandbox = Sandbox::with_means(app::sandbox_config(workspace), level, wanted.means);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let order = CommandSpec {
        program,
        arguments: &arguments,
        folder: workspace,
        stay: false,
        apart: false,
    };
    let wrapped =
        sandbox.wrap(level, order).map_err(|refusal| CommandError::invalid(refusal.to_string()))?;
    let mut command = Command::new(&wrapped.program);
    command.args(&wrapped.arguments).current_dir(workspace);
    command.env_clear().envs(environment).envs(wrapped.environment);
    passed(program, command.status())
}

fn passed(program: &str, ended: io::Result<ExitStatus>) -> Result<Status, CommandError> {
    let ended = ended.map_err(|error| CommandError::refused(format!("{program}: {error}")))?;
    let code = ended.code().or_else(|| ended.signal().map(|signal| signal + 128));
    Ok(Status::OfCommand(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
