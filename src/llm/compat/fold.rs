//! Folds chunks into events: text at once, calls and counts at the end.
//!
//! What must stay true: nothing but text gets out before [`Fold::end`] has found the answer
//! complete.

use std::collections::VecDeque;

use super::calls::{Calls, Piece};
use super::inline::{Inline, Parted};
use super::wire::{CallDelta, Choice, Chunk, Delta};
use crate::domain::{Quirk, Quirks};
use crate::llm::answer::{Answer, Finish, argument_text, cut, overlap, too_many_calls, unreadable};
use crate::llm::error::LlmError;
use crate::llm::protocol::Fold;
use crate::llm::sse::Event;
use crate::llm::{GenEvent, Segment, failure};

/// How a piece of a call is added.
type Add = fn(&mut Calls, Piece) -> Option<usize>;

/// An answer, as far as it has come.
#[derive(Debug)]
pub struct ChatFold {
    answer: Answer,
    calls: Calls,
    /// Takes thinking within the text apart, where that is known to happen.
    inline: Option<Inline>,
    finish: Option<String>,
    /// The end mark of the stream has come.
    done: bool,
    begun: bool,
}

impl Fold for ChatFold {
    fn event(&mut self, event: &Event) -> Result<(), LlmError> {
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
        let chunk = serde_json::from_str(data).map_err(|_| unreadable(data))?;
        self.chunk(chunk)
    }

    fn is_readable(data: &str) -> bool {
        data == "[DONE]" || serde_json::from_str::<Chunk>(data).is_ok()
    }

    fn whole(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}');
        if json.trim_start().starts_with('[') {
            return Err(failure::from_object(json));
        }
        let chunk: Chunk = serde_json::from_str(json)
            .map_err(|error| if error.is_eof() { cut() } else { unreadable(json) })?;
        if chunk.error.is_none() && chunk.choices.is_none() {
            return Err(failure::from_object(json));
        }
        self.done = true;
        self.chunk(chunk)
    }

    fn end(&mut self) -> Result<(), LlmError> {
        if !self.is_finished() {
            return Err(cut());
        }
        self.done = true;
        if let Some(rest) = self.inline.as_mut().map(Inline::finish) {
            self.write(rest)?;
        }
        let finish = match self.finish.take().unwrap_or_default().as_str() {
            "length" => Finish::Length,
            "content_filter" => Finish::Filtered,
            "error" => Finish::Failed,
            _ => Finish::Whole,
        };
        self.answer.end(finish, self.calls.finish())
    }

    fn take(&mut self) -> VecDeque<GenEvent> {
        self.answer.take()
    }

    fn held(&self) -> usize {
        self.answer.held()
    }

    fn has_begun(&self) -> bool {
        self.begun
    }

    fn is_finished(&self) -> bool {
        self.done || self.finish.is_some()
    }

    fn is_over(&self) -> bool {
        self.done
    }
}

impl ChatFold {
    /// An empty answer that may hold `limit` bytes.
    pub(super) fn new(limit: usize, quirks: Quirks) -> Self {
        Self {
            answer: Answer::new(limit),
            calls: Calls::new(quirks.has(Quirk::CumulativeArguments)),
            inline: quirks.has(Quirk::InlineThink).then(Inline::default),
            finish: None,
            done: false,
            begun: false,
        }
    }

    fn chunk(&mut self, chunk: Chunk) -> Result<(), LlmError> {
        self.begun = true;
        if let Some(error) = chunk.error {
            return Err(failure::from_object(error.get()));
        }
        self.answer.name_model(&chunk.model);
        let choices = chunk.choices.iter().flatten();
        let of_choice = choices.filter_map(|choice| choice.usage).next_back();
        let beside = chunk.beside.and_then(|beside| beside.usage);
        if let Some(usage) = chunk.usage.or(of_choice).or(beside) {
            self.answer.set_usage(usage);
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

    /// Checks that a thought may begin, or go on, in a piece that also holds these words. This protocol
    /// marks no ends: what is written last ends where the other begins, also within one piece. Words
    /// that go on around a thought, and a thought beside an open tag, are two at once.
    fn follow_on(&self, said: &str) -> Result<(), LlmError> {
        if self.inline.as_ref().is_some_and(Inline::is_open) {
            return Err(overlap("a thought came beside one that stands open in the text"));
        }
        if self.answer.is_saying() && !said.trim().is_empty() {
            return Err(overlap("one piece goes on with the words and holds a thought"));
        }
        Ok(())
    }

    fn write(&mut self, text: Parted) -> Result<(), LlmError> {
        self.answer.write(Segment::Thinking, text.thinking)?;
        self.answer.write(Segment::Saying, text.saying)
    }

    fn delta(&mut self, delta: Delta, add: Add) -> Result<(), LlmError> {
        // Servers that send more than one of these send the same text in each.
        let thought = [
            delta.reasoning_content,
            delta.reasoning,
            delta.thinking,
            delta.reasoning_details,
            delta.content.thought,
        ]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
        if !thought.trim().is_empty() {
            self.follow_on(&delta.content.said)?;
        }
        self.answer.write(Segment::Thinking, thought)?;
        let said = match &mut self.inline {
            Some(inline) => inline.take(&delta.content.said),
            None => Parted { thinking: String::new(), saying: delta.content.said },
        };
        self.write(said)?;
        self.answer.write(Segment::Saying, delta.refusal)?;
        for call in delta.tool_calls.into_iter().flatten() {
            self.call(call, add)?;
        }
        Ok(())
    }

    fn call(&mut self, call: CallDelta, add: Add) -> Result<(), LlmError> {
        let mut piece = Piece { index: call.index, id: call.id, ..Piece::default() };
        if let Some(function) = call.function {
            piece.arguments = argument_text(function.arguments)?;
            piece.name = function.name;
        }
        let grown = add(&mut self.calls, piece).ok_or_else(too_many_calls)?;
        self.answer.count(grown)
    }
}
