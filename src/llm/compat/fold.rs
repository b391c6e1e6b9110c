//! Folds chunks into events: text at once, calls and counts at the end.
//!
//! What must stay true: nothing but text gets out before [`Fold::end`] has found the answer
//! complete.

use std::collections::VecDeque;

use super::calls::{Calls, Piece};
use super::wire::{CallDelta, Choice, Chunk, Delta, WireUsage};
use crate::llm::answer::{Answer, Finish, argument_text, cut, too_many_calls, unreadable};
use crate::llm::error::LlmError;
use crate::llm::protocol::Fold;
use crate::llm::sse::Event;
use crate::llm::{GenEvent, Segment, Usage, failure};

/// An answer, as far as it has come.
#[derive(Debug)]
pub struct ChatFold {
    answer: Answer,
    calls: Calls,
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
    pub(super) fn new(limit: usize) -> Self {
        Self {
            answer: Answer::new(limit),
            calls: Calls::default(),
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
        if let Some(usage) = chunk.usage {
            self.answer.set_usage(usage_of(&usage));
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
        self.answer.write(Segment::Thinking, thought.unwrap_or_default())?;
        self.answer.write(Segment::Saying, delta.content)?;
        self.answer.write(Segment::Saying, delta.refusal)?;
        for call in delta.tool_calls.into_iter().flatten() {
            self.call(call, add)?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        call: CallDelta,
        add: fn(&mut Calls, Piece) -> bool,
    ) -> Result<(), LlmError> {
        let mut piece = Piece { index: call.index, id: call.id, ..Piece::default() };
        if let Some(function) = call.function {
            piece.arguments = argument_text(function.arguments)?;
            piece.name = function.name;
        }
        self.answer.count(piece.arguments.len() + piece.name.len() + piece.id.len())?;
        if !add(&mut self.calls, piece) {
            return Err(too_many_calls());
        }
        Ok(())
    }
}

fn usage_of(usage: &WireUsage) -> Usage {
    let prompt_tokens = usage.prompt.unwrap_or(0);
    let completion_tokens = usage.completion.unwrap_or(0);
    let sum = prompt_tokens.saturating_add(completion_tokens);
    Usage { prompt_tokens, completion_tokens, total_tokens: usage.total.unwrap_or(sum) }
}
