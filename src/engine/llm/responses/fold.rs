//! Folds stream events into [`GenEvent`]s: text at once, the payload of a thought when it is complete,
//! calls and counts at the end.

use std::collections::VecDeque;

use super::items::{
    ItemEvent, ItemKind, ItemState, Items, MAX_ITEMS, Named, content, message_text, payload,
    thought_text,
};
use super::wire::{EventHead, WireEvent, WireItem, WireResponse};
use crate::domain::text::Text;
use crate::llm::answer::{Answer, Finish, argument_text, cut, overlap, unreadable};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::protocol::StreamFold;
use crate::llm::readable::read;
use crate::llm::sse::SseEvent;
use crate::llm::{GenEvent, Segment, failure};

/// A partial answer.
#[derive(Debug)]
pub struct ResponsesFold {
    answer: Answer,
    items: Items,
    /// The item that was emitted last.
    last_emitted: Option<usize>,
    /// The announced message or thought that has not ended.
    open_item: Option<usize>,
    /// Texts at the ends of parts, for an answer that has its words in no other place.
    whole_parts: Vec<WholePart>,
    finish: Option<Finish>,
    has_begun: bool,
}

/// The text of a part of a message.
#[derive(Debug, PartialEq, Eq)]
struct WholePart {
    index: Option<u64>,
    id: String,
    content_index: Option<u64>,
    text: String,
}

impl StreamFold for ResponsesFold {
    fn event(&mut self, event: &SseEvent) -> Result<(), LlmError> {
        let data = event.data.trim();
        if self.finish.is_some() || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let mut spare = String::new();
        let head: EventHead = read(data, &mut spare).map_err(|_| unreadable(data))?;
        self.has_begun = true;
        let kind = head.kind.as_deref().unwrap_or(&event.name);
        if kind == "error" || event.name == "error" {
            return Err(failure::from_object(data));
        }
        match EventKind::of(kind) {
            Some(kind) => {
                let mut spare = String::new();
                let event = read(data, &mut spare).map_err(|_| unreadable(data))?;
                self.take_event(kind, event)
            }
            None if kind.is_empty() || head.error.is_some() || head.base_resp.is_some() => {
                failure::check(data)
            }
            None => Ok(()),
        }
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
        let response: WireResponse = read(json, &mut spare)
            .map_err(|error| if error.is_eof() { cut() } else { unreadable(json) })?;
        if response.output.is_none() {
            return Err(failure::from_object(json));
        }
        self.has_begun = true;
        match response.status.as_str() {
            "completed" | "" => self.complete(response, Finish::Complete),
            "incomplete" => self.incomplete(response),
            "failed" => Err(failed(&response)),
            _ => Err(LlmError::new(ErrorClass::Server, UNFINISHED)),
        }
    }

    fn end(&mut self) -> Result<(), LlmError> {
        let finish = self.finish.ok_or_else(cut)?;
        if finish == Finish::Complete && !self.items.calls_are_complete() {
            return Err(cut());
        }
        let calls = self.items.take_calls();
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
        self.finish.is_some()
    }

    fn is_over(&self) -> bool {
        self.finish.is_some()
    }
}

/// The relevant events. Others are redundant (other complete texts) or irrelevant (keep-alives, phases of tools
/// that run at the provider).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventKind {
    Begun,
    Text(Segment),
    PartDone,
    SummaryPart,
    ItemAdded,
    ItemDone,
    ArgumentsDelta,
    ArgumentsDone,
    Completed,
    Incomplete,
    Failed,
}

impl EventKind {
    fn of(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("response.")? {
            "created" | "queued" | "in_progress" => Self::Begun,
            "output_text.delta" | "refusal.delta" => Self::Text(Segment::Saying),
            "reasoning_summary_text.delta" | "reasoning_text.delta" => {
                Self::Text(Segment::Thinking)
            }
            "output_text.done" => Self::PartDone,
            "reasoning_summary_part.added" => Self::SummaryPart,
            "output_item.added" => Self::ItemAdded,
            "output_item.done" => Self::ItemDone,
            "function_call_arguments.delta" => Self::ArgumentsDelta,
            "function_call_arguments.done" => Self::ArgumentsDone,
            "completed" => Self::Completed,
            "incomplete" => Self::Incomplete,
            "failed" => Self::Failed,
            _ => return None,
        })
    }
}

impl ResponsesFold {
    /// An empty answer with a limit in bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            answer: Answer::new(limit),
            items: Items::default(),
            last_emitted: None,
            open_item: None,
            whole_parts: Vec::new(),
            finish: None,
            has_begun: false,
        }
    }

    fn take_event(&mut self, kind: EventKind, event: WireEvent) -> Result<(), LlmError> {
        let (index, id) = (event.output_index, event.item_id.as_str());
        let part = |fold: &mut Self, kind: ItemKind| {
            fold.find(&Named { kind, index, id, event: ItemEvent::Part })
        };
        match kind {
            EventKind::Begun => {
                self.answer.name_model(&event.response.unwrap_or_default().model);
                Ok(())
            }
            EventKind::Text(segment) => {
                let kind = match segment {
                    Segment::Saying => ItemKind::Message,
                    Segment::Thinking => ItemKind::Reasoning,
                };
                let key = part(self, kind)?;
                self.text(key, segment, event.delta)
            }
            EventKind::PartDone => self.part_done(event),
            EventKind::SummaryPart if event.summary_index.unwrap_or(0) > 0 => {
                self.answer.separate_paragraph(Segment::Thinking)
            }
            EventKind::SummaryPart => Ok(()),
            EventKind::ItemAdded => self.item_added(index, &event.item.unwrap_or_default()),
            EventKind::ItemDone => self.item_done(index, &event.item.unwrap_or_default()),
            EventKind::ArgumentsDelta => {
                let key = part(self, ItemKind::Call)?;
                self.answer.count(event.delta.len())?;
                let call = state(&mut self.items, key)?.call.get_or_insert_default();
                if !call.is_complete {
                    call.arguments.push_str(&event.delta);
                }
                Ok(())
            }
            EventKind::ArgumentsDone => {
                let key = part(self, ItemKind::Call)?;
                self.call(key, &WireItem { arguments: event.arguments, ..WireItem::default() })
            }
            EventKind::Completed => {
                self.complete(event.response.unwrap_or_default(), Finish::Complete)
            }
            EventKind::Incomplete => self.incomplete(event.response.unwrap_or_default()),
            EventKind::Failed => Err(failed(&event.response.unwrap_or_default())),
        }
    }

    fn find(&mut self, named: &Named<'_>) -> Result<usize, LlmError> {
        self.items.find(named).ok_or_else(|| LlmError::new(ErrorClass::Fatal, TOO_MANY_ITEMS))
    }

    fn text(&mut self, key: usize, segment: Segment, text: String) -> Result<(), LlmError> {
        if text.is_empty() {
            return Ok(());
        }
        self.check_order(key)?;
        if let Some(last) = self.last_emitted.replace(key).filter(|last| *last != key) {
            state(&mut self.items, last)?.was_interrupted = true;
            self.answer.separate_paragraph(segment)?;
        }
        let state = state(&mut self.items, key)?;
        state.is_emitted = true;
        state.content.push_str(&text);
        self.answer.write(segment, text)
    }

    /// Keeps the text of a part while no message has any.
    fn part_done(&mut self, event: WireEvent) -> Result<(), LlmError> {
        let WireEvent { output_index: index, item_id: id, content_index, text, .. } = event;
        let part = WholePart { index, id, content_index, text };
        let is_known = self.items.has_words() || self.whole_parts.contains(&part);
        if is_known || part.text.is_empty() || self.whole_parts.len() >= MAX_ITEMS {
            return Ok(());
        }
        self.answer.count(part.text.len())?;
        self.whole_parts.push(part);
        Ok(())
    }

    /// Emits the texts of parts, where the answer has no other words.
    fn take_whole_parts(&mut self) -> Result<(), LlmError> {
        for part in std::mem::take(&mut self.whole_parts) {
            let (index, id, event) = (part.index, part.id.as_str(), ItemEvent::Part);
            let key = self.find(&Named { kind: ItemKind::Message, index, id, event })?;
            self.text(key, Segment::Saying, part.text)?;
        }
        Ok(())
    }

    /// Checks that this item may be emitted: messages and thoughts must be sequential. An announced item
    /// has to end before the next begins; an implied one ends when the next begins.
    fn check_order(&mut self, key: usize) -> Result<(), LlmError> {
        let other = self.open_item.filter(|open_item| *open_item != key);
        // An announced item without text may end at any time.
        if let Some(other) = other
            && state(&mut self.items, other)?.is_emitted
        {
            return Err(overlap(Text::new(
                "an item began before the previous one had ended",
                "前一项尚未结束，新的一项已开始",
            )));
        }
        let state = state(&mut self.items, key)?;
        if state.was_interrupted && !state.is_done {
            return Err(overlap(Text::new(
                "an item continued after another one had begun",
                "另一项开始后，旧的一项仍在继续",
            )));
        }
        Ok(())
    }

    /// An item begins. Its content comes later, or again.
    fn item_added(&mut self, index: Option<u64>, item: &WireItem) -> Result<(), LlmError> {
        let (kind, id, event) = (ItemKind::of(item), item.id.as_str(), ItemEvent::Begin(item));
        let key = self.find(&Named { kind, index, id, event })?;
        match kind {
            ItemKind::Message | ItemKind::Reasoning => {
                self.check_order(key)?;
                self.open_item = Some(key);
                Ok(())
            }
            ItemKind::Call => {
                let announced = argument_text(item.arguments)?;
                self.answer.count(item.call_id.len() + item.name.len() + announced.len())?;
                let call = state(&mut self.items, key)?.call.get_or_insert_default();
                if !call.is_complete {
                    item.call_id.clone_into(&mut call.id);
                    item.name.clone_into(&mut call.name);
                    call.announced = announced;
                }
                Ok(())
            }
            ItemKind::Other => Ok(()),
        }
    }

    /// An item is complete.
    fn item_done(&mut self, index: Option<u64>, item: &WireItem) -> Result<(), LlmError> {
        let (kind, id, event) = (ItemKind::of(item), item.id.as_str(), ItemEvent::End(item));
        let key = self.find(&Named { kind, index, id, event })?;
        let state = state(&mut self.items, key)?;
        if std::mem::replace(&mut state.is_done, true) {
            return Ok(());
        }
        let is_emitted = state.is_emitted;
        self.open_item = self.open_item.filter(|open_item| *open_item != key);
        match kind {
            ItemKind::Message if !is_emitted => {
                self.text(key, Segment::Saying, message_text(item))?;
            }
            ItemKind::Reasoning => {
                if !is_emitted {
                    self.text(key, Segment::Thinking, thought_text(item))?;
                }
                self.answer.count(item.encrypted_content.len())?;
                if let Some(payload) = payload(item) {
                    self.answer.thought(payload);
                }
            }
            ItemKind::Call => self.call(key, item)?,
            ItemKind::Message | ItemKind::Other => {}
        }
        let content = content(item);
        if !content.is_empty() {
            self::state(&mut self.items, key)?.content = content;
        }
        Ok(())
    }

    /// A call is complete. Its final fields replace the deltas.
    fn call(&mut self, key: usize, item: &WireItem) -> Result<(), LlmError> {
        let arguments = argument_text(item.arguments)?;
        let call = state(&mut self.items, key)?.call.get_or_insert_default();
        let more = arguments.len().saturating_sub(call.arguments.len());
        self.answer.count(more + item.call_id.len() + item.name.len())?;
        let replace = |old: &mut String, new: &str| {
            if !new.is_empty() {
                new.clone_into(old);
            }
        };
        replace(&mut call.id, &item.call_id);
        replace(&mut call.name, &item.name);
        // An empty object at the end takes nothing away.
        if !matches!(arguments.trim(), "{}" | "null" | "\"\"") || call.arguments.is_empty() {
            replace(&mut call.arguments, &arguments);
        }
        call.is_complete = true;
        Ok(())
    }

    fn incomplete(&mut self, response: WireResponse) -> Result<(), LlmError> {
        let reason = response.incomplete_details.as_ref().map(|details| details.reason.as_str());
        let filtered = reason == Some("content_filter");
        self.complete(response, if filtered { Finish::Filtered } else { Finish::Length })
    }

    /// The answer has ended; it contains items that were not sent before.
    fn complete(&mut self, response: WireResponse, finish: Finish) -> Result<(), LlmError> {
        self.open_item = None;
        for (index, item) in (0..).zip(response.output.unwrap_or_default()) {
            self.item_done(Some(index), &item)?;
        }
        if !self.items.has_words() {
            self.take_whole_parts()?;
        }
        self.answer.name_model(&response.model);
        if let Some(usage) = response.usage {
            self.answer.set_usage(usage);
        }
        self.finish = Some(finish);
        Ok(())
    }
}

fn state(items: &mut Items, key: usize) -> Result<&mut ItemState, LlmError> {
    items.state(key).ok_or_else(|| LlmError::new(ErrorClass::Fatal, TOO_MANY_ITEMS))
}

const UNFINISHED: Text = Text::new("the provider did not finish the answer", "提供方没有完成回应");
const TOO_MANY_ITEMS: Text =
    Text::new("stopped: the answer has too many items", "已停止：回应中的项过多");

fn failed(response: &WireResponse) -> LlmError {
    failure::from_object(response.error.map_or("{}", |error| error.get()))
}
