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
use super::events::{Deltas, Form, Printer, Scope};
use super::exit::{CommandError, Status};
use super::stream::{self, Stream};
use super::{find, lines, trust};

/// The one command of a headless run.
pub const TICKET: Ticket = 1;
/// How long streams may take to end when the program is told to.
const GRACE: Duration = Duration::from_secs(3);
/// Where a terminal does not tell how wide it is.
const USUAL_COLUMNS: usize = 80;
/// The Taskdoc of `run` where none is named.
const DEFAULT_TASK: &str = "task.tsk";

/// What is done, and when it is over.
struct Job<'a> {
    workspace: &'a Path,
    command: Option<Command>,
    pick_up: PickUp,
    driving: bool,
    timeout: Option<Duration>,
    telling: Telling,
    /// All that waits for consent is agreed to for this run.
    trusting: bool,
    /// What becomes of processes that members left in the background.
    leave_processes: bool,
}

/// For whom a job tells what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    Json(Deltas),
    Report,
    Terminal,
    Remarks,
}

impl Telling {
    fn of(driving: &DriveArgs) -> Self {
        match (driving.json, driving.deltas) {
            (true, true) => Self::Json(Deltas::Told),
            (true, false) => Self::Json(Deltas::Omitted),
            (false, _) if io::stdout().is_terminal() => Self::Terminal,
            (false, _) => Self::Report,
        }
    }

    /// Nothing of what dialogs say and do, unless as JSON: what a script reads of a fork is its id.
    fn without_talk(driving: &DriveArgs) -> Self {
        match Self::of(driving) {
            json @ Self::Json(_) => json,
            Self::Report | Self::Terminal | Self::Remarks => Self::Remarks,
        }
    }

    fn audience(self) -> Audience {
        match self {
            Self::Json(Deltas::Omitted) | Self::Report | Self::Remarks => Audience::Script,
            Self::Json(Deltas::Told) | Self::Terminal => Audience::Follower,
        }
    }

    fn form(self) -> Form {
        match self {
            Self::Json(deltas) => Form::Json(deltas),
            Self::Report => Form::Report,
            Self::Remarks => Form::Remarks,
            Self::Terminal => {
                let dumb = env::variable("TERM").is_none_or(|term| term == "dumb");
                let shows = if dumb { stream::Status::Hidden } else { stream::Status::Shown };
                Form::Terminal(Box::new(Stream::new(columns().unwrap_or(USUAL_COLUMNS), shows)))
            }
        }
    }
}

pub async fn run(workspace: &Path, run: RunArgs) -> Result<Status, CommandError> {
    let text = text_or_input(&run.text)?;
    let command = match &run.dialog {
        Some(wanted) => {
            let (survey, dialog) = running_dialog(workspace, wanted)?;
            must_take_words(&survey, &dialog)?;
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
        telling: Telling::of(&run.driving),
        trusting: run.driving.trust,
        leave_processes: run.driving.leave_processes,
    }
    .carry_out()
    .await
}

/// Said before anything is driven: the tree of a dialog that takes no words may have other work to do,
/// which the end of this command would cut off.
fn must_take_words(survey: &Survey, id: &DialogId) -> Result<(), CommandError> {
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
        telling: Telling::of(drive),
        trusting: drive.trust,
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
    driving: &DriveArgs,
) -> Result<Status, CommandError> {
    let text = text_or_input(text)?;
    let survey = running(workspace)?;
    let (dialog, question) = find::question(&survey, wanted)?;
    let command = Command::Answer { ticket: TICKET, dialog, question: question.id, text };
    let job = Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: !no_drive,
        timeout: driving.timeout,
        telling: if no_drive { Telling::without_talk(driving) } else { Telling::of(driving) },
        trusting: driving.trust,
        leave_processes: driving.leave_processes,
    };
    let status = job.carry_out().await?;
    if no_drive && !driving.json {
        lines::say("the answer is recorded; `dominds-tui drive`, or the screen, goes on with it");
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
        telling: Telling::without_talk(&wanted.driving),
        trusting: wanted.driving.trust,
        leave_processes: wanted.driving.leave_processes,
    }
    .carry_out()
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
    let mut told = find::told_to_go_on(&survey);
    told.retain(|dialog| wanted.as_ref().is_none_or(|wanted| wanted == dialog));
    for dialog in &told {
        only(workspace, Command::Withdraw { ticket: TICKET, dialog: dialog.clone() }).await?;
        let named = find::named(&survey, dialog);
        lines::say(&format!("{named} was told to go on, and is stopped again"));
    }
    match wanted {
        _ if !told.is_empty() => {}
        Some(id) => {
            let named = find::named(&survey, &id);
            lines::say(&format!("{named} is not running; there is nothing to stop"));
        }
        None => lines::say("nothing is running; there is nothing to stop"),
    }
    Ok(Status::Done)
}

pub async fn resume(workspace: &Path, which: &DialogOrAll) -> Result<Status, CommandError> {
    const HOW: &str = "may go on; `dominds-tui drive`, or the screen, lets it";
    if let Some(wanted) = &which.dialog {
        let (survey, dialog) = running_dialog(workspace, wanted)?;
        let named = find::named(&survey, &dialog);
        only(workspace, Command::Continue { ticket: TICKET, dialog }).await?;
        lines::say(&format!("{named} {HOW}"));
        return Ok(Status::Done);
    }
    only(workspace, Command::ContinueAll { ticket: TICKET }).await?;
    let survey = running(workspace)?;
    for dialog in find::told_to_go_on(&survey) {
        lines::say(&format!("{} {HOW}", find::named(&survey, &dialog)));
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
    only(workspace, Command::KeepGoing { ticket: TICKET, dialog, switch }).await?;
    lines::say(&format!("keep-going of {named} {done}"));
    Ok(Status::Done)
}

fn running(workspace: &Path) -> Result<Survey, CommandError> {
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
pub async fn only(workspace: &Path, command: Command) -> Result<Status, CommandError> {
    let job = Job {
        workspace,
        command: Some(command),
        pick_up: PickUp::Named,
        driving: false,
        timeout: None,
        telling: Telling::Remarks,
        trusting: false,
        leave_processes: false,
    };
    job.carry_out().await.map(|_| Status::Done)
}

impl Job<'_> {
    async fn carry_out(self) -> Result<Status, CommandError> {
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
            audience: self.telling.audience(),
            pick_up: self.pick_up,
            driving: self.driving,
        })?;
        if let Some(command) = self.command.clone() {
            let _ = driver.commands.send(command).await;
        }
        let outcome = self.watch(&mut driver, &mut signals).await;
        let _ = driver.commands.send(Command::Shutdown { grace: GRACE }).await;
        let mut printer = Printer::new(Form::Report, Scope::Nothing);
        while let Some(event) = driver.events.recv().await {
            if event == DriverEvent::Stopped {
                break;
            }
            if let DriverEvent::Problems(_) = &event {
                printer.print(&event);
            }
        }
        driver.join().await;
        self.part_from(&shells).await;
        drop(store);
        if let (Ok(Status::TimedOut), Some(limit)) = (&outcome, self.timeout) {
            let seconds = limit.as_secs_f64();
            lines::remark(&format!(
                "dominds-tui: timed out after {seconds} s; everything is on disk: \
                 `dominds-tui resume --all`, then `dominds-tui drive` goes on"
            ));
        }
        outcome
    }

    /// What a person agreed to. Nothing is driven while something waits: there is nobody to ask.
    fn trust(&self) -> Result<Trust, CommandError> {
        if self.trusting {
            return Ok(Trust::for_this_run(self.workspace));
        }
        let trust = Trust::recorded(self.workspace);
        let waiting = if self.driving { trust.waiting() } else { Vec::new() };
        if waiting.is_empty() {
            return Ok(trust);
        }
        for unagreed in &waiting {
            lines::remark(&trust::line(unagreed));
        }
        Err(CommandError::invalid(
            "nobody has agreed to this, so nothing is driven: if you do, run `dominds-tui trust`, or \
             add --trust for this run only",
        ))
    }

    /// Nobody is left to look after what this run has left in the background. What is in a sandbox ends
    /// with the program in any case.
    async fn part_from(&self, shells: &Shells) {
        let running = || shells.running(ProcessScope::Ours);
        let before = running().len();
        if self.leave_processes {
            shells.settle().await;
        } else {
            shells.stop_all(ProcessScope::Ours).await;
        }
        let left = running();
        if before > left.len() {
            lines::remark(&format!("background processes stopped: {}", before - left.len()));
        }
        for pid in left.iter().filter(|_| self.leave_processes) {
            lines::remark(&format!("process {pid} goes on in the background"));
        }
    }

    fn scope(&self) -> Scope {
        match self.pick_up {
            _ if !self.driving => Scope::Nothing,
            PickUp::Everything => Scope::Everything,
            PickUp::Named => Scope::Tree,
        }
    }

    /// Why a command was not carried out: a new dialog mostly for want of a sound configuration.
    fn refused(&self, text: &str) -> CommandError {
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
        let mut printer = Printer::new(self.telling.form(), self.scope());
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
                return Err(self.refused(text));
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

fn text_or_input(text: &str) -> Result<String, CommandError> {
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
