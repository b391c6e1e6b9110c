//! What a drive may ask of its tree. The tree answers one request at a time, so each is atomic.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::domain::record::Call;
use crate::llm::{LlmError, Provider, Request, Usage};
use crate::minds::RetryConfig;
use crate::protocol::event::Segment;
use crate::tools::{ToolCx, ToolOutcome, ToolSubset};

use super::calls::Position;
use super::drive_slot::DriveSlot;
use super::throttle::Throttle;

/// Everything one generation needs.
#[derive(Debug)]
pub struct Generation {
    pub at: Position,
    pub request: Request,
    pub provider: Arc<dyn Provider>,
    pub permits: Arc<tokio::sync::Semaphore>,
    pub retry: RetryConfig,
    pub throttle: Throttle,
    pub tools: Arc<ToolSubset>,
    pub tool_cx: ToolCx,
}

/// What the model answered.
#[derive(Debug, Default, Clone)]
pub struct ModelAnswer {
    pub segments: Vec<AnswerSegment>,
    pub calls: Vec<Call>,
    pub usage: Option<Usage>,
}

impl ModelAnswer {
    /// True if nothing was said, thought or called.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.calls.is_empty()
    }
}

/// What is left of a round when it is recorded.
#[derive(Debug)]
pub struct Round {
    /// The ordinary calls, to be run.
    pub ordinary: Vec<Call>,
    /// True if it asked back: its generation stays open for the answer.
    pub asked_back: bool,
}

/// One thing the model thought or said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerSegment {
    pub segment: Segment,
    pub text: String,
    /// What the provider wants back with a thought.
    pub payload: Option<serde_json::Value>,
}

/// How a generation ended.
#[derive(Debug)]
pub enum GenerationEnd {
    Finished {
        usage: Option<Usage>,
    },
    /// Cut short; what was said so far is kept.
    Stopped {
        segments: Vec<AnswerSegment>,
    },
    Failed {
        error: LlmError,
        /// A push may bring an answer where asking again did not.
        push: bool,
    },
}

#[derive(Debug)]
pub enum PortRequest {
    /// The next generation, if there is a reason for one.
    Begin {
        dialog: crate::domain::SelfId,
        reply: oneshot::Sender<Option<Box<Generation>>>,
    },
    /// The whole answer; its calls are recorded.
    Answered {
        at: Position,
        answer: Box<ModelAnswer>,
        reply: oneshot::Sender<Round>,
    },
    /// Replied to when the asker has answered, or something else wants this dialog.
    AwaitAsker {
        dialog: crate::domain::SelfId,
        reply: oneshot::Sender<()>,
    },
    ToolDone {
        at: Position,
        call: Call,
        outcome: ToolOutcome,
        reply: oneshot::Sender<()>,
    },
    End {
        at: Position,
        end: GenerationEnd,
        reply: oneshot::Sender<()>,
    },
}

/// The tree did not answer: it ended, or could not write. The drive ends.
#[derive(Debug)]
pub struct PortClosed;

/// A drive's side. Every request names the seat, so only its holder can write.
#[derive(Debug, Clone)]
pub struct Port {
    requests: mpsc::Sender<PortRequest>,
}

impl Port {
    pub fn new(requests: mpsc::Sender<PortRequest>) -> Self {
        Self { requests }
    }

    pub async fn begin(&self, seat: &DriveSlot) -> Result<Option<Box<Generation>>, PortClosed> {
        let dialog = seat.dialog().clone();
        self.ask(|reply| PortRequest::Begin { dialog, reply }).await
    }

    pub async fn answered(
        &self,
        _seat: &DriveSlot,
        at: &Position,
        answer: ModelAnswer,
    ) -> Result<Round, PortClosed> {
        let at = at.clone();
        self.ask(|reply| PortRequest::Answered { at, answer: Box::new(answer), reply }).await
    }

    pub async fn await_asker(&self, seat: &DriveSlot) -> Result<(), PortClosed> {
        let dialog = seat.dialog().clone();
        self.ask(|reply| PortRequest::AwaitAsker { dialog, reply }).await
    }

    pub async fn tool_done(
        &self,
        _seat: &DriveSlot,
        at: &Position,
        call: Call,
        outcome: ToolOutcome,
    ) -> Result<(), PortClosed> {
        let at = at.clone();
        self.ask(|reply| PortRequest::ToolDone { at, call, outcome, reply }).await
    }

    pub async fn end(
        &self,
        _seat: &DriveSlot,
        at: &Position,
        end: GenerationEnd,
    ) -> Result<(), PortClosed> {
        let at = at.clone();
        self.ask(|reply| PortRequest::End { at, end, reply }).await
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> PortRequest,
    ) -> Result<T, PortClosed> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| PortClosed)?;
        answer.await.map_err(|_| PortClosed)
    }
}
