//! A program that has the terminal: the editor or the pager of the person.
//!
//! While it runs, nothing is drawn and no key is read; events of the driver are taken in as ever. The title
//! and the bell wait until the terminal is back; the program that calls the person is run at once, also for a
//! question whose place on the screen was in view before. If the program of the screen has to end meanwhile, the
//! other one is asked to end, too.

use std::future::pending;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::{JoinHandle, spawn_blocking};

use super::{Run, RunEnd};
use crate::app::Looking;
use crate::domain::text::Localized;
use crate::effect::Effect;
use crate::pacer::Cause;
use crate::programs::{PreparedProgram, ProgramEnd, ProgramHost, ProgramJob, ProgramOutcome};
use crate::surface::Surface;
use crate::text::SafeText;

/// The longest wait for a program to end when the screen ends.
const END_TIMEOUT: Duration = Duration::from_secs(1);

type Prepared = Result<PreparedProgram, Localized>;
type Finished = Result<Option<String>, Localized>;

/// The program, if there is one.
#[derive(Debug)]
pub(super) struct Foreground {
    host: Arc<dyn ProgramHost>,
    stage: Stage,
    /// The title that changed while the program had the terminal.
    title: Option<usize>,
    /// The screen was ending when the program ended: the terminal stays as the program left it.
    stays_lent: bool,
    /// The last text to ring for while the program had the terminal.
    ring: Option<SafeText>,
}

#[derive(Debug)]
enum Stage {
    Nothing,
    Preparing(ProgramJob, JoinHandle<Prepared>),
    /// It gets the terminal once no replies are pending, or at this time.
    Ready(ProgramJob, PreparedProgram, Instant),
    Running(ProgramJob, PreparedProgram, Box<Child>),
    Finishing(ProgramJob, ProgramEnd, JoinHandle<Finished>),
}

/// A step of the program.
pub(super) enum Step {
    Prepared(Prepared),
    Ended(ProgramEnd),
    Finished(Finished),
}

impl Foreground {
    pub fn new(host: Arc<dyn ProgramHost>) -> Self {
        Self { host, stage: Stage::Nothing, title: None, stays_lent: false, ring: None }
    }

    /// True while the program has the terminal, and once it has kept it to the end.
    pub fn has_terminal(&self) -> bool {
        self.stays_lent || matches!(self.stage, Stage::Running(..))
    }

    pub fn is_busy(&self) -> bool {
        !matches!(self.stage, Stage::Nothing)
    }

    /// Returns the time at which a program gets the terminal at the latest.
    pub fn ready_by(&self) -> Option<Instant> {
        match &self.stage {
            Stage::Ready(_, _, by) => Some(*by),
            Stage::Nothing | Stage::Preparing(..) | Stage::Running(..) | Stage::Finishing(..) => {
                None
            }
        }
    }

    /// The program that gets the terminal, if it may have it now.
    pub fn take_ready(
        &mut self,
        may: impl Fn(Instant) -> bool,
    ) -> Option<(ProgramJob, PreparedProgram)> {
        self.ready_by().filter(|by| may(*by))?;
        match std::mem::replace(&mut self.stage, Stage::Nothing) {
            Stage::Ready(job, prepared, _) => Some((job, prepared)),
            Stage::Nothing | Stage::Preparing(..) | Stage::Running(..) | Stage::Finishing(..) => {
                None
            }
        }
    }

    /// Waits for what happens next; for ever without a program. May be dropped at any time.
    pub async fn next(&mut self) -> Step {
        match &mut self.stage {
            Stage::Nothing | Stage::Ready(..) => pending().await,
            Stage::Preparing(_, done) => {
                Step::Prepared(done.await.unwrap_or_else(|error| Err(interrupted(&error))))
            }
            Stage::Running(_, _, child) => Step::Ended(match child.wait().await {
                Ok(status) if status.success() => ProgramEnd::Succeeded,
                Ok(_) | Err(_) => ProgramEnd::Failed,
            }),
            Stage::Finishing(_, _, done) => {
                Step::Finished(done.await.unwrap_or_else(|error| Err(interrupted(&error))))
            }
        }
    }

    /// Asks a running program to end: it can save its work and restore the terminal.
    pub fn ask_to_end(&self) {
        let Stage::Running(_, _, child) = &self.stage else { return };
        let id = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
        // It may have ended meanwhile.
        let _ = id.map(|id| kill_process(id, Signal::TERM));
    }

    /// Returns an effect that may be carried out while a program has the terminal; others are kept.
    pub fn hold_back(&mut self, effect: Effect) -> Option<Effect> {
        if !self.has_terminal() {
            return Some(effect);
        }
        if let Effect::Title(count) = effect {
            self.title = Some(count);
            return None;
        }
        Some(effect)
    }

    /// Keeps the text of a ring until the terminal is back; the newest replaces an older one. False if
    /// the terminal is here.
    pub fn holds_ring(&mut self, text: &SafeText) -> bool {
        if self.has_terminal() {
            self.ring = Some(text.clone());
        }
        self.has_terminal()
    }
}

impl<S: Surface> Run<'_, S> {
    pub(super) fn start_program(&mut self, job: ProgramJob) {
        // A second key in the same batch.
        if self.foreground.is_busy() || self.is_ending() {
            return;
        }
        let (host, wanted) = (self.foreground.host.clone(), job.clone());
        let done = spawn_blocking(move || host.prepare(&wanted));
        self.foreground.stage = Stage::Preparing(job, done);
    }

    pub(super) fn program_step(&mut self, step: Step) {
        let stage = std::mem::replace(&mut self.foreground.stage, Stage::Nothing);
        match (step, stage) {
            (Step::Prepared(Ok(prepared)), Stage::Preparing(job, _)) => {
                let by = super::now() + super::REPLIES_TIMEOUT;
                self.foreground.stage = Stage::Ready(job, prepared, by);
            }
            (Step::Ended(end), Stage::Running(job, prepared, _)) => {
                self.take_terminal_back();
                self.program_ended(job, prepared, end);
            }
            (Step::Finished(Ok(left)), Stage::Finishing(job, end, _)) => {
                self.app.program_ended(match end {
                    ProgramEnd::Succeeded => ProgramOutcome::Ended(job, left),
                    ProgramEnd::Failed => ProgramOutcome::Failed(job),
                });
            }
            (Step::Prepared(Err(why)) | Step::Finished(Err(why)), _) => {
                self.app.program_ended(ProgramOutcome::Refused(why));
            }
            (Step::Prepared(_) | Step::Ended(_) | Step::Finished(_), _) => {}
        }
        self.pacer.mark(Cause::Key);
    }

    /// Lends the terminal to the program and starts it.
    pub(super) fn run(&mut self, job: ProgramJob, prepared: PreparedProgram) {
        if self.is_ending() || self.surface.lend().is_err() {
            return self.program_ended(job, prepared, ProgramEnd::Failed);
        }
        // `Ctrl+C` and `Ctrl+\` there are meant for the program. Both go to this one as well: the host of the
        // screen drops the first, and listening is enough to survive the second.
        let _quit = signal(SignalKind::quit());
        let started = Command::new(&prepared.program)
            .args(&prepared.args)
            .stdin(Stdio::inherit())
            .stdout(Stdio::inherit())
            .stderr(Stdio::inherit())
            .spawn();
        match started {
            Ok(child) => {
                // The user sees the program now, and reports of the terminal are not read.
                self.app.look(Looking::Unknown);
                self.foreground.stage = Stage::Running(job, prepared, Box::new(child));
            }
            Err(error) => {
                // The end of the program, below, says so to the person.
                tracing::warn!(%error, program = %prepared.program.display(), "could not be started");
                self.take_terminal_back();
                self.program_ended(job, prepared, ProgramEnd::Failed);
            }
        }
    }

    fn program_ended(&mut self, job: ProgramJob, prepared: PreparedProgram, end: ProgramEnd) {
        let host = self.foreground.host.clone();
        let done = spawn_blocking(move || host.finish(prepared, end));
        self.foreground.stage = Stage::Finishing(job, end, done);
    }

    /// At the end of the screen the terminal stays as the program left it.
    fn take_terminal_back(&mut self) {
        if self.is_ending() {
            self.foreground.stays_lent = true;
            return;
        }
        self.pacer.interrupted();
        if let Err(error) = self.surface.take_back() {
            tracing::warn!(%error, "the terminal is gone");
            self.begin_shutdown();
        }
        if let Some(count) = self.foreground.title.take() {
            self.effect(Effect::Title(count));
        }
        // Questions answered meanwhile on another screen do not ring.
        let ring = self.foreground.ring.take();
        if let Some(text) = ring.filter(|_| self.app.summary().open_questions > 0) {
            self.ring_terminal(&text);
        }
        self.ask_background_again();
    }

    fn is_ending(&self) -> bool {
        self.shutdown_deadline.is_some() || self.outcome.is_some()
    }

    /// Waits briefly for a program that still has the terminal, and for its result.
    pub(super) async fn finish_program(&mut self) {
        self.outcome.get_or_insert(RunEnd::Abandoned);
        if let Some((job, prepared)) = self.foreground.take_ready(|_| true) {
            self.run(job, prepared);
        }
        self.foreground.ask_to_end();
        let until = tokio::time::Instant::now() + END_TIMEOUT;
        while self.foreground.is_busy() {
            let next = tokio::time::timeout_at(until, self.foreground.next()).await;
            let Ok(step) = next else { return };
            self.program_step(step);
        }
    }
}

fn interrupted(error: &tokio::task::JoinError) -> Localized {
    Localized::same(error.to_string())
}
