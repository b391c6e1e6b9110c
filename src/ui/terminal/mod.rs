//! The terminal's modes: set at the start, reset at every exit.
//!
//! Invariant: all modes that [`TerminalGuard::enter`] turned on are turned off by leaving, dropping,
//! suspending, and by a panic before its message is written. The mouse is reported only if the person wants
//! it. An inline screen stays on the ordinary screen: leaving it erases its live rows and nothing else, and
//! the cursor stays where they began. Sequences with effects outside the screen (title, notification,
//! clipboard) are [`Control`]s, built here from safe text only.

mod control;
mod output;

use std::fs::File;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::thread::{self, ThreadId};

use ratatui::layout::Size;
use rustix::termios::{InputModes, LocalModes, OptionalActions, OutputModes, Termios};

pub use control::{Control, LinkSupport, MAX_CLIPBOARD_BYTES, MouseUse, Multiplexer, Notifier};
pub use output::{Output, OutputError, Sink, terminal_file};

/// Alternate screen, bracketed paste, reports of the focus, and of dark and light colours. The backend handles
/// the cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?2031h";

/// The terminal keeps its title, where it can, and has it back at the end.
const KEEP_TITLE: &[u8] = b"\x1b[22;0t";
const TITLE_BACK: &str = "\x1b[23;0t";

/// Resets everything the guard or the backend may have set, but the screen: mouse, synchronized update, style,
/// scroll region, cursor, reports, paste.
const RESET_MODES: &str =
    "\x1b[?1006l\x1b[?1000l\x1b[?2026l\x1b[m\x1b[r\x1b[?25h\x1b[?2031l\x1b[?1004l\x1b[?2004l";

/// Erases the frame: a terminal without an alternate screen, as GNU screen unless `altscreen` is on, would keep it
/// below the text that comes next.
const ERASE_FRAME: &str = "\x1b[H\x1b[J";

const LEAVE_SCREEN: &str = "\x1b[?1049l";

/// Modes of an inline screen: the ordinary screen without wrapping. A row that is too wide, because the
/// terminal has just become narrower, is cut and does not move the rows below.
const ENTER_INLINE: &[u8] = b"\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[?7l";

/// Modes that are reset before the live rows are erased. A scroll region is never set there, and resetting it
/// would move the cursor.
const BEFORE_ERASING: &str = "\x1b[?1006l\x1b[?1000l\x1b[?2026l\x1b[m\r";
/// Erases them, and resets the rest.
const ERASE_INLINE: &str = "\x1b[J\x1b[?7h\x1b[?25h\x1b[?2031l\x1b[?1004l\x1b[?2004l";

/// Modes that [`reset`] resets in addition: the ended process may have been an inline screen, or another
/// program with other mouse reports.
const RESET_REST: &str = "\x1b[?7h\x1b[?1002l\x1b[?1003l";

/// The part of the terminal that is not bytes: raw mode of the line discipline.
pub trait RawMode {
    /// # Errors
    /// The terminal was closed, or there is none.
    fn set(&mut self, raw: bool) -> io::Result<()>;
}

/// Raw mode of the real terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct TtyRawMode;

impl RawMode for TtyRawMode {
    /// Sets it also where it should be so: the shell may have changed it meanwhile. In the background the line is that
    /// of another program, which has it as it wants it.
    fn set(&mut self, raw: bool) -> io::Result<()> {
        use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
        if !raw && job_place() == JobPlace::Background {
            return Ok(());
        }
        disable_raw_mode()?;
        if raw { enable_raw_mode() } else { Ok(()) }
    }
}

/// Returns the size of the terminal. Values it does not report, as over a serial line, are taken from `assumed`.
///
/// # Errors
/// The terminal was closed, or there is none.
pub fn size(assumed: Size) -> io::Result<Size> {
    let (width, height) = ratatui::crossterm::terminal::size()?;
    let known = |told: u16, assumed: u16| if told == 0 { assumed } else { told };
    Ok(Size { width: known(width, assumed.width), height: known(height, assumed.height) })
}

/// Whether this process has the terminal now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobPlace {
    Foreground,
    /// The shell, or another job of it, has the terminal.
    Background,
}

/// Returns whether this process has the terminal now. Without a terminal it counts as the foreground.
#[must_use]
pub fn job_place() -> JobPlace {
    match rustix::termios::tcgetpgrp(io::stdin()) {
        Ok(group) if group != rustix::process::getpgrp() => JobPlace::Background,
        Ok(_) | Err(_) => JobPlace::Foreground,
    }
}

/// The former settings of the line, for a process that outlives the program that changes them.
#[derive(Debug)]
pub struct SavedLine(Option<Termios>);

impl SavedLine {
    #[must_use]
    pub fn now() -> Self {
        Self(rustix::termios::tcgetattr(io::stdin()).ok())
    }
}

impl RawMode for SavedLine {
    fn set(&mut self, raw: bool) -> io::Result<()> {
        let Some(saved) = self.0.as_ref().filter(|_| !raw) else { return Ok(()) };
        // Drops what was typed for the ended program, and replies to it.
        rustix::termios::tcsetattr(io::stdin(), OptionalActions::Flush, saved).map_err(Into::into)
    }
}

/// The settings of a line as a shell needs it, whatever a program left there.
#[derive(Debug)]
pub struct ShellLine<'a>(pub &'a File);

impl RawMode for ShellLine<'_> {
    fn set(&mut self, raw: bool) -> io::Result<()> {
        if raw {
            return Ok(());
        }
        let mut line = rustix::termios::tcgetattr(self.0)?;
        let local = LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN;
        line.local_modes |= local | LocalModes::ECHO | LocalModes::ECHOE | LocalModes::ECHOK;
        line.input_modes |= InputModes::ICRNL;
        line.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
        rustix::termios::tcsetattr(self.0, OptionalActions::Flush, &line).map_err(Into::into)
    }
}

/// Whether the modes are on, and for which kind of screen. Shared with the panic hook.
#[derive(Debug, Clone, Default)]
pub struct ModeFlag {
    on: Arc<AtomicBool>,
    /// The live rows of an inline screen.
    live_rows: Option<LiveRows>,
}

impl ModeFlag {
    /// Makes a flag for an inline screen.
    #[must_use]
    pub fn inline() -> Self {
        Self { live_rows: Some(LiveRows::default()), ..Self::default() }
    }

    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::SeqCst)
    }

    /// The live rows, if the screen is inline.
    #[must_use]
    pub fn live_rows(&self) -> Option<LiveRows> {
        self.live_rows.clone()
    }

    /// Sets the flag; true if that changed it.
    fn set(&self, on: bool) -> bool {
        self.on.swap(on, Ordering::SeqCst) != on
    }

    fn enter_bytes(&self) -> &'static [u8] {
        if self.live_rows.is_some() { ENTER_INLINE } else { ENTER }
    }

    fn leave_bytes(&self) -> Vec<u8> {
        let Some(live) = &self.live_rows else {
            return [RESET_MODES, ERASE_FRAME, LEAVE_SCREEN, TITLE_BACK].concat().into_bytes();
        };
        let up = match live.take_above() {
            0 => String::new(),
            rows => format!("\x1b[{rows}A"),
        };
        [BEFORE_ERASING, &up, ERASE_INLINE, TITLE_BACK].concat().into_bytes()
    }
}

/// The position of the live rows of an inline screen: the number of rows from the first one to the cursor.
/// They are found from the cursor alone, wherever on the terminal they are.
#[derive(Debug, Clone, Default)]
pub struct LiveRows(Arc<AtomicU16>);

impl LiveRows {
    #[must_use]
    pub fn above(&self) -> u16 {
        self.0.load(Ordering::SeqCst)
    }

    pub fn set_above(&self, rows: u16) {
        self.0.store(rows, Ordering::SeqCst);
    }

    /// Takes the number when the rows are erased: the next output begins at the cursor.
    fn take_above(&self) -> u16 {
        self.0.swap(0, Ordering::SeqCst)
    }
}

/// Keeps the terminal in the screen's modes; dropping it restores the terminal.
#[derive(Debug)]
pub struct TerminalGuard<W: Write, R: RawMode> {
    writer: W,
    raw: R,
    flag: ModeFlag,
    mouse: MouseUse,
}

impl<W: Write, R: RawMode> TerminalGuard<W, R> {
    /// Turns the modes on. `writer` is used for mode changes only, not for frames.
    ///
    /// # Errors
    /// No terminal, or it was closed. Modes already on are turned off again.
    pub fn enter(writer: W, raw: R, flag: ModeFlag) -> io::Result<Self> {
        let mut guard = Self { writer, raw, flag, mouse: MouseUse::Off };
        guard.turn_on(KEEP_TITLE)?;
        Ok(guard)
    }

    /// The live rows, if the screen is inline.
    pub fn live_rows(&self) -> Option<LiveRows> {
        self.flag.live_rows()
    }

    /// False while another program has the terminal.
    pub fn is_on(&self) -> bool {
        self.flag.is_on()
    }

    /// Writes a control now. Only before the first frame: frames are written by another thread.
    ///
    /// # Errors
    /// The terminal was closed.
    pub fn send(&mut self, control: &Control) -> io::Result<()> {
        write_all(&mut self.writer, control.bytes())
    }

    /// Restores the terminal. A second call does nothing.
    ///
    /// # Errors
    /// The terminal was closed. Raw mode is turned off even if the bytes could not be written.
    pub fn leave(&mut self) -> io::Result<()> {
        if !self.flag.set(false) {
            return Ok(());
        }
        let written = write_all(&mut self.writer, &self.flag.leave_bytes());
        self.raw.set(false).and(written)
    }

    /// Stops writing, since the terminal was closed (hang-up).
    pub fn abandon(&mut self) {
        self.flag.set(false);
    }

    /// Sets the modes again after [`Self::leave`]. The caller redraws everything.
    ///
    /// # Errors
    /// The terminal was closed.
    pub fn return_to(&mut self) -> io::Result<()> {
        self.turn_on(KEEP_TITLE)
    }

    /// Sets the modes again after this process was stopped from outside while another program had the
    /// terminal. The old live rows of an inline screen are ordinary text now. The caller redraws everything.
    ///
    /// # Errors
    /// The terminal was closed.
    pub fn set_again(&mut self) -> io::Result<()> {
        if let Some(live) = self.flag.live_rows() {
            live.take_above();
        }
        self.turn_on(b"")
    }

    /// Sets whether the mouse is reported when the modes are set again; to change it now takes a [`Control`].
    pub fn use_mouse(&mut self, wanted: MouseUse) {
        self.mouse = wanted;
    }

    fn turn_on(&mut self, before: &[u8]) -> io::Result<()> {
        self.raw.set(true)?;
        self.flag.set(true);
        let mouse = match self.mouse {
            MouseUse::On => Control::mouse(MouseUse::On).bytes().to_vec(),
            MouseUse::Off => Vec::new(),
        };
        write_all(&mut self.writer, &[before, self.flag.enter_bytes(), &mouse].concat())
            .inspect_err(|_| {
                // The error to report is the first one.
                let _ = self.leave();
            })
    }
}

impl<W: Write, R: RawMode> Drop for TerminalGuard<W, R> {
    fn drop(&mut self) {
        // The error cannot be reported; a closed terminal needs no restoring.
        let _ = self.leave();
    }
}

fn write_all(writer: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    writer.write_all(bytes)?;
    writer.flush()
}

/// Where a panic happened, for the hook's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicLocation {
    /// In the screen's thread: the program ends; the terminal has been restored.
    Screen,
    /// In a background task, where it is caught: the terminal still shows the screen, so nothing may be
    /// written to it.
    Background,
}

/// Installs a panic hook for the thread that runs the screen (the one that calls this). On a
/// panic there, it first restores the terminal, then calls `report`.
pub fn install_panic_hook<W, R>(
    flag: ModeFlag,
    writer: impl Fn() -> W + Send + Sync + 'static,
    raw: R,
    report: impl Fn(PanicLocation, &PanicHookInfo<'_>) + Send + Sync + 'static,
) where
    W: Write,
    R: RawMode + Clone + Send + Sync + 'static,
{
    let screen = thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        let location = location_of(thread::current().id(), screen);
        if location == PanicLocation::Screen {
            let (writer, raw, flag) = (writer(), raw.clone(), flag.clone());
            let mut guard = TerminalGuard { writer, raw, flag, mouse: MouseUse::Off };
            // The panic itself is reported next; a second error would hide it.
            let _ = guard.leave();
        }
        report(location, info);
    }));
}

fn location_of(current: ThreadId, screen: ThreadId) -> PanicLocation {
    if current == screen { PanicLocation::Screen } else { PanicLocation::Background }
}

/// Restores a terminal that an ended process left in these modes (`--reset-terminal`, and the process that waited for
/// it). Nothing is erased: other text may be there now. An inline screen was on the ordinary screen, and stays there.
///
/// # Errors
/// The terminal was closed, or there is none.
pub fn reset(writer: &mut impl Write, raw: &mut impl RawMode, flag: &ModeFlag) -> io::Result<()> {
    let reset = reset_modes(writer, raw, flag);
    let title = [Control::clear_title().bytes(), TITLE_BACK.as_bytes()].concat();
    reset.and(write_all(writer, &title))
}

/// Restores a terminal as [`reset`] does, but for its title: the process that left it was stopped, and may go on.
///
/// # Errors
/// The terminal was closed, or there is none.
pub fn reset_modes(
    writer: &mut impl Write,
    raw: &mut impl RawMode,
    flag: &ModeFlag,
) -> io::Result<()> {
    let screen = if flag.live_rows.is_some() { "\r\n" } else { LEAVE_SCREEN };
    let written = write_all(writer, [RESET_MODES, screen, RESET_REST].concat().as_bytes());
    raw.set(false).and(written)
}

#[cfg(test)]
mod tests;
