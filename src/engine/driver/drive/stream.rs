//! Collects the events of one answer into segments and calls.

use crate::domain::CallId;
use crate::domain::dialogs::record::Call;
use crate::domain::text::Text;
use crate::llm::{self, GenEvent};
use crate::protocol::event::Segment;

use super::answer::{AnswerSegment, ModelAnswer};

/// Builds an answer from stream events.
#[derive(Debug, Default)]
pub struct AnswerBuilder {
    answer: ModelAnswer,
    ended: bool,
    calling: bool,
}

/// What an event means for the screen.
#[derive(Debug, PartialEq, Eq)]
pub enum StreamUpdate {
    Text(Segment, String),
    Notice(Text),
    /// An event came after the end.
    Violation,
    Nothing,
}

impl AnswerBuilder {
    pub fn take(&mut self, event: GenEvent) -> StreamUpdate {
        if self.ended {
            return StreamUpdate::Violation;
        }
        match event {
            GenEvent::Delta { segment, text } => {
                let segment = protocol_segment(segment);
                self.grow(segment, &text);
                StreamUpdate::Text(segment, text)
            }
            GenEvent::Thought(payload) => {
                self.end_thought(payload);
                StreamUpdate::Nothing
            }
            GenEvent::Call(call) => {
                self.calling = true;
                self.answer.calls.push(Call {
                    id: CallId::new(call.id),
                    name: call.name,
                    raw_arguments_text: call.arguments,
                });
                StreamUpdate::Nothing
            }
            GenEvent::Usage(usage) => {
                self.answer.usage = Some(usage);
                StreamUpdate::Nothing
            }
            GenEvent::Notice(text) => StreamUpdate::Notice(text),
            GenEvent::End { model: _ } => {
                self.ended = true;
                StreamUpdate::Nothing
            }
        }
    }

    fn grow(&mut self, segment: Segment, text: &str) {
        match self.answer.segments.last_mut() {
            Some(last) if last.segment == segment && last.payload.is_none() && !self.calling => {
                last.text.push_str(text);
            }
            Some(_) | None => {
                let text = text.to_owned();
                self.answer.segments.push(AnswerSegment { segment, text, payload: None });
            }
        }
        self.calling = false;
    }

    fn end_thought(&mut self, payload: serde_json::Value) {
        self.grow(Segment::Thinking, "");
        if let Some(thought) = self.answer.segments.last_mut() {
            thought.payload = Some(payload);
        }
    }

    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The answer, without blank segments that have no payload.
    pub fn into_answer(self) -> ModelAnswer {
        let mut answer = self.answer;
        answer.segments.retain(|w| w.payload.is_some() || !w.text.trim().is_empty());
        answer
    }
}

fn protocol_segment(segment: llm::Segment) -> Segment {
    match segment {
        llm::Segment::Thinking => Segment::Thinking,
        llm::Segment::Saying => Segment::Saying,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(segment: llm::Segment, text: &str) -> GenEvent {
        GenEvent::Delta { segment, text: text.to_owned() }
    }

    #[test]
    fn alternating_deltas_become_segments_in_their_order() {
        let mut builder = AnswerBuilder::default();
        for event in [
            delta(llm::Segment::Thinking, "a"),
            delta(llm::Segment::Thinking, "b"),
            delta(llm::Segment::Saying, "c"),
            delta(llm::Segment::Thinking, "d"),
            delta(llm::Segment::Saying, " \n"),
            GenEvent::End { model: None },
        ] {
            builder.take(event);
        }
        assert!(builder.ended());
        let segments = builder.into_answer().segments.into_iter().map(|w| (w.segment, w.text));
        let segments: Vec<_> = segments.collect();
        assert_eq!(
            segments,
            [
                (Segment::Thinking, "ab".to_owned()),
                (Segment::Saying, "c".to_owned()),
                (Segment::Thinking, "d".to_owned()),
            ]
        );
    }

    #[test]
    fn a_payload_ends_its_thought_which_may_have_no_text() {
        let payload = |n: u8| serde_json::json!({ "summary": [], "encrypted_content": n });
        let mut builder = AnswerBuilder::default();
        for event in [
            delta(llm::Segment::Thinking, "a"),
            GenEvent::Thought(payload(1)),
            GenEvent::Thought(payload(2)),
            delta(llm::Segment::Thinking, "b"),
            delta(llm::Segment::Saying, "c"),
            GenEvent::Thought(payload(3)),
            delta(llm::Segment::Saying, "d"),
        ] {
            builder.take(event);
        }
        let segments = builder.into_answer().segments.into_iter().map(|w| (w.text, w.payload));
        let expected = [
            ("a", Some(payload(1))),
            ("", Some(payload(2))),
            ("b", None),
            ("c", None),
            ("", Some(payload(3))),
            ("d", None),
        ];
        let expected: Vec<_> = expected.map(|(text, payload)| (text.to_owned(), payload)).into();
        assert_eq!(segments.collect::<Vec<_>>(), expected);
    }
}
