//! One command executed by the engine without a screen: starts it, prints its events, ends it when all
//! dialogs are quiet.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::app::{self, Models, StartOptions};
use crate::consent::Trust;
use crate::domain::Unagreed;
use crate::driver::{Driver, PickUp};
use crate::platform::signals::{Signals, StopSignal};
use crate::protocol::command::{Command, Ticket};
use crate::protocol::event::{DriverEvent, HaltedDialog, QuietOutcome};
use crate::protocol::lifecycle::AfterFork;
use crate::remote::Connection;
use crate::sandbox::Sandbox;
use crate::store::Store;
use crate::tools::{ProcessScope, Shells};

use super::events::{DriveScope, Printer};
use super::other_driver::{self, DriverPlace, Found, SHUTDOWN_TIMEOUT, TICKET};
use super::output_mode::OutputMode;
use super::own_run::OwnRun;
use super::trust;
use crate::cli::config::{self, UserConfig};
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;

/// A command, and how it is driven.
pub struct Job<'a> {
    pub workspace: &'a Path,
    pub command: Option<Command>,
    /// Commands to send once `command` is acknowledged, each with the question that it answers and a ticket
    /// of its own. Their outcomes are printed; a refusal is no failure.
    pub also: Vec<(String, Command)>,
    pub pick_up: PickUp,
    pub driving: bool,
    pub timeout: Option<Duration>,
    pub output: OutputMode,
    /// Agree to everything for this run.
    pub trust_all: bool,
    /// Leave background processes running.
    pub leave_processes: bool,
}

/// Executes one command with [`TICKET`], without driving.
pub async fn run_command(workspace: &Path, command: Command) -> Result<DriverPlace, CommandError> {
    let job = Job {
        workspace,
        command: Some(command),
        also: Vec::new(),
        pick_up: PickUp::Named,
        driving: false,
        timeout: None,
        output: OutputMode::NotesOnly,
        trust_all: false,
        leave_processes: false,
    };
    let signals = Signals::listen().map_err(|error| CommandError::invalid(error.to_string()))?;
    job.execute_with(signals).await.map(|(_, place)| place)
}

impl Job<'_> {
    pub async fn execute(self) -> Result<Status, CommandError> {
        let signals =
            Signals::listen().map_err(|error| CommandError::invalid(error.to_string()))?;
        self.execute_with(signals).await.map(|(status, _)| status)
    }

    async fn execute_with(
        self,
        mut signals: Signals,
    ) -> Result<(Status, DriverPlace), CommandError> {
        let setup = config::read(self.workspace);
        let hello = other_driver::hello(self.output.audience());
        let found =
            other_driver::find_or_start(self.workspace, hello, || self.start(&setup)).await?;
        Ok(match found {
            Found::Elsewhere(driver) => {
                (self.execute_elsewhere(*driver, &mut signals).await?, DriverPlace::Elsewhere)
            }
            Found::Started(driver) => {
                (self.execute_here(driver, &mut signals).await?, DriverPlace::Here)
            }
        })
    }

    fn start(&self, setup: &UserConfig) -> Result<(Driver, Arc<Store>, Shells), CommandError> {
        let trust = Arc::new(self.trust()?);
        Ok(app::start(StartOptions {
            level: setup.levels.of(self.workspace),
            level_is_set: setup.levels.set_for(self.workspace).is_some(),
            servers_level: setup.levels.servers,
            tasks: setup.tasks.of(self.workspace),
            user_lang: setup.look.lang,
            limits: setup.limits,
            layout: setup.layout,
            config_problems: Vec::new(),
            workspace: self.workspace,
            models: Models::Configured(trust),
            audience: self.output.audience(),
            pick_up: self.pick_up,
            driving: self.driving,
        })?)
    }

    /// Runs it with a driver of this process, which others can reach meanwhile.
    async fn execute_here(
        self,
        (mut driver, store, shells): (Driver, Arc<Store>, Shells),
        signals: &mut Signals,
    ) -> Result<Status, CommandError> {
        let level = shells.sandbox().map(Sandbox::level);
        let server = self
            .driving
            .then(|| other_driver::listen(self.workspace, &driver, store.clone(), level))
            .flatten();
        if let Some(command) = self.command.clone() {
            let _ = driver.commands.send(command).await;
        }
        let channels = (&driver.commands, &mut driver.events);
        let outcome = self.watch(channels, DriverPlace::Here, signals).await;
        let _ = driver.commands.send(Command::Shutdown { grace: SHUTDOWN_TIMEOUT }).await;
        let mut printer = Printer::new(OutputMode::Report, DriveScope::Nothing);
        while let Some(event) = driver.events.recv().await {
            if event == DriverEvent::Stopped {
                break;
            }
            if let DriverEvent::Problems(_) = &event {
                printer.print(&event);
            }
        }
        driver.join().await;
        if let Some(server) = server {
            server.close().await;
        }
        self.end_processes(&shells).await;
        drop(store);
        if let (Ok(Status::TimedOut), Some(limit)) = (&outcome, self.timeout) {
            let seconds = limit.as_secs_f64();
            output::note(&format!(
                "dominds-tui: timed out after {seconds} s; everything is on disk: \
                 `dominds-tui resume --all`, then `dominds-tui drive` continues"
            ));
        }
        outcome
    }

    /// Runs it with a driver of another process, which goes on afterwards.
    async fn execute_elsewhere(
        self,
        found: Connection,
        signals: &mut Signals,
    ) -> Result<Status, CommandError> {
        let Connection { commands, mut events, tasks, .. } = found;
        if self.trust_all {
            output::note(
                "dominds-tui: a driver runs on this workspace: --trust has no effect on it, `dominds-tui trust` has",
            );
        }
        if let Some(command) = self.command.clone().filter(|_| !self.driving) {
            let _ = commands.send(command).await;
        }
        let outcome = self.watch((&commands, &mut events), DriverPlace::Elsewhere, signals).await;
        drop((commands, events));
        let _ = tasks.join().await;
        if let (Ok(Status::TimedOut), Some(limit)) = (&outcome, self.timeout) {
            let seconds = limit.as_secs_f64();
            output::note(&format!("dominds-tui: timed out after {seconds} s; the driver goes on"));
        }
        outcome
    }

    /// Returns the user's consent. Without a screen the user cannot be asked, so waiting entries are an error.
    fn trust(&self) -> Result<Trust, CommandError> {
        if self.trust_all {
            return Ok(Trust::for_this_run(self.workspace));
        }
        let trust = Trust::recorded(self.workspace);
        let waiting = if self.driving { trust.waiting() } else { Vec::new() };
        for unagreed in &waiting {
            output::note(&if unagreed.holds_dialogs() {
                trust::line(unagreed)
            } else {
                let (kind, name) = (unagreed.entry.kind.name(), &unagreed.entry.name);
                format!(
                    "{kind} {name} changed or is new: it is missing until you agree; `dominds-tui trust` shows it"
                )
            });
        }
        if !waiting.iter().any(Unagreed::holds_dialogs) {
            return Ok(trust);
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
            output::note(&format!("background processes stopped: {}", before - left.len()));
        }
        for pid in left.iter().filter(|_| self.leave_processes) {
            output::note(&format!("process {pid} keeps running in the background"));
        }
    }

    fn scope(&self) -> DriveScope {
        match self.pick_up {
            _ if !self.driving => DriveScope::Nothing,
            PickUp::Everything(_) | PickUp::Open => DriveScope::Everything,
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
        channels: (&mpsc::Sender<Command>, &mut mpsc::Receiver<DriverEvent>),
        place: DriverPlace,
        signals: &mut Signals,
    ) -> Result<Status, CommandError> {
        let mut printer = Printer::new(self.output, self.scope()).at(place);
        let run = match (place, &self.command) {
            (DriverPlace::Here, _) | (DriverPlace::Elsewhere, None) => OwnRun::Everything,
            (DriverPlace::Elsewhere, Some(command)) => OwnRun::of(command),
        };
        let ended = self.follow(channels, (place, run), signals, &mut printer).await;
        printer.close();
        ended
    }

    /// Prints events until the requested work is quiet.
    async fn follow(
        &self,
        (commands, events): (&mpsc::Sender<Command>, &mut mpsc::Receiver<DriverEvent>),
        (place, mut run): (DriverPlace, OwnRun),
        signals: &mut Signals,
        printer: &mut Printer,
    ) -> Result<Status, CommandError> {
        // What another driver would not drive is not recorded there: it lists its dialogs after what waits for consent.
        let is_sent_later = place == DriverPlace::Elsewhere && self.driving;
        let mut unsent = self.command.clone().filter(|_| is_sent_later);
        let mut accepted = self.command.is_none();
        let mut also = Also::default();
        let mut driving = self.driving;
        let mut ending: Option<Status> = None;
        let deadline =
            Instant::now() + self.timeout.unwrap_or(Duration::from_secs(u64::from(u32::MAX)));
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                signal = signals.next() => match signal {
                    // A second interrupt does not wait for running dialogs.
                    StopSignal::Interrupt if ending.is_some() => return Ok(Status::Interrupted),
                    StopSignal::Interrupt => {
                        let Some(stop) = run.stop(place) else { return Ok(Status::Interrupted) };
                        ending = Some(Status::Interrupted);
                        let _ = commands.send(stop).await;
                        continue;
                    }
                    StopSignal::Terminate | StopSignal::HangUp => return Ok(Status::Terminated),
                },
                () = sleep_until(deadline) => return Ok(Status::TimedOut),
            };
            let Some(event) = event else { return Ok(ending.unwrap_or(Status::Failed)) };
            if event == DriverEvent::Stopped {
                return Self::driver_ended(place, ending);
            }
            if let DriverEvent::Refused { ticket: TICKET, text } = &event {
                return Err(self.refusal(&text.to_string()));
            }
            // Here a new entry since the check at the start: nothing would be driven.
            if let DriverEvent::Consent(consent) = &event
                && consent.read_only
                && self.driving
            {
                let text = "something in the workspace waits for your consent, so nothing is driven: \
                            `dominds-tui trust` shows it";
                return Err(CommandError::invalid(text));
            }
            if matches!(event, DriverEvent::Rows(_))
                && let Some(command) = unsent.take()
            {
                let _ = commands.send(command).await;
            }
            if let DriverEvent::Done { ticket: TICKET, dialog } = &event {
                accepted = true;
                also.send(&self.also, commands).await;
                if !driving && also.is_over() {
                    return Ok(Status::Done);
                }
                for event in run.is(dialog.as_ref()) {
                    printer.print(&event);
                }
            }
            if also.takes(&event) && also.is_over() {
                if !driving {
                    return Ok(Status::Done);
                }
                let is_meant = |_: &_| place == DriverPlace::Elsewhere || !is_done(&event);
                if let Some((halted, outcome)) = also.quiet.take().filter(is_meant) {
                    return Ok(ends_quiet(printer, halted, outcome, ending));
                }
            }
            let Some(event) = run.own(event) else { continue };
            if let Some((halted, outcome)) = quiet(&event) {
                if !accepted && ending.is_none() {
                    continue;
                }
                if !also.is_over() && ending.is_none() {
                    also.quiet = Some((halted, outcome));
                    continue;
                }
                return Ok(ends_quiet(printer, halted, outcome, ending));
            }
            if let DriverEvent::Forked { next, .. } = &event {
                driving &= *next == AfterFork::AutoContinue;
            }
            printer.print(&event);
        }
    }

    fn driver_ended(place: DriverPlace, ending: Option<Status>) -> Result<Status, CommandError> {
        if place == DriverPlace::Elsewhere && ending.is_none() {
            let text = "the driver of this workspace has ended, or the connection to it was cut; everything \
                        is on disk: `dominds-tui drive` continues";
            return Err(CommandError::refused(text));
        }
        Ok(ending.unwrap_or(Status::Failed))
    }
}

/// The commands that follow the command of a job.
#[derive(Debug, Default)]
struct Also {
    /// Commands without a reply yet, each with its question.
    open: Vec<(Ticket, String)>,
    /// The quiet event that came meanwhile.
    quiet: Option<(Option<Vec<HaltedDialog>>, QuietOutcome)>,
}

impl Also {
    async fn send(&mut self, all: &[(String, Command)], commands: &mpsc::Sender<Command>) {
        for (question, command) in all {
            self.open.extend(command.ticket().map(|ticket| (ticket, question.clone())));
            let _ = commands.send(command.clone()).await;
        }
    }

    fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// True if this is the reply to one of them; prints it.
    fn takes(&mut self, event: &DriverEvent) -> bool {
        let ticket = event.ticket();
        let Some(at) = self.open.iter().position(|(open, _)| Some(*open) == ticket) else {
            return false;
        };
        let (_, question) = self.open.remove(at);
        if let DriverEvent::Refused { text, .. } = event {
            output::note(&format!("{question} asks the same, and is left open: {text}"));
        } else {
            output::note(&format!("{question} asks the same, and has got the same answer"));
        }
        true
    }
}

/// Returns what has become quiet: all that is driven, or the one tree that was asked for.
fn quiet(event: &DriverEvent) -> Option<(Option<Vec<HaltedDialog>>, QuietOutcome)> {
    if let DriverEvent::TreeQuiet { outcome, halted, .. } = event {
        return Some((Some(halted.clone()), *outcome));
    }
    let DriverEvent::Quiet(outcome) = event else { return None };
    Some((None, *outcome))
}

fn is_done(event: &DriverEvent) -> bool {
    matches!(event, DriverEvent::Done { .. })
}

/// Prints how the run ended.
fn ends_quiet(
    printer: &mut Printer,
    halted: Option<Vec<HaltedDialog>>,
    outcome: QuietOutcome,
    ending: Option<Status>,
) -> Status {
    if let Some(halted) = halted {
        printer.print(&DriverEvent::Halted(halted));
    }
    printer.print(&DriverEvent::Quiet(outcome));
    ending.unwrap_or(outcome.into())
}
