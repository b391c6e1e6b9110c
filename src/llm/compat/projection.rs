//! From our context to wire messages.
//!
//! What must stay true of the result, whatever the context holds: every call is answered, directly
//! after the message that makes it and in the same order; every answer has its call; neighbours
//! that are plain text of one role are one message; nothing is blank.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use serde::Serialize;
use serde::ser::Serializer;

use super::{CompatConfig, ThinkingReplay};
use crate::llm::request::{Message, Request};

/// What stands for a result that was never recorded. In both languages: here nobody knows which of
/// them the model is told things in.
const NO_RESULT: &str = "no result was recorded; it was interrupted (没有记录到结果，调用被中断)";
/// Longest name the protocol takes.
const NAME_CHARS: usize = 64;

/// A message of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ChatMessage<'a> {
    pub role: Role,
    /// Null in a message that only makes calls.
    pub content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<&'a str>,
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
pub(super) fn project<'a>(request: &'a Request, config: &CompatConfig) -> Vec<ChatMessage<'a>> {
    let mut projection = Projection {
        out: Vec::new(),
        results: results_by_id(&request.messages),
        answers: Vec::new(),
        thought: None,
        after_saying: false,
        replay: config.thinking_replay,
        result_chars: config.tool_result_chars,
    };
    projection.plain(Role::System, &request.system);
    for (at, message) in request.messages.iter().enumerate() {
        projection.message(at, message);
    }
    projection.finish()
}

/// Where the results of each call id stand, in order.
fn results_by_id(messages: &[Message]) -> HashMap<&str, VecDeque<(usize, &str)>> {
    let mut results: HashMap<&str, VecDeque<(usize, &str)>> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        if let Message::Result { id, content, .. } = message {
            results.entry(id).or_default().push_back((at, content));
        }
    }
    results
}

struct Projection<'a> {
    out: Vec<ChatMessage<'a>>,
    results: HashMap<&'a str, VecDeque<(usize, &'a str)>>,
    /// The answers to the calls of the last message; not empty while that message may take more.
    answers: Vec<ChatMessage<'a>>,
    /// Thinking that waits for the assistant message it led to.
    thought: Option<Cow<'a, str>>,
    /// The last message is something the model said just before.
    after_saying: bool,
    replay: ThinkingReplay,
    result_chars: usize,
}

impl<'a> Projection<'a> {
    fn message(&mut self, at: usize, message: &'a Message) {
        match message {
            Message::Environment(text)
            | Message::Prompt(text)
            | Message::TellaskResult(text)
            | Message::Carryover(text) => self.user(text),
            Message::Guide(text) => self.plain(Role::Assistant, text),
            Message::Saying(text) => self.saying(text),
            Message::Thinking(text) => self.thinking(text),
            Message::Call { id, name, arguments } => self.call(at, id, name, arguments),
            // Already placed behind its call, or without one.
            Message::Result { .. } => self.close_calls(),
        }
    }

    fn user(&mut self, text: &'a str) {
        self.close_calls();
        self.release_thought();
        self.plain(Role::User, text);
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
        let answer = self.answer_to(at, id);
        self.answers.push(answer);
        if let Some(message) = self.out.last_mut() {
            message.tool_calls.push(WireCall {
                id,
                name: wire_name(name),
                arguments: wire_arguments(arguments),
            });
        }
    }

    /// The first unused result that stands behind the call.
    fn answer_to(&mut self, at: usize, id: &'a str) -> ChatMessage<'a> {
        let found = self.results.get_mut(id).and_then(|results| {
            results.retain(|(place, _)| *place > at);
            results.pop_front()
        });
        let text = match found {
            Some((_, text)) => capped(text, self.result_chars),
            None => Cow::Borrowed(NO_RESULT),
        };
        let mut message = ChatMessage::of(Role::Tool, text);
        message.tool_call_id = Some(id);
        message
    }

    fn close_calls(&mut self) {
        self.out.append(&mut self.answers);
        self.after_saying = false;
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
                Some(last) if last.takes_in(&message) => last.append(&message),
                _ => merged.push(message),
            }
        }
        merged
    }
}

impl<'a> ChatMessage<'a> {
    fn of(role: Role, content: Cow<'a, str>) -> Self {
        Self {
            role,
            content: Some(content),
            reasoning_content: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self.role, Role::User | Role::Assistant)
            && self.reasoning_content.is_none()
            && self.tool_calls.is_empty()
    }

    fn takes_in(&self, next: &Self) -> bool {
        self.role == next.role && self.is_plain() && next.is_plain()
    }

    fn append(&mut self, next: &Self) {
        if let (Some(content), Some(more)) = (&mut self.content, &next.content) {
            let content = content.to_mut();
            content.push('\n');
            content.push_str(more);
        }
    }
}

/// A name the protocol takes: a model may have invented one it does not.
fn wire_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Cow::Borrowed("unnamed");
    }
    if name.len() <= NAME_CHARS && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let mended = name.chars().take(NAME_CHARS).map(|c| if fits(c) { c } else { '_' });
    Cow::Owned(mended.collect())
}

/// Arguments as one JSON object. Servers parse them when they lay out the context, so one broken
/// call in the history would spoil every later request.
fn wire_arguments(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Cow::Borrowed("{}");
    }
    let is_object =
        trimmed.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(trimmed).is_ok();
    if is_object {
        return Cow::Borrowed(text);
    }
    Cow::Owned(serde_json::json!({ "_raw": text }).to_string())
}

/// The first `limit` characters, with a note when that is not all.
fn capped(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return Cow::Borrowed(text);
    };
    let original = text.chars().count();
    let kept = text.get(..end).unwrap_or_default();
    Cow::Owned(format!(
        "{kept}\n[tool_output_truncated_for_provider original_chars={original} limit_chars={limit}]"
    ))
}

#[cfg(test)]
mod tests;
