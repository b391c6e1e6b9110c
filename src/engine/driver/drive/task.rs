//! One drive: runs generations until there is no reason for another. The tree decides, the drive has the
//! effects.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::domain::dialogs::record::Call;
use crate::domain::text::Text;
use crate::domain::{DialogId, IdSource, Problem};
use crate::driver::reporting::log::Log;
use crate::driver::reporting::reports::{DriverReport, ReportSender, spool_origin};
use crate::driver::shared::sources::ToolSources;
use crate::driver::texts::Texts;
use crate::llm::{ErrorClass, LlmError, Usage, redacting};
use crate::protocol::event::{DriverEvent, RetryView, Segment};
use crate::store::Spools;
use crate::tools::{CallWatch, ToolCx, ToolOutcome};

use super::answer::ModelAnswer;
use super::live::LiveBuffer;
use super::port::{Generation, GenerationEnd, OpenGeneration, Port, PortClosed, RecordedRound};
use super::retry::{EmptyAnswers, RetryDecision, decide_retry};
use super::spooling::Spooling;
use super::stream::{AnswerBuilder, StreamUpdate};
use super::unreachable;

const AFTER_END: Text = Text::new(
    "protocol violation: the provider went on after its end",
    "违反协议：提供方在结束后仍继续发送",
);
const BEFORE_END: Text = Text::new("the answer stopped before its end", "回应在结束前中断");

#[derive(Debug)]
pub struct Drive {
    pub dialog: DialogId,
    pub port: Port,
    pub stop: CancellationToken,
    /// Notified when the user wants the next attempt now.
    pub retry_now: Arc<Notify>,
    pub reports: ReportSender,
    pub ids: Arc<dyn IdSource>,
    /// For the text of a running answer.
    pub spools: Spools,
    pub texts: Texts,
    /// Tool sources that change while the program runs.
    pub sources: ToolSources,
    pub log: Arc<Log>,
}

/// How one attempt to get an answer ended.
enum Attempt {
    Complete(ModelAnswer),
    Stopped(ModelAnswer),
    Failed(LlmError),
}

impl Drive {
    /// Runs to its end.
    pub async fn run(self) {
        let mut empty = EmptyAnswers::default();
        loop {
            self.wait_for_tools().await;
            let Ok(Some(generation)) = self.port.begin().await else { break };
            let OpenGeneration { course, genseq } = generation.at;
            let span = tracing::info_span!("generation", %course, %genseq);
            let done = self.generate(*generation, &mut empty).instrument(span).await;
            self.send_event(DriverEvent::LiveEnd { dialog: self.dialog.clone() }).await;
            if done.is_err() || self.stop.is_cancelled() {
                break;
            }
        }
    }

    /// Waits for tools that are starting, unless stopped. Not done by the tree task: it would block the
    /// other dialogs.
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
        let at = generation.at;
        let mut spool = Spooling::new(self.spools.clone(), self.dialog.clone(), at);
        let end = match self.request_answer(&generation, empty, &mut spool).await {
            Attempt::Complete(answer) => {
                let usage = answer.usage;
                let round = self.port.answered(at, answer).await?;
                spool.discard().await;
                self.run_round(&generation, round, usage).await?
            }
            Attempt::Stopped(partial) => GenerationEnd::Stopped { segments: partial.segments },
            Attempt::Failed(error) => GenerationEnd::Failed { error, push: empty.may_push() },
        };
        self.port.end(at, end).await?;
        spool.discard().await;
        self.report_spool(&mut spool).await;
        Ok(())
    }

    /// Reports whether the text of answers is kept for a crash, once that is known.
    async fn report_spool(&self, spool: &mut Spooling) {
        if let Some(problems) = spool.take_news() {
            let origin = spool_origin(&self.dialog).into();
            let _ = self.reports.send(DriverReport::Problems { origin, problems }).await;
        }
    }

    /// Requests an answer, with retries. The text of a failed attempt is discarded.
    async fn request_answer(
        &self,
        generation: &Generation,
        empty: &mut EmptyAnswers,
        spool: &mut Spooling,
    ) -> Attempt {
        let mut failed = 0;
        loop {
            let error = match self.attempt(generation, spool).await {
                Attempt::Failed(error) => error,
                complete @ Attempt::Complete(_) => {
                    generation.throttle.succeeded();
                    empty.reset();
                    self.end_retries(generation, failed, RetryView::Resolved).await;
                    return complete;
                }
                stopped @ Attempt::Stopped(_) => {
                    self.end_retries(generation, failed, RetryView::Stopped).await;
                    return stopped;
                }
            };
            let Some(delay) = delay(&error, failed, generation, empty) else {
                self.log.failed(&self.dialog, &error, failed.saturating_add(1));
                self.end_retries(generation, failed, RetryView::Stopped).await;
                return Attempt::Failed(error);
            };
            spool.discard().await;
            failed = failed.saturating_add(1);
            self.log.retry(&self.dialog, &error, failed, delay);
            self.send_event(DriverEvent::LiveEnd { dialog: self.dialog.clone() }).await;
            let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
            let server = generation.server.clone();
            let problem = unreachable::problem(&error, &server);
            let error = problem.as_ref().map_or_else(|| error.message().clone(), Problem::message);
            self.report_unreachable(&server, problem).await;
            self.report_retry(RetryView::Waiting { error, seconds, server }).await;
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = self.retry_now.notified() => {}
                () = self.stop.cancelled() => {
                    self.end_retries(generation, failed, RetryView::Stopped).await;
                    return Attempt::Stopped(ModelAnswer::default());
                }
            }
            self.report_retry(RetryView::Running).await;
        }
    }

    /// Reports the end of retrying, if there were retries.
    async fn end_retries(&self, generation: &Generation, failed: u32, end: RetryView) {
        if failed > 0 {
            self.report_unreachable(&generation.server, None).await;
            self.report_retry(end).await;
        }
    }

    async fn attempt(&self, generation: &Generation, spool: &mut Spooling) -> Attempt {
        let mut builder = AnswerBuilder::default();
        let permit = tokio::select! {
            permit = generation.permits.acquire() => permit,
            () = self.stop.cancelled() => return Attempt::Stopped(ModelAnswer::default()),
        };
        let events = generation.provider.stream(generation.request.clone());
        let mut stream = redacting(events, generation.tool_cx.keys.unmistakable());
        let mut live = LiveBuffer::default();
        loop {
            let event = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Attempt::Stopped(builder.into_answer()),
                () = live.due() => {
                    self.send_live(live.take()).await;
                    continue;
                }
                () = spool.write() => {
                    self.report_spool(spool).await;
                    continue;
                }
                event = stream.next() => event,
            };
            match event {
                Some(Ok(event)) => match builder.take(event) {
                    StreamUpdate::Violation => {
                        return Attempt::Failed(LlmError::new(ErrorClass::Violation, AFTER_END));
                    }
                    StreamUpdate::Text(segment, text) => {
                        spool.add(segment, &text);
                        if let Some(other) = live.add(segment, &text) {
                            self.send_live(Some(other)).await;
                        }
                    }
                    StreamUpdate::Notice(text) => {
                        self.send_event(DriverEvent::Notice(text.into())).await;
                    }
                    StreamUpdate::Nothing => {}
                },
                Some(Err(error)) => return Attempt::Failed(error),
                None if builder.ended() => break,
                None => {
                    return Attempt::Failed(LlmError::new(ErrorClass::Cut, BEFORE_END));
                }
            }
        }
        drop(permit);
        self.send_live(live.take()).await;
        let answer = builder.into_answer();
        if answer.is_empty() {
            return Attempt::Failed(LlmError::empty_answer());
        }
        Attempt::Complete(answer)
    }

    async fn send_live(&self, written: Option<(Segment, String)>) {
        if let Some((segment, text)) = written {
            self.send_event(DriverEvent::Live { dialog: self.dialog.clone(), segment, text }).await;
        }
    }

    /// Runs the ordinary calls of a recorded answer concurrently, records each result as it arrives.
    async fn run_round(
        &self,
        generation: &Generation,
        round: RecordedRound,
        usage: Option<Usage>,
    ) -> Result<GenerationEnd, PortClosed> {
        let mut running: FuturesUnordered<_> =
            round.ordinary.into_iter().map(|call| self.run_call(generation, call)).collect();
        while let Some((call, outcome)) = running.next().await {
            self.port.tool_done(generation.at, call, outcome).await?;
        }
        if round.asked_back {
            tokio::select! {
                answered = self.port.await_asker() => answered?,
                () = self.stop.cancelled() => {}
            }
        }
        if self.stop.is_cancelled() {
            return Ok(GenerationEnd::Stopped { segments: Vec::new() });
        }
        Ok(GenerationEnd::Finished { usage })
    }

    /// Runs a call, and shows the last lines of its command meanwhile. A tool that is stopped may still say what it
    /// has so far, if it does so at once.
    async fn run_call(&self, generation: &Generation, call: Call) -> (Call, ToolOutcome) {
        let OpenGeneration { course, genseq } = generation.at;
        let watch = CallWatch::default();
        let mut output = watch.lines();
        let cx = ToolCx {
            new_id: self.ids.short(8),
            // Some providers number the calls of each answer anew.
            call: format!("{course}/{genseq}/{}", call.id),
            watch: watch.clone(),
            ..generation.tool_cx.clone()
        };
        // What the model wrote of a value that it may read was recorded as a reference.
        let meant = generation.tool_cx.keys.revealed_json(&call.raw_arguments_text);
        let meant = meant.as_deref().unwrap_or(&call.raw_arguments_text);
        let outcome = {
            let mut running = pin!(generation.tools.run(&call.name, meant, cx));
            loop {
                tokio::select! {
                    outcome = &mut running => break outcome,
                    () = self.stop.cancelled() => {
                        watch.stop();
                        let answered = running.as_mut().now_or_never();
                        let dropped = || ToolOutcome::failed(self.texts.stopped_call());
                        break answered.unwrap_or_else(dropped);
                    }
                    lines = output.printed() => self.send_printed(&call, lines).await,
                }
            }
        };
        (call, outcome)
    }

    async fn send_printed(&self, call: &Call, lines: Vec<String>) {
        let (dialog, call) = (self.dialog.clone(), call.id.clone());
        self.send_event(DriverEvent::Printed { dialog, call, lines }).await;
    }

    /// Reports whether the provider can be reached, as far as the last request tells.
    async fn report_unreachable(&self, server: &str, problem: Option<Problem>) {
        let problems = problem.into_iter().collect();
        let origin = unreachable::origin(server).into();
        let _ = self.reports.send(DriverReport::Problems { origin, problems }).await;
    }

    async fn report_retry(&self, retry: RetryView) {
        self.send_event(DriverEvent::Retry { dialog: self.dialog.clone(), retry }).await;
    }

    async fn send_event(&self, event: DriverEvent) {
        // If the channel is full the wait is short: the pump receives even while the screen is slow.
        let _ = self.reports.send(DriverReport::Event(event)).await;
    }
}

/// How long to wait before the next attempt; `None` to give up.
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
