//! The screen on the real terminal: modes on, loop, modes off.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use ratatui::crossterm::terminal::size;
use ratatui::layout::Size;
use tokio::sync::{Notify, mpsc};

use super::app::App;
use super::backend::Capabilities;
use super::copies::CopyMaker;
use super::draft_writer::DraftWriter;
use super::input::Keys;
use super::run::{Channels, RunEnd, RunOptions, run};
use super::surface::TerminalSurface;
use super::terminal::{ModeFlag, Output, TerminalGuard, TtyRawMode, terminal_file};
use crate::protocol::{Command, DriverEvent};

/// The last frame may take this long to be written at the end.
const LAST_WRITE_TIMEOUT: Duration = Duration::from_millis(300);

/// The width of the terminal, if there is one that reports it.
#[must_use]
pub fn columns() -> Option<usize> {
    size().ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0)
}

/// What the terminal can do, and the options of the loop.
#[derive(Debug, Clone)]
pub struct TerminalOptions {
    pub capabilities: Capabilities,
    pub run: RunOptions,
    /// Shared with the panic hook, so that it can restore the terminal.
    pub modes: ModeFlag,
}

/// Runs the screen on standard input and output. The terminal is restored at every exit.
///
/// # Errors
/// There is no terminal, or it was closed.
pub async fn on_terminal(
    app: &mut App,
    (commands, events): (mpsc::Sender<Command>, mpsc::Receiver<DriverEvent>),
    (drafts, copies): (DraftWriter, CopyMaker),
    shutdown: impl Future<Output = ()>,
    keys: &mut Keys,
    options: TerminalOptions,
) -> io::Result<RunEnd> {
    let (width, height) = size()?;
    let guard = TerminalGuard::enter(terminal_file()?, TtyRawMode, options.modes)?;
    let written = Arc::new(Notify::new());
    let wake = written.clone();
    let output = Arc::new(Output::start(terminal_file()?, move || wake.notify_one())?);
    let size = Size { width, height };
    let mut surface = TerminalSurface::new(guard, output, size, options.capabilities)?;
    let input = keys.stream()?;
    let channels = Channels { input, commands, events, shutdown, written, drafts, copies };
    let outcome = run(app, &mut surface, channels, options.run).await;
    let left = surface.leave(LAST_WRITE_TIMEOUT);
    let outcome = outcome?;
    left?;
    Ok(outcome)
}
