//! An answer without secrets: what a model writes is recorded and shown, and its calls are run as they
//! are recorded. A model is told no key, but it may come by one all the same.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;

use super::{GenEvent, GenStream, LlmError, Segment, ToolCall};
use crate::domain::{Secrets, secrets};

/// The same answer, in which nothing of `secrets` is said, thought or called.
pub fn redacting(events: GenStream, secrets: Arc<Secrets>) -> GenStream {
    if secrets.values().next().is_none() {
        return events;
    }
    let begun = (events, Writing { secrets, segment: None });
    let cleaned = stream::unfold(begun, |(mut events, mut writing)| async {
        let next = events.next().await?;
        let told = match next {
            Ok(event) => writing.event(event),
            Err(error) => vec![Err(writing.error(error))],
        };
        Some((stream::iter(told), (events, writing)))
    });
    cleaned.flatten().boxed()
}

/// What is written just now.
struct Writing {
    secrets: Arc<Secrets>,
    segment: Option<(Segment, secrets::Stream)>,
}

impl Writing {
    fn event(&mut self, event: GenEvent) -> Vec<Result<GenEvent, LlmError>> {
        let clean = |text| self.secrets.redacted(text);
        let own = match event {
            GenEvent::Delta { segment, text } => return self.delta(segment, &text),
            GenEvent::Thought(payload) => GenEvent::Thought(self.secrets.redacted_json(payload)),
            GenEvent::Call(ToolCall { id, name, arguments }) => GenEvent::Call(ToolCall {
                id: clean(id),
                name: clean(name),
                arguments: clean(arguments),
            }),
            GenEvent::Notice(text) => GenEvent::Notice(clean(text)),
            // Numbers, which come between other things.
            usage @ GenEvent::Usage(_) => return vec![Ok(usage)],
            end @ GenEvent::End { .. } => end,
        };
        self.finished().into_iter().chain([own]).map(Ok).collect()
    }

    fn delta(&mut self, segment: Segment, text: &str) -> Vec<Result<GenEvent, LlmError>> {
        let mut told = Vec::new();
        if self.segment.as_ref().is_some_and(|(now, _)| *now != segment) {
            told.extend(self.finished());
        }
        let (_, stream) = self.segment.get_or_insert_with(|| (segment, self.secrets.stream()));
        let mut out = Vec::new();
        stream.push(text.as_bytes(), &mut out);
        // A writer who is stopped loses nothing but the beginning of a secret.
        stream.settle(&mut out);
        told.extend(delta(segment, &out));
        told.into_iter().map(Ok).collect()
    }

    /// What was held back of the segment that is over.
    fn finished(&mut self) -> Option<GenEvent> {
        let (segment, mut stream) = self.segment.take()?;
        let mut out = Vec::new();
        stream.finish(&mut out);
        delta(segment, &out)
    }

    fn error(&self, error: LlmError) -> LlmError {
        let text = self.secrets.redacted_cut(error.message());
        if text == error.message() { error } else { error.with_message(&text) }
    }
}

fn delta(segment: Segment, text: &[u8]) -> Option<GenEvent> {
    // What is held back begins and ends between two characters.
    let text = String::from_utf8_lossy(text).into_owned();
    (!text.is_empty()).then_some(GenEvent::Delta { segment, text })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::ErrorClass;

    const KEY: &str = "sk-canary-0123";

    async fn told(events: Vec<Result<GenEvent, LlmError>>) -> Vec<Result<GenEvent, LlmError>> {
        let secrets = Arc::new(Secrets::new([], [KEY.to_owned()]));
        redacting(stream::iter(events).boxed(), secrets).collect().await
    }

    fn delta(segment: Segment, text: &str) -> GenEvent {
        GenEvent::Delta { segment, text: text.to_owned() }
    }

    fn call(arguments: &str) -> GenEvent {
        let [id, name] = ["c", "shell_cmd"].map(str::to_owned);
        GenEvent::Call(ToolCall { id, name, arguments: arguments.to_owned() })
    }

    fn text(events: &[Result<GenEvent, LlmError>], wanted: Segment) -> String {
        let texts = events.iter().filter_map(|event| match event {
            Ok(GenEvent::Delta { segment, text }) if *segment == wanted => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    #[tokio::test]
    async fn what_a_model_writes_holds_no_secret_however_it_comes() {
        for cut in 1..KEY.len() {
            let (first, second) = KEY.split_at(cut);
            let events = told(vec![
                Ok(delta(Segment::Thinking, &format!("it is {first}"))),
                Ok(delta(Segment::Thinking, second)),
                Ok(delta(Segment::Saying, &format!("说 {KEY} {first}"))),
                Ok(delta(Segment::Saying, &format!("{second} s"))),
                Ok(GenEvent::Thought(json!({"text": KEY}))),
                Ok(call(&format!("{{\"command\":\"echo {KEY}\"}}"))),
                Ok(GenEvent::End { model: None }),
            ])
            .await;
            let thought = text(&events, Segment::Thinking);
            assert!(!format!("{events:?}{thought}").contains(KEY), "{events:?}");
            assert!(thought.ends_with("[redacted]"), "{thought}");
            let said = text(&events, Segment::Saying);
            assert!(said.starts_with("说 [redacted] ") && said.ends_with("[redacted] s"), "{said}");
            assert!(events.contains(&Ok(call("{\"command\":\"echo [redacted]\"}"))));
            assert_eq!(events.last(), Some(&Ok(GenEvent::End { model: None })));
        }
    }

    #[tokio::test]
    async fn other_answers_and_their_order_stay_as_they_are() {
        let fails = LlmError::new(ErrorClass::Cut, "cut off").with_status(500);
        let events = vec![
            Ok(delta(Segment::Thinking, "sk-")),
            Ok(delta(Segment::Saying, "s")),
            Ok(delta(Segment::Saying, "k-c")),
            Ok(call("{}")),
            Ok(delta(Segment::Saying, "more")),
            Err(fails),
        ];
        assert_eq!(told(events.clone()).await, events);
        let said = LlmError::new(ErrorClass::Rejected, &format!("bad {KEY}")).with_status(401);
        let expected = LlmError::new(ErrorClass::Rejected, "bad [redacted]").with_status(401);
        assert_eq!(told(vec![Err(said)]).await, [Err(expected)]);
    }
}
