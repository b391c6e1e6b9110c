//! A provider for tests: a queue of replies per model, and a record of the requests.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::playback::{PlaybackStep, play};
use super::{
    ErrorClass, GenEvent, GenStream, LlmError, Provider, Request, Segment, ToolCall, Usage,
};

/// One reply, built step by step. It ends properly unless it fails or hangs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply(Vec<PlaybackStep>);

impl Reply {
    /// An empty reply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reply with this text.
    #[must_use]
    pub fn saying(text: &str) -> Self {
        Self::new().and_saying(text)
    }

    /// A reply that makes one call.
    #[must_use]
    pub fn call(id: &str, name: &str, arguments: &str) -> Self {
        Self::new().and_call(id, name, arguments)
    }

    /// A reply that fails at once.
    #[must_use]
    pub fn failure(error: LlmError) -> Self {
        Self::new().and_failure(error)
    }

    /// A reply of exactly these events; an end is added if there is none.
    pub fn events(events: Vec<GenEvent>) -> Self {
        Self(events.into_iter().map(PlaybackStep::Event).collect())
    }

    /// Adds a piece of the answer.
    #[must_use]
    pub fn and_saying(self, text: &str) -> Self {
        self.and(PlaybackStep::text(Segment::Saying, text))
    }

    /// Adds a piece of thinking.
    #[must_use]
    pub fn and_thinking(self, text: &str) -> Self {
        self.and(PlaybackStep::text(Segment::Thinking, text))
    }

    /// Adds a call.
    #[must_use]
    pub fn and_call(self, id: &str, name: &str, arguments: &str) -> Self {
        self.and(PlaybackStep::Event(GenEvent::Call(ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        })))
    }

    /// Adds token counts.
    #[must_use]
    pub fn and_usage(self, prompt_tokens: u64, completion_tokens: u64) -> Self {
        self.and(PlaybackStep::Event(GenEvent::Usage(Usage {
            prompt_tokens,
            completion_tokens,
            total_tokens: prompt_tokens.saturating_add(completion_tokens),
            cached_tokens: None,
        })))
    }

    /// Adds a pause.
    #[must_use]
    pub fn and_wait(self, time: Duration) -> Self {
        self.and(PlaybackStep::Wait(time))
    }

    /// Fails here.
    #[must_use]
    pub fn and_failure(self, error: LlmError) -> Self {
        self.and(PlaybackStep::Fail(error))
    }

    /// Hangs here until it is given up.
    #[must_use]
    pub fn and_hang(self) -> Self {
        self.and(PlaybackStep::Hang)
    }

    fn and(mut self, step: PlaybackStep) -> Self {
        self.0.push(step);
        self
    }

    fn steps(mut self, model: &str) -> Vec<PlaybackStep> {
        if !matches!(self.0.last(), Some(PlaybackStep::Event(GenEvent::End { .. }))) {
            self.0.push(PlaybackStep::Event(GenEvent::End { model: Some(model.to_owned()) }));
        }
        self.0
    }
}

/// The provider. Clones share the queues.
#[derive(Debug, Clone, Default)]
pub struct Sequence(Arc<Mutex<Queues>>);

#[derive(Debug, Default)]
struct Queues {
    replies: BTreeMap<String, VecDeque<Reply>>,
    requests: Vec<Request>,
}

impl Sequence {
    /// A provider without replies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same provider with one more reply for `model`.
    #[must_use]
    pub fn reply(self, model: &str, reply: Reply) -> Self {
        self.push(model, reply);
        self
    }

    /// Adds a reply for `model` at the end of its queue.
    pub fn push(&self, model: &str, reply: Reply) {
        self.queues().replies.entry(model.to_owned()).or_default().push_back(reply);
    }

    /// All requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.queues().requests.clone()
    }

    /// The number of unused replies.
    pub fn remaining(&self) -> usize {
        self.queues().replies.values().map(VecDeque::len).sum()
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Provider for Sequence {
    /// Takes the next reply at once, not when the stream is polled, so that the order of calls
    /// decides.
    fn stream(&self, request: Request) -> GenStream {
        let mut queues = self.queues();
        let reply = queues.replies.get_mut(&request.model).and_then(VecDeque::pop_front);
        let reply = reply.unwrap_or_else(|| {
            let text = format!("no reply is left for {}", request.model);
            Reply::failure(LlmError::quoted(ErrorClass::Fatal, &text))
        });
        let steps = reply.steps(&request.model);
        queues.requests.push(request);
        play(steps)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};

    use super::*;
    use crate::llm::request::ModelParams;

    fn request(model: &str) -> Request {
        Request {
            model: model.to_owned(),
            system: String::new(),
            messages: Vec::new(),
            tools: Vec::new(),
            streaming: true,
            params: ModelParams::default(),
            output_limit: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn replies_are_taken_in_order_per_model() {
        let error = LlmError::quoted(ErrorClass::Server, "down");
        let provider = Sequence::new()
            .reply("a", Reply::saying("one").and_wait(Duration::from_secs(9)).and_usage(1, 2))
            .reply("a", Reply::new().and_thinking("hm").and_failure(error.clone()))
            .reply("b", Reply::call("c1", "f", "{}"));
        let end = |model: &str| GenEvent::End { model: Some(model.to_owned()) };
        let first: Vec<_> = provider.stream(request("a")).collect().await;
        let usage =
            Usage { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cached_tokens: None };
        let said = GenEvent::Delta { segment: Segment::Saying, text: "one".to_owned() };
        assert_eq!(first, [Ok(said), Ok(GenEvent::Usage(usage)), Ok(end("a"))]);
        let other: Vec<_> = provider.stream(request("b")).collect().await;
        assert_eq!(other.last(), Some(&Ok(end("b"))));
        assert_eq!(provider.remaining(), 1);
        let second: Vec<_> = provider.stream(request("a")).collect().await;
        assert_eq!(second.last(), Some(&Err(error)));
        let third: Vec<_> = provider.stream(request("a")).collect().await;
        assert_eq!(third.len(), 1);
        assert!(third[0].as_ref().is_err_and(|error| error.class() == ErrorClass::Fatal));
        assert_eq!(provider.requests().len(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_reply_hangs() {
        let provider = Sequence::new().reply("a", Reply::saying("one").and_hang());
        let mut stream = provider.stream(request("a"));
        assert!(stream.next().await.is_some());
        assert!(stream.next().now_or_never().is_none());
    }
}
