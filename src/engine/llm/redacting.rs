//! Redacts secrets in an answer, since it is recorded and shown, and its calls are run as recorded. A
//! model is not given keys, but may find one.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;

use super::{GenEvent, GenStream, LlmError, Segment, ToolCall};
use crate::domain::Secrets;
use crate::domain::safety::secrets;

/// The same answer with `secrets` redacted in text, thoughts and calls.
pub fn redacting(events: GenStream, secrets: Arc<Secrets>) -> GenStream {
    if secrets.values().next().is_none() {
        return events;
    }
    let state = (events, Redactor { secrets, segment: None });
    let cleaned = stream::unfold(state, |(mut events, mut redactor)| async {
        let next = events.next().await?;
        let redacted = match next {
            Ok(event) => redactor.event(event),
            Err(error) => vec![Err(redactor.error(error))],
        };
        Some((stream::iter(redacted), (events, redactor)))
    });
    cleaned.flatten().boxed()
}

/// The redactor with the state of the current segment.
struct Redactor {
    secrets: Arc<Secrets>,
    segment: Option<(Segment, secrets::RedactedStream)>,
}

impl Redactor {
    fn event(&mut self, event: GenEvent) -> Vec<Result<GenEvent, LlmError>> {
        let clean = |text| self.secrets.redacted(text);
        let redacted_event = match event {
            GenEvent::Delta { segment, text } => return self.delta(segment, &text),
            GenEvent::Thought(payload) => GenEvent::Thought(self.secrets.redacted_json(payload)),
            GenEvent::Call(ToolCall { id, name, arguments }) => GenEvent::Call(ToolCall {
                id: clean(id),
                name: clean(name),
                arguments: clean(arguments),
            }),
            // Counts may come in the middle of a segment.
            usage @ GenEvent::Usage(_) => return vec![Ok(usage)],
            unchanged @ (GenEvent::Notice(_) | GenEvent::End { .. }) => unchanged,
        };
        self.flush().into_iter().chain([redacted_event]).map(Ok).collect()
    }

    fn delta(&mut self, segment: Segment, text: &str) -> Vec<Result<GenEvent, LlmError>> {
        let mut redacted = Vec::new();
        if self.segment.as_ref().is_some_and(|(now, _)| *now != segment) {
            redacted.extend(self.flush());
        }
        let (_, stream) = self.segment.get_or_insert_with(|| (segment, self.secrets.stream()));
        let mut out = Vec::new();
        stream.push(text.as_bytes(), &mut out);
        // If the stream stops here, only a partial secret is lost.
        stream.settle(&mut out);
        redacted.extend(delta(segment, &out));
        redacted.into_iter().map(Ok).collect()
    }

    /// The held back rest of the segment that ended.
    fn flush(&mut self) -> Option<GenEvent> {
        let (segment, mut stream) = self.segment.take()?;
        let mut out = Vec::new();
        stream.finish(&mut out);
        delta(segment, &out)
    }

    fn error(&self, error: LlmError) -> LlmError {
        error.map_message(|text| self.secrets.redacted_cut(text))
    }
}

fn delta(segment: Segment, text: &[u8]) -> Option<GenEvent> {
    // The stream splits only at character boundaries.
    let text = String::from_utf8_lossy(text).into_owned();
    (!text.is_empty()).then_some(GenEvent::Delta { segment, text })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::ErrorClass;

    const KEY: &str = "sk-canary-0123";

    async fn redacted(events: Vec<Result<GenEvent, LlmError>>) -> Vec<Result<GenEvent, LlmError>> {
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
    async fn an_answer_contains_no_secret_however_it_is_split() {
        for cut in 1..KEY.len() {
            let (first, second) = KEY.split_at(cut);
            let events = redacted(vec![
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
            let saying = text(&events, Segment::Saying);
            assert!(
                saying.starts_with("说 [redacted] ") && saying.ends_with("[redacted] s"),
                "{saying}"
            );
            assert!(events.contains(&Ok(call("{\"command\":\"echo [redacted]\"}"))));
            assert_eq!(events.last(), Some(&Ok(GenEvent::End { model: None })));
        }
    }

    #[tokio::test]
    async fn answers_without_secrets_are_unchanged() {
        let fails = LlmError::quoted(ErrorClass::Cut, "cut off").with_status(500);
        let events = vec![
            Ok(delta(Segment::Thinking, "sk-")),
            Ok(delta(Segment::Saying, "s")),
            Ok(delta(Segment::Saying, "k-c")),
            Ok(call("{}")),
            Ok(delta(Segment::Saying, "more")),
            Err(fails),
        ];
        assert_eq!(redacted(events.clone()).await, events);
        let failed = LlmError::quoted(ErrorClass::Rejected, &format!("bad {KEY}")).with_status(401);
        let expected = LlmError::quoted(ErrorClass::Rejected, "bad [redacted]").with_status(401);
        assert_eq!(redacted(vec![Err(failed)]).await, [Err(expected)]);
    }
}
