//! `--plain`: the screen as lines on standard output, answers typed at a prompt.

use std::io::{self, BufReader, IsTerminal as _};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::app::Models;
use crate::platform::descriptors::WaitingInput;
use crate::platform::signals::Signals;
use crate::platform::{SystemClock, waiter};
use crate::protocol::Command;
use crate::protocol::wire::Audience;
use crate::ui::plain::{LineChannels, PlainSession, TypedLines, run_lines};
use crate::ui::{Leave, QuitPolicy, RunEnd};

use super::full::{self, ScreenExit};
use super::link::Link;
use crate::cli::config::{self, UserConfig};
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::other_driver;

/// Opens a workspace as lines. `first`: commands sent before any input.
pub async fn show(
    workspace: &Path,
    models: Models,
    first: Vec<Command>,
) -> Result<ScreenExit, CommandError> {
    let setup = config::read(workspace);
    let hello = other_driver::hello(Audience::Lines);
    let link = Link::open(workspace, models, hello, &setup).await?;
    show_link(link, setup, first).await
}

/// Shows a driver as lines.
pub async fn show_link(
    link: Link,
    setup: UserConfig,
    first: Vec<Command>,
) -> Result<ScreenExit, CommandError> {
    let lang = setup.look.lang;
    let Link { commands, events, view, end, .. } = link;
    for command in first {
        let _ = commands.send(command).await;
    }
    let signals = Signals::listen();
    let mut signals = signals.map_err(|error| CommandError::invalid(error.to_string()))?;
    let hang_up = setup.hang_up;
    let without_terminal = full::after_hang_up(hang_up, &end);
    let asked = Arc::new(OnceLock::new());
    let received = asked.clone();
    let shutdown = async move {
        let signal = signals.next().await;
        let _ = received.set(signal);
        full::leave_after(signal, without_terminal)
    };
    let typed = TypedLines::start(BufReader::new(WaitingInput(io::stdin())));
    let typed = typed.map_err(|error| CommandError::invalid(error.to_string()))?;
    let is_echoed = io::stdin().is_terminal();
    let output = io::stdout();
    let (clock, has_bell) = (Arc::new(SystemClock), output.is_terminal());
    let channels = LineChannels {
        typed,
        commands,
        events,
        shutdown,
        output,
        clock,
        has_bell,
        is_echoed,
        without_terminal: (without_terminal, waiter::terminal_is_gone),
    };
    let mut session = PlainSession::new(lang);
    session.set_attention(setup.attention);
    if view {
        session.only_view();
    }
    let shown = run_lines(&mut session, channels, other_driver::SHUTDOWN_TIMEOUT).await;
    let has_detached = match &shown {
        Ok(end) => *end == RunEnd::Detached,
        Err(_) => without_terminal == Leave::Detach && waiter::terminal_is_gone(),
    };
    if has_detached {
        let until = full::until_when(hang_up, asked.get().copied());
        let gone = full::go_on(end, until, session.open_questions(), lang).await;
        return gone.map_err(|error| CommandError::invalid(error.to_string()));
    }
    if let Some(line) = end.settle(asked.get().copied(), QuitPolicy::Stop, lang).await {
        output::note(&line);
    }
    if let Some(line) = full::open_questions_line(session.open_questions(), lang) {
        output::note(&line);
    }
    match asked.get() {
        Some(signal) => Ok(ScreenExit::Status(full::report_signal(*signal))),
        // A reader that is gone needs no more lines.
        None => match shown {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(CommandError::usage(format!("standard output: {error}")))
            }
            Ok(_) | Err(_) => Ok(ScreenExit::Status(Status::Done)),
        },
    }
}
