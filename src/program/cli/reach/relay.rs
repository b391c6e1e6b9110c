//! `relay`: passes frames between standard input and output and the socket of the driver, for `attach ssh://`. The
//! client is on another machine, so this side looks whether it is the driver of the folder that was meant.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, copy, stdin, stdout};
use tokio::time::{Instant, sleep};

use crate::app;
use crate::platform::env;
use crate::protocol::wire::{LONGEST_FROM_CLIENT, LONGEST_FROM_DRIVER, frame};
use crate::remote::{self, ConnectError, Greeted};

use crate::cli::exit::{CommandError, Status};
use crate::cli::runtime;

/// Timeout for a started driver to listen.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const START_PAUSE: Duration = Duration::from_millis(30);

const NO_DRIVER: &str = "no driver runs on this workspace";

/// Passes frames on until either side ends.
pub fn relay(workspace: &Path, starts: bool) -> Result<Status, CommandError> {
    let runtime = runtime::runtime()?;
    let relayed = runtime.block_on(relay_from(workspace, starts));
    // A thread that still reads standard input is not waited for.
    runtime.shutdown_background();
    relayed
}

async fn relay_from(workspace: &Path, starts: bool) -> Result<Status, CommandError> {
    let (mut input, mut output) = (stdin(), stdout());
    let lost =
        |error: &dyn std::fmt::Display| CommandError::refused(format!("the connection: {error}"));
    let greeting = remote::first_frame(&mut input, LONGEST_FROM_CLIENT).await;
    let Some(greeting) = greeting.map_err(|error| lost(&error))? else {
        return Err(CommandError::refused("the client said nothing"));
    };
    let greeting = frame(&greeting, LONGEST_FROM_CLIENT).map_err(|fault| lost(&fault))?;
    let greeted = match connect(workspace, &greeting).await? {
        Some(greeted) => greeted,
        None if starts => start(workspace, &greeting).await?,
        None => return Err(CommandError::refused(NO_DRIVER)),
    };
    let Greeted { stream, answer } = greeted;
    let answer = frame(&answer, LONGEST_FROM_DRIVER).map_err(|fault| lost(&fault))?;
    output.write_all(&answer).await.map_err(|error| lost(&error))?;
    output.flush().await.map_err(|error| lost(&error))?;
    let (mut from_driver, mut to_driver) = stream.into_split();
    let sending = async {
        let sent = copy(&mut input, &mut to_driver).await;
        // The driver sends its last messages, and then ends the other direction.
        sent.and(to_driver.shutdown().await)
    };
    let receiving = async {
        copy(&mut from_driver, &mut output).await?;
        output.flush().await
    };
    tokio::pin!(receiving);
    tokio::select! {
        received = &mut receiving => received.map_err(|error| lost(&error))?,
        sent = sending => {
            if let Err(error) = sent {
                tracing::debug!(%error, "the driver takes no more");
            }
            receiving.await.map_err(|error| lost(&error))?;
        }
    }
    Ok(Status::Done)
}

/// The driver that runs, which was greeted; `None` if none does.
async fn connect(workspace: &Path, greeting: &[u8]) -> Result<Option<Greeted>, CommandError> {
    match remote::greet(&app::socket_place(workspace), greeting).await {
        Ok(greeted) => Ok(Some(greeted)),
        Err(ConnectError::Nobody) => Ok(None),
        Err(error) => Err(CommandError::refused(error.to_string())),
    }
}

/// Starts a driver that stays when this process ends.
async fn start(workspace: &Path, greeting: &[u8]) -> Result<Greeted, CommandError> {
    let failed = |error: io::Error| CommandError::invalid(format!("starting a driver: {error}"));
    let mut serve = Command::new(env::current_program());
    serve.arg("-C").arg(workspace).arg("serve").process_group(0);
    serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut driver = serve.spawn().map_err(failed)?;
    let until = Instant::now() + START_TIMEOUT;
    while Instant::now() < until {
        if let Some(greeted) = connect(workspace, greeting).await? {
            return Ok(greeted);
        }
        if driver.try_wait().map_err(failed)?.is_some() {
            break;
        }
        sleep(START_PAUSE).await;
    }
    let text = format!(
        "no driver could be started: `dominds-tui -C {} serve` on that machine says why",
        env::display_path(workspace)
    );
    Err(CommandError::refused(text))
}
