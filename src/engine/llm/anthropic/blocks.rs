//! The blocks of a partial answer, in order.

use serde_json::Value;

use super::body::ANSWER_TOOL;
use super::thought::{VendorThought, payload_of};
use super::wire::{WireBlock, WireDelta};
use crate::llm::arguments::is_object;
use crate::llm::readable::{whole, whole_value};
use crate::llm::{Message, ToolCall};

/// Blocks in one answer.
const MAX_BLOCKS: usize = 1024;

/// The type of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Text,
    Thinking,
    /// An encrypted thought.
    Redacted,
    Call,
    /// The call that returns an answer in JSON.
    Answer,
    /// Output of tools that run at the provider.
    Other,
}

impl BlockKind {
    pub(super) fn of(wire: &WireBlock) -> Self {
        match wire.kind.as_str() {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "redacted_thinking" => Self::Redacted,
            "tool_use" if wire.name == ANSWER_TOOL => Self::Answer,
            "tool_use" => Self::Call,
            _ => Self::Other,
        }
    }

    /// True for text and thoughts: only one block of these may be open.
    pub(super) fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Thinking | Self::Redacted | Self::Answer => true,
            Self::Call | Self::Other => false,
        }
    }
}

/// How a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockStart {
    Announced,
    /// By its first delta: then it ends where the next block begins.
    Implied,
}

/// A partial block.
#[derive(Debug)]
pub(super) struct AnswerBlock {
    pub index: u64,
    pub kind: BlockKind,
    pub start: BlockStart,
    id: String,
    name: String,
    /// The text, the thought, or the arguments of the call.
    pub text: String,
    /// The signature of a thought, or its encrypted data.
    pub signature: String,
    pub complete: bool,
}

impl AnswerBlock {
    /// True for a thought within a text block, and for text within a thought.
    pub(super) fn conflicts_with(&self, delta: &WireDelta) -> bool {
        match self.kind {
            BlockKind::Text => !delta.thinking.is_empty(),
            BlockKind::Thinking | BlockKind::Redacted => !delta.text.is_empty(),
            BlockKind::Call | BlockKind::Answer | BlockKind::Other => false,
        }
    }

    /// The payload to be sent back for a thought.
    pub(super) fn thought(&self, vendor: &str) -> Option<Value> {
        match self.kind {
            BlockKind::Thinking => {
                let (text, signature) = (&self.text, &self.signature);
                payload_of(VendorThought::Signed { text, signature }, vendor)
            }
            BlockKind::Redacted => {
                payload_of(VendorThought::Redacted { data: &self.signature }, vendor)
            }
            BlockKind::Text | BlockKind::Call | BlockKind::Answer | BlockKind::Other => None,
        }
    }
}

/// All blocks of one answer.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<AnswerBlock>);

impl Blocks {
    /// Begins a block; `None` if there are too many.
    pub(super) fn begin(
        &mut self,
        index: Option<u64>,
        wire: &WireBlock,
        start: BlockStart,
    ) -> Option<&mut AnswerBlock> {
        if self.0.len() >= MAX_BLOCKS {
            return None;
        }
        let next = self.0.last().map_or(0, |last| last.index.saturating_add(1));
        self.0.push(AnswerBlock {
            index: index.unwrap_or(next),
            kind: BlockKind::of(wire),
            start,
            id: wire.id.clone(),
            name: wire.name.clone(),
            text: String::new(),
            signature: String::new(),
            complete: false,
        });
        self.0.last_mut()
    }

    /// The open block with this index; without one, the last open block.
    pub(super) fn open(&mut self, index: Option<u64>) -> Option<&mut AnswerBlock> {
        let mut open = self.0.iter_mut().rev().filter(|block| !block.complete);
        open.find(|block| index.is_none_or(|index| index == block.index))
    }

    /// The text or thought that has not ended.
    pub(super) fn open_text(&self) -> Option<&AnswerBlock> {
        self.0.iter().rev().find(|block| !block.complete && block.kind.is_text())
    }

    /// True if this block was ended by the beginning of another one.
    pub(super) fn was_ended_implicitly(&self, index: Option<u64>) -> bool {
        self.0.iter().any(|block| {
            Some(block.index) == index
                && block.complete
                && block.kind.is_text()
                && block.start == BlockStart::Implied
        })
    }

    /// Whether a call has not ended. Without a mark of its end too, a whole object is not cut.
    pub(super) fn has_open_call(&self) -> bool {
        let is_open = |block: &AnswerBlock| !block.complete && !is_object(&block.text);
        self.0.iter().any(|block| block.kind == BlockKind::Call && is_open(block))
    }

    pub(super) fn has_call(&self) -> bool {
        self.0.iter().any(|block| block.kind == BlockKind::Call)
    }

    /// Text and thoughts as messages of a context; empty if there is no text.
    pub(super) fn messages(&self, vendor: &str) -> Vec<Message> {
        let message = |block: &AnswerBlock| match block.kind {
            BlockKind::Text => Some(Message::Saying(whole(&block.text).into_owned())),
            BlockKind::Thinking | BlockKind::Redacted => {
                let payload = block.thought(vendor).map(whole_value);
                Some(Message::Thinking { text: String::new(), payload })
            }
            BlockKind::Call | BlockKind::Answer | BlockKind::Other => None,
        };
        let has_text =
            |block: &AnswerBlock| block.kind == BlockKind::Text && !block.text.trim().is_empty();
        if self.0.iter().any(has_text) {
            self.0.iter().filter_map(message).collect()
        } else {
            Vec::new()
        }
    }

    /// Called when the limit was reached in the last block. Missing arguments would look like a call
    /// without arguments, which would run; an open brace makes them invalid.
    pub(super) fn break_last_call(&mut self) {
        if let Some(block) = self.0.last_mut()
            && block.kind == BlockKind::Call
            && block.text.trim().is_empty()
        {
            block.text.push('{');
        }
    }

    /// The calls, in order.
    pub(super) fn take_calls(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.0).into_iter().filter(|b| b.kind == BlockKind::Call);
        let call =
            |block: AnswerBlock| ToolCall { id: block.id, name: block.name, arguments: block.text };
        calls.map(call).collect()
    }
}

impl WireBlock<'_> {
    /// The implied start of a block whose first delta this is.
    pub(super) fn of_delta(delta: &WireDelta) -> Self {
        let kind = if !delta.thinking.is_empty() || !delta.signature.is_empty() {
            "thinking"
        } else if delta.text.is_empty() {
            "unknown"
        } else {
            "text"
        };
        Self { kind: kind.to_owned(), ..Self::default() }
    }
}
