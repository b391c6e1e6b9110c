//! `run`, `drive`, `q4h answer`, `fork`, `stop`, `resume`, `keep-going`: the engine without a screen.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::app::{self, Models, StartOptions};
use crate::consent::Trust;
use crate::domain::keep_going::KeepGoingSwitch;
use crate::domain::text::Localized;
use crate::domain::tree::Bucket;
use crate::domain::{AgentId, DialogId, Lang};
use crate::driver::{Audience, Driver, PickUp};
use crate::minds::{Minds, taskdoc};
use crate::platform::env;
use crate::platform::signals::{Signals, StopSignal};
use crate::protocol::Refusal;
use crate::protocol::command::{Command, Ticket};
use crate::protocol::event::DriverEvent;
use crate::protocol::lifecycle::{AfterFork, Lifecycle};
use crate::store::{Access, Survey};
use crate::tools::{ProcessScope, Shells};
use crate::ui::start::columns;

use super::args::{self, DialogOrAll, DriveArgs, RunArgs};
use super::config;
use super::events::{Deltas, DriveScope, EventFormat, Printer};
use super::exit::{CommandError, Status};
use super::stream::{self, TerminalStream};
use super::{find, lines, trust};

/// The ticket of the one command of a run without a screen.
pub const TICKET: Ticket = 1;
/// For streams to end when the program stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
/// If the width of the terminal is unknown.
const DEFAULT_COLUMNS: usize = 80;
/// The Taskdoc of `run` if none is given.
const DEFAULT_TASK: &str = "task.tsk";

/// A command, and how it is driven.
struct Job<'a> {
    workspace: &'a Path,
    command: Option<Command>,
    pick_up: PickUp,
    driving: bool,
    timeout: Option<Duration>,
    output: OutputMode,
    /// Agree to everything for this run.
    trust_all: bool,
    /// Leave background processes running.
    leave_processes: bool,
}

/// How a job prints events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputMode {
    Json(Deltas),
    Report,
    Terminal,
    NotesOnly,
}

impl OutputMode {
    fn of(driving: &DriveArgs) -> Self {
        match (driving.json, driving.deltas) {
            (true, true) => Self::Json(Deltas::Printed),
            (true, false) => Self::Json(Deltas::Omitted),
            (false, _) if io::stdout().is_terminal() => Self::Terminal,
            (false, _) => Self::Report,
        }
    }

    /// JSON, or no output of dialogs: a script that forks reads the id.
    fn notes_only(driving: &DriveArgs) -> Self {
        match Self::of(driving) {
            json @ Self::Json(_) => json,
            Self::Report | Self::Terminal | Self::NotesOnly => Self::NotesOnly,
        }
    }

    fn audience(self) -> Audience {
        match self {
            Self::Json(Deltas::Omitted) | Self::Report | Self::NotesOnly => Audience::Script,
            Self::Json(Deltas::Printed) | Self::Terminal => Audience::Follower,
        }
    }

    fn format(self) -> EventFormat {
        match self {
            Self::Json(deltas) => EventFormat::Json(deltas),
            Self::Report => EventFormat::Report,
            Self::NotesOnly => EventFormat::NotesOnly,
            Self::Terminal => {
                let dumb = env::variable("TERM").is_none_or(|term| term == "dumb");
                let shows =
                    if dumb { stream::StatusLine::Hidden } else { stream::StatusLine::Shown };
                EventFormat::Terminal(Box::new(TerminalStream::new(
                    columns().unwrap_or(DEFAULT_COLUMNS),
                    shows,
                )))
            }
        }
    }
}

pub async fn run(workspace: &Path, run: RunArgs) -> Result<Status, CommandError> {
    let text = text_or_stdin(&run.text)?;
    let command = match &run.dialog {
        Some(wanted) => {
            let (survey, dialog) = running_dialog(workspace, wanted)?;
            check_takes_messages(&survey, &dialog)?;
            Command::Say { ticket: TICKET, dialog, text }
        }
        None => Command::Create {
            ticket: TICKET,
            agent: responder(workspace, run.agent.as_deref())?,
            taskdoc: taskdoc_path(run.task.as_deref().unwrap_or(DEFAULT_TASK))?,
            text,
        },
    };
    Job {
        workspace,
        command: Some(command),
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
        pick_up: PickUp::Everything,
        driving: true,
        timeout: drive.timeout,
        output: OutputMode::of(drive),
        trust_all: drive.trust,
        leave_processes: drive.leave_processes,
    }
    .execute()
    .await
}

pub async fn answer(
    workspace: &Path,
    wanted: &str,
    text: &str,
    no_drive: bool,
    driving: &DriveArgs,
) -> Result<Status, CommandError> {
    let text = text_or_stdin(text)?;
    let survey = running_dialogs(workspace)?;
    let (dialog, question) = find::question(&survey, wanted)?;
    let command = Command::Answer { ticket: TICKET, dialog, question: question.id, text };
    let job = Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: !no_drive,
        timeout: driving.timeout,
        output: if no_drive { OutputMode::notes_only(driving) } else { OutputMode::of(driving) },
        trust_all: driving.trust,
        leave_processes: driving.leave_processes,
    };
    let status = job.execute().await?;
    if no_drive && !driving.json {
        lines::print(
            "the answer is recorded; `dominds-tui drive`, or the screen, continues with it",
        );
    }
    Ok(status)
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

/// Nothing else drives while this process has the lock of the workspace, so only resumed dialogs can be
/// stopped. A workspace that is in use is an error.
pub async fn stop(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    let named = which.dialog.as_ref().map(|wanted| running_dialog(workspace, wanted));
    let wanted = named.transpose()?.map(|(_, dialog)| dialog);
    let store = app::open(workspace, Access::ReadWrite)?;
    let survey = store.survey(&[Bucket::Run]);
    drop(store);
    let mut resumed = find::resumed_dialogs(&survey);
    resumed.retain(|dialog| wanted.as_ref().is_none_or(|wanted| wanted == dialog));
    for dialog in &resumed {
        run_command(workspace, Command::Withdraw { ticket: TICKET, dialog: dialog.clone() })
            .await?;
        let named = find::named(&survey, dialog);
        lines::print(&format!("{named} was resumed, and is stopped again"));
    }
    match wanted {
        _ if !resumed.is_empty() => {}
        Some(id) => {
            let named = find::named(&survey, &id);
            lines::print(&format!("{named} is not running; there is nothing to stop"));
        }
        None => lines::print("nothing is running; there is nothing to stop"),
    }
    Ok(Status::Done)
}

pub async fn resume(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    const HOW: &str = "is resumed; `dominds-tui drive`, or the screen, continues it";
    if let Some(wanted) = &which.dialog {
        let (survey, dialog) = running_dialog(workspace, wanted)?;
        let named = find::named(&survey, &dialog);
        run_command(workspace, Command::Continue { ticket: TICKET, dialog }).await?;
        lines::print(&format!("{named} {HOW}"));
        return Ok(Status::Done);
    }
    run_command(workspace, Command::ContinueAll { ticket: TICKET }).await?;
    let survey = running_dialogs(workspace)?;
    for dialog in find::resumed_dialogs(&survey) {
        lines::print(&format!("{} {HOW}", find::named(&survey, &dialog)));
    }
    Ok(Status::Done)
}

pub async fn keep_going(
    workspace: &Path,
    wanted: &str,
    switch: args::KeepGoingSwitch,
) -> Result<Status, CommandError> {
    let (survey, dialog) = running_dialog(workspace, wanted)?;
    let named = find::named(&survey, &dialog);
    let (switch, done) = match switch {
        args::KeepGoingSwitch::On => (KeepGoingSwitch::On, "is on"),
        args::KeepGoingSwitch::Off => (KeepGoingSwitch::Off, "is off"),
        args::KeepGoingSwitch::Refill => (KeepGoingSwitch::Refill, "has all its pushes again"),
    };
    run_command(workspace, Command::KeepGoing { ticket: TICKET, dialog, switch }).await?;
    lines::print(&format!("keep-going of {named} {done}"));
    Ok(Status::Done)
}

fn running_dialogs(workspace: &Path) -> Result<Survey, CommandError> {
    Ok(app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]))
}

/// Finds an active dialog. For a done or archived one, the error says how to restore it.
pub fn running_dialog(workspace: &Path, wanted: &str) -> Result<(Survey, DialogId), CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&[Bucket::Run]);
    let not_found = match find::dialog(&survey, wanted) {
        Ok(dialog) => return Ok((survey, dialog)),
        Err(not_found) => not_found,
    };
    let all = store.survey(&Bucket::ALL);
    let Ok(inactive) = find::dialog(&all, wanted) else { return Err(not_found) };
    let named = find::named(&all, &inactive);
    let status = store.find(&inactive.root).unwrap_or(Bucket::Run).status();
    Err(CommandError::refused(format!(
        "{named} is {status}; `dominds-tui revive {}` restores it",
        inactive.root
    )))
}

/// Executes one command with [`TICKET`], without driving.
pub async fn run_command(workspace: &Path, command: Command) -> Result<Status, CommandError> {
    let job = Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: false,
        timeout: None,
        output: OutputMode::NotesOnly,
        trust_all: false,
        leave_processes: false,
    };
    job.execute().await.map(|_| Status::Done)
}

impl Job<'_> {
    async fn execute(self) -> Result<Status, CommandError> {
        let mut signals =
            Signals::listen().map_err(|error| CommandError::invalid(error.to_string()))?;
        let trust = Arc::new(self.trust()?);
        let setup = config::read();
        let (mut driver, store, shells) = app::start(StartOptions {
            level: setup.levels.of(self.workspace),
            level_is_set: setup.levels.set_for(self.workspace).is_some(),
            servers_level: setup.levels.servers,
            user_lang: setup.look.lang,
            limits: setup.limits,
            config_problems: Vec::new(),
            workspace: self.workspace,
            models: Models::Configured(trust),
            audience: self.output.audience(),
            pick_up: self.pick_up,
            driving: self.driving,
        })?;
        if let Some(command) = self.command.clone() {
            let _ = driver.commands.send(command).await;
        }
        let outcome = self.watch(&mut driver, &mut signals).await;
        let _ = driver.commands.send(Command::Shutdown { grace: SHUTDOWN_TIMEOUT }).await;
        let mut printer = Printer::new(EventFormat::Report, DriveScope::Nothing);
        while let Some(event) = driver.events.recv().await {
            if event == DriverEvent::Stopped {
                break;
            }
            if let DriverEvent::Problems(_) = &event {
                printer.print(&event);
            }
        }
        driver.join().await;
        self.end_processes(&shells).await;
        drop(store);
        if let (Ok(Status::TimedOut), Some(limit)) = (&outcome, self.timeout) {
            let seconds = limit.as_secs_f64();
            lines::note(&format!(
                "dominds-tui: timed out after {seconds} s; everything is on disk: \
                 `dominds-tui resume --all`, then `dominds-tui drive` continues"
            ));
        }
        outcome
    }

    /// The user's consent. Without a screen nobody can be asked, so waiting entries are an error.
    fn trust(&self) -> Result<Trust, CommandError> {
        if self.trust_all {
            return Ok(Trust::for_this_run(self.workspace));
        }
        let trust = Trust::recorded(self.workspace);
        let waiting = if self.driving { trust.waiting() } else { Vec::new() };
        if waiting.is_empty() {
            return Ok(trust);
        }
        for unagreed in &waiting {
            lines::note(&trust::line(unagreed));
        }
        Err(CommandError::invalid(
            "you have not agreed to this yet, so nothing is driven: to agree, run `dominds-tui trust`, or \
             add --trust for this run only",
        ))
    }

    /// Ends background processes, or leaves them running. Processes in a sandbox always end with the
    /// program.
    async fn end_processes(&self, shells: &Shells) {
        let running = || shells.running(ProcessScope::Ours);
        let before = running().len();
        if self.leave_processes {
            shells.settle().await;
        } else {
            shells.stop_all(ProcessScope::Ours).await;
        }
        let left = running();
        if before > left.len() {
            lines::note(&format!("background processes stopped: {}", before - left.len()));
        }
        for pid in left.iter().filter(|_| self.leave_processes) {
            lines::note(&format!("process {pid} keeps running in the background"));
        }
    }

    fn scope(&self) -> DriveScope {
        match self.pick_up {
            _ if !self.driving => DriveScope::Nothing,
            PickUp::Everything => DriveScope::Everything,
            PickUp::Named => DriveScope::Tree,
        }
    }

    /// A new dialog is mostly refused because of an invalid configuration.
    fn refusal(&self, text: &str) -> CommandError {
        if matches!(self.command, Some(Command::Create { .. })) {
            CommandError::invalid(text)
        } else {
            CommandError::refused(text)
        }
    }

    async fn watch(
        &self,
        driver: &mut Driver,
        signals: &mut Signals,
    ) -> Result<Status, CommandError> {
        let mut printer = Printer::new(self.output.format(), self.scope());
        let ended = self.follow(driver, signals, &mut printer).await;
        printer.close();
        ended
    }

    /// Prints events until all dialogs are quiet.
    async fn follow(
        &self,
        driver: &mut Driver,
        signals: &mut Signals,
        printer: &mut Printer,
    ) -> Result<Status, CommandError> {
        let mut accepted = self.command.is_none();
        let mut driving = self.driving;
        let mut ending: Option<Status> = None;
        let deadline =
            Instant::now() + self.timeout.unwrap_or(Duration::from_secs(u64::from(u32::MAX)));
        loop {
            let event = tokio::select! {
                event = driver.events.recv() => event,
                signal = signals.next() => match signal {
                    // A second interrupt does not wait for running dialogs.
                    StopSignal::Interrupt if ending.is_some() => return Ok(Status::Interrupted),
                    StopSignal::Interrupt => {
                        ending = Some(Status::Interrupted);
                        let _ = driver.commands.send(Command::StopAll).await;
                        continue;
                    }
                    StopSignal::Terminate | StopSignal::HangUp => return Ok(Status::Terminated),
                },
                () = sleep_until(deadline) => return Ok(Status::TimedOut),
            };
            let Some(event) = event else { return Ok(ending.unwrap_or(Status::Failed)) };
            if let DriverEvent::Refused { ticket: TICKET, text } = &event {
                return Err(self.refusal(&text.to_string()));
            }
            // A new entry since the check at the start: nothing would be driven.
            if let DriverEvent::Consent(consent) = &event
                && consent.read_only
                && self.driving
            {
                let text = "the workspace has changed, and something in it waits for your consent: \
                            `dominds-tui trust` shows it";
                return Err(CommandError::invalid(text));
            }
            if matches!(event, DriverEvent::Done { ticket: TICKET, .. }) {
                accepted = true;
                if !driving {
                    return Ok(Status::Done);
                }
            }
            if let DriverEvent::Quiet(outcome) = &event {
                if !accepted && ending.is_none() {
                    continue;
                }
                printer.print(&event);
                return Ok(ending.unwrap_or((*outcome).into()));
            }
            if let DriverEvent::Forked { next, .. } = &event {
                driving &= *next == AfterFork::AutoContinue;
            }
            printer.print(&event);
        }
    }
}

fn text_or_stdin(text: &str) -> Result<String, CommandError> {
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
