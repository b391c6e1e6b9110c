//! The event loop: wait, process everything that is ready, draw at most one frame.
//!
//! Keys come first. No change means no frame and no wake-up. Commands go out with `try_send`;
//! one that finds the queue full is kept and retried.

mod calling;
mod copying;
mod lent_terminal;
mod replies;
mod stopping;

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::{FutureExt as _, Stream, StreamExt as _};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, error::TrySendError};

use super::app::{App, Gesture, Leaving, LookChange, Looking, PrintAmount, ScreenNotice};
use super::backend::{FrameBounds, StatusQuestion};
use super::copies::{CopyJob, CopyMaker};
use super::draft_writer::DraftWriter;
use super::effect::Effect;
use super::input::Input;
use super::model::drafts;
use super::pacer::{Cause, Pacer};
use super::programs::ProgramHost;
use super::surface::Surface;
use super::terminal::{Control, JobPlace, Multiplexer, Notifier};
use crate::protocol::{Command, DriverEvent};
use lent_terminal::Foreground;

/// Events processed before keys are checked again.
const MAX_BATCH: usize = 256;
/// The longest wait of events for the next frame.
const MAX_EVENT_WAIT: Duration = Duration::from_millis(50);
/// Pause before a command that did not fit into the queue is retried.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// How long the terminal waits for pending replies before it is given away.
const REPLIES_TIMEOUT: Duration = Duration::from_millis(500);
/// How often a job in the background checks whether it has the terminal again: there is no signal for it.
const BACKGROUND_LOOK: Duration = Duration::from_millis(500);
/// The longest wait for drafts to be stored at the end.
const DRAFTS_TIMEOUT: Duration = Duration::from_secs(1);
/// The longest wait for typed text to be sent before the screen is left.
const DETACH_TIMEOUT: Duration = Duration::from_secs(2);
/// Added to the driver's grace period, for its last events to arrive.
const SHUTDOWN_MARGIN: Duration = Duration::from_millis(500);

/// The channels between the screen and the rest of the program.
#[derive(Debug)]
pub struct Channels<K, S, T> {
    /// Keys, pastes, sizes and replies from the terminal.
    pub input: K,
    /// Bounded; when it is full, commands are kept by the loop and retried.
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    /// Changes of the theme; bounded, and the reader of the theme files waits when it is full.
    pub looks: mpsc::Receiver<LookChange>,
    /// Completes when a signal asks to leave (TERM, HUP).
    pub shutdown: S,
    /// Signals from outside that ask the process to stop, as `Ctrl+Z` does (TSTP).
    pub stops: T,
    /// Notified after each frame was written out.
    pub written: Arc<Notify>,
    /// Stores drafts.
    pub drafts: DraftWriter,
    /// Makes copies for other programs.
    pub copies: CopyMaker,
    /// Runs programs that get the terminal for a while.
    pub programs: Arc<dyn ProgramHost>,
}

#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// The longest wait for dialogs to stop at the end.
    pub grace: Duration,
    pub multiplexer: Multiplexer,
    pub links: LinkUse,
    /// What to do when the terminal is gone.
    pub without_terminal: Leave,
}

/// Whether addresses are links that the terminal can open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkUse {
    /// If the terminal says that it shows them.
    #[default]
    Auto,
    Always,
    Never,
}

/// How the screen is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// The driver ends.
    Quit,
    /// The driver goes on.
    Detach,
}

/// How the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The driver has settled everything.
    Settled,
    /// The screen was left, and the driver goes on.
    Detached,
    /// The user did not wait, or the grace period was over; the state on disk is as it was.
    Abandoned,
}

/// Runs the screen until the user quits, a signal asks to end, or the driver has ended.
///
/// # Errors
/// The terminal was closed and nothing else ended the loop.
pub async fn run<K, S, T>(
    app: &mut App,
    surface: &mut impl Surface,
    channels: Channels<K, S, T>,
    options: RunOptions,
) -> io::Result<RunEnd>
where
    K: Stream<Item = io::Result<Input>> + Unpin,
    S: Future<Output = Leave>,
    T: Stream<Item = ()> + Unpin,
{
    let Channels { input, commands, events, looks, shutdown, written, .. } = channels;
    let Channels { stops, drafts, copies, programs, .. } = channels;
    let foreground = Foreground::new(programs);
    let outputs = (commands, drafts, copies);
    let mut run = Run::new(app, surface, outputs, foreground, options);
    let outcome = run.until_ended((input, looks), events, (shutdown, stops), written).await;
    run.finish_program().await;
    run.finish();
    outcome
}

/// An item that is ready now. The input is polled with this task's own waker, since some streams
/// remember only the first one they are given.
async fn ready_now<K>(input: &mut K) -> Option<Option<K::Item>>
where
    K: Stream + Unpin,
{
    let now = poll_fn(|cx| Poll::Ready(Pin::new(&mut *input).poll_next(cx))).await;
    match now {
        Poll::Ready(item) => Some(item),
        Poll::Pending => None,
    }
}

pub(super) async fn until(wake: Option<tokio::time::Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

/// The next item; never, once there are no more.
pub(super) async fn next<T>(items: &mut Option<mpsc::Receiver<T>>) -> T {
    let next = match items {
        Some(items) => items.recv().await,
        None => None,
    };
    match next {
        Some(item) => item,
        None => std::future::pending().await,
    }
}

/// The loop's state.
struct Run<'a, S: Surface> {
    app: &'a mut App,
    surface: &'a mut S,
    commands: mpsc::Sender<Command>,
    drafts: DraftWriter,
    copies: CopyMaker,
    unsent: VecDeque<Command>,
    options: RunOptions,
    pacer: Pacer,
    /// The time at which events were last taken.
    events_taken: Option<Instant>,
    /// The time at which the loop stops waiting for the driver.
    shutdown_deadline: Option<Instant>,
    /// The time at which the loop stops waiting for outgoing commands before the screen is left.
    detach_deadline: Option<Instant>,
    outcome: Option<RunEnd>,
    input_ended: bool,
    busy_shown: bool,
    background: Background,
    /// The column of the cursor before the characters that are measured.
    measured_from: Option<u16>,
    notifier: Notifier,
    foreground: Foreground,
    /// The process stops once no reply is to come, or then.
    suspends_by: Option<Instant>,
    /// Whether the shell gave the terminal to this job when the process was continued.
    place: JobPlace,
    /// The time at which the process continued after it stopped itself, which is signalled like a stop from outside.
    went_on: Option<Instant>,
}

/// Whether the terminal has reported its background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Background {
    Unknown,
    Replied,
}

impl<'a, S: Surface> Run<'a, S> {
    fn new(
        app: &'a mut App,
        surface: &'a mut S,
        (commands, drafts, copies): (mpsc::Sender<Command>, DraftWriter, CopyMaker),
        foreground: Foreground,
        options: RunOptions,
    ) -> Self {
        let pacer = Pacer::default();
        Self {
            app,
            surface,
            commands,
            drafts,
            copies,
            unsent: VecDeque::new(),
            options,
            pacer,
            events_taken: None,
            shutdown_deadline: None,
            detach_deadline: None,
            outcome: None,
            input_ended: false,
            busy_shown: false,
            background: Background::Unknown,
            measured_from: None,
            notifier: Notifier::unasked(options.multiplexer),
            foreground,
            suspends_by: None,
            place: JobPlace::Foreground,
            went_on: None,
        }
    }

    async fn until_ended<K, E, T>(
        &mut self,
        (mut input, mut looks): (K, mpsc::Receiver<LookChange>),
        mut events: mpsc::Receiver<DriverEvent>,
        (shutdown, mut stops): (E, T),
        written: Arc<Notify>,
    ) -> io::Result<RunEnd>
    where
        K: Stream<Item = io::Result<Input>> + Unpin,
        E: Future<Output = Leave>,
        T: Stream<Item = ()> + Unpin,
    {
        let mut shutdown = Box::pin(shutdown.fuse());
        if self.options.links == LinkUse::Always {
            self.show_links();
        }
        let stored = self.drafts.written();
        let coloured = self.app.settings().colours.done();
        let mut copied = self.copies.take_outcomes();
        // Input before the first frame is handled before it.
        if let Some(first) = ready_now(&mut input).await {
            self.input(first, &mut input).await;
        }
        loop {
            if let Some(outcome) = self.process_outputs()? {
                return Ok(outcome);
            }
            let wake = self.wake_at().map(tokio::time::Instant::from_std);
            let reads = !self.input_ended && !self.is_away();
            let takes = self.events_due(now()).is_none();
            tokio::select! {
                biased;
                key = input.next(), if reads => self.input(key, &mut input).await,
                leave = &mut shutdown => self.leave(leave),
                Some(()) = stops.next() => self.stop_asked(),
                event = events.recv(), if takes => self.events(event, &mut events),
                Some(change) = looks.recv() => self.app.change_look(change),
                () = written.notified() => self.pacer.wrote(self.surface.last_write()),
                () = stored.notified() => self.app.drafts_written(self.drafts.problem()),
                () = coloured.notified() => self.app.resized(),
                outcome = next(&mut copied) => self.app.copied(&outcome),
                step = self.foreground.next() => self.program_step(step),
                () = until(wake) => {}
            }
        }
    }

    /// Waits until all drafts are stored, however the loop ended. An inline screen first prints
    /// what it has not printed yet.
    fn finish(self) {
        let Self { app, surface, mut drafts, .. } = self;
        surface.print(&app.take_printed(PrintAmount::All), 1);
        app.save_drafts();
        drafts.save(app.take_drafts());
        app.drafts_left(&drafts.finish(DRAFTS_TIMEOUT));
    }

    /// Handles an event's outputs: stores drafts, sends commands, applies effects, draws at most one frame.
    fn process_outputs(&mut self) -> io::Result<Option<RunEnd>> {
        let now = now();
        self.app.tick(now);
        self.drafts.save(self.app.take_drafts());
        self.unsent.extend(self.app.take_commands());
        for effect in self.app.take_effects() {
            self.effect(effect);
        }
        self.give_terminal_away(now)?;
        self.send();
        if self.shutdown_deadline.is_some_and(|by| by <= now) {
            self.outcome = Some(RunEnd::Abandoned);
        }
        if let Some(by) = self.detach_deadline
            && (by <= now || (self.unsent.is_empty() && self.drafts.is_idle()))
        {
            self.outcome = Some(RunEnd::Detached);
        }
        if self.outcome.is_none() && !self.is_away() {
            self.draw(now)?;
        }
        Ok(self.outcome)
    }

    /// Returns the bounds of the next frame. No question is sent if another program could get the reply.
    fn bounds(&mut self, now: Instant) -> FrameBounds {
        let bounds = self.pacer.bounds(now);
        let stays = self.suspends_by.is_none() && !self.is_leaving() && !self.foreground.is_busy();
        let question = if stays { bounds.question } else { StatusQuestion::None };
        FrameBounds { question, ..bounds }
    }

    fn draw(&mut self, now: Instant) -> io::Result<()> {
        if self.app.take_dirty() {
            self.pacer.mark(Cause::Event);
        }
        if !self.pacer.is_due(now) || !self.surface.is_ready() {
            return Ok(());
        }
        let started = Instant::now();
        let mut size = self.surface.size();
        if let Some(rows) = self.app.inline_rows(size) {
            let printed = self.app.take_printed(PrintAmount::OneFrame);
            self.surface.print(&printed, rows);
            size.height = rows;
        }
        let bounds = self.bounds(now);
        let screen = self.app.layout(size);
        let drawn = self.surface.draw(bounds, &mut |frame| screen.draw(frame));
        self.pacer.drawn(now, started.elapsed());
        let drawn = drawn.map(|drawn| self.pacer.sent(now, drawn));
        self.unsent.extend(self.app.take_commands());
        self.send();
        // Once the screen is left, a closed terminal is no error.
        if self.is_leaving() { Ok(()) } else { drawn }
    }

    /// Returns when the loop has to wake up without an event.
    fn wake_at(&self) -> Option<Instant> {
        let now = now();
        let lent = self.is_away();
        let frame = self.pacer.due(now).filter(|_| !lent && self.surface.is_ready());
        let app = if lent { self.app.wake_hidden_at() } else { self.app.wake_at() };
        // An overdue time that waits for a frame is handled with the frame.
        let app = app.map(|at| frame.filter(|_| at <= now).map_or(at, |frame| frame.max(at)));
        // A command that waits for its draft is woken by the writer.
        let retry =
            (!self.unsent.is_empty() && !self.awaits_drafts()).then(|| now + RETRY_INTERVAL);
        let events = self.events_due(now);
        let leaves = self.suspends_by.or_else(|| self.foreground.ready_by());
        let looks = (self.place == JobPlace::Background).then(|| now + BACKGROUND_LOOK);
        [looks, frame, retry, app, events, leaves, self.shutdown_deadline, self.detach_deadline]
            .into_iter()
            .flatten()
            .min()
    }

    /// Returns until when events wait for the next frame, so that one wake-up takes all that are drawn together.
    /// `None` if they are taken at once. The wait blocks nothing: the driver merges events that are not taken.
    fn events_due(&self, now: Instant) -> Option<Instant> {
        let waits = self.surface.is_ready() && !self.is_away();
        let frame = self.pacer.due(now).filter(|_| waits && self.shutdown_deadline.is_none())?;
        let due = frame.min(self.events_taken? + MAX_EVENT_WAIT);
        Some(due).filter(|due| *due > now)
    }

    async fn input<K>(&mut self, first: Option<io::Result<Input>>, input: &mut K)
    where
        K: Stream<Item = io::Result<Input>> + Unpin,
    {
        self.app.tick(now());
        let mut next = Some(first);
        for _ in 0..MAX_BATCH {
            let Some(event) = next.take() else {
                return;
            };
            let Some(Ok(one)) = event else {
                self.input_ended = true;
                self.leave(self.options.without_terminal);
                return;
            };
            self.one_input(one);
            next = ready_now(input).await;
        }
        if let Some(Some(Ok(one))) = next {
            self.one_input(one);
        }
    }

    fn one_input(&mut self, input: Input) {
        match input {
            Input::Event(event) => self.event_of_terminal(event),
            Input::Arrows { down, count } => self.arrows(down, count),
            Input::Continued => self.continued(),
            Input::Reply(reply) => self.reply(reply),
        }
    }

    fn event_of_terminal(&mut self, event: Event) {
        match event {
            Event::Key(key) if self.shutdown_deadline.is_some() => self.key_during_shutdown(key),
            Event::Key(key) => {
                let commands = self.app.key(key);
                self.unsent.extend(commands);
            }
            Event::Paste(text) => {
                let commands = self.app.paste(&text);
                self.unsent.extend(commands);
            }
            Event::Resize(width, height) => {
                self.surface.resize(Size { width, height });
                // The same size means that the content of the terminal is unknown.
                self.surface.repaint();
                self.app.resized();
            }
            Event::FocusGained => return self.app.look(Looking::Here),
            Event::FocusLost => return self.app.look(Looking::Away),
            Event::Mouse(_) if self.shutdown_deadline.is_some() => return,
            Event::Mouse(event) => {
                let Some(gesture) = Gesture::of(event) else { return };
                let commands = self.app.point(gesture);
                self.unsent.extend(commands);
            }
        }
        self.pacer.mark(Cause::Key);
    }

    fn arrows(&mut self, down: bool, count: u16) {
        if self.shutdown_deadline.is_none() {
            let commands = self.app.arrows(down, count);
            self.unsent.extend(commands);
            self.pacer.mark(Cause::Key);
        }
    }

    /// A second request to quit does not wait.
    fn key_during_shutdown(&mut self, key: KeyEvent) {
        let ctrl_c = key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL;
        if ctrl_c || key.code == KeyCode::Char('q') {
            self.outcome = Some(RunEnd::Abandoned);
        }
    }

    fn events(&mut self, first: Option<DriverEvent>, events: &mut mpsc::Receiver<DriverEvent>) {
        self.app.tick(now());
        self.events_taken = Some(now());
        let Some(first) = first else {
            self.outcome = Some(RunEnd::Settled);
            return;
        };
        let mut next = Some(first);
        // However long each takes, keys do not wait for all of them.
        let ends = now() + MAX_EVENT_WAIT;
        for _ in 0..MAX_BATCH {
            let Some(event) = next.take() else {
                break;
            };
            let commands = self.app.apply(event);
            self.unsent.extend(commands);
            next = if now() < ends { events.try_recv().ok() } else { None };
        }
        if let Some(event) = next {
            let commands = self.app.apply(event);
            self.unsent.extend(commands);
        }
    }

    fn effect(&mut self, effect: Effect) {
        let Some(effect) = self.foreground.hold_back(effect) else { return };
        match effect {
            Effect::Quit => self.begin_shutdown(),
            Effect::Detach => self.begin_detach(),
            Effect::Ended => self.outcome = Some(RunEnd::Settled),
            Effect::Redraw => {
                self.surface.repaint();
                self.pacer.mark(Cause::Key);
            }
            Effect::Suspend => self.stop_soon(),
            Effect::Copy(text) => self.copy(text),
            Effect::TakeImage(number) => self.take_image(number),
            Effect::WriteFile { name, text } => self.make_copy(CopyJob::Write { name, text }),
            Effect::WriteDialog { name, dialog } => {
                self.make_copy(CopyJob::WriteDialog { name, dialog });
            }
            Effect::Set(setting) => self.make_copy(CopyJob::Set(setting)),
            Effect::Program(job) => self.start_program(job),
            Effect::Title(count) => {
                self.surface.control(&Control::title(count));
                self.pacer.mark(Cause::Event);
            }
            Effect::Ring(call) => self.ring(&call),
            Effect::UseMouse(wanted) => {
                self.surface.use_mouse(wanted);
                self.pacer.mark(Cause::Key);
            }
        }
    }

    fn is_leaving(&self) -> bool {
        self.shutdown_deadline.or(self.detach_deadline).is_some()
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Quit => self.begin_shutdown(),
            Leave::Detach => self.begin_detach(),
        }
    }

    /// Leaves the screen once everything that was typed is on its way.
    fn begin_detach(&mut self) {
        if !self.is_leaving() {
            self.detach_deadline = Some(now() + DETACH_TIMEOUT);
            self.app.begin_leaving(Leaving::Detached);
            self.drafts.save(self.app.take_drafts());
            self.unsent.extend(self.app.take_commands());
            self.foreground.ask_to_end();
        }
    }

    /// Asks the driver to end, once.
    fn begin_shutdown(&mut self) {
        if self.shutdown_deadline.is_none() {
            let grace = self.options.grace;
            self.shutdown_deadline = Some(now() + grace + SHUTDOWN_MARGIN);
            self.app.begin_leaving(Leaving::WithDriver);
            // Answers that could still be undone come before the end.
            self.drafts.save(self.app.take_drafts());
            self.unsent.extend(self.app.take_commands());
            self.unsent.push_back(Command::Shutdown { grace });
            self.foreground.ask_to_end();
            self.pacer.mark(Cause::Key);
        }
    }

    /// True if the next command carries the user's text and a draft is not stored yet: the text is on
    /// disk as a draft before the driver gets it, so no crash loses it.
    fn awaits_drafts(&self) -> bool {
        self.unsent.front().is_some_and(carries_text) && self.drafts.holds(drafts::is_typed)
    }

    fn send(&mut self) {
        while !self.awaits_drafts() {
            let Some(command) = self.unsent.pop_front() else {
                break;
            };
            match self.commands.try_send(command) {
                Ok(()) => {}
                Err(TrySendError::Full(command)) => {
                    self.unsent.push_front(command);
                    if !std::mem::replace(&mut self.busy_shown, true) {
                        self.app.tell(ScreenNotice::Busy);
                    }
                    return;
                }
                Err(TrySendError::Closed(_)) => {
                    self.unsent.clear();
                    if self.shutdown_deadline.is_some() {
                        self.outcome = Some(RunEnd::Settled);
                    }
                    return;
                }
            }
        }
        self.busy_shown = false;
    }
}

/// True for commands with text that the user typed.
fn carries_text(command: &Command) -> bool {
    matches!(
        command,
        Command::Say { .. }
            | Command::SayNow { .. }
            | Command::Answer { .. }
            | Command::AnswerParts { .. }
            | Command::Create { .. }
            | Command::Sheet { .. }
            | Command::TakeBack { .. }
    )
}

/// Returns the time of the loop's timers.
pub(super) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

#[cfg(test)]
mod tests;
