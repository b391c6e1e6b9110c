//! Where frames go: the real terminal, or anything else a test puts in its place.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;
use ratatui::{Frame, Terminal};

use super::backend::{self, Capabilities, ScreenBackend};
use super::terminal::{Control, Guard, Output, RawMode, Sink};

/// Takes frames. No call waits for the terminal.
pub trait Surface {
    /// True when a frame would be taken now.
    fn is_ready(&self) -> bool;

    /// Draws a frame and hands it over.
    ///
    /// # Errors
    /// The terminal is gone. A frame that was not taken is not an error: the next one has it all.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()>;

    fn resize(&mut self, size: Size);

    /// The next frame draws everything.
    fn repaint(&mut self);

    /// Sends a title, a bell or a notification with the next frame.
    fn control(&mut self, control: &Control);

    /// Gives the terminal back until the process is continued.
    ///
    /// # Errors
    /// The terminal is gone.
    fn suspend(&mut self) -> io::Result<()>;

    /// How long the last finished write took.
    fn last_write(&self) -> Duration;
}

/// The real terminal.
#[derive(Debug)]
pub struct TerminalSurface<W: Write, R: RawMode> {
    terminal: Terminal<ScreenBackend<Sink>>,
    output: Arc<Output>,
    guard: Guard<W, R>,
    /// True once a title was set, which is then taken back at the end.
    titled: bool,
}

impl<W: Write, R: RawMode> TerminalSurface<W, R> {
    /// `guard` holds the terminal's modes; `output` writes frames to the same terminal.
    ///
    /// # Errors
    /// None in practice: the size is given, not asked for.
    pub fn new(
        guard: Guard<W, R>,
        output: Arc<Output>,
        size: Size,
        ability: Capabilities,
    ) -> io::Result<Self> {
        let backend = ScreenBackend::new(Sink::new(output.clone()), size, ability);
        Ok(Self { terminal: Terminal::new(backend)?, output, guard, titled: false })
    }

    /// Gives the terminal back, with the last frame written out if that takes no longer than
    /// `limit`.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn leave(mut self, limit: Duration) -> io::Result<()> {
        self.output.wait(limit);
        if self.titled {
            self.control(&Control::clear_title());
        }
        let written = ratatui::backend::Backend::flush(self.terminal.backend_mut());
        self.output.wait(limit);
        self.guard.leave().and(written)
    }
}

impl<W: Write, R: RawMode> Surface for TerminalSurface<W, R> {
    fn is_ready(&self) -> bool {
        self.output.is_idle() || self.output.failure().is_some()
    }

    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        match backend::draw(&mut self.terminal, render) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            other => other,
        }
    }

    fn resize(&mut self, size: Size) {
        self.terminal.backend_mut().resize(size);
    }

    fn repaint(&mut self) {
        self.terminal.backend_mut().invalidate();
    }

    fn control(&mut self, control: &Control) {
        self.titled |= control.sets_title();
        self.terminal.backend_mut().control(control);
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.guard.suspend(stop_myself)?;
        self.repaint();
        Ok(())
    }

    fn last_write(&self) -> Duration {
        self.output.last_write()
    }
}

/// Stops the process as Ctrl+Z does; returns when it was continued.
fn stop_myself() -> io::Result<()> {
    let me = std::process::id().to_string();
    std::process::Command::new("kill").args(["-TSTP", &me]).status().map(drop)
}
