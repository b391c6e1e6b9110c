//! A driver of this workspace that runs in another process.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::app;
use crate::domain::Lang;
use crate::domain::safety::sandbox::Level;
use crate::driver::Driver;
use crate::platform::{env, ids};
use crate::protocol::wire::{Audience, Hello, Welcome};
use crate::protocol::{Command, DriverEvent, Ticket, TreeRow};
use crate::remote::{self, ConnectError, Connection, Leaving, Server};
use crate::store::Store;

use crate::cli::exit::{CommandError, Status};
use crate::cli::output;

/// Timeout for a workspace that is in use.
const HELD_TIMEOUT: Duration = Duration::from_secs(2);
const HELD_PAUSE: Duration = Duration::from_millis(50);
/// Timeout for a driver's report of its work.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout for dialogs to stop when their driver ends.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The ticket of the one command of a run without a screen.
pub const TICKET: Ticket = 1;

/// The driver that carried a command out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriverPlace {
    /// In this process, whose driver has ended again.
    Here,
    /// By a driver in another process, which goes on.
    Elsewhere,
}

/// Returns the introduction of a client.
pub fn hello(audience: Audience) -> Hello {
    let name = match audience {
        Audience::Screen | Audience::Lines => {
            env::terminal().unwrap_or_else(|| "a screen".to_owned())
        }
        Audience::Script | Audience::Follower => "a command".to_owned(),
    };
    Hello::new(audience, &name)
}

/// Returns that of a client that repeats unacknowledged commands over its next connection.
pub fn hello_of_session(audience: Audience) -> Hello {
    Hello { session: ids::random_name(), ..hello(audience) }
}

/// Lets other processes reach a driver of this one; prints what was in the way of the socket.
pub fn listen(
    workspace: &Path,
    driver: &Driver,
    store: Arc<Store>,
    level: Option<Level>,
) -> Option<Server> {
    let server = app::listen(workspace, driver, store, level)?;
    if let Some(path) = server.in_the_way() {
        let (path, now) = (env::display_path(path), env::display_path(server.socket()));
        output::note(&format!(
            "dominds-tui: {path} was no socket and is not used; the driver listens on {now}. If you did not put it there, \
             it came with the workspace"
        ));
    }
    Some(server)
}

/// Connects to the driver of this workspace; `None` if there is none.
///
/// # Errors
/// There is a driver that cannot be used; the text says why.
pub async fn find(
    workspace: &Path,
    hello: Hello,
    leaving: Leaving,
) -> Result<Option<Connection>, CommandError> {
    match remote::connect(&app::socket_place(workspace), hello, leaving).await {
        Ok(connection) => Ok(Some(connection)),
        Err(ConnectError::Nobody) => Ok(None),
        Err(error) => Err(unusable(&error)),
    }
}

/// The work of a driver, as it reports it.
#[derive(Debug)]
pub struct Reported {
    pub welcome: Welcome,
    pub rows: Vec<TreeRow>,
    pub open_questions: usize,
}

/// Asks the driver of a workspace what it works on; `None` if there is none, or it does not answer as one does.
pub async fn reported(workspace: &Path) -> Option<Reported> {
    let mut hello = hello(Audience::Screen);
    hello.view = true;
    let place = app::socket_place(workspace);
    let connected = timeout(ANSWER_TIMEOUT, remote::connect(&place, hello, Leaving::DriverStays));
    let Connection { welcome, commands, mut events, tasks, .. } = connected.await.ok()?.ok()?;
    let (mut rows, mut inbox) = (None, None);
    let listed = async {
        while let Some(event) = events.recv().await {
            if let DriverEvent::Rows(all) = event {
                rows = Some(all);
            } else if let DriverEvent::Inbox(all) = &event {
                inbox = Some(all.len());
            }
            if rows.is_some() && inbox.is_some() {
                return;
            }
        }
    };
    let _ = timeout(ANSWER_TIMEOUT, listed).await;
    drop((commands, events));
    let _ = tasks.join().await;
    Some(Reported { welcome, rows: rows?, open_questions: inbox? })
}

/// A running driver, or the result of `start`.
pub enum Found<T> {
    Elsewhere(Box<Connection>),
    Started(T),
}

/// Connects to the driver of this workspace, else starts one with `start`. Waits for a workspace that is in
/// use: its driver may be about to listen, or to end.
///
/// # Errors
/// The errors of [`find`] and of `start`.
pub async fn find_or_start<T>(
    workspace: &Path,
    hello: Hello,
    mut start: impl FnMut() -> Result<T, CommandError>,
) -> Result<Found<T>, CommandError> {
    let until = Instant::now() + HELD_TIMEOUT;
    loop {
        if let Some(found) = find(workspace, hello.clone(), Leaving::DriverStays).await? {
            return Ok(Found::Elsewhere(Box::new(found)));
        }
        match start() {
            Err(error) if error.is_held() && Instant::now() < until => sleep(HELD_PAUSE).await,
            started => return started.map(Found::Started),
        }
    }
}

/// Sends one command with [`TICKET`] and waits for its acknowledgement.
///
/// # Errors
/// It was refused, or the driver ended.
pub async fn ask(driver: Connection, command: Command) -> Result<(), CommandError> {
    let Connection { commands, mut events, tasks, .. } = driver;
    let _ = commands.send(command).await;
    let mut outcome = Err(CommandError::refused("the driver of this workspace has ended"));
    while let Some(event) = events.recv().await {
        if let DriverEvent::Done { ticket: TICKET, .. } = event {
            outcome = Ok(());
            break;
        }
        if let DriverEvent::Refused { ticket: TICKET, text } = event {
            outcome = Err(CommandError::refused(text.to_string()));
            break;
        }
    }
    drop((commands, events));
    let _ = tasks.join().await;
    outcome
}

/// The error of a driver that cannot be used.
pub fn unusable(error: &ConnectError) -> CommandError {
    let text = match error {
        ConnectError::Rejected(reason) | ConnectError::Older(reason) => {
            format!(
                "a driver has this workspace and does not let this program in: {}",
                reason.in_lang(Lang::En)
            )
        }
        ConnectError::Line(_) | ConnectError::NotInstalled(_) | ConnectError::NoRelay(_) => {
            return CommandError::refused(error.to_string());
        }
        ConnectError::Nobody
        | ConnectError::AtRest(_)
        | ConnectError::Io { .. }
        | ConnectError::Peer { .. }
        | ConnectError::Answer(_) => {
            format!("a driver has this workspace, and cannot be reached: {error}")
        }
    };
    CommandError { status: Status::InUse, text }
}
