//! The loop of a session of lines: reads typed lines, sends commands, prints.

use std::future::Future;
use std::io::{self, BufRead, Read as _, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::timeout_at;

use super::session::{PlainOutput, PlainSession};
use crate::domain::Clock;
use crate::protocol::{Command, DriverEvent};
use crate::run::{Leave, RunEnd, now, until};

/// The longest typed line, in bytes.
const MAX_LINE: u64 = 1024 * 1024;
/// Typed lines that wait; the reading thread waits when there are more.
const LINE_QUEUE: usize = 16;
/// Added to the driver's grace period, for its last events to arrive.
const SHUTDOWN_MARGIN: Duration = Duration::from_millis(500);

/// Lines of a person, read by a thread of its own: reading a terminal cannot be given up.
#[derive(Debug)]
pub struct TypedLines(mpsc::Receiver<TypedLine>);

#[derive(Debug, PartialEq, Eq)]
enum TypedLine {
    Text(String),
    /// Too long, or no UTF-8.
    Unreadable,
}

impl TypedLines {
    /// Starts to read.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(input: impl BufRead + Send + 'static) -> io::Result<Self> {
        // Bounded: further typed lines stay in the terminal.
        let (lines, received) = mpsc::channel(LINE_QUEUE);
        thread::Builder::new().name("typed-lines".to_owned()).spawn(move || {
            let mut input = input;
            while let Ok(Some(line)) = read_line(&mut input) {
                if lines.blocking_send(line).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self(received))
    }

    /// Returns the next line, `Some(None)` for an unreadable one; `None` at the end of the input.
    pub async fn next_line(&mut self) -> Option<Option<String>> {
        Some(match self.next().await? {
            TypedLine::Text(text) => Some(text),
            TypedLine::Unreadable => None,
        })
    }

    /// The next line; `None` at the end of the input.
    async fn next(&mut self) -> Option<TypedLine> {
        self.0.recv().await
    }
}

/// Reads one line without its end; `None` at the end of the input. The rest of a line that is too long is skipped.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<TypedLine>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let is_whole = bytes.last() == Some(&b'\n')
        || bytes.len() < usize::try_from(MAX_LINE).unwrap_or(usize::MAX);
    if !is_whole {
        input.skip_until(b'\n')?;
        return Ok(Some(TypedLine::Unreadable));
    }
    let text = String::from_utf8(bytes);
    Ok(Some(text.map_or(TypedLine::Unreadable, |text| {
        TypedLine::Text(text.trim_end_matches(['\n', '\r']).to_owned())
    })))
}

/// The channels and the terminal of a session of lines.
#[derive(Debug)]
pub struct LineChannels<S, W> {
    pub typed: TypedLines,
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Receiver<DriverEvent>,
    /// Completes when a signal asks to leave.
    pub shutdown: S,
    pub output: W,
    /// The clock, for the time of day.
    pub clock: Arc<dyn Clock>,
    /// True if the output is a terminal, which has a bell.
    pub has_bell: bool,
    /// True if the input echoes typed text, with its line end: a terminal.
    pub is_echoed: bool,
    /// What to do when the terminal is gone, and a check whether it is.
    pub without_terminal: (Leave, fn() -> bool),
}

/// Runs a session until the person quits, the input ends, a signal asks to end, or the driver has ended.
/// `grace`: how long dialogs may take to stop.
///
/// # Errors
/// The output was closed.
pub async fn run_lines<S, W>(
    session: &mut PlainSession,
    channels: LineChannels<S, W>,
    grace: Duration,
) -> io::Result<RunEnd>
where
    S: Future<Output = Leave>,
    W: Write,
{
    let LineChannels { mut typed, commands, mut events, shutdown, .. } = channels;
    let LineChannels { output, clock, has_bell, is_echoed, .. } = channels;
    let (without_terminal, is_gone) = channels.without_terminal;
    let mut printer = LinePrinter { output, is_echoed, has_bell, is_prompting: false };
    let mut shutdown = Box::pin(shutdown);
    while !session.is_over() {
        session.tick(now(), &clock.now());
        printer.print(session.take_output())?;
        let wake = session.wake_at().map(tokio::time::Instant::from_std);
        tokio::select! {
            biased;
            leave = &mut shutdown => match leave {
                Leave::Quit => break,
                Leave::Detach => return Ok(RunEnd::Detached),
            },
            () = until(wake) => {}
            line = typed.next() => {
                printer.line_was_typed()?;
                match line {
                    Some(TypedLine::Text(text)) => session.line(&text),
                    Some(TypedLine::Unreadable) => session.unreadable_line(),
                    None if without_terminal == Leave::Detach && is_gone() => {
                        return Ok(RunEnd::Detached);
                    }
                    None => session.input_ended(),
                }
            }
            event = events.recv() => match event {
                Some(event) => session.event(&event, now()),
                None => return Ok(RunEnd::Settled),
            },
        }
        for command in session.take_commands() {
            if commands.send(command).await.is_err() {
                return Ok(RunEnd::Settled);
            }
        }
    }
    end(session, &mut printer, &commands, &mut events, grace).await
}

/// Stops the driver, and prints its last events.
async fn end<W: Write>(
    session: &mut PlainSession,
    printer: &mut LinePrinter<W>,
    commands: &mpsc::Sender<Command>,
    events: &mut mpsc::Receiver<DriverEvent>,
    grace: Duration,
) -> io::Result<RunEnd> {
    printer.print(session.take_output())?;
    if commands.send(Command::Shutdown { grace }).await.is_err() {
        return Ok(RunEnd::Settled);
    }
    let deadline = tokio::time::Instant::from_std(Instant::now() + grace + SHUTDOWN_MARGIN);
    loop {
        match timeout_at(deadline, events.recv()).await {
            Ok(Some(event)) if event != DriverEvent::Stopped => {
                session.event(&event, now());
                printer.print(session.take_output())?;
            }
            Ok(_) => return Ok(RunEnd::Settled),
            Err(_) => return Ok(RunEnd::Abandoned),
        }
    }
}

/// Writes lines and prompts.
#[derive(Debug)]
struct LinePrinter<W> {
    output: W,
    is_echoed: bool,
    has_bell: bool,
    /// True if a prompt is at the end of the output.
    is_prompting: bool,
}

impl<W: Write> LinePrinter<W> {
    fn print(&mut self, pieces: Vec<PlainOutput>) -> io::Result<()> {
        if pieces.is_empty() {
            return Ok(());
        }
        for piece in pieces {
            match piece {
                PlainOutput::Bell if self.has_bell => write!(self.output, "\x07")?,
                PlainOutput::Bell => {}
                PlainOutput::Line(text) => writeln!(self.output, "{text}")?,
                PlainOutput::Prompt(text) => {
                    write!(self.output, "{text}")?;
                    self.is_prompting = true;
                }
            }
        }
        self.output.flush()
    }

    /// A terminal has moved to the next line; elsewhere the prompt is still the last line.
    fn line_was_typed(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_prompting) && !self.is_echoed {
            writeln!(self.output)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whole_or_not_at_all() {
        let long = vec![b'x'; usize::try_from(MAX_LINE).unwrap() + 1];
        let mut input = [b"one\r\n\n".as_slice(), &long, b"\n\xff\nlast"].concat();
        input.push(b'!');
        let mut input = io::Cursor::new(input);
        let text = |text: &str| TypedLine::Text(text.to_owned());
        for expected in
            [text("one"), text(""), TypedLine::Unreadable, TypedLine::Unreadable, text("last!")]
        {
            assert_eq!(read_line(&mut input).unwrap(), Some(expected));
        }
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
