//! The runtime on which a command runs.

use crate::app;

use super::exit::{CommandError, Status};

/// Runs a command on its own runtime.
pub fn block_on(
    command: impl Future<Output = Result<Status, CommandError>>,
) -> Result<Status, CommandError> {
    runtime()?.block_on(command)
}

pub fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    app::runtime().map_err(|error| CommandError::invalid(format!("starting the runtime: {error}")))
}
