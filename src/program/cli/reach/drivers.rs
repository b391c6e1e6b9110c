//! `ps` and `quit`: the drivers that run on this machine.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::app;
use crate::platform::env;
use crate::protocol::wire::AudienceKind;
use crate::protocol::{Command, DriverEvent};
use crate::remote::{self, Connection, Leaving, Note, all_notes};

use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::other_driver;

/// Timeout for a driver's report of its work.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for a driver to end, after its dialogs.
const END_TIMEOUT: Duration = Duration::from_secs(30);

/// A driver that answered.
struct Running {
    note: Note,
    since: String,
    program: String,
    at_work: usize,
    questions: usize,
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
        let all: Vec<Value> = all.iter().map(as_value).collect();
        output::print(&Value::from(all).to_string());
        return Ok(Status::Done);
    }
    if all.is_empty() {
        output::note("no workspace is driven on this machine");
    }
    for one in &all {
        let folder = env::display_path(&one.note.workspace);
        let (pid, since) = (one.note.pid, &one.since);
        let (at_work, questions) = (one.at_work, one.questions);
        output::print(&format!(
            "{folder}  questions {questions}  running {at_work}  process {pid}  since {since}"
        ));
    }
    Ok(Status::Done)
}

fn as_value(one: &Running) -> Value {
    json!({
        "workspace": one.note.workspace,
        "pid": one.note.pid,
        "since": one.since,
        "version": one.program,
        "runningDialogs": one.at_work,
        "openQuestions": one.questions,
    })
}

/// `None` if the driver has ended, or does not answer as one does.
async fn ask(note: Note) -> Option<Running> {
    let mut hello = other_driver::hello(AudienceKind::Screen);
    hello.view = true;
    let place = app::socket_place(&note.workspace);
    let connected = timeout(ANSWER_TIMEOUT, remote::connect(&place, hello, Leaving::DriverStays));
    let Connection { welcome, commands, mut events, tasks, .. } = connected.await.ok()?.ok()?;
    let (mut rows, mut inbox) = (None, None);
    let listed = async {
        while let Some(event) = events.recv().await {
            if let DriverEvent::Rows(all) = &event {
                rows = Some(all.iter().filter(|row| row.state.is_running()).count());
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
    let note = Note { pid: welcome.pid, ..note };
    let (since, program) = (welcome.since.to_string(), welcome.program);
    Some(Running { note, since, program, at_work: rows?, questions: inbox? })
}

/// Ends the driver of a workspace and waits for that.
pub async fn quit(workspace: &Path) -> Result<Status, CommandError> {
    let hello = other_driver::hello(AudienceKind::Screen);
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
