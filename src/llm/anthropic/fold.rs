//! Folds events of the stream into our events: text at once, a thought's payload when its block has
//! ended, calls and counts at the end.

use std::collections::VecDeque;

use super::blocks::{Beginning, Block, Blocks, Kind};
use super::wire::{Head, WireBlock, WireDelta, WireEvent, WireMessage, WireUsage};
use crate::llm::answer::{Answer, Finish, cut, overlap, unreadable};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::protocol::Fold;
use crate::llm::sse::Event;
use crate::llm::{GenEvent, Message, Segment, failure};

/// An answer, as far as it has come.
#[derive(Debug)]
pub struct MessagesFold {
    answer: Answer,
    blocks: Blocks,
    usage: WireUsage,
    /// Why the model stopped, once it has.
    reason: Option<String>,
    /// Nothing more can follow.
    over: bool,
    begun: bool,
    vendor: String,
    /// What was said before a pause.
    said: Vec<Message>,
}

impl Fold for MessagesFold {
    fn event(&mut self, event: &Event) -> Result<(), LlmError> {
        let data = event.data.trim();
        if self.over || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.over = true;
            return Ok(());
        }
        let head: Head = serde_json::from_str(data).map_err(|_| unreadable(data))?;
        self.begun = true;
        let kind = if head.kind.is_empty() { event.name.as_str() } else { &head.kind };
        let failed = head.error.is_some_and(|error| error.get() != "null");
        if failed || kind == "error" || event.name == "error" {
            return Err(failure::from_object(data));
        }
        let read = || serde_json::from_str::<WireEvent>(data).map_err(|_| unreadable(data));
        self.known(kind, read)
    }

    fn is_readable(data: &str) -> bool {
        data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
    }

    fn whole(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}');
        if json.trim_start().starts_with('[') {
            return Err(failure::from_object(json));
        }
        let message: WireMessage = serde_json::from_str(json)
            .map_err(|error| if error.is_eof() { cut() } else { unreadable(json) })?;
        if message.content.is_none() || message.error.is_some_and(|error| error.get() != "null") {
            return Err(failure::from_object(json));
        }
        self.begun = true;
        self.over = true;
        self.start(message)
    }

    fn end(&mut self) -> Result<(), LlmError> {
        if !self.is_finished() {
            return Err(cut());
        }
        self.over = true;
        let finish = match self.reason.take().unwrap_or_default().as_str() {
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Filtered,
            "pause_turn" if !self.blocks.has_call() => {
                self.said = self.blocks.said(&self.vendor);
                if !self.said.is_empty() {
                    return Ok(());
                }
                Finish::Whole
            }
            _ => Finish::Whole,
        };
        if finish == Finish::Length {
            self.blocks.break_last_call();
        } else if self.blocks.open_call() {
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

    fn held(&self) -> usize {
        self.answer.held()
    }

    fn has_begun(&self) -> bool {
        self.begun
    }

    fn is_finished(&self) -> bool {
        self.over || self.reason.is_some()
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn paused(&mut self) -> Option<Vec<Message>> {
        let said = std::mem::take(&mut self.said);
        (!said.is_empty()).then_some(said)
    }
}

impl MessagesFold {
    /// An empty answer of `vendor` that may hold `limit` bytes.
    pub(super) fn new(limit: usize, vendor: String) -> Self {
        Self {
            answer: Answer::new(limit),
            blocks: Blocks::default(),
            usage: WireUsage::default(),
            reason: None,
            over: false,
            begun: false,
            vendor,
            said: Vec::new(),
        }
    }

    /// An event; what nobody knows, heartbeats among it, is not read.
    fn known<'a>(
        &mut self,
        kind: &str,
        read: impl FnOnce() -> Result<WireEvent<'a>, LlmError>,
    ) -> Result<(), LlmError> {
        match kind {
            "message_start" => self.start(read()?.message.unwrap_or_default()),
            "content_block_start" => {
                let event = read()?;
                let block = event.content_block.unwrap_or_default();
                self.begin(event.index, block, Beginning::Announced)
            }
            "content_block_delta" => {
                let event = read()?;
                self.more(event.index, event.delta.unwrap_or_default())
            }
            "content_block_stop" => {
                self.stop(read()?.index);
                Ok(())
            }
            "message_delta" => {
                let event = read()?;
                self.count(event.usage);
                self.stopped(event.delta.unwrap_or_default().stop_reason);
                Ok(())
            }
            "message_stop" => {
                self.over = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The head of an answer; blocks that stand in it are whole.
    fn start(&mut self, message: WireMessage) -> Result<(), LlmError> {
        self.answer.name_model(&message.model);
        self.count(message.usage);
        for (index, block) in (0..).zip(message.content.unwrap_or_default()) {
            self.begin(Some(index), block, Beginning::Announced)?;
            self.stop(Some(index));
        }
        self.stopped(message.stop_reason);
        Ok(())
    }

    fn count(&mut self, usage: Option<WireUsage>) {
        self.usage.merge(&usage.unwrap_or_default());
    }

    fn stopped(&mut self, reason: String) {
        if !reason.is_empty() {
            self.reason = Some(reason);
        }
    }

    fn begin(
        &mut self,
        index: Option<u64>,
        begun: WireBlock,
        beginning: Beginning,
    ) -> Result<(), LlmError> {
        if Kind::of(&begun).is_text() {
            self.leave_open_text()?;
        }
        self.answer.count(begun.id.len() + begun.name.len())?;
        let block = self.blocks.begin(index, &begun, beginning).ok_or_else(too_many_blocks)?;
        let input = begun.input.map_or("", |input| input.get());
        // By the book an empty object stands here, and the real one comes in pieces.
        let partial_json = match input {
            "null" | "{}" => String::new(),
            // Some put the text of the object here.
            text if text.starts_with('"') => serde_json::from_str(text).unwrap_or_default(),
            object => object.to_owned(),
        };
        let (text, thinking) = (begun.text, begun.thinking);
        let signature = if begun.data.is_empty() { begun.signature } else { begun.data };
        let first =
            WireDelta { text, thinking, signature, partial_json, stop_reason: String::new() };
        write(&mut self.answer, block, first)
    }

    /// Words and thoughts follow each other. One that was announced has to end before the next begins;
    /// one that was not ends with it.
    fn leave_open_text(&mut self) -> Result<(), LlmError> {
        let Some(open) = self.blocks.open_text() else { return Ok(()) };
        if open.beginning == Beginning::Announced {
            return Err(overlap("a content block began before the one before it had ended"));
        }
        let index = open.index;
        self.stop(Some(index));
        Ok(())
    }

    fn more(&mut self, index: Option<u64>, delta: WireDelta) -> Result<(), LlmError> {
        let implied = |block: &mut Block| {
            block.beginning == Beginning::Implied && block.is_of_another_kind(&delta)
        };
        if index.is_none() && self.blocks.open(None).is_some_and(implied) {
            self.stop(None);
        }
        if self.blocks.open(index).is_none() {
            if self.blocks.was_left(index) {
                return Err(overlap("a content block went on after another one had begun"));
            }
            self.begin(index, WireBlock::of_delta(&delta), Beginning::Implied)?;
        }
        match self.blocks.open(index) {
            Some(block) if block.is_of_another_kind(&delta) => {
                Err(overlap("a content block holds words and thoughts"))
            }
            Some(block) => write(&mut self.answer, block, delta),
            None => Ok(()),
        }
    }

    fn stop(&mut self, index: Option<u64>) {
        let Some(block) = self.blocks.open(index) else { return };
        block.whole = true;
        if let Some(payload) = block.thought(&self.vendor) {
            self.answer.thought(payload);
        }
    }
}

/// Adds to a block; text gets out at once.
fn write(answer: &mut Answer, block: &mut Block, delta: WireDelta) -> Result<(), LlmError> {
    match block.kind {
        Kind::Text => {
            block.text.push_str(&delta.text);
            answer.write(Segment::Saying, delta.text)
        }
        // The answer as an object is what was asked for in place of words.
        Kind::Answer => answer.write(Segment::Saying, delta.partial_json),
        Kind::Thinking => {
            answer.count(delta.signature.len())?;
            block.text.push_str(&delta.thinking);
            block.signature.push_str(&delta.signature);
            answer.write(Segment::Thinking, delta.thinking)
        }
        Kind::Redacted => {
            answer.count(delta.signature.len())?;
            block.signature.push_str(&delta.signature);
            Ok(())
        }
        Kind::Call => {
            answer.count(delta.partial_json.len())?;
            block.text.push_str(&delta.partial_json);
            Ok(())
        }
        Kind::Other => Ok(()),
    }
}

fn too_many_blocks() -> LlmError {
    LlmError::new(ErrorClass::Fatal, "stopped: the answer has too many blocks")
}
