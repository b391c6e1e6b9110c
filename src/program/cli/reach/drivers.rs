//! `ps` and `quit`: the drivers that run on this machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;

use crate::app;
use crate::platform::env;
use crate::protocol::wire::Audience;
use crate::protocol::{Command, DriverEvent};
use crate::remote::{Connection, Leaving, Note, all_notes};

use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::other_driver::{self, Reported};

/// Timeout for a driver to end, after its dialogs.
const END_TIMEOUT: Duration = Duration::from_secs(30);

/// A driver that answered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundDriver {
    workspace: PathBuf,
    pid: u32,
    since: String,
    version: String,
    running_dialogs: usize,
    /// How many of these retry.
    retrying_dialogs: usize,
    open_questions: usize,
}

impl FoundDriver {
    fn line(&self) -> String {
        let Self {
            workspace, pid, since, running_dialogs, retrying_dialogs, open_questions, ..
        } = self;
        let folder = env::display_path(workspace);
        let retrying = match retrying_dialogs {
            0 => String::new(),
            some => format!(" ({some} retrying)"),
        };
        format!(
            "{folder}  questions {open_questions}  running {running_dialogs}{retrying}  process {pid}  since {since}"
        )
    }
}

/// Lists the drivers of this user.
pub async fn list(as_json: bool) -> Result<Status, CommandError> {
    let mut all = Vec::new();
    for note in all_notes(&app::socket_folders()) {
        if let Some(running) = ask(note).await {
            all.push(running);
        }
    }
    if as_json {
        output::json(&all);
        return Ok(Status::Done);
    }
    if all.is_empty() {
        output::note("no workspace is driven on this machine");
    }
    for driver in &all {
        output::print(&driver.line());
    }
    Ok(Status::Done)
}

/// `None` if the driver has ended, or does not answer as one does.
async fn ask(note: Note) -> Option<FoundDriver> {
    let Reported { welcome, rows, open_questions } =
        other_driver::reported(&note.workspace).await?;
    Some(FoundDriver {
        workspace: note.workspace,
        pid: welcome.pid,
        since: welcome.since.to_string(),
        version: welcome.program,
        running_dialogs: rows.iter().filter(|row| row.state.is_running()).count(),
        retrying_dialogs: rows.iter().filter(|row| row.retrying).count(),
        open_questions,
    })
}

/// Ends the driver of a workspace and waits for that.
pub async fn quit(workspace: &Path) -> Result<Status, CommandError> {
    let hello = other_driver::hello(Audience::Screen);
    let Some(found) = other_driver::find(workspace, hello, Leaving::DriverEnds).await? else {
        output::print("no driver runs on this workspace");
        return Ok(Status::Done);
    };
    let Connection { welcome, commands, mut events, tasks, .. } = found;
    let grace = other_driver::SHUTDOWN_TIMEOUT;
    let _ = commands.send(Command::Shutdown { grace }).await;
    let ended = async {
        while let Some(event) = events.recv().await {
            if event == DriverEvent::Stopped {
                return;
            }
        }
    };
    let in_time = timeout(END_TIMEOUT, ended).await.is_ok();
    drop((commands, events));
    let _ = tasks.join().await;
    let pid = welcome.pid;
    if !in_time {
        let text = format!("the driver (process {pid}) does not end; everything is on disk");
        return Err(CommandError::refused(text));
    }
    output::print(&format!("the driver (process {pid}) has ended"));
    Ok(Status::Done)
}
