//! Where frames are drawn: the real terminal, or a replacement in tests.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;
use ratatui::text::Line;
use ratatui::{Frame, Terminal};

use super::backend::{self, Capabilities, Drawn, FrameBounds, ScreenBackend, StatusQuestion};
use super::input::InputGate;
use super::links::Links;
use super::terminal::{
    Control, JobPlace, MouseUse, Output, RawMode, Sink, TerminalGuard, job_place,
};

/// Accepts frames. No call waits for the terminal.
pub trait Surface {
    /// True if a frame would be accepted now.
    fn is_ready(&self) -> bool;

    /// The size of the terminal, which is that of a frame, unless the screen is inline.
    fn size(&self) -> Size;

    /// Prints rows above the live rows of an inline screen with the next frame, which has `live_rows` live rows.
    fn print(&mut self, rows: &[Line<'static>], live_rows: u16);

    /// Draws a frame and hands it over.
    ///
    /// # Errors
    /// The terminal was closed. A frame that was not accepted is no error: the next one is complete.
    fn draw(
        &mut self,
        bounds: FrameBounds,
        render: &mut dyn FnMut(&mut Frame<'_>),
    ) -> io::Result<Drawn>;

    fn resize(&mut self, size: Size);

    /// The next frame draws everything.
    fn repaint(&mut self);

    /// Sends a title, a bell or a notification with the next frame.
    fn control(&mut self, control: &Control);

    /// Turns mouse reports on or off from the next frame on.
    fn use_mouse(&mut self, wanted: MouseUse);

    /// Links are links of the terminal from the next frame on.
    fn show_links(&mut self, links: Links);

    /// Restores the terminal, unless another program has it, and stops the process until it is continued. In the
    /// background the terminal stays away until [`Surface::take_back`].
    ///
    /// # Errors
    /// The terminal was closed.
    fn suspend(&mut self) -> io::Result<JobPlace>;

    /// Handles a stop from outside and the continuation: sets the modes again, and the next frame draws
    /// everything. In the background it gives the terminal away, as if it was lent.
    ///
    /// # Errors
    /// The terminal was closed.
    fn continued(&mut self) -> io::Result<JobPlace>;

    /// Returns whether this process has the terminal now.
    fn job_place(&self) -> JobPlace;

    /// Gives the terminal to another program: nothing is read from it or written to it until
    /// [`Surface::take_back`].
    ///
    /// # Errors
    /// It was closed, or still receives the last frame. The screen keeps it then.
    fn lend(&mut self) -> io::Result<()>;

    /// Takes the terminal back; the next frame draws everything.
    ///
    /// # Errors
    /// It was closed.
    fn take_back(&mut self) -> io::Result<()>;

    /// Returns how long the last finished write took.
    fn last_write(&self) -> Duration;
}

/// The longest wait for the last frame before the terminal is lent.
const LEND_TIMEOUT: Duration = Duration::from_millis(300);

/// The real terminal.
#[derive(Debug)]
pub struct TerminalSurface<W: Write, R: RawMode> {
    terminal: Terminal<ScreenBackend<Sink>>,
    output: Arc<Output>,
    guard: TerminalGuard<W, R>,
    /// The title that was set last; it is then cleared at the end.
    title: Option<Control>,
    /// Keeps the input from being read; none where nothing reads it.
    gate: Option<InputGate>,
    /// Stops the process as Ctrl+Z does; returns when it was continued.
    stop: fn() -> io::Result<()>,
}

impl<W: Write, R: RawMode> TerminalSurface<W, R> {
    /// `guard` owns the terminal's modes; `output` writes frames to the same terminal.
    ///
    /// # Errors
    /// None in practice: the size is given, not queried.
    pub fn new(
        guard: TerminalGuard<W, R>,
        output: Arc<Output>,
        size: Size,
        capabilities: Capabilities,
    ) -> io::Result<Self> {
        let backend = ScreenBackend::new(Sink::new(output.clone()), size, capabilities);
        let backend = match guard.live_rows() {
            Some(live) => backend.inline(live),
            None => backend,
        };
        let terminal = Terminal::new(backend)?;
        Ok(Self { terminal, output, guard, title: None, gate: None, stop: || Ok(()) })
    }

    /// Sets the gate of its input.
    #[must_use]
    pub fn reading_through(self, gate: Option<InputGate>) -> Self {
        Self { gate, ..self }
    }

    /// Sets the function that stops the process.
    #[must_use]
    pub fn stopping_by(self, stop: fn() -> io::Result<()>) -> Self {
        Self { stop, ..self }
    }

    /// Restores the terminal, after the last frame is written if that takes no longer than `limit`.
    ///
    /// # Errors
    /// The terminal was closed.
    pub fn leave(mut self, limit: Duration) -> io::Result<()> {
        self.output.wait(limit);
        if !self.guard.is_on() {
            // Another program had the terminal to the end: it stays as that left it.
            return Ok(());
        }
        let written = ratatui::backend::Backend::flush(self.terminal.backend_mut());
        // If it still receives a frame, it is not waited for any longer.
        let is_busy = |error: &io::Error| error.kind() == io::ErrorKind::WouldBlock;
        let written = written.or_else(|error| if is_busy(&error) { Ok(()) } else { Err(error) });
        self.output.wait(limit);
        let cleared = self.clear_title();
        self.guard.leave().and(written).and(cleared)
    }
}

impl<W: Write, R: RawMode> Surface for TerminalSurface<W, R> {
    fn is_ready(&self) -> bool {
        self.output.is_idle() || self.output.failure().is_some()
    }

    fn size(&self) -> Size {
        self.terminal.backend().area()
    }

    fn print(&mut self, rows: &[Line<'static>], live_rows: u16) {
        self.terminal.backend_mut().print(rows, live_rows);
    }

    fn draw(
        &mut self,
        bounds: FrameBounds,
        render: &mut dyn FnMut(&mut Frame<'_>),
    ) -> io::Result<Drawn> {
        let drawn = match backend::draw(&mut self.terminal, bounds, render) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Drawn::NOTHING,
            other => other?,
        };
        if let Some(gate) = &self.gate {
            gate.announce_statuses(match drawn.asked {
                StatusQuestion::None => 0,
                StatusQuestion::After => 1,
                StatusQuestion::BeforeAndAfter => 2,
            });
        }
        Ok(drawn)
    }

    fn resize(&mut self, size: Size) {
        self.terminal.backend_mut().resize(size);
    }

    fn repaint(&mut self) {
        self.terminal.backend_mut().invalidate();
    }

    fn control(&mut self, control: &Control) {
        if control.sets_title() {
            self.title = Some(control.clone());
        }
        if let Some(gate) = self.gate.as_ref().filter(|_| control.asks()) {
            gate.announce_replies();
        }
        self.terminal.backend_mut().control(control);
    }

    fn use_mouse(&mut self, wanted: MouseUse) {
        self.guard.use_mouse(wanted);
        self.control(&Control::mouse(wanted));
    }

    fn show_links(&mut self, links: Links) {
        self.terminal.backend_mut().show_links(links);
    }

    fn suspend(&mut self) -> io::Result<JobPlace> {
        let has_it = self.guard.is_on();
        if has_it {
            // The live rows are found from where the last frame leaves the cursor.
            self.output.wait(LEND_TIMEOUT);
            self.give_away()?;
        }
        let stopped = (self.stop)();
        let place = self.job_place();
        if has_it && place == JobPlace::Foreground {
            self.take_back()?;
        }
        stopped.map(|()| place)
    }

    fn continued(&mut self) -> io::Result<JobPlace> {
        let place = self.job_place();
        match place {
            JobPlace::Background => self.give_away()?,
            JobPlace::Foreground => {
                self.guard.set_again()?;
                self.begin_again();
            }
        }
        Ok(place)
    }

    fn job_place(&self) -> JobPlace {
        job_place()
    }

    fn lend(&mut self) -> io::Result<()> {
        if !self.output.wait(LEND_TIMEOUT) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.give_away()
    }

    fn take_back(&mut self) -> io::Result<()> {
        let taken = self.guard.return_to();
        self.open_gate();
        self.begin_again();
        taken
    }

    fn last_write(&self) -> Duration {
        self.output.last_write()
    }
}

impl<W: Write, R: RawMode> TerminalSurface<W, R> {
    fn give_away(&mut self) -> io::Result<()> {
        if let Some(gate) = &self.gate {
            gate.close()?;
        }
        let cleared = self.clear_title();
        self.guard.leave().and(cleared).inspect_err(|_| self.open_gate())
    }

    /// Draws everything with the next frame.
    fn begin_again(&mut self) {
        let backend = self.terminal.backend_mut();
        backend.begin_again();
        if let Some(title) = &self.title {
            backend.control(title);
        }
    }

    /// The terminal shows its own title; if it has kept one, that comes back with its modes.
    fn clear_title(&mut self) -> io::Result<()> {
        match self.title {
            Some(_) => self.guard.send(&Control::clear_title()),
            None => Ok(()),
        }
    }

    fn open_gate(&self) {
        if let Some(gate) = &self.gate {
            gate.open();
        }
    }
}

#[cfg(test)]
mod tests;
