//! What every protocol gathers of an answer: text on its way out, counts, the size, and the end with
//! its checks.
//!
//! What must stay true: text that arrives together is one delta, no segment begins with a delta that
//! is blank altogether, and a segment that is nothing but blank never gets out. Calls and counts get
//! out with the end only.

use std::collections::VecDeque;

use serde_json::Value;
use serde_json::value::RawValue;

use super::error::{ErrorClass, LlmError, plain};
use super::{GenEvent, Segment, ToolCall, Usage};

/// Most calls one answer may hold; more is no answer but a flood.
pub(super) const MAX_CALLS: usize = 512;

/// How the model says that it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    Whole,
    /// The output limit was reached.
    Length,
    /// A content filter ended it.
    Filtered,
    /// The provider failed.
    Failed,
}

/// An answer, as far as it has come.
#[derive(Debug)]
pub(super) struct Answer {
    ready: VecDeque<GenEvent>,
    segment: Option<Segment>,
    /// Blank text at the start of the segment, held back until something follows it.
    opening: String,
    /// The segment has text that is not blank.
    opened: bool,
    /// Any segment had.
    wrote: bool,
    usage: Option<Usage>,
    model: Option<String>,
    /// Bytes that may still come.
    room: usize,
    limit: usize,
}

impl Answer {
    /// An empty answer that may hold `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            ready: VecDeque::new(),
            segment: None,
            opening: String::new(),
            opened: false,
            wrote: false,
            usage: None,
            model: None,
            room: limit,
            limit,
        }
    }

    /// Adds a delta.
    pub(super) fn write(&mut self, segment: Segment, text: String) -> Result<(), LlmError> {
        self.count(text.len())?;
        if text.is_empty() {
            return Ok(());
        }
        if self.segment != Some(segment) {
            self.begin(Some(segment));
        }
        if !self.opened && text.trim().is_empty() {
            self.opening.push_str(&text);
            return Ok(());
        }
        self.opened = true;
        self.wrote = true;
        let opening = std::mem::take(&mut self.opening);
        if !opening.is_empty() {
            self.push(segment, opening);
        }
        self.push(segment, text);
        Ok(())
    }

    /// Whether the last thing written, other than blanks, was said to the person.
    pub(super) fn is_saying(&self) -> bool {
        self.opened && self.segment == Some(Segment::Saying)
    }

    /// Sets what comes next apart from what this segment holds already.
    pub(super) fn part(&mut self, segment: Segment) -> Result<(), LlmError> {
        if self.opened && self.segment == Some(segment) {
            self.write(segment, "\n\n".to_owned())?;
        }
        Ok(())
    }

    /// Ends a thought with what its provider wants back with it.
    pub(super) fn thought(&mut self, payload: Value) {
        self.begin(None);
        self.ready.push_back(GenEvent::Thought(payload));
    }

    /// Counts bytes that are kept, whatever they are.
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), LlmError> {
        let Some(room) = self.room.checked_sub(bytes) else {
            let text = format!("stopped: the answer is over {} KiB", self.limit / 1024);
            return Err(LlmError::new(ErrorClass::Fatal, &text));
        };
        self.room = room;
        Ok(())
    }

    /// How many bytes were counted.
    pub(super) fn held(&self) -> usize {
        self.limit - self.room
    }

    /// The name the provider says it uses; the first one counts.
    pub(super) fn name_model(&mut self, name: &str) {
        if self.model.is_none() && !name.is_empty() {
            self.model = Some(plain(name, 200));
        }
    }

    /// The counts; the last ones count.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// The events that became ready.
    pub(super) fn take(&mut self) -> VecDeque<GenEvent> {
        std::mem::take(&mut self.ready)
    }

    /// Checks the end and hands out what was kept back.
    pub(super) fn end(&mut self, finish: Finish, calls: Vec<ToolCall>) -> Result<(), LlmError> {
        self.check(finish, calls.is_empty())?;
        if calls.iter().any(|call| call.name.is_empty()) {
            let text = "the model asked for a call without a name";
            return Err(LlmError::new(ErrorClass::Malformed, text));
        }
        let notice = notice(finish, &calls);
        self.ready.extend(own_ids(calls).into_iter().map(GenEvent::Call));
        self.ready.extend(notice.map(|text| GenEvent::Notice(text.to_owned())));
        self.ready.extend(self.usage.take().map(GenEvent::Usage));
        self.ready.push_back(GenEvent::End { model: self.model.take() });
        Ok(())
    }

    fn check(&self, finish: Finish, no_calls: bool) -> Result<(), LlmError> {
        let silent = !self.wrote && no_calls;
        match finish {
            Finish::Failed => {
                Err(LlmError::new(ErrorClass::Server, "the provider failed while answering"))
            }
            Finish::Filtered if silent => {
                let text = "the provider's content filter held back the answer";
                Err(LlmError::new(ErrorClass::Rejected, text))
            }
            Finish::Whole | Finish::Length | Finish::Filtered if silent => {
                Err(LlmError::new(ErrorClass::Empty, "the model sent an empty answer"))
            }
            Finish::Whole | Finish::Length | Finish::Filtered => Ok(()),
        }
    }

    fn begin(&mut self, segment: Option<Segment>) {
        self.segment = segment;
        self.opening.clear();
        self.opened = false;
    }

    fn push(&mut self, segment: Segment, more: String) {
        match self.ready.back_mut() {
            Some(GenEvent::Delta { segment: last, text }) if *last == segment => {
                text.push_str(&more);
            }
            _ => self.ready.push_back(GenEvent::Delta { segment, text: more }),
        }
    }
}

fn notice(finish: Finish, calls: &[ToolCall]) -> Option<&'static str> {
    let all_parse =
        calls.iter().all(|call| call.arguments.trim().is_empty() || is_json(&call.arguments));
    match finish {
        Finish::Length if !all_parse => {
            Some("the output limit was reached inside a call: its arguments are incomplete")
        }
        Finish::Length => Some("the output limit was reached: the answer may be incomplete"),
        Finish::Filtered => Some("the provider's content filter ended the answer early"),
        Finish::Whole | Finish::Failed => None,
    }
}

/// Gives every call an id of its own: a missing one is made up, a repeated one gets a number.
fn own_ids(calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let mut own: Vec<ToolCall> = Vec::with_capacity(calls.len());
    for call in calls {
        let wish = if call.id.is_empty() { format!("call_{}", own.len() + 1) } else { call.id };
        let mut id = wish.clone();
        let mut n = 1_u32;
        while own.iter().any(|other| other.id == id) {
            n += 1;
            id = format!("{wish}_{n}");
        }
        own.push(ToolCall { id, ..call });
    }
    own
}

/// Whether a text is one whole JSON value.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The text of a call's arguments: a string by the book; some servers put the object itself there.
pub(super) fn argument_text(raw: Option<&RawValue>) -> Result<String, LlmError> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(String::new()),
        Some(raw) if raw.starts_with('"') => serde_json::from_str(raw).map_err(|_| unreadable(raw)),
        Some(raw) => Ok(raw.to_owned()),
    }
}

pub(super) fn too_many_calls() -> LlmError {
    LlmError::new(ErrorClass::Fatal, "stopped: the answer has too many calls")
}

/// Words or a thought began before the ones before them had ended. `what` tells where.
pub(super) fn overlap(what: &str) -> LlmError {
    let text =
        format!("protocol violation: the provider mixed what must follow each other: {what}");
    LlmError::new(ErrorClass::Violation, &text)
}

pub(super) fn cut() -> LlmError {
    LlmError::new(ErrorClass::Cut, "the answer was cut off before its end")
}

pub(super) fn unreadable(data: &str) -> LlmError {
    let text = format!("the provider sent a line that cannot be read: {}", plain(data, 120));
    LlmError::new(ErrorClass::Malformed, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: String::new() }
    }

    #[test]
    fn every_call_gets_an_id_of_its_own() {
        for (ids, expected) in [
            (vec!["a", "b"], vec!["a", "b"]),
            (vec!["a", "a", "a"], vec!["a", "a_2", "a_3"]),
            (vec!["", ""], vec!["call_1", "call_2"]),
            (vec!["call_2", ""], vec!["call_2", "call_2_2"]),
        ] {
            let calls = own_ids(ids.iter().map(|id| call(id)).collect());
            let own: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            assert_eq!(own, expected, "{ids:?}");
        }
    }

    #[test]
    fn a_part_is_set_apart_only_from_text_of_its_own_segment() {
        let mut answer = Answer::new(100);
        answer.part(Segment::Saying).unwrap();
        answer.write(Segment::Saying, "a".to_owned()).unwrap();
        answer.part(Segment::Thinking).unwrap();
        answer.part(Segment::Saying).unwrap();
        answer.write(Segment::Saying, "b".to_owned()).unwrap();
        let text = "a\n\nb".to_owned();
        assert_eq!(answer.take(), [GenEvent::Delta { segment: Segment::Saying, text }]);
    }
}
