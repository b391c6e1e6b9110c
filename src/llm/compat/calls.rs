//! Calls arrive in pieces; here they are put together.
//!
//! Pieces are always appended, never taken for repetitions. A call's place comes from its index;
//! servers that leave it out, or use one index for several calls, are understood by the id.

use crate::llm::ToolCall;

/// Most calls one answer may hold; more is no answer but a flood.
const MOST_CALLS: usize = 512;

/// A piece of a call.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// The calls of one answer, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Piece>);

impl Calls {
    /// Whether no call has begun.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every call's arguments are whole JSON (or nothing at all).
    pub(super) fn all_parse(&self) -> bool {
        self.0.iter().all(|call| call.arguments.trim().is_empty() || is_json(&call.arguments))
    }

    /// Adds a piece to its call or begins a new one; false if there are too many.
    pub(super) fn add(&mut self, piece: Piece) -> bool {
        if let Some(call) = self.0.iter_mut().rev().find(|call| call.goes_on_with(&piece)) {
            call.append(piece);
            return true;
        }
        self.0.push(piece);
        self.0.len() <= MOST_CALLS
    }

    /// Adds a call that is complete; false if there are too many.
    pub(super) fn add_whole(&mut self, piece: Piece) -> bool {
        self.0.push(piece);
        self.0.len() <= MOST_CALLS
    }

    /// The calls in index order, each with an id of its own; `None` if one has no name.
    pub(super) fn finish(&mut self) -> Option<Vec<ToolCall>> {
        let mut pieces = std::mem::take(&mut self.0);
        if pieces.iter().all(|call| call.index.is_some()) {
            pieces.sort_by_key(|call| call.index);
        }
        let mut calls: Vec<ToolCall> = Vec::with_capacity(pieces.len());
        for (at, piece) in pieces.into_iter().enumerate() {
            if piece.name.is_empty() {
                return None;
            }
            let wish = if piece.id.is_empty() { format!("call_{}", at + 1) } else { piece.id };
            let id = unused_id(&wish, &calls);
            calls.push(ToolCall { id, name: piece.name, arguments: piece.arguments });
        }
        Some(calls)
    }
}

impl Piece {
    fn goes_on_with(&self, next: &Self) -> bool {
        let other_id = !next.id.is_empty() && !self.id.is_empty() && next.id != self.id;
        let named = !next.name.is_empty();
        match (self.index, next.index) {
            // Some gateways number every call 0: a named piece with another id is another call.
            (Some(mine), Some(its)) => mine == its && !(named && other_id),
            (None, Some(_)) => false,
            // Without any id, a name after whole arguments begins another call.
            (_, None) if next.id.is_empty() => !(named && is_json(&self.arguments)),
            (_, None) => !other_id,
        }
    }

    fn append(&mut self, next: Self) {
        if !next.id.is_empty() && self.id.is_empty() {
            self.id = next.id;
        }
        if self.name.is_empty() {
            self.name = next.name;
        }
        self.arguments.push_str(&next.arguments);
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn unused_id(wish: &str, calls: &[ToolCall]) -> String {
    let taken = |id: &str| calls.iter().any(|call| call.id == id);
    let mut id = wish.to_owned();
    let mut n = 1_u32;
    while taken(&id) {
        n += 1;
        id = format!("{wish}_{n}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(index, id, name, arguments)`
    type Row = (Option<u64>, &'static str, &'static str, &'static str);

    fn put_together(pieces: &[Row]) -> Option<Vec<(String, String, String)>> {
        let mut calls = Calls::default();
        for (index, id, name, arguments) in pieces {
            assert!(calls.add(Piece {
                index: *index,
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            }));
        }
        let calls = calls.finish()?;
        Some(calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect())
    }

    #[test]
    fn pieces_find_their_call() {
        let (zero, one) = (Some(0), Some(1));
        for (what, pieces, expected) in [
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
                vec![("call_1", "f", "{}"), ("call_2", "g", "{}")],
            ),
            (
                "one index for two calls",
                vec![(zero, "a", "f", "{}"), (zero, "b", "f", "{}")],
                vec![("a", "f", "{}"), ("b", "f", "{}")],
            ),
            (
                "one id for two calls is made two",
                vec![(zero, "a", "f", "{}"), (one, "a", "g", "{}")],
                vec![("a", "f", "{}"), ("a_2", "g", "{}")],
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
            assert_eq!(put_together(&pieces), Some(expected), "{what}");
        }
    }

    #[test]
    fn a_call_without_a_name_is_no_call() {
        assert_eq!(put_together(&[(Some(0), "a", "", "{}")]), None);
    }

    #[test]
    fn a_flood_of_calls_is_refused() {
        let mut calls = Calls::default();
        let piece = |n| Piece { index: Some(n), ..Piece::default() };
        assert!((0..512).all(|n| calls.add(piece(n))));
        assert!(!calls.add(piece(512)));
    }
}
