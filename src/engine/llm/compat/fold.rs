//! Folds chunks into events: text at once, calls and counts at the end.
//!
//! Invariant: only text is emitted before [`Fold::end`] has found the answer complete.

use std::collections::VecDeque;

use super::calls::{Calls, PartialCall};
use super::think_tags::{SeparatedText, ThinkTagParser};
use super::wire::{CallDelta, Chunk, Delta, FunctionDelta, WireChoice};
use crate::domain::text::Text;
use crate::domain::{Quirk, Quirks};
use crate::llm::answer::{Answer, Finish, argument_text, cut, overlap, too_many_calls, unreadable};
use crate::llm::error::LlmError;
use crate::llm::protocol::StreamFold;
use crate::llm::readable::read;
use crate::llm::sse::SseEvent;
use crate::llm::{GenEvent, Segment, ToolSchema, failure};

/// How a delta of a call is added.
type AddCall = fn(&mut Calls, PartialCall) -> Option<usize>;

/// A partial answer.
#[derive(Debug)]
pub struct ChatFold {
    answer: Answer,
    calls: Calls,
    /// The call in the form before `tool_calls`, which counts if there is no other.
    old_call: Calls,
    /// Separates thinking from text, for servers that mix them.
    think_tags: Option<ThinkTagParser>,
    finish: Option<String>,
    /// The end mark of the stream was received.
    is_done: bool,
    has_begun: bool,
    /// Content came in deltas.
    has_deltas: bool,
}

impl StreamFold for ChatFold {
    fn event(&mut self, event: &SseEvent) -> Result<(), LlmError> {
        let data = event.data.trim();
        if self.is_done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        if event.name == "error" {
            return Err(failure::from_object(data));
        }
        let mut spare = String::new();
        let chunk = read(data, &mut spare).map_err(|_| unreadable(data))?;
        self.chunk(chunk, data)
    }

    fn is_readable(data: &str) -> bool {
        data == "[DONE]" || read::<Chunk>(data, &mut String::new()).is_ok()
    }

    fn full_body(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}');
        if json.trim_start().starts_with('[') {
            return Err(failure::from_object(json));
        }
        let mut spare = String::new();
        let chunk: Chunk = read(json, &mut spare)
            .map_err(|error| if error.is_eof() { cut() } else { unreadable(json) })?;
        if chunk.error.is_none() && chunk.choices.is_none() {
            return Err(failure::from_object(json));
        }
        self.is_done = true;
        self.chunk(chunk, json)
    }

    fn end(&mut self) -> Result<(), LlmError> {
        if !self.is_finished() {
            return Err(cut());
        }
        self.is_done = true;
        if let Some(rest) = self.think_tags.as_mut().map(ThinkTagParser::finish) {
            self.write(rest)?;
        }
        let finish = match self.finish.take().unwrap_or_default().as_str() {
            "length" => Finish::Length,
            "content_filter" => Finish::Filtered,
            "error" => Finish::Failed,
            _ => Finish::Complete,
        };
        let (payload, mut calls) = self.calls.finish();
        if calls.is_empty() {
            calls = self.old_call.finish().1;
        }
        if let Some(payload) = payload {
            self.answer.thought(payload);
        }
        self.answer.end(finish, calls)
    }

    fn take(&mut self) -> VecDeque<GenEvent> {
        self.answer.take()
    }

    fn received_bytes(&self) -> usize {
        self.answer.received_bytes()
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn is_finished(&self) -> bool {
        self.is_done || self.finish.is_some()
    }

    fn is_over(&self) -> bool {
        self.is_done
    }
}

impl ChatFold {
    /// An empty answer with a limit in bytes.
    pub(super) fn new(limit: usize, quirks: Quirks) -> Self {
        Self {
            answer: Answer::new(limit),
            calls: Calls::new(quirks.has(Quirk::CumulativeArguments)),
            old_call: Calls::new(quirks.has(Quirk::CumulativeArguments)),
            think_tags: quirks.has(Quirk::InlineThink).then(ThinkTagParser::default),
            finish: None,
            is_done: false,
            has_begun: false,
            has_deltas: false,
        }
    }

    /// The same for a request with these tools.
    pub(super) fn with_tools(mut self, tools: &[ToolSchema]) -> Self {
        self.calls.tools = tools.iter().map(|tool| tool.name.clone()).collect();
        self
    }

    fn chunk(&mut self, chunk: Chunk, json: &str) -> Result<(), LlmError> {
        self.has_begun = true;
        if chunk.may_be_error() {
            failure::check(json)?;
        }
        self.answer.name_model(&chunk.model);
        let choices = chunk.choices.iter().flatten();
        let choice_usage = choices.filter_map(|choice| choice.usage).next_back();
        let x_groq = chunk.x_groq.and_then(|x_groq| x_groq.usage);
        if let Some(usage) = chunk.usage.or(choice_usage).or(x_groq) {
            self.answer.set_usage(usage);
        }
        chunk
            .choices
            .into_iter()
            .flatten()
            .filter(|choice| choice.index.unwrap_or(0) == 0)
            .try_for_each(|choice| self.choice(choice))
    }

    fn choice(&mut self, choice: WireChoice) -> Result<(), LlmError> {
        if let Some(error) = choice.error.filter(|error| error.get() != "null") {
            return Err(failure::from_object(error.get()));
        }
        if let Some(delta) = choice.delta {
            self.delta(delta, Calls::add)?;
            self.has_deltas |= self.answer.received_bytes() > 0;
        }
        // Some servers repeat the whole answer at its end.
        if let Some(message) = choice.message.filter(|_| !self.has_deltas) {
            self.delta(message, Calls::add_complete)?;
        }
        if !choice.finish_reason.is_empty() {
            self.finish = Some(choice.finish_reason);
        }
        Ok(())
    }

    /// Checks that a delta with this text may also contain a thought. This protocol does not mark ends: a
    /// segment ends where the other begins, also within one delta. Text that continues around a thought,
    /// and a thought besides an open tag, are violations.
    fn check_thought(&self, text: &str) -> Result<(), LlmError> {
        if self.think_tags.as_ref().is_some_and(ThinkTagParser::is_open) {
            return Err(overlap(Text::new(
                "a thought inside an open <think> tag",
                "未闭合的 <think> 标签内出现思考",
            )));
        }
        if self.answer.is_in_text() && !text.trim().is_empty() {
            return Err(overlap(Text::new(
                "one delta continues the text and contains a thought",
                "同一增量既延续正文又含有思考",
            )));
        }
        Ok(())
    }

    fn write(&mut self, text: SeparatedText) -> Result<(), LlmError> {
        self.answer.write(Segment::Thinking, text.thinking)?;
        self.answer.write(Segment::Saying, text.saying)
    }

    fn delta(&mut self, delta: Delta, add: AddCall) -> Result<(), LlmError> {
        // Servers that send more than one of these send the same text in each.
        let thought = [
            delta.reasoning_content,
            delta.reasoning,
            delta.thinking,
            delta.reasoning_details,
            delta.content.thinking,
        ]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
        if !thought.trim().is_empty() {
            self.check_thought(&delta.content.text)?;
        }
        self.answer.write(Segment::Thinking, thought)?;
        let text = match &mut self.think_tags {
            Some(think_tags) => think_tags.push(&delta.content.text),
            None => SeparatedText { thinking: String::new(), saying: delta.content.text },
        };
        self.write(text)?;
        self.answer.write(Segment::Saying, delta.refusal)?;
        for call in delta.tool_calls.into_iter().flatten() {
            self.call(call, add)?;
        }
        match delta.function_call {
            Some(call) => self.add_old_call(call.get(), add),
            None => Ok(()),
        }
    }

    fn call(&mut self, call: CallDelta, add: AddCall) -> Result<(), LlmError> {
        let mut partial = PartialCall { index: call.index, id: call.id, ..PartialCall::default() };
        if let Some(extra) = call.extra_content.filter(|extra| extra.get() != "null") {
            self.answer.count(extra.get().len())?;
            partial.extra = serde_json::from_str(extra.get()).ok();
        }
        let (name, arguments) = match call.function {
            Some(function) => (function.name, function.arguments),
            None => (call.name, call.arguments),
        };
        partial.arguments = argument_text(arguments)?;
        partial.name = name;
        let grown = add(&mut self.calls, partial).ok_or_else(too_many_calls)?;
        self.answer.count(grown)
    }

    /// A delta of the call in the old form. Some servers send an empty one with everything.
    fn add_old_call(&mut self, json: &str, add: AddCall) -> Result<(), LlmError> {
        let mut spare = String::new();
        let Ok(function) = read::<FunctionDelta>(json, &mut spare) else { return Ok(()) };
        let (name, arguments) = (function.name, argument_text(function.arguments)?);
        if name.is_empty() && arguments.is_empty() {
            return Ok(());
        }
        let partial = PartialCall { name, arguments, ..PartialCall::default() };
        let grown = add(&mut self.old_call, partial).ok_or_else(too_many_calls)?;
        self.answer.count(grown)
    }
}
