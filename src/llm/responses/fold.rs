//! Folds events of the stream into our events: text at once, a thought's payload when the thought is
//! whole, calls and counts at the end.

use std::collections::VecDeque;

use super::items::{Items, Slot, message_text, payload, thought_text};
use super::wire::{Head, WireEvent, WireItem, WireResponse};
use crate::llm::answer::{Answer, Finish, argument_text, cut, overlap, unreadable};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::protocol::Fold;
use crate::llm::sse::Event;
use crate::llm::{GenEvent, Segment, failure};

/// An answer, as far as it has come.
#[derive(Debug)]
pub struct ResponsesFold {
    answer: Answer,
    items: Items,
    /// The item that was written last.
    writing: Option<u64>,
    /// The words or the thought that were announced and have not come to their end.
    open: Option<u64>,
    finish: Option<Finish>,
    begun: bool,
}

impl Fold for ResponsesFold {
    fn event(&mut self, event: &Event) -> Result<(), LlmError> {
        let data = event.data.trim();
        if self.finish.is_some() || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let head: Head = serde_json::from_str(data).map_err(|_| unreadable(data))?;
        self.begun = true;
        let kind = head.kind.as_deref().unwrap_or(&event.name);
        if kind == "error" || event.name == "error" {
            return Err(failure::from_object(data));
        }
        match Kind::of(kind) {
            Some(kind) => {
                let event = serde_json::from_str(data).map_err(|_| unreadable(data))?;
                self.take_event(kind, event)
            }
            None if head.error.is_some_and(|error| error.get() != "null") => {
                Err(failure::from_object(data))
            }
            None => Ok(()),
        }
    }

    fn is_readable(data: &str) -> bool {
        data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
    }

    fn whole(&mut self, json: &str) -> Result<(), LlmError> {
        let json = json.trim_start_matches('\u{feff}');
        if json.trim_start().starts_with('[') {
            return Err(failure::from_object(json));
        }
        let response: WireResponse = serde_json::from_str(json)
            .map_err(|error| if error.is_eof() { cut() } else { unreadable(json) })?;
        if response.output.is_none() {
            return Err(failure::from_object(json));
        }
        self.begun = true;
        match response.status.as_str() {
            "completed" | "" => self.complete(response, Finish::Whole),
            "incomplete" => self.incomplete(response),
            "failed" => Err(failed(&response)),
            _ => Err(LlmError::new(ErrorClass::Server, "the provider did not finish the answer")),
        }
    }

    fn end(&mut self) -> Result<(), LlmError> {
        let finish = self.finish.ok_or_else(cut)?;
        if finish == Finish::Whole && !self.items.calls_are_whole() {
            return Err(cut());
        }
        let calls = self.items.take_calls();
        self.answer.end(finish, calls)
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
        self.finish.is_some()
    }

    fn is_over(&self) -> bool {
        self.finish.is_some()
    }
}

/// The events that mean something here. Whole texts, heartbeats and the phases of tools that run at
/// the provider are left out: what they say comes with an item or matters to nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Begun,
    Text(Segment),
    SummaryPart,
    ItemAdded,
    ItemDone,
    ArgumentsDelta,
    ArgumentsDone,
    Completed,
    Incomplete,
    Failed,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("response.")? {
            "created" | "queued" | "in_progress" => Self::Begun,
            "output_text.delta" | "refusal.delta" => Self::Text(Segment::Saying),
            "reasoning_summary_text.delta" | "reasoning_text.delta" => {
                Self::Text(Segment::Thinking)
            }
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
    /// An empty answer that may hold `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            answer: Answer::new(limit),
            items: Items::default(),
            writing: None,
            open: None,
            finish: None,
            begun: false,
        }
    }

    fn take_event(&mut self, kind: Kind, event: WireEvent) -> Result<(), LlmError> {
        let key = |fold: &mut Self| fold.items.key(event.output_index, &event.item_id);
        match kind {
            Kind::Begun => {
                self.answer.name_model(&event.response.unwrap_or_default().model);
                Ok(())
            }
            Kind::Text(segment) => {
                let key = key(self);
                self.text(key, segment, event.delta)
            }
            Kind::SummaryPart if event.summary_index.unwrap_or(0) > 0 => {
                self.answer.part(Segment::Thinking)
            }
            Kind::SummaryPart => Ok(()),
            Kind::ItemAdded => self.added(event.output_index, event.item.unwrap_or_default()),
            Kind::ItemDone => self.item(event.output_index, &event.item.unwrap_or_default()),
            Kind::ArgumentsDelta => {
                let key = key(self);
                self.answer.count(event.delta.len())?;
                let call = slot(&mut self.items, key)?.call.get_or_insert_default();
                if !call.whole {
                    call.arguments.push_str(&event.delta);
                }
                Ok(())
            }
            Kind::ArgumentsDone => {
                let key = key(self);
                self.call(key, &WireItem { arguments: event.arguments, ..WireItem::default() })
            }
            Kind::Completed => self.complete(event.response.unwrap_or_default(), Finish::Whole),
            Kind::Incomplete => self.incomplete(event.response.unwrap_or_default()),
            Kind::Failed => Err(failed(&event.response.unwrap_or_default())),
        }
    }

    fn text(&mut self, key: u64, segment: Segment, text: String) -> Result<(), LlmError> {
        if text.is_empty() {
            return Ok(());
        }
        self.follow_on(key)?;
        if let Some(last) = self.writing.replace(key).filter(|last| *last != key) {
            slot(&mut self.items, last)?.left = true;
            self.answer.part(segment)?;
        }
        slot(&mut self.items, key)?.written = true;
        self.answer.write(segment, text)
    }

    /// Checks that this item may be written: words and thoughts follow each other. One that was
    /// announced has to end before the next begins; one that was not ends with it.
    fn follow_on(&mut self, key: u64) -> Result<(), LlmError> {
        if self.open.is_some_and(|open| open != key) {
            return Err(overlap("an item began before the one before it had ended"));
        }
        let slot = slot(&mut self.items, key)?;
        if slot.left && !slot.done {
            return Err(overlap("an item went on after another one had begun"));
        }
        Ok(())
    }

    /// An item begins. What it says comes later, or again.
    fn added(&mut self, index: Option<u64>, item: WireItem) -> Result<(), LlmError> {
        let key = self.items.key(index, &item.id);
        if matches!(item.kind.as_str(), "message" | "reasoning") {
            self.follow_on(key)?;
            self.open = Some(key);
        }
        let slot = slot(&mut self.items, key)?;
        if item.kind == "function_call" {
            let call = slot.call.get_or_insert_default();
            self.answer.count(item.call_id.len() + item.name.len())?;
            if !call.whole {
                call.id = item.call_id;
                call.name = item.name;
            }
        }
        Ok(())
    }

    /// An item has come whole.
    fn item(&mut self, index: Option<u64>, item: &WireItem) -> Result<(), LlmError> {
        let key = self.items.key(index, &item.id);
        let slot = slot(&mut self.items, key)?;
        if std::mem::replace(&mut slot.done, true) {
            return Ok(());
        }
        let written = slot.written;
        self.open = self.open.filter(|open| *open != key);
        match item.kind.as_str() {
            "message" if !written => self.text(key, Segment::Saying, message_text(item)),
            "reasoning" => {
                if !written {
                    self.text(key, Segment::Thinking, thought_text(item))?;
                }
                self.answer.count(item.encrypted_content.len())?;
                if let Some(payload) = payload(item) {
                    self.answer.thought(payload);
                }
                Ok(())
            }
            "function_call" => self.call(key, item),
            _ => Ok(()),
        }
    }

    /// A call has come to its end. What it says now counts, not the pieces.
    fn call(&mut self, key: u64, item: &WireItem) -> Result<(), LlmError> {
        let arguments = argument_text(item.arguments)?;
        let call = slot(&mut self.items, key)?.call.get_or_insert_default();
        let more = arguments.len().saturating_sub(call.arguments.len());
        self.answer.count(more + item.call_id.len() + item.name.len())?;
        let replace = |old: &mut String, new: &str| {
            if !new.is_empty() {
                new.clone_into(old);
            }
        };
        replace(&mut call.id, &item.call_id);
        replace(&mut call.name, &item.name);
        replace(&mut call.arguments, &arguments);
        call.whole = true;
        Ok(())
    }

    fn incomplete(&mut self, response: WireResponse) -> Result<(), LlmError> {
        let reason = response.incomplete_details.as_ref().map(|details| details.reason.as_str());
        let filtered = reason == Some("content_filter");
        self.complete(response, if filtered { Finish::Filtered } else { Finish::Length })
    }

    /// The answer has ended; items that have not come yet are in it.
    fn complete(&mut self, response: WireResponse, finish: Finish) -> Result<(), LlmError> {
        self.open = None;
        for (index, item) in (0..).zip(response.output.unwrap_or_default()) {
            self.item(Some(index), &item)?;
        }
        self.answer.name_model(&response.model);
        if let Some(usage) = response.usage {
            self.answer.set_usage(usage);
        }
        self.finish = Some(finish);
        Ok(())
    }
}

fn slot(items: &mut Items, key: u64) -> Result<&mut Slot, LlmError> {
    items
        .slot(key)
        .ok_or_else(|| LlmError::new(ErrorClass::Fatal, "stopped: the answer has too many items"))
}

fn failed(response: &WireResponse) -> LlmError {
    failure::from_object(response.error.map_or("{}", |error| error.get()))
}
