//! The requests of a drive to its tree. The tree handles one request at a time, so each is atomic.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::domain::record::Call;
use crate::driver::shared::throttle::Throttle;
use crate::driver::steps::position::Position;
use crate::llm::{LlmError, Provider, Request, Usage};
use crate::minds::RetryConfig;
use crate::tools::{ToolCx, ToolOutcome, ToolSubset};

use super::answer::{AnswerSegment, ModelAnswer};
use super::slot::DriveSlot;

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

#[derive(Debug)]
pub enum PortRequest {
    /// Opens the next generation, if there is a reason for one.
    Begin {
        dialog: crate::domain::SelfId,
        reply: oneshot::Sender<Option<Box<Generation>>>,
    },
    /// Records the complete answer with its calls.
    Answered {
        at: Position,
        answer: Box<ModelAnswer>,
        reply: oneshot::Sender<RecordedRound>,
    },
    /// Replied to when the asker has answered, or this dialog has other work.
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

/// The tree did not reply: it ended, or could not write. The drive ends.
#[derive(Debug)]
pub struct PortClosed;

/// The drive's side. Every request takes the slot, so only its owner can write.
#[derive(Debug, Clone)]
pub struct Port {
    requests: mpsc::Sender<PortRequest>,
}

impl Port {
    pub fn new(requests: mpsc::Sender<PortRequest>) -> Self {
        Self { requests }
    }

    pub async fn begin(&self, slot: &DriveSlot) -> Result<Option<Box<Generation>>, PortClosed> {
        let dialog = slot.dialog().clone();
        self.ask(|reply| PortRequest::Begin { dialog, reply }).await
    }

    pub async fn answered(
        &self,
        _slot: &DriveSlot,
        at: &Position,
        answer: ModelAnswer,
    ) -> Result<RecordedRound, PortClosed> {
        let at = at.clone();
        self.ask(|reply| PortRequest::Answered { at, answer: Box::new(answer), reply }).await
    }

    pub async fn await_asker(&self, slot: &DriveSlot) -> Result<(), PortClosed> {
        let dialog = slot.dialog().clone();
        self.ask(|reply| PortRequest::AwaitAsker { dialog, reply }).await
    }

    pub async fn tool_done(
        &self,
        _slot: &DriveSlot,
        at: &Position,
        call: Call,
        outcome: ToolOutcome,
    ) -> Result<(), PortClosed> {
        let at = at.clone();
        self.ask(|reply| PortRequest::ToolDone { at, call, outcome, reply }).await
    }

    pub async fn end(
        &self,
        _slot: &DriveSlot,
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
