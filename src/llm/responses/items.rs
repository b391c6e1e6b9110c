//! The items of a partial answer.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::wire::{WireItem, WirePart};
use crate::llm::ToolCall;

/// Items in one answer.
const MAX_ITEMS: usize = 1024;

/// The state of an item.
#[derive(Debug, Default)]
pub(super) struct ItemState {
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
    pub arguments: String,
    /// The arguments are complete.
    pub is_complete: bool,
}

/// All items of one answer, in its order.
#[derive(Debug, Default)]
pub(super) struct Items {
    states: BTreeMap<u64, ItemState>,
    /// The key of each id, and whether the server gave it as an index.
    by_id: HashMap<String, (u64, bool)>,
    last: u64,
}

impl Items {
    /// The key of an item: by its index, since some servers send a new id with every event; without an
    /// index, by its id; without both, the last item.
    pub(super) fn key(&mut self, index: Option<u64>, id: &str) -> u64 {
        let known = self.by_id.get(id).copied();
        let (key, by_index) = match (index, known) {
            (Some(_), Some((key, false))) => (key, false),
            (Some(index), Some((_, true)) | None) => (index, true),
            (None, Some(known)) => known,
            (None, None) if id.is_empty() => (self.last, false),
            (None, None) => (self.states.keys().next_back().map_or(0, |key| key + 1), false),
        };
        if !id.is_empty() {
            self.by_id.insert(id.to_owned(), (key, by_index));
        }
        self.last = key;
        key
    }

    /// The item of a key, empty at first; `None` if there are too many.
    pub(super) fn state(&mut self, key: u64) -> Option<&mut ItemState> {
        let full = self.states.len() >= MAX_ITEMS || self.by_id.len() > 2 * MAX_ITEMS;
        if full && !self.states.contains_key(&key) {
            return None;
        }
        Some(self.states.entry(key).or_default())
    }

    /// Whether every call is complete.
    pub(super) fn calls_are_complete(&self) -> bool {
        self.states.values().filter_map(|state| state.call.as_ref()).all(|call| call.is_complete)
    }

    /// The calls, in order.
    pub(super) fn take_calls(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.states).into_values().filter_map(|state| state.call);
        let call =
            |call: OpenCall| ToolCall { id: call.id, name: call.name, arguments: call.arguments };
        calls.map(call).collect()
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

    #[test]
    fn an_item_is_found_by_its_index_else_by_its_id_else_it_is_the_last() {
        for (what, keys, expected) in [
            (
                "by index, whatever the ids",
                vec![(Some(0), "a"), (Some(0), "b"), (Some(1), "c")],
                [0, 0, 1],
            ),
            ("by id", vec![(None, "a"), (None, "b"), (None, "a")], [0, 1, 0]),
            (
                "an id given with an index first",
                vec![(Some(2), "a"), (None, "a"), (None, "b")],
                [2, 2, 3],
            ),
            (
                "an id given without an index first",
                vec![(None, "a"), (None, "b"), (Some(5), "b")],
                [0, 1, 1],
            ),
            ("neither is the last", vec![(Some(3), ""), (None, ""), (None, "")], [3, 3, 3]),
        ] {
            let mut items = Items::default();
            let found: Vec<u64> = keys
                .into_iter()
                .map(|(index, id)| {
                    let key = items.key(index, id);
                    items.state(key).unwrap();
                    key
                })
                .collect();
            assert_eq!(found, expected, "{what}");
        }
    }

    #[test]
    fn too_many_items_are_refused() {
        let mut items = Items::default();
        assert!((0..1024).all(|key| items.state(key).is_some()));
        assert!(items.state(1024).is_none());
        assert!(items.state(7).is_some());
    }
}
