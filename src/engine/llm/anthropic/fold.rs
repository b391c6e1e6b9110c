//! Folds stream events into [`GenEvent`]s: text at once, the payload of a thought when its block has ended,
//! calls and counts at the end.

use std::collections::VecDeque;

use super::blocks::{AnswerBlock, BlockKind, BlockStart, Blocks};
use super::wire::{EventHead, WireBlock, WireDelta, WireEvent, WireMessage, WireUsage};
use crate::domain::text::Text;
use crate::llm::answer::{Answer, Finish, cut, overlap, unreadable};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::protocol::StreamFold;
use crate::llm::readable::read;
use crate::llm::sse::SseEvent;
use crate::llm::{GenEvent, Message, Segment, failure};

/// A partial answer.
#[derive(Debug)]
pub struct MessagesFold {
    answer: Answer,
    blocks: Blocks,
    usage: WireUsage,
    /// The reported stop reason.
    stop_reason: Option<String>,
    /// Nothing more can follow.
    is_over: bool,
    has_begun: bool,
    vendor: String,
    /// The messages before a pause.
    paused_messages: Vec<Message>,
}

impl StreamFold for MessagesFold {
    fn event(&mut self, event: &SseEvent) -> Result<(), LlmError> {
        let data = event.data.trim();
        if self.is_over || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_over = true;
            return Ok(());
        }
        let mut spare = String::new();
        let head: EventHead = read(data, &mut spare).map_err(|_| unreadable(data))?;
        self.has_begun = true;
        let kind = if head.kind.is_empty() { event.name.as_str() } else { &head.kind };
        if kind == "error" || event.name == "error" {
            return Err(failure::from_object(data));
        }
        if head.error.is_some() || head.base_resp.is_some() || kind.is_empty() {
            failure::check(data)?;
        }
        let mut spare = String::new();
        self.handle(kind, || read(data, &mut spare).map_err(|_| unreadable(data)))
    }

    fn is_readable(data: &str) -> bool {
        data == "[DONE]" || read::<serde::de::IgnoredAny>(data, &mut String::new()).is_ok()
    }

    fn full_body(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}');
        if json.trim_start().starts_with('[') {
            return Err(failure::from_object(json));
        }
        let mut spare = String::new();
        let message: WireMessage = read(json, &mut spare)
            .map_err(|error| if error.is_eof() { cut() } else { unreadable(json) })?;
        if message.content.is_none() || message.error.is_some_and(|error| error.get() != "null") {
            return Err(failure::from_object(json));
        }
        self.has_begun = true;
        self.is_over = true;
        self.start(message)
    }

    fn end(&mut self) -> Result<(), LlmError> {
        if !self.is_finished() {
            return Err(cut());
        }
        self.is_over = true;
        let finish = match self.stop_reason.take().unwrap_or_default().as_str() {
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Filtered,
            "pause_turn" if !self.blocks.has_call() => {
                self.paused_messages = self.blocks.messages(&self.vendor);
                if !self.paused_messages.is_empty() {
                    return Ok(());
                }
                Finish::Complete
            }
            _ => Finish::Complete,
        };
        if finish == Finish::Length {
            self.blocks.break_last_call();
        } else if self.blocks.has_open_call() {
            return Err(cut());
        }
        if let Some(usage) = self.usage.counts() {
            self.answer.set_usage(usage);
        }
        self.answer.end(finish, self.blocks.take_calls())
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
        self.is_over || self.stop_reason.is_some()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn take_pause(&mut self) -> Option<Vec<Message>> {
        let paused_messages = std::mem::take(&mut self.paused_messages);
        (!paused_messages.is_empty()).then_some(paused_messages)
    }
}

impl MessagesFold {
    /// An empty answer of `vendor` with a limit in bytes.
    pub(super) fn new(limit: usize, vendor: String) -> Self {
        Self {
            answer: Answer::new(limit),
            blocks: Blocks::default(),
            usage: WireUsage::default(),
            stop_reason: None,
            is_over: false,
            has_begun: false,
            vendor,
            paused_messages: Vec::new(),
        }
    }

    /// Handles an event; unknown ones, including keep-alives, are not parsed.
    fn handle<'a>(
        &mut self,
        kind: &str,
        read: impl FnOnce() -> Result<WireEvent<'a>, LlmError>,
    ) -> Result<(), LlmError> {
        match kind {
            "message_start" => self.start(read()?.message.unwrap_or_default()),
            "content_block_start" => {
                let event = read()?;
                let block = event.content_block.unwrap_or_default();
                self.begin(event.index, block, BlockStart::Announced)
            }
            "content_block_delta" => {
                let event = read()?;
                self.append(event.index, event.delta.unwrap_or_default())
            }
            "content_block_stop" => {
                self.stop(read()?.index);
                Ok(())
            }
            "message_delta" => {
                let event = read()?;
                self.count(event.usage);
                self.set_stop_reason(event.delta.unwrap_or_default().stop_reason);
                Ok(())
            }
            "message_stop" => {
                self.is_over = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The head of an answer; blocks in it are complete.
    fn start(&mut self, message: WireMessage) -> Result<(), LlmError> {
        self.answer.name_model(&message.model);
        self.count(message.usage);
        for (index, block) in (0..).zip(message.content.unwrap_or_default()) {
            self.begin(Some(index), block, BlockStart::Announced)?;
            self.stop(Some(index));
        }
        self.set_stop_reason(message.stop_reason);
        Ok(())
    }

    fn count(&mut self, usage: Option<WireUsage>) {
        self.usage.merge(&usage.unwrap_or_default());
    }

    fn set_stop_reason(&mut self, stop_reason: String) {
        if !stop_reason.is_empty() {
            self.stop_reason = Some(stop_reason);
        }
    }

    fn begin(
        &mut self,
        index: Option<u64>,
        wire: WireBlock,
        start: BlockStart,
    ) -> Result<(), LlmError> {
        if BlockKind::of(&wire).is_text() {
            self.end_open_text()?;
        }
        self.answer.count(wire.id.len() + wire.name.len())?;
        let block = self.blocks.begin(index, &wire, start).ok_or_else(too_many_blocks)?;
        let input = wire.input.map_or("", |input| input.get());
        // By specification this is an empty object, and the real one follows in deltas.
        let partial_json = match input {
            "null" | "{}" => String::new(),
            // Some servers send the object as a string.
            text if text.starts_with('"') => serde_json::from_str(text).unwrap_or_default(),
            object => object.to_owned(),
        };
        let (text, thinking) = (wire.text, wire.thinking);
        let signature = if wire.data.is_empty() { wire.signature } else { wire.data };
        let first =
            WireDelta { text, thinking, signature, partial_json, stop_reason: String::new() };
        write_delta(&mut self.answer, block, first)
    }

    /// Text and thoughts must be sequential. An announced block has to end before the next begins; an
    /// implied one ends when the next begins.
    fn end_open_text(&mut self) -> Result<(), LlmError> {
        let Some(open) = self.blocks.open_text() else { return Ok(()) };
        if open.start == BlockStart::Announced {
            return Err(overlap(Text::new(
                "a content block began before the previous one had ended",
                "前一个内容块尚未结束，新的内容块已开始",
            )));
        }
        let index = open.index;
        self.stop(Some(index));
        Ok(())
    }

    fn append(&mut self, index: Option<u64>, delta: WireDelta) -> Result<(), LlmError> {
        let implied = |block: &mut AnswerBlock| {
            block.start == BlockStart::Implied && block.conflicts_with(&delta)
        };
        if index.is_none() && self.blocks.open(None).is_some_and(implied) {
            self.stop(None);
        }
        if self.blocks.open(index).is_none() {
            if self.blocks.was_ended_implicitly(index) {
                return Err(overlap(Text::new(
                    "a content block continued after another one had begun",
                    "另一个内容块开始后，旧的内容块仍在继续",
                )));
            }
            self.begin(index, WireBlock::of_delta(&delta), BlockStart::Implied)?;
        }
        match self.blocks.open(index) {
            Some(block) if block.conflicts_with(&delta) => Err(overlap(Text::new(
                "a content block contains text and thoughts",
                "一个内容块同时含有正文和思考",
            ))),
            Some(block) => write_delta(&mut self.answer, block, delta),
            None => Ok(()),
        }
    }

    fn stop(&mut self, index: Option<u64>) {
        let Some(block) = self.blocks.open(index) else { return };
        block.complete = true;
        if let Some(payload) = block.thought(&self.vendor) {
            self.answer.thought(payload);
        }
    }
}

/// Appends to a block; text is emitted at once.
fn write_delta(
    answer: &mut Answer,
    block: &mut AnswerBlock,
    delta: WireDelta,
) -> Result<(), LlmError> {
    match block.kind {
        BlockKind::Text => {
            block.text.push_str(&delta.text);
            answer.write(Segment::Saying, delta.text)
        }
        // The JSON answer replaces text.
        BlockKind::Answer => answer.write(Segment::Saying, delta.partial_json),
        BlockKind::Thinking => {
            answer.count(delta.signature.len())?;
            block.text.push_str(&delta.thinking);
            block.signature.push_str(&delta.signature);
            answer.write(Segment::Thinking, delta.thinking)
        }
        BlockKind::Redacted => {
            answer.count(delta.signature.len())?;
            block.signature.push_str(&delta.signature);
            Ok(())
        }
        BlockKind::Call => {
            answer.count(delta.partial_json.len())?;
            block.text.push_str(&delta.partial_json);
            Ok(())
        }
        BlockKind::Other => Ok(()),
    }
}

fn too_many_blocks() -> LlmError {
    let text = Text::new("stopped: the answer has too many blocks", "已停止：回应中的内容块过多");
    LlmError::new(ErrorClass::Fatal, text)
}
