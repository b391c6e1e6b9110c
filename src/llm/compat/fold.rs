//! Folds chunks into events: text at once, calls and counts at the end.
//!
//! What must stay true: nothing but text gets out before [`Fold::end`] has found the answer
//! complete.

use std::collections::VecDeque;

use super::calls::{Calls, Piece};
use super::wire::{CallDelta, Choice, Chunk, Delta, WireUsage};
use super::writing::Writing;
use crate::llm::error::{ErrorClass, LlmError, plain};
use crate::llm::sse::Event;
use crate::llm::{GenEvent, Segment, Usage, failure};

/// An answer, as far as it has come.
#[derive(Debug)]
pub(super) struct Fold {
    writing: Writing,
    /// What follows the text once the answer is complete.
    rest: Vec<GenEvent>,
    calls: Calls,
    usage: Option<Usage>,
    model: Option<String>,
    finish: Option<String>,
    /// The end mark of the stream has come.
    done: bool,
    begun: bool,
    /// Bytes of text and arguments that may still come.
    room: usize,
    limit: usize,
}

impl Fold {
    /// An empty answer that may hold `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            writing: Writing::default(),
            rest: Vec::new(),
            calls: Calls::default(),
            usage: None,
            model: None,
            finish: None,
            done: false,
            begun: false,
            room: limit,
            limit,
        }
    }

    /// The events that became ready.
    pub(super) fn take(&mut self) -> VecDeque<GenEvent> {
        let mut ready = self.writing.take();
        ready.extend(self.rest.drain(..));
        ready
    }

    /// Whether anything of an answer has come.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the model has said that it is done; counts may still follow.
    pub(super) fn is_finished(&self) -> bool {
        self.done || self.finish.is_some()
    }

    /// Whether nothing more can follow.
    pub(super) fn is_over(&self) -> bool {
        self.done
    }

    /// One event of the stream.
    pub(super) fn event(&mut self, event: &Event) -> Result<(), LlmError> {
        let data = event.data.trim();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        if event.name == "error" {
            return Err(failure::from_object(data));
        }
        let chunk = serde_json::from_str(data).map_err(|_| not_json(data))?;
        self.chunk(chunk)
    }

    /// The last event of a stream that just stopped: if it cannot be read it was cut, which
    /// [`Fold::end`] will find.
    pub(super) fn cut_event(&mut self, event: &Event) -> Result<(), LlmError> {
        let data = event.data.trim();
        let readable = data == "[DONE]" || serde_json::from_str::<Chunk>(data).is_ok();
        if readable { self.event(event) } else { Ok(()) }
    }

    /// An answer that is not a stream.
    pub(super) fn whole(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}');
        if json.trim_start().starts_with('[') {
            return Err(failure::from_object(json));
        }
        let chunk: Chunk = serde_json::from_str(json)
            .map_err(|error| if error.is_eof() { cut() } else { not_json(json) })?;
        if chunk.error.is_none() && chunk.choices.is_none() {
            return Err(failure::from_object(json));
        }
        self.done = true;
        self.chunk(chunk)
    }

    /// The answer is over: checks that it is complete and hands out what was kept back.
    pub(super) fn end(&mut self) -> Result<(), LlmError> {
        if !self.is_finished() {
            return Err(cut());
        }
        self.done = true;
        let finish = self.finish.take().unwrap_or_default();
        self.check(&finish)?;
        let notice = self.notice(&finish);
        let calls = self.calls.finish().ok_or_else(|| {
            LlmError::new(ErrorClass::Malformed, "the model asked for a call without a name")
        })?;
        self.rest.extend(calls.into_iter().map(GenEvent::Call));
        self.rest.extend(notice.map(|text| GenEvent::Notice(text.to_owned())));
        self.rest.extend(self.usage.take().map(GenEvent::Usage));
        let model = self.model.take();
        self.rest.push(GenEvent::End { model });
        Ok(())
    }

    fn check(&self, finish: &str) -> Result<(), LlmError> {
        let silent = !self.writing.has_text() && self.calls.is_empty();
        match finish {
            "error" => {
                Err(LlmError::new(ErrorClass::Server, "the provider failed while answering"))
            }
            "content_filter" if silent => {
                let text = "the provider's content filter held back the answer";
                Err(LlmError::new(ErrorClass::Rejected, text))
            }
            _ if silent => Err(LlmError::new(ErrorClass::Empty, "the model sent an empty answer")),
            _ => Ok(()),
        }
    }

    fn notice(&self, finish: &str) -> Option<&'static str> {
        match finish {
            "length" if !self.calls.is_empty() && !self.calls.all_parse() => {
                Some("the output limit was reached inside a call: its arguments are incomplete")
            }
            "length" => Some("the output limit was reached: the answer may be incomplete"),
            "content_filter" => Some("the provider's content filter ended the answer early"),
            _ => None,
        }
    }

    fn chunk(&mut self, chunk: Chunk) -> Result<(), LlmError> {
        self.begun = true;
        if let Some(error) = chunk.error {
            return Err(failure::from_object(error.get()));
        }
        if self.model.is_none() && !chunk.model.is_empty() {
            self.model = Some(plain(&chunk.model, 200));
        }
        if let Some(usage) = chunk.usage {
            self.usage = Some(usage_of(&usage));
        }
        chunk
            .choices
            .into_iter()
            .flatten()
            .filter(|choice| choice.index.unwrap_or(0) == 0)
            .try_for_each(|choice| self.choice(choice))
    }

    fn choice(&mut self, choice: Choice) -> Result<(), LlmError> {
        if let Some(delta) = choice.delta {
            self.delta(delta, Calls::add)?;
        }
        if let Some(message) = choice.message {
            self.delta(message, Calls::add_whole)?;
        }
        if !choice.finish_reason.is_empty() {
            self.finish = Some(choice.finish_reason);
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, add: fn(&mut Calls, Piece) -> bool) -> Result<(), LlmError> {
        // Servers that send more than one of the three send the same text in each.
        let thought = [delta.reasoning_content, delta.reasoning, delta.thinking]
            .into_iter()
            .find(|text| !text.is_empty());
        self.text(Segment::Thinking, thought.unwrap_or_default())?;
        self.text(Segment::Saying, delta.content)?;
        self.text(Segment::Saying, delta.refusal)?;
        for call in delta.tool_calls.into_iter().flatten() {
            self.call(call, add)?;
        }
        Ok(())
    }

    fn text(&mut self, segment: Segment, text: String) -> Result<(), LlmError> {
        self.count(text.len())?;
        self.writing.add(segment, text);
        Ok(())
    }

    fn call(
        &mut self,
        call: CallDelta,
        add: fn(&mut Calls, Piece) -> bool,
    ) -> Result<(), LlmError> {
        let mut piece = Piece { index: call.index, id: call.id, ..Piece::default() };
        if let Some(function) = call.function {
            piece.arguments = function.arguments().map_err(|_| not_json("arguments"))?;
            piece.name = function.name;
        }
        self.count(piece.arguments.len() + piece.name.len() + piece.id.len())?;
        if !add(&mut self.calls, piece) {
            return Err(LlmError::new(ErrorClass::Fatal, "stopped: the answer has too many calls"));
        }
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), LlmError> {
        let Some(room) = self.room.checked_sub(bytes) else {
            let text = format!("stopped: the answer is over {} KiB", self.limit / 1024);
            return Err(LlmError::new(ErrorClass::Fatal, &text));
        };
        self.room = room;
        Ok(())
    }
}

fn usage_of(usage: &WireUsage) -> Usage {
    let prompt_tokens = usage.prompt.unwrap_or(0);
    let completion_tokens = usage.completion.unwrap_or(0);
    let sum = prompt_tokens.saturating_add(completion_tokens);
    Usage { prompt_tokens, completion_tokens, total_tokens: usage.total.unwrap_or(sum) }
}

fn cut() -> LlmError {
    LlmError::new(ErrorClass::Cut, "the answer was cut off before its end")
}

fn not_json(data: &str) -> LlmError {
    let text = format!("the provider sent a line that cannot be read: {}", plain(data, 120));
    LlmError::new(ErrorClass::Malformed, &text)
}
