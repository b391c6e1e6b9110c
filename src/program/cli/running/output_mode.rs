//! How a command prints the events of a driver, and what it is sent for that.

use std::io::{self, IsTerminal as _};

use crate::platform::env;
use crate::protocol::wire::Audience;
use crate::ui::start::columns;

use super::stream::{StatusLine, TerminalStream};
use crate::cli::args::DriveArgs;

/// The width if that of the terminal is unknown.
const DEFAULT_COLUMNS: usize = 80;

/// How events are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputMode {
    /// As JSON lines.
    Json(Deltas),
    /// One line per event, for a file or a pipe.
    Report,
    /// Streamed text, for a terminal.
    Terminal,
    /// Only notes for the user; no output of dialogs.
    NotesOnly,
}

impl OutputMode {
    pub fn of(driving: &DriveArgs) -> Self {
        match (driving.json, driving.deltas) {
            (true, true) => Self::Json(Deltas::Printed),
            (true, false) => Self::Json(Deltas::Omitted),
            (false, _) if io::stdout().is_terminal() => Self::Terminal,
            (false, _) => Self::Report,
        }
    }

    /// JSON, or no output of dialogs: a script that forks reads the id.
    pub fn notes_only(driving: &DriveArgs) -> Self {
        match Self::of(driving) {
            json @ Self::Json(_) => json,
            Self::Report | Self::Terminal | Self::NotesOnly => Self::NotesOnly,
        }
    }

    pub fn audience(self) -> Audience {
        match self {
            Self::Json(Deltas::Omitted) | Self::Report | Self::NotesOnly => Audience::Script,
            Self::Json(Deltas::Printed) | Self::Terminal => Audience::Follower,
        }
    }

    /// The stream to the terminal, if it is one.
    pub fn stream(self) -> Option<TerminalStream> {
        if self != Self::Terminal {
            return None;
        }
        let dumb = env::variable("TERM").is_none_or(|term| term == "dumb");
        let shows = if dumb { StatusLine::Hidden } else { StatusLine::Shown };
        Some(TerminalStream::new(columns().unwrap_or(DEFAULT_COLUMNS), shows))
    }
}

/// Whether streamed text is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deltas {
    Printed,
    Omitted,
}
