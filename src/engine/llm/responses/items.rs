//! The items of a partial answer.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::wire::{WireItem, WirePart};
use crate::llm::ToolCall;
use crate::llm::answer::argument_text;
use crate::llm::arguments::is_object;

/// Items in one answer.
pub(super) const MAX_ITEMS: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ItemKind {
    Message,
    Reasoning,
    Call,
    /// Of tools that run at the provider.
    Other,
}

impl ItemKind {
    pub(super) fn of(item: &WireItem<'_>) -> Self {
        match item.kind.as_str() {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" => Self::Call,
            _ => Self::Other,
        }
    }
}

/// What an event says of its item.
#[derive(Debug, Clone, Copy)]
pub(super) enum ItemEvent<'a> {
    Begin(&'a WireItem<'a>),
    Part,
    End(&'a WireItem<'a>),
}

/// The item that an event names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    pub kind: ItemKind,
    pub index: Option<u64>,
    pub id: &'a str,
    pub event: ItemEvent<'a>,
}

/// The state of an item.
#[derive(Debug)]
pub(super) struct ItemState {
    kind: ItemKind,
    index: Option<u64>,
    /// Its events name it by an id.
    has_id: bool,
    /// Its text so far; once it is complete, what tells it from others.
    pub content: String,
    /// Its text was emitted.
    pub is_emitted: bool,
    /// It is complete: further events for it are ignored.
    pub is_done: bool,
    /// Another item was emitted after it before it had ended.
    pub was_interrupted: bool,
    pub call: Option<OpenCall>,
}

/// A partial call.
#[derive(Debug, Default)]
pub(super) struct OpenCall {
    pub id: String,
    pub name: String,
    /// What came with its beginning: nothing, all, or what the deltas continue.
    pub announced: String,
    pub arguments: String,
    /// The arguments are complete.
    pub is_complete: bool,
}

impl OpenCall {
    /// Without a mark of its end too, a whole object is not cut.
    fn is_whole(&self) -> bool {
        self.is_complete || is_object(&self.all_arguments())
    }

    /// What was announced, what came in deltas, or both together.
    fn all_arguments(&self) -> Cow<'_, str> {
        let joined = format!("{}{}", self.announced, self.arguments);
        if self.arguments.trim().is_empty() {
            Cow::Borrowed(&self.announced)
        } else if !is_object(&self.arguments) && is_object(&joined) {
            Cow::Owned(joined)
        } else {
            Cow::Borrowed(&self.arguments)
        }
    }

    fn finished(self) -> ToolCall {
        let arguments = self.all_arguments().into_owned();
        ToolCall { id: self.id, name: self.name, arguments }
    }
}

/// All items of one answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Items {
    states: Vec<ItemState>,
    by_id: HashMap<(ItemKind, String), usize>,
}

impl Items {
    /// The place of the item of an event, which is new where no other fits; `None` if there are too many. An item
    /// is found by its id, else by its index, else by its content, else it is the last one: some servers send a new
    /// id with every event, others one index for all items.
    pub(super) fn find(&mut self, named: &Named<'_>) -> Option<usize> {
        let found = self.known(named);
        if found.is_none() && self.states.len() >= MAX_ITEMS {
            return None;
        }
        let at = found.unwrap_or(self.states.len());
        if found.is_none() {
            self.states.push(ItemState {
                kind: named.kind,
                index: named.index,
                has_id: false,
                content: String::new(),
                is_emitted: false,
                is_done: false,
                was_interrupted: false,
                call: None,
            });
        }
        for id in named.ids().into_iter().filter(|id| !id.is_empty()) {
            if let Some(state) = self.states.get_mut(at) {
                state.has_id = true;
            }
            if self.by_id.len() < 2 * MAX_ITEMS {
                self.by_id.insert((named.kind, id.to_owned()), at);
            }
        }
        Some(at)
    }

    fn known(&self, named: &Named<'_>) -> Option<usize> {
        let last = |fits: &dyn Fn(&ItemState) -> bool| {
            self.states.iter().rposition(|state| state.kind == named.kind && fits(state))
        };
        let by_id = |id: &str| self.by_id.get(&(named.kind, id.to_owned())).copied();
        let ids = named.ids();
        let of_ids = ids.into_iter().filter(|id| !id.is_empty()).find_map(by_id);
        let of_ids =
            of_ids.filter(|at| self.states.get(*at).is_some_and(|state| !named.is_after(state)));
        let has_id = ids.iter().any(|id| !id.is_empty());
        let is_nameless = named.index.is_none() && !has_id;
        of_ids
            .or_else(|| {
                let has_index =
                    |state: &ItemState| named.index.is_some() && state.index == named.index;
                last(&|state| has_index(state) && !named.is_another(state, has_id))
            })
            .or_else(|| last(&|state| named.has_content_of(state)))
            .or_else(|| last(&|state| is_nameless && !named.is_another(state, has_id)))
    }

    /// The item at a place.
    pub(super) fn state(&mut self, at: usize) -> Option<&mut ItemState> {
        self.states.get_mut(at)
    }

    /// Whether text of a message was emitted.
    pub(super) fn has_words(&self) -> bool {
        self.states.iter().any(|state| state.kind == ItemKind::Message && state.is_emitted)
    }

    /// Whether every call is complete.
    pub(super) fn calls_are_complete(&self) -> bool {
        self.states.iter().filter_map(|state| state.call.as_ref()).all(OpenCall::is_whole)
    }

    /// The calls, in order.
    pub(super) fn take_calls(&mut self) -> Vec<ToolCall> {
        let mut states = std::mem::take(&mut self.states);
        states.retain(|state| state.call.is_some());
        if states.iter().all(|state| state.index.is_some()) {
            states.sort_by_key(|state| state.index);
        }
        states.into_iter().filter_map(|state| state.call).map(OpenCall::finished).collect()
    }
}

impl<'a> Named<'a> {
    fn ids(&self) -> [&'a str; 2] {
        match self.event {
            ItemEvent::Begin(item) | ItemEvent::End(item) => [self.id, &item.call_id],
            ItemEvent::Part => [self.id, ""],
        }
    }

    /// Whether this is the next item with the id of a complete one.
    fn is_after(&self, state: &ItemState) -> bool {
        let other_index =
            self.index.is_some() && state.index.is_some() && self.index != state.index;
        match self.event {
            ItemEvent::Begin(_) => state.is_done && other_index,
            ItemEvent::Part => false,
            ItemEvent::End(item) => {
                state.is_done && other_index && self.kind == ItemKind::Call && differs(item, state)
            }
        }
    }

    /// Whether this is another item than the one with its index or at its place.
    fn is_another(&self, state: &ItemState, has_id: bool) -> bool {
        match self.event {
            ItemEvent::Begin(_) => state.is_done || has_id && state.has_id,
            ItemEvent::Part => state.is_done && has_id,
            ItemEvent::End(item) => differs(item, state),
        }
    }

    /// Whether the content of an item was received already, under another id and index.
    fn has_content_of(&self, state: &ItemState) -> bool {
        match self.event {
            ItemEvent::Begin(_) | ItemEvent::Part => false,
            ItemEvent::End(item) => {
                let content = content(item);
                let is_unnamed = item.call_id.is_empty() && self.index.is_none();
                (self.kind == ItemKind::Message || is_unnamed)
                    && !content.is_empty()
                    && content == state.content
            }
        }
    }
}

/// Whether a complete item is not the one of this state.
fn differs(item: &WireItem<'_>, state: &ItemState) -> bool {
    let other_call = state.call.as_ref().is_some_and(|call| {
        !item.call_id.is_empty() && !call.id.is_empty() && item.call_id != call.id
    });
    let content = content(item);
    let other_content =
        !content.is_empty() && !state.content.is_empty() && content != state.content;
    other_call || state.is_done && other_content
}

/// The content by which a complete item is told from others.
pub(super) fn content(item: &WireItem<'_>) -> String {
    match ItemKind::of(item) {
        ItemKind::Message => message_text(item),
        ItemKind::Reasoning => thought_text(item) + &item.encrypted_content,
        ItemKind::Call => {
            let arguments = argument_text(item.arguments).unwrap_or_default();
            let value: Value = serde_json::from_str(&arguments).unwrap_or_default();
            format!("{} {value}", item.name)
        }
        ItemKind::Other => String::new(),
    }
}

/// The text of a thought: its summary, or else its content.
pub(super) fn thought_text(item: &WireItem<'_>) -> String {
    let texts = |parts: &[WirePart]| {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        texts.join("\n\n")
    };
    let summary = texts(&item.summary);
    if summary.trim().is_empty() { texts(&item.content) } else { summary }
}

/// The text of a message.
pub(super) fn message_text(item: &WireItem<'_>) -> String {
    item.content.iter().flat_map(|part| [part.text.as_str(), &part.refusal]).collect()
}

/// The payload to be sent back for a thought; `None` if it is empty.
pub(super) fn payload(item: &WireItem<'_>) -> Option<Value> {
    let parts = |parts: &[WirePart], kinds: &[&str]| -> Vec<Value> {
        let known = parts.iter().filter(|part| kinds.contains(&part.kind.as_str()));
        known.map(|part| json!({ "type": part.kind, "text": part.text })).collect()
    };
    let summary = parts(&item.summary, &["summary_text"]);
    let content = parts(&item.content, &["reasoning_text", "text"]);
    let nothing = summary.is_empty() && content.is_empty() && item.encrypted_content.is_empty();
    let mut payload = json!({ "summary": summary });
    if let Some(fields) = payload.as_object_mut() {
        if !content.is_empty() {
            fields.insert("content".to_owned(), Value::Array(content));
        }
        if !item.encrypted_content.is_empty() {
            let text = Value::String(item.encrypted_content.clone());
            fields.insert("encrypted_content".to_owned(), text);
        }
    }
    (!nothing).then_some(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event: its kind, index and id.
    type Row = (ItemKind, Option<u64>, &'static str);

    #[test]
    fn an_item_is_found_by_its_id_else_by_its_index_else_it_is_the_last() {
        use ItemKind::{Message, Reasoning};
        let (zero, one) = (Some(0), Some(1));
        for (what, rows, expected) in [
            (
                "by index, where each event has another id",
                vec![(Message, zero, "a"), (Message, zero, "b"), (Message, one, "c")],
                [0, 0, 1],
            ),
            (
                "by id",
                vec![(Message, None, "a"), (Message, None, "b"), (Message, None, "a")],
                [0, 1, 0],
            ),
            (
                "by id, with another index",
                vec![(Message, zero, "a"), (Message, one, "a"), (Message, None, "b")],
                [0, 0, 1],
            ),
            (
                "one index for items of two kinds",
                vec![(Reasoning, zero, "a"), (Message, zero, "b"), (Reasoning, zero, "")],
                [0, 1, 0],
            ),
            (
                "one id for items of two kinds",
                vec![(Reasoning, zero, "a"), (Message, one, "a"), (Reasoning, zero, "a")],
                [0, 1, 0],
            ),
            (
                "neither is the last of its kind",
                vec![(Message, Some(3), ""), (Reasoning, None, ""), (Message, None, "")],
                [0, 1, 0],
            ),
        ] as [(&str, Vec<Row>, [usize; 3]); 6]
        {
            let mut items = Items::default();
            let event = ItemEvent::Part;
            let found: Vec<usize> = rows
                .into_iter()
                .map(|(kind, index, id)| items.find(&Named { kind, index, id, event }).unwrap())
                .collect();
            assert_eq!(found, expected, "{what}");
        }
    }

    #[test]
    fn too_many_items_are_refused() {
        let mut items = Items::default();
        let part = |index| Named {
            kind: ItemKind::Message,
            index: Some(index),
            id: "",
            event: ItemEvent::Part,
        };
        assert!((0..1024).all(|index| items.find(&part(index)).is_some()));
        assert!(items.find(&part(1024)).is_none());
        assert!(items.find(&part(7)).is_some());
    }
}
