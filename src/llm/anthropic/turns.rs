//! From our context to turns.
//!
//! What must stay true of the result, whatever the context holds: turns alternate, the first and the
//! last are the user's; the calls of a turn have their results at the beginning of the next; every
//! result has its call; ids are unique and such as the protocol takes; nothing is blank.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::thought::Thought;
use crate::llm::image::{Base64, MessageImage, Shown, notes, shown, with_notes};
use crate::llm::pairing::{Results, wire_arguments, wire_name};
use crate::llm::request::Message;

/// Stands where the model would otherwise have the last word, or the first. In both languages: here
/// nobody knows which of them the model is told things in.
const GO_ON: &str = "Go on. (请继续。)";
const BEFORE: &str = "What came before is not shown. (此前的内容未显示。)";
/// Longest id of a call.
const ID_CHARS: usize = 64;

/// What one side says at once.
#[derive(Debug, Serialize)]
pub(super) struct Turn<'a> {
    pub role: Role,
    pub content: Vec<Block<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Assistant,
}

/// A block of a turn.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Cache>,
    },
    Image {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Cache>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        content: Vec<Part<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Cache>,
    },
}

/// A part of a result.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: Cow<'a, str> },
    Image { source: Source<'a> },
}

/// A picture.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Source<'a> {
    Base64 { media_type: &'static str, data: Base64<'a> },
}

/// Marks the end of something that will come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Cache {
    Ephemeral,
}

impl Block<'_> {
    /// True if the mark could be set.
    fn mark(&mut self) -> bool {
        match self {
            Self::Text { cache_control, .. }
            | Self::Image { cache_control, .. }
            | Self::ToolResult { cache_control, .. } => {
                *cache_control = Some(Cache::Ephemeral);
                true
            }
            Self::Thinking { .. } | Self::RedactedThinking { .. } | Self::ToolUse { .. } => false,
        }
    }

    fn is_thought(&self) -> bool {
        match self {
            Self::Thinking { .. } | Self::RedactedThinking { .. } => true,
            Self::Text { .. }
            | Self::Image { .. }
            | Self::ToolUse { .. }
            | Self::ToolResult { .. } => false,
        }
    }
}

/// A whole context.
#[derive(Debug)]
pub(super) struct Turns<'a>(pub Vec<Turn<'a>>);

impl<'a> Turns<'a> {
    /// The turns of a context. Of one result at most `result_chars` characters are sent;
    /// thoughts go back to their own vendor. The first
    /// notice and the last block are marked: what stands before the one stays for a course, what
    /// stands before the other is sent again with the next request.
    pub(super) fn of(messages: &'a [Message], result_chars: usize, vendor: &'a str) -> Self {
        let mut projection = Projection {
            turns: Vec::new(),
            outputs: Vec::new(),
            results: Results::of(messages, result_chars),
            ids: HashSet::new(),
            vendor,
            marked: false,
        };
        for (at, message) in messages.iter().enumerate() {
            projection.message(at, message);
        }
        projection.finish()
    }

    /// Whether thinking may be asked for: a model that waits for results must have thought before it
    /// made the calls, or the request is refused.
    pub(super) fn may_think(&self) -> bool {
        let mut last = self.0.iter().rev();
        let answers = last.next().and_then(|turn| turn.content.first());
        if !matches!(answers, Some(Block::ToolResult { .. })) {
            return true;
        }
        last.next().and_then(|turn| turn.content.first()).is_some_and(Block::is_thought)
    }

    /// The names of the calls in the context.
    pub(super) fn called(&self) -> Vec<&str> {
        let blocks = self.0.iter().flat_map(|turn| &turn.content);
        let mut names: Vec<&str> = blocks
            .filter_map(|block| {
                if let Block::ToolUse { name, .. } = block { Some(name.as_ref()) } else { None }
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn source(picture: Shown<'_>) -> Source<'_> {
    Source::Base64 { media_type: picture.media_type, data: picture.data }
}

struct Projection<'a> {
    turns: Vec<Turn<'a>>,
    /// The results of the calls made last; further calls may still join them.
    outputs: Vec<Block<'a>>,
    results: Results<'a>,
    ids: HashSet<String>,
    /// Whose thoughts go back.
    vendor: &'a str,
    /// The end of what stays for a course is marked.
    marked: bool,
}

impl<'a> Projection<'a> {
    fn message(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::Environment(text) => {
                self.text(Role::User, text);
                self.mark_what_stays();
            }
            Message::Prompt(text) | Message::TellaskResult(text) | Message::Carryover(text) => {
                self.text(Role::User, text);
            }
            Message::Pictures(pictures) => self.pictures(pictures),
            // The first turn is the user's, whoever speaks in it.
            Message::Guide(text) if self.is_opening() => self.text(Role::User, text),
            Message::Guide(text) | Message::Saying(text) => self.text(Role::Assistant, text),
            Message::Thinking { payload, .. } => {
                if let Some(thought) = payload.as_ref().and_then(|p| Thought::of(p, self.vendor)) {
                    self.thought(thought);
                }
            }
            Message::Call { id, name, arguments } => self.call(at, id, name, arguments),
            // Already placed behind its call, or without one.
            Message::Result { .. } => self.close_calls(),
        }
    }

    fn is_opening(&self) -> bool {
        self.outputs.is_empty() && self.turns.iter().all(|turn| turn.role == Role::User)
    }

    fn text(&mut self, role: Role, text: &'a str) {
        if !text.trim().is_empty() {
            self.close_calls();
            self.push(role, Block::Text { text, cache_control: None });
        }
    }

    fn pictures(&mut self, pictures: &'a [MessageImage]) {
        for note in notes(pictures) {
            self.text(Role::User, note);
        }
        for source in shown(pictures).map(source) {
            self.close_calls();
            self.push(Role::User, Block::Image { source, cache_control: None });
        }
    }

    fn thought(&mut self, thought: Thought<'a>) {
        self.close_calls();
        let block = match thought {
            Thought::Signed { text: thinking, signature } => {
                Block::Thinking { thinking, signature }
            }
            Thought::Redacted { data } => Block::RedactedThinking { data },
        };
        self.push(Role::Assistant, block);
    }

    fn call(&mut self, at: usize, id: &'a str, name: &'a str, arguments: &'a str) {
        let given = self.results.of_call(at, id);
        let id = self.own_id(id);
        let text = with_notes(given.text, given.pictures);
        let text = (!text.trim().is_empty()).then_some(Part::Text { text });
        let pictures = shown(given.pictures).map(|picture| Part::Image { source: source(picture) });
        let content = text.into_iter().chain(pictures).collect();
        let cache_control = None;
        self.outputs.push(Block::ToolResult { tool_use_id: id.clone(), content, cache_control });
        let input = RawValue::from_string(wire_arguments(arguments).into_owned());
        let input = input.unwrap_or_else(|_| RawValue::NULL.to_owned());
        self.push(Role::Assistant, Block::ToolUse { id, name: wire_name(name), input });
    }

    /// An id the protocol takes, used nowhere else in this request. It depends on what stands before
    /// the call alone, so that the next request has the same.
    fn own_id(&mut self, id: &'a str) -> Cow<'a, str> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let plain = !id.is_empty() && id.len() <= ID_CHARS && id.chars().all(fits);
        if plain && self.ids.insert(id.to_owned()) {
            return Cow::Borrowed(id);
        }
        let mended: String =
            id.chars().take(ID_CHARS - 8).map(|c| if fits(c) { c } else { '_' }).collect();
        let mut number = self.ids.len() + 1;
        loop {
            let own = format!("{mended}_{number}");
            if self.ids.insert(own.clone()) {
                return Cow::Owned(own);
            }
            number += 1;
        }
    }

    fn push(&mut self, role: Role, block: Block<'a>) {
        match self.turns.last_mut() {
            Some(turn) if turn.role == role => turn.content.push(block),
            Some(_) => self.turns.push(Turn { role, content: vec![block] }),
            None => {
                if role == Role::Assistant {
                    let before = Block::Text { text: BEFORE, cache_control: None };
                    self.turns.push(Turn { role: Role::User, content: vec![before] });
                }
                self.turns.push(Turn { role, content: vec![block] });
            }
        }
    }

    fn close_calls(&mut self) {
        for output in std::mem::take(&mut self.outputs) {
            self.push(Role::User, output);
        }
    }

    fn mark_what_stays(&mut self) {
        if !self.marked {
            self.marked = self.mark_last();
        }
    }

    fn mark_last(&mut self) -> bool {
        let block = self.turns.last_mut().and_then(|turn| turn.content.last_mut());
        block.is_some_and(Block::mark)
    }

    fn finish(mut self) -> Turns<'a> {
        self.close_calls();
        if self.turns.last().is_none_or(|turn| turn.role == Role::Assistant) {
            self.push(Role::User, Block::Text { text: GO_ON, cache_control: None });
        }
        self.mark_last();
        Turns(self.turns)
    }
}

#[cfg(test)]
mod tests;
