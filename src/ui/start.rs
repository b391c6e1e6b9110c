//! The screen on the real terminal: modes on, loop, modes off.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
pub use ratatui::layout::Size;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, mpsc};

use super::app::{App, LookChange};
use super::backend::Capabilities;
use super::copies::CopyMaker;
use super::draft_writer::DraftWriter;
use super::input::Keys;
use super::programs::ProgramHost;
use super::run::{Channels, Leave, RunEnd, RunOptions, run};
use super::surface::TerminalSurface;
use super::terminal::{
    self, Control, ModeFlag, Multiplexer, Output, TerminalGuard, TtyRawMode, terminal_file,
};
use crate::protocol::{Command, DriverEvent};

/// The last frame may take this long to be written at the end.
const LAST_WRITE_TIMEOUT: Duration = Duration::from_millis(300);

/// The longest wait of the first frame for replies. A typed key ends it.
const REPLIES_TIMEOUT: Duration = Duration::from_millis(100);

/// The longest wait at the end for a pending reply: the next program would read it as keys.
const LATE_REPLIES_TIMEOUT: Duration = Duration::from_millis(1_700);

/// Returns the width of the terminal, if it reports one.
#[must_use]
pub fn columns() -> Option<usize> {
    let size = terminal::size(Size::ZERO).ok()?;
    Some(usize::from(size.width)).filter(|columns| *columns > 0)
}

/// Whether the terminal is asked about itself at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Questions {
    /// The first frame waits for the replies, but not long.
    Awaited,
    /// The replies may be of use later.
    Asked,
    /// Ask about notifications only: it has no colours.
    NotColours,
    /// The terminal cannot reply.
    NotAsked,
}

/// Returns the questions at the start. A multiplexer replies for itself and not for the terminal. One that
/// looks like GNU screen may be tmux, which gives its name.
fn first_question(questions: Questions, multiplexer: Multiplexer) -> Option<Control> {
    let with_colours = match questions {
        Questions::Awaited | Questions::Asked => true,
        Questions::NotColours => false,
        Questions::NotAsked => return None,
    };
    match (multiplexer, with_colours) {
        (Multiplexer::None, true) => Some(Control::ask_all()),
        (Multiplexer::None, false) => Some(Control::ask_notifier()),
        (Multiplexer::Screen, true) => Some(Control::ask_name_and_background()),
        (Multiplexer::Screen, false) => Some(Control::ask_name()),
        (Multiplexer::Tmux, true) => Some(Control::ask_background()),
        (Multiplexer::Tmux, false) => None,
    }
}

/// The features of the terminal, and the options of the loop.
#[derive(Debug, Clone)]
pub struct TerminalOptions {
    pub capabilities: Capabilities,
    pub run: RunOptions,
    pub questions: Questions,
    /// The size to assume if the terminal does not report one.
    pub assumed: Size,
    /// Shared with the panic hook, so that it can restore the terminal.
    pub modes: ModeFlag,
    /// Stops the process as Ctrl+Z does; returns when it was continued.
    pub stop: fn() -> io::Result<()>,
}

/// What the screen is connected to, beside the terminal.
#[derive(Debug)]
pub struct ScreenIo {
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    /// Changes of the look while it runs.
    pub looks: mpsc::Receiver<LookChange>,
    pub drafts: DraftWriter,
    pub copies: CopyMaker,
    pub programs: Arc<dyn ProgramHost>,
}

/// Runs the screen on standard input and output. The terminal is restored at every exit.
///
/// # Errors
/// There is no terminal, or it was closed.
pub async fn on_terminal(
    app: &mut App,
    screen_io: ScreenIo,
    shutdown: impl Future<Output = Leave>,
    keys: &mut Keys,
    options: TerminalOptions,
) -> io::Result<RunEnd> {
    let size = terminal::size(options.assumed)?;
    let mut stop = signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?;
    let mut guard = TerminalGuard::enter(terminal_file()?, TtyRawMode, options.modes)?;
    let mut input = keys.stream(options.assumed)?;
    if let Some(question) = first_question(options.questions, options.run.multiplexer) {
        input.await_replies();
        // Without UTF-8 no sign is drawn.
        if options.capabilities.utf8 {
            guard.send(&question.measuring())?;
            input.await_columns();
        } else {
            guard.send(&question)?;
        }
    }
    if options.questions == Questions::Awaited {
        input.settle(REPLIES_TIMEOUT).await;
    }
    let written = Arc::new(Notify::new());
    let wake = written.clone();
    let output = Arc::new(Output::start(terminal_file()?, move || wake.notify_one())?);
    let mut surface = TerminalSurface::new(guard, output, size, options.capabilities)?
        .reading_through(input.gate())
        .stopping_by(options.stop);
    let ScreenIo { commands, events, looks, drafts, copies, programs } = screen_io;
    let channels = Channels {
        input: &mut input,
        commands,
        events,
        looks,
        shutdown,
        stops: stream::poll_fn(move |cx| stop.poll_recv(cx)),
        written,
        drafts,
        copies,
        programs,
    };
    let outcome = run(app, &mut surface, channels, options.run).await;
    if outcome.is_ok() {
        input.drain_replies(LATE_REPLIES_TIMEOUT).await;
    }
    let left = surface.leave(LAST_WRITE_TIMEOUT);
    let outcome = outcome?;
    left?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_without_a_multiplexer_is_asked_how_it_notifies_and_only_tmux_no_name() {
        let (all, colours) = (Some(Control::ask_all()), Some(Control::ask_background()));
        for (questions, multiplexer, expected) in [
            (Questions::Awaited, Multiplexer::None, all.clone()),
            (Questions::Asked, Multiplexer::None, all),
            (Questions::Awaited, Multiplexer::Tmux, colours.clone()),
            (Questions::Asked, Multiplexer::Tmux, colours),
            (Questions::Asked, Multiplexer::Screen, Some(Control::ask_name_and_background())),
            (Questions::NotColours, Multiplexer::Screen, Some(Control::ask_name())),
            (Questions::NotColours, Multiplexer::None, Some(Control::ask_notifier())),
            (Questions::NotColours, Multiplexer::Tmux, None),
            (Questions::NotAsked, Multiplexer::None, None),
        ] {
            assert_eq!(first_question(questions, multiplexer), expected, "{questions:?}");
        }
    }
}
