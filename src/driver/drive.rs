//! One drive: generations until there is no reason for another. Read it top to bottom; every decision
//! is the tree's, every effect is here.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::domain::record::Call;
use crate::domain::{DialogId, IdSource};
use crate::llm::{ErrorClass, LlmError, redacting};
use crate::protocol::event::{DriverEvent, RetryView, Segment};
use crate::tools::{ToolCx, ToolOutcome};

use super::calls::Position;
use super::drive_slot::DriveSlot;
use super::live::Live;
use super::log::Log;
use super::port::{Generation, GenerationEnd, ModelAnswer, Port, PortClosed};
use super::retry::{EmptyAnswers, RetryDecision, decide_retry};
use super::screen_state::{DriverReport, ReportSender};
use super::sources::ToolSources;
use super::stream::{AnswerBuilder, StreamUpdate};
use super::texts::Texts;

/// What a drive holds.
#[derive(Debug)]
pub struct Drive {
    pub seat: DriveSlot,
    pub dialog: DialogId,
    pub port: Port,
    pub stop: CancellationToken,
    /// A person does not want to wait for the next attempt.
    pub retry_now: Arc<Notify>,
    pub news: ReportSender,
    pub ids: Arc<dyn IdSource>,
    pub texts: Texts,
    /// Tools that come and go.
    pub sources: ToolSources,
    pub log: Arc<Log>,
}

/// How one attempt to get an answer ended.
enum Attempt {
    Whole(ModelAnswer),
    Stopped(ModelAnswer),
    Failed(LlmError),
}

impl Drive {
    /// Runs to its end and gives the seat back.
    pub async fn run(self) -> DriveSlot {
        let mut empty = EmptyAnswers::default();
        loop {
            self.wait_for_tools().await;
            let Ok(Some(generation)) = self.port.begin(&self.seat).await else { break };
            let Position { course, genseq, .. } = generation.at;
            let span = tracing::info_span!("generation", %course, %genseq);
            let done = self.generate(*generation, &mut empty).instrument(span).await;
            self.tell(DriverEvent::LiveEnd { dialog: self.dialog.clone() }).await;
            if done.is_err() || self.stop.is_cancelled() {
                break;
            }
        }
        self.seat
    }

    /// Waits for tools that are starting, unless it is stopped: not in the tree, which has others to
    /// serve.
    async fn wait_for_tools(&self) {
        tokio::select! {
            biased;
            () = self.sources.settle() => {}
            () = self.stop.cancelled() => {}
        }
    }

    async fn generate(
        &self,
        generation: Generation,
        empty: &mut EmptyAnswers,
    ) -> Result<(), PortClosed> {
        let at = generation.at.clone();
        let end = match self.answer(&generation, empty).await {
            Attempt::Whole(answer) => self.round(&generation, answer).await?,
            Attempt::Stopped(partial) => GenerationEnd::Stopped { segments: partial.segments },
            Attempt::Failed(error) => GenerationEnd::Failed { error, push: empty.may_push() },
        };
        self.port.end(&self.seat, &at, end).await
    }

    /// Asks the model, again and again if need be. Nothing of a failed attempt is kept.
    async fn answer(&self, generation: &Generation, empty: &mut EmptyAnswers) -> Attempt {
        let mut failed = 0;
        loop {
            let error = match self.attempt(generation).await {
                Attempt::Failed(error) => error,
                whole @ Attempt::Whole(_) => {
                    generation.throttle.succeeded();
                    empty.over();
                    self.over(failed, RetryView::Resolved).await;
                    return whole;
                }
                stopped @ Attempt::Stopped(_) => {
                    self.over(failed, RetryView::Stopped).await;
                    return stopped;
                }
            };
            let Some(delay) = delay(&error, failed, generation, empty) else {
                self.log.failed(&self.dialog, &error, failed.saturating_add(1));
                self.over(failed, RetryView::Stopped).await;
                return Attempt::Failed(error);
            };
            failed = failed.saturating_add(1);
            self.log.retry(&self.dialog, &error, failed, delay);
            self.tell(DriverEvent::LiveEnd { dialog: self.dialog.clone() }).await;
            let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
            self.retry(RetryView::Waiting { error: error.to_string(), seconds }).await;
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = self.retry_now.notified() => {}
                () = self.stop.cancelled() => {
                    self.over(failed, RetryView::Stopped).await;
                    return Attempt::Stopped(ModelAnswer::default());
                }
            }
            self.retry(RetryView::Running).await;
        }
    }

    /// Nothing is tried again any more, if anything was.
    async fn over(&self, failed: u32, end: RetryView) {
        if failed > 0 {
            self.retry(end).await;
        }
    }

    async fn attempt(&self, generation: &Generation) -> Attempt {
        let mut builder = AnswerBuilder::default();
        let permit = tokio::select! {
            permit = generation.permits.acquire() => permit,
            () = self.stop.cancelled() => return Attempt::Stopped(ModelAnswer::default()),
        };
        let events = generation.provider.stream(generation.request.clone());
        let mut stream = redacting(events, generation.tool_cx.keys.unmistakable());
        let mut live = Live::default();
        loop {
            let event = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Attempt::Stopped(builder.into_answer()),
                () = live.due() => {
                    self.send_live(live.take()).await;
                    continue;
                }
                event = stream.next() => event,
            };
            match event {
                Some(Ok(event)) => match builder.take(event) {
                    StreamUpdate::Violation => {
                        let text = "protocol violation: the provider went on after its end";
                        return Attempt::Failed(LlmError::new(ErrorClass::Violation, text));
                    }
                    StreamUpdate::More(segment, text) => {
                        if let Some(other) = live.add(segment, &text) {
                            self.send_live(Some(other)).await;
                        }
                    }
                    StreamUpdate::Notice(text) => self.tell(DriverEvent::Notice(text)).await,
                    StreamUpdate::Nothing => {}
                },
                Some(Err(error)) => return Attempt::Failed(error),
                None if builder.ended() => break,
                None => {
                    let text = "the answer stopped before its end";
                    return Attempt::Failed(LlmError::new(ErrorClass::Cut, text));
                }
            }
        }
        drop(permit);
        self.send_live(live.take()).await;
        let answer = builder.into_answer();
        if answer.is_empty() {
            let text = "the model sent an empty answer";
            return Attempt::Failed(LlmError::new(ErrorClass::Empty, text));
        }
        Attempt::Whole(answer)
    }

    async fn send_live(&self, written: Option<(Segment, String)>) {
        if let Some((segment, text)) = written {
            self.tell(DriverEvent::Live { dialog: self.dialog.clone(), segment, text }).await;
        }
    }

    /// Records the answer, runs its ordinary calls side by side, records each result as it comes.
    async fn round(
        &self,
        generation: &Generation,
        answer: ModelAnswer,
    ) -> Result<GenerationEnd, PortClosed> {
        let usage = answer.usage;
        let round = self.port.answered(&self.seat, &generation.at, answer).await?;
        let mut running: FuturesUnordered<_> =
            round.ordinary.into_iter().map(|call| self.call(generation, call)).collect();
        while let Some((call, outcome)) = running.next().await {
            self.port.tool_done(&self.seat, &generation.at, call, outcome).await?;
        }
        if round.asked_back {
            tokio::select! {
                answered = self.port.await_asker(&self.seat) => answered?,
                () = self.stop.cancelled() => {}
            }
        }
        if self.stop.is_cancelled() {
            return Ok(GenerationEnd::Stopped { segments: Vec::new() });
        }
        Ok(GenerationEnd::Finished { usage })
    }

    async fn call(&self, generation: &Generation, call: Call) -> (Call, ToolOutcome) {
        let cx = ToolCx { new_id: self.ids.short(8), ..generation.tool_cx.clone() };
        let outcome = tokio::select! {
            outcome = generation.tools.run(&call.name, &call.raw_arguments_text, cx) => outcome,
            () = self.stop.cancelled() => ToolOutcome::failed(self.texts.stopped_call()),
        };
        (call, outcome)
    }

    async fn retry(&self, retry: RetryView) {
        self.tell(DriverEvent::Retry { dialog: self.dialog.clone(), retry }).await;
    }

    async fn tell(&self, event: DriverEvent) {
        // Full: the pump always accepts while it waits for the screen, so this is short.
        let _ = self.news.send(DriverReport::Event(event)).await;
    }
}

/// How long to wait before the next attempt; `None` where there is none.
fn delay(
    error: &LlmError,
    failed: u32,
    generation: &Generation,
    empty: &mut EmptyAnswers,
) -> Option<Duration> {
    let config = &generation.retry;
    let decision = if error.class() == ErrorClass::Empty {
        empty.decide_retry(config.empty_retries)
    } else {
        decide_retry(error, failed, config)
    };
    match decision {
        RetryDecision::Wait(delay) => Some(delay),
        RetryDecision::Throttled => Some(generation.throttle.refused(config, error.retry_after())),
        RetryDecision::GiveUp => None,
    }
}
