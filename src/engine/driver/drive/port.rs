//! The requests of a drive to its tree, and the port they pass: the only way a drive writes. The tree handles
//! one request at a time, so each is atomic.
//!
//! A port belongs to one dialog and cannot name another. Only [`super::drives::Drives`] makes one, when it starts the
//! drive of that dialog.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::domain::dialogs::record::Call;
use crate::domain::{Course, Genseq, SelfId};
use crate::driver::shared::throttle::Throttle;
use crate::llm::{LlmError, Provider, Request, Usage};
use crate::minds::RetryConfig;
use crate::tools::{ToolCx, ToolOutcome, ToolSubset};

use super::answer::{AnswerSegment, ModelAnswer};

/// The open generation of the drive's dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGeneration {
    pub course: Course,
    pub genseq: Genseq,
}

/// Everything one generation needs.
#[derive(Debug)]
pub struct Generation {
    pub at: OpenGeneration,
    pub request: Request,
    pub provider: Arc<dyn Provider>,
    /// The name of the provider in `llm.yaml`.
    pub server: String,
    pub permits: Arc<tokio::sync::Semaphore>,
    pub retry: RetryConfig,
    pub throttle: Throttle,
    pub tools: Arc<ToolSubset>,
    pub tool_cx: ToolCx,
}

/// What remains to be done after a round is recorded.
#[derive(Debug)]
pub struct RecordedRound {
    /// The ordinary calls, to be run.
    pub ordinary: Vec<Call>,
    /// True if the dialog asked back: the generation stays open for the answer.
    pub asked_back: bool,
}

/// How a generation ended.
#[derive(Debug)]
pub enum GenerationEnd {
    Finished {
        usage: Option<Usage>,
    },
    /// Stopped; the text so far is kept.
    Stopped {
        segments: Vec<AnswerSegment>,
    },
    Failed {
        error: LlmError,
        /// A push may help where retries did not.
        push: bool,
    },
}

/// What a drive asks its tree to do with its dialog.
#[derive(Debug)]
pub enum DriveRequest {
    /// Opens the next generation, if there is a reason for one.
    Begin { reply: oneshot::Sender<Option<Box<Generation>>> },
    /// Records the complete answer with its calls.
    Answered { at: OpenGeneration, answer: Box<ModelAnswer>, reply: oneshot::Sender<RecordedRound> },
    /// Replied to when the asker has answered, or this dialog has other work.
    AwaitAsker { reply: oneshot::Sender<()> },
    /// Records the result of a call.
    ToolDone { at: OpenGeneration, call: Call, outcome: ToolOutcome, reply: oneshot::Sender<()> },
    /// Ends the generation.
    End { at: OpenGeneration, end: GenerationEnd, reply: oneshot::Sender<()> },
}

/// A request with the dialog whose drive sent it. Only a port makes one.
#[derive(Debug)]
pub struct SentRequest {
    dialog: SelfId,
    request: DriveRequest,
}

impl SentRequest {
    pub fn into_parts(self) -> (SelfId, DriveRequest) {
        (self.dialog, self.request)
    }
}

/// The tree did not reply: it ended, or could not write. The drive ends.
#[derive(Debug)]
pub struct PortClosed;

/// The drive's side, bound to its dialog. It is moved, never copied.
#[derive(Debug)]
pub struct Port {
    dialog: SelfId,
    requests: mpsc::Sender<SentRequest>,
}

impl Port {
    pub(super) fn new(dialog: SelfId, requests: mpsc::Sender<SentRequest>) -> Self {
        Self { dialog, requests }
    }

    pub async fn begin(&self) -> Result<Option<Box<Generation>>, PortClosed> {
        self.ask(|reply| DriveRequest::Begin { reply }).await
    }

    pub async fn answered(
        &self,
        at: OpenGeneration,
        answer: ModelAnswer,
    ) -> Result<RecordedRound, PortClosed> {
        let answer = Box::new(answer);
        self.ask(|reply| DriveRequest::Answered { at, answer, reply }).await
    }

    pub async fn await_asker(&self) -> Result<(), PortClosed> {
        self.ask(|reply| DriveRequest::AwaitAsker { reply }).await
    }

    pub async fn tool_done(
        &self,
        at: OpenGeneration,
        call: Call,
        outcome: ToolOutcome,
    ) -> Result<(), PortClosed> {
        self.ask(|reply| DriveRequest::ToolDone { at, call, outcome, reply }).await
    }

    pub async fn end(&self, at: OpenGeneration, end: GenerationEnd) -> Result<(), PortClosed> {
        self.ask(|reply| DriveRequest::End { at, end, reply }).await
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> DriveRequest,
    ) -> Result<T, PortClosed> {
        let (reply, answer) = oneshot::channel();
        let sent = SentRequest { dialog: self.dialog.clone(), request: request(reply) };
        self.requests.send(sent).await.map_err(|_| PortClosed)?;
        answer.await.map_err(|_| PortClosed)
    }
}
