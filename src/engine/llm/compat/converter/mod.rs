//! Converts a context to wire messages.
//!
//! Invariants of the result, for any context: the results of calls follow directly after the message with
//! these calls and in the same order; every result has its call; adjacent messages of one role that are
//! neither calls nor results are merged; nothing is blank. Texts that are merged into one user message
//! get delimiters. Images of calls follow after the results, since a result can only contain text.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::Serializer;
use serde_json::Value;

use super::wire::EXTRA_KEY;
use crate::domain::ThinkingReplay;
use crate::llm::delimiters::{TextSource, escape};
use crate::llm::image::{
    CALL_IMAGES_HEADING, DataUrl, MessageImage, SentImage, notes, sent_images, with_notes,
};
use crate::llm::pairing::{Results, wire_arguments, wire_id, wire_name};
use crate::llm::request::{Message, Request};

/// A message of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ChatMessage<'a> {
    pub role: ChatRole,
    /// Null in a message that only makes calls.
    pub content: Option<MessageContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<Cow<'a, str>>,
    /// The source of its text, until it gets delimiters.
    #[serde(skip)]
    source: Option<TextSource>,
}

/// The content of a message. Text alone is a string: not every server accepts a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum MessageContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<MessagePart<'a>>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum MessagePart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct ImageUrl<'a> {
    url: DataUrl<'a>,
}

impl<'a> MessageContent<'a> {
    fn append(&mut self, next: Self) {
        match (&mut *self, next) {
            (Self::Text(text), Self::Text(more)) => join(text, &more),
            (_, next) => {
                let mut parts = std::mem::replace(self, Self::Parts(Vec::new())).into_parts();
                for part in next.into_parts() {
                    match (parts.last_mut(), part) {
                        (Some(MessagePart::Text { text }), MessagePart::Text { text: more }) => {
                            join(text, &more);
                        }
                        (_, part) => parts.push(part),
                    }
                }
                *self = Self::Parts(parts);
            }
        }
    }

    fn into_parts(self) -> Vec<MessagePart<'a>> {
        match self {
            Self::Text(text) => vec![MessagePart::Text { text }],
            Self::Parts(parts) => parts,
        }
    }
}

fn join(text: &mut Cow<'_, str>, more: &str) {
    let text = text.to_mut();
    text.push('\n');
    text.push_str(more);
}

fn part(image: SentImage<'_>) -> MessagePart<'_> {
    MessagePart::ImageUrl { image_url: ImageUrl { url: DataUrl(image) } }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChatRole {
    System,
    User,
    Assistant,
    Tool,
}

/// A call inside an assistant message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WireCall<'a> {
    pub id: Cow<'a, str>,
    pub name: Cow<'a, str>,
    pub arguments: Cow<'a, str>,
    pub extra: Option<&'a Value>,
}

impl Serialize for WireCall<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'b> {
            name: &'b str,
            arguments: &'b str,
        }
        #[derive(Serialize)]
        struct Call<'b> {
            id: &'b str,
            r#type: &'static str,
            function: Function<'b>,
            #[serde(skip_serializing_if = "Option::is_none")]
            extra_content: Option<&'b Value>,
        }
        Call {
            id: &self.id,
            r#type: "function",
            function: Function { name: &self.name, arguments: &self.arguments },
            extra_content: self.extra,
        }
        .serialize(out)
    }
}

/// The same messages with the system prompt at the beginning of the first user message.
pub(super) fn without_system_role(mut messages: Vec<ChatMessage<'_>>) -> Vec<ChatMessage<'_>> {
    let mut rest = messages.split_off(messages.len().min(1));
    let Some(first) = messages.first_mut().filter(|first| first.role == ChatRole::System) else {
        messages.append(&mut rest);
        return messages;
    };
    first.role = ChatRole::User;
    let mut rest = rest.into_iter().peekable();
    if let Some(next) = rest.next_if(|next| next.role == ChatRole::User)
        && let (Some(content), Some(more)) = (&mut first.content, next.content)
    {
        content.append(MessageContent::Text(Cow::Borrowed("")));
        content.append(more);
    }
    messages.extend(rest);
    messages
}

/// The messages of one request, the system prompt first.
pub(super) fn project(
    request: &Request,
    replay: ThinkingReplay,
    max_result_chars: usize,
) -> Vec<ChatMessage<'_>> {
    let mut converter = Converter {
        out: Vec::new(),
        results: Results::of(&request.messages, max_result_chars),
        tool_results: Vec::new(),
        call_images: Vec::new(),
        extras: [].iter(),
        thought: None,
        after_saying: false,
        replay,
    };
    converter.push_text(ChatRole::System, &request.system);
    for (at, message) in request.messages.iter().enumerate() {
        converter.message(at, message);
    }
    converter.finish()
}

/// Length of a call id that every server takes.
const MAX_ID_CHARS: usize = 40;

/// What a payload holds for the calls after it.
fn extras_of(payload: Option<&Value>) -> std::slice::Iter<'_, Value> {
    let extras = payload.and_then(|payload| payload.get(EXTRA_KEY)).and_then(Value::as_array);
    extras.map_or([].as_slice(), Vec::as_slice).iter()
}

struct Converter<'a> {
    out: Vec<ChatMessage<'a>>,
    results: Results<'a>,
    /// Results of the calls of the last message; not empty while further calls may be added to it.
    tool_results: Vec<ChatMessage<'a>>,
    /// Images of these calls.
    call_images: Vec<MessagePart<'a>>,
    /// What the provider wants back with the next calls.
    extras: std::slice::Iter<'a, Value>,
    /// Thinking to be attached to the next assistant message.
    thought: Option<Cow<'a, str>>,
    /// The last message is text of the same generation.
    after_saying: bool,
    replay: ThinkingReplay,
}

impl<'a> Converter<'a> {
    fn message(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::Environment(text) => self.user(text, TextSource::Notice),
            Message::Prompt(text) => self.user(text, TextSource::Message),
            Message::TellaskResult(text) | Message::Carryover(text) => {
                self.user(text, TextSource::Reply);
            }
            Message::Images(images) => self.images(images),
            Message::Guide(text) => self.push_text(ChatRole::Assistant, text),
            Message::Saying(text) => self.saying(text),
            Message::Thinking { text, payload } => {
                self.extras = extras_of(payload.as_ref());
                self.thinking(text);
            }
            Message::Call { id, name, arguments } => self.call(at, id, name, arguments),
            // Already placed after its call, or without a call.
            Message::Result { .. } => self.close_calls(),
        }
    }

    fn user(&mut self, text: &'a str, source: TextSource) {
        self.extras = [].iter();
        self.close_calls();
        self.flush_thought();
        if !text.trim().is_empty() {
            let message = ChatMessage::of(ChatRole::User, escape(text));
            self.out.push(ChatMessage { source: Some(source), ..message });
        }
    }

    fn images(&mut self, images: &'a [MessageImage]) {
        for note in notes(images) {
            self.user(note, TextSource::Notice);
        }
        let parts: Vec<MessagePart> = sent_images(images).map(part).collect();
        if !parts.is_empty() {
            self.close_calls();
            self.flush_thought();
            self.out.push(ChatMessage::with(ChatRole::User, MessageContent::Parts(parts)));
        }
    }

    fn push_text(&mut self, role: ChatRole, text: &'a str) {
        if text.trim().is_empty() {
            return;
        }
        self.close_calls();
        self.after_saying = false;
        self.out.push(ChatMessage::of(role, Cow::Borrowed(text)));
    }

    fn saying(&mut self, text: &'a str) {
        if text.trim().is_empty() {
            return;
        }
        self.push_text(ChatRole::Assistant, text);
        self.after_saying = true;
        let thought = self.thought.take();
        if let Some(message) = self.out.last_mut() {
            message.reasoning_content = thought;
        }
    }

    fn thinking(&mut self, text: &'a str) {
        if text.trim().is_empty() {
            return;
        }
        match self.replay {
            ThinkingReplay::None => {}
            ThinkingReplay::Text => self.push_text(ChatRole::Assistant, text),
            ThinkingReplay::ReasoningContent => {
                self.close_calls();
                self.after_saying = false;
                self.thought = Some(match self.thought.take() {
                    Some(earlier) => Cow::Owned(format!("{earlier}\n{text}")),
                    None => Cow::Borrowed(text),
                });
            }
        }
    }

    fn call(&mut self, at: usize, id: &'a str, name: &'a str, arguments: &'a str) {
        if self.tool_results.is_empty() && !self.after_saying {
            let mut message = ChatMessage::of(ChatRole::Assistant, Cow::Borrowed(""));
            message.content = None;
            message.reasoning_content = self.thought.take();
            self.out.push(message);
        }
        self.after_saying = false;
        let result = self.results.take_for_call(at, id);
        self.call_images.extend(sent_images(result.images).map(part));
        let mut answer = ChatMessage::of(ChatRole::Tool, with_notes(result.text, result.images));
        let id = wire_id(id, MAX_ID_CHARS);
        answer.tool_call_id = Some(id.clone());
        self.tool_results.push(answer);
        if let Some(message) = self.out.last_mut() {
            message.tool_calls.push(WireCall {
                id,
                name: wire_name(name),
                arguments: wire_arguments(arguments),
                extra: self.extras.next().filter(|extra| !extra.is_null()),
            });
        }
    }

    fn close_calls(&mut self) {
        self.out.append(&mut self.tool_results);
        self.after_saying = false;
        if !self.call_images.is_empty() {
            let mut parts = vec![MessagePart::Text { text: Cow::Borrowed(CALL_IMAGES_HEADING) }];
            parts.append(&mut self.call_images);
            let message = ChatMessage::with(ChatRole::User, MessageContent::Parts(parts));
            self.out.push(ChatMessage { source: Some(TextSource::Notice), ..message });
        }
    }

    /// Thinking without a following message gets one of its own.
    fn flush_thought(&mut self) {
        if let Some(thought) = self.thought.take() {
            let mut message = ChatMessage::of(ChatRole::Assistant, Cow::Borrowed(""));
            message.reasoning_content = Some(thought);
            self.out.push(message);
        }
    }

    fn finish(mut self) -> Vec<ChatMessage<'a>> {
        self.close_calls();
        self.flush_thought();
        let mut merged: Vec<ChatMessage<'a>> = Vec::with_capacity(self.out.len());
        for message in self.out {
            match merged.last_mut() {
                Some(last) if last.can_merge(&message) => last.append(message),
                _ => merged.push(message),
            }
        }
        merged
    }
}

impl<'a> ChatMessage<'a> {
    fn of(role: ChatRole, content: Cow<'a, str>) -> Self {
        Self::with(role, MessageContent::Text(content))
    }

    fn with(role: ChatRole, content: MessageContent<'a>) -> Self {
        Self {
            role,
            content: Some(content),
            reasoning_content: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            source: None,
        }
    }

    fn is_mergeable(&self) -> bool {
        matches!(self.role, ChatRole::User | ChatRole::Assistant)
            && self.reasoning_content.is_none()
            && self.tool_calls.is_empty()
    }

    /// Puts its text between delimiters, before it is merged with another.
    fn fence(&mut self) {
        let Some(source) = self.source.take() else { return };
        let own = match &mut self.content {
            Some(MessageContent::Text(text)) => Some(text),
            Some(MessageContent::Parts(parts)) => parts.iter_mut().find_map(|part| match part {
                MessagePart::Text { text } => Some(text),
                MessagePart::ImageUrl { .. } => None,
            }),
            None => None,
        };
        if let Some(text) = own {
            *text = Cow::Owned(source.fenced(text));
        }
    }

    fn can_merge(&self, next: &Self) -> bool {
        self.role == next.role && self.is_mergeable() && next.is_mergeable()
    }

    fn append(&mut self, mut next: Self) {
        if next.source.is_some() {
            self.fence();
            next.fence();
        }
        if let (Some(content), Some(more)) = (&mut self.content, next.content) {
            content.append(more);
        }
    }
}

#[cfg(test)]
mod tests;
