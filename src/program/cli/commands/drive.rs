//! `run`, `drive`, `q4h answer`, `fork`, `stop`, `resume`, `keep-going`: the engine without a screen.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use crate::app;
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::Localized;
use crate::domain::{AgentId, DialogId, Lang};
use crate::driver::PickUp;
use crate::minds::{Minds, taskdoc};
use crate::protocol::command::Command;
use crate::protocol::lifecycle::Lifecycle;
use crate::protocol::wire::Audience;
use crate::protocol::{DriverEvent, Refusal};
use crate::remote::{Connection, Leaving};
use crate::store::{Access, Survey};

use super::find;
use crate::cli::args::{self, DialogOrAll, DriveArgs, RunArgs};
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::job::{Job, run_command};
use crate::cli::running::other_driver::{self, DriverPlace, TICKET};
use crate::cli::running::output_mode::OutputMode;

/// The Taskdoc of `run` if none is given.
const DEFAULT_TASK: &str = "task.tsk";
/// Timeout for dialogs of another driver to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

pub async fn run(workspace: &Path, run: RunArgs) -> Result<Status, CommandError> {
    let text = text_or_stdin(&run.text)?;
    let command = match &run.dialog {
        Some(wanted) => {
            let (survey, dialog) = running_dialog(workspace, wanted)?;
            check_takes_messages(&survey, &dialog)?;
            Command::Say { ticket: TICKET, dialog, text, images: Vec::new() }
        }
        None => Command::Create {
            ticket: TICKET,
            agent: responder(workspace, run.agent.as_deref())?,
            taskdoc: taskdoc_path(run.task.as_deref().unwrap_or(DEFAULT_TASK))?,
            text,
            priming: run.priming,
        },
    };
    Job {
        workspace,
        command: Some(command),
        also: Vec::new(),
        pick_up: PickUp::Named,
        driving: true,
        timeout: run.driving.timeout,
        output: OutputMode::of(&run.driving),
        trust_all: run.driving.trust,
        leave_processes: run.driving.leave_processes,
    }
    .execute()
    .await
}

/// Checked before driving: the tree may have other work to do, which the end of a refused command would
/// interrupt.
fn check_takes_messages(survey: &Survey, id: &DialogId) -> Result<(), CommandError> {
    let tree = survey.trees.iter().find(|tree| tree.root == id.root);
    let found = tree.and_then(|tree| tree.dialogs.iter().find(|dialog| dialog.id == id.this));
    let refusal = match found {
        Some(dialog) if dialog.latest.is_dead() => Refusal::DeadTakesNoMessages,
        Some(dialog) if dialog.reasoning.is_some() => Refusal::TakesNoMessages,
        Some(_) | None => return Ok(()),
    };
    Err(CommandError::refused(Localized::from(refusal).to_string()))
}

/// The named member, or the default responder.
pub fn responder(workspace: &Path, wanted: Option<&str>) -> Result<AgentId, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    if let Some(name) = wanted {
        return find::member(&minds, name).map(|member| member.id.clone());
    }
    if let Some(missing) = minds.missing() {
        return Err(CommandError::invalid(missing.to_string()));
    }
    let no_member = || CommandError::invalid(".minds/team.yaml has no member; add one");
    minds.default_responder().cloned().ok_or_else(no_member)
}

fn taskdoc_path(path: &str) -> Result<String, CommandError> {
    taskdoc::validate_path(path)
        .map_err(|reason| CommandError::usage(format!("the Taskdoc {path}: {reason}")))?;
    Ok(path.to_owned())
}

pub async fn drive(workspace: &Path, drive: &DriveArgs) -> Result<Status, CommandError> {
    Job {
        workspace,
        command: None,
        also: Vec::new(),
        pick_up: PickUp::Open,
        driving: true,
        timeout: drive.timeout,
        output: OutputMode::of(drive),
        trust_all: drive.trust,
        leave_processes: drive.leave_processes,
    }
    .execute()
    .await
}

/// Creates a fork and drives it. Without JSON only its id is printed, for scripts.
pub async fn fork(
    workspace: &Path,
    change: Lifecycle,
    wanted: &args::ForkArgs,
) -> Result<Status, CommandError> {
    Job {
        workspace,
        command: Some(Command::Lifecycle { ticket: TICKET, change }),
        also: Vec::new(),
        pick_up: PickUp::Named,
        driving: !wanted.no_drive,
        timeout: wanted.driving.timeout,
        output: OutputMode::notes_only(&wanted.driving),
        trust_all: wanted.driving.trust,
        leave_processes: wanted.driving.leave_processes,
    }
    .execute()
    .await
}

/// Stops dialogs through the driver that runs them. Without one only resumed dialogs can be stopped, as
/// nothing else drives while this process has the lock of the workspace.
pub async fn stop(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    let named = which.dialog.as_ref().map(|wanted| running_dialog(workspace, wanted));
    let wanted = named.transpose()?.map(|(_, dialog)| dialog);
    let hello = other_driver::hello(Audience::Script);
    if let Some(found) = other_driver::find(workspace, hello, Leaving::DriverStays).await? {
        let stopped = stop_there(found, wanted.as_ref()).await?;
        let survey = running_dialogs(workspace)?;
        for dialog in &stopped {
            output::print(&format!("{} is stopped", find::named(&survey, dialog)));
        }
        if stopped.is_empty() {
            say_nothing_stopped(&survey, wanted.as_ref());
        }
        return Ok(Status::Done);
    }
    let store = app::open(workspace, Access::ReadWrite)?;
    let survey = store.survey(&[Bucket::Run]);
    drop(store);
    let mut resumed = find::resumed_dialogs(&survey);
    resumed.retain(|dialog| wanted.as_ref().is_none_or(|wanted| wanted == dialog));
    for dialog in &resumed {
        run_command(workspace, Command::Withdraw { ticket: TICKET, dialog: dialog.clone() })
            .await?;
        let named = find::named(&survey, dialog);
        output::print(&format!("{named} was resumed, and is stopped again"));
    }
    if resumed.is_empty() {
        say_nothing_stopped(&survey, wanted.as_ref());
    }
    Ok(Status::Done)
}

fn say_nothing_stopped(survey: &Survey, wanted: Option<&DialogId>) {
    output::print(&match wanted {
        Some(id) => {
            let named = find::named(survey, id);
            format!("{named} is not running; there is nothing to stop")
        }
        None => "nothing is running; there is nothing to stop".to_owned(),
    });
}

/// Stops the wanted dialogs of a driver that run, and waits until they have stopped. Returns them.
async fn stop_there(
    found: Connection,
    wanted: Option<&DialogId>,
) -> Result<Vec<DialogId>, CommandError> {
    let Connection { commands, mut events, tasks, .. } = found;
    let mut stopping: Option<BTreeSet<DialogId>> = None;
    let mut stopped = Vec::new();
    let stop = async {
        while let Some(event) = events.recv().await {
            if let DriverEvent::Rows(rows) = &event
                && stopping.is_none()
            {
                let run = rows.iter().filter(|row| {
                    row.state.is_running() && wanted.is_none_or(|one| *one == row.dialog)
                });
                let run: BTreeSet<DialogId> = run.map(|row| row.dialog.clone()).collect();
                for dialog in run.iter().cloned() {
                    let _ = commands.send(Command::Stop { dialog }).await;
                }
                stopping = Some(run);
            }
            if let DriverEvent::Row(row) = event
                && !row.state.is_running()
                && stopping.as_mut().is_some_and(|all| all.remove(&row.dialog))
            {
                stopped.push(row.dialog);
            }
            if stopping.as_ref().is_some_and(BTreeSet::is_empty) {
                return;
            }
        }
    };
    let in_time = tokio::time::timeout(STOP_TIMEOUT, stop).await.is_ok();
    drop((commands, events));
    let _ = tasks.join().await;
    match stopping {
        Some(left) if left.is_empty() => Ok(stopped),
        Some(left) if in_time => {
            Err(CommandError::refused(format!("the driver ended before {} stopped", left.len())))
        }
        _ => Err(CommandError::refused("the driver does not stop it; look at its screen")),
    }
}

pub async fn resume(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    if let Some(wanted) = &which.dialog {
        let (survey, dialog) = running_dialog(workspace, wanted)?;
        let named = find::named(&survey, &dialog);
        let place = run_command(workspace, Command::Continue { ticket: TICKET, dialog }).await?;
        output::print(&format!("{named} {}", resumed(place)));
        return Ok(Status::Done);
    }
    let before = find::stopped_dialogs(&running_dialogs(workspace)?);
    let place = run_command(workspace, Command::ContinueAll { ticket: TICKET }).await?;
    let survey = running_dialogs(workspace)?;
    let all = match place {
        DriverPlace::Here => find::resumed_dialogs(&survey),
        DriverPlace::Elsewhere => {
            let still = find::stopped_dialogs(&survey);
            before.into_iter().filter(|dialog| !still.contains(dialog)).collect()
        }
    };
    for dialog in all {
        output::print(&format!("{} {}", find::named(&survey, &dialog), resumed(place)));
    }
    Ok(Status::Done)
}

fn resumed(place: DriverPlace) -> &'static str {
    match place {
        DriverPlace::Here => "is resumed; `dominds-tui drive`, or the screen, continues it",
        DriverPlace::Elsewhere => "is resumed",
    }
}

pub async fn keep_going(
    workspace: &Path,
    wanted: &str,
    switch: KeepGoingSwitch,
) -> Result<Status, CommandError> {
    let (survey, dialog) = running_dialog(workspace, wanted)?;
    let named = find::named(&survey, &dialog);
    let done = match switch {
        KeepGoingSwitch::On => "is on",
        KeepGoingSwitch::Off => "is off",
        KeepGoingSwitch::Refill => "has all its pushes again",
    };
    run_command(workspace, Command::KeepGoing { ticket: TICKET, dialog, switch }).await?;
    output::print(&format!("keep-going of {named} {done}"));
    Ok(Status::Done)
}

pub fn running_dialogs(workspace: &Path) -> Result<Survey, CommandError> {
    Ok(app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]))
}

/// Finds an active dialog that may be changed. For a done or archived one, the error says how to restore it.
pub fn running_dialog(workspace: &Path, wanted: &str) -> Result<(Survey, DialogId), CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&[Bucket::Run]);
    let not_found = match find::dialog(&survey, wanted) {
        Ok(dialog) => {
            find::refuse_foreign(&survey, &dialog.root)?;
            return Ok((survey, dialog));
        }
        Err(not_found) => not_found,
    };
    let all = store.survey(&Bucket::ALL);
    let Ok(inactive) = find::dialog(&all, wanted) else { return Err(not_found) };
    find::refuse_foreign(&all, &inactive.root)?;
    let named = find::named(&all, &inactive);
    let status = store.find(&inactive.root).unwrap_or(Bucket::Run).status();
    Err(CommandError::refused(format!(
        "{named} is {status}; `dominds-tui revive {}` restores it",
        inactive.root
    )))
}

pub fn text_or_stdin(text: &str) -> Result<String, CommandError> {
    let text = if text == "-" {
        let mut input = String::new();
        std::io::stdin()
            .read_to_string(&mut input)
            .map_err(|error| CommandError::usage(format!("reading standard input: {error}")))?;
        input
    } else {
        text.to_owned()
    };
    if text.trim().is_empty() {
        return Err(CommandError::usage("the text is empty"));
    }
    Ok(text)
}
