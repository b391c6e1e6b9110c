//! Collects an answer for every protocol: text to emit, token counts, the size limit, and the final checks.
//!
//! Invariants: text that arrives together is one delta; the first delta of a segment is never all
//! whitespace, and a segment of only whitespace is never emitted; calls and counts are emitted only at the
//! end.

use std::collections::VecDeque;

use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::{is_json, one_object};
use super::error::{ErrorClass, LlmError, plain};
use super::readable::{split_half, whole, whole_value};
use super::{GenEvent, Segment, ToolCall, Usage};
use crate::domain::text::{Text, localized};

/// Calls in one answer.
pub(super) const MAX_CALLS: usize = 512;

/// The reported end of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    Complete,
    /// The output limit was reached.
    Length,
    /// A content filter ended it.
    Filtered,
    /// The provider failed.
    Failed,
}

/// A partial answer.
#[derive(Debug)]
pub(super) struct Answer {
    ready: VecDeque<GenEvent>,
    segment: Option<Segment>,
    /// Whitespace at the start of the segment, held back until text follows.
    leading_blanks: String,
    /// Half of a character at the end of the last delta.
    half: String,
    /// The segment has text other than whitespace.
    has_text: bool,
    /// Any segment had such text.
    has_any_text: bool,
    usage: Option<Usage>,
    model: Option<String>,
    /// Bytes left of the limit.
    remaining_bytes: usize,
    limit: usize,
}

impl Answer {
    /// An empty answer with a limit in bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            ready: VecDeque::new(),
            segment: None,
            leading_blanks: String::new(),
            half: String::new(),
            has_text: false,
            has_any_text: false,
            usage: None,
            model: None,
            remaining_bytes: limit,
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
        let half = std::mem::take(&mut self.half);
        let text = if half.is_empty() { text } else { half + &text };
        let (text, half) = split_half(&text);
        half.clone_into(&mut self.half);
        self.show(segment, whole(text).into_owned());
        Ok(())
    }

    fn show(&mut self, segment: Segment, text: String) {
        if text.is_empty() {
            return;
        }
        if !self.has_text && text.trim().is_empty() {
            self.leading_blanks.push_str(&text);
            return;
        }
        self.has_text = true;
        self.has_any_text = true;
        let leading_blanks = std::mem::take(&mut self.leading_blanks);
        if !leading_blanks.is_empty() {
            self.push(segment, leading_blanks);
        }
        self.push(segment, text);
    }

    /// Whether the current segment is visible text and not blank.
    pub(super) fn is_in_text(&self) -> bool {
        self.has_text && self.segment == Some(Segment::Saying)
    }

    /// Starts a new paragraph if this segment already has text.
    pub(super) fn separate_paragraph(&mut self, segment: Segment) -> Result<(), LlmError> {
        if self.has_text && self.segment == Some(segment) {
            self.write(segment, "\n\n".to_owned())?;
        }
        Ok(())
    }

    /// Ends a thought with the payload that its provider wants back.
    pub(super) fn thought(&mut self, payload: Value) {
        self.begin(None);
        self.ready.push_back(GenEvent::Thought(whole_value(payload)));
    }

    /// Counts stored bytes of any kind.
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), LlmError> {
        let Some(remaining_bytes) = self.remaining_bytes.checked_sub(bytes) else {
            let limit = self.limit / 1024;
            let text = localized!(
                "stopped: the answer is over {limit} KiB",
                "已停止：回应超过 {limit} KiB"
            );
            return Err(LlmError::new(ErrorClass::Fatal, text));
        };
        self.remaining_bytes = remaining_bytes;
        Ok(())
    }

    /// The bytes counted so far.
    pub(super) fn received_bytes(&self) -> usize {
        self.limit - self.remaining_bytes
    }

    /// Sets the reported model name; the first one wins.
    pub(super) fn name_model(&mut self, name: &str) {
        if self.model.is_none() && !name.is_empty() {
            self.model = Some(plain(name, 200));
        }
    }

    /// Sets the token counts; the last ones win.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// Takes the events that are ready.
    pub(super) fn take(&mut self) -> VecDeque<GenEvent> {
        std::mem::take(&mut self.ready)
    }

    /// Checks that the answer is complete and emits calls and counts.
    pub(super) fn end(&mut self, finish: Finish, calls: Vec<ToolCall>) -> Result<(), LlmError> {
        self.begin(None);
        self.check(finish, calls.is_empty())?;
        let calls: Vec<ToolCall> = calls.into_iter().map(readable).collect();
        if calls.iter().any(|call| call.name.is_empty()) {
            return Err(LlmError::new(ErrorClass::Malformed, UNNAMED_CALL));
        }
        let notice = notice(finish, &calls);
        self.ready.extend(unique_ids(calls).into_iter().map(GenEvent::Call));
        self.ready.extend(notice.map(GenEvent::Notice));
        self.ready.extend(self.usage.take().map(GenEvent::Usage));
        self.ready.push_back(GenEvent::End { model: self.model.take() });
        Ok(())
    }

    fn check(&self, finish: Finish, no_calls: bool) -> Result<(), LlmError> {
        let is_empty = !self.has_any_text && no_calls;
        match finish {
            Finish::Failed => Err(LlmError::new(ErrorClass::Server, FAILED)),
            Finish::Filtered if is_empty => Err(LlmError::new(ErrorClass::Rejected, HELD_BACK)),
            Finish::Length if is_empty => Err(LlmError::new(ErrorClass::Empty, NOTHING_BUT_LENGTH)),
            Finish::Complete | Finish::Length | Finish::Filtered if is_empty => {
                Err(LlmError::empty_answer())
            }
            Finish::Complete | Finish::Length | Finish::Filtered => Ok(()),
        }
    }

    fn begin(&mut self, segment: Option<Segment>) {
        let half = std::mem::take(&mut self.half);
        if let Some(last) = self.segment {
            self.show(last, whole(&half).into_owned());
        }
        self.segment = segment;
        self.leading_blanks.clear();
        self.has_text = false;
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

const UNNAMED_CALL: Text =
    Text::new("the model asked for a call without a name", "模型发起的调用没有名称");
const FAILED: Text = Text::new("the provider failed while answering", "提供方在回应时出错");
const HELD_BACK: Text =
    Text::new("the provider's content filter held back the answer", "提供方的内容过滤器拦截了回应");
const NOTHING_BUT_LENGTH: Text = Text::new(
    "the output limit was reached before the model wrote any text",
    "在模型写出正文之前已达到输出上限",
);
pub(super) const CUT_CALL: Text = Text::new(
    "the output limit was reached inside a call: its arguments are incomplete",
    "在一次调用中达到输出上限：其参数不完整",
);
pub(super) const LENGTH_REACHED: Text = Text::new(
    "the output limit was reached: the answer may be incomplete",
    "已达到输出上限：回应可能不完整",
);
pub(super) const FILTERED: Text = Text::new(
    "the provider's content filter ended the answer early",
    "提供方的内容过滤器提前结束了回应",
);

fn notice(finish: Finish, calls: &[ToolCall]) -> Option<Text> {
    let all_parse = calls.iter().all(|call| is_json(&call.arguments));
    match finish {
        Finish::Length if !all_parse => Some(CUT_CALL),
        Finish::Length => Some(LENGTH_REACHED),
        Finish::Filtered => Some(FILTERED),
        Finish::Complete | Finish::Failed => None,
    }
}

/// Makes call ids unique: generates missing ones and numbers repeated ones.
fn unique_ids(calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let mut unique: Vec<ToolCall> = Vec::with_capacity(calls.len());
    for call in calls {
        let wanted =
            if call.id.is_empty() { format!("call_{}", unique.len() + 1) } else { call.id };
        let mut id = wanted.clone();
        let mut n = 1_u32;
        while unique.iter().any(|other| other.id == id) {
            n += 1;
            id = format!("{wanted}_{n}");
        }
        unique.push(ToolCall { id, ..call });
    }
    unique
}

fn readable(mut call: ToolCall) -> ToolCall {
    call.id = whole(&call.id).into_owned();
    call.name = whole(&call.name).into_owned();
    call.arguments = one_object(&call.arguments).into_owned();
    call
}

/// The arguments of a call as text: by specification a string, but some servers send the object itself.
pub(super) fn argument_text(raw: Option<&RawValue>) -> Result<String, LlmError> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(String::new()),
        Some(raw) if raw.starts_with('"') => serde_json::from_str(raw).map_err(|_| unreadable(raw)),
        Some(raw) => Ok(raw.to_owned()),
    }
}

pub(super) fn too_many_calls() -> LlmError {
    let text = Text::new("stopped: the answer has too many calls", "已停止：回应中的调用过多");
    LlmError::new(ErrorClass::Fatal, text)
}

/// A text or thought began before the preceding one had ended.
pub(super) fn overlap(what: Text) -> LlmError {
    let text = localized!(
        [what] "protocol violation: the provider sent overlapping content: {what}",
        "违反协议：提供方发来的内容相互重叠：{what}"
    );
    LlmError::new(ErrorClass::Violation, text)
}

pub(super) fn cut() -> LlmError {
    let text = Text::new("the answer was cut off before its end", "回应在结束前被截断");
    LlmError::new(ErrorClass::Cut, text)
}

pub(super) fn unreadable(data: &str) -> LlmError {
    let line = plain(data, 120);
    let text = localized!(
        "the provider sent a line that cannot be read: {line}",
        "提供方发来无法解读的一行：{line}"
    );
    LlmError::new(ErrorClass::Malformed, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "f".to_owned(), arguments: String::new() }
    }

    #[test]
    fn every_call_gets_a_unique_id() {
        for (ids, expected) in [
            (vec!["a", "b"], vec!["a", "b"]),
            (vec!["a", "a", "a"], vec!["a", "a_2", "a_3"]),
            (vec!["", ""], vec!["call_1", "call_2"]),
            (vec!["call_2", ""], vec!["call_2", "call_2_2"]),
        ] {
            let calls = unique_ids(ids.iter().map(|id| call(id)).collect());
            let unique: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            assert_eq!(unique, expected, "{ids:?}");
        }
    }

    #[test]
    fn a_paragraph_break_separates_only_text_of_the_same_segment() {
        let mut answer = Answer::new(100);
        answer.separate_paragraph(Segment::Saying).unwrap();
        answer.write(Segment::Saying, "a".to_owned()).unwrap();
        answer.separate_paragraph(Segment::Thinking).unwrap();
        answer.separate_paragraph(Segment::Saying).unwrap();
        answer.write(Segment::Saying, "b".to_owned()).unwrap();
        let text = "a\n\nb".to_owned();
        assert_eq!(answer.take(), [GenEvent::Delta { segment: Segment::Saying, text }]);
    }
}
