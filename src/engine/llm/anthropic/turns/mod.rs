//! Converts a context to turns.
//!
//! Invariants of the result, for any context: turns alternate; the first and the last are the user's; the
//! results of calls are at the beginning of the next turn; every result has its call; ids are unique and
//! valid; nothing is blank.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::thought::VendorThought;
use crate::llm::image::{Base64, MessageImage, SentImage, notes, sent_images, with_notes};
use crate::llm::pairing::{GO_ON_TEXT, OMITTED_TEXT, Results, wire_arguments, wire_name};
use crate::llm::request::Message;

const MAX_ID_CHARS: usize = 64;

/// Adjacent content of one role.
#[derive(Debug, Serialize)]
pub(super) struct Turn<'a> {
    pub role: TurnRole,
    pub content: Vec<ContentBlock<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TurnRole {
    User,
    Assistant,
}

/// A block of a turn.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ContentBlock<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: ImageSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
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
        content: Vec<ResultPart<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
}

/// A part of a result.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ResultPart<'a> {
    Text { text: Cow<'a, str> },
    Image { source: ImageSource<'a> },
}

/// The data of an image.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ImageSource<'a> {
    Base64 { media_type: &'static str, data: Base64<'a> },
}

/// Marks the end of a prefix that later requests repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum CacheControl {
    Ephemeral,
}

impl ContentBlock<'_> {
    /// Sets the cache mark; false if this block cannot have one.
    fn mark(&mut self) -> bool {
        match self {
            Self::Text { cache_control, .. }
            | Self::Image { cache_control, .. }
            | Self::ToolResult { cache_control, .. } => {
                *cache_control = Some(CacheControl::Ephemeral);
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

/// A converted context.
#[derive(Debug)]
pub(super) struct Turns<'a>(pub Vec<Turn<'a>>);

impl<'a> Turns<'a> {
    /// Converts a context. Results are truncated to `result_chars` characters; thoughts go back only to
    /// their own vendor. The first notice and the last block get a cache mark: the prefix up to the first
    /// is stable for a course, the prefix up to the second is repeated by the next request.
    pub(super) fn of(messages: &'a [Message], max_result_chars: usize, vendor: &'a str) -> Self {
        let mut converter = Converter {
            turns: Vec::new(),
            outputs: Vec::new(),
            results: Results::of(messages, max_result_chars),
            ids: HashSet::new(),
            vendor,
            marked: false,
        };
        for (at, message) in messages.iter().enumerate() {
            converter.message(at, message);
        }
        converter.finish()
    }

    /// Whether thinking may be enabled: if the last turn has results of calls, the protocol requires a
    /// thought before these calls.
    pub(super) fn may_think(&self) -> bool {
        let mut last = self.0.iter().rev();
        let first_block = last.next().and_then(|turn| turn.content.first());
        if !matches!(first_block, Some(ContentBlock::ToolResult { .. })) {
            return true;
        }
        last.next().and_then(|turn| turn.content.first()).is_some_and(ContentBlock::is_thought)
    }

    /// The names of the calls in the context.
    pub(super) fn called(&self) -> Vec<&str> {
        let blocks = self.0.iter().flat_map(|turn| &turn.content);
        let mut names: Vec<&str> = blocks
            .filter_map(|block| {
                if let ContentBlock::ToolUse { name, .. } = block {
                    Some(name.as_ref())
                } else {
                    None
                }
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn image_source(image: SentImage<'_>) -> ImageSource<'_> {
    ImageSource::Base64 { media_type: image.media_type, data: image.data }
}

struct Converter<'a> {
    turns: Vec<Turn<'a>>,
    /// Results of the current group of calls, which may still grow.
    outputs: Vec<ContentBlock<'a>>,
    results: Results<'a>,
    ids: HashSet<String>,
    /// Only thoughts of this vendor are sent back.
    vendor: &'a str,
    /// The prefix that is stable for a course is marked.
    marked: bool,
}

impl<'a> Converter<'a> {
    fn message(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::Environment(text) => {
                self.text(TurnRole::User, text);
                self.mark_stable_prefix();
            }
            Message::Prompt(text) | Message::TellaskResult(text) | Message::Carryover(text) => {
                self.text(TurnRole::User, text);
            }
            Message::Images(images) => self.images(images),
            // The first turn must be the user's.
            Message::Guide(text) if self.is_opening() => self.text(TurnRole::User, text),
            Message::Guide(text) | Message::Saying(text) => self.text(TurnRole::Assistant, text),
            Message::Thinking { payload, .. } => {
                if let Some(thought) =
                    payload.as_ref().and_then(|p| VendorThought::of(p, self.vendor))
                {
                    self.thought(thought);
                }
            }
            Message::Call { id, name, arguments } => self.call(at, id, name, arguments),
            // Already placed after its call, or without a call.
            Message::Result { .. } => self.close_calls(),
        }
    }

    fn is_opening(&self) -> bool {
        self.outputs.is_empty() && self.turns.iter().all(|turn| turn.role == TurnRole::User)
    }

    fn text(&mut self, role: TurnRole, text: &'a str) {
        if !text.trim().is_empty() {
            self.close_calls();
            self.push(role, ContentBlock::Text { text, cache_control: None });
        }
    }

    fn images(&mut self, images: &'a [MessageImage]) {
        for note in notes(images) {
            self.text(TurnRole::User, note);
        }
        for source in sent_images(images).map(image_source) {
            self.close_calls();
            self.push(TurnRole::User, ContentBlock::Image { source, cache_control: None });
        }
    }

    fn thought(&mut self, thought: VendorThought<'a>) {
        self.close_calls();
        let block = match thought {
            VendorThought::Signed { text: thinking, signature } => {
                ContentBlock::Thinking { thinking, signature }
            }
            VendorThought::Redacted { data } => ContentBlock::RedactedThinking { data },
        };
        self.push(TurnRole::Assistant, block);
    }

    fn call(&mut self, at: usize, id: &'a str, name: &'a str, arguments: &'a str) {
        let result = self.results.take_for_call(at, id);
        let id = self.unique_id(id);
        let text = with_notes(result.text, result.images);
        let text = (!text.trim().is_empty()).then_some(ResultPart::Text { text });
        let images = sent_images(result.images)
            .map(|image| ResultPart::Image { source: image_source(image) });
        let content = text.into_iter().chain(images).collect();
        let cache_control = None;
        self.outputs.push(ContentBlock::ToolResult {
            tool_use_id: id.clone(),
            content,
            cache_control,
        });
        let input = RawValue::from_string(wire_arguments(arguments).into_owned());
        let input = input.unwrap_or_else(|_| RawValue::NULL.to_owned());
        self.push(TurnRole::Assistant, ContentBlock::ToolUse { id, name: wire_name(name), input });
    }

    /// A valid id that is unique in this request. It depends only on the preceding context, so that the
    /// next request has the same.
    fn unique_id(&mut self, id: &'a str) -> Cow<'a, str> {
        let is_valid_char = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let is_valid = !id.is_empty() && id.len() <= MAX_ID_CHARS && id.chars().all(is_valid_char);
        if is_valid && self.ids.insert(id.to_owned()) {
            return Cow::Borrowed(id);
        }
        let sanitized: String = id
            .chars()
            .take(MAX_ID_CHARS - 8)
            .map(|c| if is_valid_char(c) { c } else { '_' })
            .collect();
        let mut number = self.ids.len() + 1;
        loop {
            let own = format!("{sanitized}_{number}");
            if self.ids.insert(own.clone()) {
                return Cow::Owned(own);
            }
            number += 1;
        }
    }

    fn push(&mut self, role: TurnRole, block: ContentBlock<'a>) {
        match self.turns.last_mut() {
            Some(turn) if turn.role == role => turn.content.push(block),
            Some(_) => self.turns.push(Turn { role, content: vec![block] }),
            None => {
                if role == TurnRole::Assistant {
                    let before = ContentBlock::Text { text: OMITTED_TEXT, cache_control: None };
                    self.turns.push(Turn { role: TurnRole::User, content: vec![before] });
                }
                self.turns.push(Turn { role, content: vec![block] });
            }
        }
    }

    fn close_calls(&mut self) {
        for output in std::mem::take(&mut self.outputs) {
            self.push(TurnRole::User, output);
        }
    }

    fn mark_stable_prefix(&mut self) {
        if !self.marked {
            self.marked = self.mark_last();
        }
    }

    fn mark_last(&mut self) -> bool {
        let block = self.turns.last_mut().and_then(|turn| turn.content.last_mut());
        block.is_some_and(ContentBlock::mark)
    }

    fn finish(mut self) -> Turns<'a> {
        self.close_calls();
        if self.turns.last().is_none_or(|turn| turn.role == TurnRole::Assistant) {
            self.push(TurnRole::User, ContentBlock::Text { text: GO_ON_TEXT, cache_control: None });
        }
        self.mark_last();
        Turns(self.turns)
    }
}

#[cfg(test)]
mod tests;
