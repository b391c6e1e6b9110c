//! A driver of this workspace that runs in another process.

use std::path::Path;

use crate::domain::Lang;
use crate::platform::{dirs, env};
use crate::protocol::wire::{AudienceKind, Hello, OLDEST, PROTOCOL};
use crate::protocol::{Command, DriverEvent, Ticket};
use crate::remote::{self, ConnectError, Connection, Leaving, Place, UserFolders};

use super::exit::{CommandError, Status};

/// The ticket of the one command of a run without a screen.
pub const TICKET: Ticket = 1;

/// Where a command was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// In this process, which has ended its driver again.
    Here,
    /// By a driver in another process, which goes on.
    There,
}

/// Where drivers of this user listen.
pub fn user_folders() -> UserFolders {
    UserFolders { runtime: dirs::runtime(), state: dirs::state() }
}

pub fn place(workspace: &Path) -> Place {
    Place::of(workspace, user_folders())
}

/// What a client says about itself.
pub fn hello(audience: AudienceKind) -> Hello {
    let name = match audience {
        AudienceKind::Screen | AudienceKind::Lines => {
            env::terminal().unwrap_or_else(|| "a screen".to_owned())
        }
        AudienceKind::Script | AudienceKind::Follower => "a command".to_owned(),
    };
    Hello {
        protocol: PROTOCOL,
        oldest: OLDEST,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        name,
        audience,
        view: false,
        compress: Vec::new(),
    }
}

/// Connects to the driver of this workspace; `None` if there is none.
///
/// # Errors
/// There is one that cannot be used; the text says why.
pub async fn find(
    workspace: &Path,
    hello: Hello,
    leaving: Leaving,
) -> Result<Option<Connection>, CommandError> {
    match remote::connect(&place(workspace).to_connect(), hello, leaving).await {
        Ok(connection) => Ok(Some(connection)),
        Err(ConnectError::Nobody) => Ok(None),
        Err(error) => Err(unusable(&error)),
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

fn unusable(error: &ConnectError) -> CommandError {
    let text = match error {
        ConnectError::Rejected(reason) => {
            format!(
                "a driver has this workspace and does not let this program in: {}",
                reason.in_lang(Lang::En)
            )
        }
        ConnectError::Nobody
        | ConnectError::Io { .. }
        | ConnectError::Peer { .. }
        | ConnectError::Answer(_) => {
            format!("a driver has this workspace, and cannot be reached: {error}")
        }
    };
    CommandError { status: Status::InUse, text }
}
