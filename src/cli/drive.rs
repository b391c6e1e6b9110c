//! `run`, `drive`, `q4h answer`, `fork`, `stop`, `resume`, `keep-going`: the engine without a screen.

use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::app::{self, Models, StartOptions, Trust};
use crate::domain::keep_going::Switch;
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
use super::stream::{self, Stream};
use super::{find, lines, trust};

/// The one command of a headless run.
pub const TICKET: Ticket = 1;
/// How long streams may take to end when the program is told to.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
/// Where a terminal does not tell how wide it is.
const DEFAULT_COLUMNS: usize = 80;
/// The Taskdoc of `run` where none is named.
const DEFAULT_TASK: &str = "task.tsk";

/// What is done, and when it is over.
struct Job<'a> {
    workspace: &'a Path,
    command: Option<Command>,
    pick_up: PickUp,
    driving: bool,
    timeout: Option<Duration>,
    output: OutputMode,
    /// All that waits for consent is agreed to for this run.
    trust_all: bool,
    /// What becomes of processes that members left in the background.
    leave_processes: bool,
}

/// For whom a job tells what happens.
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

    /// Nothing of what dialogs say and do, unless as JSON: what a script reads of a fork is its id.
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
                EventFormat::Terminal(Box::new(Stream::new(
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

/// Said before anything is driven: the tree of a dialog that takes no words may have other work to do,
/// which the end of this command would cut off.
fn check_takes_messages(survey: &Survey, id: &DialogId) -> Result<(), CommandError> {
    let tree = survey.trees.iter().find(|tree| tree.root == id.root);
    let found = tree.and_then(|tree| tree.dialogs.iter().find(|dialog| dialog.id == id.this));
    let why = match found {
        Some(dialog) if dialog.latest.is_dead() => Refusal::DeadTakesNoMessages,
        Some(dialog) if dialog.reasoning.is_some() => Refusal::TakesNoMessages,
        Some(_) | None => return Ok(()),
    };
    Err(CommandError::refused(why.text()))
}

/// A member that is named, or who answers where nobody is.
pub fn responder(workspace: &Path, wanted: Option<&str>) -> Result<AgentId, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    if let Some(name) = wanted {
        return find::member(&minds, name).map(|member| member.id.clone());
    }
    if let Some(missing) = minds.missing() {
        return Err(CommandError::invalid(missing.to_string()));
    }
    let nobody = || CommandError::invalid(".minds/team.yaml names nobody; add a member");
    minds.default_responder().cloned().ok_or_else(nobody)
}

fn taskdoc_path(path: &str) -> Result<String, CommandError> {
    taskdoc::validate_path(path)
        .map_err(|why| CommandError::usage(format!("the Taskdoc {path}: {why}")))?;
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
        lines::print("the answer is recorded; `dominds-tui drive`, or the screen, goes on with it");
    }
    Ok(status)
}

/// Makes a fork and drives it. Its words are not printed, unless as JSON: what a script reads is its id.
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

/// Nobody else drives while this process holds the workspace, so there is nothing left to stop but what
/// was told to go on; a workspace that is in use says so.
pub async fn stop(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    let named = which.dialog.as_ref().map(|wanted| running_dialog(workspace, wanted));
    let wanted = named.transpose()?.map(|(_, dialog)| dialog);
    let store = app::open(workspace, Access::ReadWrite)?;
    let survey = store.survey(&[Bucket::Run]);
    drop(store);
    let mut told = find::resumed_dialogs(&survey);
    told.retain(|dialog| wanted.as_ref().is_none_or(|wanted| wanted == dialog));
    for dialog in &told {
        run_command(workspace, Command::Withdraw { ticket: TICKET, dialog: dialog.clone() })
            .await?;
        let named = find::named(&survey, dialog);
        lines::print(&format!("{named} was told to go on, and is stopped again"));
    }
    match wanted {
        _ if !told.is_empty() => {}
        Some(id) => {
            let named = find::named(&survey, &id);
            lines::print(&format!("{named} is not running; there is nothing to stop"));
        }
        None => lines::print("nothing is running; there is nothing to stop"),
    }
    Ok(Status::Done)
}

pub async fn resume(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    const HOW: &str = "may go on; `dominds-tui drive`, or the screen, lets it";
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
        args::KeepGoingSwitch::On => (Switch::On, "is on"),
        args::KeepGoingSwitch::Off => (Switch::Off, "is off"),
        args::KeepGoingSwitch::Refill => (Switch::Refill, "has all its pushes again"),
    };
    run_command(workspace, Command::KeepGoing { ticket: TICKET, dialog, switch }).await?;
    lines::print(&format!("keep-going of {named} {done}"));
    Ok(Status::Done)
}

fn running_dialogs(workspace: &Path) -> Result<Survey, CommandError> {
    Ok(app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]))
}

/// The dialog that is named among those that run. One that was put away is there, but can do nothing.
pub fn running_dialog(workspace: &Path, wanted: &str) -> Result<(Survey, DialogId), CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&[Bucket::Run]);
    let unknown = match find::dialog(&survey, wanted) {
        Ok(dialog) => return Ok((survey, dialog)),
        Err(unknown) => unknown,
    };
    let all = store.survey(&Bucket::ALL);
    let Ok(away) = find::dialog(&all, wanted) else { return Err(unknown) };
    let named = find::named(&all, &away);
    let status = store.find(&away.root).unwrap_or(Bucket::Run).status();
    Err(CommandError::refused(format!(
        "{named} is {status}; `dominds-tui revive {}` brings it back",
        away.root
    )))
}

/// Carries out one command with [`TICKET`]; nothing is driven.
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
                 `dominds-tui resume --all`, then `dominds-tui drive` goes on"
            ));
        }
        outcome
    }

    /// What a person agreed to. Nothing is driven while something waits: there is nobody to ask.
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
            "nobody has agreed to this, so nothing is driven: if you do, run `dominds-tui trust`, or \
             add --trust for this run only",
        ))
    }

    /// Nobody is left to look after what this run has left in the background. What is in a sandbox ends
    /// with the program in any case.
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
            lines::note(&format!("process {pid} goes on in the background"));
        }
    }

    fn scope(&self) -> DriveScope {
        match self.pick_up {
            _ if !self.driving => DriveScope::Nothing,
            PickUp::Everything => DriveScope::Everything,
            PickUp::Named => DriveScope::Tree,
        }
    }

    /// Why a command was not carried out: a new dialog mostly for want of a sound configuration.
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

    /// Prints events until nothing moves.
    async fn follow(
        &self,
        driver: &mut Driver,
        signals: &mut Signals,
        printer: &mut Printer,
    ) -> Result<Status, CommandError> {
        let mut accepted = self.command.is_none();
        let mut driving = self.driving;
        let mut ending: Option<Status> = None;
        let far = Instant::now() + self.timeout.unwrap_or(Duration::from_secs(u64::from(u32::MAX)));
        loop {
            let event = tokio::select! {
                event = driver.events.recv() => event,
                ask = signals.next() => match ask {
                    // Whoever asks twice does not wait for the end of what runs.
                    StopSignal::Interrupt if ending.is_some() => return Ok(Status::Interrupted),
                    StopSignal::Interrupt => {
                        ending = Some(Status::Interrupted);
                        let _ = driver.commands.send(Command::StopAll).await;
                        continue;
                    }
                    StopSignal::Terminate | StopSignal::HangUp => return Ok(Status::Terminated),
                },
                () = sleep_until(far) => return Ok(Status::TimedOut),
            };
            let Some(event) = event else { return Ok(ending.unwrap_or(Status::Failed)) };
            if let DriverEvent::Refused { ticket: TICKET, text } = &event {
                return Err(self.refusal(text));
            }
            // It came after the look at the start: nothing would ever be driven.
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
