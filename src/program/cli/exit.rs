//! Exit statuses and the errors that lead to them.

use std::process::ExitCode;

use crate::protocol::QuietOutcome;
use crate::store::StoreError;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Done,
    /// Not possible in the current state.
    Refused,
    Usage,
    QuestionWaits,
    Failed,
    InUse,
    Invalid,
    TimedOut,
    Interrupted,
    Terminated,
    /// The exit code of the command that was run.
    OfCommand(u8),
}

impl Status {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::QuestionWaits => 3,
            Self::Failed => 4,
            Self::InUse => 5,
            Self::Invalid => 6,
            Self::TimedOut => 7,
            Self::Interrupted => 130,
            Self::Terminated => 143,
            Self::OfCommand(code) => code,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

impl From<QuietOutcome> for Status {
    fn from(outcome: QuietOutcome) -> Self {
        match outcome {
            QuietOutcome::Done | QuietOutcome::Paused => Self::Done,
            QuietOutcome::QuestionWaits => Self::QuestionWaits,
            QuietOutcome::Failed | QuietOutcome::Blocked => Self::Failed,
        }
    }
}

/// An error with its exit status.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct CommandError {
    pub status: Status,
    pub text: String,
}

impl CommandError {
    pub fn usage(text: impl Into<String>) -> Self {
        Self { status: Status::Usage, text: text.into() }
    }

    pub fn refused(text: impl Into<String>) -> Self {
        Self { status: Status::Refused, text: text.into() }
    }

    /// The workspace is in use by another process.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.status == Status::InUse
    }

    pub fn invalid(text: impl Into<String>) -> Self {
        Self { status: Status::Invalid, text: text.into() }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let status = if error.is_held() { Status::InUse } else { Status::Invalid };
        Self { status, text: error.to_string() }
    }
}
