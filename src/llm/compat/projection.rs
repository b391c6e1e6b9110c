//! From our context to wire messages.
//!
//! What must stay true of the result, whatever the context holds: every call is answered, directly
//! after the message that makes it and in the same order; every answer has its call; neighbours
//! of one role that are neither calls nor answers are one message; nothing is blank. What the user's
//! side says in one message stands between marks, piece by piece. Pictures of calls stand behind the
//! answers, since an answer holds nothing but text.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::Serializer;

use crate::domain::ThinkingReplay;
use crate::llm::fence::{Piece, plain};
use crate::llm::image::{DataUrl, MessageImage, OF_CALLS, Shown, notes, shown, with_notes};
use crate::llm::pairing::{Results, wire_arguments, wire_name};
use crate::llm::request::{Message, Request};

/// A message of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ChatMessage<'a> {
    pub role: Role,
    /// Null in a message that only makes calls.
    pub content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<&'a str>,
    /// Whose text it is, as long as it stands alone.
    #[serde(skip)]
    piece: Option<Piece>,
}

/// What a message says. Text alone is a string: not every server takes a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct ImageUrl<'a> {
    url: DataUrl<'a>,
}

impl<'a> Content<'a> {
    fn append(&mut self, next: Self) {
        match (&mut *self, next) {
            (Self::Text(text), Self::Text(more)) => join(text, &more),
            (_, next) => {
                let mut parts = std::mem::replace(self, Self::Parts(Vec::new())).into_parts();
                for part in next.into_parts() {
                    match (parts.last_mut(), part) {
                        (Some(Part::Text { text }), Part::Text { text: more }) => join(text, &more),
                        (_, part) => parts.push(part),
                    }
                }
                *self = Self::Parts(parts);
            }
        }
    }

    fn into_parts(self) -> Vec<Part<'a>> {
        match self {
            Self::Text(text) => vec![Part::Text { text }],
            Self::Parts(parts) => parts,
        }
    }
}

fn join(text: &mut Cow<'_, str>, more: &str) {
    let text = text.to_mut();
    text.push('\n');
    text.push_str(more);
}

fn part(picture: Shown<'_>) -> Part<'_> {
    Part::ImageUrl { image_url: ImageUrl { url: DataUrl(picture) } }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// A call inside an assistant message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WireCall<'a> {
    pub id: &'a str,
    pub name: Cow<'a, str>,
    pub arguments: Cow<'a, str>,
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
        }
        Call {
            id: self.id,
            r#type: "function",
            function: Function { name: &self.name, arguments: &self.arguments },
        }
        .serialize(out)
    }
}

/// The messages of one request, the system prompt first.
pub(super) fn project(
    request: &Request,
    replay: ThinkingReplay,
    result_chars: usize,
) -> Vec<ChatMessage<'_>> {
    let mut projection = Projection {
        out: Vec::new(),
        results: Results::of(&request.messages, result_chars),
        answers: Vec::new(),
        seen: Vec::new(),
        thought: None,
        after_saying: false,
        replay,
    };
    projection.plain(Role::System, &request.system);
    for (at, message) in request.messages.iter().enumerate() {
        projection.message(at, message);
    }
    projection.finish()
}

struct Projection<'a> {
    out: Vec<ChatMessage<'a>>,
    results: Results<'a>,
    /// The answers to the calls of the last message; not empty while that message may take more.
    answers: Vec<ChatMessage<'a>>,
    /// The pictures of those calls.
    seen: Vec<Part<'a>>,
    /// Thinking that waits for the assistant message it led to.
    thought: Option<Cow<'a, str>>,
    /// The last message is something the model said just before.
    after_saying: bool,
    replay: ThinkingReplay,
}

impl<'a> Projection<'a> {
    fn message(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::Environment(text) => self.user(text, Piece::Notice),
            Message::Prompt(text) => self.user(text, Piece::Message),
            Message::TellaskResult(text) | Message::Carryover(text) => {
                self.user(text, Piece::Reply);
            }
            Message::Pictures(pictures) => self.pictures(pictures),
            Message::Guide(text) => self.plain(Role::Assistant, text),
            Message::Saying(text) => self.saying(text),
            Message::Thinking { text, .. } => self.thinking(text),
            Message::Call { id, name, arguments } => self.call(at, id, name, arguments),
            // Already placed behind its call, or without one.
            Message::Result { .. } => self.close_calls(),
        }
    }

    fn user(&mut self, text: &'a str, piece: Piece) {
        self.close_calls();
        self.release_thought();
        if !text.trim().is_empty() {
            let message = ChatMessage::of(Role::User, plain(text));
            self.out.push(ChatMessage { piece: Some(piece), ..message });
        }
    }

    fn pictures(&mut self, pictures: &'a [MessageImage]) {
        for note in notes(pictures) {
            self.user(note, Piece::Notice);
        }
        let parts: Vec<Part> = shown(pictures).map(part).collect();
        if !parts.is_empty() {
            self.close_calls();
            self.release_thought();
            self.out.push(ChatMessage::with(Role::User, Content::Parts(parts)));
        }
    }

    fn plain(&mut self, role: Role, text: &'a str) {
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
        self.plain(Role::Assistant, text);
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
            ThinkingReplay::Text => self.plain(Role::Assistant, text),
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
        if self.answers.is_empty() && !self.after_saying {
            let mut message = ChatMessage::of(Role::Assistant, Cow::Borrowed(""));
            message.content = None;
            message.reasoning_content = self.thought.take();
            self.out.push(message);
        }
        self.after_saying = false;
        let given = self.results.of_call(at, id);
        self.seen.extend(shown(given.pictures).map(part));
        let mut answer = ChatMessage::of(Role::Tool, with_notes(given.text, given.pictures));
        answer.tool_call_id = Some(id);
        self.answers.push(answer);
        if let Some(message) = self.out.last_mut() {
            message.tool_calls.push(WireCall {
                id,
                name: wire_name(name),
                arguments: wire_arguments(arguments),
            });
        }
    }

    fn close_calls(&mut self) {
        self.out.append(&mut self.answers);
        self.after_saying = false;
        if !self.seen.is_empty() {
            let mut parts = vec![Part::Text { text: Cow::Borrowed(OF_CALLS) }];
            parts.append(&mut self.seen);
            let message = ChatMessage::with(Role::User, Content::Parts(parts));
            self.out.push(ChatMessage { piece: Some(Piece::Notice), ..message });
        }
    }

    /// Thinking that led to nothing gets a message of its own.
    fn release_thought(&mut self) {
        if let Some(thought) = self.thought.take() {
            let mut message = ChatMessage::of(Role::Assistant, Cow::Borrowed(""));
            message.reasoning_content = Some(thought);
            self.out.push(message);
        }
    }

    fn finish(mut self) -> Vec<ChatMessage<'a>> {
        self.close_calls();
        self.release_thought();
        let mut merged: Vec<ChatMessage<'a>> = Vec::with_capacity(self.out.len());
        for message in self.out {
            match merged.last_mut() {
                Some(last) if last.takes_in(&message) => last.append(message),
                _ => merged.push(message),
            }
        }
        merged
    }
}

impl<'a> ChatMessage<'a> {
    fn of(role: Role, content: Cow<'a, str>) -> Self {
        Self::with(role, Content::Text(content))
    }

    fn with(role: Role, content: Content<'a>) -> Self {
        Self {
            role,
            content: Some(content),
            reasoning_content: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            piece: None,
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self.role, Role::User | Role::Assistant)
            && self.reasoning_content.is_none()
            && self.tool_calls.is_empty()
    }

    /// Puts its own text between marks: it is about to stand beside another.
    fn fence(&mut self) {
        let Some(piece) = self.piece.take() else { return };
        let own = match &mut self.content {
            Some(Content::Text(text)) => Some(text),
            Some(Content::Parts(parts)) => parts.iter_mut().find_map(|part| match part {
                Part::Text { text } => Some(text),
                Part::ImageUrl { .. } => None,
            }),
            None => None,
        };
        if let Some(text) = own {
            *text = Cow::Owned(piece.fenced(text));
        }
    }

    fn takes_in(&self, next: &Self) -> bool {
        self.role == next.role && self.is_plain() && next.is_plain()
    }

    fn append(&mut self, mut next: Self) {
        if next.piece.is_some() {
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
