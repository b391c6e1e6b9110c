//! `run`, `drive`, `q4h answer`, `fork`, `stop`, `resume`, `keep-going`: the engine without a screen.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::app::{self, Consent, Models, Start};
use crate::domain::keep_going::Switch;
use crate::domain::tree::Bucket;
use crate::domain::{AgentId, Lang};
use crate::driver::{Audience, Driver, PickUp};
use crate::minds::Minds;
use crate::platform::signals::{Ask, Signals};
use crate::protocol::command::{Command, Ticket};
use crate::protocol::event::UiEvent;
use crate::protocol::lifecycle::{AfterFork, Lifecycle};
use crate::store::Access;
use crate::tools::{ProcessScope, Shells};

use super::args::{self, Driving, Run, Which};
use super::config;
use super::events::Printer;
use super::exit::{Refusal, Status};
use super::{find, lines};

/// The one command of a headless run.
pub const TICKET: Ticket = 1;
/// How long streams may take to end when the program is told to.
const GRACE: Duration = Duration::from_secs(3);
/// The Taskdoc of `run` where none is named.
const DEFAULT_TASK: &str = "task.tsk";

/// What is done, and when it is over.
struct Job<'a> {
    workspace: &'a Path,
    command: Option<Command>,
    pick_up: PickUp,
    driving: bool,
    timeout: Option<Duration>,
    as_json: bool,
    consent: Consent,
    /// What becomes of processes that members left in the background.
    leave_processes: bool,
}

pub async fn run(workspace: &Path, run: Run) -> Result<Status, Refusal> {
    let text = text_or_input(&run.text)?;
    let command = match &run.dialog {
        Some(wanted) => {
            let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
            Command::Say { ticket: TICKET, dialog: find::dialog(&survey, wanted)?, text }
        }
        None => Command::Create {
            ticket: TICKET,
            agent: responder(workspace, run.agent.as_deref())?,
            taskdoc: run.task.clone().unwrap_or_else(|| DEFAULT_TASK.to_owned()),
            text,
        },
    };
    Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: true,
        timeout: run.driving.timeout,
        as_json: run.driving.json,
        consent: consent(&run.driving),
        leave_processes: run.driving.leave_processes,
    }
    .carry_out()
    .await
}

fn responder(workspace: &Path, wanted: Option<&str>) -> Result<AgentId, Refusal> {
    let minds = Minds::load(workspace, Lang::En);
    if let (Some(missing), None) = (minds.missing(), wanted) {
        return Err(Refusal::invalid(missing.to_string()));
    }
    let found = wanted.map(AgentId::new).or_else(|| minds.default_responder().cloned());
    found.ok_or_else(|| Refusal::invalid(".minds/team.yaml names nobody; add a member"))
}

pub async fn drive(workspace: &Path, drive: &Driving) -> Result<Status, Refusal> {
    Job {
        workspace,
        command: None,
        pick_up: PickUp::Everything,
        driving: true,
        timeout: drive.timeout,
        as_json: drive.json,
        consent: consent(drive),
        leave_processes: drive.leave_processes,
    }
    .carry_out()
    .await
}

pub async fn answer(
    workspace: &Path,
    wanted: &str,
    text: &str,
    no_drive: bool,
    driving: &Driving,
) -> Result<Status, Refusal> {
    let text = text_or_input(text)?;
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
    let (dialog, question) = find::question(&survey, wanted)?;
    let command = Command::Answer { ticket: TICKET, dialog, question: question.id, text };
    Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: !no_drive,
        timeout: driving.timeout,
        as_json: driving.json,
        consent: consent(driving),
        leave_processes: driving.leave_processes,
    }
    .carry_out()
    .await
}

/// Makes a fork and drives it. Its words are not printed, unless as JSON: what a script reads is its id.
pub async fn fork(
    workspace: &Path,
    change: Lifecycle,
    wanted: &args::Fork,
) -> Result<Status, Refusal> {
    Job {
        workspace,
        command: Some(Command::Lifecycle { ticket: TICKET, change }),
        pick_up: PickUp::Named,
        driving: !wanted.no_drive,
        timeout: wanted.driving.timeout,
        as_json: wanted.driving.json,
        consent: consent(&wanted.driving),
        leave_processes: wanted.driving.leave_processes,
    }
    .carry_out()
    .await
}

/// Nobody else drives while this process holds the workspace, so there is nothing left to stop but what
/// was told to go on; a workspace that is in use says so.
pub async fn stop(workspace: &Path, which: &Which) -> Result<Status, Refusal> {
    let store = app::open(workspace, Access::ReadWrite)?;
    let survey = store.survey(&[Bucket::Run]);
    let wanted = which.dialog.as_ref().map(|wanted| find::dialog(&survey, wanted)).transpose()?;
    drop(store);
    for dialog in find::told_to_go_on(&survey) {
        if wanted.as_ref().is_none_or(|wanted| *wanted == dialog) {
            only(workspace, Command::Withdraw { ticket: TICKET, dialog }).await?;
        }
    }
    Ok(Status::Done)
}

pub async fn resume(workspace: &Path, which: &Which) -> Result<Status, Refusal> {
    let command = match &which.dialog {
        Some(wanted) => {
            let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
            Command::Continue { ticket: TICKET, dialog: find::dialog(&survey, wanted)? }
        }
        None => Command::ContinueAll { ticket: TICKET },
    };
    only(workspace, command).await
}

pub async fn keep_going(
    workspace: &Path,
    wanted: &str,
    switch: args::Switch,
) -> Result<Status, Refusal> {
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
    let dialog = find::dialog(&survey, wanted)?;
    let switch = match switch {
        args::Switch::On => Switch::On,
        args::Switch::Off => Switch::Off,
        args::Switch::Refill => Switch::Refill,
    };
    only(workspace, Command::KeepGoing { ticket: TICKET, dialog, switch }).await
}

/// Carries out one command with [`TICKET`]; nothing is driven.
pub async fn only(workspace: &Path, command: Command) -> Result<Status, Refusal> {
    let job = Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: false,
        timeout: None,
        as_json: false,
        consent: Consent::Recorded,
        leave_processes: false,
    };
    job.carry_out().await.map(|_| Status::Done)
}

impl Job<'_> {
    async fn carry_out(self) -> Result<Status, Refusal> {
        let mut signals = Signals::listen().map_err(|error| Refusal::invalid(error.to_string()))?;
        let (mut driver, store, shells) = app::start(Start {
            reader: config::read().look.lang,
            workspace: self.workspace,
            models: Models::Configured(self.consent),
            audience: Audience::Script,
            pick_up: self.pick_up,
            driving: self.driving,
        })?;
        if let Some(command) = self.command.clone() {
            let _ = driver.commands.send(command).await;
        }
        let outcome = self.watch(&mut driver, &mut signals).await;
        let _ = driver.commands.send(Command::Shutdown { grace: GRACE }).await;
        let mut printer = Printer::new(false);
        while let Some(event) = driver.events.recv().await {
            if event == UiEvent::Stopped {
                break;
            }
            if let UiEvent::Problems(_) = &event {
                printer.print(&event);
            }
        }
        driver.join().await;
        self.part_from(&shells).await;
        drop(store);
        outcome
    }

    /// Nobody is left to look after what this run has left in the background.
    async fn part_from(&self, shells: &Shells) {
        let running = || shells.running(ProcessScope::Ours);
        if self.leave_processes {
            shells.settle().await;
            for pid in running() {
                lines::remark(&format!("process {pid} goes on in the background"));
            }
            return;
        }
        let before = running().len();
        shells.stop_all(ProcessScope::Ours).await;
        if before > 0 {
            lines::remark(&format!("background processes stopped: {}", before - running().len()));
        }
    }

    /// Why a command was not carried out: a new dialog mostly for want of a sound configuration.
    fn refused(&self, text: &str) -> Refusal {
        if matches!(self.command, Some(Command::Create { .. })) {
            Refusal::invalid(text)
        } else {
            Refusal::refused(text)
        }
    }

    /// Prints events until nothing moves.
    async fn watch(&self, driver: &mut Driver, signals: &mut Signals) -> Result<Status, Refusal> {
        let mut printer = Printer::new(self.as_json);
        if self.forks() {
            printer = printer.without_talk();
        }
        let mut accepted = self.command.is_none();
        let mut driving = self.driving;
        let mut ending: Option<Status> = None;
        let far = Instant::now() + self.timeout.unwrap_or(Duration::from_secs(u64::from(u32::MAX)));
        loop {
            let event = tokio::select! {
                event = driver.events.recv() => event,
                ask = signals.next() => match ask {
                    Ask::Interrupt => {
                        ending = Some(Status::Interrupted);
                        let _ = driver.commands.send(Command::StopAll).await;
                        continue;
                    }
                    Ask::Terminate | Ask::HangUp => return Ok(Status::Terminated),
                },
                () = sleep_until(far) => return Ok(Status::TimedOut),
            };
            let Some(event) = event else { return Ok(ending.unwrap_or(Status::Failed)) };
            if let UiEvent::Refused { ticket: TICKET, text } = &event {
                return Err(self.refused(text));
            }
            if matches!(event, UiEvent::Done { ticket: TICKET, .. }) {
                accepted = true;
                if !driving {
                    return Ok(Status::Done);
                }
            }
            if let UiEvent::Quiet(outcome) = &event {
                if !accepted && ending.is_none() {
                    continue;
                }
                printer.print(&event);
                return Ok(ending.unwrap_or((*outcome).into()));
            }
            if let UiEvent::Forked { next, .. } = &event {
                driving &= *next == AfterFork::AutoContinue;
            }
            printer.print(&event);
        }
    }

    fn forks(&self) -> bool {
        let fork = |change: &Lifecycle| matches!(change, Lifecycle::Fork { .. });
        matches!(&self.command, Some(Command::Lifecycle { change, .. }) if fork(change))
    }
}

fn consent(driving: &Driving) -> Consent {
    if driving.trust { Consent::Given } else { Consent::Recorded }
}

fn text_or_input(text: &str) -> Result<String, Refusal> {
    let text = if text == "-" {
        let mut input = String::new();
        std::io::stdin()
            .read_to_string(&mut input)
            .map_err(|error| Refusal::usage(format!("reading standard input: {error}")))?;
        input
    } else {
        text.to_owned()
    };
    if text.trim().is_empty() {
        return Err(Refusal::usage("the text is empty"));
    }
    Ok(text)
}
