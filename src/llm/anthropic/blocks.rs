//! The blocks of an answer that have come so far, in their order.

use serde_json::Value;

use super::body::ANSWER_TOOL;
use super::thought::{Thought, keep};
use super::wire::{WireBlock, WireDelta};
use crate::llm::{Message, ToolCall};

/// Most blocks one answer may hold; more is no answer but a flood.
const MAX_BLOCKS: usize = 1024;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thinking,
    /// A thought only the provider can read.
    Redacted,
    Call,
    /// The call that stands for an answer in JSON.
    Answer,
    /// The work of tools that run at the provider.
    Other,
}

impl Kind {
    pub(super) fn of(begun: &WireBlock) -> Self {
        match begun.kind.as_str() {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "redacted_thinking" => Self::Redacted,
            "tool_use" if begun.name == ANSWER_TOOL => Self::Answer,
            "tool_use" => Self::Call,
            _ => Self::Other,
        }
    }

    /// True for words and thoughts: only one block of them may be open. Calls do not count.
    pub(super) fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Thinking | Self::Redacted | Self::Answer => true,
            Self::Call | Self::Other => false,
        }
    }
}

/// How a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    Announced,
    /// With its first piece: then it ends where the next one begins.
    Implied,
}

/// A block, as far as it has come.
#[derive(Debug)]
pub(super) struct Block {
    pub index: u64,
    pub kind: Kind,
    pub beginning: Beginning,
    id: String,
    name: String,
    /// The words, the thought, or the arguments of the call.
    pub text: String,
    /// The signature of a thought, or what stands for it.
    pub signature: String,
    pub whole: bool,
}

impl Block {
    /// True for a thought within words, and for words within a thought.
    pub(super) fn is_of_another_kind(&self, delta: &WireDelta) -> bool {
        match self.kind {
            Kind::Text => !delta.thinking.is_empty(),
            Kind::Thinking | Kind::Redacted => !delta.text.is_empty(),
            Kind::Call | Kind::Answer | Kind::Other => false,
        }
    }

    /// What has to be sent back with a thought.
    pub(super) fn thought(&self, vendor: &str) -> Option<Value> {
        match self.kind {
            Kind::Thinking => {
                let (text, signature) = (&self.text, &self.signature);
                keep(Thought::Signed { text, signature }, vendor)
            }
            Kind::Redacted => keep(Thought::Redacted { data: &self.signature }, vendor),
            Kind::Text | Kind::Call | Kind::Answer | Kind::Other => None,
        }
    }
}

/// All blocks of one answer.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    /// Begins a block; `None` if there are too many.
    pub(super) fn begin(
        &mut self,
        index: Option<u64>,
        begun: &WireBlock,
        beginning: Beginning,
    ) -> Option<&mut Block> {
        if self.0.len() >= MAX_BLOCKS {
            return None;
        }
        let next = self.0.last().map_or(0, |last| last.index.saturating_add(1));
        self.0.push(Block {
            index: index.unwrap_or(next),
            kind: Kind::of(begun),
            beginning,
            id: begun.id.clone(),
            name: begun.name.clone(),
            text: String::new(),
            signature: String::new(),
            whole: false,
        });
        self.0.last_mut()
    }

    /// The open block with this index; without one, the last open block.
    pub(super) fn open(&mut self, index: Option<u64>) -> Option<&mut Block> {
        let mut open = self.0.iter_mut().rev().filter(|block| !block.whole);
        open.find(|block| index.is_none_or(|index| index == block.index))
    }

    /// The words or the thought that have not come to their end.
    pub(super) fn open_text(&self) -> Option<&Block> {
        self.0.iter().rev().find(|block| !block.whole && block.kind.is_text())
    }

    /// True if this block was ended by the beginning of another one.
    pub(super) fn was_left(&self, index: Option<u64>) -> bool {
        self.0.iter().any(|block| {
            Some(block.index) == index
                && block.whole
                && block.kind.is_text()
                && block.beginning == Beginning::Implied
        })
    }

    /// Whether a call has not come to its end.
    pub(super) fn open_call(&self) -> bool {
        self.0.iter().any(|block| block.kind == Kind::Call && !block.whole)
    }

    pub(super) fn has_call(&self) -> bool {
        self.0.iter().any(|block| block.kind == Kind::Call)
    }

    /// The words and thoughts, as a context holds them; nothing if there are no words.
    pub(super) fn said(&self, vendor: &str) -> Vec<Message> {
        let message = |block: &Block| match block.kind {
            Kind::Text => Some(Message::Saying(block.text.clone())),
            Kind::Thinking | Kind::Redacted => {
                let payload = block.thought(vendor);
                Some(Message::Thinking { text: String::new(), payload })
            }
            Kind::Call | Kind::Answer | Kind::Other => None,
        };
        let spoke = |block: &Block| block.kind == Kind::Text && !block.text.trim().is_empty();
        if self.0.iter().any(spoke) {
            self.0.iter().filter_map(message).collect()
        } else {
            Vec::new()
        }
    }

    /// The limit was reached in the last block. Arguments that had not begun would pass for none at
    /// all, and the call would run: one open brace says that something is missing.
    pub(super) fn break_last_call(&mut self) {
        if let Some(block) = self.0.last_mut()
            && block.kind == Kind::Call
            && block.text.trim().is_empty()
        {
            block.text.push('{');
        }
    }

    /// The calls, in order.
    pub(super) fn take_calls(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.0).into_iter().filter(|b| b.kind == Kind::Call);
        let call =
            |block: Block| ToolCall { id: block.id, name: block.name, arguments: block.text };
        calls.map(call).collect()
    }
}

impl WireBlock<'_> {
    /// The beginning that a piece belongs to, where that was left out.
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
