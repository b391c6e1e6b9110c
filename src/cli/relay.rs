//! `relay`: passes frames between standard input and output and the socket of the driver, for `attach ssh://`.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, copy, stdin, stdout};
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep};

use crate::app;
use crate::platform::env;
use crate::remote::peer;

use super::exit::{CommandError, Status};
use super::runtime;

/// How long a driver may take to listen.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const START_PAUSE: Duration = Duration::from_millis(30);

const NO_DRIVER: &str = "no driver runs on this workspace";

/// Passes frames on until either side ends.
pub fn relay(workspace: &Path, starts: bool) -> Result<Status, CommandError> {
    let runtime = runtime::runtime()?;
    let relayed = runtime.block_on(relay_from(workspace, starts));
    // Nobody waits for a thread that still reads standard input.
    runtime.shutdown_background();
    relayed
}

async fn relay_from(workspace: &Path, starts: bool) -> Result<Status, CommandError> {
    let socket = match connect(workspace).await? {
        Some(socket) => socket,
        None if starts => start(workspace).await?,
        None => return Err(CommandError::refused(NO_DRIVER)),
    };
    let (mut from_driver, mut to_driver) = socket.into_split();
    let (mut input, mut output) = (stdin(), stdout());
    let sending = async {
        let sent = copy(&mut input, &mut to_driver).await;
        // The driver still says what it has to, and then ends the other direction.
        sent.and(to_driver.shutdown().await)
    };
    let receiving = async {
        copy(&mut from_driver, &mut output).await?;
        output.flush().await
    };
    let lost = |error: io::Error| CommandError::refused(format!("the connection: {error}"));
    tokio::pin!(receiving);
    tokio::select! {
        received = &mut receiving => received.map_err(lost)?,
        sent = sending => {
            if let Err(error) = sent {
                tracing::debug!(%error, "the driver takes no more");
            }
            receiving.await.map_err(lost)?;
        }
    }
    Ok(Status::Done)
}

/// The socket of the driver that runs; `None` if none does.
async fn connect(workspace: &Path) -> Result<Option<UnixStream>, CommandError> {
    for path in app::socket_place(workspace).to_connect() {
        match UnixStream::connect(&path).await {
            Ok(socket) => {
                let checked = peer::check_user(&socket);
                checked.map_err(|reason| CommandError::refused(reason.to_string()))?;
                return Ok(Some(socket));
            }
            Err(error) => tracing::debug!(%error, path = %path.display(), "nobody listens"),
        }
    }
    Ok(None)
}

/// Starts a driver that stays when this process ends.
async fn start(workspace: &Path) -> Result<UnixStream, CommandError> {
    let failed = |error: io::Error| CommandError::invalid(format!("starting a driver: {error}"));
    let mut serve = Command::new(env::current_program());
    serve.arg("-C").arg(workspace).arg("serve").process_group(0);
    serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut driver = serve.spawn().map_err(failed)?;
    let until = Instant::now() + START_TIMEOUT;
    while Instant::now() < until {
        if let Some(socket) = connect(workspace).await? {
            return Ok(socket);
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
