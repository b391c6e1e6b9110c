//! The loop: wait, take in everything that is ready, draw at most one frame.
//!
//! Keys come first. Nothing changed means no frame and no wake-up. Commands go out with `try_send`;
//! one that finds the queue full is kept and tried again.

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

use super::app::{App, Effect};
use super::pacer::{Cause, Link, Pacer};
use super::surface::Surface;
use super::terminal::Control;
use crate::protocol::{Command, DriverEvent};

/// Events taken in between two looks at the keys.
const MAX_BATCH: usize = 256;
/// Pause before a kept command is tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Beyond the driver's grace, for its last words to arrive.
const SHUTDOWN_MARGIN: Duration = Duration::from_millis(500);

/// What joins the screen with the rest.
#[derive(Debug)]
pub struct Channels<K, S> {
    /// Keys, pastes and sizes from the terminal.
    pub input: K,
    /// Bounded; when it is full, commands are kept here and tried again.
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    /// Ends when the program is asked to end from outside (TERM, HUP).
    pub shutdown: S,
    /// Told after each frame was written out.
    pub written: Arc<Notify>,
}

#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    pub link: Link,
    /// How long dialogs may settle at the end.
    pub grace: Duration,
    pub in_tmux: bool,
}

/// How the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The driver has settled everything.
    Settled,
    /// The person did not wait, or the grace was over; the state is on disk as it was.
    Abandoned,
}

/// Runs the screen until the person leaves, the program is asked to end, or the driver is gone.
///
/// # Errors
/// The terminal is gone and nothing else ended the loop.
pub async fn run<K, S>(
    app: &mut App,
    surface: &mut impl Surface,
    channels: Channels<K, S>,
    options: RunOptions,
) -> io::Result<RunEnd>
where
    K: Stream<Item = io::Result<Event>> + Unpin,
    S: Future<Output = ()>,
{
    let Channels { mut input, commands, mut events, shutdown, written } = channels;
    let mut shutdown = Box::pin(shutdown.fuse());
    let mut run = Run::new(app, surface, commands, options);
    loop {
        if let Some(outcome) = run.process_outputs()? {
            return Ok(outcome);
        }
        let wake = run.wake_at().map(tokio::time::Instant::from_std);
        let input_ended = run.input_ended;
        tokio::select! {
            biased;
            key = input.next(), if !input_ended => run.input(key, &mut input).await,
            () = &mut shutdown => run.begin_shutdown(),
            event = events.recv() => run.events(event, &mut events),
            () = written.notified() => run.pacer.wrote(run.surface.last_write()),
            () = until(wake) => {}
        }
    }
}

/// What can be had at once. The input is asked with this task's own waker, since some streams
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

async fn until(wake: Option<tokio::time::Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

/// The loop's state.
struct Run<'a, S: Surface> {
    app: &'a mut App,
    surface: &'a mut S,
    commands: mpsc::Sender<Command>,
    unsent: VecDeque<Command>,
    options: RunOptions,
    pacer: Pacer,
    /// When the last chance of a settled end is over.
    shutdown_deadline: Option<Instant>,
    outcome: Option<RunEnd>,
    input_ended: bool,
    busy_shown: bool,
}

impl<'a, S: Surface> Run<'a, S> {
    fn new(
        app: &'a mut App,
        surface: &'a mut S,
        commands: mpsc::Sender<Command>,
        options: RunOptions,
    ) -> Self {
        let pacer = Pacer::new(options.link);
        Self {
            app,
            surface,
            commands,
            unsent: VecDeque::new(),
            options,
            pacer,
            shutdown_deadline: None,
            outcome: None,
            input_ended: false,
            busy_shown: false,
        }
    }

    /// After something happened: commands out, effects done, at most one frame drawn.
    fn process_outputs(&mut self) -> io::Result<Option<RunEnd>> {
        let now = now();
        self.app.tick(now);
        self.unsent.extend(self.app.take_commands());
        for effect in self.app.take_effects() {
            self.effect(effect)?;
        }
        self.send();
        if self.shutdown_deadline.is_some_and(|by| by <= now) {
            self.outcome = Some(RunEnd::Abandoned);
        }
        if self.outcome.is_none() {
            self.draw(now)?;
        }
        Ok(self.outcome)
    }

    fn draw(&mut self, now: Instant) -> io::Result<()> {
        if self.app.take_dirty() {
            self.pacer.mark(Cause::Event);
        }
        if !self.pacer.is_due(now) || !self.surface.is_ready() {
            return Ok(());
        }
        let started = Instant::now();
        let app = &mut *self.app;
        let drawn = self.surface.draw(&mut |frame| app.draw(frame));
        self.pacer.drawn(now, started.elapsed());
        self.unsent.extend(self.app.take_commands());
        self.send();
        // While leaving, a terminal that is gone is no news.
        if self.shutdown_deadline.is_some() { Ok(()) } else { drawn }
    }

    /// When the loop has to go on by itself.
    fn wake_at(&self) -> Option<Instant> {
        let now = now();
        let frame = self.pacer.due(now).filter(|_| self.surface.is_ready());
        let retry = (!self.unsent.is_empty()).then(|| now + RETRY_INTERVAL);
        [frame, retry, self.app.wake_at(), self.shutdown_deadline].into_iter().flatten().min()
    }

    async fn input<K>(&mut self, first: Option<io::Result<Event>>, input: &mut K)
    where
        K: Stream<Item = io::Result<Event>> + Unpin,
    {
        self.app.tick(now());
        let mut next = Some(first);
        for _ in 0..MAX_BATCH {
            let Some(event) = next.take() else {
                return;
            };
            let Some(Ok(event)) = event else {
                self.input_ended = true;
                self.begin_shutdown();
                return;
            };
            self.one_input(event);
            next = ready_now(input).await;
        }
        if let Some(Some(Ok(event))) = next {
            self.one_input(event);
        }
    }

    fn one_input(&mut self, event: Event) {
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
                self.app.resized();
            }
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => return,
        }
        self.pacer.mark(Cause::Key);
    }

    /// Who asks twice does not want to wait.
    fn key_during_shutdown(&mut self, key: KeyEvent) {
        let ctrl_c = key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL;
        if ctrl_c || key.code == KeyCode::Char('q') {
            self.outcome = Some(RunEnd::Abandoned);
        }
    }

    fn events(&mut self, first: Option<DriverEvent>, events: &mut mpsc::Receiver<DriverEvent>) {
        self.app.tick(now());
        let Some(first) = first else {
            self.outcome = Some(RunEnd::Settled);
            return;
        };
        let mut next = Some(first);
        for _ in 0..MAX_BATCH {
            let Some(event) = next.take() else {
                break;
            };
            let commands = self.app.apply(event);
            self.unsent.extend(commands);
            next = events.try_recv().ok();
        }
        if let Some(event) = next {
            let commands = self.app.apply(event);
            self.unsent.extend(commands);
        }
    }

    fn effect(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Quit => self.begin_shutdown(),
            Effect::Ended => self.outcome = Some(RunEnd::Settled),
            Effect::Redraw => {
                self.surface.repaint();
                self.pacer.mark(Cause::Key);
            }
            Effect::Suspend => {
                self.surface.suspend()?;
                self.pacer.mark(Cause::Key);
            }
            Effect::Title(count) => {
                self.surface.control(&Control::title(count));
                self.pacer.mark(Cause::Event);
            }
            Effect::Ring(text) => {
                self.surface.control(&Control::bell());
                let notice = Control::notification(&text, self.options.in_tmux);
                self.surface.control(&notice);
                self.pacer.mark(Cause::Event);
            }
        }
        Ok(())
    }

    /// Asks the driver to end, once.
    fn begin_shutdown(&mut self) {
        if self.shutdown_deadline.is_none() {
            let grace = self.options.grace;
            self.shutdown_deadline = Some(now() + grace + SHUTDOWN_MARGIN);
            self.unsent.push_back(Command::Shutdown { grace });
            self.app.begin_shutdown();
            self.pacer.mark(Cause::Key);
        }
    }

    fn send(&mut self) {
        while let Some(command) = self.unsent.pop_front() {
            match self.commands.try_send(command) {
                Ok(()) => {}
                Err(TrySendError::Full(command)) => {
                    self.unsent.push_front(command);
                    if !std::mem::replace(&mut self.busy_shown, true) {
                        self.app.busy();
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

/// The loop's clock: that of its timers.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

#[cfg(test)]
mod tests;
