//! Assembles calls from deltas.
//!
//! Deltas are always appended, never taken for repetitions, unless the provider is known to repeat them.
//! A delta belongs to a call by its id, else by its index, else it belongs to the last call: servers omit ids or
//! indexes, repeat one index or id for all calls, or send another id with every delta.

use serde_json::{Value, json};

use super::wire::EXTRA_KEY;
use crate::domain::text::json;
use crate::llm::ToolCall;
use crate::llm::answer::MAX_CALLS;
use crate::llm::arguments::is_object;

/// A partial call, or a delta of it.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
    /// What the provider wants back with the call.
    pub extra: Option<Value>,
}

/// The partial calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Vec<PartialCall>,
    /// Every delta repeats the previous arguments of its call.
    cumulative: bool,
    /// The names of the tools, by which a name in pieces is known.
    pub tools: Vec<String>,
}

impl Calls {
    pub(super) fn new(cumulative: bool) -> Self {
        Self { cumulative, ..Self::default() }
    }

    /// Appends a delta to its call or begins a new one. Returns the number of added bytes; `None` if
    /// there are too many calls.
    pub(super) fn add(&mut self, delta: PartialCall) -> Option<usize> {
        let Some(call) = self.continued_by(&delta).and_then(|at| self.all.get_mut(at)) else {
            return self.add_complete(delta);
        };
        let before = call.bytes();
        let joined = call.joined_name(&delta, &self.tools);
        call.append(delta, self.cumulative);
        if let Some(name) = joined {
            call.name = name;
        }
        Some(call.bytes().saturating_sub(before))
    }

    /// The place of the call that a delta continues.
    fn continued_by(&self, delta: &PartialCall) -> Option<usize> {
        let last = |fits: &dyn Fn(&PartialCall) -> bool| self.all.iter().rposition(fits);
        let by_id = || last(&|call| !delta.id.is_empty() && call.id == delta.id);
        let by_index = || last(&|call| delta.index.is_some() && call.index == delta.index);
        let by_place = || last(&|_| true).filter(|_| delta.index.is_none() || !delta.begins());
        let at = by_id().or_else(by_index).or_else(by_place)?;
        let call = self.all.get(at)?;
        let repeats = self.cumulative && delta.arguments.starts_with(&call.arguments);
        let goes_on = repeats || call.joined_name(delta, &self.tools).is_some();
        (goes_on || !call.is_followed_by(delta)).then_some(at)
    }

    /// Adds a call that is complete.
    pub(super) fn add_complete(&mut self, delta: PartialCall) -> Option<usize> {
        let bytes = delta.bytes();
        self.all.push(delta);
        (self.all.len() <= MAX_CALLS).then_some(bytes)
    }

    /// The calls in index order, after a payload with what the provider wants back with them, if it wants any.
    pub(super) fn finish(&mut self) -> (Option<Value>, Vec<ToolCall>) {
        let mut calls = std::mem::take(&mut self.all);
        if calls.iter().all(|call| call.index.is_some()) {
            calls.sort_by_key(|call| call.index);
        }
        let finish = |call: PartialCall| ToolCall {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
        };
        let extras: Vec<Option<Value>> = calls.iter_mut().map(|call| call.extra.take()).collect();
        let has_extras = extras.iter().any(Option::is_some);
        let payload = has_extras.then(|| json!({ "summary": [], EXTRA_KEY: extras }));
        (payload, calls.into_iter().map(finish).collect())
    }
}

impl PartialCall {
    /// Whether this is the beginning of a call.
    fn begins(&self) -> bool {
        !self.name.trim().is_empty()
    }

    /// Whether a delta begins the next call, although its id, index or place is that of this one.
    fn is_followed_by(&self, next: &Self) -> bool {
        let has_id = !next.id.is_empty() && !self.id.is_empty();
        let is_whole = is_object(&self.arguments) && !next.arguments.trim().is_empty();
        let other_index = next.index.is_some() && self.index.is_some() && next.index != self.index;
        if !next.begins() {
            // Without a name, only another id or index tells a call whose arguments are whole from the next one.
            return is_whole && (has_id && next.id != self.id || other_index);
        }
        let other_name = self.begins() && next.name.trim() != self.name.trim();
        if has_id {
            let is_next = other_index || are_of_two_calls(&self.arguments, &next.arguments);
            let after_whole = other_name && is_object(&self.arguments);
            return next.id != self.id || is_whole && is_next || after_whole;
        }
        other_name || self.begins() && is_whole
    }

    /// The name of which this call and a delta have pieces: neither is the name of a tool, and both together begin one.
    fn joined_name(&self, next: &Self, tools: &[String]) -> Option<String> {
        let (first, rest) = (self.name.trim(), next.name.trim());
        let other_id = !next.id.is_empty() && !self.id.is_empty() && next.id != self.id;
        if first.is_empty() || rest.is_empty() || first == rest || other_id {
            return None;
        }
        let joined = format!("{first}{rest}");
        let is_known = tools.iter().any(|tool| tool.starts_with(&joined));
        let is_whole = tools.iter().any(|tool| tool == first || tool == rest);
        (is_known && !is_whole && self.arguments.trim().is_empty()).then_some(joined)
    }

    fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.len()
    }

    fn append(&mut self, next: Self, cumulative: bool) {
        if !next.id.is_empty() && self.id.is_empty() {
            self.id = next.id;
        }
        if !self.begins() {
            self.name = next.name;
        }
        self.extra = next.extra.or(self.extra.take());
        if cumulative && next.arguments.starts_with(&self.arguments) {
            self.arguments = next.arguments;
        } else {
            self.arguments.push_str(&next.arguments);
        }
    }
}

/// Whether two objects are the arguments of two calls: neither is empty, and neither repeats or continues the other.
fn are_of_two_calls(first: &str, next: &str) -> bool {
    let object = |text: &str| {
        let value: Value = json::read(text).ok()?;
        value.as_object().is_some_and(|fields| !fields.is_empty()).then_some(value)
    };
    let (Some(first), Some(next)) = (object(first), object(next)) else { return false };
    let begins = |one: &Value, other: &Value| {
        other.to_string().starts_with(one.to_string().trim_end_matches(['}', ']', '"']))
    };
    first != next && !begins(&first, &next) && !begins(&next, &first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
                extra: None,
            };
            assert!(calls.add(delta).is_some());
        }
        let (_, calls) = calls.finish();
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
                "one index for two calls without ids",
                vec![(zero, "", "f", "{\"x\":1}"), (zero, "", "f", "{\"x\":1}")],
                vec![("", "f", "{\"x\":1}"), ("", "f", "{\"x\":1}")],
            ),
            (
                "one index, other names",
                vec![(zero, "", "f", ""), (zero, "", "g", ""), (zero, "", "", "{}")],
                vec![("", "f", ""), ("", "g", "{}")],
            ),
            (
                "all heads have one index, the rest has another",
                vec![
                    (zero, "a", "f", ""),
                    (zero, "", "", "{}"),
                    (zero, "b", "g", ""),
                    (one, "", "", "{\"y\""),
                    (one, "", "", ":2}"),
                ],
                vec![("a", "f", "{}"), ("b", "g", "{\"y\":2}")],
            ),
            (
                "one id, other indexes",
                vec![(zero, "a", "f", ""), (one, "a", "", "{\"x\""), (one, "a", "", ":1}")],
                vec![("a", "f", "{\"x\":1}")],
            ),
            (
                "one id for two calls",
                vec![(zero, "a", "f", "{\"x\":1}"), (one, "a", "f", "{\"x\":2}")],
                vec![("a", "f", "{\"x\":1}"), ("a", "f", "{\"x\":2}")],
            ),
            (
                "one id and index for two calls",
                vec![(zero, "a", "f", "{\"x\":1}"), (zero, "a", "f", "{\"x\":2}")],
                vec![("a", "f", "{\"x\":1}"), ("a", "f", "{\"x\":2}")],
            ),
            (
                "one id without an index for two calls",
                vec![(None, "a", "f", "{\"x\":1}"), (None, "a", "f", "{\"y\":1}")],
                vec![("a", "f", "{\"x\":1}"), ("a", "f", "{\"y\":1}")],
            ),
            (
                "one id for two names",
                vec![(None, "a", "f", "{}"), (None, "a", "g", ""), (None, "a", "", "{\"y\":2}")],
                vec![("a", "f", "{}"), ("a", "g", "{\"y\":2}")],
            ),
            (
                "one id, the same again",
                vec![(zero, "a", "f", "{\"x\":1}"), (zero, "a", "f", "{\"x\": 1}")],
                vec![("a", "f", "{\"x\":1}{\"x\": 1}")],
            ),
            (
                "one id, nothing before it and behind it",
                vec![(zero, "a", "f", "{}"), (zero, "a", "f", "{\"x\":1}"), (zero, "a", "f", "{}")],
                vec![("a", "f", "{}{\"x\":1}{}")],
            ),
            (
                "one id, arguments that may have grown",
                vec![(zero, "a", "f", "{\"x\":\"a\"}"), (zero, "a", "f", "{\"x\":\"ab\"}")],
                vec![("a", "f", "{\"x\":\"a\"}{\"x\":\"ab\"}")],
            ),
            (
                "another id with every piece",
                vec![(zero, "a", "f", "{"), (zero, "b", "", "\"x\":1"), (zero, "c", "", "}")],
                vec![("a", "f", "{\"x\":1}")],
            ),
            (
                "an index, then none",
                vec![(Some(7), "a", "f", ""), (None, "", "", "{"), (None, "", "", "}")],
                vec![("a", "f", "{}")],
            ),
            (
                "ids without indexes, mixed",
                vec![
                    (None, "a", "f", ""),
                    (None, "b", "g", ""),
                    (None, "a", "", "{"),
                    (None, "b", "", "{}"),
                    (None, "a", "", "}"),
                ],
                vec![("a", "f", "{}"), ("b", "g", "{}")],
            ),
            (
                "neither index nor id nor arguments",
                vec![(None, "", "f", ""), (None, "", "g", "")],
                vec![("", "f", ""), ("", "g", "")],
            ),
            (
                "a name in every piece",
                vec![(None, "", "f", "{"), (None, "", "f", "\"x\":1"), (None, "", "f", "}")],
                vec![("", "f", "{\"x\":1}")],
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
    fn a_name_in_pieces_is_joined_where_only_the_whole_names_a_tool() {
        let (zero, file) = (Some(0), "{\"x\":1}");
        for (what, deltas, expected) in [
            (
                "by the index",
                vec![(zero, "a", "read_", ""), (zero, "", "file", ""), (zero, "", "", file)],
                vec![("a", "read_file", file)],
            ),
            (
                "by the id",
                vec![(None, "a", "re", ""), (None, "a", "ad_", ""), (None, "a", "file", file)],
                vec![("a", "read_file", file)],
            ),
            (
                "neither",
                vec![(None, "", "read_", ""), (None, "", "file", file)],
                vec![("", "read_file", file)],
            ),
            (
                "two ids",
                vec![(None, "a", "read_", ""), (None, "b", "file", file)],
                vec![("a", "read_", ""), ("b", "file", file)],
            ),
            (
                "a piece is a tool",
                vec![(zero, "a", "list", ""), (zero, "", "_dir", file)],
                vec![("a", "list", ""), ("", "_dir", file)],
            ),
            (
                "no tool",
                vec![(zero, "a", "write_", ""), (zero, "", "file", file)],
                vec![("a", "write_", ""), ("", "file", file)],
            ),
            (
                "one name twice",
                vec![(zero, "a", "ta", ""), (zero, "a", "ta", file)],
                vec![("a", "ta", file)],
            ),
        ] as [(&str, Vec<Row>, Vec<(&str, &str, &str)>); 7]
        {
            let tools = ["read_file", "list", "list_dir", "tata"].map(str::to_owned).to_vec();
            let calls = Calls { tools, ..Calls::default() };
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(id, name, text)| (id.to_owned(), name.to_owned(), text.to_owned()))
                .collect();
            assert_eq!(assembled_by(calls, &deltas), expected, "{what}");
        }
    }

    #[test]
    fn too_many_calls_are_refused() {
        let mut calls = Calls::default();
        let delta =
            |n| PartialCall { index: Some(n), name: "f".to_owned(), ..PartialCall::default() };
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

    proptest! {
        /// Two calls in pieces: with ids in all, or with indexes in all, any order of pieces gives the same calls.
        #[test]
        fn any_order_of_pieces_gives_the_same_calls(
            order in prop::collection::vec(any::<bool>(), 0..12),
            cuts in prop::collection::vec(1_usize..6, 2),
            by_id in any::<bool>(),
        ) {
            let texts = [r#"{"x":"first"}"#, r#"{"y":2}"#];
            let ids = ["a", "b"];
            let mut rest = texts;
            let mut calls = Calls::default();
            let turns = order.into_iter().map(usize::from).chain((0..40).map(|turn| turn % 2));
            let mut begun = [false; 2];
            for at in turns {
                let is_head = !std::mem::replace(&mut begun[at], true);
                let end = if is_head { 0 } else { cuts[at].min(rest[at].len()) };
                let (piece, later) = rest[at].split_at(end);
                rest[at] = later;
                let delta = PartialCall {
                    index: (!by_id).then_some(at as u64),
                    id: if by_id || is_head { ids[at].to_owned() } else { String::new() },
                    name: if is_head { "f".to_owned() } else { String::new() },
                    arguments: piece.to_owned(),
                    extra: None,
                };
                prop_assert!(calls.add(delta).is_some());
            }
            let (_, calls) = calls.finish();
            prop_assert_eq!(calls.len(), 2);
            for call in calls {
                let at = usize::from(call.id == "b");
                prop_assert_eq!(call.arguments.as_str(), texts[at]);
            }
        }
    }
}
