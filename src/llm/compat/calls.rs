//! Assembles calls from deltas.
//!
//! Deltas are always appended, never taken for repetitions, unless the provider is known to repeat them.
//! A delta belongs to a call by its index; for servers that omit the index, or use one index for several
//! calls, by its id.

use crate::llm::ToolCall;
use crate::llm::answer::{MAX_CALLS, is_json};

/// A partial call, or a delta of it.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// The partial calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<PartialCall>,
    /// Every delta repeats the previous arguments of its call.
    cumulative: bool,
}

impl Calls {
    pub(super) fn new(cumulative: bool) -> Self {
        Self { calls: Vec::new(), cumulative }
    }

    /// Appends a delta to its call or begins a new one. Returns the number of added bytes; `None` if
    /// there are too many calls.
    pub(super) fn add(&mut self, delta: PartialCall) -> Option<usize> {
        let mut calls = self.calls.iter_mut().rev();
        let Some(call) = calls.find(|call| call.continues_with(&delta)) else {
            return self.add_complete(delta);
        };
        let before = call.bytes();
        call.append(delta, self.cumulative);
        Some(call.bytes().saturating_sub(before))
    }

    /// Adds a call that is complete.
    pub(super) fn add_complete(&mut self, delta: PartialCall) -> Option<usize> {
        let bytes = delta.bytes();
        self.calls.push(delta);
        (self.calls.len() <= MAX_CALLS).then_some(bytes)
    }

    /// The calls in index order.
    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        let mut calls = std::mem::take(&mut self.calls);
        if calls.iter().all(|call| call.index.is_some()) {
            calls.sort_by_key(|call| call.index);
        }
        let finish = |call: PartialCall| ToolCall {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
        };
        calls.into_iter().map(finish).collect()
    }
}

impl PartialCall {
    fn continues_with(&self, next: &Self) -> bool {
        let other_id = !next.id.is_empty() && !self.id.is_empty() && next.id != self.id;
        let named = !next.name.is_empty();
        match (self.index, next.index) {
            // Some gateways number every call 0: a delta with a name and another id is another call.
            (Some(mine), Some(its)) => mine == its && !(named && other_id),
            (None, Some(_)) => false,
            // Without an id, a name after complete arguments begins another call.
            (_, None) if next.id.is_empty() => !(named && is_json(&self.arguments)),
            (_, None) => !other_id,
        }
    }

    fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.len()
    }

    fn append(&mut self, next: Self, cumulative: bool) {
        if !next.id.is_empty() && self.id.is_empty() {
            self.id = next.id;
        }
        if self.name.is_empty() {
            self.name = next.name;
        }
        if cumulative && next.arguments.starts_with(&self.arguments) {
            self.arguments = next.arguments;
        } else {
            self.arguments.push_str(&next.arguments);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(index, id, name, arguments)`
    type Row = (Option<u64>, &'static str, &'static str, &'static str);

    fn assembled(deltas: &[Row]) -> Vec<(String, String, String)> {
        assembled_by(Calls::default(), deltas)
    }

    fn assembled_by(mut calls: Calls, deltas: &[Row]) -> Vec<(String, String, String)> {
        for (index, id, name, arguments) in deltas {
            let delta = PartialCall {
                index: *index,
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            };
            assert!(calls.add(delta).is_some());
        }
        let calls = calls.finish();
        calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn deltas_are_added_to_their_call() {
        let (zero, one) = (Some(0), Some(1));
        for (what, deltas, expected) in [
            (
                "pieces of two calls, mixed",
                vec![
                    (one, "b", "g", ""),
                    (zero, "a", "f", "{\"x"),
                    (one, "", "", "{}"),
                    (zero, "", "", "\":1}"),
                ],
                vec![("a", "f", "{\"x\":1}"), ("b", "g", "{}")],
            ),
            (
                "repeated pieces are no repetition",
                vec![
                    (zero, "a", "f", "\""),
                    (zero, "", "", "aa"),
                    (zero, "", "", "aa"),
                    (zero, "", "", "\""),
                ],
                vec![("a", "f", "\"aaaa\"")],
            ),
            (
                "empty id and name do not overwrite",
                vec![(zero, "a", "f", "{"), (zero, "", "", "}")],
                vec![("a", "f", "{}")],
            ),
            (
                "id and name repeated in every piece",
                vec![(zero, "a", "f", "{"), (zero, "a", "f", "}")],
                vec![("a", "f", "{}")],
            ),
            (
                "no index: an id begins a call, the rest is appended",
                vec![(None, "a", "f", "{"), (None, "", "", "}"), (None, "b", "g", "{}")],
                vec![("a", "f", "{}"), ("b", "g", "{}")],
            ),
            (
                "neither index nor id: a name after whole arguments begins a call",
                vec![(None, "", "f", "{}"), (None, "", "g", "{"), (None, "", "", "}")],
                vec![("", "f", "{}"), ("", "g", "{}")],
            ),
            (
                "one index for two calls",
                vec![(zero, "a", "f", "{}"), (zero, "b", "f", "{}")],
                vec![("a", "f", "{}"), ("b", "f", "{}")],
            ),
            (
                "the id may come late",
                vec![(zero, "", "f", "{"), (zero, "a", "", "}")],
                vec![("a", "f", "{}")],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(id, name, text): (&str, &str, &str)| {
                    (id.to_owned(), name.to_owned(), text.to_owned())
                })
                .collect();
            assert_eq!(assembled(&deltas), expected, "{what}");
        }
    }

    #[test]
    fn too_many_calls_are_refused() {
        let mut calls = Calls::default();
        let delta = |n| PartialCall { index: Some(n), ..PartialCall::default() };
        assert!((0..512).all(|n| calls.add(delta(n)).is_some()));
        assert!(calls.add(delta(512)).is_none());
    }

    #[test]
    fn cumulative_deltas_replace_the_previous_arguments_where_that_is_configured() {
        let deltas = [
            (Some(0), "a", "f", "{\"x"),
            (Some(0), "a", "f", "{\"x\":"),
            (Some(0), "", "", "{\"x\":1}"),
            (Some(1), "b", "g", "{}"),
        ];
        let expected = [("a", "f", "{\"x\":1}"), ("b", "g", "{}")];
        let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(assembled_by(Calls::new(true), &deltas), expected);
        assert_ne!(assembled(&deltas), expected);
    }
}
